//! Ids of every type come back letter by letter as their source has them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{repository, run};

/// The ids of each file, as DuckDB reads them (`tests/golden/parquet/make_id_cases.py`).
fn expected() -> BTreeMap<String, Vec<String>> {
    let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut reader = csv::Reader::from_path(repository("tests/golden/parquet/ids/expected.csv")).unwrap();
    for row in reader.deserialize() {
        let (file, _, id): (String, usize, String) = row.unwrap();
        expected.entry(file).or_default().push(id);
    }
    expected
}

fn table(path: &Path, rows: impl Iterator<Item = [String; 3]>) {
    let mut writer = csv::Writer::from_path(path).unwrap();
    writer.write_record(["id", "annotator", "label"]).unwrap();
    rows.for_each(|row| writer.write_record(row).unwrap());
    writer.flush().unwrap();
}

/// The ids that a study queues, those that its labels have when they are written again, and those of `apply`.
fn there_and_back(file: &str, ids: &[String]) -> [Vec<String>; 3] {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().display().to_string();
    fs::copy(repository("tests/golden/parquet/ids").join(file), folder.path().join("t.parquet")).unwrap();
    let toml = "title = \"t\"\nclasses = [\"yes\", \"no\"]\n[items]\nfile = \"t.parquet\"\ntext = \"{text}\"\n[judge]\n\
                file = \"t.parquet\"\nkind = \"probabilities\"\n";
    fs::write(folder.path().join("study.toml"), toml).unwrap();
    run(&["study", "queue", &study, "--budget", "100%"], 0);
    let lines = fs::read_to_string(folder.path().join("queue/queue.jsonl")).unwrap();
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    let mut queued: Vec<String> = lines.lines().map(id).collect();
    queued.sort();
    let [new, all] = ["new.csv", "all.csv"].map(|name| folder.path().join(name));
    table(&new, ids.iter().map(|id| [id, "ann", "yes"].map(str::to_owned)));
    run(&["study", "labels", "add", &new.display().to_string(), &study], 0);
    run(&["study", "labels", "export", &all.display().to_string(), &study], 0);
    let [of_run, applied] = ["run", "applied"].map(|name| folder.path().join(name).display().to_string());
    run(&["study", "run", &study, "--replicates", "0"], 0);
    let items = folder.path().join("t.parquet").display().to_string();
    run(&["apply", &of_run, "--items", &items, "--top", "3", "--out", &applied], 0);
    let listed = |path: &Path, column: &str| {
        let mut reader = csv::Reader::from_path(path).unwrap();
        let place = reader.headers().unwrap().iter().position(|name| name == column).unwrap();
        let mut found: Vec<String> = reader.records().map(|row| row.unwrap()[place].to_owned()).collect();
        found.sort();
        found
    };
    [queued, listed(&all, "id"), listed(&folder.path().join("applied/queue.csv"), "id")]
}

#[test]
fn ids_of_every_type_join_back_to_their_source() {
    let expected = expected();
    assert_eq!(expected.len(), 27);
    for (file, ids) in &expected {
        let mut sorted = ids.clone();
        sorted.sort();
        assert_eq!(there_and_back(file, ids), [(); 3].map(|()| sorted.clone()), "{file}");
    }
}

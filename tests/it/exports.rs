//! Every CSV that leaves is safe to open in a spreadsheet, and is read back exactly.

use std::fs;
use std::path::{Path, PathBuf};

use judge_uncertainty::formats::table::DataTable;
use judge_uncertainty::system::formula::{STARTS, escaped};

use crate::support::{note_trials, run, study, text};

/// All tables below a folder.
fn tables(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| match path.is_dir() {
        true => tables(&path),
        false => vec![path],
    };
    let is_table = |path: &PathBuf| path.extension().is_some_and(|end| end == "csv" || end == "tsv");
    entries.flat_map(of).filter(is_table).collect()
}

/// Cells of a table, as a spreadsheet sees them.
fn cells(path: &Path) -> Vec<String> {
    let delimiter = if path.extension().is_some_and(|end| end == "tsv") { b'\t' } else { b',' };
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_path(path).unwrap();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    records.iter().flat_map(|record| record.iter().map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn no_cell_of_any_export_is_a_formula() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    // Line ends and tabs are refused in ids; elsewhere every start is tried.
    let printable: Vec<char> = STARTS.into_iter().filter(|c| !c.is_control()).collect();
    let ids: Vec<String> = (0..48).map(|k| format!("{}{k}()", printable[k % printable.len()])).collect();
    let name = |k: usize, what: &str| format!("{}{what}", STARTS[k % STARTS.len()]);
    let (classes, variants) = ([name(0, "yes"), name(3, "no"), name(7, "both")], [name(1, "v"), name(2, "w")]);
    let of = |rows: Vec<Vec<String>>| {
        let mut writer = csv::Writer::from_writer(vec![]);
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        writer.into_inner().unwrap()
    };
    let words = |row: &[&str]| row.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
    let mut items = vec![words(&["id", "text", "=size", "@domain"])];
    let mut judge =
        vec![[words(&["id", "variant"]), classes.iter().map(|class| format!("p_{class}")).collect()].concat()];
    let mut labels = vec![words(&["id", "annotator", "label"])];
    for (k, id) in ids.iter().enumerate() {
        items.push(vec![id.clone(), name(k, &format!("SUM(A{k})")), (k % 7).to_string(), name(k % 3, "group")]);
        for variant in &variants {
            judge.push(vec![id.clone(), variant.clone(), "0.5".into(), "0.3".into(), "0.2".into()]);
        }
        for who in 0..2 {
            labels.push(vec![id.clone(), name(who + 8, "ann"), classes[(k + who) % 3].clone()]);
        }
    }
    fs::write(root.join("items.csv"), of(items)).unwrap();
    fs::write(root.join("judge.csv"), of(judge)).unwrap();
    fs::write(root.join("labels.csv"), of(labels)).unwrap();
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let config = format!(
        "title = \"=title\"\nclasses = [{}]\n[items]\nfile = \"items.csv\"\ntext = \"{{text}}\"\nnumbers = [\"=size\"]\n\
         group = \"@domain\"\ncategories = [\"@domain\"]\n[judge]\nfile = \"judge.csv\"\nkind = \"probabilities\"\nvariant = \"variant\"\n\
         [labels]\nfile = \"labels.csv\"\nform = \"long\"\n",
        classes.iter().map(|class| quoted(class)).collect::<Vec<_>>().join(", ")
    );
    fs::write(root.join("study.toml"), config).unwrap();
    let wide = ids.iter().enumerate().map(|(k, id)| vec![id.clone(), classes[k % 3].clone(), classes[k % 2].clone()]);
    fs::write(root.join("wide.csv"), of([vec![words(&["id", "judge", "human"])], wide.collect()].concat())).unwrap();
    let own = tables(root);
    study(&["run", text(root)], 0);
    study(&["queue", text(root), "--budget", "20"], 0);
    let more =
        ids[..6].iter().map(|id| serde_json::json!({"id": id, "annotator": "@zoe", "label": classes[0]}).to_string());
    fs::write(root.join("more.jsonl"), more.collect::<Vec<_>>().join("\n")).unwrap();
    study(&["labels", "add", text(&root.join("more.jsonl")), text(root)], 0);
    study(&["labels", "export", text(&root.join("all-labels.csv")), text(root)], 0);
    run(&["judge", "run", text(root), "--judge", "simulated", "--out", text(&root.join("asked"))], 0);
    run(&["audit", text(&root.join("wide.csv")), "--out", text(&root.join("audited"))], 0);
    fs::remove_file(root.join("wide.csv")).unwrap();
    let made: Vec<PathBuf> = tables(root).into_iter().filter(|path| !own.contains(path)).collect();
    let mut found = 0;
    for path in &made {
        for cell in cells(path) {
            found += usize::from(cell.starts_with('\''));
            let is_safe = cell.starts_with('\'') || escaped(&cell) == cell;
            assert!(is_safe, "{} holds the formula {cell:?}", path.display());
        }
    }
    assert!(made.len() >= 8 && found > 300, "{found} escaped cells in {made:?}");
    note_trials("cells that begin like a formula in exports", found, "is written as a formula", 0);
    // What left comes back.
    let read = |file: &str| DataTable::parse(Path::new(file), &fs::read(root.join(file)).unwrap(), "id").unwrap();
    assert_eq!(read("run/items.csv").rows().map(|row| row.id().to_owned()).collect::<Vec<_>>(), ids);
    assert!(read("asked/predictions.csv").rows().all(|row| ids.contains(&row.id().to_owned())));
    let labels = read("all-labels.csv");
    let column = labels.column("label").unwrap();
    assert!(labels.rows().all(|row| classes.contains(&row.cell(column).to_owned())));
}

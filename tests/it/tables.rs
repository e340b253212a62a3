//! Ordinary tables as people have them (`tests/golden/tables`, with the script that made them): which column is what, and the
//! figures that follow.

use std::collections::BTreeMap;

use assert_cmd::Command;
use judge_uncertainty::random::Stream;
use serde_json::Value;

use crate::support::repository;

/// What is wrong with what `audit` makes of a table.
fn wrong(name: &str, expected: &Value) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = repository("tests/golden/tables").join(name);
    let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
    command.current_dir(folder.path()).arg("audit").arg(&file).args(["--labelled", "random", "--json", "--out", "out"]);
    let ran = command.output().unwrap();
    let error = String::from_utf8_lossy(&ran.stderr).into_owned();
    match expected["error"].as_str() {
        Some(wanted) if error.contains(wanted) && ran.status.code() == Some(2) => return vec![],
        None if ran.status.success() => {}
        _ => return vec![format!("{name}: {error}")],
    }
    let answer = &serde_json::from_slice::<Value>(&ran.stdout).unwrap()["answer"];
    let audited: Value = serde_json::from_slice(&std::fs::read(folder.path().join("out/audit.json")).unwrap()).unwrap();
    let mut problems = vec![];
    let mut same = |what: &str, found: &Value, expected: &Value| {
        if found != expected {
            problems.push(format!("{name}: {what} is {found} and not {expected}"));
        }
    };
    same("the columns", &audited["columns"], &expected["roles"]);
    same("items", &answer["items"], &expected["items"]);
    same("labelled", &answer["labelled"], &expected["labelled"]);
    let found: BTreeMap<&str, f64> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|finding| Some((finding["id"].as_str()?, finding["found"]["value"].as_f64()?)))
        .collect();
    let rates: Vec<&&str> = found.keys().filter(|id| id.starts_with("rate.") && id.ends_with(".by_judge")).collect();
    let of_good = match expected["good"].as_str() {
        Some(good) => format!("rate.{good}.by_judge"),
        None => rates.first().map_or(String::new(), |id| (**id).to_owned()),
    };
    for (id, expected) in [(of_good.as_str(), &expected["rate"]), ("agreement", &expected["agreement"])] {
        let expected = expected.as_f64().unwrap();
        match found.get(id) {
            Some(found) if (found - expected).abs() < 1e-9 => {}
            found => problems.push(format!("{name}: {id} is {found:?} and not {expected} (of {rates:?})")),
        }
    }
    let page = ["study", "labels", "page", "out"];
    Command::cargo_bin("judge-uncertainty").unwrap().current_dir(folder.path()).args(page).assert().success();
    problems.extend(crate::blind::wrong(&folder.path().join("out")).into_iter().map(|text| format!("{name}: {text}")));
    problems
}

#[test]
fn ordinary_tables_are_read_as_they_are_meant_and_their_pages_are_blind() {
    let expected: BTreeMap<String, Value> =
        serde_json::from_slice(&std::fs::read(repository("tests/golden/tables/expected.json")).unwrap()).unwrap();
    assert!(expected.len() >= 40, "{}", expected.len());
    let problems: Vec<String> = expected.iter().flat_map(|(name, expected)| wrong(name, expected)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Three criteria side by side, each with the answers of three people in columns that only their values tell: one verdict
/// for each, and pages that say the criterion and nothing that anyone answered.
#[test]
fn criteria_of_one_table_have_a_verdict_and_a_blind_page_each() {
    let mut stream = Stream::new(3);
    let mut text = String::new();
    for i in 0..120 {
        let mut row = serde_json::Map::new();
        row.insert("id".to_owned(), format!("q{i}").into());
        row.insert("question".to_owned(), format!("What about the parcel number {i}?").into());
        for criterion in ["faithfulness", "tone", "relevance"] {
            let judge = 1 + stream.choice(5) as i64;
            row.insert(format!("{criterion}_judge"), judge.into());
            for person in ["anna", "ben", "cy"] {
                let answer = (judge + stream.choice(3) as i64 - 1).clamp(1, 5);
                row.insert(format!("{criterion}_{person}"), answer.into());
            }
        }
        text += &(Value::Object(row).to_string() + "\n");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rag.jsonl"), text).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
        command.current_dir(folder.path()).args(arguments).assert().success();
    };
    run(&["audit", "rag.jsonl"]);
    for criterion in ["faithfulness", "tone", "relevance"] {
        let study = folder.path().join("rag-audit").join(criterion);
        let results: Value =
            serde_json::from_slice(&std::fs::read(study.join("run/results/study.json")).unwrap()).unwrap();
        assert_eq!(results["answer"]["labelled"], 120, "{criterion}");
        assert!(results["answer"]["says"].as_str().unwrap().starts_with("Yes"), "{}", results["answer"]["says"]);
        run(&["study", "labels", "page", &format!("rag-audit/{criterion}")]);
        assert_eq!(crate::blind::wrong(&study), Vec::<String>::new(), "{criterion}");
    }
}

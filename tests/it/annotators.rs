//! Labels by the traits of their annotators: in results, on the page and in LaTeX.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::schemas::faults_of;
use crate::support::run;

/// 30 items, judged `yes` if even; `ann` always says yes, `ben` what the judge says, and `zoe`, of whom nothing is
/// known, labelled three items.
fn study(head: &str, label: impl Fn(&str, usize) -> Option<String>, judge: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    put("items.csv", (0..30).fold("id,text\n".to_owned(), |text, i| text + &format!("i{i},text {i}\n")));
    put("judge.csv", judge.to_owned());
    let rows = (0..30).flat_map(|i| ["ann", "ben", "zoe"].map(|by| (i, by)));
    let rows = rows.filter_map(|(i, by)| label(by, i).map(|label| format!("i{i},{by},{label}\n")));
    put("labels.csv", format!("id,annotator,label\n{}", rows.collect::<String>()));
    put(
        "meta.json",
        "{\"ann\": {\"Age\": \"30\", \"Gender\": \"f\"}, \" ben\": {\"Age\": \"41\", \"Gender\": \"m\"}}".to_owned(),
    );
    put(
        "study.toml",
        format!(
            "title = \"t\"\n{head}\n[items]\nfile = \"items.csv\"\ntext = \"{{text}}\"\n\n[judge]\nfile = \
             \"judge.csv\"\n{}\n[labels]\nfile = \"labels.csv\"\n{}about_annotators = \"meta.json\"\n",
            if head.contains("scale") { "" } else { "kind = \"probabilities\"\n" },
            if head.contains("scale") { "" } else { "form = \"long\"\n" },
        ),
    );
    folder
}

fn yes_or_no(by: &str, item: usize) -> Option<String> {
    let yes = match by {
        "ann" => true,
        "ben" => item.is_multiple_of(2),
        _ if item < 3 => true,
        _ => return None,
    };
    Some(if yes { "yes" } else { "no" }.to_owned())
}

fn of_classes() -> TempDir {
    let judge = (0..30).fold("id,p_yes,p_no\n".to_owned(), |text, i| {
        text + &format!("i{i},{}\n", if i % 2 == 0 { "0.8,0.2" } else { "0.3,0.7" })
    });
    study("classes = [\"yes\", \"no\"]\n", yes_or_no, &judge)
}

fn results(folder: &Path) -> Value {
    run(&["study", "run", folder.to_str().unwrap()], 0);
    serde_json::from_slice(&fs::read(folder.join("run/results/study.json")).unwrap()).unwrap()
}

fn group<'r>(results: &'r Value, name: &str, value: Value) -> &'r Value {
    let traits = results["annotators"]["traits"].as_array().unwrap();
    let groups = traits.iter().find(|told| told["name"] == name).unwrap()["groups"].as_array().unwrap();
    groups.iter().find(|group| group["value"] == value).unwrap_or_else(|| panic!("{value} in {groups:?}"))
}

#[test]
fn labels_by_the_traits_of_annotators_are_told() {
    let folder = of_classes();
    let results = results(folder.path());
    let faults = faults_of(&results, "study");
    assert!(faults.is_empty(), "{faults:#?}");
    let annotators = &results["annotators"];
    assert_eq!((&annotators["annotators"], &annotators["unknown"]), (&json!(3), &json!(1)));
    let ann = group(&results, "Gender", json!("f"));
    assert_eq!((&ann["annotators"], &ann["labels"], &ann["items"]), (&json!(1), &json!(30), &json!(30)));
    assert_eq!(ann["agreement"]["value"], json!(0.5));
    assert!(ann.get("deviation").is_none());
    // Of items 0 to 2, zoe says yes, too: 15 of 30 items at -1, of which item 1 is at -1/2.
    let against = ann["against_others"]["value"].as_f64().unwrap();
    assert!((against + 14.5 / 30.0).abs() < 1e-12, "{against}");
    assert_eq!(ann["shares"][0]["class"], "yes");
    assert_eq!(ann["shares"][0]["share"]["value"], json!(1.0));
    let share = &ann["shares"][0]["share"];
    assert!(share["lo"].as_f64().unwrap() > 0.8 && share["hi"].as_f64().unwrap() > 0.999, "{share}");
    let unknown = group(&results, "Age", Value::Null);
    assert_eq!(unknown["items"], json!(3));
    let reason = unknown["agreement"]["not_estimable"].as_str().unwrap();
    assert!(reason.contains("3 items") && reason.contains("needs 10"), "{reason}");

    let read = |name: &str| fs::read_to_string(folder.path().join("run").join(name)).unwrap();
    let page = read("report/index.html");
    assert!(page.contains("By traits of the annotators") && page.contains("Labels by Gender of the annotator"));
    assert!(page.contains("Not estimable for not stated: 3 items have what it takes"), "{page}");
    let table = read("tables/annotators-2.tex");
    assert!(table.contains("0.500") && table.contains("not estimable"), "{table}");
    assert!(read("study.tex").contains("tables/annotators-2"));
    // What the results rest on stands in the manifest.
    let manifest: Value = serde_json::from_str(&read("results/manifest.json")).unwrap();
    assert!(manifest["inputs"].as_object().unwrap().keys().any(|file| file.ends_with("meta.json")), "{manifest}");
}

#[test]
fn scores_lie_above_or_below_the_judge() {
    let judge = (0..30).fold("id,mean,sd\n".to_owned(), |text, i| text + &format!("i{i},{},1\n", 3 + i % 4));
    let score = |by: &str, i: usize| match by {
        "ann" => Some((4 + i % 4).to_string()),
        "ben" => Some((3 + i % 4 + i % 2).to_string()),
        _ => None,
    };
    let folder = study("scale = [0, 10]\n", score, &judge);
    // Their columns have names of their own.
    let labels = fs::read_to_string(folder.path().join("labels.csv")).unwrap();
    fs::write(folder.path().join("labels.csv"), labels.replacen("label", "score", 1)).unwrap();
    let results = results(folder.path());
    let ben = group(&results, "Gender", json!("m"));
    assert_eq!(ben["deviation"]["value"], json!(0.5));
    assert_eq!(ben["against_others"]["value"], json!(-0.5));
    assert!(ben.get("agreement").is_none() && ben.get("shares").is_none());
    // Always one above.
    let reason = group(&results, "Gender", json!("f"))["deviation"]["not_estimable"].as_str().unwrap();
    assert!(reason.contains("same value"), "{reason}");
}

#[test]
fn a_file_about_annotators_that_can_not_be_used_is_refused_by_the_check() {
    let folder = of_classes();
    let study = folder.path().to_str().unwrap().to_owned();
    let edit = |from: &str, to: &str| {
        let path = folder.path().join("study.toml");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    edit("meta.json", "meta.csv");
    let refused = run(&["study", "check", &study], 2).1;
    assert!(refused.contains("meta.csv"), "{refused}");
    fs::write(folder.path().join("meta.csv"), "annotator,Age\nann,30\nann,31\n").unwrap();
    let refused = run(&["study", "check", &study], 2).1;
    assert!(refused.contains("meta.csv:3") && refused.contains("\"ann\""), "{refused}");
    // Counts do not say who gave them.
    fs::write(folder.path().join("meta.csv"), "annotator,Age\nann,30\n").unwrap();
    fs::write(
        folder.path().join("labels.csv"),
        (0..30).fold("id,n_yes,n_no\n".to_owned(), |text, i| text + &format!("i{i},1,1\n")),
    )
    .unwrap();
    edit("form = \"long\"", "form = \"counts\"");
    let results = results(folder.path());
    let reason = results["annotators"]["not_estimable"].as_str().unwrap();
    assert!(reason.contains("do not say who gave them"), "{reason}");
}

//! What follows on a study's first run, as a user meets it: queues, labels that come back, registrations, scores.

use std::fs;
use std::path::Path;

use insta::{Settings, assert_snapshot};
use judge_uncertainty::formats::checksum::sha256_hex;
use serde_json::{Value, json};

use crate::support::{example, json_of, lines_of, number, repository, study, text};

#[test]
fn queues_are_blind_unless_asked_and_never_overwritten() {
    let dir = example("starter");
    let queue = dir.path().join("queue");
    let all = ["queue.csv", "queue.jsonl", "label-studio.json", "label-studio.xml", "argilla.jsonl", "prodigy.jsonl"];
    study(&["queue", text(dir.path()), "--rule", "delta", "--budget", "25%", "--labels-per-item", "2"], 0);
    for name in all {
        let file = fs::read_to_string(queue.join(name)).unwrap();
        for revealing in ["suggestion", "predictions", "accept", "mean_", "epistemic", "trust"] {
            assert!(!file.contains(revealing), "{name} holds {revealing}");
        }
    }
    let record = json_of(&queue.join("queue.json"));
    let quarter = record["items"].as_u64().unwrap() / 4;
    assert_eq!((&record["queued"], &record["labels"]), (&json!(quarter), &json!(2 * quarter)));
    assert_eq!(record["suggestions"], json!(false));
    let labels = fs::read(dir.path().join("labels.csv")).unwrap();
    assert_eq!(record["inputs"]["labels.csv"], json!(sha256_hex(&labels)));
    let rows = lines_of(&queue.join("queue.jsonl"));
    assert_eq!(
        rows.iter().map(|row| row["rank"].as_u64().unwrap()).collect::<Vec<_>>(),
        (1..=quarter).collect::<Vec<_>>()
    );
    assert!(rows.is_sorted_by(|a, b| number(&a["score"]) >= number(&b["score"])));
    assert!(rows.iter().all(|row| row["direction"] == "higher first" && row["labels_suggested"] == 2));

    let (_, stderr) = study(&["queue", text(dir.path())], 2);
    assert!(stderr.contains("is there already; nothing was changed"), "{stderr}");
    study(&["queue", text(dir.path()), "--force", "--with-suggestions"], 0);
    assert!(fs::read_to_string(queue.join("queue.csv")).unwrap().lines().next().unwrap().ends_with(",suggestion"));
    assert!(json_of(&queue.join("label-studio.json"))[0]["predictions"][0]["result"][0]["value"]["choices"].is_array());
    assert!(lines_of(&queue.join("prodigy.jsonl"))[0]["accept"].is_array());
    assert!(lines_of(&queue.join("argilla.jsonl"))[0]["suggestions"]["label"]["value"].is_string());
    fs::write(queue.join("mine.txt"), "mine").unwrap();
    let (_, stderr) = study(&["queue", text(dir.path()), "--force"], 2);
    assert!(stderr.contains("mine.txt"), "{stderr}");
}

/// What Argilla 2.8 needs to load the settings: every part with its `settings` (tests/golden/tools/make.py loads them).
#[test]
fn argilla_settings_are_laid_out_as_the_client_writes_them() {
    let golden = json_of(&repository("tests/golden/tools/argilla-settings.json"));
    for name in ["starter", "recipes"] {
        let dir = example(name);
        study(&["queue", text(dir.path())], 0);
        let settings = json_of(&dir.path().join("queue/argilla-settings.json"));
        for (part, kinds) in [("questions", 2), ("fields", 1), ("metadata", 2)] {
            let known = golden[part].as_array().unwrap();
            assert_eq!(known.len(), kinds);
            for entry in settings[part].as_array().unwrap() {
                let kind = &entry["settings"]["type"];
                let like =
                    known.iter().find(|known| &known["settings"]["type"] == kind).expect("a kind that Argilla has");
                let object = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
                for (found, known) in [(entry, like), (&entry["settings"], &like["settings"])] {
                    assert!(object(found).iter().all(|key| object(known).contains(key)), "{found} {known}");
                }
            }
        }
        let options = &settings["questions"][0]["settings"]["options"];
        assert_eq!(options.is_array(), name == "starter");
        assert!(name != "starter" || options[0] == json!({"value": "positive", "text": "positive"}), "{options}");
    }
}

#[test]
fn formulas_are_escaped() {
    let dir = example("starter");
    let items = fs::read_to_string(dir.path().join("items.csv")).unwrap();
    let row = items.lines().find(|line| line.starts_with("r01,")).unwrap();
    fs::write(dir.path().join("items.csv"), items.replace(row, "r01,=HYPERLINK(1),9")).unwrap();
    study(&["queue", text(dir.path()), "--budget", "100%"], 0);
    let file = fs::read_to_string(dir.path().join("queue/queue.csv")).unwrap();
    let found = file.lines().find(|line| line.contains("HYPERLINK")).unwrap();
    assert!(found.contains(",r01,'=HYPERLINK(1),"), "{found}");
}

#[test]
fn requests_that_contradict_themselves_are_refused() {
    let dir = example("starter");
    for (args, message) in [
        (&["--until", "epistemic<0.1"][..], "not a half width such as rate±3"),
        (&["--budget", "0"], "not a budget such as"),
        (&["--rule", "best"], "none of the rules"),
        (&["--explore", "2"], "not a share from 0 to 1"),
    ] {
        let (_, stderr) = study(&[&["queue", text(dir.path())], args].concat(), 2);
        assert!(stderr.contains(message), "{stderr}");
    }
    assert!(!dir.path().join("queue").exists());
}

/// Out through a Label Studio import, annotated, and back through its export.
#[test]
fn labels_come_back_and_the_next_run_says_what_moved() {
    let dir = example("starter");
    let own = fs::read(dir.path().join("labels.csv")).unwrap();
    study(&["queue", text(dir.path()), "--budget", "5"], 0);
    let mut tasks = json_of(&dir.path().join("queue/label-studio.json"));
    for (k, task) in tasks.as_array_mut().unwrap().iter_mut().enumerate() {
        let annotation = |by: u64, class: &str| {
            let value = json!({"choices": [class]});
            json!({"id": 10 * k as u64 + by, "completed_by": by, "was_cancelled": false, "created_at": "2026-01-01",
                   "result": [{"from_name": "label", "to_name": "text", "type": "choices", "value": value}]})
        };
        let skipped = json!({"completed_by": 9, "was_cancelled": true, "result": []});
        task["annotations"] = json!([annotation(7, "mixed"), annotation(8, "negative"), skipped]);
    }
    let export = dir.path().join("export.json");
    fs::write(&export, tasks.to_string()).unwrap();
    let (stdout, _) = study(&["labels", "add", text(&export), text(dir.path())], 0);
    assert!(
        stdout.contains("10 labels of 5 items added") && stdout.contains("5 answers left out: cancelled"),
        "{stdout}"
    );
    let (_, stderr) = study(&["labels", "add", text(&export), text(dir.path())], 2);
    assert!(stderr.contains("the same file was added before"), "{stderr}");
    // An export of everything so far, with one new label.
    tasks[0]["annotations"]
        .as_array_mut()
        .unwrap()
        .push(json!({"completed_by": 11, "result": [{"type": "choices", "value": {"choices": ["mixed"]}}]}));
    fs::write(&export, tasks.to_string()).unwrap();
    let (stdout, _) = study(&["labels", "add", text(&export), text(dir.path())], 0);
    assert!(
        stdout.contains("1 labels of 1 items") && stdout.contains("10 answers left out: already there"),
        "{stdout}"
    );

    assert_eq!(fs::read(dir.path().join("labels.csv")).unwrap(), own, "the user's file must not change");
    assert_eq!(added(dir.path()).lines().count(), 11);
    let (stdout, _) = study(&["run", "--details", text(dir.path())], 0);
    assert!(stdout.contains("11 labels came back for 5 items (from 2 files)"), "{stdout}");
    let results = json_of(&dir.path().join("run/results/study.json"));
    let movement = &results["movement"];
    let stage = |part: &str, stage: &str| number(&movement["touched"][part][stage]);
    assert!(stage("epistemic", "by_labels") < stage("epistemic", "before"), "{movement}");
    assert_eq!(movement["untouched"]["epistemic"]["before"], movement["untouched"]["epistemic"]["by_labels"]);
    assert_eq!((&movement["first"]["items"], &movement["removed"]["items"]), (&json!(5), &json!(5)));
    let starter_labels = String::from_utf8(own).unwrap().lines().count() as u64 - 1;
    assert_eq!(results["input"]["labels"]["labels"], json!(starter_labels + 11));
}

#[test]
fn a_batch_is_listed_taken_back_and_added_again() {
    let dir = example("starter");
    let new = dir.path().join("new.csv");
    fs::write(&new, "id,annotator,label\nr01,zoe,mixed\nr02,zoe,negative\nr03,zoe,mixed\n").unwrap();
    let add = |code| study(&["labels", "add", text(&new), text(dir.path())], code);
    add(0);
    let (stdout, _) = study(&["labels", "list", text(dir.path())], 0);
    let sum = stdout.split([' ', ':']).nth(1).unwrap().to_owned();
    assert!(stdout.contains(": 3 labels from new.csv, added 2"), "{stdout}");
    let (stdout, _) = study(&["labels", "remove", &sum, text(dir.path())], 0);
    assert!(stdout.contains("no longer counts (3 labels)"), "{stdout}");
    let (stdout, _) = study(&["labels", "list", text(dir.path())], 0);
    assert!(stdout.contains(", taken back 2"), "{stdout}");
    let (_, stderr) = study(&["labels", "remove", &sum, text(dir.path())], 2);
    assert!(stderr.contains("was taken back before"), "{stderr}");
    add(0);
    let (stdout, _) = study(&["labels", "list", text(dir.path())], 0);
    assert_eq!(stdout.matches(": 3 labels").count(), 2, "{stdout}");
}

/// The lines of all added labels.
fn added(study: &Path) -> String {
    let mut files: Vec<_> = fs::read_dir(study.join("labels")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    text.split_inclusive('\n').filter(|line| line.starts_with("{\"id\"")).collect()
}

#[test]
fn bad_labels_are_refused_whole() {
    let dir = example("starter");
    let file = dir.path().join("new.csv");
    for (rows, message) in [
        ("r01,zoe,mixed\nr99,zoe,mixed", "the id \"r99\" is unknown"),
        ("r01,zoe,mixed\nr02,zoe,meh", "\"meh\" is not one of positive, negative, mixed"),
        ("r01,zoe,mixed\nr01,zoe,mixed", "\"zoe\" has given this item the label \"mixed\" already"),
        ("r01,ben,mixed", "\"ben\" gives this item the label \"mixed\", but gave it \"positive\" before"),
        ("r01,zoe,mixed\nr01,zoe,negative", "but gave it \"mixed\" before"),
        ("r01,,mixed", "the cell is blank"),
    ] {
        fs::write(&file, format!("id,annotator,label\n{rows}\n")).unwrap();
        let (_, stderr) = study(&["labels", "add", text(&file), text(dir.path())], 2);
        assert!(stderr.contains(message) && stderr.contains("new.csv:"), "{stderr}");
        assert!(!dir.path().join("labels").exists(), "nothing may be added");
    }
}

#[test]
fn only_exploring_queues_allow_estimates() {
    let dir = example("starter");
    let toml = fs::read_to_string(dir.path().join("study.toml")).unwrap();
    let (before, rest) = toml.split_once("[labels]").unwrap();
    let after = rest.find("\n[").map_or("", |place| &rest[place..]);
    fs::write(dir.path().join("study.toml"), format!("{before}{after}")).unwrap();
    let (queue, file) = (dir.path().join("queue"), dir.path().join("new.csv"));
    let by_value = ["--rule", "epistemic", "--budget", "20", "--explore"];
    study(&[&["queue", text(dir.path())], &by_value[..], &["0.5"]].concat(), 0);
    let rows = lines_of(&queue.join("queue.jsonl"));
    assert_eq!(rows.iter().filter(|row| row["selected_by"] == "random").count(), 10);
    let mut labels = "id,annotator,label\n".to_owned();
    for (k, row) in rows.iter().enumerate() {
        labels += &format!("{},zoe,{}\n", row["id"].as_str().unwrap(), ["positive", "negative"][k % 2]);
    }
    fs::write(&file, labels).unwrap();
    study(&["labels", "add", text(&file), text(dir.path())], 0);
    // Certain items weigh 1, the ten drawn ones stand for all others.
    let items = number(&json_of(&queue.join("queue.json"))["items"]);
    let weight = |row: &Value| if row["selected_by"] == "random" { (items - 10.0) / 10.0 } else { 1.0 };
    let expected: f64 = rows.iter().step_by(2).map(weight).sum::<f64>() / items;
    let rate = || {
        study(&["run", text(dir.path())], 0);
        let results = json_of(&dir.path().join("run/results/study.json"));
        let findings = results["answer"]["findings"].as_array().unwrap().clone();
        findings.into_iter().find(|one| one["id"] == "rate.positive.by_labels").unwrap()["found"].clone()
    };
    let found = rate();
    assert!((number(&found["value"]) - expected).abs() < 1e-12, "{found}");
    assert!(number(&found["lo"]) >= 0.0 && number(&found["hi"]) <= 1.0, "{found}");
    // A queue made after these labels has no answers yet, and a share too small is refused before anything is sent.
    // The answered queue is the record of how its items were chosen, and stays.
    let (_, stderr) = study(&["queue", text(dir.path()), "--budget", "20", "--explore", "0.5", "--force"], 2);
    assert!(stderr.contains("queue"), "{stderr}");
    let queue = dir.path().join("queue-2");
    let again = ["queue", text(dir.path()), "--out", text(&queue), "--force"];
    study(&[&again[..], &by_value, &["0.5"]].concat(), 0);
    let (_, stderr) = study(&[&again[..], &by_value, &["0.1"]].concat(), 2);
    assert!(stderr.contains("draws 2 of 20 items") && stderr.contains("raise --explore to 0.5"), "{stderr}");

    study(&[&again[..], &["--budget", "12", "--rule", "epistemic"]].concat(), 0);
    // The labels of a queue by rank alone tell nothing of all items, and change no rate.
    let ranked = lines_of(&queue.join("queue.jsonl"));
    let answers = ranked.iter().map(|row| format!("{},yan,negative\n", row["id"].as_str().unwrap()));
    fs::write(&file, format!("id,annotator,label\n{}", answers.collect::<String>())).unwrap();
    study(&["labels", "add", text(&file), text(dir.path())], 0);
    let later = rate();
    assert!((number(&later["value"]) - expected).abs() < 0.1, "{later} for {found}");
}

#[test]
fn the_example_of_scores_runs_through_the_same_commands() {
    let dir = example("recipes");
    let (stdout, _) = study(&["check", text(dir.path())], 0);
    assert!(stdout.contains("520 ratings by 14 annotators for 153 items"), "{stdout}");
    let (stdout, _) = study(&["run", "--details", text(dir.path())], 0);
    let mut settings = Settings::new();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    // The answer, which names the folder, ends with the next command.
    let sentences: Vec<&str> = stdout.lines().skip_while(|line| !line.starts_with("Next: ")).skip(1).collect();
    settings.bind(|| assert_snapshot!("study-recipes", sentences.join("\n")));

    // The judge is worth more on the crafts that it knows, and is sent out less on them.
    let mut reader = csv::Reader::from_path(dir.path().join("run/items.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let (mut known, mut unknown) = (vec![], vec![]);
    for row in reader.records() {
        let row = row.unwrap();
        let at = |name: &str| row[column(name)].parse::<f64>().unwrap();
        assert!((at("aleatoric") + at("epistemic") - at("total")).abs() < 1e-12);
        assert!((at("within_annotators") + at("between_annotators") - at("aleatoric")).abs() < 1e-12);
        let is_known = ["baking", "soups", "salads"].contains(&&row[column("group")]);
        if is_known { known.push(at("trust")) } else { unknown.push(at("trust")) }
    }
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    assert!(mean(&known) > 1.5 * mean(&unknown), "{} {}", mean(&known), mean(&unknown));

    study(&["queue", text(dir.path()), "--rule", "epistemic", "--budget", "60", "--with-suggestions"], 0);
    let tasks = json_of(&dir.path().join("queue/label-studio.json"));
    assert!(tasks[0]["predictions"][0]["result"][0]["value"]["number"].is_f64());
    let id = tasks[0]["data"]["uid"].as_str().unwrap().to_owned();
    let file = dir.path().join("new.csv");
    // The same annotator may rate again, in the file and later.
    fs::write(&file, format!("id,annotator,label\n{id},zoe,4\n{id},zoe,4.5\n{id},abe,6\n")).unwrap();
    study(&["labels", "add", text(&file), text(dir.path())], 0);
    fs::write(&file, format!("id,annotator,label\n{id},zoe,10.5\n")).unwrap();
    let (_, stderr) = study(&["labels", "add", text(&file), text(dir.path())], 2);
    assert!(stderr.contains("10.5 is outside the range from 0 to 10"), "{stderr}");
    study(&["run", text(dir.path()), "--force"], 0);
    let results = json_of(&dir.path().join("run/results/study.json"));
    assert_eq!(results["movement"]["labels"], json!(3));
    assert_eq!(results["input"]["labels"]["repeats"], json!(65));
}

#[test]
fn bad_input_of_scores_is_refused_by_place() {
    let refused = |name: &str, from: &str, to: &str, message: &str| {
        let dir = example("recipes");
        let file = dir.path().join(name);
        let before = fs::read_to_string(&file).unwrap();
        assert!(before.contains(from), "{name} holds no {from:?}");
        fs::write(&file, before.replacen(from, to, 1)).unwrap();
        let (_, stderr) = study(&["check", text(dir.path())], 2);
        assert!(stderr.contains(message), "{stderr}");
    };
    refused(
        "judge.csv",
        "s001,brief,7.42,1",
        "s001,brief,11,1",
        "judge.csv:2:3 (column \"mean\", item \"s001\"): 11 is outside",
    );
    refused(
        "judge.csv",
        "s001,brief,7.42,1",
        "s001,brief,7.42,0",
        "judge.csv:2:4 (column \"sd\", item \"s001\"): 0 is outside",
    );
    refused("judge.csv", "s001,reasoned", "s001,brief", "a score of variant \"brief\" appears twice, first in line 2");
    refused("ratings.csv", "s001,cook13,6.5", "s001,cook13,good", "ratings.csv:2:3");
    refused("ratings.csv", "s001,cook13,6.5", "t001,cook13,6.5", "\"t001\" is unknown");
    refused("study.toml", "scale = [0, 10]", "scale = [10, 0]", "study.toml:5:1: scale");
    refused("study.toml", "sd = \"sd\"", "sdd = \"sd\"", "unknown field `sdd`");
    refused("study.toml", "\"spread\", ", "\"spreads\", ", "is not a feature");
}

/// Ids that a spreadsheet takes for formulas, and ids with accents, come back as the study knows them.
#[test]
fn ids_come_back_from_spreadsheets_as_they_were() {
    let dir = example("starter");
    for file in ["items.csv", "judge.csv", "labels.csv"] {
        let path = dir.path().join(file);
        let table = fs::read_to_string(&path).unwrap();
        fs::write(&path, table.replace("r01,", "-r01,").replace("r02,", "'=r02,").replace("r03,", "r\u{e9}03,"))
            .unwrap();
    }
    study(&["queue", text(dir.path()), "--budget", "100%"], 0);
    let sheet = fs::read_to_string(dir.path().join("queue/spreadsheet.csv")).unwrap();
    // An apostrophe before what would be a formula is no part of the id, whoever wrote it.
    assert!(sheet.contains("\n'-r01,") && sheet.contains("\n'=r02,"), "{sheet}");
    let labels = "id,annotator,label\n'-r01,zoe,mixed\n'=r02,zoe,mixed\nre\u{301}03,zoe,mixed\n";
    let file = dir.path().join("back.csv");
    fs::write(&file, labels).unwrap();
    study(&["labels", "add", text(&file), text(dir.path())], 0);
    let labels = added(dir.path());
    let rows: Vec<Value> = labels.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["-r01", "=r02", "r\u{e9}03"]);
    // Two ids that look the same are refused.
    let items = dir.path().join("items.csv");
    let table = fs::read_to_string(&items).unwrap();
    let row = table.lines().find(|line| line.starts_with("r\u{e9}03,")).unwrap().to_owned();
    fs::write(&items, table.replace(&row, &format!("{row}\n{}", row.replace("r\u{e9}03", "re\u{301}03")))).unwrap();
    let (_, told) = study(&["check", text(dir.path())], 2);
    assert!(told.contains("differ only in how their accents are written"), "{told}");
}

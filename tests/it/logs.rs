//! A judge's log becomes a study that can be checked and run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

use crate::support::repository;

fn program(folder: &Path, args: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    let output = command.current_dir(folder).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

fn log(name: &str) -> String {
    repository("tests/golden/logs").join(name).display().to_string()
}

#[test]
fn a_log_becomes_a_study_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let from = log("samples_judge_choice.jsonl");
    let maps = ["--columns", "id=doc.id", "--columns", "human=doc.gold"];
    let args: Vec<&str> = ["audit", &from, "--out", "made", "--json"].into_iter().chain(maps).collect();
    let (done, stdout, stderr) = program(folder.path(), &args);
    assert!(done, "{stderr}");
    let audit: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!([&audit["answer"]["items"], &audit["answer"]["labelled"]], [&Value::from(4), &Value::from(4)]);
    // Nothing is overwritten.
    let (done, _, stderr) = program(folder.path(), &["audit", &from, "--out", "made"]);
    assert!(!done && stderr.contains("--force"), "{stderr}");
    let (done, _, stderr) = program(folder.path(), &["study", "run", "made", "--force"]);
    assert!(done, "{stderr}");
    let manifest = fs::read_to_string(folder.path().join("made/run/results/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let logs = manifest["logs"].as_object().unwrap();
    assert_eq!(logs.len(), 1);
    let log = logs.values().next().unwrap();
    assert_eq!(log["tool"], "lm-evaluation-harness");
    assert_eq!(log["sha256"].as_str().unwrap().len(), 64);
}

/// Of 40 pairs the judge turns with the order in ten, eight times towards the answer that is shown first.
#[test]
fn position_bias_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let (mut items, mut judge) = ("id\n".to_owned(), "id,order,label\n".to_owned());
    for i in 0..40 {
        let [plain, swapped] = match i {
            0..8 => ["A", "A"],
            8..10 => ["B", "B"],
            _ => ["A", "B"],
        };
        items += &format!("i{i}\n");
        judge += &format!("i{i},0,{plain}\ni{i},1,{swapped}\n");
    }
    write("items.csv", &items);
    write("judge.csv", &judge);
    write(
        "study.toml",
        "title = \"pairs\"\nclasses = [\"A\", \"B\"]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \
         \"judge.csv\"\nkind = \"labels\"\nswapped = \"order\"\nmirror = [\"A\", \"B\"]\n",
    );
    let (done, stdout, stderr) = program(folder.path(), &["study", "run", "."]);
    assert!(done, "{stderr}");
    let said = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Its verdict changes with the order of the two answers in 25%"), "{stdout}");
    let results = json(&folder.path().join("run/results/study.json"));
    let found = results["answer"]["findings"].as_array().unwrap();
    let of = |id: &str| found.iter().find(|finding| finding["id"] == id).unwrap()["found"].clone();
    assert_eq!(
        (of("position.flips")["value"].as_f64(), of("position.to_first")["value"].as_f64()),
        (Some(0.25), Some(0.15))
    );
}

#[test]
fn what_is_no_log_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.json"), "{\"a\": 1}").unwrap();
    let (done, _, stderr) = program(folder.path(), &["audit", "x.json"]);
    assert!(!done && stderr.contains("x.json"), "{stderr}");
}

/// The sample logs with a judge, each as it would be given to `audit`.
const JUDGED: [&[&str]; 27] = [
    &["openai-batch-input.jsonl", "openai-batch-output.jsonl"],
    &["openai-batch-output.jsonl"],
    &["openai-completions.jsonl"],
    &["inspect-graded.eval"],
    &["inspect-graded-deflate.eval"],
    &["inspect-graded.json"],
    &["inspect-metadata.json"],
    &["samples_judge_choice.jsonl"],
    &["samples_judge_generate.jsonl"],
    &["promptfoo.json"],
    &["mt-bench-pairs.jsonl"],
    &["ragas.csv"],
    &["ragas.jsonl"],
    &["deepeval.json"],
    &["every-eval-ever-choice_samples.jsonl"],
    &["every-eval-ever-generate_samples.jsonl"],
    &["promptfoo.jsonl"],
    &["promptfoo.csv"],
    &["mlflow-genai.csv"],
    &["mlflow-genai.jsonl"],
    &["mlflow-models.csv"],
    &["mlflow-eval_results_table.json"],
    &["langfuse-scores.csv", "langfuse-observations.jsonl"],
    &["phoenix-annotations.csv", "phoenix-spans.csv"],
    &["braintrust.jsonl"],
    &["judge-bench.json"],
    &["langfuse-trace.json"],
];

/// The studies that a plain `audit` makes of a log.
fn studies(folder: &Path, files: &[&str]) -> Vec<PathBuf> {
    let files: Vec<String> = files.iter().map(|name| log(name)).collect();
    let from = files.iter().map(String::as_str);
    let args: Vec<&str> = ["audit", "--out", "made"].into_iter().chain(from).collect();
    let (done, _, stderr) = program(folder, &args);
    assert!(done, "{files:?}: {stderr}");
    let made = folder.join("made");
    if made.join("study.toml").exists() {
        return vec![made];
    }
    let mut found: Vec<PathBuf> = fs::read_dir(made).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn rows_of(path: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(|row| row.unwrap()).collect()
}

/// What an annotator sees of each task of a queue in each tool, without the ids.
fn visible(queue: &Path) -> Vec<(&'static str, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines = |name: &str, of: &dyn Fn(&Value) -> String| -> Vec<String> {
        let all = fs::read_to_string(queue.join(name)).unwrap();
        all.lines().map(|line| of(&serde_json::from_str(line).unwrap())).collect()
    };
    let tasks = json(&queue.join("label-studio.json"));
    let of_data = |task: &Value| format!("{}|{}", text(&task["data"]["criterion"]), text(&task["data"]["text"]));
    let sheet = rows_of(&queue.join("spreadsheet.csv"));
    let of_row = |row: &BTreeMap<String, String>| format!("{:?}|{}", row.get("criterion"), row["text"]);
    vec![
        ("Label Studio", tasks.as_array().unwrap().iter().map(of_data).collect()),
        ("Argilla", lines("argilla.jsonl", &|row| row["fields"].to_string())),
        ("Prodigy", lines("prodigy.jsonl", &|row| text(&row["text"]))),
        ("doccano", lines("doccano.jsonl", &|row| text(&row["text"]))),
        ("spreadsheet", sheet.iter().map(of_row).collect()),
    ]
}

#[test]
fn every_log_leads_to_a_queue_without_labels_or_options() {
    for files in JUDGED {
        let folder = tempfile::tempdir().unwrap();
        let mut seen: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for study in studies(folder.path(), files) {
            let name = study.display().to_string();
            fs::write(study.join("labels.csv"), "id,annotator,label\n").unwrap();
            for command in [
                &["study", "check"][..],
                &["study", "queue", "--budget", "100%", "--force"],
                &["study", "run", "--force"],
            ] {
                let args: Vec<&str> = command.iter().copied().chain([name.as_str()]).collect();
                let (done, _, stderr) = program(folder.path(), &args);
                assert!(done, "{files:?}: {command:?}: {stderr}");
            }
            for (tool, tasks) in visible(&study.join("queue")) {
                seen.entry(tool).or_default().extend(tasks);
            }
        }
        // Over all criteria of a log no two tasks look alike.
        for (tool, tasks) in seen {
            assert!(!tasks.is_empty());
            assert_eq!(tasks.iter().collect::<BTreeSet<_>>().len(), tasks.len(), "{files:?} in {tool}: {tasks:?}");
        }
    }
}

#[test]
fn every_log_is_audited_and_its_study_goes_on() {
    for files in JUDGED {
        let folder = tempfile::tempdir().unwrap();
        let named: Vec<String> = files.iter().map(|name| log(name)).collect();
        let args: Vec<&str> =
            ["audit"].into_iter().chain(named.iter().map(String::as_str)).chain(["--out", "audit", "--json"]).collect();
        let (done, stdout, stderr) = program(folder.path(), &args);
        assert!(done, "{files:?}: {stderr}");
        let audits = match serde_json::from_str(&stdout).unwrap() {
            Value::Array(several) => several,
            one => vec![one],
        };
        let folders = match folder.path().join("audit/study.toml").exists() {
            true => vec![folder.path().join("audit")],
            false => fs::read_dir(folder.path().join("audit")).unwrap().map(|entry| entry.unwrap().path()).collect(),
        };
        assert_eq!(audits.len(), folders.len(), "{files:?}");
        for audit in &audits {
            let answer = &audit["answer"];
            assert!(
                answer["items"].as_u64().unwrap() > 0 && answer["next"]["queued"].as_u64().unwrap() > 0,
                "{answer}"
            );
        }
        for audited in &folders {
            let name = audited.display().to_string();
            for command in [&["study", "check"][..], &["study", "label"]] {
                let args: Vec<&str> = command.iter().copied().chain([name.as_str()]).collect();
                let (done, _, stderr) = program(folder.path(), &args);
                assert!(done, "{files:?}: {command:?}: {stderr}");
            }
            let problems = crate::blind::wrong(audited);
            assert!(problems.is_empty(), "{files:?}: {}", problems.join("\n"));
        }
    }
}

/// Reference answers of a log are nobody's labels, unless the user says so.
#[test]
fn an_audit_takes_the_users_word_for_labels_and_groups_of_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let from = log("samples_judge_generate.jsonl");
    let audit = |out: &str, further: &[&str]| {
        let args: Vec<&str> =
            ["audit", &from, "--json", "--out", out].into_iter().chain(further.iter().copied()).collect();
        program(folder.path(), &args)
    };
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let (done, plain, stderr) = audit("plain", &[]);
    assert!(done, "{stderr}");
    assert_eq!(read(&plain)["answer"]["labelled"], 0);
    let (done, said, stderr) = audit("said", &["--columns", "human=doc.gold"]);
    assert!(done, "{stderr}");
    assert_eq!((&read(&said)["answer"]["labelled"], &read(&said)["answer"]["most_labels"]), (&4.into(), &1.into()));
    let (done, _, stderr) = audit("wrong", &["--columns", "verdict=doc.gold"]);
    assert!(!done && stderr.contains("its format says what the verdict is"), "{stderr}");
    let (done, _, stderr) = program(folder.path(), &["audit", &log("arena-votes.jsonl"), &from]);
    assert!(!done && !stderr.is_empty());
}

#[test]
fn metadata_of_samples_become_columns_groups_and_labels_of_people() {
    let folder = tempfile::tempdir().unwrap();
    let from = log("inspect-metadata.json");
    let maps = ["--columns", "group=metadata.topic", "--columns", "human=metadata.human"];
    let args: Vec<&str> = ["audit", &from, "--json", "--out", "made"].into_iter().chain(maps).collect();
    let (done, stdout, stderr) = program(folder.path(), &args);
    assert!(done, "{stderr}");
    let audit: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&audit["answer"]["labelled"], &audit["input"]["groups"]["law"]), (&4.into(), &3.into()));
    let items = rows_of(&folder.path().join("made/items.csv"));
    let cells = |name: &str| items.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
    assert_eq!(cells("metadata.topic"), ["law", "art", "law", "art", "law", "art"]);
    assert_eq!(cells("metadata.source.page"), ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(cells("metadata.source.urls")[0], "[\"a\",\"b\"]");
    let labels = rows_of(&folder.path().join("made/labels.csv"));
    let given: Vec<_> = labels.iter().map(|row| (row["id"].as_str(), row["label"].as_str())).collect();
    assert_eq!(given, [("m0", "C"), ("m1", "I"), ("m3", "I"), ("m4", "C")]);
    // Annotators see none of it.
    let toml = fs::read_to_string(folder.path().join("made/study.toml")).unwrap();
    assert!(toml.contains("group = \"metadata.topic\"") && !toml.contains("{metadata"), "{toml}");
}

/// Ratings of the judge beside `pass` and `fail` of people: a log says the same as a table of the same answers, and its belief
/// can be applied to a log of ratings.
#[test]
fn ratings_of_a_log_stand_for_two_answers_as_in_a_table() {
    let mut log = json(&repository("tests/golden/logs/inspect-metadata.json"));
    let sample = log["samples"][0].clone();
    let mut table = "id,topic,judge_score,human\n".to_owned();
    let samples = (0..60).map(|i| {
        let mut sample = sample.clone();
        let (rating, topic) = (2 + i * 7 % 4, ["law", "art"][i % 2]);
        let human = if i < 40 {
            ["fail", "pass", "Pass"][(usize::from(rating > 3) + usize::from(i % 5 == 0)).min(2)]
        } else {
            ""
        };
        table += &format!("m{i},{topic},{rating},{human}\n");
        sample["id"] = format!("m{i}").into();
        sample["input"] = format!("Does number {i} help?").into();
        sample["scores"]["helpful"]["value"] = rating.into();
        sample["metadata"] = serde_json::json!({"topic": topic, "human": human});
        sample
    });
    log["samples"] = samples.collect();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.json"), log.to_string()).unwrap();
    fs::write(folder.path().join("table.csv"), table).unwrap();
    let found = |arguments: &[&str]| {
        let arguments = [&["audit", "--labelled", "random", "--json"], arguments].concat();
        let (done, stdout, stderr) = program(folder.path(), &arguments);
        assert!(done, "{stderr}");
        let answer = serde_json::from_str::<Value>(&stdout).unwrap()["answer"].clone();
        let of = |one: &Value| Some((one["id"].as_str()?.to_owned(), one["found"]["value"].as_f64()?));
        answer["findings"].as_array().unwrap().iter().filter_map(of).collect::<BTreeMap<String, f64>>()
    };
    let of_table = found(&["table.csv", "--columns", "group=topic", "--out", "table"]);
    let fields = ["--columns", "group=metadata.topic", "--columns", "human=metadata.human"];
    let of_log = found(&[&["log.json", "--out", "log"], &fields[..]].concat());
    assert!(of_table.contains_key("rate.pass.by_judge") && of_table.contains_key("agreement"), "{of_table:?}");
    let same = |id: &str| assert_eq!(of_log.get(id), of_table.get(id), "{id}");
    of_table.keys().for_each(|id| same(id));
    let notices = json(&folder.path().join("log/audit.json"))["notices"].to_string();
    assert!(notices.contains("The judge's score counts as pass from 3.00 up, the middle of 1 to 5"), "{notices}");
    let (done, _, stderr) = program(folder.path(), &["apply", "log/run", "--items", "log.json", "--out", "applied"]);
    assert!(done, "{stderr}");
}

/// A label as an annotator gives it, who knows no more than what the page shows.
fn answer(shown: &str, question: &Value) -> String {
    let number = shown.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    match question["classes"].as_array() {
        Some(classes) => classes[number as usize % classes.len()].as_str().unwrap().to_owned(),
        None => (question["score"]["low"].as_f64().unwrap() + (number % 2) as f64 / 2.0).to_string(),
    }
}

#[test]
fn labels_of_one_criterion_never_reach_another() {
    for files in [&["inspect-graded.eval"][..], &["deepeval.json"], &["ragas.csv"], &["braintrust.jsonl"]] {
        let folder = tempfile::tempdir().unwrap();
        let made = studies(folder.path(), files);
        assert_eq!(made.len(), 2, "{files:?}");
        let mut given = vec![];
        for study in &made {
            let name = study.display().to_string();
            fs::write(study.join("labels.csv"), "id,annotator,label\n").unwrap();
            for command in ["queue", "label"] {
                let budget = if command == "queue" { &["--budget", "100%", "--force"][..] } else { &[] };
                let args: Vec<&str> = ["study", command, &name].into_iter().chain(budget.iter().copied()).collect();
                let (done, _, stderr) = program(folder.path(), &args);
                assert!(done, "{stderr}");
            }
            let html = fs::read_to_string(study.join("label.html")).unwrap();
            let queue = html.split("id=\"queue\">").nth(1).unwrap().split("</script>").next().unwrap();
            let queue: Value = serde_json::from_str(queue).unwrap();
            // The criterion stands on the page.
            let criterion = queue["criterion"]["name"].as_str().unwrap();
            assert!(html.contains(&format!("<h2>{criterion}</h2>")), "{criterion}");
            let mut table = "id,annotator,label,criterion\n".to_owned();
            for item in queue["items"].as_array().unwrap() {
                let shown = format!("{criterion} {}", item["text"].as_str().unwrap());
                let label = answer(&shown, &queue["question"]);
                table += &format!("{},ann,{label},{criterion}\n", item["id"].as_str().unwrap());
            }
            let file = folder.path().join(format!("labels-{}.csv", given.len()));
            fs::write(&file, &table).unwrap();
            given.push((study.display().to_string(), file.display().to_string(), table.lines().count() - 1));
        }
        for (k, (study, _, _)) in given.iter().enumerate() {
            let (_, others, _) = &given[1 - k];
            let (done, _, stderr) = program(folder.path(), &["study", "labels", "add", others, study]);
            assert!(!done && !stderr.is_empty(), "{files:?}: labels of another criterion are taken");
        }
        for (study, file, number) in &given {
            let (done, stdout, stderr) = program(folder.path(), &["study", "labels", "add", file, study]);
            assert!(done && stdout.contains(&format!("{number} labels of {number} items added")), "{stdout}{stderr}");
        }
    }
}

/// What `tests/golden/tools/round_trip.py` brought back from the tools' own packages, whose annotators saw criterion,
/// rubric and text alone: every label says what they answered to that very text, and none is taken for another
/// criterion.
#[test]
fn labels_come_back_from_every_tool_under_their_own_criterion() {
    let mut files = 0;
    for name in ["deepeval", "inspect-graded"] {
        let folder = tempfile::tempdir().unwrap();
        let made = studies(folder.path(), &[&format!("{name}.json")]);
        assert_eq!(made.len(), 2, "{name}");
        for (k, study) in made.iter().enumerate() {
            let config = fs::read_to_string(study.join("study.toml")).unwrap();
            let config: toml::Table = toml::from_str(&config).unwrap();
            let own = study.display().to_string();
            for args in [&["study", "queue", &own, "--budget", "100%", "--force"][..], &["study", "label", &own]] {
                let (done, _, stderr) = program(folder.path(), args);
                assert!(done, "{stderr}");
            }
            let html = fs::read_to_string(study.join("label.html")).unwrap();
            let queue = html.split("id=\"queue\">").nth(1).unwrap().split("</script>").next().unwrap();
            let queue: Value = serde_json::from_str(queue).unwrap();
            let criterion = &config["criterion"];
            let rubric =
                criterion.get("rubric").map_or(String::new(), |rubric| format!(": {}", rubric.as_str().unwrap()));
            let asked = format!("{}{rubric}", criterion["name"].as_str().unwrap());
            let of_item = |item: &Value| {
                let shown = format!("{asked}\n\n{}", item["text"].as_str().unwrap());
                (item["id"].as_str().unwrap().to_owned(), answer(&shown, &queue["question"]))
            };
            let expected: BTreeMap<String, String> = queue["items"].as_array().unwrap().iter().map(of_item).collect();
            let exports = repository("tests/golden/tools/round-trip").join(name).join(study.file_name().unwrap());
            for export in fs::read_dir(exports).unwrap() {
                let export = export.unwrap().path().display().to_string();
                let other = made[1 - k].display().to_string();
                let add = |study: &str| {
                    program(folder.path(), &["study", "labels", "add", &export, study, "--annotator", "ann"])
                };
                let (done, _, stderr) = add(&other);
                assert!(!done && !stderr.is_empty(), "{export}: labels of another criterion are taken");
                let (done, _, stderr) = add(&own);
                assert!(done, "{export}: {stderr}");
                let (done, _, stderr) =
                    program(folder.path(), &["study", "labels", "export", "all.csv", &own, "--force"]);
                assert!(done, "{stderr}");
                let mut back = rows_of(&folder.path().join("all.csv"));
                back.retain(|row| !row["added"].is_empty());
                let back: BTreeMap<String, String> =
                    back.into_iter().map(|row| (row["id"].clone(), row["label"].clone())).collect();
                assert_eq!(back, expected, "{export}");
                fs::remove_dir_all(study.join("labels")).unwrap();
                files += 1;
            }
        }
    }
    // Label Studio in three layouts, Argilla, Prodigy and a workbook for each; doccano where labels are classes.
    assert_eq!(files, 4 * 6 + 2);
}

#[test]
fn tasks_that_look_alike_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("items.csv", "id,criterion,text\na/kind,kind,Hello\na/true,true,Hello\nb/kind,kind,Bye\n");
    write("judge.csv", "id,label\na/kind,yes\na/true,no\nb/kind,no\n");
    let toml = "title = \"t\"\nclasses = [\"yes\", \"no\"]\n[items]\nfile = \"items.csv\"\ntext = \"{text}\"\n[judge]\n\
                file = \"judge.csv\"\nkind = \"labels\"\n";
    write("study.toml", toml);
    let queue = ["study", "queue", ".", "--budget", "100%"];
    let (done, _, stderr) = program(folder.path(), &queue);
    assert!(!done && stderr.contains("the items \"a/kind\" and \"a/true\" look the same to an annotator"), "{stderr}");
    assert!(!folder.path().join("queue").exists());
    write("study.toml", &toml.replace("\"{text}\"", "\"{criterion}: {text}\""));
    let (done, _, stderr) = program(folder.path(), &queue);
    assert!(done, "{stderr}");
}

#[test]
fn skips_are_missing_answers_and_labels_are_matched_with_a_notice() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let ids: Vec<String> = (0..24).map(|k| format!("i{k}")).collect();
    let rows = |of: &dyn Fn(usize) -> String| (0..24).map(of).collect::<String>();
    write("items.csv", &format!("id,text\n{}", rows(&|k| format!("i{k},Text {k}\n"))));
    write("judge.csv", &format!("id,label\n{}", rows(&|k| format!("i{k},{}\n", ["pass", "fail"][k % 2]))));
    let toml = "title = \"t\"\nclasses = [\"pass\", \"fail\"]\n[items]\nfile = \"items.csv\"\ntext = \
                \"{text}\"\n[judge]\nfile = \"judge.csv\"\nkind = \"labels\"\n";
    write("study.toml", toml);
    let (done, _, stderr) =
        program(folder.path(), &["study", "queue", ".", "--budget", "100%", "--explore", "1", "--out", "queue"]);
    assert!(done, "{stderr}");
    let page = ids.iter().enumerate().map(|(k, id)| match k {
        0 => format!("{id},ann,,cannot tell,\n"),
        1 => format!("{id},ann,,two in one,a comment\n"),
        2 => format!("{id},ann,Pass,,\"not, \"\"sure\"\"\"\n"),
        _ => format!("{id},ann,Pass,,\n"),
    });
    write("labels-ann.csv", &format!("id,annotator,label,skipped,comment\n{}", page.collect::<String>()));
    let (done, stdout, stderr) = program(folder.path(), &["study", "labels", "add", "labels-ann.csv", "."]);
    assert!(done, "{stderr}");
    for said in ["22 labels of 22 items added", "\"Pass\" is read as \"pass\".", "2 answers skipped their items"] {
        assert!(stdout.contains(said), "{stdout}");
    }
    // A comment is kept beside its label or skip, and comes back with the labels.
    let (_, list, _) = program(folder.path(), &["study", "labels", "list", "."]);
    assert!(list.contains(": 22 labels from labels-ann.csv"), "{list}");
    for said in
        ["i0 by ann: skipped: cannot tell", "i1 by ann: comment: a comment", "i2 by ann: comment: not, \"sure\""]
    {
        assert!(list.contains(said), "{list}");
    }
    let (done, _, stderr) = program(folder.path(), &["study", "labels", "export", "all.csv", "."]);
    assert!(done, "{stderr}");
    let all = rows_of(&folder.path().join("all.csv"));
    assert_eq!(all.len(), 24);
    let of = |id: &str| all.iter().find(|row| row["id"] == id).unwrap();
    let cells = |id: &str| ["label", "skipped", "comment"].map(|name| of(id)[name].clone());
    assert_eq!(cells("i0"), ["", "cannot tell", ""]);
    assert_eq!(cells("i1"), ["", "two in one", "a comment"]);
    assert_eq!(cells("i2"), ["pass", "", "not, \"sure\""]);
    assert_eq!(cells("i3"), ["pass", "", ""]);
    // The page's next file has all of it again, and one label more.
    let grown = fs::read_to_string(folder.path().join("labels-ann.csv")).unwrap() + "i0,ben,pass,,\n";
    fs::write(folder.path().join("grown.csv"), grown).unwrap();
    let (done, stdout, stderr) = program(folder.path(), &["study", "labels", "add", "grown.csv", "."]);
    assert!(done && stdout.contains("1 labels of 1 items added"), "{stdout}{stderr}");
    let (_, list, _) = program(folder.path(), &["study", "labels", "list", "."]);
    assert_eq!(list.matches("comment").count(), 3, "{list}");
    let (done, _, stderr) = program(folder.path(), &["study", "labels", "remove", "grown.csv", "."]);
    assert!(done, "{stderr}");
    // Skips are missing in the estimates, whose intervals allow for what they could have been.
    let (done, stdout, stderr) = program(folder.path(), &["study", "run", "."]);
    assert!(done, "{stderr}");
    assert!(stdout.contains("of the 24 that it selected 2 have no label"), "{stdout}");
    let (done, stdout, stderr) = program(folder.path(), &["study", "check", ".", "--json"]);
    assert!(done, "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&report["labels"]["skipped"], &report["labels"]["labels"]), (&2.into(), &22.into()));
    // Who skipped may label later; a table of humans side by side needs no column of annotators.
    write("later.csv", "id,human,human_2\ni0,FAIL,pass\ni2,,fail\n");
    let (done, stdout, stderr) = program(folder.path(), &["study", "labels", "add", "later.csv", "."]);
    assert!(done, "{stderr}");
    assert!(stdout.contains("3 labels of 2 items added"), "{stdout}");
    assert!(stdout.contains("The column \"human_2\" is read as the labels of an annotator \"human_2\"."), "{stdout}");
    write("again.csv", "id,annotator,label\ni0,ann,fail\n");
    let (done, stdout, stderr) = program(folder.path(), &["study", "labels", "add", "again.csv", "."]);
    assert!(done && stdout.contains("1 labels of 1 items added"), "{stdout}{stderr}");
    let (done, _, stderr) = program(folder.path(), &["study", "run", ".", "--replicates", "0"]);
    assert!(done, "{stderr}");
    // The report has them beside their items, and counts them.
    let report = fs::read_to_string(folder.path().join("run/report/index.html")).unwrap();
    let card = report.split("data-id=\"i1\"").nth(1).unwrap().split("</li>").next().unwrap();
    assert!(card.contains("ann skipped it: two in one") && card.contains("ann: a comment"), "{card}");
    assert!(report.contains("which count as missing (") && report.contains("2 comments"), "{report}");
}

#[test]
fn reports_show_what_the_judge_wrote_and_annotators_do_not_see_it() {
    let logs = [
        (&["deepeval.json"][..], "by length"),
        (&["inspect-graded.json"], "Reasoning.\n\nGRADE: C"),
        (&["promptfoo.json"], "by length"),
        (&["mlflow-genai.csv"], "by length"),
        (&["mlflow-models.csv"], "by length"),
        (&["mt-bench-pairs.jsonl"], "[[A]]"),
        (&["langfuse-scores.csv", "langfuse-observations.jsonl"], "by rule"),
        (&["phoenix-annotations.csv", "phoenix-spans.csv"], "by rule"),
    ];
    for (files, words) in logs {
        let folder = tempfile::tempdir().unwrap();
        let mut shown = 0;
        for study in studies(folder.path(), files) {
            let name = study.display().to_string();
            for command in [
                &["study", "run", "--force"][..],
                &["study", "queue", "--budget", "100%", "--force"],
                &["study", "label"],
            ] {
                let args: Vec<&str> = command.iter().copied().chain([name.as_str()]).collect();
                let (done, _, stderr) = program(folder.path(), &args);
                assert!(done, "{files:?}: {stderr}");
            }
            let report = fs::read_to_string(study.join("run/report/index.html")).unwrap();
            let transcripts: Vec<&str> = report.split("<details class=\"transcript\">").skip(1).collect();
            shown += transcripts.iter().filter(|one| one.split("</details>").next().unwrap().contains(words)).count();
            for file in fs::read_dir(study.join("queue")).unwrap().map(|entry| entry.unwrap().path()) {
                let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
                assert!(!text.contains(words), "{files:?}: {}", file.display());
            }
            assert!(!fs::read_to_string(study.join("label.html")).unwrap().contains(words), "{files:?}");
        }
        assert!(shown > 0, "{files:?}");
    }
}

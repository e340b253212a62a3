//! `audit`: one table in, the answers first.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use judge_uncertainty::formats::output::{OutputColumn, to_parquet};
use judge_uncertainty::random::Stream;
use judge_uncertainty::study::Study;
use judge_uncertainty::study::audit::columns::{Mapping, Role};
use judge_uncertainty::study::audit::table::CellTable;
use judge_uncertainty::study::audit::{Labelled, of_table};
use judge_uncertainty::study::findings::Answer;
use serde_json::{Value, json};

use crate::support::tree;

/// Topics with how often the judge is right there.
const TOPICS: [(&str, f64); 5] =
    [("billing", 0.9), ("delivery", 0.8), ("returns", 0.7), ("warranty", 0.6), ("law", 0.5)];

/// 300 rows of five topics, of which two people labelled 120 at random; the judge is right in 50 to 90% by topic and
/// about as confident everywhere.
fn support(seed: u64) -> String {
    let mut stream = Stream::new(seed);
    let mut text = "id,topic,text,judge_verdict,judge_confidence,human_1,human_2\n".to_owned();
    let word = |is: bool| if is { "pass" } else { "fail" };
    for i in 0..300 {
        let (topic, accuracy) = TOPICS[i % 5];
        let truth = stream.random() < 0.6;
        let judge = truth == (stream.random() < accuracy);
        let confidence = 0.8 + 0.19 * stream.random();
        let [one, two] = [0, 1].map(|_| truth == (stream.random() < 0.95));
        let labelled = (i / 5) % 5 < 2;
        let people = if labelled { [word(one), word(two)] } else { ["", ""] };
        text += &format!(
            "m{i},{topic},\"Message number {i}, about {topic}\",{},{confidence:.2},{},{}\n",
            word(judge),
            people[0],
            people[1]
        );
    }
    text
}

/// 4,000 rows of which 600, drawn at random, say `Pass` or `Fail`; the judge writes 1 and 0, and passes too many.
fn answers(seed: u64) -> (String, f64) {
    let mut stream = Stream::new(seed);
    let mut text = "id,question,answer,judge_score,human\n".to_owned();
    let mut passes = 0.0;
    for i in 0..4000 {
        let truth = stream.random() < 0.71;
        let judge = stream.random() < if truth { 0.93 } else { 0.35 };
        let length = 40 + (200.0 * stream.random()) as usize;
        let human = match (i % 20 < 3, truth) {
            (false, _) => "",
            (true, true) => "Pass",
            (true, false) => "Fail",
        };
        passes += f64::from(u8::from(truth));
        text += &format!("{i},What is {i} plus {i}?,{},{},{human}\n", "a".repeat(length), u8::from(judge));
    }
    (text, passes / 4000.0)
}

pub(super) fn audit(folder: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
    command.current_dir(folder).env("RAYON_NUM_THREADS", "1").arg("audit").args(arguments).assert()
}

pub(super) fn said(run: assert_cmd::assert::Assert) -> String {
    String::from_utf8(run.success().get_output().stdout.clone()).unwrap()
}

fn in_short(text: &str) {
    assert!(text.lines().count() <= 27, "{} lines\n{text}", text.lines().count());
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn a_table_with_topics_confidence_and_two_people_is_answered_at_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("support.csv"), support(1)).unwrap();
    let text = said(audit(folder.path(), &["support.csv"]));
    in_short(&text);
    for part in [
        "support.csv (CSV): id=id verdict=judge_verdict confidence=judge_confidence human=human_1,human_2 group=topic text=text",
        "two people with each other: 9",
        "Confidence: it is too high by",
        "Weakest group: ",
        "Label next: 50 items, in support-audit/queue",
        "Next: judge-uncertainty study labels page support-audit",
        "Condition: the labelled items were drawn at random",
    ] {
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{part}\n{text}");
    }
    // The study continues: it is checked, and its queue is one that experts can label.
    let study = folder.path().join("support-audit");
    let check = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty")).args(["study", "check"]).arg(&study).assert();
    assert!(said(check).contains("300"));
    assert!(study.join("queue/spreadsheet.xlsx").is_file() && study.join("run/report/index.html").is_file());
    // What is there is replaced when that is asked.
    let again = audit(folder.path(), &["support.csv"]).code(2);
    assert!(String::from_utf8_lossy(&again.get_output().stderr).contains("--force"));
    assert_eq!(said(audit(folder.path(), &["support.csv", "--force"])), text);
}

/// What people changed since the program wrote it outlives `--force`, of `audit` and of `study queue`.
#[test]
fn work_that_was_filled_in_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(3)).unwrap();
    audit(folder.path(), &["w.csv"]).success();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        command.current_dir(folder.path()).args(arguments).assert()
    };
    let (again, queue) = (["audit", "w.csv", "--force"], ["study", "queue", "w-audit", "--force"]);
    for (name, commands) in [
        ("queue/spreadsheet.csv", [&again[..], &queue[..]].as_slice()),
        ("queue/spreadsheet.xlsx", &[&again, &queue]),
        ("study.toml", &[&again]),
        ("labels.csv", &[&again]),
    ] {
        let file = folder.path().join("w-audit").join(name);
        let mut filled_in = fs::read(&file).unwrap();
        filled_in.extend(b"\n");
        fs::write(&file, &filled_in).unwrap();
        let before = tree(folder.path());
        for command in commands {
            let refused = run(command).code(2);
            let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
            assert!(told.contains(name) && told.contains("move it away"), "{told}");
            assert_eq!(tree(folder.path()), before, "{command:?}");
        }
        fs::remove_file(&file).unwrap();
        commands.iter().for_each(|command| drop(run(command).success()));
        run(&again).success();
    }
}

/// An id that comes twice and one that is blank leave the others as they are, so that labels come back under them.
#[test]
fn only_ids_that_tell_no_row_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let table = support(5).replacen("\nm7,", "\n,", 1) + "m3,billing,Another message,fail,0.9,,\n";
    fs::write(folder.path().join("w.csv"), &table).unwrap();
    let told = said(audit(folder.path(), &["w.csv"]));
    assert!(told.contains("\"row 8\"") && told.contains("\"m3\" in rows 4 and 301"), "{told}");
    let items = fs::read_to_string(folder.path().join("w-audit/items.csv")).unwrap();
    let ids: Vec<&str> = items.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    let own = |i: usize| match i {
        3 => "m3/row 4".to_owned(),
        7 => "row 8".to_owned(),
        300 => "m3/row 301".to_owned(),
        i => format!("m{i}"),
    };
    assert_eq!(ids, (0..301).map(own).collect::<Vec<_>>());
    fs::write(folder.path().join("back.csv"), "id,annotator,label\nm12,zoe,pass\nm4,zoe, \n").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        said(command.current_dir(folder.path()).args(arguments).assert())
    };
    // A cell with a space is blank.
    let added = run(&["study", "labels", "add", "back.csv", "w-audit"]);
    assert!(added.contains("1 labels of 1 items added") && added.contains("1 answers left out: blank"), "{added}");
    let applied = run(&["apply", "w-audit", "--items", "w.csv", "--out", "applied"]);
    assert!(applied.contains("\"row 8\"") && applied.contains("\"m3\" in rows 4 and 301"), "{applied}");
}

/// A study that is there takes no option that only its making or another command can follow.
#[test]
fn options_that_a_study_can_not_follow_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(3)).unwrap();
    audit(folder.path(), &["w.csv"]).success();
    let before = tree(folder.path());
    for (option, value, instead) in [
        ("--labelled", "random", "study.toml"),
        ("--at-least", "agreement=0.9", "study.toml"),
        ("--columns", "human=nothing", "--columns"),
        ("--budget", "50", "study queue w-audit"),
        ("--out", "elsewhere", "study run w-audit"),
    ] {
        let refused = audit(folder.path(), &["w-audit", option, value]).code(2);
        let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(told.contains(option) && told.contains(instead), "{told}");
        assert_eq!(tree(folder.path()), before);
    }
    audit(folder.path(), &["w-audit", "--target", "5"]).success();
}

/// Of further items a confidence beyond its range is refused where it stands, or its row set aside; a missing one is told.
#[test]
fn a_confidence_of_further_items_that_can_not_be_is_told_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(3)).unwrap();
    audit(folder.path(), &["w.csv"]).success();
    let rows: Vec<String> =
        support(4).lines().map(|row| row.splitn(7, ',').take(6).collect::<Vec<_>>().join(",")).collect();
    let cells: Vec<Vec<&str>> = rows.iter().map(|row| row.split(',').collect()).collect();
    let judge = |confidence: &dyn Fn(usize) -> Option<String>| -> String {
        let row = |(i, row): (usize, &Vec<&str>)| {
            let verdict = row.iter().find(|cell| ["pass", "fail", "judge_verdict"].contains(cell)).unwrap();
            let cells = [Some(row[0].to_owned()), Some(row[1].to_owned()), Some((*verdict).to_owned()), confidence(i)];
            cells.into_iter().flatten().collect::<Vec<_>>().join(",") + "\n"
        };
        cells.iter().enumerate().map(row).collect()
    };
    let with = judge(&|i| {
        Some(match i {
            0 => "judge_confidence".to_owned(),
            8 => "33".to_owned(),
            i => format!("0.{}", 80 + i % 20),
        })
    });
    fs::write(folder.path().join("far.csv"), with).unwrap();
    fs::write(folder.path().join("without.csv"), judge(&|_| None)).unwrap();
    let apply = |name: &str, further: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        command.current_dir(folder.path()).args(["apply", "w-audit", "--out", "out", "--force", "--items", name]);
        command.args(further).assert()
    };
    let refused = apply("far.csv", &[]).code(2);
    let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(told.contains("far.csv:9") && told.contains("33") && !told.contains("far.csv/"), "{told}");
    said(apply("far.csv", &["--set-aside", "aside.jsonl"]));
    assert_eq!(fs::read_to_string(folder.path().join("aside.jsonl")).unwrap().lines().count(), 1);
    assert!(said(apply("without.csv", &[])).contains("No column has the judge's confidence"));
}

/// A claim that was registered is judged on the screen.
#[test]
fn a_run_says_how_registered_claims_fared() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(3)).unwrap();
    audit(folder.path(), &["w.csv"]).success();
    let plan = "[[hypothesis]]\nfinding = \"agreement\"\nabove = 0.3\n";
    fs::write(folder.path().join("w-audit/hypotheses.toml"), plan).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        said(command.current_dir(folder.path()).args(arguments).assert())
    };
    run(&["study", "register", "w-audit"]);
    let told = run(&["study", "run", "w-audit"]);
    assert!(told.contains("Registered: agreement above 0.3: confirmed"), "{told}");
    in_short(&told);
}

/// One answer that slips in and changes what answers can be is named, and an answer that is seldom on its scale is not.
#[test]
fn an_answer_that_alone_changes_the_scale_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let scores = |last: &dyn Fn(usize) -> f64| {
        let row = |i: usize| {
            format!("q{i},{},{}\n", last(i), if i.is_multiple_of(2) { last(i + 1).to_string() } else { String::new() })
        };
        "id,judge_score,human\n".to_owned() + &(0..400).map(row).collect::<String>()
    };
    let verdicts = support(3).replacen(",fail,0", ",maybe,0", 1);
    let row = verdicts.lines().position(|line| line.contains(",maybe,")).unwrap();
    let five = |i: usize| (1 + i % 5) as f64;
    let hundred = |i: usize| (10 + i % 80) as f64 + 0.5;
    for (text, told) in [
        (verdicts, Some(format!("\"maybe\" is 1 of 540 answers, first in row {row} of judge_verdict"))),
        (scores(&|i| if i == 30 { 7.0 } else { five(i) }), Some("\"7\" is 1 of ".to_owned())),
        (scores(&|i| if i == 31 { 850.0 } else { hundred(i) }), Some("\"850\" is 2 of ".to_owned())),
        (scores(&five), None),
        (scores(&|i| if i == 31 { 5.0 } else { (1 + i % 4) as f64 }), None),
        (scores(&hundred), None),
    ] {
        fs::write(folder.path().join("w.csv"), &text).unwrap();
        let json: Value = serde_json::from_str(&{
            said(audit(folder.path(), &["w.csv", "--force"]));
            fs::read_to_string(folder.path().join("w-audit/audit.json")).unwrap()
        })
        .unwrap();
        let notices = json["notices"].as_array().unwrap();
        let named: Vec<&str> =
            notices.iter().filter_map(Value::as_str).filter(|one| one.contains("slipped in")).collect();
        match told {
            Some(told) => assert!(named.len() == 1 && named[0].contains(&told), "{told}: {notices:?}"),
            None => assert!(named.is_empty(), "{notices:?}"),
        }
    }
}

/// A probability that can't be is refused where the user wrote it.
#[test]
fn a_chance_of_a_row_that_was_not_labelled_is_refused_in_its_own_table() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let (judge, human) = (["yes", "no"][i % 2], if i.is_multiple_of(3) { ["yes", "no"][i / 2 % 2] } else { "" });
        format!("w{i},{judge},{},{human}\n", if i == 4 { "0" } else { "0.4" })
    };
    let rows: String = (0..60).map(row).collect();
    fs::write(folder.path().join("p.csv"), format!("id,judge,chance,human\n{rows}")).unwrap();
    let refused = audit(folder.path(), &["p.csv", "--labelled", "chance"]).code(2);
    let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(told.contains("p.csv") && told.contains("row 5") && !told.contains("p-audit"), "{told}");
}

/// A refusal after the study was made, of a condition that names no finding, leaves the disk as it was.
#[test]
fn a_refused_audit_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(3)).unwrap();
    let refused = |arguments: &[&str]| {
        let before = tree(folder.path());
        let all = [&["w.csv", "--fail-if", "nonsense<0.3"], arguments].concat();
        audit(folder.path(), &all).code(2);
        assert_eq!(tree(folder.path()), before, "{arguments:?}");
    };
    refused(&[]);
    refused(&["--out", "new/folders/w"]);
    fs::create_dir(folder.path().join("empty")).unwrap();
    refused(&["--out", "empty"]);
    refused(&["--out", "empty/w"]);
    // An audit of before, and what a user put into another folder.
    audit(folder.path(), &["w.csv"]).success();
    refused(&[]);
    refused(&["--force"]);
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/note.txt"), "mine").unwrap();
    refused(&["--force", "--out", "mine"]);
    refused(&["--out", "mine/deep/w"]);
    audit(folder.path(), &["w-audit", "--fail-if", "agreement<0.3"]).success();
}

/// What a run says to do next runs as it stands, beside the queue that `audit` made and again.
#[test]
fn the_next_command_of_a_run_runs_unedited() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("support.csv"), support(7)).unwrap();
    audit(folder.path(), &["support.csv"]).success();
    let command = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
        said(command.args(arguments).current_dir(folder.path()).assert().success())
    };
    let next = |told: &str| {
        let next = told.lines().find_map(|line| line.strip_prefix("Next: judge-uncertainty ")).unwrap().to_owned();
        command(&next.split(' ').collect::<Vec<_>>());
        next
    };
    for queue in ["queue", "queue-2", "queue-3"] {
        // A queue that waits is to be labelled, whoever asks and how often.
        for _ in 0..2 {
            let told = command(&["study", "run", "support-audit"]);
            assert!(next(&told).starts_with("study labels page support-audit"), "{told}");
            assert!(told.contains(&format!("in support-audit/{queue}:")), "{told}");
            assert_eq!(command(&["audit", "support-audit"]), told);
            let plan = command(&["study", "plan", "support-audit", "--target", "5"]);
            assert_eq!(next(&plan), next(&told));
            let compared = command(&["compare", "support-audit", "support-audit"]);
            assert_eq!(next(&compared), next(&told));
        }
        let queued = fs::read_to_string(folder.path().join("support-audit").join(queue).join("queue.csv")).unwrap();
        let answer = |line: &str| format!("{},zoe-{queue},pass\n", line.split(',').nth(1).unwrap());
        let answers: String = queued.lines().skip(1).map(answer).collect();
        let file = format!("{queue}.csv");
        fs::write(folder.path().join(&file), format!("id,annotator,label\n{answers}")).unwrap();
        command(&["study", "labels", "add", &file, "support-audit"]);
        let told = command(&["study", "run", "support-audit"]);
        let what = if queue == "queue" { "added" } else { "latest" };
        assert!(told.contains(&format!("before the {what} labels")), "{told}");
        assert!(next(&told).starts_with("study queue support-audit --out "), "{told}");
    }
}

/// `was` is what stood before the latest batch, also in a study that began without a label.
#[test]
fn a_run_says_what_the_latest_labels_moved() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..200).map(|i| format!("r{i},{}\n", ["pass", "fail"][i * 7 % 10 / 6])).collect();
    fs::write(folder.path().join("w.csv"), format!("id,judge\n{rows}")).unwrap();
    said(audit(folder.path(), &["w.csv", "--budget", "90"]));
    let command = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        said(command.args(arguments).current_dir(folder.path()).assert().success())
    };
    let queue = fs::read_to_string(folder.path().join("w-audit/queue/queue.csv")).unwrap();
    let ids: Vec<&str> = queue.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    let mut earlier: Option<Value> = None;
    for (number, part) in ids.chunks(30).enumerate() {
        let answer = |(k, id): (usize, &&str)| format!("{id},ann,{}\n", ["pass", "fail"][(k + number) % 4 / 3]);
        let file = format!("{number}.csv");
        let answers: String = part.iter().enumerate().map(answer).collect();
        fs::write(folder.path().join(&file), format!("id,annotator,label\n{answers}")).unwrap();
        command(&["study", "labels", "add", &file, "w-audit"]);
        let told = command(&["study", "run", "w-audit"]);
        assert_eq!(told.contains("before the latest labels)"), number > 0, "{told}");
        let json: Value = serde_json::from_str(&command(&["study", "run", "w-audit", "--json"])).unwrap();
        let findings = json["answer"]["findings"].as_array().unwrap();
        let agreement = findings.iter().find(|finding| finding["id"] == "agreement").unwrap();
        assert_eq!(agreement.get("was"), earlier.as_ref(), "{number}");
        earlier = Some(agreement["found"].clone());
    }
}

/// A queue waits for its labels wherever it was written.
#[test]
fn a_queue_with_a_name_of_ones_own_waits_too() {
    for place in ["w-audit/round2", "elsewhere"] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("w.csv"), support(1)).unwrap();
        said(audit(folder.path(), &["w.csv"]));
        let command = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
            said(command.args(arguments).current_dir(folder.path()).assert().success())
        };
        command(&["study", "queue", "w-audit", "--out", place, "--budget", "7"]);
        let told = command(&["study", "run", "w-audit"]);
        assert!(told.contains("Label next: 7 items, in ") && told.contains(place), "{told}");
        let next = told.lines().find(|line| line.starts_with("Next: ")).unwrap();
        assert!(next.starts_with("Next: judge-uncertainty study labels page w-audit --queue "), "{told}");
    }
}

#[test]
fn aliases_are_matched_and_the_rate_is_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let (table, truth) = answers(2);
    fs::write(folder.path().join("answers.csv"), table).unwrap();
    let text = said(audit(folder.path(), &["answers.csv", "--labelled", "random"]));
    in_short(&text);
    assert!(text.contains("Taken as the same answer: 1 for Pass; 0 for Fail."), "{text}");
    assert!(!text.contains("WORSE") && !text.contains("nobody said"), "{text}");
    let json = said(audit(folder.path(), &["answers.csv", "--labelled", "random", "--json", "--force"]));
    let json: Value = serde_json::from_str(&json).unwrap();
    let findings = json["answer"]["findings"].as_array().unwrap();
    let found = |id: &str| &findings.iter().find(|one| one["id"] == id).unwrap_or_else(|| panic!("{id}"))["found"];
    let number = |of: &Value, key: &str| of[key].as_f64().unwrap();
    let corrected = found("rate.Pass");
    assert!(number(corrected, "lo") < truth && truth < number(corrected, "hi"), "{truth} {corrected}");
    assert!(number(found("rate.Pass.by_judge"), "value") > number(corrected, "hi"), "{corrected}");
    let width = |of: &Value| number(of, "hi") - number(of, "lo");
    assert!(width(corrected) < 0.95 * width(found("rate.Pass.by_labels")), "{corrected}");
    // The bias: it passes 11 points too often, which is what lies between its own rate and the corrected one.
    let (bias, by_judge) = (found("bias.Pass"), number(found("rate.Pass.by_judge"), "value"));
    assert!(number(bias, "lo") > 0.0, "{bias}");
    let apart = by_judge - number(corrected, "value") - number(bias, "value");
    assert!(apart.abs() < 1e-9 && width(bias) >= width(corrected), "{bias} {corrected}");
}

/// Of a column with the judge's reasons the report shows what stands there; folders that are named are made.
#[test]
fn reasons_of_the_judge_reach_the_report_of_its_study() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| format!("m{i},Message {i},{},because of {i}\n", ["pass", "fail"][i % 2]);
    let rows: String = (0..12).map(row).collect();
    fs::write(folder.path().join("t.csv"), format!("id,text,judge_verdict,judge_reason\n{rows}")).unwrap();
    said(audit(folder.path(), &["t.csv", "--out", "a/b/c"]));
    let study = folder.path().join("a/b/c");
    let run = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty")).args(["study", "run"]).arg(&study).assert();
    said(run);
    let report = fs::read_to_string(study.join("run/report/index.html")).unwrap();
    let card = report.split("data-id=\"m3\"").nth(1).unwrap().split("</li>").next().unwrap();
    assert!(card.contains("The judge: fail") && card.contains("because of 3"), "{card}");
    assert!(!fs::read_to_string(study.join("queue/queue.jsonl")).unwrap().contains("because of"));
}

#[test]
fn rules_have_one_name_and_old_ones_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        let output = command.current_dir(folder.path()).args(arguments).assert().success().get_output().clone();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    run(&["study", "init", "s"]);
    let (new, told) = run(&["study", "queue", "s", "--rule", "epistemic", "--budget", "5"]);
    assert!(new.contains("Ranked by epistemic part (--rule epistemic)") && !told.contains("is called"), "{new}{told}");
    let (old, told) = run(&["study", "queue", "s", "--rule", "info", "--budget", "5", "--force"]);
    assert_eq!((old, told.lines().next()), (new, Some("note: `info` is called `epistemic` now")));
    let (random, _) = run(&["study", "queue", "s", "--rule", "random", "--budget", "5", "--force"]);
    assert!(random.contains("Drawn at random (--rule random)") && !random.contains("biased"), "{random}");
    run(&["study", "run", "s"]);
    let report = fs::read_to_string(folder.path().join("s/run/report/index.html")).unwrap();
    for old in ["mutual information", "epistemic part I", "rank_info", "Var(m)"] {
        assert!(!report.contains(old), "{old}");
    }
}

#[test]
fn a_table_without_any_label_gets_a_first_queue() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..60)
        .map(|i| {
            format!(
                "{{\"question\": \"What is {i}?\", \"judge_verdict_1\": \"{}\", \"judge_verdict_2\": \"yes\"}}\n",
                if i % 4 == 0 { "no" } else { "yes" }
            )
        })
        .collect();
    fs::write(folder.path().join("new.jsonl"), rows).unwrap();
    let text = said(audit(folder.path(), &["new.jsonl", "--budget", "12"]));
    in_short(&text);
    for part in ["Nobody can tell yet", "agree in 75%", "Label next: 12 items"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn one_label_does_not_tell_where_the_judge_errs() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("few.csv"), "id,judge,human\n1,A,\n2,A,\n3,B,B\n").unwrap();
    let text = said(audit(folder.path(), &["few.csv"]));
    assert!(text.contains("Label next: 3 items") && !text.contains("chance that it is wrong"), "{text}");
}

#[test]
fn what_can_not_be_audited_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("none.csv", "id,question\n1,one\n2,two\n");
    put("apart.csv", "id,judge,human\n1,A,good\n2,B,bad\n");
    let told = |arguments: &[&str]| {
        String::from_utf8(audit(folder.path(), arguments).code(2).get_output().stderr.clone()).unwrap()
    };
    assert!(told(&["none.csv"]).contains("name it with --columns verdict=COLUMN"), "{}", told(&["none.csv"]));
    assert!(told(&["none.csv", "--columns", "verdict=qestion"]).contains("did you mean \"question\"?"));
    assert!(told(&["none.csv", "--columns", "verdic=question"]).contains("the roles are id, verdict"));
    assert!(told(&["apart.csv"]).contains("judge and people give different answers: the judge A, B; people bad, good"));
    assert!(told(&["apart.csv", "--columns", "human=", "--labelled", "chance"]).contains("no column \"chance\""));
    assert!(!folder.path().join("apart-audit").exists());
    // A role that is named and that its column can't have.
    put("roles.csv", "id,topic,judge,human\n1,a,yes,yes\n2,b,no,\n3,a,yes,no\n4,b,no,no\n");
    for (role, reason) in [
        ("criterion=id", "can't be the criterion: it has 4 different values in 4 rows"),
        ("order=topic", "can't be the order of two answers"),
        ("score=topic", "judge and people give different answers: the judge a, b"),
        ("probability=topic", "row 1: topic is \"a\", which is not a number"),
        ("number=topic", "row 1: topic is \"a\", which is not a number"),
        ("human=topic", "judge and people give different answers"),
        ("annotator=judge", "does not name who gave the labels"),
        ("rows=topic", "it is no JSON document"),
    ] {
        let error = told(&["roles.csv", "--columns", role]);
        assert!(error.contains(reason), "{role}: {error}");
    }
}

/// In 20 of 20 worlds the 50 rows that are queued are of topics in which the judge errs at least as often as in a draw
/// at random.
#[test]
fn the_queue_is_at_least_as_good_as_random() {
    let folder = tempfile::tempdir().unwrap();
    let errs = |of: &[usize]| of.iter().map(|i| 1.0 - TOPICS[i % 5].1).sum::<f64>() / of.len() as f64;
    let open: Vec<usize> = (0..300).filter(|i| (i / 5) % 5 >= 2).collect();
    for seed in 100..120 {
        fs::write(folder.path().join("w.csv"), support(seed)).unwrap();
        let _ = fs::remove_dir_all(folder.path().join("w-audit"));
        said(audit(folder.path(), &["w.csv"]));
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        let likely = ["study", "queue", "w-audit", "--rule", "likely_errors", "--out", "errors", "--force"];
        said(command.args(likely).current_dir(folder.path()).assert());
        let queue = fs::read_to_string(folder.path().join("errors/queue.csv")).unwrap();
        let id = |line: &str| line.split(',').nth(1)?.strip_prefix('m')?.parse::<usize>().ok();
        let queued: Vec<usize> = queue.lines().skip(1).filter_map(id).collect();
        assert_eq!(queued.len(), 50);
        assert!(errs(&queued) >= errs(&open), "seed {seed}: {} {}", errs(&queued), errs(&open));
    }
}

/// A workbook of one sheet with texts.
fn workbook(table: &str) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006";
    let related = |kind: &str, target: &str| {
        format!(
            "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"r1\" Type=\"{office}/{kind}\" \
             Target=\"{target}\"/></Relationships>"
        )
    };
    let cell = |text: &str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let row = |line: &str| format!("<row>{}</row>", cells_of(line).iter().map(|text| cell(text)).collect::<String>());
    let rows: String = table.lines().map(row).collect();
    let parts = [
        ("[Content_Types].xml", format!("<Types xmlns=\"{package}/content-types\"/>")),
        ("_rels/.rels", related("officeDocument", "xl/workbook.xml")),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{office}\"><sheets><sheet name=\"a\" sheetId=\"1\" \
                 r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        ("xl/_rels/workbook.xml.rels", related("worksheet", "worksheets/sheet1.xml")),
        ("xl/worksheets/sheet1.xml", format!("<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData></worksheet>")),
    ];
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    for (name, text) in parts {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The cells of a line of [`support`], of which one is quoted.
fn cells_of(line: &str) -> Vec<String> {
    match line.split('"').collect::<Vec<_>>()[..] {
        [before, quoted, after] => {
            let plain = |part: &str| part.trim_matches(',').split(',').map(str::to_owned).collect::<Vec<_>>();
            let after = after.strip_prefix(',').unwrap().split(',').map(str::to_owned);
            plain(before).into_iter().chain([quoted.to_owned()]).chain(after).collect()
        }
        _ => line.split(',').map(str::to_owned).collect(),
    }
}

#[test]
fn a_table_says_the_same_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let table = support(3);
    let rows: Vec<Vec<String>> = table.lines().map(cells_of).collect();
    let lines = |cell: &dyn Fn(&str, &str) -> String, end: [&str; 2]| -> String {
        let row = |row: &Vec<String>| row.iter().zip(&rows[0]).map(|(text, name)| cell(name, text)).collect::<Vec<_>>();
        rows[1..].iter().map(|one| format!("{}{}{}\n", end[0], row(one).join(","), end[1])).collect()
    };
    let column = |k: usize| OutputColumn::texts(rows[0][k].clone(), "", rows[1..].iter().map(|row| &row[k]));
    // As pandas' `to_json(orient=...)` writes it, and as an API wraps its results; in the order of the table.
    let objects = lines(&|name, text| format!("{name:?}: {text:?}"), ["{", "}"]);
    let records = format!("[{}]", objects.trim_end().replace('\n', ",\n"));
    let quoted = |row: &[String]| row.iter().map(|cell| format!("{cell:?}")).collect::<Vec<_>>();
    let data = rows[1..].iter().map(|row| format!("[{}]", quoted(row).join(","))).collect::<Vec<_>>();
    let columns = |cell: &dyn Fn(usize, &str) -> String, ends: [&str; 2]| -> String {
        let column = |k: usize| {
            let cells: Vec<String> = rows[1..].iter().enumerate().map(|(row, cells)| cell(row, &cells[k])).collect();
            format!("{:?}: {}{}{}", rows[0][k], ends[0], cells.join(", "), ends[1])
        };
        format!("{{{}}}", (0..rows[0].len()).map(column).collect::<Vec<_>>().join(", "))
    };
    let files: [(&str, Vec<u8>); 11] = [
        ("t.csv", table.clone().into_bytes()),
        ("t.tsv", rows.iter().map(|row| row.join("\t") + "\n").collect::<String>().into_bytes()),
        ("semicolons.csv", rows.iter().map(|row| row.join(";") + "\n").collect::<String>().into_bytes()),
        ("t.jsonl", lines(&|name, text| format!("{name:?}: {text:?}"), ["{", "}"]).into_bytes()),
        ("t.parquet", to_parquet(&(0..rows[0].len()).map(column).collect::<Vec<_>>()).unwrap()),
        ("t.xlsx", workbook(&table)),
        ("records.json", records.clone().into_bytes()),
        ("wrapped.json", format!("{{\"model\": \"m\", \"run\": {{\"results\": {records}}}}}").into_bytes()),
        ("split.json", format!("{{\"columns\": {:?}, \"data\": [{}]}}", rows[0], data.join(",")).into_bytes()),
        ("lists.json", columns(&|_, cell| format!("{cell:?}"), ["[", "]"]).into_bytes()),
        ("columns.json", columns(&|row, cell| format!("\"{row}\": {cell:?}"), ["{", "}"]).into_bytes()),
    ];
    let mut found: Vec<Value> = vec![];
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
        let text = said(audit(folder.path(), &[name, "--out", "out", "--force", "--json"]));
        let json: Value = serde_json::from_str(&text).unwrap();
        found.push(json["answer"].clone());
    }
    assert_eq!(found[0]["labelled"], 120);
    for other in &found[1..] {
        assert_eq!(*other, found[0]);
    }
    // A list is named where there are several.
    let several = format!("{{\"train\": [{{\"id\": 1}}], \"eval\": {{\"rows\": {records}}}}}");
    fs::write(folder.path().join("several.json"), several).unwrap();
    audit(folder.path(), &["several.json"]).code(2);
    let named = ["several.json", "--columns", "rows=eval.rows", "--out", "out", "--force", "--json"];
    let json: Value = serde_json::from_str(&said(audit(folder.path(), &named))).unwrap();
    assert_eq!(json["answer"], found[0]);
}

/// From the audit on, each command answers in short and ends with the next command, which runs.
#[test]
fn results_are_short_and_lead_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(4)).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        let text = said(command.current_dir(folder.path()).args(arguments).assert());
        in_short(&text);
        assert!(text.contains("Next: judge-uncertainty "), "{arguments:?}\n{text}");
        text
    };
    said(audit(folder.path(), &["w.csv", "--labelled", "random"]));
    let queued = run(&["study", "queue", "w-audit", "--budget", "5000", "--force", "--explore", "1"]);
    assert!(queued.contains("Warning: 5000 items were asked for, and the study has 300."), "{queued}");
    let ids: Vec<String> = (0..300).filter(|i| (i / 5) % 5 >= 2).map(|i| format!("m{i},zoe,pass\n")).collect();
    fs::write(folder.path().join("back.csv"), format!("id,annotator,label\n{}", ids.concat())).unwrap();
    run(&["study", "labels", "add", "back.csv", "w-audit"]);
    run(&["study", "plan", "w-audit"]);
    run(&["study", "run", "w-audit"]);
    run(&["study", "compare", "w-audit", "w-audit"]);
    run(&["study", "init", "s"]);
    run(&["study", "run", "s"]);
    fs::write(folder.path().join("further.csv"), crate::terminal::FURTHER).unwrap();
    run(&["apply", "s/run", "--items", "further.csv", "--out", "o"]);
}

#[test]
fn all_faults_are_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(5)).unwrap();
    said(audit(folder.path(), &["w.csv"]));
    let told = |change: &dyn Fn(&str) -> String, table: &str| {
        let path = folder.path().join("w-audit/study.toml");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, change(&text)).unwrap();
        let labels = folder.path().join("w-audit/labels.csv");
        let before = fs::read_to_string(&labels).unwrap();
        fs::write(&labels, before.clone() + table).unwrap();
        let check = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"))
            .current_dir(folder.path())
            .args(["study", "check", "w-audit"])
            .assert()
            .code(2);
        fs::write(&path, text).unwrap();
        fs::write(&labels, before).unwrap();
        String::from_utf8(check.get_output().stderr.clone()).unwrap()
    };
    let of_keys = told(&|text| text.replace("form = ", "frm = ").replace("\"labels\"", "\"lables\""), "");
    assert!(of_keys.contains("lables") && of_keys.contains("frm"), "{of_keys}");
    let of_tables = told(&|text| text.replace("judge.csv", "jugde.csv"), "m0,zoe,perhaps\n");
    assert!(of_tables.contains("jugde.csv") && of_tables.contains("perhaps"), "{of_tables}");
    // What is no study says what to do.
    let missing = |path: &str| {
        let check = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"))
            .current_dir(folder.path())
            .args(["study", "run", path])
            .assert()
            .code(2);
        String::from_utf8(check.get_output().stderr.clone()).unwrap()
    };
    assert!(missing("nowhere").contains("judge-uncertainty study init nowhere"), "{}", missing("nowhere"));
    assert!(missing("w.csv").contains("judge-uncertainty audit w.csv"), "{}", missing("w.csv"));
    assert!(missing("w-adit").contains("did you mean w-audit"), "{}", missing("w-adit"));
}

fn audited(cells: &CellTable, labelled: Labelled) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let (_, files) = of_table(cells, "table.csv".as_ref(), &[], (&labelled, None)).unwrap().staged(&[]);
    for name in ["study.toml", "items.csv", "judge.csv", "labels.csv"] {
        fs::write(folder.path().join(name), files.text(name).unwrap()).unwrap();
    }
    let study = Study::load(folder.path()).unwrap();
    Answer::without_queue(&study)
}

/// The table of `tests/golden/audit/make.py`.
fn table() -> CellTable {
    let row = |i: u64| {
        let [u, v] = [2_654_435_761, 2_246_822_519].map(|by| (i * by % (1 << 32)) as f64 / (1_u64 << 32) as f64);
        let truth = u < 0.71;
        let judge = v < if truth { 0.93 } else { 0.35 };
        let human = match (i % 20 < 3, truth) {
            (false, _) => "",
            (true, true) => "pass",
            (true, false) => "fail",
        };
        vec![i.to_string(), u8::from(judge).to_string(), human.to_owned()]
    };
    CellTable::new(["id", "judge_score", "human"].map(str::to_owned).to_vec(), (0..4000).map(row), "CSV")
}

#[test]
fn a_rate_is_as_narrow_as_that_of_ppi() {
    let golden = crate::support::repository("tests/golden/audit/expected.json");
    let golden: serde_json::Value = serde_json::from_slice(&std::fs::read(golden).unwrap()).unwrap();
    let number = |key: &str| golden[key].as_f64().unwrap();
    let found = audited(&table(), Labelled::Random);
    let rate = &found.rates[0];
    assert!((rate.by_judge - number("judge")).abs() < 1e-12, "{rate:?}");
    let corrected = rate.corrected.estimate().unwrap();
    assert!((corrected.value - number("point")).abs() < 1e-3, "{corrected:?}");
    assert!(corrected.hi - corrected.lo <= number("hi") - number("lo"), "{corrected:?}");
    assert!(corrected.lo < number("passes") && number("passes") < corrected.hi, "{corrected:?}");
}

/// 60 labels without an error do not tell how many labels narrow agreement; with 6 errors they do.
#[test]
fn plans_from_hardly_an_error_are_called_rough() {
    let printed = |errors: usize| {
        let cell = |i: usize| match i {
            i if i < errors => "fail",
            i if i < 60 => "pass",
            _ => "",
        };
        let rows: String = (0..400).map(|i| format!("m{i},pass,{}\n", cell(i))).collect();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("t.csv"), format!("id,judge_verdict,human\n{rows}m400,fail,\n")).unwrap();
        said(audit(folder.path(), &["t.csv", "--labelled", "random", "--target", "3"]))
    };
    assert!(printed(0).contains("(rough: judge and people differ on 0 of 60"), "{}", printed(0));
    assert!(!printed(6).contains("rough"), "{}", printed(6));
}

/// When a further person is asked, by how the judge and the first people answered.
#[derive(Clone, Copy, PartialEq)]
enum Further {
    /// A second one where the first and the judge differ.
    Settles,
    /// A second one where the first says fail.
    Confirms,
    /// A third one where the first two differ.
    Adjudicates,
    /// A second one in every other row.
    Random,
}

/// People and judge are right in nine of ten rows, so that any two of them agree in 82%.
#[test]
fn further_labels_that_followed_from_the_first_do_not_stand_for_the_others() {
    // Without the first person's labels of five rows the second's are those that count there.
    let table = |further: Further| {
        let mut stream = Stream::new(3);
        let mut text = "id,judge_verdict,human_1,human_2,human_3\n".to_owned();
        let (mut passed, mut agreed) = (0.0, 0.0);
        let lacks_first = further == Further::Settles || further == Further::Random;
        for i in 0..400 {
            let truth = stream.random() < 0.6;
            let [judge, one, two, three] = [0; 4].map(|_| truth == (stream.random() < 0.9));
            let word = |is: bool| if is { "pass" } else { "fail" };
            let has_second = match further {
                Further::Settles => one != judge,
                Further::Confirms => !one,
                Further::Adjudicates => true,
                Further::Random => i % 2 == 0,
            };
            let lacks = lacks_first && i < 5;
            // What the first person says counts, or what both who labelled all say.
            let first = if lacks { two } else { one };
            let counted = [first, if further == Further::Adjudicates { two } else { first }];
            passed += counted.map(|own| f64::from(u8::from(own))).iter().sum::<f64>() / 800.0;
            agreed += counted.map(|own| f64::from(u8::from(own == judge))).iter().sum::<f64>() / 800.0;
            let one_cell = if lacks { "" } else { word(one) };
            let two_cell = if has_second || lacks { word(two) } else { "" };
            let third = if further == Further::Adjudicates && one != two { word(three) } else { "" };
            text += &format!("m{i},{},{one_cell},{two_cell},{third}\n", word(judge));
        }
        (text, passed, agreed)
    };
    let answer = |further: Further| {
        let folder = tempfile::tempdir().unwrap();
        let (text, passed, agreed) = table(further);
        fs::write(folder.path().join("t.csv"), text).unwrap();
        let printed = said(audit(folder.path(), &["t.csv", "--labelled", "random", "--json"]));
        (serde_json::from_str::<Value>(&printed).unwrap()["answer"].clone(), passed, agreed)
    };
    let found = |answer: &Value, id: &str| {
        answer["findings"].as_array().unwrap().iter().find(|one| one["id"] == id).unwrap()["found"]["value"].as_f64()
    };
    for further in [Further::Settles, Further::Confirms, Further::Adjudicates, Further::Random] {
        let (answer, passed, agreed) = answer(further);
        if further != Further::Random {
            assert!((found(&answer, "agreement").unwrap() - agreed).abs() < 1e-9, "{agreed}: {answer}");
            // All items are labelled, so the rate is that of these labels.
            assert!((found(&answer, "rate.pass").unwrap() - passed).abs() < 1e-9, "{passed}: {answer}");
        }
        match further {
            Further::Settles | Further::Confirms => {
                assert_eq!(answer["verdict"], "better_than_constant");
                let says = answer["says"].as_str().unwrap();
                assert!(says.contains("items with further labels are not like the others"), "{answer}");
                assert_eq!((found(&answer, "between_people"), found(&answer, "over_people")), (None, None));
            }
            Further::Adjudicates | Further::Random => {
                let told = answer["chosen"].as_str().is_some_and(|words| words.contains("who labelled every item"));
                assert_eq!(told, further == Further::Adjudicates, "{answer}");
                assert!(found(&answer, "over_people").unwrap().abs() < 0.1, "{answer}");
                assert!((found(&answer, "between_people").unwrap() - 0.82).abs() < 0.06, "{answer}");
            }
        }
    }
}

/// A judge that was asked twice and is right eight times of ten, whichever the answer.
#[test]
fn split_votes_of_a_judge_asked_twice_are_shares() {
    let mut stream = Stream::new(5);
    let word = |pass: bool| ["fail", "pass"][usize::from(pass)].to_owned();
    let rows: Vec<Vec<String>> = (0..800)
        .map(|i| {
            let truth = stream.random() < 0.5;
            let judge = [0; 2].map(|_| word(truth == (stream.random() < 0.8)));
            [vec![format!("q{i}")], judge.to_vec(), vec![word(truth)]].concat()
        })
        .collect();
    let share =
        |is: &dyn Fn(&Vec<String>) -> bool| rows.iter().filter(|row| is(row)).count() as f64 / rows.len() as f64;
    let passes = [1, 2].map(|k| share(&|row| row[k] == "pass"));
    let right = [1, 2].map(|k| share(&|row| row[k] == row[3]));
    let names = ["id", "judge_1", "judge_2", "human"].map(str::to_owned).to_vec();
    let found = audited(&CellTable::new(names, rows.clone(), "CSV"), Labelled::Random);
    assert!((found.rates[0].by_judge - 0.5 * (passes[0] + passes[1])).abs() < 1e-9, "{:?}", found.rates[0]);
    let agreement = found.trust.agreement.estimate().unwrap();
    assert!((agreement.value - 0.5 * (right[0] + right[1])).abs() < 1e-9, "{agreement:?}");
    let bias = found.trust.bias[0].1.estimate().unwrap();
    assert!(bias.lo < 0.0 && bias.hi > 0.0, "{bias:?}");
}

#[test]
fn columns_are_recognised_by_names_and_values() {
    let names = [
        "item_id",
        "prompt",
        "model_name",
        "verdict",
        "judge_reason",
        "p_pass",
        "label",
        "n_tokens",
        "conversation_id",
    ];
    let row = |i: usize| {
        let word = ["pass", "fail"][i % 2].to_owned();
        vec![
            format!("q{i}"),
            "What?".to_owned(),
            ["small", "large"][i % 2].to_owned(),
            word.clone(),
            "because".to_owned(),
            "0.5".to_owned(),
            word,
            (i * 7).to_string(),
            format!("c{}", i / 5),
        ]
    };
    let cells = CellTable::new(names.map(str::to_owned).to_vec(), (0..30).map(row), "CSV");
    let mapping = Mapping::new(&cells, &[]).unwrap();
    assert_eq!(mapping.one(Role::Cluster), Some("conversation_id"));
    let of = |role: Role| mapping.of(role).join(" ");
    assert_eq!([of(Role::Id), of(Role::Verdict), of(Role::Human)], ["item_id", "verdict", "label"]);
    assert_eq!([of(Role::System), of(Role::Text), of(Role::Probability)], ["model_name", "prompt", "p_pass"]);
    let corrected = Mapping::new(&cells, &["human=".parse().unwrap(), "group=model_name".parse().unwrap()]).unwrap();
    assert_eq!((corrected.of(Role::Human).len(), corrected.one(Role::Group)), (0, Some("model_name")));
}

/// A condition ends with 10 where the whole interval says so, 0 where it says otherwise, 11 where it holds the number.
/// 200 rows of which every other one is labelled, or the first hundred; the judge gives what `of` says, and people 0, 1 or 2.
fn judged_as(of: impl Fn(usize, usize) -> String, words: [&str; 3], is_first: bool) -> String {
    let mut stream = Stream::new(5);
    let mut text = "id,text,judge,human\n".to_owned();
    for i in 0..200_usize {
        let truth = stream.choice(3) as usize;
        let is_labelled = if is_first { i < 100 } else { i.is_multiple_of(2) };
        let human = if is_labelled { words[truth] } else { "" };
        text += &format!("q{i},Row {i:03} has {},{},{human}\n", "a word ".repeat(5 + i / 2 * 7 % 20), of(i, truth));
    }
    text
}

#[test]
fn sentences_say_what_was_compared() {
    let folder = tempfile::tempdir().unwrap();
    let audited = |name: &str, table: String| {
        fs::write(folder.path().join(name), table).unwrap();
        let json: Value = serde_json::from_str(&said(audit(folder.path(), &[name, "--json", "--force"]))).unwrap();
        let lines = said(audit(folder.path(), &[name, "--force"])).split_whitespace().collect::<Vec<_>>().join(" ");
        (lines, json.to_string())
    };
    // Of three classes the judge hits those of short texts; there is no bias to compare.
    let words = ["cat", "dog", "owl"];
    let short = |i: usize| i / 2 * 7 % 20 < 10;
    let classes = |i: usize, truth: usize| words[if short(i) { truth } else { (truth + 1) % 3 }].to_owned();
    let (lines, json) = audited("classes.csv", judged_as(classes, words, false));
    let said = lines.split_once("Agreement by item: above length of text ").expect("a clear link").1;
    assert!(said.split_once(" points [").unwrap().0.contains(" it agrees with people "), "{lines}");
    assert!(said.split_once("] ").unwrap().1.starts_with("less often. "), "{lines}");
    assert!(json.contains(" in length of text the judge agrees more by: -"), "{json}");
    assert!(!lines.contains("the first 100 of 200"), "{lines}");
    // Numbers have a mean and no rate, and are given neither too often nor too seldom.
    let steps = ["1", "2", "3"];
    let (lines, json) = audited("steps.csv", judged_as(|_, truth| steps[(truth + 1).min(2)].to_owned(), steps, true));
    assert!(lines.contains("The mean is known to within ±") && lines.contains(" for the mean is precise"), "{lines}");
    assert!(json.contains("the judge is too high by: 0.6") && !json.contains("too often"), "{json}");
    assert!(lines.contains("They are the first 100 of 200, as random ones hardly are"), "{lines}");
}

#[test]
fn a_condition_on_a_finding_is_the_status() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(1)).unwrap();
    said(audit(folder.path(), &["w.csv", "--labelled", "random"]));
    for (condition, status) in
        [("kappa<0.9", 10), ("kappa<0.05", 0), ("kappa<0.3", 11), ("kappa>0.05", 10), ("kapa<1", 2)]
    {
        let ran = audit(folder.path(), &["w-audit", "--fail-if", condition]).code(status);
        let why = String::from_utf8(ran.get_output().stderr.clone()).unwrap();
        let reason = match status {
            10 => format!("{condition} holds: agreement beyond chance (kappa): 0."),
            11 => format!("{condition} is open: agreement beyond chance (kappa): 0."),
            _ => String::new(),
        };
        assert!(why.contains(&reason) && (status != 0 || !why.contains("kappa")), "{why}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        command.current_dir(folder.path()).args(["study", "run", "w-audit", "--fail-if", condition]);
        command.assert().code(status).stderr(why.clone());
        let again = ["w.csv", "--labelled", "random", "--force", "--fail-if", condition];
        audit(folder.path(), &again).code(status).stderr(why);
    }
}

/// What the judge has to reach is asked once, and every command answers it.
#[test]
fn the_verdict_rests_on_what_the_study_asks() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(1)).unwrap();
    for (asked, verdict, step) in [
        ("agreement=0.5", "Yes: it reaches what the study asks, agreement is at least 0.5", "Rely on it"),
        ("agreement=0.66", "Not shown: the labels leave open whether agreement is at least 0.66", "Label these"),
        (
            "agreement=0.95",
            "No: it falls short of what the study asks, agreement is at least 0.95",
            "Do not rely on it.",
        ),
    ] {
        let text = said(audit(folder.path(), &["w.csv", "--labelled", "random", "--at-least", asked, "--force"]));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("Can I rely on the judge? {verdict}")), "{text}");
        assert!(words.contains(&format!("What to do: {step}")), "{text}");
        let again = said(audit(folder.path(), &["w-audit"]));
        assert!(text.ends_with(&again), "{text}\n{again}");
    }
}

/// Of numbers the distance of judge and person is the better the lower it is, and `agreement` names no finding.
#[test]
fn a_goal_for_numbers_is_a_distance() {
    let folder = tempfile::tempdir().unwrap();
    for (name, off) in [("good", 0), ("bad", 3)] {
        let rows =
            (0..60).map(|i| format!("r{i},{},{}\n", (i * 7 + usize::from(i % 9 == 0) + off) % 5 + 1, i * 7 % 5 + 1));
        fs::write(
            folder.path().join(name).with_extension("csv"),
            format!("id,judge,human\n{}", rows.collect::<String>()),
        )
        .unwrap();
    }
    let answer = |file: &str, goal: &str| said(audit(folder.path(), &[file, "--force", "--at-least", goal]));
    assert!(answer("good.csv", "distance=0.8").contains("Yes: it reaches what the study asks"));
    assert!(answer("bad.csv", "distance=0.8").contains("No: it falls short of what the study asks"));
    audit(folder.path(), &["bad.csv", "--force", "--fail-if", "distance>0.8"]).code(10);
    for refused in [["--at-least", "agreement=0.8"], ["--fail-if", "agreement<0.8"], ["--at-least", "kappa=80"]] {
        audit(folder.path(), &[&["good.csv", "--force"], &refused[..]].concat()).code(2);
    }
}

/// A condition says which side it means, and a number that can be reached.
#[test]
fn conditions_that_say_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(1)).unwrap();
    for wrong in [["--fail-if", "agreement=0.5"], ["--fail-if", "agreement<80"], ["--at-least", "kappa<0.6"]] {
        audit(folder.path(), &[&["w.csv"], &wrong[..]].concat()).code(2);
    }
    said(audit(folder.path(), &["w.csv"]));
    let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
    command.current_dir(folder.path()).args(["study", "run", "w-audit", "--fail-if", "agreement=0.5"]).assert().code(2);
}

/// Judges may state probabilities before anybody labels: two columns that add up to 1 are two classes.
#[test]
fn two_probabilities_are_two_classes_before_any_label() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..40).map(|i| format!("r{i},{:.2},{:.2}\n", 0.02 * f64::from(i), 1.0 - 0.02 * f64::from(i)));
    fs::write(folder.path().join("p.csv"), format!("id,p_no,p_yes\n{}", rows.collect::<String>())).unwrap();
    said(audit(folder.path(), &["p.csv"]));
    let study = fs::read_to_string(folder.path().join("p-audit/study.toml")).unwrap();
    assert!(study.contains(r#"classes = ["no", "yes"]"#), "{study}");
}

/// A queue that is answered whole is the one that was answered, though another one holds its items, too.
#[test]
fn labels_answer_the_queue_that_they_complete() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(1)).unwrap();
    said(audit(folder.path(), &["w.csv", "--labelled", "random"]));
    let study = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        said(command.current_dir(folder.path()).args([&["study"], arguments].concat()).assert())
    };
    study(&["queue", "w-audit", "--for", "rate", "--budget", "20", "--out", "w-audit/another"]);
    let queue = fs::read_to_string(folder.path().join("w-audit/another/queue.csv")).unwrap();
    let ids = queue.lines().skip(1).map(|line| line.split(',').nth(1).unwrap());
    let larger = fs::read_to_string(folder.path().join("w-audit/queue/queue.csv")).unwrap();
    let ids: Vec<&str> = ids.collect();
    assert!(ids.iter().all(|id| larger.contains(&format!(",{id},"))), "one queue stands within the other");
    let back: String = ids.iter().map(|id| format!("{id},zoe,pass\n")).collect();
    fs::write(folder.path().join("back.csv"), format!("id,annotator,label\n{back}")).unwrap();
    study(&["labels", "add", "back.csv", "w-audit"]);
    let answer: Value = serde_json::from_str(&study(&["run", "w-audit", "--json"])).unwrap();
    let chosen = answer["answer"]["chosen"].as_str().unwrap();
    assert!(chosen.contains("another") && !chosen.contains("do not count"), "{chosen}");
}

/// Labels are for something: to find errors, or to know the rate so well.
#[test]
fn a_queue_has_a_purpose() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(1)).unwrap();
    let wanted = said(audit(folder.path(), &["w.csv", "--labelled", "random", "--target", "4"]));
    let again = said(audit(folder.path(), &["w-audit", "--target", "4"]));
    assert!(wanted.ends_with(&again), "{wanted}\n{again}");
    let queue = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        let arguments = [&["study", "queue", "w-audit", "--out", "q", "--force"], arguments].concat();
        let text = said(command.current_dir(folder.path()).args(arguments).assert());
        let record = fs::read(folder.path().join("q/queue.json")).map(|text| serde_json::from_slice(&text).unwrap());
        (text, record.unwrap_or(Value::Null))
    };
    let (_, errors) = queue(&["--for", "errors"]);
    assert_eq!((&errors["rule"], &errors["explore"]), (&"likely_errors".into(), &0.2.into()));
    let (_, rate) = queue(&["--for", "rate"]);
    assert_eq!((&rate["rule"], &rate["explore"]), (&"fewest_labels".into(), &Value::Null));
    let (_, until) = queue(&["--until", "rate+-4"]);
    let number = until["queued"].as_u64().unwrap();
    let words = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(number > 0 && words.contains(&format!("{number} more labels")), "{number}: {wanted}");
    let plan = || {
        let mut plan = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        said(plan.current_dir(folder.path()).args(["study", "plan", "w-audit", "--target", "4"]).assert())
    };
    // The queue that waits comes first.
    for queue in ["q", "w-audit/queue"] {
        assert!(plan().contains("Next: judge-uncertainty study labels page w-audit"), "{}", plan());
        fs::remove_dir_all(folder.path().join(queue)).unwrap();
    }
    assert!(plan().contains(&format!("--budget {number}")), "{}", plan());
    assert!(queue(&["--until", "rate+-40"]).0.contains("Nothing to queue."));
    let mut useless = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
    let useless = useless.current_dir(folder.path()).args(["study", "queue", "w-audit", "--out", "u"]);
    useless.args(["--until", "rate+-4", "--for", "errors"]).assert().code(2);
}

/// Some 48 of 200 conversations are labelled whole, and rows of one are alike: 100 labels of single rows reach the others and
/// tell far more than 20 further conversations would. The plan names the width that they leave, on average over studies.
#[test]
fn plans_foresee_that_further_labels_reach_other_conversations() {
    const STUDIES: u64 = 4;
    let mut ratios = [0.0; 2];
    for seed in 0..STUDIES {
        let (folder, mut stream) = (tempfile::tempdir().unwrap(), Stream::new(seed));
        let word = |passes: bool| if passes { "pass" } else { "fail" };
        let good: Vec<bool> = (0..200).map(|_| stream.random() < 0.6).collect();
        let labelled: Vec<bool> = (0..200).map(|_| stream.random() < 0.24).collect();
        let people: Vec<bool> = (0..1000).map(|i| good[i / 5] != (stream.random() < 1.0 / 7.0)).collect();
        let rows = (0..1000).map(|i| {
            let (judge, human) =
                (people[i] && stream.random() > 1.0 / 9.0, if labelled[i / 5] { word(people[i]) } else { "" });
            format!("r{i},talk {},{},{human}\n", i / 5, word(judge))
        });
        let table = format!("id,conversation,judge_verdict,human\n{}", rows.collect::<String>());
        fs::write(folder.path().join("w.csv"), table).unwrap();
        let figures = |arguments: &[&str]| -> Vec<Value> {
            let json: Value = serde_json::from_str(&said(audit(folder.path(), arguments))).unwrap();
            json["answer"]["plan"]["figures"].as_array().unwrap()[..2].to_vec()
        };
        let before = figures(&["w.csv", "--labelled", "random", "--budget", "100", "--json"]);
        let queue = fs::read_to_string(folder.path().join("w-audit/queue/queue.csv")).unwrap();
        let ids = queue.lines().skip(1).map(|line| line.split(',').nth(1).unwrap());
        let back: String =
            ids.map(|id| format!("{id},zoe,{}\n", word(people[id[1..].parse::<usize>().unwrap()]))).collect();
        fs::write(folder.path().join("back.csv"), format!("id,annotator,label\n{back}")).unwrap();
        let mut add = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        add.current_dir(folder.path()).args(["study", "labels", "add", "back.csv", "w-audit"]).assert().success();
        for ((planned, came), ratio) in before.iter().zip(figures(&["w-audit", "--json"])).zip(&mut ratios) {
            let then = planned["after"].as_array().unwrap().iter().find(|width| width["labels"] == 100).unwrap();
            *ratio += then["half"].as_f64().unwrap() / came["now"].as_f64().unwrap() / STUDIES as f64;
        }
    }
    assert!(ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.15), "planned over realised: {ratios:?}");
}

/// Of a queue of 50 the first 5 come back: the others are still what to label next, and five labels widen no interval.
#[test]
fn a_queue_that_is_answered_in_part_still_waits() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(1)).unwrap();
    let rate = |arguments: &[&str]| -> (f64, Value) {
        let json: Value = serde_json::from_str(&said(audit(folder.path(), arguments))).unwrap();
        let answer = json["answer"].clone();
        let found = answer["findings"].as_array().unwrap().iter().find(|one| one["id"] == "rate.pass").unwrap();
        (found["found"]["hi"].as_f64().unwrap() - found["found"]["lo"].as_f64().unwrap(), answer)
    };
    let (before, _) = rate(&["w.csv", "--labelled", "random", "--json"]);
    let queue = fs::read_to_string(folder.path().join("w-audit/queue/queue.csv")).unwrap();
    let ids: Vec<&str> = queue.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    let add = |of: &[&str], name: &str| {
        // As in the file that was audited, an answer may be written in other words.
        let rows: String = of
            .iter()
            .zip(["1", "Passed", "pass"].iter().cycle())
            .map(|(id, label)| format!("{id},zoe,{label}\n"))
            .collect();
        fs::write(folder.path().join(name), format!("id,annotator,label\n{rows}")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        said(command.current_dir(folder.path()).args(["study", "labels", "add", name, "w-audit"]).assert());
    };
    add(&ids[..5], "first.csv");
    let (part, answer) = rate(&["w-audit", "--json"]);
    assert!(part <= before, "{part} for {before}");
    assert_eq!((&answer["next"]["folder"], &answer["next"]["queued"]), (&"queue".into(), &45.into()));
    assert_eq!(answer["next"]["first"][0]["id"], ids[5]);
    add(&ids[5..], "rest.csv");
    let (whole, answer) = rate(&["w-audit", "--json"]);
    assert!(whole < part, "{whole} for {part}");
    assert_eq!(answer["next"]["folder"], Value::Null);
    // A queue may ask again for what has a label of whoever answers it: that says nothing new, and nothing waits for it.
    let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
    let again = ["study", "queue", "w-audit", "--out", "w-audit/queue-2", "--budget", "100%"];
    said(command.current_dir(folder.path()).args(again).assert());
    let all = fs::read_to_string(folder.path().join("w-audit/queue-2/queue.csv")).unwrap();
    let mut all: Vec<&str> = all.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    all.retain(|id| !ids.contains(id));
    add(&[&ids[..], &all[..]].concat(), "all.csv");
    assert_eq!(rate(&["w-audit", "--json"]).1["next"]["folder"], Value::Null);
    // What no finding has is refused before any work.
    let refused = audit(folder.path(), &["w.csv", "--out", "x", "--at-least", "agrement=0.8"]).code(2);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("no finding \"agrement\""));
}

/// An audit that was killed between its study and its run: the study runs, and the audit can be made again.
#[test]
fn an_audit_that_was_interrupted_can_be_made_again() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), support(1)).unwrap();
    let first = said(audit(folder.path(), &["w.csv", "--labelled", "random"]));
    let study = folder.path().join("w-audit");
    ["run", "queue"].iter().for_each(|made| fs::remove_dir_all(study.join(made)).unwrap());
    let record = study.join("audit.json");
    let mut half: Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
    half["files"].as_array_mut().unwrap().retain(|file| !file.as_str().unwrap().contains('/'));
    fs::write(&record, half.to_string()).unwrap();
    // Where the evaluation was interrupted, too, its journal is there.
    fs::write(study.join(".run.evaluation.jsonl"), "").unwrap();
    said(audit(folder.path(), &["w.csv", "--labelled", "random", "--force"]));
    assert!(!study.join(".run.evaluation.jsonl").exists());
    said(audit(folder.path(), &["w-audit"]));
    assert_eq!(said(audit(folder.path(), &["w.csv", "--labelled", "random", "--force"])), first);
    // What the user put there stays.
    fs::write(study.join("run/mine.txt"), "mine").unwrap();
    let refused = audit(folder.path(), &["w.csv", "--force"]).code(2);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("mine.txt"));
}

/// Each column of the table is told with its role, by what it was recognised and how many rows have a value, wherever the
/// study is run.
#[test]
fn every_column_is_told_with_its_role() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "id,llm_verdict,anna,words,remark,kind\n".to_owned();
    for i in 0..40 {
        let person = if i % 2 == 0 { ["pass", "fail"][i / 2 % 2] } else { "" };
        let remark = if i < 3 { "late" } else { "" };
        text += &format!("q{i},{},{person},{}.5,{remark},{}\n", ["pass", "fail"][i % 2], 10 + i, ["a", "b"][i % 2]);
    }
    fs::write(folder.path().join("t.csv"), text).unwrap();
    let expected = json!([
        {"column": "id", "role": "id", "by": "name", "filled": 40},
        {"column": "llm_verdict", "role": "verdict", "by": "name", "filled": 40},
        {"column": "anna", "role": "human", "by": "values", "filled": 20},
        {"column": "words", "role": "number", "by": "values", "filled": 40},
        {"column": "remark", "role": null, "by": null, "filled": 3},
        {"column": "kind", "role": "group", "by": "given", "filled": 40},
    ]);
    let json = |text: String| serde_json::from_str::<Value>(&text).unwrap()["input"]["columns"].clone();
    assert_eq!(json(said(audit(folder.path(), &["t.csv", "--columns", "group=kind", "--json"]))), expected);
    assert_eq!(json(said(audit(folder.path(), &["t-audit", "--json"]))), expected);
    let page = fs::read_to_string(folder.path().join("t-audit/run/report/index.html")).unwrap();
    let table = page.split("id=\"table-columns\"").nth(1).expect("the page has the table");
    assert!(table.split("</table>").next().unwrap().contains("not used"));
}

/// Columns that the program made, of several labels in a cell or of rows that name their rater, are told as its own findings,
/// and those that the user named as the user's.
#[test]
fn columns_of_raters_are_told_with_who_found_them() {
    let folder = tempfile::tempdir().unwrap();
    let (mut lists, mut long) = ("id,judge,labels,kind\n".to_owned(), "id,rater,label\n".to_owned());
    for i in 0..40 {
        let [judge, one, two] = [2, 4, 3].map(|by| ["pass", "fail"][i % by % 2]);
        lists += &format!("q{i},{judge},{one};{two},{one}|{two}\n");
        long += &format!("q{i},gpt-4o,{judge}\nq{i},anna,{one}\nq{i},ben,{two}\n");
    }
    fs::write(folder.path().join("lists.csv"), lists).unwrap();
    fs::write(folder.path().join("long.csv"), long).unwrap();
    let told = |file: &str, columns: &[&str]| {
        let columns = columns.iter().flat_map(|text| ["--columns", text]);
        let arguments: Vec<&str> = [file, "--json", "--force"].into_iter().chain(columns).collect();
        let answer: Value = serde_json::from_str(&said(audit(folder.path(), &arguments))).unwrap();
        let columns = answer["input"]["columns"].as_array().unwrap().clone();
        let of = |one: Value| ["column", "role", "by"].map(|key| one[key].as_str().unwrap_or("-").to_owned()).join(" ");
        columns.into_iter().map(of).collect::<Vec<_>>().join(", ")
    };
    let judge = "id id name, judge verdict name";
    let people = |by: &str| format!("labels 1 human {by}, labels 2 human {by}");
    assert_eq!(told("lists.csv", &[]), format!("{judge}, kind - -, {}", people("cells")));
    assert_eq!(told("lists.csv", &["human=labels"]), format!("{judge}, kind - -, {}", people("given")));
    let other = format!("{judge}, labels - -, kind 1 human given, kind 2 human given");
    assert_eq!(told("lists.csv", &["human=kind"]), other);
    assert_eq!(told("lists.csv", &["human="]), format!("{judge}, labels - -, kind - -"));
    let grouped = format!("{judge}, labels group given, kind 1 human cells, kind 2 human cells");
    assert_eq!(told("lists.csv", &["group=labels"]), grouped);
    let raters = |anna: &str| format!("id id name, anna human {anna}, ben human rows, gpt-4o verdict rows");
    assert_eq!(told("long.csv", &[]), raters("rows"));
    assert_eq!(
        told("long.csv", &["human=anna", "human=ben"]),
        raters("given").replace("ben human rows", "ben human given")
    );
    let page = fs::read_to_string(folder.path().join("lists-audit/run/report/index.html")).unwrap();
    let table = page.split("id=\"table-columns\"").nth(1).and_then(|text| text.split("</table>").next()).unwrap();
    assert!(table.contains("its cells hold several labels") && table.contains("you"), "{table}");
}

/// A table of a seed: two answers, three classes or ratings; probabilities, repeated answers, groups, systems,
/// conversations, one or two people, few or many labels, or none.
fn any_table(seed: u64) -> String {
    let mut stream = Stream::new(seed);
    let has = |k: u64| seed.wrapping_mul(2_654_435_761) >> (8 + k) & 1 == 1;
    let names: &[&str] = [&["no", "yes"][..], &["bad", "fair", "good"], &["1", "2", "3", "4", "5"]][seed as usize % 3];
    let classes = names.len() as u32;
    let rows = 60 + 20 * (seed as usize % 4);
    let share = [0.0, 0.3, 0.5, 1.0][seed as usize / 3 % 4];
    let mut text = "id,question,judge_verdict".to_owned();
    for (is, name) in [
        (has(0), "judge_verdict_2"),
        (has(1), "judge_confidence"),
        (has(2), "topic"),
        (has(3), "model_name"),
        (has(4), "thread"),
        (true, "human_1"),
        (has(5), "human_2"),
    ] {
        text += &if is { format!(",{name}") } else { String::new() };
    }
    text += "\n";
    for i in 0..rows {
        let truth = stream.choice(classes);
        let mut answer = |right: f64| match stream.random() < right {
            true => truth,
            false => stream.choice(classes),
        };
        let [judge, again, one, two] = [0.8, 0.8, 0.95, 0.95].map(&mut answer);
        let named = |k: u32| names[k as usize].to_owned();
        let labelled = stream.random() < share;
        let person = |k: u32| if labelled { named(k) } else { String::new() };
        let mut cells = vec![format!("q{i}"), format!("What is {i}?"), named(judge)];
        cells.extend(has(0).then(|| named(again)));
        cells.extend(has(1).then(|| format!("{:.2}", 0.6 + 0.4 * stream.random())));
        cells.extend(has(2).then(|| ["law", "art", "food"][i % 3].to_owned()));
        cells.extend(has(3).then(|| ["small", "large"][i / 3 % 2].to_owned()));
        cells.extend(has(4).then(|| format!("t{}", i / 4)));
        cells.push(person(one));
        cells.extend(has(5).then(|| person(two)));
        text += &(cells.join(",") + "\n");
    }
    text
}

/// Of 40 tables verdict, findings and first items are the same from the file, the folder and the study, on the terminal, on
/// the page and in the results.
#[test]
fn one_question_has_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        said(command.current_dir(folder.path()).env("RAYON_NUM_THREADS", "1").args(arguments).assert())
    };
    let mut queues = 0;
    for seed in 0..40 {
        let [name, study] = ["csv", "study"].map(|kind| format!("{seed}.{kind}"));
        fs::write(folder.path().join(&name), any_table(seed)).unwrap();
        let of_file = run(&["audit", &name, "--labelled", "random", "--out", &study, "--budget", "10"]);
        let of_folder = run(&["audit", &study]);
        assert!(of_file.ends_with(&of_folder), "{name}\n{of_file}\n{of_folder}");
        assert_eq!(run(&["study", "run", &study]), of_folder, "{name}");
        let written = fs::read(folder.path().join(&study).join("run/results/study.json")).unwrap();
        let answer = &serde_json::from_slice::<Value>(&written).unwrap()["answer"];
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain(&of_file).contains(&plain(answer["says"].as_str().unwrap())), "{name}: {answer}\n{of_file}");
        let page = fs::read_to_string(folder.path().join(&study).join("run/report/index.html")).unwrap();
        let page = plain(&page.replace("&quot;", "\"").replace("&#x27;", "'").replace("&#39;", "'"));
        assert!(page.contains(&plain(answer["says"].as_str().unwrap())), "{name}: {}", answer["says"]);
        // The queue that waits holds the items that the answer names, in that order, as a new one would.
        let Some(first) = answer["next"]["first"].as_array() else { continue };
        let ids: Vec<&str> = first.iter().map(|pick| pick["id"].as_str().unwrap()).collect();
        let queue = fs::read_to_string(folder.path().join(&study).join("queue/queue.csv")).unwrap();
        let queued: Vec<&str> = queue.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
        assert_eq!(ids, queued[..ids.len()], "{name}");
        assert!(ids.iter().all(|id| page.contains(id)), "{name}");
        run(&["study", "queue", &study, "--budget", "10", "--out", "anew", "--force"]);
        assert_eq!(fs::read_to_string(folder.path().join("anew/queue.csv")).unwrap(), queue, "{name}");
        queues += 1;
    }
    assert!(queues >= 30, "{queues} tables have a queue");
}

/// Rows of one conversation are alike: the answer says of how many it knows, and a row of none is refused before anything
/// is written.
#[test]
fn conversations_are_told_and_a_blank_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| format!("q{i},c{},{},{}\n", i / 8, ["yes", "no"][i % 2], if i < 80 { "yes" } else { "" });
    let table = format!("id,conversation,judge_verdict,human\n{}", (0..160).map(row).collect::<String>());
    fs::write(folder.path().join("talk.csv"), &table).unwrap();
    let text = said(audit(folder.path(), &["talk.csv", "--labelled", "random"]));
    assert!(text.contains("cluster=conversation") && text.contains("160 items, 80 of them labelled in 10 clusters."));
    fs::write(folder.path().join("blank.csv"), table.replace("q2,c0,", "q2,,")).unwrap();
    let refused = audit(folder.path(), &["blank.csv", "--columns", "cluster=conversation"]).code(2);
    let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(told.contains("blank.csv") && told.contains("row 3: conversation is blank"), "{told}");
    assert!(!folder.path().join("blank-audit").exists());
    said(audit(folder.path(), &["blank.csv", "--columns", "cluster="]));
}

/// How many people gave each answer names nobody: the study keeps the numbers, and labels that come back join them.
#[test]
fn votes_without_names_are_counts() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "id,judge,n_pass,n_fail\n".to_owned();
    for i in 0..80 {
        let passed = [3, 2, 3, 0, 1][i % 5];
        let votes = if i < 60 { format!("{passed},{}", 3 - passed) } else { ",".to_owned() };
        text += &format!("q{i},{},{votes}\n", ["pass", "fail"][i % 2]);
    }
    fs::write(folder.path().join("votes.csv"), text).unwrap();
    let told = said(audit(folder.path(), &["votes.csv", "--labelled", "random", "--details"]));
    assert!(told.contains("60 of them labelled, up to 3 labels each"), "{told}");
    // Three columns are not three annotators.
    assert!(!told.contains("annotators"), "{told}");
    let labels = || fs::read_to_string(folder.path().join("votes-audit/labels.csv")).unwrap();
    assert!(labels().starts_with("id,n_fail,n_pass\nq0,0,3\nq1,1,2\n") && !labels().contains("person"), "{}", labels());
    fs::write(folder.path().join("new.csv"), "id,annotator,label\nq70,ann,pass\nq71,ann,fail\n").unwrap();
    let mut add = Command::cargo_bin("judge-uncertainty").unwrap();
    add.current_dir(folder.path()).args(["study", "labels", "add", "new.csv", "votes-audit"]).assert().success();
    let again = said(audit(folder.path(), &["votes-audit"]));
    assert!(again.contains("80 items, 62 of them labelled"), "{again}");
}

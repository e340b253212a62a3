//! `study init --from`: a judge's log becomes a study that can be checked and run.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

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
    let init = ["study", "init", "--from", &from, "--id", "doc.id", "--labels-from", "doc.gold", "--out", "made"];
    let (done, stdout, stderr) = program(folder.path(), &init);
    assert!(done, "{stderr}");
    assert!(stdout.contains("4 items, 4 answers of the judge (0 of them failed), 4 human labels."), "{stdout}");
    // Nothing is overwritten.
    let again = ["study", "init", "--from", &log("samples_judge_choice.jsonl"), "--out", "made"];
    let (done, _, stderr) = program(folder.path(), &again);
    assert!(!done && stderr.contains("items.csv"), "{stderr}");
    let (done, _, stderr) = program(folder.path(), &["study", "run", "made"]);
    assert!(done, "{stderr}");
    let manifest = fs::read_to_string(folder.path().join("made/run/results/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let logs = manifest["logs"].as_object().unwrap();
    assert_eq!(logs.len(), 1);
    let log = logs.values().next().unwrap();
    assert_eq!(log["tool"], "lm-evaluation-harness");
    assert_eq!(log["sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn position_bias_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (done, stdout, stderr) =
        program(folder.path(), &["study", "init", "--from", &log("mt-bench-pairs.jsonl"), "--out", "pairs"]);
    assert!(done, "{stderr}");
    assert!(stdout.contains("The log holds no human labels: write some to pairs/labels.csv"), "{stdout}");
    let labels = "id,annotator,label\n81/alpaca-13b:vicuna-13b/1,a,B\n";
    fs::write(folder.path().join("pairs/labels.csv"), labels).unwrap();
    let (done, stdout, stderr) = program(folder.path(), &["study", "check", "pairs"]);
    assert!(done, "{stderr}");
    let expected = "gpt-4 pair-v2: the verdict changes with the order of the answers for 1 of 2 items, 50% (95% interval for \
                    new items 1% to 99%): 1 times to the answer shown first, 0 times to the second";
    assert!(stdout.contains(expected), "{stdout}");
}

#[test]
fn what_is_no_log_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.json"), "{\"a\": 1}").unwrap();
    let (done, _, stderr) = program(folder.path(), &["study", "init", "--from", "x.json"]);
    assert!(!done && stderr.contains("x.json: it is not a log that this program knows; give a file of"), "{stderr}");
    let (done, _, stderr) = program(folder.path(), &["study", "init", "--from", "x.json", "--format", "nope"]);
    assert!(!done && stderr.contains("\"nope\" is not a format of logs; there are openai, inspect"), "{stderr}");
}

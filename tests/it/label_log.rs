//! The log of added labels, as every command about a study meets it: damage is refused, a cut end is told and kept.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

/// Commands that read the log of the study `s`; the last two write to it.
const COMMANDS: [&[&str]; 11] = [
    &["check", "s", "--json"],
    &["queue", "s", "--budget", "2", "--out", "again", "--json"],
    &["plan", "s", "--json"],
    &["label", "s", "--force"],
    &["compare", "s", "s", "--json"],
    &["labels", "list", "s"],
    &["labels", "export", "all.csv", "s", "--force"],
    &["register", "s", "--plan", "plan.toml"],
    &["run", "s", "--force", "--replicates", "2", "--json"],
    &["labels", "remove", "1", "s"],
    &["labels", "add", "more.csv", "s"],
];

const PLAN: &str = "[[hypothesis]]\nid = \"h\"\nstatement = \"s\"\nbetter = \"info\"\nthan = \"fewest_labels\"\n\
                    budget = 10\nmeasure = \"value\"\n";

fn study(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    command.arg("study").args(arguments).current_dir(folder).output().unwrap()
}

/// The starter study with a queue and two batches of labels, of three and four rows.
fn with_two_batches() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let rows = |items: std::ops::Range<usize>, who: &str| -> String {
        let rows = items.map(|item| format!("r{item:02},{who},mixed\n")).collect::<String>();
        format!("id,annotator,label\n{rows}")
    };
    fs::write(folder.path().join("one.csv"), rows(1..4, "zoe")).unwrap();
    fs::write(folder.path().join("two.csv"), rows(4..8, "zoe")).unwrap();
    fs::write(folder.path().join("more.csv"), rows(8..9, "ben")).unwrap();
    fs::write(folder.path().join("plan.toml"), PLAN).unwrap();
    let before: [&[&str]; 4] = [
        &["init", "s"],
        &["queue", "s", "--budget", "2"],
        &["labels", "add", "one.csv", "s"],
        &["labels", "add", "two.csv", "s"],
    ];
    for arguments in before {
        let output = study(folder.path(), arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let log = fs::read_to_string(folder.path().join("s/added-labels.csv")).unwrap();
    (folder, log)
}

#[test]
fn a_line_that_is_gone_is_refused_by_every_command() {
    let (folder, log) = with_two_batches();
    let file = folder.path().join("s/added-labels.csv");
    // The second row of the last batch: before, it was taken for one that was cut off, and its other rows were lost.
    let short: String =
        log.split_inclusive('\n').enumerate().filter(|(at, _)| *at != 7).map(|(_, line)| line).collect();
    fs::write(&file, &short).unwrap();
    for arguments in COMMANDS {
        let output = study(folder.path(), arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains("added-labels.csv:8") && told.contains("does not fit those above it"), "{told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), short, "{arguments:?}");
    }
}

#[test]
fn a_cut_end_is_told_by_every_command_and_kept_by_the_next_write() {
    for write in &COMMANDS[9..] {
        let (folder, log) = with_two_batches();
        let file = folder.path().join("s/added-labels.csv");
        let (cut, start) = (&log[..log.len() - 20], log.find("#batch 2").unwrap());
        fs::write(&file, cut).unwrap();
        let reading = if write[1] == "add" { &COMMANDS[..9] } else { &[] };
        for arguments in reading.iter().chain([write]) {
            let output = study(folder.path(), arguments);
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{arguments:?}: {told}");
            assert!(told.contains("batch 2 is incomplete (3 of 4 labels)") && told.contains("cut-1.csv"), "{told}");
            if arguments.contains(&"--json") {
                let result: Value = serde_json::from_slice(&output.stdout).unwrap();
                let warnings = result.get("warnings").or(result.pointer("/input/warnings")).unwrap();
                assert!(warnings.to_string().contains("batch 2 is incomplete"), "{arguments:?}: {warnings}");
            }
        }
        let kept = fs::read_to_string(folder.path().join("s/added-labels.cut-1.csv")).unwrap();
        assert_eq!(kept, cut[start..]);
        let after = fs::read_to_string(&file).unwrap();
        assert!(after.starts_with(&log[..start]) && after.len() > start);
        let output = study(folder.path(), &["check", "s"]);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

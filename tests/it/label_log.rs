//! The log of added labels, as every command about a study meets it: damage is refused, a cut end is told and kept.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{copy, is_tried, note_trials};

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

/// The log with something done to its line `at`, from 0.
fn damaged(log: &str, damage: &str, at: usize) -> String {
    let mut lines: Vec<String> = log.split_inclusive('\n').map(str::to_owned).collect();
    match damage {
        "deleted" => drop(lines.remove(at)),
        "duplicated" => lines.insert(at, lines[at].clone()),
        "swapped" => lines.swap(at, at + 1),
        _ if lines[at].starts_with('#') => lines[at] = lines[at].replacen("labels", "label", 1),
        _ => lines[at] = lines[at].replacen("mixed", "negative", 1),
    }
    lines.concat()
}

/// The labels in the log and in what stands beside it, as text.
fn rows(study: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(study).unwrap().map(|entry| entry.unwrap().path());
    let ours = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("added-labels"));
    let text: String = ours.map(|path| fs::read_to_string(path).unwrap()).collect();
    text.lines().filter(|line| line.starts_with('r')).map(|line| line.split(',').take(3).collect()).collect()
}

/// Each line deleted, duplicated, swapped with the next, and edited, as every command meets it.
#[test]
fn damage_of_any_line_is_told_by_every_command_and_loses_no_row() {
    let further: [&[&str]; 3] = [
        &["labels", "estimate", "s/queue", "s", "--json"],
        &["simulate", "s", "--seeds", "1"],
        &["labels", "recover", "s"],
    ];
    let (folder, log) = with_two_batches();
    let (whole, lines) = (folder.path().join("s"), log.lines().count());
    let mut tried = 0;
    for (kind, damage) in ["deleted", "swapped", "edited", "duplicated"].into_iter().enumerate() {
        let (mut trials, mut silent, mut destroyed) = (0, vec![], vec![]);
        for at in (1..lines).filter(|at| damage != "swapped" || at + 1 < lines).filter(|at| is_tried(at + kind, 4)) {
            let text = damaged(&log, damage, at);
            for arguments in COMMANDS.iter().chain(&further) {
                let place = tempfile::tempdir().unwrap();
                copy(&whole, &place.path().join("s"));
                for name in ["more.csv", "plan.toml"] {
                    fs::copy(folder.path().join(name), place.path().join(name)).unwrap();
                }
                fs::write(place.path().join("s/added-labels.csv"), &text).unwrap();
                let before = rows(&place.path().join("s"));
                let output = study(place.path(), arguments);
                let told = format!(
                    "{}{}",
                    String::from_utf8_lossy(&output.stderr),
                    if arguments.contains(&"recover") { String::from_utf8_lossy(&output.stdout) } else { "".into() }
                );
                trials += 1;
                let case = format!("line {} {damage}, {arguments:?}: {:?} {told}", at + 1, output.status);
                // What was written once and is there twice is no loss where the second is left out.
                if !told.contains("added-labels") {
                    silent.push(case.clone());
                }
                if !before.is_subset(&rows(&place.path().join("s"))) {
                    destroyed.push(case);
                }
            }
        }
        assert!(silent.is_empty() && destroyed.is_empty(), "{}\n{}", silent.join("\n"), destroyed.join("\n"));
        let class = format!("a line of the log {damage} ({} commands)", COMMANDS.len() + further.len());
        note_trials(&class, trials, "says nothing", silent.len());
        note_trials(&class, trials, "loses a row", destroyed.len());
        tried += trials;
    }
    assert!(tried > 0);
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

/// What is left without its last batch is a log that is whole by itself.
#[test]
fn batches_that_are_missing_at_the_very_end_are_told_by_every_command() {
    let (folder, log) = with_two_batches();
    let (file, head) = (folder.path().join("s/added-labels.csv"), folder.path().join("s/.added-labels.head"));
    let first = &log[..log.find("#batch 2").unwrap()];
    for shorter in [first, &log[..log.find('\n').unwrap() + 1]] {
        fs::write(&file, shorter).unwrap();
        let _ = fs::remove_dir_all(folder.path().join("again"));
        for arguments in &COMMANDS[..7] {
            let output = study(folder.path(), arguments);
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{arguments:?}: {told}");
            assert!(told.contains("when it was last written it held 7 labels in 2 batches"), "{arguments:?}: {told}");
        }
    }
    // A kill between the two leaves the head from before, which is no missing end; nor is an older copy of both.
    let quiet = || {
        let output = study(folder.path(), &["check", "s"]);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    fs::write(&file, &log).unwrap();
    quiet();
    let before = fs::read(&head).unwrap();
    assert!(study(folder.path(), COMMANDS[10]).status.success());
    let after = fs::read(&head).unwrap();
    assert_ne!(before, after);
    quiet();
    fs::write(&head, &before).unwrap();
    quiet();
    fs::write(&file, &log).unwrap();
    quiet();
    // Whoever means the shorter log goes on with it.
    fs::write(&file, first).unwrap();
    assert!(!study(folder.path(), COMMANDS[10]).stderr.is_empty());
    quiet();
}

#[test]
fn a_damaged_log_is_recovered_without_losing_a_row() {
    let (folder, log) = with_two_batches();
    let file = folder.path().join("s/added-labels.csv");
    // The second row of the second batch is gone, and a row of the first says something else.
    let damaged: String =
        log.split_inclusive('\n').enumerate().filter(|(at, _)| *at != 7).map(|(_, line)| line).collect();
    let damaged = damaged.replace("r02,zoe,mixed", "r02,zoe,negative");
    fs::write(&file, &damaged).unwrap();
    let output = study(folder.path(), &["labels", "recover", "s"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("4 labels kept"), "{told}");
    assert_eq!(fs::read_to_string(folder.path().join("s/added-labels.damaged-1.csv")).unwrap(), damaged);
    let unsure = fs::read_to_string(folder.path().join("s/added-labels.unsure-1.csv")).unwrap();
    assert_eq!(unsure, "id,annotator,label\nr02,zoe,negative\nr06,zoe,mixed\n");
    let added = study(folder.path(), &["labels", "add", "s/added-labels.unsure-1.csv", "s"]);
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let listed = study(folder.path(), &["labels", "list", "s"]);
    assert_eq!(String::from_utf8_lossy(&listed.stdout).matches("batch ").count(), 3);
    let again = study(folder.path(), &["labels", "recover", "s"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("not damaged"));
}

#[test]
fn asking_a_judge_tells_of_a_cut_end() {
    let (folder, log) = with_two_batches();
    fs::write(folder.path().join("s/added-labels.csv"), &log[..log.len() - 20]).unwrap();
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    let arguments = ["judge", "export-batch", "--study", "s", "--model", "m"];
    let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("batch 2 is incomplete (3 of 4 labels)"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn labels_that_are_stored_are_told_as_stored() {
    let (folder, log) = with_two_batches();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    let arguments = ["study", "labels", "add", "more.csv", "s"];
    let output = command.args(arguments).current_dir(folder.path()).stdout(full).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("the labels are stored"), "{:?}: {told}", output.status);
    assert!(fs::read_to_string(folder.path().join("s/added-labels.csv")).unwrap().len() > log.len());
}

//! Added labels, as every command about a study meets them: a changed file is told, set aside on request, and everything
//! else goes on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{ALL, note_trials, repository};

/// Commands that read the labels of the study `s`; the last one writes.
const COMMANDS: [&[&str]; 8] = [
    &["check", "s", "--json"],
    &["queue", "s", "--budget", "2", "--out", "again", "--json"],
    &["plan", "s", "--json"],
    &["label", "s"],
    &["labels", "list", "s"],
    &["labels", "export", "all.csv", "s", "--force"],
    &["run", "s", "--force", "--replicates", "2", "--json"],
    &["labels", "add", "more.csv", "s"],
];

fn study(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    command.arg("study").args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The starter study with a queue and two batches of labels, of three and four rows.
fn with_two_batches() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows = |items: std::ops::Range<usize>, who: &str| -> String {
        let rows = items.map(|item| format!("r{item:02},{who},mixed\n")).collect::<String>();
        format!("id,annotator,label\n{rows}")
    };
    fs::write(folder.path().join("one.csv"), rows(1..4, "zoe")).unwrap();
    fs::write(folder.path().join("two.csv"), rows(4..8, "zoe")).unwrap();
    fs::write(folder.path().join("more.csv"), rows(8..9, "ben")).unwrap();
    let before: [&[&str]; 4] = [
        &["init", "s"],
        &["queue", "s", "--budget", "2"],
        &["labels", "add", "one.csv", "s"],
        &["labels", "add", "two.csv", "s"],
    ];
    for arguments in before {
        let output = study(folder.path(), arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    }
    folder
}

/// The files of added labels, in the order of time.
fn batches(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("s/labels")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

#[test]
fn a_changed_file_is_told_by_every_command_and_set_aside_on_request() {
    let folder = with_two_batches();
    let second = batches(folder.path())[1].clone();
    let changed = fs::read_to_string(&second).unwrap().replace("r06", "r09");
    fs::write(&second, &changed).unwrap();
    let name = second.file_name().unwrap().to_str().unwrap().to_owned();
    for arguments in COMMANDS {
        let output = study(folder.path(), arguments);
        let told = text(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {told}");
        assert!(told.contains(&name) && told.contains("set-aside"), "{arguments:?}: {told}");
        if arguments.contains(&"--json") {
            let result: Value = serde_json::from_slice(&output.stdout).unwrap();
            let warnings = result.get("warnings").or(result.pointer("/input/warnings")).unwrap();
            assert!(warnings.to_string().contains(&name), "{arguments:?}: {warnings}");
        }
    }
    let output = study(folder.path(), &["labels", "set-aside", "s"]);
    let aside = format!("s/labels/set-aside/{name}");
    assert!(output.status.success() && text(&output.stdout).contains(&aside), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(folder.path().join(&aside)).unwrap(), changed);
    let output = study(folder.path(), &["check", "s"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    // Its rows are added again once somebody has looked at them.
    let output = study(folder.path(), &["labels", "add", &aside, "s"]);
    assert!(text(&output.stdout).contains("4 labels of 4 items added"), "{}", text(&output.stderr));
}

/// A folder under the name of a batch and a name that is no text count for nothing, and everything else goes on.
#[cfg(target_os = "linux")]
#[test]
fn what_is_no_file_among_the_labels_is_told_and_stops_nothing() {
    use std::os::unix::ffi::OsStrExt;
    let folder = with_two_batches();
    let labels = folder.path().join("s/labels");
    fs::create_dir(labels.join(format!("20260101T000000Z-{}.jsonl", "a".repeat(64)))).unwrap();
    fs::write(labels.join(std::ffi::OsStr::from_bytes(b"bad\xff.jsonl")), "").unwrap();
    for arguments in COMMANDS {
        let output = study(folder.path(), arguments);
        let told = text(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {told}");
        assert!(told.contains("aaaa.jsonl") && told.contains("bad\u{fffd}.jsonl"), "{arguments:?}: {told}");
    }
    let output = study(folder.path(), &["labels", "set-aside", "s"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_batch_that_vanished_is_told_by_what_a_run_or_queue_has_read() {
    let folder = with_two_batches();
    assert!(study(folder.path(), &["queue", "s", "--budget", "2", "--out", "s/later"]).status.success());
    let first = batches(folder.path())[0].clone();
    fs::remove_file(&first).unwrap();
    let output = study(folder.path(), &["check", "s"]);
    let name = first.file_name().unwrap().to_str().unwrap();
    assert!(
        text(&output.stderr).contains(name) && text(&output.stderr).contains("is gone"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_log_of_an_older_version_is_converted_once() {
    let folder = with_two_batches();
    fs::remove_dir_all(folder.path().join("s/labels")).unwrap();
    fs::copy(repository("tests/golden/old-labels/ours.csv"), folder.path().join("s/added-labels.csv")).unwrap();
    for arguments in COMMANDS {
        let output = study(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("study labels convert"), "{}", text(&output.stderr));
    }
    let output = study(folder.path(), &["labels", "convert", "s"]);
    assert!(text(&output.stdout).contains("5 labels in 3 batches converted"), "{}", text(&output.stderr));
    let listed = text(&study(folder.path(), &["labels", "list", "s"]).stdout);
    assert!(listed.matches("batch ").count() == 3 && listed.matches(", taken back 2026-").count() == 1, "{listed}");
    assert!(!folder.path().join("s/added-labels.csv").exists());
    assert!(study(folder.path(), COMMANDS[7]).status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn labels_that_are_stored_are_told_as_stored() {
    let folder = with_two_batches();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    let arguments = ["study", "labels", "add", "more.csv", "s"];
    let output = command.args(arguments).current_dir(folder.path()).stdout(full).output().unwrap();
    let told = text(&output.stderr);
    assert!(output.status.success() && told.contains("the labels are stored"), "{:?}: {told}", output.status);
    assert_eq!(batches(folder.path()).len(), 3);
}

/// Adds a label of each annotator at the same time, and ends the processes after some time, if any; whether each said
/// that it was stored.
fn added_at_once(folder: &Path, item: &str, annotators: &[String], end: Option<Duration>) -> Vec<bool> {
    let mut running = vec![];
    for annotator in annotators {
        let file = format!("{annotator}.csv");
        fs::write(folder.join(&file), format!("id,annotator,label\n{item},{annotator},mixed\n")).unwrap();
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
        command.args(["study", "labels", "add", &file, "s"]).current_dir(folder);
        running.push(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    }
    if let Some(end) = end {
        std::thread::sleep(end);
        // One that has ended by itself can't be killed, and its status is its own.
        running.iter_mut().for_each(|one| drop(one.kill()));
    }
    running.into_iter().map(|mut one| one.wait().unwrap().success()).collect()
}

#[test]
fn no_label_that_was_said_to_be_stored_is_lost_by_a_race_or_a_kill() {
    let all = std::env::var_os(ALL).is_some();
    let (races, kills) = if all { (200, 117) } else { (8, 8) };
    let folder = with_two_batches();
    let mut stored = BTreeSet::new();
    for trial in 0..races + kills {
        let item = format!("r{:02}", 9 + trial % 20);
        let adders = if trial < races { 3 } else { 1 };
        let mut annotators: Vec<String> = (0..adders).map(|k| format!("ann{trial}-{k}")).collect();
        if trial % 4 == 1 && trial < races {
            // The same file twice.
            annotators[1] = annotators[0].clone();
        }
        let end = (trial >= races).then(|| Duration::from_micros(997 * trial as u64 % 40_000));
        let done = added_at_once(folder.path(), &item, &annotators, end);
        assert!(trial >= races || done[2], "{trial}: {done:?}");
        stored.extend(
            annotators.into_iter().zip(done).filter(|(_, done)| *done).map(|(who, _)| format!("{item},{who},")),
        );
    }
    let output = study(folder.path(), &["labels", "export", "all.csv", "s"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let kept = fs::read_to_string(folder.path().join("all.csv")).unwrap();
    let lost: Vec<&String> = stored.iter().filter(|label| kept.matches(label.as_str()).count() != 1).collect();
    assert!(lost.is_empty() && stored.len() > races, "{lost:?} of {}: {}", stored.len(), text(&output.stderr));
    assert!(!text(&output.stderr).contains("set-aside"), "{}", text(&output.stderr));
    note_trials("labels added at the same time", races, "loses a label that was said to be stored", 0);
    note_trials("labels added and the process killed", kills, "loses a label that was said to be stored", 0);
}

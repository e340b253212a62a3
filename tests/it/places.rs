//! Where commands write: never over what they did not write, never two at once, never into a place that can't be replaced.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use judge_uncertainty::output::OutputFolder;
use judge_uncertainty::study::results::StudyManifest;
use tempfile::TempDir;

use crate::support::repository;

/// A folder with the starter study in `s`.
fn starter() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    said(0, &["study", "init", "s"], folder.path());
    folder
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    let program = assert_cmd::cargo::cargo_bin!("judge-uncertainty");
    Command::new(program).args(arguments).current_dir(folder).output().unwrap()
}

/// What a command says that ends with `code`.
fn said(code: i32, arguments: &[&str], folder: &Path) -> String {
    let output = run(arguments, folder);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{text}");
    text
}

/// Everything below a folder.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(content(&path)),
            false => drop(found.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    found
}

/// A refused command that changes nothing.
fn refused(arguments: &[&str], folder: &Path) -> String {
    let before = content(folder);
    let text = said(2, arguments, folder);
    assert!(content(folder) == before, "{arguments:?} changed something\n{text}");
    text
}

#[test]
fn a_run_is_not_replaced_by_the_output_of_another_command() {
    let folder = starter();
    said(0, &["study", "run", "s"], folder.path());
    said(0, &["study", "queue", "s", "--budget", "3"], folder.path());
    let text = refused(&["study", "queue", "s", "--budget", "3", "--out", "s/run", "--force"], folder.path());
    assert!(text.contains("which this command did not write"), "{text}");
    refused(&["study", "run", "s", "--out", "s/queue", "--force"], folder.path());
    let data = repository("data");
    let run = folder.path().join("s/run");
    refused(
        &["reproduce", "--only", "dice", "--quick", "--out", run.to_str().unwrap(), "--data", data.to_str().unwrap()],
        folder.path(),
    );
}

#[test]
fn of_two_runs_the_second_is_refused_at_the_start() {
    let folder = starter();
    let held = OutputFolder::<StudyManifest>::check(&folder.path().join("s/run")).unwrap();
    let text = refused(&["study", "run", "s"], folder.path());
    assert!(text.contains(&format!("(process {})", std::process::id())) && text.contains("writes to it"), "{text}");
    drop(held);
    said(0, &["study", "run", "s"], folder.path());
    let hidden = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().starts_with('.');
    let left: Vec<_> = content(folder.path()).into_keys().filter(hidden).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn places_that_can_t_be_replaced_are_refused_at_the_start() {
    let folder = starter();
    for out in [".", "..", "s"] {
        refused(&["study", "run", "s", "--out", out, "--force"], folder.path());
    }
    fs::create_dir(folder.path().join("empty")).unwrap();
    let text = refused(&["study", "run", "../s", "--out", "."], &folder.path().join("empty"));
    assert!(text.contains("is the folder that the command runs in"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_journal_that_is_a_link_is_refused_and_its_target_kept() {
    let folder = starter();
    let target = folder.path().join("mine.txt");
    fs::write(&target, "mine").unwrap();
    std::os::unix::fs::symlink(&target, folder.path().join("s/.run.evaluation.jsonl")).unwrap();
    let text = refused(&["study", "run", "s"], folder.path());
    assert!(text.contains(".run.evaluation.jsonl: is not the journal of an evaluation"), "{text}");
}

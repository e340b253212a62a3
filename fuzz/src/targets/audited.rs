//! The whole of `audit`, as the command runs it: a file of any kind, its study folder, results, page, queue and report.

use std::fs::OpenOptions;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

use rustix::io::dup;
use rustix::stdio::{dup2_stderr, dup2_stdout};

use crate::scratch::{Scratch, choice};

/// The names under which a file is given.
const NAMES: [&str; 6] = ["rows.csv", "rows.tsv", "rows.jsonl", "rows.parquet", "rows.xlsx", "log.json"];

/// A file is audited or refused, and the study that was made of it can be audited again.
pub(crate) fn audited(data: &[u8]) {
    let (form, data) = choice(data, NAMES.len());
    let scratch = Scratch::new();
    let file = scratch.put(NAMES[form], data).display().to_string();
    let study = scratch.path().join("study").display().to_string();
    let found = silently(|| audit(&[&file, "--out", &study]));
    assert!([ExitCode::SUCCESS, ExitCode::from(2)].contains(&found), "{found:?}");
    // Of several criteria each has a study within the folder.
    if found == ExitCode::SUCCESS && scratch.path().join("study/study.toml").exists() {
        let made = ["run/report/index.html", "run/results/study.json", "run/results/manifest.json", "run/items.csv"];
        assert!(made.iter().all(|name| scratch.path().join("study").join(name).is_file()));
        assert_eq!(silently(|| audit(&[&study])), ExitCode::SUCCESS);
    }
}

fn audit(arguments: &[&str]) -> ExitCode {
    judge_uncertainty::cli::run(["judge-uncertainty", "audit"].iter().chain(arguments))
}

/// What `work` returns, with nothing printed but the message of a panic.
fn silently<T>(work: impl FnOnce() -> T) -> T {
    let nowhere = OpenOptions::new().write(true).open("/dev/null").expect("/dev/null can be written");
    let copies = (dup(std::io::stdout()).expect("a handle"), dup(std::io::stderr()).expect("a handle"));
    let put = |out: &dyn AsFd, error: &dyn AsFd| {
        dup2_stdout(out.as_fd()).and_then(|()| dup2_stderr(error.as_fd())).expect("handles can be replaced");
    };
    put(&nowhere, &nowhere);
    let done = catch_unwind(AssertUnwindSafe(work));
    put(&copies.0, &copies.1);
    done.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        eprintln!("panicked: {}", text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a text"));
        resume_unwind(panic)
    })
}

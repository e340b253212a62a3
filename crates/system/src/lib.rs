//! What the program asks of the machine: folders and files written safely, locks, limits, times, progress, text of
//! numbers.
//!
//! | module | holds |
//! |---|---|
//! | [`folder`] | a folder that is replaced in one step, and only if all its files are ours |
//! | [`mod@file`] | a file that is written beside its place and then moved there |
//! | [`staged`] | the files of a folder before they are written, closed by a record that lists them |
//! | [`mod@built_in`] | text files that are part of the program, and that files of a folder may stand in for |
//! | [`formula`] | tables of text, without cells that spreadsheets take for formulas |
//! | [`faults`] | faults of the disk on request, for tests |
//! | [`error`] | what went wrong with a file, and at which line and column of a text |
//! | [`locked`] | files that one process at a time may have open |
//! | [`installed`] | where the program finds its own files |
//! | [`limits`] | limits of memory and time |
//! | [`mod@read`], [`walk`] | reading plain files, the one way in; what a folder holds |
//! | [`clock`] | times as text, facts about a run that do not influence its results |
//! | [`progress`] | how long work reports on itself |
//! | [`numbers`], [`latex`] | numbers as text, LaTeX escapes |

pub mod built_in;
pub mod clock;
mod disk;
pub mod error;
pub mod faults;
#[cfg(test)]
mod faults_in_tests;
pub mod file;
pub mod folder;
pub mod formula;
pub mod installed;
pub mod latex;
pub mod limits;
mod lock;
pub mod locked;
pub mod numbers;
mod place;
pub mod progress;
pub mod read;
pub mod staged;
mod staging;
pub mod walk;

use std::borrow::Cow;
use std::path::Path;

use serde::Serialize;

pub use clock::Run;
pub use error::{Error, FileError, text_position};
pub use file::{OutputFile, ensure_folder, move_new_file, write_file, write_new_file};
pub use folder::{OnTrial, OutputFolder};
pub use formula::{csv_rows, csv_text};
pub use staged::{Record, Staged};

/// The record of a folder that holds results, within the folder.
pub const MANIFEST: &str = "results/manifest.json";

/// A word of a command that is printed, as a POSIX shell reads it: `'my study'`.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    // What holds a NUL byte is no argument of any command.
    shlex::try_quote(text).unwrap_or(Cow::Borrowed(text))
}

/// [`shell_word`] of a path, which a command does not take for an option.
pub fn shell_path(path: &Path) -> String {
    let path = path.display().to_string();
    let path = if path.starts_with('-') { format!("./{path}") } else { path };
    shell_word(&path).into_owned()
}

/// One JSON value per line.
pub fn json_lines(values: impl Iterator<Item = serde_json::Value>) -> String {
    values.map(|value| format!("{value}\n")).collect()
}

/// A value as indented JSON with a closing newline.
pub fn to_json<T: Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("results are plain data with string keys");
    text.push('\n');
    text
}

//! Logs of judges as other programs wrote them: read, checked, and handed over as tables.
//!
//! | module | holds |
//! |---|---|
//! | [`pairs`] | verdicts over two answers |
//! | [`record`] | what a log says: items, answers of the judge, human labels, and where it comes from |
//! | [`tables`] | logs as tables of items, of the judge's answers and of human labels |
//! | [`tokens`] | log-probabilities of tokens as a distribution over classes |
//! | `json`, `rows` | JSON with the places of its parts; rows of JSON or CSV as objects |
//! | `flat` | formats with a row for each output or score |
//! | the others | a format each |
//!
//! To add a format, write a file in this folder and add a line to [`LOGS`].
//!
//! An item that a log does not name gets no answer and no label: numbers that a tool gave its rows are ids only where
//! the tool itself names items by them.

pub mod pairs;
pub mod record;
pub mod tables;
pub mod tokens;

mod flat;
#[cfg(test)]
mod golden_tests;
mod inspect;
pub(crate) mod json;
mod lm_eval;
mod openai;
mod promptfoo;
mod rows;

use std::path::Path;

use crate::error::{Error, Place, Result};
use record::Reading;
pub use record::{HumanLabel, Log, LogFile, LogRecord, LoggedAnswer};
use rows::LogStart;
pub use tables::{LogRows, Logs};

/// All formats, in the order in which a file is tried.
pub const LOGS: &[LogFormat] = &[
    openai::FORMAT,
    inspect::FORMAT,
    lm_eval::FORMAT,
    promptfoo::FORMAT,
    promptfoo::LINES,
    promptfoo::TABLE,
    pairs::MT_BENCH,
    pairs::ARENA,
    flat::RAGAS,
    flat::DEEPEVAL,
    flat::EVERY_EVAL_EVER,
    flat::JUDGE_BENCH,
    flat::MLFLOW,
    flat::LANGFUSE,
    flat::PHOENIX,
    flat::BRAINTRUST,
];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static LogFormat> {
    LOGS.iter().find(|format| format.name == name)
}

/// The format of a file.
///
/// # Errors
/// It is of none.
pub fn detect(file: &Path, bytes: &[u8]) -> Result<&'static LogFormat> {
    let start = LogStart::new(file, bytes);
    LOGS.iter().find(|format| (format.is)(&start)).ok_or_else(|| {
        let titles: Vec<String> = LOGS.iter().map(|format| format!("{} ({})", format.title, format.name)).collect();
        let remedy = format!("give a file of {}; or say which it is meant to be with --format", titles.join(", "));
        Error::unfit(Place::file(file), "it is not a log that this program knows", remedy)
    })
}

/// A format of logs.
#[derive(Debug)]
pub struct LogFormat {
    /// Its name in `study.toml`.
    pub name: &'static str,
    /// The tool and the file that are meant, in words.
    pub title: &'static str,
    /// The tool, as manifests name it.
    tool: &'static str,
    /// Whether a file that starts so is one of this format.
    is: fn(&LogStart) -> bool,
    /// Adds what a file says.
    read: fn(&mut Reading) -> Result<()>,
}

impl LogFormat {
    /// Reads a file.
    ///
    /// # Errors
    /// It is not of this format, or was cut off or edited; its records take more memory than those of such a file may.
    pub fn read(&self, file: &Path, bytes: &[u8]) -> Result<Log> {
        let mut reading = Reading::new(file, bytes, Log::new(self.name, self.tool, vec![]));
        (self.read)(&mut reading)?;
        Ok(reading.log)
    }
}

impl PartialEq for LogFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for LogFormat {}

//! The known formats of logs. To add one, write a file in this folder and add a line to [`LOGS`].

use std::path::Path;

use super::record::{Log, Reading};
use super::rows::LogStart;
use super::{flat, inspect, lm_eval, openai, pairs, promptfoo};
use crate::error::{Error, Place, Result};

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
    pub(super) tool: &'static str,
    /// Whether a file that starts so is one of this format.
    pub(super) is: fn(&LogStart) -> bool,
    /// Adds what a file says.
    pub(super) read: fn(&mut Reading) -> Result<()>,
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

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
//! To add a format, write a file in this folder and add a row to [`LOGS`].
//!
//! An item that a log does not name gets no answer and no label: numbers that a tool gave its rows are ids only where
//! the tool itself names items by them.

pub mod json;
pub mod pairs;
pub mod record;
pub mod tables;
pub mod tokens;

mod flat;
#[cfg(test)]
mod golden_tests;
mod inspect;
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
    format("openai", "OpenAI API", "JSON Lines of OpenAI's Batch API or of chat completions", openai::is, openai::read),
    format("inspect", "inspect_ai", "inspect_ai: a log, .eval or JSON", inspect::is, inspect::read),
    format(
        "lm_eval",
        "lm-evaluation-harness",
        "lm-evaluation-harness: samples_*.jsonl",
        |start| start.has(&["/doc_id", "/doc", "/arguments", "/filtered_resps"]),
        lm_eval::read,
    ),
    format(
        "promptfoo",
        "promptfoo",
        "promptfoo: results as JSON",
        |start| start.has(&["/evalId", "/results/results"]),
        promptfoo::read,
    ),
    format(
        "promptfoo_lines",
        "promptfoo",
        "promptfoo: results as JSON Lines",
        |start| start.has(&["/promptIdx", "/testIdx", "/success", "/testCase"]),
        promptfoo::read_lines,
    ),
    format("promptfoo_table", "promptfoo", "promptfoo: results as CSV", promptfoo::is_table, promptfoo::read_table),
    format(
        "mt_bench",
        "FastChat MT-Bench",
        "MT-Bench: judgements of pairs",
        |start| start.has(&["/question_id", "/model_1", "/model_2", "/g1_winner"]),
        pairs::read_mt_bench,
    ),
    format(
        "arena",
        "Chatbot Arena",
        "Chatbot Arena or MT-Bench: votes on pairs",
        |start| start.has(&["/model_a", "/model_b", "/winner"]),
        pairs::read_arena,
    ),
    format(
        "ragas",
        "ragas",
        "ragas: results as CSV or JSON Lines, from to_pandas()",
        |start| start.has_fields(&["user_input"]),
        flat::read_ragas,
    ),
    format(
        "deepeval",
        "deepeval",
        "deepeval: test_run_*.json",
        |start| start.has(&["/testCases", "/metricsScores"]),
        flat::read_deepeval,
    ),
    format(
        "every_eval_ever",
        "every_eval_ever",
        "Every Eval Ever: *_samples.jsonl",
        |start| start.has(&["/schema_version", "/sample_id", "/evaluation", "/answer_attribution"]),
        flat::read_every_eval_ever,
    ),
    format(
        "judge_bench",
        "JUDGE-BENCH",
        "JUDGE-BENCH: a data set as JSON",
        |start| start.has(&["/instances/0/id", "/instances/0/annotations"]),
        flat::read_judge_bench,
    ),
    format(
        "mlflow",
        "MLflow",
        "MLflow: result_df as CSV or JSON Lines, or eval_results_table.json",
        flat::is_mlflow,
        flat::read_mlflow,
    ),
    format(
        "langfuse",
        "Langfuse",
        "Langfuse: scores, with traces or observations; or the download of a trace",
        flat::is_langfuse,
        flat::read_langfuse,
    ),
    format("phoenix", "Phoenix", "Phoenix: annotations, with spans", flat::is_phoenix, flat::read_phoenix),
    format("braintrust", "Braintrust", "Braintrust: rows of an experiment", flat::is_braintrust, flat::read_braintrust),
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

const fn format(
    name: &'static str,
    tool: &'static str,
    title: &'static str,
    is: fn(&LogStart) -> bool,
    read: fn(&mut Reading) -> Result<()>,
) -> LogFormat {
    LogFormat { name, title, tool, is, read }
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

//! Logs of judges as other programs wrote them: read, checked, and handed over as tables.
//!
//! | module | holds |
//! |---|---|
//! | [`known`] | what a format is, the formats, one line each, and which of them a file is of |
//! | [`pairs`] | verdicts over two answers |
//! | [`record`] | what a log says: items, answers of the judge, human labels, and where it comes from |
//! | [`tables`] | logs as tables of items, of the judge's answers and of human labels |
//! | [`tokens`] | log-probabilities of tokens as a distribution over classes |
//! | `json`, `rows` | JSON with the places of its parts; rows of JSON or CSV as objects |
//! | `flat` | formats with a row for each output or score |
//! | the others | a format each |
//!
//! An item that a log does not name gets no answer and no label: numbers that a tool gave its rows are ids only where
//! the tool itself names items by them.

pub mod known;
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

pub use known::LogFormat;
pub use known::{LOGS, detect, named};
pub use record::{HumanLabel, Log, LogFile, LogRecord, LoggedAnswer};
pub use tables::{LogRows, Logs};

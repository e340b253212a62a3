//! Label counts, judge predictions and items: read, checked, refused.
//!
//! | module | holds |
//! |---|---|
//! | [`mod@error`] | what is wrong with an input, where, and what to do |
//! | [`checksum`] | data folders whose files are checked against their SHA-256 sums as they are read |
//! | [`table`] | CSV with errors that name file, line, column and item |
//! | [`jsonl`] | files of JSON objects as such tables |
//! | [`lewidi`] | LeWiDi's files: items, annotations, predictions |
//! | [`npy`] | NumPy matrices with one row per item |
//! | [`items`] | ids in order, label counts |
//! | [`judge`] | the judge's answers and what is predicted from them |
//! | [`dice`], [`chaosnli`] | the data of the paper's two experiments, or with the predictions of another judge |
//! | [`originals`] | the files of ChaosNLI that this repository may not hold: fetched and checked |
//!
//! All types hold their items in one order, that of an [`ItemIds`]. Whatever is missing is `None`.

pub mod chaosnli;
pub mod checksum;
pub mod dice;
pub mod error;
pub mod items;
pub mod jsonl;
pub mod judge;
pub mod lewidi;
pub mod npy;
pub mod originals;
pub mod table;

mod collected;
#[cfg(test)]
mod properties;
mod published;

pub use chaosnli::ChaosNliData;
pub use dice::DiceData;
pub use error::{Error, Place, Problem, Result};
pub use items::{ItemIds, LabelCounts};
pub use judge::{JudgeAnswers, JudgeVariants, Predictions};

//! Tables, data sets and logs of other programs: read, checked, refused, and written.
//!
//! | module | holds |
//! |---|---|
//! | [`mod@error`] | what is wrong with an input, where, and what to do about it |
//! | [`table`] | CSV as a table in memory whose errors name file, line, column and item |
//! | [`records`], [`parquet`], [`xlsx`], [`lewidi`] | the same from JSON, Parquet, Excel and LeWiDi |
//! | [`jsonl`] | the fields of a JSON object |
//! | [`batches`] | tables of any length, some rows at a time |
//! | [`output`] | tables written as CSV and Parquet, with their data dictionary |
//! | [`npy`] | NumPy matrices with one row per item |
//! | [`logs`] | logs of judges as other programs wrote them |
//! | [`spelling`] | numbers and answers, however they are spelt |
//! | [`items`], [`judge`] | ids in order, a judge's answers and what is predicted from them |
//! | [`dataset`] | the data of the paper's experiments |
//! | [`checksum`], [`archive`], [`split`] | files with their sums, archives, data sets in parts |
//! | [`links`], [`guarded`] | links, readers that panic |
//!
//! All types hold their items in one order, that of an [`ItemIds`]. Whatever is missing is `None`.

pub mod archive;
pub mod batches;
pub mod checksum;
pub mod dataset;
pub mod encoding;
pub mod error;
pub mod guarded;
pub mod items;
pub mod jsonl;
pub mod judge;
pub mod lewidi;
pub mod links;
pub mod logs;
pub mod npy;
pub mod output;
pub mod parquet;
pub mod records;
pub mod spelling;
pub mod split;
pub mod table;
pub mod xlsx;

#[cfg(test)]
mod property_tests;

pub use dataset::{ChaosNliData, DiceData};
pub use error::{Error, Place, Problem, Result};
pub use items::ItemIds;
pub use judge::{JudgeAnswers, JudgeVariants, Predictions};

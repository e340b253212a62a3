//! What a study reads, whatever its labels are.
//!
//! | module | holds |
//! |---|---|
//! | [`config`], [`check`] | `study.toml`, and how its values are refused |
//! | [`source`] | input files as tables, with their sums |
//! | [`parquet`], [`xlsx`], [`split`] | Parquet, Excel workbooks, and data sets in parts |
//! | [`items`], [`texts`] | the items; texts that are embedded when the study is run |
//! | [`log`] | the append-only log of added labels |

pub mod check;
pub mod config;
pub mod items;
pub mod log;
pub(crate) mod packed;
pub mod parquet;
pub mod source;
pub mod split;
pub mod texts;
pub mod vectors;
pub mod xlsx;

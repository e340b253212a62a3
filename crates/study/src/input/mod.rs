//! What a study reads, whatever its labels are.
//!
//! | module | holds |
//! |---|---|
//! | [`config`] | `study.toml`, and how its values are refused, in words |
//! | [`source`] | input files as tables, with their sums |
//! | [`items`], [`texts`] | the items; texts that are embedded when the study is run |
//! | [`scale`], [`judge`] | what labels can be; what the judge says, and which judge a trust belongs to |
//! | [`question`], [`labels`] | what annotators are asked, in which order they see two answers, and what they answered |
//! | [`label_store`] | the files of added labels |

pub mod config;
pub mod items;
pub mod judge;
pub mod label_store;
pub mod labels;
pub mod question;
pub mod scale;
pub mod source;
pub mod texts;

pub use judge_uncertainty_formats::spelling;

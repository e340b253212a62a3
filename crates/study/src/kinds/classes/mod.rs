//! Labels that are one of several classes, with or without places on a scale.
//!
//! | module | holds |
//! |---|---|
//! | [`config`] | its part of `study.toml` |
//! | [`judge`] | how judge and labels are read |
//! | [`reports`] | what fit and decomposition say, and the table of items |
//! | [`carried`] | the recalibration of another study, applied to the items of this one |
//! | [`kind`] | labels and answers as they are fitted, shown and applied |
//! | `verdict` | sampled labels of the judge read as distributions |

pub mod carried;
pub mod config;
pub mod judge;
pub mod kind;
pub mod reports;
mod verdict;

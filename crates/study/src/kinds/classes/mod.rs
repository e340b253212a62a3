//! Labels that are one of several classes without an order: the paper's kind.
//!
//! | module | holds |
//! |---|---|
//! | [`config`] | its part of `study.toml` |
//! | [`judge`] | how judge and labels are read |
//! | [`reports`] | what fit and decomposition say, and the table of items |
//! | [`carried`] | a map of another study as it reads the items of this one |
//! | [`kind`] | the kind itself |
//! | `verdict` | sampled labels of the judge read as distributions |
//!
//! The readers and much of the reports serve every kind whose labels are classes ([`config::ClassKind`]).

pub mod carried;
pub mod config;
pub mod judge;
pub mod kind;
pub mod position;
pub mod reports;
mod verdict;

pub use config::ClassKind;
pub use kind::Classes;

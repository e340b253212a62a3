//! Labels on their way back: read from a table or an annotation tool's export, checked, and appended to the study's
//! log.
//!
//! | module | holds |
//! |---|---|
//! | [`mod@file`] | a file of labels, what is in it, and its check against the labels that a study has |
//! | [`tools`] | the exports of Label Studio, Argilla, Prodigy and doccano |
//!
//! A file is taken whole or not at all. The files that the user wrote are never changed.

pub mod file;
#[cfg(test)]
mod property_tests;
pub mod tools;

pub use file::{Intake, Known};

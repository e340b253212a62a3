//! Labels on their way back: read from a table or an annotation tool's export, checked, and appended to the study's
//! log.
//!
//! | module | holds |
//! |---|---|
//! | [`mod@file`] | a file of labels, and its check against a study |
//! | [`answers`] | what is in it |
//! | [`tools`] | the exports of Label Studio, Argilla, Prodigy and doccano |
//! | [`known`] | the labels that are there already |
//!
//! A file is taken whole or not at all. The files that the user wrote are never changed.

pub mod answers;
pub mod file;
pub mod known;
#[cfg(test)]
mod properties;
pub mod tools;

pub use answers::ReturnedLabels;
pub use file::Intake;
pub use known::Known;

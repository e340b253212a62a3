//! `study.toml`: what a study reads and how it computes, checked before anything else is read.
//!
//! Unknown keys are errors, and every refusal names line and column. Paths are relative to the file's folder.
//!
//! | module | holds |
//! |---|---|
//! | `study` | the configuration as a whole, its tables, the files that they name and their layouts |
//! | [`tables`] | `[judge]` and `[labels]`, of classes and of ratings |
//! | `file` | a configuration with the file it comes from; how values are refused, in words |

mod file;
mod study;
pub mod tables;

pub use file::{Check, StudyFile, studies_within, study_toml};
pub(crate) use file::{in_words, place};
pub use study::{
    EvaluationConfig, FamiliarityConfig, FileFormat, Files, ItemsConfig, JudgeConfig, LabelsConfig, Letters,
    StudyConfig, TableReading, TrustConfig, Unmatched, scale_key,
};

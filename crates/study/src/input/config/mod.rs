//! `study.toml`: what a study reads and how it computes, checked before anything else is read.
//!
//! Unknown keys are errors, and every refusal names line and column. Paths are relative to the file's folder.
//!
//! | module | holds |
//! |---|---|
//! | `files` | files that a table names, and their layouts |
//! | `study` | the configuration as a whole and its tables |
//! | `file` | a configuration with the file it comes from, and values outside their ranges |

mod file;
mod files;
mod study;

pub use file::{StudyFile, study_toml};
pub use files::{FileFormat, Files};
pub use study::{
    EvaluationConfig, FamiliarityConfig, ItemsConfig, JudgeConfig, LabelsConfig, Letters, StudyConfig, TableReading,
    TrustConfig, Unmatched, scale_key,
};

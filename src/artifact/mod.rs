//! The artifact folder: full-precision results with their provenance, and everything rendered from them.
//!
//! ```text
//! DIR/results/{simulations,dice,chaosnli,extended}.json   results, schema version
//! DIR/results/manifest.json                      versions, inputs, sizes; durations apart
//! DIR/results/claims.json                        every claim with its verdict
//! DIR/paper/                                     tables, number macros, figures: rendered from the results
//! ```

pub mod folder;
pub mod manifest;
pub mod results;

use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error as ThisError;

pub use crate::experiments::Experiment;
pub use folder::{OutputFolder, Staged};
pub use manifest::{Inputs, Manifest, Provenance, Run};
pub use results::Results;

/// Version of the layout of the results files; results of another version are refused.
pub const SCHEMA: u32 = 1;

/// What is wrong with an artifact folder or a file in it.
#[derive(Debug, ThisError)]
pub enum Error {
    /// The file system refused.
    #[error("{path}: {action} failed: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The output folder holds something that this program did not write.
    #[error(
        "{folder}: holds `{file}`, which this program did not write; nothing was changed. Choose another folder with \
         --out, or move that file away"
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// The first such file, relative to it.
        file: String,
    },
    /// The output path is a file.
    #[error("{0}: is a file, but a folder is needed; choose another with --out")]
    NotAFolder(PathBuf),
    /// The folder that is to hold the output folder can't be written.
    #[error("{folder}: can't be written: {source}; create it or make it writable, or choose another folder with --out")]
    NotWritable {
        /// The folder above the output folder.
        folder: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file is missing.
    #[error("{path}: not found; run `judge-uncertainty reproduce` first, or name the folder that holds the results")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file that is no valid JSON of the expected form.
    #[error("{path}: line {line}, column {column}: {detail}; run `judge-uncertainty reproduce` to make it anew")]
    Json {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        detail: String,
    },
    /// Results of another version.
    #[error("{path}: has schema {found}, but this program reads schema {SCHEMA}; run `judge-uncertainty reproduce`")]
    Schema {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
    },
    /// A results file that was edited after the run.
    #[error(
        "{path}: does not match its SHA-256 in results/manifest.json (expected {expected}, found {found}): it was \
         changed after the run; run `judge-uncertainty reproduce` to make it anew"
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// Sum in the manifest.
        expected: String,
        /// Sum of the file.
        found: String,
    },
}

impl Error {
    fn io(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Error::Io { path, action, source }
    }

    fn json(path: &Path) -> impl FnOnce(serde_json::Error) -> Self {
        let path = path.to_owned();
        move |e| Error::Json { path, line: e.line(), column: e.column(), detail: e.to_string() }
    }
}

/// The bytes of a file that an earlier run must have written.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => Error::Missing { path: path.to_owned() },
        _ => Error::io(path, "reading")(source),
    })
}

/// Results file of an experiment within an artifact folder.
pub fn results_file(experiment: Experiment) -> String {
    format!("results/{}.json", experiment.name())
}

/// A value as indented JSON with a closing newline.
pub fn to_json<T: Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("results are plain data with string keys");
    text.push('\n');
    text
}

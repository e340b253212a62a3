//! The artifact folder: full-precision results with their provenance, and everything rendered from them.
//!
//! ```text
//! DIR/results/{simulations,dice,chaosnli,authors}.json   results, schema version
//! DIR/results/manifest.json                      versions, inputs, sizes; durations apart
//! DIR/results/claims.json                        every claim with its verdict
//! DIR/paper/                                     tables, number macros, figures: rendered from the results
//! data/paper/published.SHA256SUMS                the results of this version and the data that they come from
//! data/paper/frozen.SHA256SUMS                   files of DIR whose code is gone; they are kept as they are
//! ```

mod manifest;
mod published;
mod results;

use std::path::{Path, PathBuf};

use thiserror::Error as ThisError;

pub use crate::experiments::Experiment;
use judge_uncertainty_formats::error::brief;
use judge_uncertainty_system::MANIFEST;
use judge_uncertainty_system::{FileError, read};
pub use manifest::{Manifest, Provenance, Sums, hold};
pub use published::frozen;
pub use results::Results;

/// Version of the layout of the paper's results; files of another version are refused.
pub const SCHEMA: u32 = 3;
/// Version of the layout of the manifest. 4: the sum of each file, and a root over them.
pub const MANIFEST_SCHEMA: u32 = 4;

/// What is wrong with the results in an artifact folder.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum Error {
    /// The file system refused.
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path}: not found; run `judge-uncertainty reproduce` first, or name the folder that holds the results")]
    Missing { path: PathBuf },
    #[error("{path}: line {line}, column {column}: {detail}; run `judge-uncertainty reproduce` to make it anew")]
    Json { path: PathBuf, line: usize, column: usize, detail: String },
    #[error("{path}: has schema {found}, but this program reads schema {read}; run `judge-uncertainty reproduce`")]
    Schema { path: PathBuf, found: u32, read: u32 },
    #[error(
        "{path}: does not match its SHA-256 in results/manifest.json (expected {expected}, found {found}): it was \
         changed after the run; run `judge-uncertainty reproduce` to make it anew"
    )]
    Changed { path: PathBuf, expected: String, found: String },
    #[error(
        "{}: not what the results give: {}; they were edited after the run, or made by another version of the program, \
         with other templates or other claims; `judge-uncertainty render --artifact {}` makes them anew",
        folder.display(), files.join(", "), folder.display()
    )]
    Edited { folder: PathBuf, files: Vec<String> },
    #[error(
        "{}: {}: not what this version runs for the paper. The manifest was edited, or another version wrote it; \
         `judge-uncertainty reproduce` writes it anew",
        folder.join(MANIFEST).display(), facts.join("; ")
    )]
    Provenance { folder: PathBuf, facts: Vec<String> },
    #[error(
        "{path}: {problem} whose sum is in data/paper/frozen.SHA256SUMS; no command makes it again, so copy it from \
         the repository"
    )]
    Frozen { path: PathBuf, problem: &'static str },
    #[error(
        "{}: {}: no run wrote them into this folder, and its manifest does not list them; move them elsewhere",
        folder.display(), files.join(", ")
    )]
    Extra { folder: PathBuf, files: Vec<String> },
    #[error(
        "{}: {}: not the results that this version computes from the paper's data, though the folder says so. They were edited, or \
         computed on another kind of machine or from embeddings made anew: `judge-uncertainty verify --recompute` computes them again and names the differences",
        folder.display(), files.join(", ")
    )]
    NotPublished { folder: PathBuf, files: Vec<String> },
    #[error(
        "{}: computed from {}, which by its sum is not the paper's data, so no claim of the paper is judged; restore the file and run \
         `judge-uncertainty reproduce`, or accept new data as docs/authors.md says",
        folder.display(), files.join(", ")
    )]
    ForeignData { folder: PathBuf, files: Vec<String> },
    #[error(
        "{}: {} numbers are not what a recomputation gives, the first of them {}; the results were edited, or made from other data or embeddings",
        folder.display(), moved.len(), moved.first().map_or("", String::as_str)
    )]
    Recomputed { folder: PathBuf, moved: Vec<String> },
    #[error("{path}: holds results of {found}, not of {expected}; run `judge-uncertainty reproduce` to make it anew")]
    OtherExperiment { path: PathBuf, expected: Experiment, found: Experiment },
}

impl Error {
    /// Whether the machine failed, rather than that the results were refused.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::File(_))
    }

    pub(crate) fn json(path: &Path) -> impl FnOnce(serde_json::Error) -> Self {
        let path = path.to_owned();
        move |e| Error::Json { path, line: e.line(), column: e.column(), detail: brief(&e.to_string()) }
    }
}

/// The bytes of a file that an earlier run must have written.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    read::bytes(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => Error::Missing { path: path.to_owned() },
        _ => FileError::at(path, "reading")(source).into(),
    })
}

/// Results file of an experiment within an artifact folder.
pub fn results_file(experiment: Experiment) -> String {
    format!("results/{}.json", experiment.name())
}

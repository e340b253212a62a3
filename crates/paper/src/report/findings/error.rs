//! Why findings can't be told.

use std::path::PathBuf;

/// What is wrong with the file of findings, or with the results that it is filled from.
#[derive(Debug, thiserror::Error)]
pub enum FindingsError {
    /// The file is not TOML, or a finding lacks a field, has an unknown one or one of the wrong type.
    #[error("{} is not a file of findings; data/paper/README.md says how a finding is typed", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and what, with line and column.
        source: Box<toml::de::Error>,
    },
    /// A finding that can't be told.
    #[error("{}, line {line}, finding `{id}`: {problem}; data/paper/README.md says how a finding is typed", path.display())]
    Finding {
        /// The file.
        path: PathBuf,
        /// Line of the finding's id, from 1.
        line: usize,
        /// The finding.
        id: String,
        /// What is wrong, with the value.
        problem: String,
    },
    /// A part or a planning figure that no finding uses, or a part that can't be told.
    #[error("{}: {problem}; data/paper/README.md says how a finding is typed", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the value.
        problem: String,
    },
    /// The results lack a figure that a finding asks for.
    #[error(
        "finding `{id}`: the extended results (results/extended.json) {found} at `{at}` (wanted: `{wanted}`); correct the \
         finding's place, or compute the results again with this version of the program"
    )]
    Figure {
        /// The finding.
        id: String,
        /// What the finding asks for.
        wanted: String,
        /// The part of the place at which the search ended.
        at: String,
        /// What was there instead.
        found: String,
    },
}

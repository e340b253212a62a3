//! One table or log in, a study out: which column holds what, and the files from which every other command continues.
//!
//! | module | holds |
//! |---|---|
//! | [`mod@input`] | a table or the criteria of a log, whatever the file is |
//! | [`table`] | any table as rows of named cells |
//! | [`columns`] | which column holds what |
//! | [`long`] | tables with a row for each answer of a rater, or cells with the answers of several, as a row for each item |
//! | [`criteria`] | tables with several criteria as one of each |
//! | [`pairs`] | tables of pairs as logs |
//! | [`answers`] | answers of judge and people in one vocabulary |
//! | [`rows`] | the rows as the study needs them |
//! | `prepare` | a table as a study, with what is to be said of how it was read |
//! | [`folder`] | the files of the study |

pub mod answers;
pub mod columns;
pub mod criteria;
pub mod folder;
pub mod input;
pub mod long;
pub mod pairs;
mod prepare;
mod repeats;
pub mod rows;
mod shares;
pub mod table;
mod threshold;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::input::source::read_if_there;
use crate::queue::QueueRecord;
use crate::results::StudyManifest;
use columns::{Mapping, ReadColumn};
use judge_uncertainty_formats::error::Error;
use judge_uncertainty_system::Record;

pub(crate) use input::is_log;
pub use input::{from_cells, read};
pub(crate) use prepare::not_used;
pub use prepare::of_table;

/// How the labelled rows were chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Labelled {
    /// At random.
    Random,
    /// Each with the probability that a column has.
    Column(String),
    /// Nobody told.
    #[default]
    Unknown,
}

impl Labelled {
    /// How they were chosen, which is at random where nothing was chosen because `all` rows are labelled.
    pub(crate) fn unless_all(&self, all: bool) -> Self {
        if all { Self::Random } else { self.clone() }
    }
}

impl std::str::FromStr for Labelled {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "random" => Self::Random,
            "unknown" => Self::Unknown,
            column => Self::Column(column.to_owned()),
        })
    }
}

/// How a table was read. It is the record of the study's folder, in `audit.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Audited {
    /// The file, by its name.
    pub audit: String,
    /// What it is, in words.
    pub format: String,
    /// Rows with an answer of the judge.
    pub rows: usize,
    /// Which column holds what.
    pub columns: Mapping,
    /// Each column of a table, and how it was read; empty for a log, whose format says what is what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<ReadColumn>,
    /// How the labelled rows were chosen.
    pub chosen: Labelled,
    /// How columns and answers were interpreted, and what should be looked at.
    pub notices: Vec<String>,
    /// SHA-256 of the study's own files, as they were written: one that was changed since is not replaced.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub written: BTreeMap<String, String>,
    /// All files of the folder.
    pub files: Vec<String>,
}

/// How `audit` read the columns of the table from which it made the study in a folder; none of another study.
///
/// # Errors
/// The record of the audit is there and can't be read.
pub(crate) fn columns_of(study: &Path) -> Result<(Vec<ReadColumn>, Vec<String>), Error> {
    let noted = read_if_there(&study.join(Audited::FILE))?;
    let noted = noted.and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
    let Some(mut noted) = noted else { return Ok(Default::default()) };
    let columns = serde_json::from_value(noted["table"].take()).unwrap_or_default();
    Ok((columns, serde_json::from_value(noted["notices"].take()).unwrap_or_default()))
}

impl Record for Audited {
    const FILE: &'static str = "audit.json";
    const KEY: &'static str = "audit";
    const WITHIN: &'static [[&'static str; 3]] = &[
        ["run", StudyManifest::FILE, StudyManifest::KEY],
        [crate::findings::next::FOLDER, QueueRecord::FILE, QueueRecord::KEY],
    ];
    const LEFT: &'static [[&'static str; 2]] =
        &[[".run.evaluation.jsonl", ""], ["label.html", "<meta name=\"generator\" content=\"judge-uncertainty"]];

    fn set_files(&mut self, files: Vec<String>) {
        self.files = files;
    }
}

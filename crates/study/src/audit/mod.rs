//! One table in, a study out: which column holds what, and the files from which every other command continues.
//!
//! | module | holds |
//! |---|---|
//! | [`table`] | any table, or a log, as rows of named cells |
//! | [`columns`] | which column holds what |
//! | [`answers`] | answers of judge and people in one vocabulary |
//! | [`rows`] | the rows as the study needs them |
//! | [`folder`] | the files of the study |

pub mod answers;
pub mod columns;
pub mod folder;
pub mod rows;
pub mod table;

use std::path::Path;

use serde::Serialize;

use judge_uncertainty_formats::error::{Error, Place};
use judge_uncertainty_system::{Record, Staged};

use crate::findings::condition::Condition;
use crate::queue::QueueRecord;
use crate::results::StudyManifest;
use columns::{Correction, Mapping};
use rows::AuditRows;
use table::CellTable;

/// How the labelled rows were chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Labelled {
    /// At random.
    Random,
    /// Each with the probability that a column has.
    Column(String),
    /// Nobody told.
    Unknown,
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audited {
    /// The file, by its name.
    pub audit: String,
    /// What it is, in words.
    pub format: String,
    /// Rows with an answer of the judge.
    pub rows: usize,
    /// Which column holds what.
    pub columns: Mapping,
    /// How the labelled rows were chosen.
    pub chosen: Labelled,
    /// What was taken for what, and what should be looked at.
    pub notices: Vec<String>,
    /// All files of the folder.
    pub files: Vec<String>,
}

impl Record for Audited {
    const FILE: &'static str = "audit.json";
    const KEY: &'static str = "audit";
    const WITHIN: &'static [[&'static str; 3]] = &[
        ["run", StudyManifest::FILE, StudyManifest::KEY],
        [crate::findings::next::FOLDER, QueueRecord::FILE, QueueRecord::KEY],
    ];

    fn set_files(&mut self, files: Vec<String>) {
        self.files = files;
    }
}

/// Makes a study of a table; `name` is that of its file, `corrections` and `given` are what the user says of its columns
/// and of how the labelled rows were chosen, `at_least` what the judge has to reach.
///
/// # Errors
/// No answers of a judge; answers that can't be read; a column that is not there.
pub fn study_of(
    cells: &CellTable,
    name: &Path,
    corrections: &[Correction],
    (given, at_least): (&Labelled, &[Condition]),
) -> Result<(Audited, Staged), Error> {
    let refused = |reason: String| {
        let remedy = "correct the columns with --map ROLE=COLUMN, or the file";
        Error::unfit(Place::file(name), reason, remedy)
    };
    let mapping = Mapping::new(cells, corrections).map_err(refused)?;
    let chances = match given {
        Labelled::Column(column) => Some(column.as_str()),
        Labelled::Random | Labelled::Unknown => None,
    };
    let (rows, mut notices) = AuditRows::new(cells, &mapping, chances).map_err(refused)?;
    notices.splice(0..0, cells.notices.iter().cloned());
    // Where every row is labelled, nothing was chosen.
    let chosen = if rows.labelled().len() == rows.len() { Labelled::Random } else { given.clone() };
    let stem = name.file_stem().map_or_else(|| "audit".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let study = folder::study_files(&stem, cells, (&mapping, &rows), (&chosen, at_least));
    let audited = Audited {
        audit: name.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        format: cells.format.clone(),
        rows: rows.len(),
        columns: mapping,
        chosen,
        notices,
        files: vec![],
    };
    Ok((audited, study))
}

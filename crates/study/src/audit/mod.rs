//! One table in, the answers first: can the judge be trusted, what is the rate without its errors, what should people
//! label next, and what would that bring.
//!
//! | module | holds |
//! |---|---|
//! | [`table`] | any table, or a log, as rows of named cells |
//! | [`columns`] | which column holds what |
//! | [`answers`] | answers of judge and people in one vocabulary |
//! | [`rows`] | the rows as numbers |
//! | [`estimate`] | estimates about all rows from those that are labelled |
//! | [`trust`] | judge and people compared; rates corrected for the judge's errors |
//! | [`next`] | what to label next, and what it would bring |
//! | [`folder`] | the table as a study that every other command continues from |

pub mod answers;
pub mod columns;
pub mod estimate;
pub mod folder;
pub mod next;
pub mod rows;
pub mod table;
pub mod trust;

use std::path::Path;

use serde::Serialize;

use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_core::stats::estimator::{Ask, Design};
use judge_uncertainty_formats::error::{Error, Place};
use judge_uncertainty_system::{Record, Staged};

use columns::{Correction, Mapping};
use estimate::{Audited, Labelled};
use next::Next;
use rows::AuditRows;
use table::CellTable;
use trust::{Rate, Trust, rates};

/// What a table says of its judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// The file, by its name.
    pub file: String,
    /// What it is, in words.
    pub format: String,
    /// Rows with an answer of the judge.
    pub rows: usize,
    /// Those that people labelled.
    pub labelled: usize,
    /// Columns of people.
    pub people: usize,
    /// How the labelled rows were chosen.
    pub chosen: Labelled,
    /// Which column holds what.
    pub columns: Mapping,
    /// The answers there are, or the ends of the scale.
    pub answers: Vec<String>,
    /// Whether answers are classes rather than numbers.
    pub classes: bool,
    /// What was taken for what, and what should be looked at.
    pub notices: Vec<String>,
    /// Judge and people compared.
    pub trust: Trust,
    /// Rates over all rows.
    pub rates: Vec<Rate>,
    /// How often the judge agrees with itself (of numbers, how far it is from itself), where it answered several times.
    pub consistency: Estimable,
    /// What to label next; `None` before the queue is made, and where no belief can be fitted.
    pub next: Option<Next>,
}

/// Audits a table; `name` is that of its file, `corrections` and `given` are what the user says of its columns and of
/// how the labelled rows were chosen. Beside the audit stand the rows as numbers and the files of its study.
///
/// # Errors
/// No answers of a judge; answers that can't be read; a column that is not there.
pub fn audit(
    cells: &CellTable,
    name: &Path,
    corrections: &[Correction],
    given: &Labelled,
) -> Result<(Audit, AuditRows, Staged), Error> {
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
    let sample = Audited::new(&rows, given).map_err(refused)?;
    let labelled = sample.labelled.len();
    // Where every row is labelled, nothing was chosen.
    let chosen = if labelled == rows.len() { Labelled::Random } else { given.clone() };
    notices.splice(0..0, sample.unlike.iter().chain(&cells.notices).cloned());
    let stem = name.file_stem().map_or_else(|| "audit".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let (low, high) = rows.answers.range();
    let answers = match rows.answers.classes() {
        Some(classes) => (0..classes).map(|k| rows.answers.text(k as f64)).collect(),
        None => [low, high].map(|end| rows.answers.text(end)).to_vec(),
    };
    let audit = Audit {
        file: name.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        format: cells.format.clone(),
        rows: rows.len(),
        labelled,
        people: rows.annotators.len(),
        columns: mapping.clone(),
        answers,
        classes: rows.answers.classes().is_some(),
        trust: Trust::new(&sample),
        rates: rates(&sample),
        consistency: consistency(&rows),
        next: None,
        notices,
        chosen: chosen.clone(),
    };
    let study = folder::study_files(&stem, cells, &mapping, &rows, &chosen);
    Ok((audit, rows, study))
}

/// How often the judge agrees with itself.
fn consistency(rows: &AuditRows) -> Estimable {
    let width = rows.answers.range().1 - rows.answers.range().0;
    let with: Vec<(usize, f64)> = (0..rows.len()).filter_map(|row| Some((row, rows.within(row)?))).collect();
    if with.is_empty() {
        return Estimable::not("the judge answered once");
    }
    let design = Design::random(with.iter().map(|(row, _)| rows.things[*row]).collect());
    let classes = rows.answers.classes().is_some();
    let values: Vec<Option<f64>> =
        with.iter().map(|(_, apart)| Some(if classes { 1.0 - apart } else { *apart })).collect();
    design.estimate(&Ask::mean(&values).within(0.0, if classes { 1.0 } else { width }))
}

/// What a folder says of the audit that made it; its file is `audit.json`.
#[derive(Debug, Serialize)]
pub struct AuditRecord {
    /// The audit.
    pub audit: Audit,
    /// All files of the folder.
    pub files: Vec<String>,
}

impl Record for AuditRecord {
    const FILE: &'static str = "audit.json";
    const KEY: &'static str = "audit";

    fn set_files(&mut self, files: Vec<String>) {
        self.files = files;
    }
}

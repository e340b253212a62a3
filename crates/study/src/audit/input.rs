//! What is audited: a table whose columns are recognised, or the criteria of a judge's log.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::columns::{Correction, Mapping, Role, names_answers};
use super::long;
use super::prepare::{Prepared, file_name, of_table, unreadable};
use super::table::CellTable;
use super::{Audited, Labelled, criteria, pairs, shares};
use crate::findings::condition::Condition;
use crate::from_log::{self, LogOptions, LogStudy};
use crate::input::config::StudyConfig;
use crate::input::source::Source;
use judge_uncertainty_formats::error::{Error, Place};
use judge_uncertainty_formats::logs::{self, LogFormat};
use judge_uncertainty_formats::table::DataTable;
use judge_uncertainty_system::Staged;

/// What is audited.
#[derive(Debug, Clone, PartialEq)]
pub enum AuditInput {
    /// A table, whose columns are recognised.
    Table {
        /// Its cells.
        cells: CellTable,
        /// What is known of its columns: what the user says, and what the columns of raters are, where they were rows.
        corrections: Vec<Correction>,
        /// The folder of its study within that of all; `None` of the only one.
        folder: Option<String>,
    },
    /// A criterion of a judge's log, whose format says what is what.
    Log(Box<LogStudy>),
}

impl AuditInput {
    /// Reads a table, or the files of a judge's log, each of whose criteria is one input. Of a log, the user's word is
    /// taken for ids, groups and labels of people.
    ///
    /// # Errors
    /// A file that can't be read or has another format; several files that are not a log.
    pub fn read(
        paths: &[PathBuf],
        corrections: &[Correction],
        known: Option<&StudyConfig>,
    ) -> Result<Vec<Self>, Error> {
        let [path, others @ ..] = paths else { return Ok(vec![]) };
        let mut source = Source::default();
        if let Some(format) = log_format(path, &mut source)? {
            let logs = source.read_logs(paths, format)?;
            // Traces with columns that somebody added are a table.
            let rows = logs.labels_given().is_empty() && others.is_empty();
            let rows = rows.then(|| CellTable::read(path, None).ok()).flatten();
            if let Some(cells) = rows.filter(|cells| Mapping::new(cells, corrections).is_ok_and(|all| all.has_judge()))
            {
                return Self::from_cells(cells, path, corrections, known);
            }
            let options = LogOptions { known, ..of_corrections(path, corrections)? };
            let studies = from_log::studies(logs, &source, &options)?;
            let of_criterion = |study: LogStudy| {
                let name = study.criterion.as_ref();
                let format = name.map_or(format.title.to_owned(), |name| format!("{}; criterion {name}", format.title));
                Self::Log(Box::new(LogStudy { format, ..study }))
            };
            return Ok(studies.into_iter().map(of_criterion).collect());
        }
        match others.first() {
            None => {
                let rows = corrections.iter().find(|correction| correction.role == Role::Rows);
                let cells = CellTable::read(path, rows.and_then(|rows| rows.column.as_deref()))?;
                Self::from_cells(cells, path, corrections, known)
            }
            Some(other) => Err(Error::unfit(
                Place::file(other),
                format!("{} is no log, and of tables one is read at a time", path.display()),
                "put the rows into one file",
            )),
        }
    }

    /// Recognises what the columns of a table hold; `path` is its file, or its name where it was handed over.
    ///
    /// # Errors
    /// A correction that names no column of the table; pairs that can't be read.
    pub fn from_cells(
        cells: CellTable,
        path: &Path,
        corrections: &[Correction],
        known: Option<&StudyConfig>,
    ) -> Result<Vec<Self>, Error> {
        let mut cells = cells.without_other_rows();
        let reading = known.and_then(|known| known.audited.as_ref());
        let mut all = reading.map(|known| known.columns.for_another(&cells.names)).unwrap_or_default();
        all.retain(|one| corrections.iter().all(|other| other.role != one.role && other.column != one.column));
        all.extend_from_slice(corrections);
        let classes = known.map_or(&[][..], |known| known.scale.classes());
        let mut opened = false;
        loop {
            // Raters that are rows become columns further on.
            let raters = long::raters(&cells);
            let is_rater = |name: &String| cells.column(name).is_none() && raters.contains(name.as_str());
            let of_columns = all.iter().filter(|one| !one.column.as_ref().is_some_and(is_rater));
            let of_columns: Vec<Correction> = of_columns.cloned().collect();
            let mapping = Mapping::new(&cells, &of_columns).map_err(|reason| unreadable(path, reason))?;
            // What is nested is looked into where the answers are not beside it.
            let made = long::opened(&cells, &mapping, opened)
                .or_else(|| long::unpacked(&cells, &mapping, &all))
                .or_else(|| shares::likeliest(&cells, &mapping, classes));
            let Some((made, raters)) = made else {
                return match pairs::study(&cells, path, &mapping, (&of_columns, known)) {
                    Some(study) => Ok(vec![Self::Log(Box::new(study?))]),
                    None => Self::of_table(cells, &mapping, &all).map_err(|reason| unreadable(path, reason)),
                };
            };
            cells = made;
            if raters.is_empty() {
                opened = true;
            } else {
                all.retain(|one| one.column.as_ref().is_none_or(|name| cells.column(name).is_some()));
                all.extend(raters);
            }
        }
    }

    fn of_table(cells: CellTable, mapping: &Mapping, corrections: &[Correction]) -> Result<Vec<Self>, String> {
        let mut folders = BTreeSet::new();
        let mut named = |mut cells: CellTable| {
            let folder = cells.criterion.as_ref().map(|criterion| from_log::folder(&criterion.name, &mut folders));
            // What is said of the columns of another criterion says nothing of these.
            let is_own = |cells: &CellTable, one: &&Correction| {
                cells.criterion.is_none() || one.column.as_ref().is_none_or(|name| cells.column(name).is_some())
            };
            let own: Vec<Correction> = corrections.iter().filter(|one| is_own(&cells, one)).cloned().collect();
            match long::widened(&cells, mapping, &own) {
                Ok(Some((cells, raters))) => {
                    // The user's word on a rater comes last.
                    let is_there =
                        |one: &&Correction| one.column.as_ref().is_none_or(|name| cells.column(name).is_some());
                    let user = corrections.iter().filter(is_there).cloned();
                    let corrections = raters.into_iter().chain(user).collect();
                    return Ok(Self::Table { cells, corrections, folder });
                }
                Ok(None) => {}
                Err(reason) => cells.notices.push(reason),
            }
            match own.iter().find(|one| one.role == Role::Annotator).and_then(|one| one.column.as_ref()) {
                Some(name) => Err(format!(
                    "{name:?} does not name who gave the labels of one column: its values have to \
                                           come again, be there for most labels, and not be labels themselves"
                )),
                None => Ok(Self::Table { cells, corrections: own, folder }),
            }
        };
        let said = |role: Role| corrections.iter().find(|one| one.role == role).and_then(|one| one.column.as_ref());
        if let Some(name) = said(Role::Order) {
            return Err(format!(
                "{name:?} can't be the order of two answers: the table names no two systems or answers"
            ));
        }
        let several = criteria::split(&cells, mapping, corrections);
        if let Some(name) = said(Role::Criterion).filter(|_| several.is_empty()) {
            let values: BTreeSet<&str> = cells.column(name).iter().flat_map(|&k| cells.distinct(k)).collect();
            return Err(format!(
                "{name:?} can't be the criterion: it has {} different values in {} rows, and 2 to {} that come again and \
                 stand in every row are needed",
                values.len(),
                cells.len(),
                criteria::MOST
            ));
        }
        if several.is_empty() { Ok(vec![named(cells)?]) } else { several.into_iter().map(named).collect() }
    }

    /// What it is judged by, if it is one of several criteria.
    pub fn criterion(&self) -> Option<&str> {
        match self {
            Self::Table { cells, .. } => cells.criterion.as_ref().map(|criterion| criterion.name.as_str()),
            Self::Log(study) => study.criterion.as_deref(),
        }
    }

    /// The folder of its study within that of all; `None` of the only one.
    pub fn folder(&self) -> Option<&str> {
        match self {
            Self::Table { folder, .. } => folder.as_deref(),
            Self::Log(study) => study.folder.as_deref(),
        }
    }

    /// Makes a study of it; `name` is that of its file, `given` says how the labelled rows were chosen, and `at_least` what the
    /// judge has to reach.
    ///
    /// # Errors
    /// No answers of a judge; answers that can't be read; a column that is not there.
    pub fn study(self, name: &Path, (given, at_least): (&Labelled, &[Condition])) -> Result<(Audited, Staged), Error> {
        let Prepared { audited, files, .. } = self.prepare(name, (given, at_least), None)?;
        Ok((audited, files))
    }

    /// As [`Self::study`], with the rows that can't be used where the scale is known.
    pub(crate) fn prepare(
        self,
        name: &Path,
        (given, at_least): (&Labelled, &[Condition]),
        known: Option<&StudyConfig>,
    ) -> Result<Prepared, Error> {
        let (study, lines, bad) = match self {
            Self::Table { cells, corrections, .. } => of_table(&cells, name, &corrections, given, known)?,
            Self::Log(study) => (*study, vec![], vec![]),
        };
        // Where every item is labelled, nothing was chosen.
        let chosen = if study.labelled == study.items { Labelled::Random } else { given.clone() };
        let audited = Audited {
            audit: file_name(name),
            format: study.format,
            rows: study.items,
            columns: study.columns,
            table: study.table,
            chosen: chosen.clone(),
            notices: study.notices,
            written: BTreeMap::new(),
            files: vec![],
        };
        Ok(Prepared { audited, files: study.files.staged(&chosen, at_least), lines, bad })
    }
}

/// Whether a file is a judge's log and no table.
///
/// # Errors
/// It can't be read.
pub(crate) fn is_log(path: &Path) -> Result<bool, Error> {
    Ok(log_format(path, &mut Source::default())?.is_some())
}

/// The format of a log; `None` of a table. A single column marks ragas' tables; those to which people added columns
/// are read as tables.
fn log_format(path: &Path, source: &mut Source) -> Result<Option<&'static LogFormat>, Error> {
    if path.is_dir() {
        return Ok(None);
    }
    let bytes = source.read(path)?;
    let is_table = |format: &LogFormat| {
        format.name == "ragas" && DataTable::header_of(path, &bytes).is_ok_and(|names| names_answers(&names))
    };
    Ok(logs::detect(path, &bytes).ok().filter(|format| !is_table(format)))
}

/// What a user says of a log's columns.
fn of_corrections(path: &Path, corrections: &[Correction]) -> Result<LogOptions<'static>, Error> {
    let mut options = LogOptions::default();
    for Correction { role, column, .. } in corrections {
        match role {
            Role::Id => options.id.clone_from(column),
            Role::Group => options.group_from.clone_from(column),
            Role::Human => options.labels_from.clone_from(column),
            _ => {
                let remedy =
                    "say of a log only what its ids, groups and labels of people are: --columns human=metadata.human";
                return Err(Error::unfit(Place::file(path), format!("its format says what the {role} is"), remedy));
            }
        }
    }
    Ok(options)
}

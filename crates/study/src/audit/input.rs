//! What is audited: a table whose columns are recognised, or the criteria of a judge's log.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::columns::{Correction, Mapping, Role, names_answers};
use super::folder::MadeStudy;
use super::prepare::{file_name, of_table, unreadable};
use super::table::CellTable;
use super::threshold::with_thresholds;
use super::{Audited, Labelled, criteria, long, pairs, repeats, shares};
use crate::from_log::{self, LogOptions};
use crate::input::config::StudyConfig;
use crate::input::source::Source;
use judge_uncertainty_formats::error::{Error, Place};
use judge_uncertainty_formats::logs::{self, LogFormat};
use judge_uncertainty_formats::table::DataTable;

/// Makes a study of a table, or of the files of a judge's log, one for each criterion; `given` says how the labelled rows were
/// chosen. Of a log, the user's word is taken for ids, groups and labels of people. For a belief, whose study is `known`, items
/// are read on its scale, and of tables under its criterion where they have it.
///
/// # Errors
/// A file that can't be read or has another format; several files that are not a log; no answers of a judge; answers that
/// can't be read; a column that is not there.
pub fn read(
    paths: &[PathBuf],
    corrections: &[Correction],
    (given, known): (&Labelled, Option<&StudyConfig>),
) -> Result<Vec<MadeStudy>, Error> {
    let [path, others @ ..] = paths else { return Ok(vec![]) };
    let mut source = Source::default();
    if let Some(format) = log_format(path, &mut source)? {
        let logs = source.read_logs(paths, format)?;
        // Traces with columns that somebody added are a table.
        let rows = logs.labels_given().is_empty() && others.is_empty();
        let rows = rows.then(|| CellTable::read(path, None).ok()).flatten();
        if let Some(cells) = rows.filter(|cells| Mapping::new(cells, corrections).is_ok_and(|all| all.has_judge())) {
            return from_cells(cells, path, corrections, (given, known));
        }
        let options = LogOptions { known, given: given.clone(), ..of_corrections(path, corrections)? };
        let named = |study: MadeStudy| {
            let name = study.criterion.as_ref();
            let format = name.map_or(format.title.to_owned(), |name| format!("{}; criterion {name}", format.title));
            MadeStudy { audited: Audited { audit: file_name(path), format, ..study.audited }, ..study }
        };
        return Ok(from_log::studies(logs, &source, &options)?.into_iter().map(named).collect());
    }
    if let Some(other) = others.first() {
        let reason = format!("{} is no log, and of tables one is read at a time", path.display());
        return Err(Error::unfit(Place::file(other), reason, "put the rows into one file"));
    }
    let rows = corrections.iter().find(|correction| correction.role == Role::Rows);
    let cells = CellTable::read(path, rows.and_then(|rows| rows.column.as_deref()))?;
    from_cells(cells, path, corrections, (given, known))
}

/// [`read`] of a table's cells; `path` is its file, or its name where it was handed over.
///
/// # Errors
/// As there; a correction that names no column of the table; pairs that can't be read.
pub fn from_cells(
    cells: CellTable,
    path: &Path,
    corrections: &[Correction],
    (given, known): (&Labelled, Option<&StudyConfig>),
) -> Result<Vec<MadeStudy>, Error> {
    let reading = known.and_then(|known| known.audited.as_ref());
    let of_study = reading.iter().flat_map(|known| known.columns.names());
    let named = of_study.chain(corrections.iter().filter_map(|one| one.column.as_deref()));
    let mut cells = with_thresholds(cells.without_other_rows(), named);
    let mut all = reading.map(|known| known.columns.for_another(&cells.names)).unwrap_or_default();
    all.retain(|one| corrections.iter().all(|other| other.role != one.role && other.column != one.column));
    all.extend_from_slice(corrections);
    let classes = known.map_or(&[][..], |known| known.scale.classes());
    let mut opened = false;
    loop {
        // Raters that are rows become columns further on.
        let raters = long::raters(&cells);
        let is_rater = |one: &Correction| {
            !cells.has(one) && one.column.as_ref().is_some_and(|name| raters.contains(name.as_str()))
        };
        let of_columns: Vec<Correction> = all.iter().filter(|one| !is_rater(one)).cloned().collect();
        let mapping = Mapping::new(&cells, &of_columns).map_err(|reason| unreadable(path, reason))?;
        // What is nested is looked into where the answers are not beside it.
        let made = long::opened(&cells, &mapping, opened)
            .or_else(|| long::unpacked(&cells, &mapping, &all))
            .or_else(|| repeats::widened(&cells, &mapping, &all))
            .or_else(|| shares::likeliest(&cells, &mapping, classes));
        let Some((made, raters)) = made else {
            if let Some(study) = pairs::study(&cells, path, &mapping, &of_columns, (given, known)) {
                return Ok(vec![study?]);
            }
            let own = known.and_then(|known| known.criterion.as_ref()).map(|own| &own.name);
            let tables = of_criteria(cells, &mapping, &all).map_err(|reason| unreadable(path, reason))?;
            let is_own = |table: &(CellTable, Vec<Correction>)| {
                own.is_some() && table.0.criterion.as_ref().map(|one| &one.name) == own
            };
            let has_own = tables.iter().any(is_own);
            let mut folders = BTreeSet::new();
            let tables = tables.into_iter().filter(|table| !has_own || is_own(table));
            let study = |(cells, corrections): (CellTable, Vec<Correction>)| {
                let study = of_table(&cells, path, &corrections, (given, known))?;
                let folder = study.criterion.as_ref().map(|criterion| from_log::folder(criterion, &mut folders));
                Ok(MadeStudy { folder, ..study })
            };
            return tables.map(study).collect();
        };
        cells = made;
        if raters.is_empty() {
            opened = true;
        } else {
            all.retain(|one| cells.has(one));
            all.extend(raters);
        }
    }
}

/// A table, or one for each of its criteria, with a row for each item and what is known of its columns: what the user says, and
/// what the columns of raters are, where they were rows.
fn of_criteria(
    cells: CellTable,
    mapping: &Mapping,
    corrections: &[Correction],
) -> Result<Vec<(CellTable, Vec<Correction>)>, String> {
    let said = |role: Role| corrections.iter().find(|one| one.role == role).and_then(|one| one.column.as_ref());
    if let Some(name) = said(Role::Order) {
        return Err(format!("{name:?} can't be the order of two answers: the table names no two systems or answers"));
    }
    let several = criteria::split(&cells, mapping, corrections);
    if let Some(name) = said(Role::Criterion).filter(|_| several.is_empty()) {
        let values: BTreeSet<&str> = cells.column(name).iter().flat_map(|&k| cells.distinct(k)).collect();
        return Err(format!(
            "{name:?} can't be the criterion: it has {} different values in {} rows, and 2 to {} that come again and stand in \
             every row are needed",
            values.len(),
            cells.len(),
            criteria::MOST
        ));
    }
    let of_items = |mut cells: CellTable| {
        // What is said of the columns of another criterion says nothing of these.
        let is_own = |one: &&Correction| cells.criterion.is_none() || cells.has(one);
        let own: Vec<Correction> = corrections.iter().filter(is_own).cloned().collect();
        match long::widened(&cells, mapping, &own) {
            Ok(Some((cells, raters))) => {
                // The user's word on a rater comes last.
                let user = corrections.iter().filter(|one| cells.has(one)).cloned();
                let corrections = raters.into_iter().chain(user).collect();
                return Ok((cells, corrections));
            }
            Ok(None) => {}
            Err(reason) => cells.notices.push(reason),
        }
        match own.iter().find(|one| one.role == Role::Annotator).and_then(|one| one.column.as_ref()) {
            Some(name) => Err(format!(
                "{name:?} does not name who gave the labels of one column: its values have to come again, be there for most \
                 labels, and not be labels themselves"
            )),
            None => Ok((cells, own)),
        }
    };
    if several.is_empty() { Ok(vec![of_items(cells)?]) } else { several.into_iter().map(of_items).collect() }
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
fn of_corrections<'k>(path: &Path, corrections: &[Correction]) -> Result<LogOptions<'k>, Error> {
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

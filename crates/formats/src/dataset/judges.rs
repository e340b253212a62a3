//! The tables of judges, for the items of an experiment: as published with the paper, and the folder that `judge run`
//! writes for another judge.
//!
//! ```text
//! predictions.csv     id, variant, p_<class>..., confidence [, unseen_mass]     any order; blank cells are missing
//! self-updates.csv    id, variant, p_<class>...                                 where there are any
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::checksum::{CheckedFolder, read_file, sha256_hex};
use crate::error::{Error, Place, Problem, Result};
use crate::items::{ItemIds, names};
use crate::judge::{JudgeAnswers, JudgeVariants, check_confidence};
use crate::table::{ColumnIndex, DataTable, Row};

/// The sum of each answer and of each item's labels: the judge was asked how 100 labels would fall.
const HUNDRED: u64 = 100;

/// The table of predictions in such a folder.
pub(super) const PREDICTIONS: &str = "predictions.csv";
const SELF_UPDATES: &str = "self-updates.csv";
const UNSEEN: &str = "unseen_mass";

/// Columns of a judge table: the id, `<variant>_<class>` for each variant and class, `confidence`, and the optional ones.
pub(super) struct JudgeLayout<'a> {
    /// Column of the item's id.
    pub id: &'a str,
    /// Names of the prompt variants.
    pub variants: &'a [&'a str],
    /// Names of the classes.
    pub classes: &'a [&'a str],
    /// Column of the label that the judge stated.
    pub stated_label: Option<&'a str>,
    /// Prefix of the columns of the judge's own updated answer.
    pub self_update: Option<&'a str>,
}

/// Name of the column with the stated confidence.
const CONFIDENCE: &str = "confidence";

impl JudgeLayout<'_> {
    /// Checks the columns and reads the answers of `rows`, which belong to `ids` in order.
    pub(super) fn read(&self, table: &DataTable, rows: &[Row<'_>], ids: ItemIds) -> Result<JudgeVariants> {
        let classes = names(self.classes);
        let answer_names =
            |prefix: &str| -> Vec<String> { self.classes.iter().map(|class| format!("{prefix}_{class}")).collect() };
        let prefixes = || self.variants.iter().chain(&self.self_update);
        let mut expected = names(&[self.id, CONFIDENCE]);
        expected.extend(self.stated_label.map(str::to_owned));
        expected.extend(prefixes().flat_map(|prefix| answer_names(prefix)));
        table.expect_columns(&expected)?;

        let columns = |prefix: &str| table.columns(&answer_names(prefix));
        let variants = self.variants.iter().map(|variant| columns(variant)).collect::<Result<Vec<_>>>()?;
        let self_update = self.self_update.map(columns).transpose()?;
        let stated_label = self.stated_label.map(|name| table.column(name)).transpose()?;
        let confidence = table.column(CONFIDENCE)?;

        let mut answers = JudgeAnswers::new(rows.len(), variants.len(), classes.len());
        let answer = |row: &Row<'_>, columns: &[ColumnIndex]| -> Result<Option<Vec<f64>>> {
            let counts = if has_answer(row, columns)? { Some(read_hundred(row, columns)?) } else { None };
            Ok(counts.map(|counts| counts.into_iter().map(f64::from).collect()))
        };
        for (i, row) in rows.iter().enumerate() {
            for (v, columns) in variants.iter().enumerate() {
                if let Some(answer) = answer(row, columns)? {
                    answers.answer_mut(i, v).copy_from_slice(&answer);
                }
            }
            answers.set_confidence(i, confidence_of(row, confidence)?);
            stated_label.map_or(Ok(None), |column| row.optional_word(column, &classes))?;
            let update = self_update.as_ref().map_or(Ok(None), |columns| answer(row, columns))?;
            answers.set_self_update(i, update);
        }
        JudgeVariants::new(ids, classes, names(self.variants), answers)
    }
}

/// Counts that sum to 100.
pub(super) fn read_hundred(row: &Row<'_>, columns: &[ColumnIndex]) -> Result<Vec<u32>> {
    let counts = columns.iter().map(|&column| row.count(column)).collect::<Result<Vec<u32>>>()?;
    let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    if sum != HUNDRED {
        let reason = format!("{counts:?} sum to {sum}, not to {HUNDRED}");
        return Err(row.refuse(columns[0], Problem::unfit(reason, "correct the numbers of the row")));
    }
    Ok(counts)
}

/// Whether a row has an answer: all of its cells, or none.
fn has_answer(row: &Row<'_>, columns: &[ColumnIndex]) -> Result<bool> {
    let cells: Vec<&str> = columns.iter().map(|&column| row.cell(column)).collect();
    match cells.iter().filter(|cell| cell.is_empty()).count() {
        0 => Ok(true),
        blank if blank == cells.len() => Ok(false),
        _ => Err(row.refuse(columns[0], Problem::PartialAnswer { cells: names(&cells) })),
    }
}

fn confidence_of(row: &Row<'_>, column: ColumnIndex) -> Result<Option<f64>> {
    let confidence = row.optional_number(column)?;
    confidence.map_or(Ok(()), check_confidence).map_err(|problem| row.refuse(column, problem))?;
    Ok(confidence)
}

/// Reads and parses a table of a checked folder.
pub(super) fn read_table(folder: &mut CheckedFolder, name: &str, id: &str) -> Result<DataTable> {
    let bytes = folder.read(name)?;
    DataTable::parse(&folder.path(name), &bytes, id)
}

/// Reads a folder's predictions for the items `ids`, and the SHA-256 sums of its files by name.
///
/// An item's confidence is the mean over its variants.
pub(super) fn read_folder(
    dir: &Path,
    ids: &ItemIds,
    classes: &[String],
) -> Result<(JudgeVariants, BTreeMap<String, String>)> {
    let mut hashes = BTreeMap::new();
    let mut table = |name: &str| -> Result<DataTable> {
        let path = dir.join(name);
        let bytes = read_file(&path)?;
        hashes.insert(name.to_owned(), sha256_hex(&bytes));
        DataTable::parse(&path, &bytes, "id")
    };
    let predictions = table(PREDICTIONS)?;
    let updates = dir.join(SELF_UPDATES).is_file().then(|| table(SELF_UPDATES)).transpose()?;

    let columns = ["id".to_owned(), "variant".to_owned()].into_iter().chain(shares(classes));
    let mut expected: Vec<String> = columns.clone().chain(["confidence".to_owned()]).collect();
    if predictions.column(UNSEEN).is_ok() {
        expected.push(UNSEEN.to_owned());
    }
    predictions.expect_columns(&expected)?;
    let confidence = predictions.column("confidence")?;

    let variant = predictions.column("variant")?;
    let mut variants: Vec<String> = vec![];
    for row in predictions.rows() {
        let name = row.text(variant)?;
        if !variants.iter().any(|known| known == name) {
            variants.push(name.to_owned());
        }
    }
    let mut answers = JudgeAnswers::new(ids.len(), variants.len(), classes.len());
    let mut stated = vec![vec![]; ids.len()];
    for_each_answer(&predictions, ids, classes, |row, i, answer| {
        let place = variants.iter().position(|name| name == row.cell(variant)).unwrap_or_default();
        if let Some(answer) = answer {
            answers.answer_mut(i, place).copy_from_slice(&answer);
        }
        stated[i].extend(confidence_of(&row, confidence)?);
        Ok(())
    })?;
    if let Some(updates) = &updates {
        updates.expect_columns(&columns.collect::<Vec<_>>())?;
        let mut updated = BTreeSet::new();
        for_each_answer(updates, ids, classes, |_, i, answer| {
            // One update per item; a second variant's would be another judge.
            answers.set_self_update(i, answer.filter(|_| updated.insert(i)));
            Ok(())
        })?;
    }
    for (i, stated) in stated.iter().enumerate().filter(|(_, stated)| !stated.is_empty()) {
        answers.set_confidence(i, Some(stated.iter().sum::<f64>() / stated.len() as f64));
    }
    let judge = JudgeVariants::new(ids.clone(), classes.to_vec(), variants, answers);
    Ok((judge.map_err(|error| error.in_file(&dir.join(PREDICTIONS)))?, hashes))
}

/// Whether an item was updated; the dice need some.
pub(super) fn check_self_updates(dir: &Path, judge: &JudgeVariants) -> Result<()> {
    if (0..judge.ids().len()).any(|i| judge.self_update(i).is_some()) {
        return Ok(());
    }
    let remedy = "collect them too: `judge run dice`";
    Err(Error::unfit(Place::file(&dir.join(SELF_UPDATES)), "no item has a self-update", remedy))
}

fn shares(classes: &[String]) -> impl Iterator<Item = String> + Clone + '_ {
    classes.iter().map(|class| format!("p_{class}"))
}

/// Visits the rows with the position of their item and the answer they hold.
fn for_each_answer<'t>(
    table: &'t DataTable,
    ids: &ItemIds,
    classes: &[String],
    mut visit: impl FnMut(Row<'t>, usize, Option<Vec<f64>>) -> Result<()>,
) -> Result<()> {
    let columns = table.columns(&shares(classes).collect::<Vec<_>>())?;
    let variant = table.column("variant")?;
    let mut seen = BTreeMap::new();
    for row in table.rows() {
        let i = ids.position(row.id()).ok_or_else(|| {
            row.refuse_id(Problem::UnknownId { id: row.id().to_owned(), reference: "the experiment".to_owned() })
        })?;
        if seen.insert((i, row.text(variant)?), ()).is_some() {
            return Err(row.refuse_id(Problem::DuplicateId { id: row.id().to_owned(), first_line: None }));
        }
        has_answer(&row, &columns)?;
        let numbers =
            columns.iter().map(|&column| row.optional_number(column)).collect::<Result<Option<Vec<f64>>>>()?;
        visit(row, i, numbers.map(of_hundred))?;
    }
    Ok(())
}

/// Whole percentages as counts of 100; other shares as they are.
///
/// Decimal fractions may sum to 1 except for the last bit, and dividing by such a sum would separate ties.
fn of_hundred(shares: Vec<f64>) -> Vec<f64> {
    let counts: Vec<f64> = shares.iter().map(|share| (100.0 * share).round()).collect();
    let whole = shares.iter().zip(&counts).all(|(share, count)| (100.0 * share - count).abs() < 1e-9);
    if whole && counts.iter().sum::<f64>() == 100.0 { counts } else { shares }
}

//! Predictions of another judge for the items of an experiment: the folder that `judge run` writes.
//!
//! ```text
//! predictions.csv     id, variant, p_<class>..., confidence [, unseen_mass]     any order; blank cells are missing
//! self-updates.csv    id, variant, p_<class>...                                 where there are any
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::checksum::{read_file, sha256_hex};
use crate::error::{Error, Place, Problem, Result};
use crate::items::{ItemIds, names};
use crate::judge::{JudgeAnswers, JudgeVariants, check_confidence};
use crate::table::{ColumnIndex, DataTable, Row};

/// The table of predictions in such a folder.
pub(super) const PREDICTIONS: &str = "predictions.csv";
const SELF_UPDATES: &str = "self-updates.csv";
const UNSEEN: &str = "unseen_mass";

/// Reads a folder's predictions for the items `ids`, and the SHA-256 sums of its files by name.
///
/// An item's confidence is the mean over its variants.
///
/// # Errors
/// A table that can't be read, an unknown id, an item without a row, a second row for an item and variant, numbers that
/// are not a distribution, an answer with only some of the classes.
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
        if let Some(value) = row.optional_number(confidence)? {
            check_confidence(value).map_err(|problem| row.refuse(confidence, problem))?;
            stated[i].push(value);
        }
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
    let columns: Vec<ColumnIndex> = shares(classes).map(|name| table.column(&name)).collect::<Result<_>>()?;
    let variant = table.column("variant")?;
    let mut seen = BTreeMap::new();
    for row in table.rows() {
        let i = ids.position(row.id()).ok_or_else(|| {
            row.refuse_id(Problem::UnknownId { id: row.id().to_owned(), reference: "the experiment".to_owned() })
        })?;
        if seen.insert((i, row.text(variant)?), ()).is_some() {
            return Err(row.refuse_id(Problem::DuplicateId { id: row.id().to_owned(), first_line: None }));
        }
        let cells: Vec<&str> = columns.iter().map(|&column| row.cell(column)).collect();
        let blank = cells.iter().filter(|cell| cell.is_empty()).count();
        if blank > 0 && blank < cells.len() {
            return Err(row.refuse(columns[0], Problem::PartialAnswer { cells: names(&cells) }));
        }
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

//! The layout of the judge tables published with the paper, common to both experiments.

use crate::checksum::CheckedFolder;
use crate::error::{Problem, Result};
use crate::items::{ItemIds, names};
use crate::judge::{JudgeAnswers, JudgeVariants, check_confidence};
use crate::table::{ColumnIndex, DataTable, Row};

/// What each answer of the judge and each item's labels sum to: the judge was asked how 100 labels would fall, and
/// all its published answers add up to exactly that.
const HUNDRED: u64 = 100;

/// Columns of a judge table: the id, `<variant>_<class>` for each prompt variant and class, `confidence`, and the
/// optional ones.
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

        let columns = |prefix: &str| -> Result<Vec<ColumnIndex>> {
            answer_names(prefix).iter().map(|name| table.column(name)).collect()
        };
        let variants = self.variants.iter().map(|variant| columns(variant)).collect::<Result<Vec<_>>>()?;
        let self_update = self.self_update.map(columns).transpose()?;
        let stated_label = self.stated_label.map(|name| table.column(name)).transpose()?;
        let confidence = table.column(CONFIDENCE)?;

        let mut answers = JudgeAnswers::new(rows.len(), variants.len(), classes.len());
        for (i, row) in rows.iter().enumerate() {
            for (v, columns) in variants.iter().enumerate() {
                if let Some(answer) = read_answer(row, columns)? {
                    answers.answer_mut(i, v).copy_from_slice(&answer);
                }
            }
            answers.set_confidence(i, read_confidence(row, confidence)?);
            stated_label.map_or(Ok(None), |column| row.optional_word(column, &classes))?;
            let update = self_update.as_ref().map_or(Ok(None), |columns| read_answer(row, columns))?;
            answers.set_self_update(i, update);
        }
        JudgeVariants::new(ids, classes, names(self.variants), answers)
    }
}

/// Counts that sum to 100, or `None` if all their cells are blank.
fn read_answer(row: &Row<'_>, columns: &[ColumnIndex]) -> Result<Option<Vec<f64>>> {
    let cells: Vec<&str> = columns.iter().map(|&column| row.cell(column)).collect();
    if cells.iter().all(|cell| cell.is_empty()) {
        return Ok(None);
    }
    if cells.iter().any(|cell| cell.is_empty()) {
        return Err(row.refuse(columns[0], Problem::PartialAnswer { cells: names(&cells) }));
    }
    read_hundred(row, columns).map(|counts| Some(counts.into_iter().map(f64::from).collect()))
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

fn read_confidence(row: &Row<'_>, column: ColumnIndex) -> Result<Option<f64>> {
    let confidence = row.optional_number(column)?;
    if let Some(problem) = confidence.and_then(|value| check_confidence(value).err()) {
        return Err(row.refuse(column, problem));
    }
    Ok(confidence)
}

/// Reads and parses a table of a checked folder.
pub(super) fn read_table(folder: &mut CheckedFolder, name: &str, id: &str) -> Result<DataTable> {
    let bytes = folder.read(name)?;
    DataTable::parse(&folder.path(name), &bytes, id)
}

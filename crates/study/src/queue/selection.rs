//! How a queue selected its items, read back from its record.

use std::collections::BTreeSet;
use std::path::Path;

use judge_uncertainty_core::escalation::Selection;
use judge_uncertainty_formats::checksum::read_file;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::table::{DataTable, Row};
use judge_uncertainty_system::Record;
use judge_uncertainty_system::read::bytes_if_there;

use super::files::QueueRecord;

/// Column of `selection.csv`: batches of added labels that were there before the queue.
pub const BATCHES_BEFORE: &str = "batches_before";

/// Randomly drawn items with labels that an estimate needs, if the study has that many.
pub const LEAST_DRAWN: usize = 10;

/// How a queue was selected, read back from its `selection.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionFile {
    /// The selection, by position of the items.
    pub selection: Selection,
    /// Whether those of the items without a label that it selected are a random sample of them.
    pub draws_unlabelled: bool,
    /// Batches of added labels from before the queue, which do not answer it.
    pub batches_before: usize,
    /// Sums of the added labels that the queue read.
    pub read: BTreeSet<String>,
}

impl SelectionFile {
    /// Reads the selection of the queue in a folder.
    ///
    /// # Errors
    /// A file that can't be read or does not belong to these items.
    pub fn read(folder: &Path, ids: &ItemIds, items: &Path) -> Result<Self> {
        let record = folder.join(QueueRecord::FILE);
        let text = bytes_if_there(&record).map_err(|source| Error::Unreadable { file: record, source })?;
        let record = text.and_then(|text| serde_json::from_slice::<QueueRecord>(&text).ok());
        let by_chance = record.as_ref().is_some_and(QueueRecord::is_by_chance);
        let draws_unlabelled = record.as_ref().is_some_and(QueueRecord::draws_unlabelled);
        let read = record.as_ref().map(QueueRecord::added).unwrap_or_default();
        let rest = record.and_then(|record| record.not_selected);
        let file = folder.join("selection.csv");
        let table = DataTable::parse(&file, &read_file(&file)?, "id")?;
        let rows: Vec<(usize, Row<'_>)> = match &rest {
            None => table.rows_of(ids, items)?.into_iter().enumerate().collect(),
            Some(_) => table.rows_among(ids, items)?,
        };
        let [by, chance] = [table.column("selected_by")?, table.column("selection_probability")?];
        let words = ["rank", "random"].map(str::to_owned);
        let number =
            |row: &Row<'_>, column| row.optional_number(column)?.ok_or_else(|| row.refuse(column, Problem::Blank));
        let probability = vec![rest.as_ref().map_or(0.0, |rest| rest.probability); ids.len()];
        let mut selection = Selection { ranked: vec![], drawn: vec![], probability };
        for (i, row) in &rows {
            match row.optional_word(by, &words)? {
                Some(0) => selection.ranked.push(*i),
                Some(_) => selection.drawn.push(*i),
                None => {}
            }
            let probability = number(row, chance)?;
            if !(0.0..=1.0).contains(&probability) {
                return Err(row.refuse(chance, Problem::OutOfRange { value: probability, low: 0.0, high: 1.0 }));
            }
            selection.probability[*i] = probability;
        }
        let before = table.column(BATCHES_BEFORE)?;
        let batches = rows.iter().map(|(_, row)| row.optional_number(before)).collect::<Result<Vec<_>>>()?;
        let batches_before = batches.into_iter().flatten().next().unwrap_or(0.0) as usize;
        if selection.ranked.is_empty() && selection.drawn.is_empty() {
            return Err(Error::refused(Place::file(&file), Problem::NoRows));
        }
        if by_chance {
            let chance = selection.ranked.len() as f64 / ids.len() as f64;
            selection = Selection { ranked: vec![], drawn: selection.ranked, probability: vec![chance; ids.len()] };
        }
        Ok(Self { selection, draws_unlabelled, batches_before, read })
    }
}

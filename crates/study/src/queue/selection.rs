//! How a queue selected its items, read back from its record.

use std::path::Path;

use judge_uncertainty_core::escalation::Selection;
use judge_uncertainty_formats::checksum::read_file;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::table::{DataTable, Row};

use super::files::QueueRecord;

/// Column of `selection.csv`: batches of added labels that were there before the queue.
pub const BATCHES_BEFORE: &str = "batches_before";

/// Randomly drawn items with labels that an estimate needs, if the study has that many.
pub const LEAST_DRAWN: usize = 10;

/// Reads the selection of the queue in a folder, by position of the items, from its `selection.csv` and its `record`; their
/// ids are those of the file `items`.
///
/// # Errors
/// A file that can't be read or does not belong to these items.
pub fn read_selection(folder: &Path, record: Option<&QueueRecord>, ids: &ItemIds, items: &Path) -> Result<Selection> {
    let rest = record.and_then(|record| record.not_selected.as_ref());
    let file = folder.join("selection.csv");
    let table = DataTable::parse(&file, &read_file(&file)?, "id")?;
    let rows: Vec<(usize, Row<'_>)> = match rest {
        None => table.rows_of(ids, items)?.into_iter().enumerate().collect(),
        Some(_) => table.rows_among(ids, items)?,
    };
    let [by, chance] = [table.column("selected_by")?, table.column("selection_probability")?];
    let words = ["rank", "random"].map(str::to_owned);
    let probability = vec![rest.map_or(0.0, |rest| rest.probability); ids.len()];
    let mut selection = Selection { ranked: vec![], drawn: vec![], probability };
    for (i, row) in &rows {
        match row.optional_word(by, &words)? {
            Some(0) => selection.ranked.push(*i),
            Some(_) => selection.drawn.push(*i),
            None => {}
        }
        let probability = row.optional_number(chance)?.ok_or_else(|| row.refuse(chance, Problem::Blank))?;
        if !(0.0..=1.0).contains(&probability) {
            return Err(row.refuse(chance, Problem::OutOfRange { value: probability, low: 0.0, high: 1.0 }));
        }
        selection.probability[*i] = probability;
    }
    if selection.ranked.is_empty() && selection.drawn.is_empty() {
        return Err(Error::refused(Place::file(&file), Problem::NoRows));
    }
    if record.is_some_and(QueueRecord::is_by_chance) {
        let chance = selection.ranked.len() as f64 / ids.len() as f64;
        selection = Selection { ranked: vec![], drawn: selection.ranked, probability: vec![chance; ids.len()] };
    }
    Ok(selection)
}

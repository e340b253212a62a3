//! What the labels of an exploring queue say about all items: shares of the classes, or the mean score.

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;

use judge_uncertainty_core::escalation::{
    NoEstimate, Observed, Response, Selection, WeightedMean, responses, weighted_mean,
};
use judge_uncertainty_formats::checksum::read_file;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::table::Table;

/// Column of `selection.csv`: batches of added labels that were there before the queue.
pub const BATCHES_BEFORE: &str = "batches_before";

/// How a queue was selected, read back from its `selection.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionFile {
    /// The selection, by position of the items.
    pub selection: Selection,
    /// Batches of added labels that were there when the queue was made, and are no answers to it.
    pub batches_before: usize,
    /// Belief's mean of each quantity before the labels, by name of its column.
    baselines: HashMap<String, Vec<f64>>,
}

impl SelectionFile {
    /// Reads the selection of the queue in a folder; `names` are the columns with the belief's means.
    ///
    /// # Errors
    /// A file that can't be read or does not belong to these items.
    pub fn read(folder: &Path, ids: &ItemIds, items: &Path, names: &[String]) -> Result<Self> {
        let file = folder.join("selection.csv");
        let table = Table::parse(&file, &read_file(&file)?, "id")?;
        let rows = table.rows_of(ids, items)?;
        let [by, chance] = [table.column("selected_by")?, table.column("selection_probability")?];
        let words = ["rank", "random"].map(str::to_owned);
        let mut selection = Selection { ranked: vec![], drawn: vec![], probability: vec![] };
        for (i, row) in rows.iter().enumerate() {
            match row.optional_word(by, &words)? {
                Some(0) => selection.ranked.push(i),
                Some(_) => selection.drawn.push(i),
                None => {}
            }
            let probability = row.optional_number(chance)?.ok_or_else(|| row.refuse(chance, Problem::Blank))?;
            if !(0.0..=1.0).contains(&probability) {
                return Err(row.refuse(chance, Problem::OutOfRange { value: probability, low: 0.0, high: 1.0 }));
            }
            selection.probability.push(probability);
        }
        let before = table.column(BATCHES_BEFORE)?;
        let batches = rows.iter().map(|row| row.optional_number(before)).collect::<Result<Vec<_>>>()?;
        let batches_before = batches.into_iter().flatten().next().unwrap_or(0.0) as usize;
        let mut baselines = HashMap::new();
        for name in names {
            let column = table.column(name)?;
            let values = rows
                .iter()
                .map(|row| row.optional_number(column)?.ok_or_else(|| row.refuse(column, Problem::Blank)))
                .collect::<Result<_>>()?;
            baselines.insert(name.clone(), values);
        }
        if selection.ranked.is_empty() && selection.drawn.is_empty() {
            return Err(Error::refused(Place::file(&file), Problem::NoRows));
        }
        Ok(Self { selection, batches_before, baselines })
    }

    /// Estimates one quantity, which lies in `range`, from what was observed of the items that came back.
    ///
    /// # Errors
    /// As [`weighted_mean`] without a baseline.
    pub fn estimate(
        &self,
        name: &str,
        observed: &[Option<Observed>],
        range: (f64, f64),
        level: f64,
    ) -> std::result::Result<PoolMean, NoEstimate> {
        let weighted = weighted_mean(&self.selection, observed, None, range, level)?;
        let assisted = self
            .baselines
            .get(name)
            .map(|baseline| weighted_mean(&self.selection, observed, Some(baseline), range, level));
        let (assisted, not_assisted) = match assisted {
            Some(Ok(assisted)) => (Some(assisted), None),
            Some(Err(reason)) => (None, Some(reason.to_string())),
            None => (None, None),
        };
        let strata = responses(&self.selection, observed);
        Ok(PoolMean { quantity: name.to_owned(), weighted, assisted, not_assisted, strata })
    }
}

/// A mean over all items, estimated in two ways.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoolMean {
    /// The quantity, as its column is called.
    pub quantity: String,
    /// From the labels alone, weighted by 1 over the selection probability.
    pub weighted: WeightedMean,
    /// The belief's mean before the labels, corrected by them.
    pub assisted: Option<WeightedMean>,
    /// Why the belief can't help, where it can't.
    pub not_assisted: Option<String>,
    /// What was sent out and what came back; those that did not come back are taken for a random part of their stratum.
    pub strata: Vec<Response>,
}

//! What the labels of an exploring queue say about all items: shares of the classes, or the mean score.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use serde::Serialize;

use judge_uncertainty_core::escalation::{
    NoEstimate, Observed, Response, Selection, WeightedMean, responses, weighted_mean,
};
use judge_uncertainty_core::stats::Interval;
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

    /// How a queue selected things, of which each item of it is a row; `about` numbers the thing of each.
    pub fn by_thing(&self, about: &[usize]) -> Self {
        let number = about.iter().max().map_or(0, |last| last + 1);
        let once = |rows: &[usize]| {
            let mut seen = BTreeSet::new();
            rows.iter().map(|&row| about[row]).filter(|thing| seen.insert(*thing)).collect()
        };
        let mut probability = vec![0.0; number];
        about.iter().zip(&self.selection.probability).for_each(|(&thing, p)| probability[thing] = *p);
        let mean_of = |values: &Vec<f64>| {
            let (mut sums, mut rows) = (vec![0.0; number], vec![0.0; number]);
            about
                .iter()
                .zip(values)
                .for_each(|(&thing, x)| (sums[thing], rows[thing]) = (sums[thing] + x, rows[thing] + 1.0));
            sums.into_iter().zip(rows).map(|(sum, rows)| sum / rows).collect()
        };
        Self {
            selection: Selection {
                ranked: once(&self.selection.ranked),
                drawn: once(&self.selection.drawn),
                probability,
            },
            batches_before: self.batches_before,
            baselines: self.baselines.iter().map(|(name, values)| (name.clone(), mean_of(values))).collect(),
        }
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
        let if_missing = self.if_missing(observed, range, level);
        let strata = responses(&self.selection, observed);
        Ok(PoolMean { quantity: name.to_owned(), weighted, assisted, not_assisted, if_missing, strata })
    }

    /// What the mean can be whatever those would have said that did not come back: the lower end of the interval with all of them at the
    /// lower end of the range, and the upper one with all at the upper end (Manski 1990, "Nonparametric bounds on treatment effects");
    /// `None` where all came back.
    fn if_missing(&self, observed: &[Option<Observed>], range: (f64, f64), level: f64) -> Option<Interval> {
        let selected = || self.selection.ranked.iter().chain(&self.selection.drawn);
        if selected().all(|&i| observed[i].is_some()) {
            return None;
        }
        let filled = |value: f64| {
            let mut observed = observed.to_vec();
            selected().for_each(|&i| observed[i] = observed[i].or(Some(Observed::once(value))));
            weighted_mean(&self.selection, &observed, None, range, level).ok()
        };
        Some(Interval { lo: filled(range.0)?.low, hi: filled(range.1)?.high })
    }
}

/// What is observed of things, the mean over their rows; `about` numbers the thing of each row. How far other experts would say something
/// else is not known of a mean over criteria.
pub fn observed_by_thing(observed: &[Option<Observed>], about: &[usize]) -> Vec<Option<Observed>> {
    let number = about.iter().max().map_or(0, |last| last + 1);
    let (mut sums, mut rows) = (vec![0.0; number], vec![0.0; number]);
    for (row, &thing) in about.iter().enumerate() {
        if let Some(observed) = observed[row] {
            sums[thing] += observed.mean;
            rows[thing] += 1.0;
        }
    }
    sums.iter().zip(&rows).map(|(sum, rows)| (*rows > 0.0).then(|| Observed::once(sum / rows))).collect()
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
    /// What it can be whatever those would have said that did not come back, see [`SelectionFile::estimate`]; `None` where all came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_missing: Option<Interval>,
    /// What was sent out and what came back; those that did not come back are taken for a random part of their stratum.
    pub strata: Vec<Response>,
}

//! The annotators' ratings.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::config::ScoreKind;
use crate::input::config::{Format, StudyFile, Unmatched};
use crate::input::items::Items;
use crate::input::log::{Batch, LabelLog, NewLabel};
use crate::input::source::{Source, read_joined, read_table};
use crate::intake::Known;
use crate::read::{Added, LabelSet, Listed};
use judge_uncertainty_core::belief::{Repeats, Scores};
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::lewidi;
use judge_uncertainty_formats::logs::Rows;
use judge_uncertainty_formats::table::{Column, Row};

/// One rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// Position of the item.
    pub item: usize,
    /// Position of the annotator in [`Ratings::annotators`].
    pub annotator: usize,
    /// The score.
    pub score: f64,
    /// Position in [`Ratings::batches`] of an added rating; `None` for those of the user's file.
    pub batch: Option<usize>,
    /// Line of the file or log, from 1.
    pub line: u64,
}

/// All ratings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ratings {
    /// One by one, those of the user's file first.
    pub rows: Vec<Rating>,
    /// Who gave them, in the order of first appearance.
    pub annotators: Vec<String>,
    /// What was added, in order.
    pub batches: Vec<Batch>,
    blank: usize,
    unknown_rows: usize,
}

impl Ratings {
    /// Ratings by item and annotator, in the order in which they were given.
    pub fn grouped(&self, items: usize) -> Vec<Vec<Vec<f64>>> {
        let mut by_annotator: Vec<BTreeMap<usize, Vec<f64>>> = vec![BTreeMap::new(); items];
        for rating in &self.rows {
            by_annotator[rating.item].entry(rating.annotator).or_default().push(rating.score);
        }
        by_annotator.into_iter().map(|groups| groups.into_values().collect()).collect()
    }

    /// What the belief takes from the ratings, and the variance of repeats, if there are any.
    pub fn scores(&self, items: usize) -> (Vec<Scores>, Option<Repeats>) {
        let grouped = self.grouped(items);
        let repeats = Repeats::pooled(grouped.iter().flatten().map(Vec::as_slice));
        let within = repeats.map(|repeats| repeats.variance);
        let of = |groups: &Vec<Vec<f64>>| Scores::by_annotator(groups.iter().map(Vec::as_slice), within);
        (grouped.iter().map(of).collect(), repeats)
    }

    /// The ratings of all added batches but the first `before`.
    pub fn added_since(&self, before: usize) -> Self {
        let since = self.added_rows().filter(|rating| rating.batch.is_some_and(|batch| batch >= before));
        Self { rows: since.copied().collect(), ..self.clone() }
    }

    /// The added ratings.
    pub fn added_rows(&self) -> impl Iterator<Item = &Rating> {
        self.rows.iter().filter(|rating| rating.batch.is_some())
    }
}

impl<C: ScoreKind> LabelSet<C> for Ratings {
    type Report = RatingsReport;

    fn read(file: &StudyFile<C>, items: &Items, log: &LabelLog, source: &mut Source) -> Result<Self> {
        read(file, items, log, source)
    }

    fn report(&self, items: usize) -> RatingsReport {
        let (scores, _) = self.scores(items);
        let labels: usize = scores.iter().map(|s| s.n as usize).sum();
        RatingsReport {
            ratings: self.rows.len(),
            added: self.added_rows().count(),
            repeats: self.rows.len() - labels,
            labelled_items: scores.iter().filter(|s| s.n > 0).count(),
            most_labels: scores.iter().map(|s| s.n).max().unwrap_or(0),
            annotators: self.annotators.len(),
            blank: self.blank,
            unknown_rows: self.unknown_rows,
        }
    }

    fn unknown_rows(&self) -> usize {
        self.unknown_rows
    }

    fn numbers(&self, items: usize) -> Vec<u32> {
        self.scores(items).0.iter().map(|scores| scores.n).collect()
    }

    fn own(&self) -> Self {
        let rows = self.rows.iter().filter(|r| r.batch.is_none()).copied().collect();
        Self { rows, batches: vec![], ..self.clone() }
    }

    fn added(&self) -> Added<'_> {
        Added { labels: self.added_rows().count(), batches: &self.batches }
    }

    fn listed(&self) -> Vec<Listed> {
        let of = |rating: &Rating| Listed {
            item: rating.item,
            annotator: self.annotators[rating.annotator].clone(),
            value: rating.score.to_string(),
            batch: rating.batch,
        };
        self.rows.iter().map(of).collect()
    }

    fn known(&self, file: &StudyFile<C>) -> Known {
        let mut known = Known::default();
        for r in self.rows.iter().filter(|r| r.batch.is_none()) {
            let place = file.line_of_labels(r.line);
            known.add(r.item, &self.annotators[r.annotator], &r.score.to_string(), "", &place);
        }
        known
    }
}

/// What was found in the file of ratings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatingsReport {
    /// Ratings, added ones included.
    pub ratings: usize,
    /// Ratings from the log of added labels.
    pub added: usize,
    /// Ratings beyond the first of an annotator for an item.
    pub repeats: usize,
    /// Items with at least one rating.
    pub labelled_items: usize,
    /// Most annotators of an item.
    pub most_labels: u32,
    /// Annotators.
    pub annotators: usize,
    /// Blank ratings: missing, no rating.
    pub blank: usize,
    /// Rows of ids that the items don't have, left out.
    pub unknown_rows: usize,
}

/// A score in a cell; `None` if it is blank.
pub(super) fn score(row: &Row<'_>, column: Column, scale: (f64, f64)) -> Result<Option<f64>> {
    let Some(value) = row.optional_number(column)? else { return Ok(None) };
    let (low, high) = scale;
    if !(low..=high).contains(&value) {
        return Err(row.refuse(column, Problem::OutOfRange { value, low, high }));
    }
    Ok(Some(value))
}

/// Reads the annotators' ratings: those of the user's file and those of the log.
fn read<C: ScoreKind>(file: &StudyFile<C>, items: &Items, log: &LabelLog, source: &mut Source) -> Result<Ratings> {
    let mut ratings = Ratings { batches: log.batches.clone(), ..Ratings::default() };
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut add = |ratings: &mut Ratings, item, name: &str, score, batch, line| {
        let next = positions.len();
        let annotator = *positions.entry(name.to_owned()).or_insert(next);
        if annotator == next {
            ratings.annotators.push(name.to_owned());
        }
        ratings.rows.push(Rating { item, annotator, score, batch, line });
    };
    if let Some(config) = &file.config.labels {
        let paths = file.resolve_all(&config.file);
        let lewidi = config.format == Some(Format::LeWiDi);
        let table = match lewidi {
            true => read_joined(&paths, |path| lewidi::read_labels(path, &source.read(path)?, &[]))?,
            false => read_table(&paths, config.format, config.id.as_deref(), Rows::Labels, source)?,
        };
        // Their file names its own columns.
        let names = if lewidi { ["annotator", lewidi::LABEL] } else { [config.annotator.as_str(), &config.score] };
        let [annotator, column] = [table.column(names[0])?, table.column(names[1])?];
        for row in table.rows() {
            let Some(item) = items.of_row(&row, file.config.unmatched, &mut ratings.unknown_rows)? else { continue };
            match score(&row, column, file.config.scale)? {
                Some(score) => add(&mut ratings, item, row.text(annotator)?, score, None, row.line()),
                None => ratings.blank += 1,
            }
        }
    }
    for row in &log.rows {
        let Some(item) = items.ids.position(&row.id) else {
            if file.config.unmatched == Unmatched::Refuse {
                return Err(Error::refused(log.place(row), items.unknown(&row.id)));
            }
            ratings.unknown_rows += usize::from(!items.left_out.contains(&row.id));
            continue;
        };
        let score = parse(&row.value, file.config.scale, log.place(row))?;
        add(&mut ratings, item, &row.annotator, score, Some(row.batch), row.line);
    }
    Ok(ratings)
}

/// A new label's score as the log writes it.
///
/// # Errors
/// No number, or one outside the scale.
pub fn canonical(label: &NewLabel, scale: (f64, f64)) -> Result<String> {
    Ok(parse(&label.value, scale, label.place.clone())?.to_string())
}

fn parse(text: &str, scale: (f64, f64), place: Place) -> Result<f64> {
    let (low, high) = scale;
    match text.trim().parse::<f64>() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        Ok(value) if value.is_finite() => Err(Error::refused(place, Problem::OutOfRange { value, low, high })),
        _ => Err(Error::refused(place, Problem::NotANumber { value: text.to_owned() })),
    }
}

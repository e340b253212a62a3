//! The judge's scores and the annotators' ratings.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::ScoreConfig;
use crate::belief::{Repeats, Scores};
use crate::dataset::error::{Error, Place, Problem, Result};
use crate::dataset::table::{Column, Row};
use crate::stats::{mean, sample_sd};
use crate::study::config::{StudyFile, Unmatched};
use crate::study::intake::log::Batch;
use crate::study::intake::{Known, LabelLog, NewLabel};
use crate::study::items::Items;
use crate::study::source::{Source, read_table};

/// Stated standard deviations are at least this share of the scale's width: none at all would be certainty.
const LEAST_SD: f64 = 1e-6;

/// The judge's scores over its variants, per item.
#[derive(Debug, Clone, Default)]
pub(super) struct JudgeRows {
    pub mean: Vec<Option<f64>>,
    pub variance: Vec<Option<f64>>,
    pub spread: Vec<Option<f64>>,
    pub rows: usize,
    pub failed: usize,
    pub unknown_rows: usize,
    pub variants: Vec<String>,
}

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

    /// The ratings of the user's own file.
    pub fn own(&self) -> Self {
        Self { rows: self.rows.iter().filter(|r| r.batch.is_none()).copied().collect(), ..self.clone() }
    }

    /// All ratings, by item and annotator, with their places.
    pub fn known(&self, file: &StudyFile<ScoreConfig>, items: &Items, log: &LabelLog) -> Known {
        let path = file.resolve(&file.config.labels.file);
        let mut known = Known::default();
        for r in self.rows.iter().filter(|r| r.batch.is_none()) {
            let place = Place::file(&path).at_line(r.line);
            known.add(r.item, &self.annotators[r.annotator], &r.score.to_string(), "", &place);
        }
        for row in &log.rows {
            if let Some(item) = items.ids.position(&row.id) {
                known.add(item, &row.annotator, &row.value, &row.given, &log.place(row));
            }
        }
        known
    }
}

/// What was found in the files of a study of scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreInputs {
    /// Items.
    pub items: usize,
    /// Rows of the judge's file.
    pub judge_rows: usize,
    /// Names of the judge's variants; none without a column of variants.
    pub variants: Vec<String>,
    /// Blank scores of the judge: they are counted and never become scores.
    pub failed_answers: usize,
    /// Items whose judge states no standard deviation; a common one is fitted for them.
    pub without_sd: usize,
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
    /// Texts that the next run has to embed first, as `study check` finds it; not part of a run's results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_embed: Option<usize>,
}

impl ScoreInputs {
    pub(super) fn of(judge: &JudgeRows, ratings: &Ratings, items: usize) -> Self {
        let (scores, _) = ratings.scores(items);
        let labels: usize = scores.iter().map(|s| s.n as usize).sum();
        let answered = judge.mean.iter().zip(&judge.variance).filter(|(mean, _)| mean.is_some());
        Self {
            items,
            judge_rows: judge.rows,
            variants: judge.variants.clone(),
            failed_answers: judge.failed,
            without_sd: answered.filter(|(_, variance)| variance.is_none()).count(),
            ratings: ratings.rows.len(),
            added: ratings.rows.iter().filter(|r| r.batch.is_some()).count(),
            repeats: ratings.rows.len() - labels,
            labelled_items: scores.iter().filter(|s| s.n > 0).count(),
            most_labels: scores.iter().map(|s| s.n).max().unwrap_or(0),
            annotators: ratings.annotators.len(),
            blank: ratings.blank,
            unknown_rows: judge.unknown_rows + ratings.unknown_rows,
            to_embed: None,
        }
    }
}

/// A score in a cell; `None` if it is blank.
fn score(row: &Row<'_>, column: Column, scale: (f64, f64)) -> Result<Option<f64>> {
    let Some(value) = row.optional_number(column)? else { return Ok(None) };
    let (low, high) = scale;
    if !(low..=high).contains(&value) {
        return Err(row.refuse(column, Problem::OutOfRange { value, low, high }));
    }
    Ok(Some(value))
}

/// The item of a row; `None` if it is unknown and may be left out.
fn item(row: &Row<'_>, file: &StudyFile<ScoreConfig>, items: &Items) -> Result<Option<usize>> {
    let item = items.ids.position(row.id());
    if item.is_none() && file.config.unmatched == Unmatched::Refuse {
        let reference = items.file.display().to_string();
        return Err(row.refuse_id(Problem::UnknownId { id: row.id().to_owned(), reference }));
    }
    Ok(item)
}

/// Reads the judge's scores: means over variants, the mean of the stated variances, and the spread of the means.
pub(super) fn read_judge(file: &StudyFile<ScoreConfig>, items: &Items, source: &mut Source) -> Result<JudgeRows> {
    let config = &file.config.judge;
    let table = read_table(&file.resolve(&config.file), config.format, config.id.as_deref(), source)?;
    let optional = |name: &Option<String>| name.as_deref().map(|name| table.column(name)).transpose();
    let (mean_column, sd, variant) = (table.column(&config.mean)?, optional(&config.sd)?, optional(&config.variant)?);
    let width = file.config.scale.1 - file.config.scale.0;
    let mut judge = JudgeRows { rows: table.rows().len(), ..JudgeRows::default() };
    let mut means: Vec<Vec<f64>> = vec![vec![]; items.ids.len()];
    let mut variances = means.clone();
    let mut lines: HashMap<(usize, usize), u64> = HashMap::new();
    for row in table.rows() {
        let Some(item) = item(&row, file, items)? else {
            judge.unknown_rows += 1;
            continue;
        };
        let name = variant.map_or(Ok(""), |column| row.text(column))?;
        let known = judge.variants.iter().position(|known| known == name);
        let position = known.unwrap_or_else(|| {
            judge.variants.push(name.to_owned());
            judge.variants.len() - 1
        });
        if let Some(first_line) = lines.insert((item, position), row.line()) {
            let what = if name.is_empty() { "a score".to_owned() } else { format!("a score of variant {name:?}") };
            return Err(row.refuse_id(Problem::Repeated { what, first_line }));
        }
        let Some(mean) = score(&row, mean_column, file.config.scale)? else {
            judge.failed += 1;
            continue;
        };
        means[item].push(mean);
        if let Some(column) = sd
            && let Some(sd) = row.optional_number(column)?
        {
            if !(LEAST_SD * width..=width).contains(&sd) {
                return Err(row.refuse(column, Problem::OutOfRange { value: sd, low: LEAST_SD * width, high: width }));
            }
            variances[item].push(sd * sd);
        }
    }
    if variant.is_none() {
        judge.variants.clear();
    }
    let average = |values: &Vec<f64>| (!values.is_empty()).then(|| mean(values));
    judge.mean = means.iter().map(average).collect();
    judge.variance = variances.iter().map(average).collect();
    judge.spread = means.iter().map(|values| (values.len() > 1).then(|| sample_sd(values))).collect();
    Ok(judge)
}

/// Reads the annotators' ratings: those of the user's file and those of the log.
pub(super) fn read_ratings(
    file: &StudyFile<ScoreConfig>,
    items: &Items,
    log: &LabelLog,
    source: &mut Source,
) -> Result<Ratings> {
    let config = &file.config.labels;
    let table = read_table(&file.resolve(&config.file), config.format, config.id.as_deref(), source)?;
    let [annotator, column] = [table.column(&config.annotator)?, table.column(&config.score)?];
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
    for row in table.rows() {
        let Some(item) = item(&row, file, items)? else {
            ratings.unknown_rows += 1;
            continue;
        };
        match score(&row, column, file.config.scale)? {
            Some(score) => add(&mut ratings, item, row.text(annotator)?, score, None, row.line()),
            None => ratings.blank += 1,
        }
    }
    for row in &log.rows {
        let Some(item) = items.ids.position(&row.id) else {
            if file.config.unmatched == Unmatched::Refuse {
                let problem = Problem::UnknownId { id: row.id.clone(), reference: items.file.display().to_string() };
                return Err(Error::refused(log.place(row), problem));
            }
            ratings.unknown_rows += 1;
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

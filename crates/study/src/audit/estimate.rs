//! Estimates about all rows of a file from the rows that people labelled.
//!
//! Rows that were drawn at random, or in a way that nobody told, count as a simple random sample; where a column has
//! the probability with which each row was chosen, each counts with 1 over it. A mean over all rows is helped by what
//! the judge predicts of every row (prediction-powered; `labels estimate` uses the same estimator):
//!
//! ```text
//! mean = b mean_all f + mean_labelled (y - b f),   b the slope of y on f among the labelled rows, 0 to 1
//! ```
//!
//! Intervals cover which rows were labelled, and what other people would have said of them; the rows of the file are
//! given.

use serde::Serialize;

use judge_uncertainty_core::escalation::{Observed, Selection, weighted_mean};
use judge_uncertainty_core::stats::sampling::{SamplingDesign, Stage};
use judge_uncertainty_core::stats::{Estimable, Interval, ItemEstimate};

use super::rows::AuditRows;

/// How the labelled rows were chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Labelled {
    /// At random.
    Random,
    /// Each with the probability that a column has.
    Column(String),
    /// Nobody told.
    Unknown,
}

impl std::str::FromStr for Labelled {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "random" => Self::Random,
            "unknown" => Self::Unknown,
            column => Self::Column(column.to_owned()),
        })
    }
}

/// The labelled rows with how they were chosen.
#[derive(Debug)]
pub struct Sample<'r> {
    /// All rows.
    pub rows: &'r AuditRows,
    /// The labelled ones.
    pub labelled: Vec<usize>,
    design: SamplingDesign,
}

impl<'r> Sample<'r> {
    /// The labelled rows.
    ///
    /// # Errors
    /// A labelled row whose probability is missing, or none above 0 and up to 1.
    pub fn new(rows: &'r AuditRows) -> Result<Self, String> {
        let labelled = rows.labelled();
        let things: Vec<usize> = labelled.iter().map(|&row| rows.things[row]).collect();
        let design = match &rows.chances {
            None => SamplingDesign::random(things),
            Some(chances) => {
                let chance = |&row: &usize| {
                    let chance = chances[row].filter(|p| *p > 0.0 && *p <= 1.0);
                    chance.map(Some).ok_or_else(|| {
                        format!("row {:?} is labelled and has no probability above 0 and up to 1", rows.ids[row])
                    })
                };
                let chances = labelled.iter().map(chance).collect::<Result<Vec<_>, _>>()?;
                let stage = Stage::try_unequal(&chances).map_err(|not| not.to_string())?;
                let each = (0..labelled.len()).collect();
                SamplingDesign::from_stages(each, vec![stage], rows.len())
                    .unwrap_or_else(|| SamplingDesign::random(vec![]))
            }
        };
        Ok(Self { rows, labelled, design })
    }

    /// A value of every labelled row.
    pub fn values(&self, of: impl Fn(usize) -> Option<f64>) -> Vec<Option<f64>> {
        self.labelled.iter().map(|&row| of(row)).collect()
    }

    /// The mean of a difference over rows like the labelled ones.
    pub fn difference(&self, of: impl Fn(usize) -> Option<f64>) -> Estimable {
        self.design.difference(&self.values(of), false)
    }

    /// The plain mean over the labelled rows, each with its weight.
    pub fn plain(&self, of: impl Fn(usize) -> Option<f64>) -> Option<f64> {
        self.design.plain_mean(&self.values(of))
    }

    /// A function of means over rows like the labelled ones.
    pub fn function(&self, of: impl Fn(usize) -> Option<Vec<f64>>, f: impl Fn(&[f64]) -> Option<f64>) -> Estimable {
        let rows: Vec<Option<Vec<f64>>> = self.labelled.iter().map(|&row| of(row)).collect();
        self.design.function(&rows, f)
    }

    /// The difference of a value's means over the rows `inside` and the other rows.
    pub fn contrast(&self, value: impl Fn(usize) -> Option<f64>, inside: impl Fn(usize) -> bool) -> Estimable {
        let row = |row: usize| {
            let value = value(row)?;
            let is = f64::from(u8::from(inside(row)));
            Some(vec![is * value, is, (1.0 - is) * value, 1.0 - is])
        };
        self.function(row, |m| (m[1] > 1e-9 && m[3] > 1e-9).then(|| m[0] / m[1] - m[2] / m[3]))
    }

    /// The mean over the rows of a `domain` of what people say, between the ends of `range`, with the help of
    /// `baseline`, which has a number for every row of the domain; its interval holds with probability 1 -
    /// 0.05/`among`.
    pub fn mean(
        &self,
        domain: &[usize],
        observed: impl Fn(usize) -> Option<Observed>,
        baseline: Option<&[f64]>,
        range: (f64, f64),
        among: usize,
    ) -> Estimable {
        let observed: Vec<Option<Observed>> = domain.iter().map(|&row| observed(row)).collect();
        if self.rows.chances.is_some() {
            return self.mean_by_chance(domain, &observed, baseline, range, among);
        }
        let drawn: Vec<usize> = (0..domain.len()).filter(|&i| observed[i].is_some()).collect();
        let items = drawn.len();
        let probability = vec![1.0; domain.len()];
        let selection = Selection { ranked: vec![], drawn, probability };
        let level = 1.0 - 0.05 / among as f64;
        let of = |baseline| weighted_mean(&selection, &observed, baseline, range, level);
        let found = match baseline.map(|baseline| of(Some(baseline))) {
            Some(Ok(helped)) => Ok(helped),
            _ => of(None),
        };
        match found {
            Ok(found) => Estimable::Estimated(ItemEstimate {
                value: found.mean,
                standard_error: found.se,
                lo: found.low,
                hi: found.high,
                items,
            }),
            Err(_) => Estimable::not(format!("{items} labelled rows are too few for an interval")),
        }
    }

    /// A mean over the rows of a domain from labelled rows that were chosen with unequal probabilities.
    fn mean_by_chance(
        &self,
        domain: &[usize],
        observed: &[Option<Observed>],
        baseline: Option<&[f64]>,
        range: (f64, f64),
        among: usize,
    ) -> Estimable {
        let place: std::collections::HashMap<usize, usize> =
            domain.iter().enumerate().map(|(i, &row)| (row, i)).collect();
        let value = |row: usize| place.get(&row).and_then(|&i| observed[i]).map(|found| found.mean);
        let Some(baseline) = baseline else {
            return simultaneous(&self.design.mean(&self.values(value)), among, Some(range));
        };
        let slope = self.slope(value, |row| place.get(&row).map_or(0.0, |&i| baseline[i]));
        let residual = |row: usize| Some(value(row)? - slope * baseline[*place.get(&row)?]);
        let overall = slope * judge_uncertainty_core::stats::mean(baseline);
        let found = simultaneous(&self.design.mean(&self.values(residual)), among, None);
        shifted(&found, overall, range)
    }

    /// The slope of a value on what is predicted of it, 0 to 1.
    fn slope(&self, value: impl Fn(usize) -> Option<f64>, predicted: impl Fn(usize) -> f64) -> f64 {
        let both = |row: usize| Some([value(row)?, predicted(row)]);
        let m = |f: &dyn Fn([f64; 2]) -> f64| self.plain(|row| both(row).map(f)).unwrap_or(0.0);
        let (y, x) = (m(&|v| v[0]), m(&|v| v[1]));
        let (xy, xx) = (m(&|v| (v[0] - y) * (v[1] - x)), m(&|v| (v[1] - x).powi(2)));
        if xx > 0.0 { (xy / xx).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The difference of two systems' means, with the help of what the judge predicts of every row. Rows about one
    /// thing count together.
    pub fn between(
        &self,
        value: impl Fn(usize) -> Option<f64>,
        predicted: impl Fn(usize) -> f64,
        first: impl Fn(usize) -> bool,
    ) -> Estimable {
        let slope = self.slope(&value, &predicted);
        let all = |wanted: bool| {
            let of: Vec<f64> = (0..self.rows.len()).filter(|&row| first(row) == wanted).map(&predicted).collect();
            slope * judge_uncertainty_core::stats::mean(&of)
        };
        let by_judge = all(true) - all(false);
        let found = self.contrast(|row| Some(value(row)? - slope * predicted(row)), &first);
        shifted(&found, by_judge, (f64::NEG_INFINITY, f64::INFINITY))
    }
}

fn shifted(found: &Estimable, by: f64, (low, high): (f64, f64)) -> Estimable {
    match found {
        Estimable::Estimated(found) => Estimable::Estimated(ItemEstimate {
            value: (found.value + by).clamp(low, high),
            lo: (found.lo + by).clamp(low, high),
            hi: (found.hi + by).clamp(low, high),
            ..*found
        }),
        not => not.clone(),
    }
}

/// An interval that holds together with those of `among` others, each by Bonferroni's share of the 5%.
pub fn simultaneous(found: &Estimable, among: usize, range: Option<(f64, f64)>) -> Estimable {
    let (low, high) = range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    match found {
        Estimable::Estimated(found) => {
            let Interval { lo, hi } = found.interval(0.05 / among as f64);
            Estimable::Estimated(ItemEstimate { lo: lo.clamp(low, high), hi: hi.clamp(low, high), ..*found })
        }
        not => not.clone(),
    }
}

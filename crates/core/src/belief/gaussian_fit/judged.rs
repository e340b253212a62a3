//! What is known of the items of a fit of ratings before their labels.

use thiserror::Error;

use crate::belief::design::Design;
use crate::belief::gaussian::Ratings;

/// What a judge says about the ratings of every item.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeScores {
    /// Expected mean mu of the pool's ratings, in units of the rating.
    pub mean: Vec<f64>,
    /// Expected variance s0^2 of the pool's ratings; `None` where the judge states none, and a common one is fitted.
    pub variance: Vec<Option<f64>>,
}

/// What a judge says about the ratings of every item, as a fit reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadScores {
    /// Expected mean of the pool's ratings, on the scale of the ratings.
    pub mean: Vec<f64>,
    /// Expected variance of the pool's ratings; the fitted one where the judge states none.
    pub variance: Vec<f64>,
}

/// Items as the judge left them: everything that is known of them before their labels.
#[derive(Debug, Clone, Copy)]
pub struct JudgedRatings<'a> {
    /// Features of the trust.
    pub design: &'a Design,
    /// What the judge says.
    pub judge: &'a JudgeScores,
    /// The group of each item, counted from 0, for [`super::super::Recalibration::ByGroup`]; empty otherwise.
    pub groups: &'a [usize],
}

/// Why a fit of real-valued labels is refused.
#[derive(Debug, Error, PartialEq)]
pub enum GaussianError {
    /// No item has a label.
    #[error("no item has a label, so there is nothing to learn the trust from: collect labels for some items first")]
    NoLabels,
    /// Tables of different sizes.
    #[error("features, judge, labels and groups must describe the same items: {detail}")]
    Shape {
        /// What differs.
        detail: String,
    },
    /// A number that the likelihood has no use for.
    #[error(
        "the {what} of item {item} (counted from 0) is {value}: give a finite number{}",
        if *what == "judge's variance" { " above 0, or none" } else { "" }
    )]
    Value {
        /// Which number.
        what: &'static str,
        /// The item's position.
        item: usize,
        /// The value.
        value: f64,
    },
    /// A prior that the fit can't use.
    #[error("{option} is {value}, but the fit needs a positive finite number: choose one, or leave it at its default")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        value: f64,
    },
}

/// Refuses items and labels that no likelihood can use; `grouped` where every item needs its group.
pub(super) fn check(items: &JudgedRatings, labels: &[Ratings], grouped: bool) -> Result<(), GaussianError> {
    let JudgedRatings { design, judge, groups } = items;
    let same = judge.mean.len() == labels.len()
        && judge.variance.len() == labels.len()
        && (design.features() == 0 || design.items() == labels.len())
        && (!grouped || groups.len() == labels.len());
    if !same {
        return Err(GaussianError::Shape {
            detail: format!(
                "{} items with features, {} judge's means, {} judge's variances, {} items with labels, {} groups",
                design.items(),
                judge.mean.len(),
                judge.variance.len(),
                labels.len(),
                groups.len()
            ),
        });
    }
    for (item, scores) in labels.iter().enumerate() {
        let wrong = |what, value| Err(GaussianError::Value { what, item, value });
        let (mean, variance) = (judge.mean[item], judge.variance[item]);
        if !mean.is_finite() {
            return wrong("judge's mean", mean);
        }
        if let Some(value) = variance.filter(|v| !(v.is_finite() && *v > 0.0)) {
            return wrong("judge's variance", value);
        }
        if !(scores.mean.is_finite() && scores.squares.is_finite()) {
            return wrong("labels' mean", scores.mean);
        }
    }
    Ok(())
}

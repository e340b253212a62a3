//! What a map that was fitted elsewhere adds to predictions here, and the prior of its weight.

use ndarray::{Array2, ArrayView1, Axis};

/// Standard deviation of the weight of a carried map about 1 before any label here: at 0 the map says nothing.
const SD_OF_WEIGHT: f64 = 0.5;
/// What that counts for beside the labels here, in parameters that they determine.
const DEGREES: f64 = 1.0;

/// The prior of the variance of the weight about 1: what it is before any label, and for how many weights that counts.
pub(super) const PRIOR_OF_VARIANCE: (f64, f64) = (SD_OF_WEIGHT * SD_OF_WEIGHT, DEGREES);

/// What a map that was fitted elsewhere adds to the log predictions of some items.
///
/// ```text
/// u = ln r + w a + what the map here adds,   w ~ N(1, s^2),   a = u' - ln q
/// ```
///
/// with u' the logits of the map that is carried, q the prediction and r the same with the share of guesses found here.
/// The weight w is fitted with the map here, and s^2 by the labels' marginal likelihood with a prior that counts for
/// one label-determined weight of variance 0.25 (a scaled inverse chi-squared one of one degree): 0.25 before any
/// label, when w is 1 and the map stands as it was carried, and larger where labels contradict it, so that w is free to
/// go to 0. What was unknown of the map where it was fitted counts w^2 times.
#[derive(Debug, Clone, PartialEq)]
pub struct CarriedOffsets {
    added: Array2<f64>,
    unknown: Vec<f64>,
}

impl CarriedOffsets {
    pub(super) fn new(added: Array2<f64>, unknown: Vec<f64>) -> Self {
        Self { added, unknown }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.unknown.len()
    }

    /// That of the items at these positions.
    pub fn select(&self, kept: &[usize]) -> Self {
        Self { added: self.added.select(Axis(0), kept), unknown: kept.iter().map(|&i| self.unknown[i]).collect() }
    }

    /// What it adds to the log prediction of item `i`, of mean 0 over the classes.
    pub(in crate::belief) fn added(&self, i: usize) -> ArrayView1<'_, f64> {
        self.added.row(i)
    }

    /// Expected squared error of the carried map's mean that comes from what was unknown of its parameters.
    pub(in crate::belief) fn unknown(&self, i: usize) -> f64 {
        self.unknown[i]
    }
}

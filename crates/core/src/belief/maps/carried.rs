//! What a map that was fitted elsewhere adds to predictions here, and the prior of its weight.

use ndarray::{Array2, ArrayView1, Axis};

/// Prior standard deviation of the weight of a recalibration from another study, about 1; a weight of 0 ignores it.
const SD_OF_WEIGHT: f64 = 0.5;
/// What that counts for beside the labels here, in parameters that they determine.
const DEGREES: f64 = 1.0;

/// The prior of the variance of the weight about 1: what it is before any label, and for how many weights that counts.
pub(super) const PRIOR_OF_VARIANCE: (f64, f64) = (SD_OF_WEIGHT * SD_OF_WEIGHT, DEGREES);

/// The logits that a recalibration fitted on another study adds to the log predictions of some items.
///
/// ```text
/// u = ln r + w a + what the map here adds,   w ~ N(1, s^2),   a = u' - ln q
/// ```
///
/// with u' the logits of the recalibration from the other study, q the prediction and r the prediction with the share
/// of guesses found here. The weight w is fitted together with the recalibration here. s^2 maximises the labels'
/// marginal likelihood under a prior that counts as one label-determined weight of variance 0.25 (a scaled inverse
/// chi-squared with one degree of freedom). Without labels s^2 is 0.25 and w is 1, so the other study's recalibration
/// applies unchanged. Labels that contradict it raise s^2, which lets w go to 0. The other study's uncertainty about
/// its recalibration counts w^2 times.
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

    /// The part of the expected squared error of the recalibrated mean that is due to the other study's uncertainty
    /// about its parameters.
    pub(in crate::belief) fn unknown(&self, i: usize) -> f64 {
        self.unknown[i]
    }
}

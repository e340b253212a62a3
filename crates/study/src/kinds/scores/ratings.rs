//! What the belief takes from the annotators' ratings.

use judge_uncertainty_core::belief::{Ratings, Repeats};

/// The label of each item from its ratings by annotator, items x annotators x ratings; how much an annotator's repeated
/// ratings count is estimated from these ratings.
pub fn labels_of(ratings: &[Vec<Vec<f64>>]) -> Vec<Ratings> {
    let within = Repeats::pooled(ratings.iter().flatten().map(Vec::as_slice)).map(|repeats| repeats.variance);
    let label = |groups: &Vec<Vec<f64>>| Ratings::by_annotator(groups.iter().map(Vec::as_slice), within);
    ratings.iter().map(label).collect()
}

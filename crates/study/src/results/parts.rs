//! The parts of the variance of a fresh label, over items: for labels on a scale.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SPREAD;
use crate::model::kind::{Decomposition, Kind};
use judge_uncertainty_core::belief::{Belief, Repeats};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_core::stats::quantile::percentiles;

/// Means over all items, in squared units of the scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartAverages {
    /// Variance of a fresh label.
    pub total: f64,
    /// Its part that labels cannot reduce.
    pub aleatoric: f64,
    /// Its part that they do.
    pub epistemic: f64,
    /// Noise of an annotator who rates again; `None` without repeats.
    pub within_annotators: Option<f64>,
    /// Disagreement between annotators; `None` without repeats, for then the two are not identified.
    pub between_annotators: Option<f64>,
    /// Degrees of freedom behind the noise; 0 without repeats.
    pub repeats: u32,
    /// 5, 50 and 95 percentiles over items of each part.
    pub over_items: BTreeMap<UncertaintyPart, [f64; 3]>,
}

/// A part of an item's variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UncertaintyPart {
    /// Variance of a fresh label.
    Total,
    /// What labels reduce.
    Epistemic,
    /// What they don't.
    Aleatoric,
    /// Its part within annotators, where ratings were repeated.
    WithinAnnotators,
    /// Its part between annotators, where ratings were repeated.
    BetweenAnnotators,
}

impl PartAverages {
    /// Averages the parts of a decomposition; `repeats` is the noise of annotators who rated again, if any did.
    pub fn new<K: Kind>(decomposition: &Decomposition<K>, repeats: Option<Repeats>) -> Self {
        let mut parts: BTreeMap<UncertaintyPart, Vec<f64>> = [
            (UncertaintyPart::Total, decomposition.map(|b| b.total())),
            (UncertaintyPart::Aleatoric, decomposition.map(|b| b.aleatoric())),
            (UncertaintyPart::Epistemic, decomposition.map(|b| b.epistemic())),
        ]
        .into();
        if let Some(repeats) = repeats {
            let (within, between) =
                parts[&UncertaintyPart::Aleatoric].iter().map(|aleatoric| repeats.split(*aleatoric)).unzip();
            parts.extend([(UncertaintyPart::WithinAnnotators, within), (UncertaintyPart::BetweenAnnotators, between)]);
        }
        let average = |part: UncertaintyPart| parts.get(&part).map(|values| mean(values));
        Self {
            total: mean(&parts[&UncertaintyPart::Total]),
            aleatoric: mean(&parts[&UncertaintyPart::Aleatoric]),
            epistemic: mean(&parts[&UncertaintyPart::Epistemic]),
            within_annotators: average(UncertaintyPart::WithinAnnotators),
            between_annotators: average(UncertaintyPart::BetweenAnnotators),
            repeats: repeats.map_or(0, |repeats| repeats.degrees),
            over_items: parts.iter().map(|(part, values)| (*part, percentiles(values, SPREAD))).collect(),
        }
    }

    /// The parts that are identified, with their means.
    pub fn parts(&self) -> Vec<(UncertaintyPart, f64)> {
        let all = [
            (UncertaintyPart::Total, Some(self.total)),
            (UncertaintyPart::Epistemic, Some(self.epistemic)),
            (UncertaintyPart::Aleatoric, Some(self.aleatoric)),
            (UncertaintyPart::WithinAnnotators, self.within_annotators),
            (UncertaintyPart::BetweenAnnotators, self.between_annotators),
        ];
        all.into_iter().filter_map(|(part, mean)| mean.map(|mean| (part, mean))).collect()
    }
}

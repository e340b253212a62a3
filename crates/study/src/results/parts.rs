//! The parts of the variance of a fresh label, over items: for labels on a scale.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::kind::{Decomposition, Kind};
use crate::results::percentiles::OverItems;
use judge_uncertainty_core::belief::{Belief, Repeats};
use judge_uncertainty_core::stats::mean;

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
    /// Percentiles over items of each part.
    pub over_items: BTreeMap<Part, OverItems>,
}

/// A part of an item's variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
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
        let mut parts: BTreeMap<Part, Vec<f64>> = [
            (Part::Total, decomposition.map(|b| b.total())),
            (Part::Aleatoric, decomposition.map(|b| b.aleatoric())),
            (Part::Epistemic, decomposition.map(|b| b.epistemic())),
        ]
        .into();
        if let Some(repeats) = repeats {
            let (within, between) = parts[&Part::Aleatoric].iter().map(|aleatoric| repeats.split(*aleatoric)).unzip();
            parts.extend([(Part::WithinAnnotators, within), (Part::BetweenAnnotators, between)]);
        }
        let average = |part: Part| parts.get(&part).map(|values| mean(values));
        Self {
            total: mean(&parts[&Part::Total]),
            aleatoric: mean(&parts[&Part::Aleatoric]),
            epistemic: mean(&parts[&Part::Epistemic]),
            within_annotators: average(Part::WithinAnnotators),
            between_annotators: average(Part::BetweenAnnotators),
            repeats: repeats.map_or(0, |repeats| repeats.degrees),
            over_items: parts.iter().map(|(part, values)| (*part, OverItems::new(values))).collect(),
        }
    }

    /// The parts that are identified, with their means.
    pub fn parts(&self) -> Vec<(Part, f64)> {
        let all = [
            (Part::Total, Some(self.total)),
            (Part::Epistemic, Some(self.epistemic)),
            (Part::Aleatoric, Some(self.aleatoric)),
            (Part::WithinAnnotators, self.within_annotators),
            (Part::BetweenAnnotators, self.between_annotators),
        ];
        all.into_iter().filter_map(|(part, mean)| mean.map(|mean| (part, mean))).collect()
    }
}

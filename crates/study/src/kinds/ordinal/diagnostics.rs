//! How far the judge is from ordinal labels, over the items that have enough of them.

use serde::{Deserialize, Serialize};

use super::kind::Ordinal;
use super::scale::{OnPlaces, Places};
use crate::kinds::classes::diagnostics::{Agreement, largest};
use crate::kinds::{bins, correlation_with_error};
use crate::model::kind::Study;
use judge_uncertainty_core::belief::{dirichlet::row, mean_place, place_variance, wasserstein};
use judge_uncertainty_core::stats::{mean, quadratic_kappa, spearman};
use judge_uncertainty_evaluation::ClassScale;

/// The judge's prediction (floored, no labels folded in) against the labels of the evaluated items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrdinalDiagnostics {
    /// Evaluated items.
    pub items: usize,
    /// Mean Wasserstein distance of prediction and label shares, in units of the scale.
    pub mean_error: f64,
    /// Mean squared difference of the mean places, in squared units, less the sampling noise of the labels' mean,
    /// Var(place)/(n - 1), as after escalation. Unbiased, so it may come out below 0.
    pub mean_squared_error: f64,
    /// Mean of the judge's mean place minus the labels': above 0 the judge is too generous.
    pub bias: f64,
    /// Mean Wasserstein distance that comes from the labels alone: what the pool itself, stated exactly, would have
    /// against the labels; see [`NoiseCeiling::all_labels`](judge_uncertainty_evaluation::NoiseCeiling::all_labels).
    pub noise_ceiling: f64,
    /// Mean stated confidence, 0 to 100.
    pub mean_confidence: Option<f64>,
    /// Spearman correlation of the mean places, judge and labels; `None` where undefined.
    pub spearman_mean: Option<f64>,
    /// Spearman correlation of stated confidence with the error.
    pub spearman_confidence_error: Option<f64>,
    /// Spearman correlation of the prediction's variance with the error.
    pub spearman_variance_error: Option<f64>,
    /// Spearman correlation of the spread of the variants with the error.
    pub spearman_spread_error: Option<f64>,
    /// The judge's most probable class against the most frequent label.
    pub agreement: Agreement,
    /// Cohen's kappa of these two, disagreements weighted by the squared distance of their places; `None` where chance
    /// alone agrees.
    pub quadratic_kappa: Option<f64>,
    /// The judge's mean place against that of the labels, from low to high.
    pub calibration: Vec<MeanBin>,
    /// Mean absolute difference of the two over these groups, weighted by items, in units of the scale.
    pub calibration_error: f64,
}

/// Items of similar mean predictions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeanBin {
    /// Lower end of the judge's mean place.
    pub from: f64,
    /// Upper end.
    pub to: f64,
    /// Items.
    pub items: usize,
    /// Mean of the judge's mean places.
    pub judge: f64,
    /// Mean of the labels' mean places.
    pub labels: f64,
    /// Standard error of the latter over items; `None` for one item.
    pub labels_se: Option<f64>,
}

impl OrdinalDiagnostics {
    /// Measures the items at positions `kept`, each with labels; `noise_ceiling` is that of their labels.
    pub fn new(study: &Study<Ordinal>, kept: &[usize], noise_ceiling: f64) -> Self {
        let (judge, counts, scale) = (&study.judge, &study.labels.counts, &study.file.config.scale);
        let places = &scale.places;
        let q = |i: usize| row(judge.predictions.row(i));
        let numbers = |i: usize| -> Vec<f64> { counts.row(i).iter().map(|&c| f64::from(c)).collect() };
        let shares = |i: usize| -> Vec<f64> {
            let n: f64 = numbers(i).iter().sum();
            numbers(i).iter().map(|c| c / n).collect()
        };
        let judged: Vec<f64> = kept.iter().map(|&i| mean_place(q(i), places)).collect();
        let labelled: Vec<f64> = kept.iter().map(|&i| mean_place(&numbers(i), places)).collect();
        let off: Vec<f64> = judged.iter().zip(&labelled).map(|(judge, label)| judge - label).collect();
        let errors: Vec<f64> = kept.iter().map(|&i| wasserstein(q(i), &shares(i), places)).collect();
        let on_places = OnPlaces(places.clone());
        let squared = |i: usize| on_places.squared_error(q(i), &shares(i), numbers(i).iter().sum());
        let correlation = |of: &dyn Fn(usize) -> Option<f64>| correlation_with_error(kept, &errors, of);
        let confidence = &judge.confidence;
        let stated: Vec<f64> = kept.iter().filter_map(|&i| confidence[i]).collect();
        let pairs: Vec<(usize, usize)> =
            kept.iter().map(|&i| (largest(counts.row(i).iter().copied()), largest(q(i).iter().copied()))).collect();
        let calibration = calibration(scale, &judged, &labelled);
        let gap = |bin: &MeanBin| bin.items as f64 * (bin.judge - bin.labels).abs();
        Self {
            items: kept.len(),
            mean_error: mean(&errors),
            mean_squared_error: mean(&kept.iter().map(|&i| squared(i)).collect::<Vec<_>>()),
            bias: mean(&off),
            noise_ceiling,
            mean_confidence: (!stated.is_empty()).then(|| mean(&stated)),
            spearman_mean: spearman(&judged, &labelled),
            spearman_confidence_error: correlation(&|i| confidence[i]),
            spearman_variance_error: correlation(&|i| Some(place_variance(q(i), places))),
            spearman_spread_error: correlation(&|i| judge.spread[i]),
            agreement: Agreement::new(&scale.names, pairs.iter().copied()),
            quadratic_kappa: quadratic_kappa(places, pairs.iter().copied()),
            calibration_error: calibration.iter().map(gap).sum::<f64>() / kept.len() as f64,
            calibration,
        }
    }
}

/// The judge's mean places against those of the labels, by tenths of the scale.
fn calibration(scale: &Places, judged: &[f64], labelled: &[f64]) -> Vec<MeanBin> {
    let low = scale.places[0];
    let pairs = judged.iter().copied().zip(labelled.iter().copied());
    let bin = |[from, to]: [f64; 2], items, [judge, labels]: [f64; 2], labels_se| MeanBin {
        from,
        to,
        items,
        judge,
        labels,
        labels_se,
    };
    bins(low, scale.width(), pairs, bin)
}

//! How far the judge is from the labels, over the items that have enough of them.

use serde::{Deserialize, Serialize};

use super::kind::Classes;
use crate::kinds::{bins, correlation_with_error};
use crate::model::kind::Study;
use judge_uncertainty_core::belief::{dirichlet::row, entropy, manhattan};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_evaluation::{ClassScale, Nominal};

/// Confusions of more classes than this are not listed.
const MOST_CONFUSED: usize = 20;

/// The judge's prediction (floored, no labels folded in) against the labels of the evaluated items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeDiagnostics {
    /// Evaluated items.
    pub items: usize,
    /// Mean Manhattan distance of prediction and label shares, 0 to 2.
    pub mean_error: f64,
    /// Mean squared distance from the pool's shares: sum_j (q_j - p_j)^2 against the label shares p less their sampling
    /// noise (1 - sum_j p_j^2)/(n - 1), as after escalation. Unbiased, so it may come out below 0.
    pub mean_squared_error: f64,
    /// Mean Manhattan distance that comes from the labels alone: what the pool itself, stated exactly, would have
    /// against the labels; see [`NoiseCeiling::all_labels`](judge_uncertainty_evaluation::NoiseCeiling::all_labels).
    pub noise_ceiling: f64,
    /// Mean stated confidence, 0 to 100.
    pub mean_confidence: Option<f64>,
    /// Spearman correlation of stated confidence with the Manhattan error; `None` where undefined.
    pub spearman_confidence_error: Option<f64>,
    /// Spearman correlation of the prediction's entropy with the Manhattan error; `None` where undefined.
    pub spearman_entropy_error: Option<f64>,
    /// Spearman correlation of the spread of the variants with the Manhattan error; `None` where undefined.
    pub spearman_spread_error: Option<f64>,
    /// The judge's most probable class against the most frequent label.
    pub agreement: Agreement,
    /// Stated confidence against how often labels are the judge's most probable class, from low to high confidence.
    pub calibration: Vec<CalibrationBin>,
    /// Mean absolute difference of the two, weighted by items (expected calibration error), 0 to 1.
    pub calibration_error: Option<f64>,
}

/// Agreement on one class per item; ties go to the class named first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Share of items on which the two agree.
    pub observed: f64,
    /// Agreement expected from how often either names each class.
    pub by_chance: f64,
    /// Cohen's kappa, (observed - by chance)/(1 - by chance); `None` where chance alone gives 1.
    pub kappa: Option<f64>,
    /// Share of items with the commonest class among the most frequent labels: what always naming it would reach.
    pub base_rate: f64,
    /// The commonest class.
    pub commonest: String,
    /// Items by most frequent label (rows) and the judge's class (columns); none with more than 20 classes.
    pub confusion: Option<Vec<Vec<usize>>>,
}

/// Items of similar stated confidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Lower end of the stated confidence, 0 to 100.
    pub from: f64,
    /// Upper end.
    pub to: f64,
    /// Items.
    pub items: usize,
    /// Mean stated confidence, 0 to 100.
    pub confidence: f64,
    /// Mean share of labels that are the judge's most probable class, 0 to 1.
    pub hits: f64,
    /// Standard error of that mean over items; `None` for one item.
    pub hits_se: Option<f64>,
}

impl JudgeDiagnostics {
    /// Measures the items at positions `kept`, each with labels; `noise_ceiling` is that of their labels.
    pub fn new(study: &Study<Classes>, kept: &[usize], noise_ceiling: f64) -> Self {
        let (judge, counts) = (&study.judge, &study.labels.counts);
        let q = |i: usize| row(judge.predictions.row(i));
        let shares = |i: usize| -> Vec<f64> {
            let n = f64::from(counts.row(i).sum());
            counts.row(i).iter().map(|&c| f64::from(c) / n).collect()
        };
        let errors: Vec<f64> = kept.iter().map(|&i| manhattan(q(i), &shares(i))).collect();
        let squared = |i: usize| Nominal.squared_error(q(i), &shares(i), f64::from(counts.row(i).sum()));
        let correlation = |of: &dyn Fn(usize) -> Option<f64>| correlation_with_error(kept, &errors, of);
        let confidence = &judge.confidence;
        let stated: Vec<f64> = kept.iter().filter_map(|&i| confidence[i]).collect();
        let hit = |i: usize| shares(i)[largest(q(i).iter().copied())];
        let sure = kept.iter().filter_map(|&i| confidence[i].map(|c| (c, hit(i))));
        let bin = |[from, to]: [f64; 2], items, [confidence, hits]: [f64; 2], hits_se| CalibrationBin {
            from,
            to,
            items,
            confidence,
            hits,
            hits_se,
        };
        let calibration = bins(0.0, 100.0, sure, bin);
        let calibration_error = (!stated.is_empty()).then(|| {
            let gap = |bin: &CalibrationBin| bin.items as f64 * (bin.confidence / 100.0 - bin.hits).abs();
            calibration.iter().map(gap).sum::<f64>() / stated.len() as f64
        });
        Self {
            items: kept.len(),
            mean_error: mean(&errors),
            mean_squared_error: mean(&kept.iter().map(|&i| squared(i)).collect::<Vec<_>>()),
            noise_ceiling,
            mean_confidence: (!stated.is_empty()).then(|| mean(&stated)),
            spearman_confidence_error: correlation(&|i| confidence[i]),
            spearman_entropy_error: correlation(&|i| Some(entropy(q(i)))),
            spearman_spread_error: correlation(&|i| judge.spread[i]),
            agreement: Agreement::new(
                &study.file.config.scale,
                kept.iter().map(|&i| (largest(counts.row(i).iter().copied()), largest(q(i).iter().copied()))),
            ),
            calibration,
            calibration_error,
        }
    }
}

impl Agreement {
    /// Compares pairs of (most frequent label, the judge's class).
    pub fn new(classes: &[String], pairs: impl Iterator<Item = (usize, usize)>) -> Self {
        let k = classes.len();
        let (mut labels, mut judged, mut equal, mut items) = (vec![0.0; k], vec![0.0; k], 0.0, 0.0);
        let mut confusion = (k <= MOST_CONFUSED).then(|| vec![vec![0; k]; k]);
        for (label, judge) in pairs {
            labels[label] += 1.0;
            judged[judge] += 1.0;
            items += 1.0;
            equal += if label == judge { 1.0 } else { 0.0 };
            if let Some(confusion) = &mut confusion {
                confusion[label][judge] += 1;
            }
        }
        let by_chance: f64 = labels.iter().zip(&judged).map(|(a, b)| a / items * (b / items)).sum();
        let observed = equal / items;
        let commonest = largest(labels.iter().copied());
        Self {
            observed,
            by_chance,
            kappa: (by_chance < 1.0).then(|| (observed - by_chance) / (1.0 - by_chance)),
            base_rate: labels[commonest] / items,
            commonest: classes[commonest].clone(),
            confusion,
        }
    }
}

/// Position of the first largest value.
pub fn largest<T: PartialOrd + Copy>(values: impl Iterator<Item = T>) -> usize {
    let better = |best: (usize, T), next: (usize, T)| if next.1 > best.1 { next } else { best };
    values.enumerate().reduce(better).map_or(0, |(k, _)| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_by_hand() {
        // Cohen's (1960) layout: 2x2 with 20, 5, 10, 15 of 50: observed 0.7, by chance 0.5, kappa 0.4.
        let pairs = [(0, 0, 20), (0, 1, 5), (1, 0, 10), (1, 1, 15)];
        let all = pairs.iter().flat_map(|&(a, b, n)| std::iter::repeat_n((a, b), n));
        let found = Agreement::new(&["x".to_owned(), "y".to_owned()], all);
        assert!((found.observed - 0.7).abs() < 1e-15 && (found.by_chance - 0.5).abs() < 1e-15);
        assert!((found.kappa.unwrap() - 0.4).abs() < 1e-15);
        assert_eq!((found.base_rate, found.commonest.as_str()), (0.5, "x"));
        assert_eq!(found.confusion.unwrap(), [[20, 5], [10, 15]]);
        assert_eq!(Agreement::new(&["x".to_owned(), "y".to_owned()], [(0, 0)].into_iter()).kappa, None);
    }
}

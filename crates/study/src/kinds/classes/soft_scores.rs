//! The judge by the metrics of a shared task.
//!
//! LeWiDi-2025 ("Learning with Disagreements") compares predicted with observed label shares, the soft labels. Its
//! perspectivist metrics compare predictions of single annotators, which a judge of the pool does not make.
//!
//! | data set | metric |
//! |---|---|
//! | MP | Manhattan distance, mean over items |
//! | VEN | the same, mean over an item's labels and then over items: here each label is an item, as many for each |
//! | Par, CSC | Wasserstein distance on the places of the classes, mean over items |

use serde::{Deserialize, Serialize};

use super::config::MetricProfile;
use crate::input::labels::Labels;
use judge_uncertainty_core::belief::{dirichlet::row, manhattan};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_formats::judge::JudgeVariants;

/// Decimals to which LeWiDi-2025 rounds an item's Manhattan distance.
const DECIMALS: f64 = 1e5;

/// Distances of the judge's predictions (no floor, no labels folded in) from the shares of labels, over all items with
/// labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SoftScores {
    /// The metrics.
    pub profile: MetricProfile,
    /// Items with labels.
    pub items: usize,
    /// Mean over items of sum_k |q_k - p_k|, each rounded to five decimals; 0 to 2.
    pub manhattan: f64,
    /// Mean over items of sum_k |Q_k - P_k| with Q and P the cumulative sums: classes stand one apart, in the order of
    /// the study; 0 to K - 1.
    pub wasserstein: f64,
}

impl SoftScores {
    /// Measures a judge against labels of the same items.
    pub fn new(answers: &JudgeVariants, labels: &Labels, profile: MetricProfile) -> Self {
        let predicted = answers.aggregate(None).expect("every item of a study has an answer").q;
        let (mut manhattans, mut wassersteins) = (vec![], vec![]);
        for (q, counts) in predicted.rows().into_iter().zip(labels.counts.rows()) {
            let n: u32 = counts.sum();
            if n == 0 {
                continue;
            }
            let p: Vec<f64> = counts.iter().map(|&count| f64::from(count) / f64::from(n)).collect();
            manhattans.push((manhattan(row(q), &p) * DECIMALS).round() / DECIMALS);
            wassersteins.push(wasserstein(row(q), &p));
        }
        Self { profile, items: manhattans.len(), manhattan: mean(&manhattans), wasserstein: mean(&wassersteins) }
    }
}

/// Wasserstein distance of two distributions over classes that stand one apart.
fn wasserstein(q: &[f64], p: &[f64]) -> f64 {
    let steps = q.iter().zip(p).scan(0.0, |ahead, (q, p)| {
        *ahead += q - p;
        Some(f64::abs(*ahead))
    });
    steps.sum()
}

#[cfg(test)]
mod tests {
    use super::wasserstein;

    /// scipy.stats.wasserstein_distance(range(4), range(4), q, p).
    #[test]
    fn wasserstein_by_hand() {
        // All mass moves two places, then a quarter moves three.
        assert_eq!(wasserstein(&[1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 1.0, 0.0]), 2.0);
        assert_eq!(wasserstein(&[0.25, 0.25, 0.25, 0.25], &[0.0, 0.25, 0.25, 0.5]), 0.75);
        assert_eq!(wasserstein(&[0.5, 0.5], &[0.5, 0.5]), 0.0);
    }
}

//! How far the judge's scores are from the annotators', over the items that have enough of them.

use serde::{Deserialize, Serialize};

use super::judge::ScoreJudge;
use super::ratings::Ratings;
use judge_uncertainty_core::stats::{mean, spearman};

/// The judge's mean (no labels folded in) against the mean of the labels of the evaluated items, in units of the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreDiagnostics {
    /// Evaluated items.
    pub items: usize,
    /// Mean absolute difference.
    pub mean_error: f64,
    /// Mean squared difference, in squared units, less the sampling noise of the labels' mean, s^2/n, as after escalation.
    /// Unbiased, so it may come out below 0.
    pub mean_squared_error: f64,
    /// Mean of judge minus labels: above 0 the judge is too generous.
    pub bias: f64,
    /// Mean absolute difference that comes from the labels alone: what the pool itself, stated exactly, would have against
    /// the labels; see [`NoiseCeiling::all_labels`](judge_uncertainty_evaluation::NoiseCeiling::all_labels).
    pub noise_ceiling: f64,
    /// Spearman correlation of the judge's mean with that of the labels; `None` where undefined.
    pub spearman_mean: Option<f64>,
    /// Spearman correlation of the judge's standard deviation with the absolute error, over items that have one.
    pub spearman_sd_error: Option<f64>,
    /// Spearman correlation of the spread of the variants with the absolute error.
    pub spearman_spread_error: Option<f64>,
}

impl ScoreDiagnostics {
    /// Measures the items at positions `kept`, each with labels; `noise_ceiling` is that of their labels.
    pub fn of(judge: &ScoreJudge, ratings: &Ratings, kept: &[usize], noise_ceiling: f64) -> Self {
        let (labels, _) = ratings.scores(judge.scores.mean.len());
        let judged: Vec<f64> = kept.iter().map(|&i| judge.scores.mean[i]).collect();
        let labelled: Vec<f64> = kept.iter().map(|&i| labels[i].mean).collect();
        let off: Vec<f64> = judged.iter().zip(&labelled).map(|(judge, label)| judge - label).collect();
        let noise = |i: usize| labels[i].squares / (f64::from(labels[i].n) * (f64::from(labels[i].n) - 1.0));
        let squared: Vec<f64> = kept.iter().zip(&off).map(|(&i, off)| off * off - noise(i)).collect();
        let correlation = |of: &[Option<f64>]| {
            let both = kept.iter().zip(&off).filter_map(|(&i, off)| of[i].map(|x| (x, off.abs())));
            let (x, errors): (Vec<f64>, Vec<f64>) = both.unzip();
            spearman(&x, &errors)
        };
        Self {
            items: kept.len(),
            mean_error: mean(&off.iter().map(|off| off.abs()).collect::<Vec<_>>()),
            mean_squared_error: mean(&squared),
            bias: mean(&off),
            noise_ceiling,
            spearman_mean: spearman(&judged, &labelled),
            spearman_sd_error: correlation(&judge.scores.variance),
            spearman_spread_error: correlation(&judge.spread),
        }
    }
}

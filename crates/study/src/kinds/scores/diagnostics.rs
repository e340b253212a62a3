//! How far the judge's scores are from the annotators', over the items that have enough of them.

use serde::{Deserialize, Serialize};

use super::kind::Scores;
use super::pool::RatingPool;
use crate::kinds::correlation_with_error;
use crate::model::kind::Study;
use judge_uncertainty_core::belief::{Design, Ratings};
use judge_uncertainty_core::stats::{mean, spearman};
use judge_uncertainty_evaluation::Pool;

/// The judge's mean (no labels folded in) against the mean of the labels of the evaluated items, in units of the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreDiagnostics {
    /// Evaluated items.
    pub items: usize,
    /// Mean absolute difference.
    pub mean_error: f64,
    /// Mean squared difference, in squared units, less the sampling noise of the labels' mean, s^2/n, as after
    /// escalation. Unbiased, so it may come out below 0.
    pub mean_squared_error: f64,
    /// Mean of judge minus labels: above 0 the judge is too generous.
    pub bias: f64,
    /// Mean absolute difference that comes from the labels alone: what the pool itself, stated exactly, would have
    /// against the labels; see [`NoiseCeiling::all_labels`](judge_uncertainty_evaluation::NoiseCeiling::all_labels).
    pub noise_ceiling: f64,
    /// Spearman correlation of the judge's mean with that of the labels; `None` where undefined.
    pub spearman_mean: Option<f64>,
    /// Spearman correlation of the judge's standard deviation with the absolute error, over items that have one.
    pub spearman_sd_error: Option<f64>,
    /// Spearman correlation of the spread of the variants with the absolute error.
    pub spearman_spread_error: Option<f64>,
    /// These figures of the judge as it is read; `None` under a belief that takes its scores as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<ReadDiagnostics>,
}

/// A judge's mean as it is read by fits to the ratings of other items: each fifth of the evaluated items is read by a
/// fit to the others, with one trust for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReadDiagnostics {
    /// Mean absolute difference from the mean of the labels.
    pub mean_error: f64,
    /// Mean squared difference less the sampling noise of the labels' mean.
    pub mean_squared_error: f64,
    /// Mean of judge minus labels.
    pub bias: f64,
}

impl ReadDiagnostics {
    /// Fifths of the items.
    const FOLDS: usize = 5;

    /// Measures the items of a pool, each with labels; `None` where the pool's belief does not read the judge, or can't
    /// be fitted to the others.
    pub fn new(pool: &RatingPool) -> Option<Self> {
        let labels = pool.all();
        let design = Design::constant(pool.len());
        let mut off = vec![0.0; pool.len()];
        for fold in 0..Self::FOLDS {
            let other =
                |(i, labels): (usize, &Ratings)| if i % Self::FOLDS == fold { Ratings::default() } else { *labels };
            let others: Vec<Ratings> = labels.iter().enumerate().map(other).collect();
            let fit = pool.fit(&design, &others).ok()?;
            if fit.readings.is_empty() {
                return None;
            }
            let read = pool.read(&fit).mean;
            (fold..pool.len()).step_by(Self::FOLDS).for_each(|i| off[i] = read[i] - labels[i].mean);
        }
        let squared = |(off, labels): (&f64, &Ratings)| off * off - noise(labels);
        Some(Self {
            mean_error: mean(&off.iter().map(|off| off.abs()).collect::<Vec<_>>()),
            mean_squared_error: mean(&off.iter().zip(&labels).map(squared).collect::<Vec<_>>()),
            bias: mean(&off),
        })
    }
}

/// Expected squared distance of an item's mean label from the pool's mean, s^2/n.
fn noise(labels: &Ratings) -> f64 {
    labels.squares / (f64::from(labels.n) * (f64::from(labels.n) - 1.0))
}

impl ScoreDiagnostics {
    /// Measures the items at positions `kept`, each with labels; `noise_ceiling` is that of their labels.
    pub fn new(study: &Study<Scores>, kept: &[usize], noise_ceiling: f64) -> Self {
        let judge = &study.judge;
        let labels = study.labels.ratings();
        let judged: Vec<f64> = kept.iter().map(|&i| judge.predictions[[i, 0]]).collect();
        let labelled: Vec<f64> = kept.iter().map(|&i| labels[i].mean).collect();
        let off: Vec<f64> = judged.iter().zip(&labelled).map(|(judge, label)| judge - label).collect();
        let squared: Vec<f64> = kept.iter().zip(&off).map(|(&i, off)| off * off - noise(&labels[i])).collect();
        let errors: Vec<f64> = off.iter().map(|off| off.abs()).collect();
        let correlation = |of: &[Option<f64>]| correlation_with_error(kept, &errors, |i| of[i]);
        Self {
            items: kept.len(),
            mean_error: mean(&errors),
            mean_squared_error: mean(&squared),
            bias: mean(&off),
            noise_ceiling,
            spearman_mean: spearman(&judged, &labelled),
            spearman_sd_error: correlation(&judge.variances),
            spearman_spread_error: correlation(&judge.spread),
            read: None,
        }
    }
}

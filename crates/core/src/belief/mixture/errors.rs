//! Errors of the mean that are sums of absolute deviations of shares.

use super::components::Mixture;
use super::look_ahead::{FEW_DRAWS, over_labels};
use crate::belief::beta::beta_mean_deviation;
use crate::belief::dirichlet::Dirichlet;
use crate::stats::beta::beta_cdf;

/// The shares whose deviations an error sums up.
#[derive(Debug, Clone, Copy)]
pub(in crate::belief) enum Cuts<'a> {
    /// Of every class: the Manhattan distance.
    Classes,
    /// Of the classes below each cut between two places, times the distance of these: the Wasserstein distance.
    Places(&'a [f64]),
}

impl Cuts<'_> {
    /// The shares' factors.
    fn factors(&self, classes: usize) -> Vec<f64> {
        match self {
            Self::Classes => vec![1.0; classes],
            Self::Places(places) => places.windows(2).map(|pair| pair[1] - pair[0]).collect(),
        }
    }

    /// Evidence for a share and against it.
    fn evidence(&self, dirichlet: &Dirichlet, share: usize) -> (f64, f64) {
        match self {
            Self::Classes => (dirichlet.alpha()[share], dirichlet.evidence_but(share)),
            Self::Places(_) => {
                let (below, above) = dirichlet.alpha().split_at(share + 1);
                (below.iter().sum(), above.iter().sum())
            }
        }
    }
}

/// Expected error of the mean under the belief itself.
pub(in crate::belief) fn expected_error(belief: &Mixture, cuts: Cuts) -> f64 {
    let of = |(share, factor): (usize, &f64)| {
        let shares: Vec<_> = belief.components().map(|(w, d)| (w, cuts.evidence(&d, share))).collect();
        let mean: f64 = shares.iter().map(|(w, (a, b))| w * (a / (a + b))).sum();
        factor * shares.iter().map(|(w, (a, b))| w * mean_distance(mean, *a, *b)).sum::<f64>()
    };
    cuts.factors(belief.classes()).iter().enumerate().map(of).sum()
}

/// By how much labels are expected to lower the expected error.
pub(in crate::belief) fn expected_reduction(belief: &Mixture, labels: u32, cuts: Cuts) -> f64 {
    if labels == 0 {
        return 0.0;
    }
    let before = expected_error(belief, cuts);
    (before - over_labels(belief, labels, FEW_DRAWS, |after| expected_error(after, cuts))).max(0.0)
}

/// E|X - x| of X ~ Beta(a, b) for 0 <= x <= 1.
///
/// ```text
/// (x - m)(2 F(x) - 1) + MAD (x/m)^a ((1 - x)/(1 - m))^b,     m = a / (a + b)
/// ```
///
/// with F its distribution function and MAD its mean absolute deviation from m: the second term is twice the density's
/// x (1 - x) / (a + b).
fn mean_distance(x: f64, a: f64, b: f64) -> f64 {
    if a <= 0.0 || b <= 0.0 {
        return (x - if a <= 0.0 { 0.0 } else { 1.0 }).abs();
    }
    let (m, rest) = (a / (a + b), b / (a + b));
    let off = x - m;
    if x <= 0.0 || x >= 1.0 {
        return off.abs();
    }
    let density = beta_mean_deviation(a, b) * (a * (off / m).ln_1p() + b * (-off / rest).ln_1p()).exp();
    off * (2.0 * beta_cdf(x, a, b) - 1.0) + density
}

//! What is believed of one item in one component of a map before its labels.

use crate::belief::dirichlet_multinomial::LARGEST_LOG_TRUST;

/// What is unknown of the map never leaves less evidence than this, in labels.
const LEAST_TRUST: f64 = 1e-3;

/// Nodes and weights that integrate polynomials up to degree 13 against the standard normal density (Gauss and
/// Hermite).
const NORMAL: [(f64, f64); 7] = [
    (-3.750_439_717_725_742, 5.482_688_559_722_18e-4),
    (-2.366_759_410_734_541, 3.075_712_396_758_65e-2),
    (-1.154_405_394_739_968, 2.401_231_786_050_127e-1),
    (0.0, 4.571_428_571_428_571e-1),
    (1.154_405_394_739_968, 2.401_231_786_050_127e-1),
    (2.366_759_410_734_541, 3.075_712_396_758_65e-2),
    (3.750_439_717_725_742, 5.482_688_559_722_18e-4),
];

/// What is known of an item before its labels, and how well.
pub(super) struct Before {
    pub(super) mean: Vec<f64>,
    /// Squared error of the mean that comes from the map.
    pub(super) variance: f64,
    pub(super) log_trust: f64,
    variance_of_log_trust: f64,
}

impl Before {
    pub(super) fn new(mean: Vec<f64>, variance: f64, log_trust: f64, variance_of_log_trust: f64) -> Self {
        Self { variance: variance.min(gini(&mean)), mean, log_trust, variance_of_log_trust }
    }

    /// The evidence by class, with what is unknown of the map taken off.
    pub(super) fn alpha(&self) -> Vec<f64> {
        let evidence = self.evidence();
        self.mean.iter().map(|m| evidence * m).collect()
    }

    /// Evidence of the Dirichlet distribution whose expected squared error is that of the mean over what is unknown of
    /// trust and map, no more than if both were known:
    ///
    /// ```text
    /// G / (evidence + 1) = E [(G - var) / (lambda + 1)] + var
    /// ```
    ///
    /// with G 1 less the sum of squares of the mean, var the squared error that comes from the map, and E over ln
    /// lambda, normal about its fitted value.
    pub(super) fn evidence(&self) -> f64 {
        let (sd, gini) = (self.variance_of_log_trust.sqrt(), gini(&self.mean));
        let unknown = self.variance.min(gini);
        let of = |(node, weight): (f64, f64)| {
            let log_trust = (self.log_trust + sd * node).clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST);
            weight * ((gini - unknown) / (log_trust.exp() + 1.0) + unknown)
        };
        let (error, most) = (NORMAL.into_iter().map(of).sum::<f64>(), self.log_trust.exp());
        // Where nothing is unknown, not a bit of rounding.
        if error > gini / (1.0 + most) * (1.0 + 1e-12) {
            (gini / error - 1.0).clamp(LEAST_TRUST.min(most), most)
        } else {
            most
        }
    }
}

/// 1 less the sum of squares.
fn gini(mean: &[f64]) -> f64 {
    1.0 - mean.iter().map(|m| m * m).sum::<f64>()
}

//! What is believed of one item in one component of a map, before and after its labels.

use super::objective::LARGEST_LOG_TRUST;

/// What is unknown of the map never leaves less evidence than this, in labels.
const LEAST_TRUST: f64 = 1e-3;

/// Nodes and weights that integrate polynomials up to degree 13 against the standard normal density (Gauss and Hermite).
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

/// What is known of it with its labels.
pub(super) struct After {
    pub(super) mean: Vec<f64>,
    /// Expected squared error of the mean over what is unknown of trust and map, summed over the classes.
    error: f64,
    /// The evidence there would be, were trust and map known.
    most: f64,
}

impl Before {
    pub(super) fn new(mean: Vec<f64>, variance: f64, log_trust: f64, variance_of_log_trust: f64) -> Self {
        Self { variance: variance.min(gini(&mean)), mean, log_trust, variance_of_log_trust }
    }

    /// With w(lambda) = lambda / (lambda + n), the weight of the prior mean m against the shares s of n labels, l the fitted trust, and
    /// E over ln lambda, normal about ln l:
    ///
    /// ```text
    /// mean   = w(l) m + (1 - w(l)) s
    /// error  = E [(G - w^2 var) / (lambda + n + 1) + w^2 var + (w - w(l))^2 |m - s|^2]
    /// ```
    ///
    /// G being 1 less the sum of squares of the mean at that lambda. The mean is that of the fitted trust, so that what is unknown
    /// of it does not move the belief: under the identity it is the published one.
    pub(super) fn after(&self, counts: &[u32]) -> After {
        let n = f64::from(counts.iter().sum::<u32>());
        let share = |j: usize| if n > 0.0 { f64::from(counts[j]) / n } else { self.mean[j] };
        let sd = self.variance_of_log_trust.sqrt();
        let weight_of = |trust: f64| trust / (trust + n);
        let mean_at =
            |w: f64| -> Vec<f64> { (0..self.mean.len()).map(|j| w * self.mean[j] + (1.0 - w) * share(j)).collect() };
        let apart: f64 = self.mean.iter().enumerate().map(|(j, m)| (m - share(j)).powi(2)).sum();
        let fitted = self.log_trust.exp();
        let mut error = 0.0;
        for (node, weight) in NORMAL {
            let log_trust = (self.log_trust + sd * node).clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST);
            let trust = log_trust.exp();
            let w = weight_of(trust);
            let gini = gini(&mean_at(w));
            let unknown = (w * w * self.variance).min(gini);
            error +=
                weight * ((gini - unknown) / (trust + n + 1.0) + unknown + (w - weight_of(fitted)).powi(2) * apart);
        }
        After { mean: mean_at(weight_of(fitted)), error, most: fitted + n }
    }

    /// Evidence of the Dirichlet distribution of that mean and error, no more than if all were known.
    pub(super) fn evidence(&self, after: &After) -> f64 {
        let gini = gini(&after.mean);
        let known = gini / (1.0 + after.most);
        // Where nothing is unknown, not a bit of rounding.
        if after.error > known * (1.0 + 1e-12) {
            (gini / after.error - 1.0).clamp(LEAST_TRUST.min(after.most), after.most)
        } else {
            after.most
        }
    }
}

/// 1 less the sum of squares.
fn gini(mean: &[f64]) -> f64 {
    1.0 - mean.iter().map(|m| m * m).sum::<f64>()
}

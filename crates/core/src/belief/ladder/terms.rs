//! One item's log-likelihood with its derivatives in its log trust and its logits.

use crate::belief::dirichlet_multinomial::{InTrust, multiply, softmax};
use crate::belief::newton::LogProduct;

/// An item's share of the log-likelihood, differentiated in eta = ln lambda and the logits u of its prior mean q' = softmax(u).
///
/// With a_j = lambda q'_j, f_j = lnG(a_j + c_j) - lnG(a_j), and W_j, V_j the first two derivatives of f_j in ln a_j:
///
/// ```text
/// d/deta     sum W + lambda d,            d2/deta2   sum V + lambda d + lambda^2 e
/// d/du       W - (sum W) q',              d2/deta du V - (sum V) q'
/// d2/du du   diag(V - (sum W) q') - q' V^T - V q'^T + (sum V + sum W) q' q'^T
/// ```
///
/// with d = -sum_{i<n} 1/(lambda + i) and e = sum 1/(lambda + i)^2.
pub(super) struct Terms {
    /// First derivative in eta.
    pub(super) slope: f64,
    /// Second derivative in eta.
    pub(super) bend: f64,
    /// q'.
    pub(super) mean: Vec<f64>,
    /// First derivatives in u.
    pub(super) in_u: Vec<f64>,
    /// Mixed second derivatives.
    pub(super) cross: Vec<f64>,
    /// V.
    pub(super) v: Vec<f64>,
    /// V - (sum W) q'.
    pub(super) diagonal: Vec<f64>,
    /// sum V + sum W.
    pub(super) square: f64,
}

impl Terms {
    pub(super) fn new(classes: usize) -> Self {
        let zeros = || vec![0.0; classes];
        Self {
            slope: 0.0,
            bend: 0.0,
            mean: zeros(),
            in_u: zeros(),
            cross: zeros(),
            v: zeros(),
            diagonal: zeros(),
            square: 0.0,
        }
    }

    /// Multiplies the item's likelihood into `value`.
    pub(super) fn compute(&mut self, log_trust: f64, logits: &[f64], counts: &[u32], value: &mut LogProduct) {
        self.mean.copy_from_slice(logits);
        softmax(&mut self.mean);
        let trust = log_trust.exp();
        let InTrust { slope, bend, sum_w, sum_v } =
            multiply(trust, &self.mean, counts, &mut self.in_u, &mut self.v, value);
        (self.slope, self.bend, self.square) = (slope, bend, sum_v + sum_w);
        for (j, &mean) in self.mean.iter().enumerate() {
            self.in_u[j] -= sum_w * mean;
            self.cross[j] = self.v[j] - sum_v * mean;
            self.diagonal[j] = self.v[j] - sum_w * mean;
        }
    }

    /// The second derivatives in u times a direction.
    pub(super) fn turn(&self, direction: &[f64], out: &mut [f64]) {
        let along = |x: &[f64]| x.iter().zip(direction).map(|(x, d)| x * d).sum::<f64>();
        let (mean, v) = (along(&self.mean), along(&self.v));
        for (j, out) in out.iter_mut().enumerate() {
            let q = self.mean[j];
            *out = self.diagonal[j] * direction[j] - q * v - self.v[j] * mean + self.square * q * mean;
        }
    }
}

/// Log-likelihood of counts under Dir(lambda m), in nats without multinomial coefficients.
pub(super) fn log_likelihood(trust: f64, mean: &[f64], counts: &[u32]) -> f64 {
    let mut value = LogProduct::default();
    let mut n = 0;
    for (m, &c) in mean.iter().zip(counts) {
        (0..c).for_each(|k| value.multiply(trust * m + f64::from(k)));
        n += c;
    }
    (0..n).for_each(|k| value.multiply(1.0 / (trust + f64::from(k))));
    value.ln()
}

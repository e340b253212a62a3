//! One item's labels under the belief before any label, with derivatives in the numbers that parameters move.

use super::contrasts;
use crate::belief::dirichlet_multinomial::{InTrust, multiply, softmax};
use crate::belief::newton::{LogProduct, dot};

/// An item's log-likelihood under one Dirichlet distribution of trust lambda and mean m = softmax(u), differentiated in
/// eta = ln lambda and in the logits u.
///
/// With a_j = lambda m_j, f_j = lnG(a_j + c_j) - lnG(a_j), and W_j, V_j the first two derivatives of f_j in ln a_j:
///
/// ```text
/// d/deta     sum W + lambda d,                d2/deta2   sum V + lambda d + lambda^2 e
/// d/du       W - (sum W) m,                   d2/deta du V - (sum V) m
/// d2/du du   diag(V - (sum W) m) - m V^T - V m^T + (sum V + sum W) m m^T
/// ```
///
/// with d = -sum_{i<n} 1/(lambda + i) and e = sum 1/(lambda + i)^2, c the label counts and n their sum.
#[derive(Clone)]
pub(super) struct LogitDerivatives {
    /// First derivative in eta.
    pub(super) slope: f64,
    /// Second derivative in eta.
    pub(super) bend: f64,
    /// m.
    pub(super) mean: Vec<f64>,
    /// First derivatives in u.
    pub(super) in_u: Vec<f64>,
    /// Mixed second derivatives.
    pub(super) cross: Vec<f64>,
    /// V.
    v: Vec<f64>,
    /// V - (sum W) m.
    diagonal: Vec<f64>,
    /// sum V + sum W.
    square: f64,
}

impl LogitDerivatives {
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

    /// Multiplies the item's likelihood into `value`, without multinomial coefficients.
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
        let (mean, v) = (dot(&self.mean, direction), dot(&self.v, direction));
        for (j, out) in out.iter_mut().enumerate() {
            let q = self.mean[j];
            *out = self.diagonal[j] * direction[j] - q * v - self.v[j] * mean + self.square * q * mean;
        }
    }

    /// The second derivatives in the contrasts of u, into `out` at (row, column) for rows up to columns.
    pub(super) fn bend_contrasts(&self, room: &mut Room, mut out: impl FnMut(usize, usize, f64)) {
        let width = self.mean.len() - 1;
        self.set_contrasts(room);
        contrasts::around(&self.diagonal, &room.contrast, &mut room.bend);
        for m in 0..width {
            for n in m..width {
                let (qm, qn, vm, vn) = (room.mean[m], room.mean[n], room.v[m], room.v[n]);
                out(m, n, room.bend[m * width + n] - qm * vn - vm * qn + self.square * qm * qn);
            }
        }
    }

    fn set_contrasts(&self, room: &mut Room) {
        contrasts::project(&self.mean, &mut room.mean);
        contrasts::project(&self.v, &mut room.v);
        contrasts::project(&self.diagonal, &mut room.contrast);
    }
}

/// Room for the contrasts of one item's numbers.
pub(super) struct Room {
    pub(super) logits: Vec<f64>,
    pub(super) contrast: Vec<f64>,
    mean: Vec<f64>,
    v: Vec<f64>,
    /// (K - 1) x (K - 1).
    bend: Vec<f64>,
}

impl Room {
    pub(super) fn new(classes: usize, bend: bool) -> Self {
        let (zeros, width) = (|n: usize| vec![0.0; n], classes - 1);
        Self {
            logits: zeros(classes),
            contrast: zeros(width),
            mean: zeros(width),
            v: zeros(width),
            bend: zeros(if bend { width * width } else { 0 }),
        }
    }
}

/// [`dot`] of many numbers, in four sums at once: the same whatever the processor.
pub(super) fn long_dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, rest), (b, others)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    sums.iter().sum::<f64>() + dot(rest, others)
}

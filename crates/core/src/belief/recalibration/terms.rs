//! One item's log-likelihood with its derivatives.

use crate::belief::dirichlet_multinomial::{InTrust, multiply, softmax};
use crate::belief::newton::LogProduct;

/// An item's share of the log-likelihood, differentiated in eta = ln lambda and in w = (ln tau, b_2, ..., b_K).
///
/// With u_j = tau ln q_j + b_j, q' = softmax(u) and x_j = ln(lambda q'_j), the classes' terms
/// f_j = lnG(e^x_j + c_j) - lnG(e^x_j) have the derivatives W_j = a D, V_j = a D + a^2 E in x_j, where a = e^x_j,
/// D = sum_{i<c_j} 1/(a + i), E = -sum 1/(a + i)^2. The rest is the chain rule through x_j = eta + u_j - ln sum e^u.
pub(super) struct ItemTerms {
    /// First derivative in eta.
    pub(super) slope: f64,
    /// Second derivative in eta.
    pub(super) bend: f64,
    /// First derivatives in w.
    pub(super) own_slope: Vec<f64>,
    /// Mixed second derivatives in eta and w.
    pub(super) cross: Vec<f64>,
    /// Second derivatives in w, classes x classes, upper triangle; empty where they are not wanted.
    pub(super) own_bend: Vec<f64>,
    q: Vec<f64>,
    w: Vec<f64>,
    v: Vec<f64>,
    sum_w: f64,
    sum_v: f64,
    /// tau ln q_j, the derivative of u_j in ln tau.
    scaled: Vec<f64>,
}

impl ItemTerms {
    /// Room for an item of so many classes, with or without the second derivatives in w.
    pub(super) fn new(classes: usize, own_bend: bool) -> Self {
        let zeros = || vec![0.0; classes];
        Self {
            slope: 0.0,
            bend: 0.0,
            own_slope: zeros(),
            cross: zeros(),
            own_bend: vec![0.0; if own_bend { classes * classes } else { 0 }],
            q: zeros(),
            w: zeros(),
            v: zeros(),
            sum_w: 0.0,
            sum_v: 0.0,
            scaled: zeros(),
        }
    }

    #[inline]
    pub(super) fn compute(
        &mut self,
        log_trust: f64,
        recalibration: Option<&[f64]>,
        log_q: &[f64],
        counts: &[u32],
        value: &mut LogProduct,
    ) {
        let classes = log_q.len();
        let tau = recalibration.map_or(1.0, |w| w[0].exp());
        for j in 0..classes {
            self.scaled[j] = tau * log_q[j];
            let bias = if j == 0 { 0.0 } else { recalibration.map_or(0.0, |w| w[j]) };
            self.q[j] = self.scaled[j] + bias;
        }
        softmax(&mut self.q);

        let trust = log_trust.exp();
        let InTrust { slope, bend, sum_w, sum_v } = multiply(trust, &self.q, counts, &mut self.w, &mut self.v, value);
        (self.slope, self.bend, self.sum_w, self.sum_v) = (slope, bend, sum_w, sum_v);
        if recalibration.is_some() {
            self.slopes();
        }
        if recalibration.is_some() && !self.own_bend.is_empty() {
            self.bends();
        }
    }

    /// First derivatives in w.
    fn slopes(&mut self) {
        let in_u = |j: usize| self.w[j] - self.q[j] * self.sum_w;
        self.own_slope[0] = (0..self.q.len()).fold(0.0, |slope, j| slope + in_u(j) * self.scaled[j]);
        for m in 1..self.q.len() {
            self.own_slope[m] = self.w[m] - self.q[m] * self.sum_w;
        }
    }

    /// Second derivatives in w, and in eta and w.
    fn bends(&mut self) {
        let (classes, sum_w, sum_v) = (self.q.len(), self.sum_w, self.sum_v);
        // Moments under q' of the derivatives of u in ln tau.
        let (mut q_s, mut q_ss, mut v_s, mut v_ss) = (0.0, 0.0, 0.0, 0.0);
        for j in 0..classes {
            let s = self.scaled[j];
            q_s += self.q[j] * s;
            q_ss += self.q[j] * s * s;
            v_s += self.v[j] * s;
            v_ss += self.v[j] * s * s;
        }
        self.cross[0] = v_s - q_s * sum_v;
        self.own_bend[0] = v_ss - 2.0 * v_s * q_s + sum_v * q_s * q_s - sum_w * (q_ss - q_s * q_s) + self.own_slope[0];
        for m in 1..classes {
            let (q, v, s) = (self.q[m], self.v[m], self.scaled[m]);
            self.cross[m] = v - q * sum_v;
            self.own_bend[m] = v * (s - q_s) - q * v_s + q * q_s * sum_v - sum_w * q * (s - q_s);
            for l in m..classes {
                let same = if l == m { v - sum_w * q } else { 0.0 };
                self.own_bend[m * classes + l] = same - v * self.q[l] - self.v[l] * q + q * self.q[l] * (sum_v + sum_w);
            }
        }
    }
}

impl ItemTerms {
    /// What products with the second derivatives need.
    pub(super) fn curvature(&self) -> ItemCurvature {
        ItemCurvature {
            bend: self.bend,
            tau_slope: self.own_slope[0],
            sum_w: self.sum_w,
            sum_v: self.sum_v,
            q: self.q.clone(),
            v: self.v.clone(),
            scaled: self.scaled.clone(),
        }
    }
}

/// An item's second derivatives in eta and w, as products: with V and W as in [`ItemTerms`],
///
/// ```text
/// d2L / du du = diag(V) - q' V^T - V q'^T + (sum V + sum W) q' q'^T - (sum W) diag(q')
/// d2L / deta du = V - (sum V) q'
/// ```
///
/// so a product takes a multiple of K operations, where the matrix has K^2 entries.
pub(super) struct ItemCurvature {
    bend: f64,
    tau_slope: f64,
    sum_w: f64,
    sum_v: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    scaled: Vec<f64>,
}

impl ItemCurvature {
    /// Adds the product with a direction in eta and w: the part in w to `product`; the part in eta is returned.
    pub(super) fn multiply(&self, eta: f64, w: &[f64], product: &mut [f64]) -> f64 {
        let Self { q, v, scaled, sum_w, sum_v, .. } = self;
        let in_u = |j: usize| scaled[j] * w[0] + if j == 0 { 0.0 } else { w[j] };
        let (mut mean, mut along) = (0.0, 0.0);
        for j in 0..q.len() {
            mean += q[j] * in_u(j);
            along += v[j] * in_u(j);
        }
        let mut in_tau = self.tau_slope * w[0];
        for j in 0..q.len() {
            let off = in_u(j) - mean;
            let turned = v[j] * (eta + off) - q[j] * (along + sum_v * (eta - mean) + sum_w * off);
            in_tau += scaled[j] * turned;
            if j > 0 {
                product[j] += turned;
            }
        }
        product[0] += in_tau;
        self.bend * eta + along - sum_v * mean
    }

    /// Adds the second derivatives in each of w by itself.
    pub(super) fn add_diagonal(&self, diagonal: &mut [f64]) {
        let Self { q, v, scaled, sum_w, sum_v, .. } = self;
        let (mut q_s, mut q_ss, mut v_s, mut v_ss) = (0.0, 0.0, 0.0, 0.0);
        for (s, (q, v)) in scaled.iter().zip(q.iter().zip(v)) {
            q_s += q * s;
            q_ss += q * s * s;
            v_s += v * s;
            v_ss += v * s * s;
        }
        diagonal[0] += v_ss - 2.0 * v_s * q_s + sum_v * q_s * q_s - sum_w * (q_ss - q_s * q_s) + self.tau_slope;
        for j in 1..q.len() {
            diagonal[j] += v[j] * (1.0 - 2.0 * q[j]) - sum_w * q[j] + q[j] * q[j] * (sum_v + sum_w);
        }
    }
}

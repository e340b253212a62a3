//! One item's likelihood.

use crate::belief::gaussian::Ratings;
use crate::stats::gamma::ln_gamma_ratio;
use crate::stats::psi::{digamma_excess, trigamma};

/// Position of ln lambda among the parameters in which an item's log-likelihood is differentiated.
pub(super) const LOG_TRUST: usize = 0;
/// Position of nu.
pub(super) const FREEDOM: usize = 1;
/// Position of ln s0^2.
pub(super) const LOG_SCALE: usize = 2;
/// Position of mu, the judge's mean as it is read.
pub(super) const MEAN: usize = 3;

/// One item's log-likelihood with its derivatives in its own parameters, by their positions.
pub(super) struct Terms {
    pub(super) value: f64,
    pub(super) first: [f64; 4],
    pub(super) second: [[f64; 4]; 4],
}

/// Log marginal likelihood of one item's labels with its first two derivatives.
///
/// Differences of nearly equal numbers are avoided, so that derivatives keep their digits as lambda or nu rises.
pub(super) fn item_terms(trust: f64, nu: f64, scale: f64, labels: &Ratings, mean: f64) -> Terms {
    let n = f64::from(labels.n);
    let apart = labels.mean - mean;
    let off = apart.powi(2);
    let q = n / (trust + n);
    let h = trust * q;
    let a = nu * scale;
    // C = B - A, the scatter of the labels.
    let c = labels.squares + h * off;
    let b = a + c;
    let half = 0.5 * (nu + n);
    // First and second derivative of C in ln lambda.
    let (c1, c2) = (h * q * off, h * q * (2.0 * q - 1.0) * off);
    // Minus half the first derivative of C in mu, over B.
    let pull = h * apart / b;
    let ln_b_over_a = (c / a).ln_1p();

    let value = ln_gamma_ratio(0.5 * nu, 0.5 * n)
        - 0.5 * nu * ln_b_over_a
        - 0.5 * n * (b.ln() + std::f64::consts::PI.ln())
        - 0.5 * (n / trust).ln_1p();

    // psi(x + n/2) - psi(x) = ln(1 + n/nu) + e(x + n/2) - e(x), with e(x) = psi(x) - ln x = excess - 1/x.
    let (x, y) = (0.5 * nu, half);
    let psi_difference = (n / nu).ln_1p() + (digamma_excess(y) - 1.0 / y) - (digamma_excess(x) - 1.0 / x);
    let by_nu = 0.5 * (psi_difference - ln_b_over_a + (c - n * scale) / b);
    let s = scale / b;
    let mut first = [0.0; 4];
    first[LOG_TRUST] = 0.5 * q - half * c1 / b;
    first[FREEDOM] = by_nu;
    first[LOG_SCALE] = 0.5 * nu - half * a / b;
    first[MEAN] = 2.0 * half * pull;

    let trust_trust = -0.5 * q * (1.0 - q) - half * (c2 / b - (c1 / b).powi(2));
    let trust_nu = -0.5 * c1 / b + half * c1 / b * s;
    let trust_scale = half * c1 / b * (a / b);
    let nu_nu = 0.25 * (trigamma(y) - trigamma(x)) + 0.5 * (1.0 / nu - 2.0 * s + (nu + n) * s * s);
    let nu_scale = 0.5 * (1.0 - a / b) - half * s * (1.0 - a / b);
    let scale_scale = -half * (a / b) * (c / b);
    let entries = [
        (LOG_TRUST, LOG_TRUST, trust_trust),
        (LOG_TRUST, FREEDOM, trust_nu),
        (LOG_TRUST, LOG_SCALE, trust_scale),
        (FREEDOM, FREEDOM, nu_nu),
        (FREEDOM, LOG_SCALE, nu_scale),
        (LOG_SCALE, LOG_SCALE, scale_scale),
        (LOG_TRUST, MEAN, 2.0 * half * pull * (q - c1 / b)),
        (FREEDOM, MEAN, pull * (1.0 - 2.0 * half * s)),
        (LOG_SCALE, MEAN, -2.0 * half * pull * (a / b)),
        (MEAN, MEAN, -2.0 * half * (h / b - 2.0 * pull * pull)),
    ];
    let mut second = [[0.0; 4]; 4];
    for (i, j, entry) in entries {
        second[i][j] = entry;
        second[j][i] = entry;
    }
    Terms { value, first, second }
}

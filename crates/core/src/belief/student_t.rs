//! One item's ratings under Student's t distribution, with the derivatives that every fit of them needs.
//!
//! | coordinate | is |
//! |---|---|
//! | 0 | ln lambda, the log trust |
//! | 1 | ln(nu - 2) |
//! | 2 | ln s0^2; the judge may state a part of it |
//! | 3 | mu, the judge's mean as it is read, less what all parameters at 0 leave |

use std::ops::RangeInclusive;

use super::engine::{LOG_TRUST, Likelihood, Slopes};
use super::gaussian::Ratings;
use super::newton::LogProduct;
use super::regression::LARGEST_MOVE;
use crate::stats::gamma::ln_gamma_ratio;
use crate::stats::gamma::{digamma_excess, trigamma};

/// Position of ln(nu - 2) among the coordinates.
pub(super) const FREEDOM: usize = 1;
/// Position of ln s0^2.
pub(super) const LOG_SCALE: usize = 2;
/// Position of mu.
pub(super) const MEAN: usize = 3;

/// The likelihood treats nu - 2 as if it stopped at these values: below, the variance is as good as unbounded; above,
/// as good as known.
const FREEDOM_BEYOND_TWO: RangeInclusive<f64> = 1e-3..=1e6;

/// nu as a function of u = ln(nu - 2), and d nu / du, 0 beyond the limits.
pub(super) fn freedom(u: f64) -> (f64, f64) {
    let beyond = u.exp();
    let inside = FREEDOM_BEYOND_TWO.contains(&beyond);
    let held = beyond.clamp(*FREEDOM_BEYOND_TWO.start(), *FREEDOM_BEYOND_TWO.end());
    (2.0 + held, if inside { beyond } else { 0.0 })
}

/// A rated item, with mu and ln s0^2 when all parameters are 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct RatedItem {
    pub(super) labels: Ratings,
    pub(super) mean: f64,
    pub(super) log_scale: f64,
}

/// Ratings as draws from a normal distribution whose mean and variance have a normal-inverse-gamma distribution.
#[derive(Debug, Clone, Copy)]
pub(super) struct StudentT {
    /// What counts as a step of mu, in units of the rating.
    pub(super) unit: f64,
}

impl StudentT {
    /// The log-likelihood of an item's ratings at these coordinates.
    pub(super) fn log_likelihood(item: &RatedItem, at: &[f64]) -> f64 {
        Self::terms(item, at, &mut OfFreedom::default()).0.value
    }

    /// In nu rather than ln(nu - 2), with d nu / d ln(nu - 2).
    fn terms(item: &RatedItem, at: &[f64], room: &mut OfFreedom) -> (Terms, f64) {
        let (nu, slope) = freedom(at[FREEDOM]);
        let scale = (item.log_scale + at[LOG_SCALE]).exp();
        let of_freedom = room.renewed(nu, f64::from(item.labels.n));
        (item_terms(at[LOG_TRUST].exp(), of_freedom, scale, &item.labels, item.mean + at[MEAN]), slope)
    }
}

impl Likelihood for StudentT {
    type Item = RatedItem;
    type Room = OfFreedom;

    /// Along a direction that a step leaves out as flat, a slope can stay for ever.
    const MOST_IDLE: usize = 5;

    fn size(&self) -> usize {
        MEAN + 1
    }

    fn labels(item: &RatedItem) -> f64 {
        f64::from(item.labels.n)
    }

    fn room(&self) -> OfFreedom {
        OfFreedom::default()
    }

    fn differentiate(
        &self,
        item: &RatedItem,
        at: &[f64],
        room: &mut OfFreedom,
        out: &mut Slopes,
        value: &mut LogProduct,
    ) {
        let (terms, slope) = Self::terms(item, at, room);
        value.add(terms.value);
        let per_unit = |at: usize| if at == FREEDOM { slope } else { 1.0 };
        for i in 0..=MEAN {
            out.slope[i] = terms.first[i] * per_unit(i);
            for j in 0..=MEAN {
                out.bend[i * (MEAN + 1) + j] = terms.second[i][j] * per_unit(i) * per_unit(j);
            }
        }
        // d^2 nu / du^2 = d nu / du.
        out.bend[FREEDOM * (MEAN + 1) + FREEDOM] += terms.first[FREEDOM] * slope;
    }

    fn longest(&self, coordinate: usize) -> f64 {
        if coordinate == MEAN { LARGEST_MOVE * self.unit } else { LARGEST_MOVE }
    }
}

/// What of an item's likelihood depends on nu and the number n of its labels alone: items that follow each other mostly
/// share both.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfFreedom {
    nu: f64,
    n: f64,
    /// ln Gamma((nu + n)/2) - ln Gamma(nu/2).
    ln_gammas: f64,
    /// psi((nu + n)/2) - psi(nu/2).
    psi_difference: f64,
    /// psi'((nu + n)/2) - psi'(nu/2).
    trigamma_difference: f64,
}

impl Default for OfFreedom {
    /// Of no item.
    fn default() -> Self {
        let none = f64::NAN;
        Self { nu: none, n: none, ln_gammas: none, psi_difference: none, trigamma_difference: none }
    }
}

impl OfFreedom {
    fn renewed(&mut self, nu: f64, n: f64) -> &Self {
        if (nu, n) != (self.nu, self.n) {
            let (x, y) = (0.5 * nu, 0.5 * (nu + n));
            *self = Self {
                nu,
                n,
                ln_gammas: ln_gamma_ratio(x, 0.5 * n),
                // ln(1 + n/nu) + e(x + n/2) - e(x), with e(x) = psi(x) - ln x = excess - 1/x.
                psi_difference: (n / nu).ln_1p() + (digamma_excess(y) - 1.0 / y) - (digamma_excess(x) - 1.0 / x),
                trigamma_difference: trigamma(y) - trigamma(x),
            };
        }
        self
    }
}

/// One item's log-likelihood with its derivatives in its coordinates, but in nu rather than ln(nu - 2).
struct Terms {
    value: f64,
    first: [f64; 4],
    second: [[f64; 4]; 4],
}

/// Log marginal likelihood of one item's labels with its first two derivatives.
///
/// Differences of nearly equal numbers are avoided, so that derivatives keep their digits as lambda or nu rises.
fn item_terms(trust: f64, of_freedom: &OfFreedom, scale: f64, labels: &Ratings, mean: f64) -> Terms {
    let OfFreedom { nu, n, .. } = *of_freedom;
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

    let value = of_freedom.ln_gammas
        - 0.5 * nu * ln_b_over_a
        - 0.5 * n * (b.ln() + std::f64::consts::PI.ln())
        - 0.5 * (n / trust).ln_1p();

    let by_nu = 0.5 * (of_freedom.psi_difference - ln_b_over_a + (c - n * scale) / b);
    let s = scale / b;
    let mut first = [0.0; 4];
    first[LOG_TRUST] = 0.5 * q - half * c1 / b;
    first[FREEDOM] = by_nu;
    first[LOG_SCALE] = 0.5 * nu - half * a / b;
    first[MEAN] = 2.0 * half * pull;

    let trust_trust = -0.5 * q * (1.0 - q) - half * (c2 / b - (c1 / b).powi(2));
    let trust_nu = -0.5 * c1 / b + half * c1 / b * s;
    let trust_scale = half * c1 / b * (a / b);
    let nu_nu = 0.25 * of_freedom.trigamma_difference + 0.5 * (1.0 / nu - 2.0 * s + (nu + n) * s * s);
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

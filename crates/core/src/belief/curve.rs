//! A smooth curve of the judge's mean score.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// How many waves a curve has.
const WAVES: usize = 16;
/// By so much of its range the interval of a curve is wider than the scores at either end: cosines are level at its
/// ends.
const MARGIN: f64 = 0.25;

/// The basis of a curve: waves of the judge's score with their straight parts removed.
///
/// ```text
/// phi_k(mu) = c (cos(pi k t) - a_k - b_k t) / k^2,  k = 1 ... 16,  t = (mu - low)/(high - low), held within 0 and 1
/// ```
///
/// a_k + b_k t is the line of least squares through the wave over the items' scores, so that the bias and slope beside
/// a curve are those of the line that fits it best; c makes the mean over items of sum_k phi_k^2 1. Under equal
/// variances of its weights a curve is a cubic smoothing spline, whose penalty is the integral of its squared second
/// derivative. Source: Wahba (1990), "Spline models for observational data", chapter 2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Curve {
    low: f64,
    high: f64,
    /// c.
    size: f64,
    /// a_k and b_k.
    lines: Vec<(f64, f64)>,
}

impl Curve {
    /// A curve over these scores; `None` where fewer than three are different.
    pub(super) fn new(scores: &[f64]) -> Option<Self> {
        let (least, most) = scores.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
        if !scores.iter().any(|&x| least < x && x < most) {
            return None;
        }
        let margin = MARGIN * (most - least);
        let mut this = Self { low: least - margin, high: most + margin, size: 1.0, lines: vec![] };
        let places: Vec<f64> = scores.iter().map(|&score| this.place(score)).collect();
        this.lines = (1..=WAVES).map(|k| line(&places, |t| wave(k, t))).collect();
        let square: f64 = scores.iter().flat_map(|&score| this.at(score)).map(|phi| phi * phi).sum();
        this.size = (scores.len() as f64 / square).sqrt();
        Some(this)
    }

    pub(super) fn waves(&self) -> usize {
        self.lines.len()
    }

    /// t.
    fn place(&self, score: f64) -> f64 {
        ((score - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// phi at a score.
    pub(super) fn at(&self, score: f64) -> Vec<f64> {
        let t = self.place(score);
        let phi =
            |(k, (a, b)): (usize, &(f64, f64))| self.size * (wave(k + 1, t) - a - b * t) / ((k + 1) as f64).powi(2);
        self.lines.iter().enumerate().map(phi).collect()
    }

    /// What the curve adds to a score under these weights.
    pub(super) fn adds(&self, score: f64, weights: &[f64]) -> f64 {
        self.at(score).iter().zip(weights).map(|(phi, weight)| phi * weight).sum()
    }

    /// Whether it can be computed with.
    pub(super) fn is_whole(&self) -> bool {
        let lines = self.lines.iter().flat_map(|(a, b)| [a, b]);
        self.low < self.high
            && [&self.low, &self.high, &self.size].into_iter().chain(lines).all(|x| x.is_finite())
            && self.lines.len() == WAVES
    }
}

fn wave(k: usize, t: f64) -> f64 {
    (PI * k as f64 * t).cos()
}

/// Offset and slope of the line of least squares through a function at places that are not all the same.
fn line(places: &[f64], of: impl Fn(f64) -> f64) -> (f64, f64) {
    let n = places.len() as f64;
    let (centre, height) = (places.iter().sum::<f64>() / n, places.iter().map(|&t| of(t)).sum::<f64>() / n);
    let sxx: f64 = places.iter().map(|t| (t - centre).powi(2)).sum();
    let sxy: f64 = places.iter().map(|&t| (t - centre) * (of(t) - height)).sum();
    (height - sxy / sxx * centre, sxy / sxx)
}

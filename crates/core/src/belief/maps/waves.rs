//! Random Fourier features: a Gaussian process that is linear in its parameters.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::random::Stream;

/// Degrees of freedom of the frequencies: a multivariate Student distribution with 3 is the spectrum of the Matern
/// kernel of order 3/2.
const FREEDOM: f64 = 3.0;
/// Length scales in units of the inputs' typical distance; the labels weigh them by a variance for each.
pub(super) const LENGTH_SCALES: [f64; 2] = [0.5, 2.0];

/// Cosines and sines of random projections of standardised inputs.
///
/// With weights of variance s^2, sum_f w_f phi_f(x) is a Gaussian process with mean 0 and, as the number of frequencies
/// grows, the covariance s^2 (1 + r) e^(-r), r = sqrt(3) |x - x'| / length. Source: Rahimi and Recht (2007), "Random
/// features for large-scale kernel machines".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Waves {
    /// One row per frequency, in units of the inputs.
    frequencies: Vec<Vec<f64>>,
}

impl Waves {
    /// So many frequencies over inputs of unit standard deviation each.
    pub(super) fn draw(stream: &mut Stream, inputs: usize, frequencies: usize, length_scale: f64) -> Self {
        let length = length_scale * (inputs as f64).sqrt();
        let frequency = |stream: &mut Stream| -> Vec<f64> {
            let chi2 = 2.0 * stream.gamma(0.5 * FREEDOM);
            let stretch = (FREEDOM / chi2).sqrt() / length;
            (0..inputs).map(|_| stretch * stream.standard_normal()).collect()
        };
        Self { frequencies: (0..frequencies).map(|_| frequency(stream)).collect() }
    }

    /// Whether it has frequencies, all finite, over so many inputs.
    pub(super) fn takes(&self, inputs: usize) -> bool {
        let fits = |row: &Vec<f64>| row.len() == inputs && row.iter().all(|x| x.is_finite());
        !self.frequencies.is_empty() && self.frequencies.iter().all(fits)
    }

    /// Number of features.
    pub(super) fn features(&self) -> usize {
        2 * self.frequencies.len()
    }

    /// Appends the features of an item with these inputs.
    pub(super) fn append(&self, inputs: &[f64], features: &mut Vec<f64>) {
        let height = (1.0 / self.frequencies.len() as f64).sqrt();
        for frequency in &self.frequencies {
            let angle: f64 = frequency.iter().zip(inputs).map(|(w, x)| w * x).sum();
            let angle = angle % TAU;
            features.push(height * angle.cos());
            features.push(height * angle.sin());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The covariance that the features stand for, to the Monte-Carlo error of their number.
    #[test]
    fn many_waves_have_the_covariance_of_matern() {
        let waves = Waves::draw(&mut Stream::new(5), 2, 200_000, 1.0 / 2.0_f64.sqrt());
        let features = |x: [f64; 2]| {
            let mut all = vec![];
            waves.append(&x, &mut all);
            all
        };
        let origin = features([0.0, 0.0]);
        for x in [[0.0, 0.0], [0.3, 0.4], [1.0, -1.0], [3.0, 0.0]] {
            let covariance: f64 = features(x).iter().zip(&origin).map(|(a, b)| a * b).sum();
            let r = 3.0_f64.sqrt() * f64::hypot(x[0], x[1]);
            let want = (1.0 + r) * (-r).exp();
            assert!((covariance - want).abs() < 0.01, "{x:?}: {covariance} for {want}");
        }
    }
}

//! A quantity over replicates: mean, Monte-Carlo standard error, central interval.

use serde::{Deserialize, Serialize};

use super::normal::normal_quantile;
use super::quantile::percentiles;

/// Mean of a quantity over replicates with its spread.
///
/// `mean` = sum x / R; `se` = sd(ddof 1) / sqrt(R), the Monte-Carlo standard error of the mean (0 for one replicate);
/// `lo`, `hi` = the 2.5 and 97.5 percentiles over replicates, linear between order statistics. Same unit as x.
/// Source: the paper's Table 6 (tab:escalation) and its reading in the experiments' protocol.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Mean over replicates.
    pub mean: f64,
    /// Monte-Carlo standard error of the mean.
    pub se: f64,
    /// 2.5 percentile over replicates.
    pub lo: f64,
    /// 97.5 percentile over replicates.
    pub hi: f64,
}

impl Summary {
    /// Summarises one value per replicate, in replicate order.
    ///
    /// # Panics
    /// If `values` is empty.
    pub fn new(values: &[f64]) -> Self {
        assert!(!values.is_empty(), "a summary needs at least one replicate");
        let se = if values.len() < 2 { 0.0 } else { sample_sd(values) / (values.len() as f64).sqrt() };
        let [lo, hi] = percentiles(values, [2.5, 97.5]);
        Self { mean: mean(values), se, lo, hi }
    }

    /// Summarises `f(replicate)` over replicates.
    pub fn over<R>(replicates: &[R], f: impl FnMut(&R) -> f64) -> Self {
        Self::new(&replicates.iter().map(f).collect::<Vec<_>>())
    }
}

/// Arithmetic mean, summed left to right; NaN for an empty slice.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Population standard deviation (divisor n); NaN for an empty slice.
pub fn population_sd(values: &[f64]) -> f64 {
    (squares_about_mean(values) / values.len() as f64).sqrt()
}

/// Sample standard deviation (divisor n - 1); NaN for fewer than two values.
pub fn sample_sd(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return f64::NAN;
    }
    (squares_about_mean(values) / (values.len() as f64 - 1.0)).sqrt()
}

fn squares_about_mean(values: &[f64]) -> f64 {
    let centre = mean(values);
    values.iter().map(|x| (x - centre) * (x - centre)).sum()
}

/// An estimate with its standard error and its central 95% interval by the normal approximation.
///
/// ```text
/// [lo, hi] = value -+ 1.96 standard errors, or that of a logarithm, transformed
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Lower end of the interval.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Estimate {
    /// An estimate whose error is about normal.
    pub fn new(value: f64, standard_error: f64) -> Self {
        let reach = normal_quantile(0.975) * standard_error;
        Self { value, standard_error, lo: value - reach, hi: value + reach }
    }

    /// The estimate of a positive multiple.
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            standard_error: self.standard_error * factor,
            lo: self.lo * factor,
            hi: self.hi * factor,
        }
    }

    /// The estimate of exp(x), by the delta method; its interval is that of x, transformed.
    pub fn exp(self) -> Self {
        let value = self.value.exp();
        Self { value, standard_error: value * self.standard_error, lo: self.lo.exp(), hi: self.hi.exp() }
    }

    /// The interval.
    pub fn interval(&self) -> Interval {
        Interval { lo: self.lo, hi: self.hi }
    }
}

/// An interval; written as `[lo, hi]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "[f64; 2]", from = "[f64; 2]")]
pub struct Interval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl From<[f64; 2]> for Interval {
    fn from([lo, hi]: [f64; 2]) -> Self {
        Self { lo, hi }
    }
}

impl From<Interval> for [f64; 2] {
    fn from(interval: Interval) -> Self {
        [interval.lo, interval.hi]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_error_uses_one_degree_of_freedom() {
        let s = Summary::new(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(s.mean, 2.5);
        assert!((s.se - (5.0_f64 / 3.0).sqrt() / 2.0).abs() < 1e-15);
        // numpy.percentile([1, 2, 3, 4], [2.5, 97.5]) = [1.075, 3.925]
        assert!((s.lo - 1.075).abs() < 1e-15 && (s.hi - 3.925).abs() < 1e-15);
    }

    #[test]
    fn one_replicate_has_no_spread() {
        assert_eq!(Summary::new(&[2.0]), Summary { mean: 2.0, se: 0.0, lo: 2.0, hi: 2.0 });
    }
}

#[cfg(test)]
mod estimate_tests {
    use super::*;

    #[test]
    fn an_interval_follows_its_transformation() {
        let x = Estimate::new(0.5, 0.25);
        assert!((x.hi - (0.5 + 1.959_963_984_540_054 * 0.25)).abs() < 1e-12);
        let y = x.exp();
        assert_eq!((y.value, y.lo, y.hi), (0.5_f64.exp(), x.lo.exp(), x.hi.exp()));
        assert_eq!(x.scaled(2.0).interval(), Interval { lo: 2.0 * x.lo, hi: 2.0 * x.hi });
    }
}

//! An estimate with its uncertainty.

use serde::{Deserialize, Serialize};

use super::normal::normal_quantile;

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
    fn an_interval_follows_its_transformation() {
        let x = Estimate::new(0.5, 0.25);
        assert!((x.hi - (0.5 + 1.959_963_984_540_054 * 0.25)).abs() < 1e-12);
        let y = x.exp();
        assert_eq!((y.value, y.lo, y.hi), (0.5_f64.exp(), x.lo.exp(), x.hi.exp()));
        assert_eq!(x.scaled(2.0).interval(), Interval { lo: 2.0 * x.lo, hi: 2.0 * x.hi });
    }
}

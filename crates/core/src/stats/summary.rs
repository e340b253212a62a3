//! A quantity over replicates: mean, Monte-Carlo standard error, central interval.

use serde::{Deserialize, Serialize};

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

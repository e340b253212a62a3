//! Critical values that are simulated.

use super::quantile::percentile;

/// A quantile of simulated maxima with its Monte-Carlo error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Critical {
    /// The quantile.
    pub value: f64,
    /// Its standard error, from the order statistics one standard deviation of their rank away.
    pub error: f64,
}

impl Critical {
    /// The `level` quantile of B draws: rank B level has a standard deviation of sqrt(B level (1 - level)).
    ///
    /// # Panics
    /// If `draws` is empty.
    pub fn new(mut draws: Vec<f64>, level: f64) -> Self {
        draws.sort_unstable_by(f64::total_cmp);
        let away = 100.0 * (level * (1.0 - level) / draws.len() as f64).sqrt();
        let at = |q: f64| percentile(&draws, q.clamp(0.0, 100.0));
        let (q, value) = (100.0 * level, at(100.0 * level));
        Self { value, error: 0.5 * (at(q + away) - at(q - away)) }
    }
}

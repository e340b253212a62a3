//! How far a count may lie from its promised value before chance can no longer explain it.

use super::beta::beta_cdf;

/// The largest count out of `n` that chance explains where each has probability `p`: more come up with a probability
/// below `chance`.
///
/// P(X > k) = I_p(k + 1, n - k), the regularised incomplete beta function. What simulations that check a promise are
/// held to.
pub fn most_by_chance(n: u64, p: f64, chance: f64) -> u64 {
    (0..n).find(|&k| beta_cdf(p, k as f64 + 1.0, (n - k) as f64) < chance).unwrap_or(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By summing binomial probabilities in Python.
    #[test]
    fn bounds_as_summed_elsewhere() {
        assert_eq!(most_by_chance(60, 0.025, 0.001), 6);
        assert_eq!(most_by_chance(200, 0.05, 0.0001), 23);
        assert_eq!(most_by_chance(40, 0.05, 0.001), 7);
        assert_eq!((most_by_chance(5, 1.0, 0.01), most_by_chance(0, 0.5, 0.01)), (5, 0));
    }
}

//! Variances of blocks of parameters, as the labels' marginal likelihood has them.

/// Every block starts from this variance.
const START: f64 = 0.1;
/// Variances stay between these. A block that comes down to the least moves what it is about by some hundredths; beyond
/// the most they would run off.
pub(super) const LEAST: f64 = 1e-4;
const MOST: f64 = 100.0;
/// A variance changes by at most this factor at once.
const LARGEST_FACTOR: f64 = 10.0;
/// Rounds of variances, at most.
pub(super) const ROUNDS: usize = 40;
/// They end where no variance above ten times the least changes by more than this share.
const ENOUGH: f64 = 0.02;

/// A variance on its way to MacKay's fixed point, |w|^2 / g with g the number of well-determined ones among the
/// parameters w. Source: MacKay (1992), "Bayesian interpolation".
#[derive(Debug, Clone, Copy)]
pub(super) struct FixedPoint {
    /// Where it is.
    pub(super) variance: f64,
}

impl Default for FixedPoint {
    fn default() -> Self {
        Self { variance: START }
    }
}

impl FixedPoint {
    /// On its way from another variance than blocks start from.
    pub(super) fn new(variance: f64) -> Self {
        Self { variance }
    }

    /// Where the labels want none of the parameters.
    pub(super) fn vanish(&mut self) {
        self.variance = LEAST;
    }

    /// Moves it by the squares of the parameters and how many of them the labels determine; whether it is still some
    /// way off.
    pub(super) fn renew(&mut self, square: f64, determined: f64) -> bool {
        self.approach(if determined > 1e-9 { square / determined } else { 0.0 })
    }

    /// Moves it towards what is wanted; whether it is still some way off.
    pub(super) fn approach(&mut self, wanted: f64) -> bool {
        let bounds = (self.variance / LARGEST_FACTOR, self.variance * LARGEST_FACTOR);
        let variance = wanted.clamp(bounds.0, bounds.1).clamp(LEAST, MOST);
        let matters = variance.max(self.variance) > 10.0 * LEAST;
        let moves = matters && (variance / self.variance).ln().abs() > ENOUGH;
        self.variance = variance;
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten parameters whose estimates have errors of a known variance: the fixed point is in closed form.
    #[test]
    fn the_fixed_point_is_that_of_independent_estimates() {
        for (estimate, error) in [(0.5, 0.1), (0.8, 0.001), (3.0, 1.0)] {
            // Shrunk estimates x v/(v + e), determined v/(v + e) each; fixed where x^2 v/(v + e) = v, so v = x^2 - e.
            let want = estimate * estimate - error;
            let (mut point, mut rounds) = (FixedPoint::default(), 0);
            while rounds < ROUNDS {
                let weight = point.variance / (point.variance + error);
                let square = 10.0 * (estimate * weight).powi(2);
                rounds += 1;
                point.renew(square, 10.0 * weight);
            }
            assert!((point.variance / want).ln().abs() < 1e-4, "{} for {want} after {rounds}", point.variance);
        }
    }
}

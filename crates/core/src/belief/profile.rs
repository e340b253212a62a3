//! The profile of a posterior along one parameter, where the normal approximation would not do.

use std::borrow::Cow;

use ndarray::Array2;
use serde::Serialize;

use super::newton::{Objective, Point, maximise};
use super::prior::UNDETERMINED;
use crate::stats::Interval;
use crate::stats::normal::normal_quantile;

/// Points of the grid per standard deviation.
const STEPS_PER_SD: f64 = 12.0;
/// The grid ends where the profile has fallen by so many nats,
const FALL: f64 = 12.0;
/// and the 95% interval where it has fallen by these: half the 95% quantile of chi squared with one degree of freedom.
const FALL_OF_INTERVAL: f64 = 1.920_729_410_347_062;
/// With more parameters the grid would take too long; fits of so many have many labels.
const MOST_PARAMETERS: usize = 40;
/// The grid has no more points than this to either side.
const MOST_STEPS: usize = 400;

/// The profile of the posterior along ln lambda of an item with average features.
///
/// ```text
/// profile(b) = max over the other parameters of (log-likelihood + log prior)
/// interval   = { b : profile(b) >= its maximum - 1.92 }
/// ```
///
/// found on a grid of b about the maximum. 1.92 is half the 95% quantile of chi squared with one degree of freedom: where the
/// posterior is normal this is its central 95% interval, and where it is skewed the interval is so too. Source: Venzon and
/// Moolgavkar (1988), "A method for computing profile-likelihood-based confidence intervals", with the prior in the likelihood.
/// Integrating the other parameters out instead moves the interval up with every feature, and it then held the truth in 0.89 to
/// 0.93 of simulated studies with four features, where it should in 0.95.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Profile {
    /// Where the profile is within 1.92 nats of its maximum.
    pub interval: Interval,
    /// Standard deviation of the density that is proportional to exp(profile).
    pub sd: f64,
    /// Standard deviation of the prior.
    pub prior_sd: f64,
}

impl Profile {
    /// Whether the labels tell at least as much about it as the prior does: the variance is at most half the prior's.
    pub fn determined(&self) -> bool {
        self.sd * self.sd <= UNDETERMINED * self.prior_sd * self.prior_sd
    }

    /// The normal approximation about the maximum.
    fn normal(mode: f64, sd: f64, prior_sd: f64) -> Self {
        let reach = normal_quantile(0.975) * sd;
        Self { interval: Interval { lo: mode - reach, hi: mode + reach }, sd, prior_sd }
    }

    /// The profile along the first parameter of `objective`, whose maximum is at `mode`; `sd` is its standard deviation by the
    /// normal approximation, and sets the grid. With more than 40 parameters the normal approximation is what is given.
    pub(super) fn of_first(objective: &impl Objective, mode: &[f64], sd: f64, prior_sd: f64) -> Self {
        if mode.len() > MOST_PARAMETERS {
            return Self::normal(mode[0], sd, prior_sd);
        }
        let step = sd.min(prior_sd) / STEPS_PER_SD;
        let top = objective.at(mode).value;
        let side = |direction: f64| {
            let mut others = mode[1..].to_vec();
            let mut found = vec![(mode[0], 0.0)];
            for k in 1..=MOST_STEPS {
                let at = mode[0] + direction * step * k as f64;
                let height = best(objective, at, &mut others) - top;
                found.push((at, height));
                if height < -FALL {
                    break;
                }
            }
            found
        };
        let (below, above) = (side(-1.0), side(1.0));
        let interval = Interval { lo: crossing(&below), hi: crossing(&above) };
        let grid = || below.iter().rev().chain(&above[1..]).map(|(x, height)| (*x, height.exp()));
        let mass: f64 = grid().map(|(_, p)| p).sum();
        let mean = grid().map(|(x, p)| x * p).sum::<f64>() / mass;
        let variance = grid().map(|(x, p)| (x - mean) * (x - mean) * p).sum::<f64>() / mass;
        Self { interval, sd: variance.sqrt(), prior_sd }
    }
}

/// Where a side of the profile falls through the interval's end; its last point if it does not.
fn crossing(side: &[(f64, f64)]) -> f64 {
    let through = side.windows(2).find(|pair| pair[1].1 < -FALL_OF_INTERVAL);
    through.map_or(side[side.len() - 1].0, |pair| {
        let share = (pair[0].1 + FALL_OF_INTERVAL) / (pair[0].1 - pair[1].1);
        pair[0].0 + share * (pair[1].0 - pair[0].0)
    })
}

/// The highest value with the first parameter held, searched from `others`, which move to where it is.
fn best(objective: &impl Objective, first: f64, others: &mut Vec<f64>) -> f64 {
    if others.is_empty() {
        return objective.at(&[first]).value;
    }
    let found = maximise(&mut Held { objective, first }, others.clone());
    *others = found.parameters;
    found.at.value
}

/// An objective whose first parameter is held.
struct Held<'a, O> {
    objective: &'a O,
    first: f64,
}

impl<O> Held<'_, O> {
    fn with(first: f64, others: &[f64]) -> Vec<f64> {
        std::iter::once(first).chain(others.iter().copied()).collect()
    }
}

impl<O: Objective> Objective for Held<'_, O> {
    fn at(&self, others: &[f64]) -> Point {
        let Point { value, gradient, hessian, at_limit } = self.objective.at(&Self::with(self.first, others));
        let p = others.len();
        let hessian = Array2::from_shape_fn((p, p), |(a, b)| hessian[[a + 1, b + 1]]);
        Point { value, gradient: gradient[1..].to_vec(), hessian, at_limit }
    }

    fn tolerance(&self) -> f64 {
        self.objective.tolerance()
    }

    fn shorten(&self, step: &mut [f64]) {
        let mut whole = Self::with(0.0, step);
        self.objective.shorten(&mut whole);
        step.copy_from_slice(&whole[1..]);
    }

    fn smooth<'a>(&self, point: &'a Point) -> Cow<'a, Point> {
        Cow::Borrowed(point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// log of b ~ ln Gamma(2, 1), and a second parameter that follows it: -(c - b^2)^2 at any b is 0 at best.
    struct Known;

    impl Objective for Known {
        fn at(&self, x: &[f64]) -> Point {
            let (b, off) = (x[0], x[1] - x[0] * x[0]);
            let value = 2.0 * b - b.exp() - off * off;
            let gradient = vec![2.0 - b.exp() + 4.0 * b * off, -2.0 * off];
            let hessian = ndarray::array![[-b.exp() + 4.0 * off - 8.0 * b * b, 4.0 * b], [4.0 * b, -2.0]];
            Point { value, gradient, hessian, at_limit: 0 }
        }

        fn tolerance(&self) -> f64 {
            1e-10
        }

        fn shorten(&self, _: &mut [f64]) {}
    }

    /// The ends solve 2 b - e^b = 2 ln 2 - 2 - 1.92 (SciPy 1.17, brentq); trigamma(2) is the variance of ln Gamma(2, 1).
    #[test]
    fn the_interval_is_that_of_a_known_profile() {
        let mode = maximise(&mut Known, vec![0.0, 0.0]);
        let profile = Profile::of_first(&Known, &mode.parameters, 0.7, 10.0);
        assert!((profile.interval.lo - -1.1009380313138892_f64).abs() < 2e-3, "{profile:?}");
        assert!((profile.interval.hi - 1.8206173323202064_f64).abs() < 2e-3, "{profile:?}");
        assert!((profile.sd - 0.644_934_066_848_2_f64.sqrt()).abs() < 1e-3, "{profile:?}");
    }
}

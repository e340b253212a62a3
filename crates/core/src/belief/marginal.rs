//! The marginal posterior of one parameter, where the normal approximation would not do.

use std::borrow::Cow;

use ndarray::Array2;
use serde::Serialize;

use super::newton::{Objective, Point, maximise};
use super::prior::UNDETERMINED;
use crate::stats::Interval;
use crate::stats::normal::normal_quantile;

/// Points of the grid per standard deviation.
const STEPS_PER_SD: f64 = 12.0;
/// The grid ends where the density has fallen by this factor's logarithm, in nats.
const FALL: f64 = 12.0;
/// With more parameters the grid would take too long; fits of so many have many labels.
const MOST_PARAMETERS: usize = 40;
/// The grid has no more points than this to either side.
const MOST_STEPS: usize = 400;

/// The marginal posterior of ln lambda of an item with average features.
///
/// ```text
/// log p(b | labels) = max over the other parameters of (log-likelihood + log prior)
///                     - 1/2 ln det(-H of the others there) + constant
/// ```
///
/// on a grid of b about the maximum, H the matrix of second derivatives. With one parameter it is exact up to the grid.
/// Source: Tierney and Kadane (1986), "Accurate approximations for posterior moments and marginal densities".
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Marginal {
    /// Its 2.5 and 97.5 percentiles.
    pub interval: Interval,
    /// Its standard deviation.
    pub sd: f64,
    /// Standard deviation of the prior.
    pub prior_sd: f64,
}

impl Marginal {
    /// Whether the labels tell at least as much about it as the prior does: the variance is at most half the prior's.
    pub fn determined(&self) -> bool {
        self.sd * self.sd <= UNDETERMINED * self.prior_sd * self.prior_sd
    }

    /// The normal approximation about the maximum.
    pub(super) fn normal(mode: f64, sd: f64, prior_sd: f64) -> Self {
        let reach = normal_quantile(0.975) * sd;
        Self { interval: Interval { lo: mode - reach, hi: mode + reach }, sd, prior_sd }
    }

    /// The marginal of the first parameter of `objective`, whose maximum is at `mode`; `sd` is its standard deviation by the
    /// normal approximation, and sets the grid. With more than 40 parameters the normal approximation is what is given.
    pub(super) fn of_first(objective: &impl Objective, mode: &[f64], sd: f64, prior_sd: f64) -> Self {
        if mode.len() > MOST_PARAMETERS {
            return Self::normal(mode[0], sd, prior_sd);
        }
        let step = sd.min(prior_sd) / STEPS_PER_SD;
        let top = log_density(objective, mode[0], &mode[1..]).0;
        let side = |direction: f64| {
            let mut others = mode[1..].to_vec();
            let mut found = vec![];
            for k in 1..=MOST_STEPS {
                let at = mode[0] + direction * step * k as f64;
                let (density, there) = log_density(objective, at, &others);
                others = there;
                found.push((at, (density - top).exp()));
                if density < top - FALL {
                    break;
                }
            }
            found
        };
        let mut grid = side(-1.0);
        grid.reverse();
        grid.push((mode[0], 1.0));
        grid.extend(side(1.0));
        Self::of_grid(&grid, prior_sd)
    }

    /// From equally spaced points with the density at each, by the trapezoid rule.
    fn of_grid(grid: &[(f64, f64)], prior_sd: f64) -> Self {
        let mut below = vec![0.0];
        for pair in grid.windows(2) {
            let last = below[below.len() - 1];
            below.push(last + 0.5 * (pair[0].1 + pair[1].1));
        }
        let all = below[below.len() - 1];
        let quantile = |share: f64| {
            let wanted = share * all;
            let k = below.partition_point(|b| *b < wanted).clamp(1, grid.len() - 1);
            let within = (wanted - below[k - 1]) / (below[k] - below[k - 1]);
            grid[k - 1].0 + within * (grid[k].0 - grid[k - 1].0)
        };
        let mass: f64 = grid.iter().map(|(_, p)| p).sum();
        let mean = grid.iter().map(|(x, p)| x * p).sum::<f64>() / mass;
        let variance = grid.iter().map(|(x, p)| (x - mean) * (x - mean) * p).sum::<f64>() / mass;
        Self { interval: Interval { lo: quantile(0.025), hi: quantile(0.975) }, sd: variance.sqrt(), prior_sd }
    }
}

/// The log density up to a constant, and where the other parameters are best.
fn log_density(objective: &impl Objective, first: f64, others: &[f64]) -> (f64, Vec<f64>) {
    if others.is_empty() {
        return (objective.at(&[first]).value, vec![]);
    }
    let best = maximise(&mut Held { objective, first }, others.to_vec());
    (best.at.value - 0.5 * best.at.curvature().ln_determinant(), best.parameters)
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

    /// A skewed density with a second parameter: b ~ log of a Gamma(2, 1), c | b ~ N(b, e^b).
    struct Known;

    impl Objective for Known {
        fn at(&self, x: &[f64]) -> Point {
            let (b, c) = (x[0], x[1]);
            let (off, variance) = (c - b, b.exp());
            let value = 2.0 * b - b.exp() - 0.5 * b - 0.5 * off * off / variance;
            let gradient = vec![1.5 - b.exp() + off / variance + 0.5 * off * off / variance, -off / variance];
            let hessian = ndarray::array![
                [
                    -b.exp() - 1.0 / variance - 2.0 * off / variance - 0.5 * off * off / variance,
                    1.0 / variance + off / variance
                ],
                [1.0 / variance + off / variance, -1.0 / variance]
            ];
            Point { value, gradient, hessian, at_limit: 0 }
        }

        fn tolerance(&self) -> f64 {
            1e-10
        }

        fn shorten(&self, _: &mut [f64]) {}
    }

    /// The second parameter integrates out exactly, so the quantiles are those of ln Gamma(2, 1) (SciPy 1.17).
    #[test]
    fn quantiles_are_those_of_the_density() {
        let mode = maximise(&mut Known, vec![0.0, 0.0]);
        let marginal = Marginal::of_first(&Known, &mode.parameters, 0.8, 10.0);
        assert!((marginal.interval.lo - 0.242_209_278_543_9_f64.ln()).abs() < 5e-3, "{marginal:?}");
        assert!((marginal.interval.hi - 5.571_643_390_938_9_f64.ln()).abs() < 5e-3, "{marginal:?}");
        assert!((marginal.sd - 0.644_934_066_848_2_f64.sqrt()).abs() < 5e-3, "{marginal:?}");
    }
}

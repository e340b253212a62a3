//! Parameters that are drawn to a common value, as far apart as the ratings show them to be.

use super::layout::Layout;
use crate::belief::fixed_point::{FixedPoint, LEAST};
use crate::belief::maps::Variance;
use crate::belief::newton::Expansion;

/// Parameters that share a variance: x_g = mean + u + w_g with u ~ N(0, common) and w_g ~ N(0, s^2), independent.
///
/// One parameter of every group, or the weights of a curve, where u is 0 (common = 0). With u integrated out the prior
/// of all x_g together is normal about the mean with covariance s^2 1 + common J, J all ones, whose inverse is (1 - a
/// J)/s^2 with a = common/(s^2 + G common), for G parameters.
pub(super) struct Pooled {
    name: &'static str,
    positions: Vec<usize>,
    mean: f64,
    common: f64,
    /// Squared units of the ratings per unit of s^2.
    unit: f64,
    spread: FixedPoint,
}

/// The block of a curve's weights.
pub(super) const OF_CURVE: &str = "curve";

type Parameters = (&'static str, bool, Vec<usize>);

/// Names, whether they are counted in units of the rating, and positions.
fn of_groups(layout: &Layout) -> Vec<Parameters> {
    let of = |name, of_rating, at: &dyn Fn(usize) -> Option<usize>| {
        (name, of_rating, (0..layout.groups).filter_map(at).collect::<Vec<_>>())
    };
    let mut all = vec![
        of("biases of groups", true, &|g| layout.bias(g)),
        of("slopes of groups", false, &|g| layout.slope(g)),
        of("ln factors of groups", false, &|g| layout.factor(g)),
        of("ln s0^2 of groups", false, &|g| layout.variance(g)),
    ];
    all.retain(|(.., positions)| positions.len() > 1);
    all
}

fn of_curve(layout: &Layout) -> Vec<Parameters> {
    let positions: Vec<usize> = layout.curve().collect();
    if positions.is_empty() { vec![] } else { vec![(OF_CURVE, true, positions)] }
}

impl Pooled {
    /// What a layout has, given the priors that values for all items have; `unit` is that of the ratings.
    pub(super) fn all(layout: &Layout, means: &[f64], sds: &[f64], unit: f64) -> Vec<Self> {
        let block = |(name, of_rating, positions): Parameters, mean: f64, common: f64| {
            let unit = if of_rating { unit * unit } else { 1.0 };
            Self { name, positions, mean, common, unit, spread: FixedPoint::default() }
        };
        let of_groups = of_groups(layout).into_iter().map(|of| {
            let first = of.2[0];
            block(of, means[first], sds[first] * sds[first])
        });
        of_groups.chain(of_curve(layout).into_iter().map(|of| block(of, 0.0, 0.0))).collect()
    }

    /// Names of the blocks of a layout whose variances are fitted.
    pub(super) fn names(layout: &Layout) -> Vec<&'static str> {
        of_groups(layout).into_iter().chain(of_curve(layout)).map(|(name, ..)| name).collect()
    }

    /// a.
    fn share(&self) -> f64 {
        let groups = self.positions.len() as f64;
        if self.common.is_finite() { self.common / (self.spread.variance + groups * self.common) } else { 1.0 / groups }
    }

    pub(super) fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// Standard deviation of one parameter before any rating.
    pub(super) fn sd(&self) -> f64 {
        (self.spread.variance + self.common).sqrt()
    }

    fn off(&self, parameters: &[f64]) -> (Vec<f64>, f64) {
        let off: Vec<f64> = self.positions.iter().map(|&k| parameters[k] - self.mean).collect();
        let sum = off.iter().sum();
        (off, sum)
    }

    /// Log density up to a constant.
    pub(super) fn log_density(&self, parameters: &[f64]) -> f64 {
        let (off, sum) = self.off(parameters);
        let squares: f64 = off.iter().map(|x| x * x).sum();
        -0.5 * (squares - self.share() * sum * sum) / self.spread.variance
    }

    /// Adds slope and curvature.
    pub(super) fn add(&self, parameters: &[f64], point: &mut Expansion) {
        let ((off, sum), share, variance) = (self.off(parameters), self.share(), self.spread.variance);
        for (&k, off) in self.positions.iter().zip(&off) {
            point.gradient[k] -= (off - share * sum) / variance;
            point.hessian[[k, k]] -= 1.0 / variance;
            for &l in &self.positions {
                point.hessian[[k, l]] += share / variance;
            }
        }
    }

    /// How many of the w_g the ratings determine: G less the trace over s^2 of their posterior covariance, which with u
    /// integrated out given the x_g is (1 - a J) S (1 - a J) + a s^2 J for S that of the x_g.
    fn determined(&self, covariance: &[Vec<f64>]) -> f64 {
        let (share, groups) = (self.share(), self.positions.len() as f64);
        let entry = |k: &usize, l: &usize| covariance[*k][*l];
        let trace: f64 = self.positions.iter().map(|k| entry(k, k)).sum();
        let all: f64 = self.positions.iter().map(|k| self.positions.iter().map(|l| entry(k, l)).sum::<f64>()).sum();
        let unknown = trace - (2.0 * share - share * share * groups) * all;
        (groups * (1.0 - share) - unknown / self.spread.variance).clamp(0.0, groups)
    }

    /// One step of the spread's fixed point; whether it is still some way off.
    pub(super) fn renew(&mut self, parameters: &[f64], covariance: &[Vec<f64>]) -> bool {
        let ((off, sum), share) = (self.off(parameters), self.share());
        let square: f64 = off.iter().map(|x| (x - share * sum).powi(2)).sum();
        let determined = self.determined(covariance);
        self.spread.renew(square, determined)
    }

    /// s^2 as results have it, 0 where it has come down to the least.
    pub(super) fn found(&self, covariance: &[Vec<f64>]) -> Variance {
        let variance = if self.spread.variance > LEAST { self.spread.variance * self.unit } else { 0.0 };
        let (block, parameters) = (self.name.to_owned(), self.positions.len());
        Variance { block, parameters, variance, determined: self.determined(covariance) }
    }

    /// Takes the one of these variances that is its own.
    pub(super) fn take(&mut self, variances: &[Variance]) {
        let own = variances.iter().find(|of| of.block == self.name);
        own.into_iter().for_each(|of| self.spread.variance = (of.variance / self.unit).max(LEAST));
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;

    /// Estimates of seven parameters with normal errors of a known variance: the evidence is in closed form, y ~
    /// N(mean, (s^2 + e) 1 + common J), and highest where the fixed point ends.
    #[test]
    fn the_fixed_point_is_where_normal_evidence_is_highest() {
        let y = DVector::from_vec(vec![1.3, 0.2, -0.9, 2.1, 0.4, 1.7, -0.3]);
        for (mean, common, error) in [(0.0, 0.5, 0.3), (1.0, 0.25, 0.05), (0.0, 0.0, 0.4)] {
            let spread = FixedPoint::default();
            let mut pooled = Pooled { name: "", positions: (0..7).collect(), mean, common, unit: 1.0, spread };
            let prior = |v: f64, more: f64| DMatrix::from_fn(7, 7, |i, j| common + if i == j { v + more } else { 0.0 });
            for _ in 0..2000 {
                let precision = prior(pooled.spread.variance, 0.0).try_inverse().unwrap();
                let covariance = (precision + DMatrix::identity(7, 7) / error).try_inverse().unwrap();
                let x = (&covariance * y.map(|y| (y - mean) / error)).map(|x| x + mean);
                let rows: Vec<Vec<f64>> = covariance.row_iter().map(|row| row.iter().copied().collect()).collect();
                pooled.renew(x.as_slice(), &rows);
            }
            let evidence = |v: f64| {
                let (of, off) = (prior(v, error), y.map(|y| y - mean));
                -0.5 * (of.determinant().ln() + off.dot(&(of.try_inverse().unwrap() * &off)))
            };
            let v = pooled.spread.variance;
            let (slope, bend) = (
                (evidence(v * 1.001) - evidence(v / 1.001)) / 0.002,
                (evidence(v * 1.01) + evidence(v / 1.01) - 2.0 * evidence(v)) / 1e-4,
            );
            assert!(v > 0.1 && slope.abs() < 1e-5 && bend < -0.1, "{v}: {slope} {bend}");
        }
    }
}

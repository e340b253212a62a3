//! The search for a map: its parameters at the maximum, its variances by the labels' marginal likelihood.

use super::carried::{FIRST_VARIANCE, variance_of_weight};
use super::layout::{MapLayout, TermBlock, TermKind};
use super::objective::Posterior;
use crate::belief::fixed_point::{FixedPoint, LEAST, ROUNDS};
use crate::belief::newton::{Curvature, Maximum, maximise_with_curvature};
use crate::belief::regression::Regression;
use serde::{Deserialize, Serialize};

/// How loosely the search for the parameters may end while the variances still move. It leaves them some hundredths off
/// their fixed point (4% at most against the independent program of `tests/golden/ladder`), which moves means by some
/// thousandths.
pub(super) const LOOSE: f64 = 1e8;

/// The variance of a block of parameters, as the labels' marginal likelihood has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variance {
    /// What the parameters are for.
    pub block: String,
    /// How many there are.
    pub parameters: usize,
    /// The variance; 0 where the labels want none of them.
    pub variance: f64,
    /// How many of them the labels determine, 0 to all.
    pub determined: f64,
}

/// Parameters that share a variance.
pub(super) struct VarianceBlock {
    pub(super) name: &'static str,
    /// Their positions.
    pub(super) positions: Vec<usize>,
    pub(super) point: FixedPoint,
    /// Whether it is the weight of a carried map, whose variance has a prior.
    carried: bool,
}

impl VarianceBlock {
    /// Those of a map, in its order.
    pub(super) fn of_map(layout: &MapLayout, posterior: &Posterior) -> Vec<Self> {
        let shape = &posterior.shape;
        let of_block = |block: TermBlock| {
            let vectors = block.vectors.map(|s| 1 + shape.features + s);
            let numbers = |m: usize| block.numbers.clone().map(move |f| shape.of_numbers(m).start + f);
            let carried = block.kind == TermKind::Carried;
            Self {
                name: block.kind.name(),
                positions: vectors.chain((0..shape.width()).flat_map(numbers)).collect(),
                point: if carried { FixedPoint::new(FIRST_VARIANCE) } else { FixedPoint::default() },
                carried,
            }
        };
        layout.blocks().into_iter().map(of_block).collect()
    }

    pub(super) fn is_carried(&self) -> bool {
        self.carried
    }

    /// How many of its parameters the labels determine rather than its variance.
    fn determined(&self, variances: &[f64]) -> f64 {
        let trace: f64 = self.positions.iter().map(|&k| variances[k].max(0.0)).sum();
        let size = self.positions.len() as f64;
        (size - trace / self.point.variance).clamp(0.0, size)
    }

    /// One step of the fixed point; whether the variance still moves.
    fn renew(&mut self, off: impl Fn(usize) -> f64, variances: &[f64]) -> bool {
        let square: f64 = self.positions.iter().map(|&k| off(k) * off(k)).sum();
        let determined = self.determined(variances);
        match self.carried {
            true => self.point.approach(variance_of_weight(square, determined)),
            false => self.point.renew(square, determined),
        }
    }

    /// Its variance as results have it: 0 where the labels want none of its parameters.
    pub(super) fn found(&self, variances: &[f64]) -> Variance {
        let gone = self.point.variance <= LEAST;
        Variance {
            block: self.name.to_owned(),
            parameters: self.positions.len(),
            variance: if gone { 0.0 } else { self.point.variance },
            determined: if gone { 0.0 } else { self.determined(variances) },
        }
    }
}

/// A search with its blocks of parameters.
pub(super) struct VarianceSearch {
    pub(super) posterior: Posterior,
    pub(super) blocks: Vec<VarianceBlock>,
}

impl VarianceSearch {
    /// Gives every parameter of a block the block's variance.
    pub(super) fn spread_variances(&mut self) {
        for block in &self.blocks {
            block.positions.iter().for_each(|&k| self.posterior.precision[k] = 1.0 / block.point.variance);
        }
    }

    /// Moves parameters and variances by turns until both rest; `after` may leave out blocks after each round.
    pub(super) fn settle(
        &mut self,
        mut parameters: Vec<f64>,
        mut after: impl FnMut(&mut Self, Vec<f64>) -> Vec<f64>,
    ) -> (Maximum, Curvature) {
        for _ in 0..ROUNDS {
            if self.blocks.is_empty() || self.posterior.items().is_empty() {
                break;
            }
            self.spread_variances();
            self.posterior.loose = LOOSE;
            let (maximum, curvature) = maximise_with_curvature(&mut self.posterior, parameters);
            let (variances, centre) = (curvature.variances(), &self.posterior.centre);
            let off = |k: usize| maximum.parameters[k] - centre[k];
            let moves = self.blocks.iter_mut().fold(false, |moves, b| b.renew(off, &variances) | moves);
            parameters = after(self, maximum.parameters);
            if !moves {
                break;
            }
        }
        self.posterior.loose = 1.0;
        self.spread_variances();
        maximise_with_curvature(&mut self.posterior, parameters)
    }

    /// The regression of the trust at the maximum, and the parameters behind its coefficients.
    pub(super) fn conclude(
        &self,
        names: Vec<String>,
        maximum: Maximum,
        curvature: &Curvature,
    ) -> (Regression, Vec<f64>) {
        let converged = maximum.converged && curvature.is_maximum();
        self.posterior.conclude(names, Maximum { converged, ..maximum }, curvature.covariance())
    }
}

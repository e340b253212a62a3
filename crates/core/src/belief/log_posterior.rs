//! What a fit maximises, for those who want to check or sample it.

use ndarray::Array2;

use super::newton::{Expansion, Objective};

/// A log posterior density, up to a constant, with its derivatives at some parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct LogPosterior {
    /// Log-likelihood plus log prior density, in nats; terms that no parameter enters may be missing.
    pub value: f64,
    /// First derivatives, in the order of the parameters.
    pub gradient: Vec<f64>,
    /// Second derivatives.
    pub hessian: Array2<f64>,
}

impl LogPosterior {
    pub(super) fn new(objective: &impl Objective, parameters: &[f64]) -> Self {
        let Expansion { value, gradient, hessian, .. } = objective.at(parameters);
        Self { value, gradient, hessian }
    }

    /// With each parameter counted in units of which `units` make one of the objective's.
    pub(super) fn per_unit(mut self, units: &[f64]) -> Self {
        self.gradient.iter_mut().zip(units).for_each(|(slope, unit)| *slope /= unit);
        self.hessian.indexed_iter_mut().for_each(|((a, b), bend)| *bend /= units[a] * units[b]);
        self
    }
}

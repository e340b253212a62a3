//! Which belief a study holds: one switch between the paper's and the recalibrated one.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::dirichlet::Beliefs;
use super::recalibration::{self, JudgedItems, Options, RecalibratedFit};
use super::trust::{TrustError, TrustFit, fit_trust};

/// The belief about label distributions, as a configuration names it: `"published"` or `{ recalibrated = { ... } }`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BeliefModel {
    /// The paper's: the judge's prediction as it is, its trust by maximum likelihood ([`fit_trust`]).
    #[default]
    Published,
    /// The recalibrated one: prediction and trust fitted together under weak priors ([`recalibration::fit`]).
    Recalibrated(Options),
}

/// A fitted belief of either kind.
#[derive(Debug, Clone, PartialEq)]
pub enum FittedBelief {
    /// The paper's.
    Published(TrustFit),
    /// The recalibrated one.
    Recalibrated(RecalibratedFit),
}

/// What both kinds of fit say about the trust; the fields are those of [`TrustFit`].
#[derive(Debug, Clone, PartialEq)]
pub struct Regression<'a> {
    /// "intercept", then the features.
    pub names: &'a [String],
    /// beta, in the order of `names`.
    pub coefficients: &'a [f64],
    /// Their standard errors.
    pub standard_errors: Vec<f64>,
    /// Coefficients in directions that the labels do not identify.
    pub unidentified: &'a [String],
    /// Whether the gradient vanished to working precision.
    pub converged: bool,
    /// Newton steps.
    pub iterations: usize,
    /// Largest absolute component of the gradient.
    pub gradient_norm: f64,
    /// Log-likelihood, in nats.
    pub log_likelihood: f64,
    /// Items with labels.
    pub labelled_items: usize,
    /// Combinations of coefficients that are identified.
    pub rank: usize,
    /// Labelled items whose trust lies beyond the limits of the likelihood.
    pub at_limit: usize,
}

impl BeliefModel {
    /// Fits the belief to the labels in hand.
    ///
    /// # Errors
    /// As [`fit_trust`] and [`recalibration::fit`].
    pub fn fit(&self, items: &JudgedItems, counts: ArrayView2<u32>) -> Result<FittedBelief, TrustError> {
        Ok(match self {
            Self::Published => FittedBelief::Published(fit_trust(items.design, items.q, counts)?),
            Self::Recalibrated(options) => FittedBelief::Recalibrated(recalibration::fit(items, counts, options)?),
        })
    }
}

impl FittedBelief {
    /// The predictions that the belief is centred on, items x classes.
    pub fn predictions(&self, items: &JudgedItems) -> Array2<f64> {
        match self {
            Self::Published(_) => items.q.to_owned(),
            Self::Recalibrated(fit) => fit.predictions(items),
        }
    }

    /// Log trust ln lambda of any items.
    pub fn log_trust(&self, items: &JudgedItems) -> Vec<f64> {
        match self {
            Self::Published(fit) => fit.log_trust(items.design),
            Self::Recalibrated(fit) => fit.log_trust(items),
        }
    }

    /// Posterior beliefs of any items given their label counts.
    pub fn posterior(&self, items: &JudgedItems, counts: ArrayView2<u32>) -> Beliefs {
        match self {
            Self::Published(fit) => Beliefs::posterior(&fit.trust(items.design), items.q, counts),
            Self::Recalibrated(fit) => fit.posterior(items, counts),
        }
    }

    /// The trust regression within the fit.
    pub fn regression(&self) -> Regression<'_> {
        match self {
            Self::Published(fit) => Regression {
                names: &fit.names,
                coefficients: &fit.coefficients,
                standard_errors: fit.standard_errors(),
                unidentified: &fit.unidentified,
                converged: fit.converged,
                iterations: fit.iterations,
                gradient_norm: fit.gradient_norm,
                log_likelihood: fit.log_likelihood,
                labelled_items: fit.labelled_items,
                rank: fit.rank,
                at_limit: fit.at_limit,
            },
            // The priors identify every direction and keep the trust within the reals.
            Self::Recalibrated(fit) => Regression {
                names: &fit.names,
                coefficients: &fit.coefficients,
                standard_errors: fit.standard_errors()[..fit.names.len()].to_vec(),
                unidentified: &[],
                converged: fit.converged,
                iterations: fit.iterations,
                gradient_norm: fit.gradient_norm,
                log_likelihood: fit.log_likelihood,
                labelled_items: fit.labelled_items,
                rank: fit.names.len(),
                at_limit: 0,
            },
        }
    }

    /// Whether the fit's gradient vanished to working precision.
    pub fn converged(&self) -> bool {
        match self {
            Self::Published(fit) => fit.converged,
            Self::Recalibrated(fit) => fit.converged,
        }
    }

    /// The recalibrated fit, if it is one.
    pub fn recalibrated(&self) -> Option<&RecalibratedFit> {
        match self {
            Self::Published(_) => None,
            Self::Recalibrated(fit) => Some(fit),
        }
    }
}

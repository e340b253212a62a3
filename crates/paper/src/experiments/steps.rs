//! Steps of the dice and of the simulations that a diagnostic may do otherwise, to see which claims notice.

use super::seeds::Seeds;
use judge_uncertainty_core::belief::{Design, DesignError, FeatureColumn};
use ndarray::Array2;

/// The steps as the paper has them, by default.
pub trait Steps: Sync {
    /// The seeds of the random streams.
    fn seeds(&self) -> Seeds {
        Seeds::default()
    }

    /// The probability of a class between `peak` (t = 0) and the uniform one (t = 1).
    ///
    /// The last term is the product with the constant 1/3, as in the paper's generator, and not the quotient t/3, which
    /// differs from it in the last bit.
    fn mixed(&self, peak: f64, t: f64) -> f64 {
        (1.0 - t) * peak + t * (1.0 / 3.0)
    }

    /// The features that the trust regression is given.
    fn features(&self, features: Vec<FeatureColumn>) -> Vec<FeatureColumn> {
        features
    }

    /// How features are scaled that are standardised.
    ///
    /// # Errors
    /// As [`Design::standardized`].
    fn standardised(&self, features: &[FeatureColumn]) -> Result<Design, DesignError> {
        Design::standardized(features)
    }

    /// The labels that a belief sees, of those that were revealed.
    fn labels(&self, revealed: &Array2<u32>) -> Array2<u32> {
        revealed.clone()
    }

    /// The trust that a belief rests on, of that which was fitted.
    fn trust(&self, fitted: Vec<f64>) -> Vec<f64> {
        fitted
    }

    /// What breaks ties between dice, of what does by the protocol: of two equal priorities the higher one of these
    /// goes first, or the earlier die where there are none.
    fn tie_breaks(&self, published: &[f64]) -> Vec<f64> {
        published.to_vec()
    }
}

/// The paper's steps.
#[derive(Debug, Clone, Copy, Default)]
pub struct Published;

impl Steps for Published {}

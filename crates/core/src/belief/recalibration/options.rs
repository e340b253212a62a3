//! What is fitted, and what is believed of it before any label.

use serde::{Deserialize, Serialize};

/// Which items share one recalibration of the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recalibration {
    /// The prediction is taken as the judge gave it, as in the paper; only the trust is fitted.
    Off,
    /// One tau and one set of biases for all items.
    Shared,
    /// One tau and one set of biases for each group of [`super::JudgedItems::groups`].
    ByGroup,
}

/// What is believed before any label: independent normal priors, weak enough that some ten labels outweigh them.
///
/// The standard deviations are on logarithmic scales. At the default 1, tau and the odds of one class against the mean of
/// the classes lie within a factor of 7 of 1 with 95% probability, which no usable judge leaves; a standard deviation
/// of 3 keeps the trust of a typical item between 0.02 and 3,000 labels. Once the labels speak, the priors do not matter
/// (with the labels of Experiment 2 they move tau in its third digit); without labels they keep the fit finite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Prior {
    /// Standard deviation of ln tau about 0.
    pub log_tau_sd: f64,
    /// Standard deviation of each class's bias about the mean over the classes; treats all classes alike.
    pub bias_sd: f64,
    /// Standard deviation of the intercept of the trust about ln 8.
    pub log_trust_sd: f64,
}

impl Default for Prior {
    fn default() -> Self {
        Self { log_tau_sd: 1.0, bias_sd: 1.0, log_trust_sd: 3.0 }
    }
}

/// How to fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Which items share a recalibration.
    pub recalibration: Recalibration,
    /// Penalty on the squared coefficients of the standardised features; [`super::held_out_log_likelihoods`] tells a good one from a bad
    /// one.
    pub ridge: f64,
    /// The weak priors.
    pub prior: Prior,
}

impl Default for Options {
    fn default() -> Self {
        Self { recalibration: Recalibration::Shared, ridge: 1.0, prior: Prior::default() }
    }
}

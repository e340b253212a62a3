//! What a study believes about the trust before any label.

use serde::{Deserialize, Serialize};

/// The prior on the parameters of a fit that uses the judge's prediction unchanged.
///
/// `Weak` keeps fits to a few dozen items within the range of trust seen for real judges, and loses its influence as
/// labels arrive. It is normal, on logarithmic scales and on coefficients of standardised features:
///
/// | parameter | mean | standard deviation | 95% of it |
/// |---|---|---|---|
/// | ln lambda of an item with average features | ln 8 | 1 | 1.1 to 57 labels |
/// | a feature's coefficient | 0 | 0.5 | a standard deviation of the feature changes lambda by a factor of 2.7 at most |
/// | ln(nu - 2), of ratings | ln 4 | 1.5 | the judge's variance counts as 2.2 to 78 labels |
/// | ln s0^2, of ratings without a judge's variance | that of the ratings about the judge | 2 | within a factor of 50 |
///
/// `None` is the paper's fit, by maximum likelihood alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustPrior {
    /// Weakly informative.
    #[default]
    Weak,
    /// No prior: maximum likelihood, as in the paper.
    None,
}

impl TrustPrior {
    /// Standard deviation of ln lambda of an item with average features.
    pub const LOG_TRUST_SD: f64 = 1.0;
    /// Standard deviation of the coefficient of a standardised feature.
    pub const SLOPE_SD: f64 = 0.5;
    /// Standard deviation of ln(nu - 2).
    pub(super) const LOG_FREEDOM_SD: f64 = 1.5;
    /// Standard deviation of ln s0^2.
    pub(super) const LOG_SCALE_SD: f64 = 2.0;
}

/// Searches for the trust start from 8 labels for every item, and there the prior is centred.
pub(super) const START_TRUST: f64 = 8.0;

/// A parameter that the labels tell less about than its prior does is not determined by them: its posterior variance is
/// above this share of the prior's.
pub(super) const UNDETERMINED: f64 = 0.5;

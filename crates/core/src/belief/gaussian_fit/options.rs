//! What a fit of ratings is asked for, and what is believed before any rating.

use serde::{Deserialize, Serialize};

use super::judged::GaussianError;
use crate::belief::prior::TrustPrior;

/// Which items share one reading of the judge's scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recalibration {
    /// The scores are taken as the judge gave them, as in the paper; only the trust is fitted.
    Off,
    /// One reading for all items.
    Shared,
    /// One for each group.
    ByGroup,
}

/// How to fit ratings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingOptions {
    /// What is believed of the trust, of nu and of a common variance.
    pub prior: TrustPrior,
    /// Which items share one reading of the judge's scale.
    pub recalibration: Recalibration,
    /// What is believed of the reading.
    pub reading: ReadingPrior,
}

impl RatingOptions {
    /// The judge's scores as they are, with this prior on the trust.
    pub fn published(prior: TrustPrior) -> Self {
        Self { prior, recalibration: Recalibration::Off, reading: ReadingPrior::default() }
    }
}

/// What is believed of the reading of a judge's scores before any rating: independent normal priors, which some ten
/// rated items outweigh.
///
/// They keep fits finite where the ratings say nothing: with one rating per item the factor, with equal scores of the
/// judge the slope. At the defaults 95% of the belief is on a bias within twice what the ratings are off the judge's
/// scores (which no bias exceeds, for it is part of what they are off), on a slope of -1 to 3, and on stated deviations
/// that are wrong by a factor of 7 at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadingPrior {
    /// Standard deviation of the bias about 0, in root mean square differences of the ratings from the judge's scores.
    pub bias_sd: f64,
    /// Standard deviation of the slope about 1.
    pub slope_sd: f64,
    /// Standard deviation of the logarithm of the factor about 0.
    pub log_factor_sd: f64,
}

impl Default for ReadingPrior {
    fn default() -> Self {
        Self { bias_sd: 1.0, slope_sd: 1.0, log_factor_sd: 1.0 }
    }
}

impl ReadingPrior {
    pub(super) fn check(&self) -> Result<(), GaussianError> {
        let options = [
            ("the prior's bias_sd", self.bias_sd),
            ("the prior's slope_sd", self.slope_sd),
            ("the prior's log_factor_sd", self.log_factor_sd),
        ];
        let wrong = options.into_iter().find(|(_, sd)| !(*sd > 0.0 && sd.is_finite()));
        wrong.map_or(Ok(()), |(option, value)| Err(GaussianError::Option { option, value }))
    }
}

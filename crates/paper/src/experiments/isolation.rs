//! Whether each estimated component follows its own ground truth and not the other's.

use serde::{Deserialize, Serialize};

use judge_uncertainty_core::belief::{Beliefs, Quantity};
use judge_uncertainty_core::stats::{Summary, correlation_of_ranks, ranks};

/// Spearman correlations of the estimated components with the true disagreement H(p) and the true error, over the items
/// of one world: aleatoric estimate with disagreement and error, epistemic estimate with disagreement and error,
/// disagreement with error.
///
/// `None` where one of them does not vary.
pub fn correlations(beliefs: &Beliefs, disagreement: &[f64], errors: &[f64]) -> Option<[f64; 5]> {
    let (aleatoric, epistemic) = (beliefs.all(Quantity::Aleatoric), beliefs.all(Quantity::Epistemic));
    let [aleatoric, epistemic, disagreement, errors] =
        [&aleatoric, &epistemic, disagreement, errors].map(|values: &[f64]| ranks(values));
    Some([
        correlation_of_ranks(&aleatoric, &disagreement)?,
        correlation_of_ranks(&aleatoric, &errors)?,
        correlation_of_ranks(&epistemic, &disagreement)?,
        correlation_of_ranks(&epistemic, &errors)?,
        correlation_of_ranks(&disagreement, &errors)?,
    ])
}

/// [`correlations`] over replicates (the paper's Table 4, tab:isolation).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Isolation {
    /// Aleatoric estimate with the true disagreement.
    pub aleatoric_disagreement: Summary,
    /// Aleatoric estimate with the true error.
    pub aleatoric_error: Summary,
    /// Epistemic estimate with the true disagreement.
    pub epistemic_disagreement: Summary,
    /// Epistemic estimate with the true error.
    pub epistemic_error: Summary,
    /// True disagreement with true error.
    pub truth_truth: Summary,
}

impl Isolation {
    /// Summarises one set of correlations per replicate.
    ///
    /// # Panics
    /// If `replicates` is empty.
    pub fn over<R>(replicates: &[R], of: impl Fn(&R) -> [f64; 5]) -> Self {
        let summary = |k: usize| Summary::over(replicates, |r| of(r)[k]);
        Self {
            aleatoric_disagreement: summary(0),
            aleatoric_error: summary(1),
            epistemic_disagreement: summary(2),
            epistemic_error: summary(3),
            truth_truth: summary(4),
        }
    }
}

//! Bugs of the dice and of the simulations, each a change to one of their steps.

use judge_uncertainty::belief::{Design, DesignError, FeatureColumn};
use judge_uncertainty::experiments::steps::Steps;
use judge_uncertainty::stats::mean;
use ndarray::Array2;

/// One thing done wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorldBug {
    None,
    MixedByQuotient,
    MixedBySquare,
    NoFamiliarity,
    NoConfidence,
    NoLabelNumbers,
    FlatTrust,
    TrustTenthMore,
    TrustDoubled,
    LabelsTwice,
    LabelsOfAnother,
    NotStandardised,
    TiesReversed,
}

/// Names of the columns of each channel, in dice and simulations.
const FAMILIARITY: [&str; 4] = ["weak", "directional", "strong", "familiarity"];
const CONFIDENCE: [&str; 2] = ["confidence", "stated_spread"];
const LABEL_NUMBERS: [&str; 1] = ["log_labels"];

impl WorldBug {
    /// All, first the experiments as they are.
    pub(crate) const ALL: [Self; 13] = [
        Self::None,
        Self::MixedByQuotient,
        Self::MixedBySquare,
        Self::NoFamiliarity,
        Self::NoConfidence,
        Self::NoLabelNumbers,
        Self::FlatTrust,
        Self::TrustTenthMore,
        Self::TrustDoubled,
        Self::LabelsTwice,
        Self::LabelsOfAnother,
        Self::NotStandardised,
        Self::TiesReversed,
    ];

    /// Name in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::MixedByQuotient => "mixed with t/3 in place of t (1/3)",
            Self::MixedBySquare => "mixed with t squared",
            Self::NoFamiliarity => "no familiarity",
            Self::NoConfidence => "no confidence",
            Self::NoLabelNumbers => "no numbers of labels",
            Self::FlatTrust => "flat trust",
            Self::TrustTenthMore => "trust x 1.1",
            Self::TrustDoubled => "trust x 2",
            Self::LabelsTwice => "labels counted twice",
            Self::LabelsOfAnother => "labels of the item before",
            Self::NotStandardised => "features not standardised",
            Self::TiesReversed => "ties in reverse order",
        }
    }

    /// Whether a feature is hidden from the regression.
    fn hides(self, name: &str) -> bool {
        match self {
            Self::NoFamiliarity => FAMILIARITY.contains(&name),
            Self::NoConfidence => CONFIDENCE.contains(&name),
            Self::NoLabelNumbers => LABEL_NUMBERS.contains(&name),
            Self::FlatTrust => true,
            _ => false,
        }
    }
}

impl Steps for WorldBug {
    fn mixed(&self, peak: f64, t: f64) -> f64 {
        match self {
            Self::MixedByQuotient => (1.0 - t) * peak + t / 3.0,
            Self::MixedBySquare => (1.0 - t * t) * peak + t * t * (1.0 / 3.0),
            _ => (1.0 - t) * peak + t * (1.0 / 3.0),
        }
    }

    /// What is hidden is the same for all items, so that coefficients keep their places.
    fn features(&self, features: Vec<FeatureColumn>) -> Vec<FeatureColumn> {
        let of = |column: FeatureColumn| match self.hides(column.name()) {
            true => FeatureColumn::complete(column.feature, column.values.iter().map(|_| 0.0)),
            false => column,
        };
        features.into_iter().map(of).collect()
    }

    fn standardised(&self, features: &[FeatureColumn]) -> Result<Design, DesignError> {
        if *self == Self::NotStandardised { Design::raw(&filled(features)) } else { Design::standardized(features) }
    }

    fn labels(&self, revealed: &Array2<u32>) -> Array2<u32> {
        match self {
            Self::LabelsTwice => revealed * 2,
            Self::LabelsOfAnother => {
                let items = revealed.nrows();
                Array2::from_shape_fn(revealed.dim(), |(i, k)| revealed[[(i + items - 1) % items, k]])
            }
            _ => revealed.clone(),
        }
    }

    fn trust(&self, mut fitted: Vec<f64>) -> Vec<f64> {
        let factor = match self {
            Self::TrustTenthMore => 1.1,
            Self::TrustDoubled => 2.0,
            _ => 1.0,
        };
        fitted.iter_mut().for_each(|trust| *trust *= factor);
        fitted
    }

    fn tie_breaks(&self, published: &[f64]) -> Vec<f64> {
        match self {
            Self::TiesReversed => (0..judge_uncertainty::experiments::dice::DICE).map(|die| die as f64).collect(),
            _ => published.to_vec(),
        }
    }
}

/// The features with the mean of each in place of what is missing, as standardising fills it.
fn filled(features: &[FeatureColumn]) -> Vec<FeatureColumn> {
    let of = |column: &FeatureColumn| {
        let present: Vec<f64> = column.values.iter().copied().flatten().collect();
        let mean = mean(&present);
        FeatureColumn::complete(column.feature.clone(), column.values.iter().map(|value| value.unwrap_or(mean)))
    };
    features.iter().map(of).collect()
}

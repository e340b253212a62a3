//! The steps of the ladder.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A map from the judge's prediction to the belief before any label, the simplest first.
///
/// Every map is centred on the prediction q: u_j = ln q_j + what the map adds, and the prior mean is softmax(u); from
/// [`Self::Smoothing`] on, q is the smoothed prediction. Each holds what the ones before it hold, but for [`Self::Matrix`], which leaves out the ensemble, and [`Self::Mixture`], whose
/// components share what [`Self::Groups`] adds, and which no other holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// The prediction as it is; only the trust is fitted.
    Identity,
    /// A share of the prediction is a guess among all classes: (1 - g) q + g / K.
    Smoothing,
    /// Of ratings: a bias, a slope and a factor on stated deviations. Of classes at places on a scale: a bias and a slope along it, and a
    /// temperature.
    Line,
    /// A temperature and a bias of each class.
    Temperature,
    /// For each group its own, drawn towards the common one by a fitted variance; of places the bias and slope, too.
    Groups,
    /// Of ratings: a smooth curve through the judge's mean scores, with what [`Self::Groups`] adds where there are groups.
    Curve,
    /// A weight for each of the judge's variants.
    Ensemble,
    /// Each class's logit as a linear function of all log predictions (Dirichlet calibration, Kull and others 2019).
    Matrix,
    /// Components that each bend the prediction and trust it in their own way, with weights by the prediction.
    Mixture,
    /// A smooth function of predictions, variants and features: a Gaussian process by random Fourier features.
    Process,
}

impl Rung {
    /// Those of ratings, the simplest first; there the groups share what [`Self::Line`] is drawn by.
    pub const OF_RATINGS: [Self; 4] = [Self::Identity, Self::Line, Self::Groups, Self::Curve];

    /// Those of classes, the simplest first.
    pub const ALL: [Self; 9] = [
        Self::Identity,
        Self::Smoothing,
        Self::Line,
        Self::Temperature,
        Self::Groups,
        Self::Ensemble,
        Self::Matrix,
        Self::Mixture,
        Self::Process,
    ];

    /// Name in configurations and results.
    pub fn key(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Smoothing => "smoothing",
            Self::Line => "line",
            Self::Temperature => "temperature",
            Self::Groups => "groups",
            Self::Curve => "curve",
            Self::Ensemble => "ensemble",
            Self::Matrix => "matrix",
            Self::Mixture => "mixture",
            Self::Process => "process",
        }
    }

    /// The map of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain(Self::OF_RATINGS).find(|rung| rung.key() == name)
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

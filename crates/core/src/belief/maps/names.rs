//! The maps by name, the simplest first.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A map from the judge's prediction to the belief before any label, the simplest first. Each holds what those before
/// it hold.
///
/// Of classes every map but the first is centred on the prediction with a share of guesses, r: u_j = ln r_j + what the
/// map adds, and the prior mean is softmax(u).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum MapName {
    /// The prediction as it is; only the trust is fitted.
    Identity,
    /// Of classes: a share of the prediction is a guess by the distribution of the labels.
    Guesses,
    /// Of ratings: a bias, a slope and a factor on stated deviations.
    Line,
    /// Of classes: a temperature and a bias of each class, and where they stand on a scale a bias and a slope along it.
    Temperature,
    /// For each group its own, drawn towards the common one by a fitted variance.
    Groups,
    /// The full recalibration. Of classes: a smooth function of predictions, variants and features (a Gaussian process
    /// by random Fourier features), on top of a linear function of all log predictions and a weight for each of the
    /// judge's variants. Of ratings: a smooth curve through the judge's mean scores.
    Recalibrated,
}

/// Every map, the simplest first.
const ALL: [MapName; 6] =
    [MapName::Identity, MapName::Guesses, MapName::Line, MapName::Temperature, MapName::Groups, MapName::Recalibrated];

impl MapName {
    /// All maps of classes, the simplest first.
    pub fn of_classes() -> impl Iterator<Item = Self> {
        ALL.into_iter().filter(|name| name.words_of_classes().is_some())
    }

    /// Name in configurations and results.
    pub fn key(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Guesses => "guesses",
            Self::Line => "line",
            Self::Temperature => "temperature",
            Self::Groups => "groups",
            Self::Recalibrated => "recalibrated",
        }
    }

    /// How it reads a prediction of classes, for a sentence ("The belief reads the prediction ..."); `None` for a map
    /// of ratings.
    pub fn words_of_classes(self) -> Option<&'static str> {
        Some(match self {
            Self::Identity => "as the judge gave it",
            Self::Guesses => {
                "as the judge gave it, but for a share that is a guess by how often people choose each class"
            }
            Self::Line => return None,
            Self::Temperature => "through a temperature and a bias of each class",
            Self::Groups => "through a temperature and biases for each group, drawn towards the common ones",
            Self::Recalibrated => "through a smooth function of predictions, variants and features",
        })
    }

    /// How it reads the judge's scores, for a sentence; `None` for a map of classes.
    pub fn words_of_ratings(self) -> Option<&'static str> {
        Some(match self {
            Self::Identity => "as the judge gave them",
            Self::Guesses | Self::Temperature => return None,
            Self::Line => "through a bias, a slope and a factor on stated deviations",
            Self::Groups => {
                "through a bias, a slope and a factor on deviations for each group, drawn towards the common ones"
            }
            Self::Recalibrated => "through a smooth curve, on top of a bias, a slope and a factor on stated deviations",
        })
    }

    /// Whether it has many parameters, so that a choice looks at it last.
    pub(super) fn has_many_parameters(self) -> bool {
        self >= Self::Groups
    }
}

impl TryFrom<&str> for MapName {
    type Error = String;

    /// The map of a name, or which names there are.
    fn try_from(name: &str) -> Result<Self, String> {
        let keys = || ALL.map(Self::key).join(", ");
        ALL.into_iter()
            .find(|map| map.key() == name)
            .ok_or_else(|| format!("there is no map \"{name}\"; the maps are {}", keys()))
    }
}

impl TryFrom<String> for MapName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::try_from(name.as_str())
    }
}

impl From<MapName> for &'static str {
    fn from(name: MapName) -> Self {
        name.key()
    }
}

impl fmt::Display for MapName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_map_is_found_by_its_name() {
        assert!(ALL.is_sorted());
        for name in ALL {
            assert_eq!(MapName::try_from(name.key()), Ok(name));
            assert!(name.words_of_classes().or(name.words_of_ratings()).is_some());
        }
        assert!(MapName::try_from("nothing").unwrap_err().contains("identity, guesses"));
    }
}

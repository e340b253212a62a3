//! The maps by name: one table, the simplest first.

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

/// What is known of a map by its name.
struct MapRow {
    name: MapName,
    /// Name in configurations and results.
    key: &'static str,
    /// How it reads a prediction of classes, where it reads any,
    of_classes: Option<&'static str>,
    /// and how it reads the judge's scores.
    of_ratings: Option<&'static str>,
}

const LINE: &str = "through a bias, a slope and a factor on stated deviations";

/// One row for each map, in the order of [`MapName`].
const TABLE: [MapRow; 6] = [
    MapRow {
        name: MapName::Identity,
        key: "identity",
        of_classes: Some("as the judge gave it"),
        of_ratings: Some("as the judge gave them"),
    },
    MapRow {
        name: MapName::Guesses,
        key: "guesses",
        of_classes: Some("as the judge gave it, but for a share that is a guess by how often people choose each class"),
        of_ratings: None,
    },
    MapRow { name: MapName::Line, key: "line", of_classes: None, of_ratings: Some(LINE) },
    MapRow {
        name: MapName::Temperature,
        key: "temperature",
        of_classes: Some("through a temperature and a bias of each class"),
        of_ratings: None,
    },
    MapRow {
        name: MapName::Groups,
        key: "groups",
        of_classes: Some("through a temperature and biases for each group, drawn towards the common ones"),
        of_ratings: Some(
            "through a bias, a slope and a factor on deviations for each group, drawn towards the common ones",
        ),
    },
    MapRow {
        name: MapName::Recalibrated,
        key: "recalibrated",
        of_classes: Some("through a smooth function of predictions, variants and features"),
        of_ratings: Some("through a smooth curve, on top of a bias, a slope and a factor on stated deviations"),
    },
];

impl MapName {
    fn row(self) -> &'static MapRow {
        &TABLE[self as usize]
    }

    /// All maps of classes, the simplest first.
    pub fn of_classes() -> impl Iterator<Item = Self> {
        TABLE.iter().filter(|row| row.of_classes.is_some()).map(|row| row.name)
    }

    /// Name in configurations and results.
    pub fn key(self) -> &'static str {
        self.row().key
    }

    /// How it reads a prediction of classes, for a sentence ("The belief reads the prediction ..."); `None` for a map
    /// of ratings.
    pub fn words_of_classes(self) -> Option<&'static str> {
        self.row().of_classes
    }

    /// How it reads the judge's scores, for a sentence; `None` for a map of classes.
    pub fn words_of_ratings(self) -> Option<&'static str> {
        self.row().of_ratings
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
        let known = TABLE.iter().find(|row| row.key == name).map(|row| row.name);
        let keys = || TABLE.each_ref().map(|row| row.key).join(", ");
        known.ok_or_else(|| format!("there is no map \"{name}\"; the maps are {}", keys()))
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
    fn every_map_stands_where_its_name_says() {
        for (position, row) in TABLE.iter().enumerate() {
            assert_eq!(row.name as usize, position);
            assert_eq!(MapName::try_from(row.key), Ok(row.name));
            assert!(row.of_classes.or(row.of_ratings).is_some());
        }
        assert!(MapName::try_from("nothing").unwrap_err().contains("identity, guesses"));
    }
}

//! Classes at places of a scale.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::input::check::Check;
use judge_uncertainty_core::belief::{Beliefs, Ordinals, mean_place, place_variance};
use judge_uncertainty_evaluation::ClassScale;
use judge_uncertainty_formats::error::Result;

/// Classes in ascending order of their places: `places = [1, 2, 3, 4, 5]`, or with names
/// `places = [["never", 0], ["now and then", 1], ["always", 3]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Places {
    /// Names of the classes, as labels are written; a place without a name is its number as text.
    pub names: Vec<String>,
    /// Their places, ascending, in units of the scale.
    pub places: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a place is a number, or a name with its number: [\"never\", 0]")]
enum WrittenPlace {
    Number(f64),
    Named(String, f64),
}

// Not derived: what has no name of its own is written as its number.
impl Serialize for Places {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let of = |(name, &place): (&String, &f64)| match *name == place.to_string() {
            true => WrittenPlace::Number(place),
            false => WrittenPlace::Named(name.clone(), place),
        };
        serializer.collect_seq(self.names.iter().zip(&self.places).map(of))
    }
}

impl<'de> Deserialize<'de> for Places {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let of = |place: WrittenPlace| match place {
            WrittenPlace::Number(place) => (place.to_string(), place),
            WrittenPlace::Named(name, place) => (name, place),
        };
        let (names, places) = Vec::<WrittenPlace>::deserialize(deserializer)?.into_iter().map(of).unzip();
        Ok(Self { names, places })
    }
}

impl Places {
    /// Checks that the places can stand on a scale.
    ///
    /// # Errors
    /// A place that is not finite, or not above the one before.
    pub fn check(&self, key: &str, check: &Check<'_>) -> Result<()> {
        let remedy = "write the places from the lowest to the highest, such as [1, 2, 3, 4, 5]";
        let finite = self.places.iter().all(|place| place.is_finite());
        check.that(finite, key, &self.places, "a place is not a finite number", remedy)?;
        check.that(self.places.is_sorted_by(|a, b| a < b), key, &self.places, "places do not ascend", remedy)?;
        match self.places.as_slice() {
            [low, .., high] => check.has_room(*low, *high, key, &self.places),
            _ => Ok(()),
        }
    }

    /// Distance of the highest place from the lowest.
    pub fn width(&self) -> f64 {
        match self.places.as_slice() {
            [low, .., high] => high - low,
            _ => 0.0,
        }
    }
}

/// What decompositions and half splits need to know of the places.
#[derive(Debug, Clone, PartialEq)]
pub struct OnPlaces(pub Vec<f64>);

impl ClassScale for OnPlaces {
    type Beliefs = Ordinals;
    const ORDERED: bool = true;

    fn places(&self) -> Option<&[f64]> {
        Some(&self.0)
    }

    fn beliefs(&self, beliefs: Beliefs) -> Ordinals {
        Ordinals::new(beliefs, self.0.clone())
    }

    /// Wasserstein distance: over the cuts between neighbouring places, their distance times the difference of what
    /// lies below.
    fn distance_terms(&self, p: &[f64], q: &[f64]) -> impl Iterator<Item = f64> {
        let ahead = p.iter().zip(q).scan(0.0, |ahead, (p, q)| {
            *ahead += p - q;
            Some(*ahead)
        });
        self.0.windows(2).zip(ahead).map(|(pair, ahead)| (pair[1] - pair[0]) * ahead.abs())
    }

    /// Squared difference of the mean places, less Var_p(place)/(n - 1), the expected squared deviation of the truth's
    /// mean place from the pool's.
    fn squared_error(&self, evidence: &[f64], p: &[f64], n: f64) -> f64 {
        let total: f64 = evidence.iter().sum();
        let mean: Vec<f64> = evidence.iter().map(|a| a / total).collect();
        let off = mean_place(&mean, &self.0) - mean_place(p, &self.0);
        off * off - place_variance(p, &self.0) / (n - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_with_and_without_names() {
        let read = |text: &str| serde_json::from_str::<Places>(text).unwrap();
        let numbers = read("[-2, 0, 1.5]");
        assert_eq!((numbers.names.join(" "), numbers.places.clone()), ("-2 0 1.5".to_owned(), vec![-2.0, 0.0, 1.5]));
        let named = read(r#"[["never", 0], ["often", 2]]"#);
        assert_eq!(named.names, ["never", "often"]);
        for places in [numbers, named] {
            assert_eq!(read(&serde_json::to_string(&places).unwrap()), places);
        }
    }

    #[test]
    fn distances_by_hand() {
        let scale = OnPlaces(vec![0.0, 1.0, 4.0]);
        // All mass moves from 0 to 4; a half moves from 1 to 4.
        assert_eq!(scale.distance_terms(&[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0]).sum::<f64>(), 4.0);
        assert_eq!(scale.distance_terms(&[0.0, 1.0, 0.0], &[0.0, 0.5, 0.5]).sum::<f64>(), 1.5);
        // Means 0.5 and 2; a truth of four labels with variance 3.
        assert_eq!(
            scale.squared_error(&[1.0, 1.0, 0.0], &[0.25, 0.5, 0.25], 4.0),
            (0.5_f64 - 1.5).powi(2) - 2.25 / 3.0
        );
    }
}

//! What the labels of a study can be.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::config::Check;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::spelling::{class_of, number, numbered};
use judge_uncertainty_system::limits::OF_NUMBERS;
use judge_uncertainty_system::numbers::shortest;

/// What the labels of a study can be; written as the value of its [`Scale::key`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Scale {
    /// One of several classes without an order: `classes = ["yes", "no"]`.
    Classes(Vec<String>),
    /// One of several classes at places of a scale: `places = [1, 2, 3, 4, 5]`.
    Places(Places),
    /// A number between two ends: `scale = [0, 10]`.
    Scores(f64, f64),
}

/// Whole numbers of a longer scale are numbers and no classes.
const MOST_PLACES: f64 = 20.0;
/// Upper ends of the scales that are in use; those up to [`LOW`] may begin at 1.
const ENDS: [f64; 8] = [2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 100.0];
const LOW: f64 = 10.0;
/// The upper end that most scales have, and so many answers below it say that this one ends there: an end that 6% of answers
/// take would be among them with 95%.
const MOST_USUAL: f64 = 5.0;
const ENOUGH: usize = 50;

/// The upper end of the smallest scale in use that holds a number; itself beyond all of them.
pub(crate) fn usual_end(number: f64) -> f64 {
    if number <= 1.0 { 1.0 } else { ENDS.into_iter().find(|end| number <= *end).unwrap_or(number) }
}

/// Numbers that were given as answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given {
    /// The lowest and the highest of them.
    pub(crate) ends: (f64, f64),
    /// How many there are.
    pub(crate) number: usize,
}

impl Given {
    /// Of all numbers that were given.
    pub(crate) fn new(numbers: impl Iterator<Item = f64>) -> Self {
        let none = Self { ends: (f64::MAX, f64::MIN), number: 0 };
        numbers.fold(none, |Self { ends: (low, high), number }, x| Self {
            ends: (low.min(x), high.max(x)),
            number: number + 1,
        })
    }

    /// The ends of the smallest scale in use that holds them: 0 to 1; 1, or 0 where numbers are below 1, to 5, 7 or 10, or
    /// to 2, 3 or 4 where 50 answers go no further; 0 to 20 or 100. Numbers below 0 or above 100 end where they do.
    pub(crate) fn usual_ends(self) -> (f64, f64) {
        let (low, high) = self.ends;
        let end = match usual_end(high) {
            end if end > 1.0 && self.number < ENOUGH => end.max(MOST_USUAL),
            end => end,
        };
        match end {
            _ if low < 0.0 || end > ENDS[ENDS.len() - 1] => (low, high),
            _ if low < 1.0 || end == 1.0 || end > LOW => (0.0, end),
            _ => (1.0, end),
        }
    }
}

impl Scale {
    /// What answers can be that are numbers, `whole` ones or not: the places or scores of the smallest scale in use that holds
    /// them ([`Given::usual_ends`]).
    pub(crate) fn of_numbers(given: Given, whole: bool) -> Self {
        let (low, high) = given.usual_ends();
        match whole && high - low < MOST_PLACES {
            true => Self::Places(Places::whole(low, high)),
            false => Self::Scores(low, high),
        }
    }

    /// An answer, however it is spelt: the position of its class, or its place or number; `None` of one that is not on the
    /// scale.
    pub fn answer(&self, text: &str) -> Option<f64> {
        match self {
            Self::Classes(names) => class_of(text, names).map(|class| class as f64),
            Self::Places(Places { names, places }) => {
                let of_number = || places.iter().position(|place| numbered(text) == Some(*place));
                class_of(text, names).or_else(of_number).map(|class| places[class])
            }
            Self::Scores(low, high) => number(text).filter(|answer| (low..=high).contains(&answer)),
        }
    }

    /// Its key, and what its labels are called in results and in messages.
    fn words(&self) -> [&'static str; 3] {
        match self {
            Self::Classes(_) => ["classes", "classes", "classes"],
            Self::Places(_) => ["places", "ordinal", "ordinal ratings"],
            Self::Scores(..) => ["scale", "scores", "scores"],
        }
    }

    /// The key above all tables of a `study.toml` that marks a study of such labels.
    pub fn key(&self) -> &'static str {
        self.words()[0]
    }

    /// What such labels are called in results.
    pub fn name(&self) -> &'static str {
        self.words()[1]
    }

    /// What such labels are called in messages.
    pub fn labels(&self) -> &'static str {
        self.words()[2]
    }

    /// Whether labels stand on a scale.
    pub fn has_order(&self) -> bool {
        !matches!(self, Self::Classes(_))
    }

    /// Whether labels are numbers and no classes.
    pub fn is_numbers(&self) -> bool {
        matches!(self, Self::Scores(..))
    }

    /// Names of the classes; none for numbers.
    pub fn classes(&self) -> &[String] {
        match self {
            Self::Classes(names) | Self::Places(Places { names, .. }) => names,
            Self::Scores(..) => &[],
        }
    }

    /// Number of classes without an order; `None` on a scale.
    pub fn nominal(&self) -> Option<usize> {
        match self {
            Self::Classes(names) => Some(names.len()),
            _ => None,
        }
    }

    /// Number of classes, or as many as take the memory of a number, for [`check_items`](judge_uncertainty_system::limits::check_items).
    pub(crate) fn width(&self) -> usize {
        if self.is_numbers() { OF_NUMBERS } else { self.classes().len() }
    }

    /// The places of classes on a scale, ascending; `None` for other labels.
    pub fn places(&self) -> Option<&[f64]> {
        match self {
            Self::Places(Places { places, .. }) => Some(places),
            _ => None,
        }
    }

    /// The rules that rank items with such labels.
    pub fn rules(&self) -> Vec<Rule> {
        match self {
            Self::Classes(_) => Rule::those(|_| true),
            Self::Places(_) => Rule::those(|row| row.ordinal),
            Self::Scores(..) => Rule::those(|row| row.ratings),
        }
    }

    /// The rule that evaluations compare every other rule with: total uncertainty.
    pub fn reference(&self) -> Rule {
        if self.is_numbers() { Rule::PosteriorEntropy } else { Rule::JudgeEntropy }
    }

    /// The lowest and the highest value of an answer; classes without places are counted from 0.
    pub fn range(&self) -> (f64, f64) {
        match self {
            Self::Classes(names) => (0.0, names.len() as f64 - 1.0),
            Self::Places(Places { places, .. }) => match places.as_slice() {
                [low, .., high] => (*low, *high),
                _ => (0.0, 0.0),
            },
            Self::Scores(low, high) => (*low, *high),
        }
    }

    /// An answer, its position among classes or its number, as it is written.
    ///
    /// # Panics
    /// If `answer` is not a class of the scale.
    pub fn text(&self, answer: f64) -> Cow<'_, str> {
        let class = match self {
            Self::Classes(_) => Some(answer as usize),
            Self::Places(Places { places, .. }) => places.iter().position(|place| *place == answer),
            Self::Scores(..) => None,
        };
        class.map_or_else(|| shortest(answer).into(), |k| Cow::Borrowed(&*self.classes()[k]))
    }

    /// How far two answers are apart: 0 or 1 for classes without places, or else the distance of the numbers.
    pub fn apart(&self, one: f64, other: f64) -> f64 {
        match self {
            Self::Classes(_) => f64::from(u8::from(one != other)),
            _ => (one - other).abs(),
        }
    }

    /// Its line in a `study.toml`.
    pub fn setting(&self) -> String {
        let quoted = |name: &String| toml::Value::String(name.clone()).to_string();
        let of_place = |(name, place): (&String, &f64)| match *name == place.to_string() {
            true => name.clone(),
            false => format!("[{}, {place}]", quoted(name)),
        };
        let values: Vec<String> = match self {
            Self::Classes(names) => names.iter().map(quoted).collect(),
            Self::Places(Places { names, places }) => names.iter().zip(places).map(of_place).collect(),
            Self::Scores(low, high) => [low, high].map(f64::to_string).to_vec(),
        };
        format!("{} = [{}]", self.key(), values.join(", "))
    }

    /// The names in results of what can be estimated about all items from labels: the mean on a scale, and the shares of
    /// the classes, such as `mean_yes`.
    pub fn quantities(&self) -> Vec<String> {
        let of_scale = match self {
            Self::Classes(_) => None,
            Self::Places(_) => Some("mean_place".to_owned()),
            Self::Scores(..) => Some("mean_score".to_owned()),
        };
        of_scale.into_iter().chain(self.classes().iter().map(|class| format!("mean_{class}"))).collect()
    }
}

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
    /// The whole numbers from `low` to `high`.
    pub fn whole(low: f64, high: f64) -> Self {
        let places: Vec<f64> = (low as i64..=high as i64).map(|place| place as f64).collect();
        Self { names: places.iter().map(f64::to_string).collect(), places }
    }

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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_on_the_smallest_scale_in_use_that_holds_them() {
        for ([low, high], number, setting) in [
            ([1.0_f64, 4.0], 60, "places = [1, 2, 3, 4]"),
            ([1.0, 4.0], 40, "places = [1, 2, 3, 4, 5]"),
            ([2.0, 5.0], 60, "places = [1, 2, 3, 4, 5]"),
            ([0.0, 3.0], 60, "places = [0, 1, 2, 3]"),
            ([2.0, 6.0], 60, "places = [1, 2, 3, 4, 5, 6, 7]"),
            ([-1.0, 1.0], 60, "places = [-1, 0, 1]"),
            ([2.5, 4.25], 60, "scale = [1, 5]"),
            ([0.25, 0.75], 60, "scale = [0, 1]"),
            ([3.0, 15.0], 60, "scale = [0, 20]"),
            ([37.0, 92.0], 60, "scale = [0, 100]"),
            ([37.0, 192.0], 60, "scale = [37, 192]"),
        ] {
            let whole = low.fract() == 0.0 && high.fract() == 0.0;
            assert_eq!(Scale::of_numbers(Given { ends: (low, high), number }, whole).setting(), setting);
        }
    }

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
}

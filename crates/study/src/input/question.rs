//! What annotators are asked about an item, and what they answer.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::input::scale::Scale;
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_formats::error::Problem;
use judge_uncertainty_formats::spelling::class_of;

/// What items are judged by: `[criterion]` of a `study.toml`, and what annotators see beside every text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// What it is called.
    pub name: String,
    /// What it asks, in the words that the judge was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
}

impl Criterion {
    /// Name and rubric as one text.
    pub fn text(&self) -> String {
        self.rubric.as_ref().map_or_else(|| self.name.clone(), |rubric| format!("{}: {rubric}", self.name))
    }
}

/// Everything that annotators of a study are asked and told.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked<'a> {
    /// What they answer: one of its classes, or a number between its ends.
    pub scale: &'a Scale,
    /// What they judge by.
    pub criterion: Option<&'a Criterion>,
    /// The instruction for annotators: the study's, and which end of a scale is the highest.
    pub instruction: Option<Cow<'a, str>>,
}

/// An answer other than a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remark {
    /// The annotator saw the item and skipped it, with the reason.
    Skip,
    /// What the annotator wrote about the item, beside a label or without.
    Comment,
}

impl Remark {
    const ALL: [(Self, &str); 2] = [(Self::Skip, "skip: "), (Self::Comment, "comment: ")];

    /// The remark that a value of the log is, with its words.
    pub fn parse(text: &str) -> Option<(Self, &str)> {
        Self::ALL.iter().find_map(|(remark, prefix)| Some((*remark, text.strip_prefix(prefix)?)))
    }

    /// The value of the log that holds these words.
    pub fn value(self, words: &str) -> String {
        Self::ALL.iter().find(|(remark, _)| *remark == self).map_or("", |(_, prefix)| prefix).to_owned() + words
    }
}

/// What annotators answer on a scale.
impl Scale {
    /// The remark that an answer is, with its words, unless it is a label.
    pub fn remark<'t>(&self, text: &'t str) -> Option<(Remark, &'t str)> {
        Remark::parse(text).filter(|_| self.parse(text).is_err())
    }

    /// An answer as this scale spells it: apart from case, quotes and blanks it is one of its classes, or it is one of
    /// two in other words, as `1` is `pass`.
    pub fn respelled(&self, text: &str) -> Option<String> {
        class_of(text, self.classes()).map(|class| self.classes()[class].clone())
    }

    /// Whether an annotator may answer several times for an item: scores can be repeated, classes can't.
    pub fn allows_repeats(&self) -> bool {
        self.is_numbers()
    }

    /// Reads an answer: the position of its class, or its number.
    ///
    /// # Errors
    /// No class of the scale; no number, or one outside.
    pub fn parse(&self, text: &str) -> Result<f64, Problem> {
        match self {
            Self::Classes(_) | Self::Places(_) => {
                let unknown = || Problem::NotOneOf { value: text.to_owned(), allowed: self.classes().to_vec() };
                let class = self.classes().iter().position(|class| class == text).ok_or_else(unknown)?;
                Ok(class as f64)
            }
            Self::Scores(low, high) => match text.trim().parse::<f64>() {
                Ok(value) if (*low..=*high).contains(&value) => Ok(value),
                Ok(value) if value.is_finite() => Err(Problem::OutOfRange { value, low: *low, high: *high }),
                _ => Err(Problem::NotANumber { value: text.to_owned() }),
            },
        }
    }

    /// An answer, the position of its class or its number, as a file holds it.
    ///
    /// # Panics
    /// If the answer is a class that the scale does not have.
    pub fn written(&self, answer: f64) -> String {
        if self.is_numbers() { answer.to_string() } else { self.classes()[answer as usize].clone() }
    }
}

// In which order annotators see the two answers of an item, and how the order comes back with their labels.

/// Between an item's id and the code of the order.
const BEFORE_CODE: char = '~';

/// Whether annotators see the second answer of an item first: for half of all ids, by the seed of their queue.
pub fn is_swapped(seed: u64, id: &str) -> bool {
    sha256_hex(format!("{seed}\n{id}").as_bytes()).ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f'])
}

/// The id of the task in which annotators see the two answers of an item in this order.
pub fn task_id(id: &str, swapped: bool) -> String {
    format!("{id}{BEFORE_CODE}{}", code(id, swapped))
}

/// The item's id in that of a task, and whether its answers are in the other order; `None` for an id without such a code.
///
/// # Examples
///
/// ```
/// use judge_uncertainty_study::input::question::{of_task, task_id};
///
/// assert_eq!(of_task(&task_id("q1", true)), Some(("q1", true)));
/// assert_eq!(of_task(&task_id("q1", false)), Some(("q1", false)));
/// assert_eq!(of_task("q1~00000000"), None);
/// ```
pub fn of_task(task: &str) -> Option<(&str, bool)> {
    let (id, found) = task.rsplit_once(BEFORE_CODE)?;
    [false, true].into_iter().find(|&swapped| code(id, swapped) == found).map(|swapped| (id, swapped))
}

/// A class as it is named in a task in the other order: that of one side for that of the other, and any other class as it is.
pub fn mirrored<'c>(class: &'c str, sides: &'c [String; 2]) -> &'c str {
    match sides.iter().position(|side| side == class) {
        Some(side) => &sides[1 - side],
        None => class,
    }
}

fn code(id: &str, swapped: bool) -> String {
    let order = if swapped { "second first" } else { "first first" };
    sha256_hex(format!("{id}\n{order}").as_bytes())[..8].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_written_as_they_were_read() {
        let choice = Scale::Classes(["no", "yes"].map(str::to_owned).to_vec());
        assert_eq!(choice.parse("yes"), Ok(1.0));
        assert_eq!(choice.written(1.0), "yes");
        assert!(matches!(choice.parse("Yes"), Err(Problem::NotOneOf { .. })));
        let score = Scale::Scores(0.0, 10.0);
        assert_eq!(score.parse(" 7.50 "), Ok(7.5));
        assert_eq!(score.written(7.5), "7.5");
        assert_eq!(score.parse("11"), Err(Problem::OutOfRange { value: 11.0, low: 0.0, high: 10.0 }));
        assert!(matches!(score.parse("NaN"), Err(Problem::NotANumber { .. })));
    }
}

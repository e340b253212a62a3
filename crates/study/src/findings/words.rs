//! Figures in words: rounded to what their intervals leave known.

use judge_uncertainty_core::stats::{Estimable, ItemEstimate};
use judge_uncertainty_system::numbers::{NumberStyle, three};
use serde::{Deserialize, Serialize};

/// How a kind of figure is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A share, in percent.
    Share,
    /// A difference of shares, in points.
    Points,
    /// A number on the scale of the answers, or without a unit.
    Number,
}

impl Unit {
    /// That of shares where answers are classes, else that of numbers.
    pub fn of_answers(classes: bool) -> Self {
        if classes { Self::Share } else { Self::Number }
    }

    /// That of differences of these.
    pub fn of_differences(classes: bool) -> Self {
        if classes { Self::Points } else { Self::Number }
    }

    fn scaled(self, value: f64) -> f64 {
        if self == Self::Number { value } else { 100.0 * value }
    }

    /// A number rounded to the digits that an interval of this width leaves known.
    pub fn rounded(self, value: f64, width: f64) -> String {
        let (value, width) = (self.scaled(value), self.scaled(width));
        let decimals = if width > 0.0 { (2.0 - width.log10()).floor().clamp(0.0, 4.0) as i8 } else { 2 };
        let text = NumberStyle::plain(decimals).format(value);
        // No negative zero.
        if text.trim_start_matches(['-', '0', '.']).is_empty() { text.trim_start_matches('-').to_owned() } else { text }
    }

    /// The estimate alone.
    pub fn value(self, found: &ItemEstimate) -> String {
        let text = self.rounded(found.value, found.hi - found.lo);
        if self == Self::Share { format!("{text}%") } else { text }
    }

    /// The interval alone.
    pub fn interval(self, found: &ItemEstimate) -> String {
        let end = |end: f64| self.rounded(end, found.hi - found.lo);
        format!("[{}, {}]", end(found.lo), end(found.hi))
    }

    /// The estimate with its interval.
    pub fn estimate(self, found: &ItemEstimate) -> String {
        format!("{} {}", self.value(found), self.interval(found))
    }

    /// The estimate with its interval, or the reason why it is missing.
    pub fn estimable(self, found: &Estimable) -> String {
        match found.estimate() {
            Some(found) => self.estimate(found),
            None => format!("not estimable ({})", found.reason().unwrap_or_default()),
        }
    }

    /// The size of a difference with its interval turned so that it is positive, and its unit.
    pub fn size(self, found: &ItemEstimate) -> String {
        let turned = if found.value < 0.0 {
            ItemEstimate { value: -found.value, lo: -found.hi, hi: -found.lo, ..*found }
        } else {
            *found
        };
        let value = self.value(&turned);
        let unit = match self {
            Self::Points if value == "1" => " point",
            Self::Points => " points",
            _ => "",
        };
        format!("{value}{unit} {}", self.interval(&turned))
    }

    /// A value that is known of all rows.
    pub fn plain(self, value: f64) -> String {
        match self {
            Self::Share => format!("{}%", NumberStyle::plain(1).format(100.0 * value)),
            _ => three(value),
        }
    }
}

/// -1, 0 or 1: on which side of 0 an interval leaves no doubt that its estimate lies.
pub fn side(found: &Estimable) -> i8 {
    found.estimate().map_or(0, |found| i8::from(found.lo > 0.0) - i8::from(found.hi < 0.0))
}

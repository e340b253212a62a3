//! Where in a configuration a value stands that it may not hold, and how it is refused.

use std::path::Path;

use serde::Serialize;

use judge_uncertainty_formats::error::{Error, Place, Result, excerpt};
use judge_uncertainty_system::numbers::LARGEST;
use judge_uncertainty_system::text_position;

/// Line and column of a byte.
pub(crate) fn place(path: &Path, text: &str, offset: usize) -> Place {
    let (line, column) = text_position(text, offset);
    Place::file(path).at_line(line as u64).at_character(column)
}

/// A value as it would stand in the configuration.
fn shown(value: &impl Serialize) -> String {
    toml::Value::try_from(value).map_or_else(|_| "none".to_owned(), |value| with_short_numbers(&value.to_string()))
}

/// Refuses values of a configuration at their places in the text that it was read from.
pub struct Check<'t> {
    pub(super) path: &'t Path,
    pub(super) text: &'t str,
}

impl Check<'_> {
    /// Where a setting `table.key` (or `key`, above all tables) stands; the file as a whole where it is not written as
    /// one line of its table.
    fn place_of(&self, setting: &str) -> Place {
        let (table, key) = setting.rsplit_once('.').unwrap_or(("", setting));
        let (mut here, mut offset) = (String::new(), 0);
        for line in self.text.split_inclusive('\n') {
            let trimmed = line.trim();
            if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
                here = name.trim().to_owned();
            } else if here == table
                && let Some(rest) = trimmed.strip_prefix(key)
                && rest.trim_start().starts_with('=')
            {
                return place(self.path, self.text, offset + line.len() - line.trim_start().len());
            }
            offset += line.len();
        }
        Place::file(self.path)
    }

    /// The refusal of a setting.
    pub(super) fn refuse(&self, setting: &str, value: &str, reason: &str, remedy: &str) -> Error {
        Error::unfit(self.place_of(setting), format!("{setting} = {value}: {reason}"), remedy)
    }

    /// Refuses a setting unless something holds.
    ///
    /// # Errors
    /// It does not.
    pub fn that(&self, holds: bool, setting: &str, value: &impl Serialize, reason: &str, remedy: &str) -> Result<()> {
        if holds { Ok(()) } else { Err(self.refuse(setting, &shown(value), reason, remedy)) }
    }

    /// Refuses a scale that leaves no room for squares of squared ratings among floating-point numbers, so that what is
    /// read can be fitted.
    ///
    /// # Errors
    /// Ends beyond 1e70, or nearer to each other than 1e-70.
    pub fn has_room(&self, low: f64, high: f64, setting: &str, value: &impl Serialize) -> Result<()> {
        let room = low.abs() <= LARGEST && high.abs() <= LARGEST && high - low >= 1.0 / LARGEST;
        let reason = "leaves no room for the squares of ratings among floating-point numbers";
        self.that(room, setting, value, reason, "take another unit: from -1e70 to 1e70, and 1e-70 or more apart")
    }

    /// Refuses a list that has an entry twice.
    ///
    /// # Errors
    /// There is one.
    pub fn each_once(&self, setting: &str, names: &[String]) -> Result<()> {
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(self.refuse(setting, &format!("{:?}", pair[0]), "appears twice", "name it once")),
            None => Ok(()),
        }
    }
}

/// A number with more characters than this is written as a power of ten.
const MOST: usize = 24;

/// What readers call types, and what people call them.
const WORDS: [(&str, &str); 18] = [
    ("expected u8", "expected a whole number of 0 or more"),
    ("expected u16", "expected a whole number of 0 or more"),
    ("expected u32", "expected a whole number of 0 or more"),
    ("expected u64", "expected a whole number of 0 or more"),
    ("expected usize", "expected a whole number of 0 or more"),
    ("expected i64", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("expected a sequence", "expected a list: [..., ...]"),
    ("expected a tuple of size 2", "expected a list of two: [..., ...]"),
    ("expected a map", "expected a table"),
    ("floating point `", "the number `"),
    ("integer `", "the number `"),
    ("type: sequence", "type: a list"),
    ("type: map", "type: a table"),
    ("` as i128", "`"),
    ("` as u128", "`"),
    (
        "duplicate field `scale`",
        "two keys that say what labels can be: `classes`, `scale` and `places` exclude each other",
    ),
    // A study is of classes if it does not say otherwise.
    ("missing field `scale`", "missing field `classes` (or `scale` for scores, `places` for ordinal ratings)"),
];

/// A message of the TOML reader without line ends, the names of this program's types, numbers of hundreds of digits and
/// other long words.
pub(crate) fn in_words(message: &str) -> String {
    let message = with_short_numbers(message);
    let short = |(k, part): (usize, &str)| if k % 2 == 1 { excerpt(part) } else { part.to_owned() };
    let message: Vec<String> = message.split('`').enumerate().map(short).collect();
    let mut message = message.join("`").replace('\n', "; ");
    for (typed, said) in WORDS {
        // Whole words: "u32" begins no other.
        message = message.replace(typed, said);
    }
    match message.find("expected struct ") {
        Some(at) => {
            let (before, rest) = message.split_at(at);
            let name = rest["expected struct ".len()..].find(|c: char| !c.is_alphanumeric());
            let after = name.map_or("", |end| &rest["expected struct ".len() + end..]);
            format!("{before}expected a table: {{ ... }}{after}")
        }
        None => message,
    }
}

/// The text with numbers of hundreds of digits as powers of ten.
pub(super) fn with_short_numbers(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let length = rest[start..].find(|c| !is_part(c)).unwrap_or(rest.len() - start);
        let (before, number) = (&rest[..start], &rest[start..start + length]);
        shown.push_str(before);
        match number.parse::<f64>() {
            Ok(value) if number.len() > MOST => shown.push_str(&format!("{value:e}")),
            _ => shown.push_str(number),
        }
        rest = &rest[start + length..];
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::{in_words, with_short_numbers};

    #[test]
    fn types_and_long_numbers_are_told_in_words() {
        let long = format!("invalid type: floating point `1{}.0`, expected u32", "0".repeat(300));
        let told = "invalid type: the number `1e300`, expected a whole number of 0 or more";
        for (message, expected) in [
            (long.as_str(), told),
            (
                "invalid type: integer `3`, expected struct Options; in it",
                "invalid type: the number `3`, expected a table: { ... }; in it",
            ),
            (
                "invalid value: integer `-1` as i128,\nexpected u64",
                "invalid value: the number `-1`,; expected a whole number of 0 or more",
            ),
            ("unknown variant `floating`, expected one of `a`", "unknown variant `floating`, expected one of `a`"),
        ] {
            assert_eq!(in_words(message), expected);
        }
    }

    #[test]
    fn long_numbers_are_powers_of_ten() {
        let long = format!("[1.0, -1{}.0, 0.25, v1.2, ...]", "0".repeat(300));
        assert_eq!(with_short_numbers(&long), "[1.0, -1e300, 0.25, v1.2, ...]");
    }
}

//! Where in a configuration a value stands that it may not hold, and how it is refused.

use std::path::Path;

use serde::Serialize;

use super::words::with_short_numbers;
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_system::TextPosition;

/// Line and column of a byte.
pub(super) fn place(path: &Path, text: &str, offset: usize) -> Place {
    let TextPosition { line, column } = TextPosition::new(text, offset);
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
        const MOST: f64 = 1e70;
        let room = low.abs() <= MOST && high.abs() <= MOST && high - low >= 1.0 / MOST;
        let reason = "leaves no room for the squares of ratings among floating-point numbers";
        self.that(room, setting, value, reason, "take another unit: from -1e70 to 1e70, and 1e-70 or more apart")
    }

    /// Refuses a list with an entry that stands there twice.
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

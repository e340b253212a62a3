//! Drafts and registrations as text.

use std::path::Path;

use super::error::RegistrationError;
use crate::input::words::in_words;
use judge_uncertainty_system::read;
use judge_uncertainty_system::{FileError, TextPosition};

pub(super) fn read(path: &Path) -> Result<String, RegistrationError> {
    read::text(path).map_err(|error| RegistrationError::Unreadable(FileError::at(path, "reading")(error)))
}

pub(super) fn parse<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, RegistrationError> {
    toml::from_str(text).map_err(|error| {
        let TextPosition { line, column } = TextPosition::new(text, error.span().map_or(0, |span| span.start));
        RegistrationError::NotToml { path: path.to_owned(), line, column, reason: in_words(error.message()) }
    })
}

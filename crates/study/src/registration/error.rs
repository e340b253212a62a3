//! Why a draft or a registration is refused.

use std::path::{Path, PathBuf};

use thiserror::Error as ThisError;

use crate::input::check::in_words;
use judge_uncertainty_system::{FileError, TextPosition, read};

/// Why a registration is refused.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum RegistrationError {
    /// A plan or registration that can't be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// A registration that is a link.
    #[error(transparent)]
    Link(judge_uncertainty_formats::Error),
    /// A registration that can't be written.
    #[error(transparent)]
    Unwritable(#[from] judge_uncertainty_system::Error),
    #[error(
        "{path}:{line}:{column}: {reason}; a hypothesis needs id, statement, and better, than, budget and measure, or \
         than_judge, or share and queue"
    )]
    NotToml { path: PathBuf, line: usize, column: usize, reason: String },
    /// A hypothesis that can't be tested.
    #[error("{path}: hypothesis {id:?}: {reason}")]
    Hypothesis { path: PathBuf, id: String, reason: String },
    /// A plan without a family.
    #[error("{path}: {reason}")]
    Plan { path: PathBuf, reason: String },
    #[error(
        "{0}: is empty, as a registration that was interrupted left it in earlier versions; remove it and register \
         again"
    )]
    Blank(PathBuf),
    #[error("{0}: exists already, and a registration is never changed; start a new study folder for a new one")]
    Exists(PathBuf),
    #[error(
        "{0}: an evaluation has been computed already, into {1}, so nothing can be registered before its results are \
         seen; report it as exploratory, or start from new labels in a new study folder"
    )]
    EvaluatedElsewhere(PathBuf, String),
    #[error(
        "{0}: an evaluation has been computed already, so nothing can be registered before its results are seen; \
         report it as exploratory, or register for new data in another folder"
    )]
    Evaluated(PathBuf),
    #[error(
        "{path}: its digest is {found}, but it says {stated}: the registration was changed after it was made; restore \
         the file, or report all comparisons as exploratory by removing it"
    )]
    Tampered { path: PathBuf, stated: String, found: String },
    #[error("{path}: has format {found}, but this program reads format {read}")]
    Format { path: PathBuf, found: u32, read: u32 },
}

impl RegistrationError {
    /// Whether the machine failed, rather than that a plan or registration was refused.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Unwritable(error) if error.is_failure())
    }
}

/// The text of a draft or registration.
pub(super) fn text(path: &Path) -> Result<String, RegistrationError> {
    read::text(path).map_err(|error| RegistrationError::Unreadable(FileError::at(path, "reading")(error)))
}

/// What such a text says.
pub(super) fn parse<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, RegistrationError> {
    toml::from_str(text).map_err(|error| {
        let TextPosition { line, column } = TextPosition::new(text, error.span().map_or(0, |span| span.start));
        RegistrationError::NotToml { path: path.to_owned(), line, column, reason: in_words(error.message()) }
    })
}

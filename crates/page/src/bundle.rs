//! Figures within a folder of LaTeX files, and why such a folder can fail.

use judge_uncertainty_figures::{self as figures, Figure};
use judge_uncertainty_system::Staged;

/// Why the bundle can't be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A template.
    #[error(transparent)]
    Template(#[from] crate::latex::Error),
    /// A figure.
    #[error(transparent)]
    Figure(#[from] figures::Error),
}

impl Error {
    /// Whether the program or a writer failed, rather than that a template or a text was refused.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::Template(error) => error.is_failure(),
            Self::Figure(error) => error.is_failure(),
        }
    }
}

/// Adds a figure to a folder in every form.
///
/// # Errors
/// A character that the font lacks.
pub fn put_figure(folder: &str, figure: &Figure, staged: &mut Staged) -> Result<(), Error> {
    let mut put = |kind: &str, content: Vec<u8>| staged.put(format!("{folder}/{}.{kind}", figure.name), content);
    put("svg", figure.svg().into_bytes());
    put("pdf", figure.pdf()?);
    put("csv", figure.csv().into_bytes());
    Ok(())
}

//! Templates as they are found: in a folder, or as they were when the program was built.

use std::io;
use std::path::{Path, PathBuf};

use tera::{Delimiters, Tera};
use thiserror::Error as ThisError;

use judge_uncertainty_system::{FileError, built_in};

/// Why templates can't be used.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum Error {
    #[error("{path}: can't read the template: {source}; the templates folder must hold all of them, or name none")]
    Read { path: PathBuf, source: io::Error },
    /// A template is malformed, or asks for something that its view does not have.
    #[error("template {name}: {detail}")]
    Template { name: String, detail: String },
    /// A template that users can't replace asks for something that its view does not have.
    #[error(
        "template {name} of this program does not fit the results: {detail}; this is a fault of the program: please report it"
    )]
    Own { name: String, detail: String },
}

impl Error {
    fn template(name: &str, error: &tera::Error) -> Self {
        Self::Template { name: name.to_owned(), detail: detail(error) }
    }

    /// Whether the program is at fault, rather than a template that was given.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Own { .. })
    }
}

/// An error with its causes.
fn detail(error: &tera::Error) -> String {
    let mut detail = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        detail.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    detail
}

/// Folder that is used in place of the built-in templates if the working directory has it.
const FOLDER: &str = "templates";

/// Adds templates with these delimiters to an engine: from `folder`; without one, from `templates` if that exists here,
/// else those built in.
///
/// A template may include those before it in the list.
///
/// # Errors
/// A template that is missing or malformed.
pub fn add(
    tera: &mut Tera,
    delimiters: Delimiters,
    folder: Option<&Path>,
    files: &[(&'static str, &'static str)],
) -> Result<(), Error> {
    tera.set_delimiters(delimiters).map_err(|e| Error::template("delimiters", &e))?;
    let texts = built_in::texts(folder, FOLDER, files)
        .map_err(|FileError { path, source, .. }| Error::Read { path, source })?;
    for (name, text) in texts {
        tera.add_raw_template(name, &text).map_err(|e| Error::template(name, &e))?;
    }
    Ok(())
}

/// Renders a template with a view of strings.
///
/// # Errors
/// The template asks for something that the view does not have.
pub fn render(tera: &Tera, name: &str, view: &impl serde::Serialize) -> Result<String, Error> {
    // No copy of the view stays beside the one that the template reads.
    let context = tera::Context::from_serialize(view).map_err(|e| Error::template(name, &e))?;
    tera.render(name, &context).map_err(|e| Error::template(name, &e))
}

/// Renders a template of the program that users can't replace.
///
/// # Errors
/// [`Error::Own`]: it asks for something that the view does not have.
pub fn render_own(tera: &Tera, name: &str, view: &tera::Context) -> Result<String, Error> {
    tera.render(name, view).map_err(|error| Error::Own { name: name.to_owned(), detail: detail(&error) })
}

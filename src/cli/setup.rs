//! What commands do before their work.

use std::path::{Path, PathBuf};

use super::error::Error;
use super::terminal::say;
use crate::system::installed::installed;
use crate::system::{OutputFolder, Record};

/// An output folder that is absent, empty or written by the command of which `R` is the record; says what was put right
/// of an interrupted run.
pub(crate) fn output_folder<R: Record>(path: &Path) -> Result<OutputFolder<R>, Error> {
    let folder = OutputFolder::check(path)?;
    if let Some(said) = folder.recovered() {
        say(format_args!("note: {said}"));
    }
    Ok(folder)
}

/// The claims file that a user names, else the paper's.
pub(crate) fn claims_file(named: Option<&Path>) -> PathBuf {
    named.map_or_else(|| installed("data/paper/claims.toml"), Path::to_owned)
}

//! A belief of whatever kind.

use std::path::Path;

use super::applier::{Applier, Apply};
use crate::belief_file::file::{belief_of, keys_of};
use crate::error::Error;
use crate::with_kind;

/// Reads a belief: `path` is a `belief.json`, or a run folder that holds one; `columns` are changes of the names of
/// columns of further items, as [`crate::belief_file::InputColumns::set`] takes them.
///
/// # Errors
/// A file that can't be read, is no belief, was changed or contradicts itself; a file beside it that is missing or
/// another one.
pub fn load(path: &Path, columns: &[String]) -> Result<Box<dyn Apply>, Error> {
    let path = belief_of(path);
    with_kind!(keys keys_of(&path)?, K => Ok(Box::new(Applier::<K>::read(&path, columns)?)))
}

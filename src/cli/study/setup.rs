//! What several commands about studies do and say.

use std::path::Path;

use crate::cli::{Error, output_folder};
use crate::familiarity::embedding::Embeddings;
use crate::output::OutputFolder;
use crate::study::Error as StudyError;

/// A folder that may be written, and that holds nothing unless it is to be replaced.
pub(super) fn vacant_folder(path: &Path, force: bool) -> Result<OutputFolder, Error> {
    let folder = output_folder(path)?;
    let filled = std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
    if filled && !force {
        return Err(StudyError::Exists { folder: path.to_owned() }.into());
    }
    Ok(folder)
}

/// Says what was embedded, if anything was.
pub(super) fn say_embedded(embeddings: Option<&Embeddings>) {
    if let Some(done) = embeddings {
        let texts = done.matrix.nrows();
        anstream::eprintln!(
            "{} texts embedded, {} taken from the cache, {} of all cut at the model's limit",
            texts - done.from_cache,
            done.from_cache,
            done.truncated
        );
    }
}

/// Says that an interrupted evaluation goes on.
pub(super) fn say_going_on(finished: usize) {
    if finished > 0 {
        anstream::eprintln!("going on after {finished} finished replicates of an interrupted run");
    }
}

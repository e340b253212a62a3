//! What commands do before their work.

use std::path::Path;

use super::error::Error;
use crate::output::{MANIFEST, OutputFolder, Record};
use crate::study::queue::QueueRecord;

/// An output folder, whichever command wrote what it holds.
pub(crate) fn output_folder(path: &Path) -> Result<OutputFolder, Error> {
    Ok(OutputFolder::check(path, &[MANIFEST, QueueRecord::FILE])?)
}

/// Uses this many threads; all cores if no number is given.
pub(crate) fn threads(number: Option<u32>) -> Result<(), Error> {
    let Some(threads) = number.map(|number| number as usize) else { return Ok(()) };
    let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    built.map_err(|source| Error::Threads { threads, source })
}

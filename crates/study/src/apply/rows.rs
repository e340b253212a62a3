//! What every reader of further items does.

use std::fmt::Debug;

use super::table::{Batch, Header};
use judge_uncertainty_data::dataset::error::Result;

/// A file that is read some rows at a time.
pub trait Rows: Debug {
    /// Its columns.
    fn header(&self) -> &Header;

    /// Bytes read so far, for progress.
    fn consumed(&self) -> u64;

    /// At most so many further rows, with the columns that are wanted; `None` at the end.
    ///
    /// # Errors
    /// The file can't be read on.
    fn next(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>>;
}

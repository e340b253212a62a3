//! Tables of any length, read some rows at a time.
//!
//! | module | holds |
//! |---|---|
//! | `batch` | some rows of a table |
//! | `csv`, `jsonl` | readers of such rows; another in [`crate::parquet`] |
//! | [`source`] | the files of a table, in order, whatever their layout; rows of a file that is read whole |

mod batch;
pub(crate) mod csv;
mod jsonl;
pub mod source;

use std::fmt::Debug;

use crate::error::Result;
pub use batch::{Bad, Batch, Header};

/// A file that is read some rows at a time.
pub trait BatchReader: Debug {
    /// Its columns.
    fn header(&self) -> &Header;

    /// Bytes read so far, for progress.
    fn consumed(&self) -> u64;

    /// At most so many further rows, with the wanted columns, the first of them with the ids; `None` at the end.
    /// A column that the file lacks is not there, but blank in rows of objects.
    ///
    /// # Errors
    /// The file can't be read on.
    fn next(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>>;
}

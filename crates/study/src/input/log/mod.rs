//! The append-only log of added labels.
//!
//! `added-labels.csv` stands beside `study.toml`. Lines are only ever appended: batches of labels, each row with the
//! time and the file that it came from, and removals of batches. A study's labels are those of its own file and of this
//! one.
//!
//! | module | holds |
//! |---|---|
//! | [`layout`] | what the file looks like: batches whole or cut off, sums, removals |
//! | [`label_log`] | the log of a study as it is read |
//! | [`recover`] | a damaged log put in order |
//! | [`mod@write`] | a batch or a removal on its way to the disk |

pub mod label_log;
pub mod layout;
pub mod recover;
pub mod write;

pub use label_log::{LOG_FILE, LabelBatch, LabelLog, Listed, NewLabel};
pub use recover::Recovered;

//! Tables whose errors name file, line, column, item and value.
//!
//! | module | holds |
//! |---|---|
//! | `cells` | a table in memory: columns by their names, rows by the ids of their items; several tables as one |
//! | `row` | a row: its cells, read and refused |
//! | `delimited` | CSV, and text divided by semicolons or tabs |
//!
//! The first line is the header; columns are found by name, in any order. Nothing is trimmed: a cell is the text
//! between the commas, or between semicolons or tabs where only these give a header with the ids. A blank cell is
//! missing ([`Row::optional_number`]), never 0. Files of JSON objects become tables too ([`super::jsonl`]), so that
//! whatever reads one reads the other.

mod cells;
mod delimited;
mod row;
#[cfg(test)]
mod tests;

pub use cells::{ColumnIndex, DataTable, NO_IDS};
pub(crate) use cells::{Rows, check_absent, check_names};
pub use delimited::distinct;
pub(crate) use delimited::is_title;
pub use row::Row;

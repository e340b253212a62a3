//! What the tests of tables share.

use std::fmt::Debug;
use std::path::Path;

use super::cells::DataTable;
use crate::error::Result;

/// A table with a column `id`.
pub(super) fn table(text: &str) -> Result<DataTable> {
    DataTable::parse(Path::new("t.csv"), text.as_bytes(), "id")
}

/// Why something was refused.
pub(super) fn message<T: Debug>(result: Result<T>) -> String {
    result.unwrap_err().to_string()
}

//! Rows of a log that may be JSON Lines, a JSON list, a table of columns and data, or CSV, as objects.

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Map, Value};

use super::json::{cell, first};
use crate::batches::csv::first_records;
use crate::error::{Place, Result};
use crate::table::{DataTable, NO_IDS, Row};

/// Names of the fields of rows, in the order of their first appearance.
pub(super) fn names(rows: &[(Place, Value)]) -> Vec<&String> {
    let (mut known, rows) = (HashSet::new(), rows.iter().filter_map(|(_, row)| row.as_object()));
    rows.flat_map(Map::keys).filter(|name| known.insert(*name)).collect()
}

/// The start of a file, by which its format is recognised; it is parsed once for all formats.
#[derive(Debug)]
pub(super) struct LogStart<'f> {
    pub(super) file: &'f Path,
    pub(super) bytes: &'f [u8],
    /// The fields of the first object; `None` without one.
    pub(super) object: Option<Value>,
    /// The first row, of a table of columns and data, too; of CSV without one, its header.
    pub(super) row: Option<Value>,
}

impl<'f> LogStart<'f> {
    pub(super) fn new(file: &'f Path, bytes: &'f [u8]) -> Self {
        let object = first(bytes);
        let row = first_of_table(object.as_ref(), bytes).or_else(|| object.clone());
        Self { file, bytes, object, row }
    }

    /// Whether the first object has something at every one of the pointers.
    pub(super) fn has(&self, pointers: &[&str]) -> bool {
        self.object.as_ref().is_some_and(|object| pointers.iter().all(|pointer| object.pointer(pointer).is_some()))
    }

    /// Whether the first row has all of some fields.
    pub(super) fn has_fields(&self, names: &[&str]) -> bool {
        self.row.as_ref().is_some_and(|row| names.iter().all(|name| row.get(name).is_some()))
    }
}

fn first_of_table(whole: Option<&Value>, bytes: &[u8]) -> Option<Value> {
    let Some(row) = whole else {
        let mut records = first_records(bytes, b',', 2).into_iter();
        let (header, cells) = (records.next()?, records.next().unwrap_or_default());
        let cell = |k: usize| cells.get(k).map_or(Value::Null, |cell| Value::from(cell.as_str()));
        return Some(Value::Object(header.into_iter().enumerate().map(|(k, name)| (name, cell(k))).collect()));
    };
    let (columns, cells) = (row.get("columns")?.as_array()?, row.pointer("/data/0")?.as_array()?);
    Some(Value::Object(columns.iter().map(cell).zip(cells.iter().cloned()).collect()))
}

/// Whether the file is a table of columns and data.
pub(super) fn is_split(bytes: &[u8]) -> bool {
    first(bytes).is_some_and(|row| ["columns", "data"].iter().all(|name| row.get(name).is_some_and(Value::is_array)))
}

/// The rows of a CSV table as objects, with their lines.
pub(super) fn table(file: &Path, bytes: &[u8]) -> Result<Vec<(Place, Value)>> {
    let table = DataTable::parse(file, bytes, NO_IDS)?;
    let names = || table.header().iter().cloned();
    let object = |row: Row<'_>| Value::Object(names().zip(row.cells().map(Value::from)).collect());
    Ok(table.rows().map(|row| (Place::file(file).at_line(row.line()), object(row))).collect())
}

//! Rows of a log that may be JSON Lines, a JSON list, a table of columns and data, or CSV, as objects.

use std::collections::HashSet;
use std::path::Path;

use csv::StringRecord;
use serde_json::{Map, Value};

use super::json::{first, lines, objects, without_constants};
use crate::error::{Error, Place, Problem, Result};
use crate::jsonl::utf8;
use crate::records::Records;

/// The rows with their places; the cells of CSV are texts.
pub(super) fn rows(file: &Path, bytes: &[u8]) -> Result<Vec<(Place, Value)>> {
    let text = utf8(file, bytes)?;
    let plain = without_constants(text);
    match text.trim_start().chars().next() {
        Some('{') if !is_split(bytes) => lines(file, &plain),
        Some('[' | '{') => objects(file, &Records::find(file, &plain, None)?),
        _ => table(file, text),
    }
}

/// Names of the fields of rows, in the order of their first appearance.
pub(super) fn names(rows: &[(Place, Value)]) -> Vec<&String> {
    let (mut known, rows) = (HashSet::new(), rows.iter().filter_map(|(_, row)| row.as_object()));
    rows.flat_map(Map::keys).filter(|name| known.insert(*name)).collect()
}

/// The first row; of CSV without one, its header.
pub(super) fn first_row(bytes: &[u8]) -> Option<Value> {
    let Some(row) = first(bytes) else {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
        let header = reader.headers().ok()?.clone();
        let cells = reader.records().next().and_then(Result::ok).unwrap_or_default();
        let cell = |k: usize| cells.get(k).map_or(Value::Null, Value::from);
        return Some(Value::Object(header.iter().enumerate().map(|(k, name)| (name.to_owned(), cell(k))).collect()));
    };
    let (columns, data) = (row.get("columns").and_then(Value::as_array), row.pointer("/data/0"));
    Some(match (columns, data.and_then(Value::as_array)) {
        (Some(columns), Some(cells)) => object(columns, cells),
        _ => row,
    })
}

/// Whether the first row has all of some fields.
pub(super) fn has_fields(bytes: &[u8], names: &[&str]) -> bool {
    first_row(bytes).is_some_and(|row| names.iter().all(|name| row.get(name).is_some()))
}

fn is_split(bytes: &[u8]) -> bool {
    first(bytes).is_some_and(|row| ["columns", "data"].iter().all(|name| row.get(name).is_some_and(Value::is_array)))
}

fn object(columns: &[Value], cells: &[Value]) -> Value {
    let names = columns.iter().map(super::json::cell);
    Value::Object(names.zip(cells.iter().cloned()).collect::<Map<_, _>>())
}

/// The rows of a CSV table as objects, with their lines.
fn table(file: &Path, text: &str) -> Result<Vec<(Place, Value)>> {
    let (header, rows) = cells(file, text)?;
    let object = |row: &StringRecord| {
        let cells = header.iter().zip(row).map(|(name, cell)| (name.to_owned(), Value::from(cell)));
        Value::Object(cells.collect())
    };
    Ok(rows.iter().map(|(place, row)| (place.clone(), object(row))).collect())
}

/// The header and the rows of a CSV table, whose columns may share their names.
pub(super) fn cells(file: &Path, text: &str) -> Result<(StringRecord, Vec<(Place, StringRecord)>)> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let unreadable = |error: csv::Error| Error::Unreadable { file: file.to_path_buf(), source: error.into() };
    let header = reader.headers().map_err(unreadable)?.clone();
    let mut rows = vec![];
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        let place = Place::file(file).at_line(record.position().map_or(1, csv::Position::line));
        if record.len() != header.len() {
            let row = record.iter().collect::<Vec<_>>().join(",");
            let (found, expected) = (record.len(), header.len());
            return Err(Error::refused(place, Problem::ColumnCount { found, expected, row }));
        }
        rows.push((place, record));
    }
    if rows.is_empty() { Err(Error::refused(Place::file(file), Problem::NoRows)) } else { Ok((header, rows)) }
}

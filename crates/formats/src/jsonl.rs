//! JSON objects as the rows of tables, for the readers of records ([`super::records`]) and of LeWiDi ([`super::lewidi`]).
//!
//! An object within an object is flattened: `{"id": "a", "p": {"yes": 0.5}}` has the columns `id` and `p_yes`. Lists
//! become their JSON text, `null` and absent fields are blank cells. An object that has a field twice is refused.

use std::collections::HashMap;
use std::path::Path;

use serde::de::Error as _;
use serde_json::Value;

use super::encoding::unmarked;
use super::error::{Error, Place, Problem, Result};
use super::records::Members;
use super::table::{DataTable, Rows, check_absent};
use judge_uncertainty_system::limits::{Allowance, NAMES};

pub(super) fn utf8<'b>(file: &Path, bytes: &'b [u8]) -> Result<&'b str> {
    let bytes = unmarked(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() as u64;
        Error::refused(Place::file(file).at_line(line), Problem::NotUtf8)
    })
}

/// `first` is the line on which the parsed text begins.
pub(super) fn refused(file: &Path, first: u64, error: &serde_json::Error) -> Error {
    refused_at(file, first, 0, error)
}

/// As [`refused`], of a text before which so many characters stand on its line.
fn refused_at(file: &Path, first: u64, before: usize, error: &serde_json::Error) -> Error {
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
    let place = Place::file(file).at_line(first + error.line().saturating_sub(1) as u64);
    let place = place.at_character(before + error.column().max(1));
    Error::refused(place, Problem::NotJson { reason, expected: "a JSON object" })
}

/// Rows of cells under the union of the fields, in the order of their first appearance.
#[derive(Default)]
pub(super) struct ObjectRows {
    fields: Vec<String>,
    index: HashMap<String, usize>,
    /// The last row, counted from 1, that has the field.
    last: Vec<usize>,
    /// Bytes of their names.
    names: u64,
    /// Line, and values with the positions of their fields.
    rows: Vec<(u64, Vec<(usize, String)>)>,
}

impl ObjectRows {
    pub(super) fn add(&mut self, file: &Path, line: u64, found: Vec<(String, String)>) -> Result<()> {
        let mut row = Vec::with_capacity(found.len());
        for (field, value) in found {
            let column = match self.index.get(&field) {
                Some(&column) => column,
                None => {
                    self.names += field.len() as u64;
                    NAMES.check(self.names).map_err(Error::too_much(Place::file(file).at_line(line)))?;
                    self.index.insert(field.clone(), self.fields.len());
                    self.fields.push(field.clone());
                    self.last.push(0);
                    self.fields.len() - 1
                }
            };
            if std::mem::replace(&mut self.last[column], self.rows.len() + 1) > self.rows.len() {
                let place = Place::file(file).at_line(line).in_field(&field);
                return Err(Error::refused(place, Problem::DuplicateColumn { name: field }));
            }
            row.push((column, value));
        }
        self.rows.push((line, row));
        Ok(())
    }

    pub(super) fn into_table(self, file: &Path, id_column: &str) -> Result<DataTable> {
        let width = self.fields.len();
        let absent = self.rows.iter().map(|(_, row)| (width - row.len()) as u64).sum();
        let text = self.rows.iter().flat_map(|(_, row)| row).map(|(_, value)| value.len() as u64).sum();
        check_absent(file, absent, text)?;
        let mut rows = Rows::default();
        for (line, mut row) in self.rows {
            row.sort_unstable_by_key(|(column, _)| *column);
            let mut next = row.iter().peekable();
            let cell = |column| next.next_if(|(at, _)| *at == column).map_or("", |(_, value)| value.as_str());
            rows.push(0, line, (0..width).map(cell));
        }
        DataTable::new(vec![file.to_owned()], None, self.fields, rows).checked(id_column)
    }
}

/// The fields of the object that `text`, which begins on `line`, holds, flattened, as text.
///
/// # Errors
/// A line that is not an object, or an object that has a field twice.
pub fn fields(file: &Path, line: u64, text: &str) -> Result<Vec<(String, String)>> {
    let (names, mut fields) = (Allowance::new(NAMES.for_file(text.len() as u64)), vec![]);
    let put = put(text, String::new(), (DEEPEST, &names), &mut fields);
    put.map(|()| fields).map_err(|(part, error)| {
        // It is a slice of the text, so its address tells its line.
        let before = &text.as_bytes()[..part.as_ptr().addr() - text.as_ptr().addr()];
        let (lines, behind) = match before.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => (before.iter().filter(|byte| **byte == b'\n').count(), before.len() - end - 1),
            None => (0, before.len()),
        };
        refused_at(file, line + lines as u64, if error.line() > 1 { 0 } else { behind }, &error)
    })
}

/// Objects within objects that are read; more would take as much of the stack.
const DEEPEST: usize = 127;

/// Adds a value as one field, or as several if it is an object, whose name is repeated before that of each of them; with
/// how deep objects may still be, and how many bytes names may still take. An error comes with the part that it is about.
fn put<'t>(
    text: &'t str,
    name: String,
    (deep, names): (usize, &Allowance),
    fields: &mut Vec<(String, String)>,
) -> Result<(), (&'t str, serde_json::Error)> {
    let wrong = |reason: &str| (text, serde_json::Error::custom(reason));
    if !text.trim_start().starts_with('{') {
        let value: Value = serde_json::from_str(text).map_err(|error| (text, error))?;
        if name.is_empty() {
            return Err(wrong("an object of fields is needed here"));
        }
        let text = match value {
            Value::Null => String::new(),
            Value::String(text) => text,
            Value::Number(number) if number.is_f64() => format!("{:?}", number.as_f64().unwrap_or(f64::NAN)),
            other => other.to_string(),
        };
        fields.push((name, text));
        return Ok(());
    }
    let deep = deep.checked_sub(1).ok_or_else(|| wrong("recursion limit exceeded"))?;
    let Members(members) = serde_json::from_str(text).map_err(|error| (text, error))?;
    for (key, value) in members {
        names.take((name.len() + key.len() + 1) as u64).map_err(|exceeded| wrong(&exceeded.to_string()))?;
        let name = if name.is_empty() { key } else { format!("{name}_{key}") };
        if name.is_empty() {
            return Err(wrong("a field without a name"));
        }
        put(value, name, (deep, names), fields)?;
    }
    Ok(())
}

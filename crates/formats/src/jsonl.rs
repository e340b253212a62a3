//! JSON objects as the rows of tables, for the readers of records ([`super::records`]) and of LeWiDi ([`super::lewidi`]).
//!
//! An object within an object is flattened: `{"id": "a", "p": {"yes": 0.5}}` has the columns `id` and `p_yes`. Lists
//! become their JSON text, `null` and absent fields are blank cells. An object that has a field twice is refused.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::error::{Error, Place, Problem, Result};
use super::table::{DataTable, Rows, check_absent};
use judge_uncertainty_system::limits::{Allowance, NAMES};

pub(super) fn utf8<'b>(file: &Path, bytes: &'b [u8]) -> Result<&'b str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() as u64;
        Error::refused(Place::file(file).at_line(line), Problem::NotUtf8)
    })
}

/// `first` is the line on which the parsed text begins.
pub(super) fn refused(file: &Path, first: u64, error: &serde_json::Error) -> Error {
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
    let place = Place::file(file).at_line(first + error.line().saturating_sub(1) as u64);
    Error::refused(place.at_character(error.column()), Problem::NotJson { reason, expected: "a JSON object" })
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
                    NAMES.check(self.names).map_err(|exceeded| {
                        Error::unfit(Place::file(file).at_line(line), exceeded.reason(), exceeded.remedy())
                    })?;
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
        DataTable::from_rows(file, None, self.fields, rows, id_column)
    }
}

/// The fields of the object that `text`, which begins on `line`, holds, flattened, as text.
///
/// # Errors
/// A line that is not an object, or an object that has a field twice.
pub fn fields(file: &Path, line: u64, text: &str) -> Result<Vec<(String, String)>> {
    let mut fields = Vec::new();
    flatten(file, (line, text), String::new(), &mut fields)?;
    Ok(fields)
}

/// Adds the value that a text, which begins on a line, holds as the field `name`; an object as several.
pub(super) fn flatten(
    file: &Path,
    (line, text): (u64, &str),
    name: String,
    fields: &mut Vec<(String, String)>,
) -> Result<()> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let names = Allowance::new(NAMES.for_file(text.len() as u64));
    let read = FieldReader { name, fields, names: &names }.deserialize(&mut deserializer);
    read.and_then(|()| deserializer.end()).map_err(|error| refused(file, line, &error))
}

/// Reads one value as the field `name`, or as several if it is an object.
struct FieldReader<'f> {
    name: String,
    fields: &'f mut Vec<(String, String)>,
    /// Bytes that the names may need: the name of an object is repeated before the name of each of its leaves.
    names: &'f Allowance,
}

impl FieldReader<'_> {
    fn put<E: serde::de::Error>(self, value: String) -> Result<(), E> {
        if self.name.is_empty() {
            return Err(E::custom("an object of fields is needed here"));
        }
        self.fields.push((self.name, value));
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for FieldReader<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FieldReader<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.put(value.to_string())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.put(value.to_string())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.put(value.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.put(format!("{value:?}"))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.put(value.to_owned())
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.put(String::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut values: Vec<serde_json::Value> = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        self.put(serde_json::Value::from(values).to_string())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.names.take((self.name.len() + key.len() + 1) as u64).map_err(A::Error::custom)?;
            let name = if self.name.is_empty() { key } else { format!("{}_{key}", self.name) };
            if name.is_empty() {
                return Err(A::Error::custom("a field without a name"));
            }
            map.next_value_seed(FieldReader { name, fields: &mut *self.fields, names: self.names })?;
        }
        Ok(())
    }
}

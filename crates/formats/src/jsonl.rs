//! Files of JSON objects as tables: JSON Lines. LeWiDi's layout of one object per item builds on it
//! ([`super::lewidi`]).
//!
//! An object within an object is flattened: `{"id": "a", "p": {"yes": 0.5}}` has the columns `id` and `p_yes`. Lists
//! become their JSON text, `null` and absent fields are blank cells. A field that stands in an object twice is refused.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::error::{Error, Place, Problem, Result};
use super::table::{DataTable, Rows, check_absent};
use judge_uncertainty_system::limits::{Allowance, NAMES};

/// Reads one JSON object per line; blank lines are skipped.
///
/// # Errors
/// Text that is not UTF-8 or not JSON, a field that stands twice, no line, a missing or blank id; so many fields that
/// single objects lack that the table would be larger than [`judge_uncertainty_system::limits::ABSENT_FIELDS`] allows.
pub fn read_lines(file: &Path, bytes: &[u8], id_column: &str) -> Result<DataTable> {
    let text = utf8(file, bytes)?;
    let mut objects = ObjectRows::default();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        objects.add(file, number, fields(file, number, line)?)?;
    }
    objects.into_table(file, id_column)
}

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
/// No object, or one with a field that stands twice.
pub fn fields(file: &Path, line: u64, text: &str) -> Result<Vec<(String, String)>> {
    let mut fields = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let names = Allowance::new(NAMES.for_file(text.len() as u64));
    let read = FieldReader { name: String::new(), fields: &mut fields, names: &names }.deserialize(&mut deserializer);
    read.and_then(|()| deserializer.end()).map_err(|error| refused(file, line, &error))?;
    Ok(fields)
}

/// Reads one value as the field `name`, or as several if it is an object.
struct FieldReader<'f> {
    name: String,
    fields: &'f mut Vec<(String, String)>,
    /// Bytes that the names may take: that of an object stands before the name of each of its leaves.
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

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "a.jsonl";

    #[test]
    fn nested_objects_become_columns_and_absent_fields_blanks() {
        let text = "\u{feff}{\"id\": 7, \"p\": {\"yes\": 0.25, \"no\": 1e-7}, \"tags\": [1, \"x\"]}\n\n{\"extra\": \
                    null, \"id\": \"b\"}\r\n";
        let table = read_lines(Path::new(FILE), text.as_bytes(), "id").unwrap();
        assert_eq!(table.header(), ["id", "p_yes", "p_no", "tags", "extra"]);
        let cells = |i: usize| -> Vec<String> {
            let row = table.rows().nth(i).unwrap();
            table.header().iter().map(|name| row.cell(table.column(name).unwrap()).to_owned()).collect()
        };
        assert_eq!(cells(0), ["7", "0.25", "1e-7", "[1,\"x\"]", ""]);
        assert_eq!(cells(1), ["b", "", "", "", ""]);
        assert_eq!(table.rows().map(|row| row.line()).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn damaged_lines_are_refused_with_line_and_character() {
        for (text, message) in [
            ("{\"id\": \"a\"}\n{\"id\": \"b\"", "a.jsonl:2:10: not a JSON object: EOF while parsing an object"),
            ("{\"id\": \"a\"} x", "a.jsonl:1:13: not a JSON object: trailing characters"),
            ("[1]", "a.jsonl:1:3: not a JSON object: an object of fields is needed here"),
            (
                "{\"id\": 1, \"x\": 2, \"x\": 3}",
                "a.jsonl:1 (column \"x\"): the column \"x\" appears twice in the header",
            ),
            ("{\"key\": 1}", "a.jsonl: the header has no column \"id\""),
            ("{\"id\": null}", "a.jsonl:1 (column \"id\"): the cell is blank"),
            ("\n", "a.jsonl: the table has no rows"),
        ] {
            let error = read_lines(Path::new(FILE), text.as_bytes(), "id").unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    /// The name of an object stands before that of each of its leaves, so a small file may ask for much.
    #[test]
    fn a_long_name_over_many_leaves_is_refused_before_it_is_multiplied() {
        let leaves = |count: usize| (0..count).map(|k| format!("\"{k}\":1")).collect::<Vec<_>>().join(",");
        let text = format!("{{\"id\":1,\"{}\":{{{}}}}}\n", "p".repeat(400_000), leaves(50_000));
        let started = std::time::Instant::now();
        let error = read_lines(Path::new(FILE), text.as_bytes(), "id").unwrap_err().to_string();
        assert!(error.contains("bytes of names of fields") && started.elapsed().as_secs() < 2, "{error}");
        let lines: String =
            (0..40).map(|k| format!("{{\"id\":{k},\"{k}{}\":{{{}}}}}\n", "p".repeat(900), leaves(100))).collect();
        let error = read_lines(Path::new(FILE), lines.as_bytes(), "id").unwrap_err().to_string();
        assert!(error.starts_with("a.jsonl:") && error.contains("bytes of names of fields"), "{error}");
        let table = format!("{{\"id\":1,\"{}\":{{{}}}}}\n", "p".repeat(100), leaves(100));
        assert_eq!(read_lines(Path::new(FILE), table.as_bytes(), "id").unwrap().header().len(), 101);
    }

    #[test]
    fn objects_without_common_fields_are_refused_before_their_table_is_made() {
        let text: String = (0..20_000).map(|i| format!("{{\"id\": {i}, \"field-{i}\": 1}}\n")).collect();
        let error = read_lines(Path::new(FILE), text.as_bytes(), "id").unwrap_err().to_string();
        let expected = "a.jsonl: it takes 399980000 fields that single objects lack, and the limit is 8217780; give \
                        every object the same fields; if that is meant, set JUDGE_UNCERTAINTY_LIMITS=49 in the \
                        environment";
        assert!(error.starts_with(expected), "{error}");
        let text: String = (0..500).map(|i| format!("{{\"id\": {i}, \"field-{i}\": 1}}\n")).collect();
        assert_eq!(read_lines(Path::new(FILE), text.as_bytes(), "id").unwrap().header().len(), 501);
    }
}

//! JSON with the places of its parts, and the constants `NaN` and `Infinity` that Python writes into it.

use std::borrow::Cow;
use std::path::Path;

use serde_json::Value;

use crate::encoding::unmarked;
use crate::error::{Error, Place, Result};
use crate::jsonl::refused;
use crate::records::{Document, Records};

/// JSON in which the constants `NaN`, `Infinity` and `-Infinity` outside texts are `null`.
pub(crate) fn without_constants(text: &str) -> Cow<'_, str> {
    const CONSTANTS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];
    if !CONSTANTS.iter().any(|constant| text.contains(constant)) {
        return Cow::Borrowed(text);
    }
    let (mut plain, mut rest, mut quoted) = (String::with_capacity(text.len()), text, false);
    while let Some(c) = rest.chars().next() {
        let constant = CONSTANTS.iter().find(|constant| !quoted && rest.starts_with(**constant));
        let length = match (constant, c) {
            (Some(constant), _) => {
                plain.push_str("null");
                rest = &rest[constant.len()..];
                continue;
            }
            (None, '\\') if quoted => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            (None, '"') => {
                quoted = !quoted;
                1
            }
            (None, c) => c.len_utf8(),
        };
        plain.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Cow::Owned(plain)
}

/// A JSON document.
pub(super) fn document(file: &Path, text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| refused(file, 1, &error))
}

/// The members of a JSON document without one of them, which is read for itself.
pub(super) fn without(file: &Path, text: &str, left_out: &str) -> Result<Value> {
    let others = Document { file, text }.members(text)?.into_iter().filter(|(name, _)| name != left_out);
    others.map(|(name, part)| Ok((name, document(file, part)?))).collect()
}

/// All records with their places.
pub(super) fn objects(file: &Path, records: &Records) -> Result<Vec<(Place, Value)>> {
    let found = records.values()?;
    if found.is_empty() {
        return Err(Error::unfit(Place::file(file), "the log holds no record", "export it again, with its samples"));
    }
    match found.iter().find(|(_, value)| !value.is_object()) {
        None => Ok(found),
        Some((place, other)) => {
            let reason = format!("{} stands where an object is due", excerpt(other));
            Err(Error::unfit(place.clone(), reason, "the file was edited: copy or export it again"))
        }
    }
}

/// The fields of the first object of a file that may be JSON Lines, a list or an object; `None` of anything else.
pub(super) fn first(bytes: &[u8]) -> Option<Value> {
    let bytes = unmarked(bytes);
    let start = bytes.iter().find(|byte| !byte.is_ascii_whitespace())?;
    if start.is_ascii() && !b"{[".contains(start) {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.trim_start();
    let start = text.strip_prefix('[').unwrap_or(text);
    let plain = without_constants(start);
    serde_json::Deserializer::from_str(&plain).into_iter::<Value>().next()?.ok().filter(Value::is_object)
}

/// Whether an object has a field that is not null.
pub(super) fn present(object: &Value, name: &str) -> bool {
    object.get(name).is_some_and(|value| !value.is_null())
}

/// The elements of a list in an object; empty if the object has no such list.
pub fn elements<'v>(object: &'v Value, name: &str) -> &'v [Value] {
    object.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A list of cells as one text; any other value as [`cell`].
pub(super) fn joined_cells(value: Option<&Value>, separator: &str) -> String {
    match value {
        Some(Value::Array(several)) => several.iter().map(cell).collect::<Vec<_>>().join(separator),
        other => other.map(cell).unwrap_or_default(),
    }
}

/// The text of a message, which may be divided into parts.
pub(super) fn content(message: Option<&Value>) -> String {
    match message {
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect(),
        other => other.map(cell).unwrap_or_default(),
    }
}

/// The start of a value for a message.
pub(super) fn excerpt(value: &Value) -> String {
    crate::error::excerpt(&value.to_string())
}

/// A text, number or truth value as text; `None` for anything else.
pub fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        // As labels are written: `4` for 4.0.
        Value::Number(number) if number.is_f64() => number.as_f64().map(|number| number.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// A number of CSV as labels are written: `4` for `4.0`; other texts as they are.
pub(super) fn plain_text(text: &str) -> String {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.map_or_else(|| text.to_owned(), |number| number.to_string())
}

/// Any value as a cell: texts as they are, lists and objects as JSON, null as nothing.
pub(crate) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        value => scalar(value).unwrap_or_else(|| value.to_string()),
    }
}

/// The value at a place of an object as a cell; blank where there is none.
pub(super) fn cell_at(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).map(cell).unwrap_or_default()
}

/// A field that must be a text or a number and not blank.
pub(super) fn needed(place: &Place, object: &Value, pointer: &str, what: &str) -> Result<String> {
    let name = pointer.trim_start_matches('/').replace('/', ".");
    let found = object.pointer(pointer).unwrap_or(&Value::Null);
    match found {
        Value::Bool(_) => None,
        value => scalar(value).filter(|text| !text.trim().is_empty()),
    }
    .ok_or_else(|| {
        let reason = format!("{what} is {}", excerpt(found));
        Error::unfit(place.clone().in_field(&name), reason, "the file was edited, or is of a version not known here")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_null_outside_texts_only() {
        let text = r#"{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \" Infinity", "d\\": 1}"#;
        let value: Value = serde_json::from_str(&without_constants(text)).unwrap();
        assert_eq!(value, serde_json::json!({"a": null, "b": [null, null], "c": "NaN \" Infinity", "d\\": 1}));
        assert!(matches!(without_constants("{\"a\": 1}"), Cow::Borrowed(_)));
    }

    #[test]
    fn parts_of_a_document_have_their_lines() {
        let text = "{\n \"x\": {\"rows\": [\n{\"a\": 1},\n\n {\"a\": 2}]}}";
        let list = |text: &str, path: &str| {
            let file = Path::new("l.json");
            objects(file, &Records::find(file, text, Some(path))?)
        };
        let rows = list(text, "x.rows").unwrap();
        let found: Vec<_> = rows.iter().map(|(place, row)| (place.line.unwrap(), row["a"].as_u64().unwrap())).collect();
        assert_eq!(found, [(3, 1), (5, 2)]);
        let error = |text: &str, path: &str| list(text, path).unwrap_err().to_string();
        let cut = error(&text[..28], "x.rows");
        assert!(cut.starts_with("l.json:3:9: not a JSON object: EOF while parsing"), "{cut}");
        assert!(error(text, "x.y").starts_with("l.json:2: it has no \"y\", but rows"));
        assert!(error("{\"a\": [1]}", "a").starts_with("l.json:1: 1 stands where an object is due"));
    }

    #[test]
    fn numbers_are_written_as_labels_are() {
        let shown: Vec<_> = ["4.0", "4", "0.25", "true", "\" a\""].iter().map(|t| cell(&t.parse().unwrap())).collect();
        assert_eq!(shown, ["4", "4", "0.25", "true", " a"]);
    }
}

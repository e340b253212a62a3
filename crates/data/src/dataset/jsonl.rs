//! Files of JSON objects as tables: JSON Lines, and the LeWiDi layout of one object per item.
//!
//! An object within an object is flattened: `{"id": "a", "p": {"yes": 0.5}}` has the columns `id` and `p_yes`. Lists
//! become their JSON text, `null` and absent fields are blank cells. A field that stands in an object twice is refused.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;

use csv::StringRecord;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::error::{Error, Place, Problem, Result};
use super::table::{Table, check_absent};

/// Reads one JSON object per line; blank lines are skipped.
///
/// # Errors
/// Text that is not UTF-8 or not JSON, a field that stands twice, no line, a missing or blank id; so many fields that single
/// objects lack that the table would be larger than [`crate::limits::ABSENT_FIELDS`] allows.
pub fn read_lines(file: &Path, bytes: &[u8], id_column: &str) -> Result<Table> {
    let text = utf8(file, bytes)?;
    let mut objects = Objects::default();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        objects.add(file, number, fields(file, number, line)?)?;
    }
    objects.into_table(file, id_column)
}

/// Reads a LeWiDi file, `{"1": {"text": ..., "annotations": {" Ann1": "0", ...}, ...}, ...}`: one row per item, whose id
/// is the key. The annotations are left to [`read_lewidi_labels`].
///
/// With `labels`, those of a file whose annotators may give several, there is one row per item and label: its id is
/// `KEY/LABEL`, and the label stands in the column [`LABEL`].
///
/// # Errors
/// As [`read_lines`].
pub fn read_lewidi(file: &Path, bytes: &[u8], labels: &[String]) -> Result<Table> {
    let mut objects = Objects::default();
    each_item(file, bytes, |line, id, item| {
        let mut found = fields(file, line, item)?;
        found.retain(|(field, _)| !field.starts_with(ANNOTATIONS));
        if labels.is_empty() {
            found.insert(0, (ID.to_owned(), id.to_owned()));
            return objects.add(file, line, found);
        }
        for label in labels {
            let own = [(ID.to_owned(), asked(id, label)), (LABEL.to_owned(), label.clone())];
            objects.add(file, line, own.into_iter().chain(found.clone()).collect())?;
        }
        Ok(())
    })?;
    objects.into_table(file, ID)
}

/// Reads the labels of a LeWiDi file: one row per item and annotator, with the columns [`ID`], `annotator` and [`LABEL`].
///
/// Annotators are trimmed, because the files separate them by commas with blanks.
///
/// With `labels` there is one row per item, label and annotator, which says `1` where the annotator gave this label, among
/// others perhaps, and `0` where not: several labels of one annotator are as many answers to different questions, so that
/// counts stay whole numbers. Several labels are separated by commas, or a list. An annotation without any is blank,
/// missing for all labels.
///
/// # Errors
/// As [`read_lines`]; an annotation with a label that is none of `labels`.
pub fn read_lewidi_labels(file: &Path, bytes: &[u8], labels: &[String]) -> Result<Table> {
    let mut rows = Vec::new();
    each_item(file, bytes, |line, id, item| {
        for (field, given) in &fields(file, line, item)? {
            let Some(annotator) = field.strip_prefix(ANNOTATIONS).map(str::trim) else { continue };
            if labels.is_empty() {
                rows.push((line, StringRecord::from(vec![id, annotator, given.trim()])));
                continue;
            }
            let given = several(given);
            if let Some(unknown) = given.iter().find(|label| !labels.contains(label)) {
                let place = Place::file(file).at_line(line).of_item(id).in_field(field);
                let problem = Problem::NotOneOf { value: unknown.clone(), allowed: labels.to_vec() };
                return Err(Error::refused(place, problem));
            }
            for label in labels {
                let answer = match (given.is_empty(), given.contains(label)) {
                    (true, _) => "",
                    (_, true) => "1",
                    (_, false) => "0",
                };
                rows.push((line, StringRecord::from(vec![asked(id, label).as_str(), annotator, answer])));
            }
        }
        Ok(())
    })?;
    // A file of items for a contest has no labels.
    Table::of_any_objects(file, [ID, "annotator", LABEL].map(str::to_owned).to_vec(), rows, ID)
}

/// Id of the item that asks whether a label applies.
fn asked(id: &str, label: &str) -> String {
    format!("{id}/{label}")
}

/// The labels of an annotation, `a, b` or `["a", "b"]`.
fn several(text: &str) -> Vec<String> {
    let list = serde_json::from_str::<Vec<String>>(text);
    let labels = list.unwrap_or_else(|_| text.split(',').map(str::to_owned).collect());
    labels.iter().map(|label| label.trim().to_owned()).filter(|label| !label.is_empty()).collect()
}

/// Column of the keys of a LeWiDi file.
pub const ID: &str = "id";
/// Column of a label.
pub const LABEL: &str = "label";
/// How the columns of the annotations begin once they are flattened.
const ANNOTATIONS: &str = "annotations_";

/// Calls `f` with line, key and text of each member of the outer object, in the order of the file.
fn each_item(file: &Path, bytes: &[u8], mut f: impl FnMut(u64, &str, &str) -> Result<()>) -> Result<()> {
    struct Members<'t>(Vec<(String, &'t RawValue)>);
    impl<'t> serde::Deserialize<'t> for Members<'t> {
        fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
            struct InOrder;
            impl<'t> Visitor<'t> for InOrder {
                type Value = Members<'t>;
                fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                    f.write_str("an object with one member per item")
                }
                fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                    let mut members = Vec::new();
                    while let Some(member) = map.next_entry()? {
                        members.push(member);
                    }
                    Ok(Members(members))
                }
            }
            deserializer.deserialize_map(InOrder)
        }
    }
    let text = utf8(file, bytes)?;
    let members: Members = serde_json::from_str(text).map_err(|error| refused(file, 1, &error))?;
    let (mut line, mut counted) = (1, 0);
    for (id, item) in &members.0 {
        // The raw text is a slice of the file, so its address tells its line.
        let offset = item.get().as_ptr().addr() - text.as_ptr().addr();
        line += text.as_bytes()[counted..offset].iter().filter(|&&byte| byte == b'\n').count() as u64;
        counted = offset;
        f(line, id, item.get())?;
    }
    Ok(())
}

fn utf8<'b>(file: &Path, bytes: &'b [u8]) -> Result<&'b str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() as u64;
        Error::refused(Place::file(file).at_line(line), Problem::NotUtf8)
    })
}

/// `first` is the line on which the parsed text begins.
fn refused(file: &Path, first: u64, error: &serde_json::Error) -> Error {
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
    let place = Place::file(file).at_line(first + error.line().saturating_sub(1) as u64);
    Error::refused(place.at_character(error.column()), Problem::NotJson { reason, expected: "a JSON object" })
}

/// Rows of cells under the union of the fields, in the order of their first appearance.
#[derive(Default)]
struct Objects {
    fields: Vec<String>,
    index: HashMap<String, usize>,
    /// Line, and value by position of its field.
    rows: Vec<(u64, BTreeMap<usize, String>)>,
}

impl Objects {
    fn add(&mut self, file: &Path, line: u64, found: Vec<(String, String)>) -> Result<()> {
        let mut row = BTreeMap::new();
        for (field, value) in found {
            let column = match self.index.get(&field) {
                Some(&column) => column,
                None => {
                    self.index.insert(field.clone(), self.fields.len());
                    self.fields.push(field.clone());
                    self.fields.len() - 1
                }
            };
            if row.insert(column, value).is_some() {
                let place = Place::file(file).at_line(line).in_field(&field);
                return Err(Error::refused(place, Problem::DuplicateColumn { name: field }));
            }
        }
        self.rows.push((line, row));
        Ok(())
    }

    fn into_table(self, file: &Path, id_column: &str) -> Result<Table> {
        let width = self.fields.len();
        let absent = self.rows.iter().map(|(_, row)| (width - row.len()) as u64).sum();
        check_absent(file, absent)?;
        let filled = |row: BTreeMap<usize, String>| -> StringRecord {
            (0..width).map(|column| row.get(&column).map_or("", String::as_str)).collect()
        };
        let rows = self.rows.into_iter().map(|(line, row)| (line, filled(row))).collect();
        Table::of_objects(file, self.fields, rows, id_column)
    }
}

/// The fields of the object that `text`, which begins on `line`, holds, flattened, as text.
///
/// # Errors
/// No object, or one with a field that stands twice.
pub fn fields(file: &Path, line: u64, text: &str) -> Result<Vec<(String, String)>> {
    let mut fields = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = Fields { name: String::new(), fields: &mut fields }.deserialize(&mut deserializer);
    read.and_then(|()| deserializer.end()).map_err(|error| refused(file, line, &error))?;
    Ok(fields)
}

/// Reads one value as the field `name`, or as several if it is an object.
struct Fields<'f> {
    name: String,
    fields: &'f mut Vec<(String, String)>,
}

impl Fields<'_> {
    fn put<E: serde::de::Error>(self, value: String) -> Result<(), E> {
        if self.name.is_empty() {
            return Err(E::custom("an object of fields is needed here"));
        }
        self.fields.push((self.name, value));
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
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
            let name = if self.name.is_empty() { key } else { format!("{}_{key}", self.name) };
            if name.is_empty() {
                return Err(A::Error::custom("a field without a name"));
            }
            map.next_value_seed(Fields { name, fields: &mut *self.fields })?;
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
        let text = "\u{feff}{\"id\": 7, \"p\": {\"yes\": 0.25, \"no\": 1e-7}, \"tags\": [1, \"x\"]}\n\n{\"extra\": null, \"id\": \"b\"}\r\n";
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
                "a.jsonl:1 (column \"x\"): the column \"x\" stands in the header twice",
            ),
            ("{\"key\": 1}", "a.jsonl: the header has no column \"id\""),
            ("{\"id\": null}", "a.jsonl:1 (column \"id\"): the cell is blank"),
            ("\n", "a.jsonl: the table has no rows"),
        ] {
            let error = read_lines(Path::new(FILE), text.as_bytes(), "id").unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn objects_without_common_fields_are_refused_before_their_table_is_made() {
        let text: String = (0..20_000).map(|i| format!("{{\"id\": {i}, \"field-{i}\": 1}}\n")).collect();
        let error = read_lines(Path::new(FILE), text.as_bytes(), "id").unwrap_err().to_string();
        let expected = "a.jsonl: it takes 399980000 fields that single objects lack, and the limit is 50000000; give every \
                        object the same fields; if that is meant, set JUDGE_UNCERTAINTY_LIMITS=8 in the environment";
        assert!(error.starts_with(expected), "{error}");
        let text: String = (0..500).map(|i| format!("{{\"id\": {i}, \"field-{i}\": 1}}\n")).collect();
        assert_eq!(read_lines(Path::new(FILE), text.as_bytes(), "id").unwrap().header().len(), 501);
    }

    #[test]
    fn lewidi_items_keep_their_order_and_line() {
        let text = "{\n \"2\": {\"text\": {\"post\": \"p\"},\n  \"annotations\": {\"Ann1\": \"1\", \" Ann2\": \"0\"}},\n \"1\": \
                    {\"text\": {\"post\": \"q\"}, \"annotations\": {}}\n}";
        let items = read_lewidi(Path::new(FILE), text.as_bytes(), &[]).unwrap();
        let post = items.column("text_post").unwrap();
        let rows: Vec<_> = items.rows().map(|row| (row.id(), row.line(), row.cell(post))).collect();
        assert_eq!(rows, [("2", 2, "p"), ("1", 4, "q")]);
        let labels = read_lewidi_labels(Path::new(FILE), text.as_bytes(), &[]).unwrap();
        let [annotator, label] = ["annotator", "label"].map(|name| labels.column(name).unwrap());
        let rows: Vec<_> = labels.rows().map(|row| (row.id(), row.cell(annotator), row.cell(label))).collect();
        assert_eq!(rows, [("2", "Ann1", "1"), ("2", "Ann2", "0")]);
    }
    #[test]
    fn several_labels_of_an_annotator_answer_a_question_each() {
        let text = "{\"1\": {\"text\": {\"context\": \"p\"}, \"annotations\": {\"Ann1\": \"yes\", \" Ann2\": \"yes, maybe\", \
                    \"Ann3\": [\"no\"], \"Ann4\": \"\"}},\n \"2\": {\"text\": {\"context\": \"q\"}, \"annotations\": {}}}";
        let labels = ["yes", "no", "maybe"].map(str::to_owned);
        let items = read_lewidi(Path::new(FILE), text.as_bytes(), &labels).unwrap();
        let [label, context] = [LABEL, "text_context"].map(|name| items.column(name).unwrap());
        let rows: Vec<_> = items.rows().map(|row| (row.id(), row.cell(label), row.cell(context))).collect();
        assert_eq!(
            rows[..4],
            [("1/yes", "yes", "p"), ("1/no", "no", "p"), ("1/maybe", "maybe", "p"), ("2/yes", "yes", "q")]
        );
        assert_eq!(rows.len(), 6);
        let answers = read_lewidi_labels(Path::new(FILE), text.as_bytes(), &labels).unwrap();
        let [annotator, label] = ["annotator", LABEL].map(|name| answers.column(name).unwrap());
        let of = |wanted: &str| -> Vec<(&str, &str)> {
            let own = answers.rows().filter(|row| row.id() == wanted);
            own.map(|row| (row.cell(annotator), row.cell(label))).collect()
        };
        assert_eq!(of("1/yes"), [("Ann1", "1"), ("Ann2", "1"), ("Ann3", "0"), ("Ann4", "")]);
        assert_eq!(of("1/maybe"), [("Ann1", "0"), ("Ann2", "1"), ("Ann3", "0"), ("Ann4", "")]);
        let error = read_lewidi_labels(Path::new(FILE), text.as_bytes(), &labels[1..]).unwrap_err().to_string();
        assert!(
            error.starts_with("a.jsonl:1 (column \"annotations_Ann1\", item \"1\"): \"yes\" is not one of no"),
            "{error}"
        );
    }
}

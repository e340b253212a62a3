//! The records of a JSON file, whatever its layout.
//!
//! | layout | recognised by |
//! |---|---|
//! | JSON Lines | an object that ends with its line |
//! | a list of records, on one line or many | `[` |
//! | an object with one list of records, perhaps within objects | no other list of objects is in it; or its path is named |
//! | pandas' `split` | lists `columns` and `data` |
//! | pandas' `columns` and `index`, lists by column | objects, or lists, of the same keys, or the same length |
//!
//! Records stay slices of the file's text until they are asked for.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::error::{Error, Place, Result, excerpt};
use crate::jsonl::{ObjectRows, fields, refused, utf8};
use crate::logs::json::{cell, without_constants};
use crate::table::DataTable;
use judge_uncertainty_system::limits::HELD;

/// How deep within objects a list of records is looked for.
const DEPTH: usize = 3;

/// Reads the records of a file, one JSON object per line or whatever [`Records`] knows; Python's `NaN` and `Infinity` are
/// blank. `rows` is the path of the list that holds the records.
///
/// # Errors
/// Text that is not UTF-8 or not JSON, an object that has a field twice, no record, a missing or blank id; objects that
/// lack so many fields of the others that the table would be larger than
/// [`judge_uncertainty_system::limits::ABSENT_FIELDS`] allows.
pub fn read(file: &Path, bytes: &[u8], id_column: &str, rows: Option<&str>) -> Result<DataTable> {
    let text = without_constants(utf8(file, bytes)?);
    let records = Records::find(file, &text, rows)?;
    let mut objects = ObjectRows::default();
    for (line, object) in &records.objects {
        objects.add(file, *line, fields(file, *line, object)?)?;
    }
    objects.into_table(file, id_column)
}

/// The records of a JSON file.
#[derive(Debug)]
pub struct Records<'t> {
    file: &'t Path,
    /// The line on which each object begins, or its number where columns hold the records; with its text.
    objects: Vec<(u64, Cow<'t, str>)>,
}

/// The members of a JSON object in the order of the file, a repeated one each time, with the JSON texts of their values.
pub struct Members<'t>(pub Vec<(String, &'t str)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
                let mut members = vec![];
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    members.push((name, value.get()));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl<'t> Records<'t> {
    /// Finds the records of a file of this text; `named` is the path of the list that holds them, such as `results` or
    /// `data.rows`.
    ///
    /// # Errors
    /// Text that is not JSON, a file without records, or one with several lists of records if `named` is absent.
    pub fn find(file: &'t Path, text: &'t str, named: Option<&str>) -> Result<Self> {
        if named.is_none() && is_lines(file, text) {
            return Ok(Self::of_lines(file, text));
        }
        Document { file, text }.records(named)
    }

    /// The objects of JSON Lines; blank lines are skipped.
    pub(crate) fn of_lines(file: &'t Path, text: &'t str) -> Self {
        Self::objects(file, (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()))
    }

    fn objects(file: &'t Path, objects: impl IntoIterator<Item = (u64, &'t str)>) -> Self {
        Self { file, objects: objects.into_iter().map(|(line, object)| (line, object.into())).collect() }
    }

    /// The records as JSON values with their places.
    ///
    /// # Errors
    /// No JSON.
    pub fn values(&self) -> Result<Vec<(Place, Value)>> {
        let value = |(line, object): &(u64, Cow<'_, str>)| {
            let value = serde_json::from_str(object).map_err(|error| refused(self.file, *line, &error))?;
            Ok((Place::file(self.file).at_line(*line), value))
        };
        self.objects.iter().map(value).collect()
    }
}

/// Whether a text is an object for each line: by the file's extension, or since its first object ends with its line.
fn is_lines(file: &Path, text: &str) -> bool {
    let start = text.trim_start();
    if start.is_empty() {
        return true;
    }
    let extension = file.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let first = start.lines().next().unwrap_or_default();
    let (alone, more) = (serde_json::from_str::<&RawValue>(first).is_ok(), !start[first.len()..].trim().is_empty());
    start.starts_with('{')
        && match extension.as_deref() {
            Some("jsonl" | "ndjson") => true,
            Some("json") => alone && more,
            _ => alone,
        }
}

fn array<'t>(file: &Path, line: u64, text: &'t str) -> Result<Vec<&'t str>> {
    let cells: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| refused(file, line, &error))?;
    Ok(cells.into_iter().map(RawValue::get).collect())
}

/// A JSON file that holds one value.
#[derive(Clone, Copy)]
pub(crate) struct Document<'t> {
    pub(crate) file: &'t Path,
    pub(crate) text: &'t str,
}

impl<'t> Document<'t> {
    fn unfit<T>(self, part: &str, reason: impl Into<String>, remedy: &str) -> Result<T> {
        Err(Error::unfit(Place::file(self.file).at_line(self.line(part)), reason, remedy))
    }

    /// The line on which a part of the text begins.
    fn line(self, part: &str) -> u64 {
        let before = &self.text.as_bytes()[..part.as_ptr().addr() - self.text.as_ptr().addr()];
        1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64
    }

    /// Parts of the text with the lines on which they begin.
    pub(crate) fn lines(self, parts: Vec<&'t str>) -> Vec<(u64, &'t str)> {
        let (mut line, mut counted) = (1, 0);
        let place = |part: &'t str| {
            let offset = part.as_ptr().addr() - self.text.as_ptr().addr();
            line += self.text.as_bytes()[counted..offset].iter().filter(|&&byte| byte == b'\n').count() as u64;
            counted = offset;
            (line, part)
        };
        parts.into_iter().map(place).collect()
    }

    /// The members of an object that is a part of the text, in their order.
    pub(crate) fn members(self, part: &'t str) -> Result<Vec<(String, &'t str)>> {
        let found: Members = serde_json::from_str(part).map_err(|error| refused(self.file, self.line(part), &error))?;
        Ok(found.0)
    }

    fn records(self, named: Option<&str>) -> Result<Records<'t>> {
        let mut part: &str =
            serde_json::from_str::<&RawValue>(self.text).map_err(|error| refused(self.file, 1, &error))?.get();
        for name in named.into_iter().flat_map(|path| path.split('.')) {
            let members = if part.starts_with('{') { self.members(part)? } else { vec![] };
            let Some((_, found)) = members.iter().find(|(known, _)| known == name) else {
                let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
                let reason = format!("it has no {name:?}, but {}", excerpt(&names.join(", ")));
                return self.unfit(part, reason, "name the list of the records: --columns rows=PATH");
            };
            part = found;
        }
        if part.starts_with('[') {
            return self.list(part);
        }
        if !part.starts_with('{') {
            let reason = format!("{} stands where records are due", excerpt(part));
            return self.unfit(part, reason, "give a list of objects, or an object that holds one");
        }
        let members = self.members(part)?;
        let member = |name: &str| members.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        if let (Some(columns), Some(data)) = (member("columns"), member("data"))
            && columns.starts_with('[')
            && data.starts_with('[')
        {
            return self.split(columns, data, member("index"));
        }
        if let Some(found) = self.columns(&members)? {
            return Ok(found);
        }
        // The types of the columns stand beside the records of pandas' `table`, and of Hugging Face's rows.
        let is_of_types = |path: &str| {
            path.starts_with("schema.") && member("data").is_some() || path == "features" && member("rows").is_some()
        };
        let mut lists = vec![];
        self.lists(&members, "", DEPTH, &mut lists)?;
        lists.retain(|(path, _)| !is_of_types(path));
        match &lists[..] {
            [(_, list)] => self.list(list),
            [] if members.len() > 1 && members.iter().all(|(_, value)| value.starts_with('{')) => self.unfit(
                part,
                "it has no list of records",
                "give a list of objects; if it is the log of a tool, name the tool (`format` in study.toml)",
            ),
            [] => Ok(Records::objects(self.file, [(self.line(part), part)])),
            several => {
                let paths: Vec<&str> = several.iter().map(|(path, _)| path.as_str()).collect();
                let reason = format!("it has several lists of records: {}", paths.join(", "));
                let longest = (0..paths.len()).max_by_key(|&k| several[k].1.len()).unwrap_or_default();
                self.unfit(part, reason, &format!("name one: --columns rows={}", paths[longest]))
            }
        }
    }

    /// The objects of a list.
    fn list(self, list: &'t str) -> Result<Records<'t>> {
        let rows = self.lines(array(self.file, self.line(list), list)?);
        match rows.iter().find(|(_, row)| !row.starts_with('{')) {
            Some((_, row)) if row.starts_with('[') => {
                self.unfit(row, "its rows have no names", "give objects: pandas writes them with orient=\"records\"")
            }
            Some((_, row)) => {
                let reason = format!("{} stands where an object is due", excerpt(row));
                self.unfit(row, reason, "give a list of objects")
            }
            None => Ok(Records::objects(self.file, rows)),
        }
    }

    fn split(self, columns: &'t str, data: &'t str, index: Option<&'t str>) -> Result<Records<'t>> {
        let texts = |list: &'t str| -> Result<Vec<String>> {
            let cells: Vec<Value> =
                serde_json::from_str(list).map_err(|error| refused(self.file, self.line(list), &error))?;
            Ok(cells.iter().map(cell).collect())
        };
        let (names, labels) = (texts(columns)?, index.map_or(Ok(vec![]), texts)?);
        let cells = |(line, row): (u64, &'t str)| {
            let cells = array(self.file, line, row)?;
            if cells.len() == names.len() {
                return Ok((line, cells));
            }
            let reason = format!("the row has {} cells for {} columns", cells.len(), names.len());
            let place = Place::file(self.file).at_line(line);
            Err(Error::unfit(place, reason, "the file was edited: export it again"))
        };
        let rows = self.lines(array(self.file, self.line(data), data)?);
        let rows: Vec<(u64, Vec<&str>)> = rows.into_iter().map(cells).collect::<Result<_>>()?;
        self.of_columns(&names, rows.into_iter(), &labels)
    }

    /// Rows of the values of columns, with pandas' labels of the rows, which are a column if they say more than numbers
    /// from 0.
    fn of_columns(
        self,
        names: &[String],
        rows: impl ExactSizeIterator<Item = (u64, Vec<&'t str>)>,
        labels: &[String],
    ) -> Result<Records<'t>> {
        let names: Vec<String> = names.iter().map(|name| json!(name).to_string()).collect();
        let labels = if is_range(labels) { &[] } else { labels };
        // Each object has the names of its fields.
        let taken = (names.iter().map(String::len).sum::<usize>() as u64).saturating_mul(rows.len() as u64);
        let within = HELD.for_file(self.text.len() as u64).check(taken);
        within.map_err(Error::too_much(Place::file(self.file)))?;
        let object = |(row, (line, cells)): (usize, (u64, Vec<&str>))| {
            let members = names.iter().zip(cells).map(|(name, cell)| format!("{name}:{cell}"));
            let label = labels.get(row).map(|label| format!("\"{INDEX}\":{}", json!(label)));
            (line, format!("{{{}}}", members.chain(label).collect::<Vec<_>>().join(",")).into())
        };
        Ok(Records { file: self.file, objects: rows.enumerate().map(object).collect() })
    }

    /// Columns of cells: a list each, or an object each whose members are the rows, or an object for each row.
    fn columns(self, members: &[(String, &'t str)]) -> Result<Option<Records<'t>>> {
        let all = |open: char| members.len() > 1 && members.iter().all(|(_, value)| value.starts_with(open));
        let (are_lists, are_objects) = (all('['), all('{'));
        let outer: Vec<String> = members.iter().map(|(name, _)| name.clone()).collect();
        let (mut keys, mut table) = (vec![], vec![]);
        for (_, part) in members {
            let (names, cells): (Vec<String>, Vec<&str>) = match () {
                () if are_lists => (vec![], array(self.file, self.line(part), part)?),
                () if are_objects => self.members(part)?.into_iter().unzip(),
                () => return Ok(None),
            };
            if table.is_empty() {
                keys = names.clone();
            }
            let length = table.first().map_or(cells.len(), Vec::len);
            if cells.is_empty() || cells.len() != length || keys != names || cells.iter().any(|cell| is_nested(cell)) {
                return Ok(None);
            }
            table.push(cells);
        }
        // By row, where the outer names are the labels of rows and the inner ones not; else the more numerous are.
        let by_row = !keys.is_empty() && !is_range(&keys) && (is_range(&outer) || outer.len() > keys.len());
        let (names, labels) = if by_row { (keys, outer) } else { (outer, keys) };
        if !by_row {
            let length = table.first().map_or(0, Vec::len);
            table = (0..length).map(|k| table.iter().map(|column| column[k]).collect()).collect();
        }
        self.of_columns(&names, (1..).zip(table).collect::<Vec<_>>().into_iter(), &labels).map(Some)
    }

    /// Lists of objects within an object, by their paths.
    fn lists(
        self,
        members: &[(String, &'t str)],
        path: &str,
        depth: usize,
        lists: &mut Vec<(String, &'t str)>,
    ) -> Result<()> {
        for (name, value) in members {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            if is_list(value) {
                lists.push((path, value));
            } else if value.starts_with('{') && depth > 1 {
                self.lists(&self.members(value)?, &path, depth - 1, lists)?;
            }
        }
        Ok(())
    }
}

/// The column of pandas' labels of rows.
const INDEX: &str = "index";

/// Whether names are the numbers from 0 in order.
fn is_range(names: &[String]) -> bool {
    names.iter().zip(0_usize..).all(|(name, k)| *name == k.to_string())
}

/// Whether a value is a list of objects or an object.
fn is_nested(value: &str) -> bool {
    value.starts_with('{') || is_list(value)
}

/// Whether a value is a list of objects.
fn is_list(value: &str) -> bool {
    value.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::NO_IDS;

    const FILE: &str = "a.jsonl";

    #[test]
    fn nested_objects_become_columns_and_absent_fields_blanks() {
        let text = "\u{feff}{\"id\": 7, \"p\": {\"yes\": 0.25, \"no\": 1e-7}, \"tags\": [1, \"x\"]}\n\n{\"extra\": \
                    null, \"id\": \"b\"}\r\n";
        let table = read(Path::new(FILE), text.as_bytes(), "id", None).unwrap();
        assert_eq!(table.header(), ["id", "p_yes", "p_no", "tags", "extra"]);
        let cells = |i: usize| -> Vec<String> {
            let row = table.rows().nth(i).unwrap();
            table.header().iter().map(|name| row.cell(table.column(name).unwrap()).to_owned()).collect()
        };
        assert_eq!(cells(0), ["7", "0.25", "1e-7", "[1,\"x\"]", ""]);
        assert_eq!(cells(1), ["b", "", "", "", ""]);
        assert_eq!(table.rows().map(|row| row.line()).collect::<Vec<_>>(), [1, 3]);
    }

    /// The rows of a file, the header first.
    fn rows(name: &str, text: &str, rows: Option<&str>) -> Vec<Vec<String>> {
        let table = read(Path::new(name), text.as_bytes(), NO_IDS, rows).unwrap();
        let cells = table.rows().map(|row| row.cells().map(str::to_owned).collect());
        [table.header().to_vec()].into_iter().chain(cells).collect()
    }

    /// As pandas 2 writes them: `to_json(orient=...)`, `json.dump(frame.to_dict(...))`; and as an API wraps them.
    #[test]
    fn every_layout_of_the_same_records_is_the_same_table() {
        let expected = [["id", "verdict", "human"], ["a", "pass", "0.5"], ["b", "fail", ""]];
        for text in [
            r#"[{"id":"a","verdict":"pass","human":0.5},{"id":"b","verdict":"fail","human":null}]"#,
            "\u{feff}[\n  {\n    \"id\": \"a\",\n    \"verdict\": \"pass\",\n    \"human\": 0.5\n  },\n  {\n    \
             \"id\": \"b\",\n    \"verdict\": \"fail\",\n    \"human\": NaN\n  }\n]\n",
            r#"{"columns":["id","verdict","human"],"index":[0,1],"data":[["a","pass",0.5],["b","fail",null]]}"#,
            r#"{"id":{"0":"a","1":"b"},"verdict":{"0":"pass","1":"fail"},"human":{"0":0.5,"1":null}}"#,
            r#"{"0":{"id":"a","verdict":"pass","human":0.5},"1":{"id":"b","verdict":"fail","human":null}}"#,
            r#"{"id":["a","b"],"verdict":["pass","fail"],"human":[0.5,null]}"#,
            r#"{"schema":{"fields":[{"name":"id"}]},"data":[{"id":"a","verdict":"pass","human":0.5},{"id":"b",
                "verdict":"fail","human":null}]}"#,
            r#"{"model":"m","data":{"count":2,"results":[{"id":"a","verdict":"pass","human":0.5},{"id":"b",
                "verdict":"fail"}]}}"#,
            "{\"id\":\"a\",\"verdict\":\"pass\",\"human\":0.5}\n{\"id\":\"b\",\"verdict\":\"fail\"}\n",
        ] {
            assert_eq!(rows("a.json", text, None), expected, "{text}");
        }
        let labelled = r#"{"x":{"verdict":"pass","n":1},"y":{"verdict":"fail","n":2},"z":{"verdict":"pass","n":3}}"#;
        assert_eq!(rows("a.json", labelled, None)[1], ["pass", "1", "x"]);
        let split = r#"{"columns":["n"],"index":["x","y"],"data":[[1],[{"k":2}]]}"#;
        assert_eq!(rows("a.json", split, None), [vec!["n", "index", "n_k"], vec!["1", "x", ""], vec!["", "y", "2"]]);
    }

    #[test]
    fn a_list_is_named_where_there_are_several() {
        let text = "{\"train\": [{\"id\": 1}],\n \"eval\": {\"rows\": [{\"id\": 2}]}}";
        let error =
            |rows: Option<&str>| read(Path::new("a.json"), text.as_bytes(), NO_IDS, rows).unwrap_err().to_string();
        assert!(error(None).starts_with("a.json:1: it has several lists of records: train, eval.rows; name one"));
        assert!(error(Some("eval.row")).starts_with("a.json:2: it has no \"row\", but rows"));
        assert_eq!(rows("a.json", text, Some("eval.rows")), [["id"], ["2"]]);
        // A record on its own, a line without an extension that says JSON Lines.
        assert_eq!(rows("a.json", "{\"id\": 1, \"p\": {\"yes\": 1}}", None), [["id", "p_yes"], ["1", "1"]]);
        assert_eq!(rows("a", "{\"id\": 1, \"talk\": [{\"role\": \"x\"}]}", None)[0], ["id", "talk"]);
    }

    #[test]
    fn damaged_documents_are_refused_with_their_line() {
        for (text, message) in [
            ("[\n{\"id\": 1},\n{\"id\": ", "a.json:3:7: not a JSON object: EOF while parsing"),
            ("[\n{\"id\": 1},\n2]", "a.json:3: 2 stands where an object is due"),
            ("[[1, 2]]", "a.json:1: its rows have no names"),
            ("{\"a\": {\"b\": 1},\n\"c\": {\"d\": 1}}", "a.json:1: it has no list of records"),
            ("7", "a.json:1: 7 stands where records are due"),
            ("{\"columns\": [\"id\", \"n\"], \"data\": [[1, 2],\n[3]]}", "a.json:2: the row has 1 cells for 2 columns"),
        ] {
            let error = read(Path::new("a.json"), text.as_bytes(), NO_IDS, None).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
        // A long name is not copied for each of many rows.
        let rows = vec!["[1]"; 200_000].join(",");
        let text = format!("{{\"columns\":[\"{}\"],\"data\":[{rows}]}}", "n".repeat(200_000));
        let error = read(Path::new("a.json"), text.as_bytes(), NO_IDS, None).unwrap_err().to_string();
        assert!(error.contains("bytes of memory"), "{error}");
    }

    #[test]
    fn damaged_lines_are_refused_with_line_and_character() {
        for (text, message) in [
            ("{\"id\": \"a\"}\n{\"id\": \"b\"", "a.jsonl:2:10: not a JSON object: EOF while parsing an object"),
            ("{\"id\": \"a\"} x", "a.jsonl:1:13: not a JSON object: trailing characters"),
            ("{\"id\": \"a\", \"x\": {\"y\": 1e999}}", "a.jsonl:1:28: not a JSON object: number out of range"),
            ("[1]", "a.jsonl:1: 1 stands where an object is due"),
            (
                "{\"id\": 1, \"x\": 2, \"x\": 3}",
                "a.jsonl:1 (column \"x\"): the column \"x\" appears twice in the header",
            ),
            ("{\"key\": 1}", "a.jsonl: the header has no column \"id\""),
            ("{\"id\": null}", "a.jsonl:1 (column \"id\"): the cell is blank"),
            ("\n", "a.jsonl: the table has no rows"),
        ] {
            let error = read(Path::new(FILE), text.as_bytes(), "id", None).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    /// The name of an object is repeated before the name of each of its leaves, so a small file may ask for much
    /// memory.
    #[test]
    fn a_long_name_over_many_leaves_is_refused_before_it_is_multiplied() {
        let leaves = |count: usize| (0..count).map(|k| format!("\"{k}\":1")).collect::<Vec<_>>().join(",");
        let text = format!("{{\"id\":1,\"{}\":{{{}}}}}\n", "p".repeat(400_000), leaves(50_000));
        let error = read(Path::new(FILE), text.as_bytes(), "id", None).unwrap_err().to_string();
        assert!(error.contains("bytes of names of fields"), "{error}");
        let lines: String =
            (0..40).map(|k| format!("{{\"id\":{k},\"{k}{}\":{{{}}}}}\n", "p".repeat(900), leaves(100))).collect();
        let error = read(Path::new(FILE), lines.as_bytes(), "id", None).unwrap_err().to_string();
        assert!(error.starts_with("a.jsonl:") && error.contains("bytes of names of fields"), "{error}");
        let table = format!("{{\"id\":1,\"{}\":{{{}}}}}\n", "p".repeat(100), leaves(100));
        assert_eq!(read(Path::new(FILE), table.as_bytes(), "id", None).unwrap().header().len(), 101);
    }

    #[test]
    fn objects_without_common_fields_are_refused_before_their_table_is_made() {
        let text: String = (0..20_000).map(|i| format!("{{\"id\": {i}, \"field-{i}\": 1}}\n")).collect();
        let error = read(Path::new(FILE), text.as_bytes(), "id", None).unwrap_err().to_string();
        let expected = "a.jsonl: it takes 399980000 fields that single objects lack, and the limit is 8217780; give \
                        every object the same fields; if that is meant, set JUDGE_UNCERTAINTY_LIMITS=49 in the \
                        environment";
        assert!(error.starts_with(expected), "{error}");
        let text: String = (0..500).map(|i| format!("{{\"id\": {i}, \"field-{i}\": 1}}\n")).collect();
        assert_eq!(read(Path::new(FILE), text.as_bytes(), "id", None).unwrap().header().len(), 501);
    }
}

//! Items and their texts, read from CSV or JSON Lines.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use judge_uncertainty_formats::error::list;
use judge_uncertainty_formats::table::DataTable;
use judge_uncertainty_system::read::InputFile;

use super::error::EmbeddingError;
use super::template::Template;

/// Items in the order of their file: the text of item `i` is `texts[i]`, its id `ids[i]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemTexts {
    /// Unique, never empty, kept as they stand in the file.
    pub ids: Vec<String>,
    /// The template filled with each item's columns.
    pub texts: Vec<String>,
}

/// Reads the items of a `.csv` file (with a header) or a `.jsonl` file (an object on each line).
///
/// The id is the value of `id_column` (text, or in JSON also a whole number), the text is `template` filled with the
/// item's columns.
///
/// # Errors
/// A file that cannot be read, is of another kind or holds no items; a column that is absent or stands twice in the
/// header; and, with the line, a value that is missing or no text, an id that is empty, repeated or broken over lines,
/// an item whose text columns are all blank.
pub fn read_items(path: &Path, id_column: &str, template: &Template) -> Result<ItemTexts, EmbeddingError> {
    let place = ItemsFile { path, id_column, template };
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let read: fn(InputFile, ItemsFile) -> _ = match extension.as_deref() {
        Some("csv") => read_csv,
        Some("jsonl" | "ndjson") => |file, place| read_jsonl(BufReader::new(file), place),
        _ => return Err(EmbeddingError::ItemsFormat { path: path.to_path_buf() }),
    };
    let file = InputFile::open(path).map_err(EmbeddingError::read(path))?;
    some(path, read(file, place)?)
}

/// Reads items from JSON Lines that stand in memory, such as the rows of a Parquet file; `path` is the name for errors.
///
/// # Errors
/// As [`read_items`].
pub fn read_item_lines(
    path: &Path,
    lines: &str,
    id_column: &str,
    template: &Template,
) -> Result<ItemTexts, EmbeddingError> {
    some(path, read_jsonl(lines.as_bytes(), ItemsFile { path, id_column, template })?)
}

/// Reads items from the rows of a table, such as the sheet of a workbook.
///
/// # Errors
/// As [`read_items`].
pub fn read_item_table(table: &DataTable, id_column: &str, template: &Template) -> Result<ItemTexts, EmbeddingError> {
    let place = ItemsFile { path: table.file(), id_column, template };
    let mut columns = BTreeMap::new();
    for name in place.columns() {
        let absent = |_| place.absent(1, name, table.header().iter().map(String::as_str));
        columns.insert(name, table.column(name).map_err(absent)?);
    }
    let mut items = ItemCollector::new(place);
    for row in table.rows() {
        items.add(row.line(), |column| Ok(row.cell(columns[column]).to_owned()))?;
    }
    some(table.file(), items.items)
}

fn some(path: &Path, items: ItemTexts) -> Result<ItemTexts, EmbeddingError> {
    match items.ids.is_empty() {
        true => Err(EmbeddingError::NoItems { path: path.to_path_buf() }),
        false => Ok(items),
    }
}

fn read_csv(file: InputFile, place: ItemsFile) -> Result<ItemTexts, EmbeddingError> {
    let mut reader = csv::Reader::from_reader(file);
    let header = reader.headers().map_err(|e| place.csv_error(e))?.clone();
    if header.is_empty() {
        return Ok(ItemTexts::default());
    }
    let mut index = BTreeMap::new();
    for column in place.columns() {
        let mut found = (0..header.len()).filter(|&i| &header[i] == column);
        let Some(first) = found.next() else {
            return Err(place.absent(1, column, header.iter()));
        };
        if found.next().is_some() {
            let problem = format!("the column {column:?} stands twice in the header; rename one");
            return Err(place.error(1, problem));
        }
        index.insert(column, first);
    }
    let mut items = ItemCollector::new(place);
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| place.csv_error(e))? {
        let line = record.position().map_or(0, csv::Position::line);
        items.add(line, |column| Ok(record[index[column]].to_owned()))?;
    }
    Ok(items.items)
}

fn read_jsonl(file: impl BufRead, place: ItemsFile) -> Result<ItemTexts, EmbeddingError> {
    let mut items = ItemCollector::new(place);
    for (line, text) in (1..).zip(file.lines()) {
        let text = text.map_err(|e| match e.kind() {
            std::io::ErrorKind::InvalidData => place.error(line, "not UTF-8; save the file in that encoding".into()),
            _ => EmbeddingError::read(place.path)(e),
        })?;
        // Some editors begin a file with a byte order mark.
        let text = if line == 1 { text.trim_start_matches('\u{feff}') } else { &text };
        if text.trim().is_empty() {
            continue;
        }
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(text).map_err(|e| place.error(line, format!("not a JSON object: {e}")))?;
        items.add(line, |column| match object.get(column) {
            Some(serde_json::Value::String(value)) => Ok(value.clone()),
            Some(serde_json::Value::Number(id)) if column == place.id_column && !id.is_f64() => Ok(id.to_string()),
            Some(other) => {
                Err(place
                    .error(line, format!("{column:?} must be a text, not {other}; quote it or use another column")))
            }
            None => Err(place.absent(line, column, object.keys().map(String::as_str))),
        })?;
    }
    Ok(items.items)
}

/// What is read, and the errors that name it.
#[derive(Clone, Copy)]
struct ItemsFile<'a> {
    path: &'a Path,
    id_column: &'a str,
    template: &'a Template,
}

impl<'a> ItemsFile<'a> {
    /// The columns needed: that of the id, then those of the text.
    fn columns(self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.id_column).chain(self.template.columns())
    }

    fn error(self, line: u64, problem: String) -> EmbeddingError {
        EmbeddingError::ItemsLine { path: self.path.to_path_buf(), line, problem }
    }

    fn absent<'n>(self, line: u64, column: &str, present: impl Iterator<Item = &'n str>) -> EmbeddingError {
        let present: Vec<_> = present.map(|name| format!("{name:?}")).collect();
        self.error(line, format!("there is no column {column:?}; the columns are {}", list(&present)))
    }

    fn csv_error(self, error: csv::Error) -> EmbeddingError {
        let line = error.position().map_or(1, csv::Position::line);
        match error.into_kind() {
            csv::ErrorKind::Io(source) => EmbeddingError::read(self.path)(source),
            csv::ErrorKind::Utf8 { .. } => self.error(line, "not UTF-8; save the file in that encoding".into()),
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => self.error(
                line,
                format!("{len} fields where the header has {expected_len}; quote fields that contain commas"),
            ),
            other => self.error(line, format!("not CSV: {other:?}")),
        }
    }
}

/// Collects items and refuses bad ones, whatever their file looks like.
struct ItemCollector<'a> {
    place: ItemsFile<'a>,
    /// The line of each id.
    lines: BTreeMap<String, u64>,
    items: ItemTexts,
}

impl<'a> ItemCollector<'a> {
    fn new(place: ItemsFile<'a>) -> Self {
        Self { place, lines: BTreeMap::new(), items: ItemTexts::default() }
    }

    fn add(&mut self, line: u64, value: impl Fn(&str) -> Result<String, EmbeddingError>) -> Result<(), EmbeddingError> {
        let place = self.place;
        let id = value(place.id_column)?;
        if id.trim().is_empty() {
            return Err(place.error(line, format!("the id (column {:?}) is empty", place.id_column)));
        }
        if id.contains(['\n', '\r']) {
            return Err(place.error(line, format!("the id {id:?} is broken over lines")));
        }
        let values: BTreeMap<&str, String> = (place.template.columns())
            .map(|column| Ok((column, value(column)?)))
            .collect::<Result<_, EmbeddingError>>()?;
        if values.values().all(|value| value.trim().is_empty()) {
            return Err(
                place.error(line, format!("the item {id:?} has no text (every column of the template is blank)"))
            );
        }
        if let Some(first) = self.lines.insert(id.clone(), line) {
            return Err(place.error(line, format!("the id {id:?} is already on line {first}; ids must be unique")));
        }
        self.items.ids.push(id);
        self.items.texts.push(place.template.render(|column| &values[column]));
        Ok(())
    }
}

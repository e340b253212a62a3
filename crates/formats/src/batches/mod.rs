//! Tables of any length, read some rows at a time.
//!
//! | module | holds |
//! |---|---|
//! | `csv`, `jsonl` | readers of rows; another in [`crate::parquet`] |
//! | [`source`] | the files of a table, in order, whatever their layout; rows of a file that is read whole |

pub(crate) mod csv;
mod jsonl;
pub mod source;

use std::path::{Path, PathBuf};

use serde_json::{Map, Number, Value, json};
use sha2::{Digest, Sha256};

use crate::error::{Error, Place, Problem, Result, near};
use crate::items::Texts;
use crate::table::{DataTable, Rows};

/// A file that is read some rows at a time.
pub trait BatchReader {
    /// Its columns.
    fn header(&self) -> &Header;

    /// Bytes read so far, for progress.
    fn consumed(&self) -> u64;

    /// At most so many further rows, with the wanted columns, the first of them with the ids; `None` at the end.
    /// A column that the file lacks is not there, but blank in rows of objects.
    ///
    /// # Errors
    /// The file can't be read on.
    fn next(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>>;
}

/// The names of a table's columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The file of the row; empty for a table in memory.
    pub file: PathBuf,
    /// The names, in order.
    pub names: Vec<String>,
    /// Whether every row has every column; objects may lack some.
    pub complete: bool,
}

/// A row that can't be used, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Bad {
    /// Line of the row, from 1; of a table without lines, its number; 0 where rows have neither, as in logs.
    pub line: u64,
    /// Id of the item, if it has one.
    pub item: Option<String>,
    /// The column.
    pub column: Option<String>,
    /// What is wrong.
    pub problem: Problem,
    /// The row as its file has it.
    pub row: Value,
}

/// Some rows: a table whose cells are text as in a file that is read whole, so that whatever reads that reads them.
#[derive(Debug)]
pub struct Batch {
    /// The columns that were wanted. The first has the ids, which may be blank.
    pub table: DataTable,
    /// Each row as its file has it; empty if it can be made from the cells.
    texts: Texts,
    /// Rows that could not even be divided into columns.
    pub broken: Vec<Bad>,
}

/// A file, or nowhere for a table in memory, whose file is empty.
fn place(file: &Path) -> Place {
    if file == Path::new("") { Place::default() } else { Place::file(file) }
}

impl Header {
    /// Finds a column that has to be there.
    ///
    /// # Errors
    /// It is not.
    pub fn need(&self, name: &str) -> Result<()> {
        if self.has(name) {
            return Ok(());
        }
        let (name, expected, found) = (name.to_owned(), vec![name.to_owned()], self.names.clone());
        Err(Error::refused(place(&self.file), Problem::MissingColumn { name, expected, found }))
    }

    /// Whether there is a column; of objects, whether one may have it.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Refuses columns that look like those of `classes`, by a pattern with `{class}`, but are of another.
    ///
    /// # Errors
    /// There is such a column.
    pub fn refuse_other_classes(&self, pattern: &str, classes: &[String], known: &[String]) -> Result<()> {
        let Some((before, after)) = pattern.split_once("{class}") else { return Ok(()) };
        // A pattern without letters of its own fits every column.
        if before.is_empty() && after.is_empty() {
            return Ok(());
        }
        let class = |name: &String| {
            let inner = name.strip_prefix(before)?.strip_suffix(after)?;
            (!known.contains(name) && !classes.iter().any(|class| class == inner)).then(|| inner.to_owned())
        };
        match self.names.iter().find_map(|name| class(name).map(|class| (name, class))) {
            None => Ok(()),
            Some((name, class)) => {
                let near = near(&class, classes.iter().map(String::as_str)).map(|near| format!(" ({near:?}?)"));
                let reason = format!(
                    "is of the class {class:?}{}, and the belief was fitted to {}",
                    near.unwrap_or_default(),
                    classes.join(", ")
                );
                let remedy = "apply the belief of a study with these classes, or name the columns with --columns";
                Err(Error::unfit(place(&self.file).in_field(name), reason, remedy))
            }
        }
    }
}

impl Batch {
    /// No rows yet, of a file; of a table in memory its name is empty. The first of the columns has the ids.
    pub fn new(file: &Path, columns: Vec<String>) -> Self {
        let table = DataTable::new(vec![file.to_owned()], None, columns, Rows::default());
        Self { table, texts: Texts::default(), broken: vec![] }
    }

    /// Adds a row, with a cell for each column; `text` is the row as its file has it, if that is more than its cells.
    pub fn push(&mut self, line: u64, cells: impl IntoIterator<Item = impl AsRef<str>>, text: Option<&str>) {
        self.table.rows.push(0, line, cells);
        text.into_iter().for_each(|text| self.texts.push(text));
    }

    /// Adds a row of this text that could not be divided into columns.
    fn push_broken(&mut self, line: u64, problem: Problem, text: &str) {
        self.broken.push(Bad { line, item: None, column: None, problem, row: json!(text) });
    }

    /// The batch, if any row was read at all.
    pub fn if_any(self) -> Option<Self> {
        (!self.is_empty() || !self.broken.is_empty()).then_some(self)
    }

    /// Number of rows that could be divided into columns.
    pub fn len(&self) -> usize {
        self.table.rows.len()
    }

    /// Whether the batch has no such row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds all that the rows say to a sum.
    pub fn digest(&self, sum: &mut Sha256) {
        let mut add = |text: &str| {
            sum.update((text.len() as u64).to_le_bytes());
            sum.update(text);
        };
        add(&self.table.file().display().to_string());
        self.table.header().iter().for_each(|name| add(name));
        self.broken.iter().for_each(|bad| add(&bad.row.to_string()));
        match self.texts.is_empty() {
            true => self.table.rows().flat_map(|row| row.cells()).for_each(add),
            false => self.texts.iter().for_each(add),
        }
        self.table.rows().for_each(|row| sum.update(row.line().to_le_bytes()));
    }

    /// A row that was refused.
    ///
    /// # Errors
    /// What was refused is something else than a row.
    pub fn bad(&self, row: usize, error: Error) -> Result<Bad> {
        let Error::Refused(refusal) = error else { return Err(error) };
        let Place { line, column, item, .. } = refusal.place;
        Ok(Bad { line: line.unwrap_or(0), item, column, problem: refusal.problem, row: self.json(row) })
    }

    /// A row as its file has it, or its cells: numbers as such, and blank ones as `null`.
    fn json(&self, row: usize) -> Value {
        if !self.texts.is_empty() {
            return json!(self.texts[row]);
        }
        let cell = |text: &str| match serde_json::from_str::<Number>(text) {
            _ if text.is_empty() => Value::Null,
            Ok(number) => Value::Number(number),
            Err(_) => json!(text),
        };
        let names = self.table.header().iter().cloned();
        Value::Object(names.zip(self.table.row(row).cells().map(cell)).collect::<Map<_, _>>())
    }
}

impl Bad {
    /// The refusal of the row, in a file.
    pub fn refusal(&self, file: &Path) -> Error {
        let mut place = place(file);
        place.line = (self.line > 0).then_some(self.line);
        if let Some(column) = &self.column {
            place = place.in_field(column);
        }
        place.item.clone_from(&self.item);
        Error::refused(place, self.problem.clone())
    }
}

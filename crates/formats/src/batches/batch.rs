//! Some rows of a table of further items, column by column.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::error::{Error, Place, Problem, Result, excerpt, near};

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

/// Values of a column, a row each.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchColumn {
    /// As text; blank is missing.
    Text(Vec<String>),
    /// Numbers.
    Number(Vec<Option<f64>>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Lists of numbers.
    List(Lists<f64>),
    /// Lists of numbers in 32 bits, such as embeddings.
    Vector(Lists<f32>),
}

/// Lists of numbers, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Lists<T> {
    values: Vec<T>,
    /// Where the list of each row ends, and whether there is one.
    ends: Vec<(usize, bool)>,
}

// Not derived: what stands in the lists need not have a default.
impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { values: vec![], ends: vec![] }
    }
}

impl<T> Lists<T> {
    /// Adds the list of a further row; `None` is missing.
    pub fn push(&mut self, list: Option<impl IntoIterator<Item = T>>) {
        let present = list.is_some();
        self.values.extend(list.into_iter().flatten());
        self.ends.push((self.values.len(), present));
    }

    /// The list of a row.
    pub fn get(&self, row: usize) -> Option<&[T]> {
        let start = if row == 0 { 0 } else { self.ends[row - 1].0 };
        let (end, present) = self.ends[row];
        present.then(|| &self.values[start..end])
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
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

/// Some rows.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The file of the rows; empty for a table in memory.
    pub file: PathBuf,
    /// Lines of the rows.
    pub lines: Vec<u64>,
    columns: Vec<(String, BatchColumn)>,
    places: HashMap<String, usize>,
    /// Each row as its file has it; empty if the text can be made from the columns.
    pub texts: Vec<String>,
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
                let remedy =
                    "apply the belief of a study with these classes, or name the columns with --columns".to_owned();
                Err(Error::refused(place(&self.file).in_field(name), Problem::Unfit { reason, remedy }))
            }
        }
    }
}

impl BatchColumn {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(cells) => cells.len(),
            Self::Number(cells) => cells.len(),
            Self::Whole(cells) => cells.len(),
            Self::List(cells) => cells.len(),
            Self::Vector(cells) => cells.len(),
        }
    }

    fn json(&self, row: usize) -> Value {
        match self {
            Self::Text(cells) => json!(cells[row]),
            Self::Number(cells) => json!(cells[row]),
            Self::Whole(cells) => json!(cells[row]),
            Self::List(cells) => json!(cells.get(row)),
            Self::Vector(cells) => json!(cells.get(row)),
        }
    }
}

impl Batch {
    /// No rows yet, of a file; of a table in memory its name is empty.
    pub fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), ..Self::default() }
    }

    /// The batch, if any row was read at all.
    pub fn if_any(self) -> Option<Self> {
        (!self.is_empty() || !self.broken.is_empty()).then_some(self)
    }

    /// Number of rows that could be divided into columns.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether the batch has no rows.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Adds a column; of several of a name the first counts.
    pub fn put(&mut self, name: String, cells: BatchColumn) {
        self.places.entry(name.clone()).or_insert(self.columns.len());
        self.columns.push((name, cells));
    }

    /// The columns by name, in order.
    pub fn columns(&self) -> &[(String, BatchColumn)] {
        &self.columns
    }

    /// A column; `None` if no row has it.
    pub fn column(&self, name: &str) -> Option<&BatchColumn> {
        self.places.get(name).map(|&place| &self.columns[place].1)
    }

    /// A cell as text; blank if it is missing.
    pub fn text(&self, column: &str, row: usize) -> Cow<'_, str> {
        match self.column(column) {
            None => Cow::Borrowed(""),
            Some(BatchColumn::Text(cells)) => Cow::Borrowed(&cells[row]),
            Some(BatchColumn::Number(cells)) => Cow::Owned(cells[row].map(|x| x.to_string()).unwrap_or_default()),
            Some(BatchColumn::Whole(cells)) => Cow::Owned(cells[row].map(|x| x.to_string()).unwrap_or_default()),
            Some(other) => Cow::Owned(other.json(row).to_string()),
        }
    }

    /// A finite number; `None` for a blank cell.
    ///
    /// # Errors
    /// Anything else.
    pub fn number(&self, column: &str, row: usize) -> Result<Option<f64>, Problem> {
        let number = match self.column(column) {
            None => return Ok(None),
            Some(BatchColumn::Number(cells)) => cells[row],
            Some(BatchColumn::Whole(cells)) => cells[row].map(|x| x as f64),
            Some(BatchColumn::Text(cells)) if cells[row].is_empty() => None,
            Some(BatchColumn::Text(cells)) => {
                let wrong = |_| Problem::NotANumber { value: excerpt(&cells[row]) };
                Some(cells[row].parse().map_err(wrong)?)
            }
            Some(other) => return Err(Problem::NotANumber { value: excerpt(&other.json(row).to_string()) }),
        };
        match number {
            Some(x) if !x.is_finite() => Err(Problem::NotANumber { value: x.to_string() }),
            number => Ok(number),
        }
    }

    /// A whole number of 0 or more; 0 for a blank cell.
    ///
    /// # Errors
    /// Anything else.
    pub fn count(&self, column: &str, row: usize) -> Result<u32, Problem> {
        let wrong = || Problem::NotACount { value: excerpt(&self.text(column, row)) };
        match self.column(column) {
            // Numbers that are whole, as a reader may have made them of counts with gaps.
            Some(BatchColumn::Number(cells)) => match cells[row] {
                None => Ok(0),
                Some(x) if x.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&x) => Ok(x as u32),
                Some(_) => Err(wrong()),
            },
            Some(BatchColumn::Whole(cells)) => u32::try_from(cells[row].unwrap_or(0)).map_err(|_| wrong()),
            _ => match self.text(column, row) {
                text if text.is_empty() => Ok(0),
                text => text.parse().map_err(|_| wrong()),
            },
        }
    }

    /// A list of numbers in 32 bits; `None` for a blank cell.
    ///
    /// # Errors
    /// The cell is not a list, or an element is not a finite number.
    pub fn vector(&self, column: &str, row: usize) -> Result<Option<Vec<f32>>, Problem> {
        let wrong = |value: &str| Problem::Unfit {
            reason: format!("{} is not a list of numbers", excerpt(value)),
            remedy: "write the embedding as a list, such as [0.5, -0.25]".to_owned(),
        };
        let list = match self.column(column) {
            None => return Ok(None),
            Some(BatchColumn::Vector(cells)) => cells.get(row).map(<[f32]>::to_vec),
            Some(BatchColumn::List(cells)) => cells.get(row).map(|list| list.iter().map(|x| *x as f32).collect()),
            Some(BatchColumn::Text(cells)) if cells[row].is_empty() => None,
            Some(BatchColumn::Text(cells)) => {
                Some(serde_json::from_str::<Vec<f32>>(&cells[row]).map_err(|_| wrong(&cells[row]))?)
            }
            Some(other) => return Err(wrong(&other.json(row).to_string())),
        };
        match &list {
            Some(list) if !list.iter().all(|x| x.is_finite()) => Err(wrong(&format!("{list:?}"))),
            _ => Ok(list),
        }
    }

    /// Lists of numbers within a list, one for each annotator, where a number alone is a list of one: `[7, [8, 8.5]]`;
    /// none for a blank cell.
    ///
    /// # Errors
    /// Anything else, or a number that is not finite.
    pub fn nested(&self, column: &str, row: usize) -> Result<Vec<Vec<f64>>, Problem> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum RatingEntry {
            One(f64),
            Several(Vec<f64>),
        }
        let wrong = |value: &str| Problem::Unfit {
            reason: format!("{} is not a list of ratings", excerpt(value)),
            remedy:
                "write the ratings of an item as a list, and several of one annotator as a list in it: [7, [8, 8.5]]"
                    .to_owned(),
        };
        let lists = match self.column(column) {
            None => vec![],
            Some(BatchColumn::List(cells)) => cells.get(row).unwrap_or_default().iter().map(|x| vec![*x]).collect(),
            Some(BatchColumn::Vector(cells)) => {
                cells.get(row).unwrap_or_default().iter().map(|x| vec![f64::from(*x)]).collect()
            }
            Some(BatchColumn::Text(cells)) if cells[row].is_empty() => vec![],
            Some(BatchColumn::Text(cells)) => {
                let entries: Vec<RatingEntry> = serde_json::from_str(&cells[row]).map_err(|_| wrong(&cells[row]))?;
                let list = |entry| match entry {
                    RatingEntry::One(x) => vec![x],
                    RatingEntry::Several(list) => list,
                };
                entries.into_iter().map(list).collect()
            }
            Some(other) => return Err(wrong(&other.json(row).to_string())),
        };
        let whole = lists.iter().all(|list: &Vec<f64>| !list.is_empty() && list.iter().all(|x| x.is_finite()));
        if whole { Ok(lists) } else { Err(wrong(&self.text(column, row))) }
    }

    /// Adds all that the rows say to a sum.
    pub fn digest(&self, sum: &mut Sha256) {
        let number = |sum: &mut Sha256, bytes: Option<[u8; 8]>| {
            sum.update([u8::from(bytes.is_some())]);
            sum.update(bytes.unwrap_or_default());
        };
        let text = |sum: &mut Sha256, text: &str| {
            sum.update((text.len() as u64).to_le_bytes());
            sum.update(text);
        };
        text(sum, &self.file.display().to_string());
        self.texts.iter().for_each(|row| text(sum, row));
        self.broken.iter().for_each(|bad| text(sum, &bad.row.to_string()));
        self.columns.iter().for_each(|(name, _)| text(sum, name));
        for (_, cells) in self.columns.iter().filter(|_| self.texts.is_empty()) {
            match cells {
                BatchColumn::Text(cells) => cells.iter().for_each(|cell| text(sum, cell)),
                BatchColumn::Number(cells) => cells.iter().for_each(|cell| number(sum, cell.map(f64::to_le_bytes))),
                BatchColumn::Whole(cells) => cells.iter().for_each(|cell| number(sum, cell.map(i64::to_le_bytes))),
                other => (0..other.len()).for_each(|row| text(sum, &other.json(row).to_string())),
            }
        }
        self.lines.iter().for_each(|line| sum.update(line.to_le_bytes()));
    }

    /// A row as its file has it.
    pub fn row(&self, row: usize) -> Value {
        match self.texts.get(row) {
            Some(text) => json!(text),
            None => Value::Object(
                self.columns.iter().map(|(name, cells)| (name.clone(), cells.json(row))).collect::<Map<_, _>>(),
            ),
        }
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

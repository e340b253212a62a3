//! A table in memory: its files, header and cells; columns by their names, rows by the ids of their items.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::row::Row;
use crate::error::{Error, Place, Problem, Result, excerpt, list};
use crate::items::{ItemIds, Texts};
use judge_uncertainty_system::limits;

/// In place of the name of the column with the ids: the table is read without any, and its rows have no ids.
pub const NO_IDS: &str = "\0";

/// A table in memory: every row has one cell per column of the header.
#[derive(Debug)]
pub struct DataTable {
    /// The files of its rows.
    pub(super) files: Vec<PathBuf>,
    pub(super) header_line: Option<u64>,
    pub(super) header: Vec<String>,
    /// Position of each name in the header, of the first of several.
    pub(super) columns: HashMap<String, usize>,
    pub(super) id: ColumnIndex,
    /// Position of the file, line, cells.
    pub(crate) rows: Rows,
}

/// Rows of cells, one after the other: some 20 bytes for each row in addition to its cells.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(super) cells: Texts,
    /// File, line, and where the row ends among the cells.
    rows: Vec<(u32, u64, usize)>,
}

impl Rows {
    /// Room for `rows` of so many `columns` in a text of `bytes`; each cell takes one byte or more.
    pub(super) fn with_capacity(rows: usize, columns: usize, bytes: usize) -> Self {
        let cells = rows.saturating_mul(columns).min(bytes + 1);
        Self { cells: Texts::with_capacity(cells, bytes), rows: Vec::with_capacity(rows) }
    }

    /// Adds the cells of a row; `file` is the position of the row's file among the table's files.
    pub(crate) fn push(&mut self, file: usize, line: u64, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        cells.into_iter().for_each(|cell| self.cells.push(cell.as_ref()));
        self.rows.push((file as u32, line, self.cells.len()));
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Positions of the cells of a row.
    pub(super) fn range(&self, row: usize) -> Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.rows[before].2);
        start..self.rows[row].2
    }

    /// The file and line of a row.
    pub(super) fn place(&self, row: usize) -> (usize, u64) {
        let (file, line, _) = self.rows[row];
        (file as usize, line)
    }
}

/// A column of a table, found by [`DataTable::column`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnIndex(pub(super) usize);

impl DataTable {
    /// A table whose rows are from one or several files.
    pub(crate) fn new(files: Vec<PathBuf>, header_line: Option<u64>, header: Vec<String>, rows: Rows) -> Self {
        let mut columns = HashMap::with_capacity(header.len());
        for (i, name) in header.iter().enumerate() {
            columns.entry(name.clone()).or_insert(i);
        }
        DataTable { files, header_line, header, columns, id: ColumnIndex(0), rows }
    }

    /// The cells of all rows, one row after the other.
    pub fn into_cells(self) -> Texts {
        self.rows.cells
    }

    /// The file that the table was read from, the first of several.
    pub fn file(&self) -> &Path {
        &self.files[0]
    }

    /// The table with another name of a column.
    pub fn renamed(mut self, column: ColumnIndex, name: &str) -> Self {
        self.columns.remove(&self.header[column.0]);
        self.columns.insert(name.to_owned(), column.0);
        name.clone_into(&mut self.header[column.0]);
        self
    }

    /// The table with other lines of its rows; 0 for those that have none.
    pub fn at_lines(mut self, lines: impl IntoIterator<Item = u64>) -> Self {
        let lines = lines.into_iter().chain(std::iter::repeat(0));
        self.rows.rows.iter_mut().zip(lines).for_each(|(row, line)| row.1 = line);
        self
    }

    /// The line of the header; `None` of a table without lines.
    pub fn header_line(&self) -> Option<u64> {
        self.header_line
    }

    /// Names of the columns, in order.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    fn header_place(&self) -> Place {
        Place { line: self.header_line, ..Place::file(self.file()) }
    }

    pub(super) fn in_column(&self, place: Place, index: usize) -> Place {
        in_column(place, self.header_line, index, &self.header[index])
    }

    /// Checks that the table has exactly these columns, in any order.
    ///
    /// # Errors
    /// A missing or an unknown column.
    pub fn expect_columns(&self, expected: &[String]) -> Result<()> {
        if let Some(missing) = expected.iter().find(|name| !self.columns.contains_key(*name)) {
            return Err(self.missing_column(missing, expected));
        }
        let known: HashSet<&String> = expected.iter().collect();
        if let Some(i) = self.header.iter().position(|name| !known.contains(name)) {
            let reason = format!("the column {:?} is unknown", excerpt(&self.header[i]));
            let problem = Problem::unfit(reason, format!("the table needs the columns {}", list(expected)));
            return Err(Error::refused(self.in_column(self.header_place(), i), problem));
        }
        Ok(())
    }

    /// Finds a column by its name.
    ///
    /// # Errors
    /// The header does not have it.
    pub fn column(&self, name: &str) -> Result<ColumnIndex> {
        let found = self.columns.get(name).copied();
        found.map(ColumnIndex).ok_or_else(|| self.missing_column(name, &[name.to_owned()]))
    }

    /// Finds columns by their names.
    ///
    /// # Errors
    /// As [`Self::column`].
    pub fn columns(&self, names: &[impl AsRef<str>]) -> Result<Vec<ColumnIndex>> {
        names.iter().map(|name| self.column(name.as_ref())).collect()
    }

    fn missing_column(&self, name: &str, expected: &[String]) -> Error {
        let (name, expected) = (name.to_owned(), expected.to_vec());
        let problem = Problem::MissingColumn { name, expected, found: self.header.clone() };
        Error::refused(self.header_place(), problem)
    }

    /// A table with other columns; objects may have others, which are blank where they are missing.
    pub fn append(&mut self, mut other: DataTable) -> Result<()> {
        if self.header_line.is_some() || other.header_line.is_some() {
            other.expect_columns(&self.header)?;
        }
        let new: Vec<&String> = other.header.iter().filter(|name| !self.columns.contains_key(*name)).collect();
        let lacking = self.header.len() + new.len() - other.header.len();
        let absent = self.rows.len() as u64 * new.len() as u64 + other.rows.len() as u64 * lacking as u64;
        check_absent(&other.files[0], absent, self.rows.cells.bytes() + other.rows.cells.bytes())?;
        if !new.is_empty() {
            let mut wider = Rows::default();
            for (number, row) in self.rows().enumerate() {
                let (file, line) = self.rows.place(number);
                wider.push(file, line, row.cells().chain(new.iter().map(|_| "")));
            }
            self.rows = wider;
        }
        for name in new {
            self.columns.insert(name.clone(), self.header.len());
            self.header.push(name.clone());
        }
        let places: Vec<Option<ColumnIndex>> =
            self.header.iter().map(|name| other.columns.get(name).map(|column| ColumnIndex(*column))).collect();
        let first = self.files.len();
        for (number, row) in other.rows().enumerate() {
            let (file, line) = other.rows.place(number);
            self.rows.push(first + file, line, places.iter().map(|place| place.map_or("", |column| row.cell(column))));
        }
        self.files.append(&mut other.files);
        Ok(())
    }

    /// The table, if it has rows, whose ids are in a column, and no name twice.
    pub(crate) fn checked(self, id_column: &str) -> Result<Self> {
        if self.rows.len() == 0 {
            return Err(Error::refused(Place::file(self.file()), Problem::NoRows));
        }
        check_names(self.file(), self.header_line, &self.header)?;
        self.with_ids(id_column)
    }

    /// The table with the column of its ids, which no row may leave blank.
    pub(crate) fn with_ids(mut self, id_column: &str) -> Result<Self> {
        if id_column == NO_IDS {
            self.id = ColumnIndex(usize::MAX);
            self.rows().try_for_each(|row| row.check_length())?;
            return Ok(self);
        }
        self.id = self.column(id_column)?;
        for row in self.rows() {
            row.check_length()?;
            row.text(self.id)?;
        }
        Ok(self)
    }

    /// The ids of a table with one row per item, in the order of the file.
    ///
    /// # Errors
    /// An id that occurs twice.
    pub fn ids(&self) -> Result<ItemIds> {
        ItemIds::of_texts(self.rows().map(|row| row.id()).collect())
            .map_err(|(_, first, i)| self.row(i).duplicate(&self.row(first)))
    }

    /// The rows in the order of `ids`, exactly one for each; `reference` says where the ids come from.
    ///
    /// # Errors
    /// A duplicate, an unknown or a missing id.
    pub fn rows_of(&self, ids: &ItemIds, reference: &Path) -> Result<Vec<Row<'_>>> {
        let found = self.some_rows_of(ids, reference)?.into_iter().zip(ids.iter());
        found
            .map(|(row, id)| {
                let problem = || Problem::MissingId { id: id.to_owned(), reference: reference.display().to_string() };
                row.ok_or_else(|| Error::refused(Place::file(self.file()).of_item(id), problem()))
            })
            .collect()
    }

    /// The rows with the positions of their ids among `ids`, in that order; at most one for each.
    ///
    /// # Errors
    /// A duplicate or an unknown id.
    pub fn rows_among(&self, ids: &ItemIds, reference: &Path) -> Result<Vec<(usize, Row<'_>)>> {
        let rows = self.some_rows_of(ids, reference)?.into_iter().enumerate();
        Ok(rows.filter_map(|(i, row)| Some((i, row?))).collect())
    }

    fn some_rows_of(&self, ids: &ItemIds, reference: &Path) -> Result<Vec<Option<Row<'_>>>> {
        let reference = || reference.display().to_string();
        let mut rows: Vec<Option<Row<'_>>> = vec![None; ids.len()];
        for row in self.rows() {
            let Some(i) = ids.position(row.id()) else {
                let problem = Problem::UnknownId { id: row.id().to_owned(), reference: reference() };
                return Err(row.refuse_id(problem));
            };
            if let Some(first) = rows[i].replace(row) {
                return Err(row.duplicate(&first));
            }
        }
        Ok(rows)
    }
}

/// A place in a column, by number where the header has a line.
fn in_column(place: Place, header_line: Option<u64>, index: usize, name: &str) -> Place {
    if header_line.is_some() { place.in_column(index, name) } else { place.in_field(name) }
}

/// Refuses a header that names a column twice.
pub(crate) fn check_names(file: &Path, line: Option<u64>, names: &[String]) -> Result<()> {
    let mut known = HashSet::with_capacity(names.len());
    match names.iter().enumerate().find(|(_, name)| !known.insert(*name)) {
        None => Ok(()),
        Some((i, name)) => {
            let place = in_column(Place { line, ..Place::file(file) }, line, i, name);
            Err(Error::refused(place, Problem::DuplicateColumn { name: name.clone() }))
        }
    }
}

/// Holds the cells that a table has only because other objects of it have such a field against their limit, which rises
/// with the bytes of `text` that its cells hold.
pub(crate) fn check_absent(file: &Path, absent: u64, text: u64) -> Result<()> {
    limits::ABSENT_FIELDS.for_file(text).check(absent).map_err(|exceeded| {
        let remedy = format!("give every object the same fields; {}", exceeded.remedy());
        Error::unfit(Place::file(file), exceeded.reason(), remedy)
    })
}

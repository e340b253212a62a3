//! Any table in a file as rows of named cells.

use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

use judge_uncertainty_formats::encoding::{encoding_of, name_of};
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::items::{PositionIndex, Texts};
use judge_uncertainty_formats::split::files_of;
use judge_uncertainty_formats::table::{DataTable, NO_IDS, Row, distinct};
use judge_uncertainty_formats::{parquet, records, xlsx};

use super::columns::{Correction, Mapping, Role, names_answers};
use crate::input::question::Criterion;
use crate::input::source::{Source, read_joined};
use crate::input::spelling::number;

/// Cells that stand for no answer.
const BLANK: [&str; 23] = [
    "#ref!", "#value!", "#div/0!", "#name?", "#num!", "", "nan", "na", "n/a", "n.a.", "#n/a", "#nv", "<na>", "k.a.",
    "null", "None", "-", "?", "--", "\u{2014}", "s.o.", "n/d", "n.d.",
];

/// What the first cell of a row says that sums up others.
const TOTALS: &str = "total, totals, grand total, sum, average, avg, mean, median, std, stddev, stdev, std dev, sd, \
                      standard deviation, variance, count, gesamt, summe, mittelwert";
/// What it says beside such rows at the end, and may say of an item elsewhere.
const BELOW_TOTALS: &str = "min, max, n, agreement, accuracy, kappa";
const SUBTOTALS: [&str; 3] = ["subtotal", "sub-total", "zwischensumme"];

/// Rows of cells under named columns.
#[derive(Debug, Clone, PartialEq)]
pub struct CellTable {
    /// Names of the columns, in order.
    pub names: Vec<String>,
    /// The cells, row by row.
    cells: Texts,
    /// What the file is, in words, such as `CSV`.
    pub format: String,
    /// Line of each row in its file; empty where rows were handed over.
    lines: Vec<u32>,
    /// Bytes of its files; `None` where rows were handed over.
    pub bytes: Option<u64>,
    /// What is to be said of how they were read.
    pub notices: Vec<String>,
    /// What all rows are judged by, of a table that is a part of one with several criteria.
    pub criterion: Option<Criterion>,
    /// Whether the file counts how many people gave each answer, without their names.
    pub(super) is_counted: bool,
    /// What is known of the cells of each column, once it was asked for.
    known: Vec<OnceLock<Known>>,
}

/// The cells of a column that are not blank.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    /// The rows where different ones first stand.
    first: Vec<u32>,
    /// How many there are.
    filled: usize,
    /// Their letters.
    letters: usize,
}

impl CellTable {
    /// Reads CSV, tab-separated text, JSON, Parquet or an Excel workbook; of JSON, `rows` is the path of the list that
    /// holds the rows.
    ///
    /// # Errors
    /// A file that can't be read or has another format; as its reader; `rows` of a file that is not JSON.
    pub fn read(path: &Path, rows: Option<&str>) -> Result<Self> {
        let bytes = files_of(path)?.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len())).sum();
        Ok(Self { bytes: Some(bytes), ..Self::read_table(path, rows, &mut Source::default())? })
    }

    fn read_table(path: &Path, rows: Option<&str>, source: &mut Source) -> Result<Self> {
        let bytes = if path.is_dir() { vec![] } else { source.read(path)? };
        let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii_start();
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let extension = extension.as_deref().unwrap_or_default();
        let delimited = matches!(extension, "csv" | "tsv" | "tab" | "txt");
        if !delimited && start.first().is_some_and(|first| b"{[".contains(first)) {
            let format = if matches!(extension, "jsonl" | "ndjson") { "JSON Lines" } else { "JSON" };
            return Ok(Self::of_table(records::read(path, &bytes, NO_IDS, rows)?, format));
        }
        if let Some(rows) = rows {
            let reason = format!("it is no JSON document, so there is no list {rows:?} in it");
            return Err(Error::unfit(Place::file(path), reason, "leave out --columns rows="));
        }
        if delimited {
            let table = DataTable::parse(path, &bytes, NO_IDS)?;
            let format = if extension == "csv" { "CSV" } else { "tab-separated text" };
            let encoding = name_of(encoding_of(path, &bytes)?).map_or_else(String::new, |name| format!(" in {name}"));
            return Ok(Self::of_table(table, &(format.to_owned() + &encoding)));
        }
        if extension == "parquet" || path.is_dir() || parquet::is(&bytes) {
            let table = read_joined(&files_of(path)?, |path| parquet::read(path, &source.read(path)?, NO_IDS))?;
            return Ok(Self::of_table(table, "Parquet"));
        }
        if xlsx::is(&bytes) {
            let (table, sheets) = xlsx::read_named(path, &bytes, NO_IDS)?;
            let format = match sheets.as_slice() {
                [own, others @ ..] if !others.is_empty() => {
                    format!("an Excel workbook; sheet {own}, not {}", others.join(", "))
                }
                _ => "an Excel workbook".to_owned(),
            };
            return Ok(Self::of_table(table, &format));
        }
        // Of a compressed file it is told how to unpack it.
        DataTable::header_of(path, &bytes)?;
        Err(Error::unfit(
            Place::file(path),
            "this is no table or log that is known here",
            "give CSV, TSV, JSON, Parquet, XLSX, or a log of a judge",
        ))
    }

    /// Rows that a program hands over, such as a data frame, with a cell for each name.
    pub fn new<C: AsRef<str>>(
        names: Vec<String>,
        rows: impl IntoIterator<Item = impl IntoIterator<Item = C>>,
        format: &str,
    ) -> Self {
        let (mut cells, mut row) = (Texts::default(), vec![]);
        for given in rows {
            row.clear();
            row.extend(given);
            // A row without any cell is the end of a spreadsheet.
            if row.iter().any(|cell| !cell.as_ref().trim().is_empty()) {
                row.iter().for_each(|cell| cells.push(cell.as_ref()));
            }
        }
        let (format, known) = (format.to_owned(), vec![OnceLock::new(); names.len()]);
        Self {
            names,
            cells,
            format,
            lines: vec![],
            bytes: None,
            notices: vec![],
            criterion: None,
            is_counted: false,
            known,
        }
    }

    /// Some columns of some rows, by position, which are judged by one criterion.
    pub(super) fn some(&self, columns: &[usize], rows: impl Iterator<Item = usize>, criterion: Criterion) -> Self {
        Self { criterion: Some(criterion), ..self.only(columns, &rows.collect::<Vec<_>>()) }
    }

    /// Some columns of some rows, by position.
    fn only(&self, columns: &[usize], rows: &[usize]) -> Self {
        let cells = rows.iter().flat_map(|&row| columns.iter().map(move |&column| self.cell(row, column))).collect();
        let lines = rows.iter().filter_map(|&row| self.lines.get(row).copied()).collect();
        let names = columns.iter().map(|&column| self.names[column].clone()).collect();
        Self { cells, lines, ..self.with_columns(names, std::iter::empty::<[&str; 0]>()) }
    }

    /// This table with other columns, `names` and the cells of each row; lines and notices stay.
    pub(super) fn with_columns<C: AsRef<str>>(
        &self,
        names: Vec<String>,
        rows: impl Iterator<Item = impl IntoIterator<Item = C>>,
    ) -> Self {
        let (lines, notices, criterion) = (self.lines.clone(), self.notices.clone(), self.criterion.clone());
        let (bytes, is_counted) = (self.bytes, self.is_counted);
        Self { lines, notices, criterion, bytes, is_counted, ..Self::new(names, rows, &self.format) }
    }

    /// This table without some columns, and with others behind the rest; `rows` have the cells of these, each with the row
    /// that it goes on.
    pub(super) fn replaced<'c, C: Into<Cow<'c, str>>>(
        &'c self,
        out: &[usize],
        names: impl IntoIterator<Item = String>,
        rows: impl Iterator<Item = (usize, Vec<C>)>,
    ) -> Self {
        let kept: Vec<usize> = (0..self.names.len()).filter(|k| !out.contains(k)).collect();
        let names = kept.iter().map(|&k| self.names[k].clone()).chain(names).collect();
        let mut lines = vec![];
        let row = |(row, cells): (usize, Vec<C>)| {
            lines.extend(self.lines.get(row));
            let own = kept.iter().map(|&k| Cow::Borrowed(self.cell(row, k)));
            own.chain(cells.into_iter().map(Into::into)).collect::<Vec<_>>()
        };
        let table = self.with_columns(names, rows.map(row));
        Self { lines, ..table }
    }

    /// The table without rows that are none: the header again, as where files were joined; what surveys write below it; and what
    /// sums up others, whose first cell says `Subtotal`, or at the end `Total`.
    pub(super) fn without_other_rows(mut self) -> Self {
        let first = |row: usize| self.row(row).map(str::trim).find(|cell| !cell.is_empty()).unwrap_or_default();
        let is = |row: usize, known: &str| {
            let first = first(row).to_lowercase();
            known.split(", ").any(|known| first.trim_end_matches([':', '.']) == known)
        };
        let tail = (1..self.len()).rev().take_while(|&row| is(row, TOTALS) || is(row, BELOW_TOTALS));
        let end = tail.filter(|&row| is(row, TOTALS)).last().unwrap_or(self.len());
        // Below the header Qualtrics has its questions and then their ids, SurveyMonkey the kind of answer.
        let is_of_survey =
            |cell: &str| ["", "Response", "Open-Ended Response"].contains(&cell) || cell.starts_with("{\"ImportId\"");
        let start =
            (0..end.min(2)).rfind(|&row| self.row(row).all(|cell| is_of_survey(cell.trim()))).map_or(0, |row| row + 1);
        let is_header = |row: usize| self.row(row).map(str::trim).eq(self.names.iter().map(|name| name.trim()));
        let is_item = |row: &usize| {
            let first = first(*row).as_bytes();
            let starts =
                |start: &&str| first.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start.as_bytes()));
            let sums = SUBTOTALS.iter().any(starts);
            (start..end).contains(row) && !sums && !is_header(*row)
        };
        let (kept, others): (Vec<usize>, Vec<usize>) = (0..self.len()).partition(is_item);
        if let Some(&other) = others.first() {
            let (n, name) = (others.len(), first(other));
            let notice = format!("Left out: rows that sum up others or belong to the header ({n}, first {name:?}).");
            self = self.only(&(0..self.names.len()).collect::<Vec<_>>(), &kept);
            self.notices.push(notice);
        }
        self
    }

    fn of_table(table: DataTable, format: &str) -> Self {
        let below = names_below(&table);
        let skipped = usize::from(below.is_some());
        let line = table.header_line().map(|line| line + skipped as u64);
        let notices = line
            .filter(|line| *line > 1)
            .map(|line| format!("The header is taken from line {line}; what stands above it is no row."));
        let names = below.unwrap_or_else(|| table.header().to_vec());
        let lines: Vec<u32> = filled_rows(&table, skipped).map(|row| row.line() as u32).collect();
        let empty = Self::new(names, std::iter::empty::<[&str; 0]>(), format);
        let is_whole = lines.len() == table.rows().len();
        let cells = match is_whole {
            true => table.into_cells(),
            false => filled_rows(&table, skipped).flat_map(|row| row.cells()).collect(),
        };
        Self { notices: notices.into_iter().collect(), lines, cells, ..empty }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.cells.len() / self.names.len().max(1)
    }

    /// A cell, unchanged.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        &self.cells[row * self.names.len() + column]
    }

    /// The line of a row in its file, or its number where it has none, from 1.
    pub fn line(&self, row: usize) -> u64 {
        self.lines.get(row).map_or(row as u64 + 1, |line| u64::from(*line))
    }

    /// The cells of a row, unchanged.
    pub fn row(&self, row: usize) -> impl Iterator<Item = &str> {
        (0..self.names.len()).map(move |column| self.cell(row, column))
    }

    /// The position of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Whether it has the column that a correction names, if that names one.
    pub(super) fn has(&self, correction: &Correction) -> bool {
        correction.column.as_ref().is_none_or(|name| self.column(name).is_some())
    }

    /// The cells of some columns in a row, without white space around them.
    pub(super) fn cells_of(&self, columns: &[usize], row: usize) -> Vec<&str> {
        columns.iter().map(|&column| self.cell(row, column).trim()).collect()
    }

    /// The columns of a role, by position.
    pub(super) fn of_role(&self, mapping: &Mapping, role: Role) -> Vec<usize> {
        mapping.of(role).into_iter().filter_map(|name| self.column(name)).collect()
    }

    fn known(&self, column: usize) -> &Known {
        self.known[column].get_or_init(|| {
            let cell = |row: usize| present(self.cell(row, column));
            let mut index = PositionIndex::with_capacity(self.len());
            let mut known = Known { first: vec![], filled: 0, letters: 0 };
            for row in 0..self.len() {
                let Some(own) = cell(row) else { continue };
                known.filled += 1;
                known.letters += own.chars().count();
                let key = |other| if other == row { Some(own) } else { cell(other) };
                known.first.extend(index.insert(row, key).is_none().then_some(row as u32));
            }
            known
        })
    }

    /// The different cells of a column that are not blank, in the order in which they first occur.
    pub fn distinct(&self, column: usize) -> impl ExactSizeIterator<Item = &str> {
        self.known(column).first.iter().map(move |&row| present(self.cell(row as usize, column)).unwrap_or_default())
    }

    /// How many cells of a column are not blank.
    pub fn number_filled(&self, column: usize) -> usize {
        self.known(column).filled
    }

    /// Whether every cell of a column has something in it.
    pub(super) fn is_whole(&self, column: usize) -> bool {
        self.number_filled(column) == self.len()
    }

    /// The letters of all cells of a column that are not blank.
    pub(super) fn letters(&self, column: usize) -> usize {
        self.known(column).letters
    }

    /// The cells of a column that are not blank, unchanged.
    pub fn filled(&self, column: usize) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(move |row| present(self.cell(row, column)))
    }
}

/// The rows of a table that have a cell with something in it, without so many at its start.
fn filled_rows(table: &DataTable, skipped: usize) -> impl Iterator<Item = Row<'_>> {
    table.rows().skip(skipped).filter(|row| row.cells().any(|cell| !cell.trim().is_empty()))
}

/// The names in the first row, of a table whose header has cells that go over several columns, as spreadsheets have them; behind
/// those above them if these alone tell who answered.
fn names_below(table: &DataTable) -> Option<Vec<String>> {
    let unnamed = table.header().iter().enumerate().filter(|(k, name)| **name == format!("column {}", k + 1)).count();
    let names: Vec<String> = table.rows().next()?.cells().map(|cell| cell.trim().to_owned()).collect();
    let is_unnamed = |k: usize| table.header().get(k).is_some_and(|name| *name == format!("column {}", k + 1));
    // A cell that goes over several columns has a name below each; one that goes over both rows is blank below.
    let is_whole = |k: usize| !names[k].is_empty() || !is_unnamed(k) && !is_unnamed(k + 1);
    let is_header =
        |names: &[String]| names.iter().all(|name| number(name).is_none()) && (0..names.len()).all(is_whole);
    let comes_again = |k: usize| {
        !names[k].is_empty() && table.rows().skip(1).take(100).any(|row| row.cells().nth(k) == Some(&*names[k]))
    };
    if table.header_line().is_none() || unnamed == 0 || !is_header(&names) || (0..names.len()).any(comes_again) {
        return None;
    }
    if !names.contains(&String::new()) && names_answers(&names) && !names_answers(table.header()) {
        return Some(distinct(names));
    }
    let mut above = "";
    let joined = table.header().iter().zip(&names).enumerate().map(|(k, (over, name))| {
        if !is_unnamed(k) {
            above = over;
        }
        format!("{above} {name}").trim().to_owned()
    });
    Some(distinct(joined.collect())).filter(|joined| names_answers(joined))
}

/// A cell without white space around it; `None` where it stands for no answer (`nan`, `null`, `n/a`, ...).
pub fn present(cell: &str) -> Option<&str> {
    /// The longest of [`BLANK`] has so many bytes.
    const LONGEST: usize = 7;
    /// With which those that are not signs begin.
    const LETTERS: &[u8] = b"nNkKsS";
    let trimmed = cell.trim();
    let first = trimmed.as_bytes().first()?;
    if trimmed.len() > LONGEST || first.is_ascii_alphanumeric() && !LETTERS.contains(first) {
        return Some(trimmed);
    }
    // In small letters `none` is an answer, such as no severity.
    let is = |blank: &&str| trimmed == *blank || trimmed.eq_ignore_ascii_case(blank) && *blank != "None";
    (!BLANK.iter().any(is)).then_some(trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_no_answer_is_none() {
        assert!(BLANK.iter().all(|blank| present(&format!(" {blank} ")).is_none()));
        assert_eq!(
            ["none", " pass", "n", "\u{2014}\u{2014}"].map(present),
            ["none", "pass", "n", "\u{2014}\u{2014}"].map(Some)
        );
        assert_eq!(present("NULL"), None);
    }
}

//! Any table in a file as rows of named cells.

use std::path::Path;

use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::split::files_of;
use judge_uncertainty_formats::table::{DataTable, NO_IDS};
use judge_uncertainty_formats::{parquet, records, xlsx};

use crate::input::question::Criterion;
use crate::input::source::{Source, read_joined};

/// Cells that stand for no answer.
const BLANK: [&str; 8] = ["", "nan", "na", "n/a", "null", "none", "-", "?"];

/// Rows of cells under named columns.
#[derive(Debug, Clone, PartialEq)]
pub struct CellTable {
    /// Names of the columns, in order.
    pub names: Vec<String>,
    /// The rows, each with a cell per column.
    pub rows: Vec<Vec<String>>,
    /// What the file is, in words, such as `CSV`.
    pub format: String,
    /// Bytes of its files; `None` where rows were handed over.
    pub bytes: Option<u64>,
    /// What all rows are judged by, of a table that is a part of one with several criteria.
    pub criterion: Option<Criterion>,
}

impl CellTable {
    /// Reads CSV, tab-separated text, JSON, Parquet or an Excel workbook; of JSON, `rows` is the path of the list that
    /// holds the rows.
    ///
    /// # Errors
    /// A file that can't be read or is none of these; as its reader; `rows` of a file that is no JSON.
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
            return Ok(Self::of_table(&records::read(path, &bytes, NO_IDS, rows)?, format));
        }
        if let Some(rows) = rows {
            let reason = format!("it is no JSON document, so there is no list {rows:?} in it");
            return Err(Error::unfit(Place::file(path), reason, "leave out --columns rows="));
        }
        if delimited {
            let table = DataTable::parse(path, &bytes, NO_IDS)?;
            return Ok(Self::of_table(&table, if extension == "csv" { "CSV" } else { "tab-separated text" }));
        }
        if extension == "parquet" || path.is_dir() {
            let table = read_joined(&files_of(path)?, |path| parquet::read(path, &source.read(path)?, NO_IDS))?;
            return Ok(Self::of_table(&table, "Parquet"));
        }
        if parquet::is(&bytes) {
            return Ok(Self::of_table(&parquet::read(path, &bytes, NO_IDS)?, "Parquet"));
        }
        if xlsx::is(&bytes) {
            return Ok(Self::of_table(&xlsx::read(path, &bytes, NO_IDS)?, "an Excel workbook"));
        }
        Err(Error::unfit(
            Place::file(path),
            "this is no table or log that is known here",
            "give CSV, TSV, JSON, Parquet, XLSX, or a log of a judge",
        ))
    }

    /// Rows that a program hands over, such as a data frame.
    pub fn new(names: Vec<String>, mut rows: Vec<Vec<String>>, format: &str) -> Self {
        // A row without any cell is the end of a spreadsheet.
        rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
        let format = format.to_owned();
        Self { names, rows, format, bytes: None, criterion: None }
    }

    /// The table without names and rows.
    pub(super) fn without_rows(&self) -> Self {
        let (format, criterion) = (self.format.clone(), self.criterion.clone());
        Self { names: vec![], rows: vec![], format, bytes: self.bytes, criterion }
    }

    /// Some columns, by position, of some rows, which are judged by one criterion.
    pub(super) fn some<'r>(
        &self,
        columns: &[usize],
        rows: impl Iterator<Item = &'r Vec<String>>,
        criterion: Criterion,
    ) -> Self {
        let of = |row: &Vec<String>| columns.iter().map(|&k| row[k].clone()).collect();
        Self {
            names: of(&self.names),
            rows: rows.map(of).collect(),
            format: self.format.clone(),
            bytes: self.bytes,
            criterion: Some(criterion),
        }
    }

    fn of_table(table: &DataTable, format: &str) -> Self {
        let rows = table.rows().map(|row| row.cells().map(str::to_owned).collect()).collect();
        Self::new(table.header().to_vec(), rows, format)
    }

    /// The position of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The cells of a column that are not blank, as they stand there.
    pub fn filled(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(move |row| present(&row[column]))
    }
}

/// A cell without white space around it; `None` where it stands for no answer (`nan`, `null`, `n/a`, ...).
pub fn present(cell: &str) -> Option<&str> {
    let trimmed = cell.trim();
    (!BLANK.iter().any(|blank| trimmed.eq_ignore_ascii_case(blank))).then_some(trimmed)
}

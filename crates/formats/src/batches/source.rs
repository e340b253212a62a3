//! The files of a stream, in order, whatever their layout.

use std::path::{Path, PathBuf};

use super::csv::CsvRows;
use super::jsonl::JsonRows;
use super::{Batch, BatchReader, Header};
use crate::checksum::read_file;
use crate::error::{Error, Place, Result};
use crate::parquet::rows::ParquetRows;
use crate::table::{ColumnIndex, DataTable, NO_IDS};
use crate::{records, xlsx};
use judge_uncertainty_system::read::names;

/// The extensions of files that are read.
const KNOWN: [&str; 10] = ["csv", "tsv", "tab", "jsonl", "ndjson", "json", "parquet", "pq", "xlsx", "xlsm"];

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The files that a path names: itself, or the files of a folder in the order of their names, without hidden ones and
/// those that begin with `_`, as engines write folders.
///
/// # Errors
/// A folder that can't be read or holds none, or a file whose extension does not say how it is laid out.
pub fn files(path: &Path) -> Result<Vec<PathBuf>> {
    let refuse = |path: &Path, reason: &str| {
        let remedy = "name a .csv, .tsv, .jsonl, .json, .parquet or .xlsx file, or a folder of such";
        Error::unfit(Place::file(path), reason, remedy)
    };
    if !path.is_dir() {
        return match KNOWN.contains(&extension(path).as_str()) {
            true => Ok(vec![path.to_owned()]),
            false => Err(refuse(path, "the extension of the file does not say how it is laid out")),
        };
    }
    let names = names(path).map_err(Error::unreadable(path))?;
    let shown = names.iter().filter(|name| !name.starts_with(['.', '_'])).map(|name| path.join(name));
    let found: Vec<PathBuf> =
        shown.filter(|file| KNOWN.contains(&extension(file).as_str()) && file.is_file()).collect();
    if found.is_empty() { Err(refuse(path, "the folder holds no table")) } else { Ok(found) }
}

/// Opens a file; `id` is the column with the ids.
///
/// # Errors
/// As the reader of its layout.
pub fn open(path: &Path, id: &str) -> Result<Box<dyn BatchReader>> {
    Ok(match extension(path).as_str() {
        "parquet" | "pq" => Box::new(ParquetRows::open(path)?),
        "jsonl" | "ndjson" => Box::new(JsonRows::open(path)?),
        whole @ ("json" | "xlsx" | "xlsm") => {
            let bytes = read_file(path)?;
            let table =
                if whole == "json" { records::read(path, &bytes, NO_IDS, None) } else { xlsx::read(path, &bytes, id) };
            Box::new(WholeRows::new(table?, bytes.len() as u64))
        }
        _ => Box::new(CsvRows::open(path, id)?),
    })
}

// Rows of a file that is read whole, some at a time: a JSON document, a workbook.

/// A table in memory.
#[derive(Debug)]
pub struct WholeRows {
    table: DataTable,
    header: Header,
    bytes: u64,
    next: usize,
}

impl WholeRows {
    /// A table that was read from a file of so many bytes.
    pub fn new(table: DataTable, bytes: u64) -> Self {
        let names = table.header().to_vec();
        let header = Header { file: table.file().to_owned(), names, complete: true };
        Self { table, header, bytes, next: 0 }
    }
}

impl BatchReader for WholeRows {
    fn header(&self) -> &Header {
        &self.header
    }

    fn consumed(&self) -> u64 {
        self.bytes * self.next as u64 / self.table.rows().len().max(1) as u64
    }

    fn next(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>> {
        let columns = wanted.iter().filter_map(|name| Some((name.clone(), self.table.column(name).ok()?)));
        let (names, columns): (Vec<String>, Vec<ColumnIndex>) = columns.unzip();
        let mut batch = Batch::new(&self.header.file, names);
        for row in self.table.rows().skip(self.next).take(most) {
            batch.push(row.line(), columns.iter().map(|&column| row.cell(column)), None);
        }
        self.next += batch.len();
        Ok(batch.if_any())
    }
}

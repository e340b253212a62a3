//! Excel workbooks as tables: the sheet whose first row has the column of the ids.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::path::Path;

use calamine::{Data, ExcelDateTime, Reader, Xlsx, XlsxError};

use crate::archive::{Allowed, check_workbook};
use crate::error::{Error, Place, Problem, Result};
use crate::guarded::guarded;
use crate::table::{DataTable, NO_IDS, Rows, distinct, is_title};

/// Whether a file's bytes are those of an Excel workbook, which is a zip archive with a certain member.
pub fn is(bytes: &[u8]) -> bool {
    const MEMBER: &[u8] = b"xl/workbook.xml";
    bytes.starts_with(b"PK\x03\x04") && bytes.windows(MEMBER.len()).any(|window| window == MEMBER)
}

/// Reads the sheet of a workbook whose first row that is not blank names the column `id_column`; a line is a row of the
/// sheet.
///
/// Whole numbers are written without a point, so that an id 7 is `7`; other numbers with the fewest digits that read
/// back exactly; dates and times as `2024-01-07`, `2024-01-07 16:00:00` or `16:00:00`; of formulas the value that was saved with them. Rows without any cell are left out.
///
/// # Errors
/// A file that is not a workbook or is damaged; no such sheet, or several; as [`DataTable::parse`].
pub fn read(file: &Path, bytes: &[u8], id_column: &str) -> Result<DataTable> {
    Ok(read_named(file, bytes, id_column)?.0)
}

/// As [`read`], with the name of the sheet that was read, and behind it those of the others that have cells.
///
/// # Errors
/// As there.
pub fn read_named(file: &Path, bytes: &[u8], id_column: &str) -> Result<(DataTable, Vec<String>)> {
    guarded(file, || read_sheet(file, bytes, id_column))
}

fn read_sheet(file: &Path, bytes: &[u8], id_column: &str) -> Result<(DataTable, Vec<String>)> {
    let refuse = |reason: String, remedy: &str| Error::unfit(Place::file(file), reason, remedy);
    let damaged = |error: XlsxError| {
        let remedy = "save it again, or save the sheet as CSV in the encoding UTF-8";
        refuse(format!("is not a whole Excel workbook: {error}"), remedy)
    };
    // Every part is held against its sum and its size before any is believed.
    let allowed = Allowed::new(bytes.len() as u64);
    check_workbook(file, bytes, &allowed)?;
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut sheets: Vec<(String, Vec<NumberedRow>)> = vec![];
    for name in book.sheet_names() {
        let take = |bytes: u64| allowed.held.take(bytes).map_err(Error::too_much(Place::file(file)));
        let rows = rows(cells(&mut book, &name, take, damaged)?, id_column == NO_IDS, take)?;
        if !rows.is_empty() {
            sheets.push((name, rows));
        }
    }
    if sheets.is_empty() {
        return Err(Error::refused(Place::file(file), Problem::NoRows));
    }
    let has_ids = |(_, rows): &(String, Vec<NumberedRow>)| rows[0].1.iter().any(|name| name == id_column);
    let names: Vec<String> =
        sheets.iter().filter(|sheet| has_ids(sheet)).map(|(name, _)| format!("{name:?}")).collect();
    if names.len() > 1 {
        let reason = format!("several sheets have a column {id_column:?}: {}", names.join(", "));
        return Err(refuse(reason, "keep one of them in the file"));
    }
    // Without any, the first says what it has instead; a sheet of a few rows before a long one explains it.
    let loosely = id_column == NO_IDS;
    let longest = sheets.iter().map(|(_, rows)| rows.len()).max().unwrap_or(0);
    let is_table = |(_, rows): &(String, Vec<NumberedRow>)| loosely && rows.len() > FEW.min(longest.saturating_sub(1));
    let found = sheets.iter().position(has_ids).or_else(|| sheets.iter().position(is_table)).unwrap_or(0);
    let (name, rows) = sheets.remove(found);
    let names = std::iter::once(name).chain(sheets.into_iter().map(|(name, _)| name)).collect();
    // Reports have a title above the header.
    let title = rows.iter().take_while(|(_, cells)| loosely && is_title(cells.iter().map(String::as_str))).count();
    let title = if title < rows.len() { title } else { 0 };
    let mut rows = rows.into_iter().skip(title);
    let (line, header) = rows.next().unwrap_or_default();
    let header = if loosely { distinct(header) } else { header };
    let mut read = Rows::default();
    rows.for_each(|(line, cells)| read.push(0, line, cells));
    Ok((DataTable::new(vec![file.to_owned()], Some(line), header, read).checked(id_column)?, names))
}

/// Rows of a sheet that is perhaps no table.
const FEW: usize = 10;
/// Rows at the start of a sheet; if a header may go over several, the longest of them tells the number of columns.
const START: usize = 10;
/// Bytes of memory for a cell on its way into a table, besides its text, which is in memory twice.
const CELL: u64 = 112;
/// Bytes of memory for a blank cell.
const BLANK: u64 = 32;

/// The cells of a sheet that are not blank, by row and column: the sheet as a whole may claim to be of any size.
fn cells(
    book: &mut Xlsx<Cursor<&[u8]>>,
    name: &str,
    take: impl Fn(u64) -> Result<()>,
    damaged: impl Fn(XlsxError) -> Error,
) -> Result<BTreeMap<(u32, u32), String>> {
    let mut reader = match book.worksheet_cells_reader(name) {
        // A page with a chart.
        Err(XlsxError::NotAWorksheet(_)) => return Ok(BTreeMap::new()),
        reader => reader.map_err(&damaged)?,
    };
    let mut cells = BTreeMap::new();
    let (mut dates, mut with_times) = (vec![], BTreeSet::new());
    while let Some(cell) = reader.next_cell().map_err(&damaged)? {
        let text = match Data::from(cell.get_value().clone()) {
            Data::Bool(truth) => truth.to_string().to_uppercase(),
            Data::DateTime(time) if time.is_datetime() => {
                let text = iso(&time);
                match (text.contains('-'), text.contains(' ')) {
                    (true, true) => drop(with_times.insert(cell.get_position().1)),
                    (true, false) => dates.push(cell.get_position()),
                    (false, _) => {}
                }
                text
            }
            other => other.to_string(),
        };
        if !text.is_empty() {
            take(CELL + 2 * text.len() as u64)?;
            cells.insert(cell.get_position(), text);
        }
    }
    // Where others of the column have a time, midnight is one.
    for at in dates.iter().filter(|(_, column)| with_times.contains(column)) {
        cells.entry(*at).and_modify(|date| date.push_str(" 00:00:00"));
    }
    Ok(cells)
}

/// A date, a time of day, or both, with the digits of the second that it has; a time of midnight is left out.
fn iso(time: &ExcelDateTime) -> String {
    let (year, month, day, hours, minutes, seconds, thousandths) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    let of_day = format!("{hours:02}:{minutes:02}:{seconds:02}.{thousandths:03}");
    let of_day = of_day.trim_end_matches('0').trim_end_matches('.');
    match (time.as_f64() >= 1.0, (hours, minutes, seconds, thousandths)) {
        (true, (0, 0, 0, 0)) => date,
        (true, _) => format!("{date} {of_day}"),
        (false, _) => of_day.to_owned(),
    }
}

/// A row of cells with its number in the sheet, from 1.
type NumberedRow = (u64, Vec<String>);

/// Row number and cells of the rows that have a cell, each as long as the one that names the columns, or longer; `loosely` of
/// those at the start the longest.
fn rows(
    cells: BTreeMap<(u32, u32), String>,
    loosely: bool,
    take: impl Fn(u64) -> Result<()>,
) -> Result<Vec<NumberedRow>> {
    let mut sparse: BTreeMap<u32, Vec<(usize, String)>> = BTreeMap::new();
    let first = cells.keys().map(|(_, column)| *column).min().unwrap_or(0);
    for ((row, column), text) in cells {
        sparse.entry(row).or_default().push(((column - first) as usize, text));
    }
    let end = |row: &[(usize, String)]| row.last().map_or(0, |(column, _)| column + 1);
    // A row of one cell is a title above the header.
    let header = sparse.values().find(|row| row.len() > 1).or(sparse.values().next());
    let start = sparse.values().take(if loosely { START } else { 0 }).map(|row| end(row));
    let named = start.chain(header.map(|header| end(header))).max().unwrap_or(0);
    let wide = sparse.values().map(|row| end(row).max(named));
    let absent: u64 = wide.zip(sparse.values()).map(|(wide, row)| (wide - row.len()) as u64).sum();
    take(BLANK * absent)?;
    let dense = |(line, row): (u32, Vec<(usize, String)>)| {
        let mut cells = vec![String::new(); end(&row).max(named)];
        row.into_iter().for_each(|(column, text)| cells[column] = text);
        (u64::from(line) + 1, cells)
    };
    Ok(sparse.into_iter().map(dense).collect())
}

//! Excel workbooks as tables: the sheet whose first row has the column of the ids.

use std::io::Cursor;
use std::path::Path;

use calamine::{Data, Range, Reader, Xlsx};

use judge_uncertainty_data::dataset::error::{Error, Place, Problem, Result};
use judge_uncertainty_data::dataset::table::Table;
use judge_uncertainty_data::logs::archive;

/// Whether a file's bytes are those of an Excel workbook, which is a zip archive with a certain member.
pub fn is(bytes: &[u8]) -> bool {
    const MEMBER: &[u8] = b"xl/workbook.xml";
    bytes.starts_with(b"PK\x03\x04") && bytes.windows(MEMBER.len()).any(|window| window == MEMBER)
}

/// Reads the sheet of a workbook whose first row that is not blank names the column `id_column`; a line is a row of the sheet.
///
/// Whole numbers are written without a point, so that an id 7 is `7`; other numbers with the fewest digits that read back exactly;
/// dates as ISO text; of formulas the value that was saved with them. Rows without any cell are left out.
///
/// # Errors
/// A file that is no workbook or damaged; no such sheet, or several; as [`Table::parse`].
pub fn read(file: &Path, bytes: &[u8], id_column: &str) -> Result<Table> {
    let refuse = |reason: String, remedy: &str| {
        Error::refused(Place::file(file), Problem::Unfit { reason, remedy: remedy.to_owned() })
    };
    let damaged = |error: calamine::XlsxError| {
        refuse(
            format!("is not a whole Excel workbook: {error}"),
            "save it again, or save the sheet as CSV in the encoding UTF-8",
        )
    };
    // Every part is held against its sum and its size before any is believed.
    archive::members(file, bytes, |name| name.starts_with("xl/") && name.ends_with(".xml"))?;
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut sheets: Vec<(String, Rows)> = vec![];
    for name in book.sheet_names() {
        let rows = rows(&book.worksheet_range(&name).map_err(damaged)?);
        if !rows.is_empty() {
            sheets.push((name, rows));
        }
    }
    if sheets.is_empty() {
        return Err(Error::refused(Place::file(file), Problem::NoRows));
    }
    let has_ids = |(_, rows): &(String, Rows)| rows[0].1.iter().any(|name| name == id_column);
    let with_ids = sheets.iter().filter(|sheet| has_ids(sheet)).count();
    if with_ids > 1 {
        let names =
            sheets.iter().filter(|sheet| has_ids(sheet)).map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>();
        let reason = format!("several sheets have a column {id_column:?}: {}", names.join(", "));
        return Err(refuse(reason, "keep one of them in the file"));
    }
    // Without any, the first says what it has instead.
    let found = sheets.iter().position(has_ids).unwrap_or(0);
    let mut rows = sheets.swap_remove(found).1.into_iter();
    let (line, header) = rows.next().unwrap_or_default();
    Table::of_sheet(file, line, header, rows.collect(), id_column)
}

/// Row number and cells of rows that are not blank.
type Rows = Vec<(u64, Vec<String>)>;

fn rows(range: &Range<Data>) -> Rows {
    let first = range.start().map_or(0, |(row, _)| u64::from(row)) + 1;
    let rows = range.rows().zip(first..).map(|(cells, line)| (line, cells.iter().map(text).collect::<Vec<_>>()));
    let mut rows: Rows = rows.filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty())).collect();
    // Columns behind the last name, of which a format alone may be left.
    if let Some((_, header)) = rows.first() {
        let named = header.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
        let empty = |cells: &[String]| cells[named.min(cells.len())..].iter().all(String::is_empty);
        for (_, cells) in rows.iter_mut().filter(|(_, cells)| empty(cells)) {
            cells.truncate(named);
        }
    }
    rows
}

/// A cell as text.
fn text(cell: &Data) -> String {
    match cell {
        Data::Empty => String::new(),
        Data::String(text) => text.clone(),
        Data::Float(number) => number.to_string(),
        Data::Int(number) => number.to_string(),
        Data::Bool(truth) => truth.to_string().to_uppercase(),
        Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        other => other.to_string(),
    }
}

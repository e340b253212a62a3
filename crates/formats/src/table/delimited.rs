//! Tables from text whose cells are divided by commas, semicolons or tabs.

use std::collections::HashMap;
use std::io::BufReader;
use std::path::Path;

use super::cells::{DataTable, Rows};
use crate::batches::csv::{CsvRows, delimiter, first_records};
use crate::encoding::{AsUtf8, encoding_of};
use crate::error::{Error, Place, Problem, Result};

impl DataTable {
    /// Parses CSV; `id_column` names the column with the ids of the items, and `file` is the name for errors. Without ids
    /// ([`NO_IDS`](super::NO_IDS)) a table may have a title above its header, and columns of one name.
    ///
    /// # Errors
    /// Text in another encoding than [`encoding_of`] knows, a repeated or missing column, a row with another number of cells than the header, no
    /// rows, a blank id.
    pub fn parse(file: &Path, bytes: &[u8], id_column: &str) -> Result<Self> {
        let table = Self::parse_any(file, bytes, id_column)?;
        if table.rows().len() == 0 { Err(Error::refused(Place::file(file), Problem::NoRows)) } else { Ok(table) }
    }

    /// Parses CSV that may have no row, such as the labels of a study that has none yet.
    ///
    /// # Errors
    /// As [`Self::parse`]; no header.
    pub fn parse_any(file: &Path, bytes: &[u8], id_column: &str) -> Result<Self> {
        refuse_other_formats(file, bytes)?;
        let text = BufReader::with_capacity(1 << 20, AsUtf8::new(bytes, encoding_of(file, bytes)?));
        let CsvRows { mut records, header, header_line } = CsvRows::new(file, text, id_column)?;
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
        let mut rows = Rows::with_capacity(lines, header.names.len(), bytes.len());
        while let Some(line) = records.advance(file)? {
            let damaged = || Error::refused(Place::file(file).at_line(line), Problem::NotUtf8);
            rows.push(0, line, records.cells().ok_or_else(damaged)?);
        }
        DataTable::new(vec![file.to_owned()], Some(header_line), header.names, rows).with_ids(id_column)
    }

    /// The header of a CSV table with ids in the column `id` or `uid`; empty for an empty file.
    ///
    /// # Errors
    /// Bytes that are not text, or those of a spreadsheet.
    pub fn header_of(file: &Path, bytes: &[u8]) -> Result<Vec<String>> {
        refuse_other_formats(file, bytes)?;
        let decoded = encoding_of(file, bytes)?.decode(bytes).0;
        let start = decoded.as_bytes();
        Ok(first_records(start, delimiter(start, &["id", "uid"]), 1).concat())
    }
}

/// Whether a row is a title or blank: one cell at most says something.
pub(crate) fn is_title<'c>(cells: impl Iterator<Item = &'c str>) -> bool {
    cells.filter(|cell| !cell.trim().is_empty()).nth(1).is_none()
}

/// Names that are each another: a second `note` is `note (2)`, and a blank one after the first column `column 7`.
pub fn distinct(names: Vec<String>) -> Vec<String> {
    // Names with the number of the last that was made of each.
    let mut taken: HashMap<String, usize> = HashMap::new();
    let named = |(place, name): (usize, String)| {
        let name = if name.trim().is_empty() && place > 0 { format!("column {}", place + 1) } else { name };
        let (mut free, mut number) = (name.clone(), taken.get(&name).copied().unwrap_or(1));
        while taken.contains_key(&free) {
            number += 1;
            free = format!("{name} ({number})");
        }
        taken.insert(name, number);
        taken.entry(free.clone()).or_insert(1);
        free
    };
    names.into_iter().enumerate().map(named).collect()
}

/// Refuses what a file's first bytes show to be no text, and says how to make a table of it.
fn refuse_other_formats(file: &Path, bytes: &[u8]) -> Result<()> {
    let known: [(&[u8], &str, &str); 4] = [
        (b"PK\x03\x04", "a spreadsheet (.xlsx) or another zip archive", "save the sheet as CSV, in the encoding UTF-8"),
        (b"\xd0\xcf\x11\xe0", "a spreadsheet (.xls)", "save the sheet as CSV, in the encoding UTF-8"),
        (b"PAR1", "a Parquet file", "write it as CSV: pandas.read_parquet(FILE).to_csv(\"table.csv\", index=False)"),
        (b"\x1f\x8b", "compressed (gzip)", "unpack it"),
    ];
    match known.iter().find(|(start, ..)| bytes.starts_with(start)) {
        Some((_, what, remedy)) => {
            Err(Error::unfit(Place::file(file), format!("this is {what}, not a table of text"), *remedy))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::ColumnIndex;
    use super::super::tests::{message, table};
    use super::*;

    #[test]
    fn semicolons_and_tabs_divide_where_only_they_give_the_ids() {
        for text in ["id;n\n\"a;b\";1,5\n", "n;x;id\n1,5;;a;b\n", "id\tn\na;b\t1,5\n", "id,\"n;x\"\na;b,\"1,5\"\n"] {
            let found = table(text);
            if text.starts_with("n;x;id") {
                assert!(message(found).contains("4 columns where the header has 3"));
                continue;
            }
            let found = found.unwrap();
            let row = found.rows().next().unwrap();
            assert_eq!((row.id(), row.cell(ColumnIndex(1))), ("a;b", "1,5"), "{text:?}");
        }
    }

    /// Of a comment more than of the columns.
    #[test]
    fn semicolons_within_cells_do_not_divide_a_table_without_ids() {
        let text = "judge,human\npass,\"a; b; c; d\"\nfail,e\nfail,f\n";
        let found = DataTable::parse(Path::new("t.csv"), text.as_bytes(), super::super::NO_IDS).unwrap();
        assert_eq!(found.header(), ["judge", "human"]);
        assert_eq!(found.rows().next().unwrap().cells().collect::<Vec<_>>(), ["pass", "a; b; c; d"]);
    }

    #[test]
    fn lines_are_those_of_an_editor() {
        // (text before the bad row, line of the bad row): plain, CRLF, blank lines, a cell of two lines, a BOM.
        for (before, line) in [
            ("id,n\na,1\n", 3),
            ("id,n\r\na,1\r\n", 3),
            ("id,n\n\n\na,1\n\n", 6),
            ("id,n\r\n\r\na,1\r\n\r\n", 5),
            ("id,n\n\"a\nb\",1\n", 4),
            ("\u{feff}id,n\na,1\n", 3),
        ] {
            let table = table(&format!("{before}bad,-1\n")).unwrap();
            let n = table.column("n").unwrap();
            let error = message(table.rows().try_for_each(|row| row.count(n).map(drop)));
            assert!(error.starts_with(&format!("t.csv:{line}:2 (column \"n\", item \"bad\")")), "{before:?}: {error}");
        }
    }

    #[test]
    fn malformed_tables_are_refused() {
        for (text, expected) in [
            ("", "t.csv: the table has no rows"),
            ("id,n\n", "t.csv: the table has no rows"),
            ("id,n,id\na,1,2\n", "t.csv:1:3 (column \"id\"): the column \"id\" appears twice in the header"),
            ("uid,n\na,1\n", "t.csv:1: the header has no column \"id\"; the table needs the column id, and has uid, n"),
            ("ID ,n\na,1\n", "t.csv:1: the header has no column \"id\"; write id instead of \"ID \""),
            ("ID;n\na;1\n", "t.csv:1: the header has no column \"id\"; write id instead of \"ID\""),
            (
                "PK\u{3}\u{4}x",
                "t.csv: this is a spreadsheet (.xlsx) or another zip archive, not a table of text; save the",
            ),
            ("id,n\na\n", "t.csv:2 (item \"a\"): 1 columns where the header has 2: \"a\""),
            ("id,n\na,1,2\n", "t.csv:2 (item \"a\"): 3 columns where the header has 2: \"a,1,2\""),
            ("id,n\n,1\n", "t.csv:2:1 (column \"id\"): the cell is blank"),
        ] {
            let error = message(table(text));
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
        let binary = DataTable::parse(Path::new("t.csv"), b"id,n\na,1\n\xe9\x81,2\n", "id");
        assert!(message(binary).starts_with("t.csv:3:2: the byte is not a character of UTF-8 or Windows-1252"));
    }
}

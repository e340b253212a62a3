//! CSV tables whose errors name file, line, column, item and value.
//!
//! The first line is the header; columns are found by name, in any order. Nothing is trimmed: a cell is what stands between
//! the commas, or between semicolons or tabs where only these give a header with the ids. A blank cell is missing ([`Row::optional_number`]), never 0. Files of JSON objects
//! become tables too ([`super::jsonl`]), so that whatever reads one reads the other.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, StringRecord};

use super::error::{Error, Place, Problem, Result, excerpt};
use super::items::ItemIds;
use crate::limits;

/// A table in memory: every row has one cell per column of the header.
#[derive(Debug)]
pub struct Table {
    /// The files that its rows stand in.
    files: Vec<PathBuf>,
    header_line: Option<u64>,
    header: Vec<String>,
    /// Position of each name in the header, of the first of several.
    columns: HashMap<String, usize>,
    id: Column,
    /// Position of the file, line, cells.
    rows: Vec<(usize, u64, StringRecord)>,
}

/// A column of a table, found by [`Table::column`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column(usize);

/// A row of a table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'t> {
    table: &'t Table,
    file: usize,
    line: u64,
    cells: &'t StringRecord,
}

impl Table {
    /// Parses CSV; `id_column` names the column with the ids of the items, and `file` is the name for errors.
    ///
    /// # Errors
    /// Text that is not UTF-8, a repeated or missing column, a row with another number of cells than the header, no
    /// rows, a blank id.
    pub fn parse(file: &Path, bytes: &[u8], id_column: &str) -> Result<Self> {
        refuse_other_formats(file, bytes)?;
        if let Err(error) = std::str::from_utf8(bytes) {
            let line = Lines::new(bytes).of(error.valid_up_to());
            return Err(Error::refused(Place::file(file).at_line(line), Problem::NotUtf8));
        }
        let mut reader = reader(bytes, delimiter(bytes, &[id_column]));
        let mut lines = Lines::new(bytes);
        let mut records = Vec::new();
        let mut record = StringRecord::new();
        while reader
            .read_record(&mut record)
            .map_err(|error| Error::Unreadable { file: file.to_path_buf(), source: error.into() })?
        {
            let start = record.position().map_or(0, csv::Position::byte) as usize;
            records.push((lines.of(start), std::mem::take(&mut record)));
        }
        if records.len() < 2 {
            return Err(Error::refused(Place::file(file), Problem::NoRows));
        }
        let (header_line, header) = records.remove(0);
        let header: Vec<String> = header.iter().map(str::to_owned).collect();
        let table = Table::of(file, Some(header_line), header, records);
        table.check_header()?;
        table.with_ids(id_column)
    }

    /// The header of a CSV table whose ids stand in `id` or `uid`; none of an empty file.
    ///
    /// # Errors
    /// Bytes that are no text, or those of a spreadsheet.
    pub fn header_of(file: &Path, bytes: &[u8]) -> Result<Vec<String>> {
        refuse_other_formats(file, bytes)?;
        Ok(header(bytes, delimiter(bytes, &["id", "uid"])))
    }

    /// A table of objects, whose columns have names but no numbers and no line of their own.
    pub(super) fn of_objects(
        file: &Path,
        fields: Vec<String>,
        rows: Vec<(u64, StringRecord)>,
        id_column: &str,
    ) -> Result<Self> {
        if rows.is_empty() {
            return Err(Error::refused(Place::file(file), Problem::NoRows));
        }
        Table::of(file, None, fields, rows).with_ids(id_column)
    }

    /// A table of objects that may be none.
    pub(super) fn of_any_objects(
        file: &Path,
        fields: Vec<String>,
        rows: Vec<(u64, StringRecord)>,
        id_column: &str,
    ) -> Result<Self> {
        Table::of(file, None, fields, rows).with_ids(id_column)
    }

    /// A table whose rows stand in several files: position of the file, line, cells.
    pub(crate) fn of_parts(
        files: Vec<PathBuf>,
        header: Vec<String>,
        rows: Vec<(usize, u64, StringRecord)>,
        id_column: &str,
    ) -> Result<Self> {
        Table::of_files(files, None, header, rows).with_ids(id_column)
    }

    fn of(file: &Path, header_line: Option<u64>, header: Vec<String>, rows: Vec<(u64, StringRecord)>) -> Self {
        let rows = rows.into_iter().map(|(line, cells)| (0, line, cells)).collect();
        Table::of_files(vec![file.to_path_buf()], header_line, header, rows)
    }

    fn of_files(
        files: Vec<PathBuf>,
        header_line: Option<u64>,
        header: Vec<String>,
        rows: Vec<(usize, u64, StringRecord)>,
    ) -> Self {
        let mut columns = HashMap::with_capacity(header.len());
        for (i, name) in header.iter().enumerate() {
            columns.entry(name.clone()).or_insert(i);
        }
        Table { files, header_line, header, columns, id: Column(0), rows }
    }

    /// A table with other columns; objects may have others, which are blank where they are missing.
    pub fn append(&mut self, mut other: Table) -> Result<()> {
        if self.header_line.is_some() || other.header_line.is_some() {
            other.expect_columns(&self.header)?;
        }
        let new: Vec<&String> = other.header.iter().filter(|name| !self.columns.contains_key(*name)).collect();
        let lacking = self.header.len() + new.len() - other.header.len();
        let absent = self.rows.len() as u64 * new.len() as u64 + other.rows.len() as u64 * lacking as u64;
        check_absent(&other.files[0], absent)?;
        for (.., cells) in self.rows.iter_mut().filter(|_| !new.is_empty()) {
            new.iter().for_each(|_| cells.push_field(""));
        }
        for name in new {
            self.columns.insert(name.clone(), self.header.len());
            self.header.push(name.clone());
        }
        let places: Vec<Option<usize>> = self.header.iter().map(|name| other.columns.get(name).copied()).collect();
        let first = self.files.len();
        self.files.append(&mut other.files);
        self.rows.extend(other.rows.into_iter().map(|(file, line, cells)| {
            let cell = |place: &Option<usize>| place.and_then(|place| cells.get(place)).unwrap_or_default();
            (first + file, line, places.iter().map(cell).collect())
        }));
        Ok(())
    }

    fn with_ids(mut self, id_column: &str) -> Result<Self> {
        self.id = self.column(id_column)?;
        for row in self.rows() {
            row.check_length()?;
            row.text(self.id)?;
        }
        Ok(self)
    }

    /// The file that the table was read from, the first of several.
    pub fn file(&self) -> &Path {
        &self.files[0]
    }

    fn check_header(&self) -> Result<()> {
        for (i, name) in self.header.iter().enumerate() {
            if self.columns[name] != i {
                return Err(self.refuse_header(i, Problem::DuplicateColumn { name: name.clone() }));
            }
        }
        Ok(())
    }

    /// Names of the columns, in order.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    fn header_place(&self) -> Place {
        Place { line: self.header_line, ..Place::file(self.file()) }
    }

    fn in_column(&self, place: Place, index: usize) -> Place {
        match self.header_line {
            Some(_) => place.in_column(index, &self.header[index]),
            None => place.in_field(&self.header[index]),
        }
    }

    fn refuse_header(&self, index: usize, problem: Problem) -> Error {
        Error::refused(self.in_column(self.header_place(), index), problem)
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
            let problem = Problem::UnknownColumn { name: self.header[i].clone(), expected: expected.to_vec() };
            return Err(self.refuse_header(i, problem));
        }
        Ok(())
    }

    /// Finds a column by its name.
    ///
    /// # Errors
    /// The header does not have it.
    pub fn column(&self, name: &str) -> Result<Column> {
        let found = self.columns.get(name).copied();
        found.map(Column).ok_or_else(|| self.missing_column(name, &[name.to_owned()]))
    }

    fn missing_column(&self, name: &str, expected: &[String]) -> Error {
        let (name, expected) = (name.to_owned(), expected.to_vec());
        let problem = Problem::MissingColumn { name, expected, found: self.header.clone() };
        Error::refused(self.header_place(), problem)
    }

    /// The rows in the order of the file.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|(file, line, cells)| Row { table: self, file: *file, line: *line, cells })
    }

    /// The ids of a table with one row per item, in the order of the file.
    ///
    /// # Errors
    /// An id that stands there twice.
    pub fn ids(&self) -> Result<ItemIds> {
        let mut first_lines = HashMap::with_capacity(self.rows.len());
        for row in self.rows() {
            if let Some(first) = first_lines.insert(row.id(), row) {
                return Err(row.duplicate(&first));
            }
        }
        ItemIds::new(self.rows().map(|row| row.id().to_owned()).collect())
    }

    /// The rows in the order of `ids`, exactly one for each; `reference` says where the ids come from.
    ///
    /// # Errors
    /// A duplicate, an unknown or a missing id.
    pub fn rows_of(&self, ids: &ItemIds, reference: &Path) -> Result<Vec<Row<'_>>> {
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
        let found = rows.into_iter().zip(ids.iter());
        found
            .map(|(row, id)| {
                let place = || Place::file(self.file()).of_item(id);
                row.ok_or_else(|| {
                    Error::refused(place(), Problem::MissingId { id: id.to_owned(), reference: reference() })
                })
            })
            .collect()
    }
}

impl<'t> Row<'t> {
    /// Line of the row in the file, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The id of the item that the row belongs to.
    pub fn id(&self) -> &'t str {
        self.cell(self.table.id)
    }

    /// All cells, in the order of the header.
    pub fn cells(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        self.cells.iter()
    }

    /// A cell as it stands there; `""` where it is blank.
    pub fn cell(&self, column: Column) -> &'t str {
        // Every column comes from `Table::column`, and `Table::parse` has checked the length of every row.
        &self.cells[column.0]
    }

    /// A cell that must not be blank.
    ///
    /// # Errors
    /// [`Problem::Blank`].
    pub fn text(&self, column: Column) -> Result<&'t str> {
        match self.cell(column) {
            "" => Err(self.refuse(column, Problem::Blank)),
            text => Ok(text),
        }
    }

    /// A whole number of 0 or more.
    ///
    /// # Errors
    /// A blank cell, a sign, a fraction, or more than `u32` holds.
    pub fn count(&self, column: Column) -> Result<u32> {
        let text = self.text(column)?;
        text.parse().map_err(|_| self.refuse(column, Problem::NotACount { value: excerpt(text) }))
    }

    /// A finite number; `None` for a blank cell.
    ///
    /// # Errors
    /// Anything else.
    pub fn optional_number(&self, column: Column) -> Result<Option<f64>> {
        match self.cell(column) {
            "" => Ok(None),
            text => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Some(number)),
                _ => Err(self.refuse(column, Problem::NotANumber { value: excerpt(text) })),
            },
        }
    }

    /// The position in `allowed` of the word in a cell; `None` for a blank cell.
    ///
    /// # Errors
    /// A word that is none of them.
    pub fn optional_word(&self, column: Column, allowed: &[String]) -> Result<Option<usize>> {
        match self.cell(column) {
            "" => Ok(None),
            text => allowed.iter().position(|word| word == text).map(Some).ok_or_else(|| {
                let problem = Problem::NotOneOf { value: excerpt(text), allowed: allowed.to_vec() };
                self.refuse(column, problem)
            }),
        }
    }

    /// Refuses a cell.
    pub fn refuse(&self, column: Column, problem: Problem) -> Error {
        Error::refused(self.table.in_column(self.place(), column.0), problem)
    }

    /// Refuses the id of the row.
    pub fn refuse_id(&self, problem: Problem) -> Error {
        self.refuse(self.table.id, problem)
    }

    /// Refuses the whole row.
    pub fn refuse_row(&self, problem: Problem) -> Error {
        Error::refused(self.place(), problem)
    }

    fn place(&self) -> Place {
        let place = Place::file(&self.table.files[self.file]).at_line(self.line);
        match self.cells.get(self.table.id.0) {
            Some(id) if !id.is_empty() => place.of_item(id),
            _ => place,
        }
    }

    fn duplicate(&self, first: &Row<'_>) -> Error {
        let first_line = (first.file == self.file).then_some(first.line);
        let problem = Problem::DuplicateId { id: self.id().to_owned(), first_line };
        self.refuse_id(problem)
    }

    fn check_length(&self) -> Result<()> {
        let (found, expected) = (self.cells.len(), self.table.header.len());
        if found == expected {
            return Ok(());
        }
        let row: Vec<&str> = self.cells.iter().collect();
        Err(self.refuse_row(Problem::ColumnCount { found, expected, row: excerpt(&row.join(",")) }))
    }
}

/// Holds the cells that a table has only because other objects of it have such a field against their limit.
///
/// # Errors
/// They are more.
pub(super) fn check_absent(file: &Path, absent: u64) -> Result<()> {
    limits::ABSENT_FIELDS.check(absent).map_err(|exceeded| {
        let remedy = format!("give every object the same fields; {}", exceeded.remedy());
        Error::refused(Place::file(file), Problem::Unfit { reason: exceeded.reason(), remedy })
    })
}

fn reader(bytes: &[u8], delimiter: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(bytes)
}

fn header(bytes: &[u8], delimiter: u8) -> Vec<String> {
    let mut record = csv::ByteRecord::new();
    // What can't be read is refused where the rows are.
    let _ = reader(bytes, delimiter).read_byte_record(&mut record);
    record.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// The comma, unless only semicolons or only tabs make a header that has one of the `ids`.
fn delimiter(bytes: &[u8], ids: &[&str]) -> u8 {
    let fits = |delimiter: &u8| header(bytes, *delimiter).iter().any(|name| ids.contains(&name.as_str()));
    b",;\t".iter().copied().find(fits).unwrap_or(b',')
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
            let problem =
                Problem::Unfit { reason: format!("this is {what}, not a table of text"), remedy: (*remedy).to_owned() };
            Err(Error::refused(Place::file(file), problem))
        }
        None => Ok(()),
    }
}

/// Line numbers of rising offsets in a text.
///
/// The csv crate counts the line on which it starts to look for a record, which is too early by the blank lines that
/// it skips and, with CRLF ends, by one.
struct Lines<'b> {
    bytes: &'b [u8],
    offset: usize,
    line: u64,
}

impl<'b> Lines<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Lines { bytes, offset: 0, line: 1 }
    }

    /// The line, from 1, of the first text at or after `offset`, which must not be before that of the last call.
    fn of(&mut self, offset: usize) -> u64 {
        let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let start = offset + self.bytes[offset..].iter().take_while(is_end).count();
        let passed = &self.bytes[self.offset..start];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.offset = start;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::names;
    use super::*;

    fn table(text: &str) -> Result<Table> {
        Table::parse(Path::new("t.csv"), text.as_bytes(), "id")
    }

    fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn cells_are_found_by_the_name_of_their_column() {
        let table = table("n,id,x\n3, a ,0.5\n4,\"b,\"\"c\",\n").unwrap();
        let (n, x) = (table.column("n").unwrap(), table.column("x").unwrap());
        let rows: Vec<_> =
            table.rows().map(|row| (row.id(), row.count(n).unwrap(), row.optional_number(x).unwrap())).collect();
        assert_eq!(rows, [(" a ", 3, Some(0.5)), ("b,\"c", 4, None)]);
    }

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
            assert_eq!((row.id(), row.cell(Column(1))), ("a;b", "1,5"), "{text:?}");
        }
    }

    #[test]
    fn files_of_the_same_columns_are_one_table() {
        let parse = |file: &str, text: &str| Table::parse(Path::new(file), text.as_bytes(), "id").unwrap();
        let mut both = parse("a.csv", "id,n\na,1\n");
        both.append(parse("b.csv", "n,id\n2,b\nx,c\n")).unwrap();
        let n = both.column("n").unwrap();
        let found: Vec<_> = both.rows().map(|row| (row.id(), row.count(n).ok())).collect();
        assert_eq!(found, [("a", Some(1)), ("b", Some(2)), ("c", None)]);
        let error = message(both.rows().try_for_each(|row| row.count(n).map(drop)));
        assert!(error.starts_with("b.csv:3:2 (column \"n\", item \"c\"): \"x\" is not a count"), "{error}");
        let other = both.append(parse("c.csv", "id,m\nd,1\n")).unwrap_err().to_string();
        assert!(other.starts_with("c.csv:1: the header has no column \"n\""), "{other}");
        both.append(parse("d.csv", "id,n\nb,1\n")).unwrap();
        assert!(
            message(both.ids()).starts_with("d.csv:2:1 (column \"id\", item \"b\"): the id \"b\" stands there twice;")
        );
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
            ("id,n,id\na,1,2\n", "t.csv:1:3 (column \"id\"): the column \"id\" stands in the header twice"),
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
        let latin = Table::parse(Path::new("t.csv"), b"id,n\na,1\n\xe9,2\n", "id");
        assert_eq!(message(latin), "t.csv:3: the text is not valid UTF-8; save it in the encoding UTF-8");
    }

    #[test]
    fn numbers_are_read_strictly() {
        let table = table("id,x\na,1e3\nb,inf\nc,NaN\nd,1e999\ne,1 000\nf, 1\ng,\n").unwrap();
        let x = table.column("x").unwrap();
        let read: Vec<_> = table.rows().map(|row| row.optional_number(x).ok()).collect();
        assert_eq!(read, [Some(Some(1000.0)), None, None, None, None, None, Some(None)]);
        let counts: Vec<_> = table.rows().map(|row| row.count(x).is_ok()).collect();
        assert_eq!(counts, [false; 7]);
    }

    #[test]
    fn an_unclosed_quote_is_refused_with_an_excerpt() {
        let table = table(&format!("id,n\na,\"1\nb,2\n{}", "c,3\n".repeat(100))).unwrap();
        let error = message(table.rows().try_for_each(|row| row.count(Column(1)).map(drop)));
        assert!(error.starts_with("t.csv:2:2 (column \"n\", item \"a\"): \"1\\nb,2\\nc,3"), "{error}");
        assert!(error.len() < 300, "{error}");
    }

    /// In time that grows with the header: comparing every name with every other would take minutes.
    #[test]
    fn a_header_of_very_many_columns_is_read() {
        let names: Vec<String> = (0..100_000).map(|k| format!("c{k}")).collect();
        let text = |names: &[String], id: &str| format!("id,{}\n{id}{}\n", names.join(","), ",1".repeat(names.len()));
        let mut wide = table(&text(&names, "a")).unwrap();
        assert!(names.iter().all(|name| wide.column(name).is_ok()));
        wide.append(table(&text(&names, "b")).unwrap()).unwrap();
        assert_eq!(wide.rows().len(), 2);
        let told = message(wide.column("c100000"));
        assert!(told.contains("c100000") && told.len() < 2000, "{} bytes", told.len());
        let twice = [&names[..], &names[7..8]].concat();
        let told = message(table(&text(&twice, "a")));
        assert!(told.contains("\"c7\" stands in the header twice") && told.len() < 2000, "{} bytes", told.len());
        let told = message(wide.append(table(&text(&names[1..], "c")).unwrap()));
        assert!(told.contains("c0") && told.len() < 2000, "{} bytes", told.len());
    }

    #[test]
    fn names_and_ids_of_any_length_come_back_short() {
        let long = "x".repeat(200_000);
        for text in [
            format!("id,{long},{long}\na,1,1\n"),
            format!("id,n\n{long},1\n{long},2\n"),
            format!("id,n\na,{long}\n"),
            format!("id,n\n{long}\n"),
        ] {
            let read = table(&text).and_then(|table| {
                table.ids()?;
                let column = table.column("n")?;
                table.rows().try_for_each(|row| row.count(column).map(drop))
            });
            let told = message(read);
            assert!(told.len() < 2000, "{} bytes", told.len());
        }
        let told = message(table("id,n\na,1\n").unwrap().column(&long));
        assert!(told.len() < 2000, "{} bytes", told.len());
        let known = ItemIds::new(vec!["a".to_owned()]).unwrap();
        let told = message(table(&format!("id\n{long}\n")).unwrap().rows_of(&known, Path::new("items.csv")));
        assert!(told.len() < 2000, "{} bytes", told.len());
        let known = ItemIds::new(vec![long]).unwrap();
        let told = message(table("id\na\n").unwrap().rows_of(&known, Path::new("items.csv")));
        assert!(told.len() < 2000, "{} bytes", told.len());
    }

    #[test]
    fn words_are_found_among_the_allowed() {
        let table = table("id,label\na,n\nb,\nc,x\n").unwrap();
        let label = table.column("label").unwrap();
        let read: Vec<_> = table.rows().map(|row| row.optional_word(label, &names(&["e", "n"]))).collect();
        assert!(matches!(read[..2], [Ok(Some(1)), Ok(None)]), "{read:?}");
        assert_eq!(
            read[2].as_ref().unwrap_err().to_string(),
            "t.csv:4:2 (column \"label\", item \"c\"): \"x\" is not one of e, n; write one of these"
        );
    }

    #[test]
    fn columns_are_exactly_those_expected() {
        let table = table("id,n\na,1\n").unwrap();
        assert!(table.expect_columns(&names(&["n", "id"])).is_ok());
        assert_eq!(
            message(table.expect_columns(&names(&["id", "n", "x"]))),
            "t.csv:1: the header has no column \"x\"; the table needs the columns id, n, x, and has id, n"
        );
        assert_eq!(
            message(table.expect_columns(&names(&["id"]))),
            "t.csv:1:2 (column \"n\"): the column \"n\" is unknown; the table needs the columns id"
        );
    }

    #[test]
    fn rows_are_joined_on_their_ids() {
        let ids = ItemIds::new(names(&["b", "a"])).unwrap();
        let join = |text: &str| -> Result<Vec<String>> {
            let table = table(text)?;
            let rows = table.rows_of(&ids, Path::new("labels.csv"))?;
            Ok(rows.iter().map(|row| row.id().to_owned()).collect())
        };
        assert_eq!(join("id\na\nb\n").unwrap(), ["b", "a"]);
        assert_eq!(
            message(join("id\na\nb\nc\n")),
            "t.csv:4:1 (column \"id\", item \"c\"): the id \"c\" is unknown: labels.csv does not have it; \
             correct the id or remove its row"
        );
        assert!(
            message(join("id\na\na\n"))
                .contains("t.csv:3:1 (column \"id\", item \"a\"): the id \"a\" stands there twice, first in line 2")
        );
        assert!(message(join("id\na\n")).contains("t.csv (item \"b\"): no row for the id \"b\" of labels.csv"));
        assert!(message(table("id\na\nb\na\n").unwrap().ids()).contains("twice, first in line 2"));
    }
}

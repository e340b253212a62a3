//! Rows of a CSV file, some at a time.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::Path;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde_json::json;

use super::{Bad, Batch, BatchColumn, BatchReader, Header};
use crate::encoding::{AsUtf8, Encoding};
use crate::error::{Error, Place, Problem, Result, excerpt};
use judge_uncertainty_system::formula::unescaped;
use judge_uncertainty_system::read::InputFile;

/// A row longer than this is a quote that is never closed.
const LONGEST: usize = 16 << 20;

/// A CSV file that is read row by row.
#[derive(Debug)]
pub(super) struct CsvRows {
    reader: BufReader<AsUtf8<BufReader<InputFile>>>,
    header: Header,
    delimiter: u8,
    cells: Divided,
    /// Lines read so far.
    line: u64,
    consumed: u64,
}

/// Where in a record a reader is, as the csv crate divides them.
#[derive(Clone, Copy, PartialEq)]
enum At {
    FieldStart,
    Plain,
    Quoted,
    /// Behind a quote within quotes: the end of them, or the first of two.
    Quote,
}

impl At {
    fn behind(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            (Self::FieldStart, b'"') | (Self::Quote, b'"') => Self::Quoted,
            (Self::Quoted, b'"') => Self::Quote,
            (Self::Quoted, _) => Self::Quoted,
            (_, b'\n' | b'\r') => Self::FieldStart,
            (_, byte) if byte == delimiter => Self::FieldStart,
            _ => Self::Plain,
        }
    }
}

impl CsvRows {
    /// Opens a file; `id` is the column with the ids, by which the delimiter is known.
    ///
    /// # Errors
    /// It can't be read, or its header names a column twice.
    pub(super) fn open(path: &Path, id: &str) -> Result<Self> {
        let file = || {
            let file = InputFile::open(path).map_err(|source| Error::Unreadable { file: path.to_owned(), source });
            Ok(BufReader::with_capacity(1 << 16, file?))
        };
        // A first time to its end: one row in UTF-8 says nothing of the others. Where some rows of a text are damaged, each of
        // them is refused for itself.
        let encoding = match Encoding::of_text(path, &mut file()?) {
            Err(Error::Refused(_)) => Encoding::Utf8,
            found => found?,
        };
        let header = Header { file: path.to_owned(), names: vec![], complete: true };
        let reader = BufReader::with_capacity(1 << 20, AsUtf8::new(file()?, encoding));
        let mut rows = Self { reader, header, delimiter: b',', cells: Divided::by(b','), line: 0, consumed: 0 };
        let Some((line, text)) = rows.record()? else {
            return Err(Error::refused(Place::file(path), Problem::NoRows));
        };
        let text = text.map_err(|()| Error::refused(Place::file(path).at_line(line), Problem::NotUtf8))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let fits = |&delimiter: &u8| {
            let mut cells = Divided::by(delimiter);
            cells.divide(text);
            (0..cells.len()).any(|k| cells.get(k) == id)
        };
        rows.delimiter = b",;\t".iter().copied().find(fits).unwrap_or(b',');
        rows.cells = Divided::by(rows.delimiter);
        rows.cells.divide(text);
        rows.header.names = (0..rows.cells.len()).map(|k| rows.cells.get(k).to_owned()).collect();
        let mut known = HashSet::new();
        for (i, name) in rows.header.names.iter().enumerate() {
            if !known.insert(name) {
                let place = Place::file(path).at_line(line).in_column(i, name);
                return Err(Error::refused(place, Problem::DuplicateColumn { name: name.clone() }));
            }
        }
        Ok(rows)
    }

    /// The next record that is not blank, with its line; an error within for bytes that are not text.
    #[allow(clippy::type_complexity, reason = "a line and a text that may be none")]
    fn record(&mut self) -> Result<Option<(u64, std::result::Result<String, ()>)>> {
        let unreadable = |source| Error::Unreadable { file: self.header.file.clone(), source };
        loop {
            let (mut bytes, mut at, first) = (Vec::new(), At::FieldStart, self.line + 1);
            loop {
                let start = bytes.len();
                let read = self.reader.read_until(b'\n', &mut bytes).map_err(unreadable)?;
                if read == 0 {
                    break;
                }
                self.line += 1;
                self.consumed += read as u64;
                // Only quotes keep a record open, and few have any.
                if at != At::Quoted && !bytes[start..].contains(&b'"') {
                    break;
                }
                at = bytes[start..].iter().fold(at, |at, byte| at.behind(*byte, self.delimiter));
                if at != At::Quoted {
                    break;
                }
                if bytes.len() > LONGEST {
                    let reason = format!("the row has more than {LONGEST} bytes, so a quote may not be closed");
                    let place = Place::file(&self.header.file).at_line(first);
                    return Err(Error::unfit(place, reason, "close it, or write it twice (\"\")"));
                }
            }
            if bytes.is_empty() {
                return Ok(None);
            }
            while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                bytes.pop();
            }
            if !bytes.is_empty() {
                return Ok(Some((first, String::from_utf8(bytes).map_err(|_| ()))));
            }
        }
    }

    fn broken(&self, line: u64, item: Option<&str>, problem: Problem, row: &str) -> Bad {
        Bad { line, item: item.map(str::to_owned), column: None, problem, row: json!(row) }
    }
}

/// One record divided into its cells, as the csv crate divides it; the next record replaces it.
#[derive(Debug)]
struct Divided {
    reader: Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

impl Divided {
    fn by(delimiter: u8) -> Self {
        Self { reader: ReaderBuilder::new().delimiter(delimiter).build(), text: vec![], ends: vec![0; 64], count: 0 }
    }

    fn divide(&mut self, record: &str) {
        // What quotes leave out only makes it shorter.
        self.text.resize(record.len(), 0);
        self.reader.reset();
        self.count = 0;
        let (mut rest, mut written) = (record.as_bytes(), 0);
        loop {
            let (result, read, wrote, ended) =
                self.reader.read_record(rest, &mut self.text[written..], &mut self.ends[self.count..]);
            (rest, written, self.count) = (&rest[read..], written + wrote, self.count + ended);
            match result {
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::InputEmpty | ReadRecordResult::OutputFull => {}
                ReadRecordResult::Record | ReadRecordResult::End => break,
            }
        }
    }

    fn len(&self) -> usize {
        self.count
    }

    /// A cell, from 0.
    fn get(&self, k: usize) -> &str {
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        // The record is text, and so is what stands between two ASCII letters of it.
        let cell = std::str::from_utf8(&self.text[start..self.ends[k]]).unwrap_or_default();
        unescaped(cell).unwrap_or(cell)
    }
}

impl BatchReader for CsvRows {
    fn header(&self) -> &Header {
        &self.header
    }

    fn consumed(&self) -> u64 {
        self.consumed
    }

    fn next(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>> {
        let names = &self.header.names;
        let places: Vec<(String, usize)> = wanted
            .iter()
            .filter_map(|name| Some((name.clone(), names.iter().position(|known| known == name)?)))
            .collect();
        let expected = names.len();
        let mut cells: Vec<Vec<String>> = vec![Vec::with_capacity(most.min(1 << 16)); places.len()];
        let mut batch = Batch::new(&self.header.file);
        while batch.len() + batch.broken.len() < most {
            let Some((line, text)) = self.record()? else { break };
            let Ok(text) = text else {
                batch.broken.push(self.broken(line, None, Problem::NotUtf8, ""));
                continue;
            };
            self.cells.divide(&text);
            let found = self.cells.len();
            if found != expected {
                let problem = Problem::ColumnCount { found, expected, row: excerpt(&text) };
                batch.broken.push(self.broken(line, None, problem, &text));
                continue;
            }
            for ((_, place), column) in places.iter().zip(&mut cells) {
                column.push(self.cells.get(*place).to_owned());
            }
            batch.lines.push(line);
            batch.texts.push(text);
        }
        for ((name, _), column) in places.into_iter().zip(cells) {
            batch.put(name, BatchColumn::Text(column));
        }
        Ok(batch.if_any())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8], most: usize) -> Vec<Batch> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let mut rows = CsvRows::open(&path, "id").unwrap();
        let mut batches = vec![];
        while let Some(batch) = rows.next(&["id".to_owned(), "n".to_owned()], most).unwrap() {
            batches.push(batch);
        }
        assert_eq!(rows.consumed(), text.len() as u64);
        batches
    }

    /// Blank lines, CRLF, quoted cells of several lines, quotes within plain cells and a mark of the byte order: cells
    /// and lines as the reader of whole tables has them, whatever the size of a batch.
    #[test]
    fn rows_are_those_of_the_reader_of_whole_tables() {
        let text = "\u{feff}id,x,n\r\n\r\na,\"b,\r\n\"\"c\",1\r\nd,5\" wide,2\n\n\"e\",,\"3\"\n";
        let table = crate::table::DataTable::parse(Path::new("t.csv"), text.as_bytes(), "id").unwrap();
        let n = table.column("n").unwrap();
        let whole: Vec<(u64, String, String)> =
            table.rows().map(|row| (row.line(), row.id().to_owned(), row.cell(n).to_owned())).collect();
        for most in 1..4 {
            let rows: Vec<(u64, String, String)> = read(text.as_bytes(), most)
                .iter()
                .flat_map(|b| {
                    (0..b.len()).map(|i| (b.lines[i], b.text("id", i).into_owned(), b.text("n", i).into_owned()))
                })
                .collect();
            assert_eq!(rows, whole, "{most}");
        }
    }

    #[test]
    fn text_of_excel_on_windows_is_decoded() {
        let text = "id;x;n\r\ncafé;„ja“;1\r\nß;;2\r\n";
        let units: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        for bytes in [encoding_rs::WINDOWS_1252.encode(text).0.into_owned(), units] {
            std::fs::write(&path, bytes).unwrap();
            let batch = CsvRows::open(&path, "id").unwrap().next(&["id".into(), "x".into()], 10).unwrap().unwrap();
            let ids: Vec<_> = (0..2).map(|i| batch.text("id", i).into_owned()).collect();
            assert_eq!(
                (ids, batch.text("x", 0).into_owned()),
                (vec!["café".to_owned(), "ß".to_owned()], "„ja“".to_owned())
            );
        }
    }

    #[test]
    fn a_wide_row_has_all_its_cells() {
        let names: Vec<String> = (0..200).map(|k| format!("c{k}")).collect();
        let text = format!("id,{},n\na,{},7\n", names.join(","), ["\"x,\""; 200].join(","));
        assert_eq!(read(text.as_bytes(), 10)[0].number("n", 0).unwrap(), Some(7.0));
    }

    #[test]
    fn rows_that_are_none_are_set_apart_with_their_lines() {
        let batches = read(b"id;n\n\xc3\xa4;1\nb\n\xff;2\nc;3\n", 10);
        let broken: Vec<u64> = batches[0].broken.iter().map(|bad| bad.line).collect();
        assert_eq!((batches[0].lines.as_slice(), broken.as_slice()), (&[2, 5][..], &[3, 4][..]));
        assert_eq!(batches[0].number("n", 1).unwrap(), Some(3.0));
    }
}

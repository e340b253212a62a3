//! Text divided by commas, semicolons or tabs: its records, one after the other, and its rows, some at a time.

use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;

use csv_core::ReadRecordResult;

use super::{Batch, BatchReader, Header};
use crate::encoding::{AsUtf8, MARK, UTF_8, encoding_of_text, unmarked};
use crate::error::{Error, Place, Problem, Result, excerpt};
use crate::table::{NO_IDS, check_names, distinct, is_title};
use judge_uncertainty_system::formula::unescaped;
use judge_uncertainty_system::limits::NAMES;
use judge_uncertainty_system::read::InputFile;

/// A row longer than this is a quote that is never closed.
const LONGEST: usize = 16 << 20;
/// Rows among which the header is looked for.
const FIRST_ROWS: usize = 10;

/// Where the cells of the record end at the start of a text that ends with a line; whether nothing in it is quoted, as in most
/// nothing is.
fn plain_record(text: &[u8], delimiter: u8, ends: &mut Vec<usize>) -> bool {
    ends.clear();
    for (k, &byte) in text.iter().enumerate() {
        match byte {
            b'\n' | b'\r' => {
                ends.push(k);
                return true;
            }
            b'"' => return false,
            _ if byte == delimiter => ends.push(k),
            _ => {}
        }
    }
    ends.push(text.len());
    true
}

/// The records of a text, each divided into its cells; blank lines are none.
pub(crate) struct Records<R> {
    text: R,
    delimiter: u8,
    /// Divides records in which something is quoted (RFC 4180; a quote within a plain cell is a letter).
    quoted: csv_core::Reader,
    /// Lines that were read, and how much of them is divided.
    read: Vec<u8>,
    next: usize,
    /// Where the record stands in them, and whether nothing in it is quoted.
    record: Range<usize>,
    is_plain: bool,
    /// The letters of its cells, one after the other, unless it is plain.
    cells: Vec<u8>,
    /// Where each cell ends, in these or in the record.
    ends: Vec<usize>,
    /// Lines that end before the next byte.
    line: u64,
    consumed: u64,
}

impl<R: BufRead> Records<R> {
    pub(crate) fn new(text: R, delimiter: u8) -> Self {
        let quoted = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        let (read, cells, ends) = (vec![], vec![], vec![]);
        Self { text, delimiter, quoted, read, next: 0, record: 0..0, is_plain: true, cells, ends, line: 0, consumed: 0 }
    }

    /// Reads a further line; whether there was one.
    fn read_on(&mut self, file: &Path) -> Result<bool> {
        let read = self.text.read_until(b'\n', &mut self.read);
        let read = read.map_err(Error::unreadable(file))?;
        self.consumed += read as u64;
        Ok(read > 0)
    }

    /// Goes on to the next record; the line on which it begins.
    pub(crate) fn advance(&mut self, file: &Path) -> Result<Option<u64>> {
        while self.read.get(self.next).is_none_or(|byte| matches!(byte, b'\n' | b'\r')) {
            if self.next < self.read.len() {
                self.line += u64::from(self.read[self.next] == b'\n');
                self.next += 1;
                continue;
            }
            self.next = 0;
            self.read.clear();
            if !self.read_on(file)? {
                return Ok(None);
            }
        }
        let (line, start) = (self.line + 1, self.next);
        if plain_record(&self.read[start..], self.delimiter, &mut self.ends) {
            self.next += self.ends.last().unwrap_or(&0);
            (self.is_plain, self.record) = (true, start..self.next);
            return Ok(Some(line));
        }
        self.ends.clear();
        self.quoted.reset();
        let (mut written, mut ended, mut is_end) = (0, 0, false);
        loop {
            if self.next == self.read.len() && !is_end {
                if self.next - start > LONGEST {
                    let reason = format!("the row has more than {LONGEST} bytes, so a quote may not be closed");
                    let place = Place::file(file).at_line(line);
                    return Err(Error::unfit(place, reason, "close it, or write it twice (\"\")"));
                }
                is_end = !self.read_on(file)?;
            }
            self.cells.resize(self.read.len() - start, 0);
            let (input, cells) = (&self.read[self.next..], &mut self.cells[written..]);
            // Without any input, the record ends.
            let (result, read, more, cells) = self.quoted.read_record(input, cells, &mut self.ends[ended..]);
            self.line += input[..read].iter().filter(|byte| **byte == b'\n').count() as u64;
            (self.next, written, ended) = (self.next + read, written + more, ended + cells);
            match result {
                ReadRecordResult::Record | ReadRecordResult::End => break,
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * ended + 16, 0),
                ReadRecordResult::InputEmpty | ReadRecordResult::OutputFull => {}
            }
        }
        self.ends.truncate(ended);
        let text = &self.read[start..self.next];
        let behind = text.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        (self.is_plain, self.record) = (false, start..self.next - behind);
        Ok(Some(line))
    }

    /// The text of the record; `None` if it is not text.
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.read[self.record.clone()]).ok()
    }

    /// Its cells, without the apostrophe that keeps some from being taken for a formula; `None` if it is not text.
    pub(crate) fn cells(&self) -> Option<impl ExactSizeIterator<Item = &str> + Clone> {
        // Where the record is text, each cell is: what divides them is.
        let text = self.text()?;
        let cells = if self.is_plain { text } else { std::str::from_utf8(&self.cells[..*self.ends.last()?]).ok()? };
        let divided_by = usize::from(self.is_plain);
        let cell = move |k: usize| {
            let cell = &cells[k.checked_sub(1).map_or(0, |before| self.ends[before] + divided_by)..self.ends[k]];
            unescaped(cell).unwrap_or(cell)
        };
        Some((0..self.ends.len()).map(cell))
    }
}

/// The comma, unless only semicolons or only tabs make a header that has one of the `ids`; without ids, what makes most
/// of the first rows equally long.
pub(crate) fn delimiter(start: &[u8], ids: &[&str]) -> u8 {
    // As spreadsheets are told it.
    if let Some([mark, ..]) = start.strip_prefix(b"sep=") {
        return *mark;
    }
    if ids == [NO_IDS] {
        return b"\t;,".iter().copied().max_by_key(|delimiter| alike(start, *delimiter)).unwrap_or(b',');
    }
    let fits = |delimiter: &u8| first_records(start, *delimiter, 1).concat().iter().any(|name| ids.contains(&&**name));
    b",;\t".iter().copied().find(fits).unwrap_or(b',')
}

/// The cells of the first records, up to one that can't be read, which is refused where the rows are.
pub(crate) fn first_records(start: &[u8], delimiter: u8, most: usize) -> Vec<Vec<String>> {
    let mut records = Records::new(unmarked(start), delimiter);
    let next = |_| {
        records.advance(Path::new("")).ok()??;
        Some(records.cells()?.map(str::to_owned).collect())
    };
    (0..most).map_while(next).collect()
}

/// How many of the first rows have as many cells as each other, and how many these are: two or more.
fn alike(start: &[u8], delimiter: u8) -> (usize, usize) {
    let lengths: Vec<usize> = first_records(start, delimiter, FIRST_ROWS).iter().map(Vec::len).collect();
    let rows = |length: usize| lengths.iter().filter(|other| **other == length).count();
    lengths.iter().filter(|length| **length > 1).map(|length| (rows(*length), *length)).max().unwrap_or_default()
}

/// Cells of the longest of the first rows.
fn longest(start: &[u8], delimiter: u8) -> usize {
    first_records(start, delimiter, FIRST_ROWS).iter().map(Vec::len).max().unwrap_or(0)
}

/// The rows of a table below its header.
pub(crate) struct CsvRows<R> {
    pub(crate) records: Records<R>,
    pub(crate) header: Header,
    /// The line of the header.
    pub(crate) header_line: u64,
}

impl CsvRows<BufReader<AsUtf8<BufReader<InputFile>>>> {
    /// Opens a file; `id` is the column with the ids, by which the delimiter is known.
    pub(super) fn open(path: &Path, id: &str) -> Result<Self> {
        let file = || {
            let file = InputFile::open(path).map_err(Error::unreadable(path))?;
            Ok(BufReader::with_capacity(1 << 16, file))
        };
        // A first time to its end: one row in UTF-8 says nothing of the others. Where some rows of a text are damaged, each of
        // them is refused for itself.
        let encoding = match encoding_of_text(path, &mut file()?) {
            Err(Error::Refused(_)) => UTF_8,
            found => found?,
        };
        Self::new(path, BufReader::with_capacity(1 << 20, AsUtf8::new(file()?, encoding)), id)
    }
}

impl<R: BufRead> CsvRows<R> {
    /// Reads the header of a text in UTF-8. Without ids ([`NO_IDS`]) there may be a title above it, and columns of one name.
    pub(crate) fn new(file: &Path, mut text: R, id: &str) -> Result<Self> {
        let unreadable = Error::unreadable(file);
        if text.fill_buf().map_err(&unreadable)?.starts_with(MARK) {
            text.consume(MARK.len());
        }
        let (start, loosely) = (text.fill_buf().map_err(&unreadable)?, id == NO_IDS);
        let delimiter = delimiter(start, &[id]);
        // Reports have a title above the header.
        let may_have_title = loosely && longest(start, delimiter) > 1;
        let mut records = Records::new(text, delimiter);
        let (header_line, names) = loop {
            let Some(line) = records.advance(file)? else {
                return Err(Error::refused(Place::file(file), Problem::NoRows));
            };
            let place = || Place::file(file).at_line(line);
            let cells = records.cells().ok_or_else(|| Error::refused(place(), Problem::NotUtf8))?;
            if may_have_title && is_title(cells.clone()) {
                continue;
            }
            let names: Vec<String> = cells.map(str::to_owned).collect();
            if !loosely {
                break (line, names);
            }
            // A name that stands there again becomes longer.
            let length = |names: &[String]| names.iter().map(|name| name.len() as u64).sum();
            let (before, names) = (length(&names), distinct(names));
            NAMES.for_file(before).check(length(&names)).map_err(Error::too_much(place()))?;
            break (line, names);
        };
        check_names(file, Some(header_line), &names)?;
        Ok(Self { records, header: Header { file: file.to_owned(), names, complete: true }, header_line })
    }
}

impl<R: BufRead> BatchReader for CsvRows<R> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn consumed(&self) -> u64 {
        self.records.consumed
    }

    fn next(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>> {
        let Header { file, names, .. } = &self.header;
        let place = |name: &&String| names.iter().position(|known| known == *name);
        let (columns, places): (Vec<String>, Vec<usize>) =
            wanted.iter().filter_map(|name| Some((name.clone(), place(&name)?))).unzip();
        let mut batch = Batch::new(file, columns);
        while batch.len() + batch.broken.len() < most {
            let Some(line) = self.records.advance(file)? else { break };
            let text = self.records.text().unwrap_or_default();
            let Some(cells) = self.records.cells().map(Iterator::collect::<Vec<&str>>) else {
                batch.push_broken(line, Problem::NotUtf8, text);
                continue;
            };
            let (found, expected) = (cells.len(), names.len());
            match found == expected {
                true => batch.push(line, places.iter().map(|&place| cells[place]), Some(text)),
                false => batch.push_broken(line, Problem::ColumnCount { found, expected, row: excerpt(text) }, text),
            }
        }
        Ok(batch.if_any())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

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
        // But for the mark of the byte order.
        assert_eq!(rows.consumed(), text.strip_prefix(MARK).unwrap_or(text).len() as u64);
        batches
    }

    proptest! {
        /// Whatever the ends of lines, quotes and blank lines, cells are those of another reader, and rows of a stream those
        /// of whole tables, whatever the size of a batch.
        #[test]
        fn cells_are_those_of_the_csv_crate(
            text in vec(select(vec!["a", ",", ";", "\"", "\n", "\r\n", "\r", "\u{e4}", " ", ",1\n", "\"\""]), 0..40),
            most in 1_usize..4,
        ) {
            let text = format!("id,n\n{}", text.concat());
            let mut records = Records::new(text.as_bytes(), b',');
            let mut found = vec![];
            while records.advance(Path::new("t.csv")).unwrap().is_some() {
                found.push(records.cells().unwrap().map(str::to_owned).collect::<Vec<_>>());
            }
            let mut other = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            let expected: Vec<Vec<String>> = other.deserialize().collect::<std::result::Result<_, _>>().unwrap();
            prop_assert_eq!(&found, &expected);
            let whole = expected.into_iter().skip(1).filter(|row| row.len() == 2);
            let of_batch = |b: &Batch| -> Vec<Vec<String>> {
                b.table.rows().map(|row| row.cells().map(str::to_owned).collect()).collect()
            };
            prop_assert_eq!(read(text.as_bytes(), most).iter().flat_map(of_batch).collect::<Vec<_>>(), whole.collect::<Vec<_>>());
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
            let cells: Vec<_> = batch.table.rows().flat_map(|row| row.cells()).collect();
            assert_eq!(cells, ["café", "„ja“", "ß", ""]);
        }
    }

    #[test]
    fn a_wide_row_has_all_its_cells() {
        let names: Vec<String> = (0..200).map(|k| format!("c{k}")).collect();
        let text = format!("id,{},n\na,{},7\n", names.join(","), ["\"x,\""; 200].join(","));
        let batches = read(text.as_bytes(), 10);
        assert_eq!(batches[0].table.rows().flat_map(|row| row.cells()).collect::<Vec<_>>(), ["a", "7"]);
    }

    #[test]
    fn rows_that_are_none_are_set_apart_with_their_lines() {
        let batches = read(b"id;n\n\xc3\xa4;1\nb\n\xff;2\nc;3\n", 10);
        let broken: Vec<u64> = batches[0].broken.iter().map(|bad| bad.line).collect();
        let rows: Vec<(u64, &str)> = batches[0].table.rows().map(|row| (row.line(), row.id())).collect();
        assert_eq!((rows, broken), (vec![(2, "ä"), (5, "c")], vec![3, 4]));
    }
}

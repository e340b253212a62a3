//! The layout of the log.
//!
//! ```text
//! id,annotator,label,given,added,source,source_sha256
//! #batch 1: 2 labels sha256 5d41...
//! r01,zoe,mixed,,2026-11-22T04:00:00Z,new.csv,9b74...
//! r02,zoe,negative,,2026-11-22T04:00:00Z,new.csv,9b74...
//! #remove batch 1 at 2026-11-22T05:00:00Z sha256 7c21...
//! ```
//!
//! The sum of a batch is that of its number and cells, not of its bytes, so that other line ends or quotes do no harm.
//! A batch that ends with the file before all its labels are there was cut off while it was written: nobody was told
//! that it was added, so it counts as absent. Anything else that does not fit its sum was edited, and is refused. Rows
//! before the first `#batch` are those of logs that were written before batches had sums.

use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};
use sha2::{Digest, Sha256};

use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_system::csv_text;

/// Names of the columns, in order.
pub(super) const COLUMNS: [&str; 7] = ["id", "annotator", "label", "given", "added", "source", "source_sha256"];
/// Digits of a SHA-256 sum.
const SUM: usize = 64;

/// The cells of a label.
pub(super) type Cells = [String; COLUMNS.len()];

/// A label with its line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub line: u64,
    pub cells: Cells,
}

/// Labels that were added together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Labels {
    pub number: u64,
    pub rows: Vec<Row>,
    /// When it was removed.
    pub removed: Option<String>,
}

/// What a log holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parsed {
    pub batches: Vec<Labels>,
    /// Bytes of what is whole.
    pub whole: usize,
    /// What was cut off behind them: line and words.
    pub torn: Option<String>,
}

/// A line of the file.
struct Record {
    start: usize,
    line: u64,
    cells: ByteRecord,
}

impl Record {
    /// Whether all of a label is there: its last cell is a sum, so that no shorter text is one too.
    fn is_label(&self) -> bool {
        self.cells.len() == COLUMNS.len() && is_sum(&self.cells[COLUMNS.len() - 1])
    }

    /// The text of a line that is no label; a spreadsheet may have filled it up with blank cells.
    fn mark(&self) -> Option<&str> {
        let alone = self.cells.iter().skip(1).all(<[u8]>::is_empty);
        let text = std::str::from_utf8(self.cells.get(0).unwrap_or_default()).ok()?;
        (alone && text.starts_with('#')).then_some(text)
    }

    fn cells(&self, file: &Path) -> Result<Cells> {
        let mut cells = Cells::default();
        for (cell, bytes) in cells.iter_mut().zip(&self.cells) {
            let text = std::str::from_utf8(bytes);
            *cell = text.map_err(|_| Error::refused(self.place(file), Problem::NotUtf8))?.to_owned();
        }
        Ok(cells)
    }

    fn place(&self, file: &Path) -> Place {
        Place::file(file).at_line(self.line)
    }
}

/// Reads a log.
///
/// # Errors
/// A file that this program did not write, or that was edited since.
pub(super) fn parse(file: &Path, bytes: &[u8]) -> Result<Parsed> {
    let records = records(file, bytes)?;
    let Some((header, rest)) = records.split_first() else { return Ok(Parsed::default()) };
    if header.cells != *COLUMNS.as_slice() {
        if rest.is_empty() && COLUMNS.join(",").as_bytes().starts_with(bytes) {
            let torn = Some("1: the program was stopped while it wrote the first batch".to_owned());
            return Ok(Parsed { torn, ..Parsed::default() });
        }
        let reason = "this is not a log of added labels".to_owned();
        let remedy = format!("move the file away; a log begins with the line {:?}", COLUMNS.join(","));
        return Err(Error::refused(header.place(file), Problem::Unfit { reason, remedy }));
    }
    let mut reader = Reader { file, parsed: Parsed { whole: bytes.len(), ..Parsed::default() }, rest };
    reader.without_sums()?;
    while let Some(record) = reader.rest.first() {
        reader.marked(record)?;
    }
    Ok(reader.parsed)
}

fn records(file: &Path, bytes: &[u8]) -> Result<Vec<Record>> {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
    let (mut records, mut cells, mut line, mut counted) = (vec![], ByteRecord::new(), 1, 0);
    while reader
        .read_byte_record(&mut cells)
        .map_err(|error| Error::Unreadable { file: file.to_owned(), source: error.into() })?
    {
        let from = cells.position().map_or(0, csv::Position::byte) as usize;
        // The reader takes line ends before a record as part of it.
        let start = from + bytes[from..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        line += bytes[counted..start].iter().filter(|byte| **byte == b'\n').count() as u64;
        counted = start;
        records.push(Record { start, line, cells: std::mem::take(&mut cells) });
    }
    Ok(records)
}

struct Reader<'a> {
    file: &'a Path,
    parsed: Parsed,
    rest: &'a [Record],
}

impl<'a> Reader<'a> {
    /// Rows of a log from before batches had sums: those of one time and file belong together.
    fn without_sums(&mut self) -> Result<()> {
        while let Some((record, rest)) = self.rest.split_first() {
            if record.mark().is_some() {
                return Ok(());
            }
            if !record.is_label() {
                return Err(self.cut_without_sum(record));
            }
            let row = self.row(record)?;
            let same = |b: &&mut Labels| {
                b.rows.last().is_some_and(|last| (&last.cells[4], &last.cells[6]) == (&row.cells[4], &row.cells[6]))
            };
            match self.parsed.batches.last_mut().filter(same) {
                Some(batch) => batch.rows.push(row),
                None => {
                    let number = self.parsed.batches.len() as u64 + 1;
                    self.parsed.batches.push(Labels { number, rows: vec![row], removed: None });
                }
            }
            self.rest = rest;
        }
        Ok(())
    }

    fn cut_without_sum(&self, record: &Record) -> Error {
        let reason = match self.parsed.batches.last().and_then(|batch| batch.rows.first()) {
            Some(first) => format!(
                "the row is not a whole label, so that the labels added at {} from {:?}, from line {} on, may not all \
                 be there",
                first.cells[4], first.cells[5], first.line
            ),
            None => "the row is not a whole label".to_owned(),
        };
        let remedy = "remove the rows of that batch, this one too, and add its file again".to_owned();
        Error::refused(record.place(self.file), Problem::Unfit { reason, remedy })
    }

    fn row(&self, record: &Record) -> Result<Row> {
        let cells = record.cells(self.file)?;
        let place = record.place(self.file).of_item(&cells[0]);
        for (i, name) in COLUMNS.iter().enumerate().filter(|(_, name)| **name != "given") {
            if cells[i].is_empty() {
                return Err(Error::refused(place.in_column(i, name), Problem::Blank));
            }
        }
        Ok(Row { line: record.line, cells })
    }

    /// A batch, a removal, or what was cut off at the end of the file.
    fn marked(&mut self, record: &'a Record) -> Result<()> {
        let last = self.rest.len() == 1;
        let Some(mark) = record.mark().and_then(Mark::parse) else {
            let begun = std::str::from_utf8(record.cells.get(0).unwrap_or_default())
                .is_ok_and(|text| ["#batch ", "#remove "].iter().any(|m| text.starts_with(m) || m.starts_with(text)));
            if last && begun && record.cells.len() == 1 {
                self.cut(record, "the program was stopped while it wrote the last batch or removal".to_owned());
                return Ok(());
            }
            return Err(self.damaged(record, "the line belongs to no batch".to_owned()));
        };
        match mark {
            Mark::Batch { number, labels, sum } => self.batch(record, number, labels, sum),
            Mark::Remove { number, time, sum } => self.removal(record, number, time, sum),
        }
    }

    fn batch(&mut self, record: &'a Record, number: u64, labels: usize, sum: &str) -> Result<()> {
        let found = &self.rest[1..];
        let rows: Vec<&Record> = found.iter().take(labels).take_while(|row| row.is_label()).collect();
        if rows.len() < labels {
            // Only the end of the file may be missing: the one record behind the whole ones is a part of a label.
            if found.len() > rows.len() + 1
                || found.get(rows.len()).is_some_and(|row| row.mark().and_then(Mark::parse).is_some())
            {
                let reason = format!("batch {number} should have {labels} labels, but {} follow", rows.len());
                return Err(self.damaged(record, reason));
            }
            let text = format!(
                "batch {number} is incomplete ({} of {labels} labels): the program was stopped while it wrote it",
                rows.len()
            );
            self.cut(record, text);
            return Ok(());
        }
        let rows: Vec<Row> = rows.into_iter().map(|row| self.row(row)).collect::<Result<_>>()?;
        if batch_sum(number, rows.iter().map(|row| &row.cells)) != sum {
            return Err(self.damaged(record, format!("the rows of batch {number} are not those that were written")));
        }
        if self.parsed.batches.last().is_some_and(|before| before.number >= number) {
            return Err(self.damaged(record, format!("batch {number} appears twice or in another order")));
        }
        self.parsed.batches.push(Labels { number, rows, removed: None });
        self.rest = &self.rest[1 + labels..];
        Ok(())
    }

    fn removal(&mut self, record: &Record, number: u64, time: &str, sum: &str) -> Result<()> {
        if removal_sum(number, time) != sum {
            return Err(self.damaged(record, "the line is not as it was written".to_owned()));
        }
        let batch = self.parsed.batches.iter_mut().find(|batch| batch.number == number && batch.removed.is_none());
        match batch {
            Some(batch) => batch.removed = Some(time.to_owned()),
            None => return Err(self.damaged(record, format!("there is no batch {number} to be removed"))),
        }
        self.rest = &self.rest[1..];
        Ok(())
    }

    fn cut(&mut self, record: &Record, text: String) {
        self.parsed.whole = record.start;
        self.parsed.torn = Some(format!("{}: {text}", record.line));
        self.rest = &[];
    }

    fn damaged(&self, record: &Record, reason: String) -> Error {
        let remedy =
            "restore the log from a copy; or remove the batch, from its #batch line to its last row, and add its \
                      file again"
                .to_owned();
        Error::refused(record.place(self.file), Problem::Unfit { reason, remedy })
    }
}

/// A line that is no label.
enum Mark<'t> {
    Batch { number: u64, labels: usize, sum: &'t str },
    Remove { number: u64, time: &'t str, sum: &'t str },
}

impl<'t> Mark<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let (text, sum) = text.split_once(" sha256 ")?;
        if !is_sum(sum.as_bytes()) {
            return None;
        }
        if let Some(rest) = text.strip_prefix("#batch ") {
            let (number, labels) = rest.strip_suffix(" labels")?.split_once(": ")?;
            return Some(Self::Batch { number: number.parse().ok()?, labels: labels.parse().ok()?, sum });
        }
        let (number, time) = text.strip_prefix("#remove batch ")?.split_once(" at ")?;
        Some(Self::Remove { number: number.parse().ok()?, time, sum })
    }
}

fn is_sum(bytes: &[u8]) -> bool {
    bytes.len() == SUM && bytes.iter().all(u8::is_ascii_hexdigit)
}

fn batch_sum<'c>(number: u64, rows: impl Iterator<Item = &'c Cells>) -> String {
    let mut sum = Sha256::new();
    sum.update(number.to_le_bytes());
    for cell in rows.flatten() {
        // With its length before it, no cell runs into the next. Line ends within cells change with those of the file.
        let cell = cell.replace("\r\n", "\n");
        sum.update((cell.len() as u64).to_le_bytes());
        sum.update(cell);
    }
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn removal_sum(number: u64, time: &str) -> String {
    sha256_hex(format!("remove batch {number} at {time}").as_bytes())
}

/// The first line of a log.
pub(super) fn header() -> Vec<u8> {
    csv_text([COLUMNS.map(str::to_owned).to_vec()])
}

/// A batch as it is written.
pub(super) fn batch_text(number: u64, rows: &[Cells]) -> Vec<u8> {
    let sum = batch_sum(number, rows.iter());
    let mut text = format!("#batch {number}: {} labels sha256 {sum}\n", rows.len()).into_bytes();
    text.extend(csv_text(rows.iter().map(|cells| cells.to_vec())));
    text
}

/// A removal as it is written.
pub(super) fn removal_text(number: u64, time: &str) -> Vec<u8> {
    format!("#remove batch {number} at {time} sha256 {}\n", removal_sum(number, time)).into_bytes()
}

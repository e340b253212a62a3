//! The layout of the log.
//!
//! ```text
//! id,annotator,label,given,added,source,source_sha256,sum
//! #batch 1: 2 labels chain 5d41...
//! r01,zoe,mixed,,2026-11-22T04:00:00Z,new.csv,9b74...,03c6...
//! r02,zoe,negative,,2026-11-22T04:00:00Z,new.csv,9b74...,a11f...
//! #remove batch 1 at 2026-11-22T05:00:00Z chain 7c21...
//! ```
//!
//! Every line has a sum, and the sums are chained: each is the SHA-256 of the sum before it and of the cells of its
//! line (`link`). So a line that was edited, removed, doubled or moved does not fit the line above it, and the log is
//! refused. A batch whose lines all fit as far as they go, but which ends with the file, was cut off: the program was
//! stopped while it wrote, or lines are missing at the very end. It does not count, every command says so, and the next
//! write moves it to a file of its own. Sums are of cells and not of bytes, so that other line ends or quotes do no
//! harm.
//!
//! Older logs are read as well. Their batches have one sum (`#batch 1: 2 labels sha256 5d41...`), and rows before the
//! first `#batch` have none.

use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};
use sha2::{Digest, Sha256};

use judge_uncertainty_formats::checksum::{hex, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_system::csv_text;

/// Names of the columns, in order; in a chained row a further column holds the [sum](link).
pub(super) const COLUMNS: [&str; 7] = ["id", "annotator", "label", "given", "added", "source", "source_sha256"];
/// Digits of a SHA-256 sum.
const SUM: usize = 64;

/// The cells of a label.
pub(super) type LogCells = [String; COLUMNS.len()];

/// A label with its line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LogRow {
    pub line: u64,
    pub cells: LogCells,
}

/// Labels that were added together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LogBatch {
    pub number: u64,
    pub rows: Vec<LogRow>,
    /// When it was removed.
    pub removed: Option<String>,
}

/// What a log holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parsed {
    pub batches: Vec<LogBatch>,
    /// Bytes of what is whole.
    pub whole: usize,
    /// What was cut off behind them: line and words.
    pub torn: Option<String>,
    /// The last sum, to which the next line is chained; empty before the first.
    pub chain: String,
}

/// A line of the file.
pub(super) struct LogLine {
    start: usize,
    line: u64,
    cells: ByteRecord,
}

impl LogLine {
    /// Whether all of a label is there, without a sum of its own or with one: its last cell is a sum, so that no
    /// shorter text is one too.
    pub(super) fn is_label(&self, chained: bool) -> bool {
        self.cells.len() == COLUMNS.len() + usize::from(chained)
            && self.cells.iter().skip(COLUMNS.len() - 1).all(is_sum)
    }

    /// The text of a line that is no label; a spreadsheet may have filled it up with blank cells.
    pub(super) fn mark(&self) -> Option<&str> {
        let alone = self.cells.iter().skip(1).all(<[u8]>::is_empty);
        let text = std::str::from_utf8(self.cells.get(0).unwrap_or_default()).ok()?;
        (alone && text.starts_with('#')).then_some(text)
    }

    /// The sum that a chained row states; nothing of any other.
    pub(super) fn sum(&self) -> String {
        String::from_utf8_lossy(self.cells.get(COLUMNS.len()).unwrap_or_default()).into_owned()
    }

    pub(super) fn cells(&self, file: &Path) -> Result<LogCells> {
        let mut cells = LogCells::default();
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
    let Some((_, rest)) = records.split_first() else { return Ok(Parsed::default()) };
    let new = self::header();
    if rest.is_empty() && bytes.len() + 1 < new.len() && new.starts_with(bytes) {
        let torn = Some("1: the program was stopped while it wrote the first batch".to_owned());
        return Ok(Parsed { torn, ..Parsed::default() });
    }
    behind_header(file, &records)?;
    let parsed = Parsed { whole: bytes.len(), ..Parsed::default() };
    let mut reader = LogReader { file, parsed, rest };
    reader.without_sums()?;
    while let Some(record) = reader.rest.first() {
        reader.marked(record)?;
    }
    Ok(reader.parsed)
}

/// The lines below the header.
///
/// # Errors
/// The header is not that of a log.
pub(super) fn behind_header<'r>(file: &Path, records: &'r [LogLine]) -> Result<&'r [LogLine]> {
    let Some((header, rest)) = records.split_first() else { return Ok(&[]) };
    let columns: Vec<&[u8]> = header.cells.iter().collect();
    if !columns.starts_with(&COLUMNS.map(str::as_bytes)) || columns[COLUMNS.len()..].iter().any(|name| *name != b"sum")
    {
        let remedy = format!("move the file away; a log begins with the line {:?}", COLUMNS.join(","));
        return Err(Error::unfit(header.place(file), "this is not a log of added labels", remedy));
    }
    Ok(rest)
}

/// The lines of a file that are not blank.
///
/// # Errors
/// It can't be read as a table.
pub(super) fn records(file: &Path, bytes: &[u8]) -> Result<Vec<LogLine>> {
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
        records.push(LogLine { start, line, cells: std::mem::take(&mut cells) });
    }
    Ok(records)
}

struct LogReader<'a> {
    file: &'a Path,
    parsed: Parsed,
    rest: &'a [LogLine],
}

impl<'a> LogReader<'a> {
    /// Rows of a log from before batches had sums: those of one time and file belong together.
    fn without_sums(&mut self) -> Result<()> {
        while let Some((record, rest)) = self.rest.split_first() {
            if record.mark().is_some() {
                return Ok(());
            }
            if !record.is_label(false) {
                return Err(self.cut_without_sum(record));
            }
            let row = self.row(record)?;
            self.parsed.chain = link(&self.parsed.chain, row.cells.iter().map(String::as_str));
            let same = |b: &&mut LogBatch| {
                b.rows.last().is_some_and(|last| (&last.cells[4], &last.cells[6]) == (&row.cells[4], &row.cells[6]))
            };
            match self.parsed.batches.last_mut().filter(same) {
                Some(batch) => batch.rows.push(row),
                None => {
                    let number = self.parsed.batches.len() as u64 + 1;
                    self.parsed.batches.push(LogBatch { number, rows: vec![row], removed: None });
                }
            }
            self.rest = rest;
        }
        Ok(())
    }

    fn cut_without_sum(&self, record: &LogLine) -> Error {
        let reason = match self.parsed.batches.last().and_then(|batch| batch.rows.first()) {
            Some(first) => format!(
                "the row is not a whole label, so that the labels added at {} from {:?}, from line {} on, may not all \
                 be there",
                first.cells[4], first.cells[5], first.line
            ),
            None => "the row is not a whole label".to_owned(),
        };
        Error::unfit(
            record.place(self.file),
            reason,
            "remove the rows of that batch, this one too, and add its file again",
        )
    }

    fn row(&self, record: &LogLine) -> Result<LogRow> {
        let cells = record.cells(self.file)?;
        let place = record.place(self.file).of_item(&cells[0]);
        for (i, name) in COLUMNS.iter().enumerate().filter(|(_, name)| **name != "given") {
            if cells[i].is_empty() {
                return Err(Error::refused(place.in_column(i, name), Problem::Blank));
            }
        }
        Ok(LogRow { line: record.line, cells })
    }

    /// A batch, a removal, or what was cut off at the end of the file.
    fn marked(&mut self, record: &'a LogLine) -> Result<()> {
        let last = self.rest.len() == 1;
        let Some(mark) = record.mark().and_then(LogMark::parse) else {
            let begun = std::str::from_utf8(record.cells.get(0).unwrap_or_default())
                .is_ok_and(|text| ["#batch ", "#remove "].iter().any(|m| text.starts_with(m) || m.starts_with(text)));
            if last && begun && record.cells.len() == 1 {
                self.cut(record, "the program was stopped while it wrote the last batch or removal".to_owned());
                return Ok(());
            }
            return Err(self.damaged(record, "the line belongs to no batch".to_owned()));
        };
        match mark {
            LogMark::Batch { number, labels, sum, chained: false } => self.batch(record, number, labels, sum),
            LogMark::Batch { number, labels, sum, chained: true } => self.chained_batch(record, number, labels, sum),
            LogMark::Remove { number, time, sum, chained } => self.removal(record, (number, time, sum), chained),
        }
    }

    /// A batch each of whose rows has a sum.
    fn chained_batch(&mut self, record: &'a LogLine, number: u64, labels: usize, sum: &str) -> Result<()> {
        const MOVED: &str = "a line was edited, removed, doubled or moved here";
        let mut chain = link(&self.parsed.chain, [format!("batch {number}: {labels} labels").as_str()]);
        if chain != sum {
            return Err(self.damaged(record, format!("the line does not fit those above it: {MOVED}")));
        }
        let mut rows = vec![];
        for k in 0..labels {
            let found = self.rest.get(1 + k);
            // What is left of a row at the end of the file.
            let begun = |row: &LogLine| {
                k + 2 == self.rest.len()
                    && row.cells.len() <= COLUMNS.len() + 1
                    && row.mark().is_none_or(|m| LogMark::parse(m).is_none())
            };
            match found {
                Some(found) if found.is_label(true) => {
                    let row = self.row(found)?;
                    chain = link(&chain, row.cells.iter().map(String::as_str));
                    if chain.as_bytes() != &found.cells[COLUMNS.len()] {
                        return Err(self.damaged(found, format!("the row does not fit those above it: {MOVED}")));
                    }
                    rows.push(row);
                }
                Some(found) if !begun(found) => {
                    let reason = format!("batch {number} should have {labels} labels, but {k} follow: {MOVED}");
                    return Err(self.damaged(found, reason));
                }
                _ => {
                    let why = "the program was stopped while it wrote it, or lines were removed at the end of the file";
                    self.cut(record, format!("batch {number} is incomplete ({k} of {labels} labels): {why}"));
                    return Ok(());
                }
            }
        }
        self.push(record, LogBatch { number, rows, removed: None })?;
        self.parsed.chain = chain;
        Ok(())
    }

    fn push(&mut self, record: &LogLine, labels: LogBatch) -> Result<()> {
        if self.parsed.batches.last().is_some_and(|before| before.number >= labels.number) {
            let reason = format!("batch {} appears twice or in another order", labels.number);
            return Err(self.damaged(record, reason));
        }
        self.rest = &self.rest[1 + labels.rows.len()..];
        self.parsed.batches.push(labels);
        Ok(())
    }

    /// A batch of an older log, which has one sum.
    fn batch(&mut self, record: &'a LogLine, number: u64, labels: usize, sum: &str) -> Result<()> {
        let found = &self.rest[1..];
        let rows: Vec<&LogLine> = found.iter().take(labels).take_while(|row| row.is_label(false)).collect();
        if rows.len() < labels {
            // A part of a label, the last record of the file, shows that it was cut off. Where whole labels alone are
            // left, nothing tells a cut end from labels that were removed.
            let part = found.get(rows.len()).filter(|row| row.mark().and_then(LogMark::parse).is_none());
            if found.len() > rows.len() + 1
                || part.is_none() && !rows.is_empty()
                || found.len() > rows.len() && part.is_none()
            {
                let reason = format!("batch {number} should have {labels} labels, but {} follow", rows.len());
                return Err(self.damaged(record, reason));
            }
            let follow = rows.len();
            let why = "the program was stopped while it wrote it";
            self.cut(record, format!("batch {number} is incomplete ({follow} of {labels} labels): {why}"));
            return Ok(());
        }
        let rows: Vec<LogRow> = rows.into_iter().map(|row| self.row(row)).collect::<Result<_>>()?;
        if batch_sum(number, rows.iter().map(|row| &row.cells)) != sum {
            return Err(self.damaged(record, format!("the rows of batch {number} are not those that were written")));
        }
        self.push(record, LogBatch { number, rows, removed: None })?;
        self.parsed.chain = sum.to_owned();
        Ok(())
    }

    fn removal(&mut self, record: &LogLine, (number, time, sum): (u64, &str, &str), chained: bool) -> Result<()> {
        let text = format!("remove batch {number} at {time}");
        let expected = if chained { link(&self.parsed.chain, [text.as_str()]) } else { sha256_hex(text.as_bytes()) };
        if expected != sum {
            return Err(self.damaged(record, "the line is not as it was written, or does not fit those above it"));
        }
        let batch = self.parsed.batches.iter_mut().find(|batch| batch.number == number && batch.removed.is_none());
        match batch {
            Some(batch) => batch.removed = Some(time.to_owned()),
            None => return Err(self.damaged(record, format!("there is no batch {number} to be removed"))),
        }
        self.parsed.chain = expected;
        self.rest = &self.rest[1..];
        Ok(())
    }

    fn cut(&mut self, record: &LogLine, text: String) {
        self.parsed.whole = record.start;
        self.parsed.torn = Some(format!("{}: {text}", record.line));
        self.rest = &[];
    }

    fn damaged(&self, record: &LogLine, reason: impl Into<String>) -> Error {
        let remedy =
            "nothing was changed: restore the log from a copy, or keep what is whole of it with `study labels recover`";
        Error::unfit(record.place(self.file), reason, remedy)
    }
}

/// A line that is no label.
pub(super) enum LogMark<'t> {
    Batch { number: u64, labels: usize, sum: &'t str, chained: bool },
    Remove { number: u64, time: &'t str, sum: &'t str, chained: bool },
}

impl<'t> LogMark<'t> {
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let chained = text.contains(" chain ");
        let (text, sum) = text.split_once(if chained { " chain " } else { " sha256 " })?;
        if !is_sum(sum.as_bytes()) {
            return None;
        }
        if let Some(rest) = text.strip_prefix("#batch ") {
            let (number, labels) = rest.strip_suffix(" labels")?.split_once(": ")?;
            return Some(Self::Batch { number: number.parse().ok()?, labels: labels.parse().ok()?, sum, chained });
        }
        let (number, time) = text.strip_prefix("#remove batch ")?.split_once(" at ")?;
        Some(Self::Remove { number: number.parse().ok()?, time, sum, chained })
    }
}

fn is_sum(bytes: &[u8]) -> bool {
    bytes.len() == SUM && bytes.iter().all(u8::is_ascii_hexdigit)
}

/// The sum of a line: the SHA-256 of the sum before it and of the line's cells.
pub(super) fn link<'c>(before: &'c str, cells: impl IntoIterator<Item = &'c str>) -> String {
    sum_of(Sha256::new(), std::iter::once(before).chain(cells))
}

/// The sum of a batch of an older log.
pub(super) fn batch_sum<'c>(number: u64, rows: impl Iterator<Item = &'c LogCells>) -> String {
    sum_of(Sha256::new().chain_update(number.to_le_bytes()), rows.flatten().map(String::as_str))
}

/// A sum gone on with over cells, each with its length before it, so that none runs into the next. Line ends within
/// cells change with those of the file, and count as `\n`.
fn sum_of<'c>(mut sum: Sha256, cells: impl Iterator<Item = &'c str>) -> String {
    for cell in cells {
        let cell = cell.replace("\r\n", "\n");
        sum.update((cell.len() as u64).to_le_bytes());
        sum.update(cell);
    }
    hex(&sum.finalize())
}

/// The first line of a log.
pub(super) fn header() -> Vec<u8> {
    format!("{},sum\n", COLUMNS.join(",")).into_bytes()
}

/// A batch as it is written behind a line with the sum `before`.
pub(super) fn batch_text(before: &str, number: u64, rows: &[LogCells]) -> Vec<u8> {
    let text = format!("batch {number}: {} labels", rows.len());
    let mut chain = link(before, [text.as_str()]);
    let mut text = format!("#{text} chain {chain}\n").into_bytes();
    text.extend(csv_text(rows.iter().map(|cells| {
        chain = link(&chain, cells.iter().map(String::as_str));
        cells.iter().chain([&chain]).cloned().collect()
    })));
    text
}

/// A removal as it is written behind a line with the sum `before`.
pub(super) fn removal_text(before: &str, number: u64, time: &str) -> Vec<u8> {
    let text = format!("remove batch {number} at {time}");
    format!("#{text} chain {}\n", link(before, [text.as_str()])).into_bytes()
}

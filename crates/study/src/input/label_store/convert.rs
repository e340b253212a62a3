//! The log that older versions kept, as files of the store.
//!
//! `added-labels.csv` held batches (`#batch 2: 3 labels chain SUM`), their rows and removals (`#remove batch 2 at TIME
//! chain SUM`). Each line had a sum over the line above and its own cells; older logs had one sum a batch, or none.
//! Rows and removals whose sums are right become files. Other rows go to a table for somebody to look at, and other
//! removals are not carried out, since nothing says which labels they meant.

use std::path::{Path, PathBuf};

use csv::{ByteRecord, ReaderBuilder};
use sha2::{Digest, Sha256};

use super::{Head, LABELS_FOLDER, LabelStore, NewLabel, SET_ASIDE, move_aside, sum_in, write};
use crate::Error as StudyError;
use judge_uncertainty_formats::checksum::{hex, read_file};
use judge_uncertainty_formats::error::{Error, Place};
use judge_uncertainty_formats::links::refuse_links;
use judge_uncertainty_system::{csv_text, ensure_folder, write_new_file};

/// Name of the log of older versions.
pub const LOG_FILE: &str = "added-labels.csv";
/// Beside it, the sum of its last line.
const HEAD_FILE: &str = ".added-labels.head";
const COLUMNS: [&str; 7] = ["id", "annotator", "label", "given", "added", "source", "source_sha256"];

type Cells = [String; COLUMNS.len()];

/// What became of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// Labels and batches whose sums are right.
    pub labels: usize,
    /// Batches.
    pub batches: usize,
    /// Rows that may have been edited, stand where a line is missing, or belong to a batch that was cut off.
    pub unsure: usize,
    /// Removals of which it cannot be said what they meant.
    pub removals: usize,
    /// The table of the rows that are unsure.
    pub table: Option<PathBuf>,
    /// Where the log is now.
    pub log: PathBuf,
}

/// Rows that were added together.
struct Group {
    number: u64,
    /// Lines of one part of the file, in which each line follows the one above it.
    part: usize,
    rows: Vec<Cells>,
}

#[derive(Default)]
struct Log {
    groups: Vec<Group>,
    unsure: Vec<Cells>,
    /// Number, time and part.
    removals: Vec<(u64, String, usize)>,
    lost_removals: usize,
}

impl LabelStore {
    /// Converts the log in the folder of a study, once.
    ///
    /// # Errors
    /// There is no log, or the file system refuses; the log is then where it was, and converting again goes on.
    pub fn convert(study: &Path) -> Result<Converted, StudyError> {
        let file = study.join(LOG_FILE);
        refuse_links(study, &file)?;
        let log = Log::parse(&file, &read_file(&file)?)?;
        let mut converted =
            Converted { labels: 0, batches: 0, unsure: 0, removals: log.lost_removals, table: None, log: file.clone() };
        let mut sums = vec![];
        for group in &log.groups {
            let [_, _, _, _, added, source, source_sha256] = group.rows[0].clone();
            let labels: Vec<NewLabel> = group.rows.iter().map(label).collect();
            let written = write(study, &Head { added, source, source_sha256, takes_back: None }, &labels)?;
            sums.push(sum_in(&written.file_name().unwrap_or_default().to_string_lossy()).unwrap_or_default());
            (converted.labels, converted.batches) = (converted.labels + labels.len(), converted.batches + 1);
        }
        for (number, time, part) in &log.removals {
            let of = |same: bool| -> Vec<&String> {
                let fits = |group: &Group| group.number == *number && (!same || group.part == *part);
                sums.iter().zip(&log.groups).filter(|(_, group)| fits(group)).map(|(sum, _)| sum).collect()
            };
            let fitting = if of(true).is_empty() { of(false) } else { of(true) };
            let [one] = fitting.as_slice() else {
                converted.removals += 1;
                continue;
            };
            let (source, source_sha256) = (String::new(), String::new());
            write(study, &Head { added: time.clone(), source, source_sha256, takes_back: Some((*one).clone()) }, &[])?;
        }
        converted.unsure = log.unsure.len();
        if !log.unsure.is_empty() {
            let header = COLUMNS[..3].iter().map(|name| (*name).to_owned()).collect();
            let text = csv_text(std::iter::once(header).chain(log.unsure.iter().map(|cells| cells[..3].to_vec())));
            let folder = study.join(LABELS_FOLDER).join(SET_ASIDE);
            ensure_folder(&study.join(LABELS_FOLDER))?;
            ensure_folder(&folder)?;
            let mut places = (1_u64..).map(|number| folder.join(format!("unsure-{number}.csv")));
            converted.table = loop {
                let place = places.next().expect("numbers do not end");
                if write_new_file(&place, &text)? || read_file(&place)? == text {
                    break Some(place);
                }
            };
        }
        if study.join(HEAD_FILE).is_file() {
            move_aside(study, &study.join(HEAD_FILE))?;
        }
        converted.log = move_aside(study, &file)?;
        Ok(converted)
    }
}

fn label(cells: &Cells) -> NewLabel {
    let [id, annotator, value, given, ..] = cells.clone();
    NewLabel { id, annotator, value, given, place: Place::default() }
}

impl Log {
    fn parse(file: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        let records = reader.byte_records().collect::<Result<Vec<ByteRecord>, _>>();
        let records = records.map_err(|error| Error::Unreadable { file: file.to_owned(), source: error.into() })?;
        let text = |record: &ByteRecord| -> Vec<String> {
            record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()
        };
        let records: Vec<Vec<String>> = records.iter().map(text).collect();
        if records.first().is_some_and(|header| !header.iter().map(String::as_str).take(7).eq(COLUMNS)) {
            let reason = "this is not a log of added labels";
            return Err(Error::unfit(Place::file(file), reason, "move the file away"));
        }
        let (mut log, mut before, mut number, mut part) = (Self::default(), String::new(), 0, 0);
        let (mut stated, mut at) = (None, 1);
        while let Some(record) = records.get(at) {
            at += 1;
            let alone = record[1..].iter().all(String::is_empty);
            if let Some(mark) = alone.then(|| Mark::parse(&record[0])).flatten() {
                if mark.chained {
                    let fits = link(&before, [mark.text]) == mark.sum;
                    part += usize::from(!fits);
                    before = mark.sum.to_owned();
                    match mark.what {
                        What::Batch(n, labels) => (number, stated) = (n, Some(labels)),
                        What::Remove(n, time) if fits => log.removals.push((n, time.to_owned(), part)),
                        What::Remove(..) => log.lost_removals += 1,
                    }
                    continue;
                }
                before = mark.sum.to_owned();
                match mark.what {
                    What::Batch(n, labels) => {
                        (number, stated) = (n, None);
                        let rows = records[at..].iter().take(labels).map_while(|row| cells(row, 7)).collect::<Vec<_>>();
                        at += rows.len();
                        let sum = sum_of(Sha256::new().chain_update(n.to_le_bytes()), rows.iter().flatten());
                        let fits = rows.len() == labels && sum == mark.sum;
                        for row in rows {
                            if fits { log.keep(n, part, row) } else { log.unsure.push(row) }
                        }
                    }
                    What::Remove(n, time) if sum_of_text(mark.text) == mark.sum => {
                        log.removals.push((n, time.to_owned(), part));
                    }
                    What::Remove(..) => log.lost_removals += 1,
                }
            } else if let Some(row) = cells(record, 8) {
                let fits = link(&before, row.iter().map(String::as_str)) == record[7];
                before.clone_from(&record[7]);
                match fits {
                    true => log.keep(number, part, row),
                    false => {
                        part += 1;
                        log.unsure.push(row);
                    }
                }
            } else if let Some(row) = cells(record, 7).filter(|_| before.is_empty()) {
                // From before there were sums: what was added at one time from one file.
                let same = log.groups.last().is_some_and(|group| group.rows[0][4..] == row[4..]);
                number = log.groups.len() as u64 + u64::from(!same);
                log.keep(number, part, row);
            } else if record.len() >= 3 && record.iter().take(3).all(|cell| !cell.is_empty()) {
                let mut row = Cells::default();
                row.iter_mut().zip(record).for_each(|(cell, found)| cell.clone_from(found));
                log.unsure.push(row);
            }
        }
        // A batch that was cut off was never reported as added.
        if let Some(last) =
            log.groups.pop_if(|last| stated.is_some_and(|n| last.number == number && last.rows.len() < n))
        {
            log.unsure.extend(last.rows);
        }
        Ok(log)
    }

    fn keep(&mut self, number: u64, part: usize, row: Cells) {
        let same = |group: &&mut Group| group.number == number && group.rows[0][4..] == row[4..];
        match self.groups.iter_mut().rev().find(same) {
            Some(group) if group.rows.contains(&row) && group.part != part => {}
            Some(group) => group.rows.push(row),
            None => self.groups.push(Group { number, part, rows: vec![row] }),
        }
    }
}

/// The cells of a row that has so many, whose last ones are sums.
fn cells(record: &[String], columns: usize) -> Option<Cells> {
    let is_sum = |cell: &String| cell.len() == 64 && cell.bytes().all(|c| c.is_ascii_hexdigit());
    let fits = record.len() == columns && record[6..].iter().all(is_sum);
    fits.then(|| record[..7].to_vec().try_into().ok()).flatten()
}

/// A line that is no label.
struct Mark<'t> {
    text: &'t str,
    sum: &'t str,
    chained: bool,
    what: What<'t>,
}

enum What<'t> {
    Batch(u64, usize),
    Remove(u64, &'t str),
}

impl<'t> Mark<'t> {
    fn parse(line: &'t str) -> Option<Self> {
        let chained = line.contains(" chain ");
        let (text, sum) = line.strip_prefix('#')?.split_once(if chained { " chain " } else { " sha256 " })?;
        let what = if let Some(rest) = text.strip_prefix("batch ") {
            let (number, labels) = rest.strip_suffix(" labels")?.split_once(": ")?;
            What::Batch(number.parse().ok()?, labels.parse().ok()?)
        } else {
            let (number, time) = text.strip_prefix("remove batch ")?.split_once(" at ")?;
            What::Remove(number.parse().ok()?, time)
        };
        Some(Self { text, sum, chained, what })
    }
}

fn sum_of_text(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// The sum of a line: SHA-256 of the sum before it and of the line's cells.
fn link<'c>(before: &'c str, cells: impl IntoIterator<Item = &'c str>) -> String {
    sum_of(Sha256::new(), std::iter::once(before).chain(cells))
}

/// A sum over cells, each with its length before it. Line ends within cells count as `\n`.
fn sum_of(mut sum: Sha256, cells: impl Iterator<Item = impl AsRef<str>>) -> String {
    for cell in cells {
        let cell = cell.as_ref().replace("\r\n", "\n");
        sum.update((cell.len() as u64).to_le_bytes());
        sum.update(cell);
    }
    hex(&sum.finalize())
}

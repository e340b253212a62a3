//! The log that older versions kept, as files of the store.
//!
//! `added-labels.csv` held batches (`#batch 2: 3 labels chain SUM`), their rows and removals (`#remove batch 2 at TIME
//! chain SUM`). Each line had a sum over the line above and its own cells. Rows and removals whose sums are right become
//! files. Other rows, and those of still older logs, go to a table for somebody to look at, and other removals are not
//! carried out, since nothing says which labels they meant. This file goes when no such log is left.

use std::path::{Path, PathBuf};

use csv::ReaderBuilder;
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

/// What became of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// Labels and batches whose sums are right.
    pub labels: usize,
    /// Batches.
    pub batches: usize,
    /// Rows whose sums are not right: they may have been edited, or stand where a line is missing.
    pub unsure: usize,
    /// Removals of which it cannot be said what they meant.
    pub removals: usize,
    /// The table of the rows that are unsure.
    pub table: Option<PathBuf>,
    /// Where the log is now.
    pub log: PathBuf,
}

/// Rows that were added together, of `id,annotator,label,given,added,source,source_sha256`.
struct Group {
    number: String,
    /// Lines of one part of the file, in which each line follows the one above it.
    part: usize,
    rows: Vec<Vec<String>>,
}

#[derive(Default)]
struct Log {
    groups: Vec<Group>,
    unsure: Vec<Vec<String>>,
    /// Number, time and part.
    removals: Vec<(String, String, usize)>,
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
        let mut sums = vec![];
        for Group { rows, .. } in &log.groups {
            let [added, source, source_sha256] = [4, 5, 6].map(|cell| rows[0][cell].clone());
            let labels: Vec<NewLabel> = rows.iter().map(|row| label(row)).collect();
            let written = write(study, &Head { added, source, source_sha256, takes_back: None }, &labels)?;
            sums.push(sum_in(&written.file_name().unwrap_or_default().to_string_lossy()).unwrap_or_default());
        }
        let mut removals = log.lost_removals;
        for (number, time, part) in &log.removals {
            let of = |same: bool| -> Vec<&String> {
                let fits = |group: &Group| group.number == *number && (!same || group.part == *part);
                sums.iter().zip(&log.groups).filter(|(_, group)| fits(group)).map(|(sum, _)| sum).collect()
            };
            let fitting = if of(true).is_empty() { of(false) } else { of(true) };
            let [one] = fitting.as_slice() else {
                removals += 1;
                continue;
            };
            let [source, source_sha256] = [(); 2].map(|()| String::new());
            write(study, &Head { added: time.clone(), source, source_sha256, takes_back: Some((*one).clone()) }, &[])?;
        }
        let table = if log.unsure.is_empty() { None } else { Some(put_unsure(study, &log.unsure)?) };
        if study.join(HEAD_FILE).is_file() {
            move_aside(study, &study.join(HEAD_FILE))?;
        }
        Ok(Converted {
            labels: log.groups.iter().map(|group| group.rows.len()).sum(),
            batches: log.groups.len(),
            unsure: log.unsure.len(),
            removals,
            table,
            log: move_aside(study, &file)?,
        })
    }
}

/// Writes rows as a table that `labels add` reads, unless it is there already.
fn put_unsure(study: &Path, rows: &[Vec<String>]) -> Result<PathBuf, StudyError> {
    let header = ["id", "annotator", "label"].map(str::to_owned).to_vec();
    let text = csv_text(std::iter::once(header).chain(rows.iter().map(|row| row[..3].to_vec())));
    let folder = study.join(LABELS_FOLDER).join(SET_ASIDE);
    ensure_folder(&study.join(LABELS_FOLDER))?;
    ensure_folder(&folder)?;
    let mut places = (1_u64..).map(|number| folder.join(format!("unsure-{number}.csv")));
    loop {
        let place = places.next().expect("numbers do not end");
        if write_new_file(&place, &text)? || read_file(&place)? == text {
            return Ok(place);
        }
    }
}

fn label(row: &[String]) -> NewLabel {
    let [id, annotator, value, given] = [0, 1, 2, 3].map(|cell| row[cell].clone());
    NewLabel { id, annotator, value, given, place: Place::default() }
}

impl Log {
    fn parse(file: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        let (mut log, mut before, mut number, mut part) = (Self::default(), String::new(), String::new(), 0);
        for (at, record) in reader.byte_records().enumerate() {
            let record = record.map_err(|error| Error::Unreadable { file: file.to_owned(), source: error.into() })?;
            let cells: Vec<String> = record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
            if at == 0 && !cells.starts_with(&["id", "annotator", "label"].map(str::to_owned)) {
                let reason = "this is not a log of added labels";
                return Err(Error::unfit(Place::file(file), reason, "move the file away"));
            }
            let alone = cells[1..].iter().all(String::is_empty);
            let mark = cells[0].strip_prefix('#').filter(|_| alone).and_then(|mark| mark.split_once(" chain "));
            if let Some((text, sum)) = mark {
                let fits = link(&before, [text]) == sum;
                part += usize::from(!fits);
                sum.clone_into(&mut before);
                match (
                    text.strip_prefix("batch "),
                    text.strip_prefix("remove batch ").and_then(|m| m.split_once(" at ")),
                ) {
                    (Some(batch), _) => number = batch.split(':').next().unwrap_or_default().to_owned(),
                    (_, Some((n, time))) if fits => log.removals.push((n.to_owned(), time.to_owned(), part)),
                    _ => log.lost_removals += 1,
                }
            } else if cells.len() == 8 && link(&before, cells[..7].iter().map(String::as_str)) == cells[7] {
                before.clone_from(&cells[7]);
                log.keep(&number, part, cells);
            } else if at > 0 && cells.len() >= 3 && cells[..3].iter().all(|cell| !cell.is_empty()) {
                part += 1;
                before = cells.last().cloned().unwrap_or_default();
                log.unsure.push(cells);
            }
        }
        Ok(log)
    }

    /// Adds a row to its batch; a merge may have put it there twice.
    fn keep(&mut self, number: &str, part: usize, row: Vec<String>) {
        let same = |group: &&mut Group| group.number == number && group.rows[0][4..7] == row[4..7];
        match self.groups.iter_mut().rev().find(same) {
            Some(group) if group.part != part && group.rows.iter().any(|known| known[..7] == row[..7]) => {}
            Some(group) => group.rows.push(row),
            None => self.groups.push(Group { number: number.to_owned(), part, rows: vec![row] }),
        }
    }
}

/// The sum of a line: SHA-256 of the sum before it and of the line's cells, each with its length before it. Line ends
/// within cells count as `\n`.
fn link<'c>(before: &'c str, cells: impl IntoIterator<Item = &'c str>) -> String {
    let mut sum = Sha256::new();
    for cell in std::iter::once(before).chain(cells) {
        let cell = cell.replace("\r\n", "\n");
        sum.update((cell.len() as u64).to_le_bytes());
        sum.update(cell);
    }
    hex(&sum.finalize())
}

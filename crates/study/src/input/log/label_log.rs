//! The log of a study as it is read.

use std::fs;
use std::path::{Path, PathBuf};

use super::layout;
use crate::input::source::Source;
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::links::refuse_links;
use judge_uncertainty_system::read;

/// Name of the log.
pub const LOG_FILE: &str = "added-labels.csv";
/// Name of the file beside it with the sum of its last line, and how many labels it held then: batches that are missing
/// at its very end leave a log that is whole by itself.
pub const HEAD_FILE: &str = ".added-labels.head";

/// A label as it came in, or as the log has it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLabel {
    /// The item's id.
    pub id: String,
    /// Who gave it.
    pub annotator: String,
    /// The class, or a rating as text.
    pub value: String,
    /// When it was given, as the tool says it; empty where it doesn't.
    pub given: String,
    /// Where it stands.
    pub place: Place,
}

/// Labels that were added together.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LabelBatch {
    /// When, in UTC.
    pub added: String,
    /// The file that they came from.
    pub source: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// How many they are.
    pub labels: usize,
}

/// A batch with its number and fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its number in the log, from 1.
    pub number: u64,
    /// What it is.
    pub batch: LabelBatch,
    /// When it was removed; `None` if it counts.
    pub removed: Option<String>,
}

/// The log of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelLog {
    /// Where it is, or will be.
    pub file: PathBuf,
    /// Its rows, in order, without those of removed batches, each with the position of its batch.
    pub rows: Vec<(usize, NewLabel)>,
    /// What was added together, in order, without removed batches.
    pub batches: Vec<LabelBatch>,
    /// All batches, removed ones too.
    pub listed: Vec<Listed>,
    /// What was cut off at its end and therefore does not count, or is not there any more, in words.
    pub torn: Option<String>,
    /// The sum of its last line, to which the next is chained.
    pub(super) chain: String,
    /// Sum of its bytes as they were read; that of no bytes without the file.
    pub(super) seen: String,
}

impl LabelLog {
    /// Reads the log of a study's folder, and notes its sum; without the file, an empty log.
    ///
    /// # Errors
    /// A log that can't be read, is a link or not one of this program's, or was edited.
    pub fn read(folder: &Path, source: &mut Source) -> Result<Self> {
        let file = folder.join(LOG_FILE);
        refuse_links(folder, &file)?;
        let bytes = if is_there(&file)? { source.read(&file)? } else { vec![] };
        let parsed = layout::parse(&file, &bytes)?;
        let (mut rows, mut batches, mut listed) = (vec![], vec![], vec![]);
        for labels in parsed.batches {
            let Some(first) = labels.rows.first() else { continue };
            let [_, _, _, _, added, source, sha256] = first.cells.clone();
            let batch = LabelBatch { added, source, sha256, labels: labels.rows.len() };
            if labels.removed.is_none() {
                rows.extend(labels.rows.into_iter().map(|row| {
                    let [id, annotator, value, given, ..] = row.cells;
                    let place = Place::file(&file).at_line(row.line).of_item(&id);
                    (batches.len(), NewLabel { id, annotator, value, given, place })
                }));
                batches.push(batch.clone());
            }
            listed.push(Listed { number: labels.number, batch, removed: labels.removed });
        }
        let torn = parsed.torn.map(|text| {
            let aside = aside(&file, &bytes[parsed.whole..])?;
            let moved = format!("the next `study labels add` or `remove` moves it to {}", aside.display());
            Ok(format!("{}:{text}. It does not count, and {moved}; add its file again", file.display()))
        });
        let torn = torn.transpose()?.map_or_else(|| lacking(folder, &file, &bytes), |text| Ok(Some(text)))?;
        Ok(Self { file, rows, batches, listed, torn, chain: parsed.chain, seen: sha256_hex(&bytes) })
    }

    /// Refuses a file whose bytes, of this sum, were added before.
    ///
    /// # Errors
    /// They were, and the batch was not removed.
    pub fn check_new(&self, file: &Path, sha256: &str) -> Result<()> {
        match self.batches.iter().find(|batch| batch.sha256 == sha256) {
            Some(batch) => {
                let reason = format!("the same file was added before, at {}, as {:?}", batch.added, batch.source);
                Err(Error::unfit(Place::file(file), reason, "add a file with new labels"))
            }
            None => Ok(()),
        }
    }
}

/// Whether a file is there, as far as that can be known.
fn is_there(file: &Path) -> Result<bool> {
    file.try_exists().map_err(|source| Error::Unreadable { file: file.to_owned(), source })
}

/// What is said of a log that lacks its end as it was last written; `None` if it has it, or if nothing is known of it.
fn lacking(folder: &Path, log: &Path, bytes: &[u8]) -> Result<Option<String>> {
    let file = folder.join(HEAD_FILE);
    refuse_links(folder, &file)?;
    let head = read::bytes_if_there(&file).map_err(|source| Error::Unreadable { file: file.clone(), source })?;
    let head = String::from_utf8_lossy(head.as_deref().unwrap_or_default()).into_owned();
    let Some((sum, held)) = head.trim_end().split_once(' ') else { return Ok(None) };
    let is_there = String::from_utf8_lossy(bytes).contains(sum);
    Ok((!is_there).then(|| {
        format!(
            "{}: lacks its end: when it was last written it held {held}. Put a copy with them in its place; if an \
             older one is meant, delete {}",
            log.display(),
            file.display()
        )
    }))
}

/// Where a cut end is moved to: `added-labels.cut-N.csv` beside the log, of the first number that is free or holds it
/// already.
///
/// # Errors
/// One of them can't be read.
pub(super) fn aside(log: &Path, cut: &[u8]) -> Result<PathBuf> {
    for number in 1_u64.. {
        let file = log.with_extension(format!("cut-{number}.csv"));
        let here = match fs::symlink_metadata(&file) {
            Ok(found) if found.is_file() => read_file(&file)? == cut,
            Ok(_) => false,
            Err(_) => true,
        };
        if here {
            return Ok(file);
        }
    }
    unreachable!("numbers do not end")
}

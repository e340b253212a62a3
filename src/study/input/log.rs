//! The append-only log of added labels.
//!
//! `added-labels.csv` stands beside `study.toml`. Rows are only ever appended, each with the time and the file that it came
//! from, and a study's labels are those of its own file and of this one.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::source::Source;
use crate::clock;
use crate::dataset::error::{Error, Place, Problem, Result};
use crate::dataset::table::Table;
use crate::output::csv_text;

/// Name of the log.
pub const LOG_FILE: &str = "added-labels.csv";
const COLUMNS: [&str; 7] = ["id", "annotator", "label", "given", "added", "source", "source_sha256"];

/// A label as it came in.
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

/// A row of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedLabel {
    /// The item's id.
    pub id: String,
    /// Who gave it.
    pub annotator: String,
    /// The class, or a score as text.
    pub value: String,
    /// When it was given, as the tool said it.
    pub given: String,
    /// Position in [`LabelLog::batches`].
    pub batch: usize,
    /// Line of the log, from 1.
    pub line: u64,
}

/// Labels that were added together.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Batch {
    /// When, in UTC.
    pub added: String,
    /// The file that they came from.
    pub source: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// How many they are.
    pub labels: usize,
}

/// The log of a study.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelLog {
    /// Where it is, or will be.
    pub file: PathBuf,
    /// Its rows, in order.
    pub rows: Vec<AddedLabel>,
    /// What was added together, in order.
    pub batches: Vec<Batch>,
}

impl LabelLog {
    /// Reads the log of a study's folder, and notes its sum; without the file, an empty log.
    ///
    /// # Errors
    /// A log that can't be read or is not one of this program's.
    pub fn read(folder: &Path, source: &mut Source) -> Result<Self> {
        let mut log = Self { file: folder.join(LOG_FILE), ..Self::default() };
        if !log.file.exists() {
            return Ok(log);
        }
        let bytes = source.read(&log.file)?;
        let table = Table::parse(&log.file, &bytes, "id")?;
        table.expect_columns(&COLUMNS.map(str::to_owned))?;
        let columns: Vec<_> = COLUMNS.iter().map(|name| table.column(name)).collect::<Result<_>>()?;
        let [_, annotator, label, given, added, from, sha256] = columns[..] else {
            unreachable!("there is one column per name")
        };
        for row in table.rows() {
            let [added, from, sha256] = [row.text(added)?, row.text(from)?, row.text(sha256)?];
            if log.batches.last().is_none_or(|b| (b.added.as_str(), b.sha256.as_str()) != (added, sha256)) {
                log.batches.push(Batch {
                    added: added.to_owned(),
                    source: from.to_owned(),
                    sha256: sha256.to_owned(),
                    labels: 0,
                });
            }
            let batch = log.batches.len() - 1;
            log.batches[batch].labels += 1;
            log.rows.push(AddedLabel {
                id: row.id().to_owned(),
                annotator: row.text(annotator)?.to_owned(),
                value: row.text(label)?.to_owned(),
                given: row.cell(given).to_owned(),
                batch,
                line: row.line(),
            });
        }
        Ok(log)
    }

    /// Place of a row.
    pub fn place(&self, row: &AddedLabel) -> Place {
        Place::file(&self.file).at_line(row.line).of_item(&row.id)
    }

    /// Refuses a file whose bytes, of this sum, were added before.
    ///
    /// # Errors
    /// They were.
    pub fn check_new(&self, file: &Path, sha256: &str) -> Result<()> {
        match self.batches.iter().find(|batch| batch.sha256 == sha256) {
            Some(batch) => {
                let problem = Problem::AddedBefore { time: batch.added.clone(), name: batch.source.clone() };
                Err(Error::refused(Place::file(file), problem))
            }
            None => Ok(()),
        }
    }

    /// Appends checked labels of a file, whose bytes have this sum, in one write; what the log held before stays as it is.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn append(&self, file: &Path, sha256: &str, labels: &[NewLabel]) -> std::io::Result<()> {
        let header = (!self.file.exists()).then(|| COLUMNS.map(str::to_owned).to_vec());
        let added = clock::now();
        let source = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let rows = labels.iter().map(|label| {
            vec![
                label.id.clone(),
                label.annotator.clone(),
                label.value.clone(),
                label.given.clone(),
                added.clone(),
                source.clone(),
                sha256.to_owned(),
            ]
        });
        let text = csv_text(header.into_iter().chain(rows));
        let mut log = fs::OpenOptions::new().append(true).create(true).open(&self.file)?;
        log.write_all(&text)?;
        log.sync_all()
    }
}

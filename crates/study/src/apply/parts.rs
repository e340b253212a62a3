//! The folder that a stream is written to, part by part.
//!
//! | name | what |
//! |---|---|
//! | `part-00000.parquet`, ... | the items, in the order of the stream |
//! | `columns.csv` | what each column means |
//! | `queue.csv` | the first of the stream, if that is asked |
//! | `apply.json` | what was done; it is there if and only if all of it is |
//! | `.progress/part-00000.json`, ... | while the work goes on: what is known of each part that is written |
//!
//! Each file is whole or absent. What is there of an interrupted application is gone on with.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::stream::QueuedItem;
use crate::belief_file::drift::Tally;
use crate::error::Error;
use judge_uncertainty_formats::batches::Bad;
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::faults::step;
use judge_uncertainty_system::{FileError, OutputFile, ensure_folder, read, to_json, write_file};

/// The record of a folder that is whole.
pub const RECORD: &str = "apply.json";
/// The queue.
pub const QUEUE: &str = "queue.csv";
/// What each column means.
pub const DICTIONARY: &str = "columns.csv";
const PROGRESS: &str = ".progress";
/// The command that a record names.
pub(super) const COMMAND: &str = "judge-uncertainty apply";

/// What is known of a part that is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// SHA-256 of what the part depends on: the belief, the request, the rows that it was made from.
    pub made_from: String,
    /// SHA-256 of the part.
    pub sha256: String,
    /// The file that its rows stand in.
    pub file: PathBuf,
    /// Rows that could be used.
    pub rows: usize,
    /// Rows that could not.
    pub set_aside: Vec<SetAside>,
    /// Judge and features in the bins of the fit.
    pub tallies: Vec<Tally>,
    /// What of it may be in the queue.
    pub queue: Vec<QueuedItem>,
}

/// A row that could not be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetAside {
    /// The file that it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// Id of the item, if it has one.
    pub item: Option<String>,
    /// The column.
    pub column: Option<String>,
    /// What is wrong, and what to do about it.
    pub problem: String,
    /// The row as it stands in its file.
    pub row: Value,
}

impl SetAside {
    /// A row of a file.
    pub fn new(bad: &Bad, file: &Path) -> Self {
        Self {
            file: file.display().to_string(),
            line: bad.line,
            item: bad.item.clone(),
            column: bad.column.clone(),
            problem: format!("{}; {}", bad.problem, bad.problem.remedy()),
            row: bad.row.clone(),
        }
    }
}

/// A folder that is being written; no other process may write to it meanwhile.
#[derive(Debug)]
pub struct PartsFolder {
    folder: PathBuf,
    record: OutputFile,
}

/// Name of a part.
pub fn part_name(part: usize) -> String {
    format!("part-{part:05}.parquet")
}

fn is_part(name: &str, extension: &str) -> bool {
    let digits = name.strip_prefix("part-").and_then(|rest| rest.strip_suffix(extension));
    digits.is_some_and(|digits| digits.len() >= 5 && digits.bytes().all(|c| c.is_ascii_digit()))
}

/// Whether a file of the folder is one that an application writes; what a kill leaves beside a file included.
fn is_ours(name: &str) -> bool {
    let plain =
        name.strip_prefix('.').and_then(|name| name.split_once(".judge-uncertainty")).map_or(name, |(name, _)| name);
    [RECORD, QUEUE, DICTIONARY].contains(&plain)
        || is_part(plain, ".parquet")
        || is_part(plain, ".json")
        || plain == "made-by"
}

fn remove(path: &Path) -> Result<(), Error> {
    Ok(step().and_then(|()| fs::remove_file(path)).map_err(FileError::at(path, "removing"))?)
}

fn names(folder: &Path) -> Result<Vec<String>, Error> {
    Ok(read::names(folder).map_err(FileError::at(folder, "reading"))?)
}

impl PartsFolder {
    /// A folder that is absent or empty, or holds an application that was interrupted; one that is whole only if it is
    /// to be replaced.
    ///
    /// # Errors
    /// It holds something else, or a whole application; another process writes to it; it can't be written.
    pub fn open(folder: &Path, force: bool) -> Result<Self, Error> {
        let progress = folder.join(PROGRESS);
        let found = names(folder)?;
        // Nothing is ours without a sign of it.
        let marked = progress.join("made-by").is_file() || is_record(&folder.join(RECORD))?;
        let foreign = |name: &&String| {
            **name != PROGRESS && !(marked && is_ours(name)) && !name.ends_with(".judge-uncertainty.lock")
        };
        let within =
            names(&progress)?.into_iter().filter(|name| !is_ours(name)).map(|name| format!("{PROGRESS}/{name}"));
        if let Some(file) = found.iter().filter(foreign).cloned().chain(within).next() {
            return Err(judge_uncertainty_system::Error::Foreign { folder: folder.to_owned(), file }.into());
        }
        ensure_folder(folder)?;
        let record = OutputFile::hold(&folder.join(RECORD))?;
        let parts = Self { folder: folder.to_owned(), record };
        if folder.join(RECORD).exists() {
            parts.clear_progress()?;
            if !force {
                return Err(Error::Exists { folder: folder.to_owned() });
            }
            ensure_folder(&progress)?;
            write_file(&progress.join("made-by"), COMMAND.as_bytes())?;
            for name in names(folder)?.iter().filter(|name| is_ours(name) && !name.ends_with(".lock")) {
                remove(&folder.join(name))?;
            }
        }
        ensure_folder(&progress)?;
        if !progress.join("made-by").exists() {
            write_file(&progress.join("made-by"), COMMAND.as_bytes())?;
        }
        Ok(parts)
    }

    fn note(&self, part: usize) -> PathBuf {
        self.folder.join(PROGRESS).join(format!("part-{part:05}.json"))
    }

    /// What is known of a part; `None` if it is not written, or not whole.
    ///
    /// # Errors
    /// It is there and can't be read.
    pub fn done(&self, part: usize) -> Result<Option<Done>, Error> {
        let Some(text) = if_there(&self.note(part))? else { return Ok(None) };
        let Ok(done) = serde_json::from_slice::<Done>(&text) else { return Ok(None) };
        let bytes = if_there(&self.folder.join(part_name(part)))?;
        Ok(bytes.is_some_and(|bytes| sha256_hex(&bytes) == done.sha256).then_some(done))
    }

    /// Writes a part, and then what is known of it.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn write(&self, part: usize, bytes: &[u8], done: &Done) -> Result<(), Error> {
        write_file(&self.folder.join(part_name(part)), bytes)?;
        Ok(write_file(&self.note(part), to_json(done).as_bytes())?)
    }

    /// What is known of a part that this application wrote or found.
    ///
    /// # Errors
    /// It is gone meanwhile.
    pub fn known(&self, part: usize) -> Result<Done, Error> {
        let path = self.note(part);
        let text = read::bytes(&path).map_err(FileError::at(&path, "reading"))?;
        Ok(serde_json::from_slice(&text).map_err(|e| FileError::at(&path, "reading")(e.into()))?)
    }

    /// Writes a file beside the parts.
    ///
    /// # Errors
    /// The file system refuses, also while `fill` writes.
    pub fn put(&self, name: &str, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Error> {
        Ok(OutputFile::hold(&self.folder.join(name))?.write(|file| fill(file))?)
    }

    /// Closes the folder: what no part of it is left of is removed, and the record is written last.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn close(self, parts: usize, files: &[String], record: &impl Serialize) -> Result<(), Error> {
        for name in names(&self.folder)? {
            let stale = is_part(&name, ".parquet") && !(0..parts).any(|part| part_name(part) == name);
            let unasked = [QUEUE, DICTIONARY].contains(&name.as_str()) && !files.contains(&name);
            if stale || unasked {
                remove(&self.folder.join(name))?;
            }
        }
        self.record.write(|file| file.write_all(to_json(record).as_bytes()))?;
        self.clear_progress()
    }

    fn clear_progress(&self) -> Result<(), Error> {
        let progress = self.folder.join(PROGRESS);
        if !progress.is_dir() {
            return Ok(());
        }
        // The sign goes last.
        let mut found = names(&progress)?;
        found.sort_by_key(|name| name == "made-by");
        for name in found.iter().filter(|name| is_ours(name)) {
            remove(&progress.join(name))?;
        }
        Ok(step().and_then(|()| fs::remove_dir(&progress)).map_err(FileError::at(&progress, "removing"))?)
    }
}

fn if_there(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    Ok(read::bytes_if_there(path).map_err(FileError::at(path, "reading"))?)
}

fn is_record(path: &Path) -> Result<bool, Error> {
    let record: Option<Value> = if_there(path)?.and_then(|text| serde_json::from_slice(&text).ok());
    Ok(record.is_some_and(|record| record.get("command").and_then(Value::as_str) == Some(COMMAND)))
}

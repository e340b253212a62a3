//! Added labels: one file for each batch, written once and never edited.
//!
//! ```text
//! labels/20261122T040000.120393Z-5d41...9f.jsonl
//!   {"added":"2026-11-22T04:00:00.120393Z","source":"new.csv","sha256":"9b74...","labels":1}
//!   {"id":"r01","annotator":"zoe","label":"mixed"}
//! labels/20261122T050000.481004Z-7c21...03.jsonl
//!   {"added":"2026-11-22T05:00:00.481004Z","takes_back":"5d41..."}
//! ```
//!
//! The name of a file ends in the SHA-256 sum of its bytes (of all but carriage returns, which version control may add
//! at line ends). A batch is known by that sum and by nothing else: no number, no order, no list of batches. So two
//! branches of a study merge as the union of their files, and a copy of a batch is the batch. A batch is taken back by
//! a further file, which names its sum. Files whose bytes have another sum do not count; every command names them, and
//! [`LabelStore::set_aside`] moves them away. The records of runs and queues list the files that they read, so that a
//! batch that vanished is noticed. The labels of a file stand in the order of their bytes, so that who adds to a
//! study searches large files instead of reading them.

mod convert;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::labels::is_zero;
use super::source::{Source, read_if_there};
use crate::Error as StudyError;
pub use convert::LOG_FILE;
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::links::refuse_links;
use judge_uncertainty_system::read::{InputFile, names};
use judge_uncertainty_system::{MANIFEST, clock, ensure_folder, move_new_file, write_new_file};

/// Name of the folder of added labels within that of the study.
pub const LABELS_FOLDER: &str = "labels";
/// Name of the folder within it for files that do not count.
pub const SET_ASIDE: &str = "set-aside";
/// The record of a queue, within the queue's folder.
pub const QUEUE_RECORD: &str = "queue.json";

/// A label as it came in, or as a line of a batch has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewLabel {
    /// The item's id.
    pub id: String,
    /// Who gave it.
    pub annotator: String,
    /// The class, or a rating as text.
    #[serde(rename = "label")]
    pub value: String,
    /// When it was given, as the tool says it; empty where it doesn't.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub given: String,
    /// The file and the line that it comes from.
    #[serde(skip)]
    pub place: Place,
}

/// Labels that were added together, as the first line of their file has them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelBatch {
    /// When, in UTC.
    pub added: String,
    /// The file that they came from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// SHA-256 of that file.
    #[serde(default, skip_serializing_if = "String::is_empty", alias = "source_sha256")]
    pub sha256: String,
    /// How many they are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub labels: usize,
    /// SHA-256 of the batch, in which the name of its file ends.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sum: String,
    /// The sum of a batch that this file, which has no labels, takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    takes_back: Option<String>,
    /// When the batch was taken back; `None` if it counts.
    #[serde(skip)]
    pub taken_back: Option<String>,
}

/// The added labels of a study.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelStore {
    /// The folder of the study.
    study: PathBuf,
    /// The labels that count, by batch in the order of time, each with the position of its batch.
    pub rows: Vec<(usize, NewLabel)>,
    /// The batches that count, in the order of time.
    pub batches: Vec<LabelBatch>,
    /// All batches, in the order of time.
    pub listed: Vec<LabelBatch>,
    /// Files that do not count because their bytes do not have the sum in their names.
    pub damaged: Vec<PathBuf>,
    /// What the user has to know: damaged files, files that are gone, labels that are there twice.
    pub warnings: Vec<String>,
}

impl LabelStore {
    /// Reads the added labels of a study's folder and notes the sums of their files. With `pairs` of an item's id and an
    /// annotator, large files without a label of any of them are searched only: their labels, and damage of them, are
    /// passed over.
    ///
    /// # Errors
    /// A file or folder can't be read or is a link, or an older version's log has not been converted yet.
    pub fn read(study: &Path, pairs: Option<&BTreeSet<[&str; 2]>>, source: &mut Source) -> Result<Self> {
        let (log, folder) = (study.join(LOG_FILE), study.join(LABELS_FOLDER));
        if fs::symlink_metadata(&log).is_ok() {
            let remedy = "convert it once with `judge-uncertainty study labels convert`";
            return Err(Error::unfit(Place::file(&log), "an older version kept the added labels in this file", remedy));
        }
        let (mut store, mut found) = (Self { study: study.to_owned(), ..Self::default() }, BTreeMap::new());
        refuse_links(study, &folder)?;
        // What is the user's own there has neither a sum in its name nor a head.
        let has_sum = |name: &str| name.split(|c: char| !c.is_ascii_hexdigit()).any(|part| part.len() == 64);
        let may_be_ours = |name: &String| !name.starts_with('.') && (has_sum(name) || name.contains(".jsonl"));
        for name in names(&folder).map_err(Error::unreadable(&folder))?.into_iter().filter(may_be_ours) {
            let file = folder.join(&name);
            refuse_links(study, &file)?;
            let is_file = !file.is_dir() && !name.contains(char::REPLACEMENT_CHARACTER);
            let wanted = pairs.filter(|_| is_file);
            let searched =
                wanted.map_or(Ok(None), |pairs| head_without(&file, pairs)).map_err(Error::unreadable(&file))?;
            let bytes = if is_file && searched.is_none() { read_file(&file)? } else { vec![] };
            if let Some((head, rows)) = searched.map(|head| (head, vec![])).or_else(|| parse(&file, &bytes)) {
                source.note(&file.display().to_string(), &head.sum);
                found.insert((head.added.clone(), head.sum.clone()), (head, rows));
            } else if !is_file || has_sum(&name) || bytes.starts_with(b"{\"added\":") {
                store.warnings.push(format!(
                    "{}: this file was changed or renamed after it was written, so it does not count. Restore it from a \
                     copy, or move it away (`judge-uncertainty study labels set-aside`) and add the rows that are right",
                    file.display()
                ));
                store.damaged.extend(is_file.then_some(file));
            }
        }
        store.warn_of_vanished(&found.keys().map(|(_, sum)| sum.as_str()).collect())?;
        let takes_back = |(head, _): &(LabelBatch, _)| Some((head.takes_back.clone()?, head.added.clone()));
        let takes_back: BTreeMap<String, String> = found.values().filter_map(takes_back).collect();
        for (mut batch, rows) in found.into_values().filter(|(head, _)| head.takes_back.is_none()) {
            batch.taken_back = takes_back.get(&batch.sum).cloned();
            store.listed.push(batch.clone());
            if batch.taken_back.is_none() {
                store.count(batch, rows);
            }
        }
        Ok(store)
    }

    /// Adds a batch that counts. The same labels from the same file, added on two branches, count once.
    fn count(&mut self, batch: LabelBatch, mut rows: Vec<NewLabel>) {
        if self.added_from(&batch.sha256).is_some() {
            let of_twins = self.rows.iter().filter(|(of, _)| self.batches[*of].sha256 == batch.sha256);
            let (known, all): (HashSet<String>, _) = (of_twins.map(|(_, row)| line(row)).collect(), rows.len());
            rows.retain(|row| !known.contains(&line(row)));
            let (source, added, twice) = (&batch.source, &batch.added, all - rows.len());
            self.warnings.push(format!("{source:?} was added again at {added}: {twice} of its labels count once"));
        }
        self.rows.extend(rows.into_iter().map(|row| (self.batches.len(), row)));
        self.batches.push(batch);
    }

    /// Says which files the records of runs and queues in the study's folder list and which are gone; files with these
    /// sums are there, under whatever name.
    fn warn_of_vanished(&mut self, sums: &BTreeSet<&str>) -> Result<()> {
        let here = if self.study == Path::new("") { Path::new(".") } else { &self.study };
        let (labels, mut gone) = (self.study.join(LABELS_FOLDER), BTreeMap::new());
        for reader in
            names(here).map_err(Error::unreadable(here))?.into_iter().filter(|name| !here.join(name).is_symlink())
        {
            for file in [MANIFEST, QUEUE_RECORD].map(|record| here.join(&reader).join(record)) {
                let text = read_if_there(&file)?.unwrap_or_default();
                let record: Value = serde_json::from_slice(&text).unwrap_or_default();
                for name in record["inputs"].as_object().into_iter().flat_map(|inputs| inputs.keys()) {
                    let name = Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
                    if sum_in(&name).is_some_and(|sum| !sums.contains(&*sum)) && !labels.join(&name).exists() {
                        gone.entry(name).or_insert_with(|| reader.clone());
                    }
                }
            }
        }
        self.warnings.extend(gone.into_iter().map(|(name, reader)| {
            format!(
                "{}: this file of added labels, which {reader:?} was made with, is gone. Restore it from a copy, or make \
                 {reader:?} again without it",
                labels.join(name).display()
            )
        }));
        Ok(())
    }

    /// The batch that counts and came from a file whose bytes have this sum.
    pub fn added_from(&self, sha256: &str) -> Option<&LabelBatch> {
        self.batches.iter().find(|batch| batch.sha256 == sha256)
    }

    /// Writes checked labels of a file, whose bytes have this sum, as a new batch, and returns the batch's file.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn append(&self, file: &Path, sha256: &str, labels: &[NewLabel]) -> Result<PathBuf, StudyError> {
        let source = file.file_name().map_or_else(|| "file".to_owned(), |name| name.to_string_lossy().into_owned());
        let (added, sha256) = (clock::now_exact(), sha256.to_owned());
        write(&self.study, &LabelBatch { added, source, sha256, ..LabelBatch::default() }, labels)
    }

    /// Writes that the batch whose sum begins with `sum`, by six characters or more, or that came from the file of that
    /// name, no longer counts; its file stays as it is. Returns the batch.
    ///
    /// # Errors
    /// No batch, or several, are meant; it was taken back before; the file system refuses.
    pub fn take_back(&self, sum: &str) -> Result<&LabelBatch, StudyError> {
        let is_meant = |batch: &&LabelBatch| batch.source == sum || sum.len() >= 6 && batch.sum.starts_with(sum);
        let fitting: Vec<&LabelBatch> = self.listed.iter().filter(is_meant).collect();
        let reason = match fitting.as_slice() {
            [LabelBatch { taken_back: Some(time), .. }] => format!("the batch {sum} was taken back before, at {time}"),
            [batch] => {
                let (takes_back, added) = (Some(batch.sum.clone()), clock::now_exact());
                let head = LabelBatch { takes_back, added, ..LabelBatch::default() };
                return write(&self.study, &head, &[]).map(|_| *batch);
            }
            many => format!("{} batches have a sum or a source like {sum:?}, and one is needed", many.len()),
        };
        let remedy = "`study labels list` shows the batches and their sums";
        Err(Error::unfit(Place::file(&self.study.join(LABELS_FOLDER)), reason, remedy).into())
    }

    /// Moves the damaged files to a folder where nothing counts, and returns their new places.
    ///
    /// # Errors
    /// The file system refuses; what was not moved yet is where it was.
    pub fn set_aside(&self) -> Result<Vec<PathBuf>, StudyError> {
        self.damaged.iter().map(|file| move_aside(&self.study, file)).collect()
    }
}

/// The folder of files that do not count.
fn aside(study: &Path) -> Result<PathBuf, StudyError> {
    let folder = study.join(LABELS_FOLDER).join(SET_ASIDE);
    refuse_links(study, &folder)?;
    ensure_folder(&study.join(LABELS_FOLDER))?;
    ensure_folder(&folder)?;
    Ok(folder)
}

/// Moves a file there, under its name, with `~` behind it while that is taken.
fn move_aside(study: &Path, file: &Path) -> Result<PathBuf, StudyError> {
    let mut place = aside(study)?.join(file.file_name().unwrap_or_default());
    while !move_new_file(file, &place)? {
        place.as_mut_os_string().push("~");
    }
    Ok(place)
}

/// Writes a file of the store under the name that its bytes give it; that it is there already is as good.
fn write(study: &Path, head: &LabelBatch, labels: &[NewLabel]) -> Result<PathBuf, StudyError> {
    let folder = study.join(LABELS_FOLDER);
    refuse_links(study, &folder)?;
    let mut lines: Vec<String> = labels.iter().map(line).collect();
    lines.sort_unstable();
    let text = line(&LabelBatch { labels: labels.len(), ..head.clone() }) + &lines.concat();
    let time: String = head.added.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
    let file = folder.join(format!("{time}-{}.jsonl", sha256_hex(text.as_bytes())));
    ensure_folder(&folder)?;
    if !write_new_file(&file, text.as_bytes())? && read_file(&file)? != text.as_bytes() {
        let reason = "this file was changed after it was written";
        return Err(Error::unfit(Place::file(&file), reason, "move it away with `study labels set-aside`").into());
    }
    Ok(file)
}

fn line(of: &impl Serialize) -> String {
    serde_json::to_string(of).expect("plain text") + "\n"
}

/// The head and the labels of a file; `None` if its bytes do not have the sum in its name or are none of this program's.
/// Carriage returns don't count: they stand at ends of lines alone, where version control adds them, as JSON escapes others.
fn parse(file: &Path, bytes: &[u8]) -> Option<(LabelBatch, Vec<NewLabel>)> {
    let text = std::str::from_utf8(bytes).ok()?.replace('\r', "");
    let sum = sum_in(&file.to_string_lossy()).filter(|sum| sha256_hex(text.as_bytes()) == *sum)?;
    let mut lines = text.lines().zip(1..);
    let head: LabelBatch = serde_json::from_str(lines.next()?.0).ok()?;
    let row = |(text, number)| {
        let label: NewLabel = serde_json::from_str(text).ok()?;
        Some(NewLabel { place: Place::file(file).at_line(number).of_item(&label.id), ..label })
    };
    let rows = lines.map(row).collect::<Option<Vec<_>>>()?;
    let is_ours = head.takes_back.is_none() || rows.is_empty();
    is_ours.then_some((LabelBatch { sum, labels: rows.len(), ..head }, rows))
}

/// The head of a large file without a label of these pairs of an id and an annotator; `None` of one that has to be read.
fn head_without(file: &Path, pairs: &BTreeSet<[&str; 2]>) -> std::io::Result<Option<LabelBatch>> {
    let Some(sum) = sum_in(&file.to_string_lossy()) else { return Ok(None) };
    let file = InputFile::open(file)?;
    // As many bytes are read and parsed in the time that the search for a pair takes.
    let size = file.metadata()?.len();
    let (mut file, mut text) = (BufReader::with_capacity(512, file), vec![]);
    let first = file.read_until(b'\n', &mut text)? as u64;
    // Without the number of its labels, they may be in another order.
    let is_large = |head: &LabelBatch| head.labels > 0 && size > 1024 * pairs.len() as u64;
    let Some(head) = serde_json::from_slice(&text).ok().filter(is_large) else { return Ok(None) };
    for [id, annotator] in pairs.iter().map(|pair| pair.map(Value::from)) {
        let wanted = format!("{{\"id\":{id},\"annotator\":{annotator},");
        // Lines that begin before `low` are less than the wanted one, and those from `high` on are not.
        let (mut low, mut high) = (first, size);
        while low < high {
            let middle = low + (high - low) / 2;
            file.seek(SeekFrom::Start(middle - 1))?;
            let begins = middle - 1 + file.skip_until(b'\n')? as u64;
            text.clear();
            let length = file.read_until(b'\n', &mut text)? as u64;
            if text.starts_with(wanted.as_bytes()) {
                return Ok(None);
            }
            (low, high) =
                if begins < high && *text < *wanted.as_bytes() { (begins + length, high) } else { (low, middle) };
        }
    }
    Ok(Some(LabelBatch { sum, ..head }))
}

/// The sum in which the name of a file of added labels ends: `TIME-SUM.jsonl`.
pub(crate) fn sum_in(name: &str) -> Option<String> {
    let (_, sum) = name.strip_suffix(".jsonl")?.rsplit_once('-')?;
    (sum.len() == 64 && sum.bytes().all(|c| c.is_ascii_hexdigit())).then(|| sum.to_ascii_lowercase())
}

#[cfg(test)]
mod tests;

//! Added labels: one file for each batch, written once and never edited.
//!
//! ```text
//! labels/20261122T040000.120393Z-5d41...9f.jsonl
//!   {"added":"2026-11-22T04:00:00.120393Z","source":"new.csv","source_sha256":"9b74..."}
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
//! batch that vanished is noticed.

mod convert;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::source::Source;
use crate::Error as StudyError;
pub use convert::{Converted, LOG_FILE};
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::links::refuse_links;
use judge_uncertainty_system::{MANIFEST, clock, ensure_folder, move_new_file, read, write_new_file};

/// Name of the folder of added labels within that of the study.
pub const LABELS_FOLDER: &str = "labels";
/// Name of the folder within it for files that do not count.
pub const SET_ASIDE: &str = "set-aside";
/// The record of a queue, within the queue's folder.
pub const QUEUE_RECORD: &str = "queue.json";

/// A label as it came in, or as a batch has it.
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
    /// The file and the line that it comes from.
    pub place: Place,
}

/// Labels that were added together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelBatch {
    /// When, in UTC.
    pub added: String,
    /// The file that they came from.
    pub source: String,
    /// SHA-256 of that file.
    pub sha256: String,
    /// How many they are.
    pub labels: usize,
    /// SHA-256 of the batch, in which the name of its file ends; empty for simulated labels.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sum: String,
}

/// A batch, and whether it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What it is.
    pub batch: LabelBatch,
    /// When it was taken back; `None` if it counts.
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
    pub listed: Vec<Listed>,
    /// Files that do not count because their bytes do not have the sum in their names.
    pub damaged: Vec<PathBuf>,
    /// What the user has to know: damaged files, files that are gone, labels that are there twice.
    pub warnings: Vec<String>,
}

/// The first line of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    added: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    source: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    source_sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    takes_back: Option<String>,
}

/// A further line: a label.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    annotator: String,
    label: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    given: String,
}

/// What a file with the right sum holds: when it was made, and a batch or what it takes back.
enum Content {
    Labels(LabelBatch, Vec<NewLabel>),
    TakesBack { sum: String, added: String },
}

impl LabelStore {
    /// Reads all added labels of a study's folder and notes the sums of their files.
    ///
    /// # Errors
    /// A file or folder can't be read or is a link, or an older version's log has not been converted yet.
    pub fn read(study: &Path, source: &mut Source) -> Result<Self> {
        Self::read_of(study, None, source)
    }

    /// As [`Self::read`], with the labels of the items with these ids alone.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_of(study: &Path, ids: Option<&HashSet<String>>, source: &mut Source) -> Result<Self> {
        let log = study.join(LOG_FILE);
        if fs::symlink_metadata(&log).is_ok() {
            let reason = "an older version kept the added labels in this file";
            let remedy = "convert it once with `judge-uncertainty study labels convert`";
            return Err(Error::unfit(Place::file(&log), reason, remedy));
        }
        let mut store = Self { study: study.to_owned(), ..Self::default() };
        let folder = study.join(LABELS_FOLDER);
        refuse_links(study, &folder)?;
        let (mut found, mut taken_back) = (BTreeMap::new(), BTreeMap::new());
        for name in names(&folder)? {
            let file = folder.join(&name);
            if !may_be_ours(&name) {
                continue;
            }
            refuse_links(study, &file)?;
            let bytes = read_file(&file)?;
            let stated = sum_in(&name);
            if stated.is_none() && !has_sum(&name) && !bytes.starts_with(b"{\"added\":") {
                continue;
            }
            let Some(sum) = stated.filter(|stated| sum_of(&bytes) == *stated) else {
                store.damaged.push(file);
                continue;
            };
            source.note(&file.display().to_string(), &sum);
            match parse(&file, &sum, &bytes, ids) {
                None => store.damaged.push(file),
                Some(Content::TakesBack { sum, added }) => drop(taken_back.insert(sum, added)),
                Some(Content::Labels(batch, rows)) => {
                    found.insert((batch.added.clone(), sum), (batch, rows));
                }
            }
        }
        for ((_, sum), (batch, rows)) in found {
            let taken_back = taken_back.get(&sum).cloned();
            if taken_back.is_none() {
                store.count(&batch, rows);
            }
            store.listed.push(Listed { batch, taken_back });
        }
        store.warn_of_damage();
        let there = store.listed.iter().map(|listed| &listed.batch.sum);
        let unknown: BTreeSet<String> = taken_back.into_keys().collect();
        let there: BTreeSet<&String> = there.collect();
        for sum in unknown.into_iter().filter(|sum| !there.contains(sum)) {
            store
                .warnings
                .push(format!("{}: the batch {sum} was taken back, but its file is not there", folder.display()));
        }
        store.warn_of_vanished()?;
        Ok(store)
    }

    /// Adds a batch that counts. The same labels from the same file, added on two branches, count once.
    fn count(&mut self, batch: &LabelBatch, mut rows: Vec<NewLabel>) {
        let twins: Vec<usize> = (0..self.batches.len()).filter(|&k| self.batches[k].sha256 == batch.sha256).collect();
        if !twins.is_empty() {
            let key = |row: &NewLabel| [&row.id, &row.annotator, &row.value, &row.given].map(Clone::clone);
            let known: HashSet<_> =
                self.rows.iter().filter(|(of, _)| twins.contains(of)).map(|(_, row)| key(row)).collect();
            let all = rows.len();
            rows.retain(|row| !known.contains(&key(row)));
            self.warnings.push(format!(
                "{:?} was added twice, at {} and at {}: {} labels that are in both batches count once",
                batch.source,
                self.batches[twins[0]].added,
                batch.added,
                all - rows.len()
            ));
        }
        let position = self.batches.len();
        self.rows.extend(rows.into_iter().map(|row| (position, row)));
        self.batches.push(batch.clone());
    }

    fn warn_of_damage(&mut self) {
        self.warnings.extend(self.damaged.iter().map(|file| {
            format!(
                "{}: this file was changed or renamed after it was written, so it does not count. Restore it from a copy, or \
                 move it away with `judge-uncertainty study labels set-aside`; the rows that are right can then be \
                 added again",
                file.display()
            )
        }));
    }

    /// Says which files the records of runs and queues in the study's folder list and which are gone.
    fn warn_of_vanished(&mut self) -> Result<()> {
        #[derive(Deserialize)]
        struct Record {
            #[serde(default)]
            inputs: BTreeMap<String, String>,
        }
        let unreadable = |file: &Path| {
            let file = file.to_owned();
            move |source| Error::Unreadable { file, source }
        };
        let labels = self.study.join(LABELS_FOLDER);
        let mut gone: BTreeMap<String, String> = BTreeMap::new();
        let here = if self.study == Path::new("") { Path::new(".") } else { &self.study };
        for entry in fs::read_dir(here).map_err(unreadable(here))? {
            let entry = entry.map_err(unreadable(here))?;
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            for record in [MANIFEST, QUEUE_RECORD] {
                let file = entry.path().join(record);
                let Some(text) = read::bytes_if_there(&file).map_err(unreadable(&file))? else { continue };
                let Ok(record) = serde_json::from_slice::<Record>(&text) else { continue };
                let names = record.inputs.keys().filter_map(|name| Path::new(name).file_name()?.to_str());
                for name in names.filter(|name| sum_in(name).is_some() && !labels.join(name).exists()) {
                    gone.entry(name.to_owned()).or_insert_with(|| entry.file_name().to_string_lossy().into_owned());
                }
            }
        }
        self.warnings.extend(gone.into_iter().filter_map(|(name, reader)| {
            // Under another name it is there, as a copy of it may be.
            let sum = sum_in(&name)?;
            let is_there = self.listed.iter().any(|listed| listed.batch.sum == sum);
            (!is_there).then(|| {
                format!(
                    "{}: this file of added labels, which {reader:?} was made with, is gone. Restore it from a copy; if \
                     it is to stay away, make {reader:?} again",
                    labels.join(name).display()
                )
            })
        }));
        Ok(())
    }

    /// Refuses a file whose bytes, of this sum, were added before.
    ///
    /// # Errors
    /// They were, and the batch was not taken back.
    pub fn check_new(&self, file: &Path, sha256: &str) -> Result<()> {
        match self.batches.iter().find(|batch| batch.sha256 == sha256) {
            Some(batch) => {
                let reason = format!("the same file was added before, at {}, as {:?}", batch.added, batch.source);
                Err(Error::unfit(Place::file(file), reason, "add a file with new labels"))
            }
            None => Ok(()),
        }
    }

    /// Writes checked labels of a file, whose bytes have this sum, as a new batch, and returns the batch's file.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn append(&self, file: &Path, sha256: &str, labels: &[NewLabel]) -> Result<PathBuf, StudyError> {
        let source = file.file_name().map_or_else(|| "file".to_owned(), |name| name.to_string_lossy().into_owned());
        let head = Head { added: clock::now_exact(), source, source_sha256: sha256.to_owned(), takes_back: None };
        write(&self.study, &head, labels)
    }

    /// Writes that the batch whose sum begins with `sum`, by six characters or more, or that came from the file of that
    /// name, no longer counts; its file stays as it is. Returns the batch.
    ///
    /// # Errors
    /// No batch, or several, are meant; it was taken back before; the file system refuses.
    pub fn take_back(&self, sum: &str) -> Result<&LabelBatch, StudyError> {
        let refuse = |reason: String| {
            let remedy = "`study labels list` shows the batches and their sums";
            Err(Error::unfit(Place::file(&self.study.join(LABELS_FOLDER)), reason, remedy).into())
        };
        let is_meant = |batch: &LabelBatch| batch.source == sum || sum.len() >= 6 && batch.sum.starts_with(sum);
        let fitting: Vec<&Listed> = self.listed.iter().filter(|one| is_meant(&one.batch)).collect();
        let [Listed { batch, taken_back }] = fitting.as_slice() else {
            let number = fitting.len();
            return refuse(format!(
                "{number} batches have a sum that begins with {sum:?} or are from such a file, and one is needed"
            ));
        };
        if let Some(time) = taken_back {
            return refuse(format!("the batch {sum} was taken back before, at {time}"));
        }
        let [source, source_sha256] = [(); 2].map(|()| String::new());
        let head = Head { added: clock::now_exact(), source, source_sha256, takes_back: Some(batch.sum.clone()) };
        write(&self.study, &head, &[]).map(|_| batch)
    }

    /// Moves the damaged files to a folder where nothing counts, and returns their new places.
    ///
    /// # Errors
    /// The file system refuses; what was not moved yet is where it was.
    pub fn set_aside(&self) -> Result<Vec<PathBuf>, StudyError> {
        self.damaged.iter().map(|file| move_aside(&self.study, file)).collect()
    }
}

/// Moves a file to the folder of those that do not count, under its name or one with a number behind it.
fn move_aside(study: &Path, file: &Path) -> Result<PathBuf, StudyError> {
    let folder = study.join(LABELS_FOLDER).join(SET_ASIDE);
    refuse_links(study, &folder)?;
    ensure_folder(&study.join(LABELS_FOLDER))?;
    ensure_folder(&folder)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (1_u64..).map(|number| folder.join(format!("{number}-{name}")));
    for place in std::iter::once(folder.join(&name)).chain(numbered) {
        if move_new_file(file, &place)? {
            return Ok(place);
        }
    }
    unreachable!("numbers do not end")
}

/// Writes a file of the store under the name that its bytes give it; that it is there already is as good.
fn write(study: &Path, head: &Head, labels: &[NewLabel]) -> Result<PathBuf, StudyError> {
    let folder = study.join(LABELS_FOLDER);
    refuse_links(study, &folder)?;
    let line = |text: serde_json::Result<String>| text.expect("plain text") + "\n";
    let mut text = line(serde_json::to_string(head));
    for NewLabel { id, annotator, value, given, .. } in labels {
        let [id, annotator, label, given] = [id, annotator, value, given].map(Clone::clone);
        text += &line(serde_json::to_string(&Row { id, annotator, label, given }));
    }
    let time: String = head.added.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
    let file = folder.join(format!("{time}-{}.jsonl", sum_of(text.as_bytes())));
    ensure_folder(&folder)?;
    if !write_new_file(&file, text.as_bytes())? && read_file(&file)? != text.as_bytes() {
        let reason = "this file was changed after it was written";
        return Err(Error::unfit(Place::file(&file), reason, "move it away with `study labels set-aside`").into());
    }
    Ok(file)
}

/// The content of a file with the right sum; `None` if it is none of this program's. Of labels those with the `ids`.
fn parse(file: &Path, sum: &str, bytes: &[u8], ids: Option<&HashSet<String>>) -> Option<Content> {
    let mut lines = std::str::from_utf8(bytes).ok()?.lines();
    let head: Head = serde_json::from_str(lines.next()?).ok()?;
    let Head { added, source, source_sha256: sha256, takes_back } = head;
    if let Some(sum) = takes_back {
        return lines.next().is_none().then_some(Content::TakesBack { sum, added });
    }
    // Compared before the line is parsed, which is what adding to many labels would wait for.
    let starts: Option<HashSet<String>> = ids.map(|ids| ids.iter().map(|id| start_of(id)).collect());
    let is_wanted = |text: &str| {
        let start = text.find("\"annotator\":").map(|end| &text[..end]);
        starts.as_ref().is_none_or(|starts| start.is_none_or(|start| starts.contains(start)))
    };
    let (mut labels, mut rows) = (0, vec![]);
    for (text, line) in lines.zip(2..) {
        labels += 1;
        if is_wanted(text) {
            let Row { id, annotator, label: value, given } = serde_json::from_str(text).ok()?;
            let place = Place::file(file).at_line(line).of_item(&id);
            rows.push(NewLabel { id, annotator, value, given, place });
        }
    }
    Some(Content::Labels(LabelBatch { added, source, sha256, labels, sum: sum.to_owned() }, rows))
}

/// How a line of a label of an item begins.
fn start_of(id: &str) -> String {
    format!("{{\"id\":{},", serde_json::to_string(id).expect("plain text"))
}

/// The names of the files in a folder, in order; none without the folder.
fn names(folder: &Path) -> Result<Vec<String>> {
    let unreadable = |source| Error::Unreadable { file: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        entries => entries.map_err(unreadable)?,
    };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<std::io::Result<Vec<_>>>().map_err(unreadable)?;
    names.sort();
    Ok(names)
}

/// The sum in which the name of a file ends: `TIME-SUM.jsonl`.
fn sum_in(name: &str) -> Option<String> {
    let (_, sum) = name.strip_suffix(".jsonl")?.rsplit_once('-')?;
    (sum.len() == 64 && sum.bytes().all(|c| c.is_ascii_hexdigit())).then(|| sum.to_ascii_lowercase())
}

/// Whether a file may be one of the store, also under a name that somebody changed.
fn may_be_ours(name: &str) -> bool {
    !name.starts_with('.') && (has_sum(name) || name.contains(".jsonl"))
}

fn has_sum(name: &str) -> bool {
    name.split(|c: char| !c.is_ascii_hexdigit()).any(|part| part.len() == 64)
}

/// SHA-256 of all bytes but carriage returns, which stand at ends of lines alone: JSON escapes others.
fn sum_of(bytes: &[u8]) -> String {
    if bytes.contains(&b'\r') {
        return sha256_hex(&bytes.iter().copied().filter(|c| *c != b'\r').collect::<Vec<_>>());
    }
    sha256_hex(bytes)
}

/// Whether the name of an input is one of added labels.
pub(crate) fn is_added(name: &str) -> bool {
    Path::new(name).file_name().and_then(|name| name.to_str()).is_some_and(|name| sum_in(name).is_some())
}

#[cfg(test)]
mod tests;

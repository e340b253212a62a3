//! What a log says, whatever tool wrote it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::{cell, needed, objects, without_constants};
use super::rows::{is_split, table};
use super::tokens::Answered;
use crate::encoding::unmarked;
use crate::error::{Error, Place, Result};
use crate::jsonl::utf8;
use crate::records::Records;
use judge_uncertainty_system::limits::{Allowance, RECORDS};

/// A log as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// What it says, in its order.
    pub records: Vec<LogRecord>,
    /// Where it comes from.
    pub provenance: LogFile,
}

/// A file of a log with what it states of itself, such as the tool that wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFile {
    /// SHA-256 of its bytes; blank of a log that was not read from a file.
    pub sha256: String,
    /// Name of the format.
    pub format: String,
    /// The tool.
    pub tool: String,
    /// The tool's version; `None` where the log does not state it.
    pub version: Option<String>,
    /// What else the log states of itself, such as the model or the task.
    pub stated: BTreeMap<String, String>,
}

/// What a log says of one item under one criterion and one variant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogRecord {
    /// File and line of the record.
    pub place: Place,
    /// The item, as the log names it.
    pub item: String,
    /// What of the item is meant, where the log has several outputs for it: an epoch, or a prompt and a model.
    pub part: Option<String>,
    /// The criterion, of a log that has several for an item.
    pub criterion: Option<String>,
    /// What the criterion asks, in the words that the judge was given.
    pub rubric: Option<String>,
    /// The variant of the prompt, or the model.
    pub variant: Option<String>,
    /// Of a verdict over two answers: whether they were shown in the other order. The verdict names the same answers in
    /// either.
    pub swapped: Option<bool>,
    /// Texts and other fields of the item, by name, in order; the records of an item share them.
    pub fields: Arc<Vec<(String, String)>>,
    /// The judge's answer; `None` for a record without one, such as a request or a human label.
    pub prediction: Option<LoggedAnswer>,
    /// What the judge wrote in addition to its answer, such as its reasons.
    pub said: Option<String>,
    /// What people said of the item.
    pub labels: Vec<HumanLabel>,
}

/// An answer of the judge.
#[derive(Debug, Clone, PartialEq)]
pub enum LoggedAnswer {
    /// It gave none that can be read.
    Failed,
    /// One label or score, as text.
    Label(String),
    /// A text whose tokens have log-probabilities.
    Tokens(Answered),
    /// Probabilities of labels; what is missing to 1 is mass elsewhere.
    Shares(Vec<(String, f64)>),
}

impl LoggedAnswer {
    /// One label or score; without it the answer failed.
    pub(super) fn of(label: Option<String>) -> Self {
        label.map_or(Self::Failed, Self::Label)
    }
}

/// A label that a person gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HumanLabel {
    /// Who.
    pub annotator: String,
    /// The label.
    pub value: String,
}

/// A file and what was read of it so far, held against its memory: every criterion of an item is a record with all fields.
#[derive(Debug)]
pub(super) struct Reading<'f> {
    pub(super) file: &'f Path,
    pub(super) bytes: &'f [u8],
    held: Allowance,
    pub(super) log: Log,
}

impl<'f> Reading<'f> {
    pub(super) fn new(file: &'f Path, bytes: &'f [u8], log: Log) -> Self {
        Self { file, bytes, held: Allowance::new(RECORDS.for_file(bytes.len() as u64)), log }
    }

    /// The text of the file, with `null` for Python's constants.
    pub(super) fn text(&self) -> Result<Cow<'f, str>> {
        Ok(without_constants(utf8(self.file, self.bytes)?))
    }

    /// The rows of the file, whatever their layout, with their places; the cells of CSV are texts.
    pub(super) fn rows(&self) -> Result<Vec<(Place, Value)>> {
        match unmarked(self.bytes).trim_ascii_start().first() {
            Some(b'{') if !is_split(self.bytes) => objects(self.file, &Records::of_lines(self.file, &self.text()?)),
            Some(b'[' | b'{') => objects(self.file, &Records::find(self.file, &self.text()?, None)?),
            _ => table(self.file, self.bytes),
        }
    }

    /// The objects of the list at `path` within the document that the file is, with their places.
    pub(super) fn list(&self, path: &str) -> Result<Vec<(Place, Value)>> {
        objects(self.file, &Records::find(self.file, &self.text()?, Some(path))?)
    }

    /// Adds a record.
    pub(super) fn push(&mut self, record: LogRecord) -> Result<()> {
        self.held.take(record.bytes()).map_err(Error::too_much(Place::file(self.file)))?;
        self.log.records.push(record);
        Ok(())
    }

    /// Notes what the log states of itself, as [`joined`]; nothing without a value.
    pub(super) fn state(&mut self, name: &str, values: impl IntoIterator<Item = String>) {
        self.log.provenance.stated.extend(joined(values).map(|values| (name.to_owned(), values)));
    }
}

/// Values behind one another, each once; `None` without any.
pub(super) fn joined(values: impl IntoIterator<Item = String>) -> Option<String> {
    let values: BTreeSet<String> = values.into_iter().collect();
    (!values.is_empty()).then(|| values.into_iter().collect::<Vec<_>>().join(", "))
}

impl Log {
    /// Records of a format and tool.
    pub fn new(format: &str, tool: &str, records: Vec<LogRecord>) -> Self {
        let provenance = LogFile { format: format.to_owned(), tool: tool.to_owned(), ..LogFile::default() };
        Self { records, provenance }
    }
}

impl LogRecord {
    /// A record of an item that says nothing more yet.
    pub fn new(place: Place, item: &str) -> Self {
        Self { place: place.of_item(item), item: item.to_owned(), ..Self::default() }
    }

    /// A record of the item whose id stands at a place of a row; errors call the id `what`.
    pub(super) fn of(place: &Place, row: &Value, pointer: &str, what: &str) -> Result<Self> {
        Ok(Self::new(place.clone(), &needed(place, row, pointer, what)?))
    }

    /// This item with the judge's answer under a criterion; without one the answer failed.
    pub(super) fn answered(&self, criterion: &str, label: Option<String>) -> Self {
        let (criterion, prediction) = (Some(criterion.to_owned()), Some(LoggedAnswer::of(label)));
        Self { criterion, prediction, ..self.clone() }
    }

    /// The fields, to be changed for this record alone.
    pub fn fields_mut(&mut self) -> &mut Vec<(String, String)> {
        Arc::make_mut(&mut self.fields)
    }

    /// Bytes of memory that a table with this record takes.
    pub(super) fn bytes(&self) -> u64 {
        let of_fields = self.fields.iter().map(|(name, value)| 48 + name.len() + value.len());
        let of_labels = self.labels.iter().map(|label| 48 + label.annotator.len() + label.value.len());
        let own = [&self.rubric, &self.said, &self.criterion, &self.variant].into_iter().flatten().map(String::len);
        512 + of_fields.chain(of_labels).chain(own).sum::<usize>() as u64
    }

    /// Adds a field.
    pub(super) fn put(&mut self, name: impl Into<String>, value: String) {
        self.fields_mut().push((name.into(), value));
    }

    /// Adds a field that the log has and that is not null.
    pub(super) fn put_present(&mut self, name: &str, value: Option<&Value>) {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            self.put(name, cell(value));
        }
    }

    /// Adds a field for each value within metadata, by its path, such as `metadata.topic`.
    pub(super) fn put_metadata(&mut self, metadata: Option<&Value>) {
        fn put(record: &mut LogRecord, path: &str, value: &Value) {
            match value.as_object() {
                Some(members) => {
                    members.iter().for_each(|(name, value)| put(record, &format!("{path}.{name}"), value));
                }
                None => record.put_present(path, Some(value)),
            }
        }
        if let Some(metadata @ Value::Object(_)) = metadata {
            put(self, "metadata", metadata);
        }
    }
}

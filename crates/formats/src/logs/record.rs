//! What a log says, whatever tool wrote it.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::cell;
use super::tokens::Answered;
use crate::archive::too_much;
use crate::error::{Place, Result};
use judge_uncertainty_system::limits::{Allowance, RECORDS};

/// A log as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// What it says, in its order.
    pub records: Vec<LogRecord>,
    /// Where it comes from.
    pub provenance: LogTool,
}

/// The tool that wrote a log, as the log states it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogTool {
    /// Name of the format.
    pub format: String,
    /// The tool.
    pub tool: String,
    /// The tool's version; `None` where the log does not state it.
    pub version: Option<String>,
    /// What else the log states of itself, such as the model or the task.
    pub stated: BTreeMap<String, String>,
}

/// A file of a log with what it states of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFile {
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// What it states.
    #[serde(flatten)]
    pub provenance: LogTool,
}

/// What a log says of one item under one criterion and one variant.
#[derive(Debug, Clone, PartialEq)]
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

/// The records of a file, held against the memory that they may take: every criterion of an item is a record with all its
/// fields.
#[derive(Debug)]
pub(super) struct Collected<'f> {
    file: &'f Path,
    held: Allowance,
    records: Vec<LogRecord>,
}

impl<'f> Collected<'f> {
    /// None yet, of a file of these bytes.
    pub(super) fn new(file: &'f Path, bytes: &[u8]) -> Self {
        Self { file, held: Allowance::new(RECORDS.for_file(bytes.len() as u64)), records: vec![] }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// The records take more memory than those of such a file may.
    pub(super) fn push(&mut self, record: LogRecord) -> Result<()> {
        self.held.take(record.bytes()).map_err(|exceeded| too_much(self.file, &exceeded))?;
        self.records.push(record);
        Ok(())
    }
}

impl Deref for Collected<'_> {
    type Target = [LogRecord];

    fn deref(&self) -> &[LogRecord] {
        &self.records
    }
}

impl From<Collected<'_>> for Vec<LogRecord> {
    fn from(collected: Collected<'_>) -> Self {
        collected.records
    }
}

impl Log {
    /// A log of a format and tool, with what it states of itself; `None` is left out.
    pub fn new(
        (format, tool): (&str, &str),
        version: Option<String>,
        stated: impl IntoIterator<Item = (&'static str, Option<String>)>,
        records: impl Into<Vec<LogRecord>>,
    ) -> Self {
        let stated = stated.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        let provenance = LogTool { format: format.to_owned(), tool: tool.to_owned(), version, stated };
        Self { records: records.into(), provenance }
    }
}

impl LogRecord {
    /// A record of an item that says nothing more yet.
    pub fn new(place: Place, item: &str) -> Self {
        Self {
            place: place.of_item(item),
            item: item.to_owned(),
            part: None,
            criterion: None,
            rubric: None,
            variant: None,
            swapped: None,
            fields: Arc::default(),
            prediction: None,
            said: None,
            labels: vec![],
        }
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

    /// Adds a field for each value within metadata, by its path, such as `metadata.topic`.
    pub(super) fn push_metadata(&mut self, metadata: Option<&Value>) {
        fn push(record: &mut LogRecord, path: &str, value: &Value) {
            match value {
                Value::Object(members) => {
                    members.iter().for_each(|(name, value)| push(record, &format!("{path}.{name}"), value));
                }
                value => record.push_field(path, Some(value)),
            }
        }
        if let Some(metadata @ Value::Object(_)) = metadata {
            push(self, "metadata", metadata);
        }
    }

    /// Adds a field that the log has and that is not null.
    pub(super) fn push_field(&mut self, name: &str, value: Option<&Value>) {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            self.fields_mut().push((name.to_owned(), cell(value)));
        }
    }
}

//! Platforms that store the scores of judges and of people for the same output in one list; a field says who gave a
//! score.
//!
//! | file | item | criterion | who |
//! |---|---|---|---|
//! | Langfuse: scores, as JSON, JSON Lines or CSV; a trace's download | trace and observation | `name` | `source` |
//! | Langfuse: traces and observations, in addition to a file of scores | as above | | none; they hold input and output |
//! | Phoenix: annotations of spans, as JSON Lines or CSV | `span_id` | `name` | `annotator_kind` |
//! | Phoenix: spans, in addition to a file of annotations | `context.span_id` | | none; they hold input and output |
//! | Braintrust: rows of an experiment | `id` | a key of `scores` | the judge |
//!
//! The judge is a `source` of `EVAL` or `API`, or an `annotator_kind` of `LLM` or `CODE`; people are `ANNOTATION` and
//! `HUMAN`. Fields are those of the platforms' documentation of 2026; Braintrust does not say which scores people gave.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::json::{cell, document, elements, first, joined, needed, plain_text, scalar, without_constants};
use super::known::LogFormat;
use super::record::{Collected, HumanLabel, Log, LogRecord, LoggedAnswer};
use super::rows::{LogStart, rows};
use crate::error::{Place, Result};
use crate::jsonl::utf8;

pub(super) const LANGFUSE: LogFormat = LogFormat {
    name: "langfuse",
    title: "Langfuse: scores, with traces or observations; or the download of a trace",
    is: is_langfuse,
    read: read_langfuse,
};
pub(super) const PHOENIX: LogFormat =
    LogFormat { name: "phoenix", title: "Phoenix: annotations, with spans", is: is_phoenix, read: read_phoenix };
pub(super) const BRAINTRUST: LogFormat = LogFormat {
    name: "braintrust",
    title: "Braintrust: rows of an experiment",
    is: is_braintrust,
    read: read_braintrust,
};

/// The first of several spellings of a field that is there and says something.
fn field<'v>(row: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().filter_map(|name| row.get(name)).find(|value| !value.is_null() && *value != "")
}

fn text(row: &Value, names: &[&str]) -> Option<String> {
    field(row, names).and_then(scalar)
}

const TRACE: [&str; 2] = ["trace_id", "traceId"];
const OBSERVATION: [&str; 2] = ["observation_id", "observationId"];
const DATA_TYPE: [&str; 2] = ["data_type", "dataType"];
const STRING: [&str; 2] = ["string_value", "stringValue"];

fn is_download(row: &Value) -> bool {
    row.get("scores").is_some_and(Value::is_array) && row.get("observations").is_some_and(Value::is_array)
}

fn is_langfuse(start: &LogStart) -> bool {
    let Some(row) = start.row() else { return false };
    let has = |names: &[&str]| names.iter().any(|name| row.get(name).is_some());
    let score = has(&TRACE) && has(&DATA_TYPE) && has(&["source"]) && has(&["name"]);
    let observation = has(&TRACE) && has(&["parent_observation_id", "parentObservationId", "start_time", "startTime"]);
    let trace = has(&["session_id", "sessionId"]) && has(&["id"]) && has(&["timestamp"]) && has(&["input"]);
    is_download(row) || score || observation || trace
}

fn read_langfuse(file: &Path, bytes: &[u8]) -> Result<Log> {
    let mut records = Collected::new(file, bytes);
    if first(bytes).as_ref().is_some_and(is_download) {
        let whole = document(file, &without_constants(utf8(file, bytes)?))?;
        let place = Place::file(file);
        let trace = whole.get("trace").unwrap_or(&whole);
        records.push(seen(&place, trace, needed(&place, trace, "/id", "the trace's id")?))?;
        let of_trace = |row: &Value| {
            let mut row = row.clone();
            if text(&row, &TRACE).is_none() {
                row["trace_id"] = trace["id"].clone();
            }
            row
        };
        for row in elements(&whole, "observations").iter().chain(elements(&whole, "scores")) {
            records.push(of_langfuse(&place, &of_trace(row))?)?;
        }
    } else {
        for (place, row) in rows(file, bytes)? {
            records.push(of_langfuse(&place, &row)?)?;
        }
    }
    Ok(Log::new((LANGFUSE.name, "Langfuse"), None, [], records))
}

fn of_langfuse(place: &Place, row: &Value) -> Result<LogRecord> {
    let Some(trace) = text(row, &TRACE) else {
        return Ok(seen(place, row, needed(place, row, "/id", "the trace's id")?));
    };
    if field(row, &DATA_TYPE).is_none() {
        let own = needed(place, row, "/id", "the observation's id")?;
        return Ok(seen(place, row, format!("{trace}/{own}")));
    }
    let item = text(row, &OBSERVATION).map_or_else(|| trace.clone(), |observation| format!("{trace}/{observation}"));
    let mut record = LogRecord::new(place.clone(), &item);
    record.criterion = Some(needed(&record.place, row, "/name", "the score's name")?);
    let categorical = text(row, &DATA_TYPE).is_some_and(|kind| kind == "CATEGORICAL");
    let value = if categorical { text(row, &STRING) } else { text(row, &["value"]).or_else(|| text(row, &STRING)) };
    let by = (text(row, &["source"]).as_deref() == Some("ANNOTATION"))
        .then(|| text(row, &["author_user_id", "authorUserId"]).unwrap_or_else(|| "langfuse".to_owned()));
    record.said = text(row, &["comment"]);
    given(&mut record, value, by);
    Ok(record)
}

/// What a person, or the judge, said.
fn given(record: &mut LogRecord, value: Option<String>, person: Option<String>) {
    let value = value.map(|value| plain_text(&value));
    match (person, value) {
        (Some(annotator), Some(value)) => record.labels.push(HumanLabel { annotator, value }),
        (Some(_), None) => {}
        (None, value) => record.prediction = Some(value.map_or(LoggedAnswer::Failed, LoggedAnswer::Label)),
    }
}

/// What the scores assess: an input and its output.
fn seen(place: &Place, row: &Value, item: String) -> LogRecord {
    let mut record = LogRecord::new(place.clone(), &item);
    let names = [("input", ["input", "attributes.input.value"]), ("output", ["output", "attributes.output.value"])];
    for (name, spellings) in names {
        record.fields_mut().push((name.to_owned(), field(row, &spellings).map(cell).unwrap_or_default()));
    }
    metadata(&mut record, row);
    record
}

/// The members of a row's metadata, which CSV holds as JSON.
fn metadata(record: &mut LogRecord, row: &Value) {
    for (name, value) in members(row.get("metadata")) {
        record.push_field(&format!("metadata.{name}"), Some(&value));
    }
}

fn members(value: Option<&Value>) -> Vec<(String, Value)> {
    let parsed = match value {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.cloned().unwrap_or(Value::Null),
    };
    match parsed {
        Value::Object(members) => members.into_iter().collect(),
        _ => vec![],
    }
}

const SPAN: [&str; 2] = ["context.span_id", "span_id"];

fn is_phoenix(start: &LogStart) -> bool {
    start.has_fields(&["span_id", "annotator_kind"]) || start.has_fields(&["context.span_id", "attributes.input.value"])
}

fn read_phoenix(file: &Path, bytes: &[u8]) -> Result<Log> {
    let mut records = Collected::new(file, bytes);
    for (place, row) in rows(file, bytes)? {
        let span = text(&row, &SPAN).map_or_else(|| needed(&place, &row, "/span_id", "the span's id"), Ok)?;
        if row.get("annotator_kind").is_none() {
            records.push(seen(&place, &row, span))?;
            continue;
        }
        let mut record = LogRecord::new(place, &span);
        let name = text(&row, &["annotation_name", "name"]);
        record.criterion =
            Some(name.map_or_else(|| needed(&record.place, &row, "/name", "the annotation's name"), Ok)?);
        let result = row.get("result").filter(|result| result.is_object()).unwrap_or(&row);
        let value = text(result, &["label"]).or_else(|| text(result, &["score"]));
        let human = text(&row, &["annotator_kind"]).as_deref() == Some("HUMAN");
        let by = human.then(|| text(&row, &["user_id", "identifier"]).unwrap_or_else(|| "phoenix".to_owned()));
        record.said = text(result, &["explanation"]);
        given(&mut record, value, by);
        records.push(record)?;
    }
    Ok(Log::new((PHOENIX.name, "Phoenix"), None, [], records))
}

fn is_braintrust(start: &LogStart) -> bool {
    start.has_fields(&["id", "input", "output", "scores"])
}

fn read_braintrust(file: &Path, bytes: &[u8]) -> Result<Log> {
    let rows = rows(file, bytes)?;
    let names: BTreeSet<String> =
        rows.iter().flat_map(|(_, row)| members(row.get("scores"))).map(|(name, _)| name).collect();
    let experiments = rows.iter().filter_map(|(_, row)| text(row, &["experiment_id"])).collect();
    let mut records = Collected::new(file, bytes);
    for (place, row) in &rows {
        // Spans within a row have no scores of their own.
        let scores: BTreeMap<String, Value> = members(row.get("scores")).into_iter().collect();
        if scores.is_empty() && row.get("is_root").is_some_and(|root| root == false || root == "false") {
            continue;
        }
        let mut record = seen(place, row, needed(place, row, "/id", "the row's id")?);
        record.push_field("expected", row.get("expected"));
        for name in &names {
            let score = scores.get(name).and_then(scalar);
            records.push(LogRecord {
                criterion: Some(name.clone()),
                prediction: Some(score.map_or(LoggedAnswer::Failed, LoggedAnswer::Label)),
                ..record.clone()
            })?;
        }
    }
    Ok(Log::new((BRAINTRUST.name, "Braintrust"), None, [("experiment", joined(experiments))], records))
}

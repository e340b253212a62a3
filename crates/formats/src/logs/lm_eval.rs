//! `samples_TASK_TIME.jsonl` of lm-evaluation-harness, as `--log_samples` writes them.
//!
//! An item is a document by its `doc_id`; name another id with `id = "doc.FIELD"`. The judge is the model that was
//! evaluated: of a multiple choice, the probabilities of the choices are proportional to the exponentials of their
//! log-likelihoods; of a generation, every response is an answer, as the filter left it. Filters are variants where
//! there are several. The tool states its version in the file of results, not in this one.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::json::{cell, elements, excerpt, joined, lines, needed};
use super::known::LogFormat;
use super::record::{Collected, Log, LogRecord, LoggedAnswer};
use crate::error::{Error, Place, Result};
use crate::jsonl::utf8;

pub(super) const FORMAT: LogFormat = LogFormat {
    name: "lm_eval",
    title: "lm-evaluation-harness: samples_*.jsonl",
    is: |start| start.has(&["/doc_id", "/doc", "/arguments", "/filtered_resps"]),
    read,
};

fn read(file: &Path, bytes: &[u8]) -> Result<Log> {
    let rows = lines(file, utf8(file, bytes)?)?;
    let filters: BTreeSet<String> = rows.iter().filter_map(|(_, row)| row.get("filter").map(cell)).collect();
    let mut records = Collected::new(file, bytes);
    for (place, row) in &rows {
        read_row(place, row, filters.len() > 1, &mut records)?;
    }
    let name = file.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let stated = [("file", name), ("filter", joined(filters))];
    Ok(Log::new((FORMAT.name, "lm-evaluation-harness"), None, stated, records))
}

fn read_row(place: &Place, row: &Value, filters: bool, records: &mut Collected<'_>) -> Result<()> {
    let id = needed(place, row, "/doc_id", "the document's id")?;
    let mut record = LogRecord::new(place.clone(), &id);
    record.variant = filters.then(|| row.get("filter").map(cell).unwrap_or_default());
    if let Some(prompt) = row.pointer("/arguments/gen_args_0/arg_0").map(cell) {
        record.fields_mut().push(("prompt".to_owned(), prompt));
    }
    if let Some(doc) = row.get("doc").and_then(Value::as_object) {
        record.fields_mut().extend(doc.iter().map(|(name, value)| (format!("doc.{name}"), cell(value))));
    }
    record.fields_mut().push(("target".to_owned(), row.get("target").map(cell).unwrap_or_default()));
    let responses = elements(row, "filtered_resps");
    if responses.is_empty() {
        let reason = "the row has no filtered_resps";
        return Err(Error::unfit(record.place, reason, "the file was edited: evaluate again with --log_samples"));
    }
    let place = record.place.clone();
    let push = |records: &mut Collected<'_>, prediction| {
        records.push(LogRecord { prediction: Some(prediction), ..record.clone() })
    };
    // A log-likelihood comes with whether it was the greedy choice.
    let pair = |response: &Value| response.as_array().is_some_and(|pair| pair.len() == 2 && is_truth(&pair[1]));
    if responses.iter().all(pair) {
        return push(records, choice(&place, row, responses)?);
    }
    for response in responses {
        let texts = match response {
            Value::Array(several) => several.as_slice(),
            one => std::slice::from_ref(one),
        };
        for text in texts {
            push(records, LoggedAnswer::of(Some(cell(text).trim().to_owned()).filter(|label| !label.is_empty())))?;
        }
    }
    Ok(())
}

fn is_truth(value: &Value) -> bool {
    value.is_boolean() || value.as_str().is_some_and(|text| ["True", "False"].contains(&text))
}

/// The shares of the choices: exp(log-likelihood), divided by their sum.
fn choice(place: &Place, row: &Value, responses: &[Value]) -> Result<LoggedAnswer> {
    let mut found = vec![];
    for (k, response) in responses.iter().enumerate() {
        let number = match &response[0] {
            Value::String(text) => text.parse().ok(),
            value => value.as_f64(),
        };
        let name = row.pointer(&format!("/arguments/gen_args_{k}/arg_1")).and_then(Value::as_str);
        let (Some(number), Some(name)) = (number.filter(|n: &f64| *n <= 0.0), name) else {
            let reason = format!("{} is not a log-likelihood of a choice", excerpt(response));
            let place = place.clone().in_field("filtered_resps");
            return Err(Error::unfit(place, reason, "the file was edited: evaluate again with --log_samples"));
        };
        found.push((name.trim().to_owned(), number));
    }
    let most = found.iter().map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max);
    if !most.is_finite() {
        return Ok(LoggedAnswer::Failed);
    }
    let sum: f64 = found.iter().map(|(_, log)| (log - most).exp()).sum();
    Ok(LoggedAnswer::Shares(found.into_iter().map(|(name, log)| (name, (log - most).exp() / sum)).collect()))
}

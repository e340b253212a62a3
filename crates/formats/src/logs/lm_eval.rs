//! `samples_TASK_TIME.jsonl` of lm-evaluation-harness, as `--log_samples` writes them.
//!
//! An item is a document by its `doc_id`; name another id with `id = "doc.FIELD"`. The judge is the model that was
//! evaluated: of a multiple choice, the probabilities of the choices are proportional to the exponentials of their
//! log-likelihoods; of a generation, every response is an answer, as the filter left it. Filters are variants where
//! there are several. The tool states its version in the file of results, not in this one.

use std::collections::BTreeSet;

use serde_json::Value;

use super::json::{cell, cell_at, elements, excerpt};
use super::record::{LogRecord, LoggedAnswer, Reading};
use crate::error::{Error, Place, Result};

pub(super) fn read(log: &mut Reading) -> Result<()> {
    let rows = log.rows()?;
    let filters: BTreeSet<String> = rows.iter().filter_map(|(_, row)| row.get("filter").map(cell)).collect();
    for (place, row) in &rows {
        read_row(place, row, filters.len() > 1, log)?;
    }
    log.state("file", log.file.file_name().and_then(|name| name.to_str()).map(str::to_owned));
    log.state("filter", filters);
    Ok(())
}

fn read_row(place: &Place, row: &Value, filters: bool, log: &mut Reading) -> Result<()> {
    let mut record = LogRecord::of(place, row, "/doc_id", "the document's id")?;
    record.variant = filters.then(|| cell_at(row, "/filter"));
    if let Some(prompt) = row.pointer("/arguments/gen_args_0/arg_0") {
        record.put("prompt", cell(prompt));
    }
    for (name, value) in row.get("doc").and_then(Value::as_object).into_iter().flatten() {
        record.put(format!("doc.{name}"), cell(value));
    }
    record.put("target", cell_at(row, "/target"));
    let responses = elements(row, "filtered_resps");
    if responses.is_empty() {
        let reason = "the row has no filtered_resps";
        return Err(Error::unfit(record.place, reason, "the file was edited: evaluate again with --log_samples"));
    }
    let place = record.place.clone();
    let mut push = |prediction| log.push(LogRecord { prediction: Some(prediction), ..record.clone() });
    // A log-likelihood comes with whether it was the greedy choice.
    let pair = |response: &Value| response.as_array().is_some_and(|pair| pair.len() == 2 && is_truth(&pair[1]));
    if responses.iter().all(pair) {
        return push(choice(&place, row, responses)?);
    }
    for response in responses {
        let texts = match response {
            Value::Array(several) => several.as_slice(),
            one => std::slice::from_ref(one),
        };
        for text in texts {
            push(LoggedAnswer::of(Some(cell(text).trim().to_owned()).filter(|label| !label.is_empty())))?;
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

//! Results of MLflow: `result_df` of an evaluation as CSV or JSON Lines, or the table `eval_results_table.json`.
//!
//! A row is an item: its `trace_id` or `request_id`, or else its number, from 1. A criterion is a metric with a score
//! for each row (`NAME/v1/score`, `NAME/score`, `NAME/value`); a blank is a failed answer. Columns with a judge's remarks
//! are left out.

use std::path::Path;

use serde_json::Value;

use super::json::{cell, plain_text, scalar};
use super::known::LogFormat;
use super::record::{Collected, Log, LogRecord, LoggedAnswer};
use super::rows::{LogStart, names, rows};
use crate::error::Result;

pub(super) const FORMAT: LogFormat =
    LogFormat { name: "mlflow", title: "MLflow: result_df as CSV or JSON Lines, or eval_results_table.json", is, read };

/// How columns of scores end, the longest first.
const SCORES: [&str; 4] = ["/v1/score", "/v2/score", "/score", "/value"];
/// Columns of the program's own that no annotator needs.
const OWN: [&str; 12] = [
    "trace_id",
    "request_id",
    "trace",
    "client_request_id",
    "state",
    "request_time",
    "execution_duration",
    "trace_metadata",
    "tags",
    "spans",
    "assessments",
    "token_count",
];
/// How columns of expectations begin.
const EXPECTED: [&str; 2] = ["expected_", "guidelines"];
const IDS: [&str; 2] = ["trace_id", "request_id"];

fn criterion(column: &str) -> Option<&str> {
    // What a sample expects is no score of its output.
    let score = |name: &&str| !name.is_empty() && !EXPECTED.iter().any(|start| name.starts_with(start));
    SCORES.iter().find_map(|end| column.strip_suffix(end)).filter(score)
}

fn is(start: &LogStart) -> bool {
    start.row().and_then(Value::as_object).is_some_and(|row| row.keys().any(|name| criterion(name).is_some()))
}

fn read(file: &Path, bytes: &[u8]) -> Result<Log> {
    let rows = rows(file, bytes)?;
    let names = names(&rows);
    let filled = |name: &str| rows.iter().filter_map(|(_, row)| row.get(name)).any(|value| !cell(value).is_empty());
    let criteria: Vec<(&str, &str)> = names
        .iter()
        .filter_map(|name| Some((criterion(name)?, name.as_str())))
        .filter(|(_, name)| filled(name))
        .collect();
    let is_field = |name: &str| {
        !OWN.contains(&name) && !criteria.iter().any(|(criterion, _)| name.starts_with(&format!("{criterion}/")))
    };
    let id = IDS.into_iter().find(|id| filled(id));
    let mut records = Collected::new(file, bytes);
    for (number, (place, row)) in rows.iter().enumerate() {
        let own = id.and_then(|id| row.get(id)).and_then(scalar);
        let mut record = LogRecord::new(place.clone(), &own.unwrap_or_else(|| (number + 1).to_string()));
        for name in names.iter().filter(|name| is_field(name)) {
            let own = if EXPECTED.iter().any(|start| name.starts_with(start)) { "reference" } else { name.as_str() };
            record.fields_mut().push((own.to_owned(), row.get(*name).map(cell).unwrap_or_default()));
        }
        for (criterion, column) in &criteria {
            let value = row.get(*column).and_then(scalar).filter(|text| !text.is_empty());
            // Beside `helpful/value` stands `helpful/rationale`, beside `helpful/v1/score` its `justification`.
            let stem = column.rsplit_once('/').map_or(*column, |(stem, _)| stem);
            let said = ["rationale", "justification"].iter().find_map(|end| row.get(format!("{stem}/{end}")));
            records.push(LogRecord {
                said: said.and_then(scalar),
                criterion: Some((*criterion).to_owned()),
                prediction: Some(value.map_or(LoggedAnswer::Failed, |value| LoggedAnswer::Label(plain_text(&value)))),
                ..record.clone()
            })?;
        }
    }
    Ok(Log::new((FORMAT.name, "MLflow"), None, [], records))
}

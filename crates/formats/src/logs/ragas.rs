//! Results of ragas: `result.to_pandas()` as CSV or as JSON Lines.
//!
//! Samples have no ids: an item is the number of its row, from 1, unless a column is named. A criterion is a column
//! that is not part of the sample and contains only numbers and blanks; a blank or `NaN` is a failed answer. The file
//! does not state a version.

use std::path::Path;

use serde_json::Value;

use super::json::{cell, excerpt, scalar};
use super::known::LogFormat;
use super::record::{Collected, Log, LogRecord, LoggedAnswer};
use super::rows::{LogStart, names, rows};
use crate::error::{Error, Place, Result};

pub(super) const FORMAT: LogFormat =
    LogFormat { name: "ragas", title: "ragas: results as CSV or JSON Lines, from to_pandas()", is, read };

/// The columns of ragas' samples.
const SAMPLE: [&str; 11] = [
    "user_input",
    "retrieved_contexts",
    "reference_contexts",
    "retrieved_context_ids",
    "reference_context_ids",
    "response",
    "multi_responses",
    "reference",
    "rubrics",
    "persona_name",
    "query_style",
];

fn is(start: &LogStart) -> bool {
    start.has_fields(&["user_input"])
}

fn read(file: &Path, bytes: &[u8]) -> Result<Log> {
    let rows = rows(file, bytes)?;
    let names = names(&rows);
    let number = |value: &Value| match value {
        Value::Null | Value::Number(_) => true,
        Value::String(text) => text.is_empty() || text.parse::<f64>().is_ok(),
        _ => false,
    };
    let is_criterion = |name: &&&String| {
        let values: Vec<&Value> = rows.iter().filter_map(|(_, row)| row.get(name.as_str())).collect();
        !SAMPLE.contains(&name.as_str())
            && values.iter().all(|value| number(value))
            && values.iter().any(|value| !cell(value).is_empty())
    };
    let criteria: Vec<&String> = names.iter().filter(is_criterion).copied().collect();
    if criteria.is_empty() {
        let found = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        let reason = format!("no column holds scores; there are {found}");
        return Err(Error::unfit(Place::file(file), reason, "export the result of evaluate(), not the data set"));
    }
    let mut records = Collected::new(file, bytes);
    for (number, (place, row)) in rows.iter().enumerate() {
        let mut record = LogRecord::new(place.clone(), &(number + 1).to_string());
        let fields = names.iter().filter(|name| !criteria.contains(name));
        *record.fields_mut() =
            fields.map(|name| (name.to_string(), row.get(*name).map(cell).unwrap_or_default())).collect();
        for criterion in &criteria {
            records.push(LogRecord {
                criterion: Some((*criterion).clone()),
                prediction: Some(score(place, criterion, row.get(*criterion))?),
                ..record.clone()
            })?;
        }
    }
    Ok(Log::new((FORMAT.name, "ragas"), None, [], records))
}

fn score(place: &Place, criterion: &str, value: Option<&Value>) -> Result<LoggedAnswer> {
    let Some(text) = value.and_then(scalar).filter(|text| !text.is_empty()) else { return Ok(LoggedAnswer::Failed) };
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(LoggedAnswer::Label(number.to_string())),
        Ok(_) => Ok(LoggedAnswer::Failed),
        Err(_) => {
            let reason = format!("{} is not a score", excerpt(&Value::from(text)));
            Err(Error::unfit(place.clone().in_field(criterion), reason, "write a number, or nothing for none"))
        }
    }
}

//! Results of deepeval: `test_run_*.json` in the folder that `DEEPEVAL_RESULTS_FOLDER` names.
//!
//! An item is a test case by its `name` (by default `test_case_N`), a criterion a metric, the answer its score, 0 to 1. A
//! metric with an error is a failed answer. The file states no version.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::format::Format;
use super::json::{cell, first, list, needed, scalar, utf8, without_constants};
use super::record::{Log, Prediction, Provenance, Record};
use crate::error::Result;

pub(super) const FORMAT: Format = Format { name: "deepeval", title: "deepeval: test_run_*.json", is, read };

fn is(_file: &Path, bytes: &[u8]) -> bool {
    first(bytes).is_some_and(|log| log.get("testCases").is_some() && log.get("metricsScores").is_some())
}

fn read(file: &Path, bytes: &[u8]) -> Result<Log> {
    let text = without_constants(utf8(file, bytes)?);
    let cases = list(file, &text, &["testCases"])?;
    let mut records = vec![];
    let mut models = BTreeSet::new();
    for (place, case) in &cases {
        let id = needed(place, case, "/name", "the name of the test case")?;
        let mut record = Record::of(place.clone(), &id);
        let texts = [
            ("input", "/input"),
            ("output", "/actualOutput"),
            ("expected_output", "/expectedOutput"),
            ("context", "/context"),
            ("retrieval_context", "/retrievalContext"),
        ];
        for (name, pointer) in texts {
            if let Some(value) = case.pointer(pointer).filter(|value| !value.is_null()) {
                record.fields.push((name.to_owned(), cell(value)));
            }
        }
        let none = vec![];
        for metric in case.get("metricsData").and_then(Value::as_array).unwrap_or(&none) {
            let name = needed(&record.place, metric, "/name", "the name of a metric")?;
            models.extend(metric.get("evaluationModel").and_then(scalar));
            let failed = metric.get("error").is_some_and(|error| !error.is_null());
            let score = metric.get("score").and_then(scalar).filter(|_| !failed);
            records.push(Record {
                criterion: Some(name),
                prediction: Some(score.map_or(Prediction::Failed, Prediction::Label)),
                ..record.clone()
            });
        }
    }
    let mut stated = std::collections::BTreeMap::new();
    if !models.is_empty() {
        stated.insert("model".to_owned(), models.into_iter().collect::<Vec<_>>().join(", "));
    }
    let provenance = Provenance { format: FORMAT.name.to_owned(), tool: "deepeval".to_owned(), version: None, stated };
    Ok(Log { records, provenance })
}

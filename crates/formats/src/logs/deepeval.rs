//! Results of deepeval: `test_run_*.json` in the folder that `DEEPEVAL_RESULTS_FOLDER` names.
//!
//! An item is a test case by its `name` (by default `test_case_N`), a criterion a metric, the answer its score, 0 to 1.
//! A metric with an error is a failed answer. The file states no version.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::json::{elements, joined, list, needed, present, scalar, without_constants};
use super::known::LogFormat;
use super::record::{Collected, Log, LogRecord, LoggedAnswer};
use super::rows::LogStart;
use crate::error::Result;
use crate::jsonl::utf8;

pub(super) const FORMAT: LogFormat = LogFormat { name: "deepeval", title: "deepeval: test_run_*.json", is, read };

fn is(start: &LogStart) -> bool {
    start.has(&["/testCases", "/metricsScores"])
}

fn read(file: &Path, bytes: &[u8]) -> Result<Log> {
    let text = without_constants(utf8(file, bytes)?);
    let cases = list(file, &text, &["testCases"])?;
    let mut records = Collected::new(file, bytes);
    let mut models = BTreeSet::new();
    for (place, case) in &cases {
        let id = needed(place, case, "/name", "the name of the test case")?;
        let mut record = LogRecord::new(place.clone(), &id);
        let texts = [
            ("input", "input"),
            ("output", "actualOutput"),
            ("expected_output", "expectedOutput"),
            ("context", "context"),
            ("retrieval_context", "retrievalContext"),
        ];
        for (name, field) in texts {
            record.push_field(name, case.get(field));
        }
        for metric in elements(case, "metricsData") {
            let name = needed(&record.place, metric, "/name", "the name of a metric")?;
            models.extend(metric.get("evaluationModel").and_then(scalar));
            let score = metric.get("score").and_then(scalar).filter(|_| !present(metric, "error"));
            records.push(LogRecord {
                criterion: Some(name),
                rubric: metric.get("verboseLogs").and_then(Value::as_str).and_then(criteria),
                said: metric.get("reason").and_then(scalar),
                prediction: Some(score.map_or(LoggedAnswer::Failed, LoggedAnswer::Label)),
                ..record.clone()
            })?;
        }
    }
    Ok(Log::new((FORMAT.name, "deepeval"), None, [("model", joined(models))], records))
}

/// The criteria and evaluation steps of a metric with criteria of its own, from its verbose logs.
fn criteria(logs: &str) -> Option<String> {
    let (_, rest) = logs.split_once("Criteria:\n")?;
    let (criteria, rest) = rest.split_once("\n \nEvaluation Steps:\n")?;
    let steps = rest.split_once("\n \n").and_then(|(steps, _)| serde_json::from_str::<Vec<String>>(steps).ok());
    let asked = [criteria.trim()].into_iter().filter(|text| !matches!(*text, "" | "None"));
    let lines: Vec<String> = asked.map(str::to_owned).chain(steps.unwrap_or_default()).collect();
    Some(lines.join("\n")).filter(|text| !text.is_empty())
}

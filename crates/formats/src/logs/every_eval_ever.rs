//! Samples in the schema of Every Eval Ever: `*_samples.jsonl`, one record per sample and result.
//!
//! An item is a `sample_id`, a variant a `model_id`, a criterion an `evaluation_name` (with its `evaluation_result_id`,
//! where there are several of one name). The answer is what was extracted from the output; of a sample that a judge
//! graded (`extraction_method` is `llm_judge`) it is the score. A sample with an error is a failed answer. The version
//! is that of the schema.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::json::{cell, elements, joined, joined_cells, lines, needed, present, scalar, without_constants};
use super::known::LogFormat;
use super::record::{Collected, Log, LogRecord, LoggedAnswer};
use super::rows::LogStart;
use crate::error::Result;
use crate::jsonl::utf8;

pub(super) const FORMAT: LogFormat =
    LogFormat { name: "every_eval_ever", title: "Every Eval Ever: *_samples.jsonl", is, read };

fn is(start: &LogStart) -> bool {
    start.has(&["/schema_version", "/sample_id", "/evaluation", "/answer_attribution"])
}

fn read(file: &Path, bytes: &[u8]) -> Result<Log> {
    let rows = lines(file, &without_constants(utf8(file, bytes)?))?;
    let of = |pointer: &str| rows.iter().filter_map(|(_, row)| row.pointer(pointer).and_then(scalar)).collect();
    let (versions, models): (BTreeSet<String>, BTreeSet<String>) = (of("/schema_version"), of("/model_id"));
    let names =
        rows.iter().map(|(_, row)| (row.get("evaluation_name").map(cell), row.get("evaluation_result_id").map(cell)));
    let mut results: BTreeMap<Option<String>, BTreeSet<Option<String>>> = BTreeMap::new();
    names.for_each(|(name, result)| {
        results.entry(name).or_default().insert(result);
    });
    let mut records = Collected::new(file, bytes);
    for (place, row) in &rows {
        let id = needed(place, row, "/sample_id", "the sample's id")?;
        let mut record = LogRecord::new(place.clone(), &id);
        let name = needed(&record.place, row, "/evaluation_name", "the name of the evaluation")?;
        let several = results.get(&Some(name.clone())).is_some_and(|results| results.len() > 1);
        let result = row.get("evaluation_result_id").map(cell).filter(|_| several);
        record.criterion = Some(result.map_or(name.clone(), |result| format!("{name} {result}")));
        record.variant = Some(needed(&record.place, row, "/model_id", "the model's id")?);
        record.fields_mut().push(("input".to_owned(), row.pointer("/input/raw").map(cell).unwrap_or_default()));
        record.push_field("choices", row.pointer("/input/choices"));
        let reference = joined_cells(row.pointer("/input/reference"), "\n");
        record.fields_mut().push(("reference".to_owned(), reference));
        record.prediction = Some(answer(row));
        records.push(record)?;
    }
    Ok(Log::new((FORMAT.name, "every_eval_ever"), joined(versions), [("model", joined(models))], records))
}

fn answer(row: &Value) -> LoggedAnswer {
    if present(row, "error") {
        return LoggedAnswer::Failed;
    }
    let parts = elements(row, "answer_attribution");
    let last = parts.iter().rfind(|part| part.get("is_terminal").and_then(Value::as_bool) == Some(true));
    let judged = last.and_then(|part| part.get("extraction_method")).and_then(Value::as_str) == Some("llm_judge");
    let value = match last {
        Some(part) if !judged => part.get("extracted_value").and_then(scalar),
        _ => row.pointer("/evaluation/score").and_then(scalar),
    };
    let value = value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    value.map_or(LoggedAnswer::Failed, LoggedAnswer::Label)
}

//! Data sets of JUDGE-BENCH: people's labels of instances under several metrics, with what models answered.
//!
//! An item is an instance by its `id`, a criterion a metric, a variant a model. An annotator is a position in
//! `individual_human_scores`; without that field, `majority_human` is the one human label.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::json::{cell, elements, list, needed, scalar, without_constants};
use super::known::LogFormat;
use super::record::{Collected, HumanLabel, Log, LogRecord, LoggedAnswer};
use super::rows::LogStart;
use crate::error::Result;
use crate::jsonl::utf8;

pub(super) const FORMAT: LogFormat =
    LogFormat { name: "judge_bench", title: "JUDGE-BENCH: a data set as JSON", is, read };

/// What of a metric is about people.
const PEOPLE: &str = "human";

fn is(start: &LogStart) -> bool {
    start.has(&["/instances/0/id", "/instances/0/annotations"])
}

fn read(file: &Path, bytes: &[u8]) -> Result<Log> {
    let text = without_constants(utf8(file, bytes)?);
    let metrics = list(file, &text, &["annotations"]).unwrap_or_default();
    let asked = |(_, metric): &(_, Value)| {
        Some((metric.get("metric").and_then(scalar)?, metric.get("prompt").and_then(scalar)?))
    };
    let rubrics: BTreeMap<String, String> = metrics.iter().filter_map(asked).collect();
    let mut records = Collected::new(file, bytes);
    for (place, instance) in &list(file, &text, &["instances"])? {
        let id = needed(place, instance, "/id", "the id of the instance")?;
        let mut record = LogRecord::new(place.clone(), &id);
        match instance.get("instance") {
            Some(Value::Object(parts)) => parts.iter().for_each(|(name, part)| record.push_field(name, Some(part))),
            other => record.push_field("instance", other),
        }
        for (metric, said) in instance.get("annotations").and_then(Value::as_object).into_iter().flatten() {
            let rubric = rubrics.get(metric).cloned();
            let mut one = LogRecord { criterion: Some(metric.clone()), rubric, ..record.clone() };
            one.labels = people(said);
            let answers = said.as_object().into_iter().flatten().filter(|(name, _)| !name.contains(PEOPLE));
            let before = records.len();
            for (model, answer) in answers {
                let answer = answer.get("response").or_else(|| answer.get("answer")).unwrap_or(answer);
                let answer = scalar(answer).map(|answer| answer.trim().to_owned()).filter(|answer| !answer.is_empty());
                records.push(LogRecord {
                    variant: Some(model.clone()),
                    prediction: Some(answer.map_or(LoggedAnswer::Failed, LoggedAnswer::Label)),
                    // Once for all models.
                    labels: if records.len() == before { one.labels.clone() } else { vec![] },
                    ..one.clone()
                })?;
            }
            if records.len() == before {
                records.push(one)?;
            }
        }
    }
    Ok(Log::new((FORMAT.name, "JUDGE-BENCH"), None, [], records))
}

/// The labels of people under a metric.
fn people(said: &Value) -> Vec<HumanLabel> {
    let label = |annotator: String, value: &Value| HumanLabel { annotator, value: cell(value) };
    let each = elements(said, "individual_human_scores").iter().zip(1..);
    let mut labels: Vec<HumanLabel> = each.map(|(value, k)| label(format!("human {k}"), value)).collect();
    if labels.is_empty() {
        labels.extend(said.get("majority_human").map(|value| label("majority".to_owned(), value)));
    }
    labels.retain(|label| !label.value.trim().is_empty());
    labels
}

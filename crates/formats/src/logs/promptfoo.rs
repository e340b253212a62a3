//! Results of promptfoo, as `promptfoo eval -o results.json` writes them.
//!
//! Where assertions are graded by a model, that model is the judge and the output the item: the number of the test
//! (`testIdx`), with prompt and provider where there are several, and a criterion for each such assertion; the answer
//! is its score. Otherwise the provider is the judge, the test the item, prompts and providers are variants, and the
//! answer is the output. Name another id with `id = "vars.FIELD"`. Ratings that people gave on promptfoo's page are
//! human labels.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::format::Format;
use super::json::{cell, document, has, list, needed, scalar};
use super::record::{HumanLabel, Log, Prediction, Record};
use crate::error::Result;
use crate::jsonl::utf8;

pub(super) const FORMAT: Format = Format { name: "promptfoo", title: "promptfoo: results as JSON", is, read };

/// Assertions that a model grades.
const GRADED: [&str; 16] = [
    "llm-rubric",
    "agent-rubric",
    "g-eval",
    "model-graded-closedqa",
    "model-graded-factuality",
    "factuality",
    "answer-relevance",
    "context-faithfulness",
    "context-recall",
    "context-relevance",
    "conversation-relevance",
    "pi",
    "search-rubric",
    "trajectory:goal-success",
    "select-best",
    "max-score",
];

fn is(_file: &Path, bytes: &[u8]) -> bool {
    has(bytes, &["/evalId", "/results/results"])
}

fn read(file: &Path, bytes: &[u8]) -> Result<Log> {
    let text = utf8(file, bytes)?;
    let header = document(file, text)?;
    let rows = list(file, text, &["results", "results"])?;
    let text_of = |row: &Value, pointer: &str| row.pointer(pointer).map(cell).unwrap_or_default();
    let provider = |row: &Value| match row.get("provider") {
        Some(Value::Object(provider)) => {
            let label = provider.get("label").map(cell).filter(|label| !label.is_empty());
            label.or_else(|| provider.get("id").map(cell)).unwrap_or_default()
        }
        other => other.map(cell).unwrap_or_default(),
    };
    let prompt = |row: &Value| {
        let label = text_of(row, "/prompt/label");
        if label.is_empty() || label == text_of(row, "/prompt/raw") { text_of(row, "/promptIdx") } else { label }
    };
    let prompts: BTreeSet<String> = rows.iter().map(|(_, row)| prompt(row)).collect();
    let providers: BTreeSet<String> = rows.iter().map(|(_, row)| provider(row)).collect();
    let criteria: BTreeSet<String> = rows.iter().flat_map(|(_, row)| graded(row)).map(|(name, _)| name).collect();
    let mut records = vec![];
    for (place, row) in &rows {
        let id = needed(place, row, "/testIdx", "the number of the test")?;
        let mut record = Record::new(place.clone(), &id);
        if let Some(vars) = row.get("vars").and_then(Value::as_object) {
            record.fields.extend(vars.iter().map(|(name, value)| (format!("vars.{name}"), cell(value))));
        }
        let own = [(prompts.len(), prompt(row)), (providers.len(), provider(row))];
        let names: Vec<String> = own.into_iter().filter(|(several, _)| *several > 1).map(|(_, name)| name).collect();
        let name = (!names.is_empty()).then(|| names.join(" "));
        let output = row.pointer("/response/output").map(cell).unwrap_or_default();
        if !criteria.is_empty() {
            record.part = name;
            record.fields.push(("output".to_owned(), output));
            read_graded(&record, row, &criteria, &mut records);
        } else {
            record.variant = name;
            let label = output.trim();
            let prediction = if label.is_empty() { Prediction::Failed } else { Prediction::Label(label.to_owned()) };
            records.push(Record { prediction: Some(prediction), labels: people(row), ..record });
        }
    }
    let at = |pointer: &str| header.pointer(pointer).and_then(scalar);
    let stated = [
        ("evalId", at("/evalId")),
        ("evaluationCreatedAt", at("/metadata/evaluationCreatedAt")),
        ("description", at("/config/description")),
    ];
    Ok(Log::new((FORMAT.name, "promptfoo"), at("/metadata/promptfooVersion"), stated, records))
}

fn components(row: &Value) -> impl Iterator<Item = &Value> {
    row.pointer("/gradingResult/componentResults").and_then(Value::as_array).into_iter().flatten()
}

fn kind(component: &Value) -> &str {
    component.pointer("/assertion/type").and_then(Value::as_str).unwrap_or_default()
}

fn is_graded(component: &Value) -> bool {
    GRADED.contains(&kind(component).trim_start_matches("not-"))
}

/// What people said on promptfoo's page; they are not named there.
fn people(row: &Value) -> Vec<HumanLabel> {
    let human = components(row).filter(|component| kind(component) == "human");
    let value = |component: &Value| component.get("score").or(component.get("pass")).and_then(scalar);
    human.filter_map(value).map(|value| HumanLabel { annotator: "promptfoo".to_owned(), value }).collect()
}

/// The assertions of a row that a model graded, by their criteria.
fn graded(row: &Value) -> Vec<(String, &Value)> {
    let graded = components(row).filter(|component| is_graded(component)).enumerate();
    // Criteria without a name of their own are told apart by their kind and number.
    let name = |(number, component): (usize, _)| {
        let named = Value::pointer(component, "/assertion/metric").and_then(scalar);
        (named.unwrap_or_else(|| format!("{} {}", kind(component), number + 1)), component)
    };
    graded.map(name).collect()
}

/// A criterion that was not graded, such as of an output that was none, has a failed answer.
fn read_graded(record: &Record, row: &Value, criteria: &BTreeSet<String>, records: &mut Vec<Record>) {
    let graded = graded(row);
    for criterion in criteria {
        let component = graded.iter().find(|(name, _)| name == criterion).map(|(_, component)| component);
        let score = component.and_then(|component| component.get("score")).and_then(scalar);
        records.push(Record {
            criterion: Some(criterion.clone()),
            prediction: Some(score.map_or(Prediction::Failed, Prediction::Label)),
            labels: if criteria.len() == 1 { people(row) } else { vec![] },
            ..record.clone()
        });
    }
}

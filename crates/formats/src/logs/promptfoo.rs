//! Results of promptfoo, as `promptfoo eval -o results.json`, `.jsonl` or `.csv` writes them.
//!
//! Where assertions are graded by a model, that model is the judge and the output the item: the number of the test
//! (`testIdx`), with prompt and provider where there are several, and a criterion for each such assertion; the answer
//! is its score. Otherwise the provider is the judge, the test the item, prompts and providers are variants, and the
//! answer is the output. Name another id with `id = "vars.FIELD"`. Ratings that people gave on promptfoo's page are
//! human labels.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use super::json::{cell, lines, list, needed, plain_text, scalar, without};
use super::known::LogFormat;
use super::record::{Collected, HumanLabel, Log, LogRecord, LoggedAnswer};
use super::rows::cells;
use crate::batches::csv::first;
use crate::encoding::MARK;
use crate::error::{Place, Result};
use crate::jsonl::utf8;

pub(super) const FORMAT: LogFormat = LogFormat {
    name: "promptfoo",
    title: "promptfoo: results as JSON",
    is: |start| start.has(&["/evalId", "/results/results"]),
    read,
};

/// Assertions that a model grades.
const GRADED: &str = "llm-rubric agent-rubric g-eval model-graded-closedqa model-graded-factuality factuality answer-relevance context-faithfulness \
                      context-recall context-relevance conversation-relevance pi search-rubric trajectory:goal-success select-best max-score";

/// A longer label of a prompt is a text, not a name.
const MOST_OF_LABEL: usize = 60;

pub(super) const LINES: LogFormat = LogFormat {
    name: "promptfoo_lines",
    title: "promptfoo: results as JSON Lines",
    is: |start| start.has(&["/promptIdx", "/testIdx", "/success", "/testCase"]),
    read: read_lines,
};
pub(super) const TABLE: LogFormat = LogFormat {
    name: "promptfoo_table",
    title: "promptfoo: results as CSV",
    is: |start| !outputs(&first(start.bytes.strip_prefix(MARK).unwrap_or(start.bytes), b',')).is_empty(),
    read: read_table,
};

/// The column of the CSV behind each column of outputs, with `PASS`, `FAIL` or `ERROR`.
const STATUS: &str = "Status";
/// How the columns begin that hold an output's score under an assertion with a name.
const METRIC: &str = "Metric: ";

/// Columns of outputs, `[PROVIDER] PROMPT`.
fn outputs(header: &[String]) -> Vec<usize> {
    let is = |&k: &usize| header[k].starts_with('[') && header.get(k + 1).is_some_and(|next| next == STATUS);
    (0..header.len()).filter(is).collect()
}

fn read(file: &Path, bytes: &[u8]) -> Result<Log> {
    let text = utf8(file, bytes)?;
    let header = without(file, text, "results")?;
    let records = records(Collected::new(file, bytes), &list(file, text, &["results", "results"])?)?;
    let at = |pointer: &str| header.pointer(pointer).and_then(scalar);
    let stated = [
        ("evalId", at("/evalId")),
        ("evaluationCreatedAt", at("/metadata/evaluationCreatedAt")),
        ("description", at("/config/description")),
    ];
    Ok(Log::new((FORMAT.name, "promptfoo"), at("/metadata/promptfooVersion"), stated, records))
}

fn read_lines(file: &Path, bytes: &[u8]) -> Result<Log> {
    let rows = lines(file, utf8(file, bytes)?)?;
    let eval = rows.first().and_then(|(_, row)| row.get("evalId")).and_then(scalar);
    Ok(Log::new((LINES.name, "promptfoo"), None, [("evalId", eval)], records(Collected::new(file, bytes), &rows)?))
}

/// A row is a test, a column of outputs a prompt and provider. Criteria are the named assertions, with their scores;
/// without any the answer is whether the output passed.
fn read_table(file: &Path, bytes: &[u8]) -> Result<Log> {
    let (header, rows) = cells(file, utf8(file, bytes)?)?;
    let outputs = outputs(&header);
    let vars = outputs.first().copied().unwrap_or_default();
    let mut records = Collected::new(file, bytes);
    for (number, (place, row)) in rows.iter().enumerate() {
        let mut record = LogRecord::new(place.clone(), &number.to_string());
        *record.fields_mut() = (0..vars).map(|k| (format!("vars.{}", &header[k]), row[k].to_owned())).collect();
        for (k, &at) in outputs.iter().enumerate() {
            let end = outputs.get(k + 1).copied().unwrap_or(header.len());
            let mut one = LogRecord { part: (outputs.len() > 1).then(|| k.to_string()), ..record.clone() };
            one.fields_mut().push(("output".to_owned(), row[at].to_owned()));
            let passed = ["FAIL", "PASS"].iter().position(|status| *status == row[at + 1]).map(|passed| passed == 1);
            let metrics: Vec<usize> = (at..end).filter(|&column| header[column].starts_with(METRIC)).collect();
            for &column in &metrics {
                let score = Some(plain_text(&row[column])).filter(|score| !score.is_empty() && passed.is_some());
                records.push(one.answered(&header[column][METRIC.len()..], score))?;
            }
            if metrics.is_empty() {
                let word = passed.map(|passed| if passed { "pass" } else { "fail" }.to_owned());
                records.push(LogRecord { prediction: Some(LoggedAnswer::of(word)), ..one })?;
            }
        }
    }
    Ok(Log::new((TABLE.name, "promptfoo"), None, [], records))
}

/// What the rows of results say.
fn records<'f>(mut records: Collected<'f>, rows: &[(Place, Value)]) -> Result<Collected<'f>> {
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
        // A prompt without a label of its own is labelled with its whole template.
        let own = label != text_of(row, "/prompt/raw") && !label.contains("{{") && !label.contains('\n');
        if own && (1..=MOST_OF_LABEL).contains(&label.len()) { label } else { text_of(row, "/promptIdx") }
    };
    let prompts: BTreeSet<String> = rows.iter().map(|(_, row)| prompt(row)).collect();
    let providers: BTreeSet<String> = rows.iter().map(|(_, row)| provider(row)).collect();
    let criteria: BTreeSet<String> = rows.iter().flat_map(|(_, row)| graded(row)).map(|(name, _)| name).collect();
    for (place, row) in rows {
        let id = needed(place, row, "/testIdx", "the number of the test")?;
        let mut record = LogRecord::new(place.clone(), &id);
        if let Some(vars) = vars(row) {
            record.fields_mut().extend(vars.iter().map(|(name, value)| (format!("vars.{name}"), cell(value))));
        }
        record.push_metadata(row.pointer("/testCase/metadata"));
        let own = [(prompts.len(), prompt(row)), (providers.len(), provider(row))];
        let names: Vec<String> = own.into_iter().filter(|(several, _)| *several > 1).map(|(_, name)| name).collect();
        let name = (!names.is_empty()).then(|| names.join(" "));
        let output = row.pointer("/response/output").map(cell).unwrap_or_default();
        if !criteria.is_empty() {
            record.part = name;
            record.fields_mut().push(("output".to_owned(), output));
            read_graded(&record, row, &criteria, &mut records)?;
        } else {
            record.variant = name;
            let label = Some(output.trim().to_owned()).filter(|label| !label.is_empty());
            records.push(LogRecord { prediction: Some(LoggedAnswer::of(label)), labels: people(row), ..record })?;
        }
    }
    Ok(records)
}

fn components(row: &Value) -> impl Iterator<Item = &Value> {
    row.pointer("/gradingResult/componentResults").and_then(Value::as_array).into_iter().flatten()
}

fn kind(component: &Value) -> &str {
    component.pointer("/assertion/type").and_then(Value::as_str).unwrap_or_default()
}

fn is_graded(component: &Value) -> bool {
    GRADED.split(' ').any(|graded| graded == kind(component).trim_start_matches("not-"))
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
fn read_graded(
    record: &LogRecord,
    row: &Value,
    criteria: &BTreeSet<String>,
    records: &mut Collected<'_>,
) -> Result<()> {
    let graded: BTreeMap<String, &Value> = graded(row).into_iter().rev().collect();
    for criterion in criteria {
        let component = graded.get(criterion).copied();
        let score = component.and_then(|component| component.get("score")).and_then(scalar);
        records.push(LogRecord {
            rubric: component.and_then(|component| rubric(row, component)),
            said: component.and_then(|component| component.get("reason")).and_then(scalar),
            labels: if criteria.len() == 1 { people(row) } else { vec![] },
            ..record.answered(criterion, score)
        })?;
    }
    Ok(())
}

/// The variables of a test.
fn vars(row: &Value) -> Option<&Map<String, Value>> {
    row.get("vars").or_else(|| row.pointer("/testCase/vars")).and_then(Value::as_object)
}

/// What an assertion asks, with the variables of its test filled in.
fn rubric(row: &Value, component: &Value) -> Option<String> {
    let text = component.pointer("/assertion/value").and_then(scalar)?;
    let vars = vars(row).into_iter().flatten();
    let filled = vars.fold(text, |text, (name, value)| {
        [format!("{{{{{name}}}}}"), format!("{{{{ {name} }}}}")]
            .iter()
            .fold(text, |text, hole| text.replace(hole, &cell(value)))
    });
    Some(filled).filter(|text| !text.trim().is_empty())
}

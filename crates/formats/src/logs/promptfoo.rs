//! Results of promptfoo, as `promptfoo eval -o results.json`, `.jsonl` or `.csv` writes them.
//!
//! Where assertions are graded by a model, that model is the judge and the output the item: the number of the test
//! (`testIdx`), with prompt and provider where there are several, and a criterion for each such assertion; the answer
//! is its score. Otherwise the provider is the judge, the test the item, prompts and providers are variants, and the
//! answer is the output. Name another id with `id = "vars.FIELD"`. Ratings that people gave on promptfoo's page are
//! human labels.

use std::collections::BTreeSet;

use serde_json::Value;

use super::json::{cell, cell_at, plain_text, scalar, without};
use super::record::{HumanLabel, LogRecord, LoggedAnswer, Reading};
use super::rows::LogStart;
use crate::batches::csv::first_records;
use crate::error::{Place, Result};
use crate::table::{DataTable, NO_IDS};

/// Assertions that a model grades.
const GRADED: &str = "llm-rubric agent-rubric g-eval model-graded-closedqa model-graded-factuality factuality answer-relevance context-faithfulness \
                      context-recall context-relevance conversation-relevance pi search-rubric trajectory:goal-success select-best max-score";

/// A longer label of a prompt is a text, not a name.
const MOST_OF_LABEL: usize = 60;

pub(super) fn is_table(start: &LogStart) -> bool {
    !outputs(&first_records(start.bytes, b',', 1).concat()).is_empty()
}

/// The column of the CSV behind each column of outputs, with `PASS`, `FAIL` or `ERROR`.
const STATUS: &str = "Status";
/// How the columns begin that hold an output's score under an assertion with a name.
const METRIC: &str = "Metric: ";

/// Columns of outputs, `[PROVIDER] PROMPT`.
fn outputs(header: &[String]) -> Vec<usize> {
    let is = |&k: &usize| header[k].starts_with('[') && header.get(k + 1).is_some_and(|next| next == STATUS);
    (0..header.len()).filter(is).collect()
}

pub(super) fn read(log: &mut Reading) -> Result<()> {
    let header = without(log.file, &log.text()?, "results")?;
    for pointer in ["/evalId", "/metadata/evaluationCreatedAt", "/config/description"] {
        let name = pointer.rsplit('/').next().unwrap_or_default();
        log.state(name, header.pointer(pointer).and_then(scalar));
    }
    log.log.provenance.version = header.pointer("/metadata/promptfooVersion").and_then(scalar);
    read_rows(&log.list("results.results")?, log)
}

pub(super) fn read_lines(log: &mut Reading) -> Result<()> {
    let rows = log.rows()?;
    log.state("evalId", rows.first().and_then(|(_, row)| row.get("evalId")).and_then(scalar));
    read_rows(&rows, log)
}

/// A row is a test, a column of outputs a prompt and provider. Criteria are the named assertions, with their scores;
/// without any the answer is whether the output passed.
pub(super) fn read_table(log: &mut Reading) -> Result<()> {
    // Its columns share their names.
    let header = first_records(log.bytes, b',', 1).concat();
    let (table, outputs) = (DataTable::parse(log.file, log.bytes, NO_IDS)?, outputs(&header));
    let vars = outputs.first().copied().unwrap_or_default();
    for (number, row) in table.rows().enumerate() {
        let mut record = LogRecord::new(Place::file(log.file).at_line(row.line()), &number.to_string());
        let row: Vec<&str> = row.cells().collect();
        *record.fields_mut() = (0..vars).map(|k| (format!("vars.{}", &header[k]), row[k].to_owned())).collect();
        for (k, &at) in outputs.iter().enumerate() {
            let end = outputs.get(k + 1).copied().unwrap_or(header.len());
            let mut one = LogRecord { part: (outputs.len() > 1).then(|| k.to_string()), ..record.clone() };
            one.put("output", row[at].to_owned());
            let passed = ["FAIL", "PASS"].iter().position(|status| *status == row[at + 1]).map(|passed| passed == 1);
            let metrics: Vec<usize> = (at..end).filter(|&column| header[column].starts_with(METRIC)).collect();
            for &column in &metrics {
                let score = Some(plain_text(row[column])).filter(|score| !score.is_empty() && passed.is_some());
                log.push(one.answered(&header[column][METRIC.len()..], score))?;
            }
            if metrics.is_empty() {
                let word = passed.map(|passed| if passed { "pass" } else { "fail" }.to_owned());
                log.push(LogRecord { prediction: Some(LoggedAnswer::of(word)), ..one })?;
            }
        }
    }
    Ok(())
}

/// Adds what the rows of results say.
fn read_rows(rows: &[(Place, Value)], log: &mut Reading) -> Result<()> {
    let provider = |row: &Value| match row.get("provider") {
        Some(Value::Object(provider)) => {
            let label = provider.get("label").map(cell).filter(|label| !label.is_empty());
            label.or_else(|| provider.get("id").map(cell)).unwrap_or_default()
        }
        other => other.map(cell).unwrap_or_default(),
    };
    let prompt = |row: &Value| {
        let label = cell_at(row, "/prompt/label");
        // A prompt without a label of its own is labelled with its whole template.
        let own = label != cell_at(row, "/prompt/raw") && !label.contains("{{") && !label.contains('\n');
        if own && (1..=MOST_OF_LABEL).contains(&label.len()) { label } else { cell_at(row, "/promptIdx") }
    };
    let prompts: BTreeSet<String> = rows.iter().map(|(_, row)| prompt(row)).collect();
    let providers: BTreeSet<String> = rows.iter().map(|(_, row)| provider(row)).collect();
    let criteria: BTreeSet<String> = rows.iter().flat_map(|(_, row)| graded(row)).map(|(name, _)| name).collect();
    for (place, row) in rows {
        let mut record = LogRecord::of(place, row, "/testIdx", "the number of the test")?;
        vars(row).for_each(|(name, value)| record.put(format!("vars.{name}"), cell(value)));
        record.put_metadata(row.pointer("/testCase/metadata"));
        let own = [(prompts.len(), prompt(row)), (providers.len(), provider(row))];
        let names: Vec<String> = own.into_iter().filter(|(several, _)| *several > 1).map(|(_, name)| name).collect();
        let name = (!names.is_empty()).then(|| names.join(" "));
        let output = cell_at(row, "/response/output");
        if !criteria.is_empty() {
            record.part = name;
            record.put("output", output);
            read_graded(&record, row, &criteria, log)?;
        } else {
            record.variant = name;
            let label = Some(output.trim().to_owned()).filter(|label| !label.is_empty());
            log.push(LogRecord { prediction: Some(LoggedAnswer::of(label)), labels: people(row), ..record })?;
        }
    }
    Ok(())
}

fn components(row: &Value) -> impl Iterator<Item = &Value> {
    row.pointer("/gradingResult/componentResults").and_then(Value::as_array).into_iter().flatten()
}

fn kind(component: &Value) -> &str {
    component.pointer("/assertion/type").and_then(Value::as_str).unwrap_or_default()
}

/// What people said on promptfoo's page; they are not named there.
fn people(row: &Value) -> Vec<HumanLabel> {
    let human = components(row).filter(|component| kind(component) == "human");
    let value = |component: &Value| component.get("score").or(component.get("pass")).and_then(scalar);
    human.filter_map(value).map(|value| HumanLabel { annotator: "promptfoo".to_owned(), value }).collect()
}

/// The assertions of a row that a model graded, by their criteria.
fn graded(row: &Value) -> Vec<(String, &Value)> {
    let is_graded = |component: &&Value| {
        let kind = kind(component).trim_start_matches("not-");
        GRADED.split(' ').any(|graded| graded == kind)
    };
    let graded = components(row).filter(is_graded).enumerate();
    // Criteria without a name of their own are told apart by their kind and number.
    let name = |(number, component): (usize, _)| {
        let named = Value::pointer(component, "/assertion/metric").and_then(scalar);
        (named.unwrap_or_else(|| format!("{} {}", kind(component), number + 1)), component)
    };
    graded.map(name).collect()
}

/// A criterion that was not graded, such as of an output that was none, has a failed answer.
fn read_graded(record: &LogRecord, row: &Value, criteria: &BTreeSet<String>, log: &mut Reading) -> Result<()> {
    let graded = graded(row);
    for criterion in criteria {
        let component = graded.iter().find(|(name, _)| name == criterion).map(|(_, component)| *component);
        let score = component.and_then(|component| component.get("score")).and_then(scalar);
        log.push(LogRecord {
            rubric: component.and_then(|component| rubric(row, component)),
            said: component.and_then(|component| component.get("reason")).and_then(scalar),
            labels: if criteria.len() == 1 { people(row) } else { vec![] },
            ..record.answered(criterion, score)
        })?;
    }
    Ok(())
}

/// The variables of a test.
fn vars(row: &Value) -> impl Iterator<Item = (&String, &Value)> {
    row.get("vars").or_else(|| row.pointer("/testCase/vars")).and_then(Value::as_object).into_iter().flatten()
}

/// What an assertion asks, with the variables of its test filled in.
fn rubric(row: &Value, component: &Value) -> Option<String> {
    let text = component.pointer("/assertion/value").and_then(scalar)?;
    let filled = vars(row).fold(text, |text, (name, value)| {
        [format!("{{{{{name}}}}}"), format!("{{{{ {name} }}}}")]
            .iter()
            .fold(text, |text, hole| text.replace(hole, &cell(value)))
    });
    Some(filled).filter(|text| !text.trim().is_empty())
}

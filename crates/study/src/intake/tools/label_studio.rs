//! Label Studio: JSON, JSON-MIN, and the tables CSV and TSV.
//!
//! The item's id is `uid` among the data that the queue's import gave the task. `id` is Label Studio's own number.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::json::{fields, needed, not, only, scalar, unfit};
use crate::input::log::NewLabel;
use crate::intake::answers::Answers;
use judge_uncertainty_data::dataset::error::{Place, Result};
use judge_uncertainty_data::dataset::table::Table;

/// The control of the queue's labelling interface.
const CONTROL: &str = "label";
/// What the control's values are kept under.
const VALUES: [&str; 3] = ["choices", "number", "rating"];

pub(super) fn read(answers: &mut Answers, tasks: &[(Place, Value)]) -> Result<()> {
    let control = control(tasks)?;
    tasks.iter().try_for_each(|(place, row)| task(answers, place.clone(), row, control.as_deref()))
}

fn list<'v>(object: &'v Value, name: &str) -> &'v [Value] {
    object.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is_label(result: &Value) -> bool {
    result.get("value").is_some_and(|value| VALUES.iter().any(|key| value.get(key).is_some()))
}

fn name(result: &Value) -> Option<&str> {
    result.get("from_name").and_then(Value::as_str)
}

/// The control that holds the labels: `label`, or the only one of its kind; `None` where results name none.
fn control(tasks: &[(Place, Value)]) -> Result<Option<String>> {
    let annotations = tasks.iter().flat_map(|(_, task)| list(task, "annotations"));
    let results = annotations.flat_map(|annotation| list(annotation, "result")).filter(|result| is_label(result));
    let names: BTreeSet<&str> = results.filter_map(name).collect();
    if names.contains(CONTROL) || names.len() == 1 {
        let name = if names.contains(CONTROL) { Some(CONTROL) } else { names.first().copied() };
        return Ok(name.map(str::to_owned));
    }
    if names.is_empty() {
        return Ok(None);
    }
    let found = names.into_iter().collect::<Vec<_>>().join(", ");
    let place = tasks.first().map_or_else(Place::default, |(place, _)| place.clone());
    let remedy = "name the control with the label \"label\", as label-studio.xml of the queue does";
    Err(unfit(place, &format!("several controls have values and none is named \"label\": {found}"), remedy))
}

fn task(answers: &mut Answers, place: Place, task: &Value, control: Option<&str>) -> Result<()> {
    let id = needed(&place, task, "/data/uid", "the item's id, which the queue's import gave the task,")?;
    let place = place.of_item(&id);
    for annotation in list(task, "annotations") {
        if annotation.get("was_cancelled").and_then(Value::as_bool) == Some(true) {
            answers.skip("cancelled");
            continue;
        }
        let results = list(annotation, "result");
        let named: Vec<&Value> = results
            .iter()
            .filter(|result| is_label(result) && name(result).is_none_or(|name| Some(name) == control))
            .collect();
        let value = match (named.as_slice(), results) {
            ([], []) => {
                answers.skip("blank");
                continue;
            }
            // Only other controls were filled in.
            ([], _) if control.is_some() => {
                answers.skip("blank");
                continue;
            }
            ([], [result, ..]) => {
                let found = result.get("value").unwrap_or(result).to_string();
                return Err(not(place, "an answer with choices, a number or a rating", &found));
            }
            ([result], _) => value(&place, result.get("value").unwrap_or(&Value::Null))?,
            (several, _) => {
                let found = format!("it has {} results of the label", several.len());
                return Err(not(place, "an annotation with one label", &found));
            }
        };
        let by = annotation.get("completed_by").unwrap_or(&Value::Null);
        let annotator = match by.get("email").and_then(Value::as_str).filter(|email| !email.trim().is_empty()) {
            Some(email) => email.to_owned(),
            None => annotator(&place, by.get("id").unwrap_or(by))?,
        };
        let given = annotation.get("created_at").and_then(scalar).unwrap_or_default();
        answers.labels.push(NewLabel { id: id.clone(), annotator, value, given, place: place.clone() });
    }
    Ok(())
}

/// The label in the value of a result, or of a field of JSON-MIN.
fn value(place: &Place, value: &Value) -> Result<String> {
    let expected = "an answer with choices, a number or a rating";
    match value {
        Value::Array(results) => match results.as_slice() {
            [one] => self::value(place, one),
            several => {
                Err(not(place.clone(), "an answer with one label", &format!("it has {} results", several.len())))
            }
        },
        Value::Object(found) => match (found.get("choices"), VALUES[1..].iter().find_map(|key| found.get(*key))) {
            (Some(choices), _) => only(place, choices),
            (None, Some(number)) => scalar(number).ok_or_else(|| not(place.clone(), expected, &value.to_string())),
            (None, None) => Err(not(place.clone(), expected, &value.to_string())),
        },
        plain => scalar(plain).ok_or_else(|| not(place.clone(), expected, &value.to_string())),
    }
}

fn annotator(place: &Place, by: &Value) -> Result<String> {
    match by {
        Value::Number(number) => Ok(format!("label-studio-{number}")),
        Value::String(name) if !name.trim().is_empty() => Ok(name.clone()),
        _ => Err(not(place.clone(), "an answer with an annotator", "nobody is named")),
    }
}

pub(super) fn read_min(answers: &mut Answers, rows: &[(Place, Value)]) -> Result<()> {
    if let Some((place, first)) = rows.first()
        && rows.iter().all(|(_, row)| row.get(CONTROL).is_none())
    {
        return Err(no_label(place.clone(), &fields(first)));
    }
    rows.iter().try_for_each(|(place, row)| min(answers, place.clone(), row))
}

fn no_label(place: Place, found: &str) -> judge_uncertainty_data::dataset::Error {
    let reason = format!("no answer has the field \"label\"; there are {found}");
    unfit(
        place,
        &reason,
        "name the control with the label \"label\", as label-studio.xml of the queue does, or export JSON",
    )
}

fn min(answers: &mut Answers, place: Place, row: &Value) -> Result<()> {
    let id = needed(&place, row, "/uid", "the item's id, which the queue's import gave the task,")?;
    let place = place.of_item(&id);
    let label = match row.get(CONTROL) {
        None | Some(Value::Null) => {
            answers.skip("blank");
            return Ok(());
        }
        Some(label) => value(&place, label)?,
    };
    let annotator = annotator(&place, row.get("annotator").unwrap_or(&Value::Null))?;
    let given = row.get("created_at").and_then(scalar).unwrap_or_default();
    answers.labels.push(NewLabel { id, annotator, value: label, given, place });
    Ok(())
}

/// A table, whose cells hold texts, or JSON where the label is no choice.
pub(super) fn read_table(file: &Path, bytes: &[u8], header: &[String]) -> Result<Answers> {
    let header_line = || Place::file(file).at_line(1);
    let has = |name: &str| header.iter().any(|column| column == name);
    if !has("uid") {
        let reason = format!(
            "this is Label Studio's table, whose id is the number of its task; the item's id would stand in uid, but it has {}",
            header.join(", ")
        );
        let remedy =
            "make the tasks from the queue's label-studio.json, which brings uid, or write a table id,annotator,label";
        return Err(unfit(header_line(), &reason, remedy));
    }
    if !has(CONTROL) {
        return Err(no_label(header_line(), &header.join(", ")));
    }
    let table = Table::parse(file, bytes, "uid")?;
    let [label, by, created] = [table.column(CONTROL)?, table.column("annotator")?, table.column("created_at")?];
    let mut answers = Answers { form: "Label Studio table", ..Answers::default() };
    for row in table.rows() {
        let place = Place::file(file).at_line(row.line()).of_item(row.id());
        let cell = row.cell(label);
        if cell.is_empty() {
            answers.skip("blank");
            continue;
        }
        // A class is a plain text, even one that looks like JSON but holds none of Label Studio's values.
        let value = match serde_json::from_str::<Value>(cell) {
            Ok(json @ (Value::Array(_) | Value::Object(_))) => value(&place, &json)?,
            _ => cell.to_owned(),
        };
        let by = row.text(by)?;
        let number = by.parse::<u64>().map_or_else(|_| Value::from(by), Value::from);
        let annotator = annotator(&place, &number)?;
        let given = row.cell(created).to_owned();
        answers.labels.push(NewLabel { id: row.id().to_owned(), annotator, value, given, place });
    }
    Ok(answers)
}

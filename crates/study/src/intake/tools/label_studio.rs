//! Label Studio: JSON, JSON-MIN, and the tables CSV and TSV.
//!
//! The item's id is `uid` among the data that the queue's import gave the task. `id` is Label Studio's own number.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};

use super::{elements, fields, needed, not, only, scalar};
use crate::input::label_store::NewLabel;
use crate::intake::Intake;
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::table::DataTable;

/// The control of the queue's labelling interface.
const CONTROL: &str = "label";
/// What the control's values are kept under.
const VALUES: [&str; 4] = ["choices", "number", "rating", "ranker"];
/// The key of a ranking that has no buckets.
const RANKED: &str = "rank";

pub(super) fn read(answers: &mut Intake, tasks: &[(Place, Value)]) -> Result<()> {
    let control = control(tasks)?;
    tasks.iter().try_for_each(|(place, row)| task(answers, place, row, control.as_deref()))
}

fn is_label(result: &Value) -> bool {
    result.get("value").is_some_and(|value| VALUES.iter().any(|key| value.get(key).is_some()))
}

fn name(result: &Value) -> Option<&str> {
    result.get("from_name").and_then(Value::as_str)
}

/// The control that holds the labels: `label`, or the only one of its kind; `None` where results name none.
fn control(tasks: &[(Place, Value)]) -> Result<Option<String>> {
    let annotations = tasks.iter().flat_map(|(_, task)| elements(task, "annotations"));
    let results = annotations.flat_map(|annotation| elements(annotation, "result")).filter(|result| is_label(result));
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
    Err(Error::unfit(place, format!("several controls have values and none is named \"label\": {found}"), remedy))
}

/// Takes a task.
fn task(answers: &mut Intake, place: &Place, task: &Value, control: Option<&str>) -> Result<()> {
    for annotation in elements(task, "annotations") {
        if annotation.get("was_cancelled").and_then(Value::as_bool) == Some(true) {
            answers.skip("cancelled");
            continue;
        }
        let results = elements(annotation, "result");
        let is_own = |result: &&Value| is_label(result) && name(result).is_none_or(|name| Some(name) == control);
        let own: Vec<&Value> = results.iter().filter(is_own).collect();
        let label = match (own.as_slice(), results) {
            ([], [result, ..]) if control.is_none() => {
                let found = result.get("value").unwrap_or(result).to_string();
                return Err(not(place.clone(), "an answer with choices, a number or a rating", &found));
            }
            // Nothing, or only other controls, were filled in.
            ([], _) => None,
            ([result], _) => result.get("value"),
            (several, _) => {
                let found = format!("it has {} results of the label", several.len());
                return Err(not(place.clone(), "an annotation with one label", &found));
            }
        };
        let by = completed_by(answers, place, annotation);
        take(answers, place, (task, "/data/uid"), label, (by, annotation.get("created_at")))?;
    }
    Ok(())
}

/// Takes a label of the item whose id stands at a place of a row, with who gave it and when. A ranking has the labels of
/// several items: a list gives each its place, from 1, and buckets give each their own name.
fn take(
    answers: &mut Intake,
    place: &Place,
    (row, uid): (&Value, &str),
    label: Option<&Value>,
    (by, given): (Result<String>, Option<&Value>),
) -> Result<()> {
    let Some(label) = label.filter(|label| !label.is_null()) else {
        answers.skip("blank");
        return Ok(());
    };
    let given = given.and_then(scalar).unwrap_or_default();
    let label_of = |id: String, annotator: String, value: String| {
        let place = place.clone().of_item(&id);
        NewLabel { id, annotator, value, given: given.clone(), place }
    };
    let Some(buckets) = ranking(label) else {
        let id = needed(place, row, uid, "the item's id, which the queue's import gave the task,")?;
        let value = value(&place.clone().of_item(&id), label)?;
        answers.labels.push(label_of(id, by?, value));
        return Ok(());
    };
    let by = by?;
    for (bucket, ids) in buckets {
        for (id, rank) in ids.as_array().into_iter().flatten().zip(1..) {
            let found = || not(place.clone(), "a ranking of items by their ids", &id.to_string());
            let id = scalar(id).filter(|id| !id.is_empty()).ok_or_else(found)?;
            let value = if bucket == RANKED { rank.to_string() } else { bucket.clone() };
            answers.labels.push(label_of(id, by.clone(), value));
        }
    }
    Ok(())
}

/// The ranking in a field of JSON-MIN or a cell of a table.
fn ranking(field: &Value) -> Option<&Map<String, Value>> {
    let one = field.as_array().map_or(Some(field), |several| several.first());
    one?.get("ranker")?.as_object()
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
        Value::Object(found) => match (found.get("choices"), VALUES[1..3].iter().find_map(|key| found.get(*key))) {
            (Some(choices), _) => only(place, choices),
            (None, Some(number)) => scalar(number).ok_or_else(|| not(place.clone(), expected, &value.to_string())),
            (None, None) => Err(not(place.clone(), expected, &value.to_string())),
        },
        plain => scalar(plain).ok_or_else(|| not(place.clone(), expected, &value.to_string())),
    }
}

fn annotator(answers: &Intake, place: &Place, by: &Value) -> Result<String> {
    let named = match by {
        Value::Number(number) => Some(format!("label-studio-{number}")),
        Value::String(name) => Some(name.clone()),
        _ => None,
    };
    answers.annotator(named).ok_or_else(|| not(place.clone(), "an answer with an annotator", "nobody is named"))
}

/// Who gave an annotation of the JSON export.
fn completed_by(answers: &Intake, place: &Place, annotation: &Value) -> Result<String> {
    let by = annotation.get("completed_by").unwrap_or(&Value::Null);
    match by.get("email").and_then(Value::as_str).filter(|email| !email.trim().is_empty()) {
        Some(email) => Ok(email.to_owned()),
        None => annotator(answers, place, by.get("id").unwrap_or(by)),
    }
}

pub(super) fn read_min(answers: &mut Intake, rows: &[(Place, Value)]) -> Result<()> {
    if let Some((place, first)) = rows.first()
        && rows.iter().all(|(_, row)| row.get(CONTROL).is_none())
    {
        return Err(no_label(place.clone(), &fields(first)));
    }
    rows.iter().try_for_each(|(place, row)| min(answers, place, row))
}

fn no_label(place: Place, found: &str) -> judge_uncertainty_formats::Error {
    let reason = format!("no answer has the field \"label\"; there are {found}");
    let remedy = "name the control with the label \"label\", as label-studio.xml of the queue does, or export JSON";
    Error::unfit(place, reason, remedy)
}

fn min(answers: &mut Intake, place: &Place, row: &Value) -> Result<()> {
    let by = annotator(answers, place, row.get("annotator").unwrap_or(&Value::Null));
    take(answers, place, (row, "/uid"), row.get(CONTROL), (by, row.get("created_at")))
}

/// A table, whose cells hold texts, or JSON whose label is not a choice.
pub(super) fn read_table(file: &Path, bytes: &[u8], header: &[String], by: Option<&str>) -> Result<Intake> {
    let header_line = || Place::file(file).at_line(1);
    let has = |name: &str| header.iter().any(|column| column == name);
    if !has(CONTROL) {
        return Err(no_label(header_line(), &header.join(", ")));
    }
    // Rankings name items by themselves.
    let table = DataTable::parse(file, bytes, if has("uid") { "uid" } else { "annotation_id" })?;
    let [label, named, created] = [table.column(CONTROL)?, table.column("annotator")?, table.column("created_at")?];
    let mut answers = Intake::new("Label Studio table", by);
    for row in table.rows() {
        let place = Place::file(file).at_line(row.line());
        let cell = row.cell(label);
        let number = row.cell(named).parse::<u64>().map_or_else(|_| Value::from(row.cell(named)), Value::from);
        // A class is a plain text, even one that looks like JSON but holds none of Label Studio's values.
        let json = serde_json::from_str::<Value>(cell).ok().filter(|json| json.is_array() || json.is_object());
        let label = if cell.is_empty() { Value::Null } else { json.unwrap_or_else(|| Value::from(cell)) };
        if !has("uid") && !label.is_null() && ranking(&label).is_none() {
            let reason = format!(
                "this is Label Studio's table, whose id is the number of its task; the item's id would stand in uid, \
                 but it has {}",
                header.join(", ")
            );
            let remedy = "make the tasks from the queue's label-studio.json, which brings uid, or write a table \
                          id,annotator,label";
            return Err(Error::unfit(header_line(), reason, remedy));
        }
        let row = serde_json::json!({
            CONTROL: label, "annotator": number, "created_at": row.cell(created), "uid": row.id()
        });
        min(&mut answers, &place, &row)?;
    }
    Ok(answers)
}

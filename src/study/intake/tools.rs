//! Exports of annotation tools.
//!
//! | tool | file | id | annotator | label |
//! |---|---|---|---|---|
//! | Label Studio, JSON | list of tasks | `data.uid` | `completed_by` (its e-mail, or `label-studio-N`) | `choices`, `number` or `rating` of the result |
//! | Label Studio, JSON-MIN | list of answers | `uid` | `annotator` | `label` |
//! | Argilla | list or lines of records | `id` | `user_id` | `responses.label`, submitted ones |
//! | Prodigy | lines | `uid` | `_annotator_id` | `accept` or `user_input` of accepted answers |
//!
//! Answers that were cancelled, discarded, rejected or ignored are counted and never become labels.

use std::path::Path;

use serde_json::Value;

use super::answers::Answers;
use crate::dataset::error::{Error, Place, Problem, Result};
use crate::study::input::log::NewLabel;

/// Takes one object of an export.
type Reader = fn(&mut Answers, Place, &Value) -> Result<()>;

/// Reads the export that a file holds as `bytes`.
pub(super) fn read(file: &Path, bytes: &[u8]) -> Result<Answers> {
    let text = std::str::from_utf8(bytes).map_err(|_| Error::refused(Place::file(file), Problem::NotUtf8))?;
    let rows = values(file, text)?;
    let Some((place, first)) = rows.first() else {
        return Err(Error::refused(Place::file(file), Problem::NoRows));
    };
    let (form, read): (_, Reader) = match first {
        row if row.get("answer").is_some() => ("Prodigy JSON Lines", prodigy),
        row if row.get("annotations").is_some() => ("Label Studio JSON", label_studio),
        row if row.get("responses").is_some() || row.get("label.responses").is_some() => ("Argilla records", argilla),
        row if row.get("uid").is_some() && row.get("annotator").is_some() => {
            ("Label Studio JSON-MIN", label_studio_min)
        }
        _ => {
            return Err(not(
                place.clone(),
                "an export that this program knows",
                "it has none of `annotations` (Label Studio), `responses` (Argilla) and `answer` (Prodigy)",
            ));
        }
    };
    let mut answers = Answers { form, ..Answers::default() };
    rows.iter().try_for_each(|(place, row)| read(&mut answers, place.clone(), row))?;
    Ok(answers)
}

fn not(place: Place, expected: &'static str, reason: &str) -> Error {
    Error::refused(place, Problem::NotJson { reason: reason.to_owned(), expected })
}

/// The objects of a JSON list, or of JSON Lines, with their places.
fn values(file: &Path, text: &str) -> Result<Vec<(Place, Value)>> {
    let parse = |line: u64, text: &str| {
        serde_json::from_str::<Value>(text).map_err(|error| {
            let line = line + error.line().max(1) as u64 - 1;
            not(Place::file(file).at_line(line), "JSON", &error.to_string())
        })
    };
    if text.trim_start().starts_with('[') {
        let rows = match parse(1, text)? {
            Value::Array(rows) => rows,
            _ => vec![],
        };
        return Ok(rows.into_iter().map(|row| (Place::file(file), row)).collect());
    }
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines.map(|(line, number)| Ok((Place::file(file).at_line(number), parse(number, line)?))).collect()
}

/// A text or number as text; `None` for anything else.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A field that must be a text or a number and not blank.
fn needed(place: &Place, object: &Value, pointer: &str, what: &str) -> Result<String> {
    object.pointer(pointer).and_then(scalar).filter(|text| !text.is_empty()).ok_or_else(|| {
        let name = pointer.trim_start_matches('/').replace('/', ".");
        let problem = Problem::NotJson { reason: format!("{what} is missing"), expected: "a complete answer" };
        Error::refused(place.clone().in_field(&name), problem)
    })
}

/// The only entry of a list of choices.
fn only(place: &Place, choices: &Value) -> Result<String> {
    match choices.as_array().map(Vec::as_slice) {
        Some([one]) => scalar(one),
        _ => None,
    }
    .ok_or_else(|| not(place.clone(), "an answer with one choice", &format!("the choices are {choices}")))
}

fn label_studio(answers: &mut Answers, place: Place, task: &Value) -> Result<()> {
    let id = needed(&place, task, "/data/uid", "the item's id, which the queue's import gave the task,")?;
    let place = place.of_item(&id);
    let annotations = task.get("annotations").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for annotation in annotations {
        if annotation.get("was_cancelled").and_then(Value::as_bool) == Some(true) {
            answers.skip("cancelled");
            continue;
        }
        let results = annotation.get("result").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let value = match results {
            [] => {
                answers.skip("blank");
                continue;
            }
            [result] => match (result.pointer("/value/choices"), result.get("value")) {
                (Some(choices), _) => only(&place, choices)?,
                (None, Some(value)) => {
                    ["number", "rating"].iter().find_map(|key| value.get(*key).and_then(scalar)).ok_or_else(|| {
                        not(place.clone(), "an answer with choices, a number or a rating", &value.to_string())
                    })?
                }
                (None, None) => return Err(not(place, "an answer with a value", &result.to_string())),
            },
            several => {
                return Err(not(place, "an annotation with one result", &format!("it has {} results", several.len())));
            }
        };
        let by = annotation.get("completed_by").unwrap_or(&Value::Null);
        let annotator = match by.get("email").and_then(Value::as_str) {
            Some(email) => email.to_owned(),
            None => label_studio_name(&place, by.get("id").unwrap_or(by))?,
        };
        let given = annotation.get("created_at").and_then(scalar).unwrap_or_default();
        answers.labels.push(NewLabel { id: id.clone(), annotator, value, given, place: place.clone() });
    }
    Ok(())
}

fn label_studio_name(place: &Place, by: &Value) -> Result<String> {
    match by {
        Value::Number(number) => Ok(format!("label-studio-{number}")),
        Value::String(name) if !name.is_empty() => Ok(name.clone()),
        _ => Err(not(place.clone(), "an answer with an annotator", "nobody is named")),
    }
}

fn label_studio_min(answers: &mut Answers, place: Place, row: &Value) -> Result<()> {
    let id = needed(&place, row, "/uid", "the item's id")?;
    let place = place.of_item(&id);
    let value = match row.get("label") {
        None | Some(Value::Null) => {
            answers.skip("blank");
            return Ok(());
        }
        Some(_) => needed(&place, row, "/label", "one clear label")?,
    };
    let annotator = label_studio_name(&place, row.get("annotator").unwrap_or(&Value::Null))?;
    let given = row.get("created_at").and_then(scalar).unwrap_or_default();
    answers.labels.push(NewLabel { id, annotator, value, given, place });
    Ok(())
}

fn argilla(answers: &mut Answers, place: Place, record: &Value) -> Result<()> {
    let id = needed(&place, record, "/id", "the record's id, which is the item's,")?;
    let place = place.of_item(&id);
    // Records as the client writes them, or flattened to parallel lists.
    let nested = record.pointer("/responses/label").and_then(Value::as_array);
    let list = |name: &str| record.get(name).and_then(Value::as_array);
    let responses: Vec<[Option<&Value>; 3]> = match (nested, list("label.responses")) {
        (Some(nested), _) => nested.iter().map(|r| [r.get("value"), r.get("user_id"), r.get("status")]).collect(),
        (None, Some(values)) => {
            let at = |name: &str, k: usize| list(name).and_then(|list| list.get(k));
            let row = |(k, value)| [Some(value), at("label.responses.users", k), at("label.responses.status", k)];
            values.iter().enumerate().map(row).collect()
        }
        (None, None) => vec![],
    };
    for [value, user, status] in responses {
        if status.and_then(Value::as_str).is_some_and(|status| status != "submitted") {
            answers.skip("not submitted");
            continue;
        }
        let Some(value) = value.and_then(scalar).filter(|value| !value.is_empty()) else {
            answers.skip("blank");
            continue;
        };
        let annotator = user
            .and_then(scalar)
            .ok_or_else(|| not(place.clone(), "an answer with an annotator", "the response has no user_id"))?;
        answers.labels.push(NewLabel { id: id.clone(), annotator, value, given: String::new(), place: place.clone() });
    }
    Ok(())
}

fn prodigy(answers: &mut Answers, place: Place, row: &Value) -> Result<()> {
    let id = needed(&place, row, "/uid", "the item's id, which the queue's import gave the task,")?;
    let place = place.of_item(&id);
    match row.get("answer").and_then(Value::as_str) {
        Some("accept") => {}
        Some("reject") => {
            answers.skip("rejected");
            return Ok(());
        }
        _ => {
            answers.skip("ignored");
            return Ok(());
        }
    }
    let value = match (row.get("user_input"), row.get("accept")) {
        (Some(input), _) => scalar(input).filter(|text| !text.is_empty()),
        (None, Some(Value::Array(choices))) if choices.is_empty() => None,
        (None, Some(choices)) => Some(only(&place, choices)?),
        (None, None) => None,
    };
    let Some(value) = value else {
        answers.skip("blank");
        return Ok(());
    };
    let annotator = ["_annotator_id", "_session_id"]
        .iter()
        .find_map(|key| row.get(*key).and_then(scalar))
        .ok_or_else(|| not(place.clone(), "an answer with an annotator", "it has no _annotator_id"))?;
    let given = row.get("_timestamp").and_then(scalar).unwrap_or_default();
    answers.labels.push(NewLabel { id, annotator, value, given, place });
    Ok(())
}

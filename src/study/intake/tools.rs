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

use super::{Intake, NewLabel};
use crate::dataset::error::{Error, Place, Problem, Result};

/// Takes one object of an export.
type Reader = fn(&mut Intake, Place, &Value) -> Result<()>;

/// Reads an export into `intake`.
pub(super) fn read(intake: &mut Intake, bytes: &[u8]) -> Result<()> {
    let file = intake.file.clone();
    let text = std::str::from_utf8(bytes).map_err(|_| Error::refused(Place::file(&file), Problem::NotUtf8))?;
    let rows = values(&file, text)?;
    let Some((place, first)) = rows.first() else {
        return Err(Error::refused(Place::file(&file), Problem::NoRows));
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
    intake.form = form;
    rows.iter().try_for_each(|(place, row)| read(intake, place.clone(), row))
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

fn label_studio(intake: &mut Intake, place: Place, task: &Value) -> Result<()> {
    let id = needed(&place, task, "/data/uid", "the item's id, which the queue's import gave the task,")?;
    let place = place.of_item(&id);
    let annotations = task.get("annotations").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for annotation in annotations {
        if annotation.get("was_cancelled").and_then(Value::as_bool) == Some(true) {
            intake.skip("cancelled");
            continue;
        }
        let results = annotation.get("result").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let value = match results {
            [] => {
                intake.skip("blank");
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
        intake.labels.push(NewLabel { id: id.clone(), annotator, value, given, place: place.clone() });
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

fn label_studio_min(intake: &mut Intake, place: Place, row: &Value) -> Result<()> {
    let id = needed(&place, row, "/uid", "the item's id")?;
    let place = place.of_item(&id);
    let value = match row.get("label") {
        None | Some(Value::Null) => {
            intake.skip("blank");
            return Ok(());
        }
        Some(_) => needed(&place, row, "/label", "one clear label")?,
    };
    let annotator = label_studio_name(&place, row.get("annotator").unwrap_or(&Value::Null))?;
    let given = row.get("created_at").and_then(scalar).unwrap_or_default();
    intake.labels.push(NewLabel { id, annotator, value, given, place });
    Ok(())
}

fn argilla(intake: &mut Intake, place: Place, record: &Value) -> Result<()> {
    let id = needed(&place, record, "/id", "the record's id, which is the item's,")?;
    let place = place.of_item(&id);
    // Records as the client writes them, or flattened to parallel lists.
    let nested = record.pointer("/responses/label").and_then(Value::as_array);
    let list = |name: &str| record.get(name).and_then(Value::as_array);
    let answers: Vec<[Option<&Value>; 3]> = match (nested, list("label.responses")) {
        (Some(nested), _) => nested.iter().map(|r| [r.get("value"), r.get("user_id"), r.get("status")]).collect(),
        (None, Some(values)) => {
            let at = |name: &str, k: usize| list(name).and_then(|list| list.get(k));
            let row = |(k, value)| [Some(value), at("label.responses.users", k), at("label.responses.status", k)];
            values.iter().enumerate().map(row).collect()
        }
        (None, None) => vec![],
    };
    for [value, user, status] in answers {
        if status.and_then(Value::as_str).is_some_and(|status| status != "submitted") {
            intake.skip("not submitted");
            continue;
        }
        let Some(value) = value.and_then(scalar).filter(|value| !value.is_empty()) else {
            intake.skip("blank");
            continue;
        };
        let annotator = user
            .and_then(scalar)
            .ok_or_else(|| not(place.clone(), "an answer with an annotator", "the response has no user_id"))?;
        intake.labels.push(NewLabel { id: id.clone(), annotator, value, given: String::new(), place: place.clone() });
    }
    Ok(())
}

fn prodigy(intake: &mut Intake, place: Place, row: &Value) -> Result<()> {
    let id = needed(&place, row, "/uid", "the item's id, which the queue's import gave the task,")?;
    let place = place.of_item(&id);
    match row.get("answer").and_then(Value::as_str) {
        Some("accept") => {}
        Some("reject") => {
            intake.skip("rejected");
            return Ok(());
        }
        _ => {
            intake.skip("ignored");
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
        intake.skip("blank");
        return Ok(());
    };
    let annotator = ["_annotator_id", "_session_id"]
        .iter()
        .find_map(|key| row.get(*key).and_then(scalar))
        .ok_or_else(|| not(place.clone(), "an answer with an annotator", "it has no _annotator_id"))?;
    let given = row.get("_timestamp").and_then(scalar).unwrap_or_default();
    intake.labels.push(NewLabel { id, annotator, value, given, place });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Intake> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        Intake::read(&path)
    }

    fn listed(intake: &Intake) -> Vec<(&str, &str, &str)> {
        intake.labels.iter().map(|l| (l.id.as_str(), l.annotator.as_str(), l.value.as_str())).collect()
    }

    /// Fields as in Label Studio's documentation of its raw JSON format.
    #[test]
    fn label_studio_tasks() {
        let text = r#"[
          {"id": 7, "data": {"uid": "a", "text": "x"}, "annotations": [
            {"id": 1, "completed_by": 3, "was_cancelled": false, "created_at": "2026-01-02T03:04:05Z",
             "result": [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["yes"]}}]},
            {"id": 2, "completed_by": {"id": 4, "email": "e@x.org"}, "was_cancelled": false,
             "result": [{"type": "choices", "value": {"choices": ["no"]}}]},
            {"id": 3, "completed_by": 5, "was_cancelled": true, "result": []}]},
          {"id": 8, "data": {"uid": "b"}, "annotations": [
            {"completed_by": 3, "result": [{"type": "number", "value": {"number": 2.5}}]},
            {"completed_by": 3, "result": []}]}]"#;
        let intake = read("export.json", text).unwrap();
        assert_eq!(intake.form, "Label Studio JSON");
        assert_eq!(
            listed(&intake),
            [("a", "label-studio-3", "yes"), ("a", "e@x.org", "no"), ("b", "label-studio-3", "2.5")]
        );
        assert_eq!(intake.labels[0].given, "2026-01-02T03:04:05Z");
        assert_eq!(intake.skipped, [("blank", 1), ("cancelled", 1)].into());
        let both = text.replace(r#"["yes"]"#, r#"["yes", "no"]"#);
        assert!(read("export.json", &both).unwrap_err().to_string().contains(r#"the choices are ["yes","no"]"#));
        let nameless = text.replace(r#""uid": "a""#, r#""vid": "a""#);
        assert!(read("export.json", &nameless).unwrap_err().to_string().contains("data.uid"));
        let min = r#"[{"uid": "a", "annotator": 3, "label": "yes"}, {"uid": "b", "annotator": 3}]"#;
        let intake = read("export.json", min).unwrap();
        assert_eq!((listed(&intake), intake.skipped["blank"]), (vec![("a", "label-studio-3", "yes")], 1));
    }

    #[test]
    fn argilla_records_nested_and_flat() {
        let nested = r#"[{"id": "a", "fields": {"text": "x"}, "responses": {"label": [
            {"value": "yes", "user_id": "u1"}, {"value": "no", "user_id": "u2", "status": "draft"}]}},
            {"id": "b", "responses": {}}]"#;
        let intake = read("records.json", nested).unwrap();
        assert_eq!((intake.form, listed(&intake)), ("Argilla records", vec![("a", "u1", "yes")]));
        assert_eq!(intake.skipped, [("not submitted", 1)].into());
        let flat = "{\"id\": \"a\", \"label.responses\": [\"3.5\", \"4\"], \"label.responses.users\": [\"u1\", \"u2\"], \
                    \"label.responses.status\": [\"submitted\", \"discarded\"]}\n";
        assert_eq!(listed(&read("records.jsonl", flat).unwrap()), [("a", "u1", "3.5")]);
    }

    #[test]
    fn prodigy_answers() {
        let text = r#"{"uid": "a", "text": "x", "accept": ["yes"], "answer": "accept", "_annotator_id": "set-ann", "_timestamp": 1700000000}
{"uid": "b", "accept": [], "answer": "ignore", "_annotator_id": "set-ann"}
{"uid": "b", "accept": ["no"], "answer": "reject", "_annotator_id": "set-ann"}

{"uid": "c", "user_input": "4.5", "answer": "accept", "_session_id": "s1"}"#;
        let intake = read("answers.jsonl", text).unwrap();
        assert_eq!(listed(&intake), [("a", "set-ann", "yes"), ("c", "s1", "4.5")]);
        assert_eq!(intake.labels[1].place.line, Some(5));
        assert_eq!(intake.skipped, [("ignored", 1), ("rejected", 1)].into());
    }

    #[test]
    fn tables_and_unknown_files() {
        let intake = read("new.csv", "id,annotator,label\na,ann,yes\nb,ann,\n").unwrap();
        assert_eq!((listed(&intake), intake.skipped["blank"]), (vec![("a", "ann", "yes")], 1));
        for (name, text, message) in [
            ("new.csv", "id,label\na,yes\n", "no column \"annotator\""),
            ("new.json", "[]", "no rows"),
            ("new.json", "[{\"x\": 1}]", "none of `annotations`"),
            ("new.jsonl", "{\"answer\": \"accept\", \"uid\": \"a\"\n", ":1: not JSON"),
            ("new.json", "{\"uid\": \"a\", \"accept\": [\"yes\"], \"answer\": \"accept\"}", "no _annotator_id"),
        ] {
            let error = read(name, text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}

//! Exports of annotation tools.
//!
//! | tool | file | id | annotator | label |
//! |---|---|---|---|---|
//! | Label Studio, JSON | list of tasks | `data.uid` | `completed_by` | `choices`, `number` or `rating` |
//! | Label Studio, JSON-MIN, CSV, TSV | list of answers, table | `uid` | `annotator` | `label` |
//! | Argilla 2 | list or lines of records | `id` | `user_id` | `responses.label`; flattened: `label.responses` |
//! | Argilla 1 | list or lines of records | `external_id` | `user_id` | `values.label` of `responses` |
//! | Prodigy | lines | `uid` | `_annotator_id` | `accept` or `user_input` of accepted answers |
//! | doccano, JSON, JSON Lines, CSV | examples, alone or in its archive | `uid` | file in the archive | `label` |
//! | any, JSON, JSON Lines, Parquet | objects | `id` | `annotator` | `label` |
//!
//! Label Studio's annotator is an e-mail or `label-studio-N`, and its answer is that of the control `label`, or of the
//! only such control. Argilla's responses count once they are submitted.
//!
//! The tools' own numbers of tasks and records are never taken for ids of items. Answers that were cancelled,
//! discarded, rejected or ignored are counted and never become labels.

use std::path::Path;

use serde_json::Value;

use crate::intake::Intake;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::logs::json::{elements, scalar};
use judge_uncertainty_formats::records::Records;
use judge_uncertainty_formats::table::DataTable;

pub mod argilla;
pub mod doccano;
pub mod label_studio;

// Which tool a file comes from.

/// Takes the objects of an export, each with its place.
type Reader = fn(&mut Intake, &[(Place, Value)]) -> Result<()>;

/// Reads the export that a JSON file holds as `bytes`.
pub(super) fn read(file: &Path, bytes: &[u8], by: Option<&str>) -> Result<Intake> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|_| Error::refused(Place::file(file), Problem::NotUtf8))?;
    let mut rows = values(file, text)?;
    if rows.first().is_some_and(|(_, first)| first.get("added").is_some() && first.get("id").is_none()) {
        // The first line of a batch that was added before and was set aside.
        rows.remove(0);
    }
    let Some((place, first)) = rows.first() else {
        return Err(Error::refused(Place::file(file), Problem::NoRows));
    };
    let has = |name: &str| first.get(name).is_some();
    let (form, read): (_, Reader) = match first {
        _ if has("answer") => ("Prodigy JSON Lines", prodigy),
        _ if has("annotations") && has("data") => ("Label Studio JSON", label_studio::read),
        _ if has("annotation_id") || has("uid") && has("annotator") => {
            ("Label Studio JSON-MIN", label_studio::read_min)
        }
        row if row.get("responses").is_some_and(Value::is_array) => ("Argilla 1 records", argilla::read_first),
        _ if has("responses") || has("_server_id") || has("label.responses") => ("Argilla records", argilla::read),
        row if doccano::is(row) => (doccano::FORM, doccano::read),
        _ if has("id") && has("label") => ("table", objects),
        row => {
            let reason = format!("it is not an export that this program knows: its first entry has {}", fields(row));
            let remedy = "export JSON from Label Studio, records with their status from Argilla, or annotations from \
                          Prodigy or doccano; or write a table with the columns id, annotator and label";
            return Err(Error::unfit(place.clone(), reason, remedy));
        }
    };
    let mut answers = Intake::new(form, by);
    read(&mut answers, &rows)?;
    if answers.labels.is_empty() && answers.skipped.is_empty() {
        let remedy = "export it after annotating, with the answers";
        return Err(Error::unfit(Place::file(file), format!("these {form} hold no answer"), remedy));
    }
    Ok(answers)
}

/// Reads a table, if it is a tool's export.
pub(super) fn table(file: &Path, bytes: &[u8], by: Option<&str>) -> Result<Option<Intake>> {
    let header = DataTable::header_of(file, bytes)?;
    let has = |name: &str| header.iter().any(|column| column == name);
    if ["annotation_id", "annotator", "lead_time"].into_iter().all(has) {
        return label_studio::read_table(file, bytes, &header, by).map(Some);
    }
    if ["Comments", "label", "uid"].into_iter().all(has) {
        return doccano::read_table(file, bytes, by).map(Some);
    }
    let refuse = |reason: &str, remedy: &str| Err(Error::unfit(Place::file(file).at_line(1), reason, remedy));
    if header.iter().any(|name| name.ends_with(".responses")) {
        let remedy =
            "write the records as JSON, which keeps the answers' lists: json.dump(records.to_list(flatten=True), file)";
        return refuse("this is a table of Argilla's records", remedy);
    }
    if has("id") && has("uid") {
        let remedy = "keep the column that holds the ids of the items, name it id, and remove the other one";
        return refuse("both columns id and uid could be the items' ids", remedy);
    }
    Ok(None)
}

// Prodigy: a line per answer.

fn prodigy(answers: &mut Intake, rows: &[(Place, Value)]) -> Result<()> {
    rows.iter().try_for_each(|(place, row)| answer_of_prodigy(answers, place.clone(), row))
}

fn answer_of_prodigy(answers: &mut Intake, place: Place, row: &Value) -> Result<()> {
    let id = needed(&place, row, "/uid", "the item's id, which the queue's import gave the task,")?;
    let place = place.of_item(&id);
    let done = row.get("answer").and_then(Value::as_str);
    if done != Some("accept") {
        answers.skip(if done == Some("reject") { "rejected" } else { "ignored" });
        return Ok(());
    }
    let value = match (row.get("user_input"), row.get("accept")) {
        (Some(input), _) => scalar(input).filter(|text| !text.is_empty()),
        (None, Some(Value::Array(choices))) if choices.is_empty() => None,
        (None, Some(choices)) => Some(only(&place, choices)?),
        (None, None) => None,
    };
    let named = ["_annotator_id", "_session_id"].iter().find_map(|key| row.get(*key).and_then(scalar));
    let given = row.get("_timestamp").and_then(scalar).unwrap_or_default();
    let unnamed = |place| not(place, "an answer with an annotator", "it has no _annotator_id");
    answers.take((id, place), value, (named, given), unnamed)
}

// The objects of an export, and what is asked of their fields.

/// The records of a JSON file with their places.
fn values(file: &Path, text: &str) -> Result<Vec<(Place, Value)>> {
    Records::find(file, text, None)?.values()
}

/// What is wrong with an export that is not as its tool writes it.
fn not(place: Place, expected: &'static str, reason: &str) -> Error {
    Error::refused(place, Problem::NotJson { reason: reason.to_owned(), expected })
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

/// The names of an object's fields, for messages.
fn fields(object: &Value) -> String {
    let names = object.as_object().map(|object| object.keys().map(String::as_str).collect::<Vec<_>>());
    names.unwrap_or_default().join(", ")
}

fn objects(answers: &mut Intake, rows: &[(Place, Value)]) -> Result<()> {
    for (place, row) in rows {
        let id = needed(place, row, "/id", "the item's id")?;
        let place = place.clone().of_item(&id);
        let Some(label) = row.get("label").filter(|label| !label.is_null()) else {
            answers.skip("blank");
            continue;
        };
        let remedy = "write a text or a number";
        let value = scalar(label)
            .ok_or_else(|| Error::unfit(place.clone().in_field("label"), format!("{label} is not a label"), remedy))?;
        let remedy = "add the field annotator, or name the only one: --annotator NAME";
        let unnamed = |place| Error::unfit(place, "nobody is named as the annotator", remedy);
        let [named, given] = ["annotator", "given"].map(|name| row.get(name).and_then(scalar));
        answers.take((id, place), Some(value), (named, given.unwrap_or_default()), unnamed)?;
    }
    Ok(())
}

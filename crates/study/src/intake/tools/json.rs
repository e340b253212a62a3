//! The objects of an export, and what is asked of their fields.

use std::path::Path;

use serde_json::Value;

use crate::intake::Intake;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::records::Records;

/// The records of a JSON file with their places.
pub(super) fn values(file: &Path, text: &str) -> Result<Vec<(Place, Value)>> {
    Records::find(file, text, None)?.values()
}

/// What is wrong with an export that is not as its tool writes it.
pub(super) fn not(place: Place, expected: &'static str, reason: &str) -> Error {
    Error::refused(place, Problem::NotJson { reason: reason.to_owned(), expected })
}

/// A text or number as text; `None` for anything else.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A field that must be a text or a number and not blank.
pub(super) fn needed(place: &Place, object: &Value, pointer: &str, what: &str) -> Result<String> {
    object.pointer(pointer).and_then(scalar).filter(|text| !text.is_empty()).ok_or_else(|| {
        let name = pointer.trim_start_matches('/').replace('/', ".");
        let problem = Problem::NotJson { reason: format!("{what} is missing"), expected: "a complete answer" };
        Error::refused(place.clone().in_field(&name), problem)
    })
}

/// The only entry of a list of choices.
pub(super) fn only(place: &Place, choices: &Value) -> Result<String> {
    match choices.as_array().map(Vec::as_slice) {
        Some([one]) => scalar(one),
        _ => None,
    }
    .ok_or_else(|| not(place.clone(), "an answer with one choice", &format!("the choices are {choices}")))
}

/// The names of an object's fields, for messages.
pub(super) fn fields(object: &Value) -> String {
    let names = object.as_object().map(|object| object.keys().map(String::as_str).collect::<Vec<_>>());
    names.unwrap_or_default().join(", ")
}

pub(super) fn read(answers: &mut Intake, rows: &[(Place, Value)]) -> Result<()> {
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

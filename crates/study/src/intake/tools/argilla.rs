//! Argilla: records of version 2, nested and flattened, and of version 1.

use serde_json::Value;

use super::{elements, needed, not, scalar};
use crate::intake::Intake;
use judge_uncertainty_formats::error::{Error, Place, Result};

/// The question of the queue's settings.
const QUESTION: &str = "label";

/// Records of Argilla 2.
pub(super) fn read(answers: &mut Intake, records: &[(Place, Value)]) -> Result<()> {
    refuse_other_questions(records)?;
    records.iter().try_for_each(|(place, record)| {
        let id = needed(place, record, "/id", "the record's id, which is the item's,")?;
        take(answers, &place.clone().of_item(&id), &id, &responses(record))
    })
}

/// Records of Argilla 1, whose item's id is `external_id`.
pub(super) fn read_first(answers: &mut Intake, records: &[(Place, Value)]) -> Result<()> {
    records.iter().try_for_each(|(place, record)| {
        let id = needed(place, record, "/external_id", "the record's external id, which is the item's,")?;
        let place = place.clone().of_item(&id);
        let mut found = vec![];
        for response in elements(record, "responses") {
            let values = response.get("values").and_then(Value::as_object);
            let others: Vec<&str> = values.into_iter().flat_map(|values| values.keys().map(String::as_str)).collect();
            if !others.is_empty() && !others.contains(&QUESTION) {
                return Err(other_questions(place, &others));
            }
            let value = response.pointer("/values/label/value");
            found.push([value, response.get("user_id"), response.get("status")]);
        }
        take(answers, &place, &id, &found)
    })
}

/// The answers to the question, each by value, who gave it and status: as the client writes records, or flattened to
/// parallel lists.
fn responses(record: &Value) -> Vec<[Option<&Value>; 3]> {
    let nested = record.get("responses").and_then(|responses| responses.get(QUESTION)).and_then(Value::as_array);
    if let Some(nested) = nested {
        return nested.iter().map(|r| ["value", "user_id", "status"].map(|name| r.get(name))).collect();
    }
    let [users, states] = ["label.responses.users", "label.responses.status"].map(|name| elements(record, name));
    let values = elements(record, "label.responses").iter().enumerate();
    values.map(|(k, value)| [Some(value), users.get(k), states.get(k)]).collect()
}

/// A file with answers to other questions only is refused, instead of giving 0 labels.
fn refuse_other_questions(records: &[(Place, Value)]) -> Result<()> {
    let (mut others, mut own) = (vec![], false);
    for (_, record) in records {
        let nested = record.get("responses").and_then(Value::as_object).into_iter().flat_map(|map| map.keys());
        let flat = record.as_object().into_iter().flat_map(|map| map.keys());
        for name in nested.map(String::as_str).chain(flat.filter_map(|name| name.strip_suffix(".responses"))) {
            own |= name == QUESTION;
            others.push(name);
        }
    }
    others.sort_unstable();
    others.dedup();
    match records.first() {
        Some((place, _)) if !own && !others.is_empty() => Err(other_questions(place.clone(), &others)),
        _ => Ok(()),
    }
}

fn other_questions(place: Place, found: &[&str]) -> judge_uncertainty_formats::Error {
    let reason = format!("no answer is one to the question \"label\"; there are {}", found.join(", "));
    Error::unfit(place, reason, "name the question \"label\", as argilla-settings.json of the queue does")
}

fn take(answers: &mut Intake, place: &Place, id: &str, responses: &[[Option<&Value>; 3]]) -> Result<()> {
    for [value, user, status] in responses {
        match status.and_then(Value::as_str) {
            Some("submitted") => {}
            Some(_) => {
                answers.skip("not submitted");
                continue;
            }
            None => {
                let reason = "the answer has no status, so that it may be a draft or discarded";
                let remedy =
                    "export the records flattened, which keeps it: json.dump(records.to_list(flatten=True), file)";
                return Err(Error::unfit(place.clone(), reason, remedy));
            }
        }
        let unnamed = |place| not(place, "an answer with an annotator", "the response has no user_id");
        let (value, named) = (value.and_then(scalar), user.and_then(scalar));
        answers.take((id.to_owned(), place.clone()), value, (named, String::new()), unnamed)?;
    }
    Ok(())
}

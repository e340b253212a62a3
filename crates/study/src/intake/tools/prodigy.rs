//! Prodigy: a line per answer.

use serde_json::Value;

use super::json::{needed, not, only, scalar};
use crate::intake::Intake;
use judge_uncertainty_formats::error::{Place, Result};

pub(super) fn read(answers: &mut Intake, rows: &[(Place, Value)]) -> Result<()> {
    rows.iter().try_for_each(|(place, row)| answer(answers, place.clone(), row))
}

fn answer(answers: &mut Intake, place: Place, row: &Value) -> Result<()> {
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

//! Objects with the fields `id`, `annotator` and `label`, as tables have them for columns.

use serde_json::Value;

use super::json::{needed, scalar};
use crate::input::log::NewLabel;
use crate::intake::Intake;
use judge_uncertainty_formats::error::{Error, Place, Result};

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
        if value.is_empty() {
            answers.skip("blank");
            continue;
        }
        let Some(annotator) = answers.annotator(row.get("annotator").and_then(scalar)) else {
            let remedy = "add the field annotator, or name the only one: --annotator NAME";
            return Err(Error::unfit(place, "nobody is named as the annotator", remedy));
        };
        answers.labels.push(NewLabel { id, annotator, value, given: String::new(), place });
    }
    Ok(())
}

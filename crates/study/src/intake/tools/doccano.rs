//! doccano: examples of text classification, as JSON, JSON Lines or CSV, alone or in the archive that it hands out.
//!
//! `id` is doccano's own number; the item's id is `uid` among the data that the queue's import gave the example. Who
//! labelled is not in a file: in the archive each annotator has one of their own, `NAME.jsonl`, but for projects that
//! share annotations, whose only file is `all`.

use std::path::Path;

use serde_json::Value;

use super::{needed, not, only, scalar, values};
use crate::intake::Intake;
use judge_uncertainty_formats::archive;
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::table::DataTable;

pub(super) const FORM: &str = "doccano";

/// Whether an object is an example as doccano exports it.
pub(super) fn is(row: &Value) -> bool {
    row.get("label").is_some_and(Value::is_array) && (row.get("text").is_some() || row.get("Comments").is_some())
}

pub(super) fn read(answers: &mut Intake, rows: &[(Place, Value)]) -> Result<()> {
    for (place, row) in rows {
        let id = needed(place, row, "/uid", "the item's id, which the queue's import gave the example,")?;
        let place = place.clone().of_item(&id);
        match row.get("label") {
            Some(Value::Array(labels)) if labels.is_empty() => answers.skip("blank"),
            Some(labels) => {
                let value = only(&place, labels)?;
                answers.take((id, place), Some(value), (None, String::new()), unnamed)?;
            }
            None => return Err(not(place, "an example of text classification", "it has no label")),
        }
    }
    Ok(())
}

/// A table, whose several labels of an example are divided by `#`.
pub(super) fn read_table(file: &Path, bytes: &[u8], by: Option<&str>) -> Result<Intake> {
    let table = DataTable::parse(file, bytes, "uid")?;
    let label = table.column("label")?;
    let mut answers = Intake::new(FORM, by);
    for row in table.rows() {
        let place = Place::file(file).at_line(row.line()).of_item(row.id());
        let value = Some(row.cell(label).to_owned());
        answers.take((row.id().to_owned(), place), value, (None, String::new()), unnamed)?;
    }
    Ok(answers)
}

fn unnamed(place: Place) -> Error {
    let remedy = "give the archive as it was downloaded, whose files are named after the annotators, or name the only one: \
                  --annotator NAME";
    Error::unfit(place, "doccano's examples do not say who labelled them", remedy)
}

/// Reads the archive that doccano hands out.
pub(in crate::intake) fn archive(file: &Path, bytes: &[u8], by: Option<&str>) -> Result<Intake> {
    let table = |name: &str| Path::new(name).extension().is_some_and(|extension| extension == "csv");
    let members = archive::members(file, bytes, |_| true)?;
    if let Some((name, _)) =
        members.iter().find(|(name, _)| ![".jsonl", ".json", ".csv"].iter().any(|end| name.ends_with(end)))
    {
        let remedy = "give the archive as doccano handed it out";
        return Err(Error::unfit(Place::file(&file.join(name)), "this is not a file that doccano writes", remedy));
    }
    if members.is_empty() {
        let remedy = "give doccano's export, whose files are named after the annotators, or a table";
        return Err(Error::unfit(Place::file(file), "the archive holds no labels", remedy));
    }
    let mut all = Intake::new(FORM, by);
    for (name, text) in &members {
        let place = file.join(name);
        // Of a project that shares annotations nobody is known by name.
        let stem = name.split('.').next().filter(|stem| !["all", "unknown"].contains(stem));
        let found = if table(name) {
            read_table(&place, text.as_bytes(), stem.or(by))?
        } else {
            let mut found = Intake::new(FORM, stem.or(by));
            let rows = values(&place, text)?;
            if let Some((place, row)) = rows.iter().find(|(_, row)| !is(row)) {
                let found = scalar(row).unwrap_or_else(|| super::fields(row));
                let reason = format!("this is not an example of doccano, but has {found}");
                return Err(Error::unfit(place.clone(), reason, "export it again"));
            }
            read(&mut found, &rows)?;
            found
        };
        all.labels.extend(found.labels);
        found.skipped.into_iter().for_each(|(kind, count)| *all.skipped.entry(kind).or_default() += count);
    }
    Ok(all)
}

//! Logs of inspect_ai: `.eval` archives and JSON.
//!
//! Each scorer judges the output of a sample: an item is the sample's `id` (with the epoch, if there are several), a
//! criterion is a scorer, and the answer is the score's value as the scorer gave it. Edits of a score (`Score.history`,
//! entries with a provenance) are human labels: the author of an edit is the annotator, and an author's last edit
//! counts. An unscored sample (`NaN`) and one that failed are failed answers.

use serde_json::Value;

use super::json::{
    cell, cell_at, content, document, elements, joined_cells, needed, present, scalar, without, without_constants,
};
use super::record::{HumanLabel, LogRecord, LoggedAnswer, Reading};
use super::rows::LogStart;
use crate::archive::members;
use crate::error::{Error, Place, Result};

pub(super) fn is(start: &LogStart) -> bool {
    let archive =
        start.bytes.starts_with(b"PK\x03\x04") && start.file.extension().is_some_and(|extension| extension == "eval");
    archive || start.object.as_ref().is_some_and(|log| log.get("eval").is_some() && log.get("plan").is_some())
}

pub(super) fn read(log: &mut Reading) -> Result<()> {
    let (header, samples) = match log.bytes.starts_with(b"PK") {
        true => archived(log)?,
        false => (without(log.file, &log.text()?, "samples")?, log.list("samples")?),
    };
    let epochs = samples.iter().any(|(_, sample)| sample.get("epoch").and_then(Value::as_u64).unwrap_or(1) > 1);
    for (place, sample) in &samples {
        read_sample(place, (&header, sample), epochs, log)?;
    }
    let eval = header.get("eval").unwrap_or(&Value::Null);
    if let Some(expected) = header.pointer("/results/completed_samples").and_then(Value::as_u64) {
        let complete = samples.iter().filter(|(_, sample)| !present(sample, "error")).count();
        if expected > complete as u64 {
            let reason = format!("it holds {complete} completed samples where its results say {expected}");
            return Err(Error::unfit(Place::file(log.file), reason, "the file was cut off or edited: copy it again"));
        }
    }
    ["task", "model", "created"].iter().for_each(|name| log.state(name, eval.get(name).and_then(scalar)));
    log.state("status", header.get("status").and_then(scalar));
    log.log.provenance.version = eval.pointer("/packages/inspect_ai").and_then(scalar);
    Ok(())
}

/// The header of an archive, and its samples; their places are their numbers.
fn archived(log: &Reading) -> Result<(Value, Vec<(Place, Value)>)> {
    let file = log.file;
    let wanted = |name: &str| name == "header.json" || name.starts_with("samples/") && name.ends_with(".json");
    let (mut header, mut samples) = (None, vec![]);
    for (name, text) in members(file, log.bytes, wanted)? {
        let text = without_constants(&text);
        if name == "header.json" {
            header = Some(document(file, &text)?);
        } else {
            let number = samples.len() as u64 + 1;
            samples.push((Place::file(file).at_line(number), document(file, &text)?));
        }
    }
    let Some(header) = header else {
        let reason =
            "the archive has no header.json: the evaluation was interrupted, or this is another tool's archive";
        let remedy = "finish it with `inspect eval-retry`, or give the log as JSON";
        return Err(Error::unfit(Place::file(file), reason, remedy));
    };
    if samples.is_empty() {
        let remedy = "log samples: evaluate without --no-log-samples";
        return Err(Error::unfit(Place::file(file), "the log holds no sample", remedy));
    }
    Ok((header, samples))
}

fn read_sample(place: &Place, (header, sample): (&Value, &Value), epochs: bool, log: &mut Reading) -> Result<()> {
    let mut record = LogRecord::of(place, sample, "/id", "the sample's id")?;
    record.part = epochs.then(|| cell_at(sample, "/epoch"));
    let message = |message: &Value| content(message.get("content"));
    let input = match sample.get("input") {
        Some(Value::Array(messages)) => messages.iter().map(message).collect::<Vec<_>>().join("\n\n"),
        other => other.map(cell).unwrap_or_default(),
    };
    record.put("input", input);
    record.put("output", cell_at(sample, "/output/completion"));
    record.put("target", joined_cells(sample.get("target"), "\n"));
    record.put_present("choices", sample.get("choices"));
    record.put_metadata(sample.get("metadata"));
    let failed = present(sample, "error");
    match sample.get("scores").and_then(Value::as_object) {
        Some(scores) if !scores.is_empty() => {
            for (name, score) in scores {
                read_score(header, &record, (name, score), failed, log)?;
            }
        }
        _ => log.push(LogRecord { prediction: Some(LoggedAnswer::Failed), ..record })?,
    }
    Ok(())
}

/// The instructions of a scorer, if the log has them; `None` for a part of a scorer's value.
fn rubric(header: &Value, criterion: &str) -> Option<String> {
    let scorer = elements(header.get("eval")?, "scorers")
        .iter()
        .find(|scorer| scorer.get("name").and_then(Value::as_str) == Some(criterion))?;
    let text = |name: &str| scorer.pointer(&format!("/options/{name}")).and_then(Value::as_str).map(str::to_owned);
    text("rubric").or_else(|| text("criteria")).or_else(|| text("instructions")).or_else(|| text("template"))
}

/// A score with one value is a criterion, one with several is a criterion for each.
fn read_score(
    header: &Value,
    record: &LogRecord,
    (name, score): (&str, &Value),
    failed: bool,
    log: &mut Reading,
) -> Result<()> {
    let history = elements(score, "history");
    // The first entry without a provenance is what the scorer said, before people edited it.
    let own = history.iter().find(|entry| !present(entry, "provenance"));
    let edited = history.iter().any(|entry| present(entry, "provenance"));
    let original = match own.and_then(|entry| entry.get("value")) {
        Some(value) => Some(value),
        None if edited => None,
        None => score.get("value"),
    };
    let parts: Vec<Option<&str>> = match score.get("value").or(original) {
        Some(Value::Object(values)) => values.keys().map(|key| Some(key.as_str())).collect(),
        _ => vec![None],
    };
    let said = own.unwrap_or(score).get("explanation").and_then(scalar);
    for part in parts {
        let of = |value: Option<&Value>| -> Option<String> {
            let value = match part {
                Some(key) => value?.get(key)?,
                None => value?,
            };
            scalar(value).filter(|text| !text.is_empty())
        };
        let answer = of(original).filter(|_| !failed);
        let mut labels: Vec<HumanLabel> = vec![];
        for entry in history {
            let Some(by) = entry.get("provenance").filter(|by| !by.is_null()) else { continue };
            let annotator = needed(&record.place, by, "/author", "the author of an edit")?;
            let value = entry.get("value");
            if value.and_then(Value::as_str) == Some("UNCHANGED") {
                continue;
            }
            if let Some(value) = of(value) {
                labels.retain(|label| label.annotator != annotator);
                labels.push(HumanLabel { annotator, value });
            }
        }
        let criterion = part.map_or(name.to_owned(), |part| format!("{name}.{part}"));
        log.push(LogRecord {
            rubric: rubric(header, &criterion),
            said: said.clone(),
            labels,
            ..record.answered(&criterion, answer)
        })?;
    }
    Ok(())
}

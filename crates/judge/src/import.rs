//! Reading the answer cache that the paper published: JSON lines, one per item and prompt variant.
//!
//! | field | holds |
//! |---|---|
//! | `idx` or `uid` | the item: number of a die, uid of ChaosNLI |
//! | `variant` | the prompt variant, `confidence`, or `selfupdate` |
//! | `raw` | the text of the answer |
//! | `dist` | the parsed prediction, a list in the order of the classes or an object by class, or null |
//! | `confidence` | the stated confidence, 0 to 100, or null |
//!
//! `dist` and `confidence` are what the release understood of its answers, to prompts whose form may differ from ours,
//! and they count, under the rules of [`parse`]. A raw text that is understood here too must agree with them; without
//! them it counts itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::Error;
use crate::cache::Meaning;
use crate::parse::{self, Failure};
use crate::predictions::Collected;
use crate::prompts::Ask;
use crate::task::{AnswerScale, Task};
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_formats::error::excerpt;

/// Variants of the published cache that are not wordings of the prompt.
const CONFIDENCE: [&str; 2] = ["confidence", "conf"];
const UPDATE: [&str; 3] = ["selfupdate", "self_update", "self-update"];
/// How far `dist` may be from the raw text, in shares.
const AGREEMENT: f64 = 0.011;

#[derive(Deserialize)]
struct PublishedRow {
    idx: Option<Value>,
    uid: Option<String>,
    variant: Option<String>,
    raw: Option<String>,
    dist: Option<Value>,
    confidence: Option<f64>,
}

/// Reads the answers about the items of `task` from files of the published cache. The task's variants become those of
/// the files: first the task's own (its first one in any case), then others in the order of their first row.
///
/// # Errors
/// A file that can't be read; a row that is not JSON of that form, names an unknown item, repeats another row, or whose
/// `dist` or `confidence` contradicts its raw text.
pub fn published(paths: &[&Path], task: &mut Task) -> Result<Collected, Error> {
    let classes = match &task.answers {
        AnswerScale::Classes(classes) => classes.clone(),
        AnswerScale::Score { .. } => {
            return Err(Error::Argument("the published cache holds label distributions, not scores".to_owned()));
        }
    };
    let known: BTreeSet<String> = task.items.iter().map(|item| item.id.clone()).collect();
    let first = task.variants.first().cloned().unwrap_or_default();
    let mut variants: Vec<String> = vec![];
    let mut lines: BTreeMap<(String, String, Ask), (std::path::PathBuf, u64)> = BTreeMap::new();
    let mut collected = Collected::default();
    for &path in paths {
        let content = crate::text_of(path)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        collected.files.insert(name, sha256_hex(content.as_bytes()));
        for (line, text) in crate::lines_of(&content) {
            let refused = |detail: String| Error::Line { path: path.to_path_buf(), line, detail };
            let row: PublishedRow = serde_json::from_str(text).map_err(|e| {
                refused(format!("no row of the cache: {e}; write each as a JSON object on a line of its own"))
            })?;
            let item = match (&row.idx, &row.uid) {
                (Some(Value::Number(idx)), None) => idx.to_string(),
                (Some(Value::String(id)), None) | (None, Some(id)) => id.clone(),
                _ => {
                    return Err(refused(
                        "it needs one of idx and uid; write the item's id under one of them".to_owned(),
                    ));
                }
            };
            if !known.contains(&item) {
                return Err(refused(format!(
                    "the item {:?} is not among those of {:?}; correct it, or give the items that it is about",
                    excerpt(&item),
                    task.name
                )));
            }
            let named = row.variant.clone().unwrap_or_else(|| first.clone());
            let is = |names: &[&str]| names.contains(&named.to_lowercase().as_str());
            let (ask, variant) = match () {
                () if is(&CONFIDENCE) => (Ask::Confidence, first.clone()),
                () if is(&UPDATE) => (Ask::Update, first.clone()),
                () => (Ask::Distribution, named.clone()),
            };
            let mut once =
                |ask: Ask| match lines.insert((item.clone(), variant.clone(), ask), (path.to_path_buf(), line)) {
                    Some((path, first)) => Err(refused(format!(
                        "item {item:?}, variant {:?} is already in {}:{first}; keep one of the two",
                        excerpt(&variant),
                        path.display()
                    ))),
                    None => Ok(()),
                };
            let readings = row.readings(ask, &classes).map_err(refused)?;
            for (ask, meaning) in readings {
                once(ask)?;
                collected.add(&item, &variant, ask, meaning);
            }
            if ask == Ask::Distribution && !variants.contains(&variant) {
                variants.push(variant);
            }
        }
    }
    task.variants.retain(|variant| variants.contains(variant) || *variant == first);
    let unknown: Vec<String> = variants.into_iter().filter(|variant| !task.variants.contains(variant)).collect();
    task.variants.extend(unknown);
    Ok(collected)
}

/// What was asked, and what the answer means.
type AskedReading = (Ask, Result<Meaning, Failure>);

impl PublishedRow {
    /// What a row says, with what was asked: a prediction, a stated confidence, or both.
    fn readings(&self, ask: Ask, classes: &[String]) -> Result<Vec<AskedReading>, String> {
        let stated = self.stated_confidence();
        if ask == Ask::Confidence {
            let said = self.raw.as_deref().map(parse::confidence);
            let agreed = match (said, stated) {
                (Some(Ok(said)), Some(Ok(stated))) if said != stated => {
                    return Err(format!(
                        "its confidence is {stated}, but its raw text says {said}; correct one, or leave it out"
                    ));
                }
                (_, Some(stated)) => stated,
                (Some(said), None) => said,
                (None, None) => Err(Failure::Empty),
            };
            return Ok(vec![(Ask::Confidence, agreed.map(Meaning::Confidence))]);
        }
        let said = self.raw.as_deref().map(|raw| parse::distribution(raw, classes));
        let dist = self.dist.as_ref().filter(|dist| !dist.is_null()).map(|dist| distribution(dist, classes));
        let prediction = match (said, dist) {
            (Some(Ok(said)), Some(Ok(dist))) => {
                let apart = said.shares.iter().zip(&dist.shares).any(|(a, b)| (a - b).abs() > AGREEMENT);
                if apart {
                    return Err(format!(
                        "its dist {} is not what its raw text says; correct one, or leave it out",
                        excerpt(&self.dist.as_ref().map_or_else(String::new, Value::to_string))
                    ));
                }
                Ok(dist)
            }
            (_, Some(dist)) => dist,
            (Some(said), None) => said,
            (None, None) => Err(Failure::Empty),
        };
        let mut readings = vec![(ask, prediction.map(Meaning::Distribution))];
        readings.extend(stated.map(|stated| (Ask::Confidence, stated.map(Meaning::Confidence))));
        Ok(readings)
    }

    fn stated_confidence(&self) -> Option<Result<f64, Failure>> {
        self.confidence.map(|confidence| parse::confidence(&confidence.to_string()))
    }
}

/// A `dist` under the rules of an answer.
fn distribution(dist: &Value, classes: &[String]) -> Result<parse::Distribution, Failure> {
    let text = match dist {
        Value::Array(numbers) if numbers.len() == classes.len() => {
            let by_class: serde_json::Map<String, Value> =
                classes.iter().cloned().zip(numbers.iter().cloned()).collect();
            Value::Object(by_class).to_string()
        }
        Value::Array(_) => return Err(Failure::MissingClass),
        other => other.to_string(),
    };
    parse::distribution(&text, classes)
}

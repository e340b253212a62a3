//! Results that were edited, with their sums mended: whatever the edit, they are refused with the file that holds it, or everything
//! can be made of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use judge_uncertainty::artifact::{Manifest, Results};
use judge_uncertainty::dataset::checksum::sha256_hex;
use judge_uncertainty::report::claims::Claims;
use judge_uncertainty::report::latex::Templates;
use judge_uncertainty::report::page::PageTemplates;
use judge_uncertainty::report::paper::Reproduction;
use judge_uncertainty::report::paper::findings::Findings;
use judge_uncertainty::report::verdicts::Verdicts;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::repository;

/// An artifact folder with the results of one experiment, whose sum is always right.
struct Edited {
    folder: TempDir,
    experiment: &'static str,
    manifest: Value,
}

impl Edited {
    fn new(experiment: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("results")).unwrap();
        let mut manifest = read("manifest");
        for part in ["deterministic", "run"] {
            manifest[part].as_object_mut().unwrap().retain(|name, _| name == experiment);
        }
        Self { folder, experiment, manifest }
    }

    fn put(&mut self, results: &Value) {
        let text = results.to_string();
        self.manifest["deterministic"][self.experiment]["results_sha256"] = sha256_hex(text.as_bytes()).into();
        let results = self.folder.path().join("results");
        fs::write(results.join("manifest.json"), self.manifest.to_string()).unwrap();
        fs::write(results.join(format!("{}.json", self.experiment)), text).unwrap();
    }

    fn load(&self) -> Result<(Results, Manifest), String> {
        let told = |error: judge_uncertainty::artifact::Error| error.to_string();
        let manifest = Manifest::load(self.folder.path()).map_err(told)?;
        Ok((Results::load(self.folder.path(), &manifest).map_err(told)?, manifest))
    }
}

fn read(name: &str) -> Value {
    let path = repository("artifact/results").join(format!("{name}.json"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Makes everything of the results; what is refused is told.
fn render((results, manifest): &(Results, Manifest)) -> Result<(), String> {
    let claims = Claims::load(&repository("data/paper/claims.toml")).unwrap();
    let findings = Findings::built_in().unwrap();
    let verdicts = Verdicts::judge(&claims, results, manifest).map_err(|e| e.to_string())?;
    let findings = findings.of(results.extended.as_ref()).map_err(|e| e.to_string())?;
    let shown = Reproduction { results, manifest, verdicts: &verdicts, findings: &findings };
    let (latex, html) = (Templates::load(None).unwrap(), PageTemplates::load(None).unwrap());
    shown.stage(&latex, &html).map_err(|e| e.to_string()).map(drop)
}

/// One place for each kind of field: numbers and texts of one name, lists and objects of one name below one name; positions in lists
/// count as one name.
fn places(value: &Value) -> Vec<String> {
    fn walk(value: &Value, at: &str, kinds: &mut BTreeSet<(bool, String)>, found: &mut Vec<String>) {
        let parts: Vec<&str> =
            at.split('/').map(|part| if part.parse::<usize>().is_ok() { "*" } else { part }).collect();
        let leaf = !value.is_object() && !value.is_array();
        let last = parts[parts.len().saturating_sub(if leaf { 1 } else { 2 })..].join("/");
        if kinds.insert((leaf, last)) {
            found.push(at.to_owned());
        }
        match value {
            Value::Object(members) => {
                let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
                members.iter().for_each(|(name, inner)| walk(inner, &format!("{at}/{}", escaped(name)), kinds, found));
            }
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(k, inner)| walk(inner, &format!("{at}/{k}"), kinds, found));
            }
            _ => {}
        }
    }
    let (mut kinds, mut found) = (BTreeSet::new(), vec![]);
    walk(value, "", &mut kinds, &mut found);
    found
}

/// What an edit puts in the place of a value; `None` removes it.
fn edits(value: &Value) -> Vec<Option<Value>> {
    let mut edits = vec![None, Some(Value::Null)];
    match value {
        Value::Array(list) => {
            edits.push(Some(json!({})));
            edits.push(Some(json!([])));
            edits.push(Some(list.iter().take(list.len().saturating_sub(1)).cloned().collect()));
            edits.push(Some(list.iter().chain(list.last()).cloned().collect()));
        }
        Value::Object(_) => edits.extend([Some(json!({})), Some(json!([]))]),
        Value::Number(_) => edits.extend([Some("7".into()), Some(1e300.into())]),
        Value::String(_) => edits.extend([Some(7.into()), Some("?".into()), Some("a\u{1F300}\u{0}".into())]),
        _ => edits.push(Some(7.into())),
    }
    edits
}

fn edited(results: &Value, place: &str, edit: Option<Value>) -> Value {
    let mut results = results.clone();
    let (above, name) = place.rsplit_once('/').unwrap();
    match (edit, results.pointer_mut(above).unwrap()) {
        (Some(value), _) => *results.pointer_mut(place).unwrap() = value,
        (None, Value::Array(list)) => drop(list.remove(name.parse().unwrap())),
        (None, members) => {
            let name = name.replace("~1", "/").replace("~0", "~");
            members.as_object_mut().unwrap().remove(&name).unwrap();
        }
    }
    results
}

fn hold(experiment: &'static str) {
    let results = read(experiment);
    let mut folder = Edited::new(experiment);
    folder.put(&results);
    render(&folder.load().unwrap()).unwrap();
    let file = Path::new("results").join(format!("{experiment}.json")).display().to_string();
    let (mut refused, mut taken) = (0, vec![]);
    for place in places(&results).into_iter().filter(|place| !place.is_empty()) {
        for (turn, edit) in edits(results.pointer(&place).unwrap()).into_iter().enumerate() {
            let changed = edited(&results, &place, edit);
            folder.put(&changed);
            match folder.load() {
                Ok(_) => taken.push((turn, place.clone(), changed)),
                Err(told) => {
                    assert!(told.contains(&file), "{experiment}: {place}, edit {turn}: {told}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 100, "{refused} refused, {} taken", taken.len());
    for (turn, place, changed) in taken {
        folder.put(&changed);
        let loaded = folder.load().unwrap();
        let done = std::panic::catch_unwind(|| render(&loaded));
        let done = done.unwrap_or_else(|_| panic!("{experiment}: {place}, edit {turn}: panicked"));
        // What a claim or a finding asks for may be gone.
        assert!(done.as_ref().err().is_none_or(|told| told.contains(&file)), "{place}, edit {turn}: {done:?}");
    }
}

/// Every number replaced at once, by several.
fn with_numbers(value: &Value, number: &mut impl FnMut() -> f64) -> Value {
    match value {
        Value::Number(old) if old.is_f64() => number().into(),
        Value::Array(list) => list.iter().map(|inner| with_numbers(inner, number)).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, inner)| (name.clone(), with_numbers(inner, number)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

fn hold_numbers(experiment: &'static str) {
    let results = read(experiment);
    let mut folder = Edited::new(experiment);
    for values in [&[0.0][..], &[1e12], &[-1e12], &[5e-324], &[1e12, -1e12, 0.0], &[1e12, 999_999_999_999.999_9]] {
        let mut turn = values.iter().cycle();
        folder.put(&with_numbers(&results, &mut || *turn.next().unwrap()));
        let loaded = folder.load().unwrap();
        let done = std::panic::catch_unwind(|| render(&loaded));
        done.unwrap_or_else(|_| panic!("{experiment} with {values:?}: panicked")).unwrap();
    }
}

/// The record beside the results, edited.
#[test]
fn edited_manifests() {
    let mut folder = Edited::new("dice");
    folder.put(&read("dice"));
    let path = folder.folder.path().join("results/manifest.json");
    let (mut refused, mut rendered) = (0, 0);
    for place in places(&folder.manifest).iter().filter(|place| !place.is_empty()) {
        for edit in edits(folder.manifest.pointer(place).unwrap()) {
            let case = format!("{place} becomes {edit:?}");
            fs::write(&path, edited(&folder.manifest, place, edit).to_string()).unwrap();
            match folder.load().and_then(|loaded| render(&loaded)) {
                Ok(()) => rendered += 1,
                Err(told) => {
                    assert!(told.contains("results/manifest.json"), "{case}: {told}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 20 && rendered > 0, "{refused} refused, {rendered} rendered");
}

macro_rules! hold {
    ($($name:ident: $experiment:literal;)+) => {
        $(#[test]
        fn $name() {
            hold($experiment);
            hold_numbers($experiment);
        })+
    };
}

hold! {
    edited_results_of_the_simulations: "simulations";
    edited_results_of_the_dice: "dice";
    edited_results_of_chaosnli: "chaosnli";
    edited_results_beyond_the_paper: "extended";
}

//! Results on disk: the manifest, results that were edited with their sums mended, and the claims about them.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use judge_uncertainty::artifact::{Manifest, Results};
use judge_uncertainty::formats::checksum::sha256_hex;
use judge_uncertainty::paper::claims::Claims;
use judge_uncertainty::paper::verdicts::Verdicts;
use serde_json::Value;

use super::tables::told;
use crate::scratch::{Scratch, choice};

const MANIFEST: &str = include_str!("../../../artifact/results/manifest.json");
const DICE: &str = include_str!("../../../artifact/results/dice.json");
const CLAIMS: &str = include_str!("../../../data/paper/claims.toml");

/// The committed results by experiment.
const RESULTS: [(&str, &str); 3] = [
    ("dice", DICE),
    ("simulations", include_str!("../../../artifact/results/simulations.json")),
    ("chaosnli", include_str!("../../../artifact/results/chaosnli.json")),
];

fn committed_claims() -> &'static Claims {
    static READ: OnceLock<Claims> = OnceLock::new();
    READ.get_or_init(|| Claims::parse(CLAIMS, Path::new("claims.toml")).expect("the committed claims"))
}

/// The manifest of an artifact folder.
pub(crate) fn manifest(data: &[u8]) {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path().join("results")).expect("a temporary folder");
    scratch.put("results/manifest.json", data);
    scratch.put("results/dice.json", DICE);
    if let Ok(manifest) = Manifest::load(scratch.path()).map_err(told) {
        let _ = Results::load(scratch.path(), &manifest).map_err(told);
    }
}

/// Results of an experiment with some edits, in a folder whose sums are right: judged or refused.
pub(crate) fn results(data: &[u8]) {
    let (which, data) = choice(data, RESULTS.len());
    let (experiment, text) = RESULTS[which];
    let mut results: Value = serde_json::from_str(text).expect("the committed results");
    data.as_chunks::<4>().0.iter().take(8).for_each(|edit| edited(&mut results, *edit));
    let text = results.to_string();
    let mut manifest: Value = serde_json::from_str(MANIFEST).expect("the committed manifest");
    for part in ["deterministic", "run"] {
        let all = manifest[part].as_object_mut().expect("experiments by name");
        all.retain(|name, _| name == experiment);
    }
    manifest["deterministic"][experiment]["results_sha256"] = sha256_hex(text.as_bytes()).into();
    let scratch = Scratch::new();
    fs::create_dir(scratch.path().join("results")).expect("a temporary folder");
    scratch.put("results/manifest.json", manifest.to_string());
    scratch.put(&format!("results/{experiment}.json"), text);
    judge(scratch.path());
}

fn judge(folder: &Path) {
    let Ok(manifest) = Manifest::load(folder).map_err(told) else { return };
    let Ok(results) = Results::load(folder, &manifest).map_err(told) else { return };
    let _ = Verdicts::judge(committed_claims(), &results, &manifest).map_err(told);
}

/// One edit at one of the values, counted through.
pub(super) fn edited(value: &mut Value, [high, low, what, other]: [u8; 4]) {
    let mut left = usize::from(u16::from_be_bytes([high, low])) % count(value);
    change(value, &mut left, what, other);
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Changes the value at which `left` comes to 0; whether it did.
fn change(value: &mut Value, left: &mut usize, what: u8, other: u8) -> bool {
    if *left == 0 {
        *value = changed(value, what, other);
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(list) => list.iter_mut().any(|inner| change(inner, left, what, other)),
        Value::Object(members) => members.values_mut().any(|inner| change(inner, left, what, other)),
        _ => false,
    }
}

fn changed(value: &Value, what: u8, other: u8) -> Value {
    const NUMBERS: [f64; 10] = [0.0, -0.0, -1.0, 1.0, 1e308, -1e308, 5e-324, 0.5, 1e16, 4_294_967_296.0];
    let number = || NUMBERS[usize::from(other) % NUMBERS.len()];
    match (value, what % 4) {
        (_, 0) => {
            [Value::Null, Value::Bool(true), "".into(), Value::Array(vec![]), 7.into()][usize::from(other) % 5].clone()
        }
        (Value::Number(_), _) => number().into(),
        (Value::String(_), _) => {
            ["\u{1F300}\u{0}", "a&<\\%_{}$", "x".repeat(5000).as_str()][usize::from(other) % 3].into()
        }
        (Value::Array(list), 1) => list.iter().skip(usize::from(other) % 4).cloned().collect(),
        (Value::Array(list), 2) => list.iter().chain(list).cloned().collect(),
        (Value::Array(list), _) => list.iter().rev().cloned().collect(),
        (Value::Object(members), _) => {
            let gone = usize::from(other) % members.len().max(1);
            members.iter().enumerate().filter(|(i, _)| *i != gone).map(|(_, (k, v))| (k.clone(), v.clone())).collect()
        }
        (other, _) => other.clone(),
    }
}

/// The file of claims, held against the committed results of the dice.
pub(crate) fn claims(data: &[u8]) {
    let (_, data) = choice(data, 1);
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(claims) = Claims::parse(text, Path::new("claims.toml")).map_err(told) else { return };
    static VALUES: OnceLock<(Manifest, Results)> = OnceLock::new();
    let (manifest, results) = VALUES.get_or_init(|| {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path().join("results")).expect("a temporary folder");
        let mut manifest: Value = serde_json::from_str(MANIFEST).expect("the committed manifest");
        let all = manifest["deterministic"].as_object_mut().expect("experiments by name");
        all.retain(|experiment, _| experiment == "dice");
        scratch.put("results/manifest.json", manifest.to_string());
        scratch.put("results/dice.json", DICE);
        let manifest = Manifest::load(scratch.path()).expect("the committed manifest");
        let results = Results::load(scratch.path(), &manifest).expect("the committed results");
        (manifest, results)
    });
    let _ = Verdicts::judge(&claims, results, manifest).map_err(told);
}

//! Results that were edited, with their sums mended: whatever the edit, they are refused with the file that holds it,
//! or everything can be made of them.
//!
//! Every leaf is tried. Reading a file for each would take an hour, so a leaf is read from the beginning of a file
//! whose objects name the way to it first: where its value is of another type, the reader refuses there. What the
//! reader goes on from is put into one file, which is held against what a run writes, and what that leaves is rendered.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::LazyLock;

use judge_uncertainty::artifact::{Error, Flaw, Manifest, Results};
use judge_uncertainty::experiments::Experiment;
use judge_uncertainty::formats::checksum::sha256_hex;
use judge_uncertainty::report::claims::Claims;
use judge_uncertainty::report::latex::Templates;
use judge_uncertainty::report::page::PageTemplates;
use judge_uncertainty::report::paper::findings::Findings;
use judge_uncertainty::report::paper::stage;
use judge_uncertainty::report::verdicts::Verdicts;
use serde_json::{Map, Value, json};

use crate::support::repository;

static CLAIMS: LazyLock<Claims> = LazyLock::new(|| Claims::load(&repository("data/paper/claims.toml")).unwrap());

fn read(name: &str) -> Value {
    let path = repository("artifact/results").join(format!("{name}.json"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The committed manifest, of one experiment.
fn manifest_of(experiment: Experiment) -> Value {
    let mut manifest = read("manifest");
    for part in ["deterministic", "run"] {
        manifest[part].as_object_mut().unwrap().retain(|name, _| name == experiment.name());
    }
    manifest
}

/// Makes everything of the results; what is refused is told.
fn render(results: &Results, manifest: &Manifest) -> Result<(), String> {
    let verdicts = Verdicts::judge(&CLAIMS, results, manifest).map_err(|e| e.to_string())?;
    let findings = Findings::built_in().unwrap().from_results(results.extended.as_ref()).map_err(|e| e.to_string())?;
    let (latex, html) = (Templates::load(None).unwrap(), PageTemplates::load(None).unwrap());
    stage(results, manifest, &verdicts, &findings, (&latex, &html)).map_err(|e| e.to_string()).map(drop)
}

/// A value at a place, which is what a JSON pointer is; `None` removes it.
type Edit = (String, Option<Value>);

fn apply(results: &mut Value, (place, new): &Edit) {
    let (above, name) = place.rsplit_once('/').unwrap();
    match (new, results.pointer_mut(above).unwrap()) {
        (Some(value), _) => *results.pointer_mut(place).unwrap() = value.clone(),
        (None, Value::Array(list)) => drop(list.remove(name.parse().unwrap())),
        (None, members) => {
            let name = name.replace("~1", "/").replace("~0", "~");
            members.as_object_mut().unwrap().remove(&name).unwrap();
        }
    }
}

fn with(results: &Value, edits: &[Edit]) -> Value {
    let mut results = results.clone();
    // From the last, so that positions stay what they are and what is within something comes first.
    edits.iter().rev().for_each(|edit| apply(&mut results, edit));
    results
}

/// Where a value stands in the object or list above it.
#[derive(Clone, Copy)]
enum Step<'v> {
    Member(&'v Map<String, Value>, &'v str),
    Element(&'v [Value], usize),
}

impl Step<'_> {
    /// How many elements before and behind one are read with it: all, where a type may fix the length of the list.
    fn beside(list: &[Value]) -> usize {
        let may_be_fixed = list.len() <= 50 && !list[0].is_object();
        if may_be_fixed { list.len() } else { 0 }
    }

    fn pointer(self) -> String {
        match self {
            Self::Member(_, name) => name.replace('~', "~0").replace('/', "~1"),
            Self::Element(_, k) => k.to_string(),
        }
    }

    /// What stands before it, its name last: of an object nothing else.
    fn before(self) -> String {
        match self {
            Self::Member(_, name) => format!("{{{}:", json!(name)),
            Self::Element(list, k) => {
                let from = k.saturating_sub(Self::beside(list));
                "[".to_owned() + &list[from..k].iter().map(|x| format!("{x},")).collect::<String>()
            }
        }
    }

    /// What its object or list begins with.
    fn opening(self) -> &'static str {
        match self {
            Self::Member(..) => "{",
            Self::Element(..) => "[",
        }
    }

    /// What stands behind it.
    fn behind(self) -> String {
        match self {
            Self::Member(members, name) => {
                let others = members.iter().filter(|(other, _)| *other != name);
                others.map(|(name, value)| format!(",{}:{value}", json!(name))).collect::<String>() + "}"
            }
            Self::Element(list, k) => {
                list[k + 1..].iter().take(Self::beside(list)).map(|x| format!(",{x}")).collect::<String>() + "]"
            }
        }
    }
}

/// What edits put in the place of a leaf, in turns that every leaf has.
fn of_leaf(value: &Value) -> Vec<Option<Value>> {
    let others = match value {
        Value::Number(_) => vec![json!("7"), json!(1e300)],
        Value::String(_) => vec![json!(7), json!("?"), json!("a\u{1F300}\u{0}")],
        _ => vec![json!(7), json!("?"), json!({})],
    };
    [None, Some(Value::Null)].into_iter().chain(others.into_iter().map(Some)).collect()
}

/// All leaves of a results file, tried one by one.
struct Leaves<'v> {
    experiment: Experiment,
    steps: Vec<Step<'v>>,
    refused: usize,
    /// What the reader has nothing against, by turn.
    taken: [Vec<Edit>; 5],
}

impl<'v> Leaves<'v> {
    fn new(experiment: Experiment, results: &'v Value) -> Self {
        let mut leaves = Self { experiment, steps: vec![], refused: 0, taken: Default::default() };
        leaves.walk(results, &mut String::new());
        leaves
    }

    fn walk(&mut self, value: &'v Value, before: &mut String) {
        let mut inner = |step: Step<'v>, value: &'v Value| {
            let length = before.len();
            before.push_str(&step.before());
            self.steps.push(step);
            self.walk(value, before);
            self.steps.pop();
            before.truncate(length);
        };
        match value {
            Value::Object(members) if !members.is_empty() => {
                members.iter().for_each(|(name, value)| inner(Step::Member(members, name), value));
            }
            Value::Array(list) if !list.is_empty() => {
                list.iter().enumerate().for_each(|(k, value)| inner(Step::Element(list, k), value));
            }
            leaf => self.edit(leaf, before),
        }
    }

    fn edit(&mut self, leaf: &Value, before: &str) {
        for (turn, new) in of_leaf(leaf).into_iter().enumerate() {
            // A list without one of its elements is another list; lists are edited elsewhere.
            if new.is_none() && matches!(self.steps.last(), Some(Step::Element(..))) {
                continue;
            }
            let of_its_type = leaf.is_f64() && new.as_ref().is_some_and(Value::is_f64);
            if !of_its_type && is_refused(self.experiment, &self.steps, before, new.as_ref()) {
                self.refused += 1;
            } else {
                let place = self.steps.iter().map(|step| format!("/{}", step.pointer())).collect();
                self.taken[turn].push((place, new));
            }
        }
    }
}

/// Whether the reader refuses a file from its beginning to the end of an edited value, or of some of what is around it:
/// a value may be kept until all of its object is known. `before` is what stands before the value, whose place `steps`
/// lead to.
fn is_refused(experiment: Experiment, steps: &[Step<'_>], before: &str, new: Option<&Value>) -> bool {
    let mut text = match (new, steps.last()) {
        (Some(value), _) => format!("{before}{value}"),
        (None, Some(step)) => before[..before.len() - step.before().len()].to_owned(),
        (None, None) => String::new(),
    };
    for (above, step) in steps.iter().rev().enumerate() {
        let removed = new.is_none() && above == 0;
        if removed {
            text += &step.behind().replacen(',', step.opening(), 1);
        }
        match Results::parse(experiment, Path::new("results.json"), text.as_bytes()) {
            Err(Error::Json { detail, .. }) if detail.starts_with("EOF") => {}
            Err(Error::Form { .. }) | Ok(_) => return false,
            Err(_) => return true,
        }
        if !removed {
            text += &step.behind();
        }
        if text.len() > before.len() + 4000 {
            return false;
        }
    }
    false
}

/// The steps to a place.
fn steps_to<'v>(value: &'v Value, place: &str) -> Vec<Step<'v>> {
    let (mut steps, mut value) = (vec![], value);
    for name in place.split('/').skip(1) {
        let name = name.replace("~1", "/").replace("~0", "~");
        let (step, inner) = match value {
            Value::Object(members) => {
                let (name, inner) = members.get_key_value(&name).unwrap();
                (Step::Member(members, name), inner)
            }
            Value::Array(list) => {
                let k = name.parse().unwrap();
                (Step::Element(list, k), &list[k])
            }
            _ => panic!("{place} goes on"),
        };
        steps.push(step);
        value = inner;
    }
    steps
}

/// The place of a field that is refused, and of the one that it lacks.
fn flawed(flaw: &Flaw) -> impl Iterator<Item = String> {
    let place = format!("/results/{}", flaw.field);
    let lacked = flaw.problem.strip_prefix("lacks `").map(|rest| format!("{place}/{}", rest.trim_end_matches('`')));
    std::iter::once(place).chain(lacked)
}

/// Results of one experiment, to be edited.
struct Original {
    experiment: Experiment,
    results: Value,
    manifest: Manifest,
}

impl Original {
    fn new(experiment: Experiment) -> Self {
        let manifest = serde_json::from_value(manifest_of(experiment)).unwrap();
        Self { experiment, results: read(experiment.name()), manifest }
    }

    fn file(&self) -> String {
        format!("results/{}.json", self.experiment)
    }

    fn parse(&self, results: &Value) -> Result<Results, Error> {
        Results::parse(self.experiment, Path::new(&self.file()), results.to_string().as_bytes())
    }

    /// Takes back those of many edits that are refused; how many they are. None is within another.
    fn take_back_refused(&self, edits: &mut Vec<Edit>) -> usize {
        let all = edits.len();
        while !edits.is_empty() {
            let Err(error) = self.parse(&with(&self.results, edits)) else { break };
            assert!(error.to_string().contains(&self.file()), "{error}");
            let before = edits.len();
            match error {
                Error::Form { flaws, .. } => {
                    let fields: BTreeSet<String> = flaws.iter().flat_map(flawed).collect();
                    edits.retain(|(place, _)| !fields.contains(place));
                    assert!(edits.len() < before, "{fields:?} are refused, but were not edited");
                }
                // The reader stops at the first of them.
                _ => edits.retain(|edit| self.parse(&with(&self.results, std::slice::from_ref(edit))).is_ok()),
            }
        }
        all - edits.len()
    }

    /// Takes back those of many edits without which claims and findings can't be told; the error says where.
    fn without_asked(&self, edits: &mut Vec<Edit>) -> Results {
        let mut results = self.parse(&with(&self.results, edits)).unwrap();
        while let Err(told) = self.judged(&results) {
            assert!(told.contains(&self.file()), "{told}");
            let before = edits.len();
            if let Some(at) = told.split("at `").nth(1).and_then(|rest| rest.split('`').next()) {
                let at = format!("/results/{}", at.trim_start_matches(&format!("{}/", self.experiment)));
                edits.retain(|(place, _)| *place != at && !place.starts_with(&format!("{at}/")));
            } else {
                // A finding says which of its figures is missing; the edits that take it away do so alone.
                let told_without = |edit: &Edit| {
                    let alone = self.parse(&with(&self.results, std::slice::from_ref(edit)));
                    alone.is_ok_and(|results| self.judged(&results).is_ok())
                };
                edits.retain(told_without);
            }
            assert!(edits.len() < before, "{told}");
            results = self.parse(&with(&self.results, edits)).unwrap();
        }
        results
    }

    fn judged(&self, results: &Results) -> Result<(), String> {
        Verdicts::judge(&CLAIMS, results, &self.manifest).map_err(|e| e.to_string())?;
        Findings::built_in().unwrap().from_results(results.extended.as_ref()).map(drop).map_err(|e| e.to_string())
    }

    fn hold_leaves(&self) {
        let leaves = Leaves::new(self.experiment, &self.results);
        let (mut refused, mut taken) = (leaves.refused, leaves.taken);
        for edits in &mut taken {
            refused += self.take_back_refused(edits);
        }
        assert!(refused > 2000, "{refused} refused");
        self.render_all(taken);
    }

    /// Makes everything of results with all edits of a turn.
    fn render_all(&self, taken: impl IntoIterator<Item = Vec<Edit>>) {
        for (turn, mut edits) in taken.into_iter().enumerate() {
            let results = self.without_asked(&mut edits);
            if !edits.is_empty() {
                let done = catch_unwind(AssertUnwindSafe(|| render(&results, &self.manifest)));
                done.unwrap_or_else(|_| panic!("turn {turn} of {}: panicked with {edits:?}", self.experiment)).unwrap();
            }
        }
    }

    /// Lists and objects, one for each kind.
    fn hold_containers(&self) {
        let mut refused = 0;
        // By turn and depth: what stands at one depth is not within another.
        let mut taken: BTreeMap<(usize, usize), Vec<Edit>> = BTreeMap::new();
        for place in containers(&self.results) {
            let steps = steps_to(&self.results, &place);
            let before: String = steps.iter().map(|step| step.before()).collect();
            let old = self.results.pointer(&place).unwrap();
            for (turn, new) in of_container(old).into_iter().enumerate() {
                let of_its_type = old.is_array() && new.as_ref().is_some_and(Value::is_array);
                if !of_its_type && is_refused(self.experiment, &steps, &before, new.as_ref()) {
                    refused += 1;
                } else {
                    taken.entry((turn, steps.len())).or_default().push((place.clone(), new));
                }
            }
        }
        for edits in taken.values_mut() {
            refused += self.take_back_refused(edits);
        }
        assert!(refused > 400, "{refused}");
        self.render_all(taken.into_values());
    }

    fn hold_numbers(&self) {
        for values in [&[0.0][..], &[1e12], &[-1e12], &[5e-324], &[1e12, -1e12, 0.0], &[1e12, 999_999_999_999.999_9]] {
            let mut turn = values.iter().cycle();
            let results = self.parse(&with_numbers(&self.results, &mut || *turn.next().unwrap())).unwrap();
            let done = catch_unwind(AssertUnwindSafe(|| render(&results, &self.manifest)));
            done.unwrap_or_else(|_| panic!("{} with {values:?}: panicked", self.experiment)).unwrap();
        }
    }
}

/// One list or object for each kind: two names on the way to it, where positions in lists count as one name.
fn containers(value: &Value) -> Vec<String> {
    fn walk(value: &Value, at: &str, kinds: &mut BTreeSet<String>, found: &mut Vec<String>) {
        let parts: Vec<&str> =
            at.split('/').map(|part| if part.parse::<usize>().is_ok() { "*" } else { part }).collect();
        let is_new = kinds.insert(parts[parts.len().saturating_sub(2)..].join("/"));
        if is_new && !at.is_empty() && (value.is_object() || value.is_array()) {
            found.push(at.to_owned());
        }
        match value {
            Value::Object(members) => members.iter().for_each(|(name, inner)| {
                walk(inner, &format!("{at}/{}", Step::Member(members, name).pointer()), kinds, found);
            }),
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

/// What edits put in the place of a list or an object.
fn of_container(value: &Value) -> Vec<Option<Value>> {
    let mut edits = vec![None, Some(Value::Null), Some(json!({})), Some(json!([]))];
    if let Value::Array(list) = value {
        edits.push(Some(list.iter().take(list.len().saturating_sub(1)).cloned().collect()));
        edits.push(Some(list.iter().chain(list.last()).cloned().collect()));
    }
    edits.retain(|edit| edit.as_ref() != Some(value));
    edits
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

/// The record beside the results, edited: every leaf, list and object.
#[test]
fn edited_manifests() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("results")).unwrap();
    let mut manifest = manifest_of(Experiment::Dice);
    let results = read("dice").to_string();
    manifest["deterministic"]["dice"]["results_sha256"] = sha256_hex(results.as_bytes()).into();
    fs::write(folder.path().join("results/dice.json"), results).unwrap();
    let path = folder.path().join("results/manifest.json");
    let load = |manifest: &Value| -> Result<(Results, Manifest), String> {
        fs::write(&path, manifest.to_string()).unwrap();
        let manifest = Manifest::load(folder.path()).map_err(|e| e.to_string())?;
        Ok((Results::load(folder.path(), &manifest).map_err(|e| e.to_string())?, manifest))
    };
    let mut places = vec![];
    every_place(&manifest, "", &mut places);
    let (mut refused, mut taken) = (0, [const { vec![] }; 6]);
    for place in places {
        let old = manifest.pointer(&place).unwrap();
        let news = if old.is_object() || old.is_array() { of_container(old) } else { of_leaf(old) };
        for (turn, new) in news.into_iter().enumerate() {
            let edit = (place.clone(), new);
            match load(&with(&manifest, std::slice::from_ref(&edit))) {
                Ok(_) => taken[turn].push(edit),
                Err(told) => {
                    assert!(told.contains("results/manifest.json"), "{edit:?}: {told}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
    for edits in taken.iter().filter(|edits| !edits.is_empty()) {
        let (results, manifest) = load(&with(&manifest, edits)).unwrap();
        render(&results, &manifest).unwrap();
    }
}

fn every_place(value: &Value, at: &str, found: &mut Vec<String>) {
    if !at.is_empty() {
        found.push(at.to_owned());
    }
    match value {
        Value::Object(members) => members.iter().for_each(|(name, inner)| {
            every_place(inner, &format!("{at}/{}", Step::Member(members, name).pointer()), found);
        }),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(k, inner)| every_place(inner, &format!("{at}/{k}"), found));
        }
        _ => {}
    }
}

macro_rules! hold {
    ($($name:ident: $experiment:ident;)+) => {
        $(#[test]
        fn $name() {
            let original = Original::new(Experiment::$experiment);
            render(&original.parse(&original.results).unwrap(), &original.manifest).unwrap();
            original.hold_leaves();
            original.hold_containers();
            original.hold_numbers();
        })+
    };
}

hold! {
    edited_results_of_the_simulations: Simulations;
    edited_results_of_the_dice: Dice;
    edited_results_of_chaosnli: ChaosNli;
    edited_results_beyond_the_paper: Extended;
}

//! A fitted belief as a file, applied to further items and to those of its own study.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use judge_uncertainty::belief::ladder::Rung;
use judge_uncertainty::dataset::judge::JudgeAnswers;
use judge_uncertainty::escalation::Rule;
use judge_uncertainty::evaluation::Luck;
use judge_uncertainty::progress::Silent;
use judge_uncertainty::study::apply::applier::{Applier, Apply, priority_column};
use judge_uncertainty::study::apply::table::{Batch, Cells, Header, Lists};
use judge_uncertainty::study::belief_file::{BeliefFile, Saved, reference};
use judge_uncertainty::study::columns::columns;
use judge_uncertainty::study::kinds::classes::judge::ClassJudge;
use judge_uncertainty::study::kinds::classes::labels::Labels;
use judge_uncertainty::study::output::Values;
use judge_uncertainty::study::{Classes, Decomposition, Kind, Ordinal, Scores, Study};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::ordinal_study::study as answers;
use crate::study_run::desk;
use crate::support::{repository, run};

/// A belief written to a folder and read again.
fn written<K: Saved>(study: &Study<K>, decomposition: &Decomposition<K>) -> (TempDir, Applier<K>) {
    let folder = tempfile::tempdir().unwrap();
    let (belief, bytes) = BeliefFile::of(study, decomposition);
    let path = folder.path().join("belief.json");
    fs::write(&path, belief.text()).unwrap();
    if let Some(bytes) = bytes {
        fs::write(folder.path().join(reference::REFERENCE), bytes).unwrap();
    }
    let applier = Applier::<K>::read(&path, &[]).unwrap();
    assert_eq!(applier.belief().text(), belief.text());
    (folder, applier)
}

/// A table in memory.
struct Made(Header, Batch);

impl Made {
    fn new(ids: Vec<String>) -> Self {
        let mut batch = Batch::of(Path::new("made.csv"));
        batch.lines = (0..ids.len()).map(|i| i as u64 + 2).collect();
        let mut made = Self(Header { file: "made.csv".into(), names: vec![], complete: true }, batch);
        made.put("id", Cells::Text(ids));
        made
    }

    fn put(&mut self, name: &str, cells: Cells) {
        self.0.names.push(name.to_owned());
        self.1.put(name.to_owned(), cells);
    }

    /// What every kind of study knows of its items besides judge and labels.
    fn of<K: Kind>(study: &Study<K>) -> Self {
        let mut made = Self::new(study.items.ids.iter().map(str::to_owned).collect());
        if let (Some(name), Some(groups)) = (&study.file.config.items.group, &study.items.groups) {
            made.put(name, Cells::Text(groups.clone()));
        }
        for column in study.items.columns.iter().filter(|column| column.categories.is_empty()) {
            made.put(&column.source, Cells::Number(column.feature.values.clone()));
        }
        if let Some(embeddings) = &study.embeddings {
            let mut lists = Lists::default();
            embeddings.rows().into_iter().for_each(|row| lists.push(Some(row.to_vec())));
            made.put("embedding", Cells::Vector(lists));
        }
        made
    }

    fn classes(&mut self, judge: &ClassJudge, labels: &Labels, confidence: Option<&str>, pattern: &str) {
        let variants = judge.variants.variants();
        let items = judge.variants.ids().len();
        let of = |i: usize| -> &JudgeAnswers { judge.variants.item(i) };
        for (v, variant) in variants.iter().enumerate() {
            for (k, class) in judge.variants.classes().iter().enumerate() {
                let cell = |i| of(i).variants[v].as_ref().map(|weights| weights[k]);
                let name = pattern.replace("{variant}", variant).replace("{class}", class);
                self.put(&name, Cells::Number((0..items).map(cell).collect()));
            }
        }
        if let Some(name) = confidence {
            self.put(name, Cells::Number((0..items).map(|i| of(i).confidence).collect()));
        }
        for (k, class) in judge.variants.classes().iter().enumerate() {
            let column = labels.counts.counts().column(k).iter().map(|n| Some(i64::from(*n))).collect();
            self.put(&format!("n_{class}"), Cells::Whole(column));
        }
    }
}

/// Every column that a run states of an item but its ranks, and every priority, is the same to the bit.
fn assert_same_bits<K: Saved>(study: &Study<K>, decomposition: &Decomposition<K>, made: &Made) {
    let (_folder, applier) = written(study, decomposition);
    applier.check(&made.0).unwrap();
    let applied = applier.apply(&made.0, &made.1, None).unwrap();
    assert_eq!(applied.bad, []);
    let bits = |values: &Values| match values {
        Values::Number(values) => format!("{:?}", values.iter().map(|x| x.map(f64::to_bits)).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    };
    let column = |name: &str| {
        let found = applied.columns.iter().find(|column| column.name == name);
        found.unwrap_or_else(|| panic!("{name} is missing")).clone()
    };
    let of_run: Vec<_> = columns(study, decomposition).into_iter().filter(|c| !c.name.starts_with("rank_")).collect();
    for of_run in &of_run {
        let of_apply = column(&of_run.name);
        assert!(bits(&of_apply.values) == bits(&of_run.values), "{} differs", of_run.name);
        assert_eq!((&of_apply.meaning, of_apply.unit), (&of_run.meaning, of_run.unit));
    }
    assert!(of_run.len() > 10);
    let none = vec![0.0; study.len()];
    let without_draws = Decomposition { luck: Luck { jitter: none.clone(), random: none }, ..decomposition.clone() };
    let rules: Vec<Rule> =
        K::rules(study).into_iter().filter(|rule| *rule != Rule::Random && !rule.looks_at_other_items()).collect();
    assert_eq!(applier.rules(), rules);
    for rule in rules {
        let of_run = without_draws.priority(rule).unwrap();
        let of_apply = column(&priority_column(rule));
        let of_run = Values::Number(of_run.into_iter().map(Some).collect());
        assert!(bits(&of_apply.values) == bits(&of_run), "the priority under {} differs", rule.key());
    }
    // Without labels of their own, and one by one in another order: the same whatever stands beside an item.
    let one = applier.apply(&made.0, &single(&made.1, 3), None).unwrap();
    for (all, one) in applied.columns.iter().zip(&one.columns) {
        let of_all = match &all.values {
            Values::Text(values) => Values::Text(vec![values[3].clone()]),
            Values::Count(values) => Values::Count(vec![values[3]]),
            Values::Number(values) => Values::Number(vec![values[3]]),
        };
        assert!(bits(&of_all) == bits(&one.values), "{} of one item differs", all.name);
    }
    // The fit's own items have not drifted; nothing of labelled items is outside.
    for (baseline, tally) in applier.baselines().iter().zip(&applied.tallies) {
        assert!(baseline.drift(tally).psi.unwrap().abs() < 1e-12, "{}", baseline.name);
    }
}

fn single(batch: &Batch, row: usize) -> Batch {
    let mut one = Batch::of(&batch.file);
    one.lines = vec![batch.lines[row]];
    for (name, cells) in batch.columns() {
        let cells = match cells {
            Cells::Text(cells) => Cells::Text(vec![cells[row].clone()]),
            Cells::Number(cells) => Cells::Number(vec![cells[row]]),
            Cells::Whole(cells) => Cells::Whole(vec![cells[row]]),
            Cells::List(cells) => {
                let mut list = Lists::default();
                list.push(cells.get(row).map(<[f64]>::to_vec));
                Cells::List(list)
            }
            Cells::Vector(cells) => {
                let mut list = Lists::default();
                list.push(cells.get(row).map(<[f32]>::to_vec));
                Cells::Vector(list)
            }
        };
        one.put(name.clone(), cells);
    }
    one
}

fn desk_table(study: &Study<Classes>) -> Made {
    let mut made = Made::of(study);
    made.classes(&study.judge, &study.labels, Some("confidence"), "p_{variant}_{class}");
    made
}

fn with_settings<K: Kind>(study: &Study<K>, edit: impl Fn(&mut Value)) -> Study<K> {
    let mut settings = serde_json::to_value(&study.file.config).unwrap();
    edit(&mut settings);
    let mut study = study.clone();
    study.file.config = serde_json::from_value(settings).unwrap();
    study
}

#[test]
fn classes_get_what_a_run_gives_them_to_the_bit() {
    let study = desk();
    let recalibrated = |by: &str| json!({"recalibrated": {"recalibration": by}});
    let beliefs = [json!("published"), recalibrated("shared"), recalibrated("by_group")];
    for belief in beliefs {
        for prior in ["weak", "none"] {
            let study = with_settings(&study, |settings| {
                settings["trust"]["belief"] = belief.clone();
                settings["trust"]["prior"] = json!(prior);
            });
            let decomposition = Decomposition::of(&study, &Silent).unwrap();
            assert_same_bits(&study, &decomposition, &desk_table(&study));
        }
    }
    let mixed = with_settings(&study, |settings| settings["trust"]["belief"] = json!("mixture"));
    let decomposition = Decomposition::of(&mixed, &Silent).unwrap();
    assert!((0..mixed.len()).all(|i| decomposition.belief(i).components().len() == 4));
    assert_same_bits(&mixed, &decomposition, &desk_table(&mixed));
    let itself = with_settings(&study, |settings| settings["familiarity"]["count_itself"] = json!(true));
    let decomposition = Decomposition::of(&itself, &Silent).unwrap();
    assert_same_bits(&itself, &decomposition, &desk_table(&itself));
}

/// Gives a map the weights of variants that its labels did not want: they stand behind one common term and those of the groups.
fn with_weights_of_variants(map: &mut Value, variants: usize) {
    let groups = map["layout"]["groups"].as_u64().unwrap() as usize;
    assert_eq!(map["layout"]["without"].take(), json!(["variants"]));
    map["layout"]["without"] = json!([]);
    let first = map["regression"]["coefficients"].as_array().unwrap().len();
    let insert = |values: &mut Value, at: usize, value: Value| values.as_array_mut().unwrap().insert(at, value);
    for _ in 0..variants {
        insert(&mut map["parameters"], 1 + groups, json!(0.3));
        let covariance = &mut map["regression"]["covariance"];
        covariance.as_array_mut().unwrap().iter_mut().for_each(|row| insert(row, first + 1 + groups, json!(0.0)));
        let row = vec![0.0; covariance[0].as_array().unwrap().len()];
        insert(covariance, first + 1 + groups, json!(row));
    }
}

/// The map of another study, its features, variants and groups among what it reads, is part of the file of a belief that starts from it.
#[test]
fn a_carried_map_is_applied_as_its_study_applies_it() {
    let with = |belief: &str| with_settings(&desk(), |settings| settings["trust"]["belief"] = json!(belief));
    let first = with("ensemble");
    let found = BeliefFile::of(&first, &Decomposition::of(&first, &Silent).unwrap()).0;
    let path = Path::new("belief.json");
    let mut second = with("temperature");
    second.carried_map = Classes::carried_map(&second, path, found.text().as_bytes()).unwrap();
    let carried = second.carried_map.clone().unwrap();
    assert_eq!((carried.map.rung(), carried.study.as_str()), (Rung::Ensemble, first.file.config.title.as_str()));
    let decomposition = Decomposition::of(&second, &Silent).unwrap();
    assert!(decomposition.fitted.fit.mapped().unwrap().map.is_on_a_carried_map());
    assert_same_bits(&second, &decomposition, &desk_table(&second));

    // It starts from another one, so it is not carried on; and the file of a belief says which it starts from.
    let (chained, _) = BeliefFile::of(&second, &decomposition);
    let refused = Classes::carried_map(&second, path, chained.text().as_bytes()).unwrap_err().to_string();
    assert!(refused.contains("itself starts from the map of another"), "{refused}");
    let mut without = serde_json::to_value(&chained).unwrap();
    without["kept"] = Value::Null;
    let refused = BeliefFile::<Classes>::parse(path, mended::<Classes>(without).unwrap().as_bytes()).unwrap_err();
    assert!(refused.to_string().contains("the map that the fit starts from"), "{refused}");

    // What the map reads has to exist.
    let carry = |text: Value| Classes::carried_map(&second, path, mended::<Classes>(text).unwrap().as_bytes());
    let variant = &first.judge.variants.variants()[0];
    let mut reads_variants: Value =
        serde_json::from_str(&found.text().replace(&format!("\"{variant}\""), "\"unheard\"")).unwrap();
    with_weights_of_variants(&mut reads_variants["fit"]["mapped"]["map"], first.judge.variants.variants().len());
    let refused = carry(reads_variants).unwrap_err().to_string();
    assert!(refused.contains("the judge's variant \"unheard\"") && refused.contains("ask the judge"), "{refused}");
    let class = &first.file.config.scale[0];
    let text = found.text().replace(&format!("\"{class}\""), "\"other\"");
    let refused = carry(serde_json::from_str(&text).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("the classes other, ") && refused.contains("in the same order"), "{refused}");
}

#[test]
fn ordinal_ratings_get_what_a_run_gives_them_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let study = answers(folder.path(), "");
    let decomposition = Decomposition::of(&study, &Silent).unwrap();
    let mut made = Made::of(&study);
    let names = Ordinal::names(&study.file.config, study.judge.variants.variants());
    made.classes(&study.judge, &study.labels, names.confidence.as_deref(), &names.answers);
    assert_same_bits(&study, &decomposition, &made);
    for map in ["mixture", "line"] {
        let mapped = with_settings(&study, |settings| settings["trust"]["belief"] = json!(map));
        let decomposition = Decomposition::of(&mapped, &Silent).unwrap();
        assert_same_bits(&mapped, &decomposition, &made);
    }
}

#[test]
fn every_leaf_of_a_map_of_places_holds() {
    let folder = tempfile::tempdir().unwrap();
    let study = answers(folder.path(), "");
    let study = with_settings(&study, |settings| settings["trust"]["belief"] = json!("line"));
    let decomposition = Decomposition::of(&study, &Silent).unwrap();
    let mut made = Made::of(&study);
    let names = Ordinal::names(&study.file.config, study.judge.variants.variants());
    made.classes(&study.judge, &study.labels, names.confidence.as_deref(), &names.answers);
    assert_every_leaf_holds(&study, &decomposition, &made);
}

fn recipes_table(study: &Study<Scores>, judge: &[(String, String, f64, Option<f64>)]) -> Made {
    let mut made = Made::of(study);
    for variant in &study.judge.variants {
        let of = |id: &str| judge.iter().find(|row| row.0 == id && row.1 == *variant);
        let means = study.items.ids.iter().map(|id| of(id).map(|row| row.2)).collect();
        made.put(&format!("mean_{variant}"), Cells::Number(means));
        let sds = study.items.ids.iter().map(|id| of(id).and_then(|row| row.3)).collect();
        made.put(&format!("sd_{variant}"), Cells::Number(sds));
    }
    let ratings = study.labels.grouped(study.len());
    made.put("ratings", Cells::Text(ratings.iter().map(|of_item| json!(of_item).to_string()).collect()));
    made
}

#[test]
fn scores_get_what_a_run_gives_them_to_the_bit() {
    let study = Study::<Scores>::load(&repository("examples/recipes")).unwrap();
    let mut reader = csv::Reader::from_path(repository("examples/recipes/judge.csv")).unwrap();
    let judge: Vec<_> = reader
        .records()
        .map(Result::unwrap)
        .filter_map(|row| Some((row[0].to_owned(), row[1].to_owned(), row[2].parse().ok()?, row[3].parse().ok())))
        .collect();
    let by_group = json!({"recalibrated": {"recalibration": "by_group"}});
    let maps = ["published", "recalibrated", "line", "groups", "curve", "auto"].map(|name| json!(name));
    for belief in maps.into_iter().chain([by_group]) {
        let study = with_settings(&study, |settings| settings["trust"]["belief"] = belief.clone());
        let decomposition = Decomposition::of(&study, &Silent).unwrap();
        assert_same_bits(&study, &decomposition, &recipes_table(&study, &judge));
    }
}

/// A study without familiarity: starter data.
fn starter() -> Study<Classes> {
    Study::load(&repository("examples/starter")).unwrap()
}

#[test]
fn a_belief_is_small_and_the_same_after_reading() {
    let study = starter();
    let decomposition = Decomposition::of(&study, &Silent).unwrap();
    let (belief, beside) = BeliefFile::of(&study, &decomposition);
    assert!(beside.is_none() && belief.text().len() < 20_000, "{}", belief.text().len());
    let path = Path::new("belief.json");
    let read = BeliefFile::<Classes>::parse(path, belief.text().as_bytes()).unwrap();
    assert_eq!(read.text(), belief.text());
}

/// The leaves of a value, by their places.
fn leaves(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, member)| {
                leaves(member, &format!("{place}/{}", key.replace('~', "~0").replace('/', "~1")), found)
            });
        }
        Value::Array(members) if !members.is_empty() => {
            members.iter().enumerate().for_each(|(k, member)| leaves(member, &format!("{place}/{k}"), found));
        }
        _ => found.push(place.to_owned()),
    }
}

/// Every leaf of a belief changed in every way that JSON knows: as it stands the file is refused, for its sum is another; with the
/// sum mended it is refused with file and field, or can be applied. Nothing panics.
fn assert_every_leaf_holds<K: Saved>(study: &Study<K>, decomposition: &Decomposition<K>, made: &Made) {
    assert_leaves_hold(study, decomposition, made, &[""], 60);
}

/// That of the leaves under these places, which are more than `least`.
fn assert_leaves_hold<K: Saved>(
    study: &Study<K>,
    decomposition: &Decomposition<K>,
    made: &Made,
    under: &[&str],
    least: usize,
) {
    let (folder, _) = written(study, decomposition);
    let path = folder.path().join("belief.json");
    let original = fs::read(&path).unwrap();
    let value: Value = serde_json::from_slice(&original).unwrap();
    let mut places = vec![];
    leaves(&value, "", &mut places);
    places.retain(|place| under.iter().any(|under| place.starts_with(under)));
    assert!(places.len() > least, "{}", places.len());
    let (mut refused, mut taken) = (0, 0);
    for place in places.iter().filter(|place| *place != "/sha256") {
        let old = value.pointer(place).unwrap();
        let others = [
            json!(null),
            json!(true),
            json!(-1),
            json!(0),
            json!(7.5),
            json!(1e300),
            json!("x"),
            json!([]),
            json!({}),
            json!([1, "y"]),
        ];
        for new in others.into_iter().filter(|new| new != old) {
            let mut changed = value.clone();
            *changed.pointer_mut(place).unwrap() = new.clone();
            let case = format!("{place} = {new}");
            let text = serde_json::to_vec(&changed).unwrap();
            if let Ok(read) = BeliefFile::<K>::parse(&path, &text) {
                // What is said in another way: 0 for 0.0, or the default for nothing.
                assert_eq!(read.text().as_bytes(), original, "{case}");
            }
            let Some(mended) = mended::<K>(changed) else {
                refused += 1;
                continue;
            };
            match BeliefFile::<K>::parse(&path, mended.as_bytes()).map_err(|e| e.to_string()) {
                Err(message) => {
                    assert!(message.contains("belief.json"), "{case}: {message}");
                    refused += 1;
                }
                Ok(belief) => {
                    taken += 1;
                    if let Ok(applier) = Applier::of(&path, belief, &[]) {
                        let _ = applier.check(&made.0).map(|()| applier.apply(&made.0, &made.1, None));
                    }
                }
            }
        }
    }
    assert!(refused > 4 * taken, "{refused} and {taken}");
}

/// A belief with its sum mended; `None` if it can't be read at all.
fn mended<K: Saved>(mut changed: Value) -> Option<String> {
    changed["sha256"] = json!("");
    let path = Path::new("belief.json");
    let message = BeliefFile::<K>::parse(path, &serde_json::to_vec(&changed).unwrap()).err()?.to_string();
    let sum = message.split("the rest is ").nth(1)?.get(..64)?.to_owned();
    changed["sha256"] = json!(sum);
    Some(changed.to_string())
}

#[test]
fn every_leaf_of_a_belief_about_classes_holds() {
    let study = starter();
    let decomposition = Decomposition::of(&study, &Silent).unwrap();
    let mut made = Made::of(&study);
    let names = Classes::names(&study.file.config, study.judge.variants.variants());
    made.classes(&study.judge, &study.labels, names.confidence.as_deref(), &names.answers);
    assert_every_leaf_holds(&study, &decomposition, &made);
}

#[test]
fn every_leaf_of_a_belief_about_scores_holds() {
    let study = Study::<Scores>::load(&repository("examples/recipes")).unwrap();
    let study = with_settings(&study, |settings| {
        settings["trust"]["belief"] = json!("recalibrated");
        settings["trust"]["features"] = json!(["spread"]);
    });
    let study = Study { features: study.features[..1].to_vec(), embeddings: None, ..study };
    let study = with_settings(&study, |settings| settings["familiarity"] = json!(null));
    let decomposition = Decomposition::of(&study, &Silent).unwrap();
    let made = recipes_table(&study, &[("s001".to_owned(), "brief".to_owned(), 3.0, Some(1.0))]);
    assert_every_leaf_holds(&study, &decomposition, &made);
}

#[test]
fn every_leaf_of_a_map_of_scores_holds() {
    let study = Study::<Scores>::load(&repository("examples/recipes")).unwrap();
    let study = Study { features: study.features[..1].to_vec(), embeddings: None, ..study };
    let study = with_settings(&study, |settings| {
        settings["trust"]["belief"] = json!("curve");
        settings["trust"]["features"] = json!(["spread"]);
        settings["familiarity"] = json!(null);
    });
    let decomposition = Decomposition::of(&study, &Silent).unwrap();
    let made = recipes_table(&study, &[("s001".to_owned(), "brief".to_owned(), 3.0, Some(1.0))]);
    let places =
        ["/fit/map", "/fit/curve/low", "/fit/curve/size", "/fit/curve/lines/0", "/fit/layout", "/columns/group"];
    assert_leaves_hold(&study, &decomposition, &made, &places, 20);
}

#[test]
fn a_belief_of_another_kind_version_or_reference_is_refused_with_its_field() {
    let study = desk();
    let decomposition = Decomposition::of(&study, &Silent).unwrap();
    let (folder, applier) = written(&study, &decomposition);
    let path = folder.path().join("belief.json");
    let text = applier.belief().text();
    let of = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        BeliefFile::<Classes>::parse(&path, changed.as_bytes()).unwrap_err().to_string()
    };
    assert!(
        of("\"schema\": 2", "\"schema\": 9")
            .contains("belief.json: the field schema is 9, and this program reads 1 to 2")
    );
    assert!(of("\"kind\": \"classes\"", "\"kind\": \"scores\"").contains("the field kind is \"scores\""));
    assert!(of("\"sd\": ", "\"sd\": -").contains("the field sha256 was changed"));
    assert!(
        of("\"features\": [\n    {", "\"features\": [\n    {\"name\": 3},\n    {")
            .contains("the field features[0] can't be read")
    );
    assert!(of("{\n", "{\n  \"more\": 1,\n").contains("the field more is not a field of a belief"));
    let reference = folder.path().join(reference::REFERENCE);
    let mut bytes = fs::read(&reference).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&reference, bytes).unwrap();
    let error = Applier::<Classes>::read(&path, &[]).unwrap_err().to_string();
    assert!(error.contains("belief-reference.npy: its SHA-256 is"), "{error}");
    fs::remove_file(&reference).unwrap();
    assert!(Applier::<Classes>::read(&path, &[]).unwrap_err().to_string().contains("belief-reference.npy"));
}

/// The desk's belief in a run folder, and its items as a table.
fn on_disk() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("s");
    let study = study.to_str().unwrap();
    run(&["study", "init", study], 0);
    run(&["study", "run", study, "--replicates", "0"], 0);
    let belief = folder.path().join("s/run");
    assert!(belief.join("results/belief.json").is_file());
    (folder, belief)
}

/// So many rows for the belief of the starter study, as CSV; a bad one where `bad` says so.
fn rows(count: usize, bad: Option<usize>) -> String {
    let mut text = String::new();
    text.push_str("id,words,confidence,p_plain_positive,p_plain_negative,p_plain_mixed,p_strict_positive,p_strict_negative,p_strict_mixed,n_positive,n_negative,n_mixed\n");
    for i in 0..count {
        let p = (i % 89) as f64 / 100.0;
        let wrong = if bad == Some(i) { "1.5" } else { "0.05" };
        let labels = if i % 3 == 0 { format!("{},1,0", i % 4) } else { ",,".to_owned() };
        text.push_str(&format!("new{i},{},{},{p},{},{wrong},0.2,0.3,0.5,{labels}\n", i % 30, i % 101, 0.95 - p));
    }
    text
}

fn parts_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .collect();
    found.sort();
    found
}

fn apply(belief: &Path, items: &Path, out: &Path, more: &[&str], code: i32) -> (String, String) {
    let paths = [belief, items, out].map(|path| path.to_str().unwrap().to_owned());
    let mut arguments = vec!["apply", &paths[0], "--items", &paths[1], "--out", &paths[2], "--batch", "40"];
    arguments.extend(more);
    run(&arguments, code)
}

/// CSV, JSON Lines and Parquet of the same items, in one file or in parts, on one thread or several, give the same items; rows that
/// can't be used are refused with their place or set aside and counted, and the queue is that of the whole stream.
#[test]
fn a_stream_is_the_same_however_it_comes_and_loses_nothing() {
    let (folder, belief) = on_disk();
    let at = |name: &str| folder.path().join(name);
    let csv = rows(101, None);
    fs::write(at("new.csv"), &csv).unwrap();
    let (said, _) = apply(&belief, &at("new.csv"), &at("a"), &["--top", "7", "--rule", "delta"], 0);
    assert!(said.contains("101 items in 3 parts") && said.contains("7 items in the queue of the rule delta"), "{said}");
    assert!(said.contains("judge_entropy"), "{said}");
    let whole = parts_of(&at("a"));
    let names: Vec<&str> = whole.iter().map(|(name, _)| name.as_str()).collect();
    let expected =
        ["apply.json", "columns.csv", "part-00000.parquet", "part-00001.parquet", "part-00002.parquet", "queue.csv"];
    assert_eq!(names, expected);

    let record: Value = serde_json::from_slice(&whole[0].1).unwrap();
    assert_eq!((&record["rows"], &record["items"], &record["set_aside"]), (&json!(101), &json!(101), &json!(0)));
    // The queue is the first of all parts together.
    let items = items_of(&at("a"));
    let mut ranked: Vec<(f64, f64, String)> = items.iter().map(|item| (item.1, item.2, item.0.clone())).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let queue: Vec<String> = String::from_utf8(whole[5].1.clone())
        .unwrap()
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(queue, ranked[..7].iter().map(|item| item.2.clone()).collect::<Vec<_>>());

    // JSON Lines, a folder of two files, and the parts themselves read as Parquet, in one thread.
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let object = |line: &str| {
        let cells = header.iter().zip(line.split(',')).filter(|(_, cell)| !cell.is_empty());
        let value = |cell: &str| serde_json::from_str(cell).unwrap_or(json!(cell));
        Value::Object(cells.map(|(name, cell)| ((*name).to_owned(), value(cell))).collect()).to_string() + "\n"
    };
    let objects: Vec<String> = lines.map(object).collect();
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("folder/1.jsonl"), objects[..40].concat()).unwrap();
    fs::write(at("folder/2.jsonl"), objects[40..].concat()).unwrap();
    fs::write(at("folder/_SUCCESS"), "").unwrap();
    apply(&belief, &at("folder"), &at("b"), &["--threads", "1", "--top", "7", "--rule", "delta"], 0);
    let again = parts_of(&at("b"));
    assert!(whole[1..] == again[1..], "the parts of the same items differ");

    // A bad row.
    fs::write(at("bad.csv"), rows(101, Some(57))).unwrap();
    let (_, said) = apply(&belief, &at("bad.csv"), &at("c"), &[], 2);
    assert!(said.contains("bad.csv:59 (item \"new57\"): the probabilities sum to"), "{said}");
    let aside = at("aside.jsonl");
    let (said, _) = apply(&belief, &at("bad.csv"), &at("c"), &["--set-aside", aside.to_str().unwrap()], 0);
    assert!(said.contains("1 rows set aside, of 101"), "{said}");
    let row: Value = serde_json::from_str(&fs::read_to_string(&aside).unwrap()).unwrap();
    assert_eq!((&row["line"], &row["item"]), (&json!(59), &json!("new57")));
    assert!(row["row"].as_str().unwrap().starts_with("new57,"), "{row}");
    assert_eq!(items_of(&at("c")).len(), 100);
    assert!(items_of(&at("c")).iter().all(|item| items.contains(item)), "an item depends on its neighbours");
}

/// Id, priority under delta and tie break of all items of a folder, in order.
fn items_of(folder: &Path) -> Vec<(String, f64, f64)> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let mut found = vec![];
    for (name, _) in parts_of(folder).into_iter().filter(|(name, _)| name.ends_with(".parquet")) {
        let reader = SerializedFileReader::new(fs::File::open(folder.join(&name)).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let field = |wanted: &str| row.get_column_iter().find(|(name, _)| *name == wanted).unwrap().1.clone();
            match (field("id"), field("priority_delta"), field("tie_break")) {
                (Field::Str(id), Field::Double(priority), Field::Double(tie)) => found.push((id, priority, tie)),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
    found
}

/// What an application needs and does not get is refused by name, before anything is written.
#[test]
fn another_class_set_judge_rule_or_place_is_refused() {
    let (folder, belief) = on_disk();
    let at = |name: &str| folder.path().join(name);
    let refused = |name: &str, text: &str, more: &[&str]| {
        fs::write(at(name), text).unwrap();
        let (_, said) = apply(&belief, &at(name), &at("out"), more, 2);
        said
    };
    let good = rows(5, None);
    let said = refused("new.csv", &good.replace("p_strict_mixed", "p_strict_neutral"), &[]);
    assert!(said.contains("the header has no column \"p_strict_mixed\""), "{said}");
    let more = good.replace(",n_positive", ",p_plain_neutral,n_positive").replace("0.2,0.3,0.5,", "0.2,0.3,0.5,0,");
    let said = refused("new.csv", &more, &[]);
    assert!(said.contains("\"p_plain_neutral\"") && said.contains("is of the class \"neutral\""), "{said}");
    let said = refused("new.csv", &good, &["--top", "3", "--rule", "random"]);
    assert!(said.contains("the rule random does not rank further items"), "{said}");
    let inside = at("out/aside.jsonl");
    let said = refused("new.csv", &good, &["--set-aside", inside.to_str().unwrap()]);
    assert!(said.contains("aside.jsonl: lies in the folder of the parts"), "{said}");
    let said = refused("new.csv", &good, &["--column", "answer=x"]);
    assert!(said.contains("\"answer\" is not a kind of column"), "{said}");
    let (_, said) = apply(&belief, &at("new.csv"), folder.path(), &[], 2);
    assert!(said.contains("new.csv"), "{said}");
    // A judge that says itself that it is another one.
    let path = belief.join("results/belief.json");
    let mut changed: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    changed["judge"]["model"] = json!("first");
    fs::write(at("belief.json"), mended::<Classes>(changed).unwrap()).unwrap();
    let summary =
        |model: &str| json!({"program": "judge-uncertainty 0.1.0", "model": model, "templates": {}}).to_string();
    fs::write(at("judge.json"), summary("second")).unwrap();
    let judge = at("judge.json");
    let (_, said) = apply(&at("belief.json"), &at("new.csv"), &at("out"), &["--judge", judge.to_str().unwrap()], 2);
    assert!(said.contains("the model \"second\", where the belief was fitted to \"first\""), "{said}");
    fs::write(at("summary.json"), summary("second")).unwrap();
    let (_, said) = apply(&at("belief.json"), &at("new.csv"), &at("out"), &[], 2);
    assert!(said.contains("summary.json"), "{said}");
    assert!(!at("out").exists());
    fs::write(at("summary.json"), summary("first")).unwrap();
    apply(&at("belief.json"), &at("new.csv"), &at("out"), &[], 0);
    // What is whole is not replaced, and what is somebody else's never.
    let (_, said) = apply(&at("belief.json"), &at("new.csv"), &at("out"), &[], 2);
    assert!(said.contains("--force"), "{said}");
    apply(&at("belief.json"), &at("new.csv"), &at("out"), &["--force"], 0);
    fs::write(at("out/mine.txt"), "mine").unwrap();
    let (_, said) = apply(&at("belief.json"), &at("new.csv"), &at("out"), &["--force"], 2);
    assert!(said.contains("mine.txt") && at("out/mine.txt").is_file(), "{said}");
}

/// All cells of a Parquet table as text with every bit, by column.
fn cells_of(files: &[PathBuf]) -> BTreeMap<String, Vec<String>> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let mut cells: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let reader = SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            for (name, field) in row.unwrap().get_column_iter() {
                let text = match field {
                    Field::Double(x) => x.to_bits().to_string(),
                    other => other.to_string(),
                };
                cells.entry(name.clone()).or_default().push(text);
            }
        }
    }
    cells
}

/// A study whose trust depends on how near texts are to labelled ones: further items are embedded on the way by the same model, or
/// bring their embeddings, and get what the run gives them; another model is not used.
#[test]
fn texts_are_embedded_on_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let study = at("s");
    run(&["study", "init", study.to_str().unwrap()], 0);
    let model = repository("tests/golden/tiny-model");
    let config = fs::read_to_string(study.join("study.toml")).unwrap();
    let config =
        config.replace("features = [\"spread\", \"confidence\"]", "features = [\"spread\", \"mean_nearest_labelled\"]");
    fs::write(
        study.join("study.toml"),
        format!("{config}\n[familiarity]\nneighbours = 3\nmodel = {:?}\n", model.to_str().unwrap()),
    )
    .unwrap();
    run(&["study", "run", study.to_str().unwrap(), "--replicates", "0"], 0);
    let belief = study.join("run");
    assert!(belief.join("results").join(reference::REFERENCE).is_file());

    let table = |file: &str| -> Vec<csv::StringRecord> {
        csv::Reader::from_path(study.join(file)).unwrap().records().map(Result::unwrap).collect()
    };
    let (items, judge, labels) = (table("items.csv"), table("judge.csv"), table("labels.csv"));
    let mut writer = csv::Writer::from_path(at("new.csv")).unwrap();
    let classes = ["positive", "negative", "mixed"];
    let variants = ["plain", "strict"];
    let mut header = vec!["id".to_owned(), "text".to_owned(), "words".to_owned()];
    for variant in variants {
        header.extend(classes.iter().map(|class| format!("p_{variant}_{class}")));
        header.push(format!("confidence_{variant}"));
    }
    header.extend(classes.iter().map(|class| format!("n_{class}")));
    writer.write_record(&header).unwrap();
    for item in &items {
        let mut row: Vec<String> = item.iter().map(str::to_owned).collect();
        for variant in variants {
            let answer = judge.iter().find(|row| row[0] == item[0] && &row[1] == variant);
            row.extend((2..6).map(|k| answer.map(|answer| answer[k].to_owned()).unwrap_or_default()));
        }
        let count = |class: &str| labels.iter().filter(|row| row[0] == item[0] && &row[2] == class).count().to_string();
        row.extend(classes.iter().map(|class| count(class)));
        writer.write_record(&row).unwrap();
    }
    writer.flush().unwrap();
    drop(writer);
    apply(&belief, &at("new.csv"), &at("out"), &[], 0);
    let of_run = cells_of(&[study.join("run/items.parquet")]);
    let of_apply = cells_of(&[at("out/part-00000.parquet")]);
    assert!(of_run.contains_key("feature_mean_nearest_labelled"));
    for (name, cells) in of_run.iter().filter(|(name, _)| !name.starts_with("rank_")) {
        assert_eq!(of_apply.get(name), Some(cells), "{name}");
    }

    // A model of other files, under whatever name.
    let other = at("model");
    fs::create_dir(&other).unwrap();
    for entry in fs::read_dir(&model).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), other.join(entry.file_name())).unwrap();
    }
    let tokenizer = other.join("tokenizer_config.json");
    let config = fs::read_to_string(&tokenizer).unwrap();
    fs::write(&tokenizer, format!("{config} ")).unwrap();
    fs::create_dir_all(other.join("1_Pooling")).unwrap();
    fs::copy(model.join("1_Pooling/config.json"), other.join("1_Pooling/config.json")).unwrap();
    let (_, said) = apply(&belief, &at("new.csv"), &at("other"), &["--model", other.to_str().unwrap()], 2);
    assert!(said.contains("this is another sentence model"), "{said}");
    assert!(!at("other").exists());
}

/// The starter's study with embeddings of its own, run.
fn with_embeddings(folder: &Path) -> PathBuf {
    let study = folder.join("s");
    run(&["study", "init", study.to_str().unwrap()], 0);
    let ids: Vec<String> = csv::Reader::from_path(study.join("items.csv"))
        .unwrap()
        .records()
        .map(|item| item.unwrap()[0].to_owned())
        .collect();
    let mut table = "id,x,y,z,w\n".to_owned();
    for (i, id) in ids.iter().enumerate() {
        let i = i as f64;
        table.push_str(&format!("{id},{},{},{},1\n", i * 0.1, (i * 0.7).sin(), 1.0 - i * 0.05));
    }
    fs::write(study.join("embeddings.csv"), table).unwrap();
    let config = fs::read_to_string(study.join("study.toml")).unwrap();
    let features = "features = [\"spread\", \"mean_nearest_labelled\"]";
    let config = config.replace("features = [\"spread\", \"confidence\"]", features);
    let config = format!("{config}\n[familiarity]\nneighbours = 3\nembeddings = \"embeddings.csv\"\n");
    fs::write(study.join("study.toml"), config).unwrap();
    run(&["study", "run", study.to_str().unwrap(), "--replicates", "0"], 0);
    study.join("run")
}

/// Items as pyarrow, pandas, polars and DuckDB write them, each with the codec that it takes by itself, with embeddings in
/// lists of fixed or any size, give the bytes that JSON Lines give, alone or as a folder of parts; a codec that is not read is refused
/// with those that are.
#[test]
fn parquet_of_every_writer_gives_the_same_items() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let belief = with_embeddings(folder.path());
    let golden = |name: &str| repository("tests/golden/parquet/further").join(name);
    apply(&belief, &golden("items.jsonl"), &at("expected"), &[], 0);
    let part = |out: &str, part: usize| fs::read(at(out).join(format!("part-{part:05}.parquet"))).unwrap();
    let expected = part("expected", 0);
    assert!(cells_of(&[at("expected/part-00000.parquet")])["id"].len() == 6);

    let writers = ["pyarrow", "pandas", "polars", "duckdb", "gzip"];
    fs::create_dir(at("parts")).unwrap();
    fs::write(at("parts/_SUCCESS"), "").unwrap();
    for (k, writer) in writers.iter().enumerate() {
        let file = golden(&format!("{writer}.parquet"));
        apply(&belief, &file, &at(writer), &[], 0);
        assert!(part(writer, 0) == expected, "{writer} gives others");
        fs::copy(file, at("parts").join(format!("part-{k}.parquet"))).unwrap();
    }
    // Stopped after its second part, which is kept, and done again, the folder gives what each of its files gives.
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    let paths = [&belief, &at("parts"), &at("all")].map(|path| path.to_str().unwrap().to_owned());
    command.args(["apply", &paths[0], "--items", &paths[1], "--out", &paths[2], "--batch", "40", "--threads", "1"]);
    command.env("JUDGE_UNCERTAINTY_FAULT", "kill:28").assert().code(137);
    let left = (0..5).filter(|part| at(&format!("all/part-{part:05}.parquet")).is_file()).count();
    assert!((1..5).contains(&left) && !at("all/apply.json").exists(), "{left}");
    let (_, said) = apply(&belief, &at("parts"), &at("all"), &["--threads", "1"], 0);
    assert!(said.contains("parts of an interrupted application were found"), "{said}");
    assert!((0..5).all(|k| part("all", k) == expected));

    for codec in ["lz4", "brotli"] {
        let (_, said) = apply(&belief, &golden(&format!("{codec}.parquet")), &at(codec), &[], 2);
        let file = format!("{codec}.parquet");
        assert!(said.contains(&file) && said.to_lowercase().contains(codec) && said.contains("zstd or gzip"), "{said}");
    }
    // An embedding that lacks, or of another length, makes a bad row.
    let text = fs::read_to_string(golden("items.jsonl")).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let changed = rows.into_iter().enumerate().map(|(k, mut row)| {
        match k {
            1 => row["embedding"] = json!([0.5, 0.5]),
            3 => row["embedding"] = json!(null),
            _ => {}
        }
        format!("{row}\n")
    });
    fs::write(at("changed.jsonl"), changed.collect::<String>()).unwrap();
    let aside = at("aside.jsonl");
    apply(&belief, &at("changed.jsonl"), &at("changed"), &["--set-aside", aside.to_str().unwrap()], 0);
    let aside = fs::read_to_string(&aside).unwrap();
    let lines: Vec<Value> = aside.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().map(|row| row["line"].clone()).collect::<Vec<_>>(), [json!(2), json!(4)]);
    assert!(lines[0]["problem"].as_str().unwrap().contains("2 dimensions, and those of the fit have 4"), "{aside}");
}

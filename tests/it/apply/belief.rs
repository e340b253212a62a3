//! Every leaf of a belief's file is checked.

use super::*;
use judge_uncertainty::study::belief_file::InputColumns;

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

/// Every leaf of a belief changed in every way that JSON knows: as it stands the file is refused, for its sum is
/// another; with the sum mended it is refused with file and field, or can be applied. Nothing panics.
fn assert_every_leaf_holds(study: &Study, decomposition: &Decomposition, made: &Made) {
    assert_leaves_hold(study, decomposition, made, &[""], 60);
}

/// That of the leaves under these places, which are more than `least`.
fn assert_leaves_hold(study: &Study, decomposition: &Decomposition, made: &Made, under: &[&str], least: usize) {
    let (folder, _) = written(study, decomposition);
    let path = folder.path().join("belief.json");
    let original = fs::read(&path).unwrap();
    let value: Value = serde_json::from_slice(&original).unwrap();
    let mut places = vec![];
    leaves(&value, "", &mut places);
    places.retain(|place| under.iter().any(|under| place.starts_with(under)));
    assert!(places.len() > least, "{}", places.len());
    let (mut refused, mut taken) = (0, 0);
    let (header, batch) = (made.header(), made.rows(0..study.len()));
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
            if let Ok(read) = BeliefFile::parse(&path, &text) {
                // What is said in another way: 0 for 0.0, or the default for nothing.
                assert_eq!(read.text().as_bytes(), original, "{case}");
            }
            let Some(mended) = mended(changed) else {
                refused += 1;
                continue;
            };
            match BeliefFile::parse(&path, mended.as_bytes()).map_err(|e| e.to_string()) {
                Err(message) => {
                    assert!(message.contains("belief.json"), "{case}: {message}");
                    refused += 1;
                }
                Ok(belief) => {
                    taken += 1;
                    if let Ok(applier) = Applier::new(&path, belief, &[]) {
                        let _ = applier.check(&header).map(|()| applier.apply(&header, (&batch, None), None));
                    }
                }
            }
        }
    }
    assert!(refused > 4 * taken, "{refused} and {taken}");
}

#[test]
fn every_leaf_of_a_belief_about_classes_holds() {
    let study = starter();
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let mut made = Made::from_study(&study);
    let names = InputColumns::new(&study.file.config, &study.judge.variants);
    made.classes(study.judge.answers.as_ref().unwrap(), &study.labels, names.confidence.as_deref(), &names.answers);
    assert_every_leaf_holds(&study, &decomposition, &made);
}

#[test]
fn every_leaf_of_a_belief_about_scores_holds() {
    let study = Study::load(&repository("examples/recipes")).unwrap();
    let mut study = with_settings(&study, |settings| {
        settings["trust"]["belief"] = json!("line");
        settings["trust"]["features"] = json!(["spread"]);
    });
    study.features.truncate(1);
    let study = with_settings(&study, |settings| settings["familiarity"] = json!(null));
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let made = recipes_table(&study, &[("s001".to_owned(), "brief".to_owned(), 3.0, Some(1.0))]);
    assert_every_leaf_holds(&study, &decomposition, &made);
}

#[test]
fn every_leaf_of_a_map_of_scores_holds() {
    let mut study = Study::load(&repository("examples/recipes")).unwrap();
    study.features.truncate(1);
    let study = with_settings(&study, |settings| {
        settings["trust"]["belief"] = json!("recalibrated");
        settings["trust"]["features"] = json!(["spread"]);
        settings["familiarity"] = json!(null);
    });
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let made = recipes_table(&study, &[("s001".to_owned(), "brief".to_owned(), 3.0, Some(1.0))]);
    let places =
        ["/fit/map", "/fit/curve/low", "/fit/curve/size", "/fit/curve/lines/0", "/fit/layout", "/columns/group"];
    assert_leaves_hold(&study, &decomposition, &made, &places, 20);
}

#[test]
fn a_belief_of_another_kind_version_or_reference_is_refused_with_its_field() {
    let study = desk();
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let (folder, applier) = written(&study, &decomposition);
    let path = folder.path().join("belief.json");
    let text = applier.file.text();
    let of = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        BeliefFile::parse(&path, changed.as_bytes()).unwrap_err().to_string()
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
    let reference = folder.path().join(REFERENCE);
    let mut bytes = fs::read(&reference).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&reference, bytes).unwrap();
    let error = Applier::read(&path, &[]).unwrap_err().to_string();
    assert!(error.contains("belief-reference.npy: its SHA-256 is"), "{error}");
    fs::remove_file(&reference).unwrap();
    assert!(Applier::read(&path, &[]).unwrap_err().to_string().contains("belief-reference.npy"));
}

#[test]
fn every_leaf_of_a_map_of_places_holds() {
    let folder = tempfile::tempdir().unwrap();
    let study = answers(folder.path(), "");
    let study = with_settings(&study, |settings| settings["trust"]["belief"] = json!("temperature"));
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let mut made = Made::from_study(&study);
    let names = InputColumns::new(&study.file.config, &study.judge.variants);
    made.classes(study.judge.answers.as_ref().unwrap(), &study.labels, names.confidence.as_deref(), &names.answers);
    assert_every_leaf_holds(&study, &decomposition, &made);
}

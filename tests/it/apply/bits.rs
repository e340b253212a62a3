//! The items of a belief's own study get what the run gave them, to the bit.

use super::*;
use crate::study_run::embedded;
use judge_uncertainty::study::belief_file::InputColumns;
use judge_uncertainty::study::model::carried::{CarriedReading, carried_reading};

/// Gives a map the weights of variants that its labels did not want: they stand behind one common term and those of the
/// groups.
fn with_weights_of_variants(map: &mut Value, variants: usize) {
    let groups = map["layout"]["groups"].as_u64().unwrap() as usize;
    let without = map["layout"]["without"].as_array_mut().unwrap();
    let at = without.iter().position(|block| block == "variants").expect("the labels want no weights of variants");
    without.remove(at);
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

#[test]
fn classes_get_what_a_run_gives_them_to_the_bit() {
    let study = desk();
    let beliefs = [json!("published"), json!("temperature"), json!("groups")];
    for belief in beliefs {
        for prior in ["weak", "none"] {
            let study = with_settings(&study, |settings| {
                settings["trust"]["belief"] = belief.clone();
                settings["trust"]["prior"] = json!(prior);
            });
            let decomposition = Decomposition::new(&study, &Silent).unwrap();
            assert_same_bits(&study, &decomposition, &desk_table(&study));
        }
    }
    let itself = with_settings(&study, |settings| settings["familiarity"]["count_itself"] = json!(true));
    let decomposition = Decomposition::new(&itself, &Silent).unwrap();
    assert_same_bits(&itself, &decomposition, &desk_table(&itself));
}

/// Where each group has a recalibration of its own, an unknown one is refused with the option that leaves its rows out.
#[test]
fn rows_of_unknown_groups_may_be_set_aside() {
    let study = with_settings(&desk(), |settings| settings["trust"]["belief"] = json!("groups"));
    let (_folder, applier) = written(&study, &Decomposition::new(&study, &Silent).unwrap());
    let (name, mut made) = (study.file.config.items.group.clone().unwrap(), desk_table(&study));
    made.0.iter_mut().find(|(column, _)| *column == name).unwrap().1[3] = "elsewhere".to_owned();
    let applied = applier.apply(&made.header(), (&made.rows(0..study.len()), None), None).unwrap();
    let refusal = applied.refused().unwrap().refusal(Path::new("made.csv")).to_string();
    assert_eq!(applied.bad.len(), 1);
    assert!(refusal.contains("\"elsewhere\" is not one of") && refusal.contains("--set-aside FILE"), "{refusal}");
}

/// The map of another study, its features, variants and groups among what it reads, is part of the file of a belief
/// that starts from it.
#[test]
fn a_carried_map_is_applied_as_its_study_applies_it() {
    let with = |belief: &str| with_settings(&desk(), |settings| settings["trust"]["belief"] = json!(belief));
    let first = with("recalibrated");
    let found = BeliefFile::new(&first, &Decomposition::new(&first, &Silent).unwrap()).0;
    let path = Path::new("belief.json");
    let mut second = with("temperature");
    second.carried_map = carried_reading(&second, path, found.clone()).unwrap();
    let Some(CarriedReading::Classes(carried)) = second.carried_map.clone() else { panic!("a map of classes") };
    assert_eq!((carried.map.name(), carried.study.as_str()), (MapName::Recalibrated, first.file.config.title.as_str()));
    let decomposition = Decomposition::new(&second, &Silent).unwrap();
    assert!(decomposition.fitted.fit.of_classes().mapped().unwrap().map.is_on_a_carried_map());
    assert_same_bits(&second, &decomposition, &desk_table(&second));

    // It starts from another one, so it is not carried on; and the file of a belief says which it starts from.
    let (chained, _) = BeliefFile::new(&second, &decomposition);
    let refused = carried_reading(&second, path, chained.clone()).unwrap_err().to_string();
    assert!(refused.contains("itself starts from the map of another"), "{refused}");
    let mut without = serde_json::to_value(&chained).unwrap();
    without["kept"] = Value::Null;
    let refused = BeliefFile::parse(path, mended(without).unwrap().as_bytes()).unwrap_err();
    assert!(refused.to_string().contains("the map that the fit starts from"), "{refused}");

    // What the map reads has to exist.
    let carry = |text: Value| {
        let belief = BeliefFile::parse(path, mended(text).unwrap().as_bytes())?;
        carried_reading(&second, path, belief)
    };
    let variant = &first.judge.variants[0];
    let mut reads_variants: Value =
        serde_json::from_str(&found.text().replace(&format!("\"{variant}\""), "\"unheard\"")).unwrap();
    with_weights_of_variants(&mut reads_variants["fit"]["mapped"]["map"], first.judge.variants.len());
    let refused = carry(reads_variants).unwrap_err().to_string();
    assert!(refused.contains("the judge's variant \"unheard\"") && refused.contains("ask the judge"), "{refused}");
    let class = &first.file.config.scale.classes()[0];
    let text = found.text().replace(&format!("\"{class}\""), "\"other\"");
    let refused = carry(serde_json::from_str(&text).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("the classes other, ") && refused.contains("in the same order"), "{refused}");
}

#[test]
fn ordinal_ratings_get_what_a_run_gives_them_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let study = answers(folder.path(), "");
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let mut made = Made::from_study(&study);
    let names = InputColumns::new(&study.file.config, &study.judge.variants);
    made.classes(study.judge.answers.as_ref().unwrap(), &study.labels, names.confidence.as_deref(), &names.answers);
    assert_same_bits(&study, &decomposition, &made);
    for map in ["temperature", "auto"] {
        let mapped = with_settings(&study, |settings| settings["trust"]["belief"] = json!(map));
        let decomposition = Decomposition::new(&mapped, &Silent).unwrap();
        assert_same_bits(&mapped, &decomposition, &made);
    }
}

#[test]
fn scores_get_what_a_run_gives_them_to_the_bit() {
    let study = embedded(&repository("examples/recipes"));
    let mut reader = csv::Reader::from_path(repository("examples/recipes/judge.csv")).unwrap();
    let judge: Vec<_> = reader
        .records()
        .map(Result::unwrap)
        .filter_map(|row| Some((row[0].to_owned(), row[1].to_owned(), row[2].parse().ok()?, row[3].parse().ok())))
        .collect();
    for belief in ["published", "line", "groups", "recalibrated", "auto"].map(|name| json!(name)) {
        let study = with_settings(&study, |settings| settings["trust"]["belief"] = belief.clone());
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        assert_same_bits(&study, &decomposition, &recipes_table(&study, &judge));
    }
}

#[test]
fn a_belief_is_small_and_the_same_after_reading() {
    let study = starter();
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let (belief, beside) = BeliefFile::new(&study, &decomposition);
    assert!(beside.is_none() && belief.text().len() < 20_000, "{}", belief.text().len());
    let path = Path::new("belief.json");
    let read = BeliefFile::parse(path, belief.text().as_bytes()).unwrap();
    assert_eq!(read.text(), belief.text());
}

//! docs/authors.md, followed to the letter after a change of a claim and of a seed. What follows a change of a judge's file
//! is in `forged.rs`, of the number of re-draws in `whole.rs`.

use std::fs;
use std::path::Path;

use judge_uncertainty::artifact::Results;
use judge_uncertainty::experiments::Experiment;
use judge_uncertainty::experiments::dice::DiceExperiment;
use judge_uncertainty::experiments::seeds::Seeds;
use judge_uncertainty::experiments::simulations::{self, SimulationSizes};
use judge_uncertainty::experiments::steps::{Published, Steps};
use judge_uncertainty::formats::DiceData;
use judge_uncertainty::formats::checksum::sha256_hex;
use judge_uncertainty::system::progress::Silent;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{command, copy, repository};

/// A clone of what the dice need.
fn clone() -> TempDir {
    let clone = tempfile::tempdir().unwrap();
    for folder in ["artifact", "data/dice", "data/paper"] {
        copy(&repository(folder), &clone.path().join(folder));
    }
    clone
}

/// Runs a command in the root of a clone that must end with `status`; gives all that it said.
fn said(clone: &Path, arguments: &[&str], status: i32) -> String {
    let output = command(arguments).current_dir(clone).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{text}");
    text
}

#[test]
fn a_changed_claim_is_told_by_the_three_commands() {
    let clone = clone();
    let clone = clone.path();
    let claims = clone.join("data/paper/claims.toml");
    let text = fs::read_to_string(&claims).unwrap();
    let place = text.find("id = \"conf-weak-error\"").unwrap();
    let (before, claim) = text.split_at(place);
    let claim = claim.replacen("published = \"0.54\"", "published = \"0.58\"", 1);
    let claim = claim.replacen("value = 0.54", "value = 0.58", 1);
    fs::write(&claims, before.to_owned() + &claim).unwrap();

    let text = said(clone, &["reproduce", "--only", "dice", "--out", "changed"], 0);
    assert!(text.contains("conf-weak-error"), "{text}");
    let text = said(clone, &["compare", "artifact", "changed"], 10);
    let expected = "Claims and conclusions with another outcome: 1\n  \
                    conf-weak-error: agrees (0.54) -> DIFFERS (0.54), paper 0.54 -> 0.58\n";
    assert!(text.starts_with(expected) && text.lines().count() <= 40, "{text}");
    // Edited results would end with 2; here a claim differs.
    let text = said(clone, &["verify", "--artifact", "changed"], 10);
    let line = text.lines().find(|line| line.contains("conf-weak-error")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("0.58") && line.contains("0.54"), "{line}");
    // The committed pages are of the old claims until they are made anew.
    assert!(said(clone, &["verify"], 2).contains("results/claims.json"));
    said(clone, &["render"], 0);
    said(clone, &["verify"], 10);
}

/// Seeds of which one is another.
struct Reseeded(Seeds);

impl Steps for Reseeded {
    fn seeds(&self) -> Seeds {
        self.0
    }
}

/// The program is not built anew with another seed here, which would take minutes. The results that it would write, and
/// what its manifest would say of seeds, are computed with the other seed and put in their places.
#[test]
fn a_changed_seed_is_told_by_the_three_commands() {
    let clone = clone();
    let clone = clone.path();
    said(clone, &["reproduce", "--only", "dice", "--out", "changed"], 0);
    let data = DiceData::load(&clone.join("data/dice")).unwrap();
    let reseeded = Reseeded(Seeds { dice_draws: 20_000, ..Seeds::default() });
    let dice = DiceExperiment::new(&data, &reseeded).unwrap().run(200, &Silent).unwrap();
    let results = Results { dice: Some(dice), ..Results::default() }.to_json(Experiment::Dice).unwrap();
    fs::write(clone.join("changed/results/dice.json"), &results).unwrap();
    let path = clone.join("changed/results/manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let facts = &mut manifest["deterministic"]["dice"];
    assert_eq!(facts["seeds"], words(&Published.seeds().of_dice()));
    facts["seeds"] = words(&reseeded.seeds().of_dice());
    facts["results_sha256"] = sha256_hex(results.as_bytes()).into();
    fs::write(&path, manifest.to_string()).unwrap();
    said(clone, &["render", "--artifact", "changed"], 0);

    let manifest = fs::read_to_string(&path).unwrap();
    assert!(manifest.contains("\"label re-draw r\": \"20000 + r\""), "{manifest}");
    let text = said(clone, &["compare", "artifact", "changed"], 10);
    assert!(text.starts_with("Claims and conclusions with another outcome: "), "{text}");
    assert!(text.contains(" -> DIFFERS (") && text.contains("paper/tables/iso.tex: differs"), "{text}");
    assert!(text.lines().count() <= 40, "{text}");
    let text = said(clone, &["verify", "--artifact", "changed"], 2);
    assert!(text.contains("results/dice.json"), "{text}");
}

fn words(seeds: &[(&str, String)]) -> Value {
    seeds.iter().map(|(stream, seed)| ((*stream).to_owned(), json!(seed))).collect::<serde_json::Map<_, _>>().into()
}

/// Each seed moves results, and the words of the manifest with them, so there is no second place where it stands.
#[test]
fn a_seed_stands_once() {
    let data = DiceData::load(&repository("data/dice")).unwrap();
    let of_dice = |seeds: Seeds| {
        let reseeded = Reseeded(seeds);
        let dice = DiceExperiment::new(&data, &reseeded).unwrap();
        (json!(dice.run(2, &Silent).unwrap()), words(&seeds.of_dice()))
    };
    let of_simulations = |seeds: Seeds| {
        // A bootstrap of few numbers has the same percentiles with any seed.
        let sizes = SimulationSizes { criterion: 40, ..SimulationSizes::capped(2) };
        let results = simulations::run(&sizes, &Reseeded(seeds), &Silent).unwrap();
        (json!(results), words(&seeds.of_simulations()))
    };
    let paper = Seeds::default();
    let moved = |(old, old_words): &(Value, Value), (new, new_words): (Value, Value)| {
        assert_ne!(*old_words, new_words);
        let (old, new) = (old.as_object().unwrap(), new.as_object().unwrap());
        old.keys().filter(|part| old[*part] != new[*part]).cloned().collect::<Vec<String>>()
    };
    let dice = of_dice(paper);
    let draws = moved(&dice, of_dice(Seeds { dice_draws: 7, ..paper }));
    assert!(draws.contains(&"regret_pp".to_owned()) && !draws.contains(&"mean_true_disagreement".to_owned()));
    assert!(moved(&dice, of_dice(Seeds { dice: 7, ..paper })).contains(&"mean_true_disagreement".to_owned()));
    // The re-draws follow the first one.
    let redraw = |seeds: Seeds, r: u64| DiceExperiment::new(&data, &Reseeded(seeds)).unwrap().redraw(r);
    assert_eq!(redraw(Seeds { dice_draws: paper.dice_draws + 1, ..paper }, 0), redraw(paper, 1));

    let simulated = of_simulations(paper);
    let calibrated = ["correlation", "criterion", "dose_response", "informativeness", "tracking", "trust_spread"];
    for (seeds, parts) in [
        (Seeds { worlds: 7, ..paper }, [&calibrated[..], &["null", "isolation", "inversion"]].concat()),
        // The criterion rests on rules that draw nothing.
        (Seeds { world_rules: 7, ..paper }, calibrated.into_iter().filter(|part| *part != "criterion").collect()),
        (Seeds { null_rules: 7, ..paper }, vec![]),
        (Seeds { isolation: 7, ..paper }, vec!["isolation"]),
        (Seeds { bootstrap: 7, ..paper }, vec!["criterion"]),
        (Seeds { misspecified: 7, ..paper }, vec!["misspecified"]),
        (Seeds { misspecified_rules: 7, ..paper }, vec!["misspecified"]),
    ] {
        let mut found = moved(&simulated, of_simulations(seeds));
        found.retain(|part| part != "derived");
        let mut parts: Vec<String> = parts.into_iter().map(str::to_owned).collect();
        parts.sort();
        assert_eq!(found, parts, "{seeds:?}");
    }
}

//! Sentences above an evaluation and the numbers below them say the same, for every kind of labels; and what a study of
//! ratings says of labels that came back is its belief's.

use std::fs;
use std::path::Path;

use judge_uncertainty::belief::{Belief, Gaussian, Ratings};
use judge_uncertainty::escalation::Rule;
use judge_uncertainty::formats::output;
use judge_uncertainty::random::Stream;
use judge_uncertainty::report::study::cards::Cards;
use judge_uncertainty::report::study::{describe, page};
use judge_uncertainty::study::queue::Amount;
use judge_uncertainty::study::results::columns::columns;
use judge_uncertainty::study::{Decomposition, Evaluation, EvaluationOutcome, Study, StudyResults, evaluate};
use judge_uncertainty::system::progress::Silent;

use crate::support::assert_close;

const ITEMS: usize = 60;

fn put(folder: &Path, files: &[(&str, &str)]) {
    files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
}

fn ids() -> String {
    (0..ITEMS).fold("id\n".to_owned(), |ids, i| ids + &format!("i{i}\n"))
}

/// A study of three classes or places with 20 labels an item, but for the `unlabelled` ones. The judge knows nothing of
/// every third item;
/// `known` is the number of labels that its answers on the others are worth.
fn of_classes(folder: &Path, head: &str, (known, seed): (f64, u64), unlabelled: fn(usize) -> bool) {
    let mut stream = Stream::new(seed);
    let (mut judge, mut labels) = ("id,p_a,p_b,p_c\n".to_owned(), "id,n_a,n_b,n_c\n".to_owned());
    let mut shares = |alpha: [f64; 3]| {
        let gammas = alpha.map(|a| stream.gamma(a) + 1e-9);
        let sum: f64 = gammas.iter().sum();
        (gammas.map(|g| g / sum), stream.random())
    };
    for i in 0..ITEMS {
        let (p, _) = shares([1.0, 1.0, 1.0]);
        let (q, _) = shares(p.map(|p| if i % 3 == 0 { 0.5 } else { known * p + 0.1 }));
        let mut counts = [0; 3];
        for _ in 0..if unlabelled(i) { 0 } else { 20 } {
            let (_, u) = shares([1.0; 3]);
            counts[usize::from(u > p[0]) + usize::from(u > p[0] + p[1])] += 1;
        }
        judge += &format!("i{i},{},{},{}\n", q[0], q[1], q[2]);
        labels += &format!("i{i},{},{},{}\n", counts[0], counts[1], counts[2]);
    }
    let toml = format!(
        "title = \"Headlines\"\n{head}\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \"judge.csv\"\nkind = \
         \"probabilities\"\n[labels]\nfile = \"labels.csv\"\nform = \"counts\"\n[trust]\nfeatures = \
         []\n[evaluation]\nreplicates = 6\n"
    );
    put(folder, &[("items.csv", &ids()), ("judge.csv", &judge), ("labels.csv", &labels), ("study.toml", &toml)]);
}

/// Ratings from 0 to 10 by `labels` annotators; the judge states `read` of an item's mean, and knows it to within 0.3.
fn of_ratings(folder: &Path, labels: usize, trust: &str, read: fn(f64) -> f64) {
    let mut stream = Stream::new(8);
    let (mut judge, mut rows) = ("id,mean,sd\n".to_owned(), "id,annotator,score\n".to_owned());
    for i in 0..ITEMS {
        let (pool, sd) = (2.0 + 5.0 * stream.random(), 0.5 + stream.random());
        judge += &format!("i{i},{},{sd}\n", read(pool) + 0.3 * stream.standard_normal());
        for a in 0..labels {
            rows += &format!("i{i},a{a},{:.3}\n", (pool + sd * stream.standard_normal()).clamp(0.0, 10.0));
        }
    }
    let toml = format!(
        "title = \"Ratings\"\nscale = [0, 10]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \"judge.csv\"\nsd = \
         \"sd\"\n[labels]\nfile = \"labels.csv\"\n[trust]\nfeatures = []\n{trust}\n[evaluation]\nreplicates = 6\n"
    );
    put(folder, &[("items.csv", &ids()), ("judge.csv", &judge), ("labels.csv", &rows), ("study.toml", &toml)]);
}

fn results(folder: &Path) -> (StudyResults, Cards) {
    let study = Study::load(folder).unwrap();
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let evaluation = evaluate(&study, None, &Silent).unwrap();
    let cards = Cards::new(&study, &decomposition, false, &[]);
    (StudyResults::new(&study, &decomposition, evaluation, None, (Amount::DEFAULT, None), &Silent).unwrap(), cards)
}

fn evaluation(results: &StudyResults) -> &Evaluation {
    match &results.evaluation {
        EvaluationOutcome::Evaluated(evaluation) => evaluation,
        EvaluationOutcome::NotEvaluated(reason) => panic!("{reason}"),
    }
}

fn said(results: &StudyResults) -> String {
    describe(results).unwrap().iter().map(|line| line.text().to_owned() + "\n").collect()
}

/// Every rule has an interval for new items that words and numbers share.
fn intervals_for_new_items_are_shown((results, cards): &(StudyResults, Cards)) {
    let (evaluation, said) = (evaluation(results), said(results));
    let compared = &evaluation.for_new_items;
    assert_eq!(compared.than, results.input.scale.reference());
    let three = judge_uncertainty::report::numbers::three;
    for (rule, found) in &compared.value {
        let Some(found) = found.found() else { panic!("{rule:?}: {found:?}") };
        assert!(found.se > 0.0, "{rule:?}: {found:?}");
        assert!(found.simultaneous.lo <= found.plain.lo && found.simultaneous.hi >= found.plain.hi, "{found:?}");
        let [difference, lo, hi] = [found.difference, found.simultaneous.lo, found.simultaneous.hi].map(three);
        assert!(said.contains(&format!("{difference} [{lo}, {hi}]")), "{rule:?} {difference} [{lo}, {hi}] in {said}");
    }
    assert_eq!(compared.squared_value.is_some(), evaluation.squared.is_some());
    let shown = serde_json::to_string(&page(results, cards, &[]).unwrap()).unwrap();
    assert!(shown.contains("differences are for new items"), "{shown}");
}

/// What is said of ranking by total uncertainty agrees with what the evaluation removed, whatever that is.
fn words_agree_with_numbers(results: &StudyResults, goes_wrong: bool) -> &'static str {
    let said = said(results);
    let implied = if goes_wrong { "would pick worse" } else { "would pick nearly as well" };
    assert_eq!(said.matches("If the belief is right, ").count(), 1, "{said}");
    assert!(said.contains(implied), "{said}");
    let evaluation = evaluation(results);
    let removed = |rule: Rule| evaluation.full.value[&rule][&evaluation.for_new_items.budget].mean;
    let (epistemic, total) = (removed(Rule::Info), removed(Rule::PosteriorEntropy));
    let expected = match (goes_wrong, epistemic > total) {
        (true, true) => "agrees",
        (true, false) => "disagrees",
        (false, _) => "measured both",
    };
    let three = judge_uncertainty::report::numbers::three;
    let sentence =
        format!("The evaluation below {expected}: with its labels the epistemic ranking removed {} ", three(epistemic));
    assert!(said.contains(&sentence), "{sentence} in {said}");
    expected
}

/// Several worlds, so that more than one outcome comes up.
#[test]
fn headlines_of_classes_and_places_never_contradict_the_evaluation() {
    let mut outcomes = std::collections::BTreeSet::new();
    let third: fn(usize) -> bool = |i| i % 3 == 1;
    for (known, seed, unlabelled) in [(40.0, 1, (|_| false) as fn(usize) -> bool), (0.5, 2, third), (8.0, 3, third)] {
        let folder = tempfile::tempdir().unwrap();
        of_classes(folder.path(), "classes = [\"a\", \"b\", \"c\"]", (known, seed), unlabelled);
        let results = results(folder.path());
        let goes_wrong = results.0.findings.evidence.as_ref().unwrap().entropy_goes_wrong;
        outcomes.insert(words_agree_with_numbers(&results.0, goes_wrong));
        if seed == 1 {
            intervals_for_new_items_are_shown(&results);
        }
        let folder = tempfile::tempdir().unwrap();
        of_classes(folder.path(), "places = [[\"a\", 0], [\"b\", 1], [\"c\", 3]]", (known, seed), unlabelled);
        let results = self::results(folder.path());
        let goes_wrong = results.0.findings.evidence.as_ref().unwrap().entropy_goes_wrong;
        outcomes.insert(words_agree_with_numbers(&results.0, goes_wrong));
        if seed == 1 {
            intervals_for_new_items_are_shown(&results);
        }
    }
    assert!(outcomes.len() > 1, "{outcomes:?}");
}

#[test]
fn headlines_of_ratings_never_contradict_the_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    of_ratings(folder.path(), 20, "", |pool| pool);
    let results = results(folder.path());
    intervals_for_new_items_are_shown(&results);
    let (said, evaluation) = (said(&results.0), evaluation(&results.0));
    assert!(!said.contains("go wrong"), "nothing is said that no evaluation was asked about: {said}");
    let squared = evaluation.for_new_items.squared_value.as_ref().unwrap()[&Rule::Info].found().unwrap();
    let three = judge_uncertainty::report::numbers::three;
    let [difference, lo, hi] = [squared.difference, squared.simultaneous.lo, squared.simultaneous.hi].map(three);
    let sentence = format!(
        "the epistemic part removes {difference} more than total uncertainty does (95% interval for new items, all \
         rules together: {lo} to {hi})"
    );
    assert!(said.contains(&sentence), "{sentence} in {said}");
}

/// As for classes and places (`recalibration.rs`): computed here again from the recalibrated belief before the labels.
#[test]
fn movement_foresight_and_columns_of_ratings_are_those_of_the_belief_in_use() {
    let folder = tempfile::tempdir().unwrap();
    // Too generous, and it halves differences.
    of_ratings(folder.path(), 2, "belief = \"line\"", |pool| 4.5 + 0.5 * pool);
    let before = Decomposition::new(&Study::load(folder.path()).unwrap(), &Silent).unwrap();
    let touched: Vec<usize> = (0..ITEMS).step_by(10).collect();
    let new = [3.0, 4.0, 6.5];
    let rows = touched.iter().flat_map(|i| new.iter().enumerate().map(move |(a, y)| format!("i{i},new{a},{y}\n")));
    put(folder.path(), &[("back.csv", &("id,annotator,label\n".to_owned() + &rows.collect::<String>()))]);
    let mut command = assert_cmd::Command::cargo_bin("judge-uncertainty").unwrap();
    let [file, at] = [folder.path().join("back.csv"), folder.path().to_owned()].map(|path| path.display().to_string());
    command.args(["study", "labels", "add", &file, &at]).assert().success();

    let study = Study::load(folder.path()).unwrap();
    let after = Decomposition::new(&study, &Silent).unwrap();
    let not_evaluated = EvaluationOutcome::NotEvaluated("not of interest".to_owned());
    let results = StudyResults::new(&study, &after, not_evaluated, None, (Amount::DEFAULT, None), &Silent).unwrap();
    let belief = |of: &Decomposition, i: usize| -> Gaussian { of.fitted.beliefs.of_ratings()[i] };
    let stated: f64 =
        study.judge.predictions.iter().zip(before.fitted.beliefs.of_ratings()).map(|(m, b)| (m - b.mean).abs()).sum();
    assert!(stated > ITEMS as f64, "the reading must matter: {stated}");
    let mean = |of: &dyn Fn(usize) -> f64| touched.iter().map(|i| of(*i)).sum::<f64>() / touched.len() as f64;
    let movement = results.movement.as_ref().expect("labels came back");
    // The fit as it was, with the old labels and the new ones.
    let with = |i: usize| belief(&before, i).updated(&Ratings::new(&new)).epistemic();
    let stages = &movement.touched.epistemic;
    let expected = [mean(&|i| belief(&before, i).epistemic()), mean(&with), mean(&|i| belief(&after, i).epistemic())];
    assert_close("movement", &[stages.before, stages.by_labels, stages.after], &expected, 1e-9);
    let foreseen = mean(&|i| belief(&before, i).total());
    let realised = mean(&|i| new.iter().map(|y| (belief(&before, i).mean - y).powi(2)).sum::<f64>() / new.len() as f64);
    assert_close("foresight", &[movement.first.predicted, movement.first.realised], &[foreseen, realised], 1e-12);

    let columns = columns(&study, &after);
    let csv = output::to_csv(&columns);
    let mut reader = csv::Reader::from_reader(csv.as_slice());
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|own| own == name).unwrap_or_else(|| panic!("{name}: {header:?}"));
    let read = after.pool.of_ratings().read(after.fitted.fit.of_ratings());
    for (i, row) in reader.records().map(Result::unwrap).enumerate() {
        let cell = |name: &str| -> f64 { row[at(name)].parse().unwrap() };
        let own = belief(&after, i);
        let expected = [own.evidence, own.total(), own.epistemic(), read.mean[i], read.variance[i].sqrt()];
        let got = ["total_evidence", "total", "epistemic", "judge_mean_read", "judge_sd_read"].map(cell);
        assert_close(&row[0], &got, &expected, 1e-9);
    }
    let dictionary = String::from_utf8(output::dictionary(&columns)).unwrap();
    assert_eq!(dictionary.lines().count(), header.len() + 1);
}

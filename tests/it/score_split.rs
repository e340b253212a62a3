//! Half splits of studies whose labels are numbers.

use std::fs;

use judge_uncertainty::belief::{Belief, FeatureColumn, Gaussian, JudgeScores};
use judge_uncertainty::escalation::{Budget, Rule};
use judge_uncertainty::evaluation::{ByRule, HalfSplit, Measured, RatingPool, Settings, SplitOutcome, by_rule};
use judge_uncertainty::random::Stream;
use judge_uncertainty::report::study::describe;
use judge_uncertainty::stats::{Summary, mean};
use judge_uncertainty::study::evaluate::{Evaluator, evaluated_items, journal};
use judge_uncertainty::study::queue::Amount;
use judge_uncertainty::study::{Decomposition, Evaluation, EvaluationOutcome, Study, StudyResults, evaluate};
use judge_uncertainty::system::progress::Silent;
use tempfile::TempDir;

use crate::study_run::embedded;

/// Items drawn from the belief itself: judge's mean and variance, m and s^2 of the pool, 24 annotators each.
struct World {
    ratings: Vec<Vec<Vec<f64>>>,
    judge: JudgeScores,
    means: Vec<f64>,
    familiar: Vec<f64>,
}

/// `trust` of the items that the judge is not familiar with and of those that it is; each is every second one.
fn world(items: usize, trust: [f64; 2], seed: u64) -> World {
    let mut stream = Stream::new(seed);
    let mut world = World {
        ratings: vec![],
        judge: JudgeScores { mean: vec![], variance: vec![] },
        means: vec![],
        familiar: vec![],
    };
    for i in 0..items {
        let mu = 20.0 + 60.0 * stream.random();
        // Disagreement differs more from item to item than ignorance does.
        let stated = (4.0 * (stream.random() - 0.5)).exp();
        let s2 = 12.0 * stated / (2.0 * stream.gamma(6.0));
        let m = mu + (s2 / trust[i % 2]).sqrt() * stream.standard_normal();
        world.ratings.push((0..24).map(|_| vec![m + s2.sqrt() * stream.standard_normal()]).collect());
        world.judge.mean.push(mu);
        world.judge.variance.push(Some(stated));
        world.means.push(m);
        world.familiar.push((i % 2) as f64);
    }
    world
}

fn split(world: &World, reveal: &[u32]) -> HalfSplit<'static> {
    let familiar = world.familiar.clone();
    let features =
        Box::new(move |_: &[u32], _: Option<&_>| vec![FeatureColumn::complete("familiar", familiar.iter().copied())]);
    let settings = Settings {
        seed: 0,
        reveal: reveal.to_vec(),
        budgets: [1, 10, 20].map(|percent| Budget::percent(percent).unwrap()).to_vec(),
        rules: Rule::those(|row| row.ratings),
    };
    let pool = RatingPool::new(world.ratings.clone(), world.judge.clone());
    HalfSplit::new(Box::new(pool), None, features, settings)
}

fn replicate(split: &HalfSplit, number: u64) -> SplitOutcome {
    let mut stream = split.stream(number);
    let labels = split.draw(&mut stream);
    let features = split.features(&labels);
    split.evaluate(&labels, &features, &mut stream).unwrap()
}

/// What ranking by the epistemic part gains over ranking by total uncertainty: absolute and squared error.
fn gains(split: &HalfSplit) -> [ByRule; 2] {
    let measured: Vec<Measured> = (0..200).map(|number| replicate(split, number).measured).collect();
    let like = &measured[0].value;
    let total = Rule::PosteriorEntropy;
    let squared = |m: &Measured, rule: Rule, b: Budget| m.squared.as_ref().unwrap().value[&rule][&b];
    [
        by_rule(&measured, like, |m, rule, b| m.value[&rule][&b] - m.value[&total][&b]),
        by_rule(&measured, like, |m, rule, b| squared(m, rule, b) - squared(m, total, b)),
    ]
}

/// Whether a mean over replicates is above 0 beyond its noise. (One label per item is too few for every single
/// replicate.)
fn beats(gain: &Summary) -> bool {
    gain.mean > 3.0 * gain.se
}

#[test]
fn where_trust_varies_the_epistemic_part_beats_total_uncertainty() {
    let split = split(&world(600, [0.5, 60.0], 7), &[0, 1, 2, 5, 10]);
    for gain in gains(&split) {
        for percent in [10, 20] {
            let gain = gain[&Rule::Info][&Budget::percent(percent).unwrap()];
            assert!(beats(&gain), "{percent}%: {gain:?}");
        }
    }
}

#[test]
fn where_trust_is_flat_it_does_not_beyond_noise() {
    // With equal trust and equally many labels both rank by E[s^2], but for the noise of the fitted trust.
    let split = split(&world(600, [6.0, 6.0], 7), &[2]);
    for gain in gains(&split) {
        for percent in [10, 20] {
            let gain = gain[&Rule::Info][&Budget::percent(percent).unwrap()];
            assert!(!beats(&gain), "{percent}%: {gain:?}");
        }
    }
}

#[test]
fn errors_and_held_out_places_are_those_of_the_simulated_truth() {
    let world = world(1500, [2.0, 20.0], 3);
    let split = split(&world, &[0, 1, 2, 5, 10]);
    let outcome = replicate(&split, 0);
    let of = |error: &dyn Fn(&Gaussian, f64) -> f64| {
        mean(
            &outcome
                .fitted
                .beliefs
                .of_ratings()
                .iter()
                .zip(&world.means)
                .map(|(b, &m)| error(b, m))
                .collect::<Vec<_>>(),
        )
    };
    // The squared error less the noise of the held-out mean is that against the pool's own mean; one percent is left
    // out.
    let squared = of(&|b, m| (b.mean - m).powi(2));
    let measured = outcome.measured.selective[&Rule::Random][&Budget::percent(1).unwrap()].squared;
    assert!((measured / squared - 1.0).abs() < 0.1, "{measured} for {squared}");
    let foreseen = of(&|b, _| b.epistemic());
    assert!((foreseen / squared - 1.0).abs() < 0.15, "{foreseen} for {squared}");
    let places = outcome.measured.held_out.as_ref().unwrap();
    assert_eq!(places.ratings(), 1500 * 12);
    // Twelve ratings of an item share its mean, so the shares vary as those of about 1500 draws at worst.
    for tenth in places.tenths {
        let share = tenth as f64 / places.ratings() as f64;
        assert!((share - 0.1).abs() < 4.0 * (0.09_f64 / 1500.0).sqrt(), "{:?}", places.tenths);
    }
    let inside = places.inside.map(|n| n as f64 / places.ratings() as f64);
    for (inside, level) in inside.into_iter().zip([0.5, 0.8, 0.95]) {
        assert!((inside - level).abs() < 0.03, "{inside} for {level}");
    }
}

#[test]
fn every_annotator_is_in_one_half_with_all_ratings() {
    let mut world = world(30, [6.0, 6.0], 1);
    // Labels that say who gave them: annotator k rates k, and again k + 1/2.
    for annotators in &mut world.ratings {
        annotators.truncate(9);
        for (k, ratings) in annotators.iter_mut().enumerate() {
            *ratings = vec![k as f64, k as f64 + 0.5];
        }
    }
    let split = split(&world, &[0, 3, 10]);
    let labels = split.draw(&mut split.stream(0));
    for i in 0..30 {
        // Of nine annotators four are the first half, and one of these is kept to be bought.
        let held = labels.held.of_ratings();
        let (revealed, unrevealed, truth) = (&labels.revealed.of_ratings()[i], &held.unrevealed[i], &held.truth[i]);
        assert_eq!(revealed.n, labels.numbers[i]);
        assert!([0, 3].contains(&revealed.n));
        assert_eq!((revealed.n as usize + unrevealed.len(), truth.ratings.len()), (4, 5));
        let sum = f64::from(revealed.n) * revealed.mean + unrevealed.iter().sum::<f64>() + 5.0 * truth.mean;
        assert!((sum - (36.0 + 9.0 * 0.25)).abs() < 1e-9, "{sum}");
        assert!(truth.ratings.iter().all(|rating| rating.fract() == 0.0));
        let labels = || truth.ratings.iter().map(|rating| rating + 0.25);
        let scatter: f64 = labels().map(|y| (y - truth.mean).powi(2)).sum();
        assert!((truth.noise - scatter / 4.0 / 5.0).abs() < 1e-12);
    }
    let halves: Vec<f64> = (0..20).map(|k| split.draw(&mut split.stream(k)).held.of_ratings().truth[0].mean).collect();
    assert!(halves.iter().any(|half| *half != halves[0]));
}

/// A study of scores on disk: forty items, 24 annotators each, two more items with few.
fn study(trust: [f64; 2]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let world = world(42, trust, 11);
    let (mut items, mut judge, mut ratings) =
        ("id,familiar,kind\n".to_owned(), "id,mean,sd\n".to_owned(), "id,annotator,score\n".to_owned());
    for (i, annotators) in world.ratings.iter().enumerate() {
        items += &format!("i{i},{},{}\n", world.familiar[i], if i < 4 { "pilot" } else { "main" });
        judge += &format!("i{i},{},{}\n", world.judge.mean[i], world.judge.variance[i].unwrap().sqrt());
        for (a, rating) in annotators.iter().enumerate().take(if i < 40 { 24 } else { 3 }) {
            ratings += &format!("i{i},a{a},{}\n", rating[0].clamp(0.0, 100.0));
        }
    }
    let config = "title = \"t\"\nscale = [0, 100]\n[items]\nfile = \"items.csv\"\nnumbers = [\"familiar\"]\ngroup = \
                  \"kind\"\n[judge]\nfile = \"judge.csv\"\nsd = \"sd\"\n[labels]\nfile = \
                  \"ratings.csv\"\n[trust]\nfeatures = [\"log_labels\", \"familiar\"]\n[evaluation]\nreplicates = 12\n";
    for (name, text) in
        [("items.csv", &*items), ("judge.csv", &judge), ("ratings.csv", &ratings), ("study.toml", config)]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn evaluation(study: &Study) -> Box<Evaluation> {
    match evaluate(study, None, &Silent).unwrap() {
        EvaluationOutcome::Evaluated(evaluation) => evaluation,
        EvaluationOutcome::NotEvaluated(reason) => panic!("{reason}"),
    }
}

#[test]
fn an_interrupted_evaluation_of_scores_goes_on_where_it_stopped() {
    let folder = study([1.0, 30.0]);
    let mut study = Study::load(folder.path()).unwrap();
    let whole = evaluation(&study);
    assert_eq!(
        (whole.items, whole.replicates, whole.held_out.as_ref().unwrap().coverage[0].ratings),
        (40, 12, 12 * 40 * 12)
    );
    assert!(whole.counts_only.is_some());
    for (rule, values) in &whole.full.value {
        for (budget, value) in values {
            assert!(value.mean < whole.oracle[budget].mean, "{rule:?} at {budget:?} beats the oracle");
        }
    }
    let out = folder.path().join("run");
    study.file.config.evaluation.replicates = 5;
    let mut begun = journal(&out, &study).unwrap();
    evaluate(&study, Some(&mut begun), &Silent).unwrap();
    drop(begun);
    study.file.config.evaluation.replicates = 12;
    let mut begun = journal(&out, &study).unwrap();
    assert_eq!(begun.finished(), 5);
    assert_eq!(evaluate(&study, Some(&mut begun), &Silent).unwrap(), EvaluationOutcome::Evaluated(whole));
    drop(begun);
    // Its first replicate stands on its own.
    let kept = evaluated_items(&study).unwrap();
    let alone = Evaluator::new(&study, kept, None).replicate(3).unwrap();
    assert_eq!(alone.0, evaluation(&study).measured[3]);
}

#[test]
fn an_evaluation_of_scores_says_how_neighbours_were_found() {
    let folder = study([1.0, 30.0]);
    let row = |i: usize| format!("i{i},{},{},{}\n", (i as f64).sin(), (2.3 * i as f64).cos(), 0.1 * i as f64);
    let embeddings: String = (0..42).map(row).collect();
    fs::write(folder.path().join("embeddings.csv"), format!("id,a,b,c\n{embeddings}")).unwrap();
    let path = folder.path().join("study.toml");
    let config = fs::read_to_string(&path).unwrap();
    let with = |engine: &str| {
        let section = format!("[familiarity]\nembeddings = \"embeddings.csv\"\nengine = \"{engine}\"\n");
        fs::write(&path, config.clone() + &section).unwrap();
        let study = embedded(folder.path());
        (evaluation(&study), study)
    };
    let ((exact, _), (hnsw, study)) = (with("exact"), with("hnsw"));
    assert!(exact.neighbours.unwrap().contains("all pairs"));
    let how = hnsw.neighbours.clone().unwrap();
    assert!(how.contains("recall@") && how.contains("40 of 40 items"), "{how}");
    assert_eq!(hnsw.full, exact.full, "the same neighbours");
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let results = StudyResults::new(
        &study,
        &decomposition,
        EvaluationOutcome::Evaluated(hnsw),
        None,
        (Amount::DEFAULT, None),
        &Silent,
    )
    .unwrap();
    let said = describe(&results).unwrap().iter().map(|line| line.text().to_owned() + "\n").collect::<String>();
    assert!(said.contains(&format!("Labelled neighbours among these items: {how}.")), "{said}");
}

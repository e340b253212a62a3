//! What an evaluation can't say is not estimable, and never a number that stands for nothing.

use judge_uncertainty::escalation::{Budget, Rule};
use judge_uncertainty::evaluation::{CountPool, Escalation, HalfSplit, Measured, Settings};
use judge_uncertainty::formats::Predictions;
use judge_uncertainty::random::Stream;
use judge_uncertainty::stats::mean;
use judge_uncertainty::study::evaluate::held_out::HeldOutReport;
use judge_uncertainty::study::{Decomposition, Evaluation, EvaluationOutcome, Study, evaluate};
use judge_uncertainty::system::progress::Silent;
use ndarray::Array2;
use tempfile::TempDir;

/// Pools of three classes, known, `labels` drawn from each, under a judge that states the pool exactly.
fn known(items: usize, labels: u32, seed: u64) -> (Array2<u32>, Predictions) {
    let mut stream = Stream::new(seed);
    let (mut counts, mut q) = (Array2::zeros((items, 3)), Array2::zeros((items, 3)));
    for i in 0..items {
        let weights: [f64; 3] = std::array::from_fn(|_| stream.gamma(1.5));
        let sum: f64 = weights.iter().sum();
        (0..3).for_each(|k| q[[i, k]] = weights[k] / sum);
        for _ in 0..labels {
            let u = stream.random();
            let class = usize::from(u > q[[i, 0]]) + usize::from(u > q[[i, 0]] + q[[i, 1]]);
            counts[[i, class]] += 1;
        }
    }
    (counts, Predictions { q, spread: vec![None; items], confidence: vec![None; items] })
}

fn percent(percent: u32) -> Budget {
    Budget::percent(percent).unwrap()
}

fn split(labels: u32, reveal: &[u32], budgets: &[u32]) -> HalfSplit<'static> {
    let (counts, judge) = known(60, labels, 3);
    let budgets = budgets.iter().map(|b| percent(*b)).collect();
    let settings = Settings { seed: 0, reveal: reveal.to_vec(), budgets, rules: Rule::those(|_| true) };
    HalfSplit::new(Box::new(CountPool::new(counts.view(), judge)), None, Box::new(|_, _| vec![]), settings)
}

fn measured(split: &HalfSplit) -> Vec<Measured> {
    let replicate = |number| {
        let mut stream = split.stream(number);
        let labels = split.draw(&mut stream);
        split.evaluate(&labels, &[], &mut stream).unwrap().measured
    };
    (0..6).map(replicate).collect()
}

#[test]
fn every_item_keeps_a_label_that_can_be_bought() {
    // Twenty labels, ten of them revealed: nothing would be left of the first half.
    let split = split(20, &[10], &[10, 20]);
    let labels = split.draw(&mut split.stream(0));
    assert!(
        labels.held.of_classes().unrevealed.rows().into_iter().all(|row| row.sum() == 1),
        "{:?}",
        labels.held.of_classes().unrevealed
    );
    assert!(labels.numbers.iter().all(|n| *n == 9));
    for measured in measured(&split) {
        for (rule, values) in measured.value {
            assert!(values.values().all(|value| *value != 0.0), "{rule:?}: {values:?}");
        }
    }
}

#[test]
fn what_is_left_of_a_budget_of_everything_has_no_error() {
    let split = split(20, &[0, 2], &[50, 100]);
    let measured = measured(&split);
    for one in &measured {
        for by_budget in one.selective.values() {
            assert_eq!(by_budget.keys().copied().collect::<Vec<_>>(), [percent(50)]);
        }
        assert!(!serde_json::to_string(one).unwrap().contains("null"));
    }
    let whole = Escalation::over(&measured);
    assert!(whole.value[&Rule::Info].contains_key(&percent(100)));
    assert_eq!(whole.selective_error[&Rule::Info].keys().copied().collect::<Vec<_>>(), [percent(50)]);
    assert!(!serde_json::to_string(&whole).unwrap().contains("null"));
}

/// A study on disk whose judge states what the labels are drawn from: `{judge}` and `{labels}` are the tables.
fn study(config: &str, judge: &str, labels: &str, items: usize) -> (TempDir, Study) {
    let folder = tempfile::tempdir().unwrap();
    let ids: String = (0..items).map(|i| format!("i{i}\n")).collect();
    let files =
        [("items.csv", format!("id\n{ids}")), ("judge.csv", judge.to_owned()), ("labels.csv", labels.to_owned())];
    for (name, text) in files.into_iter().chain([("study.toml", config.to_owned())]) {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let study = Study::load(folder.path()).unwrap();
    (folder, study)
}

fn evaluated(study: &Study) -> Evaluation {
    match evaluate(study, None, &Silent).unwrap() {
        EvaluationOutcome::Evaluated(evaluation) => *evaluation,
        EvaluationOutcome::NotEvaluated(reason) => panic!("{reason}"),
    }
}

const ITEMS: usize = 400;
const END: &str = "[evaluation]\nreplicates = 2\nbudgets = [10, 100]\nreveal = [0, 2, 20]\n";

/// A judge of classes or places that states its pool.
fn of_classes(head: &str, names: [&str; 3]) -> (TempDir, Study) {
    let (counts, truth) = known(ITEMS, 20, 5);
    let [a, b, c] = names;
    let (mut judge, mut labels) = (format!("id,p_{a},p_{b},p_{c}\n"), format!("id,n_{a},n_{b},n_{c}\n"));
    for i in 0..ITEMS {
        judge += &format!("i{i},{},{},{}\n", truth.q[[i, 0]], truth.q[[i, 1]], truth.q[[i, 2]]);
        labels += &format!("i{i},{},{},{}\n", counts[[i, 0]], counts[[i, 1]], counts[[i, 2]]);
    }
    let config = format!(
        "title = \"Known\"\n{head}[items]\nfile = \"items.csv\"\n[judge]\nfile = \"judge.csv\"\nkind = \
         \"probabilities\"\n[labels]\nfile = \"labels.csv\"\nform = \"counts\"\n{END}"
    );
    study(&config, &judge, &labels, ITEMS)
}

fn of_scores() -> (TempDir, Study) {
    let mut stream = Stream::new(9);
    let (mut judge, mut labels) = ("id,mean,sd\n".to_owned(), "id,annotator,score\n".to_owned());
    for i in 0..ITEMS {
        let mu = 30.0 + 40.0 * stream.random();
        judge += &format!("i{i},{mu},5\n");
        (0..20).for_each(|a| labels += &format!("i{i},a{a},{}\n", mu + 5.0 * stream.standard_normal()));
    }
    let config = format!(
        "title = \"Known\"\nscale = [0, 100]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \"judge.csv\"\nsd = \
         \"sd\"\n[labels]\nfile = \"labels.csv\"\n{END}"
    );
    study(&config, &judge, &labels, ITEMS)
}

/// The judge's squared error against the pool, on held-out labels.
fn of_judge(study: &Study) -> f64 {
    let report = HeldOutReport::new(study, &Decomposition::new(study, &Silent).unwrap());
    let errors = &report.found().unwrap().squared_errors;
    errors.iter().find(|one| one.prediction == "judge").unwrap().mean.estimate().unwrap().value
}

/// With the pool stated exactly, the squared error less the labels' noise is 0 but for chance, in every kind.
#[test]
fn squared_errors_of_the_judge_are_less_the_noise_of_the_labels() {
    let (_folder, classes) = of_classes("classes = [\"a\", \"b\", \"c\"]\n", ["a", "b", "c"]);
    let (_folder_2, ordinal) = of_classes("places = [1, 2, 3]\n", ["1", "2", "3"]);
    let (_folder_3, scores) = of_scores();
    let found = [of_judge(&classes), of_judge(&ordinal), of_judge(&scores)];
    // The labels' noise is about 0.03, 0.03 and 1.25; its standard error over 400 items a twentieth of it or so.
    for (found, least) in found.into_iter().zip([0.006, 0.008, 0.25]) {
        assert!(found.abs() < least, "{found} for 0, within {least}");
    }
}

#[test]
fn what_could_not_be_measured_is_told_with_its_reason() {
    let (_folder, study) = of_scores();
    let evaluation = evaluated(&study);
    let reasons = evaluation.not_estimable.join("\n");
    assert!(reasons.contains("at a budget of 100%") && reasons.contains("every item is escalated"), "{reasons}");
    assert!(reasons.contains("400 items") && reasons.contains("reveal"), "{reasons}");
    assert!(mean(&[evaluation.full.mean_error.mean]).is_finite());
}

//! Studies of ordinal ratings: against an independent calculation (`tests/golden/ordinal/make.py`), and as a user meets
//! them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use judge_uncertainty::escalation::{Budget, Rule};
use judge_uncertainty::evaluation::{CountPool, HalfSplit, Settings};
use judge_uncertainty::familiarity::features::FamiliarityFeatures;
use judge_uncertainty::formats::Predictions;
use judge_uncertainty::formats::output::ColumnValues;
use judge_uncertainty::random::Stream;
use judge_uncertainty::report::study::cards::Cards;
use judge_uncertainty::report::study::{describe, figures, page};
use judge_uncertainty::study::queue::Amount;
use judge_uncertainty::study::results::columns::columns;
use judge_uncertainty::study::{
    Decomposition, Evaluation, EvaluationOutcome, InputReport, Study, StudyResults, evaluate,
};
use judge_uncertainty::system::progress::Silent;
use ndarray::Array2;
use serde_json::json;

use crate::support::{assert_close, golden, json_of, number, numbers, repository, run};

/// The items of the fixture as a study; `more` is added to its configuration.
pub(crate) fn study(folder: &Path, more: &str) -> Study {
    let file = |name: &str| repository("tests/golden/ordinal").join(name).display().to_string();
    let config = format!(
        "title = \"Answers\"\nplaces = [[\"very_poor\", -2], [\"poor\", -1], [\"fair\", 0], [\"good\", 1], \
         [\"excellent\", 2.5]]\n\n[items]\nfile = {:?}\ntext = \"{{text}}\"\n\n[judge]\nfile = {:?}\nkind = \
         \"probabilities\"\n\n[labels]\nfile = {:?}\nform = \"counts\"\n\n[trust]\nfeatures = []\nprior = \
         \"none\"\n{more}",
        file("items.csv"),
        file("judge.csv"),
        file("labels.csv"),
    );
    fs::write(folder.join("study.toml"), config).unwrap();
    Study::load(folder).unwrap()
}

fn results(study: &Study) -> StudyResults {
    let decomposition = Decomposition::new(study, &Silent).unwrap();
    let evaluation = evaluate(study, None, &Silent).unwrap();
    StudyResults::new(study, &decomposition, evaluation, None, (Amount::DEFAULT, None), &Silent).unwrap()
}

fn evaluation(results: &StudyResults) -> &Evaluation {
    match &results.evaluation {
        EvaluationOutcome::Evaluated(evaluation) => evaluation,
        EvaluationOutcome::NotEvaluated(reason) => panic!("{reason}"),
    }
}

#[test]
fn a_study_is_that_of_an_independent_calculation() {
    let folder = tempfile::tempdir().unwrap();
    let study = study(folder.path(), "\n[evaluation]\nreplicates = 2\n");
    let expected = &golden("ordinal/expected.json")["study"];
    let results = results(&study);
    let trust = results.fit.typical_trust.as_ref().expect("three labels an item determine it");
    let fit = &expected["fit"];
    assert_close("trust", &[trust.value.ln()], &[number(&fit["intercept"])], 1e-8);
    let standard_error = trust.standard_error / trust.value;
    assert_close("standard error", &[standard_error], &[number(&fit["standard_error"])], 1e-6);
    assert_close("likelihood", &[results.fit.log_likelihood], &[number(&fit["log_likelihood"])], 1e-10);

    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let columns = columns(&study, &decomposition);
    let column = |name: &str| -> Vec<f64> {
        match &columns.iter().find(|column| column.name == name).unwrap_or_else(|| panic!("{name}")).values {
            ColumnValues::Number(values) => values.clone(),
            other => panic!("{name}: {other:?}"),
        }
    };
    let items = &expected["items"];
    for (ours, theirs) in [
        ("total_evidence", "evidence"),
        ("mean_place", "mean_place"),
        ("total", "total"),
        ("aleatoric", "aleatoric"),
        ("epistemic", "epistemic"),
        ("epistemic", "v"),
        ("delta", "delta"),
        ("wasserstein", "wasserstein"),
        ("total_entropy", "total_nats"),
        ("aleatoric_entropy", "aleatoric_nats"),
        ("epistemic_entropy", "epistemic_nats"),
    ] {
        // The fits agree to 1e-8.
        assert_close(ours, &column(ours), &numbers(&items[theirs]), 1e-7);
    }
}

/// Everything that kinds share, for this one: rules, sentences, page, tables and figures.
#[test]
fn a_study_is_evaluated_and_reported_as_those_of_other_kinds_are() {
    let folder = tempfile::tempdir().unwrap();
    let study = study(folder.path(), "\n[evaluation]\nreplicates = 12\nbudgets = [10, 20]\n");
    let results = results(&study);
    let evaluation = evaluation(&results);
    let expected: BTreeSet<Rule> =
        Rule::those(|row| row.ordinal && row.rule != Rule::LowConfidence).into_iter().collect();
    assert_eq!(evaluation.full.value.keys().copied().collect::<BTreeSet<_>>(), expected);
    let squared = evaluation.squared.as_ref().unwrap();
    for rule in expected {
        for budget in [10, 20].map(|percent| Budget::percent(percent).unwrap()) {
            assert!(evaluation.full.value[&rule][&budget].mean < evaluation.oracle[&budget].mean, "{rule:?}");
            assert!(squared.value[&rule][&budget].mean < squared.oracle[&budget].mean, "{rule:?}");
        }
    }
    let said: Vec<String> = describe(&results).unwrap().iter().map(|line| line.text().to_owned()).collect();
    let said = said.join("\n");
    for part in ["Variance of a fresh label", "Wasserstein error removed by one label", "total uncertainty would pick"]
    {
        assert!(said.contains(part), "{said}");
    }
    let figures = figures(&results).unwrap();
    let names: Vec<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
    assert_eq!(names, ["components", "parts", "budget", "advantage"]);
    let cards = Cards::new(&study, &Decomposition::new(&study, &Silent).unwrap(), true, &[]);
    let page = serde_json::to_string(&page(&results, &cards, &figures).unwrap()).unwrap();
    for part in ["base rate", "one-label value Delta"] {
        assert!(page.contains(part), "{part}");
    }
    let json = serde_json::to_value(&results).unwrap();
    assert_eq!((&json["kind"], &json["input"]["places"][4]), (&json!("ordinal"), &json!(["excellent", 2.5])));
}

/// Items whose labels are drawn from the belief itself; every second one has the higher trust.
fn world(items: usize, trust: [f64; 2]) -> HalfSplit<'static> {
    let places = vec![-1.0, 0.0, 0.5, 3.0];
    let mut stream = Stream::new(17);
    let (mut q, mut counts) = (Array2::zeros((items, 4)), Array2::zeros((items, 4)));
    for i in 0..items {
        let stated: Vec<f64> = (0..4).map(|_| stream.gamma(0.7) + 0.05).collect();
        let sum: f64 = stated.iter().sum();
        let drawn: Vec<f64> = stated.iter().map(|s| stream.gamma(trust[i % 2] * s / sum)).collect();
        let p: Vec<f64> = drawn.iter().map(|g| g / drawn.iter().sum::<f64>()).collect();
        let mut labels = [0; 4];
        stream.multinomial(40, &p, &mut labels);
        for j in 0..4 {
            (q[[i, j]], counts[[i, j]]) = (stated[j] / sum, labels[j]);
        }
    }
    let judge = Predictions { q, spread: vec![None; items], confidence: vec![None; items] };
    let mut pool = CountPool::new(counts.view(), judge);
    pool.places = Some(places);
    let known = |numbers: &[u32], _: Option<&FamiliarityFeatures>| {
        let known = (0..numbers.len()).map(|i| (i % 2) as f64);
        vec![judge_uncertainty::belief::FeatureColumn::complete("known", known)]
    };
    let budgets = vec![Budget::percent(10).unwrap(), Budget::percent(20).unwrap()];
    let settings = Settings { seed: 0, reveal: vec![0, 1, 2, 5], budgets, rules: Rule::those(|row| row.ordinal) };
    HalfSplit::new(Box::new(pool), None, Box::new(known), settings)
}

/// The value of a label beats rules that look at the judge alone, beyond noise, where trust varies; and the belief's own expectation of its squared error comes true.
#[test]
fn half_splits_remove_what_the_belief_expects() {
    let split = world(600, [0.7, 30.0]);
    let (mut gains, mut foreseen, mut realised) = (vec![], vec![], vec![]);
    for replicate in 0..60 {
        let mut stream = split.stream(replicate);
        let labels = split.draw(&mut stream);
        let outcome = split.evaluate(&labels, &split.features(&labels), &mut stream).unwrap();
        let value = |rule: Rule| outcome.measured.value[&rule][&Budget::percent(20).unwrap()];
        gains.push(value(Rule::Delta) - value(Rule::JudgeEntropy));
        let errors = split.pool().errors(&outcome.fitted.beliefs, &labels.held);
        realised.push(errors.iter().map(|errors| errors.squared).sum::<f64>() / 600.0);
        foreseen.push(outcome.fitted.beliefs.map(|belief| belief.spread()).iter().sum::<f64>() / 600.0);
    }
    let gain = judge_uncertainty::stats::Summary::new(&gains);
    assert!(gain.mean > 4.0 * gain.se, "{gain:?}");
    let [foreseen, realised] = [foreseen, realised].map(|values| judge_uncertainty::stats::mean(&values));
    assert!((foreseen / realised - 1.0).abs() < 0.1, "{foreseen} for {realised}");
}

/// LeWiDi's Par has places from -5 to 5, its CSC from 0 to 6 in whole numbers: labels stand as text in the file.
#[test]
fn lewidi_places_are_read_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "Par_dev.json",
        r#"{"1": {"annotation task": "paraphrase", "text": {"Question1": "a?", "Question2": "b?"},
            "annotators": "Ann1,Ann2,Ann3", "number of annotations": 3,
            "annotations": {"Ann1": "-5", "Ann2": "4", "Ann3": "4"}, "soft_label": {}, "split": "dev"},
            "2": {"annotation task": "paraphrase", "text": {"Question1": "c?", "Question2": "d?"},
            "annotators": "Ann1,Ann2", "number of annotations": 2,
            "annotations": {"Ann1": "0", "Ann2": "-1"}, "soft_label": {}, "split": "dev"}}"#,
    );
    let head: String = (-5..=5).map(|place| format!(",p_{place}")).collect();
    let even = ",0.1".repeat(9) + ",0.05,0.05";
    write("judge.csv", &format!("id{head}\n1{even}\n2{even}\n"));
    write(
        "study.toml",
        "title = \"Par\"\nplaces = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5]\n[items]\nfile = \"Par_dev.json\"\nformat = \
         \"lewidi\"\n[judge]\nfile = \"judge.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"Par_dev.json\"\nformat = \"lewidi\"\n[trust]\nfeatures = []\n",
    );
    let study = Study::load(folder.path()).unwrap();
    assert_eq!(study.numbers(), [3, 2]);
    let counts = &study.labels.counts;
    assert_eq!((counts[[0, 0]], counts[[0, 9]], counts[[1, 5]], counts[[1, 4]]), (1, 2, 1, 1));
    assert!(InputReport::new(&study).warnings.iter().any(|warning| warning.contains("no label says")));
}

#[test]
fn places_that_do_not_ascend_are_refused_where_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), "");
    let path = folder.path().join("study.toml");
    let config = fs::read_to_string(&path).unwrap();
    for (from, to, message) in [
        ("[\"good\", 1]", "[\"good\", -3]", "study.toml:2:1: places"),
        ("[\"good\", 1]", "[\"poor\", 1]", "appears twice"),
        ("[\"good\", 1]", "[\"good\"]", "study.toml:2"),
        ("features = []", "features = []\nbelief = \"groups\"", "items.group"),
    ] {
        fs::write(&path, config.replace(from, to)).unwrap();
        let error = Study::load(folder.path()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

/// Queue, labels back, estimates, movement and a registration, by the commands that every kind has.
#[test]
fn the_commands_of_a_study_take_ordinal_ratings() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), "\n[evaluation]\nreplicates = 6\nbudgets = [10, 20]\n");
    let path = folder.path().to_str().unwrap();
    let plan = "[[hypothesis]]\nfinding = \"distance\"\nbelow = 5\n";
    fs::write(folder.path().join("hypotheses.toml"), plan).unwrap();
    run(&["study", "check", path], 0);
    run(&["study", "register", path], 0);
    let queue = folder.path().join("queue");
    let queued = ["study", "queue", path, "--rule", "delta", "--budget", "20%", "--explore", "0.9"];
    run(&queued, 0);
    let (_, refused) = run(&["study", "queue", path, "--rule", "v", "--force"], 2);
    assert!(refused.contains("does not rank ordinal ratings: use epistemic, delta"), "{refused}");
    let mut rows = csv::Reader::from_path(queue.join("queue.csv")).unwrap();
    let ids: Vec<String> = rows.records().map(|row| row.unwrap()[1].to_owned()).collect();
    let labels: String = ids.iter().map(|id| format!("{id},ann,good\n{id},ben,excellent\n")).collect();
    let file = folder.path().join("back.csv");
    fs::write(&file, format!("id,annotator,label\n{labels}")).unwrap();
    run(&["study", "labels", "add", file.to_str().unwrap(), path], 0);
    run(&["study", "run", path], 0);
    let found = json_of(&folder.path().join("run/results/study.json"));
    // Every item had its labels before the queue, which therefore chose none of those that are evaluated.
    assert_eq!(found["registered"]["hypotheses"][0]["status"], json!("confirmed"));
    let movement = &found["movement"];
    assert_eq!(number(&movement["labels"]), 2.0 * ids.len() as f64);
    let stages = &movement["touched"]["epistemic"];
    assert!(number(&stages["after"]) < number(&stages["before"]), "{stages}");
}

//! The weak prior of studies: against fits and profile posteriors of another program, and what a study says that its
//! labels do not tell.

use std::fs;

use judge_uncertainty::belief::{
    BeliefModel, Design, FeatureColumn, FittedBelief, JudgeScores, JudgedItems, JudgedRatings, Ratings, TrustPrior,
    TrustProfile, fit_ratings,
};
use judge_uncertainty::random::Stream;
use judge_uncertainty::report::numbers::three;
use judge_uncertainty::report::study::describe;
use judge_uncertainty::study::queue::Amount;
use judge_uncertainty::study::{Decomposition, EvaluationOutcome, FitReport, Study, StudyResults, evaluate};
use judge_uncertainty::system::progress::Silent;
use ndarray::Array2;
use serde_json::Value;

use crate::support::{assert_close, golden, number, numbers};

struct Classes {
    q: Array2<f64>,
    counts: Array2<u32>,
    design: Design,
}

fn table(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    let width = rows[0].len();
    Array2::from_shape_vec((rows.len(), width), rows.concat()).unwrap()
}

impl Classes {
    fn new(value: &Value) -> Self {
        let counts = table(&value["counts"]).mapv(|c| c as u32);
        let labelled: Vec<bool> = counts.rows().into_iter().map(|row| row.sum() > 0).collect();
        let x = FeatureColumn::complete("x", numbers(&value["x"]));
        Self { q: table(&value["q"]), counts, design: Design::standardized(&[x]).unwrap().within(&labelled) }
    }

    fn fit(&self, prior: TrustPrior) -> (FittedBelief, Option<TrustProfile>) {
        let items = JudgedItems::new(&self.design, self.q.view(), &[]);
        let fit = BeliefModel::Published.fit(&items, self.counts.view(), prior).unwrap();
        let profile = BeliefModel::Published.typical_log_trust(&items, self.counts.view(), prior, &fit).unwrap();
        (fit, profile)
    }
}

#[test]
fn classes_under_the_weak_prior_are_fitted_as_by_an_independent_program() {
    let golden = golden("trust_prior/expected.json");
    for name in ["few", "some", "single"] {
        let expected = &golden[name];
        let (fit, profile) = Classes::new(expected).fit(TrustPrior::Weak);
        assert!(fit.regression().converged, "{name}");
        assert_close(name, &fit.regression().coefficients, &numbers(&expected["coefficients"]), 1e-5);
        let profile = profile.unwrap();
        for (got, key) in [(profile.at_least, "lo"), (profile.at_most, "hi")] {
            let end = &expected["profile"][key];
            match got {
                // The expected ones are found on a grid.
                Some(got) => assert!((got - number(end)).abs() < 0.01, "{name} {key}: {got} for {end}"),
                None => assert!(end.is_null(), "{name} {key}: none for {end}"),
            }
        }
    }
}

#[test]
fn ratings_under_the_weak_prior_are_fitted_as_by_an_independent_program() {
    let expected = &golden("trust_prior/expected.json")["ratings"];
    let mean = numbers(&expected["mu"]);
    let judge = JudgeScores { variance: vec![None; mean.len()], mean };
    let labels: Vec<Ratings> =
        expected["labels"].as_array().unwrap().iter().map(|y| Ratings::new(&numbers(y))).collect();
    let design = Design::constant(labels.len());
    let items = JudgedRatings { design: &design, judge: &judge, groups: &[], start: None };
    let fit = fit_ratings(&items, &labels, TrustPrior::Weak).unwrap();
    assert!(fit.regression.converged);
    assert_close("ratings", &fit.regression.coefficients, &numbers(&expected["parameters"]), 1e-5);
}

/// Single labels have the same likelihood under every trust: the posterior is the prior, and the labels give no bound.
#[test]
fn single_labels_leave_the_prior_as_it_is() {
    let (fit, profile) = Classes::new(&golden("trust_prior/expected.json")["single"]).fit(TrustPrior::Weak);
    let profile = profile.unwrap();
    assert_eq!((profile.determined(), profile.at_least, profile.at_most), (false, None, None));
    assert_close("mode", &fit.regression().coefficients, &[8.0_f64.ln(), 0.0], 1e-9);
    assert_close("sd", &fit.regression().standard_errors()[..1], &[TrustPrior::LOG_TRUST_SD], 1e-6);
    assert_eq!(fit.regression().unidentified, ["intercept", "x"]);
}

/// Half and half labels of a judge who says so rise without bound in the trust; a few dozen items of one class fall.
#[test]
fn a_fit_that_would_run_away_is_held_and_told() {
    for (q, counts) in [([0.5, 0.5], [5, 5]), ([0.7, 0.3], [0, 4])] {
        let items = 30;
        let q = Array2::from_shape_fn((items, 2), |(_, j)| q[j]);
        let counts = Array2::from_shape_fn((items, 2), |(_, j)| counts[j]);
        let design = Design::constant(items);
        let judged = JudgedItems::new(&design, q.view(), &[]);
        let without = BeliefModel::Published.fit(&judged, counts.view(), TrustPrior::None).unwrap();
        let with = BeliefModel::Published.fit(&judged, counts.view(), TrustPrior::Weak).unwrap();
        let (without, with) = (without.regression().coefficients[0], with.regression().coefficients[0]);
        assert!(without.abs() > 6.0, "without a prior {without}");
        assert!(with.abs() < 5.0, "with one {with}");
    }
}

/// A study of classes, item i of group i mod 2, the judge's prediction as given, each item with these labels.
fn study(folder: &std::path::Path, trust: &str, labels: impl Fn(usize) -> Vec<&'static str>) -> StudyResults {
    study_of(folder, trust, "size", |_| "1000000.1".to_owned(), labels)
}

/// [`study`] with these columns of numbers, divided by commas, and their cells for item i.
fn study_of(
    folder: &std::path::Path,
    trust: &str,
    columns: &str,
    cells: impl Fn(usize) -> String,
    labels: impl Fn(usize) -> Vec<&'static str>,
) -> StudyResults {
    let items = 60;
    let mut tables = [format!("id,{columns}\n"), "id,p_yes,p_no\n".to_owned(), "id,annotator,label\n".to_owned()];
    let names = columns.split(',').map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    for i in 0..items {
        tables[0] += &format!("i{i},{}\n", cells(i));
        tables[1] += &format!("i{i},{0},{1}\n", 0.2 + 0.01 * i as f64, 0.8 - 0.01 * i as f64);
        for (a, label) in labels(i).into_iter().enumerate() {
            tables[2] += &format!("i{i},a{a},{label}\n");
        }
    }
    for (name, table) in ["items.csv", "judge.csv", "labels.csv"].iter().zip(&tables) {
        fs::write(folder.join(name), table).unwrap();
    }
    let config = format!(
        "title = \"Prior\"\nclasses = [\"yes\", \"no\"]\n[items]\nfile = \"items.csv\"\nnumbers = \
         [{names}]\n[judge]\nfile = \"judge.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"labels.csv\"\nform = \
         \"long\"\n[trust]\n{trust}\n"
    );
    fs::write(folder.join("study.toml"), config).unwrap();
    let study = Study::load(folder).unwrap();
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let evaluation = evaluate(&study, None, &Silent).unwrap();
    StudyResults::new(&study, &decomposition, evaluation, None, (Amount::DEFAULT, None), &Silent).unwrap()
}

fn words(results: &StudyResults) -> String {
    describe(results).unwrap().iter().map(|line| line.text()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_study_of_single_labels_prints_no_trust() {
    let folder = tempfile::tempdir().unwrap();
    for prior in ["prior = \"weak\"", "prior = \"none\""] {
        let results = study(folder.path(), prior, |i| vec![if i % 3 == 0 { "yes" } else { "no" }]);
        assert_eq!(results.fit.typical_trust, None, "{prior}");
        let words = words(&results);
        assert!(
            words.contains("is not estimable, because no item has two labels") && !words.contains("95% interval;"),
            "{words}"
        );
    }
}

/// Labels of an item: three, two, four, none, and again.
fn some_labels(i: usize) -> Vec<&'static str> {
    match i % 4 {
        0 => vec!["yes", "yes", "no"],
        1 => vec!["no", "yes"],
        2 => vec!["no", "no", "no", "yes"],
        _ => vec![],
    }
}

/// 1e6 + 0.1 for every item: the trust is what it is without that column.
#[test]
fn a_constant_column_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for prior in ["prior = \"weak\"\n", "prior = \"none\"\n"] {
        let with = study(folder.path(), prior, some_labels).fit.assumed_trust;
        let without = study(folder.path(), &format!("{prior}features = []"), some_labels).fit.assumed_trust;
        assert_close(prior, &[with.ln()], &[without.ln()], 1e-9);
    }
}

/// Columns that are equal but for noise of a millionth, a billionth or the last bits are one feature: the fit converges
/// and says of the trust what it says with one of them.
#[test]
fn nearly_equal_columns_are_as_good_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let x = |i: usize| (i as f64 * 0.7).sin() * 3.0;
    let one = study_of(folder.path(), "", "x", |i| x(i).to_string(), some_labels);
    for noise in [1e-6, 1e-9, 1e-15] {
        let twin = |i: usize| x(i) + noise * ((i * i) as f64).cos();
        let cells = |i: usize| format!("{},{}", x(i), twin(i));
        let two = study_of(folder.path(), "", "x,y", cells, some_labels);
        assert!(two.fit.converged && two.fit.iterations < 30, "{noise:e}: {:?}", two.fit);
        // Together they have the prior of one coefficient with twice the variance, so they are pulled less.
        let (of_one, of_two) = (one.fit.assumed_trust, two.fit.assumed_trust);
        assert!((of_one / of_two).ln().abs() < 0.1, "{noise:e}: {of_one} and {of_two}");
        let effect = |fit: &FitReport| fit.coefficients.iter().map(|c| c.per_sd.value).sum::<f64>();
        assert!((effect(&one.fit) - effect(&two.fit)).abs() < 0.2, "{noise:e}");
        let words = words(&two);
        assert!(!words.contains("did NOT converge") && !words.contains("NaN"), "{words}");

        let without = study_of(folder.path(), "prior = \"none\"", "x,y", cells, some_labels);
        let words = self::words(&without);
        assert!(without.fit.assumed_trust.is_finite(), "{noise:e}");
        assert!(without.fit.converged || words.contains("did NOT converge"), "{noise:e}: {words}");
    }
}

/// Labels that vary about the predictions no more than chance: however large the trust, they are as likely. What they
/// say is a bound.
#[test]
fn labels_that_bound_the_trust_on_one_side_give_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let as_predicted = |i: usize| {
        let yes = (10.0 * (0.2 + 0.01 * i as f64)).round() as usize;
        (0..10).map(|a| if a < yes { "yes" } else { "no" }).collect()
    };
    let results = study(folder.path(), "", as_predicted);
    let bounds = results.fit.bounds.expect("small trusts are ruled out");
    assert!(results.fit.typical_trust.is_none() && bounds.at_most.is_none());
    // What is assumed may lie below the bound, where the prior pulls it: so many labels are far from 8.
    assert!(bounds.at_least.is_some_and(|least| least > 100.0) && results.fit.assumed_trust > 50.0, "{bounds:?}");
    let words = words(&results);
    let stated = format!("is worth {} labels or more (95% interval)", three(bounds.at_least.unwrap()));
    assert!(words.contains(&stated) && words.contains("do not bound it above"), "{words}");
    assert!(words.contains("and not an estimate"), "{words}");
}

/// Without a prior labels that vary no more than chance put items at the limit of the trust, in the study's fit and in
/// its half splits.
#[test]
fn fits_at_a_limit_are_counted_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let as_predicted = |i: usize| {
        let yes = (20.0 * (0.2 + 0.01 * i as f64)).round() as usize;
        (0..20).map(|a| if a < yes { "yes" } else { "no" }).collect()
    };
    let results = study(folder.path(), "prior = \"none\"\n[evaluation]\nreplicates = 4\n", as_predicted);
    let EvaluationOutcome::Evaluated(evaluation) = &results.evaluation else { panic!("20 labels an item are enough") };
    assert!(results.fit.at_limit > 0 && evaluation.fits_at_limit > 0, "{:?}", results.fit);
    let words = words(&results);
    assert!(
        words.contains(&format!("The trust of {} of 60 labelled items is at a limit", results.fit.at_limit)),
        "{words}"
    );
    let in_replicates = format!("In {} of 4 replicates the fit left items at a limit", evaluation.fits_at_limit);
    assert!(words.contains(&in_replicates), "{words}");
}

/// Ratings that vary by 4 within an item, of a judge who claims `sd`, and the sentences of their study under a belief.
fn rated(folder: &std::path::Path, sd: &str, seed: u64, belief: &str) -> String {
    let mut stream = Stream::new(seed);
    let mut tables = ["id\n", "id,mean,sd\n", "id,annotator,score\n"].map(str::to_owned);
    for i in 0..80 {
        let mean = 20.0 + 10.0 * stream.random();
        let pool = mean + stream.standard_normal();
        tables[0] += &format!("i{i}\n");
        tables[1] += &format!("i{i},{mean},{sd}\n");
        for a in 0..4 {
            tables[2] += &format!("i{i},a{a},{}\n", pool + 2.0 * stream.standard_normal());
        }
    }
    for (name, table) in ["items.csv", "judge.csv", "ratings.csv"].iter().zip(&tables) {
        fs::write(folder.join(name), table).unwrap();
    }
    let config = format!(
        "title = \"t\"\nscale = [0, 100]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \"judge.csv\"\nsd = \
         \"sd\"\n[labels]\nfile = \"ratings.csv\"\n[trust]\nbelief = \"{belief}\"\n"
    );
    fs::write(folder.join("study.toml"), config).unwrap();
    let study = Study::load(folder).unwrap();
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let evaluation = evaluate(&study, None, &Silent).unwrap();
    let results =
        StudyResults::new(&study, &decomposition, evaluation, None, (Amount::DEFAULT, None), &Silent).unwrap();
    describe(&results).unwrap().iter().map(|line| line.text()).collect::<Vec<_>>().join("\n")
}

#[test]
fn standard_deviations_that_the_ratings_contradict_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for (sd, wide) in [("5", true), ("2", false), ("", false)] {
        let words = rated(folder.path(), sd, 5, "published");
        assert_eq!(words.contains("The ratings contradict the aleatoric part"), wide, "sd {sd}: {words}");
        assert_eq!(words.contains("The intervals are too wide"), wide, "sd {sd}: {words}");
    }
    // Too small ones are mended by the labels, for little confidence is put in them, but not where an item has few.
    let words = rated(folder.path(), "0.5", 5, "published");
    assert!(words.contains("The intervals are too narrow"), "{words}");
    assert!(words.contains("Set belief = \"recalibrated\" in [trust]"), "{words}");
    // What is to be switched on mends them.
    for (sd, factor) in
        [("5", "annotators agree more than it says"), ("2", ""), ("", ""), ("0.5", "it is overconfident")]
    {
        let words = rated(folder.path(), sd, 5, "recalibrated");
        assert!(!told(&words) && words.contains(factor), "sd {sd}: {words}");
    }
}

/// Whether a misfit is told of.
fn told(words: &str) -> bool {
    ["contradict the aleatoric part", "intervals are too"].iter().any(|found| words.contains(found))
}

/// Where the judge's deviations are right, or read, or none are stated, hardly any study is told that something is
/// wrong.
#[test]
fn few_studies_without_a_misfit_are_told_of_one() {
    let folder = tempfile::tempdir().unwrap();
    for (sd, belief) in [("2", "published"), ("", "published"), ("0.7", "line")] {
        let alarms = (0..200).filter(|seed| told(&rated(folder.path(), sd, *seed, belief))).count();
        assert!(alarms <= 6, "sd {sd:?}, {belief}: {alarms} of 200");
    }
}

/// A judge worth 6 labels, and annotators who lean towards "yes" by so much on the logit, each on every item.
fn leaning(folder: &std::path::Path, by: &[f64]) -> StudyResults {
    let mut stream = Stream::new(3);
    let mut drawn = Vec::new();
    for i in 0..60 {
        let q = 0.2 + 0.01 * f64::from(i);
        let (yes, no) = (stream.gamma(6.0 * q), stream.gamma(6.0 * (1.0 - q)));
        let label = |by: &f64| if stream.random() * (1.0 + no / yes * (-by).exp()) < 1.0 { "yes" } else { "no" };
        drawn.push(by.iter().map(label).collect::<Vec<_>>());
    }
    study(folder, "features = []", |i| drawn[i].clone())
}

/// Labels of a lenient and a strict annotator vary by less than chance, so no interval is told from them; five people
/// are enough for one, as far as their labels bound it.
#[test]
fn the_labels_of_a_few_annotators_do_not_tell_the_trust() {
    let folder = tempfile::tempdir().unwrap();
    for by in [&[1.5, -1.5][..], &[1.5, 0.0, -1.5], &[0.0; 4]] {
        let results = leaning(folder.path(), by);
        assert!(results.fit.typical_trust.is_none() && results.fit.bounds.is_none(), "{by:?}");
        let json = serde_json::to_value(&results.fit).unwrap();
        let people = format!("come from {} annotators", by.len());
        assert!(json["undetermined"].as_str().unwrap().contains(&people), "{json}");
        let words = words(&results);
        assert!(words.contains("is not estimable, because all labels") && words.contains(&people), "{words}");
        assert!(!words.contains("95% interval; we use"), "{words}");
    }
    assert!(!words(&leaning(folder.path(), &[0.0; 5])).contains("come from 5 annotators"));
    assert!(leaning(folder.path(), &[0.0; 12]).fit.typical_trust.is_some());
    // One annotator shares no item with anybody.
    assert!(words(&leaning(folder.path(), &[0.0])).contains("because no item has two labels"));
}

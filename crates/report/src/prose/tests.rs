//! What templates say of results, and that every branch of theirs fits these.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::cards::Cards;
use judge_uncertainty_core::belief::maps::BIAS_AND_SLOPE;
use judge_uncertainty_core::belief::{CurvePoint, Reading, TrustPrior};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::stats::new_items::NewItems;
use judge_uncertainty_core::stats::{Estimate, Interval};
use judge_uncertainty_evaluation::held_out::Score;
use judge_uncertainty_study::apply::stream::Wanted;
use judge_uncertainty_study::apply::stream::{ApplySummary, OfQueue};
use judge_uncertainty_study::audit::columns::{ReadColumn, RecognisedBy};
use judge_uncertainty_study::belief_file::drift::Drift;
use judge_uncertainty_study::evaluate::OrReason;
use judge_uncertainty_study::evaluate::compare::{Apart, PairedScore, StudyComparison};
use judge_uncertainty_study::evaluate::held_out::{HeldOutReport, SHARED_NOISE};
use judge_uncertainty_study::findings::Before;
use judge_uncertainty_study::findings::contests::{Ranking, WinDifference};
use judge_uncertainty_study::findings::plan::{LabelPlan, Width};
use judge_uncertainty_study::findings::position::Position;
use judge_uncertainty_study::findings::trust::{Confidence, Covariate, GroupTrust, OfGroup, TrustVerdict};
use judge_uncertainty_study::queue::{Amount, QueueRecord};
use judge_uncertainty_study::results::Missing;
use judge_uncertainty_study::results::own::{ClassFit, OwnFit, ScoreFit, ScoreReading, WithinItems};
use judge_uncertainty_study::results::run::Bounds;
use judge_uncertainty_study::{Decomposition, Evaluation, EvaluationOutcome, FitReport, Study, StudyResults, evaluate};
use judge_uncertainty_system::progress::Silent;
use serde::Deserialize;
use serde_json::{Value, json};
use tera::context;

use super::*;

fn view(of: Value) -> Context {
    Context::from_serialize(&of).unwrap()
}

fn fit(own: Value, further: Value) -> Vec<String> {
    let mut fit = json!({
        "prior": "weak", "typical_trust": null, "trust_percentiles": [1.0, 2.0, 3.0], "assumed_trust": 2.0,
        "converged": true, "iterations": 9, "gradient_norm": 1.5e-7, "at_limit": 0, "labelled_items": 7,
        "unidentified": [], "coefficients": [],
    });
    fit.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    let words = json!({"prediction": "prediction", "labels": "labels"});
    let mut of = json!({"fit": fit, "words": words, "own": own, "unidentified": [], "reading": "as it is"});
    of.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    lines("fit.txt", &view(of)).unwrap().iter().map(|line| line.text().to_owned()).collect()
}

#[test]
fn a_value_stays_within_its_line() {
    let hypotheses = [json!({"status": "open", "claim": "a\n\n> b", "found": null, "note": "| c"})];
    let of = json!({
        "registered": "then", "digest": "0123456789abcdef", "hypotheses": hypotheses, "level": 0.95, "labels": 5,
        "announced": 9, "deviations": [{"what": "> x\n\ny", "registered": null, "found": "y"}],
    });
    let told = lines("registered.txt", &context! { of => &of, hypotheses => &hypotheses, there => &3 }).unwrap();
    let expected = [
        Line::sentence(
            "Registered then (digest 0123456789ab): 1 hypothesis, whose intervals hold together with probability 0.95; \
             all other findings are exploratory.",
        ),
        Line::sentence("3 of the 5 labels were there at registration and may have been seen before."),
        Line::sentence("The plan announced 9 labels and 5 are there: an interim look, which decides nothing."),
        Line::sentence(
            "Intervals hold for one look at these hypotheses, and earlier looks can't be told: each is another chance of \
             a false verdict.",
        ),
        Line::Row("  OPEN          a\n\n> b".to_owned()),
        Line::Row("                | c".to_owned()),
        Line::Row("  DEVIATION     > x\n\ny: registered absent, found y".to_owned()),
    ];
    assert_eq!(told, expected);
    let old = lines("registered.txt", &context! { of => &of, hypotheses => &hypotheses, there => &5 }).unwrap();
    assert!(old[1].text().starts_with("All 5 labels were there at registration and may have been"), "{old:?}");
}

#[test]
fn a_table_has_the_columns_of_its_template_whatever_its_values_are() {
    let classes = ["a | b", "c\nd"];
    let found = table("confusion", context! { classes => &classes }).unwrap();
    let heads: Vec<&str> = found.columns.iter().map(|column| column.head.as_str()).collect();
    assert_eq!(heads, ["people", "judge: a | b", "judge: c\nd", "recall", "precision"]);
    assert_eq!(found.caption, "Labels of people by the judge's answer, in shares of all labels");
    assert!(found.columns[1..].iter().all(|column| column.numeric) && found.id == "table-confusion");
    assert_eq!(
        found.note.unwrap().to_string(),
        "Recall: how often the judge gives this answer if a person does. Precision: how often a person gives it if the \
         judge does. The intervals are simultaneous."
    );
}

#[test]
fn the_trust_is_an_interval_a_bound_or_a_number_without_estimate() {
    let of = |further: Value| fit(json!({}), further).swap_remove(0);
    let trust = json!({"value": 2.0, "standard_error": 0.1, "lo": 1.0, "hi": 3.0});
    assert_eq!(
        of(json!({"typical_trust": trust})),
        "A typical prediction of the judge is worth 1.00 to 3.00 labels (95% interval; we use 2.00); nine in ten items \
         lie between 1.00 and 3.00."
    );
    assert!(
        of(json!({"typical_trust": trust, "trust_percentiles": [2.0, 2.0, 2.0]}))
            .ends_with("(95% interval; we use 2.00), the same for all items.")
    );
    let bounds = |least: Value, most: Value| {
        of(json!({"bounds": {"at_least": least, "at_most": most}, "undetermined": "of that"}))
    };
    let rest = " (95% interval); more is not estimable, because of that. We use 2.00 labels, which is partly the prior \
                and not an estimate.";
    for (least, most, worth) in [
        (json!(1.0), json!(null), "1.00 labels or more"),
        (json!(null), json!(0.0), "0.00 labels or fewer"),
        (json!(null), json!(null), "any number of labels"),
    ] {
        assert_eq!(bounds(least, most), format!("A typical prediction of the judge is worth {worth}{rest}"));
    }
    assert_eq!(
        of(json!({"prior": "none"})),
        "How many labels a typical prediction of the judge is worth is not estimable, because it is not determined. We \
         use 2.00 labels, which is where the search ended and not an estimate."
    );
    let carried = json!({"from": "run", "study": "s", "trust": 4.0, "features": [], "left": ["a", "b"]});
    let told = fit(json!({}), json!({"carried": carried, "converged": false, "at_limit": 3, "neighbours": "five"}));
    assert!(told[0].contains("which is partly the trust of the other study and not"), "{told:?}");
    assert_eq!(
        told[1..],
        [
            "The prior on the trust is centred on what \"s\" found (run): 4.00 labels, with the features: none; left \
             out, because this study lacks them: a, b. Half splits of an evaluation do not use it.",
            "The fit of the trust did NOT converge (9 steps, gradient 1.5e-7); use the numbers with care.",
            "The trust of 3 of 7 labelled items is at a limit of the likelihood, which is not an estimate; use the weak \
             prior.",
            "Labelled neighbours: five.",
        ]
    );
}

#[test]
fn a_recalibration_of_another_study_is_told_with_what_labels_say_of_it() {
    let told = |labels_here: Value, sd: Value| {
        let carried = json!({
            "map": "temperature", "study": "s", "labels_here": labels_here, "sd_of_weight": sd, "weight": 0.5,
            "new_groups": ["g"], "another_judge": "another model",
        });
        let map = json!({"name": "bias", "guesses": 0.1, "variances": [], "carried": carried});
        fit(json!({"map": map}), json!({"has_line": true})).split_off(1)
    };
    let here = |verdict: &str, advantage: Value, se: Value, items: usize| json!({"labelled_items": items, "advantage": advantage, "se": se, "verdict": verdict});
    let rest = " It was fitted without these groups, whose items it treats like items without a group: g. The judge here \
                is another one: another model.";
    let measured = "the labels of 8 items here are likelier after it than before it, by 0.200 nats per labelled item \
                    (standard error 0.100).";
    let found = told(here("supported", json!(0.2), json!(0.1), 8), json!(0.3));
    assert_eq!(
        found[0],
        format!(
            "The recalibration `temperature` of \"s\" also fits the labels here: {measured} The labels give it a weight \
             of 0.500 (1: unchanged; 0: left out; standard deviation 0.300).{rest}"
        )
    );
    assert_eq!(
        found[1],
        "After that recalibration, the belief reads the prediction as it is, and a bias and a slope along the scale \
         (recalibration `bias`). 0.100 of each prediction counts as a guess by how often people choose each class. The \
         study names this recalibration; belief = \"auto\" compares it with the others."
    );
    let found = told(here("contradicted", json!(-0.2), json!(0.1), 8), json!(null));
    assert_eq!(
        found[0],
        format!(
            "The recalibration `temperature` of \"s\" does NOT fit here: {} Do not rely on it; more labels will decide. \
             It does not make held-out labels likelier than a recalibration fitted here does, so it is left out.{rest}",
            measured.replace("likelier", "less likely")
        )
    );
    let found = told(here("open", json!(null), json!(null), 1), json!(null));
    assert!(
        found[0].starts_with(
            "The recalibration `temperature` of \"s\" may or may not fit here: 1 labelled item cannot decide. Label some \
             items before you rely on it. It does not make"
        ),
        "{found:?}"
    );
    let found = told(here("open", json!(0.2), json!(0.1), 8), json!(null));
    assert!(
        found[0].contains(&format!("may or may not fit here: {measured} Do not rely on it before more labels decide.")),
        "{found:?}"
    );
}

#[test]
fn a_choice_among_recalibrations_comes_with_its_evidence() {
    let told = |choice: Value| {
        let map = json!({"name": "groups", "guesses": 0.0, "variances": [], "choice": choice});
        fit(json!({"map": map}), json!({"has_line": false})).swap_remove(1)
    };
    let start = "The belief reads the prediction as it is (recalibration `groups`). ";
    assert_eq!(
        told(json!({"chosen": "groups", "best": null, "labelled_items": 3, "candidates": []})),
        format!("{start}3 labelled items are too few to compare recalibrations on held-out labels.")
    );
    let candidate = |map: &str, below: f64| json!({"map": map, "below_best": below, "se": 0.01});
    let candidates = [candidate("bias", 0.1), candidate("groups", 0.0), candidate("none", 0.2)];
    let rest = "Each of 30 labelled items was held out once. The intervals do not include the chance that other labels \
                would have chosen another recalibration.";
    assert_eq!(
        told(json!({"chosen": "groups", "best": "groups", "labelled_items": 30, "candidates": candidates})),
        format!(
            "{start}It has the best log score on held-out labels; the others are worse by these nats per labelled item: \
             bias 0.100 (standard error 0.0100), none 0.200 (standard error 0.0100). {rest}"
        )
    );
    let other = json!({
        "chosen": "none", "best": "groups", "labelled_items": 30, "candidates": candidates, "strength": 0.5,
    });
    assert_eq!(
        told(other),
        format!(
            "{start}On held-out labels `groups` is better by 0.200 (standard error 0.0100) nats per labelled item, which \
             is too little to choose a recalibration that could do more harm. Its weight is 0.500, because the labels \
             leave some doubt about it. {rest}"
        )
    );
}

#[test]
fn scores_are_read_with_bias_slope_and_factor_as_far_as_these_are_known() {
    let of = |value: f64, lo: f64, hi: f64| json!({"value": value, "standard_error": 0.1, "lo": lo, "hi": hi});
    let told = |read: Value, variance: Value, unidentified: Value| {
        let own = json!({"freedom": 5.0, "common_variance": variance, "recalibration": [read]});
        fit(own, json!({"unidentified": unidentified, "curve": null, "apart": null})).split_off(1)
    };
    let read = |bias: Value, slope: Value, factor: Value, stated: Value| {
        json!({
            "group": null, "centre": 6.0, "bias": bias, "slope": slope, "factor": factor, "assumed": {"factor": stated},
        })
    };
    let found =
        told(read(of(-0.5, -0.7, -0.3), of(0.8, 0.7, 0.9), of(1.5, 1.2, 1.8), json!(1.5)), json!(2.0), json!([]));
    assert_eq!(
        found[..3],
        [
            "Variances are known as from 5.00 labels; where the judge states none it is about 2.00.",
            "The judge's scores are read on the scale of the ratings: at its average of 6.00 they are too low by 0.500 \
             (0.300 to 0.700); a point of theirs is 0.800 (0.700 to 0.900) of the ratings', so they exaggerate how far \
             items differ; its standard deviations are multiplied by 1.50 (1.20 to 1.80): it is overconfident of how \
             far annotators agree.",
            "Uncertainty about this reading widens the epistemic part, so an item's trust is below the typical one.",
        ]
    );
    let found =
        told(read(of(0.5, 0.3, 0.7), of(1.5, 1.2, 1.8), of(0.5, 0.3, 0.7), json!(0.5)), json!(2.0), json!(["ln s0^2"]));
    assert_eq!(
        found[..2],
        [
            "Variances are known as from 5.00 labels. What they are where the judge states none cannot be determined: \
             disagreement and ignorance look the same where no item has two ratings.",
            "The judge's scores are read on the scale of the ratings: at its average of 6.00 they are too high by 0.500 \
             (0.300 to 0.700); a point of theirs is 1.50 (1.20 to 1.80) of the ratings', so they play down how far \
             items differ; its standard deviations are multiplied by 0.500 (0.300 to 0.700): annotators agree more \
             than it says.",
        ]
    );
    let found = told(read(json!(null), json!(null), json!(null), json!(1.0)), json!(null), json!(["ln(nu - 2)"]));
    assert_eq!(
        found[..2],
        [
            "How well the judge's variances are known cannot be determined from these ratings.",
            "The judge's scores are read on the scale of the ratings: their bias cannot be determined; how many points of \
             the ratings a point of theirs is cannot be determined; by what its standard deviations are to be \
             multiplied cannot be determined (have more items rated twice or more).",
        ]
    );
    let found = told(read(of(0.1, -0.1, 0.3), of(1.0, 0.9, 1.1), json!(null), json!(null)), json!(null), json!([]));
    assert_eq!(
        found[..2],
        [
            "The judge's variances are worth about 5.00 labels.",
            "The judge's scores are read on the scale of the ratings: at its average of 6.00 they show no clear bias, \
             0.100 (-0.100 to 0.300); a point of theirs is 1.00 (0.900 to 1.10) of the ratings'.",
        ]
    );
}

thread_local! {
    /// The branches that this thread has rendered.
    static SEEN: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// A template each of whose branches notes that it is rendered, and the names of these: number, line and tag.
fn noting(name: &str, text: &str) -> (String, Vec<String>) {
    let mut parts = text.split("{%");
    let (mut noting, mut names) = (parts.next().unwrap_or_default().to_owned(), vec![]);
    let mut line = 1 + noting.matches('\n').count();
    for part in parts {
        let (tag, rest) = part.split_once("%}").unwrap();
        noting += &format!("{{%{tag}%}}");
        if ["if", "elif", "else", "for"].contains(&tag.trim_start_matches('-').split_whitespace().next().unwrap()) {
            let branch = format!("{name}:{line} ({}) {}", names.len(), tag.replace('"', "'"));
            let trim = if tag.ends_with('-') { "-" } else { "" };
            noting += &format!("{{{{ rendered(branch={branch:?}) {trim}}}}}");
            names.push(branch);
        }
        noting += rest;
        line += part.matches('\n').count();
    }
    (noting, names)
}

/// Puts templates that note their branches in place of the program's.
pub(super) fn note_branches(tera: &mut Tera) {
    tera.register_function("rendered", |branch: Kwargs, _: &State| -> TeraResult<String> {
        let branch = branch.must_get("branch")?;
        SEEN.with_borrow_mut(|seen| seen.insert(branch));
        Ok(String::new())
    });
    tera.add_raw_templates(TEMPLATES.map(|(name, text)| (name, noting(name, text).0))).unwrap();
}

/// A study as a run has it.
struct Ran {
    study: Study,
    decomposition: Decomposition,
    results: StudyResults,
    cards: Cards,
}

/// The files of an example or of other tests.
fn files(folder: &str) -> Vec<(&'static str, String)> {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let read = |name| Some((name, fs::read_to_string(from.join(name)).ok()?));
    ["items.csv", "judge.csv", "labels.csv", "ratings.csv"].into_iter().filter_map(read).collect()
}

/// 30 items with eight ratings each, without repeats.
fn rated() -> Vec<(&'static str, String)> {
    let [mut items, mut judge, mut ratings] = ["id\n", "id,mean,sd\n", "id,annotator,score\n"].map(str::to_owned);
    for i in 0..30 {
        items += &format!("i{i}\n");
        judge += &format!("i{i},{},1.5\n", 2 + i % 7);
        (0..8).for_each(|a| ratings += &format!("i{i},a{a},{}\n", 1 + (3 * i + a * a) % 9));
    }
    vec![("items.csv", items), ("judge.csv", judge), ("ratings.csv", ratings)]
}

impl Ran {
    fn new(files: &[(&str, String)], config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        fs::write(folder.path().join("study.toml"), config).unwrap();
        let study = Study::load(folder.path()).unwrap();
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        let evaluation = evaluate(&study, None, &Silent).unwrap();
        let planned = (Amount::DEFAULT, Some(3.0));
        let results = StudyResults::new(&study, &decomposition, evaluation, None, planned, &Silent).unwrap();
        let cards = Cards::new(&study, &decomposition, true, &[]);
        let ran = Self { study, decomposition, results, cards };
        ran.show(&ran.results, &ran.cards);
        ran
    }

    /// Renders all that a run with these results and cards shows.
    fn show(&self, results: &StudyResults, cards: &Cards) {
        let figures = crate::figures(results).unwrap();
        crate::page(results, cards, &figures).unwrap();
        crate::answer(results, "study", "study/run").unwrap();
        crate::describe(results).unwrap();
        crate::input_lines(&results.input, 100).unwrap();
    }

    /// Renders results that differ by this.
    fn with(&self, change: impl FnOnce(&mut StudyResults)) {
        let mut results = self.results.clone();
        change(&mut results);
        self.show(&results, &self.cards);
    }

    /// Renders results whose fit differs by this.
    fn with_fit(&self, change: impl FnOnce(&mut FitReport)) {
        self.with(|results| change(&mut results.fit));
    }

    /// Renders results whose evaluation differs by this.
    fn with_evaluation(&self, change: impl FnOnce(&mut Evaluation)) {
        self.with(|results| match &mut results.evaluation {
            EvaluationOutcome::Evaluated(evaluation) => change(evaluation),
            EvaluationOutcome::NotEvaluated(reason) => panic!("{reason}"),
        });
    }

    /// Renders results whose scores on held-out labels differ by this.
    fn with_held_out(&self, change: impl FnOnce(&mut HeldOutReport)) {
        self.with(|results| match &mut results.held_out {
            OrReason::Found(report) => change(report),
            OrReason::NotEstimable { not_estimable } => panic!("{not_estimable}"),
        });
    }
}

fn classes() -> Ran {
    Ran::new(
        &files("examples/support_desk"),
        "title = \"Desk\"\nclasses = [\"now\", \"soon\", \"whenever\"]\nunmatched = \"leave_out\"\n[items]\nfile = \
         \"items.csv\"\ntext = \"{text}\"\ngroup = \"trade\"\nnumbers = [\"characters\"]\n[judge]\nfile = \
         \"judge.csv\"\nkind = \"probabilities\"\nvariant = \"variant\"\nconfidence = \"confidence\"\n[labels]\nfile = \
         \"labels.csv\"\nform = \"counts\"\n[trust]\nfeatures = [\"spread\", \"characters\"]\n[evaluation]\nreplicates = \
         2\nbudgets = [5, 10]\n",
    )
}

fn places() -> Ran {
    Ran::new(
        &files("tests/golden/ordinal"),
        "title = \"Answers\"\nplaces = [[\"very_poor\", -2], [\"poor\", -1], [\"fair\", 0], [\"good\", 1], \
         [\"excellent\", 2.5]]\n[items]\nfile = \"items.csv\"\ntext = \"{text}\"\n[judge]\nfile = \
         \"judge.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"labels.csv\"\nform = \"counts\"\n[trust]\nfeatures \
         = []\nprior = \"none\"\n[evaluation]\nreplicates = 2\nbudgets = [10, 20]\n",
    )
}

/// Ratings that annotators repeat in part.
fn repeated() -> Ran {
    Ran::new(
        &files("examples/recipes"),
        "title = \"Recipes\"\nscale = [0, 10]\n[items]\nfile = \"items.csv\"\ntext = \"{text}\"\ngroup = \
         \"craft\"\n[judge]\nfile = \"judge.csv\"\nsd = \"sd\"\nvariant = \"variant\"\n[labels]\nfile = \
         \"ratings.csv\"\n[trust]\nfeatures = [\"spread\"]\n[evaluation]\nreplicates = 0\n",
    )
}

fn ratings() -> Ran {
    Ran::new(
        &rated(),
        "title = \"Rated\"\nscale = [0, 10]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \"judge.csv\"\nsd = \
         \"sd\"\n[labels]\nfile = \"ratings.csv\"\n[trust]\nfeatures = []\n[evaluation]\nleast_labels = 8\nreveal = [0, 1, \
         2]\nreplicates = 2\n",
    )
}

fn of<T: for<'de> Deserialize<'de>>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn known(value: f64, lo: f64, hi: f64) -> Estimable {
    of(json!({"value": value, "standard_error": 0.1, "lo": lo, "hi": hi, "items": 9}))
}

/// On both sides of 0 and around it.
fn each_side() -> [Estimable; 3] {
    [known(2.0, 1.0, 3.0), known(-2.0, -3.0, -1.0), known(0.0, -1.0, 1.0)]
}

fn vary_answers(classes: &Ran) {
    classes.with(|results| {
        let answer = &mut results.answer;
        (answer.labelled, answer.next, answer.no_queue) = (0, None, Some("none is left".to_owned()));
    });
    classes.with(|results| {
        let answer = &mut results.answer;
        answer.clusters = 1;
        answer.classes = false;
        answer.next.as_mut().unwrap().folder = Some("queue".to_owned());
        let difference = known(0.2, 0.1, 0.3);
        answer.trust.covariates = vec![Covariate { name: "length".to_owned(), median: 3.0, difference }];
        let system =
            |name: &str| OfGroup { name: name.to_owned(), rows: 9, by_judge: 0.5, corrected: known(0.5, 0.4, 0.6) };
        let difference = WinDifference { of: [0, 1], by_judge: 0.1, corrected: known(0.1, 0.0, 0.2) };
        answer.ranking = Ranking { systems: vec![system("a"), system("b")], differences: vec![difference] };
    });
    for target in [None, Some(3.0)] {
        let mut plan = LabelPlan::of_study(&classes.study, target);
        crate::plan_answer(&plan, "study", None).unwrap();
        (plan.is_assumed, plan.missing) = (!plan.is_assumed, 3);
        plan.figures[0].now = None;
        crate::plan_answer(&plan, "study", None).unwrap();
    }
    let mut record: QueueRecord = of(json!({
        "program": "1", "study": "s", "rule": "info", "trust": "t", "direction": "d", "amount": "10%",
        "labels_per_item": "1", "explore": 0.2, "suggestions": true, "seed": 0, "items": 9, "queued": 3, "labels": 3,
        "batches_before": 0, "estimates": "e", "inputs": {}, "inputs_sha256": "", "files": [],
    }));
    for asked in [3, 10] {
        let first = vec!["a".to_owned()];
        crate::queue_answer(&crate::QueueAnswer { record: &record, first, folder: "q", study: "s", asked }).unwrap();
        (record.explore, record.suggestions) = (None, false);
    }
}

/// Findings of either sign and of none, of classes and of numbers.
fn vary_judge(classes: &Ran) {
    let none = || Estimable::not("too few");
    let system =
        |name: &str, corrected: Estimable| OfGroup { name: name.to_owned(), rows: 9, by_judge: 0.5, corrected };
    for (found, is_classes) in each_side().into_iter().flat_map(|found| [(found.clone(), true), (found, false)]) {
        classes.with(|results| {
            let answer = &mut results.answer;
            (answer.classes, answer.position) = (is_classes, None);
            answer.consistency = known(0.9, 0.8, 1.0);
            answer.trust.bias = vec![("x".to_owned(), found.clone())];
            let (excess, informs) = (Some(found.clone()), found.clone());
            answer.trust.confidence = Some(Confidence { excess, informs, median: 1.0, certain: None, bins: vec![] });
            answer.trust.covariates =
                vec![Covariate { name: "n".to_owned(), median: 3.0, difference: found.clone() }; 3];
            let of_group = GroupTrust {
                name: "g".to_owned(),
                rows: 9,
                labelled: 9,
                agreement: known(0.5, 0.4, 0.6),
                over_others: found.clone(),
            };
            answer.trust.groups = vec![of_group; 2];
            let rate = &mut answer.rates[0];
            rate.systems = ["a", "b", "c"].map(|name| system(name, known(0.5, 0.4, 0.6))).to_vec();
            rate.difference = Some(found.clone());
            answer.rates.truncate(1);
            let [agreement, rate] = [known(0.5, 0.4, 0.6), known(0.5, 0.4, 0.6)];
            let before = Before { agreement, rate, is_assumed: true, batches: usize::from(is_classes) };
            (answer.before, answer.is_assumed) = (Some(before), is_classes);
            (answer.missing, answer.chosen) = (0.1, Some("Drawn.".to_owned()));
        });
        classes.with(|results| {
            let answer = &mut results.answer;
            let to_first = found.clone();
            answer.position = Some(Position { items: 9, without_verdict: 0, flips: known(0.5, 0.4, 0.6), to_first });
            (answer.missing, answer.uncounted) = (0.0, 3);
            answer.trust.bias = vec![("x".to_owned(), known(0.0, -1.0, 1.0)); 2];
            answer.trust.covariates =
                vec![Covariate { name: "n".to_owned(), median: 3.0, difference: found.clone() }; 2];
            answer.trust.confidence.as_mut().unwrap().excess = None;
            (answer.is_assumed, answer.are_first, answer.verdict) = (true, is_classes, TrustVerdict::LikePerson);
            answer.ranking.systems = ["a", "b", "c", "d", "e"].map(|name| system(name, known(0.5, 0.4, 0.6))).to_vec();
            if is_classes {
                answer.ranking.systems[0].corrected = none();
            }
            let all = (0..5).map(|k| [k, (k + 1) % 5]);
            let corrected = || found.clone();
            answer.ranking.differences =
                all.map(|of| WinDifference { of, by_judge: -0.1, corrected: corrected() }).collect();
        });
    }
    for is_classes in [true, false] {
        classes.with(|results| {
            results.answer.classes = is_classes;
            results.answer.trust.bias = vec![("x".to_owned(), known(-0.1, -1.0, 1.0))];
        });
    }
    classes.with(|results| {
        let answer = &mut results.answer;
        answer.position = Some(Position { items: 9, without_verdict: 0, flips: none(), to_first: none() });
        answer.ranking.systems = ["a", "b"].map(|name| system(name, none())).to_vec();
        answer.rates.truncate(1);
        answer.rates[0].corrected = none();
    });
    classes.with(|results| {
        let answer = &mut results.answer;
        answer.labelled = 0;
        let rate = answer.rates[0].clone();
        answer.rates = vec![rate; 5];
        let next = answer.next.as_mut().unwrap();
        (next.expected_wrong, next.expected_wrong_at_random) = (Some(3.2), Some(1.1));
        answer.plan.narrowing = Some([Width { labels: 0, half: 0.2 }, Width { labels: 50, half: 0.1 }]);
    });
}

fn vary_inputs(classes: &Ran, places: &Ran, numbers: &Ran) {
    for ran in [classes, places, numbers] {
        ran.with(|results| {
            let input = &mut results.input;
            input.criterion = Some(of(json!({"name": "polite"})));
            (input.labels.annotators, input.labels.skipped, input.labels.comments) = (Some(4), 3, 1);
            input.labels.skip_reasons = [("unclear".to_owned(), 2), ("other".to_owned(), 1)].into();
            (input.dimensions, input.to_embed) = (Some(8), Some(2));
            let feature = |missing| Missing { feature: "length".to_owned(), missing };
            input.features = vec![feature(None), feature(Some(2))];
            let column = |by| ReadColumn { column: "a".to_owned(), role: None, by, filled: 3 };
            let by = [RecognisedBy::Given, RecognisedBy::Rows, RecognisedBy::Cells, RecognisedBy::Name];
            input.notices = vec!["Not used: b.".to_owned()];
            input.columns = [by.map(|by| column(Some(by))).to_vec(), vec![column(None); 99]].concat();
            input.variants = vec![];
        });
        ran.with(|results| {
            (results.input.labels.skipped, results.input.labels.comments) = (0, 1);
            (results.input.variants, results.input.groups) = (vec!["a".to_owned(), "b".to_owned()], Default::default());
            results.input.features = vec![];
            (results.input.evaluated_items, results.input.items) = (None, 1_000_000);
        });
    }
    let mut cards = classes.cards.clone();
    cards.items = 1_000_000;
    cards.texts = false;
    classes.show(&classes.results, &cards);
}

fn vary_fits(classes: &Ran, ratings: &Ran) {
    let estimate = |value: f64, lo: f64, hi: f64| Estimate { value, standard_error: 0.1, lo, hi };
    let carried = |features: Value, left: Value| {
        Some(of(json!({"from": "run", "study": "s", "trust": 4.0, "features": features, "left": left})))
    };
    classes.with_fit(|fit| {
        (fit.converged, fit.at_limit, fit.neighbours) = (false, 3, Some("five".to_owned()));
        (fit.typical_trust, fit.bounds, fit.prior) = (None, None, TrustPrior::None);
        fit.coefficients.iter_mut().for_each(|one| one.identified = false);
    });
    let bounds = [(Some(1.0), None), (None, Some(2.0)), (None, None)];
    for (at_least, at_most) in bounds {
        classes.with_fit(|fit| {
            fit.typical_trust = None;
            fit.bounds = Some(Bounds { at_least, at_most });
            fit.prior = TrustPrior::Weak;
            let feature = json!({"feature": "a", "per_unit": 1.0, "mean": 0.0});
            fit.carried = carried(json!([feature, feature]), json!(["b"]));
            fit.coefficients[0].identified = false;
            fit.coefficients[1].identified = true;
            fit.coefficients[1].per_sd = estimate(0.5, 0.3, 0.7);
            let one = fit.coefficients[1].clone();
            fit.coefficients.extend(vec![one; 40]);
        });
    }
    classes.with_fit(|fit| {
        fit.carried = carried(json!([]), json!([]));
        fit.trust_percentiles = [2.0; 3];
        fit.typical_trust = Some(estimate(2.0, 1.0, 3.0));
        fit.coefficients.clear();
    });
    let candidate = |map: &str| json!({"map": map, "parameters": 1, "held_out": -1.0, "below_best": 0.1, "se": 0.1});
    let choice = |best: Value| {
        json!({
            "chosen": "temperature", "strength": 0.5, "best": best, "labelled_items": 9, "left_out": [], "carried": null,
            "candidates": [candidate("temperature"), candidate("line"), candidate("identity")],
        })
    };
    let here = |items: usize, advantage: Value, se: Value, verdict: &str| json!({"labelled_items": items, "advantage": advantage, "se": se, "verdict": verdict});
    let nothing = json!(null);
    let starts = [
        (here(1, nothing.clone(), nothing.clone(), "open"), nothing.clone(), nothing.clone()),
        (here(0, nothing.clone(), nothing.clone(), "supported"), json!("temperature"), nothing.clone()),
        (here(8, json!(0.2), json!(0.1), "supported"), json!("line"), json!(0.3)),
        (here(8, json!(-0.2), json!(0.1), "contradicted"), json!("line"), json!(0.3)),
        (here(8, json!(0.2), json!(0.3), "open"), json!("line"), json!(0.3)),
    ];
    for (labels_here, best, sd) in starts {
        classes.with_fit(|fit| {
            let carried = json!({
                "study": "s", "map": "line", "weight": 0.5, "sd_of_weight": sd, "new_groups": ["g"], "another_judge": "other",
                "labels_here": labels_here,
            });
            let variances = json!([{"block": BIAS_AND_SLOPE, "variance": 0.1, "parameters": 1, "determined": 1.0}]);
            let map = json!({
                "name": "temperature", "guesses": 0.1, "variances": variances, "choice": choice(best), "carried": carried,
            });
            fit.own = OwnFit::Classes(ClassFit { map: Some(of(map)) });
        });
    }
    classes.with_fit(|fit| {
        let map = json!({"name": "temperature", "guesses": 0.0, "variances": []});
        fit.own = OwnFit::Classes(ClassFit { map: Some(of(map)) });
    });
    let [above, below, about] =
        [(0.5, 0.3, 0.7), (-0.5, -0.7, -0.3), (0.0, -0.1, 0.1)].map(|(v, lo, hi)| estimate(v, lo, hi));
    let [more, less] = [(1.5, 1.2, 1.8), (0.5, 0.3, 0.7)].map(|(v, lo, hi)| estimate(v, lo, hi));
    let assumed = |factor: Option<f64>| Reading {
        rated_items: 9,
        centre: 5.0,
        bias: 0.0,
        slope: 1.0,
        factor,
        common_variance: Some(1.0),
    };
    let reading = |group: Option<&str>, bias, slope, factor, stated| ScoreReading {
        group: group.map(str::to_owned),
        centre: 5.0,
        bias,
        slope,
        factor,
        common_variance: None,
        assumed: assumed(stated),
    };
    let readings = vec![
        reading(Some("a"), Some(above), Some(more), Some(more), Some(1.0)),
        reading(Some("b"), Some(below), Some(less), Some(less), Some(1.0)),
        reading(None, Some(about), Some(more), None, Some(1.0)),
        reading(None, None, None, None, None),
    ];
    let unknown = [vec![], vec!["ln s0^2"], vec!["ln(nu - 2)", "a"]];
    for (unknown, common_variance) in unknown.into_iter().zip([Some(1.0), Some(1.0), None]) {
        for prior in [TrustPrior::Weak, TrustPrior::None] {
            ratings.with_fit(|fit| {
                fit.unidentified = unknown.iter().map(|name| (*name).to_owned()).collect();
                fit.prior = prior;
                let variances = json!([{"block": "biases of groups", "variance": 0.1, "parameters": 1, "determined": 1.0}, {"block": "slopes of groups", "variance": 0.1, "parameters": 1, "determined": 1.0}]);
                let map = json!({"name": "line", "variances": variances, "choice": choice(json!("temperature"))});
                fit.own = OwnFit::Ratings(ScoreFit {
                    freedom: 5.0,
                    common_variance,
                    recalibration: Some(readings.clone()),
                    map: Some(of(map)),
                    curve: vec![CurvePoint { score: 1.0, adds: 0.5 }, CurvePoint { score: 9.0, adds: 1.5 }],
                });
            });
        }
    }
    ratings.with_fit(|fit| {
        fit.own = OwnFit::Ratings(ScoreFit {
            freedom: 5.0,
            common_variance: None,
            recalibration: None,
            map: None,
            curve: vec![],
        });
    });
}

fn vary_findings(classes: &Ran, repeated: &Ran, ratings: &Ran) {
    for goes_wrong in [true, false] {
        for percentiles in [[2.0; 3], [1.0, 2.0, 3.0]] {
            classes.with(|results| {
                let evidence = results.findings.evidence.as_mut().unwrap();
                evidence.entropy_goes_wrong = goes_wrong;
                evidence.evidence_percentiles = percentiles;
            });
        }
    }
    let misfit = |results: &mut StudyResults| {
        results.findings.calibration.iter_mut().flatten().for_each(|one| one.inside = 0.0);
        results.findings.within_items = Some(WithinItems { items: 30, observed: 1.0, expected: 9.0, z: -9.0 });
    };
    for ran in [repeated, ratings] {
        let recalibration = ratings.results.fit.own.of_ratings().recalibration.clone();
        let several = recalibration.as_ref().map(|readings| [&readings[..], &readings[..]].concat());
        for readings in [None, recalibration, several] {
            ran.with(|results| {
                misfit(results);
                let OwnFit::Ratings(own) = &mut results.fit.own else { panic!("ratings") };
                own.recalibration = readings;
            });
        }
    }
    ratings.with(|results| {
        results.findings.calibration = Some(vec![]);
    });
    ratings.with_evaluation(|evaluation| {
        evaluation.held_out.as_mut().unwrap().coverage.iter_mut().for_each(|one| one.inside = 0.0);
    });
    classes.with(|results| {
        results.items.items = 1_000_000;
        let group = results.groups[""];
        results.groups.extend((0..60).map(|k| (format!("group {k}"), group)));
    });
}

fn vary_held_out(classes: &Ran) {
    for side in each_side() {
        classes.with_held_out(|report| {
            report.comparisons.iter_mut().for_each(|one| one.advantage = side.clone());
            report.own = "judge".to_owned();
            report.labelled_items = report.items + 1;
            let shared = Estimable::not(format!("{SHARED_NOISE} (0.1)"));
            report
                .squared_errors
                .iter_mut()
                .filter(|one| one.prediction == "judge")
                .for_each(|one| one.mean = shared.clone());
        });
    }
    classes.with_held_out(|report| report.squared_errors.clear());
    for (without, fall, interval) in
        [(1.0, 0.5, [0.1, 0.9]), (1.0, 0.03, [-0.01, 0.07]), (-0.1, -0.01, [-0.02, -0.001]), (1.0, 0.5, [-0.1, 1.1])]
    {
        let gain = json!({"without": without, "fall": fall, "interval": interval});
        classes.with_held_out(|report| report.label_gain = Some(of(gain)));
    }
    let error = |found: Estimable, beyond: Estimable, foreseen: Value| {
        let tenths = json!([{"items": 3, "predicted": 0.1, "observed": found}]);
        json!({"items": 9, "foreseen": foreseen, "found": found, "beyond": beyond, "tenths": tenths})
    };
    let [above, below, about] = each_side();
    let unknown = || Estimable::not("too few");
    let level = |level: f64| json!({"level": level, "share": known(0.9, 0.8, 1.0)});
    let instead = json!({"belief": "auto", "foreseen": 0.1, "found": 0.11});
    let checks = [
        ("too_sure", error(above.clone(), above.clone(), json!(0.2)), Some(instead)),
        ("too_sure", error(below.clone(), above, json!(0.2)), None),
        ("too_unsure", error(about, below, json!(null)), None),
        ("not_estimable", error(unknown(), unknown(), json!(null)), None),
        ("not_contradicted", error(known(0.2, 0.1, 0.3), known(0.0, -0.1, 0.1), json!(0.2)), None),
    ];
    for (verdict, before, instead) in checks {
        let mut check = json!({
            "belief": "published", "verdict": verdict, "before_labels": before, "groups": [before, before],
            "within": if verdict == "too_sure" { json!([level(0.5), level(0.95)]) } else { json!([]) },
            "after_labels": error(unknown(), unknown(), json!(null)), "groups_left_out": 0,
        });
        if let Some(instead) = instead {
            check["instead"] = instead;
        }
        classes.with_held_out(|report| report.belief_check = Some(of(check)));
    }
}

fn vary_evaluations(classes: &Ran, places: &Ran) {
    let nothing = || OrReason::NotEstimable { not_estimable: "too few".to_owned() };
    classes.with_evaluation(|evaluation| {
        evaluation.neighbours = Some("five".to_owned());
        (evaluation.full.unconverged_fits, evaluation.fits_at_limit) = (1, 1);
        evaluation.not_estimable = vec!["this".to_owned()];
        evaluation.for_new_items.value.values_mut().for_each(|found| *found = nothing());
    });
    for difference in [-2.0, 2.0] {
        for half in [1.0, 3.0] {
            classes.with_evaluation(|evaluation| {
                let interval = Interval { lo: difference - half, hi: difference + half };
                let found = NewItems { difference, se: 1.0, plain: interval, simultaneous: interval };
                evaluation.for_new_items.value.insert(Rule::Info, OrReason::Found(found));
                evaluation.for_new_items.epistemic_over_fewest = OrReason::Found(found);
            });
        }
    }
    places.with_evaluation(|evaluation| {
        let squared = evaluation.for_new_items.squared_value.as_mut().unwrap();
        squared.values_mut().for_each(|found| *found = nothing());
    });
    let shift = json!({
        "items": 3, "epistemic": {"before": 1.0, "by_labels": 0.5, "after": 0.4}, "aleatoric": {"before": 1.0, "by_labels": 1.0, "after": 1.0},
        "spread": {"before": 1.0, "by_labels": 0.5, "after": 0.4},
    });
    let foresight = |se: Value| json!({"items": 3, "predicted": 0.5, "realised": 0.4, "se": se});
    let whole = (shift.clone(), foresight(json!(0.1)));
    for (untouched, removed) in [whole, (json!(null), json!(null))] {
        let movement = json!({
            "batches": [{"added": "then"}], "labels": 3, "touched": shift, "untouched": untouched, "first": foresight(json!(null)),
            "removed": removed,
        });
        classes.with(|results| results.movement = Some(of(movement)));
    }
    let hypotheses = json!([
        {"finding": "agreement", "above": 0.5, "found": [0.6, [0.55, 0.65]], "status": "confirmed"},
        {"finding": "kappa", "below": 0.5, "found": null, "status": "not_estimable", "note": "too few"},
    ]);
    let deviation = json!({"what": "seed", "registered": null, "found": "1"});
    for (there, deviations) in [(5, json!([])), (3, json!([deviation])), (0, json!([]))] {
        let registered = json!({
            "digest": "0123456789abcdef", "registered": "then", "level": 0.95, "hypotheses": hypotheses, "deviations": deviations,
            "labels_there": there, "labels": 5, "announced": 9,
        });
        classes.with(|results| results.registered = Some(of(registered)));
    }
}

fn vary_comparisons(classes: &Ran) {
    let both = [&classes.study, &classes.study];
    let mut compared = StudyComparison::new(both, [&classes.decomposition, &classes.decomposition]).unwrap();
    let show = |compared: &StudyComparison| {
        crate::comparison_answer(compared, ["one", "other"].map(str::to_owned), [None, None]).unwrap();
        crate::describe_comparison(compared).unwrap();
    };
    show(&compared);
    let apart = || Apart { id: "i".to_owned(), first: "a".to_owned(), second: "b".to_owned(), distance: 0.5 };
    compared.judges_differ = Some("the model".to_owned());
    (compared.apart, compared.chosen) = (vec![apart(), apart()], Some("All are.".to_owned()));
    compared.drift = [("mean".to_owned(), known(0.1, 0.0, 0.2))].into();
    compared.ranks.spearman_epistemic = known(0.5, 0.4, 0.6);
    compared.ranks.shared_tenth_of_new_items = known(0.5, 0.4, 0.6);
    for advantage in each_side().into_iter().chain([Estimable::not("too few")]) {
        let score =
            |prediction, given| PairedScore { prediction, given, score: Score::Log, advantage: advantage.clone() };
        let beliefs = [Given::NoLabel, Given::OtherLabels].map(|given| score("belief", given));
        compared.scores = [vec![score("judge", Given::NoLabel)], beliefs.to_vec()].concat();
        compared.agreement.advantage = advantage;
        for kind in ["classes", "ratings"] {
            compared.kind = kind;
            show(&compared);
        }
    }
    compared.not_estimable = Some("too few".to_owned());
    show(&compared);
}

fn vary_applications() {
    let drift = |psi: Option<f64>, outside: Option<f64>| Drift {
        name: "confidence".to_owned(),
        psi,
        psi_by_chance: psi.map(|_| 0.01),
        freedom: 1,
        outside,
        missing: None,
    };
    let moved = drift(Some(0.5), Some(0.1));
    let queue = OfQueue { wanted: Wanted { rule: Rule::Info, top: None, threshold: None }, items: 3 };
    for (drift, queue, aside) in [
        (vec![moved.clone(), moved], Some(queue), Some("aside.csv")),
        (vec![drift(Some(0.01), None)], None, None),
        (vec![drift(None, None)], None, None),
    ] {
        let summary = ApplySummary {
            schema: 1,
            command: String::new(),
            program: String::new(),
            belief: String::new(),
            kind: "classes",
            inputs: vec![],
            read: vec![],
            rows: 9,
            items: 8,
            set_aside: 1,
            parts: 2,
            queue,
            drift,
            files: vec![],
            found: 0,
        };
        crate::apply_answer(&summary, "out", aside, "judge-uncertainty apply").unwrap();
        crate::describe_application(&summary).unwrap();
    }
}

/// A template that asks for what its results do not have is found here, whichever of its branches does.
#[test]
fn every_branch_of_the_templates_fits_the_results() {
    let (classes, places, repeated, ratings) = (classes(), places(), repeated(), ratings());
    vary_answers(&classes);
    vary_judge(&classes);
    vary_inputs(&classes, &places, &repeated);
    vary_fits(&classes, &ratings);
    vary_findings(&classes, &repeated, &ratings);
    vary_held_out(&classes);
    vary_evaluations(&classes, &places);
    vary_comparisons(&classes);
    vary_applications();
    let all = TEMPLATES.iter().flat_map(|(name, text)| noting(name, text).1);
    let missing: Vec<String> = all.filter(|branch| SEEN.with_borrow(|seen| !seen.contains(branch))).collect();
    assert!(missing.is_empty(), "{} branches are not rendered: {missing:#?}", missing.len());
}

#[test]
fn a_template_that_does_not_fit_is_a_fault_of_the_program() {
    let error = lines("movement.txt", &context! { of => "nothing" }).unwrap_err();
    assert!(error.is_failure() && error.to_string().starts_with("template movement.txt of this program "), "{error}");
    let error = paragraph("no-such-part", Context::new()).unwrap_err();
    assert!(error.to_string().contains("the part \"no-such-part\" is missing"), "{error}");
}

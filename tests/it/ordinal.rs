//! Beliefs about ordinal ratings against independent figures (`tests/golden/ordinal/make.py`), Monte Carlo, and
//! invariants.

use std::fs;

use judge_uncertainty::belief::{
    Belief, Beliefs, Design, Dirichlet, ItemBeliefs, OrdinalBelief, fit_trust, mean_place, place_variance, wasserstein,
};
use judge_uncertainty::escalation::{Rule, RuleInputs};
use judge_uncertainty::random::Stream;
use judge_uncertainty::stats::{mean, sample_sd, spearman};
use ndarray::Array2;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::{assert_close, golden, number, numbers, repository};

fn close(what: &str, got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "{what}: {got} for {want}");
}

fn cases(file: &Value, key: &str, least: usize) -> Vec<Value> {
    let cases = file[key].as_array().unwrap();
    assert!(cases.len() >= least, "{key}");
    cases.clone()
}

#[test]
fn closed_forms_are_those_of_arbitrary_precision() {
    for case in cases(&golden("ordinal/expected.json"), "beliefs", 10) {
        let (alpha, places) = (numbers(&case["alpha"]), numbers(&case["places"]));
        let belief = OrdinalBelief::new(Dirichlet::new(&alpha), &places);
        let check = |name: &str, got: f64| close(&format!("{name} of {alpha:?}"), got, number(&case[name]), 1e-13);
        check("mean_place", belief.mean_place());
        check("total", belief.total());
        check("aleatoric", belief.aleatoric());
        check("epistemic", belief.epistemic());
        check("label_value", belief.label_value());
        for later in case["after"].as_array().unwrap() {
            let k = number(&later["labels"]) as u32;
            close("spread after", belief.spread_after(k), number(&later["epistemic"]), 1e-13);
        }
        let bought = case["reductions"].as_array().unwrap();
        let (got, want) = (belief.wasserstein_label_value(), number(&bought[0]["wasserstein"]));
        assert_eq!(number(&bought[0]["labels"]), 1.0);
        // A fall is the error times a difference from 1, which costs the digits that the label doesn't move.
        let tolerance = 1e-12 * want + 1e-13 * number(&case["expected_wasserstein"]);
        assert!((got - want).abs() <= tolerance, "a label for {alpha:?}: {got} for {want}");
    }
}

/// Numbers of a file of the fixture, without header and ids.
fn table(file: &str) -> Array2<f64> {
    let text = fs::read_to_string(repository("tests/golden/ordinal").join(file)).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect()).collect();
    Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).unwrap()
}

#[test]
fn a_small_study_has_the_parts_of_an_independent_calculation() {
    let expected = &golden("ordinal/expected.json")["study"];
    let places = numbers(&expected["places"]);
    let mut q = table("judge.csv");
    q.rows_mut().into_iter().for_each(|mut row| row /= row.sum());
    let counts = table("labels.csv").mapv(|n| n as u32);
    assert_eq!(counts.dim(), (60, 5));

    let design = Design::constant(60);
    let fit = fit_trust(&design, q.view(), counts.view()).unwrap();
    let of_fit = |name: &str| number(&expected["fit"][name]);
    assert!(fit.converged);
    close("intercept", fit.coefficients[0], of_fit("intercept"), 1e-10);
    close("standard error", fit.standard_errors()[0], of_fit("standard_error"), 1e-8);
    close("log-likelihood", fit.log_likelihood, of_fit("log_likelihood"), 1e-12);

    let trust = vec![fit.coefficients[0].exp(); 60];
    let beliefs = Beliefs::posterior(&trust, q.view(), counts.view());
    let on_places = |of: fn(OrdinalBelief<'_>) -> f64| beliefs.map(|b| of(OrdinalBelief::new(b, &places)));
    let check = |name: &str, got: Vec<f64>, tolerance: f64| {
        assert_close(name, &got, &numbers(&expected["items"][name]), tolerance);
    };
    check("evidence", on_places(|b| b.evidence()), 1e-9);
    check("mean_place", on_places(|b| b.mean_place()), 1e-10);
    check("total", on_places(|b| b.total()), 1e-10);
    check("aleatoric", on_places(|b| b.aleatoric()), 1e-10);
    check("epistemic", on_places(|b| b.epistemic()), 1e-11);
    check("v", on_places(|b| b.spread()), 1e-11);
    check("delta", on_places(|b| b.label_value()), 1e-12);
    check("wasserstein", on_places(|b| b.wasserstein_label_value()), 1e-12);
    check("total_nats", beliefs.map(|b| b.total()), 1e-10);
    check("aleatoric_nats", beliefs.map(|b| b.aleatoric()), 1e-10);
    check("epistemic_nats", beliefs.map(|b| b.epistemic()), 1e-11);

    let shares: Vec<Vec<f64>> =
        counts.rows().into_iter().map(|c| c.iter().map(|&n| f64::from(n) / 24.0).collect()).collect();
    let judge: Vec<Vec<f64>> = q.rows().into_iter().map(|q| q.to_vec()).collect();
    let of_judge = |name: &str| number(&expected["judge"][name]);
    let errors: Vec<f64> = judge.iter().zip(&shares).map(|(q, p)| wasserstein(q, p, &places)).collect();
    close("error", mean(&errors), of_judge("mean_wasserstein"), 1e-12);
    let means = |all: &[Vec<f64>]| all.iter().map(|p| mean_place(p, &places)).collect::<Vec<_>>();
    // From numbers of labels and not from shares, so that equal means tie.
    let label_means: Vec<f64> =
        counts.rows().into_iter().map(|c| mean_place(&c.mapv(f64::from).to_vec(), &places)).collect();
    let correlation = spearman(&means(&judge), &label_means).unwrap();
    close("rank correlation", correlation, of_judge("spearman_mean_place"), 1e-12);
    let bias = mean(&means(&judge)) - mean(&means(&shares));
    assert!((bias - of_judge("bias_of_mean_place")).abs() < 1e-12);

    // Rules rank by these figures, but for the last digits.
    let ranked = ItemBeliefs::on_places(beliefs.clone(), places.clone());
    let inputs = RuleInputs {
        q: Some(&q),
        confidence: Some(&[None; 60]),
        labels: Some(&[24; 60]),
        jitter: Some(&[0.0; 60]),
        random: Some(&[0.5; 60]),
        ..RuleInputs::new(&ranked)
    };
    for (rule, name) in
        [(Rule::Info, "epistemic"), (Rule::Spread, "v"), (Rule::Delta, "delta"), (Rule::PosteriorEntropy, "total")]
    {
        for (got, want) in rule.priority(&inputs).unwrap().into_iter().zip(numbers(&expected["items"][name])) {
            close(name, got, want, 1e-9);
        }
    }
    let variances: Vec<f64> = judge.iter().map(|q| place_variance(q, &places)).collect();
    assert_eq!(Rule::JudgeEntropy.priority(&inputs), Some(variances));
}

/// A mean with its standard error.
fn estimate(draws: &[f64]) -> (f64, f64) {
    (mean(draws), sample_sd(draws) / (draws.len() as f64).sqrt())
}

fn assert_estimates(what: &str, draws: &[f64], want: f64) {
    let (got, se) = estimate(draws);
    assert!((got - want).abs() < 4.5 * se, "{what}: {got} for {want}, standard error {se}");
    assert!(se < 0.02 * want, "{what}: standard error {se} is too large to tell");
}

/// Distributions and labels drawn from the belief itself.
#[test]
fn expectations_are_what_draws_come_to() {
    const DRAWS: usize = 100_000;
    const LABELS: u32 = 1;
    let (alpha, places) = ([0.7, 2.5, 0.3, 1.1], [-1.0, 0.0, 2.0, 2.5]);
    let belief = OrdinalBelief::new(Dirichlet::new(&alpha), &places);
    let centre = belief.mean_place();
    let mut stream = Stream::new(77);
    let mut drawn: [Vec<f64>; 4] = Default::default();
    for _ in 0..DRAWS {
        let g: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a)).collect();
        let sum: f64 = g.iter().sum();
        let p: Vec<f64> = g.iter().map(|g| g / sum).collect();
        let true_mean = mean_place(&p, &places);
        let squared = |m: f64| (m - true_mean).powi(2);

        let mut labels = [0; 4];
        stream.multinomial(LABELS, &p, &mut labels);
        let updated: Vec<f64> = alpha.iter().zip(labels).map(|(a, n)| a + f64::from(n)).collect();
        let after = OrdinalBelief::new(Dirichlet::new(&updated), &places);
        let figures = [
            place_variance(&p, &places),
            squared(centre),
            squared(after.mean_place()),
            belief.wasserstein(&p) - after.wasserstein(&p),
        ];
        drawn.iter_mut().zip(figures).for_each(|(all, figure)| all.push(figure));
    }
    let expected = [
        ("aleatoric part", belief.aleatoric()),
        ("epistemic part", belief.epistemic()),
        ("squared error after labels", belief.spread_after(LABELS)),
        ("fall of the error", belief.wasserstein_label_value()),
    ];
    for ((what, want), draws) in expected.into_iter().zip(&drawn) {
        assert_estimates(what, draws, want);
    }
}

#[test]
fn an_error_after_a_label_equals_updating() {
    let (p, places) = ([0.2, 0.5, 0.3], vec![0.0, 1.0, 3.0]);
    let mut beliefs = Beliefs::new(ndarray::array![[1.0, 2.0, 0.5]]);
    let foreseen = OrdinalBelief::new(beliefs.get(0), &places).wasserstein_after(2, &p);
    beliefs.add_label(0, 2);
    let after = OrdinalBelief::new(beliefs.get(0), &places);
    assert!((after.wasserstein(&p) - foreseen).abs() < 1e-15);
    let m: Vec<f64> = after.classes().mean().collect();
    assert!((wasserstein(&m, &p, &places) - foreseen).abs() < 1e-15);
}

#[test]
#[should_panic(expected = "ascend strictly")]
fn places_that_do_not_ascend_are_refused() {
    ItemBeliefs::on_places(Beliefs::new(ndarray::array![[1.0, 2.0, 0.5]]), vec![0.0, 2.0, 2.0]);
}

/// Evidence for up to 7 classes, and as many gaps.
fn on_a_scale() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    prop::collection::vec(((-6.0..6.0f64).prop_map(f64::exp), 0.01..5.0f64), 2..8).prop_map(|pairs| {
        let (alpha, gaps): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let places = gaps.iter().scan(-7.0, |place, gap| {
            *place += gap;
            Some(*place)
        });
        (alpha, places.collect())
    })
}

proptest! {
    #[test]
    fn total_splits_and_no_part_is_negative((alpha, places) in on_a_scale()) {
        let b = OrdinalBelief::new(Dirichlet::new(&alpha), &places);
        prop_assert!((b.total() - b.aleatoric() - b.epistemic()).abs() <= 1e-14 * b.total());
        prop_assert!(b.epistemic() >= 0.0 && b.aleatoric() >= 0.0);
        let half = 0.5 * (places[places.len() - 1] - places[0]);
        prop_assert!(b.total() <= half * half * (1.0 + 1e-12));
    }

    /// Parts don't depend on where the scale begins or which way it runs, and go with the square of its unit.
    #[test]
    fn only_distances_count((alpha, places) in on_a_scale(), shift in -1e3..1e3f64) {
        let (backwards, turned): (Vec<f64>, Vec<f64>) =
            alpha.iter().zip(&places).rev().map(|(a, s)| (*a, shift - 2.0 * s)).unzip();
        let b = OrdinalBelief::new(Dirichlet::new(&alpha), &places);
        let other = OrdinalBelief::new(Dirichlet::new(&backwards), &turned);
        for (x, y) in [
            (4.0 * b.total(), other.total()),
            (4.0 * b.label_value(), other.label_value()),
            (2.0 * b.wasserstein_label_value(), other.wasserstein_label_value()),
        ] {
            prop_assert!((x - y).abs() <= 1e-9 * x.abs() + 1e-12, "{x} {y}");
        }
    }

    /// Without a scale all classes are one apart, and the Wasserstein distance is half the Manhattan distance; with two
    /// classes one apart both are that.
    #[test]
    fn two_places_are_two_classes(a in 0.01..50.0f64, b in 0.01..50.0f64, x in 0.0..1.0f64) {
        let alpha = [a, b];
        let (classes, places, p) = (Dirichlet::new(&alpha), [3.0, 4.0], [x, 1.0 - x]);
        let scale = OrdinalBelief::new(classes, &places);
        prop_assert!((scale.wasserstein(&p) - 0.5 * classes.manhattan(&p)).abs() < 1e-14);
    }
}

//! Mixtures of Dirichlet distributions against values of another program.

use judge_uncertainty::belief::{Belief, BeliefTable, Beliefs, Mixture, OrdinalBelief};
use ndarray::Array2;
use serde_json::Value;

use crate::support::{golden, number, numbers};

/// Weights, evidence of the components one after the other, classes.
fn case(case: &Value) -> (Vec<f64>, Vec<f64>, usize) {
    let alpha: Vec<Vec<f64>> = case["alpha"].as_array().unwrap().iter().map(numbers).collect();
    (numbers(&case["weights"]), alpha.concat(), alpha[0].len())
}

fn cases() -> Vec<Value> {
    golden("mixture/expected.json")["cases"].as_array().unwrap().clone()
}

fn close(name: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{name}");
    let near = got.iter().zip(want).all(|(got, want)| (got - want).abs() <= tolerance);
    assert!(near, "{name}: {got:?} for {want:?}");
}

#[test]
fn parts_and_values_of_labels_are_those_of_quadrature() {
    for case_ in cases() {
        let (weights, alpha, classes) = case(&case_);
        let belief = Mixture::new(&weights, &alpha, classes);
        let is = |name: &str, got: &[f64]| {
            let want = &case_[name];
            close(name, got, &if want.is_array() { numbers(want) } else { vec![number(want)] }, 1e-11);
        };
        is("mean", &belief.mean().collect::<Vec<_>>());
        is("total", &[belief.total()]);
        is("aleatoric", &[belief.aleatoric()]);
        is("epistemic", &[belief.epistemic()]);
        is("spread", &[belief.spread()]);
        is("evidence", &[belief.evidence()]);
        is("epistemic_after", &[1, 2, 4].map(|k| belief.epistemic_after(k)));
        is("spread_after", &[1, 2].map(|k| belief.spread_after(k)));
        let fall = belief.spread() - belief.spread_after(1);
        close("label_value", &[belief.label_value(), belief.label_value_after(0)], &[fall, fall], 1e-12);
        let later = belief.spread_after(1) - belief.spread_after(2);
        close("label_value_after", &[belief.label_value_after(1)], &[later], 1e-12);
        is("manhattan_reduction", &[1, 2].map(|k| belief.expected_manhattan_reduction(k)));
        close("manhattan", &[belief.manhattan_label_value()], &[belief.expected_manhattan_reduction(1)], 0.0);
    }
}

#[test]
fn labels_move_components_and_weights() {
    for case_ in cases() {
        let (weights, alpha, classes) = case(&case_);
        let belief = Mixture::new(&weights, &alpha, classes);
        let labels: Vec<u32> = numbers(&case_["labels"]).iter().map(|n| *n as u32).collect();
        let after = belief.after(&labels);
        let found: Vec<f64> = after.get().components().map(|(w, _)| w).collect();
        close("weights", &found, &numbers(&case_["weights_after"]), 1e-13);
        close("mean", &after.get().mean().collect::<Vec<_>>(), &numbers(&case_["mean_after"]), 1e-13);
        // One by one in a table, and the mean after one label.
        let rows = Array2::from_shape_vec((weights.len(), classes), alpha.clone()).unwrap();
        let mut table = Beliefs::mixtures(Array2::from_shape_vec((1, weights.len()), weights.clone()).unwrap(), rows);
        for (label, &n) in labels.iter().enumerate() {
            for _ in 0..n {
                let p = vec![1.0 / classes as f64; classes];
                let foreseen = table.get(0).manhattan_after(label, &p);
                table.add_label(0, label);
                close("one by one", &[table.get(0).manhattan(&p)], &[foreseen], 1e-14);
            }
        }
        close("in a table", &table.get(0).mean().collect::<Vec<_>>(), &numbers(&case_["mean_after"]), 1e-13);
    }
}

#[test]
fn on_a_scale_they_have_the_variance_of_the_mean_place() {
    const PLACES: [f64; 4] = [1.0, 2.0, 4.0, 7.0];
    for case_ in cases() {
        let (weights, alpha, classes) = case(&case_);
        let belief = OrdinalBelief::new(Mixture::new(&weights, &alpha, classes), &PLACES[..classes]);
        let is = |name: &str, got: &[f64]| {
            let want = &case_[name];
            close(name, got, &if want.is_array() { numbers(want) } else { vec![number(want)] }, 1e-10);
        };
        is("place_variance", &[belief.epistemic()]);
        is("place_variance_after", &[belief.spread_after(1), belief.epistemic_after(3)]);
        is("wasserstein", &[belief.expected_wasserstein()]);
        is("wasserstein_reduction", &[1, 2].map(|k| belief.expected_wasserstein_reduction(k)));
        let parts = belief.aleatoric() + belief.epistemic();
        close("parts", &[parts], &[belief.total()], 1e-12);
        close("label_value", &[belief.label_value()], &[belief.spread() - belief.spread_after(1)], 1e-12);
    }
}

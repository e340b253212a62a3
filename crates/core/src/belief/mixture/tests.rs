use ndarray::array;

use super::says::apart;
use super::*;
use crate::belief::{Belief, Beliefs, Dirichlet, OrdinalBelief, entropy};
use crate::random::Stream;

const WEIGHTS: [f64; 3] = [0.5, 0.2, 0.3];
const ALPHA: [f64; 9] = [3.0, 1.2, 0.8, 0.6, 5.0, 2.0, 8.0, 8.0, 24.0];
const PLACES: [f64; 3] = [1.0, 2.0, 5.0];

/// All that a belief answers.
fn answers(belief: &Mixture) -> Vec<f64> {
    let on_a_scale = OrdinalBelief::new(*belief, &PLACES);
    let mut all: Vec<f64> = belief.mean().collect();
    for of in [belief as &dyn Belief, &on_a_scale] {
        all.extend([of.total(), of.aleatoric(), of.epistemic(), of.spread(), of.label_value(), of.evidence()]);
        for k in [0, 1, 3, 12] {
            all.extend([of.epistemic_after(k), of.spread_after(k), of.label_value_after(k)]);
        }
    }
    for k in [0, 1, 4] {
        all.extend([belief.expected_manhattan_reduction(k), on_a_scale.expected_wasserstein_reduction(k)]);
    }
    let p = [0.2, 0.5, 0.3];
    all.extend([belief.gini(), belief.manhattan(&p), belief.manhattan_after(1, &p)]);
    all.extend([on_a_scale.wasserstein(&p), on_a_scale.wasserstein_after(2, &p), on_a_scale.expected_wasserstein()]);
    all.extend([belief.share_cdf(2, 0.4), on_a_scale.mean_place()]);
    all
}

fn near(a: &[f64], b: &[f64]) {
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-11), "{a:?}\n{b:?}");
}

#[test]
fn one_component_is_the_dirichlet_bit_by_bit() {
    let alpha = &ALPHA[..3];
    let dirichlet = Dirichlet::new(alpha);
    let belief = Mixture::new(&[1.0], alpha, 3);
    assert_eq!(belief, Mixture::from(dirichlet));
    assert_eq!(belief.evidence_by_class(), alpha);
    let of = |b: &dyn Belief| {
        let after = |k| [b.epistemic_after(k), b.spread_after(k), b.label_value_after(k)];
        let parts = [b.total(), b.aleatoric(), b.epistemic(), b.spread(), b.label_value(), b.evidence()];
        [parts.to_vec(), after(0).to_vec(), after(1).to_vec(), after(40).to_vec()].concat()
    };
    assert_eq!(of(&belief), of(&dirichlet));
    assert_eq!(belief.expected_manhattan_reduction(10), dirichlet.expected_manhattan_reduction(10));
    assert_eq!(belief.gini(), dirichlet.gini());
    let p = [0.1, 0.2, 0.7];
    assert_eq!(belief.manhattan_after(1, &p), dirichlet.manhattan_after(1, &p));
    let table = Beliefs::mixtures(array![[1.0]], array![[3.0, 1.2, 0.8]]);
    assert_eq!(table, Beliefs::new(array![[3.0, 1.2, 0.8]]));
}

/// A component cut in two equal ones, a component of no weight, and components in another order change nothing.
#[test]
fn components_are_what_they_say_and_not_how_they_are_written() {
    let want = answers(&Mixture::new(&WEIGHTS, &ALPHA, 3));
    let cut = [&ALPHA[..], &ALPHA[..3]].concat();
    near(&answers(&Mixture::new(&[0.1, 0.2, 0.3, 0.4], &cut, 3)), &want);
    near(&answers(&Mixture::new(&[0.5, 0.2, 0.3, 0.0], &cut, 3)), &want);
    let turned = [&ALPHA[6..], &ALPHA[..6]].concat();
    let turned = Mixture::new(&[0.3, 0.5, 0.2], &turned, 3);
    near(&answers(&turned), &want);
    let two = [&ALPHA[..3], &ALPHA[..3]].concat();
    near(&answers(&Mixture::new(&[0.4, 0.6], &two, 3)), &answers(&Mixture::new(&[], &ALPHA[..3], 3)));
}

/// Classes in another order, with what is told of each going along.
#[test]
fn classes_have_no_order() {
    let backwards: Vec<f64> = ALPHA.chunks(3).flat_map(|a| a.iter().rev().copied().collect::<Vec<_>>()).collect();
    let (belief, turned) = (Mixture::new(&WEIGHTS, &ALPHA, 3), Mixture::new(&WEIGHTS, &backwards, 3));
    for k in [0, 1, 3] {
        near(
            &[belief.epistemic_after(k), belief.spread_after(k), belief.expected_manhattan_reduction(k)],
            &[turned.epistemic_after(k), turned.spread_after(k), turned.expected_manhattan_reduction(k)],
        );
    }
}

/// Many draws: their mean, their squared distance from it, the disagreement within them and their Manhattan error.
#[test]
fn draws_are_of_the_belief() {
    let belief = Mixture::new(&WEIGHTS, &ALPHA, 3);
    let mean: Vec<f64> = belief.mean().collect();
    let mut stream = Stream::new(3);
    let draws = 40_000;
    let mut seen = [0.0; 6];
    for _ in 0..draws {
        let p = belief.draw(&mut stream);
        let numbers = [p[0], p[1], p[2], apart(&mean, p.iter().copied()), entropy(&p), belief.manhattan(&p)];
        seen.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += x / f64::from(draws));
    }
    let error = expected_error(&belief, Cuts::Classes);
    let want = [mean[0], mean[1], mean[2], belief.spread(), belief.aleatoric(), error];
    assert!(seen.iter().zip(want).all(|(a, b)| (a - b).abs() < 6e-3), "{seen:?} {want:?}");
}

/// Where outcomes are drawn the values are near those of all outcomes, and the same at each call.
#[test]
fn drawn_outcomes_stand_for_all_of_them() {
    let belief = Mixture::new(&WEIGHTS, &ALPHA, 3);
    let labels = 20;
    let drawn = belief.epistemic_after(labels);
    assert_eq!(drawn, belief.epistemic_after(labels));
    let all = look_ahead::every(&belief, labels, &|after: &Mixture| after.total()) - belief.aleatoric();
    assert!((drawn - all).abs() < 0.15 * belief.epistemic(), "{drawn} for {all} of {}", belief.epistemic());
    let every = look_ahead::every(&belief, 5, &|_: &Mixture| 1.0);
    assert!((every - 1.0).abs() < 1e-12);
}

#[test]
fn labels_take_ignorance_away_and_i_by_less_and_less() {
    let belief = Mixture::new(&WEIGHTS, &ALPHA, 3);
    let path: Vec<f64> = (0..=13).map(|k| belief.epistemic_after(k)).collect();
    assert!(path.windows(3).all(|w| w[1] < w[0] && w[1] - w[2] < w[0] - w[1]), "{path:?}");
    let path: Vec<f64> = (0..=13).map(|k| belief.spread_after(k)).collect();
    assert!(path.windows(2).all(|w| w[1] < w[0]), "{path:?}");
}

#[test]
fn extreme_components_have_finite_answers() {
    let cases: [(&[f64], &[f64]); 3] = [
        (&[0.5, 0.5], &[1e-9, 1e-9, 1e-9, 1e9, 1e9, 1e9]),
        (&[1.0 - 1e-12, 1e-12], &[1e6, 1e-3, 1e-3, 1e-3, 1e-3, 1e6]),
        (&[0.5, 0.5], &[0.0, 0.0, 5.0, 0.0, 0.0, 50.0]),
    ];
    for (weights, alpha) in cases {
        let found = answers(&Mixture::new(weights, alpha, 3));
        assert!(found.iter().all(|x| x.is_finite() && *x > -1e-9), "{weights:?} {alpha:?}: {found:?}");
        let mut stream = Stream::new(1);
        let p = Mixture::new(weights, alpha, 3).draw(&mut stream);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

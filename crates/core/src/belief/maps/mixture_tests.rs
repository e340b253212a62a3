use ndarray::Array2;

use super::fitting::{FitItems, fit};
use super::layout::MapLayout;
use super::names::MapName;
use super::tests::{World, assert_derivatives};
use super::{ChoiceOptions, Map, choose};
use crate::belief::judged::JudgedItems;
use crate::belief::traits::{Belief, BeliefTable};
use crate::random::Stream;

/// A judge that is right, or in every other item, which nothing tells, takes each class for the next.
fn of_two_kinds(items: usize, seed: u64) -> World {
    World::draw(items, seed, |logs, _, x| {
        let turned = ((1e4 * x.abs()) as u64).is_multiple_of(2);
        let of = |j: usize| 2.0 * logs[if turned { (j + 1) % 3 } else { j }];
        (0..3).map(of).collect()
    })
}

fn as_stated(logs: &[f64], _: usize, _: f64) -> Vec<f64> {
    logs.to_vec()
}

fn fitted(rung: MapName, world: &World, counts: &Array2<u32>) -> Map {
    fit(rung, &world.judged(&world.design()), counts.view()).unwrap().unwrap()
}

#[test]
fn derivatives_are_those_of_differences() {
    let world = of_two_kinds(20, 4);
    let design = world.design();
    let readings = world.judged(&design);
    let layout = MapLayout::try_new(MapName::Mixture, &readings, 0.1).unwrap();
    let mut posterior = FitItems::try_new(&readings, world.counts.view()).unwrap().posterior(&layout, 3);
    posterior.precision.iter_mut().enumerate().for_each(|(k, s)| *s = 1.0 + 0.1 * k as f64);
    let mut stream = Stream::new(9);
    let at: Vec<f64> = posterior.centre.iter().map(|c| c + 0.4 * stream.standard_normal()).collect();
    assert_derivatives("mixture", &posterior, &at, 1);
}

/// Where all components are alike the likelihood is that of the shared map, and so are the posterior beliefs.
#[test]
fn components_that_are_alike_are_the_shared_map() {
    let world = World::draw(40, 6, as_stated);
    let design = world.design();
    let readings = world.judged(&design);
    let grouped = fitted(MapName::Groups, &world, &world.counts);
    let mut alike = fitted(MapName::Mixture, &world, &Array2::zeros(world.counts.dim()));
    let own = alike.parameters.len() - alike.layout.parameters();
    alike.regression = crate::belief::Regression {
        covariance: vec![vec![0.0; alike.regression.covariance.len()]; alike.regression.covariance.len()],
        ..alike.regression
    };
    alike.layout = grouped.layout.clone();
    alike.layout.name = MapName::Mixture;
    alike.parameters = grouped.parameters.iter().copied().chain(std::iter::repeat_n(0.0, own)).collect();
    alike.regression.coefficients.clone_from(&grouped.regression.coefficients);
    let size = alike.regression.coefficients.len() + alike.parameters.len();
    alike.regression.covariance = vec![vec![0.0; size]; size];
    let mut known = grouped.clone();
    let size = known.regression.covariance.len();
    known.regression.covariance = vec![vec![0.0; size]; size];
    for i in 0..40 {
        let [a, b] = [&alike, &known].map(|map| map.log_likelihood(&readings, world.counts.view(), i));
        assert!((a - b).abs() < 1e-10, "{i}: {a} for {b}");
    }
    let [a, b] = [&alike, &known].map(|map| map.posterior(&readings, world.counts.view()));
    for (a, b) in a.iter().zip(b.iter()) {
        let parts = |b: &crate::belief::Mixture| [b.total(), b.epistemic(), b.spread(), b.label_value(), b.evidence()];
        assert!(parts(&a).iter().zip(parts(&b)).all(|(a, b)| (a - b).abs() < 1e-9 * b.max(1.0)), "{a:?} {b:?}");
    }
}

/// It finds two kinds of items where there are two, which no map of one Dirichlet distribution can say, and its
/// intervals hold; the labels decide which kind an item is of.
#[test]
fn two_kinds_of_items_are_told_apart_by_their_labels() {
    let items = 400;
    let world = of_two_kinds(items, 21);
    let design = world.design();
    let readings = world.judged(&design);
    let [mixed, grouped] = [MapName::Mixture, MapName::Groups].map(|rung| fitted(rung, &world, &world.counts));
    assert!(mixed.regression.converged, "{:?}", mixed.regression);
    let fresh = of_two_kinds(items, 22);
    let fresh_design = fresh.design();
    let fresh_readings = fresh.judged(&fresh_design);
    let all = |map: &Map| -> f64 {
        (0..items).map(|i| map.log_likelihood(&fresh_readings, fresh.counts.view(), i)).sum::<f64>() / items as f64
    };
    let ahead = all(&mixed) - all(&grouped);
    assert!(ahead > 0.05, "{ahead} nats per item");
    let (mut inside, mut cells) = (0.0, 0.0);
    let beliefs = mixed.posterior(&fresh_readings, fresh.counts.view());
    for (belief, p) in beliefs.iter().zip(fresh.p.rows()) {
        for (class, p) in p.iter().enumerate() {
            inside += f64::from(u8::from((0.025..=0.975).contains(&belief.share_cdf(class, *p))));
            cells += 1.0;
        }
    }
    assert!((0.93..0.97).contains(&(inside / cells)), "{}", inside / cells);
    let error = |map: &Map| {
        let beliefs = map.posterior(&readings, world.counts.view());
        let of = |i: usize| beliefs.get(i).manhattan(world.p.row(i).to_slice().unwrap());
        (0..items).map(of).sum::<f64>() / items as f64
    };
    assert!(error(&mixed) < error(&grouped) - 0.01, "{} {}", error(&mixed), error(&grouped));
}

/// Where the judge is right a mixture is no better than the prediction as it is, and little worse; the labels do not
/// take it.
#[test]
fn labels_that_want_no_components_lose_little_by_them() {
    let world = World::draw(200, 31, as_stated);
    let design = world.design();
    let readings = JudgedItems { variants: &[], ..world.judged(&design) };
    let means = |rung: MapName| world.error(&fitted(rung, &world, &world.counts).predictions(&readings));
    let (mixed, stated) = (means(MapName::Mixture), means(MapName::Identity));
    assert!(mixed < stated + 0.02, "{mixed} {stated}");
    let (map, choice) = choose(&readings, world.counts.view(), ChoiceOptions { mixture: true }).unwrap();
    assert_ne!(map.name(), MapName::Mixture);
    let error = world.error(&map.predictions(&readings));
    assert!(error < stated + 0.002, "{} at {}: {error} {stated}", map.name(), choice.strength);
    assert!(choice.candidates.iter().any(|candidate| candidate.map == MapName::Mixture));
    let few: Array2<u32> =
        Array2::from_shape_fn(world.counts.dim(), |(i, j)| if i < 20 { world.counts[[i, j]] } else { 0 });
    let (_, without) = choose(&readings, few.view(), ChoiceOptions::default()).unwrap();
    assert!(!without.candidates.is_empty());
    assert!(without.candidates.iter().all(|candidate| candidate.map != MapName::Mixture));
}

/// Its mean predicts labels held out better than one component's does, by some hundredths of a nat.
#[test]
fn labels_bear_the_mixture_out_where_there_are_two_kinds_of_items() {
    let world = of_two_kinds(300, 23);
    let design = world.design();
    let readings = JudgedItems { variants: &[], ..world.judged(&design) };
    let (_, choice) = choose(&readings, world.counts.view(), ChoiceOptions { mixture: true }).unwrap();
    let held_out = |name| choice.candidates.iter().find(|candidate| candidate.map == name).unwrap().held_out;
    let ahead = held_out(MapName::Mixture) - held_out(MapName::Groups).max(held_out(MapName::Smoothing));
    assert!(ahead > 0.03, "{:?}", choice.candidates);
}

/// A map of a file is refused where it contradicts itself.
#[test]
fn malformed_mixtures_are_refused() {
    let world = of_two_kinds(60, 5);
    let map = fitted(MapName::Mixture, &world, &world.counts);
    assert_eq!(map.check(&["x"], 3, 2), Ok(()));
    let text = serde_json::to_value(&map).unwrap();
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut text = text.clone();
        change(&mut text);
        let map: Map = serde_json::from_value(text).unwrap();
        map.check(&["x"], 3, 2).unwrap_err().to_string()
    };
    let said = refused(&|text| text["components"] = 3.into());
    assert!(said.contains("components are 3 and must be 4"), "{said}");
    let said = refused(&|text| {
        text.as_object_mut().unwrap().remove("components");
    });
    assert!(said.contains("components are 0"), "{said}");
    let said = refused(&|text| text["layout"]["rung"] = "groups".into());
    assert!(said.contains("components are 4 and must be 0"), "{said}");
    let said = refused(&|text| {
        text["parameters"].as_array_mut().unwrap().pop();
    });
    assert!(said.contains("parameters"), "{said}");
}

/// Numbers that no fit has are applied without a panic, whatever comes of them.
#[test]
fn numbers_that_no_fit_has_can_be_computed_with() {
    let world = of_two_kinds(12, 5);
    let design = world.design();
    let map = fitted(MapName::Mixture, &world, &world.counts);
    for wild in [1e300, -1e300, 700.0] {
        for k in 0..map.parameters.len() {
            let mut map = map.clone();
            map.parameters[k] = wild;
            let at = map.regression.coefficients.len() + k;
            map.regression.covariance[at][at] = wild;
            let beliefs = map.posterior(&world.judged(&design), world.counts.view());
            assert!(beliefs.iter().all(|belief| belief.spread() >= 0.0 && belief.total() >= 0.0), "{k} {wild}");
        }
    }
}

/// Few labels leave more unknown of every component.
#[test]
fn what_is_unknown_of_the_components_lowers_their_trust() {
    let lowered = |items: usize| {
        let world = of_two_kinds(items, 5);
        let design = world.design();
        let map = fitted(MapName::Mixture, &world, &world.counts);
        let of = |i: usize| {
            let prior = map.prior(&world.judged(&design), i);
            prior.trust / prior.trust_of_known_map
        };
        (0..items).map(of).sum::<f64>() / items as f64
    };
    let (few, many) = (lowered(40), lowered(300));
    assert!(few < many && many <= 1.0 + 1e-9, "{few} {many}");
}

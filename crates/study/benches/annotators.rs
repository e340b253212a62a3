//! How often the intervals of labels by a trait of the annotators hold what they are about: new items labelled by the
//! same annotators.
//!
//! `cargo bench -p judge-uncertainty-study --bench annotators -- [STUDIES [FIRST_SEED]]` prints a table of `evidence/`.
//! With a third argument `check` it prints nothing but what misses more often than chance explains, and fails where
//! something does.
//!
//! Twelve annotators, four of each of three values, who label each item with probability 1/4. Each agrees with the
//! judge as often as suits him or her, all less on hard items; on a scale each is as strict as suits him or her, and
//! items are judged too high or too low.

use std::process::ExitCode;

use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::estimator::Design;
use judge_uncertainty_core::stats::{Estimable, mean};
use judge_uncertainty_study::results::annotators::{LabelledSample, Trait, TraitLabel};
use rayon::prelude::*;

const ANNOTATORS: usize = 12;
const VALUES: [&str; 3] = ["a", "b", "c"];
const ITEMS: [usize; 3] = [60, 200, 1000];
/// Shares of the classes that the judge finds likeliest.
const JUDGED: [f64; 3] = [0.6, 0.3, 0.1];
/// How much less annotators agree on the hardest item.
const HARD: f64 = 0.6;
const MEASURES: [&str; 5] = [
    "agreement",
    "agreement minus the others'",
    "share of a class",
    "above the judge",
    "above the judge, minus the others",
];
/// Held less often than this in so many studies, an interval breaks its promise of 0.95; three standard errors of 1,000
/// studies.
const LEAST: f64 = 0.93;

/// What an annotator is like: how often they agree on the easiest item, and how far above the judge they label.
fn annotators() -> Vec<(f64, f64)> {
    (0..ANNOTATORS).map(|k| (0.95 - 0.05 * k as f64, 0.2 * k as f64 - 1.0)).collect()
}

fn value_of(annotator: usize) -> &'static str {
    VALUES[annotator % VALUES.len()]
}

/// What the intervals of a value are about, in the order of [`MEASURES`].
fn truth(value: &str) -> [f64; 5] {
    let of = |own: bool| annotators().into_iter().enumerate().filter(move |(k, _)| (value_of(*k) == value) == own);
    let agreement = |own| mean(&of(own).map(|(_, one)| one.0 * (1.0 - HARD / 2.0)).collect::<Vec<_>>());
    let above = |own| mean(&of(own).map(|(_, one)| one.1).collect::<Vec<_>>());
    let (agree, others) = (agreement(true), agreement(false));
    // Who does not agree says the class before.
    let share = agree * JUDGED[0] + (1.0 - agree) * JUDGED[1];
    [agree, agree - others, share, above(true), above(true) - above(false)]
}

fn labels(items: usize, stream: &mut Stream) -> (Vec<TraitLabel>, Vec<TraitLabel>) {
    let (mut classes, mut scores) = (vec![], vec![]);
    for item in 0..items {
        let (hard, off) = (stream.random(), stream.standard_normal());
        let u = stream.random();
        let judged = if u < JUDGED[0] { 0 } else { 1 + usize::from(u >= JUDGED[0] + JUDGED[1]) };
        for (annotator, (agrees, above)) in annotators().into_iter().enumerate() {
            if stream.random() >= 0.25 {
                continue;
            }
            let agrees = stream.random() < agrees * (1.0 - HARD * hard);
            let class = if agrees { judged } else { (judged + 2) % 3 };
            classes.push(TraitLabel { item, annotator, against: f64::from(u8::from(agrees)), class: Some(class) });
            scores.push(TraitLabel { item, annotator, against: above + off + stream.standard_normal(), class: None });
        }
    }
    (classes, scores)
}

/// Per measure, whether the interval held in each value of one study, and how wide it was; `None` where not estimable.
fn study(items: usize, seed: u64) -> [Vec<Option<(bool, f64)>>; 5] {
    let (of_classes, of_scores) = labels(items, &mut Stream::new(seed));
    let values: Vec<Option<&str>> = (0..ANNOTATORS).map(|annotator| Some(value_of(annotator))).collect();
    let names = ["x", "y", "z"].map(str::to_owned);
    let (items, design): (Vec<usize>, _) = ((0..items).collect(), Design::random((0..items).collect()));
    let measured = |classes, ordered| LabelledSample { classes, ordered, items: &items, design: &design };
    let classes = Trait::new("t", &values, &of_classes, &measured(&names, false));
    let scores = Trait::new("t", &values, &of_scores, &measured(&[], true));
    let mut found: [Vec<_>; 5] = Default::default();
    for (group, of_scale) in classes.groups.iter().zip(&scores.groups) {
        for (group, measured) in [
            (
                group,
                [(0, group.agreement.as_ref()), (1, Some(&group.against_others)), (2, Some(&group.shares[0].share))]
                    .as_slice(),
            ),
            (of_scale, [(3, of_scale.deviation.as_ref()), (4, Some(&of_scale.against_others))].as_slice()),
        ] {
            let truth = truth(group.value.as_deref().expect("all values are stated"));
            for (k, measured) in measured {
                let estimate = measured.and_then(Estimable::estimate);
                found[*k].push(estimate.map(|e| ((e.lo..=e.hi).contains(&truth[*k]), e.hi - e.lo)));
            }
        }
    }
    found
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let number = |k: usize, default: u64| arguments.get(k).and_then(|word| word.parse().ok()).unwrap_or(default);
    let check = arguments.iter().any(|word| word == "check");
    let (studies, first) = (number(0, 1000), number(1, 0));
    let mut failed = false;
    if !check {
        println!("| items | what | coverage | width | not estimable |\n|--:|---|--:|--:|--:|");
    }
    for items in ITEMS {
        let found: Vec<_> = (first..first + studies).into_par_iter().map(|seed| study(items, seed)).collect();
        for (k, name) in MEASURES.iter().enumerate() {
            let all: Vec<Option<(bool, f64)>> = found.iter().flat_map(|study| study[k].clone()).collect();
            let known: Vec<(bool, f64)> = all.iter().copied().flatten().collect();
            let held = known.iter().filter(|one| one.0).count() as f64 / known.len() as f64;
            let width = mean(&known.iter().map(|one| one.1).collect::<Vec<_>>());
            let missing = (all.len() - known.len()) as f64 / all.len() as f64;
            if !check {
                println!("| {items} | {name} | {held:.3} | {width:.3} | {missing:.3} |");
            } else if held < LEAST - 3.0 * (0.05 * 0.95 / known.len() as f64).sqrt() {
                println!("{items} items, {name}: intervals hold in {held:.3} of the studies");
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

//! How often intervals over items hold for labels on a scale: places, and scores.
//!
//! `cargo bench -p judge-uncertainty-study --bench on_a_scale -- [STUDIES [FIRST_SEED]]` simulates studies whose items
//! have one or three labels, as `few_labels` does for classes, and prints a table of `evidence/`: of judge and
//! recalibrated belief on held-out labels, and of two judges that are equally good. What an interval is to hold is had
//! from 100,000 further items of five labels each; for fits, the mean of each fold's fit over 2,000 of them. With a
//! third argument `check` only studies of 50 and 150 items are made, nothing is printed but what misses more often than
//! chance explains in 1 of 1,000 cells, and it fails where something does; with `judge` there are no fits, so that
//! thousands of studies take a minute.

use std::process::ExitCode;

use judge_uncertainty_core::belief::{BeliefModel, Design, JudgeScores, TrustPrior};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::beta::most_by_chance;
use judge_uncertainty_core::stats::estimator::{Ask, Design as Sample};
use judge_uncertainty_core::stats::{Estimable, mean};
use judge_uncertainty_evaluation::held_out::{
    FOLDS, Given, ItemScores, Prediction, Score, ScoreTable, Scored, folds, score,
};
use judge_uncertainty_evaluation::{CountPool, Fitted, RatingPool};
use judge_uncertainty_formats::Predictions;
use judge_uncertainty_study::evaluate::held_out::minus;
use ndarray::Array2;
use rayon::prelude::*;

/// Further items that say what is true, and the labels of each.
const MANY: usize = 100_000;
const LABELS_OF_MANY: usize = 5;
/// Of these each fold's fit is held against so many.
const OF_A_FOLD: usize = 2_000;
const PLACES: usize = 5;

/// A kind of labels: pools of items under the published belief, of judges that are equally good, over the same labels.
struct Case<P> {
    name: &'static str,
    pools: fn(usize, usize, usize, &mut Stream) -> Vec<P>,
    recalibrated: fn(P) -> P,
}

/// Differences of the items that have both scores.
fn both(a: &ItemScores, b: &ItemScores) -> Vec<f64> {
    minus(a, b).into_iter().flatten().collect()
}

fn shares(alpha: [f64; PLACES], stream: &mut Stream) -> [f64; PLACES] {
    let gammas = alpha.map(|a| stream.gamma(a) + 1e-9);
    let sum: f64 = gammas.iter().sum();
    gammas.map(|g| g / sum)
}

/// Places 1 to 5: what a judge knows of an item's labels is worth eight of them, and it states it too sharply.
fn places(items: usize, labels: usize, judges: usize, stream: &mut Stream) -> Vec<CountPool> {
    let mut stated = vec![Array2::zeros((items, PLACES)); judges];
    let mut counts = Array2::zeros((items, PLACES));
    for i in 0..items {
        let p = shares([0.6, 0.8, 1.0, 0.8, 0.4], stream);
        for stated in &mut stated {
            let known = shares(p.map(|p| 8.0 * p + 0.05), stream);
            let sharp = known.map(|k| k.powf(1.5) + 1e-3);
            let sum: f64 = sharp.iter().sum();
            (0..PLACES).for_each(|k| stated[[i, k]] = sharp[k] / sum);
        }
        for _ in 0..labels {
            let mut u = stream.random();
            let place = p.iter().position(|p| {
                u -= p;
                u < 0.0
            });
            counts[[i, place.unwrap_or(PLACES - 1)]] += 1;
        }
    }
    let scale: Vec<f64> = (1..=PLACES).map(|place| place as f64).collect();
    let pool = |q: Array2<f64>| {
        let judge = Predictions { q, spread: vec![None; items], confidence: vec![None; items] };
        let mut pool = CountPool::new(counts.view(), judge);
        (pool.places, pool.prior) = (Some(scale.clone()), TrustPrior::Weak);
        pool
    };
    stated.into_iter().map(pool).collect()
}

/// Ratings of a variance that differs from item to item; a judge is off by as much as a label, half a point too high,
/// and states deviations that are too small.
fn ratings(items: usize, labels: usize, judges: usize, stream: &mut Stream) -> Vec<RatingPool> {
    let mut stated = vec![JudgeScores { mean: vec![], variance: vec![] }; judges];
    let mut all = vec![];
    for _ in 0..items {
        let sd = (0.3 * stream.standard_normal()).exp();
        let middle = 5.0 + 2.0 * stream.standard_normal();
        for judge in &mut stated {
            judge.mean.push(middle + 0.5 + sd * stream.standard_normal());
            judge.variance.push(Some((0.8 * sd).powi(2)));
        }
        all.push((0..labels).map(|_| vec![middle + sd * stream.standard_normal()]).collect::<Vec<_>>());
    }
    let pool = |judge| {
        let mut pool = RatingPool::new(all.clone(), judge);
        pool.prior = TrustPrior::Weak;
        pool
    };
    stated.into_iter().map(pool).collect()
}

/// What is checked in each study.
const CHECKED: [&str; 8] = [
    "log score of the judge",
    "ranked probability score of the judge",
    "squared score of the judge",
    "90% intervals of the judge that hold",
    "squared error of the judge",
    "labels less the judge's means",
    "recalibrated minus judge, log score",
    "recalibrated minus judge, squared score",
];

fn values(table: &ScoreTable, name: &str, given: Given, score: Score) -> ItemScores {
    let of = &table[&Prediction { name: name.to_owned(), given }];
    of.get(&score).cloned().unwrap_or_default()
}

fn known(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().copied().flatten().collect()
}

/// Score of the judge item by item.
fn judged<P: Scored>(pool: &P, score: Score) -> ItemScores {
    let k = pool.scores().iter().position(|one| *one == score);
    (0..pool.len()).map(|i| pool.judged_item(i)?.scores[k?]).collect()
}

/// The numbers per item whose mean is a checked quantity, in the order of [`CHECKED`] as far as it is about the judge
/// alone.
fn of_the_judge<P: Scored>(pool: &P) -> Vec<Vec<f64>> {
    let squared = judged(pool, Score::Squared);
    let off = |i: usize| Some(squared[i]? - pool.judged_item(i)?.disagreement?);
    let gap = |i: usize| pool.calibration(i).map(|(predicted, observed)| observed - predicted);
    vec![
        known(&judged(pool, Score::Log)),
        known(&judged(pool, Score::Crps)),
        known(&squared),
        known(&judged(pool, Score::Coverage)),
        (0..pool.len()).filter_map(off).collect(),
        (0..pool.len()).filter_map(gap).collect(),
    ]
}

/// What further items say.
struct Truth<P> {
    judge: Vec<f64>,
    /// Further items for each fold.
    further: Vec<P>,
}

fn truth<P: Scored>(case: &Case<P>) -> Truth<P> {
    let mut stream = Stream::new(77);
    let many = (case.pools)(MANY, LABELS_OF_MANY, 1, &mut stream).remove(0);
    let judge: Vec<f64> = of_the_judge(&many).iter().map(|values| mean(values)).collect();
    let further = (0..FOLDS).map(|_| (case.pools)(OF_A_FOLD, LABELS_OF_MANY, 1, &mut stream).remove(0));
    Truth { judge, further: further.map(case.recalibrated).collect() }
}

/// What is asked of the simulations.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    All,
    Check,
    Judge,
}

/// Each checked quantity with its interval and what that is to hold; those of fits left out where only the judge is
/// asked for.
fn study<P: Scored>(
    case: &Case<P>,
    truth: &Truth<P>,
    (items, labels): (usize, usize),
    seed: u64,
    asked: Asked,
) -> Vec<(Estimable, f64)> {
    let mut stream = Stream::new(seed);
    let published = (case.pools)(items, labels, 1, &mut stream).remove(0);
    let mut found: Vec<(Estimable, f64)> = of_the_judge(&published)
        .iter()
        .enumerate()
        .map(|(k, values)| {
            let estimable = match k {
                3 => over(values, |values| Ask::share(values)),
                _ => over(values, |values| Ask::mean(values)),
            };
            (estimable, truth.judge[k])
        })
        .collect();
    if asked == Asked::Judge {
        return found;
    }
    let own = (case.recalibrated)(published);
    let folds = folds(&(0..items).collect::<Vec<_>>(), &mut stream);
    let own = &own;
    let table = score(&[("recalibrated".to_owned(), own as &dyn Scored)], &[], &folds).expect("there are labels").table;
    let design = Design::constant(items);
    let mut expected = [0.0; 2];
    for (fold, further) in truth.further.iter().enumerate() {
        let hidden: Vec<bool> = folds.iter().map(|f| *f == fold).collect();
        let fitted = Fitted::new(own, design.clone(), &own.without(&hidden)).expect("there are labels");
        let none = further.without(&[true; OF_A_FOLD]);
        let beliefs = further.beliefs(&fitted.fit, &Design::constant(OF_A_FOLD), &none);
        for (k, score) in [Score::Log, Score::Squared].into_iter().enumerate() {
            let at = further.scores().iter().position(|one| *one == score).expect("labels on a scale have it");
            let of = |i: usize| further.forecast(&beliefs, i).scores[0].as_ref()?[at];
            let belief: ItemScores = (0..OF_A_FOLD).map(of).collect();
            expected[k] += mean(&both(&belief, &judged(further, score))) / FOLDS as f64;
        }
    }
    for (expected, score) in expected.into_iter().zip([Score::Log, Score::Squared]) {
        let of = |name: &str| values(&table, name, Given::NoLabel, score);
        found.push((over(&both(&of("recalibrated"), &of("judge")), fitted), expected));
    }
    found
}

/// The mean over items with the interval that is printed.
fn over(values: &[f64], ask: fn(&[Option<f64>]) -> Ask<'_>) -> Estimable {
    Sample::random((0..values.len()).collect()).estimate(&ask(&values.iter().copied().map(Some).collect::<Vec<_>>()))
}

fn fitted(values: &[Option<f64>]) -> Ask<'_> {
    Ask::difference(values, true)
}

fn plain(values: &[Option<f64>]) -> Ask<'_> {
    Ask::difference(values, false)
}

/// Two judges that are equally good: which of them is called better, for the judges as they are and for the
/// recalibrated beliefs.
fn null<P: Scored>(case: &Case<P>, items: usize, labels: usize, seed: u64) -> [[bool; 2]; 2] {
    let mut stream = Stream::new(seed);
    let pools = (case.pools)(items, labels, 2, &mut stream);
    let folds = folds(&(0..items).collect::<Vec<_>>(), &mut stream);
    let of = |pool: P| {
        let own = (case.recalibrated)(pool);
        score(&[("own".to_owned(), &own as &dyn Scored)], &[], &folds).expect("there are labels").table
    };
    let tables: Vec<ScoreTable> = pools.into_iter().map(of).collect();
    let given = if labels > 1 { Given::OtherLabels } else { Given::NoLabel };
    [("judge", Given::NoLabel, false), ("own", given, true)].map(|(name, given, fitted)| {
        let [one, other] = [0, 1].map(|k| values(&tables[k], name, given, Score::Log));
        let found = over(&both(&other, &one), if fitted { self::fitted } else { plain });
        found.estimate().map_or([false; 2], |found| [found.lo > 0.0, found.hi < 0.0])
    })
}

/// Prints the rows of a kind, or what is beyond chance; whether nothing is.
fn rows<P: Scored>(case: &Case<P>, studies: u64, first: u64, asked: Asked) -> (bool, Vec<String>) {
    let check = asked == Asked::Check;
    let truth = truth(case);
    let (mut kept, mut nulls) = (true, vec![]);
    let sizes: &[usize] = if check { &[50, 150] } else { &[50, 150, 1000] };
    for &items in sizes {
        for labels in [1, 3] {
            let seeds = || (first..first + studies).into_par_iter();
            let found: Vec<_> = seeds().map(|seed| study(case, &truth, (items, labels), seed, asked)).collect();
            for (k, what) in CHECKED.iter().enumerate().take(found[0].len()) {
                let known: Vec<_> =
                    found.iter().filter_map(|found| Some((*found[k].0.estimate()?, found[k].1))).collect();
                let n = known.len() as f64;
                let low = known.iter().filter(|(e, truth)| e.hi < *truth).count();
                let high = known.iter().filter(|(e, truth)| e.lo > *truth).count();
                let beyond = (low + high) as u64 > most_by_chance(known.len() as u64, 0.05, 1e-3);
                kept &= !beyond;
                let row = format!("| {} | {items} | {labels} | {what} |", case.name);
                match known.is_empty() {
                    _ if check && !beyond => {}
                    true => println!("{row} not estimable | | | |"),
                    false => {
                        let width = mean(&known.iter().map(|(e, _)| e.hi - e.lo).collect::<Vec<_>>());
                        let [low, high] = [low, high].map(|count| count as f64 / n);
                        println!("{row} {:.3} | {low:.3} | {high:.3} | {width:.3} |", 1.0 - low - high);
                    }
                }
            }
            if asked == Asked::Judge {
                continue;
            }
            let called: Vec<_> = seeds().map(|seed| null(case, items, labels, seed)).collect();
            let count = |what: usize, side: usize| called.iter().filter(|called| called[what][side]).count() as u64;
            let cells = [count(0, 0), count(0, 1), count(1, 0), count(1, 1)];
            let beyond = cells.iter().any(|count| *count > most_by_chance(studies, 0.025, 1e-3));
            kept &= !beyond;
            if !check || beyond {
                let cells = cells.map(|count| format!("{:.3}", count as f64 / studies as f64)).join(" | ");
                nulls.push(format!("| {} | {items} | {labels} | {cells} |", case.name));
            }
        }
    }
    (kept, nulls)
}

fn main() -> ExitCode {
    let number = |k: usize| std::env::args().nth(k).and_then(|text| text.parse::<u64>().ok());
    let (studies, first) = (number(1).unwrap_or(200), number(2).unwrap_or(0));
    let asked = match std::env::args().nth(3).as_deref() {
        Some("check") => Asked::Check,
        Some("judge") => Asked::Judge,
        _ => Asked::All,
    };
    let on_places = Case {
        name: "places",
        pools: places,
        recalibrated: |mut pool| {
            pool.model = BeliefModel::Map(judge_uncertainty_core::belief::maps::MapName::Temperature);
            pool
        },
    };
    let on_scores = Case {
        name: "scores",
        pools: ratings,
        recalibrated: |mut pool| {
            pool.model = BeliefModel::Map(judge_uncertainty_core::belief::maps::MapName::Temperature);
            pool
        },
    };
    if asked != Asked::Check {
        println!("| labels | items | labels an item | what | coverage | too low | too high | width |");
        println!("|---|--:|--:|---|--:|--:|--:|--:|");
    }
    let (of_places, nulls_of_places) = rows(&on_places, studies, first, asked);
    let (of_scores, nulls_of_scores) = rows(&on_scores, studies, first, asked);
    if asked == Asked::All {
        println!(
            "\n| labels | items | labels an item | judge: first called better | second | belief: first | second \
             |\n|---|--:|--:|--:|--:|--:|--:|"
        );
    }
    nulls_of_places.iter().chain(&nulls_of_scores).for_each(|row| println!("{row}"));
    if of_places && of_scores { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

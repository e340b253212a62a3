//! How often intervals over items hold where items have 1 to 5 labels, and whether the better of two beliefs is found.
//!
//! `cargo bench -p judge-uncertainty-evaluation --bench few_labels -- [STUDIES [FIRST_SEED [null]]]` simulates studies
//! from nothing (items of three classes, labels, an overconfident judge) and prints a table of `evidence/`. What an
//! interval is to hold is had from 100,000 further items: for fits, the mean over the folds' fits of their scores on
//! 5,000 of them. With `null` two judges are equally good, and the table says how often one of them is called better.
//!
//! `few_labels check` simulates 40 studies of 50 and 150 items with one and three labels and fails where more than 7 of
//! the intervals for one quantity miss, or one of two equally good judges is called better on one side more than 5
//! times: chance gives either in less than 1 of 1,000 cells where the promise is kept.

use std::process::ExitCode;

use judge_uncertainty_core::belief::{BeliefModel, Design, TrustPrior};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::beta::most_by_chance;
use judge_uncertainty_core::stats::estimator::{Ask, Design as Sample, Estimable};
use judge_uncertainty_core::stats::{ItemEstimate, mean};
use judge_uncertainty_evaluation::held_out::{
    FOLDS, Given, ItemScores, Prediction, Score, ScoreTable, Scored, folds, score,
};
use judge_uncertainty_evaluation::{CountPool, Fitted, InHand, Pool};
use judge_uncertainty_formats::Predictions;
use ndarray::Array2;
use rayon::prelude::*;

/// Further items that say what is true.
const MANY: usize = 100_000;

/// Items with label distributions, a judge's predictions of them, and labels.
struct World {
    p: Array2<f64>,
    q: Array2<f64>,
    counts: Array2<u32>,
}

fn shares(alpha: [f64; 3], stream: &mut Stream) -> [f64; 3] {
    let gammas = alpha.map(|a| stream.gamma(a) + 1e-9);
    let sum: f64 = gammas.iter().sum();
    gammas.map(|g| g / sum)
}

/// What the judge knows is worth eight labels, and it states it too sharply: q is proportional to the square of what it
/// knows.
fn world(items: usize, labels: usize, stream: &mut Stream) -> World {
    let (mut p, mut q) = (Array2::zeros((items, 3)), Array2::zeros((items, 3)));
    let mut counts = Array2::zeros((items, 3));
    for i in 0..items {
        let known = shares([1.5, 1.0, 0.5], stream);
        let true_shares = shares(known.map(|k| 8.0 * k + 1e-6), stream);
        let sharp = known.map(|k| k * k + 1e-3);
        let sum: f64 = sharp.iter().sum();
        for k in 0..3 {
            (p[[i, k]], q[[i, k]]) = (true_shares[k], sharp[k] / sum);
        }
        for _ in 0..labels {
            let u = stream.random();
            counts[[i, usize::from(u > true_shares[0]) + usize::from(u > true_shares[0] + true_shares[1])]] += 1;
        }
    }
    World { p, q, counts }
}

fn pool(q: &Array2<f64>, counts: &Array2<u32>) -> CountPool {
    let n = q.nrows();
    let judge = Predictions { q: q.clone(), spread: vec![None; n], confidence: vec![None; n] };
    let mut pool = CountPool::new(counts.view(), judge);
    pool.prior = TrustPrior::Weak;
    pool
}

fn recalibrated(pool: &CountPool) -> CountPool {
    let mut pool = pool.clone();
    pool.model = BeliefModel::Map(judge_uncertainty_core::belief::maps::MapName::Temperature);
    pool
}

/// Expected log and Brier score of predictions `q` for labels from `p`, over items.
fn expected(q: &Array2<f64>, p: &Array2<f64>) -> [f64; 2] {
    let of = |(q, p): (ndarray::ArrayView1<f64>, ndarray::ArrayView1<f64>)| {
        let log: f64 = p.iter().zip(q).map(|(p, q)| -p * q.ln()).sum();
        let squares: f64 = q.iter().map(|q| q * q).sum();
        [log, 1.0 + squares - 2.0 * p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>()]
    };
    let all: Vec<[f64; 2]> = q.rows().into_iter().zip(p.rows()).map(of).collect();
    [0, 1].map(|k| mean(&all.iter().map(|one| one[k]).collect::<Vec<_>>()))
}

/// The share of each item's labels that are the judge's likeliest class.
fn agreement(world: &World) -> Vec<f64> {
    let hit = |(q, counts): (ndarray::ArrayView1<f64>, ndarray::ArrayView1<u32>)| {
        let judged = (0..3).rev().max_by(|&a, &b| q[a].total_cmp(&q[b])).expect("three classes");
        (counts.sum() > 0).then(|| f64::from(counts[judged]) / f64::from(counts.sum()))
    };
    world.q.rows().into_iter().zip(world.counts.rows()).filter_map(hit).collect()
}

/// What further items say of the judge: scores, squared error and agreement.
struct Truth {
    further: World,
    judge: [f64; 2],
    squared_error: f64,
    agreement: f64,
    calibration: f64,
}

fn truth() -> Truth {
    let further = world(MANY, 20, &mut Stream::new(77));
    let pool = pool(&further.q, &further.counts);
    let off = |i: usize| (0..3).map(|k| (further.q[[i, k]] - further.p[[i, k]]).powi(2)).sum::<f64>();
    let gaps: Vec<f64> = (0..MANY).filter_map(|i| pool.calibration(i)).map(|(q, y)| y - q).collect();
    Truth {
        judge: expected(&further.q, &further.p),
        squared_error: mean(&(0..MANY).map(off).collect::<Vec<_>>()),
        agreement: mean(&agreement(&further)),
        calibration: mean(&gaps),
        further,
    }
}

/// What is checked in each study.
const CHECKED: [&str; 7] = [
    "log score of the judge",
    "Brier score of the judge",
    "squared error of the judge",
    "agreement",
    "judge's overconfidence",
    "recalibrated minus judge, log score",
    "fall of the squared error by an item's other labels",
];

fn values(table: &ScoreTable, name: &str, given: Given, score: Score) -> ItemScores {
    table[&Prediction { name: name.to_owned(), given }][&score].clone()
}

fn minus(a: &ItemScores, b: &ItemScores) -> Vec<f64> {
    a.iter().zip(b).filter_map(|(a, b)| Some((*a)? - (*b)?)).collect()
}

/// Intervals of one study with what they are to hold, by [`CHECKED`], and whether the recalibrated belief is found to
/// be better than the published one: by its score, and by an interval.
type Checked = (Vec<Option<(ItemEstimate, f64)>>, [bool; 2]);

fn study(items: usize, labels: usize, seed: u64, truth: &Truth) -> Checked {
    let mut stream = Stream::new(seed);
    let world = world(items, labels, &mut stream);
    let published = pool(&world.q, &world.counts);
    let own = recalibrated(&published);
    let folds = folds(&(0..items).collect::<Vec<_>>(), &mut stream);
    let pools: [(String, &dyn Scored); 2] = [("published".to_owned(), &published), ("recalibrated".to_owned(), &own)];
    let table = score(&pools, &[], &folds).expect("labels of three classes").table;
    let of = |name: &str, given, score| values(&table, name, given, score);
    let judge: Vec<ItemScores> = [Score::Log, Score::Brier].map(|s| of("judge", Given::NoLabel, s)).to_vec();
    let known = |values: &ItemScores| values.iter().copied().flatten().collect::<Vec<f64>>();
    let squared: Vec<f64> =
        (0..items).filter_map(|i| Some(judge[1][i]? - published.judged_item(i)?.disagreement?)).collect();
    let hits = agreement(&world);
    let gaps: Vec<f64> = (0..items).filter_map(|i| published.calibration(i)).map(|(q, y)| y - q).collect();
    let difference = minus(&of("recalibrated", Given::NoLabel, Score::Log), &judge[0]);
    // The fits of the folds on items that none of them has seen.
    let further = &truth.further;
    let fit_of = |fold: usize| {
        let hidden: Vec<bool> = folds.iter().map(|f| *f == fold).collect();
        Fitted::new(&own, Design::constant(items), &own.without(&hidden)).expect("labels of three classes")
    };
    let fitted_to: Vec<_> = (0..FOLDS).map(fit_of).collect();
    let expected_of = |fold: usize| {
        let fitted = &fitted_to[fold];
        let none = Array2::zeros((5000, 3));
        let some = further.q.slice(ndarray::s![..5000, ..]).to_owned();
        let beliefs = recalibrated(&pool(&some, &none)).beliefs(
            &fitted.fit,
            &Design::constant(5000),
            &InHand::Classes(none.clone()),
        );
        let q = Array2::from_shape_fn((5000, 3), |(i, k)| {
            beliefs.of_classes().get(i).mean().nth(k).expect("three classes")
        });
        let p = further.p.slice(ndarray::s![..5000, ..]).to_owned();
        expected(&q, &p)[0] - expected(&some, &p)[0]
    };
    let fits = mean(&(0..FOLDS).map(expected_of).collect::<Vec<_>>());
    // Every fold has further items of its own, with one label less than the items of the study.
    let mut others = Stream::new(seed ^ (1 << 40));
    let mut fall_of = |fold: usize| {
        let part = MANY / FOLDS;
        let slice = |of: &Array2<f64>| of.slice(ndarray::s![fold * part..(fold + 1) * part, ..]).to_owned();
        let (some, p) = (slice(&further.q), slice(&further.p));
        let (none, mut counts) = (Array2::zeros((part, 3)), Array2::zeros((part, 3)));
        for i in 0..part {
            for _ in 1..labels {
                let u = others.random();
                counts[[i, usize::from(u > p[[i, 0]]) + usize::from(u > p[[i, 0]] + p[[i, 1]])]] += 1;
            }
        }
        let brier = |counts: &Array2<u32>| {
            let beliefs = recalibrated(&pool(&some, &none)).beliefs(
                &fitted_to[fold].fit,
                &Design::constant(part),
                &InHand::Classes(counts.clone()),
            );
            let m = Array2::from_shape_fn((part, 3), |(i, k)| {
                beliefs.of_classes().get(i).mean().nth(k).expect("three classes")
            });
            expected(&m, &p)[1]
        };
        brier(&none) - brier(&counts)
    };
    let falls = mean(&(0..FOLDS).map(&mut fall_of).collect::<Vec<_>>());
    let with_others = table.get(&Prediction { name: "recalibrated".to_owned(), given: Given::OtherLabels });
    let fall = with_others.map_or_else(Vec::new, |scores| {
        minus(&of("recalibrated", Given::NoLabel, Score::Brier), &scores[&Score::Brier])
    });
    let found = vec![
        (over(&known(&judge[0]), |values| Ask::mean(values)), truth.judge[0]),
        (over(&known(&judge[1]), |values| Ask::mean(values)), truth.judge[1]),
        (over(&squared, |values| Ask::mean(values)), truth.squared_error),
        (over(&hits, |values| Ask::share(values)), truth.agreement),
        (over(&gaps, |values| Ask::mean(values)), truth.calibration),
        (over(&difference, fitted), fits),
        (over(&fall, fitted), falls),
    ];
    let given = if labels > 1 { Given::OtherLabels } else { Given::NoLabel };
    let better = over(&minus(&of("recalibrated", given, Score::Log), &of("published", given, Score::Log)), fitted);
    let better = better.estimate().map_or([false; 2], |better| [better.value < 0.0, better.hi < 0.0]);
    (found.into_iter().map(|(found, truth)| found.estimate().map(|found| (*found, truth))).collect(), better)
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

/// Two judges that are equally good: which of them is called better, for the judges as they are and for the beliefs
/// about them, that know the item's other labels where there are any.
fn null(items: usize, labels: usize, seed: u64) -> [[bool; 2]; 2] {
    let mut stream = Stream::new(seed);
    let (mut q, mut other) = (Array2::zeros((items, 3)), Array2::zeros((items, 3)));
    let mut counts = Array2::zeros((items, 3));
    for i in 0..items {
        let p = shares([1.5, 1.0, 0.5], &mut stream);
        let judged = [(); 2].map(|()| shares(p.map(|p| 6.0 * p + 0.2), &mut stream));
        (0..3).for_each(|k| (q[[i, k]], other[[i, k]]) = (judged[0][k], judged[1][k]));
        for _ in 0..labels {
            let u = stream.random();
            counts[[i, usize::from(u > p[0]) + usize::from(u > p[0] + p[1])]] += 1;
        }
    }
    let folds = folds(&(0..items).collect::<Vec<_>>(), &mut stream);
    let of = |q: &Array2<f64>| {
        score(&[("published".to_owned(), &pool(q, &counts) as &dyn Scored)], &[], &folds).expect("labels").table
    };
    let tables = [of(&q), of(&other)];
    let given = if labels > 1 { Given::OtherLabels } else { Given::NoLabel };
    let called = |name: &str, given: Given, fitted: bool| {
        let [one, other] = tables.each_ref().map(|table| values(table, name, given, Score::Log));
        let apart = minus(&other, &one);
        let found = over(&apart, if fitted { self::fitted } else { plain });
        found.estimate().map_or([false; 2], |found| [found.lo > 0.0, found.hi < 0.0])
    };
    [called("judge", Given::NoLabel, false), called("published", given, true)]
}

fn nulls(studies: u64, first: u64) {
    println!(
        "\n| items | labels | judge: first called better | second | belief: first | second |\n|--:|--:|--:|--:|--:|--:|"
    );
    for items in [50, 150, 1000] {
        for labels in [1, 3] {
            let found: Vec<_> =
                (first..first + studies).into_par_iter().map(|seed| null(items, labels, seed)).collect();
            let share = |what: usize, side: usize| {
                found.iter().filter(|called| called[what][side]).count() as f64 / found.len() as f64
            };
            let cells = [share(0, 0), share(0, 1), share(1, 0), share(1, 1)];
            println!("| {items} | {labels} | {} |", cells.map(|share| format!("{share:.3}")).join(" | "));
        }
    }
}

/// The quick form: whether the promises are kept.
fn check() -> ExitCode {
    const STUDIES: u64 = 40;
    let (truth, mut kept) = (truth(), true);
    for (items, labels) in [(50, 1), (50, 3), (150, 1), (150, 3)] {
        let found: Vec<Checked> = (0..STUDIES).into_par_iter().map(|seed| study(items, labels, seed, &truth)).collect();
        for (k, what) in CHECKED.iter().enumerate() {
            let known = found.iter().filter_map(|(found, _)| found[k]);
            let missed = known.filter(|(e, truth)| !(e.lo..=e.hi).contains(truth)).count() as u64;
            let most = most_by_chance(STUDIES, 0.05, 1e-3);
            println!(
                "{items} items, {labels} labels, {what}: {missed} of {STUDIES} intervals miss, at most {most} may"
            );
            kept &= missed <= most;
        }
        let called: Vec<_> = (0..STUDIES).into_par_iter().map(|seed| null(items, labels, seed)).collect();
        let most = most_by_chance(STUDIES, 0.025, 1e-3);
        for (what, name) in ["judge", "belief"].iter().enumerate() {
            let sides = [0, 1].map(|side| called.iter().filter(|called| called[what][side]).count() as u64);
            println!(
                "{items} items, {labels} labels, equal {name}s: called better {sides:?} times, at most {most} may"
            );
            kept &= sides.into_iter().all(|count| count <= most);
        }
    }
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("check") {
        return check();
    }
    let number = |k: usize| std::env::args().nth(k).and_then(|n| n.parse().ok());
    let (studies, first) = (number(1).unwrap_or(200), number(2).unwrap_or(0));
    if std::env::args().nth(3).as_deref() == Some("null") {
        nulls(studies, first);
        return ExitCode::SUCCESS;
    }
    let truth = truth();
    println!("| items | labels | what | coverage | too low | too high | width |");
    println!("|--:|--:|---|--:|--:|--:|--:|");
    let mut picks = vec![];
    for items in [50, 150, 1000] {
        for labels in [1, 2, 3, 5] {
            let found: Vec<Checked> =
                (first..first + studies).into_par_iter().map(|seed| study(items, labels, seed, &truth)).collect();
            for (k, what) in CHECKED.iter().enumerate() {
                let known: Vec<(ItemEstimate, f64)> = found.iter().filter_map(|(found, _)| found[k]).collect();
                if known.is_empty() {
                    println!("| {items} | {labels} | {what} | not estimable | | | |");
                    continue;
                }
                let share = |of: &dyn Fn(&(ItemEstimate, f64)) -> bool| {
                    known.iter().filter(|one| of(one)).count() as f64 / known.len() as f64
                };
                let (low, high) = (share(&|(e, truth)| e.hi < *truth), share(&|(e, truth)| e.lo > *truth));
                let width = mean(&known.iter().map(|(e, _)| e.hi - e.lo).collect::<Vec<_>>());
                println!(
                    "| {items} | {labels} | {what} | {:.3} | {low:.3} | {high:.3} | {width:.3} |",
                    1.0 - low - high
                );
            }
            let share = |k: usize| found.iter().filter(|(_, better)| better[k]).count() as f64 / found.len() as f64;
            picks.push((items, labels, share(0), share(1)));
        }
    }
    println!("\n| items | labels | better belief has the better score | and its interval says so |\n|--:|--:|--:|--:|");
    picks.iter().for_each(|(items, labels, picked, told)| println!("| {items} | {labels} | {picked:.3} | {told:.3} |"));
    ExitCode::SUCCESS
}

//! How often the intervals of reliability figures hold: a table of `evidence/`.
//!
//! `cargo bench -p judge-uncertainty-study --bench reliability -- [STUDIES [FIRST_SEED]]` simulates studies of two
//! classes whose judge is right, overconfident or off along a curve, with one or up to five labels an item, and counts
//! the intervals of the points and of the mean, of the judge and of the belief under a temperature and biases fitted to
//! the other folds, which hold what new items of the point's predictions would give.

use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{BeliefModel, Design, TrustPrior};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::estimator::Design as Sample;
use judge_uncertainty_core::stats::{Estimable, mean};
use judge_uncertainty_evaluation::held_out::{FOLDS, folds};
use judge_uncertainty_evaluation::{CountPool, Fitted, InHand, Pool};
use judge_uncertainty_formats::Predictions;
use judge_uncertainty_study::evaluate::reliability::Reliable;
use ndarray::Array2;
use rayon::prelude::*;

/// What an item's expected log odds are to the judge.
type Stated = fn(f64) -> f64;

const JUDGES: [(&str, Stated); 3] =
    [("right", |x| x), ("overconfident", |x| 2.0 * x), ("curved", |x| x + 0.8 * (1.5 * x).sin())];
const SIZES: [usize; 3] = [40, 150, 600];
/// What an item's expected labels are worth as a prediction of its own.
const TRUST: f64 = 8.0;
/// Further items that say what is true.
const MANY: usize = 20_000;
const SPREAD: f64 = 1.5;

fn share(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

fn pool(log_odds: &[f64], counts: &Array2<u32>) -> CountPool {
    let q = Array2::from_shape_fn((log_odds.len(), 2), |(i, j)| share(if j == 1 { log_odds[i] } else { -log_odds[i] }));
    let judge = Predictions { q, spread: vec![None; log_odds.len()], confidence: vec![None; log_odds.len()] };
    let belief = BeliefModel::Map(MapName::Temperature);
    CountPool::new(counts.view(), judge).with_prior(TrustPrior::Weak).with_belief(belief, vec![])
}

/// Predictions of items that the fit has not seen.
fn predicted(fitted: &Fitted, pool: &CountPool, items: usize) -> Vec<f64> {
    let none = InHand::Classes(Array2::zeros((items, 2)));
    let beliefs = pool.beliefs(&fitted.fit, &Design::constant(items), &none);
    (0..items).map(|i| beliefs.of_classes().get(i).mean().nth(1).expect("two classes")).collect()
}

/// Further items' predictions with what their labels are expected to be, lowest prediction first, and the sums of the
/// latter.
struct Further {
    predicted: Vec<f64>,
    sums: Vec<f64>,
}

impl Further {
    fn new(mut items: Vec<(f64, f64)>) -> Self {
        items.sort_by(|a, b| a.0.total_cmp(&b.0));
        let add = |sum: &mut f64, (_, truth): &(f64, f64)| {
            *sum += truth;
            Some(*sum)
        };
        let sums = std::iter::once(0.0).chain(items.iter().scan(0.0, add)).collect();
        Self { predicted: items.into_iter().map(|(predicted, _)| predicted).collect(), sums }
    }

    /// What is expected of items with predictions in a range, if there are enough.
    fn expected(&self, lo: f64, hi: f64) -> Option<f64> {
        let at = |x: f64| self.predicted.partition_point(|p| *p < x);
        let (from, to) = (at(lo), at(hi));
        (to >= from + 20).then(|| (self.sums[to] - self.sums[from]) / (to - from) as f64)
    }
}

/// How often intervals hold.
#[derive(Clone, Copy, Default)]
struct Held {
    points: [u32; 2],
    means: [u32; 2],
}

fn count(held: &mut [u32; 2], interval: &Estimable, truth: f64) {
    if let Some(interval) = interval.estimate() {
        held[0] += u32::from((interval.lo..=interval.hi).contains(&truth));
        held[1] += 1;
    }
}

impl Held {
    /// Of predictions with the shares of labels that were seen.
    fn new(pairs: Vec<(f64, f64)>, further: &Further, gap: f64) -> Self {
        let mut sorted: Vec<f64> = pairs.iter().map(|(predicted, _)| *predicted).collect();
        sorted.sort_by(f64::total_cmp);
        let random = Sample::random((0..pairs.len()).collect());
        let found = Reliable::new(&random, &pairs.into_iter().map(Some).collect::<Vec<_>>(), true);
        let mut held = Self::default();
        count(&mut held.means, &found.labels_above, gap);
        let mut from = 0;
        // A point reaches to the middle between its last prediction and the next one.
        let edge = |k: usize| match k {
            0 => 0.0,
            k if k >= sorted.len() => 1.0 + 1e-9,
            k => 0.5 * (sorted[k - 1] + sorted[k]),
        };
        for point in &found.points {
            let (lo, hi) = (edge(from), edge(from + point.items));
            from += point.items;
            if let Some(truth) = further.expected(lo, hi) {
                count(&mut held.points, &point.observed, truth);
            }
        }
        held
    }

    fn plus(self, other: Self) -> Self {
        let add = |a: [u32; 2], b: [u32; 2]| [a[0] + b[0], a[1] + b[1]];
        Self { points: add(self.points, other.points), means: add(self.means, other.means) }
    }

    fn row(self) -> String {
        [self.points, self.means]
            .map(|[held, all]| format!("{:.3} of {all}", f64::from(held) / f64::from(all)))
            .join(" | ")
    }
}

/// Judge and belief in one study.
fn study(stated: Stated, items: usize, most_labels: u32, seed: u64) -> [Held; 2] {
    let mut stream = Stream::new(seed);
    let mut counts = Array2::zeros((items, 2));
    let mut log_odds = vec![];
    for i in 0..items {
        let x = SPREAD * stream.standard_normal();
        let (a, b) = (stream.gamma(TRUST * share(x)), stream.gamma(TRUST * share(-x)));
        for _ in 0..1 + stream.choice(most_labels) {
            counts[[i, usize::from(stream.random() * (a + b) < a)]] += 1;
        }
        log_odds.push(x);
    }
    let says = |x: &f64| stated(*x);
    let own = pool(&log_odds.iter().map(says).collect::<Vec<_>>(), &counts);
    let further: Vec<f64> = (0..MANY).map(|_| SPREAD * stream.standard_normal()).collect();
    let others = pool(&further.iter().map(says).collect::<Vec<_>>(), &Array2::zeros((MANY, 2)));
    let observed: Vec<f64> = counts.rows().into_iter().map(|c| f64::from(c[1]) / f64::from(c[0] + c[1])).collect();
    let truth: Vec<f64> = further.iter().map(|x| share(*x)).collect();
    let hold = |of_items: Vec<f64>, of_further: Vec<(f64, f64)>| {
        let gap = mean(&of_further.iter().map(|(predicted, truth)| truth - predicted).collect::<Vec<_>>());
        Held::new(of_items.into_iter().zip(observed.iter().copied()).collect(), &Further::new(of_further), gap)
    };
    let of_judge = |x: &[f64]| x.iter().map(|x| share(stated(*x))).collect::<Vec<_>>();
    let judge = hold(of_judge(&log_odds), of_judge(&further).into_iter().zip(truth.iter().copied()).collect());

    let dealt = folds(&(0..items).collect::<Vec<_>>(), &mut stream);
    let (mut of_items, mut of_further) = (vec![0.0; items], vec![]);
    for fold in 0..FOLDS {
        let hidden: Vec<bool> = dealt.iter().map(|f| *f == fold).collect();
        let labels = own.without(&hidden);
        let fitted = Fitted::new(&own, Design::constant(items), &labels).expect("there are labels");
        let mine = predicted(&fitted, &own, items);
        (0..items).filter(|&i| hidden[i]).for_each(|i| of_items[i] = mine[i]);
        of_further.extend(predicted(&fitted, &others, MANY).into_iter().zip(truth.iter().copied()));
    }
    [judge, hold(of_items, of_further)]
}

fn main() {
    let number = |k: usize| std::env::args().nth(k).and_then(|text| text.parse::<u64>().ok());
    let (studies, first) = (number(1).unwrap_or(500), number(2).unwrap_or(0));
    println!("| judge | items | labels an item | judge: points | judge: mean | belief: points | belief: mean |");
    println!("|---|--:|---|---|---|---|---|");
    for (name, stated) in JUDGES {
        for items in SIZES {
            for most_labels in [1, 5] {
                let found: Vec<[Held; 2]> = (first..first + studies)
                    .into_par_iter()
                    .map(|seed| study(stated, items, most_labels, seed))
                    .collect();
                let [judge, belief] =
                    [0, 1].map(|k| found.iter().fold(Held::default(), |held, found| held.plus(found[k])).row());
                let labels = if most_labels == 1 { "1" } else { "1 to 5" };
                println!("| {name} | {items} | {labels} | {judge} | {belief} |");
            }
        }
    }
}

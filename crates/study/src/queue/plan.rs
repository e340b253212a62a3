//! How many labels, on which items, and for what: planned from the present belief, before any is asked for.

use serde::Serialize;

use crate::evaluate::held_out::{HeldOutScores, MOST_ITEMS};
use crate::model::kind::Quantity;
use crate::model::kind::{Decomposition, Kind, Study};
use judge_uncertainty_core::belief::Belief;
use judge_uncertainty_core::escalation::{Observed, Selection, allocate, weighted_mean};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::over_items::{LEAST_ITEMS, reach_over};
use judge_uncertainty_core::stats::{Estimable, mean};
use judge_uncertainty_evaluation::held_out::Score;
use judge_uncertainty_evaluation::protocol::seeded;

/// Version of the layout of a plan.
pub const SCHEMA: u32 = 1;
/// Number of the stream that draws the labels of plans.
const PLAN_STREAM: u64 = u64::MAX - 2;
/// Sets of labels drawn from the belief, whose intervals have the planned width on average.
const DRAWS: usize = 40;
/// Sets of labels for more items than [`MOST_ITEMS`], whose intervals hardly vary.
const FEW_DRAWS: usize = 4;
/// Steps of a plan: tenths of the items, as labels.
const STEPS: usize = 10;

/// What further labels are expected to give.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// Version of the layout.
    pub schema: u32,
    /// The kind of labels.
    pub kind: &'static str,
    /// Items.
    pub items: usize,
    /// Expected squared error of the belief's means now, averaged over all items.
    pub error: f64,
    /// Whether `items.cost` says what a label of an item costs; it counts as 1 otherwise.
    pub with_costs: bool,
    /// What each further tenth gives, where every label goes to the item that has the highest expected fall of the
    /// squared error per cost at that point.
    pub steps: Vec<Step>,
    /// When to stop under a price; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// Width of the 95% interval of each quantity over all items, if so many items drawn at random get one label each.
    pub shares: Vec<PlannedShare>,
    /// Width of the 95% intervals of agreement and of comparisons, if so many items had labels as the labelled ones
    /// have now.
    pub comparisons: Vec<PlannedComparison>,
}

/// One step of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Step {
    /// Further labels so far.
    pub labels: usize,
    /// Items that get any.
    pub on_items: usize,
    /// What they cost.
    pub cost: f64,
    /// Expected squared error then, averaged over all items.
    pub error: f64,
    /// How much this step lowers the squared error, summed over items, per unit of its cost.
    pub value_per_cost: f64,
}

/// When further labels are no longer worth their price.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stop {
    /// The least squared error, summed over items, that a unit of cost has to remove.
    pub price: f64,
    /// Labels that are worth it: the next tenth of labels would remove less. All steps are worth it where it is the
    /// last one.
    pub labels: usize,
    /// Whether no step is left that is not worth its price.
    pub all_worth_it: bool,
}

/// The planned width of a quantity's interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlannedShare {
    /// The quantity, as `labels estimate` calls it.
    pub quantity: String,
    /// By number of items.
    pub widths: Vec<Width>,
}

/// The planned width of an interval over items.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlannedComparison {
    /// What it is about.
    pub what: String,
    /// By number of labelled items.
    pub widths: Vec<Width>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_estimable: Option<String>,
}

/// A width at a number of items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Width {
    /// Items.
    pub items: usize,
    /// Upper end less lower end; `None` where so few items give no interval.
    pub width: Option<f64>,
}

impl Plan {
    /// Plans further labels from a belief and from what held-out labels say so far; `price` is as in [`Stop`].
    pub fn new<K: Kind>(
        study: &Study<K>,
        decomposition: &Decomposition<K>,
        held_out: &HeldOutScores,
        price: Option<f64>,
    ) -> Self {
        let items = study.len();
        let ones = vec![1.0; items];
        let costs = study.items.costs.as_deref().unwrap_or(&ones);
        let steps = steps(decomposition, costs);
        let worth = |price: f64| steps.iter().take_while(|step| step.value_per_cost >= price).count();
        let stop = price.map(|price| Stop {
            price,
            labels: worth(price).checked_sub(1).map_or(0, |last| steps[last].labels),
            all_worth_it: worth(price) == steps.len(),
        });
        Self {
            schema: SCHEMA,
            kind: K::FACTS.name,
            items,
            error: mean(&decomposition.map(|belief| belief.spread())),
            with_costs: study.items.costs.is_some(),
            stop,
            steps,
            shares: shares(study, decomposition),
            comparisons: comparisons(held_out, items),
        }
    }
}

/// Numbers of items or labels at which plans look.
fn sizes(items: usize) -> impl Iterator<Item = usize> {
    (1..=STEPS).map(move |step| items * step / STEPS).filter(|size| *size > 0)
}

fn steps<K: Kind>(decomposition: &Decomposition<K>, costs: &[f64]) -> Vec<Step> {
    let items = decomposition.len();
    let value = |i: usize, k: u32| decomposition.belief(i).label_value_after(k) / costs[i];
    let (mut before, mut paid) = (decomposition.map(|belief| belief.spread()).iter().sum::<f64>(), 0.0);
    let step = |labels: usize| {
        let given = allocate(items, labels, u32::MAX, &decomposition.luck.jitter, value);
        let left: f64 = given.iter().enumerate().map(|(i, k)| decomposition.belief(i).spread_after(*k)).sum();
        let cost: f64 = given.iter().zip(costs).map(|(k, cost)| f64::from(*k) * cost).sum();
        let step = Step {
            labels,
            on_items: given.iter().filter(|k| **k > 0).count(),
            cost,
            error: left / items as f64,
            value_per_cost: (before - left) / (cost - paid),
        };
        (before, paid) = (left, cost);
        step
    };
    sizes(items).map(step).collect()
}

/// Widths from labels that the belief expects: one for each of so many items, drawn at random, estimated as `labels
/// estimate` does.
fn shares<K: Kind>(study: &Study<K>, decomposition: &Decomposition<K>) -> Vec<PlannedShare> {
    let quantities = K::quantities(&study.file.config.scale);
    let mut stream = seeded(study.file.config.seed, PLAN_STREAM);
    let draws = if study.len() > MOST_ITEMS { FEW_DRAWS } else { DRAWS };
    let mut widths: Vec<Vec<Width>> = vec![vec![]; quantities.len()];
    for size in sizes(study.len()) {
        let mut found: Vec<Vec<f64>> = vec![vec![]; quantities.len()];
        for _ in 0..draws {
            let (selection, observed) = drawn(study, decomposition, size, &mut stream);
            for (k, quantity) in quantities.iter().enumerate() {
                let estimate = weighted_mean(&selection, &observed[k], None, quantity.range, 0.95);
                found[k].extend(estimate.ok().map(|estimate| estimate.high - estimate.low));
            }
        }
        for (widths, found) in widths.iter_mut().zip(found) {
            widths.push(Width { items: size, width: (!found.is_empty()).then(|| mean(&found)) });
        }
    }
    let planned = |(quantity, widths): (Quantity, Vec<Width>)| PlannedShare { quantity: quantity.name, widths };
    quantities.into_iter().zip(widths).map(planned).collect()
}

/// A random sample of items and one label of each from the belief, by quantity.
fn drawn<K: Kind>(
    study: &Study<K>,
    decomposition: &Decomposition<K>,
    size: usize,
    stream: &mut Stream,
) -> (Selection, Vec<Vec<Option<Observed>>>) {
    let order: Vec<usize> = (0..study.len()).collect();
    let selection = Selection::exploring(&order, size, 1.0, stream);
    let mut observed = vec![vec![None; study.len()]; K::quantities(&study.file.config.scale).len()];
    for &i in &selection.drawn {
        let label = K::fresh_label(study, decomposition, i, stream.random());
        observed.iter_mut().zip(label).for_each(|(of, value)| of[i] = Some(Observed::once(value)));
    }
    (selection, observed)
}

/// An interval's width shrinks with the number of items as [`reach_over`] says; `fitted` where one prediction is fitted
/// to them.
fn scaled(now: &Estimable, fitted: bool, items: usize) -> Option<Vec<Width>> {
    let now = now.estimate()?;
    let wide = |n: usize| (now.hi - now.lo) * reach_over(n, fitted) / reach_over(now.items, fitted);
    let width = |items: usize| Width { items, width: (items >= LEAST_ITEMS).then(|| wide(items)) };
    Some(sizes(items).map(width).collect())
}

fn comparisons(held_out: &HeldOutScores, items: usize) -> Vec<PlannedComparison> {
    let report = match held_out {
        HeldOutScores::Scored(report) => report,
        HeldOutScores::NotEstimable { not_estimable } => {
            let (what, not_estimable) = ("agreement and comparisons".to_owned(), Some(not_estimable.clone()));
            return vec![PlannedComparison { what, widths: vec![], not_estimable }];
        }
    };
    let of = |what: String, now: &Estimable, fitted: bool| PlannedComparison {
        what,
        widths: scaled(now, fitted, items).unwrap_or_default(),
        not_estimable: now.reason().map(str::to_owned),
    };
    let mut found = vec![of("agreement beyond chance".to_owned(), &report.agreement.beyond_chance, false)];
    let observed = report.agreement.observed.as_ref();
    found.extend(observed.map(|observed| of("agreement".to_owned(), observed, false)));
    let log = report.comparisons.iter().filter(|one| one.score == Score::Log);
    found.extend(log.map(|one| {
        let what = format!("log score, {} against {}", one.name(), one.than_name());
        of(what, &one.advantage, one.is_fitted())
    }));
    found
}

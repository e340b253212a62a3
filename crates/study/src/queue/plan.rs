//! How many labels, on which items, and for what: planned from the present belief, before any is asked for.

use serde::Serialize;

use crate::evaluate::OrReason;
use crate::evaluate::belief_check::CheckedBelief;
use crate::evaluate::held_out::{HeldOutReport, LabelGain, MOST_ITEMS};
use crate::model::kind::Estimand;
use crate::model::kind::{Decomposition, Kind, Study};
use judge_uncertainty_core::belief::Belief;
use judge_uncertainty_core::escalation::{Selection, allocate};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::estimator::{Ask, Design, LEAST_ITEMS, reach_over};
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
pub struct LabelPlan {
    /// Version of the layout.
    pub schema: u32,
    /// The kind of labels.
    pub kind: &'static str,
    /// Items.
    pub items: usize,
    /// Squared error of the belief's means now, averaged over all items: as labels show it, where they do.
    pub error: f64,
    /// What the belief itself foresees.
    pub foreseen: f64,
    /// Why errors are those that the belief foresees; `None` where they are as labels show them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_checked: Option<String>,
    /// Whether `items.cost` says what a label of an item costs; it counts as 1 otherwise.
    pub with_costs: bool,
    /// What each further tenth gives, where every label goes to the item that has, as the belief foresees it, the
    /// highest expected fall of the squared error per cost at that point.
    pub steps: Vec<Step>,
    /// When to stop under a price; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<StoppingPoint>,
    /// What further labels of an item did for its prediction, on labels held out; `None` where that can't be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<LabelGain>,
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
    /// What the belief itself foresees.
    pub foreseen: f64,
    /// How much this step lowers the squared error, summed over items, per unit of its cost.
    pub value_per_cost: f64,
}

/// When further labels are no longer worth their price.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StoppingPoint {
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
    pub widths: Vec<PlannedWidth>,
}

/// The planned width of an interval over items.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlannedComparison {
    /// What it is about.
    pub what: String,
    /// By number of labelled items.
    pub widths: Vec<PlannedWidth>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_estimable: Option<String>,
}

/// A width at a number of items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PlannedWidth {
    /// Items.
    pub items: usize,
    /// Upper end less lower end; `None` where so few items give no interval.
    pub width: Option<f64>,
}

impl LabelPlan {
    /// Plans further labels from a belief and from what held-out labels say so far; `price` is as in [`StoppingPoint`].
    pub fn new<K: Kind>(
        study: &Study<K>,
        decomposition: &Decomposition<K>,
        held_out: &OrReason<HeldOutReport>,
        price: Option<f64>,
    ) -> Self {
        let items = study.len();
        let ones = vec![1.0; items];
        let costs = study.items.costs.as_deref().unwrap_or(&ones);
        let checked = checked(held_out);
        let known = checked.as_ref().ok().copied();
        let steps = steps(decomposition, known, costs);
        let worth = |price: f64| steps.iter().take_while(|step| step.value_per_cost >= price).count();
        let stop = price.map(|price| StoppingPoint {
            price,
            labels: worth(price).checked_sub(1).map_or(0, |last| steps[last].labels),
            all_worth_it: worth(price) == steps.len(),
        });
        Self {
            schema: SCHEMA,
            kind: K::FACTS.name,
            items,
            error: error_after(decomposition, known, &vec![0; items]),
            foreseen: mean(&decomposition.map(|belief| belief.spread())),
            not_checked: checked.err(),
            with_costs: study.items.costs.is_some(),
            stop,
            held_out: held_out.found().and_then(|report| report.label_gain),
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

/// What labels say of the belief's errors, or why they say nothing.
fn checked(held_out: &OrReason<HeldOutReport>) -> Result<CheckedBelief, String> {
    let report = match held_out {
        OrReason::Found(report) => report,
        OrReason::NotEstimable { not_estimable } => return Err(not_estimable.clone()),
    };
    let check = report.belief_check.as_ref().ok_or("the belief was not held against labels")?;
    let reason = || match check.before_labels.found.reason() {
        Some(reason) => reason.to_owned(),
        None => "labels do not tell the belief's error from 0".to_owned(),
    };
    check.checked().ok_or_else(reason)
}

/// Mean error of a belief's means over all items, after so many further labels of each: as labels show it where they
/// are `checked`, as the belief foresees it otherwise.
fn error_after<K: Kind>(decomposition: &Decomposition<K>, checked: Option<CheckedBelief>, given: &[u32]) -> f64 {
    let after = |(i, &k): (usize, &u32)| {
        let (belief, is_labelled) = (decomposition.belief(i), decomposition.numbers[i] > 0);
        match checked {
            Some(checked) => checked.error_after(&belief, is_labelled, k),
            None => belief.spread_after(k),
        }
    };
    mean(&given.iter().enumerate().map(after).collect::<Vec<_>>())
}

fn steps<K: Kind>(decomposition: &Decomposition<K>, checked: Option<CheckedBelief>, costs: &[f64]) -> Vec<Step> {
    let items = decomposition.len();
    let value = |i: usize, k: u32| decomposition.belief(i).label_value_after(k) / costs[i];
    let (mut before, mut paid) = (error_after(decomposition, checked, &vec![0; items]) * items as f64, 0.0);
    let step = |labels: usize| {
        let given = allocate(items, labels, u32::MAX, &decomposition.luck.jitter, value);
        let left = error_after(decomposition, checked, &given) * items as f64;
        let foreseen: f64 = given.iter().enumerate().map(|(i, k)| decomposition.belief(i).spread_after(*k)).sum();
        let cost: f64 = given.iter().zip(costs).map(|(k, cost)| f64::from(*k) * cost).sum();
        let step = Step {
            labels,
            on_items: given.iter().filter(|k| **k > 0).count(),
            cost,
            error: left / items as f64,
            foreseen: foreseen / items as f64,
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
    let mut widths: Vec<Vec<PlannedWidth>> = vec![vec![]; quantities.len()];
    for size in sizes(study.len()) {
        let mut found: Vec<Vec<f64>> = vec![vec![]; quantities.len()];
        for _ in 0..draws {
            let (selection, observed) = drawn(study, decomposition, size, &mut stream);
            for (k, quantity) in quantities.iter().enumerate() {
                let values: Vec<Option<f64>> = selection.drawn.iter().map(|&i| observed[k][i]).collect();
                let design = Design::random_of((0..values.len()).collect(), study.len());
                let estimate =
                    design.estimate(&Ask::mean(&values).within(quantity.range.0, quantity.range.1).of_study());
                found[k].extend(estimate.estimate().map(|estimate| estimate.hi - estimate.lo));
            }
        }
        for (widths, found) in widths.iter_mut().zip(found) {
            widths.push(PlannedWidth { items: size, width: (!found.is_empty()).then(|| mean(&found)) });
        }
    }
    let planned = |(quantity, widths): (Estimand, Vec<PlannedWidth>)| PlannedShare { quantity: quantity.name, widths };
    quantities.into_iter().zip(widths).map(planned).collect()
}

/// A random sample of items and one label of each from the belief, by quantity.
fn drawn<K: Kind>(
    study: &Study<K>,
    decomposition: &Decomposition<K>,
    size: usize,
    stream: &mut Stream,
) -> (Selection, Vec<Vec<Option<f64>>>) {
    let order: Vec<usize> = (0..study.len()).collect();
    let selection = Selection::exploring(&order, size, 1.0, stream);
    let mut observed = vec![vec![None; study.len()]; K::quantities(&study.file.config.scale).len()];
    for &i in &selection.drawn {
        let label = K::fresh_label(study, decomposition, i, stream.random());
        observed.iter_mut().zip(label).for_each(|(of, value)| of[i] = Some(value));
    }
    (selection, observed)
}

/// An interval's width shrinks with the number of items as [`reach_over`] says; `fitted` where one prediction is fitted
/// to them.
fn scaled(now: &Estimable, fitted: bool, items: usize) -> Option<Vec<PlannedWidth>> {
    let now = now.estimate()?;
    let wide = |n: usize| (now.hi - now.lo) * reach_over(n, fitted) / reach_over(now.items, fitted);
    let width = |items: usize| PlannedWidth { items, width: (items >= LEAST_ITEMS).then(|| wide(items)) };
    Some(sizes(items).map(width).collect())
}

fn comparisons(held_out: &OrReason<HeldOutReport>, items: usize) -> Vec<PlannedComparison> {
    let report = match held_out {
        OrReason::Found(report) => report,
        OrReason::NotEstimable { not_estimable } => {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Classes;
    use judge_uncertainty_system::progress::Silent;
    use std::fs;

    const ITEMS: usize = 400;

    /// Three classes, and an overconfident judge: what experts say of each item, and what the judge says.
    fn world(stream: &mut Stream) -> Vec<[[f64; 3]; 2]> {
        let mut drawn = |alpha: [f64; 3]| {
            let gammas = alpha.map(|a| stream.gamma(a) + 1e-9);
            let sum: f64 = gammas.iter().sum();
            gammas.map(|g| g / sum)
        };
        let mut item = |_| {
            let p = drawn([1.5, 1.0, 0.5]);
            let q = drawn(p.map(|p| 8.0 * p + 0.05)).map(|q| q * q + 1e-3);
            let sum: f64 = q.iter().sum();
            [p, q.map(|q| q / sum)]
        };
        (0..ITEMS).map(&mut item).collect()
    }

    /// The study of such items with so many labels each, under the published belief.
    fn study(items: &[[[f64; 3]; 2]], labels: &[[u32; 3]]) -> (Study<Classes>, Decomposition<Classes>) {
        let folder = tempfile::tempdir().unwrap();
        let (mut ids, mut judge, mut counts) =
            ("id\n".to_owned(), "id,p_a,p_b,p_c\n".to_owned(), "id,n_a,n_b,n_c\n".to_owned());
        for (i, ([_, q], [a, b, c])) in items.iter().zip(labels).enumerate() {
            ids += &format!("i{i}\n");
            judge += &format!("i{i},{},{},{}\n", q[0], q[1], 1.0 - q[0] - q[1]);
            counts += &format!("i{i},{a},{b},{c}\n");
        }
        let toml = "title = \"t\"\nclasses = [\"a\", \"b\", \"c\"]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \
                    \"judge.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"labels.csv\"\nform = \
                    \"counts\"\n[trust]\nbelief = \"published\"\n";
        for (name, text) in [("items.csv", &*ids), ("judge.csv", &judge), ("labels.csv", &counts), ("study.toml", toml)]
        {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let study = Study::load(folder.path()).unwrap();
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        (study, decomposition)
    }

    fn actual(items: &[[[f64; 3]; 2]], decomposition: &Decomposition<Classes>) -> f64 {
        let of = |(i, [p, _]): (usize, &[[f64; 3]; 2])| -> f64 {
            decomposition.belief(i).mean().zip(p).map(|(m, p)| (m - p).powi(2)).sum()
        };
        mean(&items.iter().enumerate().map(of).collect::<Vec<_>>())
    }

    /// The published belief of an overconfident judge errs by more than twice what it foresees; a plan says what labels
    /// show, also of labels that are not there yet.
    #[test]
    fn a_plan_is_held_to_what_labels_show() {
        let (mut now, mut half, mut foreseen) = (vec![], vec![], vec![]);
        for seed in 0..6 {
            let mut stream = Stream::new(seed);
            let items = world(&mut stream);
            let mut label = |i: usize, labels: &mut [[u32; 3]]| {
                let u = stream.random();
                let p = items[i][0];
                labels[i][usize::from(u > p[0]) + usize::from(u > p[0] + p[1])] += 1;
            };
            let mut labels = vec![[0; 3]; ITEMS];
            (0..100).for_each(|i| (0..3).for_each(|_| label(i, &mut labels)));
            let (pilot, decomposition) = study(&items, &labels);
            let held_out = HeldOutReport::new(&pilot, &decomposition);
            let plan = LabelPlan::new(&pilot, &decomposition, &held_out, None);
            assert_eq!(plan.not_checked, None);
            now.push(plan.error / actual(&items, &decomposition));
            foreseen.push(plan.foreseen / actual(&items, &decomposition));
            let step = plan.steps[4];
            let value = |i: usize, k: u32| decomposition.belief(i).label_value_after(k);
            let given = allocate(ITEMS, step.labels, u32::MAX, &decomposition.luck.jitter, value);
            given.iter().enumerate().for_each(|(i, k)| (0..*k).for_each(|_| label(i, &mut labels)));
            let (_, decomposition) = study(&items, &labels);
            half.push(step.error / actual(&items, &decomposition));
        }
        let [now, half, foreseen] = [now, half, foreseen].map(|ratios| mean(&ratios));
        assert!((now - 1.0).abs() < 0.2 && (half - 1.0).abs() < 0.2, "planned over actual: {now}, then {half}");
        assert!(foreseen < 0.6, "the belief foresees {foreseen} of it");
    }
}

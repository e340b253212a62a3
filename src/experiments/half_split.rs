//! Escalation evaluated by splitting each item's labels in half: the engine of Experiment 2, for any pool of labels.
//!
//! One half is what fitting and buying may use, the other the truth. Of the first half some labels are revealed; the
//! trust is fitted to them, every rule ranks the items, and one further label of the half is bought for each item that a
//! rule escalates (the paper, Sec. 4 and 5.3).

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::Error;
use super::split::subsample;
use super::world::uniforms;
use crate::belief::{BeliefModel, Beliefs, Design, FeatureColumn, FittedBelief, JudgedItems, dirichlet::row};
use crate::dataset::Predictions;
use crate::escalation::value::{bought_labels_value, pool_values};
use crate::escalation::{Budget, Rule, RuleInputs, top};
use crate::familiarity::features::{FamiliarityFeatures, SelfNeighbour, familiarity};
use crate::familiarity::neighbours::{NeighbourLists, Neighbours};
use crate::random::Stream;
use crate::stats::{Summary, mean, population_sd};

const CEILING_SPLITS: usize = 100;

/// What an evaluation varies and draws from.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Seed of all streams; 0 gives the streams of the paper.
    pub seed: u64,
    /// Numbers of labels that an item may hold before escalation, each as likely as the others.
    pub reveal: Vec<u32>,
    /// Budgets in ascending order.
    pub budgets: Vec<Budget>,
    /// Rules, in the order in which they are evaluated (it is part of the random stream).
    pub rules: Vec<Rule>,
    /// The belief that is fitted; the paper's is [`BeliefModel::Published`].
    pub belief: BeliefModel,
}

/// Distances to labelled items, searched once and filtered in each replicate.
pub struct Familiarity<'a> {
    engine: &'a dyn Neighbours,
    lists: NeighbourLists,
    neighbours: usize,
    mode: SelfNeighbour,
}

impl<'a> Familiarity<'a> {
    /// `neighbours` labelled neighbours make the mean distance.
    pub fn new(engine: &'a dyn Neighbours, neighbours: usize, mode: SelfNeighbour) -> Self {
        Self { engine, lists: NeighbourLists::build(engine, list_width(neighbours)), neighbours, mode }
    }

    /// Distances of every item to those that hold labels.
    pub fn features(&self, numbers: &[u32]) -> FamiliarityFeatures {
        let labelled: Vec<bool> = numbers.iter().map(|&n| n > 0).collect();
        familiarity(&self.lists, self.engine, &labelled, self.neighbours, self.mode)
    }
}

/// How many neighbours are searched for each item when `neighbours` labelled ones are wanted.
///
/// Four in five items are labelled by default, so ten labelled neighbours are nearly always among the nearest 32.
pub fn list_width(neighbours: usize) -> usize {
    3 * neighbours + 2
}

/// Features of all items from the numbers of labels that they hold and, where familiarity is known, their distances to
/// labelled items.
pub type Features<'a> = Box<dyn Fn(&[u32], Option<&FamiliarityFeatures>) -> Vec<FeatureColumn> + Sync + 'a>;

/// Items with a pool of labels each, their predictions and features.
pub struct HalfSplit<'a> {
    pool: Array2<u32>,
    halves: Vec<u32>,
    judge: Predictions,
    familiarity: Option<Familiarity<'a>>,
    features: Features<'a>,
    groups: Vec<usize>,
    settings: Settings,
}

/// The labels of one replicate.
pub struct Labels {
    /// First half: what fitting and buying may use.
    pub half_a: Array2<u32>,
    /// How many of them are revealed per item.
    pub numbers: Vec<u32>,
    /// The revealed labels.
    pub revealed: Array2<u32>,
    /// The rest of the first half, from which labels are bought.
    pub unrevealed: Array2<u32>,
    /// Distribution of the second half: the truth of the evaluation.
    pub truth: Array2<f64>,
}

impl Labels {
    /// Splits pools of labels (items x classes) in halves, the first the smaller one, and reveals so many labels of each
    /// first half as a draw from `reveal` says, or all of them.
    pub fn draw(pool: ArrayView2<u32>, reveal: &[u32], stream: &mut Stream) -> Self {
        let halves = halves(pool);
        let half_a = subsample(stream, pool, &halves);
        let asked: Vec<u32> = halves.iter().map(|_| reveal[stream.choice(reveal.len() as u32) as usize]).collect();
        let numbers: Vec<u32> = asked.iter().zip(&halves).map(|(&n, &half)| n.min(half)).collect();
        let revealed = subsample(stream, half_a.view(), &numbers);
        let half_b = &pool - &half_a;
        let truth = half_b.mapv(f64::from);
        let sizes = half_b.sum_axis(Axis(1)).mapv(f64::from).insert_axis(Axis(1));
        Labels { unrevealed: &half_a - &revealed, half_a, numbers, revealed, truth: truth / sizes }
    }
}

/// Labels in the first half of every pool.
fn halves(pool: ArrayView2<u32>) -> Vec<u32> {
    pool.rows().into_iter().map(|labels| labels.sum() / 2).collect()
}

/// One replicate under one feature set.
pub struct Outcome {
    /// The fitted belief.
    pub fit: FittedBelief,
    /// Posterior beliefs.
    pub beliefs: Beliefs,
    /// What was measured.
    pub measured: Measured,
}

/// A value by rule and budget.
pub type ByRuleAndBudget<T> = BTreeMap<Rule, BTreeMap<Budget, T>>;
/// Summaries by rule and budget.
pub type ByRule = ByRuleAndBudget<Summary>;

/// What one replicate measures under one feature set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Manhattan error removed by one bought label per escalated item, summed over them.
    pub value: ByRuleAndBudget<f64>,
    /// The most that escalation can be expected to remove: the oracle ranks by the expected value of a label from the pool.
    pub oracle: BTreeMap<Budget, f64>,
    /// Mean Manhattan and squared error over the items that are not escalated, the latter less the noise of the truth.
    pub selective: ByRuleAndBudget<[f64; 2]>,
    /// Standard deviation over items of ln lambda.
    pub sd_log_trust: f64,
    /// Mean over items of ln lambda.
    pub mean_log_trust: f64,
    /// Mean Manhattan error of the posterior mean over all items.
    pub mean_error: f64,
    /// Fitted coefficients, intercept first.
    pub coefficients: Vec<(String, f64)>,
    /// Whether the fit converged.
    pub converged: bool,
    /// Newton steps of the fit.
    pub iterations: usize,
}

/// What escalation achieves under one feature set, over replicates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Escalation {
    /// Manhattan error removed by one bought label per escalated item, summed over them.
    pub value: ByRule,
    /// The same minus judge entropy's, paired within replicate.
    pub minus_judge_entropy: ByRule,
    /// The same minus fewest-labels-first's, paired within replicate.
    pub minus_fewest_labels: ByRule,
    /// Mean Manhattan error over the items that are not escalated.
    pub selective_error: ByRule,
    /// Mean squared error over the items that are not escalated, less the sampling noise of the truth.
    pub selective_squared_error: ByRule,
    /// Standard deviation over items of ln lambda.
    pub sd_log_trust: Summary,
    /// Mean Manhattan error of the posterior mean over all items.
    pub mean_error: Summary,
    /// Fitted coefficients, intercept first.
    pub coefficients: Vec<(String, Summary)>,
    /// exp of ln lambda averaged over items and replicates: what a typical prediction is worth, in labels.
    pub labels_worth: f64,
    /// Fits that did not converge.
    pub unconverged_fits: usize,
    /// Largest number of Newton steps.
    pub most_iterations: usize,
}

impl<'a> HalfSplit<'a> {
    /// An evaluation of items whose labels are `pool`, items x classes, each with two labels or more.
    ///
    /// # Panics
    /// If the shapes of pool and predictions differ, or an item has fewer than two labels.
    pub fn new(
        pool: ArrayView2<u32>,
        judge: Predictions,
        familiarity: Option<Familiarity<'a>>,
        features: Features<'a>,
        settings: Settings,
    ) -> Self {
        assert_eq!(pool.dim(), judge.q.dim(), "a pool of labels per prediction");
        let halves = halves(pool);
        assert!(halves.iter().all(|&half| half > 0), "every item needs labels for both halves");
        let pool = pool.as_standard_layout().into_owned();
        Self { pool, halves, judge, familiarity, features, groups: vec![], settings }
    }

    /// The same evaluation with the group of each item, counted from 0, for beliefs that are fitted by group.
    pub fn with_groups(self, groups: Vec<usize>) -> Self {
        Self { groups, ..self }
    }

    /// The stream of replicate `replicate`: that of the seed `replicate` + 2^64 x the seed of the settings.
    pub fn stream(&self, replicate: u64) -> Stream {
        seeded(self.settings.seed, replicate)
    }

    /// What is evaluated.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Half split and revealed labels of one replicate.
    pub fn draw_labels(&self, stream: &mut Stream) -> Labels {
        Labels::draw(self.pool.view(), &self.settings.reveal, stream)
    }

    /// Labels of the second half.
    fn truth_sizes(&self) -> impl Iterator<Item = f64> {
        self.pool.rows().into_iter().zip(&self.halves).map(|(labels, half)| f64::from(labels.sum() - half))
    }

    /// Features of all items in a replicate.
    pub fn features(&self, labels: &Labels) -> Vec<FeatureColumn> {
        let near = self.familiarity.as_ref().map(|familiarity| familiarity.features(&labels.numbers));
        (self.features)(&labels.numbers, near.as_ref())
    }

    /// Fits, ranks and buys under the given features.
    ///
    /// Stream: jitter, random scores, then one draw per bought label by rule and budget.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn evaluate(&self, labels: &Labels, features: &[FeatureColumn], stream: &mut Stream) -> Result<Outcome, Error> {
        let items = self.pool.nrows();
        let design = if features.is_empty() { Design::constant(items) } else { Design::standardized(features)? };
        let judged = JudgedItems { design: &design, q: self.judge.q.view(), groups: &self.groups };
        let fit = self.settings.belief.fit(&judged, labels.revealed.view())?;
        let log_trust = fit.log_trust(&judged);
        let beliefs = fit.posterior(&judged, labels.revealed.view());
        let jitter = uniforms(stream, items);
        let random = uniforms(stream, items);
        let inputs = RuleInputs {
            beliefs: &beliefs,
            q: &self.judge.q,
            confidence: &self.judge.confidence,
            labels: &labels.numbers,
            jitter: &jitter,
            random: &random,
        };
        let budgets = &self.settings.budgets;
        let errors = ItemErrors::of(&beliefs, labels.truth.view(), self.truth_sizes());
        let largest = budgets.last().map_or(0, |budget| budget.of(items));
        let (pool, truth) = (labels.unrevealed.view(), labels.truth.view());
        let (mut value, mut selective) = (BTreeMap::new(), BTreeMap::new());
        for &rule in &self.settings.rules {
            let ranked = top(&rule.priority(&inputs), &jitter, largest);
            let (mut values, mut left) = (BTreeMap::new(), BTreeMap::new());
            for &budget in budgets {
                let escalated = &ranked[..budget.of(items)];
                values.insert(budget, bought_labels_value(&beliefs, escalated, pool, truth, stream));
                left.insert(budget, errors.without(escalated));
            }
            value.insert(rule, values);
            selective.insert(rule, left);
        }
        let worth = pool_values(&beliefs, pool, truth);
        let best = top(&worth, &[], largest);
        let oracle = budgets.iter().map(|&b| (b, best[..b.of(items)].iter().map(|&i| worth[i]).sum())).collect();
        let regression = fit.regression();
        let measured = Measured {
            value,
            oracle,
            selective,
            sd_log_trust: population_sd(&log_trust),
            mean_log_trust: mean(&log_trust),
            mean_error: errors.without(&[])[0],
            coefficients: regression.names.iter().cloned().zip(regression.coefficients.iter().copied()).collect(),
            converged: regression.converged,
            iterations: regression.iterations,
        };
        Ok(Outcome { fit, beliefs, measured })
    }

    /// Mean Manhattan distance of disjoint halves: the error that no estimate can go below.
    pub fn noise_ceiling(&self) -> f64 {
        let mut stream = self.stream(0);
        let splits: Vec<f64> = (0..CEILING_SPLITS)
            .map(|_| {
                let half_a = subsample(&mut stream, self.pool.view(), &self.halves);
                let mut sum = 0.0;
                for (i, (a, all)) in half_a.rows().into_iter().zip(self.pool.rows()).enumerate() {
                    let [first, second] = [self.halves[i], all.sum() - self.halves[i]].map(f64::from);
                    let difference = |a: u32, all: u32| (f64::from(a) * second - f64::from(all - a) * first).abs();
                    for (&a, &all) in a.iter().zip(all) {
                        sum += difference(a, all) / (first * second);
                    }
                }
                sum / half_a.nrows() as f64
            })
            .collect();
        mean(&splits)
    }
}

/// A stream of its own for every seed and number; those of seed 0 are NumPy's of the number.
pub fn seeded(seed: u64, number: u64) -> Stream {
    Stream::from_entropy(&[number as u32, (number >> 32) as u32, seed as u32, (seed >> 32) as u32])
}

/// Per-item errors of the posterior mean: Manhattan, and squared less the sampling noise of the truth.
pub(super) struct ItemErrors(pub(super) Vec<[f64; 2]>);

impl ItemErrors {
    fn of(beliefs: &Beliefs, truth: ArrayView2<f64>, sizes: impl Iterator<Item = f64>) -> Self {
        let errors = beliefs.iter().zip(truth.rows()).zip(sizes).map(|((belief, p), n)| {
            let p = row(p);
            let squared: f64 = belief.mean().zip(p).map(|(m, p)| (m - p) * (m - p)).sum();
            // The truth is itself the mean of n labels; its expected squared deviation is G(p)/(n - 1).
            let noise = (1.0 - p.iter().map(|p| p * p).sum::<f64>()) / (n - 1.0);
            [belief.manhattan(p), squared - noise]
        });
        Self(errors.collect())
    }

    /// Means over all items but the escalated ones.
    pub(super) fn without(&self, escalated: &[usize]) -> [f64; 2] {
        let mut kept = vec![true; self.0.len()];
        escalated.iter().for_each(|&i| kept[i] = false);
        let left = (self.0.len() - escalated.len()) as f64;
        let sum = |k: usize| self.0.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(e, _)| e[k]).sum::<f64>();
        [sum(0) / left, sum(1) / left]
    }
}

/// Summarises a quantity over replicates for each rule and budget of `like`.
///
/// # Panics
/// If there is no replicate.
pub fn by_rule<R, T>(replicates: &[R], like: &ByRuleAndBudget<T>, of: impl Fn(&R, Rule, Budget) -> f64) -> ByRule {
    let at = |rule: Rule, budget: Budget| Summary::over(replicates, |replicate| of(replicate, rule, budget));
    like.iter().map(|(&rule, by)| (rule, by.keys().map(|&budget| (budget, at(rule, budget))).collect())).collect()
}

/// Summarises what the replicates measured under one feature set.
///
/// # Panics
/// If there is no replicate.
pub fn summarise(measured: &[Measured]) -> Escalation {
    let by_rule = |of: &dyn Fn(&Measured, Rule, Budget) -> f64| by_rule(measured, &measured[0].value, of);
    let minus = |other: Rule| by_rule(&|m, rule, b| m.value[&rule][&b] - m.value[&other][&b]);
    let names = measured[0].coefficients.iter().map(|(name, _)| name.clone());
    let coefficients: Vec<(String, Summary)> =
        names.enumerate().map(|(k, name)| (name, Summary::over(measured, |m| m.coefficients[k].1))).collect();
    Escalation {
        value: by_rule(&|m, rule, b| m.value[&rule][&b]),
        minus_judge_entropy: minus(Rule::JudgeEntropy),
        minus_fewest_labels: minus(Rule::FewestLabels),
        selective_error: by_rule(&|m, rule, b| m.selective[&rule][&b][0]),
        selective_squared_error: by_rule(&|m, rule, b| m.selective[&rule][&b][1]),
        sd_log_trust: Summary::over(measured, |m| m.sd_log_trust),
        mean_error: Summary::over(measured, |m| m.mean_error),
        labels_worth: mean(&measured.iter().map(|m| m.mean_log_trust).collect::<Vec<_>>()).exp(),
        coefficients,
        unconverged_fits: measured.iter().filter(|m| !m.converged).count(),
        most_iterations: measured.iter().map(|m| m.iterations).max().unwrap_or(0),
    }
}

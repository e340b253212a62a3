//! Experiment 2: escalation on real human disagreement, ChaosNLI (the paper, Sec. 5.3 and App. D).

use crate::rules::PAPER;
use std::collections::BTreeMap;

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::Error;
use super::calibration::{ConfidenceGroup, calibration};
use super::seeds::Seeds;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::{Feature, FeatureColumn, entropy, manhattan};
use judge_uncertainty_core::escalation::{Budget, Rule, RuleInputs};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{Summary, mean, spearman};
use judge_uncertainty_evaluation::counts::halves_apart;
use judge_uncertainty_evaluation::protocol::{REVEALED, log_labels};
use judge_uncertainty_evaluation::{
    ByRule, CountPool, Escalation, FamiliaritySearch, Features, HalfSplit, ItemComponents, Measured, Pool, RuleDraws,
    Settings, Split, SplitOutcome, Ties, replicate,
};
use judge_uncertainty_familiarity::features::{FamiliarityFeatures, SelfNeighbour};
use judge_uncertainty_familiarity::neighbours::Neighbours;
use judge_uncertainty_formats::{ChaosNliData, Predictions};
use judge_uncertainty_system::progress::Progress;

pub use judge_uncertainty_evaluation::protocol::FLOOR;

/// Half splits of the paper.
pub const PUBLISHED_REPLICATES: usize = 200;

/// Labelled neighbours whose mean distance is the density feature.
pub const NEIGHBOURS: usize = 10;

/// Splits over which the noise ceiling is averaged.
const CEILING_SPLITS: usize = 100;

/// Rules whose ranking uses how many labels an item holds.
const COUNT_AWARE: [Rule; 4] = [Rule::Info, Rule::Delta, Rule::Spread, Rule::FewestLabels];
/// Rules whose ranking does not, with the posterior's entropy, which sees counts only through the mean.
const COUNT_BLIND: [Rule; 4] = [Rule::PosteriorEntropy, Rule::JudgeEntropy, Rule::LowConfidence, Rule::Random];

/// Everything Experiment 2 reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChaosNliResults {
    /// Items.
    pub items: usize,
    /// Replicates: half splits with revealed labels.
    pub replicates: usize,
    /// Items escalated at 10%.
    pub escalated_items_b10: usize,
    /// The judge against all labels.
    pub judge: JudgeDescription,
    /// All features.
    pub full: Escalation,
    /// The number of labels as the only feature.
    pub counts_only: Escalation,
    /// Both components of every item in replicate 0 under all features, with the items that I and the judge's entropy
    /// escalate there.
    pub components: ItemComponents,
    /// Delta's value under counts-only trust minus judge entropy's in the full run, by budget.
    pub counts_only_delta_minus_full_judge_entropy: BTreeMap<Budget, Summary>,
    /// Statements derived from the above.
    pub derived: ChaosNliStatements,
}

/// The judge's prediction (floored, no labels folded in) against the distribution of all labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeDescription {
    /// Mean Manhattan error of the prediction, 0 to 2.
    pub mean_error: f64,
    /// Mean stated confidence, 0 to 100.
    pub mean_confidence: f64,
    /// Mean Manhattan distance of two disjoint halves of the labels, over 100 splits.
    pub noise_ceiling: f64,
    /// `mean_error` / `noise_ceiling`.
    pub error_over_ceiling: f64,
    /// Spearman correlation of stated confidence with the error.
    pub spearman_confidence_error: f64,
    /// Spearman correlation of the prediction's entropy with the error.
    pub spearman_entropy_error: f64,
    /// Spearman correlation of the spread over variants with the error.
    pub spearman_spread_error: f64,
    /// The error by stated confidence.
    pub calibration: Vec<ConfidenceGroup>,
}

/// Ratios and ranges that the paper states in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChaosNliStatements {
    /// Value of I over value of judge entropy at 10%.
    pub info_over_entropy_ratio: f64,
    /// Value of I beyond that of judge entropy at 10%, in percent of the latter.
    pub info_over_entropy_percent: f64,
    /// Value of I beyond that of the total uncertainty H(m), the entropy of the posterior mean, at 10%, in percent of
    /// the latter.
    pub info_over_posterior_entropy_percent: f64,
    /// Advantage of I over judge entropy at 20% minus that at 10%.
    pub info_advantage_rise_b20: f64,
    /// Smallest value at 10% among the count-aware rules (I, Delta, v, fewest labels).
    pub count_aware_min: f64,
    /// Largest of them.
    pub count_aware_max: f64,
    /// Smallest value at 10% among the count-blind rules (both entropies, confidence, random).
    pub count_blind_min: f64,
    /// Largest of them.
    pub count_blind_max: f64,
}

/// The experiment: items, the judge's predictions, the pool of labels, and the familiarity channel.
pub struct ChaosNliExperiment<'a> {
    pool: ArrayView2<'a, u32>,
    judge: Predictions,
    pub(super) split: HalfSplit<'a>,
}

impl<'a> ChaosNliExperiment<'a> {
    /// Sets the experiment up; neighbour lists are made once and filtered in each replicate. In the paper a labelled
    /// item is its own neighbour, [`SelfNeighbour::Published`].
    ///
    /// # Errors
    /// An item without any prediction, or tables of different sizes.
    pub fn new(
        data: &'a ChaosNliData,
        engine: &'a dyn Neighbours,
        self_neighbour: SelfNeighbour,
    ) -> Result<Self, Error> {
        let pool = data.labels.view();
        let judge = data.judge.aggregate(Some(FLOOR))?;
        let familiarity = FamiliaritySearch::new(engine, NEIGHBOURS, self_neighbour);
        let counts = CountPool::new(pool, judge.clone());
        let features = features(&judge);
        Ok(Self::with_pool(pool, judge, counts, familiarity, features))
    }
}

/// What is kept of a replicate: under all features, under the number of labels alone, and of replicate 0 the components.
pub(super) type Replicate = (Measured, Measured, Option<ItemComponents>);

/// Half splits as the paper makes them; the second feature is that of the counts-only run.
pub(super) fn half_splits<'a>(
    pool: impl Pool + 'a,
    familiarity: Option<FamiliaritySearch<'a>>,
    features: Features<'a>,
) -> HalfSplit<'a> {
    let seed = Seeds::default().half_splits;
    let settings = Settings { seed, reveal: REVEALED.to_vec(), budgets: Budget::PAPER.to_vec(), rules: PAPER.to_vec() };
    HalfSplit::new(Box::new(pool), familiarity, features, settings).with_ties(Ties::ItemOrder)
}

/// A replicate under all features, and under the number of labels alone in the same stream.
pub(super) fn evaluate(
    half_splits: &HalfSplit,
    labels: &Split,
    features: &[FeatureColumn],
    stream: &mut Stream,
) -> Result<(SplitOutcome, SplitOutcome), Error> {
    let mut outcomes = half_splits.evaluate_each(labels, &[features, &features[1..2]], stream)?;
    let counts_only = outcomes.remove(1);
    Ok((outcomes.remove(0), counts_only))
}

impl<'a> ChaosNliExperiment<'a> {
    /// The experiment on `labels` (items x classes) and the judge's predictions `judge`, with another pool, familiarity
    /// or features than the paper's, in the same streams. The second feature is that of the counts-only run.
    pub fn with_pool(
        labels: ArrayView2<'a, u32>,
        judge: Predictions,
        pool: impl Pool + 'a,
        familiarity: FamiliaritySearch<'a>,
        features: Features<'a>,
    ) -> Self {
        Self { pool: labels, judge, split: half_splits(pool, Some(familiarity), features) }
    }

    /// The experiment with another order of items whose priorities are equal.
    pub fn with_ties(self, ties: Ties) -> Self {
        Self { split: self.split.with_ties(ties), ..self }
    }

    /// Runs the experiment with `replicates` half splits (200 in the paper).
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn run(&self, replicates: usize, progress: &dyn Progress) -> Result<ChaosNliResults, Error> {
        let (ours, _) = self.replicates(replicates, progress, |_, _, _, _| Ok(()))?;
        self.summarise(ours)
    }

    /// What is kept of so many replicates, and what `beside` makes of the labels, the features and the draws of each, in
    /// the same stream.
    pub(super) fn replicates<T: Send>(
        &self,
        replicates: usize,
        progress: &dyn Progress,
        beside: impl Fn(&Split, &[FeatureColumn], &RuleDraws, &mut Stream) -> Result<T, Error> + Sync,
    ) -> Result<(Vec<Replicate>, Vec<T>), Error> {
        let seeds: Vec<u64> = (0..replicates as u64).collect();
        let outcomes = replicate("chaosnli", &seeds, progress, |&seed| -> Result<_, Error> {
            let mut stream = self.stream(seed);
            let labels = self.draw_labels(&mut stream);
            let features = self.split.features(&labels);
            let draws = RuleDraws::draw(&mut stream.clone(), self.pool.nrows());
            let (full, counts_only) = evaluate(&self.split, &labels, &features, &mut stream.clone())?;
            let beliefs = &full.fitted.beliefs;
            let inputs = RuleInputs { q: Some(&self.judge.q), jitter: Some(&draws.jitter), ..RuleInputs::new(beliefs) };
            let components = || ItemComponents::new(&inputs, &[Rule::Info, Rule::JudgeEntropy], Budget::HEADLINE);
            let components = (seed == 0).then(components);
            let beside = beside(&labels, &features, &draws, &mut stream)?;
            Ok(((full.measured, counts_only.measured, components), beside))
        })?;
        Ok(outcomes.into_iter().unzip())
    }

    /// What the experiment reports of the replicates from 0 on.
    pub(super) fn summarise(&self, replicates: Vec<Replicate>) -> Result<ChaosNliResults, Error> {
        let count = replicates.len();
        let undefined = Error::Undefined { experiment: "chaosnli", quantity: "components" };
        let components = replicates.first().and_then(|(.., components)| components.clone()).ok_or(undefined)?;
        let (full, counts_only): (Vec<Measured>, Vec<Measured>) =
            replicates.into_iter().map(|(full, counts_only, _)| (full, counts_only)).unzip();
        let summary = Escalation::over(&full);
        Ok(ChaosNliResults {
            items: self.pool.nrows(),
            replicates: count,
            escalated_items_b10: Budget::HEADLINE.of(self.pool.nrows()),
            judge: self.describe_judge()?,
            derived: derive(&summary.value),
            components,
            full: summary,
            counts_only_delta_minus_full_judge_entropy: counts_only_advantage(&counts_only, &full),
            counts_only: Escalation::over(&counts_only),
        })
    }

    /// Replicate `seed`: all features, and the number of labels alone in the same stream.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn replicate(&self, seed: u64) -> Result<(SplitOutcome, SplitOutcome), Error> {
        let mut stream = self.stream(seed);
        let labels = self.draw_labels(&mut stream);
        evaluate(&self.split, &labels, &self.split.features(&labels), &mut stream)
    }

    /// The random stream of replicate `seed`.
    pub fn stream(&self, seed: u64) -> Stream {
        self.split.stream(seed)
    }

    /// Half split and revealed labels of one replicate.
    pub fn draw_labels(&self, stream: &mut Stream) -> Split {
        self.split.draw(stream)
    }

    /// Error that comes from labels alone, over 100 splits of every item's labels.
    fn noise_ceiling(&self) -> f64 {
        let mut stream = self.stream(0);
        mean(&(0..CEILING_SPLITS).map(|_| halves_apart(self.pool, &mut stream)).collect::<Vec<_>>())
    }

    fn describe_judge(&self) -> Result<JudgeDescription, Error> {
        let rows = || self.judge.q.rows().into_iter().zip(self.pool.rows());
        let error = |q: &[f64], counts: &[u32]| {
            let n = f64::from(counts.iter().sum::<u32>());
            let p: Vec<f64> = counts.iter().map(|&c| f64::from(c) / n).collect();
            manhattan(q, &p)
        };
        let errors: Vec<f64> = rows().map(|(q, c)| error(row(q), row(c))).collect();
        let correlation = |estimate: &[Option<f64>]| {
            let both = estimate.iter().zip(&errors).filter_map(|(x, e)| x.map(|x| (x, *e)));
            let (x, e): (Vec<f64>, Vec<f64>) = both.unzip();
            spearman(&x, &e).ok_or(Error::Undefined { experiment: "chaosnli", quantity: "correlation with the error" })
        };
        let entropies: Vec<Option<f64>> = self.judge.q.rows().into_iter().map(|q| Some(entropy(row(q)))).collect();
        let confidence: Vec<f64> = self.judge.confidence.iter().flatten().copied().collect();
        let (mean_error, noise_ceiling) = (mean(&errors), self.noise_ceiling());
        Ok(JudgeDescription {
            mean_error,
            mean_confidence: mean(&confidence),
            noise_ceiling,
            error_over_ceiling: mean_error / noise_ceiling,
            spearman_confidence_error: correlation(&self.judge.confidence)?,
            spearman_entropy_error: correlation(&entropies)?,
            spearman_spread_error: correlation(&self.judge.spread)?,
            calibration: calibration(&self.judge.confidence, &errors),
        })
    }
}

/// Features in the order of the published coefficients.
pub fn features<'a>(judge: &Predictions) -> Features<'a> {
    let (spread, confidence) = (judge.spread.clone(), judge.confidence.clone());
    Box::new(move |numbers, near| {
        let near = near.cloned().unwrap_or(FamiliarityFeatures { nearest: vec![], mean_nearest: vec![] });
        vec![
            FeatureColumn::partial(Feature::Spread, spread.iter().copied()),
            FeatureColumn::complete(Feature::LogLabels, log_labels(numbers)),
            FeatureColumn::partial(Feature::Confidence, confidence.iter().copied()),
            FeatureColumn::partial(Feature::NearestLabelled, near.nearest),
            FeatureColumn::partial(Feature::MeanNearestLabelled, near.mean_nearest),
        ]
    })
}

/// Delta's value under counts-only trust minus judge entropy's in the full run, by budget.
pub(super) fn counts_only_advantage(counts_only: &[Measured], full: &[Measured]) -> BTreeMap<Budget, Summary> {
    let pairs: Vec<_> = counts_only.iter().zip(full).collect();
    let at = |b| Summary::over(&pairs, |(c, f)| c.value[&Rule::Delta][&b] - f.value[&Rule::JudgeEntropy][&b]);
    Budget::PAPER.map(|b| (b, at(b))).into()
}

pub(super) fn derive(value: &ByRule) -> ChaosNliStatements {
    let at = |rule: Rule| value[&rule][&Budget::HEADLINE].mean;
    let least = |rules: [Rule; 4]| rules.into_iter().map(at).fold(f64::INFINITY, f64::min);
    let most = |rules: [Rule; 4]| rules.into_iter().map(at).fold(f64::NEG_INFINITY, f64::max);
    let over = |rule: Rule| at(Rule::Info) / at(rule);
    let ratio = over(Rule::JudgeEntropy);
    let advantage = |budget: Budget| value[&Rule::Info][&budget].mean - value[&Rule::JudgeEntropy][&budget].mean;
    ChaosNliStatements {
        info_over_entropy_ratio: ratio,
        info_over_entropy_percent: 100.0 * (ratio - 1.0),
        info_over_posterior_entropy_percent: 100.0 * (over(Rule::PosteriorEntropy) - 1.0),
        info_advantage_rise_b20: advantage(Budget::PAPER[3]) - advantage(Budget::HEADLINE),
        count_aware_min: least(COUNT_AWARE),
        count_aware_max: most(COUNT_AWARE),
        count_blind_min: least(COUNT_BLIND),
        count_blind_max: most(COUNT_BLIND),
    }
}

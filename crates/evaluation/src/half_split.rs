//! Escalation evaluated by splitting each item's labels in half, for any pool of labels.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::escalation::{BeliefErrors, ErrorReduction, Measured, Picks, Removed};
use super::pool::{Fitted, Pool, RuleDraws, Split};
use super::protocol::seeded;
use judge_uncertainty_core::belief::{FeatureColumn, FitError};
use judge_uncertainty_core::escalation::{Budget, Rule, top};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::new_items::Contributions;
use judge_uncertainty_core::stats::{mean, population_sd};
use judge_uncertainty_familiarity::features::{FamiliarityFeatures, SelfNeighbour, familiarity};
use judge_uncertainty_familiarity::neighbours::{NeighbourLists, Neighbours};

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
}

/// Features of all items from the numbers of labels that they hold and, where familiarity is known, their distances to
/// labelled items.
pub type Features<'a> = Box<dyn Fn(&[u32], Option<&FamiliarityFeatures>) -> Vec<FeatureColumn> + Sync + 'a>;

/// Items with a pool of labels each, and their features.
pub struct HalfSplit<'a> {
    pool: Box<dyn Pool + 'a>,
    familiarity: Option<FamiliaritySearch<'a>>,
    features: Features<'a>,
    settings: Settings,
    ties: Ties,
    contrasts: Vec<Contrast>,
}

/// Which of two items with equal priorities goes first, under rules that add no draws to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ties {
    /// The one with the higher tie-breaking draw: a file may be sorted by group.
    Drawn,
    /// The earlier one, as in the paper's experiments.
    ItemOrder,
}

impl Ties {
    /// The tie breaks to rank by, of the draws that there are.
    pub fn by(self, draws: &[f64]) -> &[f64] {
        match self {
            Self::Drawn => draws,
            Self::ItemOrder => &[],
        }
    }
}

/// One replicate under one feature set.
pub struct SplitOutcome {
    /// The fitted trust and the beliefs given the revealed labels.
    pub fitted: Fitted,
    /// What was measured.
    pub measured: Measured,
}

impl<'a> HalfSplit<'a> {
    /// An evaluation of the items of a pool.
    ///
    /// # Examples
    ///
    /// ```
    /// use judge_uncertainty_core::escalation::{Budget, Rule};
    /// use judge_uncertainty_formats::Predictions;
    /// use judge_uncertainty_evaluation::{CountPool, HalfSplit, Settings};
    /// use ndarray::array;
    ///
    /// // Three items with ten labels each.
    /// let counts = array![[9, 1], [5, 5], [2, 8]];
    /// let q = array![[0.8, 0.2], [0.9, 0.1], [0.3, 0.7]];
    /// let judge = Predictions { q, spread: vec![None; 3], confidence: vec![None; 3] };
    /// let budgets = vec![Budget::percent(50).expect("1 to 100")];
    /// let settings = Settings { seed: 0, reveal: vec![0, 2], budgets, rules: Rule::those(|_| true) };
    /// let split = HalfSplit::new(Box::new(CountPool::new(counts.view(), judge)), None, Box::new(|_, _| vec![]), settings);
    ///
    /// let mut stream = split.stream(0);
    /// let labels = split.draw(&mut stream);
    /// let outcome = split.evaluate(&labels, &[], &mut stream)?;
    /// assert!(outcome.measured.mean_error < 2.0);
    /// # Ok::<(), judge_uncertainty_core::belief::FitError>(())
    /// ```
    pub fn new(
        pool: Box<dyn Pool + 'a>,
        familiarity: Option<FamiliaritySearch<'a>>,
        features: Features<'a>,
        settings: Settings,
    ) -> Self {
        Self { pool, familiarity, features, settings, ties: Ties::Drawn, contrasts: vec![] }
    }

    /// This evaluation with comparisons that are kept item by item.
    pub fn with_contrasts(self, contrasts: Vec<Contrast>) -> Self {
        Self { contrasts, ..self }
    }

    /// This evaluation with another order of items whose priorities are equal; the draws that would decide are made all
    /// the same.
    pub fn with_ties(self, ties: Ties) -> Self {
        Self { ties, ..self }
    }

    /// The stream of replicate `replicate`: that of the seed `replicate` + 2^64 x the seed of the settings.
    pub fn stream(&self, replicate: u64) -> Stream {
        seeded(self.settings.seed, replicate)
    }

    /// What is evaluated.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The items and their labels.
    pub fn pool(&self) -> &dyn Pool {
        &*self.pool
    }

    /// Half split and revealed labels of one replicate.
    pub fn draw(&self, stream: &mut Stream) -> Split {
        self.pool.draw(&self.settings.reveal, stream)
    }

    /// Features of all items in a replicate.
    pub fn features(&self, split: &Split) -> Vec<FeatureColumn> {
        let near = self.familiarity.as_ref().map(|familiarity| familiarity.features(&split.numbers));
        (self.features)(&split.numbers, near.as_ref())
    }

    /// Fits, ranks and buys under the given features; rules that do not rank such labels are left out.
    ///
    /// Stream: tie breaks, random priorities, then one draw per bought label by rule and budget.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn evaluate(
        &self,
        split: &Split,
        features: &[FeatureColumn],
        stream: &mut Stream,
    ) -> Result<SplitOutcome, FitError> {
        Ok(self.evaluate_each(split, &[features], stream)?.remove(0))
    }

    /// [`Self::evaluate`] under each of several sets of features, every one as if it came first in the stream.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn evaluate_each(
        &self,
        split: &Split,
        sets: &[&[FeatureColumn]],
        stream: &mut Stream,
    ) -> Result<Vec<SplitOutcome>, FitError> {
        let fitted =
            |features: &&[FeatureColumn]| Fitted::new(&*self.pool, self.pool.design(features)?, &split.revealed);
        let fitted: Vec<Fitted> = sets.iter().map(fitted).collect::<Result<_, FitError>>()?;
        let draws = RuleDraws::draw(stream, self.pool.len());
        let start = stream.clone();
        let mut without_beliefs = BTreeMap::new();
        let of_each = fitted.into_iter().map(|fitted| {
            stream.clone_from(&start);
            self.measure(split, fitted, &draws, &mut without_beliefs, stream)
        });
        Ok(of_each.collect())
    }

    /// Ranks and buys under a fit; `without_beliefs` has the rankings that are the same under all fits, once made.
    fn measure(
        &self,
        split: &Split,
        fitted: Fitted,
        draws: &RuleDraws,
        without_beliefs: &mut BTreeMap<Rule, Vec<usize>>,
        stream: &mut Stream,
    ) -> SplitOutcome {
        let Self { pool, settings, .. } = self;
        let items = pool.len();
        let tie_break = self.ties.by(&draws.jitter);
        let budgets = &settings.budgets;
        let largest = budgets.last().map_or(0, |budget| budget.of(items));
        let errors = pool.errors(&fitted.beliefs, &split.held);
        let gains = pool.gains(&fitted.beliefs, &errors, &split.held);
        let sizes: Vec<usize> = budgets.iter().map(|budget| budget.of(items)).collect();
        let (mut value, mut squared, mut selective) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut tops: BTreeMap<Rule, Vec<usize>> = BTreeMap::new();
        for &rule in &settings.rules {
            let ranked = match without_beliefs.get(&rule) {
                Some(known) => known.clone(),
                None => {
                    let Some(priority) = pool.priority(rule, &fitted, &split.numbers, draws) else { continue };
                    top(&priority, tie_break, largest)
                }
            };
            if !rule.row().reads_beliefs {
                without_beliefs.entry(rule).or_insert_with(|| ranked.clone());
            }
            let (mut values, mut squares) = (BTreeMap::new(), BTreeMap::new());
            for (&budget, &size) in budgets.iter().zip(&sizes) {
                let gain = gains.bought(&ranked[..size], stream);
                values.insert(budget, gain.error);
                squares.extend(gain.squared.map(|squared| (budget, squared)));
            }
            let left = budgets.iter().zip(BeliefErrors::without_first(&errors, &ranked, &sizes));
            let left: BTreeMap<_, _> = left.filter_map(|(budget, left)| Some((*budget, left?))).collect();
            value.insert(rule, values);
            squared.insert(rule, squares);
            selective.insert(rule, left);
            tops.insert(rule, ranked);
        }
        let worth = &gains.expected;
        let oracle = |part: fn(&ErrorReduction) -> f64| -> BTreeMap<Budget, f64> {
            let worth: Vec<f64> = worth.iter().map(part).collect();
            let best = top(&worth, &[], largest);
            budgets.iter().map(|&b| (b, best[..b.of(items)].iter().map(|&i| worth[i]).sum())).collect()
        };
        let has_squares = worth.iter().any(|gain| gain.squared.is_some());
        let picks = |contrast: &Contrast| {
            let top = |rule: Rule| tops.get(&rule)?.get(..contrast.budget.of(items));
            contrast.picks(top, worth)
        };
        let log_trust = pool.log_trust(&fitted.fit, &fitted.design);
        let regression = fitted.fit.regression();
        let measured = Measured {
            value,
            oracle: oracle(|gain| gain.error),
            squared: has_squares
                .then(|| Removed { value: squared, oracle: oracle(|gain| gain.squared.unwrap_or_default()) }),
            selective,
            sd_log_trust: population_sd(&log_trust),
            mean_log_trust: mean(&log_trust),
            mean_error: mean(&errors.iter().map(|errors| errors.error).collect::<Vec<_>>()),
            coefficients: regression.names.iter().cloned().zip(regression.coefficients.iter().copied()).collect(),
            converged: regression.converged,
            at_limit: regression.at_limit,
            iterations: regression.iterations,
            held_out: pool.held_out(&fitted.beliefs, &split.held),
            contrasts: self.contrasts.iter().map(picks).collect(),
        };
        SplitOutcome { fitted, measured }
    }
}

/// What a comparison of two rules is about. Differences are signed so that positive means "better is better".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Error removed by one bought label per escalated item, summed over them.
    Value,
    /// Squared error removed by one bought label per escalated item, summed over them; for labels that are numbers.
    SquaredValue,
}

impl Measure {
    /// What picking an item adds to a rule's measure; `None` where it is not measured.
    fn of_pick(self, gain: &ErrorReduction) -> Option<f64> {
        match self {
            Self::Value => Some(gain.error),
            Self::SquaredValue => gain.squared,
        }
    }
}

/// A comparison of two rules at a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contrast {
    /// The rule that is said to be better.
    pub better: Rule,
    /// The rule that it is compared with.
    pub than: Rule,
    /// The budget.
    pub budget: Budget,
    /// What is compared.
    pub measure: Measure,
}

impl Contrast {
    /// The picks of a replicate; `None` where a rule was not evaluated or the measure is undefined. `top` gives the
    /// items that a rule escalates; values are expected ones over all labels that may be bought, without the noise of
    /// drawing one.
    pub(super) fn picks<'a>(
        &self,
        top: impl Fn(Rule) -> Option<&'a [usize]>,
        gains: &[ErrorReduction],
    ) -> Option<Picks> {
        let (better, than) = (top(self.better)?, top(self.than)?);
        let mut sign = vec![0_i8; gains.len()];
        better.iter().for_each(|&i| sign[i] += 1);
        than.iter().for_each(|&i| sign[i] -= 1);
        let differing = sign.iter().enumerate().filter(|(_, sign)| **sign != 0);
        differing.map(|(i, &sign)| Some((i as u32, sign, self.measure.of_pick(&gains[i])?))).collect()
    }
}

/// What each of `items` contributes to a comparison, from its picks in every replicate; `None` if one could not be
/// evaluated.
pub fn contributions<'a>(items: usize, picks: impl Iterator<Item = Option<&'a Picks>>) -> Option<Contributions> {
    let picks = picks.collect::<Option<Vec<_>>>()?;
    let of = |picks: &'a Picks| picks.iter().map(|&(i, sign, worth)| (i as usize, f64::from(sign), worth));
    Contributions::from_redraws(items, picks.into_iter().map(of))
}

/// Distances to labelled items, searched once and filtered in each replicate.
pub struct FamiliaritySearch<'a> {
    engine: &'a dyn Neighbours,
    lists: NeighbourLists,
    neighbours: usize,
    mode: SelfNeighbour,
}

impl<'a> FamiliaritySearch<'a> {
    /// `neighbours` labelled neighbours make the mean distance; `mode` says whether a labelled item is one of its own.
    pub fn new(engine: &'a dyn Neighbours, neighbours: usize, mode: SelfNeighbour) -> Self {
        Self { engine, lists: NeighbourLists::build(engine, list_width(neighbours)), neighbours, mode }
    }

    /// Distances of every item to those that hold labels; `numbers` are the labels in hand.
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

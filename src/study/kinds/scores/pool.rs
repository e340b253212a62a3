//! Escalation evaluated by splitting each item's annotators in half, for labels that are numbers: what
//! [`super::half_split`] does for classes.
//!
//! One half is what fitting and buying may use; the mean of the other is the truth. An annotator is one label, the mean of
//! their ratings of the item, and stays with all of them in one half. The error is the absolute difference of the belief's
//! mean from the truth, in units of the score; the squared one stands beside it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Error;
use super::half_split::{ByRuleAndBudget, Familiarity, Features, ItemErrors, Measured, Settings, seeded};
use super::world::uniforms;
use crate::belief::{Design, FeatureColumn, Gaussian, GaussianFit, JudgeScores, Repeats, Scores, fit_gaussian};
use crate::escalation::{Budget, ScoreRuleInputs, top};
use crate::random::Stream;
use crate::stats::{mean, population_sd, sample_sd};

const CEILING_SPLITS: usize = 100;

/// Items with annotators' ratings, the judge's scores and features.
pub struct ScoreSplit<'a> {
    ratings: Vec<Vec<Vec<f64>>>,
    judge: JudgeScores,
    familiarity: Option<Familiarity<'a>>,
    features: Features<'a>,
    settings: Settings,
}

/// The labels of one replicate.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitScores {
    /// How many labels of the first half are revealed per item.
    pub numbers: Vec<u32>,
    /// What they come to.
    pub revealed: Vec<Scores>,
    /// The labels of the first half that are not, from which labels are bought.
    pub unrevealed: Vec<Vec<f64>>,
    /// The second half.
    pub truth: Vec<HeldOutHalf>,
}

/// The second half of an item's annotators.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutHalf {
    /// Mean of their labels: the truth of the evaluation.
    pub mean: f64,
    /// Its expected squared distance from the pool's mean, s^2/n.
    pub noise: f64,
    /// The first rating of each.
    pub ratings: Vec<f64>,
}

/// Error removed by one bought label per escalated item, summed over them, and the most that can be expected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Removed {
    /// By rule and budget.
    pub value: ByRuleAndBudget<f64>,
    /// The oracle ranks by the expected value of a label from the pool.
    pub oracle: BTreeMap<Budget, f64>,
}

/// Levels of the intervals that held-out ratings are compared with.
pub const LEVELS: [f64; 3] = [0.5, 0.8, 0.95];
/// Equal parts of 0 to 1 into which the places of held-out ratings are counted.
const PARTS: usize = 10;

/// Places of ratings in their predictive distributions (probability integral transform): uniform on 0 to 1 where the belief
/// is calibrated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// Ratings by tenth of 0 to 1.
    pub tenths: [u64; PARTS],
    /// Ratings within the central interval of each of [`LEVELS`].
    pub inside: [u64; 3],
}

impl Places {
    /// Counts ratings by their places.
    pub fn of(places: impl IntoIterator<Item = f64>) -> Self {
        let mut counted = Self::default();
        for u in places {
            counted.tenths[((u * PARTS as f64) as usize).min(PARTS - 1)] += 1;
            for (inside, level) in counted.inside.iter_mut().zip(LEVELS) {
                *inside += u64::from((u - 0.5).abs() <= 0.5 * level);
            }
        }
        counted
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.tenths.iter_mut().zip(other.tenths).for_each(|(sum, n)| *sum += n);
        self.inside.iter_mut().zip(other.inside).for_each(|(sum, n)| *sum += n);
    }

    /// Number of ratings.
    pub fn ratings(&self) -> u64 {
        self.tenths.iter().sum()
    }
}

/// What one replicate measures under one feature set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredScores {
    /// As for classes, with the absolute error of the posterior mean in place of the Manhattan error.
    pub absolute: Measured,
    /// Squared error removed.
    pub squared: Removed,
    /// Ratings of the second half under the beliefs before anything is bought; the fit has seen none of them.
    pub held_out: Places,
}

/// One replicate under one feature set.
pub struct Outcome {
    /// The fitted trust.
    pub fit: GaussianFit,
    /// Beliefs given the revealed labels.
    pub beliefs: Vec<Gaussian>,
    /// What was measured.
    pub measured: MeasuredScores,
}

impl<'a> ScoreSplit<'a> {
    /// An evaluation of items whose ratings are grouped by annotator (items x annotators x ratings); each item has four
    /// annotators or more, none without a rating.
    ///
    /// # Panics
    /// If the sizes of ratings and judge differ, or an item has fewer annotators.
    pub fn new(
        ratings: Vec<Vec<Vec<f64>>>,
        judge: JudgeScores,
        familiarity: Option<Familiarity<'a>>,
        features: Features<'a>,
        settings: Settings,
    ) -> Self {
        assert_eq!(ratings.len(), judge.mean.len(), "a judge's score per item");
        assert!(ratings.iter().all(|annotators| annotators.len() >= 4), "two annotators for either half");
        Self { ratings, judge, familiarity, features, settings }
    }

    /// The stream of replicate `replicate`; as for classes.
    pub fn stream(&self, replicate: u64) -> Stream {
        seeded(self.settings.seed, replicate)
    }

    /// What is evaluated.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The annotators of an item in random order: the first `half`, of which there are so many, are the first half.
    ///
    /// Stream: one draw for each annotator of the first half, of its place among those that are left.
    fn shuffled(&self, item: usize, stream: &mut Stream) -> (usize, Vec<&[f64]>) {
        let mut annotators: Vec<&[f64]> = self.ratings[item].iter().map(Vec::as_slice).collect();
        let half = annotators.len() / 2;
        for k in 0..half {
            let other = k + stream.choice((annotators.len() - k) as u32) as usize;
            annotators.swap(k, other);
        }
        (half, annotators)
    }

    /// Half split and revealed labels of one replicate.
    ///
    /// Stream: item by item the split, then how many of its labels are revealed.
    pub fn draw_labels(&self, stream: &mut Stream) -> SplitScores {
        let reveal = &self.settings.reveal;
        let (mut known, mut unrevealed, mut truth) = (vec![], vec![], vec![]);
        for item in 0..self.ratings.len() {
            let (half, annotators) = self.shuffled(item, stream);
            let asked = reveal[stream.choice(reveal.len() as u32) as usize] as usize;
            let (first, second) = annotators.split_at(half);
            let (revealed, rest) = first.split_at(asked.min(half));
            known.push(revealed.to_vec());
            unrevealed.push(rest.iter().map(|ratings| mean(ratings)).collect());
            let labels: Vec<f64> = second.iter().map(|ratings| mean(ratings)).collect();
            truth.push(HeldOutHalf {
                mean: mean(&labels),
                noise: sample_sd(&labels).powi(2) / labels.len() as f64,
                ratings: second.iter().map(|ratings| ratings[0]).collect(),
            });
        }
        // The noise of repeats is taken from the revealed ones alone: the truth must not enter the belief.
        let within = Repeats::pooled(known.iter().flatten().copied()).map(|repeats| repeats.variance);
        SplitScores {
            numbers: known.iter().map(|annotators| annotators.len() as u32).collect(),
            revealed: known.iter().map(|annotators| Scores::by_annotator(annotators.iter().copied(), within)).collect(),
            unrevealed,
            truth,
        }
    }

    /// Features of all items in a replicate.
    pub fn features(&self, labels: &SplitScores) -> Vec<FeatureColumn> {
        let near = self.familiarity.as_ref().map(|familiarity| familiarity.features(&labels.numbers));
        (self.features)(&labels.numbers, near.as_ref())
    }

    /// Fits, ranks and buys under the given features.
    ///
    /// Stream: tie breaks, random scores, then one draw per bought label by rule and budget; items without labels to buy
    /// gain nothing but use up their draw.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn evaluate(
        &self,
        labels: &SplitScores,
        features: &[FeatureColumn],
        stream: &mut Stream,
    ) -> Result<Outcome, Error> {
        let items = self.ratings.len();
        let design = if features.is_empty() { Design::constant(items) } else { Design::standardized(features)? };
        let fit = fit_gaussian(&design, &self.judge, &labels.revealed)?;
        let priors = fit.priors(&design, &self.judge);
        let beliefs: Vec<Gaussian> = priors.iter().zip(&labels.revealed).map(|(p, l)| p.updated(l)).collect();
        let jitter = uniforms(stream, items);
        let random = uniforms(stream, items);
        let inputs = ScoreRuleInputs { priors: &priors, beliefs: &beliefs, labels: &labels.numbers, random: &random };
        let budgets = &self.settings.budgets;
        let largest = budgets.last().map_or(0, |budget| budget.of(items));
        let errors = ItemErrors(beliefs.iter().zip(&labels.truth).map(|(b, t)| errors(b.mean, t)).collect());
        let (mut value, mut squared, mut selective) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for &rule in &self.settings.rules {
            let Some(scores) = rule.of_scores(&inputs) else { continue };
            let ranked = top(&scores, &jitter, largest);
            let (mut absolutes, mut squares, mut left) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
            for &budget in budgets {
                let escalated = &ranked[..budget.of(items)];
                let [absolute, square] = bought(&beliefs, escalated, labels, stream);
                absolutes.insert(budget, absolute);
                squares.insert(budget, square);
                left.insert(budget, errors.without(escalated));
            }
            value.insert(rule, absolutes);
            squared.insert(rule, squares);
            selective.insert(rule, left);
        }
        let worth: Vec<[f64; 2]> = (0..items).map(|i| expected_gain(&beliefs[i], labels, i)).collect();
        let oracle = |k: usize| -> BTreeMap<Budget, f64> {
            let worth: Vec<f64> = worth.iter().map(|gains| gains[k]).collect();
            let best = top(&worth, &[], largest);
            budgets.iter().map(|&b| (b, best[..b.of(items)].iter().map(|&i| worth[i]).sum())).collect()
        };
        let log_trust: Vec<f64> = priors.iter().map(|prior| prior.evidence.ln()).collect();
        let regression = &fit.regression;
        let absolute = Measured {
            value,
            oracle: oracle(0),
            selective,
            sd_log_trust: population_sd(&log_trust),
            mean_log_trust: mean(&log_trust),
            mean_error: errors.without(&[])[0],
            coefficients: regression.names.iter().cloned().zip(regression.coefficients.iter().copied()).collect(),
            converged: regression.converged,
            iterations: regression.iterations,
        };
        let squared = Removed { value: squared, oracle: oracle(1) };
        let places = beliefs.iter().zip(&labels.truth).flat_map(|(b, t)| t.ratings.iter().map(|&y| b.label_cdf(y)));
        let held_out = Places::of(places);
        Ok(Outcome { fit, measured: MeasuredScores { absolute, squared, held_out }, beliefs })
    }

    /// Mean absolute difference of the means of disjoint halves: the error that no estimate can go below.
    pub fn noise_ceiling(&self) -> f64 {
        let mut stream = self.stream(0);
        let splits: Vec<f64> = (0..CEILING_SPLITS)
            .map(|_| {
                let sum: f64 = (0..self.ratings.len())
                    .map(|item| {
                        let (half, annotators) = self.shuffled(item, &mut stream);
                        let labels: Vec<f64> = annotators.iter().map(|ratings| mean(ratings)).collect();
                        (mean(&labels[..half]) - mean(&labels[half..])).abs()
                    })
                    .sum();
                sum / self.ratings.len() as f64
            })
            .collect();
        mean(&splits)
    }
}

/// Absolute error of a mean, and its squared error less the sampling noise of the truth.
fn errors(of: f64, truth: &HeldOutHalf) -> [f64; 2] {
    let off = of - truth.mean;
    [off.abs(), off * off - truth.noise]
}

/// Fall of both errors by one label.
fn gain(belief: &Gaussian, label: f64, truth: &HeldOutHalf) -> [f64; 2] {
    let (before, after) = (errors(belief.mean, truth), errors(belief.updated(&Scores::of(&[label])).mean, truth));
    [before[0] - after[0], before[1] - after[1]]
}

/// Fall of both errors when one label is bought for each escalated item, summed.
fn bought(beliefs: &[Gaussian], escalated: &[usize], labels: &SplitScores, stream: &mut Stream) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for &i in escalated {
        let u = stream.random();
        let pool = &labels.unrevealed[i];
        // u < 1, so the place is below the number of labels.
        if let Some(&label) = pool.get((u * pool.len() as f64) as usize) {
            let gains = gain(&beliefs[i], label, &labels.truth[i]);
            sums.iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain);
        }
    }
    sums
}

/// The same for item `i`, averaged over the labels that may be bought; 0 without any.
fn expected_gain(belief: &Gaussian, labels: &SplitScores, i: usize) -> [f64; 2] {
    let pool = &labels.unrevealed[i];
    let mut sums = [0.0; 2];
    for &label in pool {
        let gains = gain(belief, label, &labels.truth[i]);
        sums.iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain / pool.len() as f64);
    }
    sums
}

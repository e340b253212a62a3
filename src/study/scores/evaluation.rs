//! The half-split evaluation of a study of scores, over the items with enough annotators.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::ScoreStudy;
use super::diagnostics::ScoreDiagnostics;
use super::results::Coverage;
use crate::belief::JudgeScores;
use crate::escalation::{Budget, Rule};
use crate::experiments::half_split::{ByRule, Escalation, Familiarity, Measured, Settings, by_rule, summarise};
use crate::experiments::score_split::{MeasuredScores, Places, ScoreSplit};
use crate::familiarity::neighbours::Neighbours;
use crate::progress::Progress;
use crate::stats::Summary;
use crate::study::Error;
use crate::study::decompose::neighbourhood_of;
use crate::study::evaluation::{Journal, Outcome, enough, fingerprint};
use crate::study::hypothesis::Measure;
use crate::study::registered::Compared;

/// What escalation achieves on the items that have enough annotators to tell, in units of the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreEvaluation {
    /// Evaluated items.
    pub items: usize,
    /// Labels (annotators) that an item needs to be evaluated.
    pub least_labels: u32,
    /// Half splits.
    pub replicates: usize,
    /// How labelled neighbours were found among them, in words; `None` without embeddings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<String>,
    /// The judge against the labels.
    pub judge: ScoreDiagnostics,
    /// All features. The error is the absolute difference of the posterior mean from the mean of the held-out labels.
    pub full: Escalation,
    /// Its value minus that of ranking by total uncertainty (`posterior_entropy`, the variance of a fresh label), paired
    /// within replicate.
    pub minus_total: ByRule,
    /// The most that escalation can be expected to remove, by budget.
    pub oracle: BTreeMap<Budget, Summary>,
    /// The same for the squared error, in squared units of the score.
    pub squared: SquaredValue,
    /// The number of labels as the only feature; `None` where that is no feature or the only one.
    pub counts_only: Option<Escalation>,
    /// Ratings of the held-out halves against the beliefs that have not seen them.
    pub held_out: HeldOutRatings,
    /// Every replicate under all features, from which registered hypotheses are judged; not written.
    #[serde(skip)]
    pub measured: Vec<MeasuredScores>,
}

/// Squared error removed by one bought label per escalated item, summed over them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SquaredValue {
    /// By rule and budget.
    pub value: ByRule,
    /// Minus that of ranking by the judge's variance, paired within replicate.
    pub minus_judge_entropy: ByRule,
    /// Minus that of ranking by total uncertainty.
    pub minus_total: ByRule,
    /// Minus that of fewest labels first.
    pub minus_fewest_labels: ByRule,
    /// The most that escalation can be expected to remove, by budget.
    pub oracle: BTreeMap<Budget, Summary>,
}

/// Ratings of the second halves in their predictive distributions (probability integral transform), over all replicates.
///
/// An annotator's first rating stands for them. Ratings on a coarse scale cannot be spread evenly even where the belief is
/// right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOutRatings {
    /// Share of the ratings in each tenth of its predictive distribution: 0.1 where the belief is calibrated.
    pub tenths: Vec<f64>,
    /// How many fell into central intervals; each counts once per replicate in which it is held out.
    pub coverage: Vec<Coverage>,
}

impl HeldOutRatings {
    fn of(places: &Places) -> Self {
        let share = |n: u64| n as f64 / places.ratings() as f64;
        Self { tenths: places.tenths.into_iter().map(share).collect(), coverage: Coverage::of(places) }
    }
}

/// What a replicate measured under all features and, where that is something else, under the number of labels alone.
pub type Replicate = (MeasuredScores, Option<Measured>);

/// The items with enough annotators, by position, or why they are too few; excluded ones are left out.
pub fn evaluated_items(study: &ScoreStudy) -> Result<Vec<usize>, String> {
    let (labels, _) = study.ratings.scores(study.len());
    let numbers: Vec<u32> = labels.iter().map(|labels| labels.n).collect();
    enough(&study.file.config.evaluation, &numbers, &study.excluded)
}

/// An evaluation that is set up: [`Self::replicate`] is one half split.
pub struct Evaluator<'a> {
    study: &'a ScoreStudy,
    kept: Vec<usize>,
    split: ScoreSplit<'a>,
    /// How neighbours are found.
    engine: Option<&'a dyn Neighbours>,
    /// Feature that is the number of labels, where it is not the only one.
    counts: Option<usize>,
}

impl<'a> Evaluator<'a> {
    /// Sets up the evaluation of the items at positions `kept`; `engine` searches their embeddings.
    pub fn new(study: &'a ScoreStudy, kept: Vec<usize>, engine: Option<&'a dyn Neighbours>) -> Self {
        let config = &study.file.config;
        let mut grouped = study.ratings.grouped(study.len());
        let ratings = kept.iter().map(|&i| std::mem::take(&mut grouped[i])).collect();
        let judge = JudgeScores {
            mean: kept.iter().map(|&i| study.judge.mean[i]).collect(),
            variance: kept.iter().map(|&i| study.judge.variance[i]).collect(),
        };
        let settings = Settings {
            seed: config.seed,
            reveal: config.evaluation.reveal.clone(),
            budgets: config.evaluation.budgets(),
            rules: Rule::FOR_SCORES.to_vec(),
            belief: config.trust.belief,
        };
        let (neighbours, mode) = neighbourhood_of(config.familiarity.as_ref());
        let near = engine.map(|engine| Familiarity::new(engine, neighbours, mode));
        let of_kept = kept.clone();
        let features =
            Box::new(move |numbers: &[u32], near: Option<&_>| study.feature_columns(&of_kept, numbers, near));
        let split = ScoreSplit::new(ratings, judge, near, features, settings);
        let counts = study.features.iter().position(|feature| feature == "log_labels");
        Self { study, kept, split, engine, counts: counts.filter(|_| study.features.len() > 1) }
    }

    /// One half split.
    ///
    /// # Errors
    /// A fit that is impossible, for instance because no label was revealed.
    pub fn replicate(&self, replicate: u64) -> Result<Replicate, Error> {
        let mut stream = self.split.stream(replicate);
        let labels = self.split.draw_labels(&mut stream);
        let mut again = stream.clone();
        let features = self.split.features(&labels);
        let full = self.split.evaluate(&labels, &features, &mut stream)?.measured;
        let counts_only = match self.counts.and_then(|_| features.iter().find(|f| f.name == "log_labels")) {
            Some(counts) => {
                let counts = std::slice::from_ref(counts);
                Some(self.split.evaluate(&labels, counts, &mut again)?.measured.absolute)
            }
            None => None,
        };
        Ok((full, counts_only))
    }

    /// Summarises all replicates.
    ///
    /// # Panics
    /// If there is none.
    pub fn summarise(&self, replicates: Vec<Replicate>) -> ScoreEvaluation {
        let count = replicates.len();
        let (measured, counts_only): (Vec<MeasuredScores>, Vec<Option<Measured>>) = replicates.into_iter().unzip();
        let counts_only: Vec<Measured> = counts_only.into_iter().flatten().collect();
        let absolute: Vec<Measured> = measured.iter().map(|m| m.absolute.clone()).collect();
        let mut places = Places::default();
        measured.iter().for_each(|m| places.add(&m.held_out));
        let like = &measured[0].squared.value;
        let squared = |m: &MeasuredScores, rule: Rule, b: Budget| m.squared.value[&rule][&b];
        let minus = |other: Rule| by_rule(&measured, like, |m, rule, b| squared(m, rule, b) - squared(m, other, b));
        let total = Rule::PosteriorEntropy;
        let budgets = || self.split.settings().budgets.iter();
        ScoreEvaluation {
            items: self.kept.len(),
            least_labels: self.study.file.config.evaluation.least_labels,
            replicates: count,
            neighbours: self.engine.map(|engine| engine.describe()),
            judge: ScoreDiagnostics::of(self.study, &self.kept, self.split.noise_ceiling()),
            minus_total: by_rule(&absolute, &absolute[0].value, |m, rule, b| m.value[&rule][&b] - m.value[&total][&b]),
            oracle: budgets().map(|b| (*b, Summary::over(&absolute, |m| m.oracle[b]))).collect(),
            squared: SquaredValue {
                value: by_rule(&measured, like, squared),
                minus_judge_entropy: minus(Rule::JudgeEntropy),
                minus_total: minus(total),
                minus_fewest_labels: minus(Rule::FewestLabels),
                oracle: budgets().map(|b| (*b, Summary::over(&measured, |m| m.squared.oracle[b]))).collect(),
            },
            counts_only: (!counts_only.is_empty()).then(|| summarise(&counts_only)),
            full: summarise(&absolute),
            held_out: HeldOutRatings::of(&places),
            measured,
        }
    }
}

impl Compared for MeasuredScores {
    const AGAINST: &'static [Rule] = &[Rule::JudgeEntropy, Rule::FewestLabels, Rule::PosteriorEntropy];

    fn at(&self, measure: Measure, rule: Rule, budget: Budget) -> Option<f64> {
        match measure {
            Measure::SquaredValue => self.squared.value.get(&rule)?.get(&budget).copied(),
            _ => self.absolute.at(measure, rule, budget),
        }
    }

    fn evaluated(&self) -> Vec<(Rule, Budget, Measure)> {
        let absolute = self.absolute.evaluated();
        let squared = absolute.iter().map(|&(rule, budget, _)| (rule, budget, Measure::SquaredValue));
        absolute.iter().copied().chain(squared).collect()
    }
}

/// Opens the journal of a study of scores, beside its run folder.
///
/// # Errors
/// It can't be read or written.
pub fn journal(folder: &Path, study: &ScoreStudy) -> Result<Journal<Replicate>, Error> {
    let mut config = study.file.config.clone();
    config.evaluation.replicates = 0;
    Journal::of(folder, fingerprint(&(config, &study.excluded), study.inputs.sums()))
}

/// Runs all replicates, those apart that the journal holds from an interrupted run.
///
/// # Errors
/// A fit that is impossible, or a journal that can't be written.
pub fn evaluate(
    study: &ScoreStudy,
    journal: Option<&mut Journal<Replicate>>,
    progress: &dyn Progress,
) -> Result<Outcome<ScoreEvaluation>, Error> {
    let kept = match evaluated_items(study) {
        Ok(kept) => kept,
        Err(reason) => return Ok(Outcome::NotEvaluated(reason)),
    };
    let engine = study.engine(&kept, progress)?;
    let evaluator = Evaluator::new(study, kept, engine.as_deref());
    let mut none = Journal::default();
    let journal = journal.unwrap_or(&mut none);
    let wanted = study.file.config.evaluation.replicates;
    let replicates = journal.complete(wanted, |replicate| evaluator.replicate(replicate), progress)?;
    Ok(Outcome::Evaluated(evaluator.summarise(replicates)))
}

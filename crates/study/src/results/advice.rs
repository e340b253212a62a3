//! What a study's own evidence says to do next: which belief, which rule, whether to go on labelling. A run makes it
//! once; queue and report say the same.

use serde::{Deserialize, Serialize};

use crate::evaluate::belief_check::{BeliefCheck, CheckedBelief};
use crate::evaluate::held_out::{HeldOutReport, JUDGE, LabelGain, SquaredError};
use crate::evaluate::{Evaluation, EvaluationOutcome, OrReason};
use crate::model::kind::{Decomposition, Kind, Study};
use crate::results::last_run::LastRun;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_evaluation::held_out::{Given, Score};
use judge_uncertainty_system::FileError;

/// Beliefs that a study may name instead of its own.
const NAMES: [&str; 2] = ["published", "auto"];

/// Of more labelled items than this a queue has no labels held out: that takes as long as a run.
const MOST_LABELLED: usize = 1000;

/// What to do next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The belief to hold; `None` without labels held out.
    pub belief: Option<BeliefAdvice>,
    /// Half splits of the items under two rules; `None` where there is no evaluation.
    pub rules: Option<RulesCompared>,
    /// What further labels of an item do for its prediction, on labels held out.
    pub further_labels: Option<LabelGain>,
    /// How many times the error that the study's belief foresees labels show, where it is too sure, and so is every
    /// rule that ranks by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times_foreseen: Option<f64>,
    /// What a queue by Delta holds the error of each item to; `None` where the belief is not too sure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<CheckedBelief>,
}

/// The belief that predicts held-out labels best. Another than the study's own is named only if its 95% interval is
/// above 0; of two others, one that is no better is so named in at most 5% of studies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BeliefAdvice {
    /// Its name under `[trust]`.
    pub take: String,
    /// The belief that the study holds.
    pub own: String,
    /// What it is ahead of; `None` where it is shown to be ahead of none.
    pub lead: Option<Lead>,
}

/// By how much a belief predicts labels better than another that it has not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// The other.
    pub than: String,
    /// Difference of the log scores, in nats a label.
    pub by: f64,
    /// Its 95% interval for new items.
    pub interval: Interval,
    /// Squared errors of the belief and the other against the pool, where labels tell them.
    pub squared_errors: Option<[f64; 2]>,
}

/// Error that two rules remove on half splits. It describes these items: the difference has no interval, so it is no
/// verdict.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RulesCompared {
    /// Budget in percent of the items.
    pub percent: u32,
    /// By the epistemic part.
    pub epistemic: f64,
    /// By fewest labels first.
    pub fewest_labels: f64,
}

impl Advice {
    /// What held-out labels and half splits say.
    pub fn new(held_out: &OrReason<HeldOutReport>, evaluation: Option<&EvaluationOutcome>) -> Self {
        let rules = match evaluation {
            Some(EvaluationOutcome::Evaluated(evaluation)) => RulesCompared::new(evaluation),
            Some(EvaluationOutcome::NotEvaluated(_)) | None => None,
        };
        let report = held_out.found();
        let check = report.and_then(|report| report.belief_check.as_ref());
        let times_foreseen = check.and_then(BeliefCheck::times_foreseen);
        Self {
            belief: report.map(BeliefAdvice::new),
            rules,
            further_labels: report.and_then(|report| report.label_gain),
            times_foreseen,
            checked: times_foreseen.and(check).and_then(BeliefCheck::checked),
        }
    }

    /// What the last run says; held-out labels alone where there is none. `None` where only a run would say it: of more
    /// labels held out than a queue should wait for.
    ///
    /// # Errors
    /// Its results are there and can't be read.
    pub fn of_run<K: Kind>(
        run: Option<&LastRun>,
        study: &Study<K>,
        decomposition: &Decomposition<K>,
    ) -> Result<Option<Self>, FileError> {
        let results = run.map(LastRun::results).transpose()?.flatten();
        let said = results.and_then(|results| serde_json::from_value(results["advice"].clone()).ok());
        let labelled = decomposition.numbers.iter().filter(|n| **n > 0).count();
        let scored = || (labelled <= MOST_LABELLED).then(|| HeldOutReport::new(study, decomposition));
        Ok(said.or_else(|| Some(Self::new(&scored()?, None))))
    }
}

impl BeliefAdvice {
    fn new(report: &HeldOutReport) -> Self {
        let own = report.own.as_str();
        let others = NAMES.iter().filter(|name| **name != own);
        let better = others.filter_map(|name| Some((*name, Lead::new(report, name, own)?)));
        let better = better.max_by(|a, b| a.1.by.total_cmp(&b.1.by));
        let (take, lead) = match better {
            Some((name, lead)) => (name, Some(lead)),
            None => (own, Lead::new(report, own, "published")),
        };
        Self { take: take.to_owned(), own: own.to_owned(), lead }
    }
}

impl Lead {
    /// How far one is shown to be ahead of another, by single labels that neither has seen.
    fn new(report: &HeldOutReport, one: &str, than: &str) -> Option<Self> {
        // A belief that takes the prediction as it is has the scores of the judge, and none of its own.
        let is_scored = |name: &str| report.scores.iter().any(|s| s.prediction == name && s.given == Given::NoLabel);
        let scores_of = |name| if is_scored(name) { name } else { JUDGE };
        let (name, one, other) = (than, scores_of(one), scores_of(than));
        let [by, lo, hi] = report.comparisons.iter().find_map(|c| {
            let alike = c.score == Score::Log && c.given == Given::NoLabel && c.than_given == Given::NoLabel;
            let found = c.advantage.estimate().filter(|_| alike)?;
            match (c.prediction.as_str(), c.than.as_str()) {
                pair if pair == (one, other) => Some([found.value, found.lo, found.hi]),
                pair if pair == (other, one) => Some([-found.value, -found.hi, -found.lo]),
                _ => None,
            }
        })?;
        let squared = |name: &str| {
            let is = |error: &&SquaredError| error.prediction == name && error.given == Given::NoLabel;
            Some(report.squared_errors.iter().find(is)?.mean.estimate()?.value)
        };
        let both = squared(one).zip(squared(other)).map(|(one, other)| [one, other]);
        // Without bias they may come out below 0, which is none to tell.
        let squared_errors = both.filter(|both| both.iter().all(|error| *error > 0.0));
        (lo > 0.0).then(|| Self { than: name.to_owned(), by, interval: Interval { lo, hi }, squared_errors })
    }
}

impl RulesCompared {
    /// `None` where one of the rules was not evaluated.
    fn new(evaluation: &Evaluation) -> Option<Self> {
        let value = &evaluation.full.value;
        let budgets: Vec<Budget> = value.values().flat_map(|of| of.keys().copied()).collect();
        let budget = Budget::headline_of(&budgets);
        let of = |rule: Rule| Some(value.get(&rule)?.get(&budget)?.mean);
        let (epistemic, fewest_labels) = (of(Rule::Info)?, of(Rule::FewestLabels)?);
        Some(Self { percent: budget.in_percent(), epistemic, fewest_labels })
    }
}

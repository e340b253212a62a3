//! The half-split evaluation of a study, over the items with enough labels.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::evaluate::OrReason;
use crate::model::chosen::ItemSampling;
use crate::model::study::Study;
use judge_uncertainty_core::belief::Feature;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_core::stats::estimator::{Design, LEAST_ITEMS};
use judge_uncertainty_core::stats::new_items::{Contributions, NewItems, new_items};
use judge_uncertainty_evaluation::counts::most_revealed;
use judge_uncertainty_evaluation::escalation::value_minus;
use judge_uncertainty_evaluation::half_split::contributions;
use judge_uncertainty_evaluation::{
    ByRule, Contrast, Coverage, Escalation, FamiliaritySearch, HalfSplit, Journal, Measure, Measured, PitHistogram,
    Settings, by_rule, list_width,
};
use judge_uncertainty_familiarity::neighbours::{IndexedItems, Neighbours};
use judge_uncertainty_system::progress::Progress;

/// What escalation achieves on the items that have enough labels to tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// Evaluated items.
    pub items: usize,
    /// Labels that an item needs to be evaluated.
    pub least_labels: u32,
    /// Half splits.
    pub replicates: usize,
    /// What could not be measured as asked, each with its reason.
    pub not_estimable: Vec<String>,
    /// How labelled neighbours were found among them, in words; `None` without embeddings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<String>,
    /// All features.
    pub full: Escalation,
    /// Replicates whose fit left labelled items at a limit of the trust; with a prior there are none.
    pub fits_at_limit: usize,
    /// Its value minus that of ranking by total uncertainty (`posterior_entropy`), paired within replicate; `None`
    /// where the judge's own uncertainty is what rules are compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minus_total: Option<ByRule>,
    /// The rules against the one that they are compared with, for new items. All other figures here are over half
    /// splits of these items.
    pub for_new_items: RulesForNewItems,
    /// The most that escalation can be expected to remove, by budget.
    pub oracle: BTreeMap<Budget, Summary>,
    /// What escalation removes of the squared error; `None` for classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub squared: Option<SquaredValue>,
    /// The number of labels as the only feature; `None` if it is not a feature or already the only one.
    pub counts_only: Option<Escalation>,
    /// Labels of the held-out halves against the beliefs that have not seen them; `None` where labels have no order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// Every replicate under all features, from which rules are compared; not written.
    #[serde(skip)]
    pub measured: Vec<Measured>,
}

/// Squared error removed by one bought label per escalated item, summed over them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SquaredValue {
    /// By rule and budget.
    pub value: ByRule,
    /// Minus that of ranking by the judge's uncertainty, paired within replicate.
    pub minus_judge_entropy: ByRule,
    /// Minus that of ranking by total uncertainty.
    pub minus_total: ByRule,
    /// Minus that of fewest labels first.
    pub minus_fewest_labels: ByRule,
    /// The most that escalation can be expected to remove, by budget.
    pub oracle: BTreeMap<Budget, Summary>,
}

/// Ratings of the second halves in their predictive distributions (probability integral transform), over all
/// replicates.
///
/// Each annotator counts with their first rating. Ratings on a coarse scale cannot be spread evenly even if the belief
/// is right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// Share of the ratings in each tenth of its predictive distribution: 0.1 where the belief is calibrated.
    pub tenths: Vec<f64>,
    /// How many fell into central intervals; each counts once per replicate in which it is held out.
    pub coverage: Vec<Coverage>,
}

impl HeldOut {
    fn over(measured: &[Measured]) -> Option<Self> {
        let mut places = PitHistogram::default();
        measured.iter().filter_map(|m| m.held_out.as_ref()).for_each(|held_out| places.add(held_out));
        let share = |n: u64| n as f64 / places.ratings() as f64;
        measured.first()?.held_out.as_ref()?;
        Some(Self { tenths: places.tenths.into_iter().map(share).collect(), coverage: Coverage::at_levels(&places) })
    }
}

impl SquaredValue {
    fn over(measured: &[Measured], budgets: &[Budget]) -> Option<Self> {
        let squares: Vec<_> = measured.iter().map(|m| m.squared.as_ref()).collect::<Option<_>>()?;
        let like = &squares.first()?.value;
        let minus = |other: Rule| by_rule(&squares, like, |s, rule, b| s.value[&rule][&b] - s.value[&other][&b]);
        Some(Self {
            value: by_rule(&squares, like, |s, rule, b| s.value[&rule][&b]),
            minus_judge_entropy: minus(Rule::JudgeEntropy),
            minus_total: minus(Rule::PosteriorEntropy),
            minus_fewest_labels: minus(Rule::FewestLabels),
            oracle: budgets.iter().map(|b| (*b, Summary::over(&squares, |s| s.oracle[b]))).collect(),
        })
    }
}

impl Evaluation {
    /// The value of every rule minus that of the rule that rules of this kind are compared with.
    pub fn differences(&self) -> &ByRule {
        self.minus_total.as_ref().unwrap_or(&self.full.minus_judge_entropy)
    }
}

/// An evaluation, or the reason why it is missing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EvaluationOutcome {
    /// It was run.
    Evaluated(Box<Evaluation>),
    /// It can't be run, and why.
    NotEvaluated(String),
}

/// The items with enough labels, by position, or why they are too few.
pub fn evaluated_items(study: &Study) -> Result<Vec<usize>, String> {
    let (config, numbers) = (&study.file.config.evaluation, study.numbers());
    let least = config.least_labels;
    let kept: Vec<usize> = (0..numbers.len()).filter(|i| numbers[*i] >= least).collect();
    if config.replicates == 0 {
        return Err("evaluation.replicates is 0".to_owned());
    }
    if kept.len() < LEAST_ITEMS {
        return Err(format!(
            "what escalation achieves here can't be measured: one half of an item's labels has to serve as its truth, \
             and {} of {} items have {least} labels or more (evaluation.least_labels), where {LEAST_ITEMS} such items \
             are needed. What single labels say of the judge's error, its calibration and its agreement with \
             experts stands under the held-out labels. Trust, decomposition and rankings need none of this and are \
             given for all items",
            kept.len(),
            numbers.len()
        ));
    }
    Ok(kept)
}

/// The reason for a missing evaluation in a few words: how many labels are lacking, and on which items first; `None` if
/// there is an evaluation.
pub fn lacking_labels(study: &Study) -> Option<String> {
    /// Items that are named.
    const NAMED: usize = 3;
    let have = evaluated_items(study).err().map(|_| study.numbers())?;
    let config = &study.file.config.evaluation;
    if config.replicates == 0 {
        return Some("evaluation.replicates = 0 switches it off".to_owned());
    }
    let least = config.least_labels;
    let mut candidates: Vec<usize> = (0..have.len()).collect();
    // Stable: of items with as many labels the first in the file comes first.
    candidates.sort_by_key(|&i| std::cmp::Reverse(have[i]));
    let enough = candidates.iter().filter(|&&i| have[i] >= least).count();
    let found =
        format!("{enough} items have {least} labels or more (evaluation.least_labels), where {LEAST_ITEMS} are needed");
    let Some(chosen) = candidates.get(enough..LEAST_ITEMS) else {
        return Some(format!("{found}; the study has {} items in all", candidates.len()));
    };
    let missing = |&i: &usize| u64::from(least - have[i]);
    let named: Vec<String> =
        chosen.iter().take(NAMED).map(|i| format!("{} ({} more)", &study.items.ids[*i], missing(i))).collect();
    let others = if chosen.len() > NAMED { format!(" and {} more items", chosen.len() - NAMED) } else { String::new() };
    let labels: u64 = chosen.iter().map(missing).sum();
    Some(format!("{found}: {labels} more labels would do, on {}{others}", named.join(", ")))
}

/// What a replicate measured under all features and, where that is something else, under the number of labels alone.
pub type Replicate = (Measured, Option<Measured>);

/// An evaluation that is set up: [`Self::replicate`] is one half split.
pub struct Evaluator<'a> {
    study: &'a Study,
    kept: Vec<usize>,
    split: HalfSplit<'a>,
    /// How neighbours are found.
    engine: Option<&'a dyn Neighbours>,
    /// Column of the features that is the number of labels, where it is not the only feature.
    counts: Option<usize>,
}

impl<'a> Evaluator<'a> {
    /// Sets up the evaluation of the items at positions `kept`; `engine` searches their embeddings.
    pub fn new(study: &'a Study, kept: Vec<usize>, engine: Option<&'a dyn Neighbours>) -> Self {
        let config = &study.file.config;
        let settings = Settings {
            seed: config.seed,
            reveal: config.evaluation.reveal.clone(),
            budgets: config.evaluation.budgets(),
            rules: study.rules(),
        };
        let (neighbours, mode) = study.neighbourhood();
        let near = engine.map(|engine| FamiliaritySearch::new(engine, neighbours, mode));
        let of_kept = kept.clone();
        let features = Box::new(move |numbers: &[u32], near: Option<&_>| {
            study.relation().feature_columns(&of_kept, numbers, near)
        });
        let split = HalfSplit::new(study.pool(&study.labels, &kept).boxed(), near, features, settings)
            .with_contrasts(contrasts(study));
        let counts = study.features.iter().position(|feature| *feature == Feature::LogLabels);
        Self { study, kept, split, engine, counts: counts.filter(|_| study.features.len() > 1) }
    }

    /// One half split.
    ///
    /// # Errors
    /// A fit that is impossible, for instance because no label was revealed.
    pub fn replicate(&self, replicate: u64) -> Result<Replicate, Error> {
        let mut stream = self.split.stream(replicate);
        let labels = self.split.draw(&mut stream);
        let features = self.split.features(&labels);
        let alone = self.counts.map(|k| &features[k..=k]);
        let sets: Vec<_> = std::iter::once(&features[..]).chain(alone).collect();
        let mut outcomes = self.split.evaluate_each(&labels, &sets, &mut stream)?.into_iter();
        let full = outcomes.next().expect("one of each set of features").measured;
        let counts_only = outcomes.next().map(|outcome| Measured { contrasts: vec![], ..outcome.measured });
        Ok((full, counts_only))
    }

    /// What can't be measured as the settings ask for it, and why.
    fn not_estimable(&self) -> Vec<String> {
        let (settings, numbers, items) = (self.split.settings(), self.study.numbers(), self.kept.len());
        let whole = settings.budgets.iter().filter(|budget| budget.of(items) == items);
        let mut reasons: Vec<String> = whole
            .map(|budget| {
                let percent = budget.in_percent();
                format!(
                    "the error of the others at a budget of {percent}%: every item is escalated, so there are no others"
                )
            })
            .collect();
        let most = settings.reveal.iter().copied().max().unwrap_or(0);
        let short = self.kept.iter().filter(|&&i| most_revealed(numbers[i] / 2) < most).count();
        if short > 0 {
            reasons.push(format!(
                "{short} items with as many as {most} labels revealed (evaluation.reveal): one label of the first half \
                 is kept to be bought, so fewer are revealed; items with {} labels or more (evaluation.least_labels) \
                 have enough",
                2 * (most + 1)
            ));
        }
        reasons
    }

    /// Summarises all replicates.
    ///
    /// # Panics
    /// If `replicates` is empty.
    pub fn summarise(&self, replicates: Vec<Replicate>) -> Evaluation {
        let count = replicates.len();
        let (measured, counts_only): (Vec<Measured>, Vec<Option<Measured>>) = replicates.into_iter().unzip();
        let counts_only: Vec<Measured> = counts_only.into_iter().flatten().collect();
        let budgets = &self.split.settings().budgets;
        let against_total = self.study.scale().reference() == Rule::PosteriorEntropy;
        Evaluation {
            items: self.kept.len(),
            least_labels: self.study.file.config.evaluation.least_labels,
            replicates: count,
            not_estimable: self.not_estimable(),
            neighbours: self.engine.map(|engine| engine.describe()),
            minus_total: against_total.then(|| value_minus(&measured, Rule::PosteriorEntropy)),
            oracle: budgets.iter().map(|b| (*b, Summary::over(&measured, |m| m.oracle[b]))).collect(),
            for_new_items: RulesForNewItems::new(self.study, &self.kept, &measured),
            squared: SquaredValue::over(&measured, budgets),
            counts_only: (!counts_only.is_empty()).then(|| Escalation::over(&counts_only)),
            fits_at_limit: measured.iter().filter(|m| m.at_limit > 0).count(),
            full: Escalation::over(&measured),
            held_out: HeldOut::over(&measured),
            measured,
        }
    }
}

/// Opens the journal of a study's evaluation, beside its run folder.
///
/// # Errors
/// It can't be read or written, or is not as it was written.
pub fn journal(folder: &Path, study: &Study) -> Result<Journal<Replicate>, Error> {
    let mut config = study.file.config.clone();
    config.evaluation.replicates = 0;
    Ok(Journal::open(folder, &(config, contrasts(study)), study.inputs.sums())?)
}

/// Runs all replicates, those apart that the journal holds from an interrupted run.
///
/// # Errors
/// A fit that is impossible, or a journal that can't be written.
pub fn evaluate(
    study: &Study,
    journal: Option<&mut Journal<Replicate>>,
    progress: &dyn Progress,
) -> Result<EvaluationOutcome, Error> {
    let kept = match evaluated_items(study) {
        Ok(kept) => kept,
        Err(reason) => return Ok(EvaluationOutcome::NotEvaluated(reason)),
    };
    // Every replicate labels others of these items.
    let (neighbours, _) = study.neighbourhood();
    let engine = study.engine(&kept, IndexedItems::all(kept.len()), list_width(neighbours), progress)?;
    let evaluator = Evaluator::new(study, kept, engine.as_deref());
    let mut none = Journal::default();
    let journal = journal.unwrap_or(&mut none);
    let wanted = study.file.config.evaluation.replicates;
    let replicates = journal.complete("half splits", wanted, |replicate| evaluator.replicate(replicate), progress)?;
    Ok(EvaluationOutcome::Evaluated(Box::new(evaluator.summarise(replicates))))
}

// The rules of an evaluation against the one that they are compared with, for new items.

/// Probability with which the simultaneous intervals of a table hold together.
const LEVEL: f64 = 0.95;

/// Differences between rules with intervals for new items ([`new_items`]), those of one measure simultaneous over all
/// rules. Values are expected ones over all labels that may be bought, without the noise of drawing one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RulesForNewItems {
    /// The budget.
    pub budget: Budget,
    /// The rule that every other one is compared with.
    pub than: Rule,
    /// Probability with which the simultaneous intervals of a measure hold together.
    pub level: f64,
    /// Error removed minus that by the other rule.
    pub value: BTreeMap<Rule, OrReason<NewItems>>,
    /// Error removed by the most epistemic items first minus that by those with the fewest labels first.
    pub epistemic_over_fewest: OrReason<NewItems>,
    /// Squared error removed minus that by the other rule; `None` for classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub squared_value: Option<BTreeMap<Rule, OrReason<NewItems>>>,
}

/// The comparisons that an evaluation keeps item by item: those of its tables, and the paper's ranking against the simplest
/// one.
pub(crate) fn contrasts(study: &Study) -> Vec<Contrast> {
    let budget = Budget::headline_of(&study.file.config.evaluation.budgets());
    let (rules, than) = (study.rules(), study.scale().reference());
    let of = |measure: Measure| {
        let others = rules.iter().filter(move |rule| **rule != than);
        others.map(move |&better| Contrast { better, than, budget, measure })
    };
    let squared = study.scale().has_order().then_some(Measure::SquaredValue);
    let over_fewest = Contrast { better: Rule::Info, than: Rule::FewestLabels, budget, measure: Measure::Value };
    [Measure::Value].into_iter().chain(squared).flat_map(of).chain([over_fewest]).collect()
}

/// How the evaluated items of a study, at positions `kept`, were chosen, and which form a cluster.
fn evaluated_design(study: &Study, kept: &[usize]) -> Design {
    let (own, least) = (study.own_numbers(), study.file.config.evaluation.least_labels);
    let raised = kept.iter().filter(|&&i| (1..least).contains(&own[i])).count();
    let design = ItemSampling::new(study, kept).design;
    if raised == 0 || design.reason().is_some() {
        return design;
    }
    let reason = format!(
        "{raised} of the evaluated items have enough labels only because some were added to those of your own files; \
         this describes these items, not new ones"
    );
    Design::unknown(design.clusters().to_vec(), reason)
}

/// The reason why a comparison of rules on items of this design, with equal weight for each item, does not extend to
/// new ones; `None` if it does.
fn not_for_new_items(design: &Design) -> Option<String> {
    let weighted = "the evaluated items had different chances of being chosen, and a comparison of rules counts them \
                    alike; this describes these items, not new ones";
    match design.reason() {
        Some(reason) => Some(reason.to_owned()),
        None => (!design.is_even()).then(|| weighted.to_owned()),
    }
}

impl RulesForNewItems {
    /// From what the replicates of a study's evaluation measured over the items at positions `kept`, whose comparisons
    /// are [`contrasts`].
    pub(crate) fn new(study: &Study, kept: &[usize], measured: &[Measured]) -> Self {
        let all = contrasts(study);
        let design = evaluated_design(study, kept);
        let than = study.scale().reference();
        let value = |measure: Measure, than: Rule| -> BTreeMap<Rule, OrReason<NewItems>> {
            let places = (0..all.len()).filter(|&k| all[k].measure == measure && all[k].than == than);
            // The contribution of each cluster; `None` if a replicate could not be evaluated.
            let of = |k: usize| {
                let of_items = contributions(design.len(), measured.iter().map(|m| m.contrasts.get(k)?.as_ref()));
                let of_clusters =
                    |all: Contributions| if design.is_simple() { all } else { all.of_clusters(design.clusters()) };
                (all[k].better, of_items.map(of_clusters))
            };
            match not_for_new_items(&design) {
                Some(reason) => {
                    let not = OrReason::not(reason.clone());
                    places.map(|k| (all[k].better, not.clone())).collect()
                }
                None => together(places.map(of).collect()),
            }
        };
        Self {
            budget: Budget::headline_of(&study.file.config.evaluation.budgets()),
            than,
            level: LEVEL,
            value: value(Measure::Value, than),
            epistemic_over_fewest: value(Measure::Value, Rule::FewestLabels)
                .remove(&Rule::Info)
                .unwrap_or_else(|| OrReason::not("the evaluation does not measure it")),
            squared_value: study.scale().has_order().then(|| value(Measure::SquaredValue, than)),
        }
    }
}

/// Intervals that hold together.
fn together(rules: Vec<(Rule, Option<Contributions>)>) -> BTreeMap<Rule, OrReason<NewItems>> {
    let family = rules.len();
    let of = |own: Option<Contributions>| match own.map(|own| new_items(&own, LEVEL, family)) {
        Some(Some(found)) => OrReason::Found(found),
        Some(None) => {
            OrReason::not("the two rules escalate the same items in every replicate, or there is one replicate")
        }
        None => OrReason::not("the evaluation does not measure it"),
    };
    rules.into_iter().map(|(rule, own)| (rule, of(own))).collect()
}

#[cfg(test)]
mod tests_of_for_new_items {
    use super::*;

    /// Sixty items: the rule picks twenty, and the other rule twenty others whose gain differs by `gain`.
    fn picks(gain: f64) -> Contributions {
        let picked: Vec<f64> = (0..60).map(|i| [1.0, -1.0, 0.0][i % 3]).collect();
        let worth = |i: usize| 0.5 * gain * picked[i] + [0.3, -0.3, 0.1, -0.1][i / 3 % 4];
        let of_items: Vec<f64> = (0..60).map(|i| picked[i] * worth(i)).collect();
        let sum: f64 = of_items.iter().sum();
        let worth = (0..60).map(|i| (picked[i] != 0.0).then(|| worth(i))).collect();
        Contributions { of_items, picked, worth, of_redraws: vec![sum - 0.1, sum + 0.1] }
    }

    #[test]
    fn what_two_rules_never_differ_in_has_a_reason_and_the_others_an_interval() {
        let same = Contributions {
            of_items: vec![0.0; 60],
            picked: vec![0.0; 60],
            worth: vec![None; 60],
            of_redraws: vec![0.0, 0.0],
        };
        let rules = vec![(Rule::Info, Some(picks(1.0))), (Rule::Random, Some(same)), (Rule::Delta, None)];
        let found = together(rules);
        let info = found[&Rule::Info].found().unwrap();
        assert!(info.plain.lo > 0.0 && info.difference > 19.0, "{info:?}");
        for (rule, why) in [(Rule::Random, "the same items"), (Rule::Delta, "does not measure")] {
            assert!(
                matches!(&found[&rule], OrReason::NotEstimable { not_estimable } if not_estimable.contains(why)),
                "{found:?}"
            );
        }
    }
}

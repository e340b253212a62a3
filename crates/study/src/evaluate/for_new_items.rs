//! The rules of an evaluation against the one that they are compared with, for new items.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evaluate::OrReason;
use crate::model::chosen::ItemSampling;
use crate::model::study::Study;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::estimator::Design;
use judge_uncertainty_core::stats::new_items::{Contributions, NewItems, new_items};
use judge_uncertainty_evaluation::escalation::Picks;
use judge_uncertainty_evaluation::half_split::contributions;
use judge_uncertainty_evaluation::{Contrast, Measure, Measured};

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
pub fn evaluated_design(study: &Study, kept: &[usize]) -> Design {
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
    Design::unknown(design.things().to_vec(), reason)
}

/// The reason why a comparison of rules on items of this design, with equal weight for each item, does not extend to
/// new ones; `None` if it does.
pub fn not_for_new_items(design: &Design) -> Option<String> {
    let weighted = "the evaluated items had different chances of being chosen, and a comparison of rules counts them \
                    alike; this describes these items, not new ones";
    match design.reason() {
        Some(reason) => Some(reason.to_owned()),
        None => (!design.is_even()).then(|| weighted.to_owned()),
    }
}

/// The contribution of each cluster of this design to a comparison, from its picks in every replicate; `None` if a
/// replicate could not be evaluated.
pub fn of_things<'a>(design: &Design, picks: impl Iterator<Item = Option<&'a Picks>>) -> Option<Contributions> {
    let of_items = contributions(design.len(), picks)?;
    Some(if design.is_simple() { of_items } else { of_items.of_things(design.things()) })
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
            let of = |k: usize| {
                let picks = measured.iter().map(|m| m.contrasts.get(k)?.as_ref());
                (all[k].better, of_things(&design, picks))
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
mod tests {
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

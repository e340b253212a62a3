//! The items that figures show.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::study::Decomposition;
use judge_uncertainty_core::escalation::{Budget, Rule, top};
use judge_uncertainty_evaluation::{ItemComponents, Luck};

/// Items that a figure shows at most.
pub const MOST_SHOWN: usize = 2000;

/// Items for a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemSample {
    /// Items of the study. Where they are more than the components hold, these are a simple random sample: the items
    /// that the rule `random` ranks first.
    pub items: usize,
    /// The items shown, in their order; escalated are those of a tenth of all items that are shown.
    pub components: ItemComponents,
}

impl ItemSample {
    /// Samples the items of a decomposition, with what the epistemic part and the judge's uncertainty escalate.
    pub fn new(decomposition: &Decomposition) -> Self {
        let priorities =
            [Rule::Info, Rule::JudgeEntropy].into_iter().filter_map(|rule| Some((rule, decomposition.priority(rule)?)));
        let parts = |i: usize| {
            let belief = decomposition.belief(i);
            (belief.aleatoric(), belief.epistemic())
        };
        Self::drawn(&decomposition.luck, parts, priorities.collect())
    }

    /// `parts` gives aleatoric and epistemic part of an item, `priorities` what rules rank the items by.
    fn drawn(luck: &Luck, parts: impl Fn(usize) -> (f64, f64), priorities: BTreeMap<Rule, Vec<f64>>) -> Self {
        let items = luck.random.len();
        let mut shown = top(&luck.random, &[], MOST_SHOWN);
        shown.sort_unstable();
        let budget = Budget::HEADLINE;
        let escalated = |priority: Vec<f64>| -> Vec<usize> {
            let picks = top(&priority, &luck.jitter, budget.of(items));
            let mut places: Vec<usize> = picks.iter().filter_map(|item| shown.binary_search(item).ok()).collect();
            places.sort_unstable();
            places
        };
        let (aleatoric, epistemic) = shown.iter().map(|&i| parts(i)).unzip();
        let escalated = priorities.into_iter().map(|(rule, priority)| (rule, escalated(priority))).collect();
        Self { items, components: ItemComponents { aleatoric, epistemic, budget, escalated } }
    }

    /// Whether some items are left out.
    pub fn is_partial(&self) -> bool {
        self.components.aleatoric.len() < self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_core::random::Stream;

    fn sample(items: usize) -> ItemSample {
        let mut stream = Stream::new(4);
        let random: Vec<f64> = (0..items).map(|_| stream.random()).collect();
        let priority: Vec<f64> = (0..items).map(|i| i as f64).collect();
        let luck = Luck { jitter: vec![], random };
        ItemSample::drawn(&luck, |i| (i as f64, -(i as f64)), [(Rule::Info, priority)].into())
    }

    #[test]
    fn a_small_study_is_shown_whole() {
        let all = sample(30);
        assert!(!all.is_partial());
        assert_eq!(all.components.aleatoric, (0..30).map(f64::from).collect::<Vec<_>>());
        assert_eq!(all.components.escalated[&Rule::Info], [27, 28, 29]);
    }

    /// A simple random sample of 2000 out of 20,000: about a tenth of it is escalated (200 in expectation, standard
    /// deviation 12.7 by the hypergeometric law), and its mean is that of all items (9999.5; standard error 122).
    #[test]
    fn a_large_one_by_a_random_sample_that_keeps_the_proportions() {
        let part = sample(20_000);
        let shown = &part.components;
        assert!(part.is_partial() && part.items == 20_000 && shown.aleatoric.len() == MOST_SHOWN);
        assert!(shown.aleatoric.is_sorted());
        let escalated = &shown.escalated[&Rule::Info];
        assert!((150..250).contains(&escalated.len()), "{}", escalated.len());
        assert!(escalated.iter().all(|&k| shown.aleatoric[k] >= 18_000.0));
        let mean = shown.aleatoric.iter().sum::<f64>() / MOST_SHOWN as f64;
        assert!((mean - 9999.5).abs() < 500.0, "{mean}");
        assert_eq!(part, sample(20_000));
    }
}

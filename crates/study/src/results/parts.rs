//! How the parts of the uncertainty and the evidence vary over items.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::study::Decomposition;
use crate::results::SPREAD;
use judge_uncertainty_core::belief::Repeats;
use judge_uncertainty_core::escalation::{Budget, Rule, top};
use judge_uncertainty_core::stats::quantile::percentiles;
use judge_uncertainty_core::stats::{correlation_of_ranks, mean, population_sd, ranks};
use judge_uncertainty_evaluation::{ItemComponents, Luck};

/// Means over all items, in squared units of the scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartAverages {
    /// Variance of a fresh label.
    pub total: f64,
    /// Its part that labels cannot reduce.
    pub aleatoric: f64,
    /// Its part that they do.
    pub epistemic: f64,
    /// Noise of an annotator who rates again; `None` without repeats.
    pub within_annotators: Option<f64>,
    /// Disagreement between annotators; `None` without repeats, for then the two are not identified.
    pub between_annotators: Option<f64>,
    /// Degrees of freedom behind the noise; 0 without repeats.
    pub repeats: u32,
    /// 5, 50 and 95 percentiles over items of each part.
    pub over_items: BTreeMap<UncertaintyPart, [f64; 3]>,
}

/// A part of an item's variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UncertaintyPart {
    /// Variance of a fresh label.
    Total,
    /// What labels reduce.
    Epistemic,
    /// What they don't.
    Aleatoric,
    /// Its part within annotators, where ratings were repeated.
    WithinAnnotators,
    /// Its part between annotators, where ratings were repeated.
    BetweenAnnotators,
}

impl PartAverages {
    /// Averages the parts of a decomposition; `repeats` is the noise of annotators who rated again, if any did.
    pub fn new(decomposition: &Decomposition, repeats: Option<Repeats>) -> Self {
        let mut parts: BTreeMap<UncertaintyPart, Vec<f64>> = [
            (UncertaintyPart::Total, decomposition.map(|b| b.total())),
            (UncertaintyPart::Aleatoric, decomposition.map(|b| b.aleatoric())),
            (UncertaintyPart::Epistemic, decomposition.map(|b| b.epistemic())),
        ]
        .into();
        if let Some(repeats) = repeats {
            let (within, between) =
                parts[&UncertaintyPart::Aleatoric].iter().map(|aleatoric| repeats.split(*aleatoric)).unzip();
            parts.extend([(UncertaintyPart::WithinAnnotators, within), (UncertaintyPart::BetweenAnnotators, between)]);
        }
        let average = |part: UncertaintyPart| parts.get(&part).map(|values| mean(values));
        Self {
            total: mean(&parts[&UncertaintyPart::Total]),
            aleatoric: mean(&parts[&UncertaintyPart::Aleatoric]),
            epistemic: mean(&parts[&UncertaintyPart::Epistemic]),
            within_annotators: average(UncertaintyPart::WithinAnnotators),
            between_annotators: average(UncertaintyPart::BetweenAnnotators),
            repeats: repeats.map_or(0, |repeats| repeats.degrees),
            over_items: parts.iter().map(|(part, values)| (*part, percentiles(values, SPREAD))).collect(),
        }
    }

    /// The parts that are identified, with their means.
    pub fn parts(&self) -> Vec<(UncertaintyPart, f64)> {
        let all = [
            (UncertaintyPart::Total, Some(self.total)),
            (UncertaintyPart::Epistemic, Some(self.epistemic)),
            (UncertaintyPart::Aleatoric, Some(self.aleatoric)),
            (UncertaintyPart::WithinAnnotators, self.within_annotators),
            (UncertaintyPart::BetweenAnnotators, self.between_annotators),
        ];
        all.into_iter().filter_map(|(part, mean)| mean.map(|mean| (part, mean))).collect()
    }
}

/// Whether ranking by entropy would go wrong: with equal total evidence alpha_0 it ranks items nearly as the epistemic
/// part does, and the more the evidence varies, the more the two come apart (the paper, App. B, "When entropy-ranking
/// is safe").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceReport {
    /// 5, 50 and 95 percentiles over items of alpha_0 = trust + labels, in labels.
    pub evidence_percentiles: [f64; 3],
    /// Standard deviation over items of ln(alpha_0 + 1), on whose scale the value of a label falls.
    pub sd_log_evidence: f64,
    /// Spearman correlation of the epistemic part with the entropy of the posterior mean; `None` where one is constant.
    pub spearman_entropy_info: Option<f64>,
    /// Spearman correlation of the epistemic part with the entropy of the judge's prediction; `None` where one is
    /// constant.
    pub spearman_judge_entropy_info: Option<f64>,
    /// Share of the tenth of the items with most epistemic uncertainty that entropy (of the posterior mean) finds too.
    pub shared_picks: f64,
    /// Epistemic uncertainty of entropy's tenth as a share of that of the best tenth.
    pub information_kept: f64,
    /// Whether entropy forgoes more than [`FORGONE`] of it.
    pub entropy_goes_wrong: bool,
}

/// Share of the epistemic uncertainty within the budget that a ranking may forgo and still count as agreeing.
pub const FORGONE: f64 = 0.1;

impl EvidenceReport {
    /// Compares the rankings of a decomposition at a tenth of the items; `None` for labels that are not ranked by these
    /// rules.
    pub fn new(decomposition: &Decomposition) -> Option<Self> {
        let evidence = decomposition.map(|b| b.evidence());
        let log: Vec<f64> = evidence.iter().map(|a| (a + 1.0).ln()).collect();
        let info = decomposition.map(|b| b.epistemic());
        let k = Budget::HEADLINE.of(decomposition.len());
        let picks = |priority: &[f64]| top(priority, &decomposition.luck.jitter, k);
        let by_entropy = decomposition.priority(Rule::PosteriorEntropy)?;
        let (best, entropy) = (picks(&decomposition.priority(Rule::Info)?), picks(&by_entropy));
        let mut chosen = vec![false; decomposition.len()];
        best.iter().for_each(|&i| chosen[i] = true);
        let shared = entropy.iter().filter(|&&i| chosen[i]).count();
        let sum = |items: &[usize]| items.iter().map(|&i| info[i]).sum::<f64>();
        let most = sum(&best);
        let of_info = ranks(&info);
        let spearman = |priority: &[f64]| correlation_of_ranks(&ranks(priority), &of_info);
        let information_kept = if most > 0.0 { sum(&entropy) / most } else { 1.0 };
        Some(Self {
            evidence_percentiles: percentiles(&evidence, SPREAD),
            sd_log_evidence: population_sd(&log),
            spearman_entropy_info: spearman(&by_entropy),
            spearman_judge_entropy_info: spearman(&decomposition.priority(Rule::JudgeEntropy)?),
            shared_picks: shared as f64 / k as f64,
            information_kept,
            entropy_goes_wrong: 1.0 - information_kept > FORGONE,
        })
    }
}

// The items that figures show.

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
mod tests_of_sample {
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

//! How the parts of the uncertainty and the evidence vary over items.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SPREAD;
use crate::model::study::Decomposition;
use judge_uncertainty_core::belief::Repeats;
use judge_uncertainty_core::escalation::{Budget, Rule, top};
use judge_uncertainty_core::stats::quantile::percentiles;
use judge_uncertainty_core::stats::{correlation_of_ranks, mean, population_sd, ranks};

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

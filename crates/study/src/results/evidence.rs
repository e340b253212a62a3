//! How much the evidence varies over items, and what that means for rankings by total uncertainty.

use serde::{Deserialize, Serialize};

use super::SPREAD;
use crate::model::kind::{Decomposition, Kind};
use judge_uncertainty_core::belief::Belief;
use judge_uncertainty_core::escalation::{Budget, Rule, top};
use judge_uncertainty_core::stats::quantile::percentiles;
use judge_uncertainty_core::stats::{population_sd, spearman};

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
    pub fn new<K: Kind>(decomposition: &Decomposition<K>) -> Option<Self> {
        let evidence = decomposition.map(|b| b.evidence());
        let log: Vec<f64> = evidence.iter().map(|a| (a + 1.0).ln()).collect();
        let info = decomposition.map(|b| b.epistemic());
        let k = Budget::HEADLINE.of(decomposition.len());
        let priority = |rule: Rule| decomposition.priority(rule);
        let picks = |rule: Rule| Some(top(&priority(rule)?, &decomposition.luck.jitter, k));
        let (best, entropy) = (picks(Rule::Info)?, picks(Rule::PosteriorEntropy)?);
        let mut chosen = vec![false; decomposition.len()];
        best.iter().for_each(|&i| chosen[i] = true);
        let shared = entropy.iter().filter(|&&i| chosen[i]).count();
        let sum = |items: &[usize]| items.iter().map(|&i| info[i]).sum::<f64>();
        let most = sum(&best);
        let information_kept = if most > 0.0 { sum(&entropy) / most } else { 1.0 };
        Some(Self {
            evidence_percentiles: percentiles(&evidence, SPREAD),
            sd_log_evidence: population_sd(&log),
            spearman_entropy_info: spearman(&priority(Rule::PosteriorEntropy)?, &info),
            spearman_judge_entropy_info: spearman(&priority(Rule::JudgeEntropy)?, &info),
            shared_picks: shared as f64 / k as f64,
            information_kept,
            entropy_goes_wrong: 1.0 - information_kept > FORGONE,
        })
    }
}

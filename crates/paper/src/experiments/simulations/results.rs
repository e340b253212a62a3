//! What the simulations report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::misspecified::RULES;
use crate::experiments::Extremes;
use crate::experiments::isolation::Isolation;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::stats::Summary;

/// Everything the simulations report; regrets and advantages in percentage points at a budget of 10%.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimulationResults {
    /// S1: regret against the spread of trust, true belief known.
    pub trust_spread: Vec<SweepPoint>,
    /// S2: the same by correlation of contentiousness and unfamiliarity, keys `rho_...`.
    pub correlation: BTreeMap<String, Vec<SweepPoint>>,
    /// S3: against the informativeness of the familiarity signal, by width of the familiarity range.
    pub informativeness: BTreeMap<String, Vec<InformativenessPoint>>,
    /// S4: the criterion cell, `oracle` and `estimated`.
    pub criterion: BTreeMap<String, CriterionCell>,
    /// S5: the sweep of S1 with estimated trust.
    pub tracking: Tracking,
    /// S6: against the ratio of the largest to the smallest trust.
    pub dose_response: Vec<DosePoint>,
    /// Equal trust and equal label counts.
    pub null: Null,
    /// Isolation of the components in calibrated worlds.
    pub isolation: Isolation,
    /// Entropy with the value of a label at the widest spread of trust.
    pub inversion: Inversion,
    /// Misspecified worlds: `plain` and `familiarity`, by corruption `gamma_...`.
    pub misspecified: BTreeMap<String, BTreeMap<String, MisspecifiedPoint>>,
    /// Statements derived from the above.
    pub derived: SimulationStatements,
}

/// Regrets of one cell over seeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibratedPoint {
    /// Regret when labels are valued by squared error: the paper's.
    pub regret_pp: BTreeMap<Rule, Summary>,
    /// Regret when labels are valued by log loss.
    pub log_loss_regret_pp: BTreeMap<Rule, Summary>,
    /// Regret of the judge's entropy minus regret of Delta (squared error).
    pub advantage_pp: Summary,
}

/// A point of a sweep over the width of the familiarity range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    /// Width, 0 (all trusts equal) to 1.
    pub width: f64,
    /// The cell.
    #[serde(flatten)]
    pub point: CalibratedPoint,
}

/// A point of the sweep over the informativeness of the signal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InformativenessPoint {
    /// Informativeness r, 0 to 1.
    pub informativeness: f64,
    /// Mean Spearman correlation of the signal with the true familiarity.
    pub signal: f64,
    /// The cell.
    #[serde(flatten)]
    pub point: CalibratedPoint,
}

/// A point of the dose-response curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DosePoint {
    /// Largest over smallest trust.
    pub trust_ratio: u32,
    /// True belief known.
    pub oracle: CalibratedPoint,
    /// Trust estimated from an exact familiarity signal.
    pub estimated: CalibratedPoint,
}

/// Mean advantage at the criterion cell with a bootstrap interval over seeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionCell {
    /// Mean advantage.
    pub advantage_pp: f64,
    /// 2.5 percentile of 10,000 bootstrap means.
    pub ci_lo_pp: f64,
    /// 97.5 percentile.
    pub ci_hi_pp: f64,
}

/// Spearman correlation of entropy with the true value Delta of one more label, over the items of a world with the widest
/// spread of trust: the full inversion is -1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inversion {
    /// Of the entropy of the judge's prediction.
    pub judge_entropy: Summary,
    /// Of the entropy of the posterior mean, with labels folded in.
    pub posterior_entropy: Summary,
}

/// How well estimated trust follows the oracle over the spread of trust.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tracking {
    /// Spearman of the two advantage curves.
    pub spearman: f64,
    /// The curve with estimated trust.
    pub points: Vec<SweepPoint>,
}

/// Advantage of Delta where evidence is equal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Null {
    /// Over the posterior's entropy: the paper's 0.0.
    pub posterior_entropy_advantage_pp: Summary,
    /// Over the judge's entropy, which lacks the labels in hand.
    pub judge_entropy_advantage_pp: Summary,
}

/// Misspecified worlds at one corruption of stated confidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MisspecifiedPoint {
    /// Regret against an oracle that knows the realised world.
    pub regret_pp: BTreeMap<Rule, Summary>,
    /// Regret of the judge's entropy minus regret of Delta.
    pub advantage_pp: Summary,
    /// Fitted coefficient of the stated spread, standardised.
    pub confidence_coefficient: Summary,
    /// Fitted coefficient of stated confidence, defined as minus the stated spread, because the judge of these worlds
    /// states only that. Both features span one model, so this is the other coefficient with its sign changed.
    pub stated_confidence_coefficient: Summary,
}

impl MisspecifiedPoint {
    /// Of outcomes of [`world_outcome`](super::misspecified::world_outcome).
    pub(super) fn new(outcomes: &[([f64; RULES.len()], f64)]) -> Self {
        let index = |rule: Rule| RULES.iter().position(|r| *r == rule).expect("the rule is in the list");
        let (entropy, delta) = (index(Rule::JudgeEntropy), index(Rule::Delta));
        let regret = |(k, rule)| (rule, Summary::over(outcomes, |(regret, _)| 100.0 * regret[k]));
        Self {
            regret_pp: RULES.into_iter().enumerate().map(regret).collect(),
            advantage_pp: Summary::over(outcomes, |(regret, _)| 100.0 * (regret[entropy] - regret[delta])),
            confidence_coefficient: Summary::over(outcomes, |(_, coefficient)| *coefficient),
            stated_confidence_coefficient: Summary::over(outcomes, |(_, coefficient)| -coefficient),
        }
    }
}

/// Statements that the paper derives from the sweeps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SimulationStatements {
    /// Regret of judge entropy where only label counts differ, as a share.
    pub entropy_forfeits_fraction: f64,
    /// Smallest regret of v minus regret of Delta over the sweep of trust spread.
    pub spread_minus_delta_min_pp: f64,
    /// Largest.
    pub spread_minus_delta_max_pp: f64,
    /// Regret of v minus regret of Delta over each sweep, and over all of them as `everywhere`.
    pub spread_minus_delta_pp: BTreeMap<String, Extremes>,
    /// Share of Delta's advantage over judge entropy that v keeps, summed over the sweep of trust spread, in percent.
    pub spread_captures_percent: f64,
    /// Largest regret of Delta over the sweep of trust spread.
    pub delta_regret_max_pp: f64,
    /// Largest regret of Delta over the sweep of trust spread where the trust is estimated.
    pub estimated_delta_regret_max_pp: f64,
    /// Smallest step of the advantage as the signal improves (positive: it rises monotonically).
    pub informativeness_smallest_rise_pp: f64,
    /// Largest difference of oracle and estimated advantage over the trust range.
    pub dose_response_oracle_minus_estimated_max_pp: f64,
    /// What a familiarity signal restores at corruption 1 in misspecified worlds, in percent of what is lost there:
    ///
    /// ```text
    /// 100 x (with - without) / (elsewhere - without)
    /// ```
    ///
    /// of the advantages at corruption 1 with and without the signal; elsewhere is the mean without it at the others.
    pub familiarity_recovers_percent: f64,
    /// Smallest gain in advantage by the signal at the other corruptions (0 or more: it costs nothing there).
    pub familiarity_smallest_gain_elsewhere_pp: f64,
}

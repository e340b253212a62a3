//! All items: every rule under every belief, what each part contributes, and how many items would settle the rest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Sizes;
use super::confirmation::{ExtendedRegistration, inferences};
use super::contest::ErrorsByLabels;
use super::corpus::{BeliefSpec, Corpus};
use super::stage::{BeliefName, ContestStage, ItemContests, advantage};
use crate::experiments::Error;
use crate::rules::Contender;
use judge_uncertainty_core::belief::recalibration::RecalibrationOptions;
use judge_uncertainty_core::belief::{BeliefModel, Recalibration};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_core::stats::inference::Inference;
use judge_uncertainty_core::stats::new_items::Contributions;
use judge_uncertainty_system::progress::Progress;

const FEWEST: Contender = Contender::Rule(Rule::FewestLabels);

/// One belief on all items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explored {
    /// Before any label is bought.
    pub error: ErrorsByLabels<Summary>,
    /// Standard deviation over items of ln lambda.
    pub sd_log_trust: Summary,
    /// tau by group (SNLI, MNLI if by source).
    pub tau: Vec<Summary>,
    /// Biases by group, then class.
    pub bias: Vec<Vec<Summary>>,
    /// Error removed by one label per escalated item, averaged over the unrevealed pool.
    pub value: BTreeMap<Contender, BTreeMap<Budget, Summary>>,
    /// Error removed minus that removed by fewest labels first; simultaneous over all beliefs, rules and budgets.
    pub minus_fewest: BTreeMap<Contender, BTreeMap<Budget, Inference>>,
}

/// How many items would separate two rules at 10%.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Power {
    /// The belief.
    pub belief: BeliefName,
    /// A rule.
    pub rule: Contender,
    /// The rule that it is compared with.
    pub over: Contender,
    /// Difference of their values on these items.
    pub difference: Inference,
    /// Items needed for 80% power in one deployment; `None` where the difference is 0.
    pub items_needed: Option<f64>,
}

/// One combination of recalibration and trust features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ablation {
    /// The recalibration.
    pub recalibration: Recalibration,
    /// Whether the trust has the features of the plan.
    pub trust_features: bool,
    /// Mean Manhattan error before any label is bought.
    pub error: Summary,
    /// Standard deviation over items of ln lambda.
    pub sd_log_trust: Summary,
    /// Value of v minus that of fewest labels at 10%.
    pub spread_minus_fewest: Summary,
}

/// Everything about all items; exploratory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// Items.
    pub items: usize,
    /// Label re-draws of them.
    pub redraws: usize,
    /// Monte-Carlo errors of the simultaneous intervals' ends, the largest of all comparisons.
    pub bound_error: f64,
    /// Fits that did not converge.
    pub unconverged_fits: usize,
    /// By belief.
    pub beliefs: BTreeMap<BeliefName, Explored>,
    /// How many items would separate rules.
    pub power: Vec<Power>,
    /// What recalibration and trust features contribute.
    pub parts: Vec<Ablation>,
}

/// A rule against another under one belief.
type Pair = (BeliefName, Contender, Contender, Budget);

/// Every rule with fewest labels under every belief, then the pairs whose power is told.
fn compared(stage: &ContestStage, registration: &ExtendedRegistration) -> [Vec<Pair>; 2] {
    let rivals = || stage.contenders.iter().copied().filter(|c| *c != FEWEST);
    let under =
        |name: BeliefName| rivals().flat_map(move |rival| Budget::PAPER.map(|budget| (name, rival, FEWEST, budget)));
    let rule = Contender::Rule;
    let pairs = [
        (BeliefName::Published, rule(Rule::Info), FEWEST),
        (BeliefName::Published, rule(Rule::Delta), FEWEST),
        (BeliefName::Published, rule(Rule::Spread), FEWEST),
        (BeliefName::Published, rule(Rule::Info), rule(Rule::JudgeEntropy)),
        (BeliefName::Published, rule(Rule::Info), rule(Rule::Delta)),
        (BeliefName::Recalibrated, rule(registration.developed.rule), FEWEST),
        (BeliefName::Planned, rule(registration.planned.rule), FEWEST),
    ];
    [
        stage.beliefs.iter().flat_map(|&(name, ..)| under(name)).collect(),
        pairs.map(|(name, rule, over)| (name, rule, over, Budget::HEADLINE)).to_vec(),
    ]
}

/// Runs a stage over all items of a corpus, and the cells that tell what the parts contribute.
///
/// # Errors
/// A fit that is impossible.
pub fn run(
    (corpus, stage): (&Corpus, &ContestStage),
    registration: &ExtendedRegistration,
    sizes: &Sizes,
    progress: &dyn Progress,
) -> Result<Exploration, Error> {
    let [family, pairs] = compared(stage, registration);
    let advantages = |held: &ItemContests| {
        let all = family.iter().chain(&pairs);
        all.map(|&(name, rule, over, budget)| advantage(&held[&name], rule, over, budget)).collect()
    };
    let staged = stage.run("exploration", sizes.redraws, &advantages, progress)?;
    let items = stage.over.len();
    let (of_family, of_pairs) = staged.contributions.split_at(family.len());
    let found = inferences(of_family);
    let bound_errors = found.iter().filter_map(|(_, chance)| Some(chance.as_ref()?.bound_error));
    let mut minus_fewest: BTreeMap<BeliefName, BTreeMap<Contender, BTreeMap<Budget, Inference>>> = BTreeMap::new();
    for (&(name, contender, _, budget), &(inference, _)) in family.iter().zip(&found) {
        minus_fewest.entry(name).or_default().entry(contender).or_default().insert(budget, inference);
    }
    let explored = |name: BeliefName| {
        let contests = staged.of(name);
        let value = |rule: Contender| Budget::PAPER.map(|b| (b, Summary::over(&contests, |c| c.value(rule, b)))).into();
        let groups = contests[0].tau.len();
        let bias =
            |g: usize| (0..contests[0].bias[g].len()).map(|j| Summary::over(&contests, |c| c.bias[g][j])).collect();
        let explored = Explored {
            error: ErrorsByLabels::over(&contests),
            sd_log_trust: Summary::over(&contests, |c| c.sd_log_trust),
            tau: (0..groups).map(|g| Summary::over(&contests, |c| c.tau[g])).collect(),
            bias: (0..groups).map(bias).collect(),
            value: stage.contenders.iter().map(|&rule| (rule, value(rule))).collect(),
            minus_fewest: minus_fewest.get(&name).cloned().unwrap_or_default(),
        };
        (name, explored)
    };
    Ok(Exploration {
        items,
        redraws: staged.contests.len(),
        bound_error: bound_errors.fold(0.0, f64::max),
        unconverged_fits: staged.unconverged(),
        beliefs: stage.beliefs.iter().map(|(name, ..)| explored(*name)).collect(),
        power: power(items, &pairs, of_pairs),
        parts: parts((corpus, stage), registration, sizes.ablation, progress)?,
    })
}

fn power(items: usize, pairs: &[Pair], contributions: &[Contributions]) -> Vec<Power> {
    let of = |(&(belief, rule, over, _), (difference, _)): (&Pair, (Inference, _))| Power {
        belief,
        rule,
        over,
        difference,
        items_needed: difference.items_needed(items),
    };
    pairs.iter().zip(inferences(contributions)).map(of).collect()
}

fn parts(
    (corpus, stage): (&Corpus, &ContestStage),
    registration: &ExtendedRegistration,
    redraws: usize,
    progress: &dyn Progress,
) -> Result<Vec<Ablation>, Error> {
    let planned = registration.planned.belief();
    let mut parts = vec![];
    for trust_features in [false, true] {
        for recalibration in [Recalibration::Off, Recalibration::Shared, Recalibration::ByGroup] {
            let options = RecalibrationOptions {
                recalibration,
                ridge: registration.planned.ridge,
                ..RecalibrationOptions::default()
            };
            let spec = BeliefSpec {
                features: if trust_features { planned.features.clone() } else { vec![] },
                familiarity: planned.familiarity,
                model: BeliefModel::Recalibrated(options),
            };
            let spread = Contender::Rule(Rule::Spread);
            let cell = ContestStage {
                deployment: corpus.deploy(corpus.all()),
                beliefs: vec![(BeliefName::Planned, spec, stage.over.clone())],
                contenders: vec![spread, FEWEST],
                over: stage.over.clone(),
            };
            let staged = cell.run("parts", redraws, &|_| vec![], progress)?;
            let contests = staged.of(BeliefName::Planned);
            let b = Budget::HEADLINE;
            parts.push(Ablation {
                recalibration,
                trust_features,
                error: Summary::over(&contests, |c| c.error.all),
                sd_log_trust: Summary::over(&contests, |c| c.sd_log_trust),
                spread_minus_fewest: Summary::over(&contests, |c| c.value(spread, b) - c.value(FEWEST, b)),
            });
        }
    }
    Ok(parts)
}

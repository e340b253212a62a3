//! The belief whose map the labels choose, on the confirmation half: its error, its rules, and which map it took.
//!
//! `data/registration/beliefs.toml` registers a larger run of the same (`benches/beliefs.rs`), whose verdicts stand in
//! `data/registration/STATUS.md`. These few re-draws decide nothing; they show with every extended run what the belief
//! does there.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::confirmation::{ExtendedRegistration, MonteCarlo, inferences};
use super::contest::ErrorsByLabels;
use super::corpus::{BeliefSpec, Deployment, TrustFeature};
use super::stage::{BeliefName, ContestStage, ItemContests, advantage, error_change};
use crate::experiments::Error;
use crate::rules::Contender;
use judge_uncertainty_core::belief::BeliefModel;
use judge_uncertainty_core::belief::maps::{ChoiceOptions, MapName};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_core::stats::inference::Inference;
use judge_uncertainty_core::stats::new_items::Contribution;
use judge_uncertainty_familiarity::features::SelfNeighbour;
use judge_uncertainty_system::progress::Progress;

/// Features with nothing in them that is made for language inference.
const GENERAL: [TrustFeature; 3] = [TrustFeature::Spread, TrustFeature::Confidence, TrustFeature::Source];

/// A quantity of the chosen belief.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[expect(missing_docs, reason = "each field is what its name says")]
pub enum ChosenQuantity {
    /// Its mean Manhattan error before any label is bought, minus another belief's.
    Error { than: BeliefName },
    /// Its mean Manhattan error over items without labels, minus another belief's.
    ErrorUnlabelled { than: BeliefName },
    /// Value of a rule minus that of fewest labels with ties by I, both under this belief.
    Advantage { rule: Contender, budget: Budget },
}

impl ChosenQuantity {
    const BY_INFO: Contender = Contender::Rule(Rule::FewestLabelsByInfo);

    /// Everything that is measured.
    fn all() -> Vec<Self> {
        let beliefs = [BeliefName::Published, BeliefName::Recalibrated];
        let errors = beliefs.into_iter().flat_map(|than| [Self::Error { than }, Self::ErrorUnlabelled { than }]);
        let rules = [Rule::Info, Rule::Delta, Rule::Spread].map(Contender::Rule);
        let advantages = rules
            .into_iter()
            .flat_map(|rule| Budget::PAPER[1..].iter().map(move |&budget| Self::Advantage { rule, budget }));
        errors.chain(advantages).collect()
    }

    /// What items add to it in one re-draw.
    fn parts(self, held: &ItemContests) -> Vec<Contribution> {
        let own = &held[&BeliefName::Chosen];
        match self {
            Self::Error { than } => error_change(own, &held[&than], false),
            Self::ErrorUnlabelled { than } => error_change(own, &held[&than], true),
            Self::Advantage { rule, budget } => advantage(own, rule, Self::BY_INFO, budget),
        }
    }
}

/// A quantity with what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChosenComparison {
    /// What was measured.
    pub measured: ChosenQuantity,
    /// What was found, for new items, the fit and the choice of the map taken as given; simultaneous over all of them.
    pub found: Inference,
    /// What chance in the draws leaves open; `None` where the difference never varied.
    pub monte_carlo: Option<MonteCarlo>,
}

/// The belief whose map the labels choose, beside the published one and the recalibrated one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChosenBelief {
    /// Items evaluated.
    pub items: usize,
    /// Label re-draws of them.
    pub redraws: usize,
    /// Features that the map may read.
    pub features: Vec<TrustFeature>,
    /// Fits that did not converge.
    pub unconverged_fits: usize,
    /// Errors of each belief over the re-draws, before any label is bought.
    pub errors: BTreeMap<BeliefName, ErrorsByLabels<Summary>>,
    /// In how many re-draws each map was chosen.
    pub maps: BTreeMap<MapName, usize>,
    /// The comparisons.
    pub comparisons: Vec<ChosenComparison>,
}

/// The specification of the chosen belief.
fn spec() -> BeliefSpec {
    BeliefSpec {
        features: GENERAL.to_vec(),
        familiarity: SelfNeighbour::LeaveOneOut,
        model: BeliefModel::Auto(ChoiceOptions::default()),
    }
}

/// Runs re-draws of the labels of a deployment, those of seeds 0 on, as the confirmation does.
///
/// # Errors
/// A fit that is impossible.
pub fn run(
    deployment: Deployment<'_>,
    registration: &ExtendedRegistration,
    redraws: usize,
    progress: &dyn Progress,
) -> Result<ChosenBelief, Error> {
    let all: Range<usize> = 0..deployment.len();
    let rules = [Rule::FewestLabelsByInfo, Rule::Info, Rule::Delta, Rule::Spread];
    let stage = ContestStage {
        deployment,
        beliefs: vec![
            (BeliefName::Published, BeliefSpec::published(), all.clone()),
            (BeliefName::Recalibrated, registration.developed.belief(), all.clone()),
            (BeliefName::Chosen, spec(), all.clone()),
        ],
        contenders: rules.map(Contender::Rule).to_vec(),
        over: all.clone(),
    };
    let measured = ChosenQuantity::all();
    let parts = |held: &ItemContests| measured.iter().map(|measured| measured.parts(held)).collect();
    let staged = stage.run("chosen belief", redraws, &parts, progress)?;
    let mut maps = BTreeMap::new();
    let chosen = staged.of(BeliefName::Chosen);
    chosen.iter().filter_map(|contest| contest.map).for_each(|map| *maps.entry(map).or_default() += 1);
    let found = measured.into_iter().zip(inferences(&staged.contributions));
    Ok(ChosenBelief {
        items: all.len(),
        redraws: staged.contests.len(),
        features: GENERAL.to_vec(),
        unconverged_fits: staged.unconverged(),
        errors: staged.errors(),
        maps,
        comparisons: found
            .map(|(measured, (found, monte_carlo))| ChosenComparison { measured, found, monte_carlo })
            .collect(),
    })
}

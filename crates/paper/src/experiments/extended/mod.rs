//! Beyond the paper: the recalibrated belief, developed on one half of the ChaosNLI items and confirmed on the other.
//!
//! | module | holds |
//! |---|---|
//! | [`corpus`] | the items, selections and samples of them, and the features that a belief may use |
//! | [`contest`] | what each rule is worth under one belief in one deployment |
//! | [`stage`] | contests over label re-draws, and what each item adds to what is compared |
//! | [`development`] | the choices made on the development half |
//! | [`confirmation`] | the frozen registration and the verdicts on other items |
//! | [`exploration`] | all items: every rule, what each part contributes, power |
//! | [`sequential`] | labels bought round after round |
//! | [`worlds`] | simulations and dice, whose truth is known |
//!
//! Nothing here enters the paper's claims: those use the paper's belief.

pub mod chosen;
pub mod confirmation;
pub mod contest;
pub mod corpus;
pub mod development;
pub mod exploration;
pub mod sequential;
pub mod stage;
pub mod worlds;

use crate::rules::{CONTENDERS, Contender};
use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use chosen::ChosenBelief;
use confirmation::{Confirmation, ExtendedRegistration};
use corpus::{BeliefSpec, Corpus};
use development::Development;
use exploration::Exploration;
use sequential::Sequential;
use stage::{BeliefName, ContestStage, ItemContests};
use worlds::KnownWorlds;

use super::Error;
use super::dice::DiceExperiment;
use super::steps::Published;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_familiarity::neighbours::Neighbours;
use judge_uncertainty_formats::{ChaosNliData, DiceData};
use judge_uncertainty_system::progress::Progress;

/// Seeds of the random streams.
pub const SEEDS: &[(&str, &str)] = &[
    ("split in halves", "7"),
    ("label re-draw r of the items at hand", "r"),
    ("critical values of simultaneous intervals", "3000000"),
    ("buying in rounds, replicate r", "4000000 + r"),
    ("known world s", "5000000 + s"),
    ("dice re-draw r", "10000 + r"),
];

sizes! {
    /// Numbers of replicates; the full run's by [`Default`].
    Sizes {
        /// Label re-draws in the cross-validations of the development.
        development: "development, likelihood" = 10,
        /// Label re-draws in the choice of the rule.
        rule: "development, rule" = 60,
        /// Label re-draws in the confirmation, so many that they settle most verdicts ([`confirmation::MonteCarlo`]).
        confirmation: "label re-draws, confirmation" = 6_000,
        /// Label re-draws in each transfer.
        transfer: "label re-draws, transfer" = 3_000,
        /// Label re-draws under the belief whose map the labels choose, each of which chooses anew.
        chosen: "label re-draws, chosen belief" = 10,
        /// Label re-draws of all items in the exploration, those of Experiment 2.
        redraws: "label re-draws, exploration" = 200,
        /// Label re-draws of each cell that tells what the parts contribute.
        ablation: "label re-draws, parts" = 30,
        /// Replicates of buying in rounds.
        sequential: "buying in rounds" = 6,
        /// Simulated worlds of each kind.
        worlds: "known worlds of each kind" = 40,
        /// Re-draws of the dice.
        dice: "dice re-draws" = 100,
    }
}

/// Everything beyond the paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExtendedResults {
    /// What was frozen.
    pub registration: ExtendedRegistration,
    /// SHA-256 of the registration file.
    pub registration_sha256: String,
    /// The development half.
    pub development: Development,
    /// Whether the development, run again, chooses what is registered.
    pub development_agrees: bool,
    /// The confirmation half: the only confirmatory part besides the transfers.
    pub confirmation: Confirmation,
    /// Fitted on one source and evaluated on the other, by `snli_to_mnli` and `mnli_to_snli`.
    pub transfer: BTreeMap<String, Confirmation>,
    /// The confirmation half under the belief whose map the labels choose; exploratory, for a larger run is registered
    /// elsewhere.
    pub chosen: ChosenBelief,
    /// All items; exploratory.
    pub exploration: Exploration,
    /// Labels bought in rounds; exploratory.
    pub sequential: Sequential,
    /// Worlds with known truth.
    pub worlds: BTreeMap<String, KnownWorlds>,
}

/// Runs everything beyond the paper.
///
/// # Errors
/// A fit that is impossible.
pub fn run(
    chaosnli: &ChaosNliData,
    dice: &DiceData,
    engine: &dyn Neighbours,
    (registration, digest): (&ExtendedRegistration, &str),
    sizes: &Sizes,
    progress: &dyn Progress,
) -> Result<ExtendedResults, Error> {
    let corpus = Corpus::new(chaosnli, engine)?;
    let [develops, confirms] = corpus.halves();
    let development = development::develop(&corpus.deploy(develops), sizes.development, sizes.rule, progress)?;

    let quantities = confirmation::registered(registration);
    let parts = |held: &ItemContests| quantities.iter().map(|quantity| quantity.parts(held)).collect();
    let half = 0..confirms.len();
    let stage = ContestStage {
        deployment: corpus.deploy(confirms.clone()),
        beliefs: beliefs(registration, half.clone()),
        contenders: registered_contenders(registration),
        over: half.clone(),
    };
    let staged = stage.run("confirmation", sizes.confirmation, &parts, progress)?;
    let confirmation = Confirmation::judge(half.len(), &staged, registration);

    let chosen = chosen::run(corpus.deploy(confirms), registration, sizes.chosen, progress)?;

    let mut transfer = BTreeMap::new();
    for (name, from, to) in [("snli_to_mnli", 0, 1), ("mnli_to_snli", 1, 0)] {
        let (teachers, pupils) = (corpus.of_source(from), corpus.of_source(to));
        let (taught, over) = (0..teachers.len(), teachers.len()..teachers.len() + pupils.len());
        let stage = ContestStage {
            deployment: corpus.deploy([teachers, pupils].concat()),
            beliefs: vec![
                // The published belief is fitted to the evaluated items themselves, which can only favour it.
                (BeliefName::Published, BeliefSpec::published(), over.clone()),
                (BeliefName::Recalibrated, registration.developed.belief_across_sources(), taught.clone()),
                (BeliefName::Planned, registration.planned.belief_across_sources(), taught),
            ],
            contenders: registered_contenders(registration),
            over: over.clone(),
        };
        let staged = stage.run("transfer", sizes.transfer, &parts, progress)?;
        transfer.insert(name.to_owned(), Confirmation::judge(over.len(), &staged, registration));
    }

    let all = 0..corpus.all().len();
    let stage = ContestStage {
        deployment: corpus.deploy(corpus.all()),
        beliefs: beliefs(registration, all.clone()),
        contenders: CONTENDERS.to_vec(),
        over: all,
    };
    let exploration = exploration::run((&corpus, &stage), registration, sizes, progress)?;
    let sequential = sequential::run(&stage.deployment, &registration.developed.belief(), sizes.sequential, progress)?;

    let dice = DiceExperiment::new(dice, &Published)?;
    let worlds = BTreeMap::from([
        ("nothing_miscalibrated".to_owned(), worlds::calibrated(1.0, [0.0; 3], sizes.worlds, progress)?),
        ("overconfident".to_owned(), worlds::calibrated(0.5, [0.0, 0.4, -0.4], sizes.worlds, progress)?),
        ("misspecified_honest".to_owned(), worlds::misspecified(0, sizes.worlds, progress)?),
        ("misspecified_uninformative".to_owned(), worlds::misspecified(100, sizes.worlds, progress)?),
        ("dice".to_owned(), worlds::dice(&dice, false, sizes.dice, progress)?),
        ("dice_by_tier".to_owned(), worlds::dice(&dice, true, sizes.dice, progress)?),
    ]);
    Ok(ExtendedResults {
        development_agrees: development.choice == registration.developed,
        registration: registration.clone(),
        registration_sha256: digest.to_owned(),
        development,
        confirmation,
        transfer,
        chosen,
        exploration,
        sequential,
        worlds,
    })
}

fn beliefs(registration: &ExtendedRegistration, fitted: Range<usize>) -> Vec<(BeliefName, BeliefSpec, Range<usize>)> {
    vec![
        (BeliefName::Published, BeliefSpec::published(), fitted.clone()),
        (BeliefName::Recalibrated, registration.developed.belief(), fitted.clone()),
        (BeliefName::Planned, registration.planned.belief(), fitted),
    ]
}

/// The rules that registered comparisons need.
fn registered_contenders(registration: &ExtendedRegistration) -> Vec<Contender> {
    let mut rules = vec![Rule::FewestLabels, Rule::FewestLabelsByInfo, registration.developed.rule];
    if !rules.contains(&registration.planned.rule) {
        rules.push(registration.planned.rule);
    }
    rules.into_iter().map(Contender::Rule).collect()
}

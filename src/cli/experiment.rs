//! Runs the experiments from the data folder, with their provenance.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::Error;
use super::familiarity::{Channel, Familiarity, FamiliarityArgs};
use crate::artifact::{Inputs, Provenance, Results};
use crate::dataset::checksum::sha256_hex;
use crate::dataset::{ChaosNliData, DiceData};
use crate::experiments::Experiment;
use crate::experiments::chaosnli::{self, ChaosNliExperiment};
use crate::experiments::dice::{self, DiceExperiment};
use crate::experiments::extended::{self, confirmation::Registration};
use crate::experiments::simulations::{self, SimulationSizes};
use crate::familiarity::features::SelfNeighbour;
use crate::familiarity::neighbours::UnitRows;
use crate::output::Run;
use crate::progress::Progress;

/// Input of the experiments that are to run, read and checked.
pub struct Loaded {
    wanted: Vec<Experiment>,
    dice: Option<DiceData>,
    chaosnli: Option<(ChaosNliData, Familiarity)>,
    /// With its digest.
    registration: Option<(Registration, String)>,
    judges: Judges,
}

/// Predictions in place of the published ones. The paper's claims are about the published ones alone.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Judges {
    /// Predictions for the dice in place of the published ones: a folder that `judge run dice` or `judge import dice`
    /// wrote. Claims about the dice are not judged then.
    #[arg(long, value_name = "DIR")]
    pub dice_judge: Option<PathBuf>,
    /// Predictions for ChaosNLI in place of the published ones. Claims about ChaosNLI are not judged then.
    #[arg(long, value_name = "DIR")]
    pub chaosnli_judge: Option<PathBuf>,
}

impl Judges {
    /// Whether any prediction is not the published one.
    pub fn any(&self) -> bool {
        self.dice_judge.is_some() || self.chaosnli_judge.is_some()
    }
}

/// What the manifest says of predictions that are not the published ones.
fn judge_setting(folder: &Option<PathBuf>) -> Option<(String, String)> {
    folder.as_ref().map(|_| ("judge".to_owned(), "not the published one: see the sums of its files".to_owned()))
}

impl Loaded {
    /// Reads what `experiments` need from the data folder, and the predictions of other judges where there are any.
    ///
    /// # Errors
    /// A file that is missing, changed or malformed.
    pub fn read(
        data: &Path,
        experiments: &[Experiment],
        judges: &Judges,
        familiarity: &FamiliarityArgs,
    ) -> Result<Self, Error> {
        let extended = experiments.contains(&Experiment::Extended);
        let wanted = |e: Experiment| extended || experiments.contains(&e);
        let dice = || {
            let data = DiceData::load(&data.join("dice"))?;
            match &judges.dice_judge {
                Some(dir) => data.with_judge(dir),
                None => Ok(data),
            }
        };
        let chaosnli = || -> Result<_, Error> {
            let published = ChaosNliData::load(&data.join("chaosnli"))?;
            let familiarity = Familiarity::check(familiarity, data, &published.ids)?;
            let data = match &judges.chaosnli_judge {
                Some(dir) => published.with_judge(dir)?,
                None => published,
            };
            Ok((data, familiarity))
        };
        Ok(Self {
            wanted: experiments.to_vec(),
            dice: wanted(Experiment::Dice).then(dice).transpose()?,
            chaosnli: wanted(Experiment::ChaosNli).then(chaosnli).transpose()?,
            registration: extended.then(|| Registration::load(&data.join("registration"))).transpose()?,
            judges: judges.clone(),
        })
    }

    /// The data of an experiment, if it is to run.
    fn of<'a, T>(&self, experiment: Experiment, data: &'a Option<T>) -> Option<&'a T> {
        data.as_ref().filter(|_| self.wanted.contains(&experiment))
    }
}

/// An experiment's results are in [`Results`]; these are the facts about them.
pub type Facts = BTreeMap<Experiment, (Provenance, Run)>;

/// Runs the experiments in the order of the paper; `replicates` caps their sizes.
///
/// # Errors
/// An experiment that can't be run on these data.
pub fn run(loaded: &Loaded, replicates: Option<usize>, progress: &dyn Progress) -> Result<(Results, Facts), Error> {
    let mut results = Results::default();
    let mut facts = Facts::new();
    let cap = |published: usize| replicates.map_or(published, |r| r.min(published));

    if loaded.wanted.contains(&Experiment::Simulations) {
        let sizes = replicates.map_or_else(SimulationSizes::default, SimulationSizes::capped);
        let start = Instant::now();
        results.simulations = Some(simulations::run(&sizes, progress)?);
        let provenance = Provenance {
            replicates: sizes.named(),
            published_size: sizes == SimulationSizes::default(),
            ..provenance(Inputs::new(), simulations::SEEDS)
        };
        facts.insert(Experiment::Simulations, (provenance, Run::since(start)));
    }
    if let Some(data) = loaded.of(Experiment::Dice, &loaded.dice) {
        let draws = cap(dice::PUBLISHED_DRAWS);
        let start = Instant::now();
        results.dice = Some(DiceExperiment::new(data)?.run(draws, progress)?);
        let provenance = Provenance {
            replicates: BTreeMap::from([("label re-draws".to_owned(), draws)]),
            settings: judge_setting(&loaded.judges.dice_judge)
                .into_iter()
                .chain(data.floor.map(|floor| ("floor of a prediction".to_owned(), floor.to_string())))
                .collect(),
            published_size: draws == dice::PUBLISHED_DRAWS && loaded.judges.dice_judge.is_none(),
            ..provenance(prefixed("dice", &data.hashes), dice::SEEDS)
        };
        facts.insert(Experiment::Dice, (provenance, Run::since(start)));
    }
    if let Some((data, familiarity)) = loaded.of(Experiment::ChaosNli, &loaded.chaosnli) {
        let replicates = cap(chaosnli::PUBLISHED_REPLICATES);
        let start = Instant::now();
        let channel = familiarity.open(data.embeddings.view(), progress)?;
        let Channel { engine, self_neighbour, inputs, settings } = channel;
        for (what, fact) in &settings {
            anstream::eprintln!("ChaosNLI, {what}: {fact}");
        }
        let experiment = ChaosNliExperiment::with_familiarity(data, engine.as_ref(), self_neighbour)?;
        results.chaosnli = Some(experiment.run(replicates, progress)?);
        let mut provenance = Provenance {
            replicates: BTreeMap::from([("half splits".to_owned(), replicates)]),
            published_size: replicates == chaosnli::PUBLISHED_REPLICATES
                && self_neighbour == SelfNeighbour::Published
                && loaded.judges.chaosnli_judge.is_none(),
            settings: settings.into_iter().chain(judge_setting(&loaded.judges.chaosnli_judge)).collect(),
            ..provenance(prefixed("chaosnli", &data.hashes), chaosnli::SEEDS)
        };
        provenance.inputs.extend(inputs);
        facts.insert(Experiment::ChaosNli, (provenance, Run::since(start)));
    }
    if let (Some(dice), Some((chaosnli, familiarity)), Some((registration, digest))) =
        (&loaded.dice, &loaded.chaosnli, &loaded.registration)
    {
        let sizes = replicates.map_or_else(extended::Sizes::default, extended::Sizes::capped);
        let start = Instant::now();
        let rows = UnitRows::new(chaosnli.embeddings.view())?;
        let engine = familiarity.engine(rows, extended::corpus::LIST_WIDTH, progress);
        let registration = (registration, digest.as_str());
        results.extended = Some(extended::run(chaosnli, dice, engine.as_ref(), registration, &sizes, progress)?);
        let mut inputs = prefixed("chaosnli", &chaosnli.hashes);
        inputs.extend(prefixed("dice", &dice.hashes));
        inputs.insert("registration/extended.toml".to_owned(), digest.clone());
        let provenance = Provenance {
            replicates: sizes.named(),
            published_size: sizes == extended::Sizes::default(),
            settings: BTreeMap::from([
                (
                    "neighbours".to_owned(),
                    "by cosine distance; an item counts itself in the published belief only".to_owned(),
                ),
                ("recall".to_owned(), engine.describe()),
            ]),
            ..provenance(inputs, extended::SEEDS)
        };
        facts.insert(Experiment::Extended, (provenance, Run::since(start)));
    }
    for (experiment, (provenance, _)) in &mut facts {
        let text = results.to_json(*experiment).unwrap_or_default();
        provenance.results_sha256 = sha256_hex(text.as_bytes());
    }
    Ok((results, facts))
}

fn provenance(inputs: Inputs, seeds: &[(&str, &str)]) -> Provenance {
    Provenance {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        inputs,
        replicates: BTreeMap::new(),
        seeds: seeds.iter().map(|(what, which)| ((*what).to_owned(), (*which).to_owned())).collect(),
        settings: BTreeMap::new(),
        published_size: false,
        results_sha256: String::new(),
    }
}

fn prefixed(folder: &str, hashes: &Inputs) -> Inputs {
    hashes.iter().map(|(file, sum)| (format!("{folder}/{file}"), sum.clone())).collect()
}

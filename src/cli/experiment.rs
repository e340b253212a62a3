//! Runs the experiments from the data folder, with their provenance.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use super::familiarity::{Channel, Familiarity};
use super::sources::{Fit, Sources};
use super::{Error, say};
use crate::artifact::{Inputs, Provenance, Results};
use crate::evaluation::Ties;
use crate::experiments::Experiment;
use crate::experiments::chaosnli;
use crate::experiments::dice::{self, DiceExperiment};
use crate::experiments::extended::{self, confirmation::ExtendedRegistration};
use crate::experiments::simulations::{self, SimulationSizes};
use crate::familiarity::features::SelfNeighbour;
use crate::familiarity::neighbours::UnitRows;
use crate::formats::checksum::sha256_hex;
use crate::formats::{ChaosNliData, DiceData};
use crate::system::Run;
use crate::system::progress::Progress;

/// An experiment with its input read and checked.
pub(super) trait Part: Sync {
    /// Does in advance what the experiment will need, while others run.
    fn prepare(&self) {}

    /// Runs it with `cap` replicates of everything at most, puts its results among the others, and says where they come
    /// from; the sum of the results is filled in later.
    fn run(&self, cap: Option<usize>, results: &mut Results, progress: &dyn Progress) -> Result<Provenance, Error>;
}

/// Experiments that are to run, in the order of the paper.
pub(super) type Parts<'a> = BTreeMap<Experiment, Box<dyn Part + 'a>>;

/// Reads what the experiments need.
///
/// # Errors
/// A file that is missing, changed or malformed.
pub(super) fn load<'a>(experiments: &[Experiment], sources: &'a Sources) -> Result<Parts<'a>, Error> {
    experiments.iter().map(|&experiment| Ok((experiment, part(experiment, sources)?))).collect()
}

/// The list of experiments: what each needs.
fn part<'a>(experiment: Experiment, sources: &'a Sources) -> Result<Box<dyn Part + 'a>, Error> {
    Ok(match experiment {
        Experiment::Simulations => Box::new(Simulations),
        Experiment::Dice => {
            Box::new(Dice { data: sources.dice()?, judge: sources.judges.dice_judge.as_ref(), fit: sources.fit })
        }
        Experiment::ChaosNli => {
            let (data, familiarity) = sources.chaosnli()?;
            Box::new(ChaosNli { data, familiarity, judge: sources.judges.chaosnli_judge.as_ref(), fit: sources.fit })
        }
        Experiment::Extended => Box::new(Extended {
            dice: sources.dice()?,
            chaosnli: sources.chaosnli()?,
            registration: sources.registration()?,
        }),
    })
}

/// An experiment's results are in [`Results`]; these are the facts about them.
pub(super) type Facts = BTreeMap<Experiment, (Provenance, Run)>;

/// Runs the experiments; `cap` bounds their sizes.
///
/// # Errors
/// An experiment that can't be run on these data.
pub(super) fn run(parts: &Parts, cap: Option<usize>, progress: &dyn Progress) -> Result<(Results, Facts), Error> {
    thread::scope(|scope| {
        if rayon::current_num_threads() > 1 {
            // The first has nothing to wait for.
            scope.spawn(|| parts.values().skip(1).for_each(|part| part.prepare()));
        }
        run_each(parts, cap, progress)
    })
}

/// One experiment after the other, in the order of the paper.
fn run_each(parts: &Parts, cap: Option<usize>, progress: &dyn Progress) -> Result<(Results, Facts), Error> {
    let mut results = Results::default();
    let mut facts = Facts::new();
    for (&experiment, part) in parts {
        let start = Instant::now();
        let mut provenance = part.run(cap, &mut results, progress)?;
        let run = Run::since(start);
        provenance.results_sha256 = sha256_hex(results.to_json(experiment).unwrap_or_default().as_bytes());
        facts.insert(experiment, (provenance, run));
    }
    Ok((results, facts))
}

struct Simulations;

impl Part for Simulations {
    fn run(&self, cap: Option<usize>, results: &mut Results, progress: &dyn Progress) -> Result<Provenance, Error> {
        let sizes = cap.map_or_else(SimulationSizes::default, SimulationSizes::capped);
        results.simulations = Some(simulations::run(&sizes, progress)?);
        Ok(Provenance {
            replicates: sizes.named(),
            published_size: sizes == SimulationSizes::default(),
            ..provenance(Inputs::new(), simulations::SEEDS)
        })
    }
}

struct Dice<'a> {
    data: &'a DiceData,
    judge: Option<&'a PathBuf>,
    fit: Fit,
}

impl Part for Dice<'_> {
    fn run(&self, cap: Option<usize>, results: &mut Results, progress: &dyn Progress) -> Result<Provenance, Error> {
        let Self { data, judge, fit } = *self;
        let draws = capped(dice::PUBLISHED_DRAWS, cap);
        let experiment = DiceExperiment::new(data)?.varied(fit.search(), Ties::ItemOrder);
        results.dice = Some(experiment.run(draws, progress)?);
        let floor = data.floor.map(|floor| ("floor of a prediction".to_owned(), floor.to_string()));
        Ok(Provenance {
            replicates: BTreeMap::from([("label re-draws".to_owned(), draws)]),
            settings: judge_setting(judge).into_iter().chain(floor).chain(fit.setting()).collect(),
            published_size: draws == dice::PUBLISHED_DRAWS && judge.is_none(),
            ..provenance(prefixed("dice", &data.hashes), dice::SEEDS)
        })
    }
}

struct ChaosNli<'a> {
    data: &'a ChaosNliData,
    familiarity: &'a Familiarity,
    judge: Option<&'a PathBuf>,
    fit: Fit,
}

impl Part for ChaosNli<'_> {
    fn prepare(&self) {
        self.familiarity.prepare();
    }

    fn run(&self, cap: Option<usize>, results: &mut Results, progress: &dyn Progress) -> Result<Provenance, Error> {
        let Self { data, familiarity, judge, fit } = *self;
        let replicates = capped(chaosnli::PUBLISHED_REPLICATES, cap);
        let Channel { engine, self_neighbour, inputs, settings } =
            familiarity.open(data.embeddings.view(), progress)?;
        for (what, fact) in &settings {
            say(format_args!("ChaosNLI, {what}: {fact}"));
        }
        let search = fit.search();
        results.chaosnli = Some(chaosnli::run(data, engine.as_ref(), self_neighbour, search, replicates, progress)?);
        let all_inputs = prefixed("chaosnli", &data.hashes).into_iter().chain(inputs).collect();
        Ok(Provenance {
            replicates: BTreeMap::from([("half splits".to_owned(), replicates)]),
            published_size: judge.is_none() && is_as_published(replicates, self_neighbour),
            settings: settings.into_iter().chain(judge_setting(judge)).chain(fit.setting()).collect(),
            ..provenance(all_inputs, chaosnli::SEEDS)
        })
    }
}

struct Extended<'a> {
    dice: &'a DiceData,
    chaosnli: &'a (ChaosNliData, Familiarity),
    /// With its digest.
    registration: (ExtendedRegistration, String),
}

impl Part for Extended<'_> {
    fn run(&self, cap: Option<usize>, results: &mut Results, progress: &dyn Progress) -> Result<Provenance, Error> {
        let Self { dice, chaosnli: (chaosnli, familiarity), registration: (registration, digest) } = self;
        let sizes = cap.map_or_else(extended::Sizes::default, extended::Sizes::capped);
        let rows = UnitRows::new(chaosnli.embeddings.view())?;
        let engine = familiarity.engine(rows, extended::corpus::LIST_WIDTH, progress);
        let registration = (registration, digest.as_str());
        results.extended = Some(extended::run(chaosnli, dice, engine.as_ref(), registration, &sizes, progress)?);
        let mut inputs = prefixed("chaosnli", &chaosnli.hashes);
        inputs.extend(prefixed("dice", &dice.hashes));
        inputs.insert("registration/extended.toml".to_owned(), digest.clone());
        let neighbours = "by cosine distance; an item counts itself in the published belief only";
        Ok(Provenance {
            replicates: sizes.named(),
            published_size: sizes == extended::Sizes::default(),
            settings: BTreeMap::from([
                ("neighbours".to_owned(), neighbours.to_owned()),
                ("recall".to_owned(), engine.describe()),
            ]),
            ..provenance(inputs, extended::SEEDS)
        })
    }
}

/// Whether Experiment 2 with the published predictions is the paper's, so that its claims may be judged.
fn is_as_published(replicates: usize, self_neighbour: SelfNeighbour) -> bool {
    replicates == chaosnli::PUBLISHED_REPLICATES && self_neighbour == SelfNeighbour::Published
}

fn capped(published: usize, cap: Option<usize>) -> usize {
    cap.map_or(published, |cap| cap.min(published))
}

/// What the manifest says of predictions that are not the published ones.
fn judge_setting(folder: Option<&PathBuf>) -> Option<(String, String)> {
    folder.map(|_| ("judge".to_owned(), "not the published one: see the sums of its files".to_owned()))
}

/// What all experiments say of themselves; sizes are those of the experiment.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_judged_by_runs_of_the_papers_size_and_neighbours_only() {
        let of = |replicates, neighbour| is_as_published(replicates, neighbour);
        assert!(of(chaosnli::PUBLISHED_REPLICATES, SelfNeighbour::Published));
        assert!(!of(chaosnli::PUBLISHED_REPLICATES, SelfNeighbour::LeaveOneOut));
        assert!(!of(2, SelfNeighbour::Published));
    }
}

//! Runs the experiments from the data folder, with their provenance.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use super::familiarity::in_words;
use super::sources::ExperimentData;
use super::{Error, say};
use crate::artifact::{Manifest, Provenance, Results, Sums};
use crate::experiments::dice::{self, DiceExperiment};
use crate::experiments::simulations::{self, SimulationSizes};
use crate::experiments::steps::{Published, Steps};
use crate::experiments::{Experiment, authors, chaosnli};
use crate::familiarity::features::SelfNeighbour;
use crate::formats::checksum::sha256_hex;
use crate::system::Run;
use crate::system::progress::Progress;

/// Reads what the experiments need, so that what can be refused is refused before any work.
///
/// # Errors
/// A file that is missing, changed or malformed.
pub(super) fn load(experiments: &[Experiment], data: &ExperimentData) -> Result<(), Error> {
    for experiment in experiments {
        match experiment {
            Experiment::Simulations => {}
            Experiment::Dice => drop(data.dice()?),
            Experiment::ChaosNli | Experiment::Authors => drop(data.chaosnli()?),
        }
    }
    Ok(())
}

/// Runs the experiments, given in the order of the paper, with `cap` replicates of everything at most.
///
/// # Errors
/// An experiment that can't be run on these data.
pub(super) fn run(
    experiments: &[Experiment],
    data: &ExperimentData,
    cap: Option<usize>,
    progress: &dyn Progress,
) -> Result<(Results, Manifest), Error> {
    thread::scope(|scope| {
        // An experiment that others run before has time to check its sentence model.
        if experiments.iter().skip(1).any(|later| *later == Experiment::ChaosNli) && rayon::current_num_threads() > 1 {
            let (_, familiarity) = data.chaosnli()?;
            scope.spawn(move || familiarity.prepare());
        }
        let (mut results, mut manifest) = (Results::default(), Manifest::empty());
        for &experiment in experiments {
            let start = Instant::now();
            let mut provenance = match experiment {
                Experiment::Simulations => run_simulations(cap, &mut results, progress)?,
                Experiment::Dice => run_dice(data, cap, &mut results, progress)?,
                Experiment::ChaosNli => run_chaosnli(data, cap, &mut results, progress)?,
                // Computed with the other reading of the experiment, from the same draws.
                Experiment::Authors => manifest.deterministic[&Experiment::ChaosNli].clone(),
            };
            let run = Run::since(start);
            provenance.results_sha256 = sha256_hex(results.to_json(experiment).unwrap_or_default().as_bytes());
            manifest.deterministic.insert(experiment, provenance);
            manifest.run.insert(experiment, run);
        }
        Ok((results, manifest))
    })
}

fn run_simulations(cap: Option<usize>, results: &mut Results, progress: &dyn Progress) -> Result<Provenance, Error> {
    let sizes = cap.map_or_else(SimulationSizes::default, SimulationSizes::capped);
    results.simulations = Some(simulations::run(&sizes, &Published, progress)?);
    Ok(Provenance {
        replicates: sizes.named(),
        published_size: sizes == SimulationSizes::default(),
        ..provenance(Sums::new(), Published.seeds().of_simulations())
    })
}

fn run_dice(
    data: &ExperimentData,
    cap: Option<usize>,
    results: &mut Results,
    progress: &dyn Progress,
) -> Result<Provenance, Error> {
    let (dice, judge) = (data.dice()?, data.judges.dice_judge.as_ref());
    let draws = capped(dice::PUBLISHED_DRAWS, cap);
    let experiment = DiceExperiment::new(dice, &Published)?;
    results.dice = Some(experiment.run(draws, progress)?);
    let floor = dice.floor.map(|floor| ("floor of a prediction".to_owned(), floor.to_string()));
    Ok(Provenance {
        replicates: re_draws(draws),
        settings: judge_setting(judge).into_iter().chain(floor).collect(),
        published_size: draws == dice::PUBLISHED_DRAWS && judge.is_none(),
        ..provenance(prefixed("dice", &dice.hashes), Published.seeds().of_dice())
    })
}

fn run_chaosnli(
    data: &ExperimentData,
    cap: Option<usize>,
    results: &mut Results,
    progress: &dyn Progress,
) -> Result<Provenance, Error> {
    let ((chaosnli, familiarity), judge) = (data.chaosnli()?, data.judges.chaosnli_judge.as_ref());
    let (self_neighbour, replicates) = (familiarity.self_neighbour, capped(chaosnli::PUBLISHED_REPLICATES, cap));
    let (engine, inputs, settings) = familiarity.open(chaosnli.embeddings.view(), progress)?;
    for (what, fact) in &settings {
        say(format_args!("ChaosNLI, {what}: {fact}"));
    }
    let (ours, theirs) = authors::run(chaosnli, engine.as_ref(), self_neighbour, replicates, progress)?;
    (results.chaosnli, results.authors) = (Some(ours), Some(theirs));
    let all_inputs = prefixed("chaosnli", &chaosnli.hashes).into_iter().chain(inputs).collect();
    Ok(Provenance {
        replicates: half_splits(replicates),
        published_size: judge.is_none() && is_as_published(replicates, self_neighbour),
        settings: settings.into_iter().chain(judge_setting(judge)).collect(),
        ..provenance(all_inputs, Published.seeds().of_chaosnli())
    })
}

/// What a manifest says of results of the paper's size that this version does not run so: other sizes, seeds or neighbours.
pub(super) fn foreign(manifest: &Manifest) -> Vec<String> {
    let seeds = Published.seeds();
    let mut foreign = vec![];
    for (experiment, said) in manifest.deterministic.iter().filter(|(_, said)| said.published_size) {
        let (seeds, replicates) = match experiment {
            Experiment::Simulations => (seeds.of_simulations(), SimulationSizes::default().named()),
            Experiment::Dice => (seeds.of_dice(), re_draws(dice::PUBLISHED_DRAWS)),
            Experiment::ChaosNli | Experiment::Authors => {
                (seeds.of_chaosnli(), half_splits(chaosnli::PUBLISHED_REPLICATES))
            }
        };
        let own = provenance(Sums::new(), seeds);
        let neighbours = said.settings.get("neighbours");
        let facts = [
            ("program", said.program == own.program),
            ("replicates", said.replicates == replicates),
            ("seeds", said.seeds == own.seeds),
            ("neighbours", neighbours.is_none_or(|words| words == in_words(SelfNeighbour::Published))),
        ];
        foreign.extend(facts.iter().filter(|(_, same)| !same).map(|(fact, _)| format!("{experiment}, {fact}")));
    }
    foreign
}

/// Whether Experiment 2 with the published predictions is the paper's, so that its claims may be judged.
fn is_as_published(replicates: usize, self_neighbour: SelfNeighbour) -> bool {
    replicates == chaosnli::PUBLISHED_REPLICATES && self_neighbour == SelfNeighbour::Published
}

fn re_draws(draws: usize) -> BTreeMap<String, usize> {
    BTreeMap::from([("label re-draws".to_owned(), draws)])
}

fn half_splits(replicates: usize) -> BTreeMap<String, usize> {
    BTreeMap::from([("half splits".to_owned(), replicates)])
}

fn capped(published: usize, cap: Option<usize>) -> usize {
    cap.map_or(published, |cap| cap.min(published))
}

/// What the manifest says of predictions that are not the published ones.
fn judge_setting(folder: Option<&PathBuf>) -> Option<(String, String)> {
    folder.map(|_| ("judge".to_owned(), "not the published one: see the sums of its files".to_owned()))
}

/// What all experiments say of themselves; sizes are those of the experiment.
fn provenance(inputs: Sums, seeds: Vec<(&str, String)>) -> Provenance {
    Provenance {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        inputs,
        seeds: seeds.into_iter().map(|(what, which)| (what.to_owned(), which)).collect(),
        ..Provenance::default()
    }
}

fn prefixed(folder: &str, hashes: &Sums) -> Sums {
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

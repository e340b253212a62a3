//! How many planted bugs the claims catch.
//!
//! `cargo bench --bench planted_bugs -- [REPLICATES]` runs the paper's three experiments with one bug at a time, at
//! their published sizes unless fewer replicates are asked for, and holds the results against `data/paper/claims.toml`.
//! A claim catches a bug that makes it differ. Bugs of Experiment 2 are planted in our procedure, so that it
//! judges all claims about it here. What it prints is `evidence/planted-bugs.csv`. Nothing of this is in the program: the
//! bugs live here.

mod bugs;
mod worlds;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use bugs::Bug;
use judge_uncertainty::experiments::Experiment;
use judge_uncertainty::experiments::chaosnli::PUBLISHED_REPLICATES;
use judge_uncertainty::experiments::dice::{DiceExperiment, PUBLISHED_DRAWS};
use judge_uncertainty::experiments::simulations::{self, SimulationSizes};
use judge_uncertainty::familiarity::neighbours::{Exact, UnitRows};
use judge_uncertainty::formats::{ChaosNliData, DiceData};
use judge_uncertainty::report::claims::{Claims, JudgedBy, ResultValues, Verdict, judge};
use judge_uncertainty::system::progress::Silent;
use serde_json::Value;
use worlds::WorldBug;

type Results = Result<Value, Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    // cargo bench adds --bench.
    let most = match std::env::args().nth(1).filter(|argument| argument != "--bench") {
        Some(number) => number.parse().map_err(|_| format!("{number:?} is not a number of replicates"))?,
        None => usize::MAX,
    };
    println!("experiment,bug,claims,claims that differ,quantities");
    let dice = DiceData::load(Path::new("data/dice"))?;
    let rolled = |bug: &WorldBug| -> Results {
        Ok(serde_json::to_value(DiceExperiment::new(&dice, bug)?.run(PUBLISHED_DRAWS.min(most), &Silent)?)?)
    };
    battery(Experiment::Dice, &WorldBug::ALL, WorldBug::name, rolled)?;
    let sizes = if most == usize::MAX { SimulationSizes::default() } else { SimulationSizes::capped(most) };
    // Only the dice rank by what may tie.
    let of_worlds: Vec<WorldBug> = WorldBug::ALL.into_iter().filter(|bug| *bug != WorldBug::TiesReversed).collect();
    let simulated = |bug: &WorldBug| -> Results { Ok(serde_json::to_value(simulations::run(&sizes, bug, &Silent)?)?) };
    battery(Experiment::Simulations, &of_worlds, WorldBug::name, simulated)?;
    let data = ChaosNliData::load(Path::new("data/chaosnli"))?;
    let engine = Exact::new(UnitRows::new(data.embeddings.view())?);
    let escalated = |bug: &Bug| -> Results {
        Ok(serde_json::to_value(bug.run(&data, &engine, PUBLISHED_REPLICATES.min(most), &Silent)?)?)
    };
    battery(Experiment::ChaosNli, &Bug::ALL, Bug::name, escalated)
}

/// Runs an experiment with each bug and prints a row for each, and on standard error the claims that catch none of
/// them.
fn battery<B: Copy>(
    experiment: Experiment,
    bugs: &[B],
    name: fn(B) -> &'static str,
    run: impl Fn(&B) -> Results,
) -> Result<(), Box<dyn Error>> {
    let claims = claims_of(experiment)?;
    let mut idle: BTreeSet<&str> = claims.claims.iter().map(|claim| claim.id.as_str()).collect();
    let judged_by = if experiment == Experiment::ChaosNli { JudgedBy::default() } else { claims.judged_by };
    for bug in bugs {
        let judged = judge(&claims.claims, &ResultValues::from([(experiment, run(bug)?)]), &judged_by)?;
        let differing: Vec<_> = judged.iter().filter(|row| row.verdict == Verdict::Differs).collect();
        let quantities: BTreeSet<&str> = differing.iter().map(|row| row.claim.quantity.as_str()).collect();
        println!("{experiment},{},{},{},{}", name(*bug), claims.claims.len(), differing.len(), quantities.len());
        for row in differing {
            idle.remove(row.claim.id.as_str());
        }
    }
    eprintln!("{experiment}: {} of {} claims catch none of these bugs: {idle:?}", idle.len(), claims.claims.len());
    Ok(())
}

fn claims_of(experiment: Experiment) -> Result<Claims, Box<dyn Error>> {
    let mut claims = Claims::load(Path::new("data/paper/claims.toml"))?;
    claims.claims.retain(|claim| claim.experiment == experiment);
    Ok(claims)
}

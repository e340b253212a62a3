//! How many planted bugs the claims of Experiment 2 catch.
//!
//! `cargo run --release --example planted_bugs [REPLICATES]` runs the experiment with one bug at a time, at its published size
//! unless told otherwise, and holds its results against `data/paper/claims.toml`. A claim catches a bug that makes it differ.
//! The tables stand in `REPRODUCE.md`. Nothing of this is in the program: the bugs live here.

mod bugs;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use bugs::Bug;
use judge_uncertainty::dataset::ChaosNliData;
use judge_uncertainty::experiments::Experiment;
use judge_uncertainty::experiments::chaosnli::PUBLISHED_REPLICATES;
use judge_uncertainty::familiarity::neighbours::{Exact, UnitRows};
use judge_uncertainty::progress::Silent;
use judge_uncertainty::report::claims::{Claims, ResultValues, Verdict, judge};

fn main() -> Result<(), Box<dyn Error>> {
    let replicates = match std::env::args().nth(1) {
        Some(number) => number.parse().map_err(|_| format!("{number:?} is not a number of replicates"))?,
        None => PUBLISHED_REPLICATES,
    };
    let claims = of_the_experiment(Claims::load(Path::new("data/paper/claims.toml"))?);
    let data = ChaosNliData::load(Path::new("data/chaosnli"))?;
    let engine = Exact::new(UnitRows::new(data.embeddings.view())?);
    let mut caught: BTreeMap<&str, Vec<&str>> = claims.claims.iter().map(|claim| (claim.id.as_str(), vec![])).collect();
    println!("| planted bug | claims that differ, of {} | quantities |\n|---|---|---|", claims.claims.len());
    for bug in Bug::ALL {
        eprintln!("{}", bug.name());
        let results = serde_json::to_value(bug.run(&data, &engine, replicates, &Silent)?)?;
        let judged = judge(&claims, &ResultValues::from([(Experiment::ChaosNli, results)]))?;
        let differing: Vec<_> = judged.iter().filter(|row| row.verdict == Verdict::Differs).collect();
        let quantities: std::collections::BTreeSet<&str> =
            differing.iter().map(|row| row.claim.quantity.as_str()).collect();
        println!("| {} | {} | {} |", bug.name(), differing.len(), quantities.len());
        for row in differing {
            caught.get_mut(row.claim.id.as_str()).expect("of this file").push(bug.name());
        }
    }
    println!("\n| claim | bugs that it catches | which |\n|---|---|---|");
    for (claim, bugs) in &caught {
        println!("| {claim} | {} | {} |", bugs.len(), bugs.join(", "));
    }
    Ok(())
}

/// The claims of Experiment 2.
fn of_the_experiment(mut claims: Claims) -> Claims {
    claims.claims.retain(|claim| claim.experiment == Experiment::ChaosNli);
    claims
}

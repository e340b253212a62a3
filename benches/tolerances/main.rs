//! Where the tolerances of the Monte-Carlo claims come from.
//!
//! `cargo bench --bench tolerances -- [RUNS] [FIRST]` runs Experiments 1 and 2 at their published sizes RUNS times (20 unless told
//! otherwise), each time with what is not known of the authors' run chosen anew ([`runs`]), and says of every claim with a
//! tolerance where the published number lies among these runs. A tolerance is the distance of the published number from
//! their mean plus three of their standard deviations. Other runs, by which such tolerances can be checked, come with
//! another FIRST. The table stands in `REPRODUCE.md`.

mod runs;

use std::error::Error;
use std::path::Path;

use judge_uncertainty::experiments::Experiment;
use judge_uncertainty::experiments::chaosnli::PUBLISHED_REPLICATES;
use judge_uncertainty::report::claims::{Claim, Claims, Class, Verdict, judge};
use judge_uncertainty::stats::mean;
use runs::{CHANGE, Inputs, Unknown};

fn main() -> Result<(), Box<dyn Error>> {
    // cargo bench adds --bench.
    let mut arguments =
        std::env::args().skip(1).filter(|argument| argument != "--bench").map(|number| number.parse::<u64>());
    let number = arguments.next().unwrap_or(Ok(20))?;
    let first = arguments.next().unwrap_or(Ok(0))?;
    let mut claims = Claims::load(Path::new("data/paper/claims.toml"))?;
    claims.claims.retain(|claim| claim.experiment != Experiment::Simulations && tolerance(claim).is_some());
    let inputs = Inputs::load()?;
    let mut of_claims = vec![vec![]; claims.claims.len()];
    let mut failing = vec![];
    for seed in first..first + number {
        let unknown = Unknown::draw(seed);
        eprintln!("run {seed}: {unknown:?}");
        let results = inputs.run(&unknown)?;
        let judged = judge(&claims, &results)?;
        for (values, row) in of_claims.iter_mut().zip(&judged) {
            values.push(row.reproduced.ok_or("a claim that was not run")?);
        }
        failing.push(judged.iter().filter(|row| row.verdict == Verdict::Differs).count());
    }
    println!(
        "| claim | published | mean | sd | published lies at | tolerance by this | in the file | runs that pass |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (claim, values) in claims.claims.iter().zip(&of_claims) {
        println!("{}", row(claim, values));
    }
    println!("\nRuns in which some claim fails: {} of {number}", failing.iter().filter(|n| **n > 0).count());
    println!(
        "\nReplicates, of {PUBLISHED_REPLICATES}, whose value of I at 10% one disturbance alone changes by more than {CHANGE}:\n"
    );
    for (cause, changed) in inputs.causes()? {
        println!("- {cause}: {changed}");
    }
    Ok(())
}

fn tolerance(claim: &Claim) -> Option<f64> {
    match claim.class {
        Class::MonteCarlo { tolerance, .. } => Some(tolerance),
        _ => None,
    }
}

fn row(claim: &Claim, values: &[f64]) -> String {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre) * (value - centre)).sum();
    let sd = (squares / (values.len() as f64 - 1.0)).sqrt();
    let allowed = tolerance(claim).unwrap_or_default();
    let passing = values.iter().filter(|value| (*value - claim.value).abs() <= allowed).count();
    format!(
        "| {} | {} | {centre:.3} | {sd:.3} | {:+.1} sd | {:.3} | {allowed} | {passing} of {} |",
        claim.id,
        claim.published,
        (claim.value - centre) / sd,
        (centre - claim.value).abs() + 3.0 * sd,
        values.len(),
    )
}

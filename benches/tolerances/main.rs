//! How far runs that the authors could plausibly have had lie apart: the spreads of the Monte-Carlo claims.
//!
//! `cargo bench --bench tolerances -- [RUNS] [FIRST]` runs Experiments 1 and 2 at their published sizes RUNS times (26
//! unless told otherwise), each time with what is not known of the authors' run chosen anew ([`runs`]). It writes the
//! quantities of claims with a spread, and those of conclusions, to `target/runs.csv`, which is committed as
//! `data/paper/runs.csv`, and prints the table of `docs/tolerances.md`. The published numbers enter nowhere. FIRST
//! names the first seed.

mod runs;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use judge_uncertainty::experiments::Experiment;
use judge_uncertainty::experiments::chaosnli::PUBLISHED_REPLICATES;
use judge_uncertainty::report::claims::{Claim, Claims, Class, ResultValues, Spread};
use judge_uncertainty::stats::mean;
use runs::{CHANGE, Inputs, Unknown};

fn main() -> Result<(), Box<dyn Error>> {
    // cargo bench adds --bench.
    let mut arguments =
        std::env::args().skip(1).filter(|argument| argument != "--bench").map(|number| number.parse::<u64>());
    let number = arguments.next().unwrap_or(Ok(26))?;
    let first = arguments.next().unwrap_or(Ok(0))?;
    let claims = Claims::load(Path::new("data/paper/claims.toml"))?;
    let inputs = Inputs::load()?;
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for seed in first..first + number {
        let unknown = Unknown::draw(seed);
        eprintln!("run {seed}: {unknown:?}");
        let results = inputs.run(&unknown)?;
        for quantity in quantities(&claims, &results) {
            let value = value(&results, &quantity).ok_or_else(|| format!("no run has `{quantity}`"))?;
            values.entry(quantity).or_default().push(value);
        }
        std::fs::write("target/runs.csv", table(&values))?;
    }
    println!(
        "| claim | published | mean | sd | tolerance | pairs of runs apart by more | by more than 3 sd + half a unit |"
    );
    println!("|---|---|---|---|---|---|---|");
    for claim in claims.claims.iter().filter(|claim| spread(claim).is_some()) {
        if let Some(values) = values.get(&claim.quantity) {
            println!("{}", row(claim, values));
        }
    }
    println!(
        "\nReplicates, of {PUBLISHED_REPLICATES}, whose value of I at 10% one disturbance alone changes by more than \
         {CHANGE}:\n"
    );
    for (cause, changed) in inputs.causes()? {
        println!("- {cause}: {changed}");
    }
    Ok(())
}

fn spread(claim: &Claim) -> Option<Spread> {
    match claim.class {
        Class::MonteCarlo { spread, .. } => Some(spread),
        _ => None,
    }
}

/// What claims and conclusions ask of these runs.
fn quantities(claims: &Claims, results: &ResultValues) -> BTreeSet<String> {
    let run = |experiment: &Experiment| results.contains_key(experiment);
    let stochastic = claims.claims.iter().filter(|claim| run(&claim.experiment) && spread(claim).is_some());
    let concluded = claims.conclusions.iter().filter(|conclusion| run(&conclusion.experiment));
    let concluded = concluded.flat_map(|conclusion| conclusion.quantities(&results[&conclusion.experiment]));
    stochastic.map(|claim| claim.quantity.clone()).chain(concluded).collect()
}

fn value(results: &ResultValues, quantity: &str) -> Option<f64> {
    let (experiment, path) = quantity.split_once('/')?;
    let (_, results) = results.iter().find(|(name, _)| name.name() == experiment)?;
    results.pointer(&format!("/{path}"))?.as_f64()
}

/// The quantities of all runs, as comma-separated values.
fn table(values: &BTreeMap<String, Vec<f64>>) -> String {
    let number = values.values().map(Vec::len).max().unwrap_or(0);
    let mut text = (0..number).fold("quantity".to_owned(), |head, run| format!("{head},run_{run}"));
    for (quantity, values) in values {
        let _ = write!(text, "\n{quantity}");
        values.iter().for_each(|value| {
            let _ = write!(text, ",{value:.6}");
        });
    }
    text + "\n"
}

fn row(claim: &Claim, values: &[f64]) -> String {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre) * (value - centre)).sum();
    let sd = (squares / (values.len() as f64 - 1.0)).sqrt();
    let half_unit = 0.5 * 10f64.powi(-i32::from(claim.decimals));
    let tolerance = Spread::Sd(sd).tolerance(half_unit);
    let pairs = || values.iter().enumerate().flat_map(|(k, a)| values[..k].iter().map(move |b| (a - b).abs()));
    let beyond = |allowed: f64| format!("{} of {}", pairs().filter(|apart| *apart > allowed).count(), pairs().count());
    format!(
        "| {} | {} | {centre:.3} | {sd:.3} | {tolerance:.3} | {} | {} |",
        claim.id,
        claim.published,
        beyond(tolerance - half_unit),
        beyond(3.0 * sd),
    )
}

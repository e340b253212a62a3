//! How the numbers came about, as a view for the template of the page.

use std::collections::BTreeMap;

use judge_uncertainty_system::numbers::NumberStyle;
use serde_json::{Value, json};

use crate::artifact::{Manifest, Provenance, Results, SCHEMA, results_file};
use crate::experiments::Experiment;
use crate::report::claims_table::experiment_name;

pub(super) fn view(results: &Results, manifest: &Manifest) -> Value {
    let parts = &manifest.deterministic;
    let part = |(experiment, of): (&Experiment, &Provenance)| json!({"name": experiment_name(*experiment), "file": results_file(*experiment), "of": of});
    json!({
        "parts": parts.iter().map(part).collect::<Vec<_>>(),
        "schema": SCHEMA,
        "rust": env!("CARGO_PKG_RUST_VERSION"),
        "inputs": parts.values().flat_map(|facts| &facts.inputs).collect::<Vec<_>>(),
        "settings": rows(parts, |facts| &facts.settings),
        "fits": fits(results),
        "sizes": rows(parts, |facts| &facts.replicates),
        "seeds": rows(parts, |facts| &facts.seeds),
    })
}

/// Facts of all parts: key, part and value.
fn rows<V: serde::Serialize>(
    parts: &BTreeMap<Experiment, Provenance>,
    of: impl Fn(&Provenance) -> &BTreeMap<String, V>,
) -> Vec<Value> {
    let of_part = |(experiment, facts): (&Experiment, &Provenance)| -> Vec<Value> {
        of(facts).iter().map(|(key, value)| json!([key, experiment_name(*experiment), value])).collect()
    };
    parts.iter().flat_map(of_part).collect()
}

fn fits(results: &Results) -> Vec<Value> {
    let count = |value: usize| NumberStyle { thousands: true, ..NumberStyle::plain(0) }.format(value as f64);
    let mut rows = Vec::new();
    if let Some(dice) = &results.dice {
        let (fits, unconverged) = (count(dice.draws * dice.coefficients.len()), count(dice.unconverged_fits));
        let name = experiment_name(Experiment::Dice);
        rows.push(json!([name, "both feature sets", fits, unconverged, "not kept", "not kept"]));
    }
    if let Some(chaosnli) = &results.chaosnli {
        for (features, run) in [("all features", &chaosnli.full), ("label counts alone", &chaosnli.counts_only)] {
            rows.push(json!([
                experiment_name(Experiment::ChaosNli),
                features,
                count(chaosnli.replicates),
                count(run.unconverged_fits),
                count(run.most_iterations),
                NumberStyle::plain(1).format(run.labels_worth),
            ]));
        }
    }
    rows
}

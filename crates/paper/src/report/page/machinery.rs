//! How the numbers came about, as a view for the template of the page.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::artifact::{Manifest, Provenance, SCHEMA, results_file};
use crate::experiments::Experiment;
use crate::report::claims_table::experiment_name;

pub(super) fn view(manifest: &Manifest) -> Value {
    let parts = &manifest.deterministic;
    let part = |(experiment, of): (&Experiment, &Provenance)| json!({"name": experiment_name(*experiment), "file": results_file(*experiment), "of": of});
    json!({
        "parts": parts.iter().map(part).collect::<Vec<_>>(),
        "schema": SCHEMA,
        "rust": env!("CARGO_PKG_RUST_VERSION"),
        "inputs": parts.values().flat_map(|facts| &facts.inputs).collect::<Vec<_>>(),
        "settings": rows(parts, |facts| &facts.settings),
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

//! The page of the paper's reproduction, filled from its results. No number in it is typed by hand.

pub(super) mod verdict;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::artifact::{Manifest, Provenance, Results, SCHEMA, results_file};
use crate::experiments::Experiment;
use crate::experiments::dice::Tier;
use crate::figures;
use crate::report::claims_table::{claims_table, experiment_name};
use crate::rules::{self, PAPER};
use crate::verdicts::Verdicts;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{FigureBlock, Page, PageTemplates, Section, Text};

/// The page: verdict, story, limits, every claim, machinery; an experiment without results
/// is left out.
///
/// # Errors
/// A template that asks for something that the results do not have.
pub fn page(
    results: &Results,
    verdicts: &Verdicts,
    manifest: &Manifest,
    templates: &PageTemplates,
) -> Result<Page, Error> {
    let figures = figures::all(results, templates)?;
    let mut figures = figures.iter().map(FigureBlock::new).map(|figure| (figure.name.clone(), figure)).collect();
    let mut view = view(results);
    for more in [verdict::view(verdicts), machinery(manifest)] {
        view.extend(more.as_object().cloned().into_iter().flatten());
    }
    let mut told = |part: &str, title: &str| -> Result<Section, Error> {
        view.insert("part".to_owned(), part.into());
        let blocks = templates.blocks("report/paper.txt", &Value::Object(view.clone()), &mut figures)?;
        Ok(Section { id: part.to_owned(), title: title.to_owned(), folded: false, blocks })
    };
    let caption = "Published numbers and what came of them, in the order of the paper";
    let claims = Section {
        id: "every-claim".to_owned(),
        title: "Every claim".to_owned(),
        folded: false,
        blocks: vec![claims_table(verdicts, caption)],
    };
    let sections = [
        told("verdict", "The verdict")?,
        told("story", "The story in figures")?,
        told("limits", "Where the method does not win")?,
        claims,
        told("machinery", "The machinery")?,
    ];
    Ok(Page {
        title: "Reproduction report".to_owned(),
        lead: Text::plain("What becomes of the numbers of ")
            .then(Text::link(
                "Decomposing LLM-Judge Uncertainty to Target Expert Labels",
                "https://arxiv.org/abs/2609.06444",
            ))
            .then(Text::plain(
                " (Ryan Lail, arXiv 2609.06444) when they are computed again from the judge's published answers: the \
                 verdict on each, what they show, and how they came about.",
            )),
        sections: sections.into_iter().filter(|section: &Section| !section.blocks.is_empty()).collect(),
    })
}

/// The values for the sentences about the results: results by experiment, and values that a template cannot compute.
fn view(results: &Results) -> Map<String, Value> {
    let mut view = json!({
        "budgets": Budget::PAPER.map(|budget| budget.of(100)),
        "simulations": results.simulations,
        "dice": results.dice,
        "chaosnli": results.chaosnli,
        "authors": results.authors,
    });
    let named = |(name, of): (&str, Value)| json!({"name": name, "of": of});
    if let Some(dice) = &results.dice {
        let simulated = results.simulations.as_ref().map(|s| ("Calibrated simulation", json!(s.isolation)));
        let judge = ("Real judge on dice", json!(dice.isolation.components));
        view["worlds"] = simulated.into_iter().chain([judge]).map(named).collect();
        let tiers = [
            (Tier::None, "none: told nothing"),
            (Tier::Weak, "weak: told that the die is weighted"),
            (Tier::Directional, "directional"),
            (Tier::Strong, "strong: near complete information"),
        ];
        view["tiers"] = tiers.map(|(tier, name)| named((name, json!(dice.tiers[&tier])))).into();
    }
    view["correlation"] = results.simulations.as_ref().map_or(Value::Null, |simulations| {
        let widest = simulations.correlation.values().filter_map(|points| Some(points.last()?.point.advantage_pp.mean));
        let advantages: Vec<f64> = widest.collect();
        let extreme = |of: fn(f64, f64) -> f64| advantages.iter().copied().reduce(of);
        extreme(f64::min).map_or(Value::Null, |least| json!({"least": least, "most": extreme(f64::max)}))
    });
    if let Some(chaosnli) = &results.chaosnli {
        let value = |rule: &Rule| chaosnli.full.value[rule][&Budget::HEADLINE].mean;
        let mut ranked = PAPER;
        ranked.sort_by(|a, b| value(b).total_cmp(&value(a)));
        view["rules"] =
            ranked.map(|rule| json!({"key": rule.key(), "name": rules::with_origin(rule)})).into_iter().collect();
        let by_authors = results.authors.as_ref().map(|authors| &authors.counts_only_delta_minus_full_judge_entropy);
        let counts_only = by_authors.unwrap_or(&chaosnli.counts_only_delta_minus_full_judge_entropy);
        view["counts_only"] = json!(counts_only[&Budget::HEADLINE]);
    }
    view.as_object().cloned().unwrap_or_default()
}

/// How the numbers came about.
fn machinery(manifest: &Manifest) -> Value {
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

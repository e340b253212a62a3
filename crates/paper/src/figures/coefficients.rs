//! What the fitted trust rests on: its coefficients with intervals.

use crate::experiments::chaosnli::ChaosNliResults;
use crate::experiments::dice::{DiceResults, FeatureSet};
use judge_uncertainty_core::stats::{Interval, Summary};
use judge_uncertainty_figures::description::{Figure, Width};
use judge_uncertainty_page::figures::OVER_REPLICATES;
use judge_uncertainty_page::figures::coefficients::{Effect, READING, panel, sentence};

/// Name of a feature in figures; one that is not known keeps its name.
fn feature_name(name: &str) -> &str {
    match name {
        "spread" => "spread over prompts",
        "log_labels" => "labels in hand, ln(1 + n)",
        "confidence" => "stated confidence",
        "nearest_labelled" => "nearest labelled item",
        "mean_nearest_labelled" => "ten nearest labelled",
        "weak" => "description: weak",
        "directional" => "description: directional",
        "strong" => "description: strong",
        other => other,
    }
}

fn effects(fit: &[(String, Summary)]) -> Vec<Effect> {
    let effect = |(name, s): &(String, Summary)| Effect {
        feature: feature_name(name).to_owned(),
        value: s.mean,
        interval: Interval { lo: s.lo, hi: s.hi },
    };
    fit.iter().filter(|(name, _)| name != "intercept").map(effect).collect()
}

pub(super) fn figure(dice: Option<&DiceResults>, chaosnli: Option<&ChaosNliResults>) -> Option<Figure> {
    let fits: Vec<(&str, Vec<Effect>)> = [
        dice.and_then(|d| d.coefficients.get(&FeatureSet::Tier)).map(|c| ("Experiment 1: dice", effects(c))),
        chaosnli.map(|c| ("Experiment 2: ChaosNLI", effects(&c.full.coefficients))),
    ]
    .into_iter()
    .flatten()
    .collect();
    if fits.is_empty() {
        return None;
    }
    let sentences = fits.iter().map(|(title, effects)| format!("{title}: {}", sentence(effects)));
    Some(Figure {
        name: "coefficients".to_owned(),
        title: "Fitted trust: its coefficients by feature".to_owned(),
        alt: format!("Dot plot of regression coefficients with intervals. {}", sentences.collect::<Vec<_>>().join(" ")),
        note: format!(
            "{READING} Bars {OVER_REPLICATES}. In Experiment 2 a labelled item is its own nearest labelled item at \
             distance 0, so that the likelihood does not identify that coefficient: it stands where a search from 0 \
             ends."
        ),
        width: Width::Full,
        height: 130.0,
        panels: fits.iter().map(|(title, effects)| panel(Some((*title).to_owned()), effects)).collect(),
    })
}

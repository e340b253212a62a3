//! What the fitted trust rests on: its coefficients with intervals.

use judge_uncertainty_core::stats::{Interval, Summary};
use judge_uncertainty_figures::description::{Figure, Width};
use judge_uncertainty_page::figures::coefficients::{Effect, panel};

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

pub(super) fn effects(fit: &[(String, Summary)]) -> Vec<Effect> {
    let effect = |(name, s): &(String, Summary)| Effect {
        feature: feature_name(name).to_owned(),
        value: s.mean,
        interval: Interval { lo: s.lo, hi: s.hi },
    };
    fit.iter().filter(|(name, _)| name != "intercept").map(effect).collect()
}

pub(super) fn figure(fits: &[(&str, Vec<Effect>)]) -> Option<Figure> {
    (!fits.is_empty()).then(|| Figure {
        name: "coefficients".to_owned(),
        width: Width::Full,
        height: 130.0,
        panels: fits.iter().map(|(title, effects)| panel(Some((*title).to_owned()), effects)).collect(),
        ..Figure::default()
    })
}

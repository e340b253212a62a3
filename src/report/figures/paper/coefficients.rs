//! What the fitted trust rests on: its coefficients with intervals.

use super::{OVER_REPLICATES, say};
use crate::experiments::chaosnli::ChaosNliResults;
use crate::experiments::dice::{DiceResults, FeatureSet};
use crate::report::figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use crate::report::figures::look::Look;
use crate::stats::Summary;

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

pub fn figure(dice: Option<&DiceResults>, chaosnli: Option<&ChaosNliResults>) -> Option<Figure> {
    let fits: Vec<(&str, &[(String, Summary)])> = [
        dice.and_then(|d| d.coefficients.get(&FeatureSet::Tier)).map(|c| ("Experiment 1: dice", c.as_slice())),
        chaosnli.map(|c| ("Experiment 2: ChaosNLI", c.full.coefficients.as_slice())),
    ]
    .into_iter()
    .flatten()
    .collect();
    if fits.is_empty() {
        return None;
    }
    let features =
        |fit: &[(String, Summary)]| fit.iter().filter(|(name, _)| name != "intercept").cloned().collect::<Vec<_>>();
    let panel = |(title, fit): &(&str, &[(String, Summary)])| {
        let features = features(fit);
        let rows = features.iter().enumerate().map(|(k, (_, s))| Point::of(k as f64, s)).collect();
        Panel {
            title: Some((*title).to_owned()),
            x: Axis::numbers("change of ln λ per sd of the feature", &[]),
            y: Axis::names("", features.iter().map(|(name, _)| feature_name(name))),
            series: vec![
                Series::unlisted("no effect", Look::NOTHING, Shape::Upright(0.0)),
                Series::unlisted("coefficient", Look::PLAIN, Shape::Rows { points: rows, shift: 0.0 }),
            ],
        }
    };
    let sentences = fits.iter().map(|(title, fit)| {
        let features = features(fit);
        let clear: Vec<String> = features
            .iter()
            .filter(|(_, s)| s.lo > 0.0 || s.hi < 0.0)
            .map(|(name, s)| format!("{} {} [{}, {}]", feature_name(name), say(s.mean, 2), say(s.lo, 2), say(s.hi, 2)))
            .collect();
        let clear = if clear.is_empty() { "none".to_owned() } else { clear.join(", ") };
        format!("{title}: {} features, of which the interval excludes 0 for {clear}.", features.len())
    });
    Some(Figure {
        name: "coefficients".to_owned(),
        title: "Fitted trust: its coefficients by feature".to_owned(),
        alt: format!("Dot plot of regression coefficients with intervals. {}", sentences.collect::<Vec<_>>().join(" ")),
        note: format!(
            "Trust λ is how many labels a prediction is worth; features are standardised, so a coefficient of 0.7 \
             doubles the trust of an item one standard deviation above the mean. The intercept is left out. Bars \
             {OVER_REPLICATES}. In Experiment 2 a labelled item is its own nearest labelled item at distance 0, so \
             that the likelihood does not identify that coefficient: it stands where a search from 0 ends."
        ),
        width: Width::Full,
        height: 130.0,
        panels: fits.iter().map(panel).collect(),
    })
}

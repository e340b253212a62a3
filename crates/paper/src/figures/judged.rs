//! The figures of the dice and of ChaosNLI that only this crate draws.

use crate::experiments::authors::AuthorsResults;
use crate::experiments::calibration::ConfidenceGroup;
use crate::experiments::dice::DiceResults;
use judge_uncertainty_core::stats::{Interval, Summary};
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Series, Shape, Width};
use judge_uncertainty_page::figures::coefficients::Effect;
use judge_uncertainty_page::figures::{calibration, coefficients, over_replicates};
use judge_uncertainty_page::look;

/// The groups of each experiment that has results, and the rank correlation over its items.
pub(super) type Part<'a> = (&'static str, &'a [ConfidenceGroup], f64);

/// The judge's calibration: stated confidence against error.
pub(super) fn calibration(parts: &[Part]) -> Option<Figure> {
    let panel = |(title, groups, _): &Part| {
        let points = groups.iter().map(|g| calibration::point(g.confidence, g.error.mean, Some(g.error.se))).collect();
        calibration::panel(Some((*title).to_owned()), Axis::numbers("error of the prediction (0 to 2)", &[0.0]), points)
    };
    (!parts.is_empty()).then(|| Figure {
        name: "calibration".to_owned(),
        width: Width::Full,
        height: 150.0,
        panels: parts.iter().map(panel).collect(),
        ..Figure::default()
    })
}

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

/// What the fitted trust rests on: its coefficients with intervals.
pub(super) fn coefficients(fits: &[(&str, Vec<Effect>)]) -> Option<Figure> {
    (!fits.is_empty()).then(|| Figure {
        name: "coefficients".to_owned(),
        width: Width::Full,
        height: 130.0,
        panels: fits.iter().map(|(title, effects)| coefficients::panel(Some((*title).to_owned()), effects)).collect(),
        ..Figure::default()
    })
}

/// The paper's Figure 1: the decomposition as labels arrive.
pub(super) fn convergence(dice: &DiceResults) -> Figure {
    let curve =
        |line: &[Summary]| Shape::Curve(line.iter().enumerate().map(|(n, s)| over_replicates(n as f64, s)).collect());
    let lines = &dice.convergence;
    let series = vec![
        Series::new("total", look::TOTAL, curve(&lines.total)),
        Series::new("aleatoric", look::ALEATORIC, curve(&lines.aleatoric)),
        Series::new("epistemic", look::EPISTEMIC, curve(&lines.epistemic)),
        Series::new("true disagreement", look::TRUTH, Shape::Level(dice.mean_true_disagreement)),
    ];
    Figure {
        name: "convergence".to_owned(),
        width: Width::Full,
        height: 170.0,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers("rolls revealed per die", &[0.0, 10.0]),
            y: Axis::numbers("uncertainty (nats)", &[0.0]),
            series,
        }],
        ..Figure::default()
    }
}

/// One row for each summary.
fn panel(title: &str, unit: &str, rows: &[(&str, &Summary)], chance: Option<f64>) -> Panel {
    let points = rows.iter().enumerate().map(|(k, (_, summary))| over_replicates(k as f64, summary)).collect();
    let mut series = vec![Series::unlisted("mean", look::PLAIN, Shape::Rows { points, shift: 0.0 })];
    series.extend(chance.map(|at| Series::unlisted("by chance", look::NOTHING, Shape::Upright(at))));
    Panel {
        title: Some(title.to_owned()),
        x: Axis::numbers(unit, &[0.0]),
        y: Axis::names("", rows.iter().map(|(name, _)| *name)),
        series,
    }
}

/// How far ranking by I is ranking by the number of labels.
pub(super) fn overlap(authors: &AuthorsResults) -> Figure {
    let overlap = &authors.overlap;
    Figure {
        name: "overlap".to_owned(),
        width: Width::Full,
        height: 100.0,
        panels: vec![
            panel(
                "Items shared with fewest labels first",
                "items",
                &[("I", &overlap.shared), ("I, equal trust", &overlap.shared_with_equal_trust)],
                Some(overlap.shared_by_chance),
            ),
            panel(
                "Escalated items without a label",
                "percent",
                &[
                    ("I", &overlap.unlabelled_percent),
                    ("I, equal trust", &overlap.unlabelled_with_equal_trust_percent),
                    ("fewest labels", &overlap.fewest_unlabelled_percent),
                ],
                None,
            ),
        ],
        ..Figure::default()
    }
}

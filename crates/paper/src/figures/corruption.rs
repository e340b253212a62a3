//! The paper's Figure 3: what a corrupted confidence costs, and what a signal of familiarity gives back.

use std::collections::BTreeMap;

use crate::experiments::simulations::results::{MisspecifiedPoint, SimulationResults};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::{OVER_REPLICATES, over_replicates, say};
use judge_uncertainty_page::look;

/// The corruption in a key such as `gamma_0_25`.
fn gamma(key: &str) -> Option<f64> {
    key.strip_prefix("gamma_")?.replace('_', ".").parse().ok()
}

pub(super) fn figure(simulations: &SimulationResults) -> Figure {
    let points = |variant: &str| -> Vec<Point> {
        let none = BTreeMap::new();
        let by_gamma: &BTreeMap<String, MisspecifiedPoint> = simulations.misspecified.get(variant).unwrap_or(&none);
        let mut points: Vec<Point> = by_gamma
            .iter()
            .filter_map(|(key, point)| gamma(key).map(|gamma| over_replicates(gamma, &point.advantage_pp)))
            .collect();
        points.sort_by(|a, b| a.at.total_cmp(&b.at));
        points
    };
    let (plain, familiarity) = (points("plain"), points("familiarity"));
    let at = |points: &[Point], gamma: f64| {
        say(points.iter().find(|p| (p.at - gamma).abs() < 1e-9).map_or(f64::NAN, |p| p.value), 1)
    };
    Figure {
        name: "corruption".to_owned(),
        title: "Advantage over entropy ranking against the corruption of stated confidence".to_owned(),
        alt: format!(
            "Line chart over the corruption of stated confidence. With the judge's own features the advantage over \
             entropy is {} percentage points at corruption 0, {} at corruption 1, where confidence says \
             nothing, and {} at 1.5, where it is inverted. With a signal of familiarity it is {}, {} and {}.",
            at(&plain, 0.0),
            at(&plain, 1.0),
            at(&plain, 1.5),
            at(&familiarity, 0.0),
            at(&familiarity, 1.0),
            at(&familiarity, 1.5),
        ),
        note: format!(
            "Advantage = regret of the judge's entropy minus regret of the label value Δ, a tenth of the items \
             escalated. Corruption γ: 0 is an honest confidence, 1 one without information, above 1 an inverted one. \
             Bands {OVER_REPLICATES}. The size of the effect belongs to this generator and predicts no real data."
        ),
        width: Width::Half,
        height: 160.0,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers("corruption of stated confidence, γ", &[0.0, 1.5]),
            y: Axis::numbers("advantage of Δ (pp)", &[0.0]),
            series: vec![
                Series::new("with familiarity", look::of_rule(Rule::Delta), Shape::Curve(familiarity)),
                Series::new("judge's features only", look::PLAIN, Shape::Curve(plain)),
            ],
        }],
    }
}

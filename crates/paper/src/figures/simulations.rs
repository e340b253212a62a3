//! The figures of the simulations.

use crate::experiments::simulations::results::{CalibratedPoint, DosePoint, SimulationResults, SweepPoint};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::{over_replicates, say};
use judge_uncertainty_page::look;
use judge_uncertainty_system::numbers::NumberStyle;
use serde_json::{Value, json};

/// Rules shown of regret as trust spreads; I lies on Delta.
const RULES: [Rule; 6] =
    [Rule::Delta, Rule::Spread, Rule::FewestLabels, Rule::JudgeEntropy, Rule::PosteriorEntropy, Rule::Random];

/// The paper's Figure 2: regret as trust spreads, and the advantage over the range of trust.
pub(super) fn trust_spread(simulations: &SimulationResults) -> Figure {
    let (spread, doses) = (&simulations.trust_spread, &simulations.dose_response);
    let regret = |rule: Rule| {
        let points = spread.iter().filter_map(|p| p.point.regret_pp.get(&rule).map(|s| over_replicates(p.width, s)));
        Series::new(rule.row().figure, look::of_rule(rule), Shape::Curve(points.collect()))
    };
    let advantage = |of: fn(&DosePoint) -> &CalibratedPoint| {
        let points = doses.iter().enumerate().map(|(k, dose)| over_replicates(k as f64, &of(dose).advantage_pp));
        Shape::Curve(points.collect())
    };
    Figure {
        name: "trust-spread".to_owned(),
        width: Width::Full,
        height: 190.0,
        panels: vec![
            Panel {
                title: Some("(a) regret".to_owned()),
                x: Axis::numbers("spread of trust (0 = equal, 1 = ×256)", &[0.0, 1.0]),
                y: Axis::numbers("regret at 10% budget (pp)", &[0.0]),
                series: RULES.into_iter().map(regret).collect(),
            },
            Panel {
                title: Some("(b) advantage over the judge's entropy".to_owned()),
                x: Axis::names(
                    "range of trust, largest over smallest",
                    doses.iter().map(|d| format!("×{}", d.trust_ratio)),
                ),
                y: Axis::numbers("advantage of label value Δ (pp)", &[0.0]),
                series: vec![
                    Series::new("Δ, trust estimated", look::of_rule(Rule::Delta), advantage(|dose| &dose.estimated)),
                    Series::new("Δ, trust known", look::of_rule_elsewhere(Rule::Delta), advantage(|dose| &dose.oracle)),
                ],
            },
        ],
        ..Figure::default()
    }
}

/// The corruption in a key such as `gamma_0_25`.
fn gamma(key: &str) -> Option<f64> {
    key.strip_prefix("gamma_")?.replace('_', ".").parse().ok()
}

/// The paper's Figure 3: what a corrupted confidence costs, and what a signal of familiarity gives back.
pub(super) fn corruption(simulations: &SimulationResults) -> Figure {
    let points = |variant: &str| -> Vec<Point> {
        let by_gamma = simulations.misspecified.get(variant).into_iter().flatten();
        let mut points: Vec<Point> =
            by_gamma.filter_map(|(key, point)| Some(over_replicates(gamma(key)?, &point.advantage_pp))).collect();
        points.sort_by(|a, b| a.at.total_cmp(&b.at));
        points
    };
    Figure {
        name: "corruption".to_owned(),
        width: Width::Half,
        height: 160.0,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers("corruption of stated confidence, γ", &[0.0, 1.5]),
            y: Axis::numbers("advantage of Δ (pp)", &[0.0]),
            series: vec![
                Series::new("with familiarity", look::of_rule(Rule::Delta), Shape::Curve(points("familiarity"))),
                Series::new("judge's features only", look::PLAIN, Shape::Curve(points("plain"))),
            ],
        }],
        ..Figure::default()
    }
}

/// The correlation in a key such as `rho_minus_0_4`.
fn rho(key: &str) -> Option<f64> {
    let size = key.strip_prefix("rho_")?;
    let (sign, size) = size.strip_prefix("minus_").map_or((1.0, size), |size| (-1.0, size));
    size.replace('_', ".").parse::<f64>().ok().map(|size| sign * size)
}

/// The rows of the phase diagram of sweep S2 by their correlation, the highest first, and the advantage in each cell.
fn cells(simulations: &SimulationResults) -> Vec<(f64, Vec<f64>)> {
    let advantages = |points: &[SweepPoint]| points.iter().map(|p| p.point.advantage_pp.mean).collect();
    let rows = simulations.correlation.iter().filter_map(|(key, points)| Some((rho(key)?, advantages(points))));
    let mut rows: Vec<(f64, Vec<f64>)> = rows.collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows
}

/// What is said of the phase diagram: both ends of its outer rows, and its least value.
pub(super) fn ends(simulations: &SimulationResults) -> Value {
    let rows = cells(simulations);
    let row = |row: Option<&(f64, Vec<f64>)>| {
        row.map(|(rho, values)| json!({"rho": rho, "from": values.first(), "to": values.last()}))
    };
    let least = rows.iter().flat_map(|(_, values)| values).copied().fold(f64::INFINITY, f64::min);
    json!({"first": row(rows.first()), "last": row(rows.last()), "least": least})
}

/// The phase diagram of sweep S2: where the decomposition pays.
pub(super) fn phase(simulations: &SimulationResults) -> Figure {
    let rows = cells(simulations);
    let widths = simulations.correlation.values().next().into_iter().flatten();
    let widths = widths.map(|p| NumberStyle::plain(1).format(p.width));
    let correlations = Axis::names("correlation ρ", rows.iter().map(|(rho, _)| say(*rho, 1)));
    let values = rows.into_iter().map(|(_, values)| values).collect();
    Figure {
        name: "phase".to_owned(),
        width: Width::Full,
        height: 140.0,
        panels: vec![Panel {
            title: None,
            x: Axis::names("spread of trust (0 = equal, 1 = ×256)", widths),
            y: correlations,
            series: vec![Series::unlisted("advantage (pp)", look::PLAIN, Shape::Cells(values))],
        }],
        ..Figure::default()
    }
}

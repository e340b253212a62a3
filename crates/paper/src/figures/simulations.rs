//! The figures of the simulations.

use crate::experiments::simulations::results::{CalibratedPoint, DosePoint, SimulationResults, SweepPoint};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::{OVER_REPLICATES, over_replicates, say};
use judge_uncertainty_page::look;
use judge_uncertainty_system::numbers::NumberStyle;

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
    let last = |rule: Rule| say(spread.last().map_or(0.0, |p| p.point.regret_pp[&rule].mean), 0);
    let dose = |dose: Option<&DosePoint>| {
        dose.map_or(String::new(), |d| {
            format!("{} points at a range of ×{}", say(d.estimated.advantage_pp.mean, 0), d.trust_ratio)
        })
    };
    Figure {
        name: "trust-spread".to_owned(),
        title: "Regret as trust spreads, and the advantage over the range of trust".to_owned(),
        alt: format!(
            "Two line charts. Left: as the spread of trust grows from 0 to 1, the regret of ranking by the judge's \
             entropy ends at {} percentage points, that of the posterior's entropy at {}, of random order at {}, of \
             fewest-labels-first at {}, and of ranking by label value at {}. Right: the advantage of label \
             value over the judge's entropy goes from {} to {}; with known and with estimated trust it differs by at \
             most {} points.",
            last(Rule::JudgeEntropy),
            last(Rule::PosteriorEntropy),
            last(Rule::Random),
            last(Rule::FewestLabels),
            last(Rule::Delta),
            dose(doses.first()),
            dose(doses.last()),
            say(simulations.derived.dose_response_oracle_minus_estimated_max_pp, 1),
        ),
        note: format!(
            "Regret is the share of the best possible gain that a rule forgoes when a tenth of the items is escalated: \
             0 is the oracle. Trust spread 0 means that all predictions deserve equal trust. (a) has the true trust, \
             (b) compares it with the trust estimated from labels. Bands {OVER_REPLICATES}."
        ),
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

/// The correlation in a key such as `rho_minus_0_4`.
fn rho(key: &str) -> Option<f64> {
    let size = key.strip_prefix("rho_")?;
    let (sign, size) = size.strip_prefix("minus_").map_or((1.0, size), |size| (-1.0, size));
    size.replace('_', ".").parse::<f64>().ok().map(|size| sign * size)
}

/// The phase diagram of sweep S2: where the decomposition pays.
pub(super) fn phase(simulations: &SimulationResults) -> Figure {
    let mut rows: Vec<(f64, &[SweepPoint])> = simulations
        .correlation
        .iter()
        .filter_map(|(key, points)| rho(key).map(|rho| (rho, points.as_slice())))
        .collect();
    // The highest correlation on top.
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let widths: Vec<String> =
        rows.first().map_or(vec![], |row| row.1.iter().map(|p| NumberStyle::plain(1).format(p.width)).collect());
    let values: Vec<Vec<f64>> =
        rows.iter().map(|(_, points)| points.iter().map(|p| p.point.advantage_pp.mean).collect()).collect();
    let corner = |row: Option<&Vec<f64>>| {
        let ends = row.map_or([f64::NAN; 2], |r| [r[0], r[r.len() - 1]]);
        format!("from {} to {}", say(ends[0], 0), say(ends[1], 0))
    };
    Figure {
        name: "phase".to_owned(),
        title: "Where ranking by label value pays: spread of trust by correlation".to_owned(),
        alt: format!(
            "Heat map of the advantage over ranking by the judge's entropy, in percentage points. As trust spreads \
             from 0 to 1 it grows {} where contentious items are also the unfamiliar ones (correlation {}), and {} \
             where they are the familiar ones (correlation {}). The smallest value is {}.",
            corner(values.first()),
            say(rows.first().map_or(f64::NAN, |r| r.0), 1),
            corner(values.last()),
            say(rows.last().map_or(f64::NAN, |r| r.0), 1),
            say(values.iter().flatten().copied().fold(f64::INFINITY, f64::min), 0),
        ),
        note:
            "Each cell is the mean over simulated worlds of the regret of the judge's entropy minus that of the label \
               value Δ, a tenth of the items escalated and the true trust known. Across: how far trust differs between \
               items. Up: whether items that experts disagree on are also those the judge knows least (positive) or \
               best (negative). Entropy does least badly at the upper left."
                .to_owned(),
        width: Width::Full,
        height: 140.0,
        panels: vec![Panel {
            title: None,
            x: Axis::names("spread of trust (0 = equal, 1 = ×256)", widths),
            y: Axis::names("correlation ρ", rows.iter().map(|(rho, _)| say(*rho, 1))),
            series: vec![Series::unlisted("advantage (pp)", look::PLAIN, Shape::Cells(values))],
        }],
    }
}

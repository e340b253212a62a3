//! The paper's Figure 2: regret as trust spreads, and the advantage over the range of trust.

use crate::experiments::simulations::results::{CalibratedPoint, SimulationResults};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::{OVER_REPLICATES, over_replicates, say};
use judge_uncertainty_page::look;

/// Rules shown; I lies on Delta.
const RULES: [Rule; 6] =
    [Rule::Delta, Rule::Spread, Rule::FewestLabels, Rule::JudgeEntropy, Rule::PosteriorEntropy, Rule::Random];

pub(super) fn figure(simulations: &SimulationResults) -> Figure {
    let (spread, doses) = (&simulations.trust_spread, &simulations.dose_response);
    let regret = |rule: Rule| {
        let points = spread.iter().filter_map(|p| p.point.regret_pp.get(&rule).map(|s| over_replicates(p.width, s)));
        Series::new(rule.row().figure, look::of_rule(rule), Shape::Curve(points.collect()))
    };
    let advantage = |cell: fn(usize, &CalibratedPoint) -> Point, of: usize| {
        let points = doses.iter().enumerate().map(|(k, dose)| cell(k, [&dose.oracle, &dose.estimated][of]));
        Shape::Curve(points.collect())
    };
    let at = |k: usize, cell: &CalibratedPoint| over_replicates(k as f64, &cell.advantage_pp);
    let last = |rule: Rule| say(spread.last().map_or(0.0, |p| p.point.regret_pp[&rule].mean), 0);
    let dose = |dose: Option<&crate::experiments::simulations::results::DosePoint>| {
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
                    Series::new("Δ, trust estimated", look::of_rule(Rule::Delta), advantage(at, 1)),
                    Series::new("Δ, trust known", look::of_rule_elsewhere(Rule::Delta), advantage(at, 0)),
                ],
            },
        ],
    }
}

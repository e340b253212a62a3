//! The phase diagram of sweep S2: where the decomposition pays.

use crate::experiments::simulations::results::{SimulationResults, SweepPoint};
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Series, Shape, Width};
use judge_uncertainty_page::figures::say;
use judge_uncertainty_page::look;
use judge_uncertainty_system::numbers::NumberStyle;

/// The correlation in a key such as `rho_minus_0_4`.
fn rho(key: &str) -> Option<f64> {
    let size = key.strip_prefix("rho_")?;
    let (sign, size) = size.strip_prefix("minus_").map_or((1.0, size), |size| (-1.0, size));
    size.replace('_', ".").parse::<f64>().ok().map(|size| sign * size)
}

pub(super) fn figure(simulations: &SimulationResults) -> Figure {
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

//! The judge's calibration: stated confidence against error.

use crate::experiments::calibration::ConfidenceGroup;
use judge_uncertainty_figures::description::{Axis, Figure, Width};
use judge_uncertainty_page::figures::calibration::{panel, point};

/// The groups of each experiment that has results, and the rank correlation over its items.
pub(super) type Part<'a> = (&'static str, &'a [ConfidenceGroup], f64);

pub(super) fn figure(parts: &[Part]) -> Option<Figure> {
    let panel = |(title, groups, _): &Part| {
        let points = groups.iter().map(|g| point(g.confidence, g.error.mean, Some(g.error.se))).collect();
        panel(Some((*title).to_owned()), Axis::numbers("error of the prediction (0 to 2)", &[0.0]), points)
    };
    (!parts.is_empty()).then(|| Figure {
        name: "calibration".to_owned(),
        width: Width::Full,
        height: 150.0,
        panels: parts.iter().map(panel).collect(),
        ..Figure::default()
    })
}

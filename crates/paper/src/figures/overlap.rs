//! How far ranking by I is ranking by the number of labels.

use crate::experiments::authors::AuthorsResults;
use judge_uncertainty_core::stats::{Interval, Summary};
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::look;

/// One row for each summary.
fn panel(title: &str, unit: &str, rows: &[(&str, &Summary)], chance: Option<f64>) -> Panel {
    let point = |(k, (_, s)): (usize, &(&str, &Summary))| Point {
        at: k as f64,
        value: s.mean,
        interval: Some(Interval { lo: s.lo, hi: s.hi }),
    };
    let points = rows.iter().enumerate().map(point).collect();
    let mut series = vec![Series::unlisted("mean", look::PLAIN, Shape::Rows { points, shift: 0.0 })];
    series.extend(chance.map(|at| Series::unlisted("by chance", look::NOTHING, Shape::Upright(at))));
    Panel {
        title: Some(title.to_owned()),
        x: Axis::numbers(unit, &[0.0]),
        y: Axis::names("", rows.iter().map(|(name, _)| *name)),
        series,
    }
}

pub(super) fn figure(authors: &AuthorsResults) -> Figure {
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

//! How far ranking by I is ranking by the number of labels.

use crate::experiments::authors::{AuthorsResults, Overlap};
use judge_uncertainty_core::stats::{Interval, Summary};
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::{OVER_REPLICATES, say};
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
    let Overlap { escalated, shared, shared_by_chance, .. } = &authors.overlap;
    let overlap = &authors.overlap;
    let text = |s: &Summary| say(s.mean, 0);
    Figure {
        name: "overlap".to_owned(),
        title: "Ranking by I and fewest labels first escalate different items".to_owned(),
        alt: format!(
            "Two dot plots. Of {escalated} items each, I and fewest labels first share {}, {} by chance, and {} if \
             every item has the same trust. Without a label are {}% of the items that I escalates, {}% if every item \
             has the same trust, and {}% of those of fewest labels first.",
            text(shared),
            say(*shared_by_chance, 0),
            text(&overlap.shared_with_equal_trust),
            text(&overlap.unlabelled_percent),
            text(&overlap.unlabelled_with_equal_trust_percent),
            text(&overlap.fewest_unlabelled_percent),
        ),
        note: format!(
            "Experiment 2 by the authors' procedure, {escalated} items escalated by each rule. Dashed: what two random \
             choices would share. Equal trust: every item has the mean fitted trust. Bars {OVER_REPLICATES}."
        ),
        width: Width::Full,
        height: 100.0,
        panels: vec![
            panel(
                "Items shared with fewest labels first",
                "items",
                &[("I", shared), ("I, equal trust", &overlap.shared_with_equal_trust)],
                Some(*shared_by_chance),
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
    }
}

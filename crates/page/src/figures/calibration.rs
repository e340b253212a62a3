//! What is measured about items, by the confidence that the judge stated for them.

use crate::look;
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_figures::{Axis, Panel, Point, Series, Shape};

/// Standard errors to each side of a mean that make a 95% interval.
const NORMAL_95: f64 = 1.96;

/// The mean of items of similar confidence, with a 95% interval if it has a standard error.
pub fn point(confidence: f64, mean: f64, se: Option<f64>) -> Point {
    let interval = se.map(|se| Interval { lo: mean - NORMAL_95 * se, hi: mean + NORMAL_95 * se });
    Point { at: confidence, value: mean, interval }
}

/// One marker for each group of items.
pub fn panel(title: Option<String>, y: Axis, points: Vec<Point>) -> Panel {
    Panel {
        title,
        x: Axis::numbers("stated confidence (0 to 100)", &[]),
        y,
        series: vec![Series::unlisted(
            "items of similar confidence",
            look::PLAIN,
            Shape::Columns { points, shift: 0.0 },
        )],
    }
}

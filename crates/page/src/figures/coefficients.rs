//! What the fitted trust rests on: its coefficients with intervals.

use super::say;
use crate::look;
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_figures::{Axis, Panel, Point, Series, Shape};

/// How coefficients are to be read.
pub const READING: &str = "Trust λ is how many labels a prediction is worth; features are standardised, so a \
                           coefficient of 0.7 doubles the trust of an item one standard deviation above the mean. The \
                           intercept is left out.";

/// What a feature does to ln lambda, per standard deviation.
pub struct Effect {
    /// The feature, as figures call it.
    pub feature: String,
    /// The estimate.
    pub value: f64,
    /// Its interval.
    pub interval: Interval,
}

/// One row for each feature.
pub fn panel(title: Option<String>, effects: &[Effect]) -> Panel {
    let point = |(k, e): (usize, &Effect)| Point { at: k as f64, value: e.value, interval: Some(e.interval) };
    let rows = effects.iter().enumerate().map(point).collect();
    Panel {
        title,
        x: Axis::numbers("change of ln λ per sd of the feature", &[]),
        y: Axis::names("", effects.iter().map(|e| e.feature.as_str())),
        series: vec![
            Series::unlisted("no effect", look::NOTHING, Shape::Upright(0.0)),
            Series::unlisted("coefficient", look::PLAIN, Shape::Rows { points: rows, shift: 0.0 }),
        ],
    }
}

/// How many there are, and which are clear.
pub fn sentence(effects: &[Effect]) -> String {
    let clear: Vec<String> = effects
        .iter()
        .filter(|e| e.interval.lo > 0.0 || e.interval.hi < 0.0)
        .map(|e| format!("{} {} [{}, {}]", e.feature, say(e.value, 2), say(e.interval.lo, 2), say(e.interval.hi, 2)))
        .collect();
    let clear = if clear.is_empty() { "none".to_owned() } else { clear.join(", ") };
    format!("{} features, of which the interval excludes 0 for {clear}.", effects.len())
}

//! The judge's calibration: stated confidence against error.

use super::say;
use crate::experiments::calibration::ConfidenceGroup;
use crate::experiments::chaosnli::ChaosNliResults;
use crate::experiments::dice::DiceResults;
use crate::report::figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use crate::report::figures::look::Look;

/// Standard errors to each side of a mean that make a 95% interval.
const NORMAL_95: f64 = 1.96;

pub fn figure(dice: Option<&DiceResults>, chaosnli: Option<&ChaosNliResults>) -> Option<Figure> {
    let parts: Vec<(&str, &[ConfidenceGroup], f64)> = [
        dice.map(|d| ("Experiment 1: dice", d.calibration.as_slice(), d.spearman_confidence_error)),
        chaosnli.map(|c| ("Experiment 2: ChaosNLI", c.judge.calibration.as_slice(), c.judge.spearman_confidence_error)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() {
        return None;
    }
    let panel = |(title, groups, _): &(&str, &[ConfidenceGroup], f64)| {
        let points = groups.iter().map(|g| {
            let half = NORMAL_95 * g.error.se;
            let [lo, hi] = [g.error.mean - half, g.error.mean + half];
            Point { at: g.confidence, value: g.error.mean, interval: Some([lo, hi]) }
        });
        Panel {
            title: Some((*title).to_owned()),
            x: Axis::numbers("stated confidence (0 to 100)", &[]),
            y: Axis::numbers("error of the prediction (0 to 2)", &[0.0]),
            series: vec![Series::unlisted(
                "items of similar confidence",
                Look::PLAIN,
                Shape::Columns { points: points.collect(), shift: 0.0 },
            )],
        }
    };
    let sentences = parts.iter().filter_map(|(title, groups, correlation)| {
        let (first, last) = (groups.first()?, groups.last()?);
        Some(format!(
            "{title}: mean error {} at confidence {} and {} at {}; rank correlation {}.",
            say(first.error.mean, 2),
            say(first.confidence, 0),
            say(last.error.mean, 2),
            say(last.confidence, 0),
            say(*correlation, 2),
        ))
    });
    Some(Figure {
        name: "calibration".to_owned(),
        title: "Stated confidence against error".to_owned(),
        alt: format!("Dot plot of the judge's mean error by stated confidence. {}", sentences.collect::<Vec<_>>().join(" ")),
        note: "Each marker is a group of at least a tenth of the items (fewer in the last), divided by stated confidence; \
               items of equal confidence are never divided. Height is the mean Manhattan distance of the judge's \
               prediction to the experts' distribution, with a 95% interval of that mean (1.96 standard errors over \
               the items). A judge that knows when it is wrong would fall from left to right."
            .to_owned(),
        width: Width::Full,
        height: 150.0,
        panels: parts.iter().map(panel).collect(),
    })
}

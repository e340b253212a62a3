//! The judge's calibration: stated confidence against error.

use crate::experiments::calibration::ConfidenceGroup;
use crate::experiments::chaosnli::ChaosNliResults;
use crate::experiments::dice::DiceResults;
use judge_uncertainty_figures::description::{Axis, Figure, Width};
use judge_uncertainty_page::figures::calibration::{panel, point};
use judge_uncertainty_page::figures::say;

pub(super) fn figure(dice: Option<&DiceResults>, chaosnli: Option<&ChaosNliResults>) -> Option<Figure> {
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
    let panels = parts.iter().map(|(title, groups, _)| {
        let points = groups.iter().map(|g| point(g.confidence, g.error.mean, Some(g.error.se))).collect();
        panel(Some((*title).to_owned()), Axis::numbers("error of the prediction (0 to 2)", &[0.0]), points)
    });
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
        alt: format!(
            "Dot plot of the judge's mean error by stated confidence. \
                      {}",
            sentences.collect::<Vec<_>>().join(" ")
        ),
        note: "Each marker is a group of at least a tenth of the items (fewer in the last), divided by stated \
               confidence; items of equal confidence are never divided. Height is the mean Manhattan distance of the \
               judge's prediction to the experts' distribution, with a 95% interval of that mean (1.96 standard errors \
               over the items). A judge that knows when it is wrong would fall from left to right."
            .to_owned(),
        width: Width::Full,
        height: 150.0,
        panels: panels.collect(),
    })
}

//! The judge's mean place against that of the labels.

use super::{against_diagonal, number};
use judge_uncertainty_figures::{Figure, Width};
use judge_uncertainty_page::figures::calibration;
use judge_uncertainty_study::kinds::ordinal::diagnostics::OrdinalDiagnostics;

/// Groups of items by the judge's mean place; `None` without items.
pub(crate) fn figure(judge: &OrdinalDiagnostics) -> Option<Figure> {
    let bins = &judge.calibration;
    let (first, last) = (bins.first()?, bins.last()?);
    let points = bins.iter().map(|b| calibration::point(b.judge, b.labels, b.labels_se));
    let panel = against_diagonal(["mean place, judge", "mean place, labels"], [first.from, last.to], points.collect());
    Some(Figure {
        name: "means".to_owned(),
        title: "The judge's mean place against that of the labels".to_owned(),
        alt: format!(
            "Dot plot over {} items in groups of similar predictions. Where the judge's mean place is {} on average \
             that of the labels is {}, at {} it is {}. The mean distance from the diagonal is {}.",
            judge.items,
            number(first.judge),
            number(first.labels),
            number(last.judge),
            number(last.labels),
            number(judge.calibration_error),
        ),
        note:
            "Each marker is a group of items whose mean place under the judge's prediction lies in the same tenth of \
               the scale; its height is the mean of their labels' mean places, with a 95% interval of that mean (1.96 \
               standard errors over the items; none for a single item). Below the diagonal the judge places items too \
               high."
                .to_owned(),
        width: Width::Full,
        height: 170.0,
        panels: vec![panel],
    })
}

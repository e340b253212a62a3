//! The parts of the variance of a label on a scale, over items.

use super::{AROUND_ROWS, ROW, number};
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_figures::{Axis, Figure, Look, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::look;
use judge_uncertainty_study::results::parts::{PartAverages, UncertaintyPart};

fn look(part: UncertaintyPart) -> (&'static str, Look) {
    match part {
        UncertaintyPart::Total => ("total: a fresh label", look::TOTAL),
        UncertaintyPart::Epistemic => ("epistemic", look::EPISTEMIC),
        UncertaintyPart::Aleatoric => ("aleatoric", look::ALEATORIC),
        UncertaintyPart::WithinAnnotators => ("within annotators", look::ALEATORIC),
        UncertaintyPart::BetweenAnnotators => ("between annotators", look::ALEATORIC),
    }
}

/// One row for each part that is identified; `unit` is that of a variance, and `remark` says what else to know.
pub(crate) fn figure(averages: &PartAverages, unit: &str, remark: &str) -> Figure {
    let parts = averages.parts();
    let range = |part: &UncertaintyPart| averages.over_items.get(part).map(|&[lo, _, hi]| Interval { lo, hi });
    let series = parts.iter().enumerate().map(|(k, (part, mean))| {
        let (name, look) = look(*part);
        let point = Point { at: k as f64, value: *mean, interval: range(part) };
        Series::unlisted(name, look, Shape::Rows { points: vec![point], shift: 0.0 })
    });
    let sentence = |(part, mean): &(UncertaintyPart, f64)| {
        let spread =
            range(part).map_or(String::new(), |Interval { lo, hi }| format!(" [{}, {}]", number(lo), number(hi)));
        format!("{} {}{spread}", look(*part).0, number(*mean))
    };
    Figure {
        name: "parts".to_owned(),
        title: "The parts of the variance of a fresh label".to_owned(),
        alt: format!(
            "Dot plot of {} parts of the variance in {unit}: {}.",
            parts.len(),
            parts.iter().map(sentence).collect::<Vec<_>>().join("; "),
        ),
        note: format!(
            "Markers are means over items, bars run from the 5 to the 95 percentile over items. Total = epistemic + \
             aleatoric.{remark}"
        ),
        width: Width::Full,
        height: AROUND_ROWS + ROW * parts.len() as f64,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers(format!("variance ({unit})"), &[0.0]),
            y: Axis::names("", parts.iter().map(|(part, _)| look(*part).0)),
            series: series.collect(),
        }],
    }
}

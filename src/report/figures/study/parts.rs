//! The parts of the variance of scores, over items.

use super::{AROUND_ROWS, ROW, number};
use crate::report::figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use crate::report::figures::look::{self, Look};
use crate::study::scores::results::{Part, ScoreAverages};

fn look(part: Part) -> (&'static str, Look) {
    match part {
        Part::Total => ("total: a fresh label", look::TOTAL),
        Part::Epistemic => ("epistemic", look::EPISTEMIC),
        Part::Aleatoric => ("aleatoric", look::ALEATORIC),
        Part::WithinAnnotators => ("within annotators", look::ALEATORIC),
        Part::BetweenAnnotators => ("between annotators", look::ALEATORIC),
    }
}

/// One row for each part that is identified.
pub fn figure(averages: &ScoreAverages) -> Figure {
    let parts = averages.parts();
    let range = |part: &Part| averages.over_items.get(part).map(|[low, _, high]| [*low, *high]);
    let series = parts.iter().enumerate().map(|(k, (part, mean))| {
        let (name, look) = look(*part);
        let point = Point { at: k as f64, value: *mean, interval: range(part) };
        Series::unlisted(name, look, Shape::Rows { points: vec![point], shift: 0.0 })
    });
    let sentence = |(part, mean): &(Part, f64)| {
        let spread = range(part).map_or(String::new(), |[low, high]| format!(" [{}, {}]", number(low), number(high)));
        format!("{} {}{spread}", look(*part).0, number(*mean))
    };
    let identified = averages.within_annotators.is_some();
    Figure {
        name: "parts".to_owned(),
        title: "The parts of the variance of a fresh label".to_owned(),
        alt: format!(
            "Dot plot of {} parts of the variance in squared units of the score: {}.",
            parts.len(),
            parts.iter().map(sentence).collect::<Vec<_>>().join("; "),
        ),
        note: format!(
            "Markers are means over items, bars run from the 5 to the 95 percentile over items. Total = epistemic + \
             aleatoric. {}",
            if identified {
                "The aleatoric part is noise within annotators, pooled over ratings that were repeated, and disagreement \
                 between them."
            } else {
                "No annotator rated an item twice, so noise within annotators and disagreement between them are not told \
                 apart."
            }
        ),
        width: Width::Full,
        height: AROUND_ROWS + ROW * parts.len() as f64,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers("variance (squared units of the score)", &[0.0]),
            y: Axis::names("", parts.iter().map(|(part, _)| look(*part).0)),
            series: series.collect(),
        }],
    }
}

//! The parts of the variance of a label on a scale, over items.

use super::{AROUND_ROWS, ROW};
use crate::prose::figure;
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_figures::{Axis, Figure, Look, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::look;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_study::results::parts::{PartAverages, UncertaintyPart};
use serde_json::json;
use tera::context;

fn look(part: UncertaintyPart) -> (&'static str, Look) {
    match part {
        UncertaintyPart::Total => ("total: a fresh label", look::TOTAL),
        UncertaintyPart::Epistemic => ("epistemic", look::EPISTEMIC),
        UncertaintyPart::Aleatoric => ("aleatoric", look::ALEATORIC),
        UncertaintyPart::WithinAnnotators => ("within annotators", look::ALEATORIC),
        UncertaintyPart::BetweenAnnotators => ("between annotators", look::ALEATORIC),
    }
}

/// One row for each part that is identified; `unit` is that of a variance, and `numbers` says whether labels are numbers.
pub(crate) fn of_parts(averages: &PartAverages, unit: &str, numbers: bool) -> Result<Figure, Error> {
    let parts = averages.parts();
    let range = |part: &UncertaintyPart| averages.over_items.get(part).map(|&[lo, _, hi]| Interval { lo, hi });
    let series = parts.iter().enumerate().map(|(k, (part, mean))| {
        let (name, look) = look(*part);
        let point = Point { at: k as f64, value: *mean, interval: range(part) };
        Series::unlisted(name, look, Shape::Rows { points: vec![point], shift: 0.0 })
    });
    let said =
        |(part, mean): &(UncertaintyPart, f64)| json!({"name": look(*part).0, "mean": mean, "over": range(part)});
    let view = context! {
        parts => &parts.iter().map(said).collect::<Vec<_>>(),
        unit => unit,
        numbers => &numbers,
        repeated => &averages.within_annotators.is_some(),
    };
    let [title, alt, note] = figure("parts", view)?;
    Ok(Figure {
        name: "parts".to_owned(),
        title,
        alt,
        note,
        width: Width::Full,
        height: AROUND_ROWS + ROW * parts.len() as f64,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers(format!("variance ({unit})"), &[0.0]),
            y: Axis::names("", parts.iter().map(|(part, _)| look(*part).0)),
            series: series.collect(),
        }],
    })
}

//! Figures of what a run answers: agreement by stated confidence, and how narrow further labels make intervals.

use crate::prose::figure;
use judge_uncertainty_core::stats::{Estimable, Interval};
use judge_uncertainty_figures::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::look;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_study::findings::Answer;
use judge_uncertainty_study::findings::plan::PlannedFigure;
use judge_uncertainty_study::findings::trust::Confidence;
use serde_json::json;
use tera::context;

/// Agreement of rows by the confidence that the judge states for them; `None` without an interval.
pub(crate) fn confidence(answer: &Answer) -> Result<Option<Figure>, Error> {
    let Some(Confidence { certain, bins, .. }) = &answer.trust.confidence else { return Ok(None) };
    let unit = certain.map_or(1.0, |certain| 100.0 / certain);
    let share = if answer.classes { 100.0 } else { 1.0 };
    let point = |stated: f64, found: &Estimable| {
        let found = found.estimate()?;
        let interval = Interval { lo: share * found.lo, hi: share * found.hi };
        Some(Point { at: unit * stated, value: share * found.value, interval: Some(interval) })
    };
    let points: Vec<Point> = bins.iter().filter_map(|bin| point(bin.stated, &bin.agreement)).collect();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Ok(None) };
    let view = context! {
        classes => &answer.classes,
        certain => certain,
        first => &[first.at, first.value],
        last => &[last.at, last.value],
    };
    let [title, alt, note] = figure("confidence", view)?;
    let honest = certain.map(|_| {
        let ends = [first.at.min(first.value), last.at.max(last.value)].map(|at| Point::bare(at, at));
        Series::new("as stated", look::TRUTH, Shape::Curve(ends.to_vec()))
    });
    Ok(Some(Figure {
        name: "confidence".to_owned(),
        title,
        alt,
        note,
        width: Width::Half,
        height: 170.0,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers(if certain.is_some() { "stated confidence (%)" } else { "stated confidence" }, &[]),
            y: Axis::numbers(if answer.classes { "agreement with people (%)" } else { "distance from people" }, &[]),
            series: honest
                .into_iter()
                .chain([Series::unlisted("the judge", look::PLAIN, Shape::Columns { points, shift: 0.0 })])
                .collect(),
        }],
    }))
}

/// Half the widths of the intervals of the first rate and of agreement, by the number of further labels; `None` where
/// nothing can be planned.
pub(crate) fn plan(answer: &Answer) -> Result<Option<Figure>, Error> {
    let share = if answer.classes { 100.0 } else { 1.0 };
    let looks = [look::EPISTEMIC, look::ALEATORIC];
    let of = |figure: &PlannedFigure| -> Option<Vec<Point>> {
        let now = Point::bare(0.0, share * figure.now?);
        let after = figure.after.iter().map(|width| Point::bare(width.labels as f64, share * width.half));
        let points: Vec<Point> = std::iter::once(now).chain(after).collect();
        (points.len() > 1).then_some(points)
    };
    // Kappa has another unit.
    let figures = answer.plan.figures.iter().take(looks.len());
    let drawn: Vec<(&PlannedFigure, Vec<Point>)> = figures.filter_map(|figure| Some((figure, of(figure)?))).collect();
    let said = |(figure, _): &(&PlannedFigure, _)| {
        let after: Vec<_> = figure.after.iter().map(|width| (width.labels, figure.text(width.half))).collect();
        json!({"what": figure.what, "now": figure.now.map(|now| figure.text(now)), "after": after})
    };
    if drawn.is_empty() {
        return Ok(None);
    }
    let said: Vec<_> = drawn.iter().map(said).collect();
    let [title, alt, note] = figure("plan", context! { drawn => &said })?;
    Ok(Some(Figure {
        name: "plan".to_owned(),
        title,
        alt,
        note,
        width: Width::Half,
        height: 170.0,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers("further labels", &[0.0]),
            y: Axis::numbers(if answer.classes { "± (points)" } else { "± (units of the scale)" }, &[0.0]),
            series: drawn
                .into_iter()
                .zip(looks)
                .map(|((figure, points), look)| Series::new(figure.what.as_str(), look, Shape::Curve(points)))
                .collect(),
        }],
    }))
}

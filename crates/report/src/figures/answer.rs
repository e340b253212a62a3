//! Figures of what a run answers: agreement by stated confidence, and how narrow further labels make intervals.

use super::number;
use judge_uncertainty_core::stats::{Estimable, Interval};
use judge_uncertainty_figures::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::look;
use judge_uncertainty_study::findings::Answer;
use judge_uncertainty_study::findings::plan::PlannedFigure;
use judge_uncertainty_study::findings::trust::Confidence;

/// Agreement of rows by the confidence that the judge states for them; `None` without an interval.
pub(crate) fn confidence(answer: &Answer) -> Option<Figure> {
    let Confidence { certain, bins, .. } = answer.trust.confidence.as_ref()?;
    let unit = certain.map_or(1.0, |certain| 100.0 / certain);
    let share = if answer.classes { 100.0 } else { 1.0 };
    let point = |stated: f64, found: &Estimable| {
        let found = found.estimate()?;
        let interval = Interval { lo: share * found.lo, hi: share * found.hi };
        Some(Point { at: unit * stated, value: share * found.value, interval: Some(interval) })
    };
    let points: Vec<Point> = bins.iter().filter_map(|bin| point(bin.stated, &bin.agreement)).collect();
    let (first, last) = (points.first()?, points.last()?);
    let (what, says) = match answer.classes {
        true => ("agreement with people (%)", "agrees with people in"),
        false => ("distance from people", "is from people by"),
    };
    let in_percent = if answer.classes { "%" } else { "" };
    let end = |point: &Point| {
        let [stated, found] = [point.at, point.value].map(number);
        format!("where it states {stated} on average it {says} {found}{in_percent}")
    };
    let honest = certain.map(|_| {
        let ends = [first.at.min(first.value), last.at.max(last.value)].map(|at| Point::bare(at, at));
        Series::new("as stated", look::TRUTH, Shape::Curve(ends.to_vec()))
    });
    let below =
        if certain.is_some() { " Below the dotted line the judge is less often right than it says." } else { "" };
    Some(Figure {
        name: "confidence".to_owned(),
        title: "Is the judge's confidence honest?".to_owned(),
        alt: format!("The judge's stated confidence against people: {}; {}.", end(first), end(last)),
        note: format!(
            "Each dot is a fifth of the items by stated confidence, or one value of it. Bars hold together: all of them \
             contain the truth with probability 95%.{below}"
        ),
        width: Width::Half,
        height: 170.0,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers(if certain.is_some() { "stated confidence (%)" } else { "stated confidence" }, &[]),
            y: Axis::numbers(what, &[]),
            series: honest
                .into_iter()
                .chain([Series::unlisted("the judge", look::PLAIN, Shape::Columns { points, shift: 0.0 })])
                .collect(),
        }],
    })
}

/// Half the widths of the intervals of the first rate and of agreement, by the number of further labels; `None` where
/// nothing can be planned.
pub(crate) fn plan(answer: &Answer) -> Option<Figure> {
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
    let said: Vec<String> = drawn.iter().map(|(figure, _)| said(figure)).collect();
    (!drawn.is_empty()).then(|| Figure {
        name: "plan".to_owned(),
        title: "How narrow do further labels make the intervals?".to_owned(),
        alt: format!("Half the width of intervals against further labels. {}", said.join(" ")),
        note:
            "Half the width of the 95% interval if the next labels are of items drawn like the labelled ones. At the \
               right end every item is labelled."
                .to_owned(),
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
    })
}

/// Its widths in a sentence.
fn said(figure: &PlannedFigure) -> String {
    let text = |half: Option<f64>| half.map_or_else(String::new, |half| figure.text(half));
    let after = figure.after.iter().map(|width| format!("{} with {} more", figure.text(width.half), width.labels));
    let after: Vec<String> = after.collect();
    format!("{}: {} now, {}.", figure.what, text(figure.now), after.join(", "))
}

//! Registered hypotheses with the intervals that they are judged by, as a forest plots.

use super::{AROUND_ROWS, ROW, number};
use judge_uncertainty_figures::Look;
use judge_uncertainty_figures::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::{capital, counted, listed};
use judge_uncertainty_page::look;
use judge_uncertainty_study::registration::hypothesis::{JudgedHypothesis, Measure, Status};
use judge_uncertainty_study::registration::registered::Registered;

/// Start of the figures' names.
pub(crate) const NAME: &str = "hypotheses";
/// Hypotheses about one measure that a figure has room for.
const MOST_ROWS: usize = 30;

/// Name of a figure, and what its differences are in.
fn names(measure: Measure) -> (&'static str, &'static str) {
    match measure {
        Measure::Value => ("value", "error removed"),
        Measure::SquaredValue => ("squared-value", "squared error removed"),
        Measure::SelectiveError => ("selective-error", "error of the others"),
        Measure::SelectiveSquaredError => ("selective-squared-error", "squared error of the others"),
    }
}

fn look(status: Status) -> Look {
    match status {
        Status::Confirmed => look::CONFIRMED,
        Status::Refuted => look::REFUTED,
        _ => look::INCONCLUSIVE,
    }
}

/// One figure for each measure with hypotheses that have an interval.
pub(crate) fn figures(registered: &Registered) -> Vec<Figure> {
    Measure::ALL.into_iter().filter_map(|measure| figure(registered, measure)).collect()
}

fn figure(registered: &Registered, measure: Measure) -> Option<Figure> {
    let own: Vec<&JudgedHypothesis> =
        registered.hypotheses.iter().filter(|h| h.hypothesis.measure == measure).collect();
    let drawn = own.iter().copied().filter(|h| h.adjusted.is_some());
    let shown: Vec<&JudgedHypothesis> = drawn.take(MOST_ROWS).collect();
    if shown.is_empty() {
        return None;
    }
    let counts = Status::ALL.into_iter().filter_map(|status| {
        let count = shown.iter().filter(|h| h.status == status).count();
        (count > 0).then(|| format!("{count} {}", status.word()))
    });
    let sentence = |h: &&JudgedHypothesis| {
        let adjusted = h.adjusted.map_or(String::new(), |ends| format!(" [{}, {}]", number(ends.lo), number(ends.hi)));
        let (difference, margin) = (h.difference.map_or(String::new(), number), number(h.hypothesis.margin));
        format!("{} {difference}{adjusted} against {margin}", h.hypothesis.id)
    };
    let (name, unit) = names(measure);
    Some(Figure {
        name: format!("{NAME}-{name}"),
        title: format!("Registered hypotheses about the {unit}"),
        alt: format!(
            "Forest plot of registered hypotheses: {}. {}.",
            listed(&counts.collect::<Vec<_>>()),
            shown.iter().map(sentence).collect::<Vec<_>>().join("; "),
        ),
        note: format!(
            "Paired differences of the two rules of each hypothesis, signed so that positive favours the one said to \
             be better. Bars are the intervals adjusted for the whole family of {} (those for new items hold together \
             with probability {}). A hypothesis is confirmed if its bar lies wholly right of its margin (the cross), \
             refuted if wholly left, and otherwise inconclusive.{}",
            registered.family,
            registered.level,
            match own.len() - shown.len() {
                0 => String::new(),
                n => format!(
                    " {} without an interval or without room here: see the table.",
                    capital(&counted(n, "other"))
                ),
            }
        ),
        width: Width::Full,
        height: AROUND_ROWS + ROW + ROW * shown.len() as f64,
        panels: vec![panel(unit, &shown)],
    })
}

fn panel(unit: &str, hypotheses: &[&JudgedHypothesis]) -> Panel {
    let rows = |points: Vec<Point>| Shape::Rows { points, shift: 0.0 };
    let of = |status: Status| {
        let own = hypotheses.iter().enumerate().filter(|(_, h)| h.status == status);
        let points: Vec<Point> =
            own.filter_map(|(k, h)| Some(Point { at: k as f64, value: h.difference?, interval: h.adjusted })).collect();
        (!points.is_empty()).then(|| Series::new(status.word(), look(status), rows(points)))
    };
    let margins = hypotheses.iter().enumerate().map(|(k, h)| Point::bare(k as f64, h.hypothesis.margin)).collect();
    Panel {
        title: None,
        x: Axis::numbers(format!("difference in {unit}"), &[]),
        y: Axis::names("", hypotheses.iter().map(|h| h.hypothesis.id.as_str())),
        series: std::iter::once(Series::unlisted("no difference", look::NOTHING, Shape::Upright(0.0)))
            .chain(Status::ALL.into_iter().filter_map(of))
            .chain([Series::new("margin", look::BOUND, rows(margins))])
            .collect(),
    }
}

//! Registered hypotheses with the intervals that they are judged by, as a forest plot.

use super::{AROUND_ROWS, ROW, number};
use crate::report::figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use crate::report::figures::look::Look;
use crate::report::figures::shared::{capital, counted, listed};
use crate::study::hypothesis::{JudgedHypothesis, Measure, Status};
use crate::study::registered::Registered;

/// Hypotheses about one measure that a panel has room for.
const MOST_ROWS: usize = 30;

fn title(measure: Measure) -> &'static str {
    match measure {
        Measure::Value => "error removed",
        Measure::SelectiveError => "error of the others",
        Measure::SelectiveSquaredError => "squared error, others",
    }
}

fn look(status: Status) -> (&'static str, Look) {
    match status {
        Status::Confirmed => ("confirmed", Look::CONFIRMED),
        Status::Refuted => ("refuted", Look::REFUTED),
        Status::Inconclusive => ("inconclusive", Look::INCONCLUSIVE),
    }
}

/// One panel for each measure with hypotheses that have an interval; `None` without any.
pub fn figure(registered: &Registered) -> Option<Figure> {
    let drawn = |measure: Measure| -> Vec<&JudgedHypothesis> {
        let all = registered.hypotheses.iter().filter(|h| h.hypothesis.measure == measure && h.adjusted.is_some());
        all.take(MOST_ROWS).collect()
    };
    let groups: Vec<(Measure, Vec<&JudgedHypothesis>)> =
        [Measure::Value, Measure::SelectiveError, Measure::SelectiveSquaredError]
            .into_iter()
            .map(|measure| (measure, drawn(measure)))
            .filter(|(_, hypotheses)| !hypotheses.is_empty())
            .collect();
    let most = groups.iter().map(|(_, hypotheses)| hypotheses.len()).max()?;
    let shown: Vec<&JudgedHypothesis> = groups.iter().flat_map(|(_, hypotheses)| hypotheses.iter().copied()).collect();
    let statuses = [Status::Confirmed, Status::Refuted, Status::Inconclusive];
    let counts: Vec<String> = statuses
        .into_iter()
        .map(|status| format!("{} {}", shown.iter().filter(|h| h.status == status).count(), look(status).0))
        .collect();
    let sentence = |h: &&JudgedHypothesis| {
        let (difference, [low, high]) = (h.difference.unwrap_or(f64::NAN), h.adjusted.unwrap_or([f64::NAN; 2]));
        let margin = number(h.hypothesis.margin);
        format!("{} {} [{}, {}] against {margin}", h.hypothesis.id, number(difference), number(low), number(high))
    };
    let left_out = registered.hypotheses.len() - shown.len();
    Some(Figure {
        name: "hypotheses".to_owned(),
        title: "Registered hypotheses".to_owned(),
        alt: format!(
            "Forest plot of registered hypotheses: {}. {}.",
            listed(&counts),
            shown.iter().map(sentence).collect::<Vec<_>>().join("; "),
        ),
        note: format!(
            "Paired differences of the two rules of each hypothesis, signed so that positive favours the one said to be \
             better. Bars are the intervals adjusted for the whole family of {} (together they hold with probability {}). \
             A hypothesis is confirmed if its bar lies wholly right of its margin (the cross), refuted if wholly left, \
             and otherwise inconclusive.{}",
            registered.family,
            registered.level,
            match left_out {
                0 => String::new(),
                n => format!(
                    " {} without an interval or without room here: see the table.",
                    capital(&counted(n, "other"))
                ),
            }
        ),
        width: Width::Full,
        height: AROUND_ROWS + 2.0 * ROW + ROW * most as f64,
        panels: groups.iter().map(|(measure, hypotheses)| panel(*measure, hypotheses)).collect(),
    })
}

fn panel(measure: Measure, hypotheses: &[&JudgedHypothesis]) -> Panel {
    let rows = |points: Vec<Point>| Shape::Rows { points, shift: 0.0 };
    let of = |status: Status| {
        let own = hypotheses.iter().enumerate().filter(|(_, h)| h.status == status);
        let points: Vec<Point> =
            own.filter_map(|(k, h)| Some(Point { at: k as f64, value: h.difference?, interval: h.adjusted })).collect();
        let (label, look) = look(status);
        (!points.is_empty()).then(|| Series::new(label, look, rows(points)))
    };
    let margins = hypotheses.iter().enumerate().map(|(k, h)| Point::bare(k as f64, h.hypothesis.margin)).collect();
    let estimates = [Status::Confirmed, Status::Refuted, Status::Inconclusive].into_iter().filter_map(of);
    Panel {
        title: Some(title(measure).to_owned()),
        x: Axis::numbers("difference", &[]),
        y: Axis::names("", hypotheses.iter().map(|h| h.hypothesis.id.as_str())),
        series: std::iter::once(Series::unlisted("no difference", Look::NOTHING, Shape::Upright(0.0)))
            .chain(estimates)
            .chain([Series::new("margin", Look::BOUND, rows(margins))])
            .collect(),
    }
}

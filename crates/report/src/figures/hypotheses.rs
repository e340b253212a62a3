//! Registered hypotheses with the intervals that they are judged by, as a forest plots.

use super::{AROUND_ROWS, ROW, number};
use judge_uncertainty_figures::{Axis, Figure, Look, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::{capital, counted, listed};
use judge_uncertainty_page::look;
use judge_uncertainty_study::registration::hypothesis::{About, JudgedHypothesis, Measure, Status};
use judge_uncertainty_study::registration::registered::Registered;

/// Start of the figures' names.
pub(crate) const NAME: &str = "hypotheses";
/// Hypotheses about one measure that a figure has room for.
const MOST_ROWS: usize = 30;
/// Ends of the names of figures that are not about rules.
const JUDGE: &str = "judge";
const SHARE: &str = "share";

/// Name of the figure of what a hypothesis is about, and what its numbers are.
pub(crate) fn measured(about: &About) -> (&'static str, &'static str) {
    match about {
        About::Rules(of) => match of.measure {
            Measure::Value => ("value", "error removed"),
            Measure::SquaredValue => ("squared-value", "squared error removed"),
            Measure::SelectiveError => ("selective-error", "error of the others"),
            Measure::SelectiveSquaredError => ("selective-squared-error", "squared error of the others"),
        },
        About::Judge(_) => (JUDGE, "log score"),
        About::Share { .. } => (SHARE, "share"),
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
    const NAMES: [&str; 6] = ["value", "squared-value", "selective-error", "selective-squared-error", JUDGE, SHARE];
    NAMES.into_iter().filter_map(|name| figure(registered, name)).collect()
}

fn figure(registered: &Registered, name: &str) -> Option<Figure> {
    let of_name = |h: &&JudgedHypothesis| measured(&h.hypothesis.about).0 == name;
    let own: Vec<&JudgedHypothesis> = registered.hypotheses.iter().filter(of_name).collect();
    let drawn = own.iter().copied().filter(|h| h.adjusted.is_some());
    let shown: Vec<&JudgedHypothesis> = drawn.take(MOST_ROWS).collect();
    if shown.is_empty() {
        return None;
    }
    let counts = by_word(&shown).into_iter().map(|(word, _, places)| format!("{} {word}", places.len()));
    let sentence = |h: &&JudgedHypothesis| {
        let adjusted = h.adjusted.map_or(String::new(), |ends| format!(" [{}, {}]", number(ends.lo), number(ends.hi)));
        let (difference, ends) = (h.difference.map_or(String::new(), number), ends(h).map(number).collect::<Vec<_>>());
        format!("{} {difference}{adjusted} against {}", h.hypothesis.id, ends.join(" to "))
    };
    let unit = measured(&own[0].hypothesis.about).1;
    let what = match name {
        SHARE => "Shares of all items",
        JUDGE => {
            "Paired differences of the two judges of each hypothesis, signed so that positive favours the study's own"
        }
        _ => {
            "Paired differences of the two rules of each hypothesis, signed so that positive favours the one said to \
             be better"
        }
    };
    Some(Figure {
        name: format!("{NAME}-{name}"),
        title: format!("Registered hypotheses about the {unit}"),
        alt: format!(
            "Forest plot of registered hypotheses: {}. {}.",
            listed(&counts.collect::<Vec<_>>()),
            shown.iter().map(sentence).collect::<Vec<_>>().join("; "),
        ),
        note: format!(
            "{what}. Bars are the intervals adjusted for the whole family of {} (those for new items hold together \
             with probability {}). A hypothesis is confirmed if its bar lies wholly {}, and otherwise inconclusive.{}",
            registered.family,
            registered.level,
            match name {
                SHARE => "on the claimed side of its crosses or between two, refuted if wholly elsewhere",
                _ => "right of its margin (the cross), refuted if wholly left",
            },
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
        panels: vec![panel(name, &shown)],
    })
}

/// The words for how hypotheses fared, in the order of [`Status::ALL`], and the places of those of which they are said.
fn by_word(hypotheses: &[&JudgedHypothesis]) -> Vec<(String, Status, Vec<usize>)> {
    let mut found: Vec<(String, Status, Vec<usize>)> = vec![];
    for status in Status::ALL {
        for (k, judged) in hypotheses.iter().enumerate().filter(|(_, judged)| judged.status == status) {
            let word = judged.word();
            match found.iter_mut().find(|(known, ..)| *known == word) {
                Some((.., places)) => places.push(k),
                None => found.push((word, status, vec![k])),
            }
        }
    }
    found
}

/// The ends of what a hypothesis claims.
fn ends(judged: &JudgedHypothesis) -> impl Iterator<Item = f64> {
    <[f64; 2]>::from(judged.hypothesis.claim).into_iter().filter(|end| end.is_finite())
}

fn panel(name: &str, hypotheses: &[&JudgedHypothesis]) -> Panel {
    let rows = |points: Vec<Point>| Shape::Rows { points, shift: 0.0 };
    let of = |(word, status, places): (String, Status, Vec<usize>)| {
        let point = |k: usize| {
            let h = hypotheses[k];
            Some(Point { at: k as f64, value: h.difference?, interval: h.adjusted })
        };
        let points: Vec<Point> = places.into_iter().filter_map(point).collect();
        (!points.is_empty()).then(|| Series::new(word, look(status), rows(points)))
    };
    let margins = hypotheses.iter().enumerate().flat_map(|(k, h)| ends(h).map(move |end| Point::bare(k as f64, end)));
    let unit = measured(&hypotheses[0].hypothesis.about).1;
    let (axis, nothing, margin) = match name {
        SHARE => ("share of all items".to_owned(), None, "claim"),
        _ => {
            let nothing = Series::unlisted("no difference", look::NOTHING, Shape::Upright(0.0));
            (format!("difference in {unit}"), Some(nothing), "margin")
        }
    };
    Panel {
        title: None,
        x: Axis::numbers(axis, &[]),
        y: Axis::names("", hypotheses.iter().map(|h| h.hypothesis.id.as_str())),
        series: nothing
            .into_iter()
            .chain(by_word(hypotheses).into_iter().filter_map(of))
            .chain([Series::new(margin, look::BOUND, rows(margins.collect()))])
            .collect(),
    }
}

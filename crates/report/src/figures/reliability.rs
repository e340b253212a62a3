//! What the belief makes of the judge's predictions: both against labels that neither has seen, class by class and
//! group by group.

use super::{AROUND_ROWS, ROW, number};
use judge_uncertainty_core::stats::{Estimable, Interval};
use judge_uncertainty_figures::{Axis, Figure, Look, Panel, Point, Series, Shape, Width, font};
use judge_uncertainty_page::figures::listed;
use judge_uncertainty_page::look;
use judge_uncertainty_study::evaluate::reliability::{Reliability, ReliabilityReport, Reliable};

/// Start of the figures' names.
pub(crate) const NAME: &str = "reliability";
/// Panels that stand side by side; further classes have a figure of their own.
const MOST_PANELS: usize = 4;
/// Room for the heading of a panel, in points, and the size that it is set in.
const HEADING: (f64, f64) = (80.0, 8.5);
/// How far the belief's marker stands below the judge's, in rows.
const APART: f64 = 0.16;
/// How far the axis of predictions goes beyond the largest, as a share of its length.
const END: f64 = 0.08;

/// What a side is called, how it looks and where it is.
type ReliabilitySide = (&'static str, Look, fn(&Reliability) -> &Reliable);

const SIDES: [ReliabilitySide; 2] = [
    ("the judge", look::PUBLISHED, |one| &one.judge),
    ("the belief before labels", look::RECALIBRATED, |one| &one.belief),
];

/// The curves over all items, and where there are groups what is off in each of them.
pub(crate) fn figures(report: &ReliabilityReport, map: Option<&str>) -> Vec<Figure> {
    let overall: Vec<&Reliability> = report.overall().collect();
    let parts = || overall.chunks(MOST_PANELS).enumerate();
    let name = |stem: &str, part: usize| if part == 0 { stem.to_owned() } else { format!("{stem}-{}", part + 1) };
    let curves = parts().filter_map(|(part, shown)| curves(name(NAME, part), report, shown, map));
    let by_group = parts().filter_map(|(part, shown)| groups(name("reliability-groups", part), report, shown));
    curves.chain(by_group).collect()
}

fn heading(one: &Reliability) -> Option<String> {
    let (wide, size) = HEADING;
    Some(font::fitted(&one.name(), size, wide))
}

fn estimated(at: f64, found: &Estimable) -> Option<Point> {
    found.estimate().map(|found| Point {
        at,
        value: found.value,
        interval: Some(Interval { lo: found.lo, hi: found.hi }),
    })
}

/// What is left out and why, if anything.
fn left_out(classes: usize, groups: usize) -> String {
    let of = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let parts: Vec<String> =
        [of(classes, "rarer classes"), of(groups, "smaller groups")].into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(" Left out: {}.", listed(&parts)) }
}

fn curves(name: String, report: &ReliabilityReport, shown: &[&Reliability], map: Option<&str>) -> Option<Figure> {
    let points = |of: &Reliable| -> Vec<Point> {
        of.points.iter().filter_map(|point| estimated(point.predicted, &point.observed)).collect()
    };
    let has_points = |one: &&Reliability| SIDES.iter().any(|(.., of)| !points(of(one)).is_empty());
    let shown: Vec<&Reliability> = shown.iter().copied().filter(has_points).collect();
    if shown.is_empty() {
        return None;
    }
    let panel = |one: &&Reliability| {
        let sides = SIDES.map(|(label, look, of)| (label, look, points(of(one))));
        let ends = sides.iter().flat_map(|(.., points)| points).flat_map(|p| [p.at, p.value]);
        let (low, high) = match one.is_share {
            true => (0.0, 1.0),
            false => (ends.clone().fold(f64::INFINITY, f64::min), ends.fold(f64::NEG_INFINITY, f64::max)),
        };
        // A single point on the line has no extent.
        let high = if high > low { high } else { low + 1.0 };
        let diagonal = Series::new(
            "labels as predicted",
            look::TRUTH,
            Shape::Curve(vec![Point::bare(low, low), Point::bare(high, high)]),
        );
        let drawn = sides.into_iter().filter(|(.., points)| !points.is_empty());
        let drawn = drawn.map(|(label, look, points)| Series::new(label, look, Shape::Columns { points, shift: 0.0 }));
        Panel {
            title: heading(one),
            // Room for the last number, next to which the panel to the right begins.
            x: Axis::numbers("predicted", &[low, high + END * (high - low)]),
            y: Axis::numbers(if one.is_share { "share of labels" } else { "mean of labels" }, &[low, high]),
            series: std::iter::once(diagonal).chain(drawn).collect(),
        }
    };
    let all: usize = shown.iter().flat_map(|one| SIDES.map(|(.., of)| of(one).points.len())).sum();
    let drawn: usize = shown.iter().flat_map(|one| SIDES.map(|(.., of)| points(of(one)).len())).sum();
    let missing = match all - drawn {
        0 => String::new(),
        n => format!(" {n} groups of items whose labels determine no interval are not drawn."),
    };
    let map =
        map.map_or_else(String::new, |map| format!(" With all labels the belief reads the judge by the map {map}."));
    Some(Figure {
        name,
        title: "What the belief makes of the judge's predictions".to_owned(),
        alt: format!("Reliability curves over {} items. {}", shown[0].items, sentences(&shown)),
        note: format!(
            "Each marker is a group of items with similar predictions, the judge's or those of the belief before it \
             knows the item's labels, fitted to the labels of other items; its height is what their labels say, with a \
             95% interval for new items, the fit taken as given. On the dotted line labels come as predicted; markers \
             that stand nearer together from left to right than the judge's are predictions drawn towards each \
             other.{map}{missing}{}",
            left_out(report.classes_left_out, 0)
        ),
        width: Width::Full,
        height: 170.0,
        panels: shown.iter().map(panel).collect(),
    })
}

/// How far labels lie above predictions, quantity by quantity.
fn sentences(shown: &[&Reliability]) -> String {
    let gap = |found: &Estimable| {
        found.estimate().map_or_else(
            || "not estimable".to_owned(),
            |e| format!("{} [{}, {}]", number(e.value), number(e.lo), number(e.hi)),
        )
    };
    let of = |one: &&Reliability| {
        format!(
            "Labels lie above the judge's {} by {} and above the belief's by {}.",
            one.name(),
            gap(&one.judge.labels_above),
            gap(&one.belief.labels_above)
        )
    };
    shown.iter().map(of).collect::<Vec<_>>().join(" ")
}

fn groups(name: String, report: &ReliabilityReport, shown: &[&Reliability]) -> Option<Figure> {
    let of_groups: Vec<&Reliability> = report.of.iter().filter(|one| one.group.is_some()).collect();
    let mut names: Vec<&str> = of_groups.iter().filter_map(|one| one.group.as_deref()).collect();
    names.dedup();
    let known = |one: &&&Reliability| SIDES.iter().any(|(.., of)| of(one).labels_above.estimate().is_some());
    let drawn: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| of_groups.iter().filter(|one| one.group.as_deref() == Some(*name)).any(|one| known(&one)))
        .collect();
    if drawn.is_empty() {
        return None;
    }
    let panel = |quantity: &&Reliability| {
        let rows = |of: fn(&Reliability) -> &Reliable| -> Vec<Point> {
            let own = of_groups.iter().filter(|one| one.quantity == quantity.quantity);
            let point = |one: &&Reliability| {
                let at = drawn.iter().position(|name| one.group.as_deref() == Some(*name))?;
                estimated(at as f64, &of(one).labels_above)
            };
            own.filter_map(point).collect()
        };
        let sides = SIDES
            .iter()
            .zip([-APART, APART])
            .map(|((label, look, of), shift)| Series::new(*label, *look, Shape::Rows { points: rows(*of), shift }));
        Panel {
            title: heading(quantity),
            x: Axis::numbers("labels less predicted", &[0.0]),
            y: Axis::names("", drawn.iter().copied()),
            series: std::iter::once(Series::unlisted("as predicted", look::NOTHING, Shape::Upright(0.0)))
                .chain(sides)
                .collect(),
        }
    };
    let clear = |of: fn(&Reliability) -> &Reliable| {
        let own = of_groups.iter().filter(|one| shown.iter().any(|shown| shown.quantity == one.quantity));
        own.filter_map(|one| of(one).labels_above.estimate()).filter(|e| e.lo > 0.0 || e.hi < 0.0).count()
    };
    let unknown: Vec<String> =
        names.iter().filter(|name| !drawn.contains(name)).map(|name| (*name).to_owned()).collect();
    let unknown = match unknown.len() {
        0 => String::new(),
        1..=5 => format!(" Not estimable, with fewer than 20 labelled items: {}.", listed(&unknown)),
        n => format!(" {n} groups with fewer than 20 labelled items are not estimable."),
    };
    Some(Figure {
        name,
        title: "What the belief makes of the judge's predictions, by group".to_owned(),
        alt: format!(
            "Dot plot of {} groups, labels less predictions. Of its intervals {} leave out 0 for the judge and {} for \
             the belief.",
            drawn.len(),
            clear(SIDES[0].2),
            clear(SIDES[1].2)
        ),
        note: format!(
            "Mean over the items of a group of what their labels say less what was predicted, by the judge and by the \
             belief before it knows the item's labels, fitted to the labels of other items; bars are 95% intervals for \
             new items, the fit taken as given. Right of 0 the prediction is too low.{unknown}{}",
            left_out(report.classes_left_out, report.groups_left_out)
        ),
        width: Width::Full,
        height: AROUND_ROWS + 2.0 * ROW + 1.3 * ROW * drawn.len() as f64,
        panels: shown.iter().map(panel).collect(),
    })
}

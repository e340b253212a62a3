//! The data of a figure as one table, for those who draw it anew.

use super::description::{Axis, Figure, Panel, Point, Series, Shape};
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_system::formula::csv_text;
use judge_uncertainty_system::numbers::trimmed;

/// Decimals of a number: more than any figure shows.
const DECIMALS: u8 = 6;

/// Columns: panel (its heading, or its number), series, x, y, and the ends of the interval of the estimated coordinate
/// (empty without an interval). A series that several panels show is listed once, under the first. On an axis of names,
/// a coordinate is the name. The value of a heat map's cell is in `value`.
pub fn render(figure: &Figure) -> String {
    let mut rows = vec![["panel", "series", "x", "y", "lo", "hi", "value"].map(str::to_owned).to_vec()];
    for (k, panel) in figure.panels.iter().enumerate() {
        let heading = panel.title.clone().unwrap_or_else(|| (k + 1).to_string());
        let earlier = &figure.panels[..k];
        for series in panel.series.iter().filter(|s| !earlier.iter().any(|p| p.series.contains(s))) {
            for [x, y, lo, hi, value] in records(panel, series) {
                rows.push(vec![heading.clone(), series.label.clone(), x, y, lo, hi, value]);
            }
        }
    }
    String::from_utf8(csv_text(rows)).expect("all fields are text")
}

fn number(value: f64) -> String {
    trimmed(value, DECIMALS)
}

fn place(axis: &Axis, at: f64) -> String {
    axis.name(at).map_or_else(|| number(at), str::to_owned)
}

/// x, y, lo, hi, value.
fn records(panel: &Panel, series: &Series) -> Vec<[String; 5]> {
    let none = String::new;
    let interval = |p: &Point| p.interval.map_or([none(), none()], |Interval { lo, hi }| [lo, hi].map(number));
    match &series.shape {
        Shape::Curve(points) | Shape::Columns { points, .. } => points
            .iter()
            .map(|p| {
                let [lo, hi] = interval(p);
                [place(&panel.x, p.at), number(p.value), lo, hi, none()]
            })
            .collect(),
        Shape::Rows { points, .. } | Shape::Spans { points, .. } => points
            .iter()
            .map(|p| {
                let [lo, hi] = interval(p);
                [number(p.value), place(&panel.y, p.at), lo, hi, none()]
            })
            .collect(),
        Shape::Cloud(points) => points.iter().map(|[x, y]| [number(*x), number(*y), none(), none(), none()]).collect(),
        Shape::Level(y) => vec![[none(), number(*y), none(), none(), none()]],
        Shape::Upright(x) => vec![[number(*x), none(), none(), none(), none()]],
        Shape::Cells(values) => values
            .iter()
            .enumerate()
            .flat_map(|(row, line)| {
                line.iter().enumerate().map(move |(column, value)| {
                    let (x, y) = (place(&panel.x, column as f64), place(&panel.y, row as f64));
                    [x, y, none(), none(), number(*value)]
                })
            })
            .collect(),
    }
}

//! Drawing the data of a series into a panel, and a sample of it into the legend.

use std::collections::BTreeSet;

use super::axis::{Area, signed};
use super::description::{Point, Series, Shape};
use super::font::{self, Weight};
use super::look::{Colour, Look, Marker};
use super::scene::{Paint, Piece, Scene};
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_system::numbers::NumberStyle;

/// Widths of lines, in points.
const CURVE: f64 = 1.1;
const WHISKER: f64 = 0.8;
const SPAN: f64 = 1.8;
const OUTLINE: f64 = 0.8;
const BAND_OPACITY: f64 = 0.16;
/// Radius of a marker on a curve or of an estimate, and in a cloud.
const MARKER: f64 = 2.1;
const CLOUD_MARKER: f64 = 1.5;
const DOT: f64 = 0.7;
/// Size of the number in a cell.
const CELL_TEXT: f64 = 7.0;

/// Draws a series.
pub fn draw(scene: &mut Scene, series: &Series, area: &Area) {
    let look = series.look;
    match &series.shape {
        Shape::Curve(points) => {
            band(scene, points, look, area);
            let places: Vec<[f64; 2]> = points.iter().map(|p| [area.x(p.at), area.y(p.value)]).collect();
            polyline(scene, &places, look);
            markers(scene, &places, look, MARKER);
        }
        Shape::Columns { points, shift } => {
            let whiskers = points.iter().filter_map(|p| {
                let x = area.x(p.at + shift);
                p.interval.map(|Interval { lo, hi }| [[x, area.y(lo)], [x, area.y(hi)]])
            });
            draw_whiskers(scene, whiskers, look, WHISKER);
            let places: Vec<_> = points.iter().map(|p| [area.x(p.at + shift), area.y(p.value)]).collect();
            markers(scene, &places, look, MARKER);
        }
        Shape::Rows { points, shift } => {
            draw_whiskers(scene, level_whiskers(points, *shift, area), look, WHISKER);
            let places: Vec<_> = points.iter().map(|p| [area.x(p.value), area.y(p.at + shift)]).collect();
            markers(scene, &places, look, MARKER);
        }
        Shape::Spans { points, shift } => draw_whiskers(scene, level_whiskers(points, *shift, area), look, SPAN),
        Shape::Cloud(points) => {
            let places: Vec<_> = points.iter().map(|[x, y]| [area.x(*x), area.y(*y)]).collect();
            markers(scene, &places, look, CLOUD_MARKER);
        }
        Shape::Level(value) => {
            let y = area.y(*value);
            scene.line([area.left, y], [area.right, y], line(look));
        }
        Shape::Upright(value) => {
            let x = area.x(*value);
            scene.line([x, area.top], [x, area.bottom], line(look));
        }
        Shape::Cells(values) => cells(scene, values, area),
    }
}

/// Draws what the legend shows of a series, centred at a height.
pub fn sample(scene: &mut Scene, series: &Series, [x, y]: [f64; 2], wide: f64) {
    let look = series.look;
    let middle = [[x + wide / 2.0, y]];
    match &series.shape {
        Shape::Curve(points) => {
            if points.iter().any(|p| p.interval.is_some()) {
                let tint = Paint::fill(look.colour, BAND_OPACITY);
                scene.rectangle([x, y - 3.0], [x + wide, y + 3.0], tint);
            }
            polyline(scene, &[[x, y], [x + wide, y]], look);
            markers(scene, &middle, look, MARKER);
        }
        Shape::Level(_) | Shape::Upright(_) => polyline(scene, &[[x, y], [x + wide, y]], look),
        Shape::Columns { points, .. } | Shape::Rows { points, .. } => {
            if points.iter().any(|p| p.interval.is_some()) {
                let half = 0.35 * wide;
                draw_whiskers(scene, [[[middle[0][0] - half, y], [middle[0][0] + half, y]]].into_iter(), look, WHISKER);
            }
            markers(scene, &middle, look, MARKER);
        }
        Shape::Spans { .. } => draw_whiskers(scene, [[[x, y], [x + wide, y]]].into_iter(), look, SPAN),
        Shape::Cloud(_) if look.marker == Marker::Dot => {
            let some = [[-0.25, 1.0], [0.0, -1.0], [0.25, 0.5]].map(|[dx, dy]| [middle[0][0] + dx * wide, y + dy]);
            markers(scene, &some, look, CLOUD_MARKER);
        }
        Shape::Cloud(_) => markers(scene, &middle, look, MARKER),
        Shape::Cells(_) => {}
    }
}

fn line(look: Look) -> Paint {
    Paint::stroke(look.colour, CURVE, look.dash.pattern())
}

fn polyline(scene: &mut Scene, places: &[[f64; 2]], look: Look) {
    let pieces = places.iter().enumerate().map(|(k, [x, y])| match k {
        0 => Piece::Move(*x, *y),
        _ => Piece::Line(*x, *y),
    });
    scene.path(pieces.collect(), line(look));
}

fn band(scene: &mut Scene, points: &[Point], look: Look, area: &Area) {
    let with: Vec<(f64, Interval)> = points.iter().filter_map(|p| Some((area.x(p.at), p.interval?))).collect();
    let upper = with.iter().map(|(x, interval)| (*x, area.y(interval.hi)));
    let lower = with.iter().rev().map(|(x, interval)| (*x, area.y(interval.lo)));
    let mut pieces: Vec<Piece> = upper
        .chain(lower)
        .enumerate()
        .map(|(k, (x, y))| if k == 0 { Piece::Move(x, y) } else { Piece::Line(x, y) })
        .collect();
    if !pieces.is_empty() {
        pieces.push(Piece::Close);
    }
    scene.path(pieces, Paint::fill(look.colour, BAND_OPACITY));
}

/// Ends of horizontal intervals on the page.
fn level_whiskers(points: &[Point], shift: f64, area: &Area) -> impl Iterator<Item = [[f64; 2]; 2]> {
    points.iter().filter_map(move |p| {
        let y = area.y(p.at + shift);
        p.interval.map(|Interval { lo, hi }| [[area.x(lo), y], [area.x(hi), y]])
    })
}

fn draw_whiskers(scene: &mut Scene, ends: impl Iterator<Item = [[f64; 2]; 2]>, look: Look, wide: f64) {
    let pieces = ends.flat_map(|[[x0, y0], [x1, y1]]| [Piece::Move(x0, y0), Piece::Line(x1, y1)]);
    scene.path(pieces.collect(), Paint::stroke(look.colour, wide, &[]));
}

/// All markers of a series as one outline.
fn markers(scene: &mut Scene, places: &[[f64; 2]], look: Look, r: f64) {
    let outline = |[x, y]: [f64; 2]| -> Vec<Piece> {
        let corners = |corners: &[(f64, f64)]| -> Vec<Piece> {
            let mut pieces: Vec<Piece> = corners
                .iter()
                .enumerate()
                .map(|(k, (dx, dy))| {
                    let (x, y) = (x + r * dx, y + r * dy);
                    if k == 0 { Piece::Move(x, y) } else { Piece::Line(x, y) }
                })
                .collect();
            pieces.push(Piece::Close);
            pieces
        };
        match look.marker {
            Marker::None => vec![],
            Marker::Dot => vec![Piece::Move(x, y), Piece::Line(x, y)],
            Marker::Circle => vec![Piece::Circle(x, y, 1.7 * r)],
            Marker::Disc | Marker::Ring => vec![Piece::Circle(x, y, r)],
            Marker::Square | Marker::OpenSquare => corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Marker::Triangle => corners(&[(0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)]),
            Marker::OpenTriangle => corners(&[(0.0, 1.2), (1.15, -0.85), (-1.15, -0.85)]),
            Marker::OpenDiamond => corners(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
            Marker::Cross => vec![
                Piece::Move(x - r, y - r),
                Piece::Line(x + r, y + r),
                Piece::Move(x - r, y + r),
                Piece::Line(x + r, y - r),
            ],
        }
    };
    let once: Vec<[f64; 2]>;
    let places = match look.marker {
        Marker::Dot => {
            once = without_coverers(places);
            &once
        }
        _ => places,
    };
    let pieces: Vec<Piece> = places.iter().flat_map(|place| outline(*place)).collect();
    let paint = match look.marker {
        Marker::Dot => Paint { round: true, ..Paint::stroke(look.colour, 2.0 * DOT, &[]) },
        Marker::Disc | Marker::Square | Marker::Triangle => {
            Paint { stroke: Some((look.colour, OUTLINE)), ..Paint::fill(look.colour, 1.0) }
        }
        Marker::Cross | Marker::Circle | Marker::None => Paint::stroke(look.colour, OUTLINE + 0.2, &[]),
        Marker::Ring | Marker::OpenSquare | Marker::OpenTriangle | Marker::OpenDiamond => {
            Paint { stroke: Some((look.colour, OUTLINE)), ..Paint::fill(Colour::PAPER, 1.0) }
        }
    };
    scene.path(pieces, paint);
}

/// Places of dots, each moved to the nearest half point and kept once: dots that would hide another are not drawn.
fn without_coverers(places: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let cells: BTreeSet<[i64; 2]> = places.iter().map(|place| place.map(|v| (2.0 * v).round() as i64)).collect();
    cells.into_iter().map(|cell| cell.map(|v| v as f64 / 2.0)).collect()
}

/// Smallest and largest value of a heat map, never equal.
pub fn ends(values: &[Vec<f64>]) -> [f64; 2] {
    let all = values.iter().flatten().filter(|v| v.is_finite());
    let (lo, hi) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    if lo < hi { [lo, hi] } else { [0.0, 1.0] }
}

fn cells(scene: &mut Scene, values: &[Vec<f64>], area: &Area) {
    let [lo, hi] = ends(values);
    for (row, line) in values.iter().enumerate() {
        for (column, value) in line.iter().enumerate() {
            let share = (value - lo) / (hi - lo);
            let colour = Colour::of_share(share);
            let (x, y) = (column as f64, row as f64);
            let (left, right) = (area.x(x - 0.5), area.x(x + 0.5));
            scene.rectangle([left, area.y(y - 0.5)], [right, area.y(y + 0.5)], Paint::fill(colour, 1.0));
            let text = signed(&NumberStyle::plain(0).format(*value));
            if font::width(&text, CELL_TEXT, Weight::Regular) + 2.0 <= right - left {
                let ink = if colour.luma() < 0.5 { Colour::PAPER } else { Colour::INK };
                scene.coloured_text(&text, [area.x(x), area.y(y)], CELL_TEXT, ink);
            }
        }
    }
}

//! From a description to a drawing: legend, panels, axes; the data themselves are drawn by [`super::shapes`].

use super::axis::{Area, AxisRange, Tick};
use super::description::{AxisScale, Figure, Panel, Series, Shape};
use super::font::{self, RISE, Weight};
use super::look::{Colour, Look};
use super::scene::{Anchor, Mark, Paint, Scene};
use super::shapes;

/// Sizes of text, in points: labels of axes and legend, ticks, headings.
const LABEL: f64 = 8.0;
const TICK: f64 = 7.5;
const HEADING: f64 = 8.5;
/// Height of a line of the legend, and of a line of ticks or labels with the space around it.
const LINE: f64 = 11.0;
/// Width of a legend's sample, its distance to the text, and the distance between entries.
const SAMPLE: f64 = 20.0;
const SAMPLE_GAP: f64 = 4.0;
const ENTRY_GAP: f64 = 14.0;
/// Space between panels: those that share their rows, and others.
const SHARED_GAP: f64 = 10.0;
const PANEL_GAP: f64 = 16.0;
/// Space about one tick's label along a horizontal and a vertical axis of numbers.
const TICK_WIDTH: f64 = 24.0;
const TICK_HEIGHT: f64 = 22.0;
/// Width of the bar that explains the colours of a heat map.
const BAR: f64 = 7.0;

/// What a panel needs beside its data area.
struct Margins {
    left: f64,
    right: f64,
    shows_y: bool,
}

/// Share of a figure's width that the names along its vertical axes may take together.
const NAMES: f64 = 0.5;

/// Whether a panel shows its y axis: it is the first, or the one to its left has another.
fn shows_y(figure: &Figure, k: usize) -> bool {
    k == 0 || figure.panels[k - 1].y != figure.panels[k].y
}

/// Labelled places up a panel whose data area is so tall; names are as long as there is room for.
fn y_ticks(figure: &Figure, panel: &Panel, tall: f64) -> Vec<Tick> {
    let mut ticks = AxisRange::up(panel, figure).ticks(&panel.y, most_ticks(tall, TICK_HEIGHT));
    if matches!(panel.y.scale, AxisScale::Names(_)) {
        let axes = (0..figure.panels.len()).filter(|k| shows_y(figure, *k)).count();
        let most = NAMES * figure.width.points() / axes.max(1) as f64;
        ticks.iter_mut().for_each(|tick| tick.text = font::fitted(&tick.text, TICK, most));
    }
    ticks
}

/// Lays a figure out.
pub fn scene(figure: &Figure) -> Scene {
    let mut scene = Scene { width: figure.width.points(), height: figure.height, marks: vec![] };
    for (panel, (area, shows_y)) in figure.panels.iter().zip(areas(figure)) {
        let y_ticks = y_ticks(figure, panel, area.bottom - area.top);
        draw_panel(&mut scene, panel, &area, &y_ticks, shows_y);
    }
    draw_legend(&mut scene, &legend_lines(figure));
    scene
}

/// The data area of each panel, and whether its y axis is labelled; all areas are equally wide, and no label is cut.
fn areas(figure: &Figure) -> Vec<(Area, bool)> {
    let areas = areas_within(figure, figure.width.points());
    let Some((panel, (area, _))) = figure.panels.last().zip(areas.last()) else { return areas };
    let ticks = area.x.ticks(&panel.x, most_ticks(area.right - area.left, TICK_WIDTH));
    let ends = ticks.iter().map(|t| area.x(t.at) + font::width(&t.text, TICK, Weight::Regular) / 2.0);
    let beyond = ends.fold(0.0, f64::max) - figure.width.points();
    if beyond > 0.0 { areas_within(figure, figure.width.points() - beyond.ceil() - 1.0) } else { areas }
}

fn areas_within(figure: &Figure, width: f64) -> Vec<(Area, bool)> {
    let headed = figure.panels.iter().any(|p| p.title.is_some());
    let top = legend_lines(figure).len() as f64 * LINE + if headed { LINE + 4.0 } else { 5.0 };
    let below = figure.panels.iter().map(|p| 1.4 * LINE + if p.x.label.is_empty() { 0.0 } else { LINE });
    let bottom = figure.height - below.fold(0.0, f64::max);
    let margins: Vec<Margins> =
        figure.panels.iter().enumerate().map(|(k, panel)| margins(figure, k, panel, bottom - top)).collect();
    let outside: f64 = margins.iter().map(|m| m.left + m.right).sum();
    let wide = (width - outside) / figure.panels.len() as f64;
    let mut left = 0.0;
    let areas = figure.panels.iter().zip(margins).map(|(panel, margins)| {
        left += margins.left;
        let (x, y) = (AxisRange::across(panel), AxisRange::up(panel, figure));
        let area = Area { left, right: left + wide, top, bottom, x, y };
        left += wide + margins.right;
        (area, margins.shows_y)
    });
    areas.collect()
}

fn margins(figure: &Figure, k: usize, panel: &Panel, tall: f64) -> Margins {
    let shows_y = shows_y(figure, k);
    let ticks = y_ticks(figure, panel, tall);
    let before = if k == 0 {
        0.0
    } else if shows_y {
        PANEL_GAP
    } else {
        SHARED_GAP
    };
    let label = if panel.y.label.is_empty() { 0.0 } else { LINE };
    let left = before + if shows_y { label + widest(&ticks) + 6.0 } else { 0.0 };
    let last = k + 1 == figure.panels.len();
    let right = match heat(panel) {
        Some((_, _, lo, hi)) => 6.0 + BAR + 4.0 + widest(&bar_ticks(lo, hi, tall)) + 2.0 + LINE,
        None if last => last_label_overhang(panel),
        None => 0.0,
    };
    Margins { left, right, shows_y }
}

/// How far the last tick's label may reach beyond the data area.
fn last_label_overhang(panel: &Panel) -> f64 {
    match &panel.x.scale {
        AxisScale::Names(_) => 2.0,
        AxisScale::Numbers { .. } => widest(&AxisRange::across(panel).ticks(&panel.x, 4)) / 2.0 + 1.0,
    }
}

fn most_ticks(length: f64, each: f64) -> usize {
    ((length / each) as usize).clamp(3, 8)
}

fn widest(ticks: &[Tick]) -> f64 {
    ticks.iter().map(|t| font::width(&t.text, TICK, Weight::Regular)).fold(0.0, f64::max)
}

fn draw_panel(scene: &mut Scene, panel: &Panel, area: &Area, y_ticks: &[Tick], shows_y: bool) {
    let wide = area.right - area.left;
    let x_ticks = area.x.ticks(&panel.x, most_ticks(wide, TICK_WIDTH));
    let grid = Paint::stroke(Colour::GRID, 0.5, &[]);
    let frame = Paint::stroke(Colour::INK, 0.6, &[]);
    let is_heat_map = heat(panel).is_some();
    if !is_heat_map {
        // Lines along the axis on which values are read.
        if !area.y.names {
            y_ticks.iter().for_each(|t| scene.line([area.left, area.y(t.at)], [area.right, area.y(t.at)], grid));
        }
        if area.y.names {
            x_ticks.iter().for_each(|t| scene.line([area.x(t.at), area.top], [area.x(t.at), area.bottom], grid));
        }
    }
    for series in &panel.series {
        shapes::draw(scene, series, area);
    }
    scene.line([area.left, area.bottom], [area.right, area.bottom], frame);
    scene.line([area.left, area.top], [area.left, area.bottom], frame);
    for tick in &x_ticks {
        let x = area.x(tick.at);
        scene.line([x, area.bottom], [x, area.bottom + 2.5], frame);
        scene.text(&tick.text, [x, area.bottom + 5.0 + RISE * TICK], TICK, Anchor::Middle);
    }
    let middle = (area.left + area.right) / 2.0;
    scene.text(&panel.x.label, [middle, area.bottom + 1.2 * LINE + 1.0 + RISE * LABEL], LABEL, Anchor::Middle);
    if shows_y {
        for tick in y_ticks {
            let y = area.y(tick.at);
            scene.line([area.left - 2.5, y], [area.left, y], frame);
            scene.text(&tick.text, [area.left - 4.5, y + RISE * TICK / 2.0], TICK, Anchor::End);
        }
        let x = area.left - 6.0 - widest(y_ticks) - 0.3 * LINE;
        upwards(scene, &panel.y.label, [x, (area.top + area.bottom) / 2.0]);
    }
    if let Some(title) = &panel.title {
        scene.text(title, [area.left, area.top - 5.0], HEADING, Anchor::Start);
        if let Some(Mark::Text(text)) = scene.marks.last_mut() {
            text.weight = Weight::Semibold;
        }
    }
    if let Some((series, _, lo, hi)) = heat(panel) {
        draw_bar(scene, area, &series.label, lo, hi);
    }
}

fn upwards(scene: &mut Scene, text: &str, [x, y]: [f64; 2]) {
    scene.text(text, [x, y], LABEL, Anchor::Middle);
    if let Some(Mark::Text(text)) = scene.marks.last_mut() {
        text.upwards = true;
    }
}

/// The heat map of a panel with its values' ends.
fn heat(panel: &Panel) -> Option<(&Series, &[Vec<f64>], f64, f64)> {
    panel.series.iter().find_map(|series| match &series.shape {
        Shape::Cells(values) => {
            let [lo, hi] = shapes::ends(values);
            Some((series, values.as_slice(), lo, hi))
        }
        _ => None,
    })
}

fn bar_ticks(lo: f64, hi: f64, tall: f64) -> Vec<Tick> {
    super::axis::round_numbers(lo, hi, most_ticks(tall, TICK_HEIGHT))
}

fn draw_bar(scene: &mut Scene, area: &Area, label: &str, lo: f64, hi: f64) {
    const SLICES: usize = 32;
    let tall = area.bottom - area.top;
    let (left, right) = (area.right + 6.0, area.right + 6.0 + BAR);
    for k in 0..SLICES {
        let share = |k: usize| area.bottom - tall * k as f64 / SLICES as f64;
        // Slices overlap by half a point, so that no seam shows between them.
        let upper = (share(k + 1) - 0.5).max(area.top);
        let colour = Colour::of_share(k as f64 / (SLICES - 1) as f64);
        scene.rectangle([left, upper], [right, share(k)], Paint::fill(colour, 1.0));
    }
    let ticks = bar_ticks(lo, hi, tall);
    for tick in &ticks {
        let y = area.bottom - tall * (tick.at - lo) / (hi - lo);
        scene.line([right, y], [right + 2.0, y], Paint::stroke(Colour::INK, 0.6, &[]));
        scene.text(&tick.text, [right + 4.0, y + RISE * TICK / 2.0], TICK, Anchor::Start);
    }
    let x = right + 4.0 + widest(&ticks) + 2.0 + RISE * LABEL + 1.0;
    upwards(scene, label, [x, (area.top + area.bottom) / 2.0]);
}

/// An entry of the legend: how a series looks, and its name.
struct LegendEntry<'a> {
    /// The first series with this look and name.
    pub series: &'a Series,
    /// Its name as the font can show it.
    label: String,
    wide: f64,
}

/// Entries in lines that fit the figure's width.
fn legend_lines(figure: &Figure) -> Vec<Vec<LegendEntry<'_>>> {
    let mut lines: Vec<Vec<LegendEntry>> = vec![];
    let mut seen: Vec<(&str, Look)> = vec![];
    let (wide, mut left) = (figure.width.points(), 0.0);
    for series in figure.panels.iter().flat_map(|p| &p.series).filter(|s| s.in_legend) {
        if seen.contains(&(series.label.as_str(), series.look)) {
            continue;
        }
        seen.push((&series.label, series.look));
        let label = font::fitted(&series.label, TICK, wide - SAMPLE - SAMPLE_GAP);
        let entry =
            LegendEntry { series, wide: SAMPLE + SAMPLE_GAP + font::width(&label, TICK, Weight::Regular), label };
        match lines.last_mut() {
            Some(line) if left + ENTRY_GAP + entry.wide <= wide => {
                left += ENTRY_GAP + entry.wide;
                line.push(entry);
            }
            _ => {
                left = entry.wide;
                lines.push(vec![entry]);
            }
        }
    }
    lines
}

fn draw_legend(scene: &mut Scene, lines: &[Vec<LegendEntry>]) {
    // Entries of several lines stand in columns where that fits; else each line is centred.
    let most = lines.iter().map(Vec::len).max().unwrap_or(0);
    let columns: Vec<f64> =
        (0..most).map(|k| lines.iter().filter_map(|line| line.get(k)).map(|e| e.wide).fold(0.0, f64::max)).collect();
    let in_columns = columns.iter().sum::<f64>() + ENTRY_GAP * most.saturating_sub(1) as f64;
    let aligned = lines.len() > 1 && in_columns <= scene.width;
    for (k, line) in lines.iter().enumerate() {
        let y = (k as f64 + 0.5) * LINE;
        let whole = if aligned {
            in_columns
        } else {
            line.iter().map(|e| e.wide).sum::<f64>() + ENTRY_GAP * (line.len() - 1) as f64
        };
        let mut x = (scene.width - whole) / 2.0;
        for (entry, column) in line.iter().zip(&columns) {
            shapes::sample(scene, entry.series, [x, y], SAMPLE);
            let at = [x + SAMPLE + SAMPLE_GAP, y + RISE * TICK / 2.0];
            scene.text(&entry.label, at, TICK, Anchor::Start);
            x += if aligned { *column } else { entry.wide } + ENTRY_GAP;
        }
    }
}

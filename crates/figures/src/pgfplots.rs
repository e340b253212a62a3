//! A figure as code for the LaTeX package pgfplots, for authors who restyle it.
//!
//! The preamble needs `\usepackage{pgfplots}`, `\pgfplotsset{compat=1.16}` and `\usepgfplotslibrary{groupplots}`.

use std::fmt::Write;

use super::axis::{Area, Range, Tick};
use super::description::{Axis, Figure, Panel, Point, Scale, Series, Shape};
use super::layout;
use super::look::{Colour, Look, Marker};
use super::shapes;
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_system::latex::escape;
use judge_uncertainty_system::numbers::trimmed;

/// Decimals of a coordinate.
const DECIMALS: u8 = 5;
/// Share of our own data areas: LaTeX's fonts are wider, and the figure must stay within the text.
const SHRINK: f64 = 0.82;

/// Appends formatted text; a string takes everything.
macro_rules! put {
    ($out:expr, $($arguments:tt)*) => { write!($out, $($arguments)*).expect("a string can always be written to") };
}

/// A `tikzpicture` with one axis per panel, the legend above them.
pub fn render(figure: &Figure) -> String {
    let areas = layout::areas(figure);
    let gap = areas.windows(2).map(|pair| pair[1].0.left - pair[0].0.right).fold(0.0, f64::max);
    let mut out = format!(
        "% {}: {}\n% Needs \\usepackage{{pgfplots}}, \\pgfplotsset{{compat=1.16}}, \\usepgfplotslibrary{{groupplots}}.\n",
        figure.name, figure.title
    );
    put!(
        out,
        "\\begin{{tikzpicture}}\n\\begin{{groupplot}}[\n  group style={{group size={} by 1, horizontal sep={}bp}},\n  \
         scale only axis, axis lines=left, axis line style={{-}}, tick align=outside,\n  \
         tick label style={{font=\\scriptsize, /pgf/number format/fixed}}, scaled ticks=false, label style={{font=\\scriptsize}}, title style={{font=\\footnotesize}},\n  \
         legend style={{draw=none, font=\\scriptsize, at={{(0,1.16)}}, anchor=south west, legend cell align=left,\n  \
         /tikz/every even column/.append style={{column sep=6pt}}}},\n  \
         legend columns={},\n]\n",
        figure.panels.len(),
        number(gap),
        layout::legend_columns(figure),
    );
    for (k, (panel, (area, shows_y))) in figure.panels.iter().zip(&areas).enumerate() {
        write_axis(&mut out, figure, panel, area, *shows_y);
        if k == 0 {
            for entry in layout::legend_lines(figure).into_iter().flatten() {
                let label = escape(&entry.series.label);
                put!(out, "\\addlegendimage{{{}}}\\addlegendentry{{{label}}}\n", sample(entry.series));
            }
        }
        for series in &panel.series {
            write_series(&mut out, series, area);
        }
    }
    out.push_str("\\end{groupplot}\n\\end{tikzpicture}\n");
    out
}

fn number(value: f64) -> String {
    trimmed(value, DECIMALS)
}

fn colour(colour: Colour) -> String {
    let [r, g, b] = colour.0;
    format!("{{rgb,255:red,{r};green,{g};blue,{b}}}")
}

fn write_axis(out: &mut String, figure: &Figure, panel: &Panel, area: &Area, shows_y: bool) {
    put!(
        out,
        "\\nextgroupplot[width={}bp, height={}bp",
        number(SHRINK * (area.right - area.left)),
        number(SHRINK * (area.bottom - area.top))
    );
    if let Some(title) = &panel.title {
        put!(out, ", title={{{}}}", escape(title));
    }
    let names = |ticks: Vec<Tick>| ticks.into_iter().map(|tick| tick.text).collect::<Vec<_>>();
    let up = layout::y_ticks(figure, panel, area.bottom - area.top);
    write_scale(out, 'x', &panel.x, &area.x, true, &names(area.x.ticks(&panel.x, 2)));
    write_scale(out, 'y', &panel.y, &area.y, shows_y, &names(up));
    if let Some((series, _, lo, hi)) = layout::heat(panel) {
        let stops: Vec<String> = (0..5)
            .map(|k| {
                let [r, g, b] = Colour::of_share(f64::from(k) / 4.0).0;
                format!("rgb255=({r},{g},{b})")
            })
            .collect();
        put!(
            out,
            ", colorbar, colorbar style={{ylabel={{{}}}, width=7bp, axis lines=box, yticklabel pos=right, label style={{font=\\scriptsize}}, \
             ylabel near ticks}}, point meta min={}, point meta max={}, \
             colormap={{cells}}{{{}}}",
            escape(&series.label),
            number(lo),
            number(hi),
            stops.join(" ")
        );
    }
    out.push_str("]\n");
}

/// `names` are those of an axis of names as they are shown.
fn write_scale(out: &mut String, which: char, axis: &Axis, range: &Range, labelled: bool, names: &[String]) {
    put!(out, ", {which}min={}, {which}max={}", number(range.lo), number(range.hi));
    if labelled && !axis.label.is_empty() {
        put!(out, ", {which}label={{{}}}", escape(&axis.label));
    }
    match &axis.scale {
        Scale::Names(_) => {
            let places: Vec<String> = (0..names.len()).map(|k| k.to_string()).collect();
            put!(out, ", {which}tick={{{}}}", places.join(","));
            let names: Vec<String> = names.iter().map(|name| format!("{{{}}}", escape(name))).collect();
            if labelled {
                put!(out, ", {which}ticklabels={{{}}}", names.join(","));
            }
            if which == 'y' {
                out.push_str(", y dir=reverse");
            }
        }
        Scale::Numbers { .. } => {}
    }
    if !labelled {
        put!(out, ", {which}ticklabels={{}}");
    }
}

fn marker(look: Look) -> &'static str {
    match look.marker {
        Marker::None => "mark=none",
        Marker::Dot => "mark=*, mark size=0.5pt",
        Marker::Circle => "mark=o, mark size=2.6pt",
        Marker::Disc => "mark=*, mark size=1.6pt",
        Marker::Ring => "mark=o, mark size=1.6pt",
        Marker::Square => "mark=square*, mark size=1.5pt",
        Marker::OpenSquare => "mark=square, mark size=1.5pt",
        Marker::Triangle => "mark=triangle*, mark size=1.8pt",
        Marker::OpenTriangle => "mark=triangle, mark size=1.8pt, mark options={solid, rotate=180}",
        Marker::OpenDiamond => "mark=diamond, mark size=2pt",
        Marker::Cross => "mark=x, mark size=2pt",
    }
}

/// Colour and marker; and dashes for a line.
fn style(look: Look, line: bool) -> String {
    let mut text = format!("color={}, mark options={{solid}}, {}", colour(look.colour), marker(look));
    if !line {
        text.push_str(", only marks");
    } else if !look.dash.pattern().is_empty() {
        let pattern = look.dash.pattern().chunks(2).map(|pair| format!("on {}pt off {}pt", pair[0], pair[1]));
        put!(text, ", dash pattern={}", pattern.collect::<Vec<_>>().join(" "));
    }
    text
}

fn sample(series: &Series) -> String {
    let line = matches!(series.shape, Shape::Curve(_) | Shape::Level(_) | Shape::Upright(_));
    style(series.look, line)
}

fn write_series(out: &mut String, series: &Series, area: &Area) {
    let look = series.look;
    put!(out, "% {}\n", series.label.replace('\n', " "));
    match &series.shape {
        Shape::Curve(points) => {
            let with = || points.iter().filter_map(|p| Some((p.at, p.interval?)));
            let upper: Vec<_> = with().map(|(at, interval)| [at, interval.hi]).collect();
            if !upper.is_empty() {
                let lower: Vec<_> = with().map(|(at, interval)| [at, interval.lo]).collect();
                let outline = coordinates(upper.into_iter().chain(lower.into_iter().rev()));
                put!(
                    out,
                    "\\addplot[draw=none, fill={}, fill opacity=0.16, forget plot] coordinates {{{outline}}} -- cycle;\n",
                    colour(look.colour)
                );
            }
            let line = coordinates(points.iter().map(|p| [p.at, p.value]));
            put!(out, "\\addplot[{}, forget plot] coordinates {{{line}}};\n", style(look, true));
        }
        Shape::Columns { points, shift } => write_estimates(out, look, points, |p, v| [p.at + shift, v]),
        Shape::Rows { points, shift } => write_estimates(out, look, points, |p, v| [v, p.at + shift]),
        Shape::Spans { points, shift } => {
            write_whiskers(out, look, points, ", line width=1.6pt", |p, v| [v, p.at + shift])
        }
        Shape::Cloud(points) => {
            let places = coordinates(points.iter().copied());
            put!(out, "\\addplot[{}, forget plot] coordinates {{{places}}};\n", style(look, false));
        }
        Shape::Level(y) => write_line(out, look, [[area.x.lo, *y], [area.x.hi, *y]]),
        Shape::Upright(x) => write_line(out, look, [[*x, area.y.lo], [*x, area.y.hi]]),
        Shape::Cells(values) => {
            let [lo, hi] = shapes::ends(values);
            put!(
                out,
                "\\addplot[matrix plot*, mesh/cols={}, point meta=explicit, point meta min={}, point meta max={}, \
                 forget plot] coordinates {{",
                values.first().map_or(0, Vec::len),
                number(lo),
                number(hi)
            );
            for (row, line) in values.iter().enumerate() {
                for (column, value) in line.iter().enumerate() {
                    put!(out, "({column},{row}) [{}] ", number(*value));
                }
                out.push('\n');
            }
            out.push_str("};\n");
        }
    }
}

/// Whiskers as a line of their own under the markers, so that both coordinates are explicit.
fn write_estimates(out: &mut String, look: Look, points: &[Point], place: impl Fn(&Point, f64) -> [f64; 2]) {
    write_whiskers(out, look, points, "", &place);
    let places = coordinates(points.iter().map(|p| place(p, p.value)));
    put!(out, "\\addplot[{}, forget plot] coordinates {{{places}}};\n", style(look, false));
}

fn write_whiskers(out: &mut String, look: Look, points: &[Point], wide: &str, place: impl Fn(&Point, f64) -> [f64; 2]) {
    for p in points {
        if let Some(Interval { lo, hi }) = p.interval {
            let whisker = coordinates([lo, hi].into_iter().map(|end| place(p, end)));
            put!(out, "\\addplot[draw={}{wide}, forget plot] coordinates {{{whisker}}};\n", colour(look.colour));
        }
    }
}

fn write_line(out: &mut String, look: Look, ends: [[f64; 2]; 2]) {
    put!(out, "\\addplot[{}, forget plot] coordinates {{{}}};\n", style(look, true), coordinates(ends.into_iter()));
}

/// Ten places to a line, for editors and for LaTeX's buffer.
fn coordinates(places: impl Iterator<Item = [f64; 2]>) -> String {
    let mut out = String::new();
    for (k, [x, y]) in places.enumerate() {
        if k > 0 {
            out.push(if k % 10 == 0 { '\n' } else { ' ' });
        }
        put!(out, "({},{})", number(x), number(y));
    }
    out
}

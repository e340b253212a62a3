//! A drawing as SVG: text stays text, and keeps its measured width whichever font the reader has.

use std::fmt::Write;

use super::description::Figure;
use super::font::{self, Weight};
use super::look::Colour;
use super::scene::{Anchor, Mark, Paint, Piece, Scene, TextMark};
use judge_uncertainty_system::numbers::trimmed;

/// Decimals of a coordinate: a hundredth of a point is finer than any printer.
const DECIMALS: u8 = 2;

fn number(value: f64) -> String {
    trimmed(value, DECIMALS)
}

/// Text as it may stand in XML, in attributes too.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML has no way to write these.
            c if c.is_control() && !matches!(c, '\t' | '\n' | '\r') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Ink follows the colour of the page's text, so that a page may be dark.
fn colour(colour: Colour) -> String {
    if colour == Colour::INK { "currentColor".to_owned() } else { colour.hex() }
}

/// The document, ready to stand in a file or within a page. Its size is given in points and follows the view box.
pub fn render(figure: &Figure, scene: &Scene) -> String {
    let (w, h) = (number(scene.width), number(scene.height));
    let name = escaped(&figure.name);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}pt\" height=\"{h}pt\" viewBox=\"0 0 {w} {h}\" \
         role=\"img\" aria-labelledby=\"{name}-title {name}-desc\" color=\"{}\" font-family=\"{}\">\n\
         <title id=\"{name}-title\">{}</title>\n<desc id=\"{name}-desc\">{}</desc>\n",
        Colour::INK.hex(),
        font::FAMILIES,
        escaped(&figure.title),
        escaped(&figure.alt),
    );
    for mark in &scene.marks {
        match mark {
            Mark::Path { pieces, paint } => write_path(&mut out, pieces, paint),
            Mark::Text(text) if text.text.is_empty() => {}
            Mark::Text(text) => write_text(&mut out, text),
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Appends formatted text; a string takes everything.
macro_rules! put {
    ($out:expr, $($arguments:tt)*) => { write!($out, $($arguments)*).expect("a string can always be written to") };
}

fn write_path(out: &mut String, pieces: &[Piece], paint: &Paint) {
    out.push_str("<path d=\"");
    for (k, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Move(x, y) => put!(out, "M{} {}", number(*x), number(*y)),
            // A dot, in fewer letters.
            Piece::Line(x, y)
                if paint.round && k > 0 && matches!(pieces[k - 1], Piece::Move(a, b) if a == *x && b == *y) =>
            {
                out.push_str("h0");
            }
            Piece::Line(x, y) => put!(out, "L{} {}", number(*x), number(*y)),
            Piece::Close => out.push('Z'),
            Piece::Circle(x, y, r) => {
                let (left, y, across) = (number(x - r), number(*y), number(2.0 * r));
                let r = number(*r);
                put!(out, "M{left} {y}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0-{across} 0");
            }
        }
    }
    match paint.fill {
        Some(fill) if paint.fill_opacity < 1.0 => {
            put!(out, "\" fill=\"{}\" fill-opacity=\"{}", colour(fill), number(paint.fill_opacity))
        }
        Some(fill) => put!(out, "\" fill=\"{}", colour(fill)),
        None => out.push_str("\" fill=\"none"),
    }
    if let Some((stroke, width)) = paint.stroke {
        put!(out, "\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round", colour(stroke), number(width));
    }
    if paint.round {
        out.push_str("\" stroke-linecap=\"round");
    }
    if !paint.dash.is_empty() {
        let dashes: Vec<String> = paint.dash.iter().map(|d| number(*d)).collect();
        put!(out, "\" stroke-dasharray=\"{}", dashes.join(" "));
    }
    out.push_str("\"/>\n");
}

fn write_text(out: &mut String, text: &TextMark) {
    let (x, y) = (number(text.x), number(text.y));
    put!(out, "<text ");
    if text.upwards {
        put!(out, "transform=\"translate({x} {y})rotate(-90)\" ");
    } else {
        put!(out, "x=\"{x}\" y=\"{y}\" ");
    }
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str("text-anchor=\"middle\" "),
        Anchor::End => out.push_str("text-anchor=\"end\" "),
    }
    if text.weight == Weight::Semibold {
        out.push_str("font-weight=\"600\" ");
    }
    let width = number(font::width(&text.text, text.size, text.weight));
    put!(
        out,
        "font-size=\"{}\" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\">{}</text>\n",
        number(text.size),
        colour(text.colour),
        escaped(&text.text)
    );
}

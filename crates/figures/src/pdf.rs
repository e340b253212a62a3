//! A drawing as PDF with its fonts inside; text stays text.

use krilla::color::rgb;
use krilla::configure::{ConfigurationBuilder, PdfVersion};
use krilla::geom::{Path, PathBuilder, Point, Transform};
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::{Fill, LineCap, LineJoin, Stroke, StrokeDash};
use krilla::surface::Surface;
use krilla::text::{Font, TextDirection};
use krilla::{Document, SerializeSettings};

use super::description::Figure;
use super::font::{self, Weight};
use super::look::Colour;
use super::scene::{Mark, Paint, Piece, Scene, TextMark};

/// Why a figure can't be written as PDF.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum Error {
    #[error(
        "figure {figure}: the bundled font has no character for `{character}` (U+{code:04X}) of \"{text}\", and a PDF \
         would silently lose it; rename that class, item or feature, or use the SVG",
        code = *character as u32
    )]
    Glyph { figure: String, character: char, text: String },
    #[error("figure {figure}: writing the PDF failed: {detail}")]
    Writer { figure: String, detail: String },
}

impl Error {
    /// Whether the writer failed, rather than that a text was refused.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Writer { .. })
    }
}

/// The document.
///
/// # Errors
/// A character that the font lacks: it would be left out silently.
pub fn render(figure: &Figure, scene: &Scene) -> Result<Vec<u8>, Error> {
    let failed = |detail: String| Error::Writer { figure: figure.name.clone(), detail };
    for text in scene.texts() {
        if let Some(character) = font::missing(&text.text, text.weight) {
            return Err(Error::Glyph { figure: figure.name.clone(), character, text: text.text.clone() });
        }
    }
    // The version that every pdflatex of this century includes without a warning; no date, so the same bytes each time.
    let configuration =
        ConfigurationBuilder::new().with_version(PdfVersion::Pdf15).finish().map_err(|e| failed(format!("{e:?}")))?;
    let settings = SerializeSettings { configuration, xmp_metadata: false, ..SerializeSettings::default() };
    let mut document = Document::new_with(settings);
    document.set_metadata(Metadata::new().title(figure.title.clone()).description(figure.alt.clone()));
    let size = PageSettings::from_wh(scene.width as f32, scene.height as f32);
    let mut page = document.start_page_with(size.ok_or_else(|| failed("the figure has no area".to_owned()))?);
    let mut surface = page.surface();
    let fonts = [font::REGULAR, font::SEMIBOLD].map(|data| Font::new(data.into(), 0));
    let [Some(regular), Some(semibold)] = fonts else {
        return Err(failed("the bundled fonts are damaged".to_owned()));
    };
    for mark in &scene.marks {
        match mark {
            Mark::Path { pieces, paint } => draw_path(&mut surface, pieces, paint),
            Mark::Text(text) => {
                let font = if text.weight == Weight::Semibold { &semibold } else { &regular };
                draw_text(&mut surface, text, font);
            }
        }
    }
    surface.finish();
    page.finish();
    document.finish().map_err(|e| failed(format!("{e:?}")))
}

fn rgb(colour: Colour) -> rgb::Color {
    let [r, g, b] = colour.0;
    rgb::Color::new(r, g, b)
}

fn fill(colour: Colour, opacity: f64) -> Fill {
    let opacity = NormalizedF32::new(opacity as f32).unwrap_or(NormalizedF32::ONE);
    Fill { paint: rgb(colour).into(), opacity, ..Fill::default() }
}

fn draw_path(surface: &mut Surface, pieces: &[Piece], paint: &Paint) {
    let Some(path) = outline(pieces) else { return };
    surface.set_fill(paint.fill.map(|colour| fill(colour, paint.fill_opacity)));
    surface.set_stroke(paint.stroke.map(|(colour, width)| {
        Stroke {
            paint: rgb(colour).into(),
            width: width as f32,
            line_join: LineJoin::Round,
            line_cap: if paint.round { LineCap::Round } else { LineCap::Butt },
            dash: (!paint.dash.is_empty())
                .then(|| StrokeDash { array: paint.dash.iter().map(|d| *d as f32).collect(), offset: 0.0 }),
            ..Stroke::default()
        }
    }));
    surface.draw_path(&path);
}

fn outline(pieces: &[Piece]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for piece in pieces {
        match *piece {
            Piece::Move(x, y) => path.move_to(x as f32, y as f32),
            Piece::Line(x, y) => path.line_to(x as f32, y as f32),
            Piece::Close => path.close(),
            Piece::Circle(x, y, r) => circle(&mut path, x as f32, y as f32, r as f32),
        }
    }
    path.finish()
}

/// A circle of four cubic curves; they miss it by less than 0.03% of the radius.
fn circle(path: &mut PathBuilder, x: f32, y: f32, r: f32) {
    const HANDLE: f32 = 0.552_285;
    let h = HANDLE * r;
    path.move_to(x + r, y);
    path.cubic_to(x + r, y + h, x + h, y + r, x, y + r);
    path.cubic_to(x - h, y + r, x - r, y + h, x - r, y);
    path.cubic_to(x - r, y - h, x - h, y - r, x, y - r);
    path.cubic_to(x + h, y - r, x + r, y - h, x + r, y);
    path.close();
}

fn draw_text(surface: &mut Surface, text: &TextMark, font: &Font) {
    if text.text.is_empty() {
        return;
    }
    let before = text.anchor.share() * font::width(&text.text, text.size, text.weight);
    let (x, y) = (text.x as f32, text.y as f32);
    surface.set_fill(Some(fill(text.colour, 1.0)));
    surface.set_stroke(None);
    if text.upwards {
        surface.push_transform(&Transform::from_rotate_at(-90.0, x, y));
    }
    let start = Point::from_xy(x - before as f32, y);
    surface.draw_text(start, font.clone(), text.size as f32, &text.text, false, TextDirection::LeftToRight);
    if text.upwards {
        surface.pop();
    }
}

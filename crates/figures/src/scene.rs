//! A drawing as a list of strokes, areas and texts, in points from the upper left corner: what both formats are made
//! of.

use super::font::{RISE, Weight};
use super::look::Colour;

/// A drawing.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
    /// The marks, the lowest first.
    pub marks: Vec<Mark>,
}

/// Something drawn.
#[derive(Debug, Clone)]
pub enum Mark {
    /// An outline, filled or stroked or both.
    Path {
        /// Its pieces.
        pieces: Vec<Piece>,
        /// How it is painted.
        paint: Paint,
    },
    /// A line of text.
    Text(TextMark),
}

/// A piece of an outline.
#[derive(Debug, Clone, Copy)]
pub enum Piece {
    /// Lifts the pen to a place.
    Move(f64, f64),
    /// A straight stroke.
    Line(f64, f64),
    /// Back to the last lifted place.
    Close,
    /// A circle of its own: centre and radius.
    Circle(f64, f64, f64),
}

/// How an outline is painted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paint {
    /// Colour inside.
    pub fill: Option<Colour>,
    /// Opacity of the inside, 0 to 1.
    pub fill_opacity: f64,
    /// Colour and width of the line.
    pub stroke: Option<(Colour, f64)>,
    /// Lengths of strokes and gaps.
    pub dash: &'static [f64],
    /// Strokes end in half discs, so that one of no length is a dot.
    pub round: bool,
}

impl Paint {
    /// Filled without a line.
    pub fn fill(colour: Colour, opacity: f64) -> Self {
        Self { fill: Some(colour), fill_opacity: opacity, ..Self::default() }
    }

    /// A line.
    pub fn stroke(colour: Colour, width: f64, dash: &'static [f64]) -> Self {
        Self { stroke: Some((colour, width)), dash, ..Self::default() }
    }
}

/// A line of text.
#[derive(Debug, Clone)]
pub struct TextMark {
    /// The characters.
    pub text: String,
    /// Place of the anchor on the baseline.
    pub x: f64,
    /// Place of the anchor on the baseline.
    pub y: f64,
    /// Size in points.
    pub size: f64,
    /// Weight.
    pub weight: Weight,
    /// Which part of the text stands at the place.
    pub anchor: Anchor,
    /// Colour.
    pub colour: Colour,
    /// Whether it runs upwards.
    pub upwards: bool,
}

/// Which part of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

impl Anchor {
    /// Share of the width that lies before the place.
    pub fn share(self) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }
}

impl Scene {
    /// Adds an outline.
    pub fn path(&mut self, pieces: Vec<Piece>, paint: Paint) {
        if !pieces.is_empty() {
            self.marks.push(Mark::Path { pieces, paint });
        }
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], paint: Paint) {
        self.path(vec![Piece::Move(from[0], from[1]), Piece::Line(to[0], to[1])], paint);
    }

    /// Adds a rectangle by two corners.
    pub fn rectangle(&mut self, [x0, y0]: [f64; 2], [x1, y1]: [f64; 2], paint: Paint) {
        let pieces =
            vec![Piece::Move(x0, y0), Piece::Line(x1, y0), Piece::Line(x1, y1), Piece::Line(x0, y1), Piece::Close];
        self.path(pieces, paint);
    }

    /// Adds a text in ink.
    pub fn text(&mut self, text: &str, place: [f64; 2], size: f64, anchor: Anchor) {
        self.put(text, place, size, anchor, Colour::INK);
    }

    /// Adds a text of its own colour around a place, such as the number in a cell.
    pub fn coloured_text(&mut self, text: &str, [x, y]: [f64; 2], size: f64, colour: Colour) {
        self.put(text, [x, y + RISE * size / 2.0], size, Anchor::Middle, colour);
    }

    fn put(&mut self, text: &str, [x, y]: [f64; 2], size: f64, anchor: Anchor, colour: Colour) {
        let (text, weight) = (text.to_owned(), Weight::Regular);
        self.marks.push(Mark::Text(TextMark { text, x, y, size, weight, anchor, colour, upwards: false }));
    }

    /// All texts, in drawing order.
    pub fn texts(&self) -> impl Iterator<Item = &TextMark> {
        self.marks.iter().filter_map(|mark| match mark {
            Mark::Text(text) => Some(text),
            Mark::Path { .. } => None,
        })
    }
}

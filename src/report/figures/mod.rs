//! Figures: one description, drawn as SVG for the page and as PDF for the paper, with its data as CSV and as pgfplots.
//!
//! ```text
//! numbers -> Figure (description) -> Scene (layout, shapes) -> svg, pdf
//!                                 -> csv, pgfplots
//! ```
//!
//! [`description`] knows no results type: the paper's figures ([`paper`]) are one user of it, studies of other data
//! ([`study`]) another; what both draw is in [`shared`].

pub mod axis;
pub mod csv;
pub mod description;
pub mod font;
pub mod layout;
pub mod look;
pub mod paper;
pub mod pdf;
pub mod pgfplots;
pub mod scene;
pub mod shapes;
pub mod shared;
pub mod study;
pub mod svg;

pub use description::{Axis, Figure, Panel, Point, Scale, Series, Shape, Width};
pub use look::Look;
pub use paper::{all, beyond, reproduced};
pub use pdf::Error;

impl Figure {
    /// Stem of its file names.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in a few words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What is seen, for those who can't see it.
    pub fn alt(&self) -> &str {
        &self.alt
    }

    /// How to read it.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// An SVG document; the same bytes every time.
    pub fn svg(&self) -> String {
        svg::render(self, &layout::scene(self))
    }

    /// A PDF document of one page; the same bytes every time.
    ///
    /// # Errors
    /// A character that the bundled font lacks.
    pub fn pdf(&self) -> Result<Vec<u8>, Error> {
        pdf::render(self, &layout::scene(self))
    }

    /// The data as a table; see [`csv::render`].
    pub fn csv(&self) -> String {
        csv::render(self)
    }

    /// The figure as code for the LaTeX package pgfplots; see [`pgfplots::render`].
    pub fn pgfplots(&self) -> String {
        pgfplots::render(self)
    }
}

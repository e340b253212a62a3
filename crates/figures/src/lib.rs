//! Figures: one description, drawn as SVG for a page and as PDF for a paper, with its data as CSV.
//!
//! ```text
//! numbers -> Figure (description) -> Scene (layout, shapes) -> svg, pdf
//!                                 -> csv
//! ```
//!
//! Nothing here knows what is drawn: a [`Figure`] is made of numbers, names and [`Look`]s.
//!
//! ```
//! use judge_uncertainty_figures::{Axis, Colour, Dash, Figure, Look, Marker, Panel, Point, Series, Shape, Width};
//! let look = Look::new(Colour::BLUE, Dash::Solid, Marker::Disc);
//! let points = vec![Point::bare(0.0, 1.0), Point::bare(1.0, 3.0)];
//! let panel = Panel {
//!     title: None,
//!     x: Axis::numbers("labels", &[0.0]),
//!     y: Axis::numbers("error", &[]),
//!     series: vec![Series::new("judge", look, Shape::Curve(points))],
//! };
//! let figure = Figure {
//!     name: "error".into(),
//!     title: "Error by labels".into(),
//!     alt: "A line that rises from 1 to 3.".into(),
//!     note: "One run.".into(),
//!     width: Width::Half,
//!     height: 150.0,
//!     panels: vec![panel],
//! };
//! assert!(figure.svg().starts_with("<svg"));
//! assert!(figure.pdf()?.starts_with(b"%PDF-1.5"));
//! # Ok::<(), judge_uncertainty_figures::Error>(())
//! ```

pub mod axis;
pub mod csv;
pub mod description;
pub mod font;
pub mod layout;
pub mod look;
pub mod pdf;
pub mod scene;
pub mod shapes;
pub mod svg;

pub use description::{Axis, AxisScale, Figure, Panel, Point, Series, Shape, Width};
pub use look::{Colour, Dash, Look, Marker};
pub use pdf::Error;

impl Figure {
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
}

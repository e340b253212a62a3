//! What a figure shows, apart from how it is drawn: panels of series over two axes, from anybody's numbers.

use super::look::Look;
use judge_uncertainty_core::stats::Interval;

/// A figure: panels side by side under one legend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// Stem of its file names; lower-case words joined by hyphens.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// A sentence or two that say what is seen, with the numbers, for those who can't see it.
    pub alt: String,
    /// How to read it.
    pub note: String,
    /// Width on the page.
    pub width: Width,
    /// Height in points (72 to an inch), legend and labels included.
    pub height: f64,
    /// The panels, left to right.
    pub panels: Vec<Panel>,
}

/// Widths of a figure in a NeurIPS paper, whose text is 5.5 inches wide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Width {
    /// Two such figures fit side by side: 2.65 inches.
    Half,
    /// As wide as the text: 5.5 inches.
    #[default]
    Full,
}

impl Width {
    /// In points.
    pub const fn points(self) -> f64 {
        match self {
            Self::Half => 190.8,
            Self::Full => 396.0,
        }
    }
}

/// Series over a pair of axes.
///
/// Panels with equal y axes share its range, and one whose y axis equals that of the panel to its left does not repeat
/// the labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Heading; none if the figure has one panel.
    pub title: Option<String>,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The series; later ones are drawn over earlier ones.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The quantity with its unit in brackets; empty for none.
    pub label: String,
    /// Numbers or names.
    pub scale: AxisScale,
}

impl Axis {
    /// A linear axis that covers the data and each number of `include`.
    pub fn numbers(label: impl Into<String>, include: &[f64]) -> Self {
        Self { label: label.into(), scale: AxisScale::Numbers { include: include.to_vec() } }
    }

    /// One place per name, in order; rows run from top to bottom.
    pub fn names<N: Into<String>>(label: impl Into<String>, names: impl IntoIterator<Item = N>) -> Self {
        Self { label: label.into(), scale: AxisScale::Names(names.into_iter().map(Into::into).collect()) }
    }

    /// The name at a place, for an axis of names.
    pub fn name(&self, place: f64) -> Option<&str> {
        match &self.scale {
            AxisScale::Names(names) => names.get(place.round() as usize).map(String::as_str),
            AxisScale::Numbers { .. } => None,
        }
    }
}

/// What stands along an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum AxisScale {
    /// Numbers, linear.
    Numbers {
        /// Numbers that the axis must reach, such as 0; the axis ends there if the data do.
        include: Vec<f64>,
    },
    /// Names; their places are 0, 1, 2, ...
    Names(Vec<String>),
}

/// Data with one look.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend and in the data file; series with equal names and looks share a legend entry.
    pub label: String,
    /// Whether the legend lists it.
    pub in_legend: bool,
    /// Colour, dashes, marker.
    pub look: Look,
    /// The data.
    pub shape: Shape,
}

impl Series {
    /// A series that the legend lists.
    pub fn new(label: impl Into<String>, look: Look, shape: Shape) -> Self {
        Self { label: label.into(), in_legend: true, look, shape }
    }

    /// A series that the legend leaves out, because the axes name it.
    pub fn unlisted(label: impl Into<String>, look: Look, shape: Shape) -> Self {
        Self { in_legend: false, ..Self::new(label, look, shape) }
    }
}

/// How data are shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A line through points (at = x, value = y), with a band where they have intervals.
    Curve(Vec<Point>),
    /// Markers with vertical intervals (at = x, value = y), moved sideways by a share of a place.
    Columns {
        /// The points.
        points: Vec<Point>,
        /// Sideways shift, in places.
        shift: f64,
    },
    /// Markers with horizontal intervals (at = y, value = x), moved down by a share of a place.
    Rows {
        /// The points.
        points: Vec<Point>,
        /// Shift downwards, in places.
        shift: f64,
    },
    /// Thick horizontal intervals (at = y) without markers, to lie under those of [`Shape::Rows`], moved as these are.
    Spans {
        /// The points.
        points: Vec<Point>,
        /// Shift downwards, in places.
        shift: f64,
    },
    /// Many markers (x, y) without intervals.
    Cloud(Vec<[f64; 2]>),
    /// A horizontal line at a height.
    Level(f64),
    /// A vertical line at a place.
    Upright(f64),
    /// A heat map over two axes of names: `values[row][column]`. The series' name is that of the colour scale.
    Cells(Vec<Vec<f64>>),
}

/// An estimate at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Place along the axis that is not estimated.
    pub at: f64,
    /// The estimate.
    pub value: f64,
    /// Its interval; the figure's note says which.
    pub interval: Option<Interval>,
}

impl Point {
    /// A point without an interval.
    pub fn bare(at: f64, value: f64) -> Self {
        Self { at, value, interval: None }
    }
}

impl Shape {
    /// Every (x, y) that the axes must reach.
    pub(crate) fn extent(&self) -> Vec<[Option<f64>; 2]> {
        let ends = |p: &Point| {
            let Interval { lo, hi } = p.interval.unwrap_or(Interval { lo: p.value, hi: p.value });
            [p.value, lo, hi]
        };
        match self {
            Self::Curve(points) | Self::Columns { points, .. } => {
                points.iter().flat_map(|p| ends(p).map(|v| [Some(p.at), Some(v)])).collect()
            }
            Self::Rows { points, .. } | Self::Spans { points, .. } => {
                points.iter().flat_map(|p| ends(p).map(|v| [Some(v), Some(p.at)])).collect()
            }
            Self::Cloud(points) => points.iter().map(|p| p.map(Some)).collect(),
            Self::Level(y) => vec![[None, Some(*y)]],
            Self::Upright(x) => vec![[Some(*x), None]],
            Self::Cells(_) => vec![],
        }
    }
}

//! From data to places on the page: the range of an axis, its ticks and their labels.

use super::description::{Axis, AxisScale, Figure, Panel};
use judge_uncertainty_system::numbers::NumberStyle;

/// A place along an axis with its label.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Place in the data's unit.
    pub at: f64,
    /// Label.
    pub text: String,
}

/// An axis whose range is settled.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisRange {
    /// Lowest place.
    pub lo: f64,
    /// Highest place.
    pub hi: f64,
    /// Names rather than numbers.
    pub names: bool,
}

/// Share of the span left free beyond the outermost data.
const MARGIN: f64 = 0.04;
/// Values nearer to each other than this share of their size are one to an axis.
const CLOSEST: f64 = 1e-12;
/// So are values nearer than this, whose distance can't be divided into ticks.
const NARROWEST: f64 = 1e-290;

impl AxisRange {
    /// The horizontal range of a panel.
    pub fn across(panel: &Panel) -> Self {
        Self::new(&panel.x, panel.series.iter().flat_map(|s| s.shape.extent()).filter_map(|place| place[0]))
    }

    /// The vertical range of a panel; it covers the data of all panels with the same axis.
    pub fn up(panel: &Panel, figure: &Figure) -> Self {
        let sharing = figure.panels.iter().filter(|other| other.y == panel.y);
        let series = sharing.flat_map(|other| &other.series);
        Self::new(&panel.y, series.flat_map(|s| s.shape.extent()).filter_map(|place| place[1]))
    }

    fn new(axis: &Axis, data: impl Iterator<Item = f64>) -> Self {
        let include = match &axis.scale {
            AxisScale::Names(names) => return Self { lo: -0.5, hi: names.len() as f64 - 0.5, names: true },
            AxisScale::Numbers { include } => include,
        };
        let all: Vec<f64> = data.chain(include.iter().copied()).filter(|v| v.is_finite()).collect();
        let (lo, hi) = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        if lo > hi {
            return Self { lo: 0.0, hi: 1.0, names: false };
        }
        // One value, or values that no axis can tell apart: a span around them that has room for its parts.
        let size = lo.abs().max(hi.abs());
        if hi - lo <= size * CLOSEST || hi - lo < NARROWEST {
            let half = f64::max(0.5, size * CLOSEST);
            return Self { lo: lo - half, hi: hi + half, names: false };
        }
        let margin = MARGIN * (hi - lo);
        let free = |end: f64| if include.contains(&end) { 0.0 } else { margin };
        Self { lo: lo - free(lo), hi: hi + free(hi), names: false }
    }

    /// Share of the way from the lowest to the highest place.
    pub fn share(&self, value: f64) -> f64 {
        (value - self.lo) / (self.hi - self.lo)
    }

    /// Labelled places: every name, or round numbers, at most `most` of them (and at least two).
    pub fn ticks(&self, axis: &Axis, most: usize) -> Vec<Tick> {
        match &axis.scale {
            AxisScale::Names(names) => {
                names.iter().enumerate().map(|(k, name)| Tick { at: k as f64, text: name.clone() }).collect()
            }
            AxisScale::Numbers { .. } => round_numbers(self.lo, self.hi, most.max(2)),
        }
    }
}

/// A panel's data area on the page and the ranges of its axes.
pub struct Area {
    /// Left edge.
    pub left: f64,
    /// Right edge.
    pub right: f64,
    /// Upper edge.
    pub top: f64,
    /// Lower edge.
    pub bottom: f64,
    /// Horizontal range.
    pub x: AxisRange,
    /// Vertical range.
    pub y: AxisRange,
}

impl Area {
    /// Horizontal place on the page.
    pub fn x(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * self.x.share(value)
    }

    /// Vertical place on the page; numbers rise upwards, names run downwards.
    pub fn y(&self, value: f64) -> f64 {
        let share = if self.y.names { self.y.share(value) } else { 1.0 - self.y.share(value) };
        self.top + (self.bottom - self.top) * share
    }
}

/// Multiples of 1, 2 or 5 times a power of ten between two ends, at most `most` of them.
pub fn round_numbers(lo: f64, hi: f64, most: usize) -> Vec<Tick> {
    let smallest = (hi - lo) / most as f64;
    let mut power = smallest.log10().floor() as i32;
    loop {
        for digit in [1.0, 2.0, 5.0] {
            let step = digit * 10f64.powi(power);
            // A tick at the very end must not be lost to rounding.
            let (first, last) = ((lo / step - 1e-9).ceil() as i64, (hi / step + 1e-9).floor() as i64);
            if (last - first + 1) as usize <= most {
                let style = NumberStyle::plain(i8::try_from(-power).unwrap_or(0).max(0));
                return (first..=last)
                    .map(|k| Tick { at: k as f64 * step, text: signed(&style.format(k as f64 * step)) })
                    .collect();
            }
        }
        power += 1;
    }
}

/// A number with a true minus sign in place of the hyphen, and none before zero.
pub fn signed(number: &str) -> String {
    match number.strip_prefix('-') {
        Some(zero) if zero.chars().all(|c| matches!(c, '0' | '.')) => zero.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(lo: f64, hi: f64, most: usize) -> Vec<String> {
        round_numbers(lo, hi, most).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn ticks_are_round_and_never_too_many() {
        assert_eq!(labels(0.0, 1.0, 6), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-12.0, 21.0, 5), ["−10", "0", "10", "20"]);
        assert_eq!(labels(0.0, 3113.0, 4), ["0", "1000", "2000", "3000"]);
        assert_eq!(labels(0.98, 1.02, 3), ["0.98", "1.00", "1.02"]);
        for most in 2..12 {
            let n = labels(-0.37, 8.1, most).len();
            assert!((1..=most).contains(&n), "{n} ticks for {most}");
        }
    }

    #[test]
    fn an_axis_ends_at_an_included_number_and_leaves_room_beyond_data() {
        let range = |include: &[f64], data: &[f64]| AxisRange::new(&Axis::numbers("x", include), data.iter().copied());
        assert_eq!(range(&[0.0], &[5.0, 10.0]), AxisRange { lo: 0.0, hi: 10.4, names: false });
        assert_eq!(range(&[0.0], &[-10.0, 10.0]), AxisRange { lo: -10.8, hi: 10.8, names: false });
        assert_eq!(range(&[], &[3.0]), AxisRange { lo: 2.5, hi: 3.5, names: false });
        assert_eq!(range(&[], &[]), AxisRange { lo: 0.0, hi: 1.0, names: false });
    }

    #[test]
    fn values_that_no_axis_can_tell_apart_get_one_all_the_same() {
        let axis = Axis::numbers("x", &[]);
        for data in [[0.0, 5e-324], [1e-300, -1e-300], [1e300, 1e300], [1e15, 1e15 + 0.125], [-1e70, -1e70]] {
            let range = AxisRange::new(&axis, data.into_iter());
            let ticks = range.ticks(&axis, 5).len();
            assert!((2..=5).contains(&ticks), "{data:?}: {range:?}, {ticks} ticks");
            assert!(data.iter().all(|x| (0.4..=0.6).contains(&range.share(*x))), "{data:?}: {range:?}");
        }
    }
}

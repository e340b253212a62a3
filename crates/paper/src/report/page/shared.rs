//! What the sections have in common: figures to be placed, numbers as text.

use std::collections::BTreeMap;

use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_page::FigureBlock;
use judge_uncertainty_system::numbers::NumberStyle;

/// Figures not yet placed, by name.
pub(super) type Figures = BTreeMap<String, FigureBlock>;

/// A number with fixed decimals.
pub(super) fn fixed(value: f64, decimals: i8) -> String {
    NumberStyle::plain(decimals).format(value)
}

/// A difference, with its sign.
pub(super) fn signed(value: f64, decimals: i8) -> String {
    NumberStyle { plus: true, ..NumberStyle::plain(decimals) }.format(value)
}

/// A count, with commas.
pub(super) fn count(value: usize) -> String {
    // Counts of items and replicates are far below 2^53.
    NumberStyle { thousands: true, ..NumberStyle::plain(0) }.format(value as f64)
}

/// A mean with its central interval: `0.45 [0.32, 0.55]`.
pub(super) fn with_interval(summary: &Summary, decimals: i8) -> String {
    interval(summary, NumberStyle::plain(decimals))
}

/// A mean difference with its central interval: `+6.9 [+1.9, +12.5]`.
pub(super) fn difference(summary: &Summary, decimals: i8) -> String {
    interval(summary, NumberStyle { plus: true, ..NumberStyle::plain(decimals) })
}

fn interval(summary: &Summary, style: NumberStyle) -> String {
    format!("{} [{}, {}]", style.format(summary.mean), style.format(summary.lo), style.format(summary.hi))
}

//! Pieces of a study's page.

use super::lines::Line;
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_figures::axis::signed;
use judge_uncertainty_page::{Block, FigureBlock, KeyNumber, Section, Text, Tone};
use judge_uncertainty_system::numbers::{NumberStyle, three};

/// A section.
pub(super) fn section(id: &str, title: &str, blocks: Vec<Block>) -> Section {
    Section { id: id.to_owned(), title: title.to_owned(), folded: false, blocks }
}

/// A number in large type.
pub(super) fn number(value: String, label: &str, tone: Tone) -> KeyNumber {
    KeyNumber { value, label: label.to_owned(), tone }
}

/// The figure of a name, if the results have it.
pub(super) fn figure(figures: &[Figure], name: &str) -> Option<Block> {
    figures.iter().find(|figure| figure.name == name).map(|figure| Block::Figure(FigureBlock::new(figure)))
}

/// The figures of these names that the results have.
pub(super) fn some_figures(figures: &[Figure], names: &[&str]) -> impl Iterator<Item = Block> {
    names.iter().filter_map(|name| figure(figures, name)).collect::<Vec<_>>().into_iter()
}

/// A number in a table.
pub(super) fn show(value: f64) -> String {
    signed(&three(value))
}

/// A number in a table, or a dash where it is undefined.
pub(super) fn show_some(value: Option<f64>) -> String {
    value.map_or_else(|| "—".to_owned(), show)
}

/// An estimate with its interval.
pub(super) fn with_interval(value: f64, interval: Interval) -> String {
    format!("{} {}", show(value), brackets(interval))
}

/// An interval.
pub(super) fn brackets(interval: Interval) -> String {
    format!("[{}, {}]", show(interval.lo), show(interval.hi))
}

/// A share as a whole percentage.
pub(super) fn percent(share: f64) -> String {
    format!("{}%", NumberStyle::plain(0).format(100.0 * share))
}

/// The sentences of a description; its rows are tables of their own on a page.
pub(super) fn sentences(lines: &[Line]) -> Block {
    let sentence = |line: &Line| match line {
        Line::Sentence(text) => Some(Text::plain(text.as_str())),
        Line::Lead(_) | Line::Row(_) => None,
    };
    Block::List(lines.iter().filter_map(sentence).collect())
}

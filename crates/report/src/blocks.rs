//! Pieces of a study's page, and how they name and write what was found.

use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::stats::{Estimable, Interval, ItemEstimate};
use judge_uncertainty_evaluation::held_out::{Given, Score};
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::figures::show;
use judge_uncertainty_page::prose::Line;
use judge_uncertainty_page::{Block, FigureBlock, KeyNumber, Section, Text, Tone};
use judge_uncertainty_system::numbers::three;

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

/// An estimate with its interval.
pub(super) fn with_interval(value: f64, interval: Interval) -> String {
    format!("{} {}", show(value), brackets(interval))
}

/// An interval.
pub(super) fn brackets(interval: Interval) -> String {
    format!("[{}, {}]", show(interval.lo), show(interval.hi))
}

/// The sentences of a description; its rows are tables of their own on a page.
pub(super) fn sentences(lines: Vec<Line>) -> Block {
    Block::List(lines.into_iter().filter_map(Line::into_sentence).map(Text::plain).collect())
}

/// What a score is called.
pub(super) fn score_name(score: Score) -> &'static str {
    match score {
        Score::Log => "log score",
        Score::Brier => "Brier score",
        Score::Crps => "ranked probability score",
        Score::Squared => "squared error",
        Score::Coverage => "coverage of 90% intervals",
    }
}

/// What a prediction is called.
pub(super) fn prediction_name(name: &str, given: Given) -> String {
    let called = match name {
        "judge" => return "judge".to_owned(),
        "base_rate" => return "base rate, without a judge".to_owned(),
        "published" => "published belief",
        "auto" => "belief with the chosen map",
        map if MapName::try_from(map).is_ok() => &format!("belief by the map {map}"),
        other => other,
    };
    match given {
        Given::NoLabel => format!("{called}, no label of the item"),
        Given::OtherLabels => format!("{called}, the item's other labels"),
    }
}

fn interval_of(estimate: &ItemEstimate) -> String {
    format!("{} [{}, {}]", three(estimate.value), three(estimate.lo), three(estimate.hi))
}

/// An estimate with its interval in a sentence.
pub(super) fn text(estimable: &Estimable) -> String {
    estimable.estimate().map_or_else(|| without_interval(estimable), interval_of)
}

/// The text for an estimate without an interval: the value for these items, if that is known.
pub(super) fn without_interval(estimable: &Estimable) -> String {
    let of_these = |value: f64| format!("{} of these items", three(value));
    estimable.described().map_or_else(|| "not estimable".to_owned(), of_these)
}

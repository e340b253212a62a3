//! The page of the paper's reproduction, filled from its results. No number in it is typed by hand.

mod beyond;
mod limits;
mod machinery;
mod story;
mod verdict;

use super::{FigureBlock, Page, Section, Text};
use crate::artifact::{Manifest, Results};
use crate::escalation::Rule;
use crate::report::figures::{self, look::rule_name};
use crate::report::numbers::NumberStyle;
use crate::report::verdicts::Verdicts;
use crate::stats::Summary;

/// The page: verdict, story, limits, what goes beyond the paper, machinery; an experiment without results is left out.
pub fn page(results: &Results, verdicts: &Verdicts, manifest: &Manifest) -> Page {
    let mut figures = Figures(figures::all(results).iter().map(FigureBlock::of).collect());
    let story = story::section(results, &mut figures);
    let limits = limits::section(results, &mut figures);
    let beyond = beyond::section(results, &mut figures);
    let sections = vec![verdict::section(verdicts), story, limits, beyond, machinery::section(results, manifest)];
    Page {
        title: "Reproduction report".to_owned(),
        lead: Text::plain("What becomes of the numbers of ")
            .then(Text::link(
                "Decomposing LLM-Judge Uncertainty to Target Expert Labels",
                "https://arxiv.org/abs/2609.06444",
            ))
            .then(Text::plain(
                " (Ryan Lail, arXiv 2609.06444) when they are computed again from the judge's published answers: the \
                 verdict on each, what they show, and how they came about.",
            )),
        sections: sections.into_iter().filter(|section: &Section| !section.blocks.is_empty()).collect(),
    }
}

/// Figures not yet placed.
struct Figures(Vec<FigureBlock>);

impl Figures {
    /// Takes out the figure of that name, if the results gave one.
    fn take(&mut self, name: &str) -> Option<FigureBlock> {
        let place = self.0.iter().position(|figure| figure.name == name)?;
        Some(self.0.remove(place))
    }
}

/// A number with fixed decimals.
fn fixed(value: f64, decimals: i8) -> String {
    NumberStyle::plain(decimals).format(value)
}

/// A difference, with its sign.
fn signed(value: f64, decimals: i8) -> String {
    NumberStyle { plus: true, ..NumberStyle::plain(decimals) }.format(value)
}

/// A count, with commas.
fn count(value: usize) -> String {
    // Counts of items and replicates are far below 2^53.
    NumberStyle { thousands: true, ..NumberStyle::plain(0) }.format(value as f64)
}

/// A mean with its central interval: `0.45 [0.32, 0.55]`.
fn with_interval(summary: &Summary, decimals: i8) -> String {
    let [mean, lo, hi] = [summary.mean, summary.lo, summary.hi].map(|x| fixed(x, decimals));
    format!("{mean} [{lo}, {hi}]")
}

/// A mean difference with its central interval: `+6.9 [+1.9, +12.5]`.
fn difference(summary: &Summary, decimals: i8) -> String {
    let [mean, lo, hi] = [summary.mean, summary.lo, summary.hi].map(|x| signed(x, decimals));
    format!("{mean} [{lo}, {hi}]")
}

/// Name of a rule as in the figures, with whose it is.
fn rule_with_origin(rule: Rule) -> String {
    let origin = match rule {
        Rule::Info | Rule::Spread => " (ours)",
        Rule::Delta => " (ours, planned headline)",
        _ => "",
    };
    format!("{}{origin}", rule_name(rule))
}

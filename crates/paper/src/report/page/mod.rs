//! The page of the paper's reproduction, filled from its results. No number in it is typed by hand.

mod limits;
mod machinery;
mod shared;
mod story;
mod verdict;

use shared::Figures;

use crate::artifact::{Manifest, Results};
use crate::figures;
use crate::verdicts::Verdicts;
use judge_uncertainty_page::{FigureBlock, Page, Section, Text};

/// The page: verdict, story, limits, every claim, machinery; an experiment without results
/// is left out.
pub fn page(results: &Results, verdicts: &Verdicts, manifest: &Manifest) -> Page {
    let mut figures: Figures =
        figures::all(results).iter().map(FigureBlock::new).map(|figure| (figure.name.clone(), figure)).collect();
    let story = story::section(results, &mut figures);
    let limits = limits::section(results, &mut figures);
    let (verdict, claims) = (verdict::section(verdicts), verdict::claims(verdicts));
    let sections = vec![verdict, story, limits, claims, machinery::section(results, manifest)];
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

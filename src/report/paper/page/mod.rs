//! The page of the paper's reproduction, filled from its results. No number in it is typed by hand.

mod beyond;
mod limits;
mod machinery;
mod shared;
mod story;
mod verdict;

use shared::Figures;

use crate::artifact::{Manifest, Results};
use crate::output::Staged;
use crate::report::latex::Error;
use crate::report::page::{FILE, Page, Section, Templates, Text};
use crate::report::verdicts::Verdicts;

/// The page: verdict, story, limits, what goes beyond the paper, machinery; an experiment without results is left out.
pub fn page(results: &Results, verdicts: &Verdicts, manifest: &Manifest) -> Page {
    let mut figures = Figures::of(results);
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

/// Adds the page to an artifact folder.
///
/// # Errors
/// A template that asks for something the page does not have.
pub fn write(
    templates: &Templates,
    results: &Results,
    verdicts: &Verdicts,
    manifest: &Manifest,
    staged: &mut Staged,
) -> Result<(), Error> {
    staged.put(FILE, templates.html(&page(results, verdicts, manifest))?);
    Ok(())
}

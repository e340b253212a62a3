//! How registered hypotheses fared, in lines and as a section of the page.

use super::blocks::section;
use super::prose::{lines, paragraph, table};
use judge_uncertainty_page::prose::Line;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, Section};
use judge_uncertainty_study::registration::{Judged, Registered};
use serde_json::json;
use tera::{Context, context};

/// The view of registered hypotheses for templates.
fn view(registered: &Registered) -> Context {
    let hypothesis = |judged: &Judged| {
        let (claim, status) = (judged.hypothesis.claim(), judged.status.word());
        json!({"claim": claim, "status": status, "found": judged.found, "note": judged.note})
    };
    let hypotheses: Vec<_> = registered.hypotheses.iter().map(hypothesis).collect();
    let there = registered.labels_there.min(registered.labels);
    context! { of => registered, hypotheses => &hypotheses, there => &there }
}

/// Each registered hypothesis and how it fared, in a line.
pub(super) fn in_short(registered: &Registered) -> String {
    let of = |one: &Judged| format!("{}: {}", one.hypothesis.claim(), one.status.word());
    registered.hypotheses.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// How the registered hypotheses fared.
///
/// # Errors
/// A template that does not fit.
pub fn describe_registered(registered: &Registered) -> Result<Vec<Line>, Error> {
    lines("registered.txt", &view(registered))
}

/// The section on registered hypotheses.
pub(super) fn registered_section(registered: &Registered) -> Result<Section, Error> {
    // What has to be known before a verdict is read.
    let told = describe_registered(registered)?.into_iter().filter_map(Line::into_sentence);
    let mut blocks: Vec<Block> = told.map(|text| Block::Prose(text.into())).collect();
    blocks.push(Block::Table(table("registered", view(registered))?));
    blocks.push(if registered.deviations.is_empty() {
        Block::Prose(paragraph("no-deviations", Context::new())?)
    } else {
        Block::Table(table("deviations", view(registered))?)
    });
    Ok(section("registered", "Registered hypotheses", blocks))
}

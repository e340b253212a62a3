//! How registered hypotheses fared, in lines and as a section of the page.

use super::blocks::{section, with_interval};
use super::lines::Line;
use super::prose::{lines, paragraph, table};
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, Section};
use judge_uncertainty_study::registration::{Judged, Registered};
use serde_json::json;
use tera::{Context, context};

/// How the registered hypotheses fared.
///
/// # Errors
/// A template that does not fit.
pub fn describe_registered(registered: &Registered) -> Result<Vec<Line>, Error> {
    let hypothesis = |judged: &Judged| {
        let (claim, status) = (judged.hypothesis.claim(), judged.status.word());
        json!({"claim": claim, "status": status, "found": judged.found, "note": judged.note})
    };
    let hypotheses: Vec<_> = registered.hypotheses.iter().map(hypothesis).collect();
    let there = registered.labels_there.min(registered.labels);
    lines("registered.txt", &context! { of => registered, hypotheses => &hypotheses, there => &there })
}

/// What each deviation is, as registered and as found.
fn deviations(registered: &Registered) -> impl Iterator<Item = [String; 3]> {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
    registered.deviations.iter().map(move |d| [d.what.clone(), text(&d.registered), text(&d.found)])
}

/// The section on registered hypotheses.
pub(super) fn registered_section(registered: &Registered) -> Result<Section, Error> {
    // What has to be known before a verdict is read.
    let told = describe_registered(registered)?.into_iter().filter_map(Line::into_sentence);
    let mut blocks: Vec<Block> = told.map(|text| Block::Prose(text.into())).collect();
    let row = |judged: &Judged| {
        let found = judged.found.map_or_else(
            || judged.note.clone().unwrap_or_else(|| "—".to_owned()),
            |(value, interval)| with_interval(value, interval),
        );
        [judged.hypothesis.claim(), found, judged.status.word().to_owned()]
    };
    blocks.push(Block::Table(table("registered", Context::new(), registered.hypotheses.iter().map(row))?));
    if registered.deviations.is_empty() {
        blocks.push(Block::Prose(paragraph("no-deviations", Context::new())?));
    } else {
        blocks.push(Block::Table(table("deviations", Context::new(), deviations(registered))?));
    }
    Ok(section("registered", "Registered hypotheses", blocks))
}

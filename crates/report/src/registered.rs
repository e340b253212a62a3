//! How registered hypotheses fared, in lines and as a section of the page.

use super::blocks::{section, with_interval};
use super::lines::Line;
use judge_uncertainty_page::{Block, Section, Table};
use judge_uncertainty_study::registration::{Judged, Registered};
use judge_uncertainty_system::numbers::three;

/// How the registered hypotheses fared.
pub fn describe_registered(registered: &Registered) -> Vec<Line> {
    let mut lines: Vec<Line> = told(registered).into_iter().map(Line::sentence).collect();
    for judged in &registered.hypotheses {
        let figures = judged.found.map_or_else(String::new, |(value, interval)| {
            format!(": {} [{}, {}]", three(value), three(interval.lo), three(interval.hi))
        });
        let status = judged.status.word().to_uppercase();
        lines.push(Line::Row(format!("  {status:<13} {}{figures}", judged.hypothesis.claim())));
        lines.extend(judged.note.iter().map(|note| Line::Row(format!("                {note}"))));
    }
    let of = |[what, then, now]: [String; 3]| format!("  DEVIATION     {what}: registered {then}, found {now}");
    lines.extend(deviations(registered).map(of).map(Line::Row));
    lines
}

/// What each deviation is, as registered and as found.
fn deviations(registered: &Registered) -> impl Iterator<Item = [String; 3]> {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
    registered.deviations.iter().map(move |d| [d.what.clone(), text(&d.registered), text(&d.found)])
}

/// What has to be known of the registration and the labels before a verdict is read.
fn told(registered: &Registered) -> Vec<String> {
    let mut told = vec![format!(
        "Registered {} (digest {}): {} hypotheses, whose intervals hold together with probability {}; all other findings \
         are exploratory.",
        registered.registered,
        &registered.digest[..12.min(registered.digest.len())],
        registered.hypotheses.len(),
        registered.level
    )];
    let (seen, all) = (registered.labels_there.min(registered.labels), registered.labels);
    match seen {
        0 => {}
        seen if seen == all => told.push(format!(
            "All {all} labels were there at registration and may have been seen before: no label is new, so whether \
             this was a test is for whoever registered to show."
        )),
        seen => {
            told.push(format!("{seen} of the {all} labels were there at registration and may have been seen before."))
        }
    }
    if let Some(announced) = registered.announced.filter(|announced| registered.labels < *announced) {
        told.push(format!(
            "The plan announced {announced} labels and {} are there: an interim look, which decides nothing.",
            registered.labels
        ));
    }
    let looks = "Intervals hold for one look at these hypotheses, and earlier looks can't be told: each is another chance of a \
                 false verdict.";
    told.push(looks.to_owned());
    told
}

/// The section on registered hypotheses.
pub(super) fn registered_section(registered: &Registered) -> Section {
    let mut blocks: Vec<Block> = told(registered).into_iter().map(|text| Block::Prose(text.into())).collect();
    let row = |judged: &Judged| {
        let found = judged.found.map_or_else(
            || judged.note.clone().unwrap_or_else(|| "—".to_owned()),
            |(value, interval)| with_interval(value, interval),
        );
        [judged.hypothesis.claim(), found, judged.status.word().to_owned()]
    };
    let table = Table::new(
        "table-registered",
        "Registered hypotheses and how they fared",
        "lrl",
        &["claim", "found", "verdict"],
        registered.hypotheses.iter().map(row),
    )
    .with_note("Confirmed: the interval lies within the claim; refuted: wholly outside; otherwise open.");
    blocks.push(Block::Table(table));
    if registered.deviations.is_empty() {
        let none = "No deviations: inputs and settings are those that were registered, except for labels that were \
                    added since.";
        blocks.push(Block::Prose(none.into()));
    } else {
        let (heads, rows) = (["what", "registered", "found"], deviations(registered));
        let table = Table::new("table-deviations", "Deviations from the registration", "lll", &heads, rows);
        blocks.push(Block::Table(
            table.with_note("With any of these, the hypotheses were not tested as they were frozen."),
        ));
    }
    section("registered", "Registered hypotheses", blocks)
}

//! How registered hypotheses fared, in lines and as a section of the page.

use super::blocks::{brackets, section, show_some, with_interval};
use super::lines::Line;
use crate::figures::hypotheses::{self, measured};
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::{Block, FigureBlock, Section, Table, Text};
use judge_uncertainty_study::registration::hypothesis::{About, JudgedHypothesis};
use judge_uncertainty_study::registration::registered::Registered;
use judge_uncertainty_system::numbers::three;

/// How the registered hypotheses fared.
pub fn describe_registered(registered: &Registered) -> Vec<Line> {
    let mut lines = vec![Line::sentence(format!(
        "Registered {} (digest {}): {} hypotheses; intervals for new items hold together with probability {}.",
        registered.registered,
        &registered.digest[..12.min(registered.digest.len())],
        registered.family,
        registered.level
    ))];
    lines.extend(told(registered).into_iter().map(Line::sentence));
    for h in &registered.hypotheses {
        let status = h.word().to_uppercase();
        let figures = match (h.difference, h.adjusted) {
            (Some(difference), Some(adjusted)) => format!(
                ": {} [{}, {}] against {}",
                three(difference),
                three(adjusted.lo),
                three(adjusted.hi),
                h.hypothesis.claimed()
            ),
            _ => String::new(),
        };
        let otherwise = h
            .if_as_registered
            .map_or_else(String::new, |status| format!(" ({} if this had been tested as registered)", h.said(status)));
        lines.push(Line::Row(format!("  {status:<12} {}{figures}{otherwise}", h.hypothesis.id)));
        lines.extend(h.note.iter().map(|note| Line::Row(format!("               {note}"))));
    }
    for e in &registered.excluded {
        lines.push(Line::Row(format!("  EXCLUDED     {}: {}", e.id, e.reason)));
    }
    for d in &registered.deviations {
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
        lines.push(Line::Row(format!(
            "  DEVIATION    {} {}: registered {}, found {}",
            d.kind,
            d.name,
            text(&d.registered),
            text(&d.found)
        )));
    }
    let exploratory = registered.comparisons.iter().filter(|c| !c.registered).count();
    lines.push(Line::Row(format!("  {exploratory} other comparisons in the results are exploratory.")));
    lines
}

/// What has to be known of the labels and of earlier looks before a verdict is read.
fn told(registered: &Registered) -> Vec<String> {
    let mut told = vec![];
    if let Some(there) = registered.labels_there.as_ref().filter(|there| there.labels > 0) {
        let (seen, all) = (there.labels.min(registered.labels), registered.labels);
        told.push(match seen == all {
            true => format!(
                "All {all} labels were there at registration and may have been seen before: no label is new, so \
                 whether this was a test is for whoever registered to show."
            ),
            false => format!("{seen} of the {all} labels were there at registration and may have been seen before."),
        });
    }
    if registered.hypotheses.iter().any(|one| matches!(one.hypothesis.about, About::Share { .. })) {
        told.push("A share is what the annotators at hand would say of all items, not others.".to_owned());
    }
    if let Some(announced) = registered.announced.filter(|announced| registered.labels < *announced) {
        told.push(format!(
            "The plan announced {announced} labels and {} are there: an interim look, which decides nothing.",
            registered.labels
        ));
    }
    if registered.look > 1 {
        told.push(format!(
            "This is look {} at these hypotheses. Intervals hold for one look; each further one is another chance of a \
             false verdict.",
            registered.look
        ));
    }
    told
}

/// The section on registered hypotheses.
pub(super) fn registered_section(registered: &Registered, figures: &[Figure]) -> Section {
    let mut blocks = vec![Block::Prose(
        format!(
            "Registered {} under the digest {}: a family of {} hypotheses, whose intervals for new items hold together \
             with probability {} (max-t). {} other comparisons in the results are exploratory.",
            registered.registered,
            registered.digest,
            registered.family,
            registered.level,
            registered.comparisons.iter().filter(|c| !c.registered).count()
        )
        .into(),
    )];
    blocks.extend(told(registered).into_iter().map(|text| Block::Prose(text.into())));
    blocks.push(Block::Table(hypotheses_table(registered)));
    let own = figures.iter().filter(|figure| figure.name.starts_with(hypotheses::NAME));
    let drawn: Vec<Block> = own.map(|figure| Block::Figure(FigureBlock::new(figure))).collect();
    if drawn.is_empty() {
        blocks.push(Block::Prose("There is no figure of the hypotheses, for none of them has an interval.".into()));
    }
    blocks.extend(drawn);
    let list = |title: &str, points: Vec<Text>| match points.is_empty() {
        true => vec![],
        false => vec![Block::Heading(title.to_owned()), Block::List(points)],
    };
    let said = |h: &JudgedHypothesis| {
        let note = h.note.as_ref().map_or(String::new(), |note| format!(" (Note: {note}.)"));
        Text::plain(format!("{}: {}{note}", h.hypothesis.id, h.hypothesis.statement))
    };
    let plain = |texts: &[String]| texts.iter().map(|text| Text::plain(text.as_str())).collect();
    blocks.extend(list("The hypotheses in words", registered.hypotheses.iter().map(said).collect()));
    blocks.extend(list("What was to be left out", plain(&registered.exclusions)));
    blocks.extend(list("What had been seen before", plain(&registered.seen)));
    blocks.push(if registered.deviations.is_empty() {
        Block::Prose(
            "There are no deviations: inputs and settings are those that were registered, but for labels that came \
             since."
                .into(),
        )
    } else {
        Block::Table(deviations(registered))
    });
    section("registered", "Registered hypotheses", blocks)
}

fn hypotheses_table(registered: &Registered) -> Table {
    let row = |j: &JudgedHypothesis| {
        let h = &j.hypothesis;
        let what = measured(&h.about).1;
        [
            h.id.clone(),
            match &h.about {
                About::Rules(of) => format!(
                    "{} against {}: {what} at {}%",
                    of.better.row().in_studies(),
                    of.than.row().in_studies(),
                    of.budget.in_percent()
                ),
                About::Judge(than) => format!("judge against that of {}: {what}", than.display()),
                About::Share { of, queue } => format!("share of {of} by the answers to {}", queue.display()),
            },
            h.claimed().trim_start_matches("a margin of ").trim_start_matches("a claim of ").to_owned(),
            match (j.difference, j.adjusted) {
                (Some(difference), Some(adjusted)) => with_interval(difference, adjusted),
                (difference, _) => show_some(difference),
            },
            j.interval.map_or_else(|| "—".to_owned(), brackets),
            match j.if_as_registered {
                None => j.word(),
                Some(status) => format!("{} ({} if tested as registered)", j.word(), j.said(status)),
            },
        ]
    };
    Table::new(
        "table-registered",
        "Registered hypotheses and how they fared",
        "llrrrl",
        &["hypothesis", "comparison", "margin", "difference [adjusted]", "[not adjusted]", "verdict"],
        registered.hypotheses.iter().map(row),
    )
    .with_note(
        "Differences are signed so that positive favours what is named first. Confirmed: the adjusted interval, if \
         it is for new items, lies wholly above the margin, or in the range that is claimed; refuted: wholly \
         outside; otherwise inconclusive.",
    )
}

/// What the run does otherwise than registered.
fn deviations(registered: &Registered) -> Table {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
    let rows =
        registered.deviations.iter().map(|d| [d.kind.to_string(), d.name.clone(), text(&d.registered), text(&d.found)]);
    Table::new(
        "table-deviations",
        "Deviations from the registration",
        "llll",
        &["kind", "what", "registered", "found"],
        rows,
    )
    .with_note("With any of these, the hypotheses were not tested as they were frozen.")
}

//! Labels by the traits of those who gave them, as a section of the page.

use super::blocks::section;
use super::held_out::cell;
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_page::{Block, Section, Table};
use judge_uncertainty_study::evaluate::OrReason;
use judge_uncertainty_study::results::annotators::{Trait, TraitGroup, TraitsReport};

/// With more classes than this their shares are in the results only.
const MOST_CLASSES: usize = 7;

/// What all intervals here are.
const INTERVALS: &str = "Intervals are 95% ones, each on its own, for new items labelled by these annotators, and \
                         where it is said by other people of the same trait as well; of twenty such intervals one \
                         misses on average. Annotators may have labelled different items; the difference \
                         to the others is over the items that both labelled.";

fn measure(group: &TraitGroup) -> &Estimable {
    group.agreement.as_ref().or(group.deviation.as_ref()).unwrap_or(&group.against_others)
}

fn name(group: &TraitGroup) -> String {
    group.value.clone().unwrap_or_else(|| "not stated".to_owned())
}

fn trait_table(number: usize, told: &Trait) -> Table {
    let on_scale = told.groups.iter().any(|group| group.deviation.is_some());
    let classes = told.groups.first().map_or(&[][..], |group| &group.shares);
    let classes = if classes.len() <= MOST_CLASSES { classes } else { &[] };
    let rows = told.groups.iter().map(|group| {
        let counts = [group.annotators, group.labels, group.items].map(|n| n.to_string());
        let shares = group.shares.iter().take(classes.len()).map(|one| cell(&one.share));
        let others = group.with_others.as_ref().map_or_else(String::new, cell);
        let measured = [cell(measure(group)), others, cell(&group.against_others)];
        std::iter::once(name(group)).chain(counts).chain(measured).chain(shares).collect::<Vec<_>>()
    });
    let heads = [
        told.name.as_str(),
        "annotators",
        "labels",
        "items",
        if on_scale { "above the judge" } else { "agreement with the judge" },
        "with other people of the trait as well",
        "minus the others'",
    ];
    let shares: Vec<String> = classes.iter().map(|one| format!("share of {}", one.class)).collect();
    let heads: Vec<&str> = heads.into_iter().chain(shares.iter().map(String::as_str)).collect();
    let caption = format!("Labels by {} of the annotator, with 95% intervals for new items", told.name);
    Table::new(&format!("table-annotators-{number}"), caption, "lr", &heads, rows).with_note(note(told, on_scale))
}

fn note(told: &Trait, on_scale: bool) -> String {
    let meant = match on_scale {
        true => "Above the judge: mean of labels less the judge's mean, in units of the scale.",
        false => "Agreement: share of labels that are the judge's likeliest class.",
    };
    let left_out = match told.left_out {
        0 => String::new(),
        1 => " One further value has fewer labels and is left out.".to_owned(),
        n => format!(" {n} further values have fewer labels and are left out."),
    };
    format!("{meant} Means over items.{left_out}{}", reasons(told))
}

/// Why numbers are not estimable, each reason once with the values that it holds for.
fn reasons(told: &Trait) -> String {
    let mut found: Vec<(&str, Vec<String>)> = vec![];
    for group in &told.groups {
        for estimable in [measure(group), &group.against_others]
            .into_iter()
            .chain(&group.with_others)
            .chain(group.shares.iter().map(|s| &s.share))
        {
            let Some(reason) = estimable.reason() else { continue };
            match found.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, names)) if names.contains(&name(group)) => {}
                Some((_, names)) => names.push(name(group)),
                None => found.push((reason, vec![name(group)])),
            }
        }
    }
    let of = |(reason, names): (&str, Vec<String>)| format!(" Not estimable for {}: {reason}.", names.join(", "));
    found.into_iter().map(of).collect()
}

fn told(report: &TraitsReport) -> String {
    let unknown = match report.unknown {
        0 => String::new(),
        n => format!(", of whom {n} are not in the file about them"),
    };
    format!("{} annotators{unknown}. {INTERVALS}", report.annotators)
}

/// The section on the annotators.
pub(super) fn annotators_section(by_trait: &OrReason<TraitsReport>) -> Section {
    let blocks = match by_trait {
        OrReason::NotEstimable { not_estimable } => {
            vec![Block::Prose(format!("Not estimable: {not_estimable}.").into())]
        }
        OrReason::Found(report) => {
            let tables = report.traits.iter().zip(1..).map(|(told, number)| Block::Table(trait_table(number, told)));
            std::iter::once(Block::Prose(told(report).into())).chain(tables).collect()
        }
    };
    section("annotators", "By traits of the annotators", blocks)
}

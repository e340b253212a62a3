//! Whether the belief is as sure as labels allow, in sentences and as a table.

use super::blocks::show_some;
use super::held_out::{cell, prediction_name, text};
use judge_uncertainty_evaluation::held_out::Given;
use judge_uncertainty_page::{Block, Table};
use judge_uncertainty_study::evaluate::belief_check::{BeliefCheck, BeliefVerdict, CheckedError, Within};
use judge_uncertainty_system::numbers::three;

fn named(name: &str) -> String {
    let called = prediction_name(name, Given::NoLabel);
    called.split(',').next().unwrap_or_default().to_owned()
}

fn errors(one: &CheckedError) -> String {
    let foreseen = one.foreseen.map_or_else(|| "not estimable".to_owned(), three);
    format!("foreseen {foreseen}, found in labels {}", text(&one.found))
}

/// What is wrong with a belief that labels contradict, and what to do.
pub(super) fn warning(check: &BeliefCheck) -> Option<String> {
    let times = |one: &CheckedError| Some(one.found.estimate()?.value / one.foreseen?);
    let worst = [&check.before_labels, &check.after_labels].into_iter().filter(|one| one.contradicted() != 0);
    let times =
        worst.filter_map(times).fold(None, |found: Option<f64>, times| Some(found.map_or(times, |t| t.max(times))));
    // Without bias an error may come out below 0, which is no multiple.
    let error = match times {
        Some(times) if times > 0.0 => format!("its squared error is {} times what it foresees", three(times)),
        _ => "labels show none of the squared error that it foresees".to_owned(),
    };
    match check.verdict {
        BeliefVerdict::TooSure => {
            let remedy = match &check.instead {
                Some(instead) => format!(
                    "Take the {} ([trust] belief): it foresees {}, labels show {}, and nothing contradicts it",
                    named(&instead.belief),
                    three(instead.foreseen),
                    three(instead.found)
                ),
                None => "No belief that was scored is free of it: try belief = \"auto\" in [trust], or name features \
                         and groups that tell where the judge errs"
                    .to_owned(),
            };
            Some(format!(
                "WARNING: the belief is TOO SURE here: {error}, so epistemic parts, credible intervals and label \
                 values are too small. {remedy}."
            ))
        }
        BeliefVerdict::TooUnsure => Some(format!(
            "WARNING: the belief is less sure than it could be here: {error}, so epistemic parts and credible \
             intervals are too large."
        )),
        BeliefVerdict::NotContradicted | BeliefVerdict::NotEstimable => None,
    }
}

/// Whether the belief is true here.
pub(super) fn sentences(check: &BeliefCheck) -> Vec<String> {
    let name = named(&check.belief);
    if let (BeliefVerdict::NotEstimable, Some(reason)) = (check.verdict, check.before_labels.found.reason()) {
        return vec![format!("Not estimable: whether the {name} is as sure as labels allow: {reason}.")];
    }
    let within: Vec<String> =
        check.within.iter().map(|one| format!("{} in its {}% interval", text(&one.share), 100.0 * one.level)).collect();
    let mut said = vec![format!(
        "Is the {name} true here? Its squared error before an item's labels: {}; after the item's other labels: {}. \
         Share of items with their labels {}.",
        errors(&check.before_labels),
        errors(&check.after_labels),
        within.join(", ")
    )];
    said.extend(warning(check));
    let off: Vec<String> = check
        .groups
        .iter()
        .filter(|one| one.contradicted() != 0)
        .map(|one| format!("{:?} ({})", one.group.as_deref().unwrap_or_default(), errors(one)))
        .collect();
    if !off.is_empty() {
        let all = check.groups.len();
        said.push(format!(
            "In {} of {all} groups its error clearly differs from what it foresees (one in 20 by chance): {}.",
            off.len(),
            off.join(", ")
        ));
    }
    said
}

/// The error foreseen and the one that labels show, over all items, by group, and by tenths.
pub(super) fn table(check: &BeliefCheck) -> Block {
    let row = |what: String, one: &CheckedError, within: Option<&Within>| {
        let within = within.map_or_else(|| "—".to_owned(), |within| cell(&within.share));
        vec![what, one.items.to_string(), show_some(one.foreseen), cell(&one.found), cell(&one.beyond), within]
    };
    let mut rows = vec![
        row("all, before their labels".to_owned(), &check.before_labels, check.within.last()),
        row("all, after their other labels".to_owned(), &check.after_labels, None),
    ];
    let of_groups = check.groups.iter();
    rows.extend(of_groups.map(|one| row(one.group.clone().unwrap_or_default(), one, one.within.last())));
    let within = check.within.last().map_or(&[][..], |within| &within.tenths);
    rows.extend(check.before_labels.tenths.iter().enumerate().map(|(k, point)| {
        let foreseen = format!("those with about {} foreseen", three(point.predicted));
        let within = within.get(k).map_or_else(|| "—".to_owned(), |within| cell(&within.observed));
        let shown = [three(point.predicted), cell(&point.observed), "—".to_owned(), within];
        [vec![foreseen, point.items.to_string()], shown.to_vec()].concat()
    }));
    Block::Table(
        Table::new(
            "table-belief-check",
            "The squared error that the belief foresees, and the one that labels show",
            "lrrrrr",
            &[
                "items",
                "with two labels",
                "foreseen",
                "found in labels",
                "beyond foreseen",
                "labels in its 95% interval",
            ],
            rows,
        )
        .with_note(
            "Above 0 beyond what is foreseen, or below 0.95 in the last column, the belief is too sure. 95% intervals \
             for new items, for a fixed fit to other items; the estimate of the error is unbiased, so it may be \
             below 0.",
        ),
    )
}

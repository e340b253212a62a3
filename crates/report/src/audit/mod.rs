//! What an audit says, on a terminal and on its page.

mod page;
mod trust;
pub(crate) mod words;

use judge_uncertainty_core::stats::ItemEstimate;
use judge_uncertainty_study::audit::Audit;
use judge_uncertainty_study::audit::columns::{ROLES, Role};
use judge_uncertainty_study::audit::estimate::Labelled;
use judge_uncertainty_study::audit::next::Next;
use judge_uncertainty_study::audit::trust::{OfGroup, Rate, TrustVerdict};

pub use page::audit_page;

use crate::lines::{Line, within};
use trust::{trust_lines, verdict};
use words::{Unit, side};

/// Shares that one line names.
const MOST_NAMED: usize = 4;
/// Notices that a terminal shows; the report has all.
const MOST_NOTICES: usize = 2;

/// What an audit says, the answers first, in at most so many lines of 100 columns; `folder` is that of its study, as
/// the user names it.
pub fn describe_audit(audit: &Audit, folder: &str, most: usize) -> Vec<Line> {
    let mut lines = vec![(0, Line::Lead(counted(audit))), (3, Line::Row(mapping(audit)))];
    let shown = if most == usize::MAX { most } else { MOST_NOTICES };
    let notices = audit.notices.iter().take(shown);
    lines.extend(notices.map(|text| (4, Line::Row(format!("Note: {text}")))));
    lines.push((0, Line::Lead(format!("Can I trust the judge? {}", verdict(audit)))));
    // The first two say how often it agrees and how it errs.
    lines.extend(trust_lines(audit).into_iter().enumerate().map(|(k, text)| (k.min(7) as u8, Line::Row(text))));
    lines.extend(rate_lines(audit).into_iter().enumerate().map(|(k, line)| (2 * u8::from(k > 0), line)));
    lines
        .extend(audit.next.as_ref().into_iter().flat_map(|next| next_lines(next, audit, folder)).map(|line| (0, line)));
    let last = [
        format!("Report: {folder}/report/index.html"),
        format!(
            "Next: judge-uncertainty study {} {folder}",
            if audit.next.is_some() { "labels page" } else { "queue" }
        ),
        format!("      judge-uncertainty study run {folder}"),
    ];
    lines.extend(last.map(|text| (0, Line::Lead(text))));
    within(most, lines)
}

fn counted(audit: &Audit) -> String {
    let labelled = match (audit.labelled, audit.people) {
        (0, _) => "no answer of a person".to_owned(),
        (n, 1) => format!("{n} of them labelled"),
        (n, people) => format!("{n} of them labelled, up to {people} labels each"),
    };
    format!("{} ({}): {} judged rows, {labelled}.", audit.file, audit.format, audit.rows)
}

fn mapping(audit: &Audit) -> String {
    let of = |(role, name): &(Role, &str)| {
        let columns = audit.columns.of(*role);
        (!columns.is_empty()).then(|| format!("{name}={}", columns.join(",")))
    };
    let all: Vec<String> = ROLES.iter().filter_map(of).collect();
    format!("Columns: {} (correct it with --map role=column)", all.join(" "))
}

/// What intervals about all rows rest on, where nobody told how the labelled ones were chosen.
fn condition(audit: &Audit) -> Option<String> {
    let unknown = audit.chosen == Labelled::Unknown
        && audit.trust.verdict != TrustVerdict::Unlike
        && audit.labelled > 0
        && audit.labelled < audit.rows;
    unknown.then(|| {
        "This holds for all rows only if the labelled ones were drawn at random (--labelled random).".to_owned()
    })
}

/// The rate in one line; groups, systems and what it rests on in further ones.
fn rate_lines(audit: &Audit) -> Vec<Line> {
    let unit = Unit::from_audit(audit);
    let mut lines = vec![];
    let shown: Vec<&Rate> = audit.rates.iter().collect();
    match shown[..] {
        [only] => lines.push(Line::Lead(one_rate(audit, only))),
        _ => {
            let of = |rate: &&Rate| format!("{} {}", rate.of, unit.estimable(&rate.corrected));
            let all: Vec<String> = shown.iter().take(MOST_NAMED).map(of).collect();
            let more = if shown.len() > MOST_NAMED { ", ... (report)" } else { "" };
            let text = match audit.labelled {
                0 => shown.iter().map(|rate| format!("{} {}", rate.of, unit.plain(rate.by_judge))).collect::<Vec<_>>(),
                _ => all,
            };
            let what = if audit.labelled == 0 { "by the judge alone" } else { "corrected for the judge's errors" };
            lines.push(Line::Lead(format!("Shares over all {} rows, {what}: {}{more}.", audit.rows, text.join(", "))));
        }
    }
    if let Some(rate) = audit.rates.first().filter(|_| audit.labelled > 0 && audit.rates.len() == 1) {
        lines.extend(groups(unit, &rate.groups, "By group"));
        lines.extend(groups(unit, &rate.systems, "By system"));
        if let Some(found) = rate.difference.as_ref().and_then(|difference| difference.estimate()) {
            let [first, second] = [&rate.systems[0].name, &rate.systems[1].name];
            let size = Unit::of_differences(audit).size(found);
            lines.push(Line::Row(match side(rate.difference.as_ref().unwrap_or(&rate.corrected)) {
                1 => format!("{first} is higher than {second} by {size}."),
                -1 => format!("{second} is higher than {first} by {size}."),
                _ => format!("{first} and {second} are not told apart: they differ by {size}."),
            }));
        }
    }
    lines.extend(condition(audit).map(Line::Row));
    lines
}

fn one_rate(audit: &Audit, rate: &Rate) -> String {
    let unit = Unit::from_audit(audit);
    let what = if audit.classes { format!("Rate of {:?}", rate.of) } else { "Mean".to_owned() };
    let judge = unit.plain(rate.by_judge);
    match rate.corrected.estimate() {
        Some(found) => format!(
            "{what} over all {} rows: {}, corrected for the judge's errors; the judge alone says {judge}.",
            audit.rows,
            unit.estimate(found)
        ),
        None => {
            format!("{what} over all {} rows by the judge alone: {judge}. The labels cannot correct it.", audit.rows)
        }
    }
}

/// A rate in the groups with the lowest and with the highest, where there are two groups and more.
fn groups(unit: Unit, of: &[OfGroup], what: &str) -> Option<Line> {
    let mut all: Vec<(&OfGroup, &ItemEstimate)> =
        of.iter().filter_map(|group| Some((group, group.corrected.estimate()?))).collect();
    all.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let text = |(group, found): &(&OfGroup, &ItemEstimate)| format!("{} {}", group.name, unit.estimate(found));
    let between = all.len().checked_sub(2)?;
    let rest = if between > 0 { format!(" ({between} in between)") } else { String::new() };
    Some(Line::Row(format!("{what}: from {} to {}{rest}.", text(&all[0]), text(&all[between + 1]))))
}

/// The queue, its first rows, and what it would bring.
fn next_lines(next: &Next, audit: &Audit, folder: &str) -> Vec<Line> {
    let mut lines = vec![Line::Lead(format!("Label next: {} rows, in {folder}/queue.", next.queued))];
    for pick in &next.first {
        lines.push(Line::Row(format!("{} (judge: {}): {}", pick.id, pick.judge, pick.why)));
    }
    if let Some(text) = worth(next, audit) {
        lines.push(Line::Lead(text));
    }
    lines
}

fn worth(next: &Next, audit: &Audit) -> Option<String> {
    let mut text = vec![];
    if let (Some(wrong), Some(random)) = (next.expected_wrong, next.expected_wrong_at_random) {
        text.push(format!(
            "the judge is expected to be wrong on {wrong:.0} of these {}, on {random:.0} of as many at random",
            next.queued
        ));
    }
    if let Some(narrowing) = next.narrowing {
        let unit = Unit::from_audit(audit);
        let half = |width: f64| {
            let text = unit.rounded(width, 0.4 * narrowing.now);
            if audit.classes { format!("{text} points") } else { text }
        };
        text.push(format!(
            "{} labels at random would narrow ±{} to ±{}; stop if ±{} is near enough",
            narrowing.labels,
            half(narrowing.now),
            half(narrowing.then),
            half(narrowing.now)
        ));
    }
    if audit.labelled == 0 {
        text.push(
            "these rows are drawn at random, so their labels will tell how good the judge is; have two people label \
             each"
                .to_owned(),
        );
    }
    (!text.is_empty()).then(|| format!("What it would bring: {}.", text.join("; ")))
}

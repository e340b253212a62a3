//! Two studies held against each other, in lines.

use super::held_out::{INTERVALS, score_name, text};
use super::lines::Line;
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_evaluation::held_out::Given;
use judge_uncertainty_study::evaluate::compare::{Compared, PairedScore};
use judge_uncertainty_system::numbers::three;

fn ordinal(which: usize) -> &'static str {
    ["first", "second"][which]
}

fn score_line(one: &PairedScore) -> String {
    let known = match (one.prediction, one.given) {
        ("judge", _) => "",
        (_, Given::NoLabel) => ", no label of the item",
        (_, Given::OtherLabels) => ", the item's other labels",
    };
    let verdict = match one.advantage.estimate() {
        Some(advantage) if advantage.lo > 0.0 => "the FIRST is better",
        Some(advantage) if advantage.hi < 0.0 => "the SECOND is better",
        Some(_) => "the two cannot be told apart",
        None => one.advantage.reason().unwrap_or_default(),
    };
    format!("  {}{known}, {}: {} ({verdict})", one.prediction, score_name(one.score), text(&one.advantage))
}

/// Two studies held against each other.
pub fn describe_comparison(compared: &Compared) -> Vec<Line> {
    let mut lines = vec![];
    for (which, one) in compared.studies.iter().enumerate() {
        let trust = three(one.assumed_trust);
        lines.push(Line::sentence(format!(
            "The {} study: {}, {} belief, a typical prediction counts for {trust} labels.",
            ordinal(which),
            one.title,
            one.belief.replace('_', " ")
        )));
    }
    lines.push(Line::sentence(match &compared.judges_differ {
        Some(what) => format!(
            "The judges differ ({what}). Trust belongs to the judge that it was fitted to: what one is worth says \
             nothing about the other."
        ),
        None => "The judge is the same.".to_owned(),
    }));
    match &compared.not_estimable {
        Some(reason) => lines.push(Line::sentence(format!("Not estimable: which predicts labels better: {reason}."))),
        None => {
            lines.push(Line::Lead(format!(
                "How much lower the first study scores on held-out labels of {} items (above 0 the first is better):",
                compared.scored_items
            )));
            lines.extend(compared.scores.iter().map(score_line).map(Line::Row));
            lines.extend(compared.chosen.clone().map(Line::Sentence));
            lines.push(Line::sentence(INTERVALS));
        }
    }
    let known = |of: &Estimable| of.reason().map_or_else(|| text(of), |reason| format!("not estimable ({reason})"));
    let ranks = &compared.ranks;
    let tenth = three(100.0 * ranks.shared_tenth);
    let tenth = match ranks.shared_tenth_of_new_items.estimate() {
        Some(share) => format!("{tenth} [{}, {}]", three(100.0 * share.lo), three(100.0 * share.hi)),
        None => tenth,
    };
    lines.push(Line::sentence(format!(
        "Rank agreement over {} items (Spearman): {} of the epistemic part, {} of the total; the tenths with most \
         epistemic uncertainty share {tenth}% of their items.",
        compared.items,
        known(&ranks.spearman_epistemic),
        known(&ranks.spearman_total),
    )));
    for (quantity, moved) in &compared.drift {
        let moved = moved.reason().map_or_else(|| text(moved), str::to_owned);
        lines.push(Line::Row(format!("  drift of the judge's {quantity} from first to second: {moved}")));
    }
    if !compared.apart.is_empty() {
        lines.push(Line::Lead("The items on which the judges part most:".to_owned()));
    }
    for item in &compared.apart {
        lines.push(Line::Row(format!(
            "  {}: {} and {}, {} apart",
            item.id,
            item.first,
            item.second,
            three(item.distance)
        )));
    }
    lines
}

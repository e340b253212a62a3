//! How the results beyond the paper are named and set, the same in findings, tables and figures.

use super::registered::AsRegistered;
use crate::experiments::extended::ExtendedResults;
use crate::experiments::extended::confirmation::{Confirmation, Judgement, RegisteredComparison, RegisteredQuantity};
use crate::experiments::extended::exploration::Explored;
use crate::rules::Contender;
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_core::stats::inference::Inference;
use judge_uncertainty_system::numbers::{NumberStyle, three};

pub(super) const TWO: NumberStyle = NumberStyle::plain(2);
pub(super) const THREE: NumberStyle = NumberStyle::plain(3);
pub(super) const FOUR: NumberStyle = NumberStyle::plain(4);
pub(super) const ONE: NumberStyle = NumberStyle::plain(1);
pub(super) const WHOLE: NumberStyle = NumberStyle { thousands: true, ..NumberStyle::plain(0) };
pub(super) const SIGNED_ONE: NumberStyle = NumberStyle { plus: true, ..ONE };
pub(super) const SIGNED_THREE: NumberStyle = NumberStyle { plus: true, ..THREE };
pub(super) const SIGNED_FOUR: NumberStyle = NumberStyle { plus: true, ..FOUR };

/// The sets of items on which the registered comparisons were made, with their names.
pub(crate) fn sets(results: &ExtendedResults) -> Vec<(&'static str, &Confirmation)> {
    let transfers = [("snli_to_mnli", "SNLI to MNLI"), ("mnli_to_snli", "MNLI to SNLI")];
    let transfers = transfers.iter().filter_map(|(key, name)| Some((*name, results.transfer.get(*key)?)));
    std::iter::once(("held-out half", &results.confirmation)).chain(transfers).collect()
}

/// The worlds whose truth is known, by key in the results, with their names.
pub(crate) const WORLDS: [(&str, &str); 6] = [
    ("nothing_miscalibrated", "well calibrated judge"),
    ("overconfident", "overconfident judge"),
    ("misspecified_honest", "misspecified, honest"),
    ("misspecified_uninformative", "misspecified, uninformative"),
    ("dice", "dice, one recalibration"),
    ("dice_by_tier", "dice, one for each tier"),
];

/// A mean with its simultaneous interval.
pub(super) fn simultaneous(x: &Inference, style: NumberStyle) -> String {
    format!(
        "{} [{}, {}]",
        style.format(x.redraws.mean),
        style.format(x.simultaneous_lo),
        style.format(x.simultaneous_hi)
    )
}

/// A mean with its central interval over replicates.
pub(super) fn interval(x: &Summary, style: NumberStyle) -> String {
    format!("{} [{}, {}]", style.format(x.mean), style.format(x.lo), style.format(x.hi))
}

/// Digits of a registered quantity.
pub(super) fn style_of(quantity: RegisteredQuantity) -> NumberStyle {
    match quantity {
        RegisteredQuantity::Error { .. } | RegisteredQuantity::ErrorUnlabelled { .. } => SIGNED_THREE,
        RegisteredQuantity::Advantage { .. } => SIGNED_ONE,
    }
}

/// The verdict of the registered procedure on a set of items, which is the one that counts, and then what the intervals
/// of later make of it, which is exploratory: they were chosen when the first verdicts were known.
pub(super) fn judged(items: &str, verdict: &RegisteredComparison, style: NumberStyle) -> String {
    match AsRegistered::find(items, verdict.quantity) {
        Some(first) => format!("{}; judged again later, exploratory: {}", first.words(), judged_again(verdict, style)),
        None => judged_again(verdict, style),
    }
}

/// What was found with the simultaneous interval and what that makes of the expectation. The plain interval is told
/// where it says something else, and the Monte-Carlo error of the ends where the draws do not settle the verdict.
fn judged_again(verdict: &RegisteredComparison, style: NumberStyle) -> String {
    let x = &verdict.found;
    let found = simultaneous(x, style);
    let plain = format!("[{}, {}]", style.format(x.lo), style.format(x.hi));
    let judged = match verdict.outcome {
        Judgement::Confirmed => format!("{found}, confirmed"),
        Judgement::Suggested => format!("{found}, not confirmed (only the plain interval {plain} leaves out 0)"),
        Judgement::Open => format!("{found}, not confirmed"),
        Judgement::Doubted => {
            format!("{found}, not confirmed (and the plain interval {plain} lies on the other side of 0)")
        }
        Judgement::Refuted => format!("{found}, refuted (on the other side of 0)"),
    };
    match verdict.monte_carlo {
        Some(chance) if !chance.settled => {
            format!("{judged} (its ends have a Monte-Carlo error of {})", three(chance.bound_error))
        }
        _ => judged,
    }
}

/// Whether the draws settle all verdicts, in a sentence.
pub(super) fn chance(results: &ExtendedResults) -> String {
    let all: Vec<&RegisteredComparison> = sets(results).into_iter().flat_map(|(_, set)| &set.verdicts).collect();
    let open = all.iter().filter(|one| !one.monte_carlo.is_some_and(|chance| chance.settled)).count();
    let told = "the Monte-Carlo error of the interval's end nearer to 0 is below a tenth of its distance from 0";
    match open {
        0 => format!("In each of the {} comparisons {told}.", all.len()),
        _ => format!("In {} of the {} comparisons {told}; the others state it.", all.len() - open, all.len()),
    }
}

/// Value at the headline budget.
pub(super) fn value(explored: &Explored, contender: Contender) -> f64 {
    explored.value[&contender][&Budget::HEADLINE].mean
}

pub(super) fn scaled(x: &Summary, by: f64) -> Summary {
    Summary { mean: by * x.mean, se: by * x.se, lo: by * x.lo, hi: by * x.hi }
}

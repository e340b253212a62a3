//! Means over all items, estimated from labels that came back.

use std::collections::BTreeMap;

use super::lines::{Line, MOST_LINES, within};
use judge_uncertainty_core::stats::estimator::LEAST_ANNOTATORS;
use judge_uncertainty_core::stats::{Estimable, ItemEstimate};
use judge_uncertainty_study::findings::words::Unit;
use judge_uncertainty_study::input::labels::Remarked;
use judge_uncertainty_study::input::question::Remark;
use judge_uncertainty_study::queue::estimates::{ALREADY_LABELLED, PoolMean, ResponseCount, WeightedMean};
use judge_uncertainty_system::numbers::three;

/// Quantities that the answer names.
const NAMED: usize = 4;

/// What estimates answer, in few lines, with what is to be `said` of the labels; `study` is its folder, as the user
/// names it.
pub fn estimates_answer(estimates: &[PoolMean], said: &[String], study: &str) -> Vec<Line> {
    let mut lines = vec![];
    for one in estimates.iter().take(NAMED) {
        let (mean, by) = match &one.assisted {
            Some(assisted) => (assisted, "labels and belief together"),
            None => (&one.weighted, "the labels alone"),
        };
        let WeightedMean { mean: value, se: standard_error, low: lo, high: hi, .. } = *mean;
        let found = Unit::Number.estimate(&ItemEstimate { value, standard_error, lo, hi, items: 0 });
        let level = 100.0 * mean.level;
        let quantity = one.quantity.replace('_', " ");
        let text = format!("{quantity} of all items: {found} ({level:.0}% interval, by {by}).");
        lines.push((0, Line::Lead(text)));
        lines.extend(one.if_missing.as_ref().map(|ends| {
            let [lo, hi] = [ends.lo, ends.hi].map(|end| Unit::Number.rounded(end, ends.hi - ends.lo));
            (2, Line::Row(format!("Whatever the missing answers would have said, it is within [{lo}, {hi}].")))
        }));
    }
    if estimates.len() > NAMED {
        lines.push((1, Line::Row(format!("{} further quantities: --details", estimates.len() - NAMED))));
    }
    lines.extend(said.iter().map(|text| (1, Line::Row(text.clone()))));
    lines.push((0, Line::Lead(format!("Next: judge-uncertainty study run {study}"))));
    within(MOST_LINES, lines)
}

/// A mean over all items.
pub fn describe_estimate(estimate: &PoolMean) -> Vec<String> {
    let text = |m: &WeightedMean| format!("{} [{}, {}]", three(m.mean), three(m.low), three(m.high));
    let mut lines = vec![format!("{}: {} from the labels, weighted", estimate.quantity, text(&estimate.weighted))];
    if let Some(reason) = &estimate.not_assisted {
        lines.push(format!("{}: {reason}", estimate.quantity));
    }
    if let Some(assisted) = &estimate.assisted {
        lines.push(format!("{}: {} with the belief's help", estimate.quantity, text(assisted)));
    }
    if let Some(bounds) = &estimate.if_missing {
        let [lo, hi] = [bounds.lo, bounds.hi].map(three);
        lines.push(format!(
            "{}: [{lo}, {hi}] whatever those would have said that did not come back; if labels stay out \
                           because of what they would say, this alone holds",
            estimate.quantity
        ));
    }
    let others = match &estimate.with_other_annotators {
        Estimable::Estimated(found) => {
            let [mean, lo, hi] = [found.value, found.lo, found.hi].map(three);
            format!("{mean} [{lo}, {hi}] with other annotators as well")
        }
        Estimable::NotEstimable { not_estimable, .. } => {
            format!("not estimable with other annotators as well ({not_estimable})")
        }
    };
    lines.push(format!("{}: {others}", estimate.quantity));
    lines
}

/// Whose answers these are, and of whom they say nothing.
pub fn describe_annotators(annotators: usize) -> String {
    let others = match annotators < LEAST_ANNOTATORS {
        true => {
            format!("; a share among all annotators there could be is not estimable from fewer than {LEAST_ANNOTATORS}")
        }
        false => String::new(),
    };
    format!("Intervals are for what these {annotators} annotators would say of all items{others}.")
}

/// What came back of the queue, and what is assumed of the rest.
pub fn describe_response(strata: &[ResponseCount]) -> Vec<String> {
    let of = |r: &ResponseCount| {
        if r.stratum == ALREADY_LABELLED {
            return format!("{} items had labels before and count by those.", r.items);
        }
        let missing = r.selected - r.came_back;
        let assumed = match missing {
            0 => String::new(),
            n => format!("; the {n} others are taken for a random part of them, which the labels can't tell"),
        };
        format!("{} of {} {} items came back{assumed}.", r.came_back, r.selected, r.stratum)
    };
    strata.iter().map(of).collect()
}

/// What annotators skipped, and why: missing answers, which are among those that did not come back.
pub fn describe_skips<'s>(remarks: impl Iterator<Item = &'s Remarked>) -> Option<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let skips = remarks.filter(|one| one.remark == Remark::Skip);
    skips.for_each(|skip| *reasons.entry(skip.words.as_str()).or_default() += 1);
    let all: usize = reasons.values().sum();
    let each = reasons.iter().map(|(reason, number)| format!("{reason:?} {number}")).collect::<Vec<_>>().join(", ");
    (all > 0).then(|| format!("{all} answers skipped their items ({each}): missing, unless others labelled them."))
}

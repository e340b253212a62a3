//! Means over all items, estimated from labels that came back.

use judge_uncertainty_core::escalation::{Response, WeightedMean};
use judge_uncertainty_study::queue::estimates::PoolMean;
use judge_uncertainty_system::numbers::three;

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
        lines
            .push(format!("{}: [{lo}, {hi}] whatever those would have said that did not come back", estimate.quantity));
    }
    lines
}

/// What came back of the queue, and what is assumed of the rest.
pub fn describe_response(strata: &[Response]) -> Vec<String> {
    let of = |r: &Response| {
        let missing = r.selected - r.came_back;
        let assumed = match missing {
            0 => String::new(),
            n => format!("; the {n} others are taken for a random part of them, which the labels can't tell"),
        };
        format!("{} of {} {} items came back{assumed}.", r.came_back, r.selected, r.stratum)
    };
    strata.iter().map(of).collect()
}

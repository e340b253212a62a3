//! Means over all items, estimated from labels that came back.

use crate::escalation::WeightedMean;
use crate::report::numbers::three;
use crate::study::estimates::PoolMean;

/// A mean over all items.
pub fn describe_estimate(estimate: &PoolMean) -> Vec<String> {
    let text = |m: &WeightedMean| format!("{} [{}, {}]", three(m.mean), three(m.low), three(m.high));
    let mut lines = vec![format!("{}: {} from the labels, weighted", estimate.quantity, text(&estimate.weighted))];
    if let Some(assisted) = &estimate.assisted {
        lines.push(format!("{}: {} with the belief's help", estimate.quantity, text(assisted)));
    }
    lines
}

//! What follows on a queue and on a registration, in sentences.

use super::numbers::three;
use crate::escalation::WeightedMean;
use crate::study::estimates::PoolMean;
use crate::study::hypothesis::Status;
use crate::study::movement::{Comparison, Movement, Shift};
use crate::study::registered::Registered;

/// What labels moved that came back.
pub fn describe_movement(movement: &Movement) -> Vec<String> {
    let batches = movement.batches.len();
    let mut lines = vec![format!(
        "{} labels came back for {} items (from {batches} file{}):",
        movement.labels,
        movement.touched.items,
        if batches == 1 { "" } else { "s" }
    )];
    let shift = |name: &str, shift: &Shift| {
        let stages = |s: &crate::study::movement::Stages| {
            format!("{} -> {} (refitted {})", three(s.before), three(s.by_labels), three(s.after))
        };
        [
            format!("  {name}: epistemic {}", stages(&shift.epistemic)),
            format!("  {name}: aleatoric {}", stages(&shift.aleatoric)),
        ]
    };
    lines.extend(shift("items with new labels", &movement.touched));
    if let Some(untouched) = &movement.untouched {
        lines.extend(shift("all other items", untouched));
    }
    let against = |c: &Comparison| {
        let se = c.se.map_or(String::new(), |se| format!(" (standard error {})", three(se)));
        format!("foreseen {}, realised {}{se}", three(c.predicted), three(c.realised))
    };
    lines.push(format!("  squared error against the new labels, per item: {}", against(&movement.first)));
    lines.push(match &movement.removed {
        Some(removed) => format!(
            "  squared error removed, measured on held-out new labels of {} items: {}",
            removed.items,
            against(removed)
        ),
        None => "  error removed can't be measured: no item got two new labels, one to learn from and one to test"
            .to_owned(),
    });
    lines
}

/// How the registered hypotheses fared.
pub fn describe_registered(registered: &Registered) -> Vec<String> {
    let mut lines = vec![format!(
        "Registered {} (digest {}): {} hypotheses, intervals adjusted to hold together with probability {}.",
        registered.registered,
        &registered.digest[..12.min(registered.digest.len())],
        registered.family,
        registered.level
    )];
    for h in &registered.hypotheses {
        let status = match h.status {
            Status::Confirmed => "CONFIRMED",
            Status::Refuted => "REFUTED",
            Status::Inconclusive => "INCONCLUSIVE",
        };
        let figures = match (h.difference, h.adjusted) {
            (Some(difference), Some([low, high])) => format!(
                ": {} [{}, {}] against a margin of {}",
                three(difference),
                three(low),
                three(high),
                h.hypothesis.margin
            ),
            _ => String::new(),
        };
        lines.push(format!("  {:<13}{}{figures}", status, h.hypothesis.id));
        lines.extend(h.note.iter().map(|note| format!("               {note}")));
    }
    for e in &registered.excluded {
        lines.push(format!("  EXCLUDED     {}: {}", e.id, e.reason));
    }
    for d in &registered.deviations {
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
        lines.push(format!(
            "  DEVIATION    {} {}: registered {}, found {}",
            d.kind,
            d.name,
            text(&d.registered),
            text(&d.found)
        ));
    }
    let exploratory = registered.comparisons.iter().filter(|c| !c.registered).count();
    lines.push(format!("  {exploratory} other comparisons in the results are exploratory."));
    lines
}

/// A mean over all items.
pub fn describe_estimate(estimate: &PoolMean) -> Vec<String> {
    let text = |m: &WeightedMean| format!("{} [{}, {}]", three(m.mean), three(m.low), three(m.high));
    let mut lines = vec![format!("{}: {} from the labels, weighted", estimate.quantity, text(&estimate.weighted))];
    if let Some(assisted) = &estimate.assisted {
        lines.push(format!("{}: {} with the belief's help", estimate.quantity, text(assisted)));
    }
    lines
}

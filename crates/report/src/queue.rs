//! What a queue answers, in few lines.

use super::lines::{Line, MOST_LINES, within};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_study::queue::{Order, QueueRecord};
use judge_uncertainty_system::shell_word;

/// A queue that was written, as the user asked for it.
#[derive(Debug)]
pub struct QueueAnswer<'q> {
    /// Its record.
    pub record: &'q QueueRecord,
    /// The ids that come first.
    pub first: Vec<String>,
    /// Its folder, as the user names it.
    pub folder: &'q str,
    /// The study's, as the user names it.
    pub study: &'q str,
    /// Items that were asked for.
    pub asked: usize,
}

/// What a queue answers.
pub fn queue_answer(queued: &QueueAnswer<'_>) -> Vec<Line> {
    let QueueAnswer { record, folder, study, .. } = queued;
    let labels = if record.labels == 1 { "label" } else { "labels" };
    let lead =
        format!("Label next: {} of {} items ({} {labels}), in {folder}.", record.queued, record.items, record.labels);
    let mut lines = vec![(0, Line::Lead(lead))];
    if queued.asked > record.items {
        let text = format!("Warning: {} items were asked for, and the study has {}.", queued.asked, record.items);
        lines.push((0, Line::Row(text)));
    }
    if !queued.first.is_empty() {
        let more = if record.queued > queued.first.len() { ", ..." } else { "" };
        lines.push((1, Line::Row(format!("First: {}{more}", queued.first.join(", ")))));
    }
    let drawn = record.explore.map_or_else(String::new, drawn_of);
    let order = record.rule.parse::<Order>();
    let ranked = order.as_ref().map_or_else(|_| "Ranked".to_owned(), |order| ranked_by(*order));
    lines.push((1, Line::Row(format!("{ranked} (--rule {}){drawn}.", record.rule))));
    lines.push((3, Line::Row(format!("Trust: {}.", record.trust))));
    lines.push((2, Line::Row(format!("Rates over all items: {}.", record.estimates))));
    lines.push((
        4,
        Line::Row(match record.suggestions {
            true => "Warning: annotators see the judge's prediction, which draws them towards it.".to_owned(),
            false => "Annotators do not see the judge's prediction.".to_owned(),
        }),
    ));
    let place = match *folder == format!("{study}/queue") {
        true => String::new(),
        false => format!(" --queue {}", shell_word(folder)),
    };
    let study = shell_word(study);
    lines.push((0, Line::Lead(format!("Next: judge-uncertainty study labels page {study}{place}"))));
    lines.push((
        0,
        Line::Lead(format!("      judge-uncertainty study labels add FILE {study} (with the labels that come back)")),
    ));
    within(MOST_LINES, lines)
}

/// What ranks a queue, in words.
fn ranked_by(order: Order) -> String {
    match order {
        Order::By(Rule::Random) => "Drawn at random".to_owned(),
        order => format!("Ranked by {}", order.words()),
    }
}

/// The share of a queue that is drawn at random, in words that follow.
fn drawn_of(share: f64) -> String {
    format!(", {:.0}% of them (at least two) drawn at random", 100.0 * share)
}

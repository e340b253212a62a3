//! The items of a stream that a rule escalates first.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::applier::{TIE_BREAK, priority_column};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn};

/// Which items of a stream are kept: the first so many, those above a threshold, or the first of these.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// The rule.
    pub rule: Rule,
    /// How many; `None` for all above the threshold.
    pub top: Option<usize>,
    /// Least priority; `None` for any.
    pub threshold: Option<f64>,
}

/// An item of a queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueuedItem {
    /// Its priority; higher comes first.
    pub priority: f64,
    /// What breaks ties; higher comes first.
    pub tie_break: f64,
    /// Its id.
    pub id: String,
    /// The part of the output that holds it.
    pub part: usize,
}

impl QueuedItem {
    /// The more urgent comes first.
    fn place(&self, other: &Self) -> Ordering {
        let priorities = other.priority.total_cmp(&self.priority);
        priorities
            .then(other.tie_break.total_cmp(&self.tie_break))
            .then_with(|| self.id.cmp(&other.id))
            .then(self.part.cmp(&other.part))
    }
}

/// Those of some items that are wanted: most urgent first where only so many are, else in their order.
pub fn first(mut items: Vec<QueuedItem>, wanted: &Wanted) -> Vec<QueuedItem> {
    items.retain(|item| wanted.threshold.is_none_or(|threshold| item.priority >= threshold));
    if let Some(top) = wanted.top {
        items.sort_by(QueuedItem::place);
        items.truncate(top);
    }
    items
}

/// The items of a part that may be in the queue, as [`first`] has them.
pub fn of_part(columns: &[OutputColumn], part: usize, wanted: &Wanted) -> Vec<QueuedItem> {
    let numbers = |name: &str| match columns.iter().find(|column| column.name == name).map(|column| &column.values) {
        Some(ColumnValues::Number(values)) => values.as_slice(),
        _ => &[],
    };
    let (priorities, ties) = (numbers(&priority_column(wanted.rule)), numbers(TIE_BREAK));
    let Some(ColumnValues::Text(ids)) = columns.first().map(|column| &column.values) else { return vec![] };
    let items = ids.iter().zip(priorities).zip(ties).filter_map(|((id, priority), tie_break)| {
        let known = !priority.is_nan() && !tie_break.is_nan();
        known.then(|| QueuedItem { priority: *priority, tie_break: *tie_break, id: id.to_owned(), part })
    });
    first(items.collect(), wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_kept_with_their_ties_broken() {
        let wanted = Wanted { rule: Rule::Info, top: Some(3), threshold: Some(0.1) };
        let items = [(0.5, 0.1), (0.2, 0.9), (0.05, 1.0), (0.5, 0.2), (0.3, 0.0)].into_iter().enumerate();
        let item =
            |(k, (priority, tie_break)): (usize, _)| QueuedItem { priority, tie_break, id: k.to_string(), part: 0 };
        let ids: Vec<String> = first(items.map(item).collect(), &wanted).into_iter().map(|item| item.id).collect();
        assert_eq!(ids, ["3", "0", "4"]);
    }
}

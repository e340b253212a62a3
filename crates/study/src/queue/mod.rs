//! The escalation queue: which items go to experts, in which order, with how many labels each.
//!
//! | module | holds |
//! |---|---|
//! | [`fill`] | how much is sent, what ranks the items, and which items that takes |
//! | [`ranked`] | a study as its queue sees it; where the judge is most likely wrong |
//! | [`files`] | the queue as CSV and JSON Lines, what is known of its items, and the private record of the selection, read back too |
//! | [`tools`] | the queue as imports for Label Studio, Argilla, Prodigy and doccano, and as a workbook to be filled in |

pub mod files;
pub mod fill;
pub mod ranked;
pub mod tools;

pub use files::QueueRecord;
pub use fill::{Amount, Order, Purpose, Queue, QueueRequest};
pub use ranked::{Ranked, advice, advised_entries};

/// The ids of a queue's items, in the order of its `queue.jsonl`, and whether each was drawn at random.
pub fn queued(text: &str) -> impl Iterator<Item = (String, bool)> {
    text.lines().filter_map(|line| {
        let row = serde_json::from_str::<serde_json::Value>(line).ok()?;
        Some((row["item"].as_str().or(row["id"].as_str())?.to_owned(), row["selected_by"] == "random"))
    })
}

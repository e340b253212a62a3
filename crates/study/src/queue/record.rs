//! What is asked, what is known of each item, and the record of how a queue was made.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Amount, Order};
use crate::input::question::Criterion;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_system::Record;

/// Where a study's folder says which queues were written to folders elsewhere, one a line.
pub const QUEUES_ELSEWHERE: &str = "queues-elsewhere.txt";

/// How a queue's files show items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Presentation {
    /// Annotators see the judge's prediction.
    pub suggestions: bool,
    /// In `queue.csv` and `spreadsheet.csv`, cells that a spreadsheet takes for formulas stay as they are, without an
    /// apostrophe before them.
    pub keep_formulas: bool,
}

/// What is known of one item of the study; the queue's files show annotators `id` and `text` only.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueTask {
    /// The item's id.
    pub id: String,
    /// What experts read; `None` if the study has no texts.
    pub text: Option<String>,
    /// What the rule ranks it by.
    pub priority: f64,
    /// What the judge predicts: a class, or a rating as text.
    pub prediction: String,
    /// Further numbers for the record: the three parts, trust, belief's means.
    pub record: BTreeMap<String, f64>,
}

/// The items that a queue left out, all of which had the same chance; where it draws those without a label
/// ([`Order::draws_unlabelled`]) only these, as long as some are left. `selection.csv` has those that it selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotSelected {
    /// The probability of each of them to be selected.
    pub probability: f64,
    /// Mean over them of each of the belief's means, by name of its column.
    pub means: BTreeMap<String, f64>,
}

/// How a queue was made, in full; its file is `queue.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueRecord {
    /// Program and version.
    pub program: String,
    /// The study's title.
    pub study: String,
    /// What items are judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<Criterion>,
    /// The rule's key.
    pub rule: String,
    /// What the trust behind parts and priorities rests on.
    #[serde(default)]
    pub trust: String,
    /// In which direction priorities are to be read.
    pub direction: String,
    /// The amount as it was asked for.
    pub amount: String,
    /// Labels per item as asked for.
    pub labels_per_item: String,
    /// Share spent at random.
    pub explore: Option<f64>,
    /// Whether annotators see the judge's prediction.
    pub suggestions: bool,
    /// Seed of tie breaks and random draws.
    pub seed: u64,
    /// Items of the study.
    pub items: usize,
    /// Items in the queue.
    pub queued: usize,
    /// Those that are not; `None` where all are, and of older queues, whose `selection.csv` has every item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_selected: Option<NotSelected>,
    /// Labels suggested in all.
    pub labels: u64,
    /// Batches of added labels that were there before the queue, and are no answers to it.
    #[serde(default)]
    pub batches_before: usize,
    /// What estimates for all items may be made from the labels that come back.
    pub estimates: String,
    /// SHA-256 of every input of the study.
    pub inputs: BTreeMap<String, String>,
    /// SHA-256 over the lines `sum  name` of the inputs, as the rows of the queue repeat it.
    pub inputs_sha256: String,
    /// All files of the queue.
    pub files: Vec<String>,
}

impl QueueRecord {
    /// Whether the items came in random order, so that none was taken for its rank.
    pub fn is_by_chance(&self) -> bool {
        self.rule == Rule::Random.name() && self.explore.is_none() && self.labels_per_item != "greedy"
    }

    /// Whether the items chosen of those that had no label are a random sample of them, see [`Order::draws_unlabelled`].
    pub fn draws_unlabelled(&self) -> bool {
        let amount = self.amount.parse::<Amount>();
        self.rule.parse::<Order>().is_ok_and(|order| amount.is_ok_and(|amount| order.draws_unlabelled(amount)))
    }
}

impl Record for QueueRecord {
    const FILE: &'static str = "queue.json";
    const KEY: &'static str = "queued";

    fn set_files(&mut self, files: Vec<String>) {
        self.files = files;
    }
}

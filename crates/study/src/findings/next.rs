//! What people should label next, why, and what that would bring.

use std::collections::BTreeSet;

use serde::Serialize;

use judge_uncertainty_core::belief::ItemBelief;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::stats::mean;

use super::ratings::Ratings;
use super::trust::Trust;
use crate::error::Error;
use crate::input::source::read_if_there;
use crate::model::chosen::{MOST_OPEN, records};
use crate::model::study::{Decomposition, Study};
use crate::queue::files::{QueueRecord, batches_before};
use crate::queue::ranked::expected_errors;
use crate::queue::{Amount, Order, QueueRequest, advised_entries, queued};

/// Items that are shown with a reason.
const SHOWN: usize = 3;

/// Folder of a study's first queue; those that follow are `queue-2` and so on.
pub const FOLDER: &str = "queue";

/// The queue that people should label next: the last one made if it waits for its labels, or else the one that the study is
/// advised.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Next {
    /// Its folder, relative to the study's where it is inside; `None` of one that is advised.
    pub folder: Option<String>,
    /// Items in it.
    pub queued: usize,
    /// Key of the rule that ranks them.
    pub rule: String,
    /// The share of them that is drawn from all others at random; `None` where none is.
    pub explore: Option<f64>,
    /// The first items.
    pub first: Vec<Pick>,
    /// Items of the queue on which the judge is expected to be wrong; `None` where the labels do not tell.
    pub expected_wrong: Option<f64>,
    /// The number of items with an expected error of the judge if the same number were drawn at random from those
    /// without a label.
    pub expected_wrong_at_random: Option<f64>,
}

/// An item of the queue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pick {
    /// Its id.
    pub id: String,
    /// What the judge says of it.
    pub judge: String,
    /// Labels that it has.
    pub labels: u32,
    /// Whether it is drawn at random.
    pub drawn: bool,
    /// Probability that the judge is wrong, as the labels have it by group and answer; `None` where they do not tell.
    pub wrong: Option<f64>,
    /// Why it is worth a label.
    pub why: String,
}

impl Next {
    /// The queue of a study: the one that waits for its labels, or where none does the one that it is advised, of this
    /// amount.
    ///
    /// # Errors
    /// As [`crate::queue::Ranked::new`].
    pub fn new(study: &Study, decomposition: &Decomposition, trust: &Trust, amount: Amount) -> Result<Self, Error> {
        let (folder, rule, explore, entries) = match standing(study)? {
            Some((folder, record, entries)) => {
                (Some(folder), record.rule.parse().unwrap_or(Rule::Random.into()), record.explore, entries)
            }
            None => {
                let (QueueRequest { rule, explore, .. }, entries) = advised_entries(study, decomposition, amount)?;
                (None, rule, explore, entries.into_iter().map(|entry| (entry.item, entry.drawn)).collect())
            }
        };
        let ratings = study.ratings();
        // Of numbers an expected error is a distance.
        // Where the labels do not tell how often the judge agrees, they do not tell where it errs.
        let told = ratings.scale.nominal().is_some() && trust.agreement.estimate().is_some();
        let wrong = expected_errors(study, None).filter(|_| told);
        let open: Vec<f64> = match &wrong {
            Some(wrong) => (0..study.len()).filter(|&i| decomposition.numbers[i] == 0).map(|i| wrong[i]).collect(),
            None => vec![],
        };
        let queued = entries.len();
        let of_queue: Option<f64> = wrong.as_ref().map(|wrong| entries.iter().map(|(item, _)| wrong[*item]).sum());
        let pick = |item: usize, drawn: bool| {
            let labels = decomposition.numbers[item];
            // Its own labels say more of an item than those of its like.
            let own = match decomposition.belief(item) {
                ItemBelief::Classes(belief) if labels > 0 => belief.mean().nth(ratings.verdict[item] as usize),
                _ => None,
            };
            let wrong = wrong.as_ref().map(|wrong| own.map_or(wrong[item], |right| 1.0 - right));
            Pick {
                id: study.items.ids[item].to_owned(),
                judge: ratings.judged(item),
                why: why(ratings, trust, (item, labels), (rule, drawn), wrong),
                labels,
                drawn,
                wrong,
            }
        };
        Ok(Self {
            folder,
            queued,
            rule: rule.key().to_owned(),
            explore,
            first: entries.iter().take(SHOWN).map(|(item, drawn)| pick(*item, *drawn)).collect(),
            expected_wrong: of_queue,
            expected_wrong_at_random: (open.len() >= queued && queued > 0).then(|| mean(&open) * queued as f64),
        })
    }
}

/// A queue that waits for its labels: its name, and those of its items that wait, each with whether it was drawn at random.
type Standing = (String, QueueRecord, Vec<(usize, bool)>);

/// Folder of the queue that waits for its labels, relative to the study's where it is inside.
///
/// # Errors
/// A file of it can't be read.
pub fn waiting(study: &Study) -> Result<Option<String>, Error> {
    Ok(standing(study)?.map(|(folder, ..)| folder))
}

/// The queue that was made last; `None` if it has other items, or if no more than a twentieth of it waits.
///
/// # Errors
/// A file of it can't be read.
fn standing(study: &Study) -> Result<Option<Standing>, Error> {
    let before = |record: &QueueRecord| batches_before(&record.added(), record.batches_before, &study.labels.batches);
    // Of queues that read the same labels, one that the user named is later than the first, and `queue-3` than `queue-2`.
    let number = |name: &str| match name.strip_prefix(FOLDER) {
        Some("") => 1,
        rest => rest.and_then(|rest| rest.strip_prefix('-')?.parse().ok()).unwrap_or(usize::MAX),
    };
    let queues = records(&study.file.folder())?.into_iter();
    let last = queues.max_by_key(|(name, record)| (before(record), number(name)));
    let Some((name, record)) = last else { return Ok(None) };
    let file = study.file.folder().join(&name).join("queue.jsonl");
    let rows = read_if_there(&file)?.unwrap_or_default();
    let position = |(id, drawn): (String, bool)| Some((study.items.ids.position(&id)?, drawn));
    let all = queued(&String::from_utf8_lossy(&rows)).map(position).collect::<Option<Vec<_>>>();
    let Some(all) = all else { return Ok(None) };
    let before = before(&record);
    let is_new = |batch: Option<usize>| batch.is_some_and(|batch| batch >= before);
    let new = || study.labels.added().filter(|label| is_new(label.batch));
    // Whoever answers the queue has nothing to add to an item that has their label.
    let by: BTreeSet<_> = new().map(|label| label.annotator).collect();
    let before_it = study.labels.added().filter(|label| by.contains(&label.annotator)).map(|label| label.item);
    let remarks = study.labels.remarks.iter().filter(|remark| is_new(Some(remark.batch))).map(|remark| remark.item);
    let answered: BTreeSet<usize> = before_it.chain(remarks).collect();
    let entries: Vec<(usize, bool)> = all.iter().copied().filter(|(item, _)| !answered.contains(item)).collect();
    let waits = entries.len() as f64 > MOST_OPEN * all.len() as f64;
    Ok(waits.then_some((name, record, entries)))
}

fn why(
    ratings: &Ratings,
    trust: &Trust,
    (item, labels): (usize, u32),
    (rule, drawn): (Order, bool),
    wrong: Option<f64>,
) -> String {
    let labelled = match labels {
        _ if drawn || rule == Rule::Random.into() => Some("drawn at random".to_owned()),
        0 if wrong.is_some() => None,
        0 => Some("no label yet".to_owned()),
        1 => Some("one label".to_owned()),
        n => Some(format!("{n} labels")),
    };
    let mut why: Vec<String> = labelled.into_iter().collect();
    why.extend(wrong.map(|wrong| format!("{:.0}% chance that it is wrong", 100.0 * wrong)));
    if let Some(grouping) = &ratings.group {
        let name = &grouping.names[grouping.of[item]];
        let found = trust.groups.iter().find(|group| group.name == *name);
        let of_group = found.and_then(|group| group.agreement.estimate()).filter(|_| ratings.scale.nominal().is_some());
        why.extend(of_group.map(|found| format!("in {name} it agrees with {:.0}% of labels", 100.0 * found.value)));
    }
    why.join("; ")
}

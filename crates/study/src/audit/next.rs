//! What people should label next, why, and what that would bring.

use std::path::Path;

use serde::Serialize;

use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_system::Staged;
use judge_uncertainty_system::progress::Silent;

use super::rows::AuditRows;
use super::trust::{Narrowing, Rate, Trust};
use crate::error::Error;
use crate::model::kind::{Decomposition, Kind, Study};
use crate::queue::estimates::LEAST_DRAWN;
use crate::queue::ranked::expected_errors;
use crate::queue::{Amount, LabelsPerItem, Order, Presentation, QueueRequest, Ranked, queued_ids};

/// Rows that are shown with a reason.
const SHOWN: usize = 3;

/// A queue of rows to be labelled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Next {
    /// Rows in it.
    pub queued: usize,
    /// The rule that ranks them.
    pub rule: String,
    /// The first rows.
    pub first: Vec<Pick>,
    /// Rows of the queue on which the judge is expected to be wrong; `None` where the labels do not tell.
    pub expected_wrong: Option<f64>,
    /// Rows on which the judge is expected to be wrong among as many drawn at random from those without a label.
    pub expected_wrong_at_random: Option<f64>,
    /// How far the corrected rate's interval would narrow.
    pub narrowing: Option<Narrowing>,
}

/// A row of the queue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pick {
    /// Its id.
    pub id: String,
    /// What the judge says of it.
    pub judge: String,
    /// Probability that it is wrong, as the labels have it by group and answer; `None` where they do not tell.
    pub wrong: Option<f64>,
    /// Why it is worth a label.
    pub why: String,
}

/// Writes the queue of a study that was made from a table, and says what it would bring.
///
/// # Errors
/// A study that can't be fitted.
pub fn queue<K: Kind>(
    folder: &Path,
    rows: &AuditRows,
    (trust, rates): (&Trust, &[Rate]),
    amount: Amount,
) -> Result<(Staged, Next), Error> {
    let study = Study::<K>::load(folder)?;
    let decomposition = Decomposition::new(&study, &Silent)?;
    let none = study.has_no_labels();
    let expected = expected_errors(&study);
    let order = if expected.is_some() { Order::LikelyErrors } else { Rule::Random.into() };
    let open: Vec<usize> = (0..study.len()).filter(|&i| decomposition.numbers[i] == 0).collect();
    let number = amount.among(study.len()).min(study.len());
    let request = QueueRequest {
        rule: order,
        amount: Amount::Number(number),
        labels_per_item: LabelsPerItem::Fixed(if none { 2 } else { 1 }),
        // Without a label a queue at random is the one that allows every estimate.
        explore: (none && number >= LEAST_DRAWN).then_some(1.0),
        seed: study.file.config.seed,
    };
    let (staged, record) = Ranked::new(&study, &decomposition, &request)?.send(&request, Presentation::default())?;
    let chosen: Vec<usize> = queued_ids(&staged).filter_map(|id| study.items.ids.position(&id)).collect();
    // Of numbers an expected error is a distance.
    let wrong = expected.filter(|_| rows.answers.classes().is_some());
    let sum = |of: &[usize]| wrong.as_ref().map(|wrong| of.iter().map(|&i| wrong[i].min(1.0)).sum::<f64>());
    let share = chosen.len() as f64 / open.len().max(1) as f64;
    let next = Next {
        queued: record.queued,
        rule: record.rule.clone(),
        first: chosen
            .iter()
            .filter_map(|&i| {
                let row = rows.ids.iter().position(|id| *id == study.items.ids[i])?;
                Some(pick(rows, trust, row, wrong.as_ref().map(|wrong| wrong[i])))
            })
            .take(SHOWN)
            .collect(),
        expected_wrong: sum(&chosen),
        expected_wrong_at_random: sum(&open).filter(|_| open.len() >= chosen.len()).map(|all| all * share),
        narrowing: rates.first().and_then(|rate| rate.narrowing),
    };
    Ok((staged, next))
}

fn pick(rows: &AuditRows, trust: &Trust, i: usize, wrong: Option<f64>) -> Pick {
    let mut why = vec![];
    if let Some(wrong) = wrong {
        why.push(format!("wrong with about {:.0}%", 100.0 * wrong));
    }
    if let Some(grouping) = &rows.group {
        let name = &grouping.names[grouping.of[i]];
        let found = trust.groups.iter().find(|group| group.name == *name);
        why.push(match found.and_then(|group| group.agreement.estimate()) {
            Some(found) if rows.answers.classes().is_some() => {
                format!("in {name} it agrees with {:.0}% of labels", 100.0 * found.value)
            }
            _ => format!("{} {name}", grouping.column),
        });
    }
    match rows.humans[i].len() {
        0 if why.is_empty() => why.push("nobody has labelled it".to_owned()),
        0 => {}
        n => why.push(format!("it has {n} label{}", if n == 1 { "" } else { "s" })),
    }
    Pick { id: rows.ids[i].clone(), judge: rows.answers.text(rows.verdict[i]), wrong, why: why.join("; ") }
}

//! Writes answers as the tables that `reproduce` and studies read.
//!
//! ```text
//! predictions.csv    id, variant, p_<class>..., confidence [, unseen_mass]     one row per item and variant
//!                    id, variant, mean, sd, confidence                         for scores
//! self-updates.csv   id, variant, p_<class>...                                 where a self-update was asked for
//! ```
//!
//! Shares of several samples are averaged. A blank cell means that no answer counts; a failure is never turned into a
//! number.

use std::collections::BTreeMap;

use crate::cache::{CachedAnswer, Meaning};
use crate::parse::Failure;
use crate::prompts::Ask;
use crate::task::Task;
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_study::input::scale::Scale;
use judge_uncertainty_system::csv_text;

/// File of the predictions in the output folder.
pub const PREDICTIONS: &str = "predictions.csv";
/// File of the judge's own updates in the output folder.
pub const SELF_UPDATES: &str = "self-updates.csv";

/// What the answers about a task say, by item id, variant and what was asked.
#[derive(Debug, Default)]
pub struct Collected {
    meanings: BTreeMap<(String, String, Ask), Vec<Meaning>>,
    /// Answers that count.
    pub usable: usize,
    /// Answers that don't, by kind.
    pub failures: BTreeMap<Failure, usize>,
    /// Usable answers whose numbers had to be normalised.
    pub normalised: usize,
}

impl Collected {
    /// Reads the answers of a cache, one per question.
    pub fn from_entries<'e>(entries: impl Iterator<Item = &'e CachedAnswer>, answers: &Scale) -> Self {
        let mut collected = Self::default();
        for entry in entries {
            match entry.meaning(answers) {
                Ok(meaning) => {
                    collected.usable += 1;
                    collected.normalised += usize::from(matches!(&meaning, Meaning::Distribution(d) if d.normalised));
                    let question = (entry.item.clone(), entry.variant.clone(), entry.ask);
                    collected.meanings.entry(question).or_default().push(meaning);
                }
                Err(failure) => *collected.failures.entry(failure).or_default() += 1,
            }
        }
        collected
    }

    /// Mean probability that was on no label, over predictions from log-probabilities.
    pub fn mean_unseen(&self) -> Option<f64> {
        let unseen: Vec<f64> = self.meanings.values().flatten().filter_map(unseen_mass).collect();
        (!unseen.is_empty()).then(|| mean(&unseen))
    }

    fn of_question(&self, item: &str, variant: &str, ask: Ask) -> &[Meaning] {
        self.meanings.get(&(item.to_owned(), variant.to_owned(), ask)).map_or(&[], Vec::as_slice)
    }

    /// The table of predictions: every item under every variant of the task, in their order.
    pub fn predictions(&self, task: &Task) -> Vec<u8> {
        let labels = self.meanings.keys().any(|(_, _, ask)| *ask == Ask::Label);
        let ask = match (task.answers.is_numbers(), labels) {
            (true, _) => Ask::Score,
            (false, true) => Ask::Label,
            (false, false) => Ask::Distribution,
        };
        let further = if labels { &["confidence", "unseen_mass"][..] } else { &["confidence"] };
        csv_text(table(task, further, |item, variant| {
            let main = self.of_question(item, variant, ask);
            let mut row = values(main, &task.answers);
            let stated = self.of_question(item, variant, Ask::Confidence);
            let stated = stated.iter().filter_map(|m| if let Meaning::Confidence(c) = m { Some(*c) } else { None });
            row.push(cell(mean_of(stated)));
            if labels {
                row.push(cell(mean_of(main.iter().filter_map(unseen_mass))));
            }
            Some(row)
        }))
    }

    /// The table of self-updates; `None` if there are none.
    pub fn self_updates(&self, task: &Task) -> Option<Vec<u8>> {
        let rows = table(task, &[], |item, variant| {
            let updates = self.of_question(item, variant, Ask::Update);
            (!updates.is_empty()).then(|| values(updates, &task.answers))
        });
        (rows.len() > 1).then(|| csv_text(rows))
    }
}

/// A header and the rows of the items and variants that have cells.
fn table(task: &Task, further: &[&str], cells: impl Fn(&str, &str) -> Option<Vec<String>>) -> Vec<Vec<String>> {
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let mut rows: Vec<Vec<String>> =
        vec![[named(&["id", "variant"]), value_columns(&task.answers), named(further)].concat()];
    for item in &task.items {
        for variant in &task.variants {
            let row = cells(&item.id, variant);
            rows.extend(row.map(|cells| [vec![item.id.clone(), variant.clone()], cells].concat()));
        }
    }
    rows
}

fn value_columns(answers: &Scale) -> Vec<String> {
    match answers.is_numbers() {
        false => answers.classes().iter().map(|class| format!("p_{class}")).collect(),
        true => vec!["mean".to_owned(), "sd".to_owned()],
    }
}

/// Cells of the mean over samples; blank without any.
fn values(meanings: &[Meaning], answers: &Scale) -> Vec<String> {
    let numbers = |j: usize| {
        mean_of(meanings.iter().filter_map(|meaning| match meaning {
            // Probabilities of label tokens stay as they were: what they lack to 1 was on no label.
            Meaning::Distribution(d) => d.shares.get(j).map(|share| share * (1.0 - d.unseen.unwrap_or(0.0))),
            Meaning::Score(score) => Some(score[j]),
            Meaning::Confidence(_) => None,
        }))
    };
    (0..value_columns(answers).len()).map(|j| cell(numbers(j))).collect()
}

fn unseen_mass(meaning: &Meaning) -> Option<f64> {
    if let Meaning::Distribution(d) = meaning { d.unseen } else { None }
}

fn mean_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| mean(&values))
}

/// The shortest text that reads back as the same number.
fn cell(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

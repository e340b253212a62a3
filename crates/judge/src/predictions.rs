//! From answers to the tables that `reproduce` and studies read.
//!
//! ```text
//! predictions.csv    id, variant, p_<class>..., confidence [, unseen_mass]     one row per item and variant
//!                    id, variant, mean, sd, confidence                         for scores
//! self-updates.csv   id, variant, p_<class>...                                 where a self-update was asked for
//! ```
//!
//! Shares of several samples are averaged. A blank cell means that there is no answer that counts; a failure is never
//! turned into a number.

use std::collections::BTreeMap;

use crate::Error;
use crate::cache::{CachedAnswer, Meaning};
use crate::parse::Failure;
use crate::prompts::Ask;
use crate::task::{AnswerScale, Task};
use judge_uncertainty_system::FileError;

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
    /// SHA-256 of the files that they were read from, by name.
    pub files: BTreeMap<String, String>,
}

impl Collected {
    /// Adds an answer.
    pub fn add(&mut self, item: &str, variant: &str, ask: Ask, meaning: Result<Meaning, Failure>) {
        match meaning {
            Ok(meaning) => {
                self.usable += 1;
                self.normalised += usize::from(matches!(&meaning, Meaning::Distribution(d) if d.normalised));
                self.meanings.entry((item.to_owned(), variant.to_owned(), ask)).or_default().push(meaning);
            }
            Err(failure) => *self.failures.entry(failure).or_default() += 1,
        }
    }

    /// Reads the answers of a cache, one per question.
    pub fn from_entries<'e>(entries: impl Iterator<Item = &'e CachedAnswer>, answers: &AnswerScale) -> Self {
        let mut collected = Self::default();
        for entry in entries {
            collected.add(&entry.item, &entry.variant, entry.ask, entry.meaning(answers));
        }
        collected
    }

    /// Items and variants that have a prediction.
    pub fn predicted(&self) -> usize {
        let main = |ask: Ask| matches!(ask, Ask::Distribution | Ask::Label | Ask::Score);
        self.meanings.keys().filter(|(_, _, ask)| main(*ask)).count()
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
    ///
    /// # Errors
    /// None but a failure to write CSV, which memory does not have.
    pub fn predictions(&self, task: &Task) -> Result<Vec<u8>, Error> {
        let labels = self.meanings.keys().any(|(_, _, ask)| *ask == Ask::Label);
        let ask = match (&task.answers, labels) {
            (AnswerScale::Score { .. }, _) => Ask::Score,
            (AnswerScale::Classes(_), true) => Ask::Label,
            (AnswerScale::Classes(_), false) => Ask::Distribution,
        };
        let mut header = vec!["id".to_owned(), "variant".to_owned()];
        header.extend(value_columns(&task.answers));
        header.push("confidence".to_owned());
        if labels {
            header.push("unseen_mass".to_owned());
        }
        let mut rows = vec![header];
        for item in &task.items {
            for variant in &task.variants {
                let main = self.of_question(&item.id, variant, ask);
                let mut row = vec![item.id.clone(), variant.clone()];
                row.extend(values(main, &task.answers));
                let stated = self.of_question(&item.id, variant, Ask::Confidence);
                let stated = stated.iter().filter_map(|m| if let Meaning::Confidence(c) = m { Some(*c) } else { None });
                row.push(cell(mean_of(stated)));
                if labels {
                    row.push(cell(mean_of(main.iter().filter_map(unseen_mass))));
                }
                rows.push(row);
            }
        }
        csv_of(&rows)
    }

    /// The table of self-updates; `None` if there are none.
    ///
    /// # Errors
    /// As [`predictions`](Self::predictions).
    pub fn self_updates(&self, task: &Task) -> Result<Option<Vec<u8>>, Error> {
        let mut header = vec!["id".to_owned(), "variant".to_owned()];
        header.extend(value_columns(&task.answers));
        let mut rows = vec![header];
        for item in &task.items {
            for variant in &task.variants {
                let updates = self.of_question(&item.id, variant, Ask::Update);
                if !updates.is_empty() {
                    let mut row = vec![item.id.clone(), variant.clone()];
                    row.extend(values(updates, &task.answers));
                    rows.push(row);
                }
            }
        }
        if rows.len() == 1 { Ok(None) } else { csv_of(&rows).map(Some) }
    }
}

fn value_columns(answers: &AnswerScale) -> Vec<String> {
    match answers {
        AnswerScale::Classes(classes) => classes.iter().map(|class| format!("p_{class}")).collect(),
        AnswerScale::Score { .. } => vec!["mean".to_owned(), "sd".to_owned()],
    }
}

/// Cells of the mean over samples; blank without any.
fn values(meanings: &[Meaning], answers: &AnswerScale) -> Vec<String> {
    let numbers = |j: usize| {
        mean_of(meanings.iter().filter_map(|meaning| match meaning {
            // Probabilities of label tokens stay as they were: what they lack to 1 was on no label.
            Meaning::Distribution(d) => d.shares.get(j).map(|share| share * (1.0 - d.unseen.unwrap_or(0.0))),
            Meaning::Score(score) => Some(if j == 0 { score.mean } else { score.sd }),
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

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The shortest text that reads back as the same number.
fn cell(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn csv_of(rows: &[Vec<String>]) -> Result<Vec<u8>, Error> {
    let mut writer = csv::Writer::from_writer(vec![]);
    let written = rows.iter().try_for_each(|row| writer.write_record(row));
    let bytes = written.map_err(std::io::Error::from).and_then(|()| writer.into_inner().map_err(|e| e.into_error()));
    Ok(bytes.map_err(FileError::at(std::path::Path::new(PREDICTIONS), "writing"))?)
}

//! A study as its queue sees it, whatever its labels are.

use super::files::write_files;
use super::fill::{Candidates, Queue, Request, RequestError};
use super::record::{Presentation, QueueRecord, Task};
use crate::error::Error;
use crate::kind::{Decomposition, Kind, Study};
use crate::read::LabelSet;
use judge_uncertainty_core::belief::Belief;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_output::Staged;

/// The items of a study, ranked by a rule.
#[derive(Debug)]
pub struct Ranked<'a, K: Kind> {
    study: &'a Study<K>,
    decomposition: &'a Decomposition<K>,
    priority: Vec<f64>,
}

impl<'a, K: Kind> Ranked<'a, K> {
    /// Ranks the items.
    ///
    /// # Errors
    /// A rule that does not rank this kind of label, or that needs what the study does not have.
    ///
    /// # Examples
    ///
    /// ```
    /// use judge_uncertainty_core::escalation::Rule;
    /// use judge_uncertainty_data::progress::Silent;
    /// use judge_uncertainty_study::queue::{LabelsPerItem, Presentation, Ranked, Request};
    /// use judge_uncertainty_study::{Classes, Decomposition, Study};
    ///
    /// let study = Study::<Classes>::load("../../examples/starter".as_ref())?;
    /// let decomposition = Decomposition::of(&study, &Silent)?;
    /// let ranked = Ranked::of(&study, &decomposition, Rule::Info)?;
    /// let amount = "10%".parse().expect("a share of the items");
    /// let request =
    ///     Request { rule: Rule::Info, amount, labels_per_item: LabelsPerItem::Fixed(1), explore: None, seed: 0 };
    /// let (files, record) = ranked.send(&request, Presentation::default())?;
    /// assert_eq!(record.queued, 4);
    /// assert!(files.text("queue.csv").is_some_and(|text| text.starts_with("rank,id,text")));
    /// # Ok::<(), judge_uncertainty_study::Error>(())
    /// ```
    pub fn of(study: &'a Study<K>, decomposition: &'a Decomposition<K>, rule: Rule) -> Result<Self, Error> {
        check_rule(study, rule)?;
        let priority = decomposition.priority(rule).ok_or_else(|| not_ranked::<K>(rule))?;
        Ok(Self { study, decomposition, priority })
    }

    /// Fills a request and writes the queue's files.
    ///
    /// # Errors
    /// A request that contradicts itself.
    pub fn send(&self, request: &Request, show: Presentation) -> Result<(Staged, QueueRecord), RequestError> {
        let Self { study, decomposition, priority } = self;
        let candidates = Candidates {
            beliefs: &decomposition.fitted.beliefs,
            priority,
            labels: &decomposition.numbers,
            tie_break: &decomposition.luck.jitter,
        };
        let queue = match study.items.about_numbers() {
            Some(about) => Queue::fill_whole(request, &candidates, &about)?,
            None => Queue::fill(request, &candidates)?,
        };
        let tasks: Vec<Task> = (0..study.len()).map(|i| self.task(i)).collect();
        let (title, question) = (&study.file.config.title, K::question(&study.file.config.scale));
        let before = study.labels.added().batches.len();
        Ok(write_files(title, request, &queue, &tasks, &question, show, (before, &study.relative_inputs())))
    }

    fn task(&self, i: usize) -> Task {
        let Self { study, decomposition, priority } = self;
        let belief = decomposition.belief(i);
        let parts = [
            ("aleatoric", belief.aleatoric()),
            ("epistemic", belief.epistemic()),
            ("total", belief.total()),
            ("trust", decomposition.trust[i]),
        ];
        let names = K::quantities(&study.file.config.scale).into_iter();
        let means = names.zip(K::means(study, decomposition, i));
        Task {
            id: study.items.ids[i].to_owned(),
            text: study.items.texts.as_ref().map(|texts| texts[i].clone()),
            priority: priority[i],
            prediction: K::prediction(study, i),
            record: parts.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(means).collect(),
        }
    }
}

/// Refuses a rule by which the items of a study can't be ranked, before any work.
///
/// # Errors
/// A rule that does not rank this kind of label, or that needs a stated confidence where there is none.
pub fn check_rule<K: Kind>(study: &Study<K>, rule: Rule) -> Result<(), Error> {
    if !K::RANKED_BY.contains(&rule) {
        return Err(not_ranked::<K>(rule));
    }
    if rule == Rule::LowConfidence && !K::rules(study).contains(&rule) {
        return Err(Error::NoConfidence);
    }
    Ok(())
}

fn not_ranked<K: Kind>(rule: Rule) -> Error {
    let keys: Vec<&str> = K::RANKED_BY.iter().map(|rule| rule.key()).collect();
    let (last, others) = keys.split_last().expect("some rule ranks every kind of label");
    Error::NotRanked { rule: rule.key(), labels: K::LABELS, rules: format!("{} or {last}", others.join(", ")) }
}

//! A study as its queue sees it, whatever its labels are.

use std::collections::BTreeMap;

use super::{Candidates, Question, Queue, QueueRecord, Request, RequestError, Task, write_files};
use crate::belief::{Belief, BeliefTable, Dirichlet};
use crate::escalation::Rule;
use crate::output::Staged;
use crate::study::{Decomposition, Study};

/// Items with beliefs, scored by a rule.
#[derive(Debug, Clone)]
pub struct Ranked<B> {
    /// The study's title.
    pub title: String,
    /// Every item.
    pub tasks: Vec<Task>,
    /// The belief about each.
    pub beliefs: Vec<B>,
    /// Labels in hand.
    pub labels: Vec<u32>,
    /// Uniform draws that order equal scores.
    pub tie_break: Vec<f64>,
    /// What annotators are asked.
    pub question: Question,
    /// Sums of the study's inputs.
    pub inputs: BTreeMap<String, String>,
}

impl<'a> Ranked<Dirichlet<'a>> {
    /// Scores the items of a study with classes.
    pub fn of_classes(study: &Study, decomposition: &'a Decomposition, rule: Rule) -> Self {
        let classes = study.labels.counts.classes();
        let scores = rule.priority(&decomposition.rule_inputs(study));
        let task = |(i, score): (usize, f64)| {
            let belief = decomposition.beliefs.get(i);
            let q = study.predictions.q.row(i);
            let likeliest = q.iter().enumerate().fold(0, |best, (k, p)| if *p > q[best] { k } else { best });
            let mut record: BTreeMap<String, f64> = [
                ("aleatoric", belief.aleatoric()),
                ("epistemic", belief.epistemic()),
                ("total", belief.total()),
                ("trust", decomposition.trust[i]),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into();
            record.extend(classes.iter().zip(belief.mean()).map(|(class, m)| (format!("mean_{class}"), m)));
            Task {
                id: study.items.ids[i].to_owned(),
                text: study.items.texts.as_ref().map(|texts| texts[i].clone()),
                score,
                prediction: classes[likeliest].clone(),
                record,
            }
        };
        Self {
            title: study.file.config.title.clone(),
            tasks: scores.into_iter().enumerate().map(task).collect(),
            beliefs: decomposition.beliefs.iter().collect(),
            labels: decomposition.numbers.clone(),
            tie_break: decomposition.jitter.clone(),
            question: Question::Classes(classes.to_vec()),
            inputs: study.relative_inputs(),
        }
    }
}

impl<B: Belief> Ranked<B> {
    /// Fills a request and writes the queue's files.
    ///
    /// # Errors
    /// A request that contradicts itself.
    pub fn send(&self, request: &Request, suggestions: bool) -> Result<(Staged, QueueRecord), RequestError> {
        let scores: Vec<f64> = self.tasks.iter().map(|task| task.score).collect();
        let candidates =
            Candidates { beliefs: &self.beliefs, scores: &scores, labels: &self.labels, tie_break: &self.tie_break };
        let queue = Queue::fill(request, &candidates)?;
        Ok(write_files(&self.title, request, &queue, &self.tasks, &self.question, suggestions, &self.inputs))
    }
}

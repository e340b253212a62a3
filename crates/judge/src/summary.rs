//! What a paper's setup section must say about its judge: model, endpoint, dates, prompts, counts, tokens.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::cache::{AnswerCache, CachedAnswer};
use crate::client::{TokenUsage, Unreached};
use crate::parse::Failure;
use crate::predictions::Collected;
use crate::request::{PredictionForm, Questions};
use crate::run::RunTally;

/// File of the summary in the output folder.
pub const SUMMARY: &str = "summary.json";

/// Whether a text is a summary that this program wrote, in this version or another.
pub fn written_here(text: &[u8]) -> bool {
    let summary: Option<Value> = serde_json::from_slice(text).ok();
    let program = summary.as_ref().and_then(|summary| summary.get("program")?.as_str());
    program.is_some_and(|program| program.starts_with("judge-uncertainty "))
}

/// The summary file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionSummary {
    /// Name and version of this program.
    pub program: String,
    /// Name of the experiment or study.
    pub task: String,
    /// Items.
    pub items: usize,
    /// Prompt variants.
    pub variants: Vec<String>,
    /// The model asked for.
    pub model: String,
    /// Models that answered, as the endpoint names them.
    pub served_models: BTreeSet<String>,
    /// Hosts of the endpoints, without the rest of their addresses.
    pub hosts: BTreeSet<String>,
    /// `verbalised`, or `log_probabilities`.
    pub prediction: PredictionForm,
    /// Parameters by what was asked; what is not named was not sent.
    pub parameters: BTreeMap<&'static str, BTreeMap<String, Value>>,
    /// When the first answer arrived, UTC.
    pub first_answer: Option<String>,
    /// When the last answer arrived, UTC.
    pub last_answer: Option<String>,
    /// SHA-256 of each prompt template.
    pub templates: BTreeMap<String, String>,
    /// Questions of the task.
    pub questions: usize,
    /// Questions with an answer.
    pub answered: usize,
    /// Answers that count.
    pub usable: usize,
    /// Usable answers whose numbers had to be normalised.
    pub normalised: usize,
    /// Answers that do not count, by kind.
    pub failures: BTreeMap<Failure, usize>,
    /// Questions that this run could not get answered, by kind.
    pub unreached: BTreeMap<Unreached, usize>,
    /// Mean probability on no label, for predictions from log-probabilities.
    pub mean_unseen_mass: Option<f64>,
    /// Answers on file that are not used: to other prompts, of other models, or asked again.
    pub superseded: usize,
    /// Tokens of the answers used, as the endpoint counted them.
    pub tokens: TokenUsage,
    /// Answers whose tokens the endpoint did not count; they are not among `tokens`.
    pub uncounted: usize,
    /// Spent in the currency of the price that was given, all answers on file included.
    pub spent: Option<f64>,
}

impl SessionSummary {
    /// Sums up the answers of a `cache` that are `used`, one per question; `collected` is what they say, `tally` what
    /// happened in this run.
    pub fn new(
        questions: &Questions,
        cache: &AnswerCache,
        used: &[&CachedAnswer],
        collected: &Collected,
        tally: &RunTally,
    ) -> Self {
        let Questions { task, settings, prompts, requests } = questions;
        let mut parameters = BTreeMap::new();
        let (mut tokens, mut uncounted) = (TokenUsage::default(), 0);
        for entry in used {
            parameters.entry(entry.ask.name()).or_insert_with(|| entry.parameters.clone());
            match entry.answer.tokens {
                Some(counted) => tokens = tokens.plus(counted),
                None => uncounted += 1,
            }
        }
        let times = || used.iter().map(|entry| entry.time.clone());
        SessionSummary {
            program: concat!("judge-uncertainty ", env!("CARGO_PKG_VERSION")).to_owned(),
            task: task.name.clone(),
            items: task.items.len(),
            variants: task.variants.clone(),
            model: settings.model.clone(),
            served_models: used.iter().filter_map(|entry| entry.answer.served_model.clone()).collect(),
            hosts: used.iter().map(|entry| entry.host.clone()).collect(),
            prediction: settings.prediction,
            parameters,
            first_answer: times().min(),
            last_answer: times().max(),
            templates: prompts.hashes().clone(),
            questions: requests.len(),
            answered: used.len(),
            usable: collected.usable,
            normalised: collected.normalised,
            failures: collected.failures.clone(),
            unreached: tally.unreached.clone(),
            mean_unseen_mass: collected.mean_unseen(),
            superseded: cache.entries().len() - used.len(),
            tokens,
            uncounted,
            spent: tally.spent,
        }
    }
}

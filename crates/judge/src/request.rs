//! One question to the judge, what identifies it, and the request body for an OpenAI-compatible endpoint.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use crate::Error;
use crate::prompts::{Ask, Prompts};
use crate::task::Task;
use judge_uncertainty_formats::checksum::sha256_hex;

/// Most alternatives of a token that endpoints list.
const TOP_TOKENS: u32 = 20;

/// Which prediction is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PredictionForm {
    /// Expected counts in words.
    Verbalised,
    /// Log-probabilities of label tokens.
    LogProbabilities,
}

/// Under which variants the stated confidence is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfidenceOf {
    /// Under each variant.
    Each,
    /// Under the first only, once per item.
    First,
    /// Not at all.
    None,
}

/// What to ask, of whom, with which parameters. A parameter that is not set is not sent.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionSettings {
    /// The model.
    pub model: String,
    /// Kind of prediction.
    pub prediction: PredictionForm,
    /// Stated confidence.
    pub confidence: ConfidenceOf,
    /// Answers per question, 1 or more.
    pub samples: u32,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Most tokens of an answer.
    pub max_tokens: Option<u32>,
}

impl QuestionSettings {
    /// Parameters of a request, by the names under which they are sent.
    fn parameters(&self, ask: Ask) -> BTreeMap<String, Value> {
        let of_label = |value: Value| (ask == Ask::Label).then_some(value);
        let all = [
            ("temperature", self.temperature.map(Value::from)),
            ("max_completion_tokens", self.max_tokens.map(Value::from)),
            ("logprobs", of_label(true.into())),
            ("top_logprobs", of_label(TOP_TOKENS.into())),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// One question to the judge.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeRequest {
    /// Position of its item in the task.
    pub item: usize,
    /// Id of the item.
    pub id: String,
    /// What is asked.
    pub ask: Ask,
    /// Prompt variant.
    pub variant: String,
    /// Number of the answer to the same question, from 0.
    pub sample: u32,
    /// The model.
    pub model: String,
    /// Parameters by the names under which they are sent.
    pub parameters: BTreeMap<String, Value>,
    /// The text sent.
    pub prompt: String,
    /// Its SHA-256 sum.
    pub prompt_sha256: String,
    /// SHA-256 sum over all that identifies the answer, made by `key`.
    pub key: String,
    /// Answers on file already: it is asked again on purpose if there are any.
    pub on_file: usize,
}

/// What identifies an answer: the SHA-256 sum of item, ask, variant, model, prompt hash, parameters and sample number.
pub fn key(
    item: &str,
    ask: Ask,
    variant: &str,
    model: &str,
    prompt_sha256: &str,
    parameters: &BTreeMap<String, Value>,
    sample: u32,
) -> String {
    let parts = json!([item, ask.name(), variant, model, prompt_sha256, parameters, sample]);
    sha256_hex(parts.to_string().as_bytes())
}

/// A task with its prompts and settings, and the questions that follow from them.
pub struct Questions {
    /// What is asked about.
    pub task: Task,
    /// The templates.
    pub prompts: Prompts,
    /// What to ask, of whom.
    pub settings: QuestionSettings,
    /// All questions: items in order, for each its variants, for each what is asked.
    pub requests: Vec<JudgeRequest>,
}

impl Questions {
    /// Plans the questions.
    ///
    /// # Errors
    /// No variant or one twice, settings that the task can't meet, a template that can't be rendered.
    pub fn new(task: Task, prompts: Prompts, settings: QuestionSettings) -> Result<Self, Error> {
        let distinct: BTreeSet<&String> = task.variants.iter().collect();
        if distinct.is_empty() || distinct.len() < task.variants.len() {
            let problem = "are not prompt variants; name one or more, each once";
            return Err(Error::Argument(format!("{:?} {problem}", task.variants)));
        }
        let main = match (task.answers.is_numbers(), settings.prediction) {
            (false, PredictionForm::Verbalised) => Ask::Distribution,
            (false, PredictionForm::LogProbabilities) => Ask::Label,
            (true, PredictionForm::Verbalised) => Ask::Score,
            (true, PredictionForm::LogProbabilities) => {
                return Err(Error::Argument("scores have no label tokens; ask for a verbalised prediction".to_owned()));
            }
        };
        let mut requests = vec![];
        for (i, item) in task.items.iter().enumerate() {
            for (v, variant) in task.variants.iter().enumerate() {
                let confidence = match settings.confidence {
                    ConfidenceOf::Each => true,
                    ConfidenceOf::First => v == 0,
                    ConfidenceOf::None => false,
                };
                // Once per item: it belongs to the labels, not to the wording.
                let update = task.self_update && v == 0 && item.labels.iter().any(|&n| n > 0);
                let asks = [Some(main), confidence.then_some(Ask::Confidence), update.then_some(Ask::Update)];
                for ask in asks.into_iter().flatten() {
                    let prompt = prompts.render(&task, item, ask, variant)?;
                    let prompt_sha256 = sha256_hex(prompt.as_bytes());
                    let parameters = settings.parameters(ask);
                    for sample in 0..settings.samples.max(1) {
                        requests.push(JudgeRequest {
                            item: i,
                            id: item.id.clone(),
                            ask,
                            variant: variant.clone(),
                            sample,
                            key: key(&item.id, ask, variant, &settings.model, &prompt_sha256, &parameters, sample),
                            model: settings.model.clone(),
                            parameters: parameters.clone(),
                            prompt: prompt.clone(),
                            prompt_sha256: prompt_sha256.clone(),
                            on_file: 0,
                        });
                    }
                }
            }
        }
        Ok(Self { task, prompts, settings, requests })
    }
}

impl JudgeRequest {
    /// The body of a chat completion request.
    pub fn body(&self) -> Value {
        let mut body = json!({ "model": self.model, "messages": [{ "role": "user", "content": self.prompt }] });
        for (name, value) in &self.parameters {
            body[name] = value.clone();
        }
        body
    }
}

//! Arguments that the commands of `judge` share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::session::dice;
use crate::cli::options::one_of;
use crate::cli::say;
use crate::judge::Error;
use crate::judge::budget::Price;
use crate::judge::client::Judge;
use crate::judge::endpoint::{ApiKey, Endpoint};
use crate::judge::prompts::Prompts;
use crate::judge::request::{ConfidenceOf, PredictionForm, QuestionSettings, Questions};
use crate::judge::simulated::Simulated;
use crate::judge::task::Task;
use judge_uncertainty_formats::dataset::originals::ORIGINALS;

/// The name of a kind as files spell it.
pub(super) fn name_of(kind: &impl serde::Serialize) -> String {
    serde_json::to_value(kind).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What to ask about.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Items")]
#[group(skip)]
pub(super) struct TaskArgs {
    /// `dice` (the paper's Experiment 1), a study (its folder or study.toml), or a folder with ChaosNLI's original
    /// files chaosNLI_snli.jsonl and chaosNLI_mnli_m.jsonl (Experiment 2).
    #[arg(value_name = "dice|FOLDER")]
    items: PathBuf,
}

impl TaskArgs {
    pub(super) fn load(&self, question: &str) -> Result<Task, Error> {
        let task = match self.items.as_path() {
            name if name == Path::new("dice") && !name.join("study.toml").is_file() => dice(),
            folder if ORIGINALS.iter().any(|(name, _)| folder.join(name).is_file()) => Task::chaosnli(folder)?,
            study => Task::study(study, question.to_owned())?,
        };
        task.warnings.iter().for_each(|text| say(format_args!("{text}")));
        Ok(task)
    }
}

/// What annotators are asked, if neither an option nor a file says it.
pub(super) const QUESTION: &str = "Annotators were shown the following item.";

/// What to ask for.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Questions")]
pub(super) struct SettingsArgs {
    /// What annotators are asked about an item of a study.
    #[arg(long, value_name = "TEXT", default_value = QUESTION)]
    question: String,
    /// Prompt variants, as the templates name them [default: all three of them].
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    variants: Vec<String>,
    /// Folder with the prompt templates [default: templates/prompts if there is one, else those built in].
    #[arg(long, value_name = "DIR")]
    prompts: Option<PathBuf>,
    /// Ask about the first N items only.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// The model, as the endpoint names it.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Expected counts of 100 annotators in words, or log-probabilities of label tokens.
    #[arg(long, value_parser = one_of(PREDICTIONS), default_value = "verbalised")]
    prediction: PredictionForm,
    /// Ask for stated confidence under each variant, under the first only, or not at all.
    #[arg(long, value_parser = one_of(CONFIDENCES), default_value = "each")]
    confidence: ConfidenceOf,
    /// Answers to each question; their shares are averaged.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    samples: u32,
    /// Sampling temperature; not sent unless given.
    #[arg(long, value_name = "T", value_parser = non_negative)]
    temperature: Option<f64>,
    /// Most tokens of an answer; not sent unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
}

const PREDICTIONS: &[(&str, &str, PredictionForm)] =
    &[("verbalised", "", PredictionForm::Verbalised), ("logprobs", "", PredictionForm::LogProbabilities)];
const CONFIDENCES: &[(&str, &str, ConfidenceOf)] =
    &[("each", "", ConfidenceOf::Each), ("first", "", ConfidenceOf::First), ("none", "", ConfidenceOf::None)];

impl SettingsArgs {
    /// The questions about `items` for a model.
    pub(super) fn questions(&self, items: &TaskArgs, model: String) -> Result<Questions, Error> {
        let mut task = items.load(&self.question)?;
        if !self.variants.is_empty() {
            task.variants.clone_from(&self.variants);
        }
        task.limit(self.limit.unwrap_or(usize::MAX));
        let prompts = Prompts::load(self.prompts.as_deref(), task.prompts)?;
        let settings = QuestionSettings {
            model,
            prediction: self.prediction,
            confidence: self.confidence,
            samples: self.samples,
            temperature: self.temperature,
            max_tokens: self.max_tokens,
        };
        Questions::new(task, prompts, settings)
    }
}

/// Whom to ask, how fast, for how much.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Judge")]
pub(super) struct EndpointArgs {
    /// Kind of judge. The simulated one needs no network and costs nothing.
    #[arg(long, value_parser = ["openai", "simulated"], default_value = "openai")]
    judge: String,
    /// Address of the endpoint.
    #[arg(long, value_name = "URL", default_value = OPENAI)]
    base_url: String,
    /// Environment variable with the key. An endpoint of your own (--base-url) is asked without a key if the variable
    /// is not set.
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    key_env: String,
    /// Price of a million tokens of prompts and of answers, in your currency.
    #[arg(long, value_name = "PROMPT:ANSWER", value_parser = prices)]
    pub(super) price: Option<Price>,
    /// Stop before the answers on file and the next could cost more than this. Tokens count as the endpoint states them,
    /// but no fewer than about one for every four bytes of prompt and reply.
    #[arg(long, value_name = "AMOUNT", requires = "price", value_parser = non_negative)]
    pub(super) max_spend: Option<f64>,
    /// Questions under way at once.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(super) concurrency: u32,
    /// Requests per minute.
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(super) requests_per_minute: Option<f64>,
}

const OPENAI: &str = "https://api.openai.com/v1";

impl EndpointArgs {
    /// The model that is asked. The simulated judge goes by its own name: its answers must never pass for those of a
    /// model.
    pub(super) fn model(&self, settings: &SettingsArgs) -> Result<String, Error> {
        let missing = || Error::Argument("name the model with --model, or use --judge simulated".to_owned());
        match self.is_simulated() {
            true => Ok("simulated".to_owned()),
            false => settings.model.clone().ok_or_else(missing),
        }
    }

    fn is_simulated(&self) -> bool {
        self.judge == "simulated"
    }

    /// The judge, ready to be asked.
    pub(super) fn judge<'t>(&self, task: &'t Task) -> Result<Box<dyn Judge + 't>, Error> {
        if self.is_simulated() {
            return Ok(Box::new(Simulated::new(task)));
        }
        let without_key = self.base_url != OPENAI && std::env::var_os(&self.key_env).is_none();
        if without_key {
            say(format_args!("note: {} is not set, so the endpoint is asked without a key", self.key_env));
        }
        let key = if without_key { None } else { Some(ApiKey::from_environment(&self.key_env)?) };
        Ok(Box::new(Endpoint::new(&self.base_url, key, waits().1)?))
    }
}

/// The first wait before asking again (1 s), and how long an answer may take (120 s). Tests shorten both by an
/// environment variable, in milliseconds.
pub(super) fn waits() -> (Duration, Duration) {
    let set = std::env::var("JUDGE_UNCERTAINTY_TEST_WAITS").ok();
    let set = set.as_deref().and_then(|text| text.split_once(','));
    let (first, longest) = set.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?))).unwrap_or((1000, 120_000));
    (Duration::from_millis(first), Duration::from_millis(longest))
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|n: &f64| n.is_finite()).ok_or_else(|| format!("{text:?} is not a number"))
}

fn rate(text: &str) -> Result<f64, String> {
    // A year in seconds, and more than any rate: larger values are typing errors and overflow times. One in a week: whoever
    // asks for fewer waits for ever.
    match number(text)? {
        n if n <= 0.0 || n >= 3.2e7 => Err("must be above 0 and below 3.2e7".to_owned()),
        n if n < 1e-4 => Err("must be 0.0001 or more".to_owned()),
        n => Ok(n),
    }
}

fn non_negative(text: &str) -> Result<f64, String> {
    number(text).and_then(|n| if n >= 0.0 { Ok(n) } else { Err("must be 0 or more".to_owned()) })
}

fn prices(text: &str) -> Result<Price, String> {
    let pair = text.split_once(':').ok_or("two numbers with a colon between them are needed")?;
    Ok(Price { prompt: non_negative(pair.0)?, completion: non_negative(pair.1)? })
}

//! Arguments that the commands of `judge` share.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::dice::dice;
use crate::cli::say;
use crate::judge::Error;
use crate::judge::budget::Price;
use crate::judge::client::Judge;
use crate::judge::endpoint::{Address, ApiKey, DROPPABLE, Endpoint};
use crate::judge::request::{ConfidenceOf, PredictionForm, QuestionSettings};
use crate::judge::simulated::Simulated;
use crate::judge::task::{AnswerScale, Task};

/// The name of a kind as files spell it.
pub(super) fn name_of(kind: &impl serde::Serialize) -> String {
    serde_json::to_value(kind).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What to ask about.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Items")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["preset", "study", "items"]))]
#[group(skip)]
pub(super) struct TaskArgs {
    /// Items of the paper: dice, or chaosnli.
    #[arg(value_enum)]
    preset: Option<Preset>,
    /// Folder with chaosNLI_snli.jsonl and chaosNLI_mnli_m.jsonl, for the preset chaosnli.
    #[arg(long, value_name = "DIR")]
    chaosnli: Option<PathBuf>,
    /// A study: its study.toml, or the folder that holds it. Its [judge] then reads OUT/predictions.csv with
    /// kind = "probabilities", variant = "variant", confidence = "confidence".
    #[arg(long, value_name = "STUDY")]
    study: Option<PathBuf>,
    /// Items of your own without a study: CSV with id, the columns that the prompt shows, and n_CLASS with labels in
    /// hand.
    #[arg(long, value_name = "FILE")]
    items: Option<PathBuf>,
    /// Labels that annotators choose from, for --items.
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', conflicts_with = "scale")]
    classes: Vec<String>,
    /// Annotators give a score from LOW to HIGH, for --items.
    #[arg(long, value_name = "LOW:HIGH", value_parser = interval)]
    scale: Option<(f64, f64)>,
    /// What annotators are asked, for --study and --items.
    #[arg(long, value_name = "TEXT", default_value = "Annotators were shown the following item.")]
    question: String,
    /// Prompt variants, as the templates name them [default: the three of the preset].
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    variants: Vec<String>,
    /// Folder with the prompt templates [default: templates/prompts if there is one, else those built in].
    #[arg(long, value_name = "DIR")]
    prompts: Option<PathBuf>,
    /// Ask about the first N items only.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Preset {
    Dice,
    Chaosnli,
}

impl TaskArgs {
    pub(super) fn prompts(&self) -> Option<&Path> {
        self.prompts.as_deref()
    }

    /// The files of the user's own that are read.
    pub(super) fn inputs(&self) -> Vec<&Path> {
        self.items.iter().map(PathBuf::as_path).collect()
    }

    pub(super) fn load(&self) -> Result<Task, Error> {
        let refused = |detail: &str| Err(Error::Argument(detail.to_owned()));
        let mut task = match (self.preset, &self.study, &self.items) {
            (Some(Preset::Dice), ..) => dice(),
            (Some(Preset::Chaosnli), ..) => match &self.chaosnli {
                Some(folder) => Task::chaosnli(folder)?,
                None => {
                    return refused(
                        "the sentences of ChaosNLI are not part of this program; download chaosNLI_v1.0.zip from the \
                         page of easonnie/ChaosNLI and name its folder with --chaosnli",
                    );
                }
            },
            (None, Some(study), _) => Task::study(study, self.question.clone())?,
            (None, None, Some(items)) => {
                let answers = match (self.scale, self.classes.is_empty()) {
                    (scale @ Some(_), _) => AnswerScale::Score { scale },
                    (None, false) => AnswerScale::Classes(self.classes.clone()),
                    (None, true) => {
                        return refused("name the labels with --classes A,B or the score with --scale LOW:HIGH");
                    }
                };
                Task::list(items, answers, self.question.clone())?
            }
            (None, None, None) => return refused("name a preset, a study with --study, or your items with --items"),
        };
        if !self.variants.is_empty() {
            task.variants.clone_from(&self.variants);
        }
        task.limit(self.limit.unwrap_or(usize::MAX));
        task.warnings.iter().for_each(|text| say(format_args!("{text}")));
        Ok(task)
    }
}

/// What to ask for.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Questions")]
pub(super) struct SettingsArgs {
    /// The model, as the endpoint names it.
    #[arg(long, value_name = "NAME")]
    pub(super) model: Option<String>,
    /// Expected counts of 100 annotators in words, or log-probabilities of label tokens.
    #[arg(long, value_parser = one_of(PREDICTIONS), default_value = "verbalised")]
    prediction: PredictionForm,
    /// Ask for stated confidence under each variant, under the first only, or not at all.
    #[arg(long, value_parser = one_of(CONFIDENCES), default_value = "each")]
    confidence: ConfidenceOf,
    /// Ask again with the labels in hand, once per item that has some.
    #[arg(long)]
    self_update: bool,
    /// Answers to each question; their shares are averaged.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    samples: u32,
    /// Sampling temperature; not sent unless given.
    #[arg(long, value_name = "T", value_parser = non_negative)]
    temperature: Option<f64>,
    /// Most tokens of an answer; not sent unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// Name under which --max-tokens is sent; older servers know max_tokens.
    #[arg(long, value_name = "NAME", default_value = "max_completion_tokens",
          value_parser = ["max_completion_tokens", "max_tokens"])]
    max_tokens_name: String,
    /// Reasoning effort, such as low; not sent unless given.
    #[arg(long, value_name = "LEVEL")]
    reasoning_effort: Option<String>,
    /// Ask for answers that keep to a JSON schema, where the endpoint can.
    #[arg(long)]
    structured: bool,
}

/// Takes one of these words for what it stands for.
fn one_of<T: Copy + Send + Sync + 'static>(words: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T> {
    let meaning = |word: String| words.iter().find(|(name, _)| *name == word).map(|(_, meaning)| *meaning);
    PossibleValuesParser::new(words.iter().map(|(name, _)| *name)).try_map(move |word| meaning(word).ok_or("unknown"))
}

const PREDICTIONS: &[(&str, PredictionForm)] =
    &[("verbalised", PredictionForm::Verbalised), ("logprobs", PredictionForm::LogProbabilities)];
const CONFIDENCES: &[(&str, ConfidenceOf)] =
    &[("each", ConfidenceOf::Each), ("first", ConfidenceOf::First), ("none", ConfidenceOf::None)];

impl SettingsArgs {
    /// The model, where there must be one.
    pub(super) fn model(&self) -> Result<String, Error> {
        let missing =
            || Error::Argument("name the model with --model, or use `judge run --judge simulated`".to_owned());
        self.model.clone().ok_or_else(missing)
    }

    pub(super) fn settings(&self, model: String) -> QuestionSettings {
        QuestionSettings {
            model,
            prediction: self.prediction,
            confidence: self.confidence,
            self_update: self.self_update,
            samples: self.samples,
            temperature: self.temperature,
            max_tokens: self.max_tokens,
            max_tokens_name: self.max_tokens_name.clone(),
            reasoning_effort: self.reasoning_effort.clone(),
            structured: self.structured,
        }
    }
}

/// Whom to ask.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Judge")]
pub(super) struct EndpointArgs {
    /// Kind of judge. The simulated one needs no network and costs nothing.
    #[arg(long, value_enum, default_value = "openai")]
    judge: EndpointKind,
    /// Address of the endpoint; for Azure that of the resource, such as https://NAME.openai.azure.com.
    #[arg(long, value_name = "URL", default_value = "https://api.openai.com/v1")]
    base_url: String,
    /// Azure: name of the deployment [default: the model].
    #[arg(long, value_name = "NAME")]
    deployment: Option<String>,
    /// Azure: version of the interface, such as 2024-12-01-preview.
    #[arg(long, value_name = "VERSION", required_if_eq("judge", "azure"))]
    api_version: Option<String>,
    /// Environment variable with the key [default: OPENAI_API_KEY, or AZURE_OPENAI_API_KEY].
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// The endpoint needs no key.
    #[arg(long, conflicts_with = "key_env")]
    no_key: bool,
    /// Parameters that may be left out, and are recorded, once the endpoint refuses them.
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = DROPPABLE)]
    drop_refused: Vec<String>,
    /// Seed of the simulated judge.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    pub(super) price: PriceArg,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EndpointKind {
    Openai,
    Azure,
    Simulated,
}

/// What tokens cost.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Cost")]
pub(super) struct PriceArg {
    /// Price of a million tokens of prompts and of answers, in your currency.
    #[arg(long, value_name = "PROMPT:ANSWER", value_parser = prices)]
    pub(super) price: Option<Price>,
    /// Tokens of an answer to reckon with before longer ones have come [default: 40].
    #[arg(long, value_name = "N")]
    pub(super) expect_tokens: Option<u64>,
}

/// How fast, how long, how much.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitArgs {
    /// Stop before the answers on file and the next could cost more than this.
    #[arg(long, value_name = "AMOUNT", requires = "price", value_parser = non_negative)]
    pub(super) max_spend: Option<f64>,
    /// Questions under way at once.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(super) concurrency: u32,
    /// Requests per minute.
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(super) requests_per_minute: Option<f64>,
    /// Tokens per minute, of prompts and (as far as --max-tokens limits them) answers.
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(super) tokens_per_minute: Option<f64>,
    /// Seconds to wait for an answer.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = positive)]
    timeout: f64,
    /// How often to ask again after a limit, an error or a broken connection.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(super) retries: u32,
    /// Seconds before asking again; doubles each time. A longer wait that the endpoint asks for is kept.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = positive)]
    backoff: f64,
}

impl LimitArgs {
    pub(super) fn first_wait(&self) -> Duration {
        Duration::from_secs_f64(self.backoff)
    }
}

impl EndpointArgs {
    pub(super) fn simulated_seed(&self) -> Option<u64> {
        (self.judge == EndpointKind::Simulated).then_some(self.seed)
    }

    /// The model that is asked. The simulated judge goes by its own name: its answers must never pass for those of a
    /// model, nor those of one seed for another's.
    pub(super) fn model(&self, settings: &SettingsArgs) -> Result<String, Error> {
        match self.simulated_seed() {
            Some(seed) => Ok(format!("simulated-{seed}")),
            None => settings.model(),
        }
    }

    /// The judge, ready to be asked.
    pub(super) fn judge<'t>(&self, task: &'t Task, model: &str) -> Result<Box<dyn Judge + 't>, Error> {
        if self.judge == EndpointKind::Simulated {
            return Ok(Box::new(Simulated::new(task, self.seed)));
        }
        let (address, variable) = match (self.judge, &self.api_version) {
            (EndpointKind::Azure, Some(api_version)) => {
                let deployment = self.deployment.clone().unwrap_or_else(|| model.to_owned());
                let endpoint = self.base_url.clone();
                (Address::Azure { endpoint, deployment, api_version: api_version.clone() }, "AZURE_OPENAI_API_KEY")
            }
            _ => (Address::OpenAi { base: self.base_url.clone() }, "OPENAI_API_KEY"),
        };
        let variable = self.key_env.as_deref().unwrap_or(variable);
        let key = if self.no_key { None } else { Some(ApiKey::from_environment(variable)?) };
        let timeout = Duration::from_secs_f64(self.limits.timeout);
        let droppable: BTreeSet<String> = self.drop_refused.iter().cloned().collect();
        Ok(Box::new(Endpoint::new(&address, key, timeout, task.classes(), droppable)?))
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|n: &f64| n.is_finite()).ok_or_else(|| format!("{text:?} is not a number"))
}

fn positive(text: &str) -> Result<f64, String> {
    // A year in seconds, and more than any rate: larger values are typing errors and overflow times.
    number(text)
        .and_then(|n| if n > 0.0 && n < 3.2e7 { Ok(n) } else { Err("must be above 0 and below 3.2e7".to_owned()) })
}

fn rate(text: &str) -> Result<f64, String> {
    // One in a week: whoever asks for fewer waits for ever.
    positive(text).and_then(|n| if n >= 1e-4 { Ok(n) } else { Err("must be 0.0001 or more".to_owned()) })
}

fn non_negative(text: &str) -> Result<f64, String> {
    number(text).and_then(|n| if n >= 0.0 { Ok(n) } else { Err("must be 0 or more".to_owned()) })
}

fn pair(text: &str) -> Result<(&str, &str), String> {
    text.split_once(':').ok_or_else(|| "two numbers with a colon between them are needed".to_owned())
}

fn interval(text: &str) -> Result<(f64, f64), String> {
    let (low, high) = pair(text)?;
    Ok((number(low)?, number(high)?))
}

fn prices(text: &str) -> Result<Price, String> {
    let (prompt, completion) = pair(text)?;
    Ok(Price { prompt: non_negative(prompt)?, completion: non_negative(completion)? })
}

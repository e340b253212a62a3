//! `judge run`: asks everything that is not answered yet.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::arguments::{EndpointArgs, SettingsArgs, TaskArgs};
use super::session::{conclude, folder, open, prepare, questions, spent};
use super::{summary, watch};
use crate::cli::terminal::stdout;
use crate::cli::{Error, FINDINGS, say};
use crate::judge::budget::{Pace, Price, Purse};
use crate::judge::client::TokenUsage;
use crate::judge::request::Questions;
use crate::judge::run::{Effort, Ended, ask_all, missing};
use crate::judge::{self, about_tokens};

/// Tokens that an answer is reckoned with before one has arrived.
const EXPECTED_ANSWER: u64 = 40;

/// Ask everything that is not answered yet.
///
/// Every answer is stored in OUT/answers.jsonl as it arrives; the same command goes on where an earlier one ended. Then
/// OUT/predictions.csv (and self-updates.csv) and OUT/summary.json are written from all answers.
///
/// Exit status: 0 when every question has an answer that counts, 10 when some do not, 2 when input or arguments are
/// refused, 1 when the endpoint refuses or fails.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty judge run dice --judge simulated --self-update --out my-dice
  judge-uncertainty reproduce --only dice --dice-judge my-dice
  judge-uncertainty judge run chaosnli --chaosnli chaosNLI_v1.0 --model gpt-5 --dry-run --price 1.25:10
  judge-uncertainty judge run --study examples/starter --judge simulated --out my-judge
  OPENAI_API_KEY=... judge-uncertainty judge run --items reviews.csv --classes good,bad --model gpt-5
  judge-uncertainty judge run dice --base-url http://localhost:8000/v1 --no-key --model llama --max-tokens 100")]
pub(crate) struct Args {
    #[command(flatten)]
    task: TaskArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    endpoint: EndpointArgs,
    /// Folder for answers, predictions and summary [default: judge-NAME, NAME being the preset, the study's folder or
    /// the items' file].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the first prompts, the number of requests and tokens and, with --price, the cost; send and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// With --dry-run: items whose prompts are printed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    show: usize,
    /// Ask again where the last answer does not count (empty, refused, unparseable).
    #[arg(long)]
    retry_failed: bool,
    /// Ask everything again; earlier answers stay on file and are not used.
    #[arg(long, conflicts_with = "retry_failed")]
    refresh: bool,
    /// Go on although the file holds answers to another prompt: keep them, do not use them, ask again.
    #[arg(long)]
    new_prompt: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Anything refused, or an endpoint that fails; answers that arrived are kept.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let questions = questions(&args.task, &args.settings, args.endpoint.model(&args.settings)?)?;
    let price = args.endpoint.price.price;
    if args.dry_run {
        return preview(&questions, args.show, price, args.endpoint.price.expect_tokens);
    }
    let Questions { task, settings, requests, .. } = &questions;
    let judge = args.endpoint.judge(task, &settings.model)?;
    let folder = folder(&questions.task, args.out.as_deref());
    let _held = prepare(&folder, &args.task.inputs())?;
    let mut cache = open(&folder)?;
    let others = cache.answers_to_other_prompts(requests);
    if let (Some(first), false) = (others.first(), args.new_prompt) {
        return Err(judge::Error::OtherPrompt {
            path: cache.path().to_path_buf(),
            count: others.len(),
            item: first.item.clone(),
            variant: first.variant.clone(),
            ask: first.ask.name(),
        }
        .into());
    }
    let todo = missing(requests.clone(), &cache, &task.answers, args.retry_failed, args.refresh);
    let limits = &args.endpoint.limits;
    let pace = Pace::new(limits.requests_per_minute, limits.tokens_per_minute);
    let expected = args.endpoint.price.expect_tokens.unwrap_or(EXPECTED_ANSWER);
    let purse = Purse::new(price, limits.max_spend, spent(&cache, price), expected);
    let effort = Effort {
        concurrency: limits.concurrency as usize,
        retries: limits.retries,
        first_wait: limits.first_wait(),
        longest_wait: limits.first_wait() * 64,
    };
    let watch = watch::ProgressLine::new(todo.len());
    let (tally, ended) =
        ask_all(&todo, judge.as_ref(), &task.answers, &mut cache, &effort, (&pace, &purse), &|tally| watch.see(tally));
    watch.finish();
    let seed = args.endpoint.simulated_seed();
    let found = conclude(&questions, &folder, &cache, &tally, seed)?;
    summary::show(&found, &folder, args.json)?;
    match ended {
        Some(Ended::Refused(detail) | Ended::Gone(detail)) => Err(judge::Error::Endpoint(detail).into()),
        Some(Ended::Cache(e)) => Err(e.into()),
        Some(Ended::MaxSpend) => {
            say(format_args!("stopped: the next question could exceed --max-spend; raise it to go on"));
            Ok(ExitCode::from(FINDINGS))
        }
        None => Ok(summary::exit_code(&found)),
    }
}

fn preview(questions: &Questions, show: usize, price: Option<Price>, expected: Option<u64>) -> Result<ExitCode, Error> {
    let mut out = stdout();
    for request in questions.requests.iter().filter(|request| request.item < show && request.sample == 0) {
        writeln!(out, "--- item {:?}, variant {:?}, {}", request.id, request.variant, request.ask.name())?;
        writeln!(out, "{}\n", request.prompt)?;
    }
    let prompt: u64 = questions.requests.iter().map(|request| about_tokens(&request.prompt)).sum();
    let completion = expected.unwrap_or(EXPECTED_ANSWER) * questions.requests.len() as u64;
    writeln!(out, "requests: {}", questions.requests.len())?;
    writeln!(out, "tokens, about: {prompt} of prompts, {completion} of answers")?;
    match price {
        Some(price) => writeln!(out, "cost, about: {:.2}", price.cost(TokenUsage { prompt, completion }))?,
        None => writeln!(out, "cost: give --price PROMPT:ANSWER per million tokens")?,
    }
    writeln!(out, "nothing was sent")?;
    Ok(ExitCode::SUCCESS)
}

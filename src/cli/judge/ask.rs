//! `judge run`: asks everything that is not answered yet.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::arguments::{EndpointArgs, SettingsArgs, TaskArgs, name_of, waits};
use super::session::{conclude, folder, open, prepare};
use super::watch;
use crate::cli::terminal::stdout;
use crate::cli::{Error, FINDINGS, say};
use crate::judge::budget::{Pace, Price, Purse};
use crate::judge::client::TokenUsage;
use crate::judge::parse::Failure;
use crate::judge::request::Questions;
use crate::judge::run::{Effort, Ended, ask_all, missing};
use crate::judge::summary::SessionSummary;
use crate::judge::{self, about_tokens};
use crate::system::to_json;

/// Tokens that an answer is reckoned with before one has arrived.
const EXPECTED_ANSWER: u64 = 40;
/// How often a question is asked again after a limit, an error or a broken connection.
const RETRIES: u32 = 6;

/// Ask everything that is not answered yet.
///
/// Every answer is stored in OUT/answers.jsonl as it arrives; the same command goes on where an earlier one ended. Then
/// OUT/predictions.csv (and self-updates.csv) and OUT/summary.json are written from all answers.
///
/// Exit status: 0 when every question has an answer that counts, 10 when some do not, 2 when input or arguments are
/// refused, 1 when the endpoint refuses or fails.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty judge run dice --judge simulated --out my-dice
  judge-uncertainty reproduce --only dice --dice-judge my-dice
  judge-uncertainty judge run chaosNLI_v1.0 --model gpt-5 --dry-run --price 1.25:10
  judge-uncertainty judge run examples/starter --judge simulated --out my-judge
  judge-uncertainty judge run my-study --base-url http://localhost:8000/v1 --model llama --max-tokens 100")]
pub(crate) struct Args {
    #[command(flatten)]
    task: TaskArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    endpoint: EndpointArgs,
    /// Folder for answers, predictions and summary [default: judge-NAME, NAME being dice, chaosnli or the study's
    /// folder].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the first item's prompts, the number of requests and tokens and, with --price, the cost; send and write
    /// nothing.
    #[arg(long)]
    dry_run: bool,
    /// Ask again where the last answer does not count (empty, refused, unparseable).
    #[arg(long)]
    retry_failed: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Anything refused, or an endpoint that fails; answers that arrived are kept.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let EndpointArgs { price, max_spend, concurrency, requests_per_minute, .. } = args.endpoint;
    let questions = args.settings.questions(&args.task, args.endpoint.model(&args.settings)?)?;
    if args.dry_run {
        return preview(&questions, price);
    }
    let Questions { task, requests, .. } = &questions;
    let judge = args.endpoint.judge(task)?;
    let folder = folder(&questions.task, args.out.as_deref());
    let _held = prepare(&folder, &[])?;
    let mut cache = open(&folder)?;
    let others = cache.answers_to_other_prompts(requests);
    if let Some(first) = others.first() {
        return Err(judge::Error::OtherPrompt {
            path: cache.path().to_path_buf(),
            count: others.len(),
            item: first.item.clone(),
            variant: first.variant.clone(),
            ask: first.ask.name(),
        }
        .into());
    }
    let todo = missing(requests.clone(), &cache, &task.answers, args.retry_failed);
    let pace = Pace::new(requests_per_minute);
    let purse = Purse::new(price, max_spend, cache.charged(), EXPECTED_ANSWER);
    let (first_wait, _) = waits();
    let effort = Effort { concurrency: concurrency as usize, retries: RETRIES, first_wait };
    let watch = watch::ProgressLine::new(todo.len());
    let (tally, ended) =
        ask_all(&todo, judge.as_ref(), &task.answers, &mut cache, &effort, (&pace, &purse), &|tally| watch.see(tally));
    watch.finish();
    let found = conclude(&questions, &folder, &cache, &tally)?;
    show(&found, &folder, args.json)?;
    let failed: usize = found.failures.values().sum();
    if failed > 0 && !args.retry_failed {
        say(format_args!("{failed} answers say nothing that counts; --retry-failed asks these questions again"));
    }
    match ended {
        Some(Ended::Refused(detail) | Ended::Gone(detail)) => Err(judge::Error::Endpoint(detail).into()),
        Some(Ended::Cache(e)) => Err(e.into()),
        Some(Ended::MaxSpend) => {
            say(format_args!("stopped: the next question could exceed --max-spend; raise it to go on"));
            Ok(ExitCode::from(FINDINGS))
        }
        None => Ok(exit_code(&found)),
    }
}

fn preview(questions: &Questions, price: Option<Price>) -> Result<ExitCode, Error> {
    let mut out = stdout();
    for request in questions.requests.iter().filter(|request| request.item == 0 && request.sample == 0) {
        writeln!(out, "--- item {:?}, variant {:?}, {}", request.id, request.variant, request.ask.name())?;
        writeln!(out, "{}\n", request.prompt)?;
    }
    let prompt: u64 = questions.requests.iter().map(|request| about_tokens(request.prompt.len())).sum();
    let completion = EXPECTED_ANSWER * questions.requests.len() as u64;
    writeln!(out, "requests: {}", questions.requests.len())?;
    writeln!(out, "tokens, about: {prompt} of prompts, {completion} of answers")?;
    match price {
        Some(price) => writeln!(out, "cost, about: {:.2}", price.cost(TokenUsage { prompt, completion }))?,
        None => writeln!(out, "cost: give --price PROMPT:ANSWER per million tokens")?,
    }
    writeln!(out, "nothing was sent")?;
    Ok(ExitCode::SUCCESS)
}

/// Success if every question has an answer that counts.
pub(super) fn exit_code(summary: &SessionSummary) -> ExitCode {
    let complete = summary.answered == summary.questions && summary.failures.is_empty();
    if complete { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) }
}

/// Prints the summary.
pub(super) fn show(summary: &SessionSummary, folder: &Path, json: bool) -> Result<(), Error> {
    let mut out = stdout();
    if json {
        return Ok(write!(out, "{}", to_json(summary))?);
    }
    writeln!(out, "questions   {}", summary.questions)?;
    writeln!(out, "answered    {}", summary.answered)?;
    writeln!(out, "usable      {} ({} normalised)", summary.usable, summary.normalised)?;
    write_failures(&mut out, &summary.failures)?;
    for (kind, count) in &summary.unreached {
        writeln!(out, "unanswered  {count} {}", name_of(kind))?;
    }
    if let Some(unseen) = summary.mean_unseen_mass {
        writeln!(out, "unseen mass {unseen:.4} on average")?;
    }
    let TokenUsage { prompt, completion } = summary.tokens;
    writeln!(out, "tokens      {prompt} of prompts, {completion} of answers")?;
    if let Some(spent) = summary.spent {
        writeln!(out, "spent       {spent:.4}")?;
    }
    writeln!(out, "Predictions and summary: {}", folder.display())?;
    Ok(())
}

pub(super) fn write_failures(out: &mut impl Write, failures: &BTreeMap<Failure, usize>) -> Result<(), Error> {
    for (kind, count) in failures {
        writeln!(out, "failed      {count} {}", name_of(kind))?;
    }
    Ok(())
}

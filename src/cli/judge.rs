//! `judge`: ask a judge for predictions, or read answers that were collected elsewhere.

mod arguments;
mod watch;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::arguments::{EndpointArgs, PriceArg, SettingsArgs, TaskArgs};
use super::{Error, FINDINGS};
use crate::judge::budget::{Pace, Price, Purse};
use crate::judge::cache::{Cache, Entry};
use crate::judge::client::Tokens;
use crate::judge::predictions::{Collected, PREDICTIONS, SELF_UPDATES};
use crate::judge::prompts::Prompts;
use crate::judge::request::{Request, Settings, plan};
use crate::judge::run::{Effort, Ended, Tally, ask_all, counted, missing};
use crate::judge::summary::{Facts, ImportSummary, SUMMARY, Summary};
use crate::judge::task::Task;
use crate::judge::{self, about_tokens, batch, import};
use crate::output::{FileError, to_json};

/// File of the answers in the output folder.
const ANSWERS: &str = "answers.jsonl";
/// Tokens that an answer is reckoned with before one has arrived.
const EXPECTED_ANSWER: u64 = 40;

/// Ask a judge for predictions of the dice, of ChaosNLI, of a study or of a list of items; or read answers from elsewhere.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(Box<RunArgs>),
    Import(Box<ImportArgs>),
    ExportBatch(Box<ExportArgs>),
}

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
struct RunArgs {
    #[command(flatten)]
    task: TaskArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    endpoint: EndpointArgs,
    /// Folder for answers, predictions and summary [default: judge-NAME, NAME being the preset, the study's folder or the items' file].
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

/// Read answers that were collected elsewhere: the cache that the paper published, or the output of an OpenAI batch.
///
/// Exit status: 0 when every question has an answer that counts, 10 when some do not, 2 when a file is refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty judge import dice --published dice_cache.jsonl --out my-dice
  judge-uncertainty judge import --items reviews.csv --classes good,bad --model gpt-5 --batch output.jsonl --out reviews")]
#[command(group(clap::ArgGroup::new("source").required(true).args(["published", "batch"])))]
struct ImportArgs {
    #[command(flatten)]
    task: TaskArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Files of the published cache: JSON lines with idx or uid, variant, raw, dist, confidence.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    published: Vec<PathBuf>,
    /// Output of an OpenAI batch whose input `judge export-batch` wrote with the same items, prompts and settings.
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    #[command(flatten)]
    price: PriceArg,
    /// Folder for answers, predictions and summary [default: judge-NAME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Write the questions as input of an OpenAI batch, to standard output or a file.
///
/// With --out naming a folder that holds answers, only what is missing there is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty judge export-batch dice --model gpt-5 > batch.jsonl")]
struct ExportArgs {
    #[command(flatten)]
    task: TaskArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Folder with answers that need not be asked for again.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Anything refused or failed; answers that arrived are kept.
pub fn run(args: &Args) -> Result<ExitCode, Error> {
    match &args.command {
        Command::Run(args) => ask(args),
        Command::Import(args) => import_answers(args),
        Command::ExportBatch(args) => export(args),
    }
}

/// The questions of a task.
struct Questions {
    task: Task,
    prompts: Prompts,
    settings: Settings,
    requests: Vec<Request>,
}

impl Questions {
    fn of(task: &TaskArgs, settings: &SettingsArgs, model: String) -> Result<Self, Error> {
        let folder = task.prompts();
        let task = task.load()?;
        let prompts = Prompts::load(folder, task.prompts)?;
        let settings = settings.settings(model);
        let requests = plan(&task, &prompts, &settings)?;
        Ok(Questions { task, prompts, settings, requests })
    }

    fn folder(&self, out: Option<&Path>) -> PathBuf {
        out.map_or_else(|| PathBuf::from(format!("judge-{}", self.task.name)), Path::to_path_buf)
    }
}

fn ask(args: &RunArgs) -> Result<ExitCode, Error> {
    let questions = Questions::of(&args.task, &args.settings, args.endpoint.model(&args.settings)?)?;
    let price = args.endpoint.price.price;
    if args.dry_run {
        return preview(&questions, args.show, price, args.endpoint.price.expect_tokens);
    }
    let Questions { task, settings, requests, .. } = &questions;
    let judge = args.endpoint.judge(task, &settings.model)?;
    let folder = questions.folder(args.out.as_deref());
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
    let watch = watch::Line::new(todo.len());
    let (tally, ended) = ask_all(&todo, judge.as_ref(), &task.answers, &mut cache, &effort, (&pace, &purse), &watch);
    watch.finish();
    let seed = args.endpoint.simulated_seed();
    let summary = conclude(&questions, &folder, &cache, &tally, seed)?;
    report(&summary, &folder, args.json)?;
    match ended {
        Some(Ended::Refused(detail) | Ended::Gone(detail)) => Err(judge::Error::Endpoint(detail).into()),
        Some(Ended::Cache(e)) => Err(e.into()),
        Some(Ended::MaxSpend) => {
            anstream::eprintln!("stopped: the next question could exceed --max-spend; raise it to go on");
            Ok(ExitCode::from(FINDINGS))
        }
        None => Ok(exit_code(&summary)),
    }
}

/// What was spent on the answers of a cache.
fn spent(cache: &Cache, price: Option<Price>) -> f64 {
    price.map_or(0.0, |price| cache.entries().iter().map(|entry| price.of(counted(&entry.answer, ""))).sum())
}

fn exit_code(summary: &Summary) -> ExitCode {
    let complete = summary.answered == summary.questions && summary.failures.is_empty();
    if complete { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) }
}

fn preview(questions: &Questions, show: usize, price: Option<Price>, expected: Option<u64>) -> Result<ExitCode, Error> {
    let mut out = anstream::stdout().lock();
    for request in questions.requests.iter().filter(|request| request.item < show && request.sample == 0) {
        writeln!(out, "--- item {:?}, variant {:?}, {}", request.id, request.variant, request.ask.name())?;
        writeln!(out, "{}\n", request.prompt)?;
    }
    let prompt: u64 = questions.requests.iter().map(|request| about_tokens(&request.prompt)).sum();
    let completion = expected.unwrap_or(EXPECTED_ANSWER) * questions.requests.len() as u64;
    writeln!(out, "requests: {}", questions.requests.len())?;
    writeln!(out, "tokens, about: {prompt} of prompts, {completion} of answers")?;
    match price {
        Some(price) => writeln!(out, "cost, about: {:.2}", price.of(Tokens { prompt, completion }))?,
        None => writeln!(out, "cost: give --price PROMPT:ANSWER per million tokens")?,
    }
    writeln!(out, "nothing was sent")?;
    Ok(ExitCode::SUCCESS)
}

fn open(folder: &Path) -> Result<Cache, Error> {
    fs::create_dir_all(folder).map_err(FileError::at(folder, "making the folder"))?;
    let cache = Cache::open(&folder.join(ANSWERS))?;
    if cache.repaired() > 0 {
        anstream::eprintln!(
            "note: {}: cut off {} bytes of a last line that was never completed",
            cache.path().display(),
            cache.repaired()
        );
    }
    Ok(cache)
}

/// Writes predictions and summary from the answers on file.
fn conclude(
    questions: &Questions,
    folder: &Path,
    cache: &Cache,
    tally: &Tally,
    simulated_seed: Option<u64>,
) -> Result<Summary, Error> {
    let Questions { task, prompts, settings, requests } = questions;
    let used: Vec<&Entry> = requests.iter().filter_map(|request| cache.answer(&request.key)).collect();
    let collected = Collected::of(used.iter().copied(), &task.answers);
    write_tables(folder, task, &collected)?;
    let summary = Summary::of(&Facts {
        task,
        settings,
        templates: prompts.hashes(),
        questions: requests.len(),
        used: &used,
        on_file: cache.entries().len(),
        collected: &collected,
        tally,
        simulated_seed,
    });
    write_file(&folder.join(SUMMARY), to_json(&summary).as_bytes())?;
    Ok(summary)
}

fn write_tables(folder: &Path, task: &Task, collected: &Collected) -> Result<(), Error> {
    write_file(&folder.join(PREDICTIONS), &collected.predictions(task)?)?;
    let updates = folder.join(SELF_UPDATES);
    match collected.self_updates(task)? {
        Some(table) => write_file(&updates, &table),
        // Not left from another run: it would be taken for one of these answers.
        None if updates.is_file() => Ok(fs::remove_file(&updates).map_err(FileError::at(&updates, "removing"))?),
        None => Ok(()),
    }
}

/// Writes a file beside its place and moves it there.
fn write_file(path: &Path, content: &[u8]) -> Result<(), Error> {
    let new = path.with_extension("new");
    fs::write(&new, content).map_err(FileError::at(&new, "writing"))?;
    Ok(fs::rename(&new, path).map_err(FileError::at(path, "replacing"))?)
}

fn report(summary: &Summary, folder: &Path, json: bool) -> Result<(), Error> {
    let mut out = anstream::stdout().lock();
    if json {
        return Ok(write!(out, "{}", to_json(summary))?);
    }
    writeln!(out, "questions   {}", summary.questions)?;
    writeln!(out, "answered    {}", summary.answered)?;
    writeln!(out, "usable      {} ({} normalised)", summary.usable, summary.normalised)?;
    write_failures(&mut out, &summary.failures)?;
    for (kind, count) in &summary.unreached {
        writeln!(out, "unanswered  {count} {}", arguments::name_of(kind))?;
    }
    for (parameter, count) in &summary.dropped {
        writeln!(out, "dropped     {parameter} in {count} requests")?;
    }
    if let Some(unseen) = summary.mean_unseen_mass {
        writeln!(out, "unseen mass {unseen:.4} on average")?;
    }
    let Tokens { prompt, completion } = summary.tokens;
    writeln!(out, "tokens      {prompt} of prompts, {completion} of answers")?;
    if let Some(spent) = summary.spent {
        writeln!(out, "spent       {spent:.4}")?;
    }
    writeln!(out, "Predictions and summary: {}", folder.display())?;
    Ok(())
}

fn write_failures(
    out: &mut impl Write,
    failures: &std::collections::BTreeMap<judge::parse::Failure, usize>,
) -> Result<(), Error> {
    for (kind, count) in failures {
        writeln!(out, "failed      {count} {}", arguments::name_of(kind))?;
    }
    Ok(())
}

fn import_answers(args: &ImportArgs) -> Result<ExitCode, Error> {
    let Some(file) = &args.batch else { return import_published(args) };
    let questions = Questions::of(&args.task, &args.settings, args.settings.model()?)?;
    let folder = questions.folder(args.out.as_deref());
    let answers = batch::import(file, &questions.requests)?;
    let mut cache = open(&folder)?;
    for (position, answer) in answers {
        let request = &questions.requests[position];
        // The same file may be read twice; an answer that is on file stays.
        if cache.answer(&request.key).is_none() {
            cache.store(Entry::new(request, "batch", answer))?;
        }
    }
    let price = args.price.price;
    let tally = Tally { spent: price.map(|_| spent(&cache, price)), ..Tally::default() };
    let summary = conclude(&questions, &folder, &cache, &tally, None)?;
    report(&summary, &folder, args.json)?;
    Ok(exit_code(&summary))
}

fn import_published(args: &ImportArgs) -> Result<ExitCode, Error> {
    let mut task = args.task.load()?;
    let paths: Vec<&Path> = args.published.iter().map(PathBuf::as_path).collect();
    let collected = import::published(&paths, &mut task)?;
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("judge-{}", task.name)));
    fs::create_dir_all(&folder).map_err(FileError::at(&folder, "making the folder"))?;
    write_tables(&folder, &task, &collected)?;
    let summary = ImportSummary::of(&task, args.settings.model.clone(), &paths, &collected)?;
    write_file(&folder.join(SUMMARY), to_json(&summary).as_bytes())?;
    let mut out = anstream::stdout().lock();
    if args.json {
        write!(out, "{}", to_json(&summary))?;
    } else {
        writeln!(
            out,
            "predictions {} of {} items in {} variants",
            summary.predictions,
            summary.items,
            summary.variants.len()
        )?;
        writeln!(out, "usable      {} ({} normalised)", summary.usable, summary.normalised)?;
        write_failures(&mut out, &summary.failures)?;
        writeln!(out, "Predictions and summary: {}", folder.display())?;
    }
    let complete = summary.predictions == summary.items * summary.variants.len() && summary.failures.is_empty();
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
}

fn export(args: &ExportArgs) -> Result<ExitCode, Error> {
    let questions = Questions::of(&args.task, &args.settings, args.settings.model()?)?;
    let requests = match args.out.as_ref().filter(|folder| folder.join(ANSWERS).is_file()) {
        Some(folder) => missing(questions.requests, &open(folder)?, &questions.task.answers, false, false),
        None => questions.requests,
    };
    write!(anstream::stdout().lock(), "{}", batch::export(&requests, questions.task.classes()))?;
    Ok(ExitCode::SUCCESS)
}

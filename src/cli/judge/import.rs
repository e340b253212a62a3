//! `judge import`: answers that were collected elsewhere.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::arguments::{PriceArg, SettingsArgs, TaskArgs};
use super::session::{conclude, folder, open, prepare, questions, spent, write_tables};
use super::summary;
use crate::cli::terminal::stdout;
use crate::cli::{Error, FINDINGS};
use crate::judge::cache::CachedAnswer;
use crate::judge::run::RunTally;
use crate::judge::summary::{ImportSummary, SUMMARY};
use crate::judge::{batch, import};
use crate::system::{to_json, write_file};

/// Read answers that were collected elsewhere: the cache that the paper published, or the output of an OpenAI batch.
///
/// Exit status: 0 when every question has an answer that counts, 10 when some do not, 2 when a file is refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty judge import dice --published dice_cache.jsonl --out my-dice
  judge-uncertainty judge import --items reviews.csv --classes good,bad --model gpt-5 --batch output.jsonl --out \
  reviews")]
#[command(group(clap::ArgGroup::new("source").required(true).args(["published", "batch"])))]
pub(crate) struct Args {
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

/// Runs the command.
///
/// # Errors
/// A file that is refused, or can't be written.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let Some(file) = &args.batch else { return import_published(args) };
    let questions = questions(&args.task, &args.settings, args.settings.model()?)?;
    let folder = folder(&questions.task, args.out.as_deref());
    let answers = batch::import(file, &questions.requests)?;
    let _held = prepare(&folder, &[args.task.inputs(), vec![file]].concat())?;
    let mut cache = open(&folder)?;
    for (position, answer) in answers {
        let request = &questions.requests[position];
        // The same file may be read twice; an answer that is on file stays.
        if cache.answer(&request.key).is_none() {
            cache.store(CachedAnswer::new(request, "batch", answer))?;
        }
    }
    let price = args.price.price;
    let tally = RunTally { spent: price.map(|_| spent(&cache, price)), ..RunTally::default() };
    let found = conclude(&questions, &folder, &cache, &tally, None)?;
    summary::show(&found, &folder, args.json)?;
    Ok(summary::exit_code(&found))
}

fn import_published(args: &Args) -> Result<ExitCode, Error> {
    let mut task = args.task.load()?;
    let paths: Vec<&Path> = args.published.iter().map(PathBuf::as_path).collect();
    let collected = import::published(&paths, &mut task)?;
    let folder = folder(&task, args.out.as_deref());
    let _held = prepare(&folder, &[args.task.inputs(), paths].concat())?;
    let found = ImportSummary::new(&task, args.settings.model.clone(), &collected);
    // First, so that what an interrupted import leaves is known as this command's.
    write_file(&folder.join(SUMMARY), to_json(&found).as_bytes())?;
    write_tables(&folder, &task, &collected)?;
    let mut out = stdout();
    if args.json {
        write!(out, "{}", to_json(&found))?;
    } else {
        writeln!(
            out,
            "predictions {} of {} items in {} variants",
            found.predictions,
            found.items,
            found.variants.len()
        )?;
        writeln!(out, "usable      {} ({} normalised)", found.usable, found.normalised)?;
        summary::write_failures(&mut out, &found.failures)?;
        writeln!(out, "Predictions and summary: {}", folder.display())?;
    }
    let complete = found.predictions == found.items * found.variants.len() && found.failures.is_empty();
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
}

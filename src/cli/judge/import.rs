//! `judge import`: predictions from the answer cache that the paper published.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::arguments::{QUESTION, TaskArgs};
use super::session::{folder, prepare, write_tables};
use super::summary;
use crate::cli::terminal::stdout;
use crate::cli::{Error, FINDINGS};
use crate::judge::import;
use crate::judge::summary::{ImportSummary, SUMMARY};
use crate::system::{to_json, write_file};

/// Read answers from the cache that the paper published.
///
/// Answers that the log of a judge's requests holds (OpenAI's requests and batches among others) are read by `study init
/// --from` and `audit`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty judge import dice dice_cache.jsonl --out my-dice")]
pub(crate) struct Args {
    #[command(flatten)]
    task: TaskArgs,
    /// Files of the published cache: JSON lines with idx or uid, variant, raw, dist, confidence.
    #[arg(value_name = "FILE", required = true)]
    published: Vec<PathBuf>,
    /// Folder for predictions and summary [default: judge-NAME].
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
    let mut task = args.task.load(QUESTION)?;
    let paths: Vec<&Path> = args.published.iter().map(PathBuf::as_path).collect();
    let collected = import::published(&paths, &mut task)?;
    let folder = folder(&task, args.out.as_deref());
    let _held = prepare(&folder, &paths)?;
    let found = ImportSummary::new(&task, &collected);
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

//! `judge export-batch`: questions as input of an OpenAI batch.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::arguments::{SettingsArgs, TaskArgs};
use super::session::{ANSWERS, open, questions};
use crate::cli::Error;
use crate::cli::terminal::stdout;
use crate::judge::batch;
use crate::judge::run::missing;

/// Write the questions as input of an OpenAI batch, to standard output or a file.
///
/// With --out naming a folder that holds answers, only what is missing there is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty judge export-batch dice --model gpt-5 > batch.jsonl")]
pub(crate) struct Args {
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
/// Items, prompts or answers that are refused.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let questions = questions(&args.task, &args.settings, args.settings.model()?)?;
    let requests = match args.out.as_ref().filter(|folder| folder.join(ANSWERS).is_file()) {
        Some(folder) => missing(questions.requests, &open(folder)?, &questions.task.answers, false, false),
        None => questions.requests,
    };
    write!(stdout(), "{}", batch::export(&requests, questions.task.classes()))?;
    Ok(ExitCode::SUCCESS)
}

//! `study`: the same engines on a user's data.

mod check;
pub(super) mod compare;
mod init;
mod label;
mod labels;
mod plan;
mod queue;
mod register;
mod run;
mod setup;

pub(super) use plan::target;
pub(super) use queue::budget;
pub(super) use run::{RUN, known, make, status};
pub(super) use setup::{load, vacant_folder};

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use super::options::ResultOptions;
use super::{Error, say};
use crate::study::findings::condition::Condition;

/// Study your own items, judge and labels.
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:
  judge-uncertainty study init my-study
  judge-uncertainty study check my-study
  judge-uncertainty study run my-study
  judge-uncertainty study queue my-study --budget 10%
  judge-uncertainty study labels page my-study
  judge-uncertainty study labels add new-labels.csv my-study")]
pub(super) enum Command {
    Init(init::Args),
    Check(check::Args),
    Run(run::Args),
    /// The old name of `compare`.
    #[command(hide = true)]
    Compare(crate::cli::compare::Args),
    Plan(plan::Args),
    Queue(queue::Args),
    /// The old name of `study labels page`.
    #[command(hide = true)]
    Label(label::Args),
    #[command(subcommand)]
    Labels(labels::Command),
    Register(register::Args),
}

/// Runs the command.
///
/// # Errors
/// Anything refused or failed.
pub(super) fn run(command: &Command) -> Result<ExitCode, Error> {
    match command {
        Command::Init(args) => init::run(args),
        Command::Check(args) => check::run(args),
        Command::Run(args) => run::run(args),
        Command::Compare(args) => {
            renamed("study compare", "compare");
            crate::cli::compare::run(args)
        }
        Command::Plan(args) => plan::run(args),
        Command::Queue(args) => queue::run(args),
        Command::Label(args) => {
            renamed("study label", "study labels page");
            label::run(args)
        }
        Command::Labels(command) => labels::run(command),
        Command::Register(args) => register::run(args),
    }
}

/// Runs a study as `study run` does where nothing but its folder is given.
///
/// # Errors
/// As that command.
pub(super) fn run_again(
    folder: &Path,
    asked: (Option<f64>, Option<Condition>),
    result: ResultOptions,
) -> Result<ExitCode, Error> {
    let args = run::Args::new(folder.to_owned(), asked, result);
    run::run(&args)
}

/// Says that a command, or a value of an option, has another name now.
pub(super) fn renamed(old: &str, new: &str) {
    say(format_args!("note: `{old}` is called `{new}` now"));
}

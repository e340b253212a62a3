//! `study`: the same engines on a user's data.

mod check;
mod compare;
mod init;
mod label;
mod labels;
mod plan;
mod queue;
mod register;
mod run;
mod setup;

use std::process::ExitCode;

use clap::Subcommand;

use super::Error;
use crate::with_kind;

/// Decompose, rank and evaluate with your own items, judge and labels.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty study init my-study
  judge-uncertainty study check my-study
  judge-uncertainty study run my-study
  judge-uncertainty study queue my-study --rule info --budget 10%
  judge-uncertainty study label my-study
  judge-uncertainty study labels add new-labels.csv my-study")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Args),
    Check(check::Args),
    Run(run::Args),
    Compare(compare::Args),
    Plan(plan::Args),
    Queue(queue::Args),
    Label(label::Args),
    Labels(labels::Args),
    Register(register::Args),
}

/// Runs the command.
///
/// # Errors
/// Anything refused or failed.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    match &args.command {
        Command::Init(args) => init::run(args),
        Command::Check(args) => with_kind!(&args.study, K => check::run::<K>(args)),
        Command::Run(args) => with_kind!(&args.study, K => run::run::<K>(args)),
        Command::Compare(args) => with_kind!(&args.first, K => compare::run::<K>(args)),
        Command::Plan(args) => with_kind!(&args.study, K => plan::run::<K>(args)),
        Command::Queue(args) => with_kind!(&args.study, K => queue::run::<K>(args)),
        Command::Label(args) => with_kind!(&args.study, K => label::run::<K>(args)),
        Command::Labels(args) => with_kind!(args.study(), K => labels::run::<K>(args)),
        Command::Register(args) => with_kind!(&args.study, K => register::run::<K>(args)),
    }
}

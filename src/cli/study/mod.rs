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
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:
  judge-uncertainty study init my-study
  judge-uncertainty study check my-study
  judge-uncertainty study run my-study
  judge-uncertainty study queue my-study --rule info --budget 10%
  judge-uncertainty study label my-study
  judge-uncertainty study labels add new-labels.csv my-study")]
pub(super) enum Command {
    Init(init::Args),
    Check(check::Args),
    Run(run::Args),
    Compare(compare::Args),
    Plan(plan::Args),
    Queue(queue::Args),
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
        Command::Check(args) => with_kind!(&args.study.path, K => check::run::<K>(args)),
        Command::Run(args) => with_kind!(&args.study.path, K => run::run::<K>(args)),
        Command::Compare(args) => with_kind!(&args.first, K => compare::run::<K>(args)),
        Command::Plan(args) => with_kind!(&args.study.path, K => plan::run::<K>(args)),
        Command::Queue(args) => with_kind!(&args.study.path, K => queue::run::<K>(args)),
        Command::Label(args) => with_kind!(&args.study.path, K => label::run::<K>(args)),
        Command::Labels(command) => with_kind!(command.study(), K => labels::run::<K>(command)),
        Command::Register(args) => with_kind!(&args.study.path, K => register::run::<K>(args)),
    }
}

//! `judge`: ask a judge for predictions.

mod arguments;
mod ask;
mod session;
mod watch;

use std::process::ExitCode;

use super::Error;

/// Ask a judge for predictions.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    Run(Box<ask::Args>),
}

/// Runs the command.
///
/// # Errors
/// Anything refused or failed; answers that arrived are kept.
pub(super) fn run(command: &Command) -> Result<ExitCode, Error> {
    match command {
        Command::Run(args) => ask::run(args),
    }
}

//! `judge`: ask a judge for predictions, or read answers that were collected elsewhere.

mod arguments;
mod ask;
mod dice;
mod import;
mod session;
mod summary;
mod watch;

use std::process::ExitCode;

use super::Error;

/// Ask a judge for predictions, or read answers from elsewhere.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    Run(Box<ask::Args>),
    Import(Box<import::Args>),
}

/// Runs the command.
///
/// # Errors
/// Anything refused or failed; answers that arrived are kept.
pub(super) fn run(command: &Command) -> Result<ExitCode, Error> {
    match command {
        Command::Run(args) => ask::run(args),
        Command::Import(args) => import::run(args),
    }
}

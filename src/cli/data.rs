//! `data`: get input that this repository may not hold.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::{Error, say};
use crate::cli::terminal::stdout;
use crate::formats::dataset::originals::{ARCHIVE, ORIGINALS, fetch};

/// Download data that this repository may not hold.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "Example:
  judge-uncertainty data fetch chaosnli")]
pub(super) enum Command {
    /// Download a data set, check it against its published SHA-256 sums and unpack it.
    #[command(after_help = "Examples:
  judge-uncertainty data fetch chaosnli
  judge-uncertainty data fetch chaosnli --from ~/Downloads/chaosNLI_v1.0.zip
  judge-uncertainty reproduce --chaosnli chaosNLI_v1.0")]
    Fetch {
        /// The data set; its licence (ChaosNLI: CC BY-NC 4.0) binds whoever downloads it.
        #[arg(value_enum)]
        set: Set,
        /// Take the archive from this address or file instead of the official address.
        #[arg(long, value_name = "URL|FILE", default_value = ARCHIVE)]
        from: String,
        /// Folder to unpack into; ChaosNLI comes with a folder of its own, chaosNLI_v1.0.
        #[arg(long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
    },
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum Set {
    Chaosnli,
}

/// Runs the command.
///
/// # Errors
/// An archive that cannot be had or is not the published one.
pub(super) fn run(command: &Command) -> Result<ExitCode, Error> {
    let Command::Fetch { set: Set::Chaosnli, from, out } = command;
    say(format_args!("taking the archive from {from}"));
    let folder = fetch(from, &ORIGINALS, out)?;
    let count = ORIGINALS.len();
    writeln!(stdout(), "{count} files with the published SHA-256 sums: {}", folder.display())?;
    Ok(ExitCode::SUCCESS)
}

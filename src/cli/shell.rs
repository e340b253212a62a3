//! `completions` and `man`, made from the options themselves.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::CommandFactory;

use super::{Cli, Error};
use crate::cli::terminal::stdout;
use crate::system::FileError;

/// Print the script that completes commands in a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty completions bash > ~/.local/share/bash-completion/completions/judge-uncertainty")]
pub(super) struct Completions {
    /// The shell.
    #[arg(
        value_name = "SHELL",
        help = "The shell: bash, elvish, fish, powershell or zsh",
        hide_possible_values = true
    )]
    shell: clap_complete::Shell,
}

/// Write the man pages of all commands to a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty man ~/.local/share/man/man1")]
pub(super) struct Man {
    /// The folder, which is created if necessary. Pages of these names are replaced.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints the completions of a shell.
pub(super) fn completions(args: &Completions) -> ExitCode {
    // Made in memory: the crate panics where standard output is closed.
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut Cli::command(), "judge-uncertainty", &mut script);
    if args.shell == clap_complete::Shell::Bash {
        // clap_complete 4.6.11 spells a hyphen of the program's name in two ways, so that no subcommand is ever found.
        let text = String::from_utf8_lossy(&script);
        let text = text.replace("judge__subcmd__uncertainty", "judge__uncertainty");
        // Names of files may have spaces, and those of folders go on.
        let files = "local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"${cur}\"))";
        script = text.replace("COMPREPLY=($(compgen -f \"${cur}\"))", files).into_bytes();
    }
    match std::io::Write::write_all(&mut stdout(), &script) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ExitCode::from(u8::from(error.kind() != std::io::ErrorKind::BrokenPipe)),
    }
}

/// Writes the man pages.
///
/// # Errors
/// The folder can't be written.
pub(super) fn man(args: &Man) -> Result<ExitCode, Error> {
    let failed = FileError::at(&args.folder, "writing man pages to");
    let written =
        std::fs::create_dir_all(&args.folder).and_then(|()| clap_mangen::generate_to(Cli::command(), &args.folder));
    written.map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

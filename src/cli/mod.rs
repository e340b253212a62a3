//! The command line: arguments, one file per command, progress bars, exit codes.

mod apply;
pub mod claims_table;
mod compare;
mod data;
mod embed;
mod error;
mod experiment;
mod familiarity;
mod judge;
mod model_check;
mod neighbours;
mod options;
mod progress;
mod render;
mod reproduce;
mod sentences;
mod setup;
mod sources;
mod study;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use judge_uncertainty_formats::links;
use judge_uncertainty_system::limits;

use self::error::REFUSED;
pub(crate) use self::error::{Error, FINDINGS};
pub(crate) use self::setup::{claims_file, output_folder, say};

/// Decompose an LLM judge's uncertainty to target expert labels, and reproduce the paper that proposes it.
#[derive(Debug, Parser)]
#[command(name = "judge-uncertainty", version, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Reproduce(reproduce::Args),
    Verify(verify::Args),
    Render(render::Args),
    Compare(compare::Args),
    #[command(subcommand)]
    Study(study::Command),
    Apply(apply::Args),
    #[command(subcommand)]
    Judge(judge::Command),
    Embed(embed::Args),
    Neighbours(neighbours::Args),
    #[command(subcommand)]
    Data(data::Command),
}

/// Parses the arguments of the process, runs the command and returns its exit code.
///
/// Results go to standard output; progress, warnings and errors to standard error.
pub fn main() -> ExitCode {
    let command = Cli::parse().command;
    if let Err(problem) = limits::check_variable().and_then(|()| links::check_variable()) {
        say(format_args!("error: {problem}"));
        return ExitCode::from(REFUSED);
    }
    let run = match command {
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Study(args) => study::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Embed(args) => embed::run(&args),
        Command::Neighbours(args) => neighbours::run(&args),
        Command::Data(args) => data::run(&args),
    };
    match run {
        Ok(code) => code,
        // A reader that closes the pipe early (`| head`) is no failure of ours.
        Err(Error::Stdout(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let mut text = format!("error: {error}");
            let mut cause = std::error::Error::source(&error);
            while let Some(inner) = cause {
                // Transparent errors repeat the message of their source.
                let inner_text = inner.to_string();
                if !text.contains(&inner_text) {
                    text.push_str(&format!("\n  because: {inner_text}"));
                }
                cause = inner.source();
            }
            say(format_args!("{}", limited(text)));
            ExitCode::from(error.exit_code())
        }
    }
}

/// A message without its middle, where that repeats much of a file.
fn limited(text: String) -> String {
    const MOST: usize = 4000;
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= MOST {
        return text;
    }
    let (start, end) = (&letters[..MOST / 2], &letters[letters.len() - MOST / 4..]);
    let left_out = letters.len() - start.len() - end.len();
    format!("{} … {left_out} characters … {}", start.iter().collect::<String>(), end.iter().collect::<String>())
}

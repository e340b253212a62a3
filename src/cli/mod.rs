//! The command line: arguments, one file per command, progress bars, exit codes.

mod apply;
mod audit;
pub mod claims_table;
mod compare;
mod data;
mod embed;
mod error;
mod experiment;
mod explain;
mod familiarity;
mod judge;
mod model_check;
mod neighbours;
mod options;
mod progress;
mod render;
mod reproduce;
mod sentences;
mod shell;
mod sources;
mod study;
mod summary;
mod terminal;
mod verify;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_formats::links;
use judge_uncertainty_system::installed::installed;
use judge_uncertainty_system::{OutputFolder, Record, limits};

pub(crate) use self::error::{Error, FINDINGS};
use self::error::{FAILED, REFUSED};
pub(crate) use self::terminal::say;

/// Find where an LLM judge is ignorant, and what experts should label next; and reproduce the paper.
#[derive(Debug, Parser)]
#[command(name = "judge-uncertainty", version, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Audit(audit::Args),
    Reproduce(reproduce::Args),
    Verify(verify::Args),
    Explain(explain::Args),
    Render(render::Args),
    Compare(compare::Args),
    #[command(subcommand)]
    Study(study::Command),
    Apply(apply::Args),
    #[command(subcommand)]
    Judge(judge::Command),
    Embed(embed::Args),
    Neighbours(neighbours::Args),
    #[command(hide = true)]
    TryModel(sentences::Args),
    #[command(subcommand)]
    Data(data::Command),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// Runs the command that the arguments of the process ask for, and returns its exit code.
pub fn main() -> ExitCode {
    tell_refused_threads();
    tell_old_names();
    run(std::env::args_os())
}

/// Runs the command in `arguments`, which begin with the program's name, and returns its exit code.
///
/// Results go to standard output; progress, warnings and errors to standard error.
pub fn run(arguments: impl IntoIterator<Item: Into<OsString> + Clone>) -> ExitCode {
    let command = Cli::try_parse_from(arguments).unwrap_or_else(|error| refused(error)).command;
    if let Err(problem) = limits::check_variable().and_then(|()| links::check_variables()) {
        say(format_args!("error: {problem}"));
        return ExitCode::from(REFUSED);
    }
    let run = match command {
        Command::Audit(args) => audit::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Study(args) => study::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Embed(args) => embed::run(&args),
        Command::Neighbours(args) => neighbours::run(&args),
        Command::TryModel(args) => sentences::run(&args),
        Command::Data(args) => data::run(&args),
        Command::Completions(args) => Ok(shell::completions(&args)),
        Command::Man(args) => shell::man(&args),
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

/// An output folder that is absent, empty or written by the command with the record `R`; reports what was repaired
/// after an interrupted run.
fn output_folder<R: Record>(path: &Path) -> Result<OutputFolder<R>, Error> {
    let folder = OutputFolder::check(path)?;
    if let Some(said) = folder.recovered() {
        say(format_args!("note: {said}"));
    }
    Ok(folder)
}

/// The claims file that a user names, else the paper's.
fn claims_file(named: Option<&Path>) -> PathBuf {
    named.map_or_else(|| installed("data/paper/claims.toml"), Path::to_owned)
}

/// Says which rules of the arguments have another name now.
fn tell_old_names() {
    let arguments: Vec<String> = std::env::args_os().filter_map(|argument| argument.into_string().ok()).collect();
    let options = arguments.windows(2).filter(|pair| pair[0] == "--rule" || pair[0] == "--rules");
    let joined = arguments.iter().filter_map(|one| one.strip_prefix("--rule=").or(one.strip_prefix("--rules=")));
    for name in options.map(|pair| pair[1].as_str()).chain(joined).flat_map(|named| named.split([',', '+'])) {
        if let Some(rule) = name.parse::<Rule>().ok().filter(|rule| rule.name() != name) {
            study::renamed(name, rule.name());
        }
    }
}

/// Ends with a sentence where the system gives no further thread, on which the standard library and rayon panic.
fn tell_refused_threads() {
    const KNOWN: [&str; 3] =
        ["failed to spawn thread", "thread pool has not been initialized", "failed to allocate an alternative stack"];
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.to_string();
        if KNOWN.iter().any(|known| said.contains(known)) {
            say(format_args!("error: not enough memory to start a thread; give the program more memory"));
            std::process::exit(FAILED.into());
        }
        others(panic);
    }));
}

/// Exits with the fault of the arguments; for a command of `study` without `study`, the message says where it is.
fn refused(error: clap::Error) -> ! {
    use clap::error::{ContextKind, ContextValue};
    if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand)
        && study::Command::has_subcommand(name)
    {
        say(format_args!("error: {name:?} is a command of `study`: judge-uncertainty study {name}"));
        std::process::exit(i32::from(REFUSED));
    }
    error.exit()
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

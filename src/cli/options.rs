//! Options that several commands share.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::Error;
use super::terminal::{print, print_all, stdout};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};

use crate::report::latex;
use crate::report::study::Line;

/// The study that a command is about.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct StudyOption {
    /// The study.toml, or the folder that holds it.
    #[arg(value_name = "STUDY", default_value = ".")]
    pub(super) path: PathBuf,
}

/// What a command prints of its result.
#[derive(Debug, Default, Clone, Copy, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Output")]
pub(super) struct ResultOptions {
    /// Print all sentences and figures below the answer.
    #[arg(long)]
    pub(super) details: bool,
    /// Print everything as JSON instead.
    #[arg(long)]
    pub(super) json: bool,
}

impl ResultOptions {
    /// Prints what was asked for.
    ///
    /// # Errors
    /// Standard output is closed, or a template does not fit.
    pub(super) fn show(
        &self,
        json: impl FnOnce() -> String,
        answer: &[Line],
        details: impl FnOnce() -> Result<Vec<Line>, latex::Error>,
    ) -> Result<ExitCode, Error> {
        if self.json {
            write!(stdout(), "{}", json())?;
            return Ok(ExitCode::SUCCESS);
        }
        print(answer)?;
        let more = if self.details { details()? } else { vec![] };
        if !more.is_empty() {
            writeln!(stdout())?;
            print_all(&more)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Threads of a command.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(super) struct ThreadsOption {
    /// Threads to use; the results do not depend on it [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
}

impl ThreadsOption {
    /// Uses as many threads as were asked for; all cores if no number is given.
    ///
    /// # Errors
    /// The system refuses them.
    pub(super) fn start(&self) -> Result<(), Error> {
        let Some(threads) = self.threads.map(|number| number as usize) else { return Ok(()) };
        let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        built.map_err(|source| Error::Threads { threads, source })
    }
}

/// Templates of a page or document.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(super) struct TemplatesOption {
    /// Folder with the templates [default: templates if there is one, else those built in].
    #[arg(long = "templates", value_name = "DIR")]
    pub(super) folder: Option<PathBuf>,
}

/// Accepts one of these words, each with its help, and returns its meaning.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    words: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let meaning = |word: String| words.iter().find(|(name, ..)| *name == word).map(|(.., meaning)| *meaning);
    let possible = |(name, help, _): &(&'static str, &'static str, T)| match help {
        &"" => PossibleValue::new(*name),
        help => PossibleValue::new(*name).help(*help),
    };
    PossibleValuesParser::new(words.iter().map(possible)).try_map(move |word| meaning(word).ok_or("unknown"))
}

/// A parser of values whose usual names shells complete.
#[derive(Clone)]
pub(super) struct Named<P> {
    parser: P,
    names: Vec<&'static str>,
}

/// Lets shells complete these names of values.
pub(super) fn named<P>(parser: P, names: Vec<&'static str>) -> Named<P> {
    Named { parser, names }
}

impl<P: TypedValueParser> TypedValueParser for Named<P> {
    type Value = P::Value;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<P::Value, clap::Error> {
        self.parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}

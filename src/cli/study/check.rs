//! `study check`: read everything, compute nothing.

use std::io::Write;
use std::process::ExitCode;

use super::setup::load;
use crate::cli::options::StudyOption;
use crate::cli::terminal::{stdout, width};
use crate::cli::{Error, say, sentences};
use crate::report::study::input_lines;
use crate::study::{InputReport, Study};
use crate::system::{shell_path, to_json};

/// Read a study, say what is in it, and list what is wrong with its configuration, or the first fault of each of its tables.
///
/// Nothing is computed or written. Exit status: 0 when the study can be run, 2 when something is refused.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    /// Print the counts as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// What can't be used; all but the last fault are said before.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let mut faults = Study::faults(&args.study.path);
    if let Some(last) = faults.pop() {
        faults.iter().for_each(|fault| say(format_args!("error: {fault}")));
        return Err(last.into());
    }
    let study = load(&args.study.path)?;
    let report = InputReport { to_embed: study.to_embed(&sentences::start)?, ..InputReport::new(&study) };
    let mut stdout = stdout();
    if args.json {
        write!(stdout, "{}", to_json(&report))?;
    } else {
        for line in input_lines(&report, width())? {
            writeln!(stdout, "{line}")?;
        }
        writeln!(stdout, "Next: judge-uncertainty study run {}", shell_path(&args.study.path))?;
    }
    Ok(ExitCode::SUCCESS)
}

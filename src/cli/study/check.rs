//! `study check`: read everything, compute nothing.

use std::io::Write;
use std::process::ExitCode;

use super::setup::load;
use crate::cli::options::StudyOption;
use crate::cli::{Error, sentences};
use crate::report::study::{InputTable, Shown};
use crate::study::InputReport;
use crate::system::to_json;

/// Read a study and say what is in it: items, classes, answers, labels, what is missing; nothing is computed or
/// written.
///
/// Exit status: 0 when the study can be run, 2 when something is refused.
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
/// The first thing that can't be used.
pub(super) fn run<K: Shown>(args: &Args) -> Result<ExitCode, Error> {
    let study = load::<K>(&args.study.path)?;
    let report = InputReport { to_embed: study.to_embed(&sentences::start)?, ..InputReport::new(&study) };
    let mut stdout = anstream::stdout().lock();
    if args.json {
        write!(stdout, "{}", to_json(&report))?;
    } else {
        for line in InputTable::new(&report).lines() {
            writeln!(stdout, "{line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

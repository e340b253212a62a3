//! `study compare`: two judges, versions of a judge, or beliefs on the same items.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::setup::{json, load, say_embedded};
use crate::cli::progress::Bars;
use crate::cli::{Error, sentences};
use crate::report::study::{Shown, describe_comparison};
use crate::study::evaluate::compare::{Compared, matched};
use crate::study::{Decomposition, Error as StudyError};

/// Compare two studies of the same items and labels: two judges, two versions of a judge or its prompt, or two beliefs.
///
/// Scores on held-out labels are paired over items. Nothing is written. Exit status: 0 when done, 2 when the studies
/// don't match or one is refused, 1 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty study compare with-old-prompt with-new-prompt")]
pub(crate) struct Args {
    /// The first study.toml, or the folder that holds it.
    #[arg(value_name = "FIRST")]
    pub(super) first: PathBuf,
    /// The second one.
    #[arg(value_name = "SECOND")]
    second: PathBuf,
    /// Print the comparison as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command on two studies of one kind.
///
/// # Errors
/// Anything refused or failed.
pub(super) fn run<K: Shown>(args: &Args) -> Result<ExitCode, Error> {
    let mut studies = [load::<K>(&args.first)?, load::<K>(&args.second)?];
    // Refused before any work.
    matched(&studies[0], &studies[1]).map_err(StudyError::from)?;
    let progress = Bars::default();
    for study in &mut studies {
        say_embedded(study.embed(&sentences::start, &progress)?.as_ref());
    }
    let [first, second] = &studies;
    let decompositions = [Decomposition::new(first, &progress)?, Decomposition::new(second, &progress)?];
    let compared = Compared::new([first, second], [&decompositions[0], &decompositions[1]])?;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        write!(stdout, "{}", json(&compared, if first.warnings.is_empty() { second } else { first }))?;
    } else {
        for line in describe_comparison(&compared) {
            writeln!(stdout, "{}", line.text())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

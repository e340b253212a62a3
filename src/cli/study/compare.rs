//! `compare` of two studies: two judges, versions of a judge, or beliefs on the same items.

use std::path::Path;
use std::process::ExitCode;

use super::setup::{json, load, say_embedded};
use crate::cli::options::ResultOptions;
use crate::cli::progress::Bars;
use crate::cli::{Error, sentences};
use crate::report::study::{comparison_answer, describe_comparison};
use crate::study::Decomposition;
use crate::study::evaluate::compare::{StudyComparison, matched};
use crate::study::findings::next::waiting;

/// Runs the command on two studies of one kind.
///
/// # Errors
/// Anything refused or failed.
pub(in crate::cli) fn run(paths: [&Path; 2], result: &ResultOptions) -> Result<ExitCode, Error> {
    let mut studies = [load(paths[0])?, load(paths[1])?];
    // Refused before any work.
    matched(&studies[0], &studies[1])?;
    let progress = Bars::default();
    for study in &mut studies {
        say_embedded(study.embed(&sentences::start, &progress)?.as_ref());
    }
    let [first, second] = &studies;
    let decompositions = [Decomposition::new(first, &progress)?, Decomposition::new(second, &progress)?];
    let compared = StudyComparison::new([first, second], [&decompositions[0], &decompositions[1]])?;
    let warned = if first.warnings.is_empty() { second } else { first };
    let queues = [waiting(first)?, waiting(second)?];
    let answer = comparison_answer(&compared, paths.map(|path| path.display().to_string()), queues)?;
    result.show(|| json(&compared, warned), &answer, || describe_comparison(&compared))
}

//! `study plan`: how many labels a figure needs.

use std::process::ExitCode;

use super::setup::{json, load};
use crate::cli::Error;
use crate::cli::options::{ResultOptions, StudyOption};
use crate::report::study::plan_answer;
use crate::study::findings::next::waiting;
use crate::study::findings::plan::LabelPlan;

/// Say how many labels the rate, agreement and kappa need.
///
/// From the labels that are there: half the width of each interval with further labels of items drawn at random. Nothing is
/// written. Exit status: 0 when done, 2 when the study is refused, 1 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty study plan my-study
  judge-uncertainty study plan my-study --target 3 --json")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    /// Half the width that is wanted: 3 for ±3 points (of numbers, in units of their scale).
    #[arg(long, value_name = "POINTS", value_parser = target)]
    target: Option<f64>,
    #[command(flatten)]
    result: ResultOptions,
}

/// Half the width of an interval that a user wants.
pub(in crate::cli) fn target(text: &str) -> Result<f64, String> {
    let target = text.parse().ok().filter(|target: &f64| target.is_finite() && *target > 0.0);
    target.ok_or_else(|| format!("{text:?} is not a half width above 0, such as 3 for ±3 points"))
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// Anything refused or failed.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let study = load(&args.study.path)?;
    let plan = LabelPlan::of_study(&study, args.target);
    let waiting = waiting(&study)?;
    let answer = plan_answer(&plan, &args.study.path.display().to_string(), waiting.as_deref())?;
    args.result.show(|| json(&plan, &study), &answer, || Ok(vec![]))
}

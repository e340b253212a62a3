//! `study plan`: how many labels, on which items, for what.

use std::process::ExitCode;

use super::setup::{json, load, say_embedded};
use crate::cli::options::{ResultOptions, StudyOption};
use crate::cli::progress::Bars;
use crate::cli::{Error, sentences};
use crate::report::study::{Shown, describe_plan, plan_answer};
use crate::study::Decomposition;
use crate::study::evaluate::held_out::HeldOutReport;
use crate::study::queue::plan::LabelPlan;

/// Say what further labels would bring, and when to stop.
///
/// A column of the items named by `items.cost` in study.toml says what a label of an item costs. Nothing is written.
/// Exit status: 0 when done, 2 when the study is refused, 1 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty study plan my-study
  judge-uncertainty study plan my-study --price 0.02 --json")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    /// The least squared error, summed over items, that a unit of cost (a label, without costs) has to remove.
    #[arg(long, value_name = "ERROR", value_parser = price)]
    price: Option<f64>,
    #[command(flatten)]
    result: ResultOptions,
}

fn price(text: &str) -> Result<f64, String> {
    let price = text.parse().ok().filter(|price: &f64| price.is_finite() && *price > 0.0);
    price.ok_or_else(|| format!("{text:?} is not a price above 0, such as 0.02"))
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// Anything refused or failed.
pub(super) fn run<K: Shown>(args: &Args) -> Result<ExitCode, Error> {
    let mut study = load::<K>(&args.study.path)?;
    let progress = Bars::default();
    say_embedded(study.embed(&sentences::start, &progress)?.as_ref());
    let decomposition = Decomposition::new(&study, &progress)?;
    let held_out = HeldOutReport::new(&study, &decomposition);
    let plan = LabelPlan::new(&study, &decomposition, &held_out, args.price);
    let answer = plan_answer(&plan, &args.study.path.display().to_string());
    args.result.show(|| json(&plan, &study), &answer, || describe_plan(&plan))
}

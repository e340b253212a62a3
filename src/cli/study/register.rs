//! `study register`: findings that are claimed before their labels come.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::setup::load;
use crate::cli::Error;
use crate::cli::options::StudyOption;
use crate::cli::terminal::stdout;
use crate::formats::error::{Error as DataError, Place};
use crate::study::findings::Answer;
use crate::study::registration::{Plan, Registration};

/// Freeze claims about findings before their labels come.
///
/// Settings, seeds and sums of the input are frozen with them, in registration.toml. The plan is a TOML file with one
/// [[hypothesis]] each: the id of a finding, as `study run --json` lists them, and what it is claimed to be above or below.
/// `study run` then says of each whether it is confirmed, refuted or open, by intervals that hold together. Labels come by
/// `study labels add`: where any other input or setting differs, it lists them and confirms nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example of a plan:
  level = 0.95
  labels = 400             # labels that the study will have when it is judged

  [[hypothesis]]
  finding = \"agreement\"
  above = 0.8              # or below, or both

  [[hypothesis]]
  finding = \"rate.pass\"
  below = 0.7")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    /// The plan [default: hypotheses.toml, next to the study.toml].
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// A plan or study that can't be used, a registration that is there already.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let study = load(&args.study.path)?;
    let folder = study.file.folder();
    let answer = Answer::of_labels(&study);
    let path = args.plan.clone().unwrap_or_else(|| folder.join("hypotheses.toml"));
    let registration =
        Registration::new(Plan::load(&path, |id| answer.range_of(id), &answer.ids().collect::<Vec<_>>())?, &study);
    let (labels, plan) = (registration.labels, &registration.plan);
    if let Some(announced) = plan.labels.filter(|announced| *announced < labels) {
        let reason = format!("labels = {announced}, but the study has {labels} already");
        return Err(DataError::unfit(Place::file(&path), reason, "announce how many it will have in all").into());
    }
    let file = registration.write(&folder)?;
    writeln!(
        stdout(),
        "{} hypotheses registered at {} in {}\ndigest {}",
        plan.hypotheses.len(),
        registration.registered,
        file.display(),
        registration.digest
    )?;
    if labels > 0 {
        writeln!(
            stdout(),
            "{labels} labels of {} items are there already. They are noted as seen: whether anybody looked at them, here or \
             in a copy of this folder, can't be told.",
            answer.labelled
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

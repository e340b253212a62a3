//! `study register`: findings that are claimed before their labels come.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::setup::load;
use crate::cli::Error;
use crate::cli::options::StudyOption;
use crate::cli::terminal::stdout;
use crate::study::Error as StudyError;
use crate::study::findings::Answer;
use crate::study::registration::{LabelsThere, Plan, Registration, RegistrationError};

/// Freeze claims about findings before their labels come.
///
/// Settings, seeds and sums of the input are frozen with them, in registration.toml. The plan is a TOML file with one
/// [[hypothesis]] each: the id of a finding, as `study run --json` lists them, and what it is claimed to be above or below.
/// `study run` then says of each whether it is confirmed, refuted or open, by intervals that hold together, and lists what
/// was done otherwise than registered.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example of a plan:
  level = 0.95
  labels = 400             # labels that the study will have when it is judged
  seen = [\"the first 60 labels\"]

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
    let refused = |error: RegistrationError| Error::from(StudyError::from(error));
    let study = load(&args.study.path)?;
    let folder = study.file.folder();
    let answer = Answer::of_labels(&study);
    let known: Vec<&str> = answer.findings.iter().map(|finding| finding.id.as_str()).collect();
    let path = args.plan.clone().unwrap_or_else(|| folder.join("hypotheses.toml"));
    let plan = Plan::load(&path, &known).map_err(refused)?;
    let there = LabelsThere::new(&study);
    if let Some(announced) = plan.labels.filter(|announced| *announced < there.labels) {
        let reason = format!(
            "labels = {announced}, but the study has {} already; announce how many it will have in all",
            there.labels
        );
        return Err(refused(RegistrationError::Plan { path, reason }));
    }
    let registration = Registration::new(plan, &study);
    let file = registration.write(&folder).map_err(refused)?;
    writeln!(
        stdout(),
        "{} hypotheses registered at {} in {}\ndigest {}",
        registration.plan.hypotheses.len(),
        registration.registered,
        file.display(),
        registration.digest()
    )?;
    if there.labels > 0 {
        let last = there.last_added.map_or_else(String::new, |last| format!(", the last added {last}"));
        writeln!(
            stdout(),
            "{} labels of {} items are there already{last}. They are noted as seen: whether anybody looked at them, \
             here or in a copy of this folder, can't be told.",
            there.labels,
            there.items
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

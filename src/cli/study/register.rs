//! `study register`: hypotheses that are frozen before their evaluation.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

use super::setup::{ELSEWHERE, load};
use crate::cli::Error;
use crate::cli::options::StudyOption;
use crate::cli::terminal::stdout;
use crate::evaluation::journal::JOURNAL_SUFFIX;
use crate::report::study::Shown;
use crate::study::Error as StudyError;
use crate::study::evaluate::evaluated_items;
use crate::study::registration::registered::LabelsThere;
use crate::study::registration::{Draft, Registration, RegistrationError, Testable};
use crate::study::results::FILE;
use crate::system::{FileError, read};

/// Freeze hypotheses before the evaluation.
///
/// Exclusions, seeds, settings and sums of the input are frozen with them, in registration.toml. The plan is a TOML
/// file with one [[hypothesis]] each: about two rules, about the judge of another study, or about a share of all items.
/// It is refused once the study's folder holds an evaluation. `study run` then scores every hypothesis as confirmed,
/// refuted or inconclusive, by intervals that hold together for the family, and lists what was done otherwise than
/// registered.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example of a plan:
  level = 0.95
  exclusions = [\"items that the judge did not answer\"]
  seen = [\"the labels that the trust is fitted to\"]
  labels = 400             # labels that the study will have when it is judged

  [[hypothesis]]
  id = \"epistemic-beats-fewest\"
  statement = \"The epistemic part removes more error than fewest labels first.\"
  better = \"epistemic\"
  than = \"fewest_labels\"
  budget = 10              # percent, one of evaluation.budgets
  measure = \"value\"        # or selective_error, selective_squared_error; squared_value where labels are numbers
  margin = 0.0             # the difference has to be above
  interval = \"new_items\"  # can confirm; percentiles and student describe re-draws of these items only

  [[hypothesis]]
  id = \"new-prompt\"
  statement = \"The judge predicts labels better than with the old prompt.\"
  than_judge = \"../with-old-prompt\"  # a study of the same items and labels
  margin = 0.0             # log score, in nats a label

  [[hypothesis]]
  id = \"few-urgent\"
  statement = \"Less than a tenth of all messages are urgent.\"
  share = \"urgent\"         # a class, or mean_score
  queue = \"queue\"          # made with --explore; its answers tell
  below = 0.1              # or above, or both

  [[exclude]]              # items that the evaluation leaves out; not in a plan about a share
  reason = \"used to write the prompt\"
  ids = [\"m001\", \"m002\"]  # and, or, group = \"...\"")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    /// The plan [default: hypotheses.toml, beside the study.toml].
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// A plan or study that can't be used, a registration or an evaluation that is there already.
pub(super) fn run<K: Shown>(args: &Args) -> Result<ExitCode, Error> {
    let refused = |error: RegistrationError| Error::from(StudyError::from(error));
    let mut study = load::<K>(&args.study.path)?;
    let folder = study.file.folder();
    if let Some(found) = evaluation_in(&folder).map_err(FileError::at(&folder, "listing")).map_err(StudyError::from)? {
        return Err(refused(RegistrationError::Evaluated(found)));
    }
    let elsewhere = folder.join(ELSEWHERE);
    let told = match read::text(&elsewhere) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        other => other.map_err(FileError::at(&elsewhere, "reading")).map_err(StudyError::from)?,
    };
    if let Some(first) = told.lines().next() {
        return Err(refused(RegistrationError::EvaluatedElsewhere(elsewhere, first.to_owned())));
    }
    let testable = Testable {
        budgets: study.file.config.evaluation.budgets(),
        rules: K::rules(&study),
        measures: K::FACTS.measures,
        quantities: K::quantities(&study.file.config.scale).into_iter().map(|quantity| quantity.name).collect(),
        ids: &study.items.ids,
        groups: study.items.groups.as_deref(),
    };
    let path = args.plan.clone().unwrap_or_else(|| folder.join("hypotheses.toml"));
    let plan = Draft::load(&path, &testable).map_err(refused)?;
    let there = LabelsThere::new(&study);
    if let Some(announced) = plan.labels.filter(|announced| *announced < there.labels) {
        let reason = format!(
            "labels = {announced}, but the study has {} already; announce how many it will have in all",
            there.labels
        );
        return Err(refused(RegistrationError::Plan { path, reason }));
    }
    let registration = Registration::new(plan, &study)?;
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
    study.hold_to(&registration);
    if let Err(reason) = evaluated_items(&study)
        && !study.contrasts.is_empty()
    {
        writeln!(stdout(), "warning: with the present data no comparison of rules can be evaluated: {reason}.")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An evaluation that was computed, or begun, in a study's folder or one below.
fn evaluation_in(folder: &Path) -> std::io::Result<Option<PathBuf>> {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let results = path.join(FILE);
        let text = read::bytes_if_there(&results)?.unwrap_or_default();
        let evaluated = serde_json::from_slice::<Value>(&text)
            .is_ok_and(|results| results.pointer("/evaluation/evaluated").is_some());
        if evaluated {
            return Ok(Some(results));
        }
        if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(JOURNAL_SUFFIX)) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

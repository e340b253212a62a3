//! `study labels`: labels on their way back.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;

use super::scores;
use crate::cli::Error;
use crate::dataset::error::{Error as DataError, Problem};
use crate::output::{FileError, to_json};
use crate::report::followup::describe_estimate;
use crate::study::estimates::{PoolMean, SelectionFile};
use crate::study::intake::{Intake, LabelLog, NewLabel, Rules};
use crate::study::scores::ScoreStudy;
use crate::study::source::Source;
use crate::study::{Error as StudyError, Study};

/// Add labels that came back from experts, and estimate from them.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Add(Add),
    Estimate(Estimate),
}

/// Check new labels and append them to the study's log, from which the next run starts.
///
/// FILE is a table with the columns id, annotator and label, or an export of Label Studio, Argilla or Prodigy. It is taken
/// whole or not at all: unknown items and classes, labels that are there already and labels that contradict them are
/// refused. Your own files are never changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty study labels add new-labels.csv my-study
  judge-uncertainty study labels add label-studio-export.json my-study --skip-known")]
pub(super) struct Add {
    /// The file with new labels.
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// The study.toml, or the folder that holds it.
    #[arg(value_name = "STUDY", default_value = ".")]
    pub(super) study: PathBuf,
    /// Leave out labels that are there already, as an export of everything so far has them.
    #[arg(long)]
    pub(super) skip_known: bool,
}

/// Estimate the classes' shares among all items (for scores, their mean) from the labels of an exploring queue, with intervals.
///
/// Only queues made with --explore allow it: items that were selected for their rank alone are not like the others.
#[derive(Debug, clap::Args)]
pub(super) struct Estimate {
    /// The folder of the queue.
    #[arg(value_name = "QUEUE")]
    pub(super) queue: PathBuf,
    /// The study.toml, or the folder that holds it.
    #[arg(value_name = "STUDY", default_value = ".")]
    pub(super) study: PathBuf,
    /// Probability with which each interval is to hold the truth.
    #[arg(long, default_value_t = 0.95, value_parser = level)]
    pub(super) level: f64,
    /// Print the estimates as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

fn level(text: &str) -> Result<f64, String> {
    let level = text.parse().ok().filter(|level| *level > 0.0 && *level < 1.0);
    level.ok_or_else(|| format!("{text:?} is no probability between 0 and 1, such as 0.95"))
}

/// Runs the command.
///
/// # Errors
/// Anything refused or failed; the log is then as it was.
pub fn run(args: &Args) -> Result<ExitCode, Error> {
    match &args.command {
        Command::Add(args) => add(args),
        Command::Estimate(args) => estimate(args),
    }
}

fn add(args: &Add) -> Result<ExitCode, Error> {
    if ScoreStudy::is_at(&args.study) {
        return scores::add(args);
    }
    let study = Study::load(&args.study)?;
    let log = LabelLog::read(&study.file.resolve(Path::new("")), &mut Source::default())?;
    let mut intake = Intake::read(&args.file)?;
    log.check_new(&intake)?;
    let classes = &study.file.config.classes;
    let canonical = |label: &NewLabel| match classes.contains(&label.value) {
        true => Ok(label.value.clone()),
        false => {
            let problem = Problem::NotOneOf { value: label.value.clone(), allowed: classes.clone() };
            Err(DataError::refused(label.place.clone(), problem))
        }
    };
    let known = study.labels.known(&study.file, &study.items.ids, &log);
    let rules = Rules { repeats: false, skip_known: args.skip_known };
    let fresh = intake.check(&study.items.ids, &study.items.file, canonical, &known, &rules)?;
    append(&log, &intake, &fresh)
}

/// Appends checked labels and says what was added.
pub(super) fn append(log: &LabelLog, intake: &Intake, fresh: &[NewLabel]) -> Result<ExitCode, Error> {
    if !fresh.is_empty() {
        log.append(intake, fresh).map_err(FileError::at(&log.file, "appending"))?;
    }
    let mut items: Vec<&str> = fresh.iter().map(|label| label.id.as_str()).collect();
    items.sort_unstable();
    items.dedup();
    let mut stdout = anstream::stdout().lock();
    writeln!(
        stdout,
        "{} labels of {} items added to {} (read as {}).",
        fresh.len(),
        items.len(),
        log.file.display(),
        intake.form
    )?;
    for (kind, count) in &intake.skipped {
        writeln!(stdout, "{count} answers left out: {kind}.")?;
    }
    if !fresh.is_empty() {
        writeln!(stdout, "The next `study run` starts from the union and says what moved.")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn estimate(args: &Estimate) -> Result<ExitCode, Error> {
    if ScoreStudy::is_at(&args.study) {
        return scores::estimate(args);
    }
    let study = Study::load(&args.study)?;
    let classes = &study.file.config.classes;
    let names: Vec<String> = classes.iter().map(|class| format!("mean_{class}")).collect();
    let file = SelectionFile::read(&args.queue, &study.items.ids, &study.items.file, &names)?;
    let mut counts = vec![vec![0_u32; classes.len()]; study.len()];
    study.labels.added.labels.iter().for_each(|label| counts[label.item][label.class] += 1);
    let mut estimates = vec![];
    for (class, name) in names.iter().enumerate() {
        let share = |counts: &Vec<u32>| {
            let n: u32 = counts.iter().sum();
            (n > 0).then(|| f64::from(counts[class]) / f64::from(n))
        };
        let observed: Vec<Option<f64>> = counts.iter().map(share).collect();
        estimates.push(file.estimate(name, &observed, args.level).map_err(StudyError::from)?);
    }
    show(args, &estimates)
}

/// Prints estimates.
pub(super) fn show(args: &Estimate, estimates: &[PoolMean]) -> Result<ExitCode, Error> {
    let mut stdout = anstream::stdout().lock();
    if args.json {
        write!(stdout, "{}", to_json(&estimates))?;
    } else {
        for line in estimates.iter().flat_map(describe_estimate) {
            writeln!(stdout, "{line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

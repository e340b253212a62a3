//! `audit`: one table in, the answers first.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Error;
use super::options::ResultOptions;
use super::study::{RUN, known, load, make, status, vacant_folder};
use super::terminal::{print, print_all, stdout};
use crate::formats::checksum::sha256_hex;
use crate::formats::error::{Error as DataError, Place};
use crate::report::study::{Line, answer, describe};
use crate::study::Error as StudyError;
use crate::study::audit::columns::{Correction, ROLES, Role};
use crate::study::audit::folder::MadeStudy;
use crate::study::audit::{self, Audited, Labelled};
use crate::study::findings::condition::Condition;
use crate::study::findings::next::FOLDER;
use crate::study::input::config::studies_within;
use crate::study::queue::Amount;
use crate::study::results::StudyResults;
use crate::system::{FileError, OnTrial, Staged, shell_path, to_json};

/// Say of one table whether its judge can be trusted, what the rate is without its errors, and what to label next.
///
/// FILE is CSV, TSV, JSON Lines, Parquet, XLSX or a log of a judge (all files of it), with a row per item: the judge's
/// answer, and people's answers in some of the rows. Columns are recognised by their names and values. A study folder
/// is written, from which every other command continues; of a log with several criteria, one for each.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty audit answers.csv
  judge-uncertainty audit graded.eval --columns group=metadata.topic --columns human=metadata.human
  judge-uncertainty audit answers.csv --columns verdict=llm_says --columns human=ann --columns human=bob
  judge-uncertainty audit answers.parquet --labelled random --json | jq .rates")]
pub(super) struct Args {
    /// The table, or the files of the log.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// What a column holds: id, verdict, score, probability, confidence, human, group, cluster, system, text, transcript, number,
    /// order, criterion, or annotator for who gave each label. Give it once for each column; `ROLE=` for none.
    #[arg(long = "columns", alias = "map", value_name = "ROLE=COLUMN", value_parser = str::parse::<Correction>, help_heading = "Columns")]
    corrections: Vec<Correction>,
    /// How the labelled rows were chosen: random, unknown, or the column with the probability of each [default: unknown].
    #[arg(long, value_name = "random|COLUMN|unknown", value_parser = str::parse::<Labelled>, help_heading = "Columns")]
    labelled: Option<Labelled>,
    /// How many rows are queued: a number (50) or a share of the rows (10%) [default: 50].
    #[arg(long, value_name = "N|N%", value_parser = super::study::budget, help_heading = "Queue")]
    budget: Option<Amount>,
    /// Say how many labels the figures need: 3 for ±3 points (of numbers, in units of their scale).
    #[arg(long, value_name = "POINTS", value_parser = super::study::target, help_heading = "Queue")]
    target: Option<f64>,
    /// What the judge has to reach to be relied on: agreement=0.8. The program writes it to the study.toml.
    #[arg(long, value_name = "FINDING=NUMBER", value_parser = Condition::goal, help_heading = "Verdict")]
    at_least: Vec<Condition>,
    /// End with status 10 if a finding lies below or above a number, 11 if the labels leave that open: kappa<0.6.
    #[arg(long, value_name = "FINDING<NUMBER", value_parser = Condition::limit, help_heading = "Verdict")]
    fail_if: Option<Condition>,
    /// Folder to write the study to [default: the file's name with -audit, here].
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    out: Option<PathBuf>,
    /// Replace the audit that the folder holds.
    #[arg(long, help_heading = "Files")]
    force: bool,
    #[command(flatten)]
    result: ResultOptions,
}

/// How many rows are queued unless another number is asked for.
const BUDGET: Amount = Amount::Number(50);

impl Args {
    /// A table without any options, and the folder of its study.
    pub(super) fn new(file: PathBuf, out: PathBuf) -> Self {
        Self {
            files: vec![file],
            corrections: vec![],
            labelled: None,
            budget: None,
            target: None,
            at_least: vec![],
            fail_if: None,
            out: Some(out),
            force: false,
            result: ResultOptions::default(),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// A file that can't be read; no answers of a judge in it; a folder that can't be written.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    if let [folder] = args.files.as_slice()
        && (folder.join("study.toml").is_file() || !studies_within(folder).is_empty())
    {
        check_again(args, folder)?;
        return super::study::run_again(folder, (args.target, args.fail_if.clone()), args.result);
    }
    let given = args.labelled.as_ref().unwrap_or(&Labelled::Unknown);
    let studies = audit::read(&args.files, &args.corrections, (given, None)).map_err(StudyError::from)?;
    let out = args.out.clone().unwrap_or_else(|| default_folder(&args.files[0]));
    // Dropped after the studies within them.
    let mut above = MadeFolders::default();
    let mut tried = vec![];
    for study in studies {
        let folder = study.folder.as_ref().map_or_else(|| out.clone(), |name| out.join(name));
        let criterion = study.criterion.clone().unwrap_or_default();
        above.make_above(&folder)?;
        tried.push((criterion, one(args, study, &folder)?));
    }
    // What is refused of one criterion leaves the studies of the others unwritten, too.
    let mut made = vec![];
    for (criterion, (study, staged, on_trial)) in tried {
        on_trial.commit(&staged)?;
        made.push((criterion, study));
    }
    let all = || made.iter().map(|(_, one)| one);
    match made.as_slice() {
        [(_, only)] if args.result.json => write!(stdout(), "{}", to_json(&only.results))?,
        _ if args.result.json => {
            let texts: Vec<String> = all().map(|one| to_json(&one.results).trim_end().to_owned()).collect();
            writeln!(stdout(), "[\n{}\n]", texts.join(",\n"))?;
        }
        [_, _, ..] if !args.result.details => print(&compared(&out, &made))?,
        several => {
            for (number, (_, one)) in several.iter().enumerate() {
                if number > 0 {
                    writeln!(stdout())?;
                }
                one.print(args.result.details)?;
            }
        }
    }
    // Of several criteria one that fails counts, and then one that is open.
    let several = made.len() > 1;
    let of = |(name, one): &(String, AuditedStudy)| {
        status(&one.results.answer, args.fail_if.as_ref(), if several { name } else { "" })
    };
    let status = made.iter().map(of).max_by_key(|status| (*status == 10, *status));
    Ok(ExitCode::from(status.unwrap_or(0)))
}

/// Refuses options that a study which is there has in its files, or that another command has.
fn check_again(args: &Args, folder: &Path) -> Result<(), Error> {
    let study = shell_path(folder);
    let unused = [
        (!args.corrections.is_empty(), "columns", "audit its table again: audit FILE --columns ROLE=COLUMN".to_owned()),
        (
            args.labelled.is_some(),
            "labelled",
            "write drawn, or probability, under [items] of its study.toml".to_owned(),
        ),
        (!args.at_least.is_empty(), "at-least", "write at_least under [trust] of its study.toml".to_owned()),
        (
            args.budget.is_some(),
            "budget",
            format!("queue further rows: judge-uncertainty study queue {study} --budget N"),
        ),
        (args.out.is_some(), "out", format!("run it elsewhere: judge-uncertainty study run {study} --out DIR")),
    ];
    let Some((_, option, remedy)) = unused.into_iter().find(|(is_given, ..)| *is_given) else { return Ok(()) };
    let reason = format!("is a study already, for which --{option} does nothing");
    Err(StudyError::from(DataError::unfit(Place::file(folder), reason, remedy)).into())
}

/// A study that was made of a criterion, and what it answers.
struct AuditedStudy {
    audited: Audited,
    results: StudyResults,
    folder: PathBuf,
}

impl AuditedStudy {
    fn print(&self, details: bool) -> Result<(), Error> {
        let (study, run) = (self.folder.display().to_string(), self.folder.join(RUN).display().to_string());
        print(&how_it_was_read(&self.audited, if details { usize::MAX } else { MOST_NOTICES }))?;
        print(&answer(&self.results, &study, &run)?)?;
        if details {
            writeln!(stdout())?;
            print_all(&describe(&self.results)?)?;
        }
        Ok(())
    }
}

/// Several criteria on one screen: of each whether the judge can be relied on, how often it agrees, and what to do.
fn compared(out: &Path, made: &[(String, AuditedStudy)]) -> Vec<Line> {
    let name = made.first().map_or("", |(_, one)| one.audited.audit.as_str());
    let says = format!("{name}: {} criteria, each with a study of its own {CORRECT}.", made.len());
    let mut lines = vec![Line::Lead(says)];
    for (criterion, one) in made {
        let answer = &one.results.answer;
        lines.push(Line::Lead(format!("{criterion}: {}", answer.says)));
        lines.push(Line::Row(format!("Read as {}.", roles(&one.audited))));
        let known = ["agreement", "kappa"].map(|id| answer.findings.iter().find(|finding| finding.id == id));
        let known = known.into_iter().flatten().filter(|finding| finding.found.estimate().is_some());
        let figures: Vec<String> = known.map(|finding| finding.says.clone()).collect();
        let figures = if figures.is_empty() { String::new() } else { format!("{}. ", figures.join("; ")) };
        let (labelled, items) = (answer.labelled, answer.items);
        lines.push(Line::Row(format!("{figures}{labelled} of {items} items labelled. {}", answer.step)));
        lines.extend(notes(&one.audited, 1));
    }
    let folder = made.first().map_or(out, |(_, one)| one.folder.as_path());
    let command = format!("judge-uncertainty audit {}", shell_path(folder));
    lines.push(Line::Lead(format!("All of one criterion, such as {}: {command}", made[0].0)));
    lines
}

/// The folders that are made for an output where they are missing. Dropping the value removes those that are empty.
#[derive(Default)]
struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    fn make_above(&mut self, out: &Path) -> Result<(), Error> {
        let above = out.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        let missing: Vec<PathBuf> = above.take_while(|above| !above.exists()).map(Path::to_owned).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(&folder).map_err(FileError::at(&folder, "creating"))?;
            self.0.push(folder);
        }
        Ok(())
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        self.0.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

/// Writes a study of what was read, and runs it. With its run and its first queue it is on trial: it leaves the disk again
/// unless it is committed.
fn one(args: &Args, study: MadeStudy, out: &Path) -> Result<(AuditedStudy, Staged, OnTrial<Audited>), Error> {
    let (mut audited, staged) = study.staged(&args.at_least);
    let inputs: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
    let folder = vacant_folder::<Audited>(out, args.force, inputs.iter())?;
    // The study is read back from where it stands, as every other command will read it.
    let settings = sha256_hex(staged.text("study.toml").unwrap_or_default().as_bytes());
    let mut staged = staged.waiting_beside(out);
    staged.seal(&mut audited);
    let on_trial = folder.try_out(&staged)?;
    // Its run and its first queue go beside it.
    let study = load(out)?;
    audited.written = study.relative_inputs();
    audited.written.insert("study.toml".to_owned(), settings);
    known(&study, args.fail_if.as_ref())?;
    let (run, budget) = (out.join(RUN), args.budget.unwrap_or(BUDGET));
    let mut made = make(study, &run, (Some(budget), args.target), (None, true))?;
    staged.put_within(RUN, std::mem::take(&mut made.staged));
    made.queue.take().into_iter().for_each(|queue| staged.put_within(FOLDER, queue));
    let results = made.finish()?;
    if budget.among(audited.rows) > audited.rows {
        let note = format!("--budget asks for {budget} of {} rows: all are queued.", audited.rows);
        audited.notices.push(note);
    }
    staged.seal(&mut audited);
    let study = AuditedStudy { audited, results, folder: out.to_owned() };
    Ok((study, staged, on_trial))
}

/// Columns of a role that a terminal shows; `audit.json` has all.
const MOST_COLUMNS: usize = 10;
/// Notices that a terminal shows; `audit.json` has all.
pub(super) const MOST_NOTICES: usize = 2;

/// How to say what a column holds.
const CORRECT: &str = "(correct it with --columns role=column)";

/// The role of each column.
fn roles(audited: &Audited) -> String {
    let of = |(role, name): &(Role, &str)| {
        let columns = audited.columns.of(*role);
        let more = columns.len().saturating_sub(MOST_COLUMNS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown = columns[..columns.len().min(MOST_COLUMNS)].join(",");
        (!columns.is_empty()).then(|| format!("{name}={shown}{more}"))
    };
    ROLES.iter().filter_map(of).collect::<Vec<_>>().join(" ")
}

/// The lines that describe the file, the role of each column, and the program's choices.
pub(super) fn how_it_was_read(audited: &Audited, notices: usize) -> Vec<Line> {
    let Audited { audit, format, .. } = audited;
    let mut lines = vec![Line::Lead(format!("{audit} ({format}): {} {CORRECT}", roles(audited)))];
    lines.extend(notes(audited, notices));
    lines
}

/// The first notes of an audit, the last with how many more there are.
fn notes(audited: &Audited, most: usize) -> impl Iterator<Item = Line> {
    let more = audited.notices.len().saturating_sub(most);
    audited.notices.iter().take(most).zip(1..).map(move |(text, number)| {
        let more = if number == most && more > 0 { format!(" ({more} more: --details)") } else { String::new() };
        Line::Row(format!("Note: {text}{more}"))
    })
}

fn default_folder(file: &Path) -> PathBuf {
    let stem = file.file_stem().map_or_else(|| "table".to_owned(), |stem| stem.to_string_lossy().into_owned());
    PathBuf::from(format!("{stem}-audit"))
}

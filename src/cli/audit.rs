//! `audit`: one table in, the answers first.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Error;
use super::options::ResultOptions;
use super::study::vacant_folder;
use super::terminal::{print, stdout};
use crate::report::page;
use crate::report::study::lines::MOST_LINES;
use crate::report::study::{audit_page, describe_audit};
use crate::study::Error as StudyError;
use crate::study::audit::columns::Correction;
use crate::study::audit::estimate::Labelled;
use crate::study::audit::table::CellTable;
use crate::study::audit::{Audit, AuditRecord, audit, next};
use crate::study::queue::Amount;
use crate::system::{FileError, to_json};
use crate::with_kind;

/// Say of one table whether its judge can be trusted, what the rate is without its errors, and what to label next.
///
/// FILE is CSV, TSV, JSON Lines, Parquet, XLSX or a log of a judge (all files of it), with a row per item: the judge's
/// answer, and people's answers in some of the rows. Columns are recognised by their names and values. A study folder
/// is written, from which every other command continues; of a log with several criteria, one for each.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty audit answers.csv
  judge-uncertainty audit graded.eval --map group=metadata.topic --map human=metadata.human
  judge-uncertainty audit answers.csv --map verdict=llm_says --map human=ann --map human=bob
  judge-uncertainty audit answers.parquet --labelled random --json | jq .rates")]
pub(super) struct Args {
    /// The table, or the files of the log.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// What a column holds: id, verdict, score, probability, confidence, human, group, system, text or number. Give it
    /// once for each column; `ROLE=` for none.
    #[arg(long = "map", value_name = "ROLE=COLUMN", value_parser = str::parse::<Correction>, help_heading = "Columns")]
    corrections: Vec<Correction>,
    /// How the labelled rows were chosen: random, unknown, or the column with the probability of each.
    #[arg(
        long,
        value_name = "random|COLUMN|unknown",
        default_value = "unknown",
        value_parser = str::parse::<Labelled>,
        help_heading = "Columns"
    )]
    labelled: Labelled,
    /// How many rows are queued: a number (50) or a share of the rows (10%).
    #[arg(long, value_name = "N|N%", default_value = "50", value_parser = super::study::budget, help_heading = "Queue")]
    budget: Amount,
    /// Folder to write the study to [default: the file's name with -audit, here].
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    out: Option<PathBuf>,
    /// Replace the audit that the folder holds.
    #[arg(long, help_heading = "Files")]
    force: bool,
    #[command(flatten)]
    result: ResultOptions,
}

impl Args {
    /// A table without any options, and the folder of its study.
    pub(super) fn new(file: PathBuf, out: PathBuf) -> Self {
        Self {
            files: vec![file],
            corrections: vec![],
            labelled: Labelled::Unknown,
            budget: Amount::Number(50),
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
    let tables = CellTable::read(&args.files, &args.corrections).map_err(StudyError::from)?;
    let out = args.out.clone().unwrap_or_else(|| default_folder(&args.files[0]));
    let mut audits = vec![];
    for cells in tables {
        let own = cells.study.as_ref().and_then(|study| study.folder.as_ref());
        let folder = own.map_or_else(|| out.clone(), |name| out.join(name));
        let audit = one(args, cells, &folder)?;
        if !args.result.json {
            if !audits.is_empty() {
                writeln!(stdout())?;
            }
            let most = if args.result.details { usize::MAX } else { MOST_LINES };
            print(&describe_audit(&audit, &folder.display().to_string(), most))?;
        }
        audits.push(audit);
    }
    match audits.as_slice() {
        _ if !args.result.json => {}
        [audit] => write!(stdout(), "{}", to_json(audit))?,
        several => write!(stdout(), "{}", to_json(&several))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Audits a table into a folder.
fn one(args: &Args, cells: CellTable, out: &Path) -> Result<Audit, Error> {
    let (mut audit, rows, study) =
        audit(&cells, &args.files[0], &args.corrections, &args.labelled).map_err(StudyError::from)?;
    // What follows needs memory of its own.
    drop(cells);
    let inputs: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
    let above = out.parent().filter(|above| !above.as_os_str().is_empty());
    above.map_or(Ok(()), |above| fs::create_dir_all(above).map_err(FileError::at(above, "creating")))?;
    let folder = vacant_folder::<AuditRecord>(out, args.force, inputs.iter())?;
    let html = page::PageTemplates::load(None)?;
    let seal = |mut staged: crate::system::Staged, audit| {
        staged.seal(&mut AuditRecord { audit, files: vec![] });
        staged
    };
    // The study is read back from where it stands, as every other command will read it.
    folder.commit(&seal(study.clone(), audit.clone()))?;
    let queued = with_kind!(out, K => next::queue::<K>(out, &rows, (&audit.trust, &audit.rates), args.budget));
    let mut staged = study;
    match queued {
        Ok((queue, next)) => {
            staged.put_within("queue", queue);
            audit.next = Some(next);
        }
        Err(error @ StudyError::Data(crate::formats::Error::Unreadable { .. })) => return Err(error.into()),
        Err(error) => audit.notices.push(format!("There is no queue: {error}.")),
    }
    if args.budget.among(audit.rows) > audit.rows {
        audit.notices.push(format!("--budget asks for {} of {} rows: all are queued.", args.budget, audit.rows));
    }
    let page = html.html(&audit_page(&audit, &out.display().to_string())).map_err(page::bundle::Error::from)?;
    staged.put(page::FILE, page);
    folder.commit(&seal(staged, audit.clone()))?;
    Ok(audit)
}

fn default_folder(file: &Path) -> PathBuf {
    let stem = file.file_stem().map_or_else(|| "table".to_owned(), |stem| stem.to_string_lossy().into_owned());
    PathBuf::from(format!("{stem}-audit"))
}

//! `study labels`: labels on their way back.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;

use super::label;
use super::setup::load;
use crate::cli::options::StudyOption;
use crate::cli::terminal::stdout;
use crate::cli::{Error, say};
use crate::formats::error::{Error as DataError, Place, Problem};
use crate::formats::output::{to_csv, to_parquet};
use crate::study::Error as StudyError;
use crate::study::input::config::{StudyFile, study_toml};
use crate::study::input::items;
use crate::study::input::label_store::{LabelStore, NewLabel};
use crate::study::input::labels::Labels;
use crate::study::input::question::Remark;
use crate::study::input::source::Source;
use crate::study::intake::Intake;
use crate::study::results::columns::label_table;
use crate::system::{shell_path, write_file};

/// Let experts label a queue, and add their labels.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Page(label::Args),
    /// Check new labels and add them to the study as one batch, with which the next run starts.
    ///
    /// FILE is a table with the columns id, annotator and label (CSV, Excel, Parquet, JSON Lines), or an export of Label
    /// Studio, Argilla, Prodigy or doccano. It is added whole or not at all: unknown items and classes, and labels that
    /// contradict those that are there, are refused. Labels that are there already are left out. Your own files are never
    /// changed.
    #[command(after_help = "Examples:
  judge-uncertainty study labels add new-labels.csv my-study
  judge-uncertainty study labels add label-studio-export.json my-study
  judge-uncertainty study labels add spreadsheet.xlsx my-study --annotator ann")]
    Add {
        /// The file with new labels.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        study: StudyOption,
        /// Once needed; labels that are there already are always left out.
        #[arg(long, hide = true)]
        skip_known: bool,
        /// Who gave the labels, if the file has no column of annotators, as a sheet that one expert filled in.
        #[arg(long, value_name = "NAME")]
        annotator: Option<String>,
    },
    /// List the batches of labels that were added, with their numbers.
    List(StudyOption),
    /// Take a batch of added labels back: its file stays as it is, and its labels no longer count.
    ///
    /// Their file can be added again afterwards.
    #[command(after_help = "Example:
  judge-uncertainty study labels list my-study
  judge-uncertainty study labels remove 3fa9c1 my-study")]
    Remove {
        /// The first characters of the batch's sum, as `study labels list` shows it, or the name of the file it came from.
        #[arg(value_name = "BATCH")]
        batch: String,
        #[command(flatten)]
        study: StudyOption,
    },
    /// Move files of added labels that were changed after they were written to `labels/set-aside`.
    ///
    /// Such files do not count, and every command names them until they are restored or moved away. Their rows can be
    /// looked at there and added again with `labels add`.
    SetAside(StudyOption),
    /// Convert the log of added labels of an older version (`added-labels.csv`) to one file for each batch.
    Convert(StudyOption),
    /// Write all labels as one table: .csv or .parquet, as the name of FILE ends.
    ///
    /// They are those of the study's own files and those that were added. Each row has id, annotator, label, when it was
    /// added and what the judge predicts; where annotators skipped items or wrote comments, these too. Where the study's own
    /// file has counts only, there is a row per item with a count per class.
    #[command(after_help = "Example:
  judge-uncertainty study labels export labels.parquet my-study")]
    Export {
        /// The file to write.
        #[arg(value_name = "FILE", value_parser = table_file)]
        file: PathBuf,
        #[command(flatten)]
        study: StudyOption,
        /// Replace the file.
        #[arg(long)]
        force: bool,
    },
}

fn is_parquet(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

fn table_file(name: &str) -> Result<PathBuf, String> {
    let file = PathBuf::from(name);
    let csv = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    if csv || is_parquet(&file) { Ok(file) } else { Err(format!("{name:?} ends in neither .csv nor .parquet")) }
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// Anything refused or failed; the log is then as it was.
pub(super) fn run(command: &Command) -> Result<ExitCode, Error> {
    match command {
        Command::Page(args) => label::run(args),
        Command::Add { file, study, skip_known: _, annotator } => add(&study.path, file, annotator.as_deref()),
        Command::List(study) => list(&log_of(&study.path)?),
        Command::Remove { batch, study } => remove(&log_of(&study.path)?, batch),
        Command::SetAside(study) => set_aside(&log_of(&study.path)?),
        Command::Convert(study) => convert(&study.path),
        Command::Export { file, study, force } => export(&study.path, file, *force),
    }
}

fn add(study: &Path, new: &Path, annotator: Option<&str>) -> Result<ExitCode, Error> {
    let mut intake = Intake::read(new, annotator)?;
    // The judge and the embeddings play no part, and of the labels those alone of the items that are in the file.
    let (mut source, file) = (Source::default(), StudyFile::read(study)?);
    if let Some(criterion) = &file.config.criterion {
        intake.check_criterion(&criterion.name)?;
    }
    let items = items::read(&file, &mut source)?;
    let own = Labels::read(&file, &items, &LabelStore::default(), &mut source)?;
    let store = LabelStore::read(&file.folder(), Some(&intake.pairs(&items)), &mut source)?;
    store.warnings.iter().for_each(|text| say(format_args!("{text}")));
    if let Some(batch) = store.added_from(&intake.sha256) {
        let reason = format!("the same file was added before, at {}, as {:?}", batch.added, batch.source);
        return Err(DataError::unfit(Place::file(&intake.file), reason, "add a file with new labels").into());
    }
    let scale = &file.config.scale;
    let mut known = own.known(&file);
    for (_, row) in &store.rows {
        if let Some(item) = items.ids.position(&row.id)
            && scale.remark(&row.value).is_none()
        {
            known.add(item, row.clone());
        }
    }
    let sides = file.config.sides();
    let mut fresh = intake.check(&items, (scale, sides.as_ref()), &known)?;
    // A remark that is there already says nothing new.
    fresh.retain(|new| {
        let same = |(_, row): &(usize, NewLabel)| {
            (&row.id, &row.annotator, &row.value) == (&new.id, &new.annotator, &new.value)
        };
        scale.remark(&new.value).is_none() || !store.rows.iter().any(same)
    });
    let written = match fresh.is_empty() {
        true => None,
        false => Some(store.append(&intake.file, &intake.sha256, &fresh)?),
    };
    let labels: Vec<&NewLabel> = fresh.iter().filter(|label| scale.remark(&label.value).is_none()).collect();
    match say_added(written.as_deref(), &intake, &labels, study) {
        // The labels are on the disk, and the status says so.
        Err(Error::Stdout(error)) if !fresh.is_empty() => {
            say(format_args!("note: the labels are stored; only writing to standard output failed: {error}"));
            Ok(ExitCode::SUCCESS)
        }
        said => said,
    }
}

fn export(study: &Path, file: &Path, force: bool) -> Result<ExitCode, Error> {
    if fs::symlink_metadata(file).is_ok() && !force {
        return Err(StudyError::FileExists { file: file.to_owned() }.into());
    }
    let study = load(study)?;
    let is_input = |input: &String| fs::canonicalize(input).ok() == fs::canonicalize(file).ok();
    if file.exists() && study.inputs.sums().keys().any(is_input) {
        let (reason, remedy) = ("the study reads this file".to_owned(), "choose another name".to_owned());
        return Err(DataError::refused(Place::file(file), Problem::Unfit { reason, remedy }).into());
    }
    let columns = label_table(&study);
    let bytes = if is_parquet(file) { to_parquet(&columns).map_err(StudyError::Parquet)? } else { to_csv(&columns) };
    write_file(file, &bytes)?;
    let rows = columns.first().map_or(0, |column| column.values.len());
    writeln!(stdout(), "{rows} rows: {}", file.display())?;
    Ok(ExitCode::SUCCESS)
}

/// The added labels of a study, and what is to be said of them. Its items and other labels are not read: a batch that
/// they refuse must be removable.
pub(super) fn log_of(study: &Path) -> Result<LabelStore, Error> {
    let store = LabelStore::read(&folder_of(study), None, &mut Source::default())?;
    store.warnings.iter().for_each(|text| say(format_args!("{text}")));
    Ok(store)
}

fn folder_of(study: &Path) -> PathBuf {
    study_toml(study).parent().map(Path::to_owned).unwrap_or_default()
}

fn set_aside(store: &LabelStore) -> Result<ExitCode, Error> {
    let moved = store.set_aside()?;
    let mut stdout = stdout();
    if moved.is_empty() {
        writeln!(stdout, "All files of added labels are as they were written; nothing was moved.")?;
    }
    for file in moved {
        writeln!(stdout, "Moved to {0}. Look at it; `study labels add {0}` adds its rows again.", file.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn convert(study: &Path) -> Result<ExitCode, Error> {
    for said in LabelStore::convert(&folder_of(study))? {
        writeln!(stdout(), "{said}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn list(store: &LabelStore) -> Result<ExitCode, Error> {
    let mut stdout = stdout();
    if store.listed.is_empty() {
        writeln!(stdout, "No labels were added.")?;
    }
    let mut counts = 0..;
    for batch in &store.listed {
        let position = batch.taken_back.is_none().then(|| counts.next()).flatten();
        let of_batch = store.rows.iter().filter(|(batch, _)| Some(*batch) == position);
        let remarks: Vec<_> = of_batch.filter_map(|(_, row)| Some((row, Remark::parse(&row.value)?))).collect();
        let fate = batch.taken_back.as_ref().map_or_else(String::new, |time| format!(", taken back {time}"));
        let (sum, labels) = (&batch.sum[..12], batch.labels - remarks.len());
        writeln!(stdout, "batch {sum}: {labels} labels from {}, added {}{fate}", batch.source, batch.added)?;
        for (row, (remark, words)) in remarks {
            let what = if remark == Remark::Skip { "skipped" } else { "comment" };
            writeln!(stdout, "  {} by {}: {what}: {words}", row.id, row.annotator)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn remove(store: &LabelStore, sum: &str) -> Result<ExitCode, Error> {
    let batch = store.take_back(sum)?;
    let (sum, labels) = (&batch.sum[..12], batch.labels);
    writeln!(stdout(), "Batch {sum} no longer counts ({labels} labels). Its file stays as it is.")?;
    Ok(ExitCode::SUCCESS)
}

/// The beginning of the sum with which the name of a batch's file ends.
fn batch_of(written: &Path) -> String {
    let stem = written.file_stem().unwrap_or_default().to_string_lossy();
    stem.rsplit('-').next().unwrap_or_default().chars().take(12).collect()
}

fn say_added(written: Option<&Path>, intake: &Intake, fresh: &[&NewLabel], study: &Path) -> Result<ExitCode, Error> {
    let mut items: Vec<&str> = fresh.iter().map(|label| label.id.as_str()).collect();
    items.sort_unstable();
    items.dedup();
    let mut stdout = stdout();
    let (labels, of, form) = (fresh.len(), items.len(), intake.form);
    match written.map(batch_of) {
        Some(batch) => writeln!(stdout, "{labels} labels of {of} items added as batch {batch} (read as {form}).")?,
        None => writeln!(stdout, "Nothing to add: the file has no label that is new (read as {form}).")?,
    }
    for notice in &intake.notices {
        writeln!(stdout, "{notice}")?;
    }
    for (kind, count) in &intake.skipped {
        writeln!(stdout, "{count} answers left out: {kind}.")?;
    }
    if !fresh.is_empty() {
        writeln!(stdout, "Next: judge-uncertainty study run {} (it says what moved)", shell_path(study))?;
    }
    Ok(ExitCode::SUCCESS)
}

//! `study init`: a commented configuration and tiny example files that run as they are, or a study made from a judge's
//! log.

use std::fs;
use std::io::{IsTerminal, Write, stdin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::Error;
use crate::cli::terminal::stdout;
use crate::formats::error::Result as DataResult;
use crate::formats::logs::{self, LOGS, LogFormat};
use crate::study::Error as StudyError;
use crate::study::from_log::{self, Found, LabelScale, LogOptions, Made, StudyFiles};
use crate::study::input::source::Source;
use crate::system::faults::step;
use crate::system::{FileError, read, write_new_file};

const CONFIG: &str = "study.toml";

/// The starter study, file by file.
const STARTER: [(&str, &str); 4] = [
    ("items.csv", include_str!("../../../examples/starter/items.csv")),
    ("judge.csv", include_str!("../../../examples/starter/judge.csv")),
    ("labels.csv", include_str!("../../../examples/starter/labels.csv")),
    (CONFIG, include_str!("../../../examples/starter/study.toml")),
];

/// Start a study from an example, or from a judge's log.
///
/// Writes a commented study.toml and its tables. On a terminal, without arguments, it asks. No file is overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty study init my-study
  judge-uncertainty study init --from graded.eval --criterion model_graded_qa --out my-study
  judge-uncertainty study init --from batch-input.jsonl --from batch-output.jsonl --classes yes,no --out my-study
  judge-uncertainty study init --from samples_judge.jsonl --id doc.id --labels-from doc.gold --out my-study")]
pub(crate) struct Args {
    /// Folder to write to; it is made if there is none.
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Folder to write to, as the argument DIR.
    #[arg(long, value_name = "DIR", conflicts_with = "folder")]
    out: Option<PathBuf>,
    /// Log of a judge to make the study from; several of one tool are read as one.
    #[arg(long, value_name = "LOG", help_heading = "From a log")]
    from: Vec<PathBuf>,
    /// Format of the log, where its content does not say it.
    #[arg(long, value_name = "NAME", requires = "from", value_parser = format, help_heading = "From a log")]
    format: Option<&'static LogFormat>,
    /// Field that holds the ids of the items, in place of those of the log.
    #[arg(long, value_name = "FIELD", requires = "from", help_heading = "From a log")]
    id: Option<String>,
    /// Make a study of one criterion (scorer, metric, assertion) alone, where the log has several.
    #[arg(long, value_name = "NAME", requires = "from", help_heading = "From a log")]
    criterion: Option<String>,
    /// Take whether an output passed for the judge's answer, where the log has that beside a score (promptfoo,
    /// deepeval).
    #[arg(long, requires = "from", conflicts_with_all = ["places", "scale"], help_heading = "From a log")]
    pass: bool,
    /// Take the criteria for variants of one question, such as several graders of the same thing.
    #[arg(long, requires = "from", conflicts_with = "criterion", help_heading = "From a log")]
    criteria_are_variants: bool,
    /// Classes that labels can be [default: as the judge's answers are].
    #[arg(long, value_name = "A,B", requires = "from", help_heading = "From a log")]
    #[arg(value_delimiter = ',', conflicts_with_all = ["places", "scale"])]
    classes: Option<Vec<String>>,
    /// Steps of the scale on which labels stand, ascending.
    #[arg(
        long,
        value_name = "1,2,3",
        requires = "from",
        value_delimiter = ',',
        conflicts_with = "scale",
        help_heading = "From a log"
    )]
    places: Option<Vec<String>>,
    /// Ends between which labels are numbers.
    #[arg(long, value_name = "LOW,HIGH", requires = "from", value_parser = scale, help_heading = "From a log")]
    scale: Option<(f64, f64)>,
    /// Field with a label of each item that people gave, such as metadata.human or a reference answer.
    #[arg(long, value_name = "FIELD", requires = "from", help_heading = "From a log")]
    labels_from: Option<String>,
    /// Field with the group of each item, such as metadata.topic.
    #[arg(long, value_name = "FIELD", requires = "from", help_heading = "From a log")]
    group_from: Option<String>,
}

fn format(name: &str) -> Result<&'static LogFormat, String> {
    let names: Vec<&str> = LOGS.iter().map(|format| format.name).collect();
    logs::named(name).ok_or_else(|| format!("{name:?} is not a format of logs; there are {}", names.join(", ")))
}

fn scale(text: &str) -> Result<(f64, f64), String> {
    let ends = text.split_once(',').and_then(|(low, high)| low.trim().parse().ok().zip(high.trim().parse().ok()));
    ends.filter(|(low, high): &(f64, f64)| low.is_finite() && high.is_finite() && low < high)
        .ok_or_else(|| format!("{text:?} is not a range such as 0,1"))
}

/// Runs the command.
///
/// # Errors
/// One of the files exists, or can't be written; a log that can't be used.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let folder = args.out.as_ref().unwrap_or(&args.folder);
    if args.from.is_empty() && args.out.is_none() && *folder == Path::new(".") && stdin().is_terminal() {
        let table = asked("Table with a row per item and the judge's answer (Enter for a small example): ")?;
        let name = asked("Folder to make (Enter for my-study): ")?;
        let folder = PathBuf::from(if name.is_empty() { "my-study" } else { &name });
        return match table.is_empty() {
            true => example(&folder),
            false => crate::cli::audit::run(&crate::cli::audit::Args::new(table.into(), folder)),
        };
    }
    if args.from.is_empty() {
        return example(folder);
    }
    let (format, made) = convert(args).map_err(StudyError::from)?;
    let place = |files: &StudyFiles| files.folder.as_ref().map_or_else(|| folder.clone(), |name| folder.join(name));
    for files in &made.studies {
        write(&place(files), &files.files)?;
    }
    let mut stdout = stdout();
    writeln!(stdout, "{}, read as {}.", list(&args.from), format.title)?;
    if made.studies.len() > 1 {
        writeln!(stdout, "Each of its {} criteria is a study of its own.", made.studies.len())?;
    }
    for files in &made.studies {
        describe(&mut stdout, files, &place(files))?;
    }
    for (criterion, reason) in &made.left_out {
        writeln!(stdout, "\n{criterion} makes no study: {reason}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the starter study.
fn example(folder: &Path) -> Result<ExitCode, Error> {
    write(folder, STARTER.map(|(name, text)| (name, text.to_owned())).as_slice())?;
    writeln!(
        stdout(),
        "Wrote {} with its example files.\nNext: judge-uncertainty study check {}",
        folder.join(CONFIG).display(),
        folder.display()
    )?;
    Ok(ExitCode::SUCCESS)
}

/// What a user types in answer to a question.
fn asked(question: &str) -> Result<String, Error> {
    let mut stdout = stdout();
    write!(stdout, "{question}")?;
    stdout.flush()?;
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}

fn describe(out: &mut impl Write, files: &StudyFiles, folder: &Path) -> std::io::Result<()> {
    let Found { items, alike, answers, failed, labels, other_labels, .. } = files.found;
    writeln!(out)?;
    if let Some(criterion) = &files.criterion {
        writeln!(out, "{criterion}")?;
    }
    writeln!(out, "{items} items, {answers} answers of the judge ({failed} of them failed), {labels} human labels.")?;
    if alike > 0 {
        writeln!(out, "{alike} further items look like one of these to an annotator and are left out.")?;
    }
    if other_labels > 0 {
        writeln!(out, "{other_labels} human labels are left out: they are not on the scale, or given twice.")?;
    }
    writeln!(out, "Wrote {} with its tables.", folder.join(CONFIG).display())?;
    let next = if labels == 0 { "queue" } else { "run" };
    writeln!(out, "Next: judge-uncertainty study {next} {}", folder.display())
}

fn list(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn convert(args: &Args) -> DataResult<(&'static LogFormat, Made)> {
    let mut source = Source::default();
    let format = match args.format {
        Some(format) => format,
        None => logs::detect(&args.from[0], &source.read(&args.from[0])?)?,
    };
    let logs = source.read_logs(&args.from, format)?;
    let classes = args.classes.clone().map(LabelScale::Classes);
    let options = LogOptions {
        id: args.id.clone(),
        criterion: args.criterion.clone(),
        criteria_are_variants: args.criteria_are_variants,
        scale: classes
            .or_else(|| args.places.clone().map(LabelScale::Places))
            .or(args.scale.map(|(low, high)| LabelScale::Scores(low, high))),
        pass: args.pass,
        labels_from: args.labels_from.clone(),
        group_from: args.group_from.clone(),
    };
    Ok((format, from_log::studies(logs, &source, &options)?))
}

/// Writes files that are not there yet; the configuration comes last: a study without it was interrupted and is
/// completed.
fn write(folder: &Path, files: &[(&'static str, String)]) -> Result<(), Error> {
    let mut lacking = vec![];
    for (name, text) in files {
        let file = folder.join(name);
        match fs::symlink_metadata(&file) {
            Err(_) => lacking.push((file, text)),
            Ok(found) => {
                let begun = *name != CONFIG && found.is_file();
                if !begun || read::bytes(&file).map_err(FileError::at(&file, "reading"))? != text.as_bytes() {
                    return Err(StudyError::FileExists { file }.into());
                }
            }
        }
    }
    step().and_then(|()| fs::create_dir_all(folder)).map_err(FileError::at(folder, "creating"))?;
    for (file, text) in lacking {
        if !write_new_file(&file, text.as_bytes())? {
            return Err(StudyError::FileExists { file }.into());
        }
    }
    Ok(())
}

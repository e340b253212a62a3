//! `study init`: a commented configuration and tiny example files that run as they are, or a study made from a judge's
//! log.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::Error;
use crate::formats::error::Result as DataResult;
use crate::formats::logs::{self, Format, LOGS};
use crate::study::Error as StudyError;
use crate::study::from_log::{self, Options, Scale};
use crate::study::input::source::Source;
use crate::system::faults::step;
use crate::system::{FileError, write_new_file};

const CONFIG: &str = "study.toml";

/// The starter study, file by file.
const STARTER: [(&str, &str); 4] = [
    ("items.csv", include_str!("../../../examples/starter/items.csv")),
    ("judge.csv", include_str!("../../../examples/starter/judge.csv")),
    ("labels.csv", include_str!("../../../examples/starter/labels.csv")),
    (CONFIG, include_str!("../../../examples/starter/study.toml")),
];

/// Write a commented study.toml and tiny example files, or make a study from a judge's log; no file is overwritten.
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
    #[arg(long, value_name = "LOG")]
    from: Vec<PathBuf>,
    /// Format of the log, where its content does not say it.
    #[arg(long, value_name = "NAME", requires = "from", value_parser = format)]
    format: Option<&'static Format>,
    /// Field that holds the ids of the items, in place of those of the log.
    #[arg(long, value_name = "FIELD", requires = "from")]
    id: Option<String>,
    /// Keep one criterion (scorer, metric, assertion) of several.
    #[arg(long, value_name = "NAME", requires = "from")]
    criterion: Option<String>,
    /// Take the criteria for variants of one question, such as several graders of the same thing.
    #[arg(long, requires = "from", conflicts_with = "criterion")]
    criteria_are_variants: bool,
    /// Classes that labels can be [default: as the judge's answers are].
    #[arg(long, value_name = "A,B", requires = "from", value_delimiter = ',', conflicts_with_all = ["places", "scale"])]
    classes: Option<Vec<String>>,
    /// Steps of the scale on which labels stand, ascending.
    #[arg(long, value_name = "1,2,3", requires = "from", value_delimiter = ',', conflicts_with = "scale")]
    places: Option<Vec<String>>,
    /// Ends between which labels are numbers.
    #[arg(long, value_name = "LOW,HIGH", requires = "from", value_parser = scale)]
    scale: Option<(f64, f64)>,
    /// Field with a label of each item, such as a reference answer that people gave.
    #[arg(long, value_name = "FIELD", requires = "from")]
    labels_from: Option<String>,
}

fn format(name: &str) -> Result<&'static Format, String> {
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
    if args.from.is_empty() {
        write(folder, STARTER.map(|(name, text)| (name, text.to_owned())).as_slice())?;
        writeln!(
            anstream::stdout(),
            "Wrote {} with its example files.\nNext: judge-uncertainty study check {}",
            folder.join(CONFIG).display(),
            folder.display()
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let (format, made) = convert(args).map_err(StudyError::from)?;
    write(folder, &made.files)?;
    let found = made.found;
    let mut stdout = anstream::stdout().lock();
    writeln!(stdout, "{}, read as {}.", list(&args.from), format.title)?;
    writeln!(
        stdout,
        "{} items, {} answers of the judge ({} of them failed), {} human labels.",
        found.items, found.answers, found.failed, found.labels
    )?;
    writeln!(stdout, "Wrote {} with its tables.", folder.join(CONFIG).display())?;
    if found.labels == 0 {
        let labels = folder.join("labels.csv");
        writeln!(stdout, "The log holds no human labels: write some to {} (id, annotator, label).", labels.display())?;
    }
    writeln!(stdout, "Next: judge-uncertainty study check {}", folder.display())?;
    Ok(ExitCode::SUCCESS)
}

fn list(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn convert(args: &Args) -> DataResult<(&'static Format, from_log::Files)> {
    let mut source = Source::default();
    let format = match args.format {
        Some(format) => format,
        None => logs::detect(&args.from[0], &source.read(&args.from[0])?)?,
    };
    let logs = source.read_logs(&args.from, format)?;
    let classes = args.classes.clone().map(Scale::Classes);
    let options = Options {
        id: args.id.clone(),
        criterion: args.criterion.clone(),
        criteria_are_variants: args.criteria_are_variants,
        scale: classes
            .or_else(|| args.places.clone().map(Scale::Places))
            .or(args.scale.map(|(low, high)| Scale::Scores(low, high))),
        labels_from: args.labels_from.clone(),
    };
    Ok((format, from_log::study(logs, &source, &options)?))
}

/// Writes files that are not there yet; the configuration comes last: a study without it was interrupted and is
/// completed.
fn write(folder: &Path, files: &[(&'static str, String)]) -> Result<(), Error> {
    let begun = |(name, text): &(&str, String)| {
        *name != CONFIG && fs::read(folder.join(name)).is_ok_and(|t| t == text.as_bytes())
    };
    let mut existing = files.iter().filter(|file| fs::symlink_metadata(folder.join(file.0)).is_ok());
    if let Some((name, _)) = existing.find(|file| !begun(file)) {
        return Err(StudyError::FileExists { file: folder.join(name) }.into());
    }
    step().and_then(|()| fs::create_dir_all(folder)).map_err(FileError::at(folder, "creating"))?;
    for (name, text) in files.iter().filter(|file| !begun(file)) {
        let file = folder.join(name);
        if !write_new_file(&file, text.as_bytes())? {
            return Err(StudyError::FileExists { file }.into());
        }
    }
    Ok(())
}

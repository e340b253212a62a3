//! `apply`: a fitted belief for any number of further items.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::audit::{MOST_NOTICES, how_it_was_read};
use super::options::{ResultOptions, ThreadsOption};
use super::progress::Bars;
use super::{Error, say, sentences};
use crate::escalation::Rule;
use crate::familiarity::embedding::{Embedder, EmbeddingCache, Model};
use crate::formats::error::{Error as DataError, Place, Problem};
use crate::formats::output::Codec;
use crate::report::study::{Line, apply_answer, describe_application};
use crate::study::Error as StudyError;
use crate::study::apply;
use crate::study::apply::applier::Applier;
use crate::study::apply::stream::PartsFolder;
use crate::study::apply::stream::Wanted;
use crate::study::apply::stream::{self, ApplyRequest, ApplySummary, ItemsFile, Texts, is_within};
use crate::study::input::judge::{JudgeFiles, SUMMARY};
use crate::system::{shell_path, shell_word, to_json};

/// Apply the belief that `study run` fitted to any number of further items.
///
/// Items are read from any table or log that `audit` reads, and written as parts in Parquet. An application that was
/// interrupted goes on where it stopped. Exit status: 0 when done, 2 when input, arguments or the folder are refused, 1
/// otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty apply my-study/run --items new.parquet --out applied
  judge-uncertainty apply my-study/run --items answers/ --out applied --top 1000 --rule epistemic
  judge-uncertainty apply belief.json --items new.csv --out applied --set-aside bad.jsonl --columns \
  answers=share_{class}")]
pub(super) struct Args {
    /// The belief.json of a run, or the run's or study's folder.
    #[arg(value_name = "BELIEF")]
    belief: PathBuf,
    /// Items: any table or log that `audit` reads, or a folder of tables in the order of their names; may be given several
    /// times.
    #[arg(long, value_name = "PATH", required = true, help_heading = "Items")]
    items: Vec<PathBuf>,
    /// Folder to write.
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    out: PathBuf,
    /// Replace the application that the folder holds.
    #[arg(long, help_heading = "Files")]
    force: bool,
    /// What a column holds, as `audit` takes it, where the table calls it otherwise than that of the study; of tables with
    /// a column for each class also answers, deviations, labels and embedding.
    #[arg(long = "columns", alias = "column", value_name = "ROLE=COLUMN", help_heading = "Items")]
    columns: Vec<String>,
    /// Keep the first N items of the whole stream as queue.csv.
    #[arg(long, value_name = "N", help_heading = "Queue")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    top: Option<u32>,
    /// Keep the items whose priority is X or more as queue.csv, with --top the first of them.
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Queue")]
    threshold: Option<f64>,
    /// Rule of the queue.
    #[arg(long, value_name = "RULE", default_value = "epistemic", help_heading = "Queue")]
    rule: Rule,
    /// Set rows aside that can't be used, as JSON Lines with place and problem, instead of refusing the first.
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    set_aside: Option<PathBuf>,
    /// How the parts are compressed: snappy or none.
    #[arg(long, value_name = "CODEC", default_value = "snappy", help_heading = "Files")]
    #[arg(value_parser = str::parse::<Codec>)]
    codec: Codec,
    /// Rows of a part; memory grows with it.
    #[arg(long, value_name = "N", default_value_t = 16_384, help_heading = "Files")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    batch: u32,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Summary that `judge run` wrote for the predictions, which shows that the belief's judge made them [default:
    /// summary.json in the folder of the items, if it exists].
    #[arg(long, value_name = "FILE", help_heading = "Items")]
    judge: Option<PathBuf>,
    /// Directory of the sentence model that embeds texts [default: the one that the study named].
    #[arg(long, value_name = "DIR", help_heading = "Items")]
    model: Option<String>,
    /// Keep embeddings of texts here, and embed only those that are not there yet.
    #[arg(long, value_name = "DIR", help_heading = "Items")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    result: ResultOptions,
}

/// Runs the command.
///
/// # Errors
/// Anything refused or failed.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    args.threads.start()?;
    let belief = Applier::read(&args.belief, &args.columns)?;
    check_judge(args, &belief)?;
    let queue = wanted(args, &belief)?;
    check_places(args)?;
    let items = ItemsFile::all(&belief, &args.items)?;
    let lacking = items.iter().any(|items| items.lacks(&belief.file.columns.embedding));
    let mut embedder = embedder(args, &belief, lacking)?;
    let texts = match &mut embedder {
        Some(embedder) => {
            let cache =
                args.cache.as_ref().map(|folder| EmbeddingCache::open(folder, embedder.as_ref())).transpose()?;
            Some(Texts { embedder: embedder.as_mut(), cache })
        }
        None => None,
    };
    let parts = PartsFolder::open(&args.out, args.force)?;
    let request = ApplyRequest {
        batch: args.batch as usize,
        at_once: rayon::current_num_threads(),
        queue,
        set_aside: args.set_aside.clone(),
        codec: args.codec,
    };
    let summary = stream::apply(&belief, (&request, items), parts, texts, &Bars::default())?;
    if summary.found > 0 {
        say(format_args!("{} parts of an interrupted application were found as they must be, and kept", summary.found));
    }
    args.result.show(|| to_json(&summary), &answer(&summary, args)?, || describe_application(&summary))
}

fn refused(path: &Path, reason: String, remedy: &str) -> Error {
    let problem = Problem::Unfit { reason, remedy: remedy.to_owned() };
    StudyError::from(DataError::refused(Place::file(path), problem)).into()
}

/// Refuses predictions of another judge, if a summary names their judge.
fn check_judge(args: &Args, belief: &Applier) -> Result<(), Error> {
    let beside = args.items.iter().find_map(|items| {
        let folder = if items.is_dir() { items.as_path() } else { items.parent()? };
        Some(folder.join(SUMMARY)).filter(|path| path.is_file())
    });
    let (path, stated) = match (&args.judge, beside) {
        (Some(path), _) => (path.clone(), JudgeFiles::from_summary(path).map_err(StudyError::from)?),
        // A file of this name may be anybody's.
        (None, Some(path)) => match JudgeFiles::from_summary(&path) {
            Ok(stated) => (path, stated),
            Err(_) => return Ok(()),
        },
        (None, None) => return Ok(()),
    };
    Ok(apply::check_judge(belief, &path, &stated)?)
}

fn wanted(args: &Args, belief: &Applier) -> Result<Option<Wanted>, Error> {
    if args.top.is_none() && args.threshold.is_none() {
        return Ok(None);
    }
    if !belief.file.rules.contains(&args.rule) {
        let known: Vec<&str> = belief.file.rules.iter().map(|rule| rule.name()).collect();
        let reason = format!("the rule {} does not rank further items of this belief", args.rule.name());
        return Err(refused(&belief.path, reason, &format!("choose among {}", known.join(", "))));
    }
    let top = args.top.map(|top| top as usize);
    Ok(Some(Wanted { rule: args.rule, top, threshold: args.threshold }))
}

/// What is written must not lie among what is read.
fn check_places(args: &Args) -> Result<(), Error> {
    let inside = |items: &&PathBuf| is_within(items, &args.out) || items.is_dir() && is_within(&args.out, items);
    if let Some(aside) = args.set_aside.as_ref().filter(|aside| aside.starts_with(&args.out)) {
        let reason = "lies in the folder of the parts, which holds nothing else".to_owned();
        return Err(refused(aside, reason, "choose another place with --set-aside"));
    }
    match args.items.iter().find(inside) {
        None => Ok(()),
        Some(items) => Err(StudyError::InputInside { folder: args.out.clone(), file: items.clone() }.into()),
    }
}

/// The model of the belief; `None` where no text is to be embedded.
fn embedder(args: &Args, belief: &Applier, lacking: bool) -> Result<Option<Box<dyn Embedder>>, Error> {
    let Some((of_belief, _)) = belief.text().filter(|_| lacking) else { return Ok(None) };
    let model = Model::find(args.model.as_deref().unwrap_or(&of_belief.name))?;
    apply::check_model(of_belief, &model.path, &model.hash)?;
    Ok(Some(sentences::start(model)?))
}

fn answer(summary: &ApplySummary, args: &Args) -> Result<Vec<Line>, Error> {
    let mut lines: Vec<Line> = summary.read.iter().flat_map(|audited| how_it_was_read(audited, MOST_NOTICES)).collect();
    let aside = args.set_aside.as_ref().map(|file| file.display().to_string());
    lines.extend(apply_answer(summary, &args.out.display().to_string(), aside.as_deref(), &again(args))?);
    Ok(lines)
}

/// The command that was given, as a shell reads it, without what a queue needs.
fn again(args: &Args) -> String {
    let path = |name: &str, path: &Path| format!(" --{name} {}", shell_path(path));
    let mut command = format!("judge-uncertainty apply {}", shell_path(&args.belief));
    command.extend(args.items.iter().map(|items| path("items", items)));
    command.extend(args.columns.iter().map(|column| format!(" --columns {}", shell_word(column))));
    let files = [("set-aside", &args.set_aside), ("judge", &args.judge), ("cache", &args.cache)];
    command.extend(files.iter().filter_map(|(name, file)| Some(path(name, file.as_deref()?))));
    command.extend(args.model.iter().map(|model| format!(" --model {}", shell_word(model))));
    command + &path("out", &args.out)
}

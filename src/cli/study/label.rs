//! `study labels page`: a page on which experts label a queue.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Deserialize;

use crate::cli::Error;
use crate::cli::options::{StudyOption, TemplatesOption};
use crate::cli::terminal::stdout;
use crate::formats::error::{Error as DataError, Place, Problem};
use crate::report::label::{self, LabelItem};
use crate::study::Error as StudyError;
use crate::study::input::config::StudyFile;
use crate::study::input::items;
use crate::study::input::question::{is_swapped, of_task, task_id};
use crate::study::input::source::Source;
use crate::system::{FileError, OutputFile, read, shell_path};

/// Write a page on which experts label a queue: one file for any browser, without a server or a network.
///
/// It shows the items of a queue that `study queue` made, one by one, with the instruction of the study.toml, and hides
/// what the judge predicts. Annotators label by key; the browser keeps the labels and saves them as a table for `study
/// labels add`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty study queue my-study --budget 20
  judge-uncertainty study labels page my-study
  judge-uncertainty study labels add labels-ann.csv my-study")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    /// Folder of the queue [default: queue, next to the study.toml].
    #[arg(long, value_name = "DIR")]
    queue: Option<PathBuf>,
    /// File to write [default: label.html, next to the study.toml].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    templates: TemplatesOption,
}

/// An entry of `queue.jsonl`.
#[derive(Debug, Deserialize)]
struct QueueEntry {
    id: String,
    /// The item's id, where that of the task also states the order of two answers.
    item: Option<String>,
    /// The seed of the queue.
    #[serde(default)]
    seed: u64,
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// The study has no queue, or the folder has one of another study, or the output file exists and is not such a page.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let file = StudyFile::read(&args.study.path).map_err(StudyError::from)?;
    let log = super::labels::log_of(&args.study.path)?;
    let out = args.out.clone().unwrap_or_else(|| file.resolve(Path::new("label.html")));
    let held = OutputFile::hold(&out)?;
    // A page holds nothing that this command did not write; anything else stays.
    if let Ok(found) = fs::symlink_metadata(&out) {
        let page = || read::bytes(&out).map_err(FileError::at(&out, "reading"));
        if !found.is_file() || !label::is_page(&page()?) {
            return Err(StudyError::Foreign { file: out }.into());
        }
    }
    let queue = args.queue.clone().unwrap_or_else(|| file.resolve(Path::new("queue"))).join("queue.jsonl");
    let items = entries(&file, &queue).map_err(StudyError::from)?;
    let added: HashSet<&str> = log.rows.iter().map(|(_, label)| label.id.as_str()).collect();
    let answered =
        items.iter().filter(|item| added.contains(of_task(&item.id).map_or(&*item.id, |(id, _)| id))).count();
    let folder = args.templates.folder.as_deref();
    let html = label::page(&file.config.title, file.config.asked(), &items, folder)?;
    held.write(|file| file.write_all(html.as_bytes()))?;
    writeln!(
        stdout(),
        "{} items to label{}, without the judge's predictions: {}\nOpen it in a browser; then: judge-uncertainty study \
         labels add FILE {}",
        items.len(),
        if answered > 0 { format!(" ({answered} of them have an answer already)") } else { String::new() },
        out.display(),
        shell_path(&args.study.path)
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The items of a queue, as the study has them now.
fn entries(file: &StudyFile, queue: &Path) -> Result<Vec<LabelItem>, DataError> {
    let refuse = |place: Place, reason: String, remedy: &str| {
        DataError::refused(place, Problem::Unfit { reason, remedy: remedy.to_owned() })
    };
    let make = "make a queue with `study queue`, or name the folder of one with --queue";
    let text = read::text(queue)
        .map_err(|error| refuse(Place::file(queue), format!("the queue can't be read: {error}"), make))?;
    let items = items::read(file, &mut Source::default())?;
    let swapped = items::swapped(file)?;
    let entry = |(line, number): (&str, u64)| {
        let place = || Place::file(queue).at_line(number);
        let entry: QueueEntry = serde_json::from_str(line)
            .map_err(|error| refuse(place(), format!("no entry of a queue: {error}"), make))?;
        let id = entry.item.as_ref().unwrap_or(&entry.id);
        let item = items.ids.position(id);
        let item = item.ok_or_else(|| DataError::refused(place().of_item(id), items.unknown(id)))?;
        // Queues of older versions state no order, so one is drawn here.
        let order = of_task(&entry.id).map(|(_, swapped)| swapped);
        let drawn = swapped.as_ref().filter(|_| order.is_none()).map(|_| is_swapped(entry.seed, id));
        let other_order = swapped.as_ref().filter(|_| order.or(drawn) == Some(true));
        let texts = other_order.or(items.texts.as_ref());
        let text = texts.map_or_else(|| id.clone(), |texts| texts[item].clone());
        Ok(LabelItem { id: drawn.map_or_else(|| entry.id.clone(), |drawn| task_id(id, drawn)), text })
    };
    let found: Vec<LabelItem> = text.lines().zip(1..).map(entry).collect::<Result<_, DataError>>()?;
    if found.is_empty() {
        return Err(refuse(Place::file(queue), "the queue is empty".to_owned(), make));
    }
    Ok(found)
}

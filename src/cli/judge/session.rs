//! A session with a judge: its questions, the answers on file, and what is written from them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::{Error, say};
use crate::experiments::dice::{DiceWorld, Tier};
use crate::experiments::steps::Published;
use crate::judge;
use crate::judge::cache::{AnswerCache, CachedAnswer, are_answers};
use crate::judge::predictions::{Collected, PREDICTIONS, SELF_UPDATES};
use crate::judge::request::Questions;
use crate::judge::run::RunTally;
use crate::judge::summary::{SUMMARY, SessionSummary, written_here};
use crate::judge::task::{Item, Task, Truth};
use crate::study::input::scale::Scale;
use crate::system::faults::step;
use crate::system::{FileError, OutputFile, read, to_json, write_file};

/// File of the answers in the output folder.
pub(super) const ANSWERS: &str = "answers.jsonl";

/// The folder that is named, or `judge-NAME` with the task's name.
pub(super) fn folder(task: &Task, out: Option<&Path>) -> PathBuf {
    out.map_or_else(|| PathBuf::from(format!("judge-{}", task.name)), Path::to_path_buf)
}

/// Checks that a folder may be written from the `inputs`, before any work, makes it if it is not there, and holds it:
/// no other process may write to it as long as what is returned lives.
///
/// # Errors
/// It can't be made; a file that would be replaced is one of the inputs, or was not written by `judge`; another process
/// writes to it.
pub(super) fn prepare(folder: &Path, inputs: &[&Path]) -> Result<OutputFile, Error> {
    let foreign = |file: PathBuf, problem| Err(Error::from(judge::Error::Foreign { file, problem }));
    for file in [ANSWERS, PREDICTIONS, SELF_UPDATES, SUMMARY].map(|name| folder.join(name)) {
        let Ok(found) = fs::symlink_metadata(&file) else { continue };
        let place = fs::canonicalize(&file).ok();
        if place.is_some() && inputs.iter().any(|input| fs::canonicalize(input).ok() == place) {
            return foreign(file, "is a file that is read");
        }
        if !found.is_file() {
            return foreign(file, "is not a plain file");
        }
        if !is_ours(folder)? {
            return foreign(file, "was not written by this command");
        }
    }
    step().and_then(|()| fs::create_dir_all(folder)).map_err(FileError::at(folder, "making the folder"))?;
    Ok(OutputFile::hold(&folder.join("judge"))?)
}

/// Whether `judge` wrote to the folder before; its summary shows that or, before the summary exists, its answers do.
fn is_ours(folder: &Path) -> Result<bool, Error> {
    let found = |name: &str| {
        let file = folder.join(name);
        read::bytes_if_there(&file).map_err(FileError::at(&file, "reading"))
    };
    Ok(match found(SUMMARY)? {
        Some(text) => written_here(&text),
        None => found(ANSWERS)?.is_some_and(|text| are_answers(&text)),
    })
}

/// Opens the answers of a folder that is [prepared](prepare).
pub(super) fn open(folder: &Path) -> Result<AnswerCache, Error> {
    let cache = AnswerCache::open(&folder.join(ANSWERS))?;
    if cache.repaired() > 0 {
        say(format_args!(
            "note: {}: cut off {} bytes of a last line that was never completed",
            cache.path().display(),
            cache.repaired()
        ));
    }
    Ok(cache)
}

/// Writes predictions and summary from the answers on file.
pub(super) fn conclude(
    questions: &Questions,
    folder: &Path,
    cache: &AnswerCache,
    tally: &RunTally,
) -> Result<SessionSummary, Error> {
    let task = &questions.task;
    let used: Vec<&CachedAnswer> = questions.requests.iter().filter_map(|request| cache.answer(&request.key)).collect();
    let collected = Collected::from_entries(used.iter().copied(), &task.answers);
    write_tables(folder, task, &collected)?;
    let summary = SessionSummary::new(questions, cache, &used, &collected, tally);
    write_file(&folder.join(SUMMARY), to_json(&summary).as_bytes())?;
    Ok(summary)
}

/// Writes what was collected as tables.
pub(super) fn write_tables(folder: &Path, task: &Task, collected: &Collected) -> Result<(), Error> {
    write_file(&folder.join(PREDICTIONS), &collected.predictions(task))?;
    let updates = folder.join(SELF_UPDATES);
    match collected.self_updates(task) {
        Some(table) => write_file(&updates, &table)?,
        // Not left from another run: it would be taken for one of these answers.
        None if updates.is_file() => {
            step().and_then(|()| fs::remove_file(&updates)).map_err(FileError::at(&updates, "removing"))?;
        }
        None => {}
    }
    Ok(())
}

/// Faces of the dice, in the order of their biases.
const FACES: [&str; 3] = ["red", "green", "blue"];

/// The 500 dice: description tiers, biases and revealed rolls as the paper's streams draw them. A die's text reveals no
/// more than its tier allows.
pub(super) fn dice() -> Task {
    let world = DiceWorld::draw(&Published);
    let item = |i: usize| {
        let p: Vec<f64> = world.p.row(i).to_vec();
        let tier = Tier::from_die(i);
        let (name, told) = match tier {
            Tier::None => ("none", 0.0),
            Tier::Weak => ("weak", 0.2),
            Tier::Directional => ("directional", 0.6),
            Tier::Strong => ("strong", 1.0),
        };
        let mut text = BTreeMap::from([("tier".to_owned(), name.to_owned())]);
        match tier {
            Tier::None | Tier::Weak => {}
            Tier::Directional => {
                let favoured = (1..FACES.len()).fold(0, |best, j| if p[j] > p[best] { j } else { best });
                text.insert("favoured".to_owned(), FACES[favoured].to_owned());
            }
            Tier::Strong => {
                let shares = FACES.iter().zip(&p).map(|(face, p)| format!("{face} {:.1}% of the time", 100.0 * p));
                text.insert("shares".to_owned(), shares.collect::<Vec<_>>().join(", "));
            }
        }
        let labels = world.counts.row(i).to_vec();
        Item { id: i.to_string(), text, labels, truth: Some(Truth { shares: p, told: Some(told) }) }
    };
    let items = (0..world.numbers.len()).map(item).collect();
    let answers = Scale::Classes(FACES.map(str::to_owned).to_vec());
    let variants = ["neutral", "sceptical", "literal"].map(str::to_owned).to_vec();
    Task { variants, self_update: true, ..Task::new("dice".to_owned(), "dice", String::new(), answers, items) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::prompts::{Ask, Prompts};

    #[test]
    fn a_die_tells_what_its_tier_may_tell() {
        let (task, prompts) = (dice(), Prompts::load(None, "dice").unwrap());
        let text = |i: usize, ask, variant| prompts.render(&task, &task.items[i], ask, variant).unwrap();
        let none = text(0, Ask::Distribution, "neutral");
        assert!(none.contains("Nothing else is known") && !none.contains('%'), "{none}");
        assert!(none.ends_with("{\"red\": ..., \"green\": ..., \"blue\": ...}"), "{none}");
        let weak = text(1, Ask::Distribution, "neutral");
        assert!(weak.contains("is not known") && !weak.contains('%'), "{weak}");
        // The protocol's world by NumPy: die 2 is (0.877, 0.062, 0.062), die 3 is (0.0547, 0.0547, 0.8906).
        let directional = text(2, Ask::Distribution, "neutral");
        assert!(directional.contains("lands on red more often") && !directional.contains('%'), "{directional}");
        let strong = text(3, Ask::Confidence, "literal");
        assert!(strong.contains("red 5.5% of the time, green 5.5% of the time, blue 89.1% of the time"), "{strong}");
        assert!(text(3, Ask::Label, "sceptical").contains("sceptical"));
    }
}

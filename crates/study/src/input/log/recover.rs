//! A damaged log, put in order without losing a row.
//!
//! The log is moved to `added-labels.damaged-N.csv` as it is. A new one is written of the rows that still have their
//! sum and follow the line above them. The other rows, which may have been edited, or stand where a line was removed or
//! moved, go to `added-labels.unsure-N.csv`, a table that `study labels add` takes once somebody has looked at it.

use std::collections::BTreeMap;
#[cfg(test)]
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::label_log::LabelLog;
use super::layout::{self, LogCells, LogLine, LogMark, batch_sum, link};
use super::write::note_head;
use crate::Error as StudyError;
use crate::input::source::Source;
use judge_uncertainty_formats::error::{Error, Place};
use judge_uncertainty_system::locked::LockedFile;
use judge_uncertainty_system::{FileError, csv_text, write_file, write_new_file};

/// What was recovered, and where the rest is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Labels of the new log.
    pub kept: usize,
    /// Rows that may have been edited.
    pub unsure: usize,
    /// Lines that are no whole rows, batches or removals; they are in the damaged log alone.
    pub others: usize,
    /// The log as it was found.
    pub damaged: PathBuf,
    /// The table of the rows that are unsure; `None` without any.
    pub table: Option<PathBuf>,
}

impl LabelLog {
    /// Puts the log of a study's folder in order; `None` if nothing is wrong with it.
    ///
    /// # Errors
    /// There is none, it is no log, another process writes to it, or the file system refuses; the log is then as it
    /// was.
    pub fn recover(folder: &Path) -> Result<Option<Recovered>, StudyError> {
        let file = folder.join(super::LOG_FILE);
        if !file.is_file() {
            return Err(
                Error::unfit(Place::file(&file), "there is no log", "labels are added with `labels add`").into()
            );
        }
        match Self::read(folder, &mut Source::default()) {
            Ok(_) => return Ok(None),
            Err(error @ Error::Unreadable { .. }) => return Err(error.into()),
            Err(_) => {}
        }
        let at = |action| FileError::at(&file, action);
        let Some(mut held) = LockedFile::open(&file).map_err(at("opening"))? else {
            let reason = "another process is adding labels to it";
            return Err(Error::unfit(Place::file(&file), reason, "run the command again").into());
        };
        let found = held.read_all().map_err(at("reading"))?;
        let sorted = Sorted::new(&file, &found)?;
        let text = sorted.rewritten(&file)?;
        let damaged = set_aside(&file, "damaged", &found)?;
        let table = match sorted.unsure.is_empty() {
            true => None,
            false => Some(set_aside(&file, "unsure", &table_of(&sorted.unsure))?),
        };
        write_file(&file, &text)?;
        note_head(&file, &text);
        let kept = sorted.batches.values().map(Vec::len).sum();
        Ok(Some(Recovered { kept, unsure: sorted.unsure.len(), others: sorted.others, damaged, table }))
    }
}

/// The lines of a log by what can be said of them.
#[derive(Default)]
struct Sorted {
    /// Rows that follow the line above them, by the number of their batch.
    batches: BTreeMap<u64, Vec<LogCells>>,
    /// Numbers of batches that were removed, and when.
    removed: BTreeMap<u64, String>,
    /// Rows of which that is not so.
    unsure: Vec<LogCells>,
    /// Lines that are none of these.
    others: usize,
    /// The sums of the rows that are kept.
    seen: BTreeMap<String, LogCells>,
}

impl Sorted {
    fn new(file: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let records = layout::records(file, bytes)?;
        let (mut sorted, mut before, mut number) = (Self::default(), String::new(), 1);
        let mut rest = layout::behind_header(file, &records)?;
        while let Some((record, after)) = rest.split_first() {
            rest = after;
            match record.mark().and_then(LogMark::parse) {
                Some(LogMark::Batch { number: stated, labels, sum, chained }) => {
                    (number, before) = (stated, sum.to_owned());
                    if !chained {
                        rest = sorted.older(file, (stated, labels, sum), after)?;
                    }
                }
                Some(LogMark::Remove { number: stated, time, sum, .. }) => {
                    sorted.removed.insert(stated, time.to_owned());
                    before = sum.to_owned();
                }
                None if record.is_label(true) => {
                    let (cells, stated) = (record.cells(file)?, record.sum());
                    if link(&before, cells.iter().map(String::as_str)) == stated {
                        number = sorted.keep(number, cells.clone());
                        sorted.seen.insert(stated.clone(), cells);
                    } else if sorted.seen.get(&stated) != Some(&cells) {
                        sorted.unsure.push(cells);
                    }
                    before = stated;
                }
                // From before there were sums.
                None if record.is_label(false) && before.is_empty() => {
                    number = sorted.keep(number, record.cells(file)?);
                }
                None if record.is_label(false) => sorted.unsure.push(record.cells(file)?),
                None => sorted.others += 1,
            }
        }
        Ok(sorted)
    }

    /// A batch of an older log, which has one sum: all of it, or none.
    fn older<'r>(
        &mut self,
        file: &Path,
        (number, labels, sum): (u64, usize, &str),
        rest: &'r [LogLine],
    ) -> Result<&'r [LogLine], Error> {
        let found = rest.iter().take(labels).take_while(|row| row.is_label(false)).count();
        let rows: Vec<LogCells> = rest[..found].iter().map(|row| row.cells(file)).collect::<Result<_, _>>()?;
        if batch_sum(number, rows.iter()) == sum {
            self.batches.entry(number).or_default().extend(rows);
        } else {
            self.unsure.extend(rows);
        }
        Ok(&rest[found..])
    }

    /// Keeps a row in its batch; in the next one if it came from another file, because the line of its own is gone.
    fn keep(&mut self, number: u64, cells: LogCells) -> u64 {
        let other = |rows: &Vec<LogCells>| rows[0][4..] != cells[4..];
        let number = if self.batches.get(&number).is_some_and(other) { number + 1 } else { number };
        self.batches.entry(number).or_default().push(cells);
        number
    }

    /// The log of the rows that are kept, with sums of its own; batches keep their numbers.
    fn rewritten(&self, file: &Path) -> Result<Vec<u8>, Error> {
        let mut text = layout::header();
        for (number, rows) in &self.batches {
            let chain = layout::parse(file, &text)?.chain;
            text.extend(layout::batch_text(&chain, *number, rows));
        }
        for (number, time) in self.removed.iter().filter(|(number, _)| self.batches.contains_key(number)) {
            let chain = layout::parse(file, &text)?.chain;
            text.extend(layout::removal_text(&chain, *number, time));
        }
        Ok(text)
    }
}

fn table_of(rows: &[LogCells]) -> Vec<u8> {
    let header = ["id", "annotator", "label"].map(str::to_owned).to_vec();
    csv_text(std::iter::once(header).chain(rows.iter().map(|cells| cells[..3].to_vec())))
}

/// Writes bytes to the first free `added-labels.WHAT-N.csv`, which is returned.
fn set_aside(log: &Path, what: &str, bytes: &[u8]) -> Result<PathBuf, StudyError> {
    let mut numbered = (1_u64..).map(|number| log.with_extension(format!("{what}-{number}.csv")));
    let free = numbered.find(|path| fs::symlink_metadata(path).is_err()).expect("numbers do not end");
    if !write_new_file(&free, bytes)? {
        let reason = "another process has written it meanwhile";
        return Err(Error::unfit(Place::file(&free), reason, "run the command again").into());
    }
    Ok(free)
}

#[cfg(test)]
mod tests {
    use super::super::label_log::NewLabel;
    use super::*;

    fn label(id: usize) -> NewLabel {
        let [id, annotator, value] = [format!("r{id:02}"), "zoe".to_owned(), "mixed".to_owned()];
        NewLabel { id, annotator, value, given: String::new(), place: Place::default() }
    }

    fn read(folder: &Path) -> Result<LabelLog, Error> {
        LabelLog::read(folder, &mut Source::default())
    }

    /// Three batches of 3, 4 and 1 rows, the first removed.
    fn written(folder: &Path) -> String {
        for (k, rows) in [(1, 0..3), (2, 3..7), (3, 7..8)] {
            let labels: Vec<NewLabel> = rows.map(label).collect();
            read(folder).unwrap().append(Path::new("new.csv"), &format!("{k:064}"), &labels).unwrap();
        }
        read(folder).unwrap().remove(1).unwrap();
        fs::read_to_string(folder.join(super::super::LOG_FILE)).unwrap()
    }

    fn ids(folder: &Path, name: &str) -> BTreeSet<String> {
        let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
        text.lines().filter(|line| line.starts_with('r')).map(|line| line[..3].to_owned()).collect()
    }

    /// Deletes, doubles, edits and moves each line of a log: no command reads it, and recovering loses no row.
    #[test]
    fn no_damage_of_a_line_loses_a_row() {
        let origin = tempfile::tempdir().unwrap();
        let whole = written(origin.path());
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let mut trials = 0;
        for at in 1..lines.len() {
            for damage in ["deleted", "doubled", "edited", "moved"] {
                let mut damaged: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
                match damage {
                    "deleted" => drop(damaged.remove(at)),
                    "doubled" => damaged.insert(at, damaged[at].clone()),
                    "edited" => damaged[at] = damaged[at].replacen("mixed", "other", 1).replacen("batch", "botch", 1),
                    _ => damaged.swap(at, if at + 1 < lines.len() { at + 1 } else { at - 1 }),
                }
                let folder = tempfile::tempdir().unwrap();
                let log = folder.path().join(super::super::LOG_FILE);
                fs::write(&log, damaged.concat()).unwrap();
                let case = format!("line {} {damage}", at + 1);
                let found = read(folder.path());
                if at + 1 == lines.len() && damage == "deleted" {
                    // A log that ends earlier is a whole one.
                    assert!(found.is_ok(), "{case}");
                    continue;
                }
                let told = found.as_ref().map_or(true, |log| log.torn.is_some());
                assert!(told, "{case}: nothing is said");
                if found.is_ok() {
                    continue;
                }
                let there = ids(folder.path(), super::super::LOG_FILE);
                let recovered = LabelLog::recover(folder.path()).unwrap().unwrap();
                let after = read(folder.path()).unwrap();
                assert_eq!(after.torn, None, "{case}");
                let kept = ids(folder.path(), super::super::LOG_FILE);
                let unsure = ids(folder.path(), "added-labels.unsure-1.csv");
                assert_eq!(kept.union(&unsure).cloned().collect::<BTreeSet<_>>(), there, "{case}");
                assert!(recovered.unsure <= 3, "{case}: {} are unsure", recovered.unsure);
                assert_eq!(fs::read_to_string(&recovered.damaged).unwrap(), damaged.concat(), "{case}");
                assert_eq!(LabelLog::recover(folder.path()).unwrap(), None, "{case}");
                trials += 1;
            }
        }
        assert!(trials > 30, "{trials}");
    }
}

//! Finished replicates on disk, so that an interrupted evaluation goes on where it stopped.
//!
//! A heading names the evaluation and the program version of the journal; every line below it has one replicate with
//! its number, the identity of the evaluation and a checksum of all three. A crash leaves a damaged end, which is
//! dropped; a journal that was changed anywhere else is refused, because results would rest on it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::faults::{append, step};
use judge_uncertainty_system::progress::Progress;
use judge_uncertainty_system::{FileError, OutputFile, read};

/// How the names of journals end.
pub const JOURNAL_SUFFIX: &str = ".evaluation.jsonl";
/// Version of the journal's format.
const FORMAT: u32 = 2;
/// Replicates that are written to the journal together.
const BATCH: usize = 16;

/// Why a journal can't be gone on with.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum JournalError {
    /// The file system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// Its place can't be written, or another process writes to it.
    #[error(transparent)]
    Output(#[from] judge_uncertainty_system::Error),
    #[error(
        "{0}: is not the journal of an evaluation, but its place is needed for one; nothing was changed. Move it away, \
         or write to another folder with --out"
    )]
    Foreign(PathBuf),
    #[error("{path}, line {line}: {problem}; delete the file to evaluate from the beginning", path = path.display())]
    Edited { path: PathBuf, line: usize, problem: String },
}

impl JournalError {
    /// Whether the machine failed, rather than that the journal was refused.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::File(_) => true,
            Self::Output(error) => error.is_failure(),
            Self::Foreign(_) | Self::Edited { .. } => false,
        }
    }
}

/// Finished replicates, one per line under a line that says what they belong to.
#[derive(Debug)]
pub struct Journal<R> {
    path: PathBuf,
    run: String,
    file: Option<File>,
    done: Vec<R>,
    damaged: bool,
}

impl<R> Default for Journal<R> {
    /// A journal in memory only.
    fn default() -> Self {
        Self { path: PathBuf::new(), run: String::new(), file: None, done: vec![], damaged: false }
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Heading {
    /// Absent in the first format.
    #[serde(default)]
    journal: u32,
    program: String,
    evaluation_of: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalLine {
    replicate: usize,
    run: String,
    sum: String,
    measured: Box<RawValue>,
}

impl JournalLine {
    fn new<R: Serialize>(replicate: usize, run: &str, measured: &R) -> Self {
        let measured = serde_json::value::to_raw_value(measured).expect(PLAIN);
        let sum = Self::sum(replicate, run, &measured);
        Self { replicate, run: run.to_owned(), sum, measured }
    }

    fn sum(replicate: usize, run: &str, measured: &RawValue) -> String {
        sha256_hex(format!("{replicate}\n{run}\n{}", measured.get()).as_bytes())
    }

    /// A line that is as some program wrote it, be it here or elsewhere.
    fn read(text: &[u8]) -> Option<Self> {
        let line: Self = serde_json::from_slice(text.strip_suffix(b"\n")?).ok()?;
        (line.sum == Self::sum(line.replicate, &line.run, &line.measured)).then_some(line)
    }
}

impl<R: Serialize + DeserializeOwned + Send> Journal<R> {
    /// Opens the journal beside a run folder. A journal of another study, other inputs or another version is replaced,
    /// and a damaged end is dropped.
    ///
    /// Replicates depend on `settings` (except for the number of replicates) and the checksums of the `inputs`, and on
    /// nothing else.
    ///
    /// # Errors
    /// It can't be read or written, a file that is not a journal has its name, or a line before its end was changed.
    pub fn open(
        folder: &Path,
        settings: &impl Serialize,
        inputs: &BTreeMap<String, String>,
    ) -> Result<Self, JournalError> {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let path = folder.with_file_name(format!(".{name}{JOURNAL_SUFFIX}"));
        let run = sha256_hex(json_line(&(settings, inputs.values().collect::<Vec<_>>())).as_bytes());
        let heading = Heading { journal: FORMAT, program: env!("CARGO_PKG_VERSION").to_owned(), evaluation_of: run };
        let (done, damaged) = read(&path, &heading)?;
        let mut text = json_line(&heading);
        let run = heading.evaluation_of;
        text.extend(done.iter().enumerate().map(|(k, replicate)| json_line(&JournalLine::new(k, &run, replicate))));
        // A file of its own takes the journal's place: what stood there, a link for instance, is never written to.
        let held = OutputFile::hold(&path)?;
        held.write(|file| file.write_all(text.as_bytes()))?;
        let file = OpenOptions::new().append(true).open(&path).map_err(FileError::at(&path, "opening"))?;
        Ok(Self { path, run, file: Some(file), done, damaged })
    }

    /// Replicates that need not be run again.
    pub fn finished(&self) -> usize {
        self.done.len()
    }

    /// The journal's file, if its end was damaged and is dropped.
    pub fn damaged(&self) -> Option<&Path> {
        self.damaged.then_some(&self.path)
    }

    /// Runs the replicates of a `task` that are missing to `wanted`, in parallel, and hands over all of them in order.
    ///
    /// # Errors
    /// That of a replicate, or the journal can't be written.
    pub fn complete<E: From<FileError> + Send>(
        &mut self,
        task: &str,
        wanted: usize,
        replicate: impl Fn(u64) -> Result<R, E> + Sync,
        progress: &dyn Progress,
    ) -> Result<Vec<R>, E> {
        self.done.truncate(wanted);
        progress.start(task, wanted as u64);
        progress.advance(self.done.len() as u64);
        while self.done.len() < wanted {
            let first = self.done.len();
            let batch: Vec<Result<R, E>> = (first..wanted.min(first + BATCH))
                .into_par_iter()
                .map(|number| {
                    let measured = replicate(number as u64);
                    progress.advance(1);
                    measured
                })
                .collect();
            self.append(batch.into_iter().collect::<Result<_, _>>()?)?;
        }
        progress.finish();
        Ok(std::mem::take(&mut self.done))
    }

    fn append(&mut self, batch: Vec<R>) -> Result<(), FileError> {
        if let Some(file) = &mut self.file {
            let numbered = batch.iter().zip(self.done.len()..);
            let text: String =
                numbered.map(|(replicate, k)| json_line(&JournalLine::new(k, &self.run, replicate))).collect();
            let written = append(file, text.as_bytes()).and_then(|()| file.sync_data());
            written.map_err(FileError::at(&self.path, "writing"))?;
        }
        self.done.extend(batch);
        Ok(())
    }

    /// Removes the journal of a run that is complete.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn remove(self) -> Result<(), FileError> {
        match self.file {
            Some(_) => step().and_then(|()| fs::remove_file(&self.path)).map_err(FileError::at(&self.path, "removing")),
            None => Ok(()),
        }
    }
}

/// Reads a journal, and whether its end is damaged; an empty list without a journal, or with one of another evaluation.
fn read<R: DeserializeOwned>(path: &Path, heading: &Heading) -> Result<(Vec<R>, bool), JournalError> {
    let nothing = (vec![], false);
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => return Err(JournalError::Foreign(path.to_owned())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(nothing),
        _ => {}
    }
    let text = read::bytes(path).map_err(FileError::at(path, "reading"))?;
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let Some(first) = lines.next() else { return Ok(nothing) };
    let found: Heading = serde_json::from_slice(first).map_err(|_| JournalError::Foreign(path.to_owned()))?;
    if found != *heading {
        return Ok(nothing);
    }
    let lines: Vec<Option<JournalLine>> = lines.map(JournalLine::read).collect();
    // Behind the last whole line there is only what a crash can leave.
    let whole = lines.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let damaged = whole < lines.len();
    let done = lines.into_iter().take(whole).enumerate().map(|(k, line)| {
        let read = replicate(line, k, &heading.evaluation_of);
        read.map_err(|problem| JournalError::Edited { path: path.to_owned(), line: k + 2, problem })
    });
    Ok((done.collect::<Result<_, _>>()?, damaged))
}

/// The replicate of a line, if it is number `k` of the evaluation `run`.
fn replicate<R: DeserializeOwned>(line: Option<JournalLine>, k: usize, run: &str) -> Result<R, String> {
    let line = line.ok_or("is not what was written there (its sum is another), and whole lines follow")?;
    if line.run != run {
        return Err("belongs to another evaluation".to_owned());
    }
    if line.replicate != k {
        return Err(format!("holds replicate {} where replicate {k} belongs", line.replicate));
    }
    serde_json::from_str(line.measured.get()).map_err(|e| format!("holds no replicate: {e}"))
}

const PLAIN: &str = "what was measured is plain data with string keys";

fn json_line<T: Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string(value).expect(PLAIN);
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use judge_uncertainty_system::progress::Silent;

    use super::*;

    type Measured = BTreeMap<String, f64>;

    struct Place {
        folder: tempfile::TempDir,
    }

    impl Place {
        /// A journal of four finished replicates.
        fn new() -> Self {
            let place = Self { folder: tempfile::tempdir().unwrap() };
            let measure = |k| Ok::<_, FileError>(Measured::from([("mean".to_owned(), k as f64 / 3.0)]));
            place.open("settings").unwrap().complete("half splits", 4, measure, &Silent).unwrap();
            place
        }

        fn open(&self, settings: &str) -> Result<Journal<Measured>, JournalError> {
            Journal::open(&self.folder.path().join("run"), &settings, &BTreeMap::new())
        }

        fn path(&self) -> PathBuf {
            self.folder.path().join(".run.evaluation.jsonl")
        }

        fn lines(&self) -> Vec<String> {
            fs::read_to_string(self.path()).unwrap().lines().map(str::to_owned).collect()
        }

        /// The journal with other lines: its finished replicates and whether its end was damaged, or the refusal. A
        /// refused journal is left as it is.
        fn with(&self, lines: &[String]) -> Result<(usize, bool), String> {
            let text = lines.join("\n") + "\n";
            fs::write(self.path(), &text).unwrap();
            match self.open("settings") {
                Ok(journal) => Ok((journal.finished(), journal.damaged().is_some())),
                Err(error) => {
                    assert_eq!(fs::read_to_string(self.path()).unwrap(), text);
                    Err(error.to_string())
                }
            }
        }
    }

    #[test]
    fn a_damaged_end_is_dropped() {
        let place = Place::new();
        let whole = fs::read(place.path()).unwrap();
        let heading = 1 + whole.iter().position(|byte| *byte == b'\n').unwrap();
        for cut in heading..whole.len() {
            fs::write(place.path(), &whole[..cut]).unwrap();
            let journal = place.open("settings").unwrap();
            let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count() - 1;
            assert_eq!((journal.finished(), journal.damaged().is_some()), (lines, whole[cut - 1] != b'\n'), "{cut}");
        }
        // Blocks that were allocated and never written.
        fs::write(place.path(), [&whole[..], &[0; 512]].concat()).unwrap();
        let journal = place.open("settings").unwrap();
        assert_eq!((journal.finished(), journal.damaged()), (4, Some(&*place.path())));
        drop(journal);
        assert_eq!(fs::read(place.path()).unwrap(), whole);
    }

    #[test]
    fn lines_that_were_copied_moved_edited_or_left_out_are_refused() {
        let place = Place::new();
        let lines = place.lines();
        let mut copied = lines.clone();
        copied[3] = copied[2].clone();
        let error = place.with(&copied).unwrap_err();
        assert!(
            error.contains(".run.evaluation.jsonl, line 4: holds replicate 1 where replicate 2 belongs"),
            "{error}"
        );
        let mut missing = lines.clone();
        missing.remove(1);
        assert!(place.with(&missing).unwrap_err().contains("line 2: holds replicate 1"));
        for (from, to) in [("\"mean\":", "\"mode\":"), (":0.0}", ":0.5}"), ("\"replicate\":0", "\"replicate\":7")] {
            let mut edited = lines.clone();
            assert!(edited[1].contains(from), "{}", edited[1]);
            edited[1] = edited[1].replace(from, to);
            assert!(place.with(&edited).unwrap_err().contains("line 2: is not what was written there"));
        }
        // At the end nothing tells an edit from a crash; the replicate is run again.
        let mut last = lines.clone();
        last[4] = last[4].replace("\"mean\"", "\"mode\"");
        assert_eq!(place.with(&last), Ok((3, true)));
        assert_eq!(place.with(&lines), Ok((4, false)));
    }

    #[test]
    fn lines_of_another_evaluation_are_refused_and_its_journal_is_replaced() {
        let (place, other) = (Place::new(), Place::new());
        assert_eq!(other.open("others").unwrap().finished(), 0);
        let measure = |_| Ok::<_, FileError>(Measured::new());
        other.open("others").unwrap().complete("half splits", 2, measure, &Silent).unwrap();
        let mut lines = place.lines();
        lines[2] = other.lines()[2].clone();
        assert!(place.with(&lines).unwrap_err().contains("line 3: belongs to another evaluation"));
    }

    #[test]
    fn what_is_no_journal_is_left_alone() {
        let place = Place::new();
        assert!(place.with(&["my notes".to_owned()]).unwrap_err().contains("is not the journal of an evaluation"));
        fs::remove_file(place.path()).unwrap();
        fs::create_dir(place.path()).unwrap();
        assert!(matches!(place.open("settings"), Err(JournalError::Foreign(_))));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_journal_s_place_is_not_followed() {
        let place = Place::new();
        let target = place.folder.path().join("target");
        fs::rename(place.path(), &target).unwrap();
        let before = fs::read(&target).unwrap();
        std::os::unix::fs::symlink(&target, place.path()).unwrap();
        assert!(matches!(place.open("settings"), Err(JournalError::Foreign(_))));
        assert_eq!(fs::read(&target).unwrap(), before);
    }
}

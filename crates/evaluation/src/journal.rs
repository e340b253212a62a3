//! Finished replicates on disk, so that an interrupted evaluation goes on where it stopped.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use judge_uncertainty_data::dataset::checksum::sha256_hex;
use judge_uncertainty_data::progress::Progress;
use judge_uncertainty_output::FileError;

/// How the names of journals end.
pub const JOURNAL_SUFFIX: &str = ".evaluation.jsonl";
/// Replicates that are written to the journal together.
const BATCH: usize = 16;

/// Finished replicates, one per line under a line that says what they belong to.
#[derive(Debug)]
pub struct Journal<R> {
    path: PathBuf,
    file: Option<File>,
    done: Vec<R>,
}

impl<R> Default for Journal<R> {
    /// A journal in memory only.
    fn default() -> Self {
        Self { path: PathBuf::new(), file: None, done: vec![] }
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Heading {
    program: String,
    evaluation_of: String,
}

impl<R: Serialize + DeserializeOwned + Send> Journal<R> {
    /// Opens the journal of a run folder, beside it; what another study, other inputs or another version left there is
    /// replaced. A line that was cut off is dropped.
    ///
    /// `settings` (but for the number of replicates) and the sums of the `inputs` are all that replicates depend on.
    ///
    /// # Errors
    /// It can't be read or written.
    pub fn open(
        folder: &Path,
        settings: &impl Serialize,
        inputs: &BTreeMap<String, String>,
    ) -> Result<Self, FileError> {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let path = folder.with_file_name(format!(".{name}{JOURNAL_SUFFIX}"));
        let evaluation_of = sha256_hex(line(&(settings, inputs.values().collect::<Vec<_>>())).as_bytes());
        let heading = Heading { program: env!("CARGO_PKG_VERSION").to_owned(), evaluation_of };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let same =
            lines.next().and_then(|line| serde_json::from_str::<Heading>(line).ok()).is_some_and(|h| h == heading);
        let mut done = Vec::new();
        if same {
            done.extend(lines.map_while(|line| serde_json::from_str::<R>(line).ok()));
        }
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .open(&path)
            .map_err(FileError::at(&path, "writing"))?;
        let mut again = line(&heading);
        done.iter().for_each(|replicate| again.push_str(&line(replicate)));
        file.write_all(again.as_bytes()).map_err(FileError::at(&path, "writing"))?;
        Ok(Self { path, file: Some(file), done })
    }

    /// Replicates that need not be run again.
    pub fn finished(&self) -> usize {
        self.done.len()
    }

    /// Runs the replicates that are missing to `wanted`, in parallel, and hands over all of them in order.
    ///
    /// # Errors
    /// That of a replicate, or the journal can't be written.
    pub fn complete<E: From<FileError> + Send>(
        &mut self,
        wanted: usize,
        replicate: impl Fn(u64) -> Result<R, E> + Sync,
        progress: &dyn Progress,
    ) -> Result<Vec<R>, E> {
        self.done.truncate(wanted);
        progress.start("half splits", wanted as u64);
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
            let text: String = batch.iter().map(line).collect();
            file.write_all(text.as_bytes()).map_err(FileError::at(&self.path, "writing"))?;
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
            Some(_) => fs::remove_file(&self.path).map_err(FileError::at(&self.path, "removing")),
            None => Ok(()),
        }
    }
}

fn line<T: Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string(value).expect("what was measured is plain data with string keys");
    text.push('\n');
    text
}

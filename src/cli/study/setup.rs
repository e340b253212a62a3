//! What several commands about studies do and say.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cli::{Error, output_folder, say};
use crate::evaluation::Journal;
use crate::familiarity::embedding::Embeddings;
use crate::formats::checksum::sum_of_file;
use crate::study::{Error as StudyError, Study};
use crate::system::{Error as OutputError, FileError, OutputFile, OutputFolder, Record, read, to_json};

/// Reads a study, and says what every command has to say of it.
///
/// # Errors
/// As [`Study::load`].
pub(in crate::cli) fn load(path: &Path) -> Result<Study, Error> {
    let study = Study::load(path)?;
    study.warnings.iter().for_each(|text| say(format_args!("{text}")));
    Ok(study)
}

/// A result as JSON, with the warnings of its study where there are any.
pub(super) fn json(result: &impl Serialize, study: &Study) -> String {
    match serde_json::to_value(result) {
        Ok(Value::Object(mut fields)) if !study.warnings.is_empty() => {
            fields.entry("warnings").or_insert(json!(study.warnings));
            to_json(&fields)
        }
        _ => to_json(result),
    }
}

/// A folder that may be written, and that holds nothing unless it is to be replaced; none of the `inputs`, by their
/// paths, in any case.
pub(in crate::cli) fn vacant_folder<'i, R: Record>(
    path: &Path,
    force: bool,
    mut inputs: impl Iterator<Item = &'i String>,
) -> Result<OutputFolder<R>, Error> {
    let inside = |file: &&String| match (fs::canonicalize(file), fs::canonicalize(path)) {
        (Ok(file), Ok(folder)) => file.starts_with(folder),
        _ => false,
    };
    if let Some(file) = inputs.find(inside) {
        return Err(StudyError::InputInside { folder: path.to_owned(), file: file.into() }.into());
    }
    let folder = output_folder(path)?;
    let filled = match fs::read_dir(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        entries => entries.map_err(FileError::at(path, "listing"))?.next().is_some(),
    };
    if filled && !force {
        return Err(StudyError::Exists { folder: path.to_owned() }.into());
    }
    R::WITHIN.iter().map(|[within, record, _]| path.join(within).join(record)).try_for_each(|one| unchanged(&one))?;
    unchanged(&path.join(R::FILE))?;
    Ok(folder)
}

/// Refuses a folder with a file that somebody changed since it was written, by the sums in the folder's record.
fn unchanged(record: &Path) -> Result<(), Error> {
    #[derive(Default, Deserialize)]
    struct Sums {
        #[serde(default)]
        written: BTreeMap<String, String>,
    }
    let text = read::bytes_if_there(record).map_err(FileError::at(record, "reading"))?;
    let sums: Sums = text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    for (name, sum) in sums.written {
        let file = record.with_file_name(name);
        if file.is_file() && sum_of_file(&file).map_err(StudyError::from)? != sum {
            return Err(StudyError::Changed { file }.into());
        }
    }
    Ok(())
}

/// Notes in a `file` of a study's folder that a folder outside it was written. If it can't be noted, the folder is
/// written all the same, and a warning says what that `means`.
///
/// # Errors
/// The file is there and can't be read.
pub(super) fn note_elsewhere(study: &Path, file: &str, out: &Path, means: &str) -> Result<(), Error> {
    let study = if study == Path::new("") { Path::new(".") } else { study };
    let parent = out.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let same = |a: &Path, b: &Path| fs::canonicalize(a).ok().zip(fs::canonicalize(b).ok()).is_some_and(|(a, b)| a == b);
    if same(parent, study) {
        return Ok(());
    }
    let file = study.join(file);
    let own = fs::canonicalize(study).ok().zip(fs::canonicalize(out).ok());
    let below = own.and_then(|(study, out)| out.strip_prefix(study).ok().map(Path::to_owned));
    let full = || std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
    let line = below.unwrap_or_else(full).display().to_string();
    if let Err(error) = add_line(&file, &line)? {
        say(format_args!("{line} can't be noted in {}, so {means}: {error}", file.display()));
    }
    Ok(())
}

/// Adds a line to a file that does not have it; what went wrong where it can't be written. A link is not followed: it
/// may lead out of the study.
///
/// # Errors
/// The file is there and can't be read.
fn add_line(file: &Path, line: &str) -> Result<Result<(), OutputError>, FileError> {
    if fs::symlink_metadata(file).is_ok_and(|found| !found.is_file()) {
        let link = std::io::Error::other("it is a link or no plain file; move it away");
        return Ok(Err(FileError::at(file, "adding a line")(link).into()));
    }
    let held = match held_soon(file) {
        Ok(held) => held,
        Err(error) => return Ok(Err(error)),
    };
    let before = read::bytes_if_there(file).map_err(FileError::at(file, "reading"))?.unwrap_or_default();
    let Ok(before) = String::from_utf8(before) else {
        let foreign = std::io::Error::other("it is not text; move it away");
        return Ok(Err(FileError::at(file, "adding a line")(foreign).into()));
    };
    Ok(if before.lines().any(|known| known == line) { Ok(()) } else { held.write(|to| writeln!(to, "{before}{line}")) })
}

/// Holds a file before it is read, so that no line of another run is lost; that run needs it for an instant.
fn held_soon(file: &Path) -> Result<OutputFile, OutputError> {
    const TRIES: u32 = 50;
    for _ in 1..TRIES {
        match OutputFile::hold(file) {
            Err(OutputError::Locked { .. }) => std::thread::sleep(Duration::from_millis(100)),
            other => return other,
        }
    }
    OutputFile::hold(file)
}

/// Says what was embedded, if anything was.
pub(super) fn say_embedded(embeddings: Option<&Embeddings>) {
    if let Some(done) = embeddings {
        let texts = done.matrix.nrows();
        say(format_args!(
            "{} texts embedded, {} from the cache, {} of all cut at the model's limit",
            texts - done.from_cache,
            done.from_cache,
            done.truncated
        ));
    }
}

/// Says that an interrupted evaluation goes on, and what of it was lost.
pub(super) fn say_going_on<R: Serialize + DeserializeOwned + Send>(journal: &Journal<R>) {
    if let Some(path) = journal.damaged() {
        say(format_args!("{}: its end was damaged when a run was interrupted, and is dropped", path.display()));
    }
    let finished = journal.finished();
    if finished > 0 {
        say(format_args!("going on after {finished} finished replicates of an interrupted run"));
    }
}

//! The folder in which an output folder is made before it takes its place.
//!
//! It is next to the output folder under a name of its own, `.NAME.judge-uncertainty`, and contains
//!
//! | name | what |
//! |---|---|
//! | `files.json` | the files that the run before and this run wrote: what may be removed |
//! | `new/` | the new output; after the exchange, the old one |
//! | `old/` | the old output, only where the system knows no exchange |
//!
//! A run that stops early leaves this folder. The next run at the same place restores the old output from it if
//! necessary, and cleans up.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::place::beside;
use super::walk::Below;
use super::{Error, FileError, Staged, disk, to_json};
use crate::read;

const LIST: &str = "files.json";

/// The folder beside an output folder.
#[derive(Debug)]
pub(crate) struct Staging {
    path: PathBuf,
    /// The output folder.
    target: PathBuf,
}

impl Staging {
    /// That of an output folder, be it there or not.
    pub(crate) fn new(target: &Path) -> Self {
        Self { path: beside(target, ""), target: target.to_owned() }
    }

    fn new_output(&self) -> PathBuf {
        self.path.join("new")
    }

    fn old_output(&self) -> PathBuf {
        self.path.join("old")
    }

    /// Puts right what an interrupted run left; says what was done, if there was anything to do.
    pub(crate) fn recover(&self) -> Result<Option<String>, Error> {
        let Ok(found) = fs::symlink_metadata(&self.path) else { return Ok(None) };
        if !found.is_dir() {
            return Err(self.leftover("(it is not a folder)".to_owned()));
        }
        let files = listed(&self.path.join(LIST), "files")?;
        // Moved away and not yet replaced.
        let undone = is_there(&self.old_output()) && !is_there(&self.target);
        if undone {
            disk::rename(&self.old_output(), &self.target)?;
        }
        self.remove(&files)?;
        let done = if undone { "the output from before is back in its place" } else { "it is removed" };
        Ok(Some(format!("{}: was left by an interrupted run; {done}", self.path.display())))
    }

    /// Writes the new output and sees it to the disk; `files` are its own and those of the output that it is to replace.
    pub(crate) fn fill(&self, staged: &Staged, files: &[String]) -> Result<(), Error> {
        disk::create_folder(&self.path)?;
        let files: BTreeSet<&String> = files.iter().collect();
        let list = to_json(&serde_json::json!({ "files": files }));
        disk::write_new(&self.path.join(LIST), |file| file.write_all(list.as_bytes()))?;
        disk::sync_folder(&self.path)?;
        let new = self.new_output();
        let mut folders = BTreeSet::from([new.clone()]);
        for file in staged.names() {
            let above = Path::new(&file).ancestors().skip(1).filter(|folder| *folder != Path::new(""));
            folders.extend(above.map(|folder| new.join(folder)));
        }
        folders.iter().try_for_each(|folder| disk::create_folder(folder))?;
        for file in staged.names() {
            disk::write_new(&new.join(&file), |to| staged.write_to(&file, to))?;
        }
        folders.iter().rev().try_for_each(|folder| disk::sync_folder(folder))?;
        Ok(disk::sync_folder(&self.path)?)
    }

    /// Puts the new output in its place; the folder where the old one is now, if there was one.
    pub(crate) fn exchange(&self) -> Result<Option<PathBuf>, Error> {
        let (new, old) = (self.new_output(), self.old_output());
        let replaced = if !is_there(&self.target) {
            disk::rename(&new, &self.target)?;
            None
        } else if disk::exchange(&new, &self.target)? {
            Some(new)
        } else {
            disk::rename(&self.target, &old)?;
            if let Err(e) = disk::rename(&new, &self.target) {
                disk::rename(&old, &self.target)?;
                return Err(e.into());
            }
            Some(old)
        };
        Ok(replaced)
    }

    /// Takes the new output from its place, and puts the old one back, which is at `replaced` if there was one.
    pub(crate) fn undo(&self, replaced: Option<&Path>) -> Result<(), Error> {
        let new = self.new_output();
        match replaced {
            Some(old) if old == new => drop(disk::exchange(old, &self.target)?),
            Some(old) => {
                disk::rename(&self.target, &new)?;
                disk::rename(old, &self.target)?;
            }
            None => disk::rename(&self.target, &new)?,
        }
        Ok(())
    }

    /// Removes the folder with those of the `files` that it holds, if it holds no others.
    pub(crate) fn clean(&self, files: &[String]) -> Result<(), Error> {
        if is_there(&self.path) { self.remove(files) } else { Ok(()) }
    }

    fn remove(&self, files: &[String]) -> Result<(), Error> {
        let below = Below::try_new(&self.path)?;
        let within = |folder: &str| files.iter().map(|file| format!("{folder}/{file}")).collect::<Vec<_>>();
        let mut ours = [within("new"), within("old")].concat();
        ours.push(LIST.to_owned());
        let found = Below {
            folders: below.folders.iter().filter(|f| !["new", "old"].contains(&f.as_str())).cloned().collect(),
            ..below
        };
        if let Some(file) = found.foreign(&ours) {
            return Err(self.leftover(file));
        }
        // The list goes last: until then, what is left can be told from files of others.
        for file in found.files.iter().filter(|file| *file != LIST) {
            disk::remove_file(&self.path.join(file))?;
        }
        for folder in below.folders.iter().rev() {
            disk::remove_folder(&self.path.join(folder))?;
        }
        if is_there(&self.path.join(LIST)) {
            disk::remove_file(&self.path.join(LIST))?;
        }
        Ok(disk::remove_folder(&self.path)?)
    }

    fn leftover(&self, file: String) -> Error {
        Error::Leftover { folder: self.path.clone(), file }
    }
}

/// Whether anything is at a path, a link that leads nowhere included.
pub(crate) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// The list of files in a JSON file that has the given key, too; empty for any other file.
///
/// Only that is read, so that a newer program may replace an older one's output.
pub(crate) fn listed(path: &Path, key: &str) -> Result<Vec<String>, FileError> {
    // A link is nobody's list.
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        return Ok(vec![]);
    }
    let text = read::bytes(path).map_err(FileError::at(path, "reading"))?;
    let record: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    let files = record.get(key).and_then(|_| record.get("files")).cloned().unwrap_or_default();
    Ok(serde_json::from_value(files).unwrap_or_default())
}

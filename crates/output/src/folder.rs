//! Writing a folder: all or nothing, and never over somebody else's files.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Error, FileError, Staged};

/// An output folder that may be written: absent, empty, or wholly written by this program.
#[derive(Debug, Clone)]
pub struct OutputFolder {
    path: PathBuf,
}

impl OutputFolder {
    /// Checks a folder before any work is done; changes nothing.
    ///
    /// `records` are the names that the folder's [record](super::Record) may have; the first that is there counts.
    ///
    /// # Errors
    /// The path is a file, a parent is missing or not writable, or the folder holds a file that its record does
    /// not list.
    pub fn check(path: &Path, records: &[&str]) -> Result<Self, Error> {
        if path.is_file() {
            return Err(Error::NotAFolder(path.to_owned()));
        }
        let folder = Self { path: path.to_owned() };
        if path.is_dir() {
            let present = files_below(path)?;
            let ours = if present.is_empty() { vec![] } else { listed_files(path, records) };
            if let Some(file) = present.into_iter().find(|f| !ours.contains(f)) {
                return Err(Error::Foreign { folder: path.to_owned(), file });
            }
        }
        // A trial of what the commit will do, so that a full run is not lost to a missing permission.
        drop(folder.staging()?);
        Ok(folder)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn parent(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        }
    }

    fn staging(&self) -> Result<tempfile::TempDir, Error> {
        tempfile::Builder::new()
            .prefix(".judge-uncertainty-")
            .tempdir_in(self.parent())
            .map_err(|source| Error::NotWritable { folder: self.parent().to_owned(), source })
    }

    /// Replaces the folder by the staged files in one step; on any error the previous folder is left whole.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn commit(&self, staged: &Staged) -> Result<(), Error> {
        let staging = self.staging()?;
        let (new, old) = (staging.path().join("new"), staging.path().join("old"));
        for (file, text) in staged.iter() {
            let path = new.join(file);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(FileError::at(folder, "creating"))?;
            }
            fs::write(&path, text).map_err(FileError::at(&path, "writing"))?;
        }
        let replaced = self.path.is_dir();
        if replaced {
            fs::rename(&self.path, &old).map_err(FileError::at(&self.path, "replacing"))?;
        }
        if let Err(e) = fs::rename(&new, &self.path) {
            if replaced {
                fs::rename(&old, &self.path).map_err(FileError::at(&self.path, "restoring"))?;
            }
            return Err(FileError::at(&self.path, "writing")(e).into());
        }
        Ok(())
    }
}

/// Writes a file beside its place, with the extension `new`, and moves it there.
///
/// # Errors
/// The file system refuses; what stood there before is whole.
pub fn write_file(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let new = path.with_extension("new");
    fs::write(&new, content).map_err(FileError::at(&new, "writing"))?;
    fs::rename(&new, path).map_err(FileError::at(path, "replacing"))
}

/// Files that the record of a folder lists; none if it has no readable record.
///
/// Only the list is read, so that a newer program may replace an older one's output.
fn listed_files(folder: &Path, records: &[&str]) -> Vec<String> {
    #[derive(Deserialize)]
    struct Listing {
        files: Vec<String>,
    }
    let listing = |file: &&str| {
        let text = fs::read(folder.join(file)).unwrap_or_default();
        serde_json::from_slice::<Listing>(&text).ok()
    };
    records.iter().find_map(listing).map(|listing| listing.files).unwrap_or_default()
}

/// Files below a folder, as relative paths with forward slashes, in order.
fn files_below(folder: &Path) -> Result<Vec<String>, FileError> {
    let (mut files, mut open) = (vec![], vec![PathBuf::new()]);
    while let Some(relative) = open.pop() {
        let here = folder.join(&relative);
        for entry in fs::read_dir(&here).map_err(FileError::at(&here, "listing"))? {
            let entry = entry.map_err(FileError::at(&here, "listing"))?;
            let path = relative.join(entry.file_name());
            if entry.path().is_dir() {
                open.push(path);
            } else {
                let parts: Vec<_> = path.iter().map(|p| p.to_string_lossy().into_owned()).collect();
                files.push(parts.join("/"));
            }
        }
    }
    files.sort();
    Ok(files)
}

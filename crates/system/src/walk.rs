//! What a folder holds, links not followed.

use std::fs;
use std::path::{Path, PathBuf};

use super::FileError;

/// Files and folders below a folder, by paths relative to it; a link counts as a file.
#[derive(Debug, Default)]
pub struct Below {
    /// Files with forward slashes, in order.
    pub files: Vec<String>,
    /// Folders with forward slashes, each before those in it.
    pub folders: Vec<String>,
}

impl Below {
    /// Walks a folder.
    ///
    /// # Errors
    /// A folder that can't be listed.
    pub fn try_new(folder: &Path) -> Result<Self, FileError> {
        let (mut below, mut open) = (Self::default(), vec![PathBuf::new()]);
        while let Some(relative) = open.pop() {
            let here = folder.join(&relative);
            for entry in fs::read_dir(&here).map_err(FileError::at(&here, "listing"))? {
                let entry = entry.map_err(FileError::at(&here, "listing"))?;
                let path = relative.join(entry.file_name());
                let is_folder = entry.file_type().map_err(FileError::at(&here, "listing"))?.is_dir();
                let parts: Vec<_> = path.iter().map(|p| p.to_string_lossy().into_owned()).collect();
                if is_folder {
                    below.folders.push(parts.join("/"));
                    open.push(path);
                } else {
                    below.files.push(parts.join("/"));
                }
            }
        }
        below.files.sort();
        below.folders.sort();
        Ok(below)
    }

    /// The first file or folder that the list of `files` neither names nor needs.
    pub fn foreign(&self, files: &[String]) -> Option<String> {
        let needed = |folder: &String| files.iter().any(|file| file.starts_with(&format!("{folder}/")));
        let file = self.files.iter().find(|file| !files.contains(file)).cloned();
        file.or_else(|| self.folders.iter().find(|folder| !needed(folder)).map(|folder| format!("{folder}/")))
    }
}

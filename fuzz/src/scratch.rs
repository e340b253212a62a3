//! A folder for the files of one input.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder that is removed with all that is in it.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("there is a place for temporary files"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file.
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).expect("a temporary file can be written");
        path
    }
}

/// A choice among `n`, and what follows it: the first byte chooses.
pub(crate) fn choice(data: &[u8], n: usize) -> (usize, &[u8]) {
    match data.split_first() {
        Some((first, rest)) => (usize::from(*first) % n, rest),
        None => (0, data),
    }
}

//! Files that one process at a time may have open.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::ops::{Deref, DerefMut};
use std::path::Path;

use crate::faults::{read_step, step};

/// A file opened for reading and appending under an exclusive advisory lock, as append-only caches need it.
///
/// The system drops the lock when the process ends, however it ends.
#[derive(Debug)]
pub struct LockedFile(File);

impl LockedFile {
    /// All that the file holds from where it was read to.
    ///
    /// # Errors
    /// It can't be read.
    pub fn read_all(&mut self) -> io::Result<Vec<u8>> {
        read_step()?;
        let mut bytes = vec![];
        self.0.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Opens or makes the file and locks it; `None` if another process, or another place of this one, has it locked.
    ///
    /// # Errors
    /// The file can't be opened or is a link, or its file system knows no locks.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        // Through a link a file of somebody else would be written.
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other("it is a link or no plain file, and is not followed; move it away"));
        }
        step()?;
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(e),
        }
    }
}

impl Drop for LockedFile {
    /// Closing alone would not do: a process that another thread is just starting holds a copy of every open file until
    /// its program runs, and a lock lives as long as its last copy.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (link, target) = (dir.path().join("cache"), dir.path().join("mine.txt"));
        fs::write(&target, "").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let error = LockedFile::open(&link).unwrap_err().to_string();
        assert!(error.contains("is a link") && error.contains("move it away"), "{error}");
    }

    #[test]
    fn the_lock_ends_with_its_owner_even_if_a_copy_of_the_file_lives_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cache");
        let first = LockedFile::open(&path).unwrap().unwrap();
        assert!(LockedFile::open(&path).unwrap().is_none());
        let copy = first.try_clone().unwrap();
        drop(first);
        assert!(LockedFile::open(&path).unwrap().is_some());
        drop(copy);
    }
}

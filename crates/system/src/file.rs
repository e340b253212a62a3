//! Writing a file: all or nothing, and by one process at a time.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::lock::Lock;
use super::place::{beside, folder_of};
use super::staging::is_there;
use super::{Error, FileError, disk};

/// A file that is written under another name beside its place and then moved there. No other process may write to it as
/// long as this lives.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    _lock: Lock,
}

impl OutputFile {
    /// Holds the place of a file; that to which a link there leads.
    ///
    /// # Errors
    /// Another process writes to it, or the folder above can't be written.
    pub fn hold(path: &Path) -> Result<Self, Error> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let lock = Lock::take(&path).map_err(|error| match error {
            Error::NotWritable { source, .. } => FileError::at(&path, "writing")(source).into(),
            other => other,
        })?;
        Ok(Self { path, _lock: lock })
    }

    /// Writes the file and sees it to the disk.
    ///
    /// # Errors
    /// The file system refuses; what stood there before is whole.
    pub fn write(&self, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Error> {
        let new = beside(&self.path, "");
        // Left by a run that was interrupted.
        if is_there(&new) {
            disk::remove_file(&new)?;
        }
        let written = disk::write_new(&new, fill).and_then(|()| disk::rename(&new, &self.path));
        if let Err(e) = written {
            let _ = disk::remove_file(&new);
            return Err(e.into());
        }
        Ok(disk::sync_folder(folder_of(&self.path))?)
    }
}

/// Writes a file under another name beside its place, sees it to the disk and moves it there.
///
/// # Errors
/// The file system refuses, or another process writes the same file; what stood there before is whole.
pub fn write_file(path: &Path, content: &[u8]) -> Result<(), Error> {
    OutputFile::hold(path)?.write(|file| file.write_all(content))
}

/// Writes a file as [`write_file`] does, if nothing is at its place; whether that was so. Under its final name the file
/// is never to be seen in part.
///
/// # Errors
/// As [`write_file`].
pub fn write_new_file(path: &Path, content: &[u8]) -> Result<bool, Error> {
    let file = OutputFile::hold(path)?;
    if is_there(path) {
        return Ok(false);
    }
    file.write(|file| file.write_all(content)).map(|()| true)
}

/// Makes a folder, unless one is there; the folder above it has to be there.
///
/// # Errors
/// The file system refuses.
pub fn ensure_folder(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    match disk::create_folder(path) {
        // Another process was faster.
        Err(_) if path.is_dir() => Ok(()),
        made => Ok(made.and_then(|()| disk::sync_folder(folder_of(path)))?),
    }
}

/// Gives a file another name, if nothing has that name; whether that was so.
///
/// # Errors
/// The file system refuses, or another process writes to that place.
pub fn move_new_file(from: &Path, to: &Path) -> Result<bool, Error> {
    let _held = OutputFile::hold(to)?;
    if is_there(to) {
        return Ok(false);
    }
    disk::rename(from, to)?;
    disk::sync_folder(folder_of(to))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{faults::Fault, faults_in_tests as faults};

    #[test]
    fn a_write_that_fails_is_a_failure_and_no_refusal() {
        let beside = tempfile::tempdir().unwrap();
        let missing = beside.path().join("none/registration.toml");
        assert!(write_new_file(&missing, b"whole").unwrap_err().is_failure());
        let (full, _) = faults::at(1, Fault::Full, || write_new_file(&beside.path().join("file"), b"whole"));
        assert!(full.unwrap_err().is_failure());
        let full = |source| Error::NotWritable { folder: beside.path().to_owned(), source };
        assert!(full(io::ErrorKind::StorageFull.into()).is_failure());
        assert!(!full(io::ErrorKind::PermissionDenied.into()).is_failure());
    }

    #[test]
    fn a_fault_at_any_operation_leaves_no_part_of_a_new_file() {
        for fault in [Fault::Full, Fault::Kill] {
            for n in 0.. {
                let beside = tempfile::tempdir().unwrap();
                let path = beside.path().join("registration.toml");
                let (result, reached) = faults::at(n, fault, || write_new_file(&path, b"whole"));
                let found = fs::read(&path).ok();
                assert!(found.is_none() || found.as_deref() == Some(b"whole"), "{fault:?} at {n}: {result:?}");
                assert_eq!(write_new_file(&path, b"whole").unwrap(), found.is_none(), "{fault:?} at {n}");
                assert_eq!(fs::read(&path).unwrap(), b"whole");
                assert!(!write_new_file(&path, b"other").unwrap());
                assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 1, "{fault:?} at {n}");
                if !reached {
                    break;
                }
            }
        }
    }

    #[test]
    fn a_fault_at_any_operation_leaves_the_old_or_the_new_file() {
        for fault in [Fault::Full, Fault::Kill] {
            for n in 0.. {
                let beside = tempfile::tempdir().unwrap();
                let path = beside.path().join("summary.json");
                write_file(&path, b"old").unwrap();
                let (result, reached) = faults::at(n, fault, || write_file(&path, b"new"));
                let found = fs::read(&path).unwrap();
                assert!(found == b"old" || found == b"new", "{fault:?} at {n}: {result:?}");
                assert!(result.is_err() || found == b"new", "{fault:?} at {n}: {result:?}");
                write_file(&path, b"newer").unwrap();
                assert_eq!(fs::read(&path).unwrap(), b"newer");
                assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 1, "{fault:?} at {n}");
                if !reached {
                    break;
                }
            }
        }
    }
}

//! One writer at a time for each place.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::place::{beside, folder_of};
use super::staging::Staging;
use super::{Error, disk};

/// The right to write to a place, held until it is dropped; the system takes it back when the process ends, however it
/// ends.
///
/// It is an advisory lock on a file beside the place, which says who holds it and is removed at the end.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Takes the right to write to `place`.
    pub(crate) fn take(place: &Path) -> Result<Self, Error> {
        let path = beside(place, ".lock");
        let refused = |source| Error::NotWritable { folder: folder_of(&path).to_owned(), source };
        loop {
            let file = open(&path).map_err(refused)?;
            match file.try_lock() {
                Ok(()) => {}
                // A file system without locks: as good as it can be there.
                Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(e)) => return Err(refused(e)),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Locked { place: place.to_owned(), holder: holder(file), lock: path });
                }
            }
            // Whoever held it may have removed the file after it was opened here.
            if is_at(&file, &path) {
                let mut lock = Self { path, file };
                let written = lock.file.set_len(0).and_then(|()| writeln!(lock.file, "{}", this_process()));
                written.map_err(|source| Error::NotWritable { folder: folder_of(&lock.path).to_owned(), source })?;
                sweep(folder_of(&lock.path), &lock.path);
                return Ok(lock);
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = disk::remove_file(&self.path);
        // Closing alone would not do: a process that another thread is just starting holds a copy of the file.
        let _ = self.file.unlock();
    }
}

/// Removes what killed processes left in a folder: their locks, and the files and folders that they were writing there.
/// What can't be removed now is removed by the next process that writes to the folder.
fn sweep(folder: &Path, own: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let places = names.filter_map(|name| {
        let name = name.strip_prefix('.')?;
        let place = name.strip_suffix(".judge-uncertainty.lock").or_else(|| name.strip_suffix(".judge-uncertainty"))?;
        Some(folder.join(place))
    });
    for place in places.collect::<BTreeSet<_>>() {
        let (path, begun) = (beside(&place, ".lock"), beside(&place, ""));
        let is_folder = fs::symlink_metadata(&begun).is_ok_and(|found| found.is_dir());
        if path == own || !is_folder && !path.exists() {
            continue;
        }
        let Ok(file) = open(&path) else { continue };
        if file.try_lock().is_ok() && is_at(&file, &path) {
            let lock = Lock { path, file };
            if is_folder {
                let _ = Staging::new(&place).recover();
            } else if fs::symlink_metadata(&begun).is_ok_and(|found| found.is_file()) {
                let _ = disk::remove_file(&begun);
            }
            drop(lock);
        }
    }
}

/// Opens or makes the file of a lock; a link there is not followed.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("the place of its lock is not a file")) }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn holder(mut file: File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(200).read_to_string(&mut text));
    let text: String = text.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
    if read.is_err() || text.is_empty() { "another process".to_owned() } else { text }
}

/// This process in words: the command, without its options, and its number.
fn this_process() -> String {
    let command: Vec<String> = std::env::args().skip(1).take(2).take_while(|word| !word.starts_with('-')).collect();
    let command: Vec<&str> = command.iter().map(String::as_str).filter(|word| !word.contains(['/', '.'])).collect();
    format!("judge-uncertainty {} (process {})", command.join(" "), std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_refused_and_told_who_holds_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("run");
        let first = Lock::take(&place).unwrap();
        let refused = Lock::take(&place).unwrap_err().to_string();
        assert!(refused.contains(&format!("(process {})", std::process::id())), "{refused}");
        assert!(!Error::is_failure(&Lock::take(&place).unwrap_err()));
        Lock::take(&folder.path().join("other")).unwrap();
        drop(first);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // What a killed process leaves.
        fs::write(beside(&place, ".lock"), "judge-uncertainty study run (process 1)\n").unwrap();
        Lock::take(&place).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_lock_s_place_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (place, target) = (folder.path().join("run"), folder.path().join("mine.txt"));
        fs::write(&target, "mine").unwrap();
        std::os::unix::fs::symlink(&target, beside(&place, ".lock")).unwrap();
        assert!(Lock::take(&place).is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    }
}

//! The operations that change the disk, one by one, so that tests can let any of them fail.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::FileError;

/// Makes a folder; its parent has to be there.
pub(crate) fn create_folder(path: &Path) -> Result<(), FileError> {
    step().and_then(|()| fs::create_dir(path)).map_err(FileError::at(path, "creating"))
}

/// Writes a file that is not there yet and sees it to the disk. Faults come when the file is made, and before its last
/// bytes are written.
pub(crate) fn write_new(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), FileError> {
    let write = || {
        step()?;
        let mut file = BufWriter::new(File::create_new(path)?);
        fill(&mut file)?;
        if let Err(fault) = step() {
            // What was buffered is lost.
            drop(file.into_parts());
            return Err(fault);
        }
        file.flush()?;
        sync(file.get_ref())
    };
    write().map_err(FileError::at(path, "writing"))
}

/// Gives a file or folder another name.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    step().and_then(|()| fs::rename(from, to)).map_err(FileError::at(to, "replacing"))
}

/// Exchanges two folders in one step; whether the system can.
pub(crate) fn exchange(one: &Path, other: &Path) -> Result<bool, FileError> {
    match step().and_then(|()| exchange_by_system(one, other)) {
        Ok(()) => Ok(true),
        Err(e) if matches!(e.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => Ok(false),
        Err(e) => Err(FileError::at(other, "replacing")(e)),
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange_by_system(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    #[cfg(test)]
    if faults::WITHOUT_EXCHANGE.get() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange_by_system(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Removes a file, or a link but not what it leads to.
pub(crate) fn remove_file(path: &Path) -> Result<(), FileError> {
    step().and_then(|()| fs::remove_file(path)).map_err(FileError::at(path, "removing"))
}

/// Removes an empty folder.
pub(crate) fn remove_folder(path: &Path) -> Result<(), FileError> {
    step().and_then(|()| fs::remove_dir(path)).map_err(FileError::at(path, "removing"))
}

/// Sees the names in a folder to the disk, where the system can.
pub(crate) fn sync_folder(path: &Path) -> Result<(), FileError> {
    let sync = || {
        step()?;
        if cfg!(unix) { sync(&File::open(path)?) } else { Ok(()) }
    };
    sync().map_err(FileError::at(path, "syncing"))
}

/// Tests try some thousand faults; what they look at is the same without waiting for the disk.
fn sync(file: &File) -> io::Result<()> {
    if cfg!(test) { Ok(()) } else { file.sync_all() }
}

#[cfg(not(test))]
fn step() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
fn step() -> io::Result<()> {
    faults::step()
}

/// Failures on request.
#[cfg(test)]
pub(crate) mod faults {
    use std::cell::Cell;
    use std::io;

    /// What happens at the operation that is chosen.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(crate) enum Fault {
        /// It alone fails, as on a full disk.
        Once,
        /// It and all that follow fail, as if the process were killed.
        Killed,
    }

    thread_local! {
        static PLANNED: Cell<Option<(usize, Fault)>> = const { Cell::new(None) };
        /// Whether the system knows no exchange.
        pub(crate) static WITHOUT_EXCHANGE: Cell<bool> = const { Cell::new(false) };
    }

    /// Does some work with a fault at its `n`-th operation, from 0; whether the operation was reached.
    pub(crate) fn at<T>(n: usize, fault: Fault, work: impl FnOnce() -> T) -> (T, bool) {
        PLANNED.set(Some((n, fault)));
        let result = work();
        let reached = PLANNED.replace(None).is_none_or(|(left, _)| left == 0);
        (result, reached)
    }

    pub(super) fn step() -> io::Result<()> {
        match PLANNED.get() {
            None => return Ok(()),
            Some((0, Fault::Once)) => PLANNED.set(None),
            Some((0, Fault::Killed)) => {}
            Some((n, fault)) => {
                PLANNED.set(Some((n - 1, fault)));
                return Ok(());
            }
        }
        Err(io::ErrorKind::StorageFull.into())
    }
}

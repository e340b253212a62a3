//! The operations that change the disk, one by one, so that tests can let any of them fail.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::FileError;
use super::faults::step;

/// Makes a folder; its parent has to be there.
pub(crate) fn create_folder(path: &Path) -> Result<(), FileError> {
    step().and_then(|()| fs::create_dir(path)).map_err(FileError::at(path, "creating"))
}

/// Writes a new file and sees it to the disk; faults come when it is made, and before its last bytes are written.
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
    if super::faults_in_tests::WITHOUT_EXCHANGE.get() {
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

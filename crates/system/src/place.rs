//! Whether a folder can stand at a place and be replaced there, found before any work is done, and the names of what is
//! written beside it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::Error;

/// The path of a file or folder of this program's own beside a place: `.NAME.judge-uncertainty` and a suffix.
pub(crate) fn beside(place: &Path, suffix: &str) -> PathBuf {
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    place.with_file_name(format!(".{name}.judge-uncertainty{suffix}"))
}

/// The folder that a file or folder is in, as far as its path says.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// The place of an output folder without links in it, so that what is replaced is the folder and not a link to it.
pub(crate) fn resolve(given: &Path) -> Result<PathBuf, Error> {
    let unusable = |problem| Error::Unusable { folder: given.to_owned(), problem };
    match fs::symlink_metadata(given) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return absent(given),
        Err(source) => return Err(Error::NotWritable { folder: given.to_owned(), source }),
        Ok(_) => {}
    }
    let path = match fs::canonicalize(given) {
        Ok(path) => path,
        Err(_) => return Err(unusable("is a link that leads nowhere")),
    };
    if !path.is_dir() {
        return Err(Error::NotAFolder(given.to_owned()));
    }
    let here = std::env::current_dir().and_then(fs::canonicalize);
    if here.is_ok_and(|here| here.starts_with(&path)) {
        return Err(unusable("is the folder that the command runs in, or one above it, and so can't be replaced"));
    }
    if is_mounted(&path) {
        return Err(unusable("is where a file system is mounted, and so can't be replaced"));
    }
    Ok(path)
}

fn absent(given: &Path) -> Result<PathBuf, Error> {
    let unusable = Error::Unusable { folder: given.to_owned(), problem: "names no folder" };
    let name = given.file_name().ok_or(unusable)?;
    let parent = folder_of(given);
    let refused = |source| Error::NotWritable { folder: parent.to_owned(), source };
    Ok(fs::canonicalize(parent).map_err(refused)?.join(name))
}

/// Whether the folder and those in it, as listed, may be changed.
pub(crate) fn check_writable<'p>(folders: impl Iterator<Item = &'p Path>) -> Result<(), Error> {
    for folder in folders {
        let refused = |source| Error::NotWritable { folder: folder.to_owned(), source };
        let metadata = fs::symlink_metadata(folder).map_err(refused)?;
        // Write-protected by its owner, even where this user may do everything.
        if metadata.permissions().readonly() {
            return Err(refused(io::ErrorKind::PermissionDenied.into()));
        }
        may_write(folder).map_err(refused)?;
    }
    Ok(())
}

#[cfg(unix)]
fn may_write(folder: &Path) -> io::Result<()> {
    use rustix::fs::{Access, access};
    Ok(access(folder, Access::WRITE_OK | Access::EXEC_OK)?)
}

#[cfg(not(unix))]
fn may_write(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
fn is_mounted(folder: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
    let attributes = statx(CWD, folder, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS);
    let root = attributes.is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT));
    root || is_another_device(folder)
}

#[cfg(not(target_os = "linux"))]
fn is_mounted(folder: &Path) -> bool {
    is_another_device(folder)
}

#[cfg(unix)]
fn is_another_device(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    folder.parent().is_none_or(|parent| device(parent) != device(folder))
}

#[cfg(not(unix))]
fn is_another_device(folder: &Path) -> bool {
    folder.parent().is_none()
}

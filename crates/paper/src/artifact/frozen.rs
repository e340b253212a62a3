//! Results in an artifact folder whose code no longer exists, checked by checksums that are built into the program.

use std::path::Path;

use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::{FileError, Staged, read};

use super::Error;

/// One line for each file: its SHA-256 and its path within an artifact folder, as `sha256sum` writes them.
const SUMS: &str = include_str!("../../../../data/paper/frozen.SHA256SUMS");

/// The frozen files, with their sums.
pub(super) fn sums() -> impl Iterator<Item = (&'static str, &'static str)> {
    SUMS.lines().filter_map(|line| line.split_once("  ")).map(|(sum, file)| (file, sum))
}

/// The frozen files that a folder holds; a folder may hold none.
///
/// # Errors
/// One that is not the frozen one, or that can't be read; one that is missing where others are there.
pub fn frozen(folder: &Path) -> Result<Staged, Error> {
    let (mut staged, mut missing) = (Staged::default(), vec![]);
    for (file, sum) in sums() {
        let path = folder.join(file);
        if !path.is_file() {
            missing.push(path);
            continue;
        }
        let content = read::bytes(&path).map_err(FileError::at(&path, "reading"))?;
        if sha256_hex(&content) != sum {
            return Err(Error::Frozen { path, problem: "is not the frozen file" });
        }
        staged.put(file, content);
    }
    match missing.into_iter().next() {
        Some(path) if !staged.names().is_empty() => Err(Error::Frozen { path, problem: "is missing" }),
        _ => Ok(staged),
    }
}

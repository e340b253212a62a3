//! The results that this version computes from the paper's data, and that data, by sums that are built into the program.
//!
//! A checksum in an artifact's own manifest reveals an accident, but not an edit, because whoever edits results can
//! also write the new checksum there. These checksums reveal an edit.

use std::path::Path;

use super::{Error, Experiment, Manifest, Provenance, results_file};
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::{FileError, Staged, read};

/// One line for each file, as `sha256sum` writes them in the root of the repository.
const SUMS: &str = include_str!("../../../../data/paper/published.SHA256SUMS");

/// The files of such a list, with their sums.
fn listed(sums: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    sums.lines().filter_map(|line| line.split_once("  ")).map(|(sum, file)| (file, sum))
}

/// The checksum of a file of the repository; `None` for any other file.
fn built_in(file: &str) -> Option<&'static str> {
    listed(SUMS).find(|(name, _)| *name == file).map(|(_, sum)| sum)
}

impl Provenance {
    /// Input files that are not the paper's data though they have the name of a part of it.
    pub fn foreign_inputs(&self) -> impl Iterator<Item = &str> {
        let differs = |(file, sum): &(&String, &String)| {
            built_in(&format!("data/{file}")).is_some_and(|known| known != sum.as_str())
        };
        self.inputs.iter().filter(differs).map(|(file, _)| file.as_str())
    }

    /// Whether the paper's claims may be judged by these results: sizes, settings, predictions and data are the
    /// paper's.
    pub fn is_papers(&self) -> bool {
        self.published_size && self.foreign_inputs().next().is_none()
    }
}

impl Manifest {
    /// Holds results of the paper's size and data against the sums that are built into the program.
    ///
    /// # Errors
    /// Results that are others.
    pub fn check_published(&self, folder: &Path) -> Result<(), Error> {
        let other = |(experiment, facts): (&Experiment, &Provenance)| {
            let file = results_file(*experiment);
            let known = built_in(&format!("artifact/{file}"));
            (facts.is_papers() && known != Some(facts.results_sha256.as_str())).then_some(file)
        };
        let files: Vec<String> = self.deterministic.iter().filter_map(other).collect();
        if files.is_empty() { Ok(()) } else { Err(Error::NotPublished { folder: folder.to_owned(), files }) }
    }
}

// Results in an artifact folder whose code no longer exists, checked by checksums that are built into the program.

/// One line for each file: its SHA-256 and its path within an artifact folder, as `sha256sum` writes them.
const FROZEN: &str = include_str!("../../../../data/paper/frozen.SHA256SUMS");

/// The frozen files, with their sums.
pub(super) fn sums() -> impl Iterator<Item = (&'static str, &'static str)> {
    listed(FROZEN)
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use judge_uncertainty_formats::checksum::sha256_hex;

    use super::*;

    #[test]
    fn the_built_in_sums_are_those_of_the_repository() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert!(SUMS.lines().count() >= 10);
        for (sum, file) in SUMS.lines().filter_map(|line| line.split_once("  ")) {
            assert_eq!(sha256_hex(&std::fs::read(root.join(file)).unwrap()), sum, "{file}");
        }
        for experiment in Experiment::ALL {
            assert!(built_in(&format!("artifact/{}", results_file(experiment))).is_some(), "{experiment}");
        }
    }
}

//! The hash tree over an artifact folder, and whether its files are what its results give.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::{Error, Manifest, read};
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::{MANIFEST, Record, Staged, to_json};

/// SHA-256 of files, by path.
pub type Sums = BTreeMap<String, String>;

impl Manifest {
    /// Adds the manifest to staged files, with the sum of each of them and the root over all sums.
    pub fn seal(&mut self, staged: &mut Staged) {
        self.sums = sums(staged);
        let names = self.sums.keys().cloned().chain([MANIFEST.to_owned()]);
        self.set_files(names.collect::<std::collections::BTreeSet<_>>().into_iter().collect());
        self.root = self.root_of();
        self.whole = self.whole_of();
        staged.seal(self);
    }

    /// The root: SHA-256 over the sums of all files and over what the results come from. Equal runs have equal roots.
    fn root_of(&self) -> String {
        sha256_hex(to_json(&json!({"deterministic": self.deterministic, "sums": self.sums})).as_bytes())
    }

    /// SHA-256 over the root and what differs from run to run.
    fn whole_of(&self) -> String {
        sha256_hex(
            to_json(&json!({"root": self.root, "run": self.run, "schema": self.schema, "files": self.files}))
                .as_bytes(),
        )
    }

    /// Holds the manifest against its own sums, and every file of the folder against its sum.
    ///
    /// # Errors
    /// What was edited, by name.
    pub fn check_sums(&self, folder: &Path) -> Result<(), Error> {
        let mut edited = vec![];
        if self.root != self.root_of() || self.whole != self.whole_of() {
            edited.push(MANIFEST.to_owned());
        }
        for (file, sum) in &self.sums {
            if sha256_hex(&read(&folder.join(file))?) != *sum {
                edited.push(file.clone());
            }
        }
        told(folder, edited)
    }
}

fn sums(staged: &Staged) -> Sums {
    let sum = |(file, content): (&String, &Vec<u8>)| (file.clone(), sha256_hex(content));
    staged.iter().filter(|(file, _)| *file != MANIFEST).map(sum).collect()
}

/// Holds the files of a folder against those that its results give.
///
/// # Errors
/// Files that are other ones, missing ones, and ones that no run writes.
pub fn hold(folder: &Path, manifest: &Manifest, made: &Staged) -> Result<(), Error> {
    let made = sums(made);
    let names = made.keys().chain(manifest.sums.keys().filter(|file| !made.contains_key(*file)));
    told(folder, names.filter(|file| made.get(*file) != manifest.sums.get(*file)).cloned().collect())
}

fn told(folder: &Path, files: Vec<String>) -> Result<(), Error> {
    if files.is_empty() { Ok(()) } else { Err(Error::Edited { folder: folder.to_owned(), files }) }
}

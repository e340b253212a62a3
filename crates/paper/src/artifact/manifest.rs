//! What a reader needs to trust results: versions, inputs, sizes and seeds, apart from them the run itself, the hash
//! tree over an artifact folder, and whether its files are what its results give.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Error, Experiment, MANIFEST_SCHEMA, read};
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::walk::Below;
use judge_uncertainty_system::{MANIFEST, Record, Run, Staged, to_json};

/// SHA-256 of files, by path.
pub type Sums = BTreeMap<String, String>;

/// The manifest of an artifact folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the results' layout.
    pub schema: u32,
    /// Same inputs and same version give this part again, to the byte.
    pub deterministic: BTreeMap<Experiment, Provenance>,
    /// Differs from run to run.
    pub run: BTreeMap<Experiment, Run>,
    /// Every file of the folder, so that files of others are noticed.
    pub files: Vec<String>,
    /// SHA-256 of each of them but this one and the frozen ones.
    pub sums: Sums,
    /// SHA-256 over the sums and the deterministic part: equal runs have equal roots.
    pub root: String,
    /// SHA-256 over the root and all the rest of this file.
    pub whole: String,
}

/// Where the results of an experiment come from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of this program.
    pub program: String,
    /// SHA-256 of each input file, by path.
    pub inputs: Sums,
    /// Replicates or seeds per part.
    pub replicates: BTreeMap<String, usize>,
    /// First and last seed of each random stream, in words.
    pub seeds: BTreeMap<String, String>,
    /// Other facts: where embeddings come from, which neighbours.
    pub settings: BTreeMap<String, String>,
    /// Whether sizes, settings and predictions are those of the paper, so that its claims may be judged.
    pub published_size: bool,
    /// SHA-256 of the results file.
    pub results_sha256: String,
}

/// What is read first of a manifest or a results file.
#[derive(Deserialize)]
pub(super) struct Head {
    pub(super) schema: u32,
}

impl Record for Manifest {
    const FILE: &'static str = MANIFEST;
    const KEY: &'static str = "deterministic";

    fn set_files(&mut self, files: Vec<String>) {
        self.files = files;
    }
}

impl Manifest {
    /// An empty manifest of the current schema.
    pub fn empty() -> Self {
        Self { schema: MANIFEST_SCHEMA, ..Self::default() }
    }

    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// It is missing, damaged, or of another schema.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(Self::FILE);
        let text = read(&path)?;
        // Fields of another version are no damage.
        let head: Head = serde_json::from_slice(&text).map_err(Error::json(&path))?;
        if head.schema != MANIFEST_SCHEMA {
            return Err(Error::Schema { path, found: head.schema, read: MANIFEST_SCHEMA });
        }
        serde_json::from_slice(&text).map_err(Error::json(&path))
    }

    /// Adds the manifest to staged files, with the sum of each of them and the root over all sums, and the `frozen`
    /// files, which have their sums elsewhere.
    pub fn seal(&mut self, staged: &mut Staged, frozen: &Staged) {
        self.sums = sums(staged);
        frozen.iter().for_each(|(file, content)| staged.put(file.as_str(), content));
        let names = staged.names().into_iter().chain([MANIFEST.to_owned()]);
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

    /// Holds the folder against the files that have a sum, here or among the frozen ones.
    ///
    /// # Errors
    /// Files that no run wrote, by name.
    pub fn check_files(&self, folder: &Path) -> Result<(), Error> {
        let frozen: Vec<&str> = super::published::sums().map(|(file, _)| file).collect();
        let is_known =
            |name: &String| name == MANIFEST || self.sums.contains_key(name) || frozen.contains(&name.as_str());
        let extra: Vec<String> = Below::try_new(folder)?.files.into_iter().filter(|name| !is_known(name)).collect();
        if extra.is_empty() { Ok(()) } else { Err(Error::Extra { folder: folder.to_owned(), files: extra }) }
    }

    /// Holds the data against the sums that are built into the program.
    ///
    /// # Errors
    /// Files that have the name of the paper's data and are others.
    pub fn check_data(&self, folder: &Path) -> Result<(), Error> {
        let files: BTreeSet<&str> = self.deterministic.values().flat_map(Provenance::foreign_inputs).collect();
        let files: Vec<String> = files.into_iter().map(|file| format!("data/{file}")).collect();
        if files.is_empty() { Ok(()) } else { Err(Error::ForeignData { folder: folder.to_owned(), files }) }
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
    let sum = |(file, content): (&String, &[u8])| (file.clone(), sha256_hex(content));
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

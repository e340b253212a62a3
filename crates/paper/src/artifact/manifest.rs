//! What a reader needs to trust results: versions, inputs, sizes and seeds, and apart from them the run itself.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::provenance::Sums;
use super::{Error, Experiment, MANIFEST_SCHEMA, read};
use judge_uncertainty_system::{MANIFEST, Record, Run};

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
    /// SHA-256 of each of them but this one.
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
}

//! What a reader needs to trust results: versions, inputs, sizes and seeds, and apart from them the run itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Error, Experiment, SCHEMA, Staged, read, to_json};

/// SHA-256 of each input file, by path.
pub type Inputs = BTreeMap<String, String>;

const FILE: &str = "results/manifest.json";
/// The record of a queue, in the folder of a queue.
pub(crate) const QUEUE: &str = "queue.json";

/// The manifest of an artifact folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the results' layout.
    pub schema: u32,
    /// Same inputs and same version give this part again, to the byte.
    pub deterministic: BTreeMap<Experiment, Provenance>,
    /// Differs from run to run.
    pub run: BTreeMap<Experiment, Run>,
    /// Every file of the folder, so that files of others are noticed.
    pub files: Vec<String>,
}

/// Where the results of an experiment come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of this program.
    pub program: String,
    /// Input files.
    pub inputs: Inputs,
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

/// Facts about one run that do not influence the results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Threads used.
    pub threads: usize,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Operating system and architecture.
    pub platform: String,
}

impl Manifest {
    /// An empty manifest of the current schema.
    pub fn empty() -> Self {
        Self { schema: SCHEMA, deterministic: BTreeMap::new(), run: BTreeMap::new(), files: vec![] }
    }

    /// Name of the file within an artifact folder.
    pub fn file() -> &'static str {
        FILE
    }

    /// Lists the staged files and itself, and joins them as the last of them.
    pub fn seal(&mut self, staged: &mut Staged) {
        staged.put(FILE, "");
        self.files = staged.names();
        staged.put(FILE, to_json(self));
    }

    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// It is missing, damaged, or of another schema.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(FILE);
        let text = read(&path)?;
        let manifest: Self = serde_json::from_slice(&text).map_err(Error::json(&path))?;
        if manifest.schema != SCHEMA {
            return Err(Error::Schema { path, found: manifest.schema });
        }
        Ok(manifest)
    }

    /// Files that the folder's manifest, or the record of a queue, lists; none if there is no such readable file.
    ///
    /// Tolerant of other schemas, so that a newer program may replace an older one's output.
    pub(super) fn listed_files(folder: &Path) -> Vec<String> {
        #[derive(Deserialize)]
        struct Listing {
            files: Vec<String>,
        }
        let listing = |file: &str| {
            let text = fs::read(folder.join(file)).unwrap_or_default();
            serde_json::from_slice::<Listing>(&text).ok()
        };
        listing(FILE).or_else(|| listing(QUEUE)).map(|l| l.files).unwrap_or_default()
    }
}

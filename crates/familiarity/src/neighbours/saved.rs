//! Saving an index, and loading it only if it is whole and still the right one.
//!
//! A saved index is a folder with the two files of hnsw_rs and [`HEADER`], which holds everything else, the SHA-256
//! sums of all three, and what the index was made from. hnsw_rs trusts what it reads, to the point of ending the
//! process; so its files are opened only after their sums have been checked.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use hnsw_rs::api::AnnT;
use hnsw_rs::hnswio::HnswIo;
use judge_uncertainty_data::dataset::checksum::hex;
use judge_uncertainty_output::OutputFile;
use judge_uncertainty_output::faults::step;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::hnsw::{Cosine, Graph, Hnsw, HnswSettings, Repairs, SearchQuality, distinct};
use super::rows::UnitRows;
use super::search::Neighbours;

/// The file of a saved index that describes it; written last.
pub const HEADER: &str = "index.json";
/// hnsw_rs adds `.hnsw.graph` and `.hnsw.data`.
const GRAPH: &str = "index";
const GRAPH_FILES: [&str; 2] = ["index.hnsw.graph", "index.hnsw.data"];
/// The folder in which a graph is written before its files take their places.
pub const STAGING: &str = ".index.judge-uncertainty";

/// Why a saved index is not used, or could not be saved.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// There is none.
    #[error("{} holds no saved neighbour index ({HEADER} is not there); build the index and save it there", folder.display())]
    Absent {
        /// The folder.
        folder: PathBuf,
    },
    /// The file system refuses to read.
    #[error("{} cannot be read; check that it is a file you may read, or build the index again", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A file is not what was saved.
    #[error("{} is damaged: {reason}; build the index again", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The index belongs to something else.
    #[error("{} is stale: its {what} is {saved}, but {asked} is needed; build the index again", folder.display())]
    Stale {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        what: &'static str,
        /// What the index was made from.
        saved: String,
        /// What it would have to be made from.
        asked: String,
    },
    /// A file that must not be overwritten.
    #[error(
        "{}: was not written by this command, which makes {HEADER} beside it, and was left as it is; choose another folder with \
         --index, or move that file away",
        file.display()
    )]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// Another process saves to the same folder, or its description can't be written.
    #[error(transparent)]
    Output(#[from] judge_uncertainty_output::Error),
    /// The index could not be saved.
    #[error("the neighbour index cannot be saved to {}: {reason}; make room or choose another folder", folder.display())]
    Unwritable {
        /// The folder.
        folder: PathBuf,
        /// What went wrong.
        reason: String,
    },
}

impl IndexError {
    /// Whether the machine failed, rather than that an index was refused.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::Output(error) => error.is_failure(),
            _ => matches!(self, Self::Unwritable { .. }),
        }
    }

    /// Whether there is only the description of an index: saving it was interrupted.
    pub fn is_unfinished(&self) -> bool {
        let graph = |file: &Path| GRAPH_FILES.iter().any(|name| file.ends_with(name));
        matches!(self, Self::Unreadable { file, source } if source.kind() == io::ErrorKind::NotFound && graph(file))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// What reads the graph files; they are memory images, so the kind of machine belongs to it.
    format: String,
    /// Sum of this header with an empty string in this place.
    sha256: String,
    /// Model that made the embeddings.
    model: String,
    /// Sum of the rows.
    data_sha256: String,
    settings: HnswSettings,
    quality: SearchQuality,
    repairs: Repairs,
    /// Sums of the graph files; none for an index without points.
    files: BTreeMap<String, String>,
}

impl Header {
    fn of(index: &Hnsw, model: &str, files: BTreeMap<String, String>) -> Self {
        let header = Self {
            format: this_format(),
            sha256: String::new(),
            model: model.to_owned(),
            data_sha256: index.rows().sha256(),
            settings: index.settings.clone(),
            quality: index.quality.clone(),
            repairs: index.repairs.clone(),
            files,
        };
        Self { sha256: header.sum(), ..header }
    }

    fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a header has only strings as keys")
    }

    fn sum(&self) -> String {
        let unsigned = Self { sha256: String::new(), ..self.clone() };
        hex(&Sha256::digest(unsigned.json()))
    }
}

/// Version 1 of this header, and the format of the graph files.
fn this_format() -> String {
    let endian = if cfg!(target_endian = "little") { "little" } else { "big" };
    format!("1, hnsw_rs 0.3.5, {}-bit {endian}-endian", usize::BITS)
}

impl Hnsw {
    /// Saves the index to a folder, which is created if need be. `model` names the model that made the embeddings.
    ///
    /// Interrupted halfway, it leaves a description without its graph, and a folder [`STAGING`]: [`load`](Self::load) refuses
    /// the first with [`IndexError::is_unfinished`], and saving again puts both right.
    ///
    /// # Errors
    /// The file system refuses, another process saves there, or the folder holds a graph of somebody else.
    pub fn save(&self, folder: &Path, model: &str) -> Result<(), IndexError> {
        let refused =
            |source: io::Error| IndexError::Unwritable { folder: folder.to_owned(), reason: source.to_string() };
        step().and_then(|()| fs::create_dir_all(folder)).map_err(refused)?;
        let header = OutputFile::hold(&folder.join(HEADER))?;
        let foreign = GRAPH_FILES.map(|name| folder.join(name)).into_iter().find(|file| file.exists());
        if let Some(file) = foreign.filter(|_| !folder.join(HEADER).exists()) {
            return Err(IndexError::Foreign { file });
        }
        let staging = folder.join(STAGING);
        clear(&staging).and_then(|()| step()).and_then(|()| fs::create_dir(&staging)).map_err(refused)?;
        let files = self.dump(&staging).map_err(refused)?;
        // At any moment from here on the description lacks its graph or has the right one.
        for name in GRAPH_FILES {
            remove(&folder.join(name)).map_err(refused)?;
        }
        let json = Header::of(self, model, files.clone()).json();
        header.write(|file| file.write_all(json.as_bytes()))?;
        for file in files.keys() {
            step().and_then(|()| fs::rename(staging.join(file), folder.join(file))).map_err(refused)?;
        }
        clear(&staging).map_err(refused)
    }

    /// Writes the graph and returns the sums of its files; none without points, of which hnsw_rs can't save a graph.
    fn dump(&self, staging: &Path) -> io::Result<BTreeMap<String, String>> {
        if self.points.is_empty() {
            return Ok(BTreeMap::new());
        }
        step()?;
        self.graph.file_dump(staging, GRAPH).map_err(io::Error::other)?;
        let sum = |name: &str| -> io::Result<_> {
            let file = staging.join(name);
            File::open(&file)?.sync_all()?;
            Ok((name.to_owned(), sum_of_file(&file)?))
        };
        GRAPH_FILES.into_iter().map(sum).collect()
    }

    /// Loads the index of these rows, made by this model with these settings.
    ///
    /// # Errors
    /// There is none, it is damaged, or it was made from something else.
    pub fn load(folder: &Path, rows: UnitRows, model: &str, settings: &HnswSettings) -> Result<Self, IndexError> {
        let header = read_header(folder)?;
        let compare = [
            ("format", &header.format, &this_format()),
            ("model", &header.model, &model.to_owned()),
            ("data", &header.data_sha256, &rows.sha256()),
            ("settings", &format!("{:?}", header.settings), &format!("{settings:?}")),
        ];
        if let Some((what, saved, asked)) = compare.into_iter().find(|(_, saved, asked)| saved != asked) {
            let (saved, asked) = (saved.clone(), asked.clone());
            return Err(IndexError::Stale { folder: folder.to_owned(), what, saved, asked });
        }
        let points = distinct(&rows);
        let graph = if points.is_empty() {
            Graph::new(settings.links, 0, super::hnsw::LAYERS, settings.ef_construction, Cosine)
        } else {
            read_graph(folder, &header.files, points.len())?
        };
        Ok(Self::assemble(rows, header.settings, graph, points, header.repairs, header.quality))
    }
}

/// Removes what an interrupted run left of a graph; what it did not write is kept, and then the folder is too.
fn clear(staging: &Path) -> io::Result<()> {
    if !staging.is_dir() {
        return Ok(());
    }
    GRAPH_FILES.iter().try_for_each(|name| remove(&staging.join(name)))?;
    step()?;
    fs::remove_dir(staging)
}

/// Removes a file that may not be there.
fn remove(file: &Path) -> io::Result<()> {
    match step().and_then(|()| fs::remove_file(file)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn read_header(folder: &Path) -> Result<Header, IndexError> {
    let file = folder.join(HEADER);
    let text = fs::read_to_string(&file).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => IndexError::Absent { folder: folder.to_owned() },
        _ => IndexError::Unreadable { file: file.clone(), source },
    })?;
    let damaged = |reason| IndexError::Damaged { file: file.clone(), reason };
    let header: Header = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    // Another program version may write the same header differently; that makes it stale, not damaged.
    if header.format == this_format() && header.sum() != header.sha256 {
        return Err(damaged("its content does not match its SHA-256 sum".to_owned()));
    }
    Ok(header)
}

/// Checks the sums of the graph files and has hnsw_rs read them.
fn read_graph(folder: &Path, sums: &BTreeMap<String, String>, points: usize) -> Result<Graph, IndexError> {
    for name in GRAPH_FILES {
        let file = folder.join(name);
        let found = sum_of_file(&file).map_err(|source| IndexError::Unreadable { file: file.clone(), source })?;
        if sums.get(name) != Some(&found) {
            let reason = format!("its SHA-256 sum is {found}, not the one in {HEADER}");
            return Err(IndexError::Damaged { file, reason });
        }
    }
    let damaged = |reason| IndexError::Damaged { file: folder.join(GRAPH_FILES[0]), reason };
    // A loaded graph borrows its reader, in case parts of the files stay mapped into memory (here they do not). The
    // reader is a few dozen bytes; giving them away spares every user of an index a lifetime.
    let reader: &'static HnswIo = Box::leak(Box::new(HnswIo::new(folder, GRAPH)));
    let graph = reader.load_hnsw_with_dist(Cosine).map_err(|error| damaged(error.to_string()))?;
    match graph.get_nb_point() {
        found if found == points => Ok(graph),
        found => Err(damaged(format!("it has {found} points, not {points}"))),
    }
}

fn sum_of_file(file: &Path) -> io::Result<String> {
    let mut file = File::open(file)?;
    let mut sum = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&sum.finalize())),
            read => sum.update(&buffer[..read]),
        }
    }
}

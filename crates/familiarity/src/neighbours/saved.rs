//! Saving an index, and loading it only if it is whole and still the right one.
//!
//! A saved index is a folder with the graph (`packed.rs` has its format) and [`HEADER`], which holds everything else,
//! the SHA-256 sums of both, and what the index was made from. The same on every processor.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use judge_uncertainty_formats::checksum::hex;
use judge_uncertainty_system::faults::step;
use judge_uncertainty_system::{OutputFile, read};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::held::IndexedItems;
use super::hnsw::{Hnsw, SearchQuality, directions, distinct};
use super::packed::{Packed, packed, unpacked};
use super::rows::UnitRows;
use super::search::Neighbours;
use super::settings::HnswSettings;

/// The file of a saved index that describes it; written last.
pub const HEADER: &str = "index.json";
/// The file of its graph.
pub const GRAPH: &str = "index.graph";
/// Version 1 had the two files of hnsw_rs.
const FORMAT: &str = "2";
/// The folder in which a graph is written before it takes its place.
pub const STAGING: &str = ".index.judge-uncertainty";

/// Why a saved index is not used, or could not be saved.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum IndexError {
    #[error("{} holds no saved neighbour index ({HEADER} is not there); build the index and save it \
             there", folder.display())]
    Absent { folder: PathBuf },
    #[error("{} cannot be read; check that it is a file you may read, or build the index again", file.display())]
    Unreadable { file: PathBuf, source: io::Error },
    #[error("{} is damaged: {reason}; build the index again", file.display())]
    Damaged { file: PathBuf, reason: String },
    #[error("{} is stale: its {what} is {saved}, but {asked} is needed; build the index again", folder.display())]
    Stale { folder: PathBuf, what: &'static str, saved: String, asked: String },
    #[error(
        "{}: was not written by this command, which makes {HEADER} beside it, and was left as it is; choose another \
         folder with --index, or move that file away",
        file.display()
    )]
    Foreign { file: PathBuf },
    /// Another process saves to the same folder, or its description can't be written.
    #[error(transparent)]
    Output(#[from] judge_uncertainty_system::Error),
    #[error("the neighbour index cannot be saved to {}: {reason}; make room or choose another \
             folder", folder.display())]
    Unwritable { folder: PathBuf, reason: String },
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
        matches!(self, Self::Unreadable { file, source }
            if source.kind() == io::ErrorKind::NotFound && file.ends_with(GRAPH))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexHeader {
    /// Version of this description and of the graph's file.
    format: String,
    /// Sum of this header with an empty string in this place.
    sha256: String,
    /// Model that made the embeddings.
    model: String,
    /// Sum of the rows.
    data_sha256: String,
    settings: HnswSettings,
    quality: SearchQuality,
    /// Sum of the graph's file.
    graph_sha256: String,
}

/// What every version of the description has.
#[derive(Deserialize)]
struct AnyHeader {
    format: String,
}

impl IndexHeader {
    fn new(index: &Hnsw, model: &str, graph_sha256: String) -> Self {
        let header = Self {
            format: FORMAT.to_owned(),
            sha256: String::new(),
            model: model.to_owned(),
            data_sha256: index.rows().sha256(),
            settings: index.settings.clone(),
            quality: index.quality.clone(),
            graph_sha256,
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

impl Hnsw {
    /// Saves the index to a folder, which is created if need be. `model` names the model that made the embeddings.
    ///
    /// Interrupted halfway, it leaves a description without its graph, and a folder [`STAGING`]. [`load`](Self::load)
    /// then fails with [`IndexError::is_unfinished`]; saving again puts both right.
    ///
    /// # Errors
    /// The file system refuses, another process saves there, or the folder holds a graph of somebody else.
    ///
    /// # Panics
    /// If the index does not hold all of its rows: make it of the rows that it is to hold.
    pub fn save(&self, folder: &Path, model: &str) -> Result<(), IndexError> {
        let refused =
            |source: io::Error| IndexError::Unwritable { folder: folder.to_owned(), reason: source.to_string() };
        step().and_then(|()| fs::create_dir_all(folder)).map_err(refused)?;
        let header = OutputFile::hold(&folder.join(HEADER))?;
        assert!(self.held().is_all(), "a saved index holds all of its rows");
        let graph = folder.join(GRAPH);
        if graph.exists() && !folder.join(HEADER).exists() {
            return Err(IndexError::Foreign { file: graph });
        }
        let staging = folder.join(STAGING);
        clear(&staging).and_then(|()| step()).and_then(|()| fs::create_dir(&staging)).map_err(refused)?;
        let sum = write_graph(self, &staging.join(GRAPH)).map_err(refused)?;
        // At any moment from here on the description lacks its graph or has the right one.
        remove(&graph).map_err(refused)?;
        let json = IndexHeader::new(self, model, sum).json();
        header.write(|file| file.write_all(json.as_bytes()))?;
        step().and_then(|()| fs::rename(staging.join(GRAPH), graph)).map_err(refused)?;
        clear(&staging).map_err(refused)
    }

    /// Loads the index of these rows, made by this model with these settings.
    ///
    /// # Errors
    /// There is none, it is damaged, or it was made from something else.
    pub fn load(folder: &Path, rows: UnitRows, model: &str, settings: &HnswSettings) -> Result<Self, IndexError> {
        let header = read_header(folder)?;
        let compare = [
            ("model", &header.model, &model.to_owned()),
            ("data", &header.data_sha256, &rows.sha256()),
            ("settings", &format!("{:?}", header.settings), &format!("{settings:?}")),
        ];
        if let Some((what, saved, asked)) = compare.into_iter().find(|(_, saved, asked)| saved != asked) {
            let (saved, asked) = (saved.clone(), asked.clone());
            return Err(IndexError::Stale { folder: folder.to_owned(), what, saved, asked });
        }
        let held = IndexedItems::all(rows.len());
        let points = distinct(&rows, &held);
        let Packed { graph, unreachable, lists } = read_graph(folder, &header.graph_sha256, points.len(), rows.len())?;
        let directions = directions(&rows, &points);
        let mut index = Self::assemble(rows, held, header.settings, directions, graph, points, header.quality);
        let lists = lists.into_iter().map(|(item, list)| {
            let width = list.len();
            (item, index.rows.nearest_of(item, list, width))
        });
        index.compared = lists.collect();
        index.unreachable = unreachable;
        Ok(index)
    }
}

/// Writes the graph and returns the sum of its file.
fn write_graph(index: &Hnsw, file: &Path) -> io::Result<String> {
    let bytes = packed(&index.graph, &index.unreachable, &index.compared);
    step()?;
    let mut written = File::create(file)?;
    written.write_all(&bytes)?;
    written.sync_all()?;
    Ok(hex(&Sha256::digest(&bytes)))
}

/// Removes what an interrupted run left of a graph; what it did not write is kept, and then the folder is too.
fn clear(staging: &Path) -> io::Result<()> {
    if !staging.is_dir() {
        return Ok(());
    }
    remove(&staging.join(GRAPH))?;
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

fn read_header(folder: &Path) -> Result<IndexHeader, IndexError> {
    let file = folder.join(HEADER);
    let text = read::text(&file).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => IndexError::Absent { folder: folder.to_owned() },
        _ => IndexError::Unreadable { file: file.clone(), source },
    })?;
    let damaged = |reason| IndexError::Damaged { file: file.clone(), reason };
    let any: AnyHeader = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    // Another version may describe an index differently; that makes it stale, not damaged.
    if any.format != FORMAT {
        let (saved, asked) = (any.format, FORMAT.to_owned());
        return Err(IndexError::Stale { folder: folder.to_owned(), what: "format", saved, asked });
    }
    let header: IndexHeader = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    if header.sum() != header.sha256 {
        return Err(damaged("its content does not match its SHA-256 sum".to_owned()));
    }
    Ok(header)
}

/// Reads the graph of so many points and items, if its sum is the right one.
fn read_graph(folder: &Path, sum: &str, points: usize, items: usize) -> Result<Packed, IndexError> {
    let file = folder.join(GRAPH);
    let bytes = read::bytes(&file).map_err(|source| IndexError::Unreadable { file: file.clone(), source })?;
    let damaged = |reason| IndexError::Damaged { file: file.clone(), reason };
    let found = hex(&Sha256::digest(&bytes));
    if found != sum {
        return Err(damaged(format!("its SHA-256 sum is {found}, not the one in {HEADER}")));
    }
    unpacked(&bytes, points, items).map_err(|reason| damaged(reason.to_owned()))
}

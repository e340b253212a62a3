//! The labelled items that familiarity compares further items with.

use std::path::Path;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::model::study::{Decomposition, Study};
use judge_uncertainty_familiarity::embedding::matrix_bytes;
use judge_uncertainty_familiarity::neighbours::{NotFinite, UnitRows};
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::npy::read_matrix;

/// Name of the file with the embeddings, beside the belief: a NumPy matrix of 32-bit floats, a row for each labelled
/// item.
pub const REFERENCE: &str = "belief-reference.npy";

/// Its place within a run folder.
pub const FILE: &str = "results/belief-reference.npy";

/// How near further items are to the labelled ones, as the belief's file says it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Familiarity {
    /// Labelled neighbours whose mean distance is `mean_nearest_labelled`.
    pub neighbours: usize,
    /// Whether a labelled item counts among its own neighbours.
    pub count_itself: bool,
    /// The sentence model that embeds texts; `None` where the study named a file of embeddings.
    pub model: Option<SentenceModel>,
    /// Dimensions of the embeddings.
    pub dimensions: usize,
    /// The file with the embeddings of the labelled items.
    pub file: String,
    /// Its SHA-256.
    pub sha256: String,
    /// Ids of the labelled items, in the order of its rows.
    pub items: Vec<String>,
}

/// A sentence model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentenceModel {
    /// As the study names it.
    pub name: String,
    /// Hash of its files.
    pub hash: String,
}

impl Familiarity {
    /// That of a decomposition, with the bytes of the file beside it; `None` without embeddings.
    pub fn new(study: &Study, decomposition: &Decomposition) -> Option<(Self, Vec<u8>)> {
        let (config, embeddings) = study.file.config.familiarity.as_ref().zip(study.embeddings.as_ref())?;
        let labelled: Vec<usize> = (0..decomposition.len()).filter(|&i| decomposition.numbers[i] > 0).collect();
        let bytes = matrix_bytes(embeddings.select(ndarray::Axis(0), &labelled).view());
        let familiarity = Self {
            neighbours: config.neighbours,
            count_itself: config.count_itself,
            model: study
                .text_model()
                .map(|model| SentenceModel { name: model.name.clone(), hash: model.hash().to_owned() }),
            dimensions: embeddings.ncols(),
            file: REFERENCE.to_owned(),
            sha256: sha256_hex(&bytes),
            items: labelled.iter().map(|&i| study.items.ids[i].to_owned()).collect(),
        };
        Some((familiarity, bytes))
    }

    /// Reads the file beside the belief at `path`: the ids of the labelled items, and their embeddings in this order.
    ///
    /// # Errors
    /// It is missing, belongs to another belief, or has a cell that is not a number.
    pub fn read(&self, path: &Path) -> Result<(ItemIds, UnitRows)> {
        let file = path.with_file_name(&self.file);
        let bytes = read_file(&file)?;
        let remedy = "copy it anew with its belief.json; the two belong together";
        let refuse = |reason: String| Error::unfit(Place::file(&file), reason, remedy);
        let found = sha256_hex(&bytes);
        if found != self.sha256 {
            let reason = format!("its SHA-256 is {found}, but {} expects {}", path.display(), self.sha256);
            return Err(refuse(reason));
        }
        let ids = ItemIds::new(&self.items).map_err(|error| error.in_file(path))?;
        let matrix: Array2<f32> = match ids.is_empty() {
            true => Array2::zeros((0, self.dimensions)),
            false => read_matrix(&file, &bytes, &ids, self.dimensions)?,
        };
        let rows = UnitRows::new(matrix.view()).map_err(|error: NotFinite| refuse(error.to_string()))?;
        Ok((ids, rows))
    }
}

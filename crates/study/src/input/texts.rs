//! Where the embeddings of a study come from: a file, or a model that embeds the texts of its items.

use std::path::{Path, PathBuf};

use ndarray::{Array2, Axis};

use super::config::{FamiliarityConfig, StudyFile};
use super::items::Items;
use super::source::Source;
use crate::error::Error;
use judge_uncertainty_familiarity::embedding::{EmbeddingCache, Embeddings, Model, StartEmbedder, embed_texts};
use judge_uncertainty_familiarity::user_embeddings::{check_embeddings, read_embeddings};
use judge_uncertainty_formats::checksum::sum_of_file;
use judge_uncertainty_formats::error::{Error as DataError, Place};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_system::progress::Progress;

/// The model that embeds the texts of a study, and where it keeps the embeddings.
#[derive(Debug, Clone)]
pub struct TextModel {
    /// The model as the study names it.
    pub name: String,
    /// Folder of the cache.
    pub cache: PathBuf,
    /// Its files.
    pub model: Model,
}

impl TextModel {
    fn read(file: &StudyFile, config: &FamiliarityConfig, source: &mut Source) -> Result<Self, Error> {
        let beside = file.resolve(Path::new(&config.model));
        let found = if beside.is_dir() { beside } else { PathBuf::from(&config.model) };
        let model = Model::find(&found.to_string_lossy())?;
        source.note(&config.model, &model.hash);
        Ok(Self { name: config.model.clone(), cache: file.resolve(&config.cache), model })
    }

    /// How many different texts are not in the cache; starts the model, but embeds and writes nothing.
    ///
    /// # Errors
    /// A model that can't be started, a cache that can't be read.
    pub fn lacking(&self, texts: &[String], start: StartEmbedder) -> Result<usize, Error> {
        Ok(EmbeddingCache::lacking(&self.cache, &start(self.model.clone())?.settings(), texts)?)
    }

    /// Embeds the texts that the cache lacks, keeps them in it, and hands over all, in order.
    ///
    /// # Errors
    /// A model that fails, a cache that can't be written or that another run has open.
    pub fn embed(&self, texts: &[String], start: StartEmbedder, progress: &dyn Progress) -> Result<Embeddings, Error> {
        let mut embedder = start(self.model.clone())?;
        let mut cache = EmbeddingCache::open(&self.cache, embedder.as_ref())?;
        Ok(embed_texts(embedder.as_mut(), texts, Some(&mut cache), progress)?)
    }
}

/// Where the embeddings of a study come from. They are read, or made, by those who need them.
#[derive(Debug, Clone)]
pub enum EmbeddingSource {
    /// A file that the study names.
    File {
        /// The file.
        path: PathBuf,
        /// Sum of its bytes, as the study noted it.
        sum: String,
        /// All items that it is about.
        all: ItemIds,
        /// The file that names them.
        reference: PathBuf,
        /// Positions among them of the items of the study.
        kept: Vec<usize>,
    },
    /// The model that embeds the texts of its items.
    Texts(TextModel),
}

impl EmbeddingSource {
    /// Finds where the embeddings of the items at positions `kept` of `all` come from; `None` where a study uses none.
    pub(crate) fn find(
        file: &StudyFile,
        all: &ItemIds,
        kept: &[usize],
        items: &Items,
        source: &mut Source,
    ) -> Result<Option<Self>, Error> {
        let Some(config) = &file.config.familiarity else { return Ok(None) };
        let Some(embeddings) = &config.embeddings else {
            if items.texts.is_none() {
                let remedy =
                    "name embeddings = \"FILE\" there, or give items.text a template of what is to be embedded";
                return Err(file
                    .refuse("familiarity.embeddings", "none", "the items have no texts to embed", remedy)
                    .into());
            }
            return Ok(Some(Self::Texts(TextModel::read(file, config, source)?)));
        };
        let path = file.resolve(embeddings);
        let sum = sum_of_file(&path)?;
        source.note(&path.display().to_string(), &sum);
        let (all, reference, kept) = (all.clone(), items.file.clone(), kept.to_vec());
        Ok(Some(Self::File { path, sum, all, reference, kept }))
    }

    /// Reads the embeddings of the study's items from their file; `None` where texts are embedded.
    ///
    /// # Errors
    /// As [`read_embeddings`]; the file has changed since the study was read.
    pub(crate) fn read(&self) -> Result<Option<Array2<f32>>, Error> {
        let Self::File { path, sum, all, reference, kept } = self else { return Ok(None) };
        let matrix = read_embeddings(path, all, reference)?;
        if sum_of_file(path)? != *sum {
            let reason = "was changed while the study was read";
            return Err(DataError::unfit(Place::file(path), reason, "run the command again").into());
        }
        Ok(Some(if kept.len() == all.len() { matrix } else { matrix.select(Axis(0), kept) }))
    }

    /// Refuses what [`Study::embed`](crate::Study::embed) would refuse of a file of embeddings, without its matrix.
    ///
    /// # Errors
    /// As [`check_embeddings`].
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::File { path, all, reference, .. } => Ok(check_embeddings(path, all, reference)?),
            Self::Texts(_) => Ok(()),
        }
    }
}

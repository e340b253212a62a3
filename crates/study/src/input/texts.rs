//! Texts of a study that are embedded when it is run, for studies that name no file of embeddings.

use std::path::{Path, PathBuf};

use ndarray::{Array2, Axis};

use super::config::{Configured, FamiliarityConfig, StudyFile};
use super::items::Items;
use super::source::Source;
use super::vectors::read_embeddings;
use crate::error::Error;
use judge_uncertainty_familiarity::embedding::{Cache, Embeddings, Model, StartEmbedder, embed_texts};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_system::progress::Progress;

/// The model that embeds the texts of a study, and where it keeps the embeddings.
#[derive(Debug, Clone)]
pub struct TextModel {
    /// The model as the study names it.
    pub name: String,
    /// Folder of the cache.
    pub cache: PathBuf,
    model: Model,
}

impl TextModel {
    fn read<C: Configured>(
        file: &StudyFile<C>,
        config: &FamiliarityConfig,
        source: &mut Source,
    ) -> Result<Self, Error> {
        let beside = file.resolve(Path::new(&config.model));
        let found = if beside.is_dir() { beside } else { PathBuf::from(&config.model) };
        let model = Model::find(&found.to_string_lossy())?;
        source.note(&config.model, &model.hash);
        Ok(Self { name: config.model.clone(), cache: file.resolve(&config.cache), model })
    }

    /// Hash of the model's files.
    pub fn hash(&self) -> &str {
        &self.model.hash
    }

    /// How many different texts are not in the cache; starts the model, but embeds and writes nothing.
    ///
    /// # Errors
    /// A model that can't be started, a cache that can't be read.
    pub fn lacking(&self, texts: &[String], start: StartEmbedder) -> Result<usize, Error> {
        Ok(Cache::lacking(&self.cache, &start(self.model.clone())?.settings(), texts)?)
    }

    /// Embeds the texts that the cache lacks, keeps them in it, and hands over all, in order.
    ///
    /// # Errors
    /// A model that fails, a cache that can't be written or that another run has open.
    pub fn embed(&self, texts: &[String], start: StartEmbedder, progress: &dyn Progress) -> Result<Embeddings, Error> {
        let mut embedder = start(self.model.clone())?;
        let mut cache = Cache::open(&self.cache, embedder.as_ref())?;
        Ok(embed_texts(embedder.as_mut(), texts, Some(&mut cache), progress)?)
    }
}

/// Reads the embeddings of the items at positions `kept` of `all`, or finds the model that will embed their texts.
pub(crate) fn read<C: Configured>(
    file: &StudyFile<C>,
    all: &ItemIds,
    kept: &[usize],
    items: &Items,
    source: &mut Source,
) -> Result<(Option<Array2<f32>>, Option<TextModel>), Error> {
    let Some(config) = &file.config.familiarity else { return Ok((None, None)) };
    let Some(embeddings) = &config.embeddings else {
        if items.texts.is_none() {
            let remedy = "name embeddings = \"FILE\" there, or give items.text a template of what is to be embedded";
            return Err(file
                .refuse("familiarity.embeddings", "none", "the items have no texts to embed", remedy)
                .into());
        }
        return Ok((None, Some(TextModel::read(file, config, source)?)));
    };
    let path = file.resolve(embeddings);
    source.read(&path)?;
    let matrix = read_embeddings(&path, all, &items.file)?;
    Ok((Some(if kept.len() == all.len() { matrix } else { matrix.select(Axis(0), kept) }), None))
}

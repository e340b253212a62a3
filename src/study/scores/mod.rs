//! Studies of real-valued scores: the same commands with a [`crate::belief::Gaussian`] belief about every item.
//!
//! | module | holds |
//! |---|---|
//! | [`config`] | `study.toml` of a study of scores |
//! | [`inputs`] | the judge's scores and the annotators' ratings |
//! | [`decompose`] | the fit, the belief about every item, its rankings |
//! | [`evaluation`], [`diagnostics`] | half splits where labels suffice, the judge against the labels |
//! | [`results`] | what a run reports, and the table of all items |
//!
//! A `study.toml` with `scale` in place of `classes` is one of these.

pub mod config;
pub mod decompose;
pub mod diagnostics;
pub mod evaluation;
pub mod inputs;
pub mod results;

use std::collections::BTreeMap;
use std::path::Path;

use ndarray::Array2;

use super::config::{StudyFile, Unmatched, flattened};
use super::items::{self, Items};
use super::source::Source;
use super::texts::{self, TextModel};
use super::{Error, intake::LabelLog};
use crate::belief::JudgeScores;
use crate::dataset::error::{Error as DataError, Place, Problem};
use crate::familiarity::embedding::Embeddings;
use crate::progress::Progress;

pub use config::ScoreConfig;
pub use decompose::ScoreDecomposition;
pub use evaluation::ScoreEvaluation;
pub use inputs::{Rating, Ratings, ScoreInputs};
pub use results::ScoreResults;

/// Everything that a study of scores reads, checked and in one order, that of [`Items::ids`].
#[derive(Debug, Clone)]
pub struct ScoreStudy {
    /// The configuration and the file it comes from.
    pub file: StudyFile<ScoreConfig>,
    /// The items.
    pub items: Items,
    /// The judge's mean and variance of every item's scores, over its variants.
    pub judge: JudgeScores,
    /// Standard deviation of the variants' means; `None` for items with fewer than two.
    pub spread: Vec<Option<f64>>,
    /// The annotators' ratings.
    pub ratings: Ratings,
    /// What was found in the files.
    pub report: ScoreInputs,
    /// Embeddings of the items, items x dimensions; those of a `text_model` are there after [`Self::embed`].
    pub embeddings: Option<Array2<f32>>,
    /// What embeds the texts of the items, where the study names no file of embeddings.
    pub text_model: Option<TextModel>,
    /// Features of the trust regression, by name, in order.
    pub features: Vec<String>,
    /// Ids of items left out because the judge has no score for them, in the order of the file.
    pub left_out: Vec<String>,
    /// Items that a registration leaves out of the evaluation, by position, and why.
    pub excluded: BTreeMap<usize, String>,
    /// Sums of all files read.
    pub inputs: Source,
}

impl ScoreStudy {
    /// Whether a `study.toml`, or the one in a folder, describes a study of scores.
    pub fn is_at(path: &Path) -> bool {
        let path = if path.is_dir() { path.join("study.toml") } else { path.to_owned() };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("scale"))
    }

    /// Reads a study; `path` is its `study.toml` or the folder that holds it.
    ///
    /// # Errors
    /// The first thing in configuration or data that can't be used, with file, line, column, value and remedy.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let file = ScoreConfig::load(path)?;
        let mut sums = Source::default();
        let all = items::read(&file, &mut sums)?;
        let judge = inputs::read_judge(&file, &all, &mut sums)?;
        let (kept, without): (Vec<usize>, Vec<usize>) = (0..all.ids.len()).partition(|&i| judge.mean[i].is_some());
        let left_out: Vec<String> = without.iter().map(|&i| all.ids[i].to_owned()).collect();
        if let Some(first) = left_out.first()
            && (file.config.unmatched == Unmatched::Refuse || kept.is_empty())
        {
            let problem = Problem::Unanswered { items: left_out.len(), of: all.ids.len() };
            let place = Place::file(&file.resolve(&file.config.judge.file)).of_item(first);
            return Err(DataError::refused(place, problem).into());
        }
        let all_ids = all.ids.clone();
        let items = if left_out.is_empty() { all } else { all.select(&kept)? };
        let log = LabelLog::read(&file.resolve(Path::new("")), &mut sums)?;
        let ratings = inputs::read_ratings(&file, &items, &log, &mut sums)?;
        if ratings.rows.is_empty() {
            return Err(
                DataError::refused(Place::file(&file.resolve(&file.config.labels.file)), Problem::NoLabels).into()
            );
        }
        let familiarity = file.config.familiarity.as_ref();
        let (embeddings, text_model) = texts::read(&file, familiarity, &all_ids, &kept, &items, &mut sums)?;
        let spread: Vec<Option<f64>> = kept.iter().map(|&i| judge.spread[i]).collect();
        let features = decompose::choose(&file, &items, spread.iter().any(Option::is_some), familiarity.is_some())?;
        Ok(Self {
            judge: JudgeScores {
                mean: kept.iter().filter_map(|&i| judge.mean[i]).collect(),
                variance: kept.iter().map(|&i| judge.variance[i]).collect(),
            },
            report: ScoreInputs::of(&judge, &ratings, items.ids.len()),
            file,
            items,
            spread,
            ratings,
            embeddings,
            text_model,
            features,
            left_out,
            excluded: BTreeMap::new(),
            inputs: sums,
        })
    }

    /// Embeds the texts, where the study names no file of embeddings; returns what was done.
    ///
    /// # Errors
    /// A model that fails, a cache that can't be used.
    pub fn embed(&mut self, progress: &dyn Progress) -> Result<Option<Embeddings>, Error> {
        let (Some(model), Some(texts)) = (&self.text_model, &self.items.texts) else { return Ok(None) };
        let embedded = model.embed(texts, progress)?;
        self.embeddings = Some(embedded.matrix.clone());
        Ok(Some(embedded))
    }

    /// How many texts [`Self::embed`] would have to embed; `None` where it would do nothing.
    ///
    /// # Errors
    /// A cache that can't be read.
    pub fn to_embed(&self) -> Result<Option<usize>, Error> {
        let (Some(model), Some(texts)) = (&self.text_model, &self.items.texts) else { return Ok(None) };
        model.lacking(texts).map(Some)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.ids.len()
    }

    /// Whether there are no items; a study that was loaded has some.
    pub fn is_empty(&self) -> bool {
        self.items.ids.is_empty()
    }

    /// Sums of all files read, by path as seen from the folder of the study.
    pub fn relative_inputs(&self) -> BTreeMap<String, String> {
        self.inputs.relative(&self.file.resolve(Path::new("")))
    }

    /// Every setting as text by its dotted name.
    pub fn settings(&self) -> BTreeMap<String, String> {
        flattened(&self.file.config)
    }
}

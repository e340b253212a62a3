//! The same engines on a user's data: items, a judge's predictions and some labels become a decomposition of every
//! item's uncertainty, rankings, and an evaluation where labels suffice.
//!
//! | module | holds |
//! |---|---|
//! | [`config`] | `study.toml` |
//! | [`source`] | input files as tables |
//! | [`items`], [`judge`], [`labels`] | the three inputs |
//! | [`features`], [`texts`] | what trust may depend on; texts that are embedded when the study is run |
//! | [`decompose`] | the fit, the belief about every item, the rankings |
//! | [`evaluation`], [`diagnostics`], [`soft_scores`] | half splits where labels suffice, the judge against the labels, metrics of a shared task |
//! | [`results`], [`sample`], [`output`] | what a run reports, the items that figures show, and the table of all items |
//! | [`mod@error`] | why a study can't be run |
//! | [`queue`], [`intake`] | the ranked queue on its way out, labels on their way back and their log |
//! | [`scores`] | studies whose labels are numbers |
//! | [`movement`], [`estimates`] | what the labels that came back moved, and what they say about all items |
//! | [`registration`], [`hypothesis`], [`registered`] | hypotheses frozen before their evaluation, and how they fared |
//!
//! [`Study::load`] reads everything and refuses what can't be used; nothing is computed before.

pub mod config;
pub mod decompose;
pub mod diagnostics;
pub mod error;
pub mod estimates;
pub mod evaluation;
pub mod features;
pub mod hypothesis;
pub mod intake;
pub mod items;
pub mod judge;
pub mod labels;
pub mod movement;
pub mod output;
pub mod queue;
pub mod registered;
pub mod registration;
pub mod results;
pub mod sample;
pub mod scores;
pub mod soft_scores;
pub mod source;
pub mod texts;

use std::collections::BTreeMap;
use std::path::Path;

use ndarray::Array2;

use crate::dataset::error::{Error as DataError, Place, Problem};
use crate::dataset::judge::{JudgeVariants, Predictions};
use crate::familiarity::embedding::Embeddings;
use crate::progress::Progress;

pub use config::{StudyConfig, StudyFile};
pub use decompose::Decomposition;
pub use error::Error;
pub use features::Feature;
pub use items::Items;
pub use judge::JudgeReport;
pub use labels::{Annotation, Labels, LabelsReport};
pub use results::{InputReport, StudyResults};
use source::Source;
pub use texts::TextModel;

/// Everything that a study reads, checked and in one order, that of [`Items::ids`].
#[derive(Debug, Clone)]
pub struct Study {
    /// The configuration and the file it comes from.
    pub file: StudyFile,
    /// The items.
    pub items: Items,
    /// The judge's answers.
    pub judge: JudgeVariants,
    /// What they predict: label distributions (floored), spread of the variants, mean confidence.
    pub predictions: Predictions,
    /// What was found in the judge's file.
    pub judge_report: JudgeReport,
    /// The human labels.
    pub labels: Labels,
    /// Embeddings of the items, items x dimensions; those of a `text_model` are there after [`Self::embed`].
    pub embeddings: Option<Array2<f32>>,
    /// What embeds the texts of the items, where the study names no file of embeddings.
    pub text_model: Option<TextModel>,
    /// Features of the trust regression, in order.
    pub features: Vec<Feature>,
    /// Ids of items left out because the judge has no answer for them, in the order of the file.
    pub left_out: Vec<String>,
    /// Items that a registration leaves out of the evaluation, by position, and why.
    pub excluded: BTreeMap<usize, String>,
    /// Sums of all files read.
    pub inputs: Source,
}

impl Study {
    /// Reads a study; `path` is its `study.toml` or the folder that holds it.
    ///
    /// # Errors
    /// The first thing in configuration or data that can't be used, with file, line, column, value and remedy.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let file = StudyFile::load(path)?;
        let mut inputs = Source::default();
        let all = items::read(&file, &mut inputs)?;
        let mut answers = judge::read(&file, &all.ids, &all.file, &mut inputs)?;
        let answered = |i: &usize| answers.answers[*i].variants.iter().any(Option::is_some);
        let (kept, without): (Vec<usize>, Vec<usize>) = (0..all.ids.len()).partition(answered);
        let left_out: Vec<String> = without.iter().map(|&i| all.ids[i].to_owned()).collect();
        if let Some(first) = left_out.first()
            && (file.config.unmatched == config::Unmatched::Refuse || kept.is_empty())
        {
            let judge_file = file.resolve(&file.config.judge.file);
            let problem = Problem::Unanswered { items: left_out.len(), of: all.ids.len() };
            return Err(DataError::refused(Place::file(&judge_file).of_item(first), problem).into());
        }
        let all_ids = all.ids.clone();
        let items = if left_out.is_empty() { all } else { all.select(&kept)? };
        if !left_out.is_empty() {
            answers.answers = kept.iter().map(|&i| answers.answers[i].clone()).collect();
        }
        let labels = labels::read(&file, &items.ids, &items.file, &mut inputs)?;
        if labels.report.labels == 0 {
            let place = Place::file(&file.resolve(&file.config.labels.file));
            return Err(DataError::refused(place, Problem::NoLabels).into());
        }
        let familiarity = file.config.familiarity.as_ref();
        let (embeddings, text_model) = texts::read(&file, familiarity, &all_ids, &kept, &items, &mut inputs)?;

        let variants =
            JudgeVariants::new(items.ids.clone(), file.config.classes.clone(), answers.variants, answers.answers)?;
        let predictions = variants.aggregate(Some(file.config.floor()))?;
        let mut judge_report = answers.report;
        judge_report.count(&variants, &predictions);
        let available = features::Available {
            spread: predictions.spread.iter().any(Option::is_some),
            confidence: predictions.confidence.iter().any(Option::is_some),
            familiarity: file.config.familiarity.is_some(),
        };
        let features = features::choose(&file, &items, &available)?;
        Ok(Self {
            file,
            items,
            judge: variants,
            predictions,
            judge_report,
            labels,
            embeddings,
            text_model,
            features,
            left_out,
            excluded: BTreeMap::new(),
            inputs,
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

    /// Every setting, defaults filled in, as text by its dotted name.
    pub fn settings(&self) -> BTreeMap<String, String> {
        config::flattened(&self.file.config)
    }

    /// Number of labels of each item.
    pub fn numbers(&self) -> Vec<u32> {
        self.labels.counts.counts().rows().into_iter().map(|row| row.sum()).collect()
    }
}

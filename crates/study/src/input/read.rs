//! The first seam of a kind of label: how a study of such labels reads its judge and its labels.

use std::fmt::Debug;

use serde::Serialize;

use super::config::{Configured, StudyConfig, StudyFile};
use super::items::Items;
use super::labels::LabelColumns;
use super::question::Question;
use super::source::Source;
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::items::ItemIds;

/// A part of a study's results.
pub trait Reported: Clone + Debug + PartialEq + Serialize + Send + Sync + 'static {}

impl<T: Clone + Debug + PartialEq + Serialize + Send + Sync + 'static> Reported for T {}

/// How a study of a kind of label reads its judge, and where its labels stand.
pub trait Read: Configured {
    /// What the judge says of one item.
    type Answer: Clone + Send;
    /// What it says of all items of a study.
    type Answers: Clone + Debug + Send + Sync;
    /// What was found in its file.
    type JudgeReport: Reported;

    /// What annotators are asked.
    fn question(scale: &Self::Scale) -> Question;

    /// The table `[labels]`, whatever its settings are called.
    fn label_columns(config: &Self::LabelsConfig) -> LabelColumns<'_>;

    /// Reads the judge's file: an answer per item, or none.
    ///
    /// # Errors
    /// An answer that can't be used.
    fn read_judge(file: &StudyFile<Self>, items: &Items, source: &mut Source) -> Result<JudgeFile<Self>>;

    /// Puts the answers to the items `ids` together.
    ///
    /// # Errors
    /// Answers that can't be put together.
    fn judge(
        config: &StudyConfig<Self>,
        ids: &ItemIds,
        variants: &[String],
        answers: Vec<Self::Answer>,
        report: Self::JudgeReport,
    ) -> Result<StudyJudge<Self>>;
}

/// A judge's file as it was read.
#[derive(Debug)]
pub struct JudgeFile<K: Read> {
    /// Names of the variants of its prompt, in the order of their first appearance.
    pub variants: Vec<String>,
    /// Its answer to each item; `None` where every answer is blank or missing.
    pub answers: Vec<Option<K::Answer>>,
    /// What was found.
    pub report: K::JudgeReport,
}

/// What the judge says of the items of a study.
#[derive(Debug, Clone)]
pub struct StudyJudge<K: Read> {
    /// Its answers.
    pub answers: K::Answers,
    /// Names of its variants, as results list them.
    pub variants: Vec<String>,
    /// How far its variants are apart, per item; `None` for items with fewer than two.
    pub spread: Vec<Option<f64>>,
    /// Its stated confidence per item, 0 to 100; empty where such judges state none.
    pub confidence: Vec<Option<f64>>,
    /// Blank answers: they are counted and never become labels.
    pub failed_answers: usize,
    /// Rows of ids that the items don't have, left out.
    pub unknown_rows: usize,
    /// What was found in its file.
    pub report: K::JudgeReport,
}

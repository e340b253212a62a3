//! The first seam of a kind of label: what labels are, and how a study of them reads its judge and its labels.

use std::fmt::Debug;

use ndarray::Array2;
use serde::Serialize;

use super::config::{Files, Setting, StudyConfig, StudyFile};
use super::items::Items;
use super::labels::LabelColumns;
use super::question::Question;
use super::source::Source;
use judge_uncertainty_core::escalation::{Rule, RuleRow};
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::judge::{JudgeAnswers, JudgeVariants};

/// A part of a study's results.
pub trait Reported: Clone + Debug + PartialEq + Serialize + Send + Sync + 'static {}

impl<T: Clone + Debug + PartialEq + Serialize + Send + Sync + 'static> Reported for T {}

/// What the labels of a study are, how it reads its judge, and where its labels stand.
pub trait Read: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// What is the same in every study of this kind.
    const FACTS: KindFacts;
    /// What labels can be.
    type Scale: Setting;
    /// The table `[judge]`.
    type JudgeConfig: Setting;
    /// The table `[labels]`.
    type LabelsConfig: Setting;
    /// What was found in the judge's file.
    type JudgeReport: Reported + Default;

    /// What annotators are asked.
    fn question(scale: &Self::Scale) -> Question;

    /// Where classes stand on a scale, in ascending order; `None` for labels that are no such classes.
    fn places(_scale: &Self::Scale) -> Option<&[f64]> {
        None
    }

    /// The judge's files, and where labels stand in those of the study; `None` for a study that has no such files yet.
    fn tables(config: &StudyConfig<Self>) -> (&Files, Option<LabelColumns<'_>>);

    /// Reads the judge's files: an answer per item, or none.
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
        answers: Vec<JudgeAnswers>,
        report: Self::JudgeReport,
    ) -> Result<StudyJudge<Self>>;
}

/// What is the same in every study of a kind of label.
#[derive(Debug, Clone, Copy)]
pub struct KindFacts {
    /// The key above all tables that marks a study of this kind; its value says what labels can be.
    pub key: &'static str,
    /// Whether labels stand on a scale.
    pub on_scale: bool,
    /// Name in results.
    pub name: &'static str,
    /// What labels of this kind are called in messages, such as `scores`.
    pub labels: &'static str,
    /// Whether a rule can rank them.
    pub ranked_by: fn(&RuleRow) -> bool,
    /// Whether the likelihood stops at limits of the trust; the table of items flags what lies beyond them.
    pub limits_trust: bool,
    /// The rule that evaluations compare every other rule with: total uncertainty.
    pub reference: Rule,
}

/// A judge's file as it was read.
#[derive(Debug)]
pub struct JudgeFile<K: Read> {
    /// Names of the variants of its prompt, in the order of their first appearance.
    pub variants: Vec<String>,
    /// Its answer to each item; `None` where every answer is blank or missing. Of scores an answer under a variant is
    /// the expected mean and, where it is stated, the expected variance.
    pub answers: Vec<Option<JudgeAnswers>>,
    /// What was found.
    pub report: K::JudgeReport,
}

/// What the judge says of the items of a study.
#[derive(Debug, Clone)]
pub struct StudyJudge<K: Read> {
    /// What it predicts: the shares of the classes, items x classes; of scores their expected mean, in one column.
    pub predictions: Array2<f64>,
    /// The variance that it expects of an item's scores, where it states one; empty for classes.
    pub variances: Vec<Option<f64>>,
    /// Its answers under every variant; `None` for scores.
    pub answers: Option<JudgeVariants>,
    /// Whether its answers are classes alone and no shares of them.
    pub is_verdicts: bool,
    /// Of scores the mean under each variant that answered; empty for classes.
    pub scores: Vec<Vec<f64>>,
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

//! What the judge says, as it is read.

use ndarray::Array2;

use super::config::{StudyConfig, StudyFile};
use super::items::Items;
use super::scale::Scale;
use super::source::Source;
use crate::kinds::classes::judge::ClassJudgeReport;
use crate::kinds::scores::judge::ScoreJudgeReport;
use crate::kinds::{classes, scores};
use judge_uncertainty_evaluation::ByLabels;
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::judge::{JudgeAnswers, JudgeVariants};

/// What was found in the judge's file.
pub type JudgeReport = ByLabels<ClassJudgeReport, ScoreJudgeReport>;

/// A judge's file as it was read.
#[derive(Debug)]
pub struct JudgeFile {
    /// Names of the variants of its prompt, in the order of their first appearance.
    pub variants: Vec<String>,
    /// Its answers to each item.
    pub answers: JudgeAnswers,
    /// What was found.
    pub report: JudgeReport,
}

/// What the judge says of the items of a study.
#[derive(Debug, Clone)]
pub struct StudyJudge {
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
    /// How far its variants are apart, per item; `None` for items with fewer than two, empty where all are.
    pub spread: Vec<Option<f64>>,
    /// Its stated confidence per item, 0 to 100; empty where it states none.
    pub confidence: Vec<Option<f64>>,
    /// Blank answers: they are counted and never become labels.
    pub failed_answers: usize,
    /// Rows of ids that the items don't have, left out.
    pub unknown_rows: usize,
    /// What was found in its file.
    pub report: JudgeReport,
}

impl JudgeFile {
    /// Reads the judge's files: an answer per item, or none.
    ///
    /// # Errors
    /// An answer that can't be used.
    pub fn read(file: &StudyFile, items: &Items, source: &mut Source) -> Result<Self> {
        match &file.config.scale {
            Scale::Scores(..) => scores::judge::read(file, items, source),
            _ => classes::judge::read(file, items, source),
        }
    }
}

impl StudyJudge {
    /// Puts the answers to the items `ids` together, under `variants` of the prompt.
    ///
    /// # Errors
    /// Answers that can't be put together.
    pub fn new(
        config: &StudyConfig,
        ids: &ItemIds,
        variants: &[String],
        answers: JudgeAnswers,
        report: JudgeReport,
    ) -> Result<Self> {
        match report {
            JudgeReport::Classes(report) => classes::judge::judge(config, ids, variants, answers, report),
            JudgeReport::Ratings(report) => Ok(scores::judge::judge(variants, &answers, report)),
        }
    }
}

//! What the judge says, as it is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::input::config::{StudyConfig, StudyFile};
use crate::input::items::Items;
use crate::input::scale::Scale;
use crate::input::source::{Source, read_if_there};
use crate::kinds::classes::judge::ClassJudgeReport;
use crate::kinds::scores::ScoreJudgeReport;
use crate::kinds::{classes, scores};
use judge_uncertainty_evaluation::ByLabels;
use judge_uncertainty_formats::checksum::read_file;
use judge_uncertainty_formats::error::{Error, Place, Result};
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
            Scale::Scores(..) => scores::read(file, items, source),
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
            JudgeReport::Ratings(report) => Ok(scores::judge(variants, &answers, report)),
        }
    }
}

// Which judge a study's trust belongs to: sums of its files, and of the prompts that made them.

/// What `judge run` writes beside its predictions.
pub const SUMMARY: &str = "summary.json";

/// The judge that a trust was fitted to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeFiles {
    /// SHA-256 of each of its files, in the order of the configuration.
    pub files: Vec<String>,
    /// SHA-256 of each prompt template by name, where `judge run` made the predictions; empty otherwise.
    #[serde(default)]
    pub prompts: BTreeMap<String, String>,
    /// The model that `judge run` asked.
    #[serde(default)]
    pub model: Option<String>,
}

impl JudgeFiles {
    /// The judge of a study whose `inputs` were read: the sums of the same bytes, and what a summary beside them says.
    ///
    /// # Errors
    /// There is a summary that can't be read.
    pub fn from_study(file: &StudyFile, inputs: &Source) -> Result<Self> {
        let paths = file.resolve_all(file.config.tables().0);
        let sum = |path: &PathBuf| inputs.sums().get(&path.display().to_string()).cloned();
        let files = paths.iter().filter_map(sum).collect();
        let summary = paths.first().map(|path| read_if_there(&path.with_file_name(SUMMARY))).transpose()?.flatten();
        Ok(Self { files, ..summary.and_then(|text| Self::said(&text)).unwrap_or_default() })
    }

    /// What the summary says that `judge run` wrote beside its predictions.
    ///
    /// # Errors
    /// A file that can't be read, or is not such a summary.
    pub fn from_summary(path: &Path) -> Result<Self> {
        Self::said(&read_file(path)?).ok_or_else(|| {
            let remedy = format!("name the {SUMMARY} that it wrote beside its predictions");
            Error::unfit(Place::file(path), "is not a summary of `judge-uncertainty judge run`", remedy)
        })
    }

    /// What the bytes of a summary say; `None` where they are none of ours.
    fn said(summary: &[u8]) -> Option<Self> {
        let summary: Value = serde_json::from_slice(summary).ok()?;
        summary["program"].as_str().filter(|by| by.starts_with("judge-uncertainty "))?;
        let prompts = summary["templates"].as_object();
        let text = |(name, sum): (&String, &Value)| Some((name.clone(), sum.as_str()?.to_owned()));
        Some(Self {
            files: vec![],
            prompts: prompts.map(|prompts| prompts.iter().filter_map(text).collect()).unwrap_or_default(),
            model: summary["model"].as_str().map(str::to_owned),
        })
    }

    /// What another judge differs in that both state, in words: model and prompts. Files of predictions differ where
    /// items do.
    pub fn is_other(&self, other: &Self) -> Option<String> {
        if let (Some(model), Some(others)) = (&self.model, &other.model)
            && model != others
        {
            return Some(format!("the model {others:?}, where the belief was fitted to {model:?}"));
        }
        let differs = |(name, sum): (&String, &String)| other.prompts.get(name).is_none_or(|others| others != sum);
        let prompts = self.prompts.iter().find(|of| !other.prompts.is_empty() && differs(*of));
        prompts.map(|(name, _)| format!("another prompt {name:?} than the one that the belief was fitted to"))
    }

    /// What differs from another judge, in words; `None` where nothing does.
    pub fn differs(&self, other: &Self) -> Option<String> {
        let changed = [
            (self.files != other.files).then_some("the predictions"),
            (self.prompts != other.prompts).then_some("the prompts"),
            (self.model != other.model).then_some("the model"),
        ];
        let changed: Vec<&str> = changed.into_iter().flatten().collect();
        (!changed.is_empty()).then(|| changed.join(", "))
    }
}

#[cfg(test)]
mod tests_of_judge_files {
    use super::*;

    #[test]
    fn another_judge_is_told_by_model_and_prompts_and_not_by_its_files() {
        let judge = |file: &str, prompt: Option<&str>, model: Option<&str>| JudgeFiles {
            files: vec![file.to_owned()],
            prompts: prompt.map(|sum| ("plain".to_owned(), sum.to_owned())).into_iter().collect(),
            model: model.map(str::to_owned),
        };
        let own = judge("a", Some("p"), Some("m"));
        assert_eq!(own.is_other(&judge("b", Some("p"), Some("m"))), None);
        assert_eq!(own.is_other(&judge("b", None, None)), None);
        assert!(own.is_other(&judge("a", Some("p"), Some("n"))).unwrap().contains("\"n\""));
        assert!(own.is_other(&judge("a", Some("q"), Some("m"))).unwrap().contains("plain"));
    }

    #[test]
    fn what_changed_is_named() {
        let judge = |file: &str, prompt: &str| JudgeFiles {
            files: vec![file.to_owned()],
            prompts: [("plain".to_owned(), prompt.to_owned())].into(),
            model: None,
        };
        assert_eq!(judge("a", "b").differs(&judge("a", "b")), None);
        assert_eq!(judge("a", "b").differs(&judge("c", "d")).unwrap(), "the predictions, the prompts");
    }
}

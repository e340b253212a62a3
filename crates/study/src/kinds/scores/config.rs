//! `study.toml` of a study whose labels are ratings on a continuous scale.

use serde::{Deserialize, Serialize};

use crate::input::check::Check;
use crate::input::config::{FileFormat, Files, StudyConfig};
use crate::input::labels::LabelColumns;
use crate::input::scale::Scale;
use judge_uncertainty_core::belief::BeliefModel;
use judge_uncertainty_formats::error::Result;

/// `[judge]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreJudgeConfig {
    /// The file: one row per item and variant.
    pub file: Files,
    /// Its layout; by default that of its extension. `lewidi` is a file of perspectivist predictions: the mean of an
    /// item's ratings, and their standard deviation where they differ.
    pub format: Option<FileFormat>,
    /// Column with the ids.
    pub id: Option<String>,
    /// Column with the expected mean of the annotators' scores; blank for a failed answer.
    #[serde(default = "mean")]
    pub mean: String,
    /// Column with the expected standard deviation of their scores, blank where it is not stated.
    pub sd: Option<String>,
    /// Column that says which variant of the prompt, or which model, a row belongs to.
    pub variant: Option<String>,
}

/// `[labels]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreLabelsConfig {
    /// The file: one row per rating.
    pub file: Files,
    /// Its layout; by default that of its extension.
    pub format: Option<FileFormat>,
    /// Column with the ids.
    pub id: Option<String>,
    /// Column with the annotator, who may rate an item several times.
    #[serde(default = "annotator")]
    pub annotator: String,
    /// Column with the score.
    #[serde(default = "score")]
    pub score: String,
}

fn mean() -> String {
    "mean".to_owned()
}
fn annotator() -> String {
    "annotator".to_owned()
}
fn score() -> String {
    "score".to_owned()
}

impl ScoreLabelsConfig {
    /// Where ratings stand in its files.
    pub fn columns(&self) -> LabelColumns<'_> {
        LabelColumns {
            files: &self.file,
            format: self.format,
            id: self.id.as_deref(),
            annotator: &self.annotator,
            label: &self.score,
            is_counted: false,
            counts: None,
        }
    }
}

/// Checks the settings of a study of scores.
///
/// # Errors
/// A value outside its range.
pub fn check(config: &StudyConfig, check: &Check<'_>) -> Result<()> {
    let Scale::Scores(low, high) = config.scale else { return Ok(()) };
    let range = low.is_finite() && high.is_finite() && low < high;
    check.that(range, config.scale.key(), &(low, high), "is not a range", "write [lowest, highest], such as [1, 5]")?;
    check.has_room(low, high, config.scale.key(), &(low, high))?;
    let of_classes = matches!(config.trust.belief, BeliefModel::Map(map) if map.words_of_ratings().is_none());
    let (reason, remedy) =
        ("this map reads classes", "take belief = \"auto\", \"line\", \"groups\" or \"recalibrated\"");
    check.that(!of_classes, "trust.belief", &config.trust.belief, reason, remedy)?;
    let of_labels = config.tables().1.and_then(|labels| labels.format);
    for (setting, format) in [("judge.format", config.judge.of_ratings().format), ("labels.format", of_labels)] {
        let remedy = "leave it out if the file's name says its layout, or write one such as \"csv\" or \"jsonl\"";
        check.that(format != Some(FileFormat::ChaosNli), setting, &format, "holds no scores", remedy)?;
    }
    Ok(())
}

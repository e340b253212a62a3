//! `study.toml` of a study of scores.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::belief::BeliefModel;
use crate::dataset::error::Result;
use crate::study::config::{
    EvaluationConfig, FamiliarityConfig, Format, ItemsConfig, StudyFile, TrustConfig, Unmatched,
};

/// The configuration of a study of scores; what it shares with a study of classes is configured alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreConfig {
    /// What the study is called in its report.
    pub title: String,
    /// Lowest and highest score that can be given.
    pub scale: (f64, f64),
    /// Seed of tie breaks and random rankings.
    #[serde(default)]
    pub seed: u64,
    /// What happens to items without a score of the judge, and to scores of unknown items.
    #[serde(default)]
    pub unmatched: Unmatched,
    /// The items.
    pub items: ItemsConfig,
    /// The judge's scores.
    pub judge: ScoreJudgeConfig,
    /// The annotators' scores.
    pub labels: ScoreLabelsConfig,
    /// The trust regression.
    #[serde(default)]
    pub trust: TrustConfig,
    /// How near items are to the labelled ones; without it, trust doesn't depend on that.
    pub familiarity: Option<FamiliarityConfig>,
    /// The half-split evaluation; an annotator is one label.
    #[serde(default)]
    pub evaluation: EvaluationConfig,
}

/// `[judge]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreJudgeConfig {
    /// The file: one row per item and variant.
    pub file: PathBuf,
    /// Its layout; by default that of its extension.
    pub format: Option<Format>,
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
    pub file: PathBuf,
    /// Its layout; by default that of its extension.
    pub format: Option<Format>,
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

impl AsRef<ItemsConfig> for ScoreConfig {
    fn as_ref(&self) -> &ItemsConfig {
        &self.items
    }
}

impl ScoreConfig {
    /// Reads and checks a `study.toml`; a folder stands for the `study.toml` in it.
    ///
    /// # Errors
    /// A file that can't be read, is no TOML, has an unknown key, or a value outside its range.
    pub fn load(path: &Path) -> Result<StudyFile<Self>> {
        let (file, _) = StudyFile::<Self>::parse(path)?;
        let config = &file.config;
        let that = |holds: bool, setting: &str, value: String, reason: &str, remedy: &str| match holds {
            true => Ok(()),
            false => Err(file.refuse(setting, &value, reason, remedy)),
        };
        that(!config.title.trim().is_empty(), "title", format!("{:?}", config.title), "is blank", "name the study")?;
        let (low, high) = config.scale;
        let range = low.is_finite() && high.is_finite() && low < high;
        that(range, "scale", format!("{:?}", config.scale), "is no range", "write [lowest, highest], such as [1, 5]")?;
        let published = config.trust.belief == BeliefModel::Published;
        let remedy = "leave it out: only predictions of classes are recalibrated";
        that(published, "trust.belief", format!("{:?}", config.trust.belief), "is about classes", remedy)?;
        for (setting, format) in [("judge.format", config.judge.format), ("labels.format", config.labels.format)] {
            let plain = !matches!(format, Some(Format::ChaosNli | Format::LeWiDi));
            that(plain, setting, format!("{format:?}"), "holds no scores", "write \"csv\" or \"jsonl\"")?;
        }
        let neighbours = config.familiarity.as_ref().map_or(1, |familiarity| familiarity.neighbours);
        let fits = (1..=1000).contains(&neighbours);
        let setting = "familiarity.neighbours";
        that(fits, setting, neighbours.to_string(), "is outside 1 to 1000", "choose a number such as 10")?;
        file.check_evaluation(&config.evaluation)?;
        Ok(file)
    }
}

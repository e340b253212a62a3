//! `study.toml`: what a study reads and how it computes, checked before anything else is read.
//!
//! Unknown keys are errors, and every refusal names line and column. Paths are relative to the file's folder.

mod check;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::belief::BeliefModel;
use crate::dataset::checksum::{read_file, sha256_hex};
use crate::dataset::error::{Error, Place, Problem, Result};
use crate::dataset::judge::CONFIDENCE_RANGE;
use crate::escalation::Budget;
use crate::familiarity::embedding::DEFAULT_MODEL;
use crate::familiarity::neighbours::Engine;
use check::{Check, place};

/// The configuration of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyConfig {
    /// What the study is called in its report.
    pub title: String,
    /// The classes of a label, two or more.
    pub classes: Vec<String>,
    /// Seed of every random draw of the study; with 0 the streams are those of the paper.
    #[serde(default)]
    pub seed: u64,
    /// What happens to items without an answer of the judge, and to answers and labels of unknown items.
    #[serde(default)]
    pub unmatched: Unmatched,
    /// The items.
    pub items: ItemsConfig,
    /// The judge's predictions.
    pub judge: JudgeConfig,
    /// The human labels.
    pub labels: LabelsConfig,
    /// The trust regression.
    #[serde(default)]
    pub trust: TrustConfig,
    /// How near items are to the labelled ones; without it, trust doesn't depend on that.
    pub familiarity: Option<FamiliarityConfig>,
    /// The half-split evaluation.
    #[serde(default)]
    pub evaluation: EvaluationConfig,
}

/// What happens to ids that one file has and another lacks. An item without labels is never unmatched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unmatched {
    /// They are refused.
    #[default]
    Refuse,
    /// They are left out of the study and counted.
    LeaveOut,
}

/// Layout of an input file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A table with a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// ChaosNLI's JSON Lines: ids in `uid`, counts in `label_counter`.
    ChaosNli,
    /// A LeWiDi file: one JSON object with a member per item.
    LeWiDi,
}

/// `[items]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemsConfig {
    /// The file.
    pub file: PathBuf,
    /// Its layout; by default that of its extension.
    pub format: Option<Format>,
    /// Column with the ids.
    pub id: Option<String>,
    /// Template of an item's text, such as `Premise: {premise}\nHypothesis: {hypothesis}`.
    pub text: Option<String>,
    /// Column that says which group an item belongs to.
    pub group: Option<String>,
    /// Columns with numbers, to be features.
    #[serde(default)]
    pub numbers: Vec<String>,
    /// The labels of a LeWiDi file whose annotators may give several: each item becomes one item per label (`KEY/LABEL`,
    /// the label in the column `label`), of which annotators say whether it applies, `1`, or not, `0`.
    #[serde(default)]
    pub multilabel: Vec<String>,
    /// Columns with categories, to be features: one 0/1 feature per category but the first in the order of the alphabet.
    #[serde(default)]
    pub categories: Vec<String>,
}

/// What an answer of the judge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JudgeKind {
    /// A probability per class; what is missing to 1 is mass outside the classes.
    Probabilities,
    /// A count, percentage or other weight per class, on any scale.
    Counts,
    /// One label per row, from repeated samples of one prompt; a blank cell is a failed answer.
    Labels,
}

/// Metrics as a shared task defines them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MetricProfile {
    /// Soft evaluation of LeWiDi-2025 ([`super::soft_scores`]).
    #[serde(rename = "lewidi2025")]
    LeWiDi2025,
}

/// `[judge]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeConfig {
    /// The file.
    pub file: PathBuf,
    /// Its layout; by default that of its extension.
    pub format: Option<Format>,
    /// Column with the ids.
    #[serde(default = "id")]
    pub id: String,
    /// What an answer is.
    pub kind: JudgeKind,
    /// How the columns of the classes are called: `{class}` stands for the class and, if the file has the variants side
    /// by side, `{variant}` for the variant.
    pub columns: Option<String>,
    /// Column with the sampled label, for `kind = "labels"`.
    #[serde(default = "label")]
    pub label: String,
    /// Column that says which variant of the prompt, or which model, a row belongs to.
    pub variant: Option<String>,
    /// The variants, where `columns` has `{variant}`.
    #[serde(default)]
    pub variants: Vec<String>,
    /// Column with the stated confidence.
    pub confidence: Option<String>,
    /// Lowest and highest confidence that can be stated.
    #[serde(default = "confidence_range")]
    pub confidence_range: (f64, f64),
    /// Zero probabilities are raised to this and the rest scaled down; by default half a count of 100.
    pub floor: Option<f64>,
    /// Metrics of a shared task that are reported besides the judge's own diagnostics.
    pub metric_profile: Option<MetricProfile>,
    /// Mass on the classes under which an answer is warned about.
    #[serde(default = "least_mass")]
    pub least_mass: f64,
}

/// How labels are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelsForm {
    /// One row per item with a count per class.
    Counts,
    /// One row per label.
    Long,
}

/// `[labels]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelsConfig {
    /// The file.
    pub file: PathBuf,
    /// Its layout; by default that of its extension.
    pub format: Option<Format>,
    /// Column with the ids.
    pub id: Option<String>,
    /// How the labels are laid out; ChaosNLI and LeWiDi files say it themselves.
    pub form: Option<LabelsForm>,
    /// How the columns of counts are called, with `{class}` for the class.
    pub columns: Option<String>,
    /// Column with the annotator, for `form = "long"`.
    #[serde(default = "annotator")]
    pub annotator: String,
    /// Column with the label, for `form = "long"`.
    #[serde(default = "label")]
    pub label: String,
}

/// `[trust]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustConfig {
    /// Features of the regression in order; by default all there are.
    ///
    /// `spread` (of the variants), `log_labels` (ln(1 + labels)), `confidence`, `nearest_labelled`,
    /// `mean_nearest_labelled`, and the numbers and categories of the items.
    pub features: Option<Vec<String>>,
    /// Which belief is fitted: the paper's, or one that recalibrates the prediction as well and brings further rules.
    #[serde(default)]
    pub belief: BeliefModel,
}

/// `[familiarity]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamiliarityConfig {
    /// Embeddings of the items, `.npy` or `.csv`; without it, the items' texts are embedded when the study is run.
    pub embeddings: Option<PathBuf>,
    /// Sentence model that embeds texts: a folder, seen from the study's or from the working directory, or a name.
    #[serde(default = "model")]
    pub model: String,
    /// Folder that keeps embeddings of texts, so that only new texts are embedded.
    #[serde(default = "cache")]
    pub cache: PathBuf,
    /// Labelled neighbours whose mean distance is `mean_nearest_labelled`.
    #[serde(default = "neighbours")]
    pub neighbours: usize,
    /// How neighbours are found; by default exactly, which was faster in every size that was measured.
    #[serde(default = "engine")]
    pub engine: Engine,
    /// Whether a labelled item counts among its own neighbours, as it does in the paper's numbers.
    #[serde(default)]
    pub count_itself: bool,
}

/// `[evaluation]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationConfig {
    /// Half splits; 0 for no evaluation.
    #[serde(default = "replicates")]
    pub replicates: usize,
    /// Budgets in percent of the evaluated items.
    #[serde(default = "budgets")]
    pub budgets: Vec<u32>,
    /// Labels that an item may hold before escalation, each as likely as the others.
    #[serde(default = "reveal")]
    pub reveal: Vec<u32>,
    /// Labels that an item must have to be evaluated: half of them are its truth.
    #[serde(default = "least_labels")]
    pub least_labels: u32,
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        Self { replicates: replicates(), budgets: budgets(), reveal: reveal(), least_labels: least_labels() }
    }
}

fn engine() -> Engine {
    Engine::Exact
}

fn id() -> String {
    "id".to_owned()
}
fn label() -> String {
    "label".to_owned()
}
fn annotator() -> String {
    "annotator".to_owned()
}
fn confidence_range() -> (f64, f64) {
    CONFIDENCE_RANGE
}
fn least_mass() -> f64 {
    0.9
}
fn model() -> String {
    DEFAULT_MODEL.to_owned()
}
fn cache() -> PathBuf {
    PathBuf::from("embedding-cache")
}
fn neighbours() -> usize {
    10
}
fn replicates() -> usize {
    crate::experiments::chaosnli::PUBLISHED_REPLICATES
}
fn budgets() -> Vec<u32> {
    vec![1, 5, 10, 20]
}
fn reveal() -> Vec<u32> {
    crate::experiments::world::REVEALED.to_vec()
}
fn least_labels() -> u32 {
    20
}

/// More classes than this are refused: every item has several columns per class in the output.
pub const MOST_CLASSES: usize = 1000;
/// Features that are no columns of the items.
pub const OWN_FEATURES: [&str; 5] = ["spread", "log_labels", "confidence", "nearest_labelled", "mean_nearest_labelled"];

/// A configuration with the file it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFile<C = StudyConfig> {
    /// The file.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// What it says.
    pub config: C,
}

impl AsRef<ItemsConfig> for StudyConfig {
    fn as_ref(&self) -> &ItemsConfig {
        &self.items
    }
}

impl<C> StudyFile<C> {
    /// Reads a `study.toml` without checking its values, and returns its text too.
    pub(super) fn parse(path: &Path) -> Result<(Self, String)>
    where
        C: DeserializeOwned,
    {
        let path = if path.is_dir() { path.join("study.toml") } else { path.to_owned() };
        let bytes = read_file(&path)?;
        let sha256 = sha256_hex(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| Error::refused(Place::file(&path), Problem::NotUtf8))?;
        let config: C = toml::from_str(&text).map_err(|error| {
            let place = error.span().map_or(Place::file(&path), |span| place(&path, &text, span.start));
            Error::refused(place, Problem::NotToml { reason: error.message().replace('\n', "; ") })
        })?;
        Ok((Self { sha256, path, config }, text))
    }

    /// A path of the configuration, seen from the working directory.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    /// Refuses a setting, written as `table.key`, at its place in the file.
    pub fn refuse(&self, setting: &str, value: &str, reason: &str, remedy: &str) -> Error {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        Check { path: &self.path, text: &text }.refuse(setting, value, reason, remedy)
    }

    /// Checks the values of an evaluation.
    ///
    /// # Errors
    /// A value outside its range.
    pub fn check_evaluation(&self, evaluation: &EvaluationConfig) -> Result<()> {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        Check { path: &self.path, text: &text }.evaluation(evaluation)
    }
}

impl StudyFile {
    /// Reads and checks a `study.toml`; a folder stands for the `study.toml` in it.
    ///
    /// # Errors
    /// A file that can't be read, is no TOML, has an unknown key, or a value outside its range.
    pub fn load(path: &Path) -> Result<Self> {
        let (file, text) = Self::parse(path)?;
        Check { path: &file.path, text: &text }.all(&file.config)?;
        Ok(file)
    }

    /// Checks the values again, after one was changed.
    ///
    /// # Errors
    /// A value outside its range.
    pub fn check(&self) -> Result<()> {
        Check { path: &self.path, text: "" }.all(&self.config)
    }
}

impl StudyConfig {
    /// The floor under predicted probabilities: the configured one, or half a count of 100 (less where that would leave
    /// no room: a quarter of an even share).
    pub fn floor(&self) -> f64 {
        let even = 1.0 / self.classes.len() as f64;
        self.judge.floor.unwrap_or(crate::experiments::chaosnli::FLOOR.min(even / 4.0))
    }
}

impl EvaluationConfig {
    /// Budgets of the evaluation; those of a checked configuration are all possible.
    pub fn budgets(&self) -> Vec<Budget> {
        self.budgets.iter().filter_map(|&percent| Budget::percent(percent)).collect()
    }
}

/// A configuration as text by dotted names, such as `evaluation.replicates`; what is not set is left out.
pub fn flattened<C: Serialize>(config: &C) -> BTreeMap<String, String> {
    fn walk(name: &str, value: &serde_json::Value, flat: &mut BTreeMap<String, String>) {
        match value {
            serde_json::Value::Null => {}
            serde_json::Value::Object(members) => {
                for (key, member) in members {
                    walk(&if name.is_empty() { key.clone() } else { format!("{name}.{key}") }, member, flat);
                }
            }
            serde_json::Value::String(text) => {
                flat.insert(name.to_owned(), text.clone());
            }
            other => {
                flat.insert(name.to_owned(), other.to_string());
            }
        }
    }
    let value = serde_json::to_value(config).expect("a configuration is plain data with string keys");
    let mut flat = BTreeMap::new();
    walk("", &value, &mut flat);
    flat
}

//! The configuration as a whole.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::tables::{ClassJudgeConfig, ClassLabelsConfig, ScoreJudgeConfig, ScoreLabelsConfig};
use crate::audit::columns::Mapping;
use crate::input::question::{Asked, Criterion};
use crate::input::scale::{Places, Scale};
use crate::model::chosen::Drawn;
use judge_uncertainty_core::belief::{BeliefModel, TrustPrior};
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_evaluation::{ByLabels, protocol};
use judge_uncertainty_familiarity::embedding::DEFAULT_MODEL;
use judge_uncertainty_familiarity::neighbours::Engine;
use judge_uncertainty_formats::judge::CONFIDENCE_RANGE;
use judge_uncertainty_formats::logs;
use judge_uncertainty_formats::logs::pairs::CLASSES;
use judge_uncertainty_formats::logs::{LOGS, LogFormat};

/// The configuration of a study; the parameters are what its scale, judge and labels are read as.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyConfig<S = Scale, J = JudgeConfig, L = LabelsConfig> {
    /// What the study is called in its report.
    pub title: String,
    /// What labels can be; its key is [`Scale::key`].
    #[serde(alias = "classes", alias = "places")]
    pub scale: S,
    /// The instruction that annotators read wherever the study's queue is labelled.
    pub instruction: Option<String>,
    /// What items are judged by, where the judge or the annotators know several criteria.
    pub criterion: Option<Criterion>,
    /// Seed of every random draw of the study; with 0 the streams are those of the paper.
    #[serde(default)]
    pub seed: u64,
    /// What happens to items without an answer of the judge, and to answers and labels of unknown items.
    #[serde(default)]
    pub unmatched: Unmatched,
    /// What `audit` noted of the logs that the tables were made from; part of the manifest.
    pub made_from: Option<PathBuf>,
    /// How `audit` read the table that the study was made from, so that `apply` reads further ones alike.
    pub audited: Option<TableReading>,
    /// The items.
    pub items: ItemsConfig,
    /// The judge's predictions.
    pub judge: J,
    /// The human labels of the user's own files; a study that has none yet goes without, and its labels are those of
    /// the log.
    pub labels: Option<L>,
    /// The trust regression.
    #[serde(default)]
    pub trust: TrustConfig,
    /// How near items are to the labelled ones; without it, trust doesn't depend on that.
    pub familiarity: Option<FamiliarityConfig>,
    /// The half-split evaluation.
    #[serde(default)]
    pub evaluation: EvaluationConfig,
}

/// `[judge]`
pub type JudgeConfig = ByLabels<ClassJudgeConfig, ScoreJudgeConfig>;
/// `[labels]`
pub type LabelsConfig = ByLabels<ClassLabelsConfig, ScoreLabelsConfig>;

impl<S, J, L> StudyConfig<S, J, L> {
    /// The configuration of whatever labels.
    fn of(self, scale: fn(S) -> Scale, judge: fn(J) -> JudgeConfig, labels: fn(L) -> LabelsConfig) -> StudyConfig {
        StudyConfig {
            scale: scale(self.scale),
            judge: judge(self.judge),
            labels: self.labels.map(labels),
            title: self.title,
            instruction: self.instruction,
            criterion: self.criterion,
            seed: self.seed,
            unmatched: self.unmatched,
            made_from: self.made_from,
            audited: self.audited,
            items: self.items,
            trust: self.trust,
            familiarity: self.familiarity,
            evaluation: self.evaluation,
        }
    }
}

/// Which labels a configuration is about, by the keys above all its tables; mere classes where none tells.
pub fn scale_key<'k>(keys: impl IntoIterator<Item = &'k String>) -> &'static str {
    let keys: Vec<&String> = keys.into_iter().collect();
    ["places", "scale"].into_iter().find(|own| keys.iter().any(|key| key == own)).unwrap_or("classes")
}

impl StudyConfig {
    /// Reads a configuration whose scale has this key.
    ///
    /// # Errors
    /// A key that is unknown or lacking, a value of another type.
    pub fn read<'de, D: Deserializer<'de>>(key: &str, from: D) -> std::result::Result<Self, D::Error> {
        let mut config = match key {
            "places" => StudyConfig::<Places, ClassJudgeConfig, ClassLabelsConfig>::deserialize(from)?.of(
                Scale::Places,
                JudgeConfig::Classes,
                LabelsConfig::Classes,
            ),
            "scale" => StudyConfig::<(f64, f64), ScoreJudgeConfig, ScoreLabelsConfig>::deserialize(from)?.of(
                |(low, high)| Scale::Scores(low, high),
                JudgeConfig::Ratings,
                LabelsConfig::Ratings,
            ),
            _ => StudyConfig::<Vec<String>, ClassJudgeConfig, ClassLabelsConfig>::deserialize(from)?.of(
                Scale::Classes,
                JudgeConfig::Classes,
                LabelsConfig::Classes,
            ),
        };
        config.trust.belief = Some(config.trust.belief());
        Ok(config)
    }

    /// [`Self::read`] from the text of a `study.toml`.
    ///
    /// # Errors
    /// As there; a text that is not TOML.
    pub fn from_toml(text: &str) -> std::result::Result<Self, toml::de::Error> {
        let table = text.parse::<toml::Table>().unwrap_or_default();
        Self::read(scale_key(table.keys()), toml::Deserializer::parse(text)?)
    }

    /// The ends of the confidence that the judge states; `None` where the study has none.
    pub(crate) fn stated_confidence(&self) -> Option<(f64, f64)> {
        match &self.judge {
            JudgeConfig::Classes(own) => {
                own.confidence.as_ref().map(|_| own.confidence_range.unwrap_or(CONFIDENCE_RANGE))
            }
            JudgeConfig::Ratings(_) => None,
        }
    }

    /// The ends of the judge's numbers in the table that the study was made from, where these stand for one of two answers.
    pub(crate) fn scores(&self) -> Option<(f64, f64)> {
        self.audited.as_ref()?.scores
    }

    /// The settings with defaults that depend on others filled in, as a manifest states them.
    pub fn filled(mut self) -> Self {
        let floor = (!self.scale.is_numbers()).then(|| self.floor());
        if let JudgeConfig::Classes(judge) = &mut self.judge {
            judge.floor = floor;
        }
        self
    }

    /// What annotators are asked.
    pub fn asked(&self) -> Asked<'_> {
        let ends = match &self.scale {
            Scale::Places(places) => places.names.first().zip(places.names.last()),
            _ => None,
        };
        let ends = ends.map(|(low, high)| format!("{low} is the lowest, {high} the highest."));
        let instruction = match (self.instruction.as_deref(), ends) {
            (Some(told), Some(ends)) => Some(Cow::Owned(format!("{told}\n{ends}"))),
            (told, ends) => told.map(Cow::Borrowed).or(ends.map(Cow::Owned)),
        };
        Asked { scale: &self.scale, criterion: self.criterion.as_ref(), instruction }
    }

    /// The classes for the first and for the second of two answers: those of `judge.mirror`, or `A` and `B`; `None` where
    /// labels are no such classes.
    pub fn sides(&self) -> Option<[String; 2]> {
        let mirror = match &self.judge {
            JudgeConfig::Classes(judge) => judge.mirror.clone(),
            JudgeConfig::Ratings(_) => None,
        };
        let sides = mirror.map_or(CLASSES.map(str::to_owned), |(one, other)| [one, other]);
        sides.iter().all(|side| self.scale.classes().contains(side)).then_some(sides)
    }

    /// Every setting, defaults filled in, as text by its dotted name, such as `evaluation.replicates`; what is not set
    /// is left out.
    pub fn flattened(&self) -> BTreeMap<String, String> {
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
        let value = serde_json::to_value(self).expect("a configuration is plain data with string keys");
        let mut flat = BTreeMap::new();
        walk("", &value, &mut flat);
        flat
    }
}

// Not derived: the key of the scale depends on the kind.
impl Serialize for StudyConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("StudyConfig", 14)?;
        fields.serialize_field("title", &self.title)?;
        fields.serialize_field(self.scale.key(), &self.scale)?;
        if let Some(instruction) = &self.instruction {
            fields.serialize_field("instruction", instruction)?;
        }
        fields.serialize_field("seed", &self.seed)?;
        fields.serialize_field("unmatched", &self.unmatched)?;
        // Studies without a note keep the settings that they have always had.
        if let Some(noted) = &self.made_from {
            fields.serialize_field("made_from", noted)?;
        }
        if let Some(audited) = &self.audited {
            fields.serialize_field("audited", audited)?;
        }
        if let Some(criterion) = &self.criterion {
            fields.serialize_field("criterion", criterion)?;
        }
        fields.serialize_field("items", &self.items)?;
        fields.serialize_field("judge", &self.judge)?;
        fields.serialize_field("labels", &self.labels)?;
        fields.serialize_field("trust", &self.trust)?;
        fields.serialize_field("familiarity", &self.familiarity)?;
        fields.serialize_field("evaluation", &self.evaluation)?;
        fields.end()
    }
}

/// `[audited]`: how a table was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableReading {
    /// Which of its columns held what; none of pairs.
    #[serde(default, skip_serializing_if = "Mapping::is_empty")]
    pub columns: Mapping,
    /// What `A` of the judge is in pairs that were shown in the other order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letters: Option<Letters>,
    /// The system that is `A` in all pairs, where there are two systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// The ends of the judge's numbers, where these stand for one of two answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<(f64, f64)>,
}

/// What the letters `A` and `B` of a judge stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Letters {
    /// The answer that was shown first, and second.
    Places,
    /// One answer, in whichever order the two were shown.
    Answers,
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

/// `[items]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemsConfig {
    /// The file, or several.
    pub file: Files,
    /// Its layout; by default that of its extension.
    pub format: Option<FileFormat>,
    /// Column with the ids.
    pub id: Option<String>,
    /// Template of an item's text, such as `Premise: {premise}\nHypothesis: {hypothesis}`.
    pub text: Option<String>,
    /// Column that says which group an item belongs to.
    pub group: Option<String>,
    /// Column that says which system made what is judged; the answer compares the systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Two columns with the names of the systems whose answers an item holds side by side; labels say which won.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<[String; 2]>,
    /// Two columns of the text that hold the answers to compare; annotators see them in random order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sides: Option<[String; 2]>,
    /// Columns with numbers; the answer says whether the judge's bias depends on them. They are not features.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compare: Vec<String>,
    /// Column with what the judge wrote beside its answer, which reports show and annotators don't see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// How the items that your own files label were chosen: `random` or `unknown`; without it the program assumes that they were drawn
    /// at random, and results state that assumption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<Drawn>,
    /// Column with the probability with which each item that your own files label was chosen, where these differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<String>,
    /// Column that says which rows share a cause, such as a conversation or a document: intervals and folds go over these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Column that says which item a row is about, where every criterion of a rubric is a row of its own; queues then
    /// hold items with all their criteria.
    pub item: Option<String>,
    /// Columns with numbers, to be features.
    #[serde(default)]
    pub numbers: Vec<String>,
    /// The labels of a LeWiDi file whose annotators may give several: each item becomes one item per label
    /// (`KEY/LABEL`, the label in the column `label`), of which annotators say whether it applies, `1`, or not, `0`.
    #[serde(default)]
    pub multilabel: Vec<String>,
    /// Columns with categories, to be features: one 0/1 feature per category but the first in the order of the
    /// alphabet.
    #[serde(default)]
    pub categories: Vec<String>,
}

/// `[trust]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrustConfig {
    /// Features of the regression in order; by default all there are but `log_labels`.
    ///
    /// `spread` (of the variants), `log_labels` (ln(1 + labels)), `confidence`, `nearest_labelled`,
    /// `mean_nearest_labelled`, and the numbers and categories of the items.
    pub features: Option<Vec<String>>,
    /// The belief by its name; of a configuration that was read there is one ([`Self::belief`]).
    pub belief: Option<BeliefModel>,
    /// What is believed of the trust before any label: `weak`, or `none`, the paper's maximum likelihood, which takes
    /// the paper's belief where none is named. Maps always have the weak prior.
    pub prior: TrustPrior,
    /// What the judge has to reach to be relied on, by the ids of findings: `{ agreement = 0.8 }`. Without it, it has to
    /// agree with people as well as they do with each other.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub at_least: BTreeMap<String, f64>,
    /// The run of another study: its trust is the centre of the prior here ([`crate::model::carried::Carried`]), and its
    /// recalibration, if it has one, is where the recalibration here starts ([`crate::model::carried::CarriedMap`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carry_from: Option<PathBuf>,
}

impl TrustConfig {
    /// Which belief is fitted: the map that the labels choose, or one that is named, such as the paper's; without a name
    /// the paper's under its maximum likelihood.
    pub fn belief(&self) -> BeliefModel {
        self.belief.unwrap_or(match self.prior {
            TrustPrior::None => BeliefModel::Published,
            TrustPrior::Weak => BeliefModel::default(),
        })
    }
}

/// `[familiarity]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FamiliarityConfig {
    /// Embeddings of the items, `.npy` or `.csv`; without it, the items' texts are embedded when the study is run.
    pub embeddings: Option<PathBuf>,
    /// Sentence model that embeds texts: a folder, seen from the study's or from the working directory, or a name.
    pub model: String,
    /// Folder that keeps embeddings of texts, so that only new texts are embedded.
    pub cache: PathBuf,
    /// Labelled neighbours whose mean distance is `mean_nearest_labelled`.
    pub neighbours: usize,
    /// How neighbours are found; by default exactly, which was faster in every size that was measured.
    pub engine: Engine,
    /// Whether a labelled item counts among its own neighbours, as it does in the paper's numbers.
    pub count_itself: bool,
}

impl Default for FamiliarityConfig {
    fn default() -> Self {
        let (model, cache) = (DEFAULT_MODEL.to_owned(), PathBuf::from("embedding-cache"));
        Self { embeddings: None, model, cache, neighbours: 10, engine: Engine::Exact, count_itself: false }
    }
}

/// `[evaluation]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationConfig {
    /// Half splits; 0 for no evaluation.
    pub replicates: usize,
    /// Budgets in percent of the evaluated items.
    pub budgets: Vec<u32>,
    /// Labels that an item may hold before escalation, each as likely as the others.
    pub reveal: Vec<u32>,
    /// Labels that an item must have to be evaluated: half of them are its truth.
    pub least_labels: u32,
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        let (replicates, reveal) = (protocol::REPLICATES, protocol::REVEALED.to_vec());
        Self { replicates, budgets: vec![1, 5, 10, 20], reveal, least_labels: 20 }
    }
}

impl EvaluationConfig {
    /// Budgets of the evaluation; those of a checked configuration are all possible.
    pub fn budgets(&self) -> Vec<Budget> {
        self.budgets.iter().filter_map(|&percent| Budget::percent(percent)).collect()
    }
}

// Files that a table names, and their layouts.

/// One file or several, which are read as one table: `"a.csv"` or `["a.csv", "b.csv"]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "FileNames", into = "FileNames")]
pub struct Files(Vec<PathBuf>);

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a file, or a list of files, is needed here")]
enum FileNames {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl TryFrom<FileNames> for Files {
    type Error = &'static str;

    fn try_from(names: FileNames) -> std::result::Result<Self, &'static str> {
        match names {
            FileNames::One(file) => Ok(Self(vec![file])),
            FileNames::Several(files) if files.is_empty() => Err("the list of files is empty: name one or more"),
            FileNames::Several(files) => Ok(Self(files)),
        }
    }
}

impl From<Files> for FileNames {
    fn from(Files(mut files): Files) -> Self {
        if files.len() == 1 { Self::One(files.remove(0)) } else { Self::Several(files) }
    }
}

impl Files {
    /// The first file.
    pub fn first(&self) -> &Path {
        &self.0[0]
    }

    /// The only file; `None` of several.
    pub fn only(&self) -> Option<&Path> {
        (self.0.len() == 1).then(|| self.first())
    }

    /// All files, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }
}

/// Layout of an input file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum FileFormat {
    /// A table with a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// ChaosNLI's JSON Lines: ids in `uid`, counts in `label_counter`.
    ChaosNli,
    /// A Parquet file ([`judge_uncertainty_formats::parquet`]).
    Parquet,
    /// A sheet of an Excel workbook ([`judge_uncertainty_formats::xlsx`]).
    Xlsx,
    /// A LeWiDi file: one JSON object with a member per item.
    LeWiDi,
    /// A judge's log, as another program wrote it.
    Log(&'static LogFormat),
}

impl FileFormat {
    /// The layouts other than logs, by their names.
    const TABLES: [(&'static str, Self); 6] = [
        ("csv", Self::Csv),
        ("jsonl", Self::Jsonl),
        ("parquet", Self::Parquet),
        ("xlsx", Self::Xlsx),
        ("chaosnli", Self::ChaosNli),
        ("lewidi", Self::LeWiDi),
    ];

    /// Its name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Log(log) => log.name,
            table => Self::TABLES.iter().find(|(_, format)| *format == table).map_or("", |(name, _)| *name),
        }
    }

    /// Whether it is a judge's log.
    pub fn is_log(self) -> bool {
        matches!(self, Self::Log(_))
    }

    /// The names of all layouts.
    pub fn names() -> Vec<&'static str> {
        Self::TABLES.iter().map(|(name, _)| *name).chain(LOGS.iter().map(|log| log.name)).collect()
    }
}

impl From<FileFormat> for String {
    fn from(format: FileFormat) -> Self {
        format.name().to_owned()
    }
}

impl TryFrom<String> for FileFormat {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        let table = Self::TABLES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format);
        let unknown = || format!("unknown format {name:?}, expected one of {}", Self::names().join(", "));
        table.or_else(|| logs::named(&name).map(Self::Log)).ok_or_else(unknown)
    }
}

//! `study.toml`: what a study reads and how it computes, checked before anything else is read.
//!
//! Unknown keys are errors, and every refusal names line and column. Paths are relative to the file's folder.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::check::{Check, place};
use judge_uncertainty_core::belief::recalibration::Recalibration;
use judge_uncertainty_core::belief::{BeliefModel, TrustPrior};
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_data::dataset::checksum::{read_file, sha256_hex};
use judge_uncertainty_data::dataset::error::{Error, Place, Problem, Result};
use judge_uncertainty_data::logs::{self, Format as LogFormat, LOGS};
use judge_uncertainty_evaluation::protocol;
use judge_uncertainty_familiarity::neighbours::Engine;
use judge_uncertainty_onnx::DEFAULT_MODEL;

/// What a kind of label configures in its own way.
pub trait Configured: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The key above all tables that marks a study of this kind; its value says what labels can be.
    const KEY: &'static str;
    /// What labels can be.
    type Scale: Setting;
    /// The table `[judge]`.
    type JudgeConfig: Setting + TableConfig;
    /// The table `[labels]`.
    type LabelsConfig: Setting + TableConfig;
}

/// A value of a configuration.
pub trait Setting: Clone + fmt::Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Clone + fmt::Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static> Setting for T {}

/// A configuration that names a file, or several of one layout.
pub trait TableConfig {
    /// The files, seen from the folder of the study.
    fn files(&self) -> &Files;

    /// The first file.
    fn file(&self) -> &Path {
        self.files().first()
    }
}

/// One file or several, which are read as one table: `"a.csv"` or `["a.csv", "b.csv"]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// The configuration of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyConfig<C: Configured> {
    /// What the study is called in its report.
    pub title: String,
    /// What labels can be; its key is [`Configured::KEY`].
    pub scale: C::Scale,
    /// What annotators are told, wherever the study's queue is labelled.
    pub instruction: Option<String>,
    /// Seed of every random draw of the study; with 0 the streams are those of the paper.
    pub seed: u64,
    /// What happens to items without an answer of the judge, and to answers and labels of unknown items.
    pub unmatched: Unmatched,
    /// What `study init --from` noted of the logs that the tables were made from; part of the manifest.
    pub made_from: Option<PathBuf>,
    /// The items.
    pub items: ItemsConfig,
    /// The judge's predictions.
    pub judge: C::JudgeConfig,
    /// The human labels of the user's own files; a study that has none yet goes without, and its labels are those of the log.
    pub labels: Option<C::LabelsConfig>,
    /// The trust regression.
    pub trust: TrustConfig,
    /// How near items are to the labelled ones; without it, trust doesn't depend on that.
    pub familiarity: Option<FamiliarityConfig>,
    /// The half-split evaluation.
    pub evaluation: EvaluationConfig,
}

impl<C: Configured> StudyConfig<C> {
    const KEYS: &'static [&'static str] = &[
        "title",
        C::KEY,
        "instruction",
        "seed",
        "unmatched",
        "made_from",
        "items",
        "judge",
        "labels",
        "trust",
        "familiarity",
        "evaluation",
    ];

    /// Every setting, defaults filled in, as text by its dotted name.
    pub fn flattened(&self) -> BTreeMap<String, String> {
        flattened(self)
    }
}

// Not derived: the key of the scale depends on the kind.
impl<C: Configured> Serialize for StudyConfig<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("StudyConfig", Self::KEYS.len())?;
        fields.serialize_field("title", &self.title)?;
        fields.serialize_field(C::KEY, &self.scale)?;
        match &self.instruction {
            Some(instruction) => fields.serialize_field("instruction", instruction)?,
            None => fields.skip_field("instruction")?,
        }
        fields.serialize_field("seed", &self.seed)?;
        fields.serialize_field("unmatched", &self.unmatched)?;
        // Studies without a note keep the settings that they have always had.
        if let Some(noted) = &self.made_from {
            fields.serialize_field("made_from", noted)?;
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

impl<'de, C: Configured> Deserialize<'de> for StudyConfig<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_struct("StudyConfig", Self::KEYS, ConfigVisitor(PhantomData))
    }
}

struct ConfigVisitor<C>(PhantomData<C>);

impl<'de, C: Configured> Visitor<'de> for ConfigVisitor<C> {
    type Value = StudyConfig<C>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a study")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let (mut title, mut scale, mut items, mut judge, mut labels) = (None, None, None, None, None);
        let (mut seed, mut unmatched, mut familiarity, mut instruction) = (0, Unmatched::default(), None, None);
        let mut made_from = None;
        let (mut trust, mut evaluation) = (TrustConfig::default(), EvaluationConfig::default());
        while let Some(key) = map.next_key_seed(KeySeed::<C>(PhantomData))? {
            match key {
                "title" => title = Some(map.next_value()?),
                "instruction" => instruction = map.next_value()?,
                "seed" => seed = map.next_value()?,
                "unmatched" => unmatched = map.next_value()?,
                "made_from" => made_from = map.next_value()?,
                "items" => items = Some(map.next_value()?),
                "judge" => judge = Some(map.next_value()?),
                "labels" => labels = map.next_value()?,
                "trust" => trust = map.next_value()?,
                "familiarity" => familiarity = map.next_value()?,
                "evaluation" => evaluation = map.next_value()?,
                _ => scale = Some(map.next_value()?),
            }
        }
        Ok(StudyConfig {
            title: title.ok_or_else(|| A::Error::missing_field("title"))?,
            scale: scale.ok_or_else(|| A::Error::missing_field(C::KEY))?,
            instruction,
            seed,
            unmatched,
            made_from,
            items: items.ok_or_else(|| A::Error::missing_field("items"))?,
            judge: judge.ok_or_else(|| A::Error::missing_field("judge"))?,
            labels,
            trust,
            familiarity,
            evaluation,
        })
    }
}

/// Reads a key, one of [`StudyConfig::KEYS`]; an unknown one is refused at its place.
struct KeySeed<C>(PhantomData<C>);

impl<'de, C: Configured> DeserializeSeed<'de> for KeySeed<C> {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<C: Configured> Visitor<'_> for KeySeed<C> {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a setting")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> std::result::Result<Self::Value, E> {
        let keys = StudyConfig::<C>::KEYS;
        keys.iter().copied().find(|known| *known == key).ok_or_else(|| E::unknown_field(key, keys))
    }
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
#[serde(try_from = "String", into = "String")]
pub enum Format {
    /// A table with a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// ChaosNLI's JSON Lines: ids in `uid`, counts in `label_counter`.
    ChaosNli,
    /// A Parquet file ([`super::parquet`]).
    Parquet,
    /// A LeWiDi file: one JSON object with a member per item.
    LeWiDi,
    /// A judge's log, as another program wrote it.
    Log(&'static LogFormat),
}

impl Format {
    /// The layouts that are no logs, by their names.
    const TABLES: [(&'static str, Self); 4] =
        [("csv", Self::Csv), ("jsonl", Self::Jsonl), ("chaosnli", Self::ChaosNli), ("lewidi", Self::LeWiDi)];

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

impl From<Format> for String {
    fn from(format: Format) -> Self {
        format.name().to_owned()
    }
}

impl TryFrom<String> for Format {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        let table = Self::TABLES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format);
        let unknown = || format!("unknown format {name:?}, expected one of {}", Self::names().join(", "));
        table.or_else(|| logs::named(&name).map(Self::Log)).ok_or_else(unknown)
    }
}

/// `[items]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemsConfig {
    /// The file, or several.
    pub file: Files,
    /// Its layout; by default that of its extension.
    pub format: Option<Format>,
    /// Column with the ids.
    pub id: Option<String>,
    /// Template of an item's text, such as `Premise: {premise}\nHypothesis: {hypothesis}`.
    pub text: Option<String>,
    /// Column that says which group an item belongs to.
    pub group: Option<String>,
    /// Column that says what a label of the item costs, in any unit; plans and `study queue --per-cost` rank by value per cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// Column that says which item a row is about, where every criterion of a rubric is a row of its own; queues then hold
    /// items with all their criteria.
    pub item: Option<String>,
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

/// `[trust]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustConfig {
    /// Features of the regression in order; by default all there are but `log_labels`.
    ///
    /// `spread` (of the variants), `log_labels` (ln(1 + labels)), `confidence`, `nearest_labelled`,
    /// `mean_nearest_labelled`, and the numbers and categories of the items.
    pub features: Option<Vec<String>>,
    /// Which belief is fitted: the paper's, or one that recalibrates the prediction as well; for classes it brings further rules.
    #[serde(default)]
    pub belief: BeliefModel,
    /// What is believed of the trust before any label: `weak`, or `none`, the paper's maximum likelihood. The recalibrated
    /// belief of classes has priors of its own.
    #[serde(default)]
    pub prior: TrustPrior,
    /// The run of another study whose trust is the centre of the prior here ([`crate::carried::Carried`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carry_from: Option<PathBuf>,
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
    protocol::REPLICATES
}
fn budgets() -> Vec<u32> {
    vec![1, 5, 10, 20]
}
fn reveal() -> Vec<u32> {
    protocol::REVEALED.to_vec()
}
fn least_labels() -> u32 {
    20
}

/// Features that are no columns of the items.
pub const OWN_FEATURES: [&str; 5] = ["spread", "log_labels", "confidence", "nearest_labelled", "mean_nearest_labelled"];

/// A configuration with the file it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFile<C: Configured> {
    /// The file.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// What it says.
    pub config: StudyConfig<C>,
}

/// What a kind checks of its own settings.
pub type OwnCheck<C> = fn(&StudyConfig<C>, &Check<'_>) -> Result<()>;

/// The `study.toml` that a path stands for: itself, or the one in a folder.
pub fn study_toml(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("study.toml") } else { path.to_owned() }
}

impl<C: Configured> StudyFile<C> {
    /// Reads and checks a `study.toml`; a folder stands for the `study.toml` in it. `own` checks what only this kind of
    /// label configures.
    ///
    /// # Errors
    /// A file that can't be read, is no TOML, has an unknown key, or a value outside its range.
    pub fn read(path: &Path, own: OwnCheck<C>) -> Result<Self> {
        let path = study_toml(path);
        let bytes = read_file(&path)?;
        let sha256 = sha256_hex(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| Error::refused(Place::file(&path), Problem::NotUtf8))?;
        let config: StudyConfig<C> = toml::from_str(&text).map_err(|error| {
            let place = error.span().map_or(Place::file(&path), |span| place(&path, &text, span.start));
            Error::refused(place, Problem::NotToml { reason: error.message().replace('\n', "; ") })
        })?;
        let check = Check { path: &path, text: &text };
        check_title(&config.title, &check)?;
        own(&config, &check)?;
        check_shared(&config, &check)?;
        Ok(Self { sha256, path, config })
    }

    /// A configuration that was kept elsewhere than in a `study.toml`, held to the same.
    ///
    /// # Errors
    /// A value outside its range.
    pub fn kept(path: &Path, config: StudyConfig<C>, own: OwnCheck<C>) -> Result<Self> {
        let check = Check { path, text: "" };
        check_title(&config.title, &check)?;
        own(&config, &check)?;
        check_shared(&config, &check)?;
        Ok(Self { path: path.to_owned(), sha256: String::new(), config })
    }

    /// Replaces the number of replicates.
    ///
    /// # Errors
    /// It is none that can be run.
    pub fn set_replicates(&mut self, replicates: usize) -> Result<()> {
        self.config.evaluation.replicates = replicates;
        check_evaluation(&self.config.evaluation, &Check { path: &self.path, text: "" })
    }

    /// The folder of the study.
    pub fn folder(&self) -> PathBuf {
        self.resolve(Path::new(""))
    }

    /// A path of the configuration, seen from the working directory.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    /// Paths of the configuration, seen from the working directory.
    pub fn resolve_all(&self, files: &Files) -> Vec<PathBuf> {
        files.iter().map(|file| self.resolve(file)).collect()
    }

    /// The first file of labels, seen from the working directory; `None` for a study without any.
    pub fn labels_file(&self) -> Option<PathBuf> {
        self.config.labels.as_ref().map(|labels| self.resolve(labels.file()))
    }

    /// Where a row of the files of labels stands; nowhere if they are several, or none.
    pub fn line_of_labels(&self, line: u64) -> Place {
        self.config.labels.as_ref().map_or_else(Place::default, |labels| self.line_of(labels.files(), line))
    }

    /// Where a row of files of the configuration stands; nowhere if there are several files.
    pub fn line_of(&self, files: &Files, line: u64) -> Place {
        files.only().map_or_else(Place::default, |file| Place::file(&self.resolve(file)).at_line(line))
    }

    /// Refuses a setting, written as `table.key`, at its place in the file.
    pub fn refuse(&self, setting: &str, value: &str, reason: &str, remedy: &str) -> Error {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        Check { path: &self.path, text: &text }.refuse(setting, value, reason, remedy)
    }
}

fn check_title(title: &str, check: &Check<'_>) -> Result<()> {
    check.that(!title.trim().is_empty(), "title", &title, "is blank", "name the study")
}

/// Checks what every kind of label configures alike.
fn check_shared<C: Configured>(config: &StudyConfig<C>, check: &Check<'_>) -> Result<()> {
    let items = &config.items;
    for (setting, names) in [("items.numbers", &items.numbers), ("items.categories", &items.categories)] {
        let own = names.iter().find(|name| OWN_FEATURES.contains(&name.as_str()));
        let remedy = "rename the column in the file and here";
        check.that(own.is_none(), setting, &own, "is the name of a feature that every study has", remedy)?;
    }
    let columns: Vec<String> = items.numbers.iter().chain(&items.categories).cloned().collect();
    check.each_once("items.categories", &columns)?;
    check_evaluation(&config.evaluation, check)?;
    if let BeliefModel::Recalibrated(options) = &config.trust.belief {
        let grouped = options.recalibration != Recalibration::ByGroup || config.items.group.is_some();
        let remedy = "name the column of the groups as items.group, or take recalibration = \"shared\"";
        check.that(grouped, "trust.belief", &"by_group", "the items have no groups", remedy)?;
        let positive = options.ridge > 0.0 && options.ridge.is_finite();
        check.that(positive, "trust.belief", &options.ridge, "a penalty is above 0", "give ridge = 1")?;
    }
    if let Some(features) = &config.trust.features {
        check.each_once("trust.features", features)?;
    }
    if let Some(from) = &config.trust.carry_from {
        let plain = config.trust.belief == BeliefModel::Published && config.trust.prior == TrustPrior::Weak;
        let remedy = "leave it out, or take prior = \"weak\" and belief = \"published\"";
        check.that(
            plain,
            "trust.carry_from",
            from,
            "only the weak prior of the published belief has a centre",
            remedy,
        )?;
    }
    let neighbours = config.familiarity.as_ref().map_or(1, |familiarity| familiarity.neighbours);
    let (fits, remedy) = ((1..=1000).contains(&neighbours), "choose a number such as 10");
    check.that(fits, "familiarity.neighbours", &neighbours, "is outside 1 to 1000", remedy)
}

fn check_evaluation(evaluation: &EvaluationConfig, check: &Check<'_>) -> Result<()> {
    let setting = |key: &str| format!("evaluation.{key}");
    let replicates = evaluation.replicates;
    let fits = replicates == 0 || (2..=100_000).contains(&replicates);
    let remedy = "choose 0 for no evaluation, or 2 to 100000";
    check.that(fits, &setting("replicates"), &replicates, "is no number of replicates", remedy)?;
    let bad = evaluation.budgets.iter().find(|&&percent| Budget::percent(percent).is_none());
    let (key, remedy) = (setting("budgets"), "write whole percentages from 1 to 100, such as [1, 5, 10, 20]");
    check.that(bad.is_none(), &key, &bad, "a budget is a percentage", remedy)?;
    let ascending = evaluation.budgets.is_sorted_by(|a, b| a < b) && !evaluation.budgets.is_empty();
    check.that(ascending, &key, &evaluation.budgets, "budgets are needed in ascending order", remedy)?;
    let reveals = !evaluation.reveal.is_empty() && evaluation.reveal.iter().any(|&n| n > 0);
    let remedy = "write numbers of labels, one of them above 0, such as [0, 1, 2, 5, 10]";
    check.that(reveals, &setting("reveal"), &evaluation.reveal, "no item would have labels", remedy)?;
    let remedy = "write 4 or more: half of the labels are the truth, and its noise needs two";
    check.that(
        evaluation.least_labels >= 4,
        &setting("least_labels"),
        &evaluation.least_labels,
        "is too few to split",
        remedy,
    )
}

impl EvaluationConfig {
    /// Budgets of the evaluation; those of a checked configuration are all possible.
    pub fn budgets(&self) -> Vec<Budget> {
        self.budgets.iter().filter_map(|&percent| Budget::percent(percent)).collect()
    }
}

/// A configuration as text by dotted names, such as `evaluation.replicates`; what is not set is left out.
fn flattened<C: Serialize>(config: &C) -> BTreeMap<String, String> {
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

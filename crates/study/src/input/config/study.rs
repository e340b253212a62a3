//! The configuration as a whole, and what a kind of label configures in its own way.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use super::files::Files;
use super::tables::{EvaluationConfig, FamiliarityConfig, ItemsConfig, TrustConfig, Unmatched};
use crate::input::question::{Asked, Criterion, Question};

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

    /// What is known of the annotators: a table with a column `annotator`, or LeWiDi's `SET_annotators_meta.json`.
    fn about_annotators(&self) -> Option<&Path> {
        None
    }
}

/// The configuration of a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub struct StudyConfig<C: Configured> {
    /// What the study is called in its report.
    pub title: String,
    /// What labels can be; its key is [`Configured::KEY`].
    #[serde(alias = "classes", alias = "places")]
    pub scale: C::Scale,
    /// What annotators are told, wherever the study's queue is labelled.
    pub instruction: Option<String>,
    /// What items are judged by, where the judge or the annotators know several criteria.
    pub criterion: Option<Criterion>,
    /// Seed of every random draw of the study; with 0 the streams are those of the paper.
    #[serde(default)]
    pub seed: u64,
    /// What happens to items without an answer of the judge, and to answers and labels of unknown items.
    #[serde(default)]
    pub unmatched: Unmatched,
    /// What `study init --from` noted of the logs that the tables were made from; part of the manifest.
    pub made_from: Option<PathBuf>,
    /// The items.
    pub items: ItemsConfig,
    /// The judge's predictions.
    pub judge: C::JudgeConfig,
    /// The human labels of the user's own files; a study that has none yet goes without, and its labels are those of
    /// the log.
    pub labels: Option<C::LabelsConfig>,
    /// The trust regression.
    #[serde(default)]
    pub trust: TrustConfig,
    /// How near items are to the labelled ones; without it, trust doesn't depend on that.
    pub familiarity: Option<FamiliarityConfig>,
    /// The half-split evaluation.
    #[serde(default)]
    pub evaluation: EvaluationConfig,
}

impl<C: Configured> StudyConfig<C> {
    /// What annotators are asked, with the question of the study's kind.
    pub fn asked<'a>(&'a self, question: &'a Question) -> Asked<'a> {
        Asked { question, criterion: self.criterion.as_ref(), instruction: self.instruction.as_deref() }
    }

    /// Every setting, defaults filled in, as text by its dotted name.
    pub fn flattened(&self) -> BTreeMap<String, String> {
        flattened(self)
    }
}

// Not derived: the key of the scale depends on the kind.
impl<C: Configured> Serialize for StudyConfig<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("StudyConfig", 13)?;
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

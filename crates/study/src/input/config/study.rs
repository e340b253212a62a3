//! The configuration as a whole, and what a kind of label configures in its own way.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
#[derive(Debug, Clone, PartialEq)]
pub struct StudyConfig<C: Configured> {
    /// What the study is called in its report.
    pub title: String,
    /// What labels can be; its key is [`Configured::KEY`].
    pub scale: C::Scale,
    /// What annotators are told, wherever the study's queue is labelled.
    pub instruction: Option<String>,
    /// What items are judged by, where the judge or the annotators know several criteria.
    pub criterion: Option<Criterion>,
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
    /// The human labels of the user's own files; a study that has none yet goes without, and its labels are those of
    /// the log.
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
        "criterion",
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
        let (mut made_from, mut criterion) = (None, None);
        let (mut trust, mut evaluation) = (TrustConfig::default(), EvaluationConfig::default());
        while let Some(key) = map.next_key_seed(KeySeed::<C>(PhantomData))? {
            match key {
                "title" => title = Some(map.next_value()?),
                "instruction" => instruction = map.next_value()?,
                "criterion" => criterion = map.next_value()?,
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
            criterion,
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

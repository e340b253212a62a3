//! The file of a fitted belief: what it holds, how it is written and read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::drift::Baseline;
use super::features::{FeatureDefinition, FeatureSource};
use super::kind::InputColumns;
use super::kind::said;
use super::reference::{Familiarity, REFERENCE};
use crate::input::config::{StudyConfig, StudyFile, scale_key};
use crate::input::judge_files::JudgeFiles;
use crate::input::scale::Scale;
use crate::kinds::{classes, scores};
use crate::model::study::{Decomposition, Kept, Study, names};
use judge_uncertainty_core::belief::Unfit;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_evaluation::{Fit, LabelPool};
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_system::to_json;

/// Version of the layout; 1 is read, too.
pub const SCHEMA: u32 = 2;
/// The oldest version that is read.
const OLDEST: u32 = 1;
/// Name of the file within a run folder.
pub const FILE: &str = "results/belief.json";
/// Features and judge are watched for drift up to so many quantities.
pub const MOST_WATCHED: usize = 200;

/// A fitted belief with all that it takes to apply it to further items. It stands alone, but for the embeddings of
/// labelled items, which are in the file that [`Familiarity`] names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BeliefFile {
    /// Version of the layout.
    pub schema: u32,
    /// The kind of its labels.
    pub kind: String,
    /// SHA-256 of this file with this value empty, so that damage and edits are detected.
    pub sha256: String,
    /// Version of the program that wrote it.
    pub program: String,
    /// Every setting of the study, defaults filled in: classes, places or scale, how answers are read, floor, belief,
    /// prior, seed.
    pub settings: StudyConfig,
    /// The judge that the trust belongs to.
    pub judge: JudgeFiles,
    /// Names of the judge's variants.
    pub variants: Vec<String>,
    /// Names of the groups of the items, in the order in which the fit counts them.
    pub groups: Vec<String>,
    /// Mean of the stated confidences, which the rule `low_confidence` uses for items without one; `None` if no item
    /// has one.
    pub mean_confidence: Option<f64>,
    /// The rules that rank an item by itself: not the random one, nor those that look at other items.
    pub rules: Vec<Rule>,
    /// How the columns of further items are called.
    pub columns: InputColumns,
    /// What the trust depends on, in the order of the fit's coefficients.
    pub features: Vec<FeatureDefinition>,
    /// The fit: coefficients with covariance, and how the judge is read.
    pub fit: Fit,
    /// What else of the fit's items the beliefs depend on.
    pub kept: Kept,
    /// The labelled items that familiarity compares with; `None` without it.
    pub familiarity: Option<Familiarity>,
    /// How judge and features lay in the fit.
    pub drift: Vec<Baseline>,
    /// SHA-256 of every file that the study read.
    pub inputs: BTreeMap<String, String>,
}

impl BeliefFile {
    /// The belief of a decomposition, and the bytes of the file that belongs next to it, if it needs one.
    pub fn new(study: &Study, decomposition: &Decomposition) -> (Self, Option<Vec<u8>>) {
        let settings = study.file.config.clone().filled();
        let (familiarity, bytes) = Familiarity::new(study, decomposition).unzip();
        let confidence: Vec<f64> = study.judge.confidence.iter().flatten().copied().collect();
        let variants = study.judge.variants.clone();
        let mut file = Self {
            schema: SCHEMA,
            kind: study.scale().name().to_owned(),
            sha256: String::new(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            columns: names(&settings, &variants),
            judge: study.judge_files.clone(),
            variants,
            groups: study.items.group_names().into_iter().map(str::to_owned).collect(),
            mean_confidence: (!confidence.is_empty()).then(|| mean(&confidence)),
            rules: study.rules().into_iter().filter(|rule| is_of_the_item(*rule)).collect(),
            features: FeatureDefinition::of_all(study, decomposition, decomposition.pool.extrapolates()),
            kept: match &decomposition.pool {
                LabelPool::Ratings(pool) => Kept::Ratings(pool.repeats()),
                LabelPool::Classes(_) => {
                    Kept::Classes(classes::kind::kept(study, decomposition.fitted.fit.of_classes()))
                }
            },
            fit: decomposition.fitted.fit.clone(),
            familiarity,
            drift: baselines(study, decomposition),
            inputs: study.relative_inputs(),
            settings,
        };
        file.sha256 = file.sum();
        (file, bytes)
    }

    /// The file with its SHA-256.
    pub fn text(&self) -> String {
        to_json(self)
    }

    /// SHA-256 of the file without it.
    pub fn sum(&self) -> String {
        sha256_hex(to_json(&Self { sha256: String::new(), ..self.clone() }).as_bytes())
    }

    /// Names of the features, in order.
    pub fn feature_names(&self) -> Vec<&str> {
        self.features.iter().map(|feature| feature.name.as_str()).collect()
    }

    /// Reads a belief.
    ///
    /// # Errors
    /// A file that can't be read, is not a belief, is of another version or kind, was changed after it was written, or
    /// contradicts itself; with the file and the field.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(path, &read_file(path)?)
    }

    /// Reads a belief from its bytes; `path` is the name for messages.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let file = Self::fields(path, UnreadFields::new(path, bytes)?)?;
        let sum = file.sum();
        if sum != file.sha256 {
            let remedy = "copy it anew from the run that wrote it, or run the study again";
            let reason = format!("was changed after it was written: the SHA-256 of the rest is {sum}");
            return Err(refuse(path, "sha256", &reason, remedy));
        }
        file.check(path)?;
        Ok(file)
    }

    fn fields(path: &Path, mut fields: UnreadFields<'_>) -> Result<Self> {
        let settings = fields.settings()?;
        if fields.kind()? != settings.scale.name() {
            let reason = format!("is {:?}, and the settings are of {}", fields.kind()?, settings.scale.labels());
            return Err(refuse(path, "kind", &reason, AGAIN));
        }
        let (fit, kept) = match settings.scale {
            Scale::Scores(..) => (Fit::Ratings(fields.take("fit")?), Kept::Ratings(fields.take("kept")?)),
            _ => (Fit::Classes(fields.take("fit")?), Kept::Classes(fields.take("kept")?)),
        };
        let file = Self {
            schema: fields.take("schema")?,
            kind: fields.take("kind")?,
            sha256: fields.take("sha256")?,
            program: fields.take("program")?,
            settings,
            judge: fields.take("judge")?,
            variants: fields.take("variants")?,
            groups: fields.take("groups")?,
            mean_confidence: fields.take("mean_confidence")?,
            rules: fields.take("rules")?,
            columns: fields.take("columns")?,
            features: fields.take_each("features")?,
            fit,
            kept,
            familiarity: fields.take("familiarity")?,
            drift: fields.take_each("drift")?,
            inputs: fields.take("inputs")?,
        };
        match fields.object.keys().next() {
            None => Ok(file),
            Some(other) => Err(refuse(path, other, "is not a field of a belief", AGAIN)),
        }
    }

    /// Holds the fields to each other.
    ///
    /// # Errors
    /// The first that contradicts the others, or is outside its range.
    pub fn check(&self, path: &Path) -> Result<()> {
        let that = |holds: bool, field: &str, reason: &str| match holds {
            true => Ok(()),
            false => Err(refuse(path, field, reason, AGAIN)),
        };
        StudyFile::checked(path, "", self.settings.clone())?;
        let each_once = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
        that(each_once(&self.variants), "variants", "names one twice")?;
        that(self.groups.is_sorted_by(|a, b| a < b), "groups", "does not ascend")?;
        let confidence = self.mean_confidence.is_none_or(|c| (0.0..=100.0).contains(&c));
        that(confidence, "mean_confidence", "is outside 0 to 100")?;
        let of_scale = self.settings.scale.rules();
        let ranked = self.rules.iter().all(|rule| of_scale.contains(rule) && is_of_the_item(*rule));
        that(ranked, "rules", "holds one that does not rank such labels")?;
        that(self.rules.contains(&Rule::Info), "rules", "lacks info")?;
        for (k, feature) in self.features.iter().enumerate() {
            self.check_feature(feature).or_else(|reason| that(false, &format!("features[{k}]"), &reason))?;
        }
        let names: Vec<String> = self.features.iter().map(|feature| feature.name.clone()).collect();
        that(each_once(&names), "features", "names one twice")?;
        let by_group =
            self.check_fit().map_err(|unfit| refuse(path, &format!("fit.{}", unfit.field), &unfit.problem, AGAIN))?;
        that(
            !by_group || self.columns.group.is_some(),
            "columns.group",
            "is missing, and the fit reads every group by itself",
        )?;
        if let Some(familiarity) = &self.familiarity {
            that((1..=1000).contains(&familiarity.neighbours), "familiarity.neighbours", "is outside 1 to 1000")?;
            that(familiarity.file == REFERENCE, "familiarity.file", &format!("is not {REFERENCE:?}"))?;
            that(each_once(&familiarity.items), "familiarity.items", "names one twice")?;
            that((1..=1 << 20).contains(&familiarity.dimensions), "familiarity.dimensions", "is outside 1 to 1048576")?;
        }
        for (k, baseline) in self.drift.iter().enumerate() {
            baseline.check().or_else(|reason| that(false, &format!("drift[{k}]"), &reason))?;
        }
        that(self.drift.len() <= MOST_WATCHED, "drift", "holds more quantities than any fit")
    }

    /// Whether settings and fit belong together; `Ok(true)` for a fit with parameters for every group of its own.
    fn check_fit(&self) -> std::result::Result<bool, Unfit> {
        let (names, groups) = (self.feature_names(), self.groups.len());
        match (&self.fit, &self.kept) {
            (Fit::Ratings(fit), Kept::Ratings(kept)) => scores::kind::check_fit(fit, kept.as_ref(), (&names, groups)),
            (Fit::Classes(fit), Kept::Classes(kept)) => {
                classes::kind::check_fit(&self.settings, fit, kept.as_ref(), (&names, groups))
            }
            _ => Err(Unfit { field: "kept", problem: "is of other labels than the fit".to_owned() }),
        }
    }

    /// Whether the fit has parameters for every group of its own; of a file that was checked.
    pub fn is_by_group(&self) -> bool {
        self.check_fit() == Ok(true)
    }

    fn check_feature(&self, feature: &FeatureDefinition) -> std::result::Result<(), String> {
        let finite =
            [Some(feature.mean), Some(feature.sd), feature.low, feature.high].iter().flatten().all(|x| x.is_finite());
        let near = matches!(feature.source, FeatureSource::NearestLabelled | FeatureSource::MeanNearestLabelled);
        match () {
            () if !finite => Err("has a number that is not finite".to_owned()),
            () if feature.sd <= 0.0 => Err(format!("has the standard deviation {}, not above 0", feature.sd)),
            () if feature.low.is_some() != feature.high.is_some() || feature.low > feature.high => {
                Err("has a lowest value above its highest".to_owned())
            }
            () if near && self.familiarity.is_none() => Err("needs familiarity, which the belief lacks".to_owned()),
            () => Ok(()),
        }
    }
}

/// What to do about a file that no run wrote.
const AGAIN: &str = "run the study again with this program, and take the belief.json that it writes";

fn refuse(path: &Path, field: &str, reason: &str, remedy: &str) -> Error {
    Error::unfit(Place::file(path), format!("the field {field} {reason}"), remedy)
}

/// The fields of a file that are not read yet.
struct UnreadFields<'p> {
    path: &'p Path,
    object: Map<String, Value>,
}

impl<'p> UnreadFields<'p> {
    fn new(path: &'p Path, bytes: &[u8]) -> Result<Self> {
        let object = object(path, bytes)?;
        let fields = Self { path, object };
        match fields.object.get("schema").and_then(Value::as_u64) {
            Some(schema) if (u64::from(OLDEST)..=u64::from(SCHEMA)).contains(&schema) => Ok(fields),
            Some(schema) => {
                let reason = format!("is {schema}, and this program reads {OLDEST} to {SCHEMA}");
                let remedy = "apply it with the program that wrote it, or run the study again with this one";
                Err(refuse(path, "schema", &reason, remedy))
            }
            None => Err(refuse(path, "schema", "is missing, so this is not a belief", BELIEF)),
        }
    }

    fn kind(&self) -> Result<&str> {
        let kind = self.object.get("kind").and_then(Value::as_str);
        kind.or(Some("")).ok_or_else(|| refuse(self.path, "kind", "is missing", BELIEF))
    }

    fn value(&mut self, field: &str) -> Result<Value> {
        self.object.remove(field).ok_or_else(|| refuse(self.path, field, "is missing", AGAIN))
    }

    fn settings(&mut self) -> Result<StudyConfig> {
        let value = self.value("settings")?;
        let key = scale_key(value.as_object().into_iter().flat_map(Map::keys));
        let wrong = |e| refuse(self.path, "settings", &format!("can't be read: {e}"), AGAIN);
        StudyConfig::read(key, value).map_err(wrong)
    }

    fn take<T: DeserializeOwned>(&mut self, field: &str) -> Result<T> {
        let value = self.value(field)?;
        serde_json::from_value(value).map_err(|e| refuse(self.path, field, &format!("can't be read: {e}"), AGAIN))
    }

    fn take_each<T: DeserializeOwned>(&mut self, field: &str) -> Result<Vec<T>> {
        let entries: Vec<Value> = self.take(field)?;
        let one = |(k, value): (usize, Value)| {
            let wrong = |e| refuse(self.path, &format!("{field}[{k}]"), &format!("can't be read: {e}"), AGAIN);
            serde_json::from_value(value).map_err(wrong)
        };
        entries.into_iter().enumerate().map(one).collect()
    }
}

const BELIEF: &str = "name the results/belief.json of a run folder, or the folder";

fn object(path: &Path, bytes: &[u8]) -> Result<Map<String, Value>> {
    let wrong = |reason: String, place: Place| Error::unfit(place, reason, BELIEF);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(wrong("is no JSON object, so this is not a belief".to_owned(), Place::file(path))),
        Err(e) => Err(wrong(format!("is not JSON: {e}"), Place::file(path).at_line(e.line().max(1) as u64))),
    }
}

/// The file that a path stands for: itself, or the one in the folder of a run, of its results or of a study.
pub fn belief_of(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let places = [FILE, "belief.json", "run/results/belief.json"].map(|place| path.join(place));
    places.iter().find(|place| place.exists()).unwrap_or(&places[0]).clone()
}

fn baselines(study: &Study, decomposition: &Decomposition) -> Vec<Baseline> {
    let labelled: Vec<bool> = decomposition.numbers.iter().map(|n| *n > 0).collect();
    let said = said(study.scale(), &study.judge);
    let of_judge = said.iter().map(|(name, values)| Baseline::new(name, values, &labelled));
    let features = decomposition.features.iter();
    let all = of_judge.chain(features.map(|feature| Baseline::new(feature.name(), &feature.values, &labelled)));
    all.take(MOST_WATCHED).collect()
}

/// Whether a rule's priority of an item depends on this item alone.
fn is_of_the_item(rule: Rule) -> bool {
    rule != Rule::Random
}

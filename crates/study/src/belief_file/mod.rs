//! The fitted belief as a file, `results/belief.json`: all that it takes to say of further items what a run says of its
//! own.
//!
//! | module | holds |
//! |---|---|
//! | [`drift`] | how judge and features lay in the fit, and how far others have moved from it |

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ndarray::Array2;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::input::config::{JudgeConfig, StudyConfig, StudyFile, scale_key};
use crate::input::judge::{JudgeFiles, ONLY_VARIANT, StudyJudge};
use crate::input::scale::Scale;
use crate::model::carried::{CarriedReading, Kept, starts_elsewhere};
use crate::model::study::{Decomposition, Study};
use judge_uncertainty_core::belief::design::DesignError;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::{
    Design, Feature, FeatureColumn, FeatureScale, Repeats, Standardizer, Unfit, entropy,
};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_evaluation::{Fit, LabelPool};
use judge_uncertainty_familiarity::embedding::matrix_bytes;
use judge_uncertainty_familiarity::neighbours::{NotFinite, UnitRows};
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::npy::read_matrix;
use judge_uncertainty_system::to_json;

pub mod drift;

pub use drift::{Baseline, Drift, Tally};

// The file of a fitted belief: what it holds, how it is written and read.

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
            columns: InputColumns::new(&settings, &variants),
            judge: study.judge_files.clone(),
            variants,
            groups: study.items.group_names().into_iter().map(str::to_owned).collect(),
            mean_confidence: (!confidence.is_empty()).then(|| mean(&confidence)),
            rules: study.rules().into_iter().filter(|rule| is_of_the_item(*rule)).collect(),
            features: FeatureDefinition::of_all(study, decomposition, decomposition.pool.extrapolates()),
            kept: match &decomposition.pool {
                LabelPool::Ratings(pool) => Kept::Ratings(pool.repeats()),
                LabelPool::Classes(_) => Kept::Classes(match &study.carried_map {
                    Some(CarriedReading::Classes(map)) if starts_elsewhere(decomposition.fitted.fit.of_classes()) => {
                        Some(map.clone())
                    }
                    _ => None,
                }),
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
        let kept = |problem: &str| Err(Unfit { field: "kept", problem: problem.to_owned() });
        match (&self.fit, &self.kept) {
            (Fit::Ratings(fit), Kept::Ratings(repeats)) => {
                let possible = |of: &Repeats| of.variance.is_finite() && of.variance >= 0.0 && of.degrees > 0;
                if !repeats.as_ref().is_none_or(possible) {
                    return kept("is not a variance of repeated ratings");
                }
                fit.check(&names, groups)?;
                Ok(fit.is_by_group())
            }
            (Fit::Classes(fit), Kept::Classes(carried)) => {
                let classes = self.settings.scale.classes().len();
                carried.iter().try_for_each(|carried| carried.check(classes))?;
                if starts_elsewhere(fit) != carried.is_some() {
                    return kept("does not hold the map that the fit starts from, or one that it does not start from");
                }
                fit.check(&names, classes, groups)?;
                Ok(fit.mapped().is_some_and(|mapped| mapped.map.is_by_group()))
            }
            _ => kept("is of other labels than the fit"),
        }
    }

    /// Whether the fit has parameters for every group of its own; of a file that was checked.
    pub fn is_by_group(&self) -> bool {
        self.check_fit() == Ok(true)
    }

    fn check_feature(&self, feature: &FeatureDefinition) -> std::result::Result<(), String> {
        let finite =
            [Some(feature.mean), Some(feature.sd), feature.low, feature.high].iter().flatten().all(|x| x.is_finite());
        match () {
            () if !finite => Err("has a number that is not finite".to_owned()),
            () if feature.sd <= 0.0 => Err(format!("has the standard deviation {}, not above 0", feature.sd)),
            () if feature.low.is_some() != feature.high.is_some() || feature.low > feature.high => {
                Err("has a lowest value above its highest".to_owned())
            }
            () if feature.source.is_distance() && self.familiarity.is_none() => {
                Err("needs familiarity, which the belief lacks".to_owned())
            }
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
    let clusters = &study.ratings().clusters;
    let of_judge = said.iter().map(|(name, values)| Baseline::new(name, values, &labelled, clusters));
    let features = decomposition.features.iter();
    let all =
        of_judge.chain(features.map(|feature| Baseline::new(feature.name(), &feature.values, &labelled, clusters)));
    all.take(MOST_WATCHED).collect()
}

/// Whether a rule's priority of an item depends on this item alone.
fn is_of_the_item(rule: Rule) -> bool {
    rule != Rule::Random
}

// What the trust of a fitted belief depends on.

/// The column that the values of a feature are read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FeatureSource {
    /// A column of numbers.
    Number {
        /// Its name.
        column: String,
    },
    /// 1 for items of a category and 0 for the others.
    Category {
        /// Name of the column.
        column: String,
        /// The category.
        value: String,
        /// All categories that the fit knows; another one is refused.
        known: Vec<String>,
    },
}

impl FeatureSource {
    /// Its name.
    pub fn column(&self) -> &str {
        let (Self::Number { column } | Self::Category { column, .. }) = self;
        column
    }
}

/// A feature with all that it takes to bring further items on the scale of the fit:
///
/// ```text
/// z = clamp((x - mean) / sd, low, high)        0 where x is missing
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureDefinition {
    /// Its name, as in results.
    pub name: String,
    /// What it measures; of a column where it stands.
    pub source: Feature<FeatureSource>,
    /// Mean over the items of the fit, in its own unit.
    pub mean: f64,
    /// Standard deviation over them, above 0.
    pub sd: f64,
    /// Items of the fit that lacked it.
    pub missing: usize,
    /// Lowest value of a labelled item, in standard deviations from the mean, below which nothing is extrapolated;
    /// `None` where the fit extrapolates.
    pub low: Option<f64>,
    /// Highest value of a labelled item.
    pub high: Option<f64>,
}

/// The design of items with the features `columns`, on the scales of another fit and within its limits, if there are any.
///
/// # Errors
/// Columns that are not the features of that fit, or have a value that is not finite.
pub(crate) fn design_on(
    scales: Vec<FeatureScale>,
    limits: &[Option<(f64, f64)>],
    (columns, items): (&[FeatureColumn], usize),
) -> Result<Design, DesignError> {
    let design = match columns.is_empty() {
        true => Design::constant(items),
        false => Standardizer::of_scales(scales).apply(columns)?,
    };
    Ok(design.kept_within(limits))
}

impl FeatureDefinition {
    /// Where its values stand; `None` where they are computed.
    pub fn column(&self) -> Option<&FeatureSource> {
        if let Feature::Column(source) = &self.source { Some(source) } else { None }
    }

    /// The features of a decomposition, in order.
    pub fn of_all(study: &Study, decomposition: &Decomposition, extrapolates: bool) -> Vec<Self> {
        let design = &decomposition.fitted.design;
        let labelled: Vec<usize> = (0..decomposition.len()).filter(|&i| decomposition.numbers[i] > 0).collect();
        let limits = |k: usize| {
            let known = || labelled.iter().map(|&i| design.row(i)[k]);
            let ends = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
            (!extrapolates && ends.0 <= ends.1).then_some(ends)
        };
        let of = |(k, scale): (usize, &FeatureScale)| Self {
            name: scale.name.clone(),
            source: decomposition.features[k].feature.map(|name| source_of(study, name)),
            mean: scale.mean,
            sd: scale.sd,
            missing: scale.missing,
            low: limits(k).map(|ends| ends.0),
            high: limits(k).map(|ends| ends.1),
        };
        decomposition.scales.iter().enumerate().map(of).collect()
    }
}

/// Where the values of a column of the items stand.
fn source_of(study: &Study, name: &str) -> FeatureSource {
    let mut columns = study.items.columns.iter();
    let column = columns.find(|column| column.feature.name() == name).expect("a column of the items");
    let source = column.source.clone();
    match column.categories.is_empty() {
        true => FeatureSource::Number { column: source },
        false => FeatureSource::Category {
            value: name[source.len() + 1..].to_owned(),
            known: column.categories.clone(),
            column: source,
        },
    }
}

// The labelled items that familiarity compares further items with.

/// Name of the file with the embeddings, beside the belief: a NumPy matrix of 32-bit floats, a row for each labelled
/// item.
pub const REFERENCE: &str = "belief-reference.npy";

/// Its place within a run folder.
pub const REFERENCE_FILE: &str = "results/belief-reference.npy";

/// How near further items are to the labelled ones, as the belief's file says it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Familiarity {
    /// Labelled neighbours whose mean distance is `mean_nearest_labelled`.
    pub neighbours: usize,
    /// Whether a labelled item counts among its own neighbours.
    pub count_itself: bool,
    /// The sentence model that embeds texts; `None` where the study named a file of embeddings.
    pub model: Option<SentenceModel>,
    /// Dimensions of the embeddings.
    pub dimensions: usize,
    /// The file with the embeddings of the labelled items.
    pub file: String,
    /// Its SHA-256.
    pub sha256: String,
    /// Ids of the labelled items, in the order of its rows.
    pub items: Vec<String>,
}

/// A sentence model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentenceModel {
    /// As the study names it.
    pub name: String,
    /// Hash of its files.
    pub hash: String,
}

impl Familiarity {
    /// That of a decomposition, with the bytes of the file beside it; `None` without embeddings.
    pub fn new(study: &Study, decomposition: &Decomposition) -> Option<(Self, Vec<u8>)> {
        let (config, embeddings) = study.file.config.familiarity.as_ref().zip(study.embeddings.as_ref())?;
        let labelled: Vec<usize> = (0..decomposition.len()).filter(|&i| decomposition.numbers[i] > 0).collect();
        let bytes = matrix_bytes(embeddings.select(ndarray::Axis(0), &labelled).view());
        let familiarity = Self {
            neighbours: config.neighbours,
            count_itself: config.count_itself,
            model: study
                .text_model()
                .map(|model| SentenceModel { name: model.name.clone(), hash: model.model.hash.clone() }),
            dimensions: embeddings.ncols(),
            file: REFERENCE.to_owned(),
            sha256: sha256_hex(&bytes),
            items: labelled.iter().map(|&i| study.items.ids[i].to_owned()).collect(),
        };
        Some((familiarity, bytes))
    }

    /// Reads the file beside the belief at `path`: the ids of the labelled items, and their embeddings in this order.
    ///
    /// # Errors
    /// It is missing, belongs to another belief, or has a cell that is not a number.
    pub fn read(&self, path: &Path) -> Result<(ItemIds, UnitRows)> {
        let file = path.with_file_name(&self.file);
        let bytes = read_file(&file)?;
        let remedy = "copy it anew with its belief.json; the two belong together";
        let refuse = |reason: String| Error::unfit(Place::file(&file), reason, remedy);
        let found = sha256_hex(&bytes);
        if found != self.sha256 {
            let reason = format!("its SHA-256 is {found}, but {} expects {}", path.display(), self.sha256);
            return Err(refuse(reason));
        }
        let ids = ItemIds::new(&self.items).map_err(|error| error.in_file(path))?;
        let matrix: Array2<f32> = match ids.is_empty() {
            true => Array2::zeros((0, self.dimensions)),
            false => read_matrix(&file, &bytes, &ids, self.dimensions)?,
        };
        let rows = UnitRows::new(matrix.view()).map_err(|error: NotFinite| refuse(error.to_string()))?;
        Ok((ids, rows))
    }
}

// How a belief reads further items: the columns of their table.

/// Of so many classes the judge's shares are watched for drift.
const MOST_SHARES: usize = 50;

/// The judge's answers to every item, by name, from which drift is measured.
pub fn said(scale: &Scale, judge: &StudyJudge) -> Vec<(String, Vec<Option<f64>>)> {
    let column = |k: usize| judge.predictions.column(k).iter().copied().map(Some).collect::<Vec<_>>();
    if scale.is_numbers() {
        let sds = judge.variances.iter().map(|variance| variance.map(f64::sqrt)).collect();
        return vec![("judge_mean".to_owned(), column(0)), ("judge_sd".to_owned(), sds)];
    }
    let entropies = judge.predictions.rows().into_iter().map(|q| Some(entropy(row(q)))).collect();
    let shares =
        scale.classes().iter().enumerate().take(MOST_SHARES).map(|(k, class)| (format!("q_{class}"), column(k)));
    std::iter::once(("judge_entropy".to_owned(), entropies)).chain(shares).collect()
}

/// The columns of a table where judge and labels stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowColumns {
    /// Per variant, the column of each class, or the one of the expected mean.
    pub answers: Vec<Vec<String>>,
    /// Per variant, the column of the expected standard deviation, where judges state one.
    pub deviations: Vec<Option<String>>,
    /// The columns of the stated confidence: one, or one for each variant.
    pub confidence: Vec<String>,
    /// The column of each class, or the one of the ratings; none where the table has no labels.
    pub labels: Vec<String>,
}

impl RowColumns {
    /// The columns as they are called for a judge with these `variants`; of the confidence those that may be there.
    pub fn new(scale: &Scale, variants: &[String], names: &InputColumns) -> Self {
        let only = [String::new()];
        let variants = if variants.is_empty() { &only } else { variants };
        let classes = if scale.is_numbers() { &only } else { scale.classes() };
        let of_classes = |pattern: &str, variant: &str| -> Vec<String> {
            classes.iter().map(|class| filled(pattern, variant, class)).collect()
        };
        let deviation = |variant| names.deviations.as_ref().map(|pattern| filled(pattern, variant, ""));
        let confidence = |name: &String| {
            let pattern = if name.contains("{variant}") { name.clone() } else { format!("{name}_{{variant}}") };
            let of_variants = variants.iter().map(move |variant| filled(&pattern, variant, ""));
            of_variants.chain([name.clone()]).collect::<Vec<_>>()
        };
        Self {
            answers: variants.iter().map(|variant| of_classes(&names.answers, variant)).collect(),
            deviations: variants.iter().map(|variant| deviation(variant)).collect(),
            confidence: names.confidence.iter().flat_map(confidence).collect(),
            labels: of_classes(&names.labels, ""),
        }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.answers
            .iter()
            .flatten()
            .chain(self.deviations.iter().flatten())
            .chain(&self.labels)
            .chain(&self.confidence)
    }
}

/// A pattern with its places filled in.
fn filled(pattern: &str, variant: &str, class: &str) -> String {
    pattern.replace("{variant}", variant).replace("{class}", class)
}

/// The columns of a table with one row per item. `{class}` stands for a class and `{variant}` for a variant of the
/// judge's prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputColumns {
    /// The id of an item.
    pub id: String,
    /// The judge's answers: a weight per class, or the expected mean of the ratings.
    pub answers: String,
    /// The expected standard deviation of the ratings; `None` where such judges state none.
    pub deviations: Option<String>,
    /// The stated confidence, on the scale of the study; `None` where the study has none.
    pub confidence: Option<String>,
    /// Human labels, of which a table may have none: a count per class, or the ratings of an item as a list.
    pub labels: String,
    /// The group of an item; `None` where the study has none.
    pub group: Option<String>,
    /// The embedding of an item, a list of numbers, which takes the place of its text.
    pub embedding: String,
}

/// Columns of the counts of labels where a study has none of its own.
const LABELS: &str = "n_{class}";
/// Name of a column of embeddings.
const EMBEDDING: &str = "embedding";

impl InputColumns {
    /// How the columns of further items are called, where the judge has these `variants`.
    pub fn new(config: &StudyConfig, variants: &[String]) -> Self {
        let (answers, deviations, confidence, labels) = match &config.judge {
            JudgeConfig::Ratings(judge) => {
                let alone = variants.is_empty();
                let name = |name: &String| if alone { name.clone() } else { format!("{name}_{{variant}}") };
                (name(&judge.mean), judge.sd.as_ref().map(name), None, "ratings".to_owned())
            }
            JudgeConfig::Classes(judge) => {
                let alone = variants.iter().all(|variant| variant == ONLY_VARIANT);
                let answers = match &judge.columns {
                    Some(columns) if alone || !judge.variants.is_empty() => columns.clone(),
                    _ if alone => "p_{class}".to_owned(),
                    _ => "p_{variant}_{class}".to_owned(),
                };
                let counts = config.tables().1.and_then(|labels| labels.counts);
                let other = if answers == LABELS { "labels_{class}" } else { LABELS };
                let labels = counts.filter(|columns| *columns != answers).unwrap_or(other).to_owned();
                (answers, None, judge.confidence.clone(), labels)
            }
        };
        let id = config.items.id.clone().unwrap_or_else(|| "id".to_owned());
        let (group, embedding) = (config.items.group.clone(), EMBEDDING.to_owned());
        Self { id, answers, deviations, confidence, labels, group, embedding }
    }

    /// These names with one replaced, as `key=NAME` says, such as `answers=share_{class}`.
    ///
    /// # Errors
    /// No such key, in words.
    pub fn set(&mut self, change: &str) -> Result<(), String> {
        let known =
            "id, answers, deviations, confidence, labels, group or embedding, or what `audit` takes, such as verdict";
        let Some((key, name)) = change.split_once('=').filter(|(_, name)| !name.is_empty()) else {
            return Err(format!("{change:?} names no column: write KEY=NAME, where KEY is {known}"));
        };
        let name = name.to_owned();
        match key {
            "id" => self.id = name,
            "answers" => self.answers = name,
            "deviations" => self.deviations = Some(name),
            "confidence" => self.confidence = Some(name),
            "labels" => self.labels = name,
            "group" => self.group = Some(name),
            "embedding" => self.embedding = name,
            _ => return Err(format!("{key:?} is not a kind of column: write KEY=NAME, where KEY is {known}")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests_of_kind {
    use super::*;

    #[test]
    fn columns_follow_their_patterns() {
        let of = |all: &[&str]| all.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let named = |answers: &str, labels: &str| InputColumns {
            answers: answers.to_owned(),
            labels: labels.to_owned(),
            ..InputColumns::default()
        };
        let mut names = named("{variant}_{class}", "n_{class}");
        names.confidence = Some("sure".to_owned());
        let columns = RowColumns::new(&Scale::Classes(of(&["now", "later"])), &of(&["brief", "long"]), &names);
        assert_eq!(columns.answers, [["brief_now", "brief_later"], ["long_now", "long_later"]]);
        assert_eq!(
            (columns.labels, columns.confidence),
            (of(&["n_now", "n_later"]), of(&["sure_brief", "sure_long", "sure"]))
        );
        let mut names = named("mean", "ratings");
        names.deviations = Some("sd".to_owned());
        let columns = RowColumns::new(&Scale::Scores(0.0, 1.0), &[], &names);
        assert_eq!(columns.all().collect::<Vec<_>>(), ["mean", "sd", "ratings"]);
    }

    #[test]
    fn columns_are_renamed_by_their_keys() {
        let mut columns = InputColumns::default();
        columns.set("answers=q=1_{class}").unwrap();
        assert_eq!((columns.answers.as_str(), columns.id.as_str()), ("q=1_{class}", ""));
        for wrong in ["answers", "answers=", "answer=x"] {
            assert!(columns.set(wrong).unwrap_err().contains("KEY=NAME"));
        }
    }
}

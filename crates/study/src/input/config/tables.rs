//! `[judge]` and `[labels]` of a `study.toml`: the files with what judge and people say, of classes and of ratings.

use serde::{Deserialize, Serialize, Serializer};

use super::{Check, FileFormat, Files, JudgeConfig, LabelsConfig, StudyConfig};
use crate::input::labels::LabelColumns;
use crate::input::scale::Scale;
use judge_uncertainty_core::belief::BeliefModel;
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_evaluation::protocol::FLOOR;
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::judge::CONFIDENCE_RANGE;

/// More classes than this are refused: every item has several columns per class in the output.
pub const MOST_CLASSES: usize = 1000;

/// What an answer of the judge is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JudgeKind {
    /// A probability per class; what is missing to 1 is mass outside the classes.
    #[default]
    Probabilities,
    /// A count, percentage or other weight per class, on any scale.
    Counts,
    /// One label per row, from repeated samples of one prompt; a blank cell is a failed answer.
    Labels,
}

/// `[judge]` of a study of classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassJudgeConfig {
    /// The file.
    pub file: Files,
    /// Its layout; by default that of its extension. `lewidi` is a file of predictions: soft ones where answers are
    /// probabilities, perspectivist ones where they are counts.
    pub format: Option<FileFormat>,
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
    /// Column that says of a verdict over two answers whether they were shown in the other order, `1` or `0`: such rows
    /// are a variant of their own.
    pub swapped: Option<String>,
    /// The two classes that change places in rows that are swapped; without them a verdict names the same answers in
    /// either order.
    pub mirror: Option<(String, String)>,
    /// Column with the stated confidence.
    pub confidence: Option<String>,
    /// Lowest and highest confidence that can be stated; by default 0 and 100.
    #[serde(default, serialize_with = "filled_in")]
    pub confidence_range: Option<(f64, f64)>,
    /// Zero probabilities are raised to this and the rest scaled down; by default half a count of 100.
    pub floor: Option<f64>,
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

/// `[labels]` of a study of classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassLabelsConfig {
    /// The file.
    pub file: Files,
    /// Its layout; by default that of its extension.
    pub format: Option<FileFormat>,
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

/// `[judge]` of a study of ratings.
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
    #[serde(default = "mean_column")]
    pub mean: String,
    /// Column with the expected standard deviation of their scores, blank where it is not stated.
    pub sd: Option<String>,
    /// Column that says which variant of the prompt, or which model, a row belongs to.
    pub variant: Option<String>,
}

/// `[labels]` of a study of ratings.
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
    #[serde(default = "score_column")]
    pub score: String,
}

/// The column of this name; logs have one of their own.
fn column_of_log(named: &Option<String>, format: Option<FileFormat>, own: &str) -> Option<String> {
    named.clone().or_else(|| format.filter(|format| format.is_log()).map(|_| own.to_owned()))
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
fn mean_column() -> String {
    "mean".to_owned()
}
fn score_column() -> String {
    "score".to_owned()
}
/// A manifest states the range in either case.
fn filled_in<S: Serializer>(range: &Option<(f64, f64)>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    range.unwrap_or(CONFIDENCE_RANGE).serialize(serializer)
}
fn least_mass() -> f64 {
    0.9
}

impl ClassJudgeConfig {
    /// The column of the order of two answers; logs have one of their own.
    pub fn swapped_column(&self) -> Option<String> {
        column_of_log(&self.swapped, self.format, "swapped")
    }
}

/// How to write a layout that holds what it should.
const LAYOUT: &str = "leave it out if the file's name says its layout, or write one such as \"csv\" or \"jsonl\"";

impl StudyConfig {
    /// The judge's files, and where labels stand in those of the study; `None` for a study that has no such files yet.
    pub fn tables(&self) -> (&Files, Option<LabelColumns<'_>>) {
        let judge = match &self.judge {
            JudgeConfig::Classes(judge) => &judge.file,
            JudgeConfig::Ratings(judge) => &judge.file,
        };
        let labels = self.labels.as_ref().map(|labels| match labels {
            LabelsConfig::Classes(labels) => LabelColumns {
                files: &labels.file,
                format: labels.format,
                id: labels.id.as_deref(),
                annotator: &labels.annotator,
                label: &labels.label,
                is_counted: match labels.format {
                    Some(FileFormat::LeWiDi | FileFormat::Log(_)) => false,
                    Some(FileFormat::ChaosNli) => true,
                    _ => labels.form != Some(LabelsForm::Long),
                },
                counts: labels.columns.as_deref(),
            },
            LabelsConfig::Ratings(labels) => LabelColumns {
                files: &labels.file,
                format: labels.format,
                id: labels.id.as_deref(),
                annotator: &labels.annotator,
                label: &labels.score,
                is_counted: false,
                counts: None,
            },
        });
        (judge, labels)
    }

    /// The column that says which variant of the prompt a row of the judge's table belongs to; logs have one of their own.
    pub fn variant_column(&self) -> Option<String> {
        match &self.judge {
            JudgeConfig::Classes(judge) => column_of_log(&judge.variant, judge.format, "variant"),
            JudgeConfig::Ratings(judge) => column_of_log(&judge.variant, judge.format, "variant"),
        }
    }

    /// The floor under predicted probabilities of classes: the configured one, or half a count of 100 (less where that would
    /// leave no room: a quarter of an even share).
    ///
    /// # Panics
    /// If labels are ratings.
    pub fn floor(&self) -> f64 {
        let even = 1.0 / self.scale.classes().len() as f64;
        self.judge.of_classes().floor.unwrap_or(FLOOR.min(even / 4.0))
    }

    /// Checks what labels can be, and the tables of judge and labels.
    ///
    /// # Errors
    /// A value outside its range.
    pub(super) fn check_tables(&self, check: &Check<'_>) -> Result<()> {
        let key = self.scale.key();
        let is_read = |map: MapName| match self.scale.is_numbers() {
            true => map.words_of_ratings().is_some(),
            false => map.words_of_classes().is_some(),
        };
        let (reason, remedy) = match &self.scale {
            Scale::Scores(low, high) => {
                let range = low.is_finite() && high.is_finite() && low < high;
                let remedy = "write [lowest, highest], such as [1, 5]";
                check.that(range, key, &(low, high), "is not a range", remedy)?;
                check.has_room(*low, *high, key, &(low, high))?;
                ("this map reads classes", "take belief = \"auto\", \"line\", \"groups\" or \"recalibrated\"")
            }
            Scale::Classes(_) | Scale::Places(_) => {
                check_classes(&self.scale, check)?;
                ("this map reads ratings", "take belief = \"auto\", or a map of classes such as \"temperature\"")
            }
        };
        let belief = self.trust.belief();
        let fits = !matches!(belief, BeliefModel::Map(map) if !is_read(map));
        check.that(fits, "trust.belief", &belief, reason, remedy)?;
        match &self.judge {
            JudgeConfig::Classes(judge) => {
                check_judge(judge, self.scale.classes(), check)?;
                check_multilabel(self, check)?;
            }
            JudgeConfig::Ratings(judge) => {
                let of_labels = self.tables().1.and_then(|labels| labels.format);
                for (setting, format) in [("judge.format", judge.format), ("labels.format", of_labels)] {
                    check.that(format != Some(FileFormat::ChaosNli), setting, &format, "holds no scores", LAYOUT)?;
                }
            }
        }
        match &self.labels {
            Some(LabelsConfig::Classes(labels)) => check_labels(labels, check),
            _ => Ok(()),
        }
    }
}

/// Characters that XML, in which labelling interfaces are written, can't hold.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r') || matches!(c, '\u{fffe}' | '\u{ffff}')
}

fn check_classes(scale: &Scale, check: &Check<'_>) -> Result<()> {
    let (key, classes) = (scale.key(), scale.classes());
    if let Scale::Places(places) = scale {
        places.check(key, check)?;
    }
    check.that(classes.len() >= 2, key, &classes, "a label needs a choice", "name two or more classes")?;
    let reason = "a study has at most 1000 classes, because every item gets several columns per class";
    let remedy = "merge rare classes, or leave out those that neither judge nor annotators use";
    let shown = format!("[... {} classes ...]", classes.len());
    check.that(classes.len() <= MOST_CLASSES, key, &shown, reason, remedy)?;
    check.each_once(key, classes)?;
    let control = classes.iter().find(|class| class.chars().any(is_control));
    let (reason, remedy) = ("has a control character, which no annotation tool can show", "write the class without it");
    check.that(control.is_none(), key, &control, reason, remedy)?;
    let blank = classes.iter().any(|class| class.trim().is_empty());
    check.that(!blank, key, &classes, "a class is blank", "name every class")
}

/// Checks that the labels of a LeWiDi file that are items of their own go with the rest.
fn check_multilabel(config: &StudyConfig, check: &Check<'_>) -> Result<()> {
    let (setting, labels) = ("items.multilabel", &config.items.multilabel);
    if labels.is_empty() {
        return Ok(());
    }
    check.each_once(setting, labels)?;
    let blank = labels.iter().any(|label| label.trim().is_empty());
    check.that(!blank, setting, labels, "a label is blank", "name every label")?;
    let of_labels = config.tables().1.map(|labels| labels.format);
    let lewidi =
        config.items.format == Some(FileFormat::LeWiDi) && of_labels.is_none_or(|f| f == Some(FileFormat::LeWiDi));
    let remedy = "set format = \"lewidi\" under [items] and [labels]";
    check.that(lewidi, setting, labels, "only LeWiDi files have several labels in an annotation", remedy)?;
    let answers = config.scale.classes() == ["0", "1"];
    let remedy = "write classes = [\"0\", \"1\"]: the label does not apply, or it does";
    let (key, classes) = (config.scale.key(), config.scale.classes());
    check.that(answers, key, &classes, "every label is a question of its own here", remedy)
}

fn check_judge(judge: &ClassJudgeConfig, classes: &[String], check: &Check<'_>) -> Result<()> {
    if let Some(floor) = judge.floor {
        let fits = floor > 0.0 && floor * (classes.len() as f64) < 1.0;
        let remedy = "choose a small positive share, such as 0.005";
        check.that(fits, "judge.floor", &floor, "is outside the open range from 0 to 1/classes", remedy)?;
    }
    let (low, high) = judge.confidence_range.unwrap_or(CONFIDENCE_RANGE);
    let range = low.is_finite() && high.is_finite() && low < high;
    let remedy = "write [lowest, highest], such as [0, 100]";
    check.that(range, "judge.confidence_range", &(low, high), "is not a range", remedy)?;
    let share = (0.0..=1.0).contains(&judge.least_mass);
    check.that(share, "judge.least_mass", &judge.least_mass, "is outside 0 to 1", "write a share such as 0.9")?;
    let pattern = judge.columns.as_deref().unwrap_or("{class}");
    let remedy = "write a name with {class} in it, such as \"p_{class}\"";
    check.that(pattern.contains("{class}"), "judge.columns", &pattern, "does not name the class", remedy)?;
    let (wide, listed) = (pattern.contains("{variant}"), !judge.variants.is_empty());
    let remedy = "put {variant} into columns and name the variants, or neither";
    check.that(wide == listed, "judge.variants", &judge.variants, "does not go with columns", remedy)?;
    let (named, reason) = (judge.variant.is_some(), "variants stand either side by side or row by row");
    let remedy = "remove variant, or {variant} from columns";
    check.that(!(wide && named), "judge.variant", &judge.variant, reason, remedy)?;
    let sampled = judge.kind == JudgeKind::Labels && judge.columns.is_some();
    let remedy = "remove it: labels stand in the column named by label";
    check.that(!sampled, "judge.columns", &judge.columns, "sampled labels have no columns of classes", remedy)?;
    check.each_once("judge.variants", &judge.variants)?;
    check.that(judge.format != Some(FileFormat::ChaosNli), "judge.format", &judge.format, "holds no judge", LAYOUT)?;
    let lewidi = judge.format == Some(FileFormat::LeWiDi);
    let remedy = "write kind = \"probabilities\" for soft predictions, or kind = \"counts\" for perspectivist ones";
    let sampled = judge.kind == JudgeKind::Labels;
    check.that(!(lewidi && sampled), "judge.kind", &"labels", "LeWiDi's predictions have no row per label", remedy)?;
    let named = judge.columns.is_some() || judge.variant.is_some() || judge.swapped.is_some();
    let remedy = "remove columns, variant and swapped";
    check.that(!(lewidi && named), "judge.format", &judge.format, "LeWiDi's predictions have no columns", remedy)?;
    let Some((one, other)) = &judge.mirror else { return Ok(()) };
    let known = one != other && [one, other].iter().all(|class| classes.contains(class));
    let remedy = "write the two classes that change places, such as [\"A\", \"B\"]";
    check.that(known, "judge.mirror", &judge.mirror, "are not two of the classes", remedy)?;
    let remedy = "name the column that says which rows are swapped: swapped = \"COLUMN\"";
    let reason = "nothing says when they change places";
    check.that(judge.swapped.is_some(), "judge.mirror", &judge.mirror, reason, remedy)?;
    let side_by_side = judge.variants.is_empty();
    let remedy = "write one row per answer, with the variant in a column of its own";
    check.that(side_by_side, "judge.swapped", &judge.swapped, "variants stand side by side", remedy)
}

fn check_labels(labels: &ClassLabelsConfig, check: &Check<'_>) -> Result<()> {
    let log = labels.format.is_some_and(FileFormat::is_log);
    let special = log || matches!(labels.format, Some(FileFormat::ChaosNli | FileFormat::LeWiDi));
    let remedy = "write form = \"counts\" (a row per item) or form = \"long\" (a row per label)";
    check.that(special || labels.form.is_some(), "labels.form", &"", "is not given", remedy)?;
    let remedy = "remove it: the file's layout is known";
    check.that(!(special && labels.form.is_some()), "labels.form", &labels.form, "has no meaning here", remedy)?;
    let pattern = labels.columns.as_deref().unwrap_or("{class}");
    let remedy = "write a name with {class} in it, such as \"n_{class}\"";
    check.that(pattern.contains("{class}"), "labels.columns", &pattern, "does not name the class", remedy)
}

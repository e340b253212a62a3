//! The judge's scores.

use std::collections::HashMap;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::belief_file::file::RowColumns;
use crate::input::check::Check;
use crate::input::config::{FileFormat, Files, StudyConfig, StudyFile};
use crate::input::items::{ItemRows, Items};
use crate::input::judge::{JudgeFile, JudgeReport, StudyJudge};
use crate::input::labels::{LabelColumns, score};
use crate::input::scale::Scale;
use crate::input::source::{Source, read_joined, read_table};
use crate::kinds::classes::config::own_variant;
use crate::kinds::classes::judge::several_answers;
use judge_uncertainty_core::belief::{BeliefModel, JudgeScores};
use judge_uncertainty_core::stats::{mean, sample_sd};
use judge_uncertainty_formats::error::{Problem, Result};
use judge_uncertainty_formats::judge::JudgeAnswers;
use judge_uncertainty_formats::lewidi;
use judge_uncertainty_formats::lewidi::Predicted;
use judge_uncertainty_formats::logs::LogRows;
use judge_uncertainty_formats::table::{ColumnIndex, DataTable};

/// Stated standard deviations are at least this share of the scale's width: none at all would be certainty.
pub const LEAST_SD: f64 = 1e-6;

/// What was found in the judge's file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreJudgeReport {
    /// Rows of the file.
    pub rows: usize,
    /// Blank scores: they are counted and never become scores.
    pub failed_answers: usize,
    /// Rows of ids that the items don't have, left out.
    pub unknown_rows: usize,
    /// Items whose judge states no standard deviation; a common one is fitted for them.
    pub without_sd: usize,
}

/// Puts the answers to items together: the mean of the variants' means, and of the variances that are stated.
pub fn judge(variants: &[String], answers: &JudgeAnswers, report: ScoreJudgeReport) -> StudyJudge {
    let of = |item: usize, k: usize| -> Vec<f64> {
        answers.of(item).flatten().map(|numbers| numbers[k]).filter(|number| !number.is_nan()).collect()
    };
    let means: Vec<Vec<f64>> = (0..answers.len()).map(|item| of(item, 0)).collect();
    let variance = |item| Some(of(item, 1)).filter(|stated| !stated.is_empty()).map(|stated| mean(&stated));
    let variances: Vec<Option<f64>> = (0..answers.len()).map(variance).collect();
    let without_sd = variances.iter().filter(|variance| variance.is_none()).count();
    StudyJudge {
        predictions: Array2::from_shape_fn((means.len(), 1), |(i, _)| mean(&means[i])),
        variances,
        answers: None,
        is_verdicts: false,
        variants: variants.to_vec(),
        spread: means.iter().map(|means| (means.len() > 1).then(|| sample_sd(means))).collect(),
        confidence: vec![],
        scores: means,
        failed_answers: report.failed_answers,
        unknown_rows: report.unknown_rows,
        report: JudgeReport::Ratings(ScoreJudgeReport { without_sd, ..report }),
    }
}

/// The judge's scores of the items at positions `kept`.
pub fn scores(judge: &StudyJudge, kept: &[usize]) -> JudgeScores {
    JudgeScores {
        mean: kept.iter().map(|&i| judge.predictions[[i, 0]]).collect(),
        variance: kept.iter().map(|&i| judge.variances[i]).collect(),
    }
}

/// Reads the judge's scores: of every variant its mean and, where it is stated, its variance.
///
/// # Errors
/// A score that can't be used.
pub fn read(file: &StudyFile, items: &Items, source: &mut Source) -> Result<JudgeFile> {
    let config = file.config.judge.of_ratings();
    let paths = file.resolve_all(&config.file);
    let lewidi = config.format == Some(FileFormat::LeWiDi);
    let table = match lewidi {
        true => {
            read_joined(&paths, |path| lewidi::read_predictions(path, &source.read(path)?, Predicted::Ratings, &[]))?
        }
        false => read_table(&paths, config.format, config.id.as_deref(), LogRows::Judge(&[]), source)?,
    };
    let optional = |name: &Option<String>| name.as_deref().map(|name| table.column(name)).transpose();
    let variants = config.variant.clone().or_else(|| own_variant(config.format));
    let sd = if lewidi { Some("sd".to_owned()) } else { config.sd.clone() };
    let (side, variant) = ((table.column(&config.mean)?, optional(&sd)?), optional(&variants)?);
    scores_in(&table, (&[side], variant), &file.config.scale, &mut ItemRows::about(items, file.config.unmatched))
}

/// Reads the judge's scores in a table in which every row is an item, with those of all variants side by side. Unless an
/// answer `may_lack_sd`, one of its variants has to state a standard deviation.
///
/// # Errors
/// A column that the table lacks.
pub fn read_rows(
    scale: &Scale,
    (table, columns): (&DataTable, &RowColumns),
    may_lack_sd: bool,
    rows: &mut ItemRows<'_>,
) -> Result<JudgeAnswers> {
    let side = |(mean, sd): (&Vec<String>, &Option<String>)| {
        Ok((table.column(&mean[0])?, sd.as_deref().map(|sd| table.column(sd)).transpose()?))
    };
    let sides: Vec<_> = columns.answers.iter().zip(&columns.deviations).map(side).collect::<Result<_>>()?;
    let sd = sides.iter().find_map(|(_, sd)| *sd);
    let answers = scores_in(table, (&sides, None), scale, rows)?.answers;
    rows.read(table, |row, item| {
        if may_lack_sd || !answers.has(item) || answers.of(item).flatten().any(|numbers| !numbers[1].is_nan()) {
            return Ok(());
        }
        let reason =
            "the judge states no standard deviation, and stated one for every item that the belief was fitted to";
        let problem = Problem::unfit(reason, "give it, or run a study with such items");
        Err(sd.map_or_else(|| row.refuse_row(problem.clone()), |sd| row.refuse(sd, problem.clone())))
    })?;
    Ok(answers)
}

/// The columns of the expected mean and of the standard deviation.
type ScoreColumns = (ColumnIndex, Option<ColumnIndex>);

/// Reads the scores in a table, under variants that stand side by side or are named in a column.
fn scores_in(
    table: &DataTable,
    (sides, variant): (&[ScoreColumns], Option<ColumnIndex>),
    scale: &Scale,
    rows: &mut ItemRows<'_>,
) -> Result<JudgeFile> {
    let Scale::Scores(low, high) = *scale else { panic!("a judge of numbers has two ends") };
    let width = high - low;
    let mut names: Vec<String> = vec![];
    for row in table.rows() {
        let name = variant.map(|column| row.cell(column)).filter(|name| !name.is_empty());
        names.extend(name.filter(|name| !names.iter().any(|known| known == name)).map(str::to_owned));
    }
    let mut report = ScoreJudgeReport { rows: table.rows().len(), ..ScoreJudgeReport::default() };
    let mut answers = JudgeAnswers::new(rows.items(), names.len().max(sides.len()), 2);
    let mut lines: HashMap<(usize, usize), u64> = HashMap::new();
    rows.read(table, |row, item| {
        for (side, (mean, sd)) in sides.iter().enumerate() {
            let position = match variant.map(|column| row.text(column)).transpose()? {
                None => side,
                Some(name) => names.iter().position(|known| known == name).unwrap_or_default(),
            };
            if let Some(first_line) = lines.insert((item, position), row.line()) {
                return Err(row.refuse_id(match variant {
                    Some(_) => {
                        Problem::Repeated { what: format!("a score of variant {:?}", names[position]), first_line }
                    }
                    None => several_answers("judge.variant", "a score", first_line),
                }));
            }
            let Some(mean) = score(row, *mean, (low, high))? else {
                report.failed_answers += 1;
                continue;
            };
            let sd = sd.map_or(Ok(None), |column| score(row, column, (LEAST_SD * width, width)))?;
            answers.answer_mut(item, position).copy_from_slice(&[mean, sd.map_or(f64::NAN, |sd| sd * sd)]);
        }
        Ok(())
    })?;
    report.unknown_rows = rows.unknown;
    Ok(JudgeFile { variants: names, answers, report: JudgeReport::Ratings(report) })
}

// `study.toml` of a study whose labels are ratings on a continuous scale.

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
    #[serde(default = "mean_column")]
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
    #[serde(default = "score_column")]
    pub score: String,
}

fn mean_column() -> String {
    "mean".to_owned()
}
fn annotator() -> String {
    "annotator".to_owned()
}
fn score_column() -> String {
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

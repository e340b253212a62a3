//! The judge's scores.

use std::collections::HashMap;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::input::config::{FileFormat, StudyFile};
use crate::input::items::Items;
use crate::input::judge::{JudgeFile, JudgeReport, StudyJudge};
use crate::input::labels::score;
use crate::input::scale::Scale;
use crate::input::source::{Source, read_joined, read_table};
use crate::kinds::classes::config::own_variant;
use crate::kinds::classes::judge::several_answers;
use judge_uncertainty_core::belief::JudgeScores;
use judge_uncertainty_core::stats::{mean, sample_sd};
use judge_uncertainty_formats::error::{Problem, Result};
use judge_uncertainty_formats::judge::JudgeAnswers;
use judge_uncertainty_formats::lewidi::{self, Predicted};
use judge_uncertainty_formats::logs::LogRows;

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
pub fn judge(variants: &[String], answers: &[JudgeAnswers], report: ScoreJudgeReport) -> StudyJudge {
    let of = |answer: &JudgeAnswers, k: usize| -> Vec<f64> {
        answer.variants.iter().flatten().filter_map(|numbers| numbers.get(k).copied()).collect()
    };
    let means: Vec<Vec<f64>> = answers.iter().map(|answer| of(answer, 0)).collect();
    let variance = |answer| Some(of(answer, 1)).filter(|stated| !stated.is_empty()).map(|stated| mean(&stated));
    let variances: Vec<Option<f64>> = answers.iter().map(variance).collect();
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
    let (mean_column, sd, variant) = (table.column(&config.mean)?, optional(&sd)?, optional(&variants)?);
    let Scale::Scores(low, high) = file.config.scale else { panic!("a judge of numbers has two ends") };
    let width = high - low;
    let mut report = ScoreJudgeReport { rows: table.rows().len(), ..ScoreJudgeReport::default() };
    let mut names: Vec<String> = vec![];
    let mut answers = vec![JudgeAnswers::default(); items.len()];
    let mut lines: HashMap<(usize, usize), u64> = HashMap::new();
    for row in table.rows() {
        let Some(item) = items.of_row(&row, file.config.unmatched, &mut report.unknown_rows)? else { continue };
        let name = variant.map_or(Ok(""), |column| row.text(column))?;
        let position = names.iter().position(|known| known == name).unwrap_or(names.len());
        if position == names.len() {
            names.push(name.to_owned());
        }
        if let Some(first_line) = lines.insert((item, position), row.line()) {
            let what = if name.is_empty() { "a score".to_owned() } else { format!("a score of variant {name:?}") };
            let problem = match variant {
                Some(_) => Problem::Repeated { what, first_line },
                None => several_answers("judge.variant", &what, first_line),
            };
            return Err(row.refuse_id(problem));
        }
        let Some(mean) = score(&row, mean_column, (low, high))? else {
            report.failed_answers += 1;
            continue;
        };
        let mut answer = vec![mean];
        if let Some(column) = sd
            && let Some(sd) = row.optional_number(column)?
        {
            if !(LEAST_SD * width..=width).contains(&sd) {
                return Err(row.refuse(column, Problem::OutOfRange { value: sd, low: LEAST_SD * width, high: width }));
            }
            answer.push(sd * sd);
        }
        answers[item].variants.push(Some(answer));
    }
    if variant.is_none() {
        names.clear();
    }
    let answers = answers.into_iter().map(|answer| Some(answer).filter(|answer| !answer.variants.is_empty())).collect();
    Ok(JudgeFile { variants: names, answers, report: JudgeReport::Ratings(report) })
}

//! The judge's scores.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::config::ScoreKind;
use super::ratings::score;
use crate::input::config::{Format, StudyFile};
use crate::input::items::Items;
use crate::input::source::{Source, read_joined, read_table};
use crate::kinds::classes::config::own_variant;
use crate::kinds::classes::judge::several_answers;
use crate::read::Judge;
use judge_uncertainty_core::belief::JudgeScores;
use judge_uncertainty_core::stats::{mean, sample_sd};
use judge_uncertainty_formats::error::{Problem, Result};
use judge_uncertainty_formats::lewidi::{self, Predicted};
use judge_uncertainty_formats::logs::Rows;

/// Stated standard deviations are at least this share of the scale's width: none at all would be certainty.
pub const LEAST_SD: f64 = 1e-6;

/// The judge's scores over its variants, for all items.
#[derive(Debug, Clone, Default)]
pub struct JudgeRows {
    mean: Vec<Option<f64>>,
    variance: Vec<Option<f64>>,
    spread: Vec<Option<f64>>,
    rows: usize,
    failed: usize,
    unknown_rows: usize,
    variants: Vec<String>,
}

/// What the judge says of the items of a study.
#[derive(Debug, Clone)]
pub struct ScoreJudge {
    /// Mean and variance of every item's scores, over the variants.
    pub scores: JudgeScores,
    /// Standard deviation of the variants' means; `None` for items with fewer than two.
    pub spread: Vec<Option<f64>>,
    /// Names of the variants; none without a column of variants.
    pub variants: Vec<String>,
    /// What was found in the judge's file.
    pub report: ScoreJudgeReport,
}

/// What was found in the judge's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

impl ScoreJudge {
    /// The scores of the items at positions `kept`.
    pub fn select(&self, kept: &[usize]) -> JudgeScores {
        JudgeScores {
            mean: kept.iter().map(|&i| self.scores.mean[i]).collect(),
            variance: kept.iter().map(|&i| self.scores.variance[i]).collect(),
        }
    }
}

impl<C: ScoreKind> Judge<C> for ScoreJudge {
    type Answers = JudgeRows;
    type Report = ScoreJudgeReport;

    fn read(file: &StudyFile<C>, items: &Items, source: &mut Source) -> Result<JudgeRows> {
        read(file, items, source)
    }

    fn is_answered(answers: &JudgeRows, item: usize) -> bool {
        answers.mean[item].is_some()
    }

    fn of(_file: &StudyFile<C>, _items: &Items, rows: JudgeRows, kept: &[usize]) -> Result<Self> {
        let scores = JudgeScores {
            mean: kept.iter().filter_map(|&i| rows.mean[i]).collect(),
            variance: kept.iter().map(|&i| rows.variance[i]).collect(),
        };
        let report = ScoreJudgeReport {
            rows: rows.rows,
            failed_answers: rows.failed,
            unknown_rows: rows.unknown_rows,
            without_sd: scores.variance.iter().filter(|variance| variance.is_none()).count(),
        };
        let spread = kept.iter().map(|&i| rows.spread[i]).collect();
        Ok(Self { scores, spread, variants: rows.variants, report })
    }

    fn report(&self) -> ScoreJudgeReport {
        self.report.clone()
    }

    fn unknown_rows(&self) -> usize {
        self.report.unknown_rows
    }

    fn failed_answers(&self) -> usize {
        self.report.failed_answers
    }

    fn variants(&self) -> &[String] {
        &self.variants
    }

    fn spread(&self) -> &[Option<f64>] {
        &self.spread
    }
}

/// Reads the judge's scores: means over variants, the mean of the stated variances, and the spread of the means.
fn read<C: ScoreKind>(file: &StudyFile<C>, items: &Items, source: &mut Source) -> Result<JudgeRows> {
    let config = &file.config.judge;
    let paths = file.resolve_all(&config.file);
    let lewidi = config.format == Some(Format::LeWiDi);
    let table = match lewidi {
        true => {
            read_joined(&paths, |path| lewidi::read_predictions(path, &source.read(path)?, Predicted::Ratings, &[]))?
        }
        false => read_table(&paths, config.format, config.id.as_deref(), Rows::Judge(&[]), source)?,
    };
    let optional = |name: &Option<String>| name.as_deref().map(|name| table.column(name)).transpose();
    let variants = config.variant.clone().or_else(|| own_variant(config.format));
    let sd = if lewidi { Some("sd".to_owned()) } else { config.sd.clone() };
    let (mean_column, sd, variant) = (table.column(&config.mean)?, optional(&sd)?, optional(&variants)?);
    let width = file.config.scale.1 - file.config.scale.0;
    let mut judge = JudgeRows { rows: table.rows().len(), ..JudgeRows::default() };
    let mut means: Vec<Vec<f64>> = vec![vec![]; items.len()];
    let mut variances = means.clone();
    let mut lines: HashMap<(usize, usize), u64> = HashMap::new();
    for row in table.rows() {
        let Some(item) = items.of_row(&row, file.config.unmatched, &mut judge.unknown_rows)? else { continue };
        let name = variant.map_or(Ok(""), |column| row.text(column))?;
        let known = judge.variants.iter().position(|known| known == name);
        let position = known.unwrap_or_else(|| {
            judge.variants.push(name.to_owned());
            judge.variants.len() - 1
        });
        if let Some(first_line) = lines.insert((item, position), row.line()) {
            let what = if name.is_empty() { "a score".to_owned() } else { format!("a score of variant {name:?}") };
            let problem = match variant {
                Some(_) => Problem::Repeated { what, first_line },
                None => several_answers("judge.variant", &what, first_line),
            };
            return Err(row.refuse_id(problem));
        }
        let Some(mean) = score(&row, mean_column, file.config.scale)? else {
            judge.failed += 1;
            continue;
        };
        means[item].push(mean);
        if let Some(column) = sd
            && let Some(sd) = row.optional_number(column)?
        {
            if !(LEAST_SD * width..=width).contains(&sd) {
                return Err(row.refuse(column, Problem::OutOfRange { value: sd, low: LEAST_SD * width, high: width }));
            }
            variances[item].push(sd * sd);
        }
    }
    if variant.is_none() {
        judge.variants.clear();
    }
    let average = |values: &Vec<f64>| (!values.is_empty()).then(|| mean(values));
    judge.mean = means.iter().map(average).collect();
    judge.variance = variances.iter().map(average).collect();
    judge.spread = means.iter().map(|values| (values.len() > 1).then(|| sample_sd(values))).collect();
    Ok(judge)
}

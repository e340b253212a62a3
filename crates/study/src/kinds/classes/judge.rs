//! The judge's answers of a study: probabilities, counts or sampled labels, under one or several variants of the
//! prompt.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::belief_file::RowColumns;
use crate::findings::position::SWAPPED;
use crate::input::config::{StudyConfig, StudyFile};
use crate::input::items::{ItemRows, Items};
use crate::input::judge::{JudgeFile, JudgeReport, StudyJudge};
use crate::input::labels::has_tie;
use crate::input::source::{Source, read_joined, read_table};
use crate::kinds::classes::config::{ClassJudgeConfig, JudgeKind};
use judge_uncertainty_formats::error::{Error, Place, Problem, Result, short};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::judge::{CONFIDENCE_RANGE, JudgeAnswers, JudgeVariants, Predictions};
use judge_uncertainty_formats::lewidi;
use judge_uncertainty_formats::logs::LogRows;
use judge_uncertainty_formats::table::{ColumnIndex, DataTable, Row};

/// How far from 1 probabilities in full precision may sum.
const ROUNDING: f64 = 1e-6;

/// How far above 1 probabilities may sum because each was rounded to the decimals that the longest of them shows: half
/// a unit of the last one for each.
fn rounding(weights: &[f64]) -> f64 {
    let decimals = |weight: &f64| weight.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let shown = weights.iter().map(decimals).max().unwrap_or(0);
    // Full precision is no rounding, and a single decimal too coarse to be one.
    let half_unit = if (2..=12).contains(&shown) { 0.5 * 10.0_f64.powi(-(shown as i32)) } else { 0.0 };
    ROUNDING.max(half_unit * weights.len() as f64 * (1.0 + 1e-9))
}

/// A stated confidence on the common scale; one that is on it already keeps its digits.
///
/// # Errors
/// It is outside the `range` in which it is stated.
fn confidence_of(stated: f64, range: Option<(f64, f64)>) -> std::result::Result<f64, Problem> {
    let (low, high) = range.unwrap_or(CONFIDENCE_RANGE);
    if !(low..=high).contains(&stated) {
        return Err(Problem::OutOfRange { value: stated, low, high });
    }
    let same = (low, high) == CONFIDENCE_RANGE;
    Ok(if same { stated } else { (stated - low) / (high - low) * CONFIDENCE_RANGE.1 })
}

/// What was found in the judge's file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassJudgeReport {
    /// What an answer is.
    pub kind: JudgeKind,
    /// Rows of the file.
    pub rows: usize,
    /// Answers with a label or a distribution.
    pub answers: usize,
    /// Blank answers: they are counted and never become labels.
    pub failed_answers: usize,
    /// Rows of ids that the items don't have, left out.
    pub unknown_rows: usize,
    /// Answers whose probabilities don't sum to 1 (mass elsewhere, or rounding), so that they were scaled.
    pub renormalised_answers: usize,
    /// Least and mean mass of an answer on the classes, before scaling; `None` unless answers are probabilities.
    pub mass: Option<Mass>,
    /// Items whose most probable class is not unique.
    pub tied_items: usize,
    /// Items without a stated confidence; `None` if the file lacks such a column.
    pub without_confidence: Option<usize>,
    /// The floor under predicted probabilities.
    pub floor: f64,
    /// Items with a probability under the floor.
    pub floored_items: usize,
}

/// Mass on the classes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mass {
    /// Of the answer with the least.
    pub least: f64,
    /// Over all answers.
    pub mean: f64,
    /// Answers under the configured least mass.
    pub warned: usize,
}

/// Name of the only variant where none is named.
pub const ONLY_VARIANT: &str = "judge";

/// What is wrong with a second answer where none tells its variant.
pub(in crate::kinds) fn several_answers(setting: &str, what: &str, first_line: u64) -> Problem {
    let key = setting.trim_start_matches("judge.");
    Problem::Unfit {
        reason: format!("{what} appears twice, first in line {first_line}"),
        remedy: format!(
            "keep one of the two rows; or, if the judge was asked several ways, name the column that says which, under \
             [judge]: {key} = \"COLUMN\""
        ),
    }
}

/// Where answers stand in a table.
struct AnswerColumns {
    /// Per variant that stands side by side, or once, the columns of the classes or that of the sampled label.
    columns: Vec<Vec<ColumnIndex>>,
    /// Names of the variants that stand side by side.
    side_by_side: Vec<String>,
    variant: Option<ColumnIndex>,
    swapped: Option<ColumnIndex>,
    /// The class that each stands for in a row that is swapped.
    mirrored: Vec<usize>,
    /// The columns of the stated confidence: one for all variants that stand side by side, or one for each.
    confidence: Vec<ColumnIndex>,
}

impl AnswerColumns {
    fn new(file: &StudyFile, table: &DataTable) -> Result<Self> {
        let config = file.config.judge.of_classes();
        let optional = |name: &Option<String>| name.as_deref().map(|name| table.column(name)).transpose();
        let default = match config.kind {
            JudgeKind::Counts => "n_{class}",
            JudgeKind::Probabilities | JudgeKind::Labels => "p_{class}",
        };
        let pattern = config.columns.as_deref().unwrap_or(default);
        let of_variant = |variant: &str| -> Result<Vec<ColumnIndex>> {
            let name = |class: &String| pattern.replace("{variant}", variant).replace("{class}", class);
            file.config.scale.classes().iter().map(|class| table.column(&name(class))).collect()
        };
        let columns = match config.kind {
            JudgeKind::Labels => vec![vec![table.column(&config.label)?]],
            _ if config.variants.is_empty() => vec![of_variant("")?],
            _ => config.variants.iter().map(|variant| of_variant(variant)).collect::<Result<_>>()?,
        };
        Ok(Self {
            columns,
            side_by_side: config.variants.clone(),
            variant: optional(&config.variant_column())?,
            swapped: optional(&config.swapped_column())?,
            mirrored: mirrored(file.config.scale.classes(), config.mirror.as_ref()),
            confidence: optional(&config.confidence)?.into_iter().collect(),
        })
    }

    /// The columns of a table in which every row is an item, with its answers under all `variants`.
    fn side_by_side(table: &DataTable, columns: &RowColumns, variants: &[String]) -> Result<Self> {
        let of = |names: &Vec<String>| names.iter().map(|name| table.column(name)).collect::<Result<Vec<_>>>();
        Ok(Self {
            columns: columns.answers.iter().map(of).collect::<Result<_>>()?,
            side_by_side: variants.to_vec(),
            variant: None,
            swapped: None,
            mirrored: vec![],
            confidence: of(&columns.confidence)?,
        })
    }

    fn variants(&self, table: &DataTable) -> Result<Vec<String>> {
        if self.variant.is_none() && self.swapped.is_none() {
            let only = vec![ONLY_VARIANT.to_owned()];
            return Ok(if self.side_by_side.is_empty() { only } else { self.side_by_side.clone() });
        }
        let mut variants: Vec<String> = Vec::new();
        for row in table.rows() {
            let name = self.variant_of(&row)?;
            if !variants.iter().any(|variant| *variant == name) {
                variants.push(name.into_owned());
            }
        }
        Ok(variants)
    }

    /// Whether two answers were shown in the other order.
    fn is_swapped(&self, row: &Row<'_>) -> Result<bool> {
        let Some(column) = self.swapped else { return Ok(false) };
        match row.cell(column) {
            "" | "0" | "false" | "False" => Ok(false),
            "1" | "true" | "True" => Ok(true),
            other => {
                let allowed = ["0", "1"].map(str::to_owned).to_vec();
                Err(row.refuse(column, Problem::NotOneOf { value: other.to_owned(), allowed }))
            }
        }
    }

    /// The variant of a row: an order of two answers is one of its own.
    fn variant_of<'t>(&self, row: &Row<'t>) -> Result<Cow<'t, str>> {
        let name = self.variant.map_or(Ok(ONLY_VARIANT), |column| row.text(column))?;
        Ok(if self.is_swapped(row)? { Cow::Owned(name.to_owned() + SWAPPED) } else { Cow::Borrowed(name) })
    }
}

/// The class that each stands for where the two answers are shown in the other order.
fn mirrored(classes: &[String], mirror: Option<&(String, String)>) -> Vec<usize> {
    let mut stands_for: Vec<usize> = (0..classes.len()).collect();
    let place = |name: &String| classes.iter().position(|class| class == name);
    if let Some((one, other)) = mirror.and_then(|(one, other)| place(one).zip(place(other))) {
        stands_for.swap(one, other);
    }
    stands_for
}

struct AnswerReader<'c> {
    config: &'c ClassJudgeConfig,
    layout: &'c AnswerColumns,
    classes: &'c [String],
    answers: JudgeAnswers,
    /// Line of the first answer per item and variant; 0 for a missing answer.
    lines: Vec<u64>,
    masses: Vec<f64>,
    variants: Vec<String>,
    /// Sum and number of the confidences stated per item.
    confidences: Vec<(f64, u32)>,
    /// The highest confidence as stated.
    most_confident: f64,
    report: ClassJudgeReport,
}

impl<'c> AnswerReader<'c> {
    /// No answers yet, of so many items.
    fn new(
        config: &'c ClassJudgeConfig,
        classes: &'c [String],
        layout: &'c AnswerColumns,
        variants: Vec<String>,
        items: usize,
    ) -> Self {
        let floor = config.floor(classes.len());
        Self {
            config,
            layout,
            classes,
            answers: JudgeAnswers::new(items, variants.len(), classes.len()),
            lines: vec![0; items * variants.len()],
            masses: Vec::new(),
            variants,
            confidences: vec![(0.0, 0); items],
            most_confident: 0.0,
            report: ClassJudgeReport { kind: config.kind, floor, ..ClassJudgeReport::default() },
        }
    }

    fn row(&mut self, row: &Row<'_>, item: usize) -> Result<()> {
        let layout = self.layout;
        for (side, columns) in layout.columns.iter().enumerate() {
            let variant = if layout.variant.is_some() || layout.swapped.is_some() {
                let own = layout.variant_of(row)?;
                self.variants.iter().position(|name| *name == own).unwrap_or(0)
            } else {
                side
            };
            let mirrored = layout.is_swapped(row)?.then_some(layout.mirrored.as_slice());
            if self.config.kind == JudgeKind::Labels {
                self.label(row, (item, variant), columns[0], mirrored)?;
            } else {
                self.once(row, (item, variant))?;
                self.distribution(row, (item, variant), columns, mirrored)?;
            }
        }
        for &column in &layout.confidence {
            let Some(stated) = row.optional_number(column)? else { continue };
            let scaled = confidence_of(stated, self.config.confidence_range);
            let scaled = scaled.map_err(|problem| row.refuse(column, problem))?;
            self.most_confident = self.most_confident.max(stated);
            let (sum, count) = &mut self.confidences[item];
            *sum += scaled;
            *count += 1;
        }
        Ok(())
    }

    fn once(&mut self, row: &Row<'_>, (item, variant): (usize, usize)) -> Result<()> {
        let layout = self.layout;
        let line = &mut self.lines[item * self.variants.len() + variant];
        if *line > 0 {
            let what = format!("an answer under the variant {:?}", self.variants[variant]);
            if layout.variant.is_some() || !layout.side_by_side.is_empty() {
                return Err(row.refuse_id(Problem::Repeated { what, first_line: *line }));
            }
            return Err(row.refuse_id(several_answers("judge.variant", &what, *line)));
        }
        *line = row.line();
        Ok(())
    }

    fn label(
        &mut self,
        row: &Row<'_>,
        at: (usize, usize),
        column: ColumnIndex,
        mirrored: Option<&[usize]>,
    ) -> Result<()> {
        match row.optional_word(column, self.classes)? {
            Some(label) => {
                let label = mirrored.map_or(label, |stands_for| stands_for[label]);
                let weights = self.answers.answer_mut(at.0, at.1);
                if weights[0].is_nan() {
                    weights.fill(0.0);
                }
                weights[label] += 1.0;
                self.report.answers += 1;
            }
            None => self.report.failed_answers += 1,
        }
        Ok(())
    }

    fn distribution(
        &mut self,
        row: &Row<'_>,
        (item, variant): (usize, usize),
        columns: &[ColumnIndex],
        mirrored: Option<&[usize]>,
    ) -> Result<()> {
        let cells: Vec<Option<f64>> =
            columns.iter().map(|&column| row.optional_number(column)).collect::<Result<_>>()?;
        if cells.iter().all(Option::is_none) {
            self.report.failed_answers += 1;
            return Ok(());
        }
        let Some(weights) = cells.into_iter().collect::<Option<Vec<f64>>>() else {
            let cells = columns.iter().map(|&column| row.cell(column).to_owned()).collect();
            return Err(row.refuse_row(Problem::PartialAnswer { cells }));
        };
        if let Some(k) = weights.iter().position(|weight| *weight < 0.0) {
            return Err(row.refuse(columns[k], Problem::OutOfRange { value: weights[k], low: 0.0, high: f64::MAX }));
        }
        let sum: f64 = weights.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            let classes = weights.len();
            return Err(row.refuse_row(Problem::NotADistribution { values: weights, classes }));
        }
        if self.config.kind == JudgeKind::Probabilities && sum > 1.0 + ROUNDING && sum > 1.0 + rounding(&weights) {
            let reason = format!("the probabilities sum to {}, more than 1", short(sum));
            let remedy = "give probabilities that sum to 1 or less, or declare kind = \"counts\" if these are counts or \
                          percentages";
            return Err(row.refuse_row(Problem::unfit(reason, remedy)));
        }
        if self.config.kind == JudgeKind::Probabilities {
            self.report.renormalised_answers += usize::from((sum - 1.0).abs() > ROUNDING);
            self.masses.push(sum.min(1.0));
        }
        self.report.answers += 1;
        // Two classes that change places: the exchange is its own inverse.
        let own = self.answers.answer_mut(item, variant);
        (0..weights.len()).for_each(|class| own[class] = weights[mirrored.map_or(class, |of| of[class])]);
        Ok(())
    }

    fn finish(mut self) -> JudgeFile {
        for (item, (sum, count)) in self.confidences.iter().enumerate() {
            self.answers.set_confidence(item, (*count > 0).then(|| sum / f64::from(*count)));
        }
        if !self.layout.confidence.is_empty() {
            let without = self.confidences.iter().filter(|(_, count)| *count == 0).count();
            self.report.without_confidence = Some(without);
        }
        if !self.masses.is_empty() {
            self.report.mass = Some(Mass {
                least: self.masses.iter().copied().fold(1.0, f64::min),
                mean: judge_uncertainty_core::stats::mean(&self.masses),
                warned: self.masses.iter().filter(|mass| **mass < self.config.least_mass).count(),
            });
        }
        JudgeFile { variants: self.variants, answers: self.answers, report: JudgeReport::Classes(self.report) }
    }
}

/// The answers of a judge of classes under each variant.
pub(super) fn answers(judge: &StudyJudge) -> &JudgeVariants {
    judge.answers.as_ref().expect("a judge of classes gives answers that are distributions")
}

/// Reads the answers of a judge of classes; an item that has none keeps `None` under every variant.
///
/// # Errors
/// An answer that can't be used.
pub fn read(file: &StudyFile, items: &Items, source: &mut Source) -> Result<JudgeFile> {
    let config = file.config.judge.of_classes();
    let classes = file.config.scale.classes();
    let paths = file.resolve_all(&config.file);
    let labels = &file.config.items.multilabel;
    let table = match config.predicted_by_lewidi(classes) {
        Some(predicted) => {
            read_joined(&paths, |path| lewidi::read_predictions(path, &source.read(path)?, predicted, labels))?
        }
        None => read_table(&paths, config.format, Some(&config.id), LogRows::Judge(classes), source)?,
    };
    let layout = AnswerColumns::new(file, &table)?;
    let mut rows = ItemRows::about(items, file.config.unmatched);
    let mut reader = AnswerReader::new(config, classes, &layout, layout.variants(&table)?, rows.items());
    reader.report.rows = table.rows().len();
    rows.read(&table, |row, item| reader.row(row, item))?;
    reader.report.unknown_rows = rows.unknown;
    if config.confidence_range.is_none() && reader.most_confident > 0.0 && reader.most_confident <= 1.0 {
        let reason = "all confidences are between 0 and 1, but are taken for parts of 100 unless their range is stated";
        let remedy = "write confidence_range = [0, 1] under [judge], or [0, 100] if they are percentages";
        let column = config.confidence.as_deref().unwrap_or_default();
        return Err(Error::unfit(Place::file(table.file()).in_field(column), reason, remedy));
    }
    Ok(reader.finish())
}

/// Reads the judge's answers in a table in which every row is an item.
///
/// # Errors
/// A column that the table lacks.
pub fn read_rows(
    settings: &StudyConfig,
    (table, columns, variants): (&DataTable, &RowColumns, &[String]),
    rows: &mut ItemRows<'_>,
) -> Result<JudgeAnswers> {
    let own = settings.judge.of_classes();
    // Samples are counted, and counts are on any scale.
    let kind = if own.kind == JudgeKind::Labels { JudgeKind::Counts } else { own.kind };
    let config = ClassJudgeConfig { kind, ..own.clone() };
    let layout = AnswerColumns::side_by_side(table, columns, variants)?;
    let variants = layout.variants(table)?;
    let mut reader = AnswerReader::new(&config, settings.scale.classes(), &layout, variants, rows.items());
    rows.read(table, |row, item| reader.row(row, item))?;
    Ok(reader.finish().answers)
}

/// Puts the answers to the items `ids` together.
///
/// # Errors
/// Answers that can't be put together.
pub fn judge(
    config: &StudyConfig,
    ids: &ItemIds,
    variants: &[String],
    answers: JudgeAnswers,
    mut report: ClassJudgeReport,
) -> Result<StudyJudge> {
    let without = (0..answers.len()).filter(|&item| answers.confidence(item).is_none()).count();
    report.without_confidence = report.without_confidence.map(|_| without);
    let classes = config.scale.classes().to_vec();
    let judge = config.judge.of_classes();
    let floor = judge.floor(classes.len());
    let mut variants = JudgeVariants::new(ids.clone(), classes, variants.to_vec(), answers)?;
    let mut predictions = variants.aggregate(Some(floor))?;
    report.count(&variants, &predictions);
    if reads_verdicts(config) {
        variants = variants.with_answers(as_distribution)?;
        predictions = Predictions { spread: predictions.spread, ..variants.aggregate(Some(floor))? };
    }
    let if_any = |values: Vec<Option<f64>>| if values.iter().any(Option::is_some) { values } else { vec![] };
    Ok(StudyJudge {
        variants: variants.variants().to_vec(),
        spread: if_any(predictions.spread),
        confidence: if_any(predictions.confidence),
        failed_answers: report.failed_answers,
        unknown_rows: report.unknown_rows,
        predictions: predictions.q,
        variances: vec![],
        answers: Some(variants),
        is_verdicts: judge.kind == JudgeKind::Labels,
        scores: vec![],
        report: JudgeReport::Classes(report),
    })
}

/// Whether sampled labels are read as distributions: under every belief that fits a map from the prediction, so that
/// the labels at hand calibrate them. The paper's belief takes their shares.
fn reads_verdicts(config: &StudyConfig) -> bool {
    config.judge.of_classes().kind == JudgeKind::Labels && config.trust.belief.recalibrates()
}

impl ClassJudgeReport {
    /// Counts what shows only in the predictions.
    pub(super) fn count(&mut self, answers: &JudgeVariants, predictions: &Predictions) {
        let mut sums = vec![0.0; predictions.q.ncols()];
        for (i, q) in predictions.q.rows().into_iter().enumerate() {
            self.tied_items += usize::from(has_tie(q.iter().copied()));
            sums.fill(0.0);
            let mut count = 0.0;
            for weights in answers.answers(i) {
                let sum: f64 = weights.iter().sum();
                sums.iter_mut().zip(weights).for_each(|(s, w)| *s += w / sum);
                count += 1.0;
            }
            self.floored_items += usize::from(sums.iter().any(|sum| sum / count < self.floor));
        }
    }
}

// Sampled labels of a judge read as distributions.

/// The most that one label counts for, however sure the judge says it is.
const SUREST: f64 = 0.98;
/// How far a label that counts least is above an even share, so that it stays the likeliest class.
const AHEAD: f64 = 1e-9;

/// Makes a distribution of an answer's sampled labels by class, of whose item a confidence may be stated.
fn as_distribution(counts: &mut [f64], confidence: Option<f64>) {
    let samples: f64 = counts.iter().sum();
    let classes = counts.len() as f64;
    let stated = confidence.map(|confidence| confidence / CONFIDENCE_RANGE.1);
    let sure = stated.filter(|_| samples == 1.0).map(|stated| stated.clamp(1.0 / classes + AHEAD, SUREST));
    for n in counts.iter_mut() {
        *n = match sure {
            Some(sure) if *n > 0.0 => sure,
            Some(sure) => (1.0 - sure) / (classes - 1.0),
            None => (*n + 0.5) / (samples + classes / 2.0),
        };
    }
}

#[cfg(test)]
mod tests_of_verdict {
    use super::*;

    fn answered(counts: &[f64], confidence: Option<f64>) -> Vec<f64> {
        let mut counts = counts.to_vec();
        as_distribution(&mut counts, confidence);
        counts
    }

    #[test]
    fn no_verdict_is_a_point_mass() {
        let close = |a: Vec<f64>, b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(answered(&[0.0, 1.0, 0.0], None), [0.2, 0.6, 0.2]));
        assert!(close(answered(&[0.0, 1.0, 0.0], Some(90.0)), [0.05, 0.9, 0.05]));
        assert!(close(answered(&[1.0, 0.0, 0.0], Some(100.0)), [0.98, 0.01, 0.01]));
        // A verdict stays the likeliest class, however low the confidence.
        for (verdict, confidence) in [(0, 10.0), (1, 10.0), (2, 100.0 / 3.0), (2, 0.0)] {
            let mut counts = [0.0; 3];
            counts[verdict] = 1.0;
            let shares = answered(&counts, Some(confidence));
            assert_eq!(crate::model::study::largest(shares.iter().copied()), verdict);
            assert!(shares.iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-8), "{shares:?}");
        }
        assert!(close(answered(&[3.0, 1.0, 0.0], Some(90.0)), [3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5]));
    }
}

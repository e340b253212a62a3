//! What the judge says, as it is read: of classes probabilities, counts or sampled labels, of ratings means, under one or
//! several variants of the prompt.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::belief_file::RowColumns;
use crate::findings::position::SWAPPED;
use crate::input::config::tables::JudgeKind;
use crate::input::config::{FileFormat, JudgeConfig, StudyConfig, StudyFile};
use crate::input::items::{ItemRows, Items};
use crate::input::labels::{has_tie, score};
use crate::input::scale::Scale;
use crate::input::source::{Source, read_if_there, read_joined, read_table};
use judge_uncertainty_core::stats::{mean, sample_sd};
use judge_uncertainty_evaluation::ByLabels;
use judge_uncertainty_formats::checksum::read_file;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result, short};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::judge::{CONFIDENCE_RANGE, JudgeAnswers, JudgeVariants, Predictions};
use judge_uncertainty_formats::lewidi::{self, Predicted};
use judge_uncertainty_formats::logs::LogRows;
use judge_uncertainty_formats::table::{ColumnIndex, DataTable, Row};

/// What was found in the judge's file.
pub type JudgeReport = ByLabels<ClassJudgeReport, ScoreJudgeReport>;

/// A judge's file as it was read.
#[derive(Debug)]
pub struct JudgeFile {
    /// Names of the variants of its prompt, in the order of their first appearance.
    pub variants: Vec<String>,
    /// Its answers to each item.
    pub answers: JudgeAnswers,
    /// What was found.
    pub report: JudgeReport,
}

/// What the judge says of the items of a study.
#[derive(Debug, Clone)]
pub struct StudyJudge {
    /// What it predicts: the shares of the classes, items x classes; of scores their expected mean, in one column.
    pub predictions: Array2<f64>,
    /// The variance that it expects of an item's scores, where it states one; empty for classes.
    pub variances: Vec<Option<f64>>,
    /// Its answers under every variant; `None` for scores.
    pub answers: Option<JudgeVariants>,
    /// Whether its answers are classes alone and no shares of them.
    pub is_verdicts: bool,
    /// Of scores the mean under each variant that answered; empty for classes.
    pub scores: Vec<Vec<f64>>,
    /// Names of its variants, as results list them.
    pub variants: Vec<String>,
    /// How far its variants are apart, per item; `None` for items with fewer than two, empty where all are.
    pub spread: Vec<Option<f64>>,
    /// Its stated confidence per item, 0 to 100; empty where it states none.
    pub confidence: Vec<Option<f64>>,
    /// What was found in its file.
    pub report: JudgeReport,
}

/// Name of the only variant where none is named.
pub const ONLY_VARIANT: &str = "judge";

/// What was found in the file of a judge of classes.
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

/// What was found in the file of a judge of ratings.
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

/// Stated standard deviations are at least this share of the scale's width: none at all would be certainty.
pub const LEAST_SD: f64 = 1e-6;

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

/// Where answers stand in a table.
#[derive(Default)]
struct AnswerColumns {
    /// Per variant that stands side by side, or once: the columns of the classes, that of the sampled label, or those of a
    /// mean and, where it may be stated, of its standard deviation.
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
    fn new(settings: &StudyConfig, table: &DataTable) -> Result<Self> {
        let optional = |name: &Option<String>| name.as_deref().map(|name| table.column(name)).transpose();
        let variant = || optional(&settings.variant_column());
        let config = match &settings.judge {
            JudgeConfig::Classes(config) => config,
            JudgeConfig::Ratings(config) => {
                let lewidi = config.format == Some(FileFormat::LeWiDi);
                let sd = if lewidi { Some("sd".to_owned()) } else { config.sd.clone() };
                let columns = std::iter::once(table.column(&config.mean)?).chain(optional(&sd)?).collect();
                return Ok(Self { columns: vec![columns], variant: variant()?, ..Self::default() });
            }
        };
        let classes = settings.scale.classes();
        let default = match config.kind {
            JudgeKind::Counts => "n_{class}",
            JudgeKind::Probabilities | JudgeKind::Labels => "p_{class}",
        };
        let pattern = config.columns.as_deref().unwrap_or(default);
        let of_variant = |variant: &str| -> Result<Vec<ColumnIndex>> {
            let name = |class: &String| pattern.replace("{variant}", variant).replace("{class}", class);
            classes.iter().map(|class| table.column(&name(class))).collect()
        };
        let columns = match config.kind {
            JudgeKind::Labels => vec![vec![table.column(&config.label)?]],
            _ if config.variants.is_empty() => vec![of_variant("")?],
            _ => config.variants.iter().map(|variant| of_variant(variant)).collect::<Result<_>>()?,
        };
        let mut mirrored: Vec<usize> = (0..classes.len()).collect();
        let place = |name: &String| classes.iter().position(|class| class == name);
        if let Some((one, other)) = config.mirror.as_ref().and_then(|(one, other)| place(one).zip(place(other))) {
            mirrored.swap(one, other);
        }
        Ok(Self {
            columns,
            side_by_side: config.variants.clone(),
            variant: variant()?,
            swapped: optional(&config.swapped_column())?,
            mirrored,
            confidence: optional(&config.confidence)?.into_iter().collect(),
        })
    }

    /// The columns of a table in which every row is an item, with its answers under all `variants`.
    fn side_by_side(table: &DataTable, columns: &RowColumns, variants: &[String]) -> Result<Self> {
        let of = |names: Vec<&String>| names.into_iter().map(|name| table.column(name)).collect::<Result<Vec<_>>>();
        let sides = columns.answers.iter().zip(&columns.deviations);
        Ok(Self {
            columns: sides.map(|(names, sd)| of(names.iter().chain(sd).collect())).collect::<Result<_>>()?,
            side_by_side: variants.to_vec(),
            confidence: of(columns.confidence.iter().collect())?,
            ..Self::default()
        })
    }

    /// Names of the variants; none where a judge of ratings has a single one.
    fn variants(&self, table: &DataTable, scale: &Scale) -> Result<Vec<String>> {
        if self.variant.is_none() && self.swapped.is_none() {
            let is_only = self.side_by_side.is_empty() && !scale.is_numbers();
            return Ok(if is_only { vec![ONLY_VARIANT.to_owned()] } else { self.side_by_side.clone() });
        }
        let mut variants: Vec<String> = Vec::new();
        for row in table.rows() {
            // A row of ratings that belongs to no item may lack it.
            if scale.is_numbers() && self.variant.is_some_and(|column| row.cell(column).is_empty()) {
                continue;
            }
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

struct AnswerReader<'c> {
    config: &'c StudyConfig,
    layout: &'c AnswerColumns,
    /// What an answer of a judge of classes is.
    kind: JudgeKind,
    answers: JudgeAnswers,
    /// Line of the first answer per item and variant; 0 for a missing answer.
    lines: Vec<u64>,
    masses: Vec<f64>,
    variants: Vec<String>,
    /// Sum and number of the confidences stated per item.
    confidences: Vec<(f64, u32)>,
    /// The highest confidence as stated.
    most_confident: f64,
    /// Of ratings, only the failed answers.
    report: ClassJudgeReport,
}

impl<'c> AnswerReader<'c> {
    /// No answers yet, of so many items.
    fn new(config: &'c StudyConfig, layout: &'c AnswerColumns, table: &DataTable, items: usize) -> Result<Self> {
        let variants = layout.variants(table, &config.scale)?;
        let (kind, floor, width) = match &config.judge {
            JudgeConfig::Classes(own) => (own.kind, config.floor(), config.scale.classes().len()),
            // A mean and a variance.
            JudgeConfig::Ratings(_) => (JudgeKind::default(), 0.0, 2),
        };
        let sides = variants.len().max(layout.columns.len());
        Ok(Self {
            config,
            layout,
            kind,
            answers: JudgeAnswers::new(items, sides, width),
            lines: vec![0; items * sides],
            masses: Vec::new(),
            variants,
            confidences: vec![(0.0, 0); items],
            most_confident: 0.0,
            report: ClassJudgeReport { kind, floor, rows: table.rows().len(), ..ClassJudgeReport::default() },
        })
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
            match self.config.scale {
                Scale::Scores(low, high) => {
                    self.once(row, (item, variant))?;
                    self.score(row, (item, variant), columns, (low, high))?;
                }
                _ if self.kind == JudgeKind::Labels => self.label(row, (item, variant), columns[0], mirrored)?,
                _ => {
                    self.once(row, (item, variant))?;
                    self.distribution(row, (item, variant), columns, mirrored)?;
                }
            }
        }
        for &column in &layout.confidence {
            let Some(stated) = row.optional_number(column)? else { continue };
            let (low, high) = self.config.judge.of_classes().confidence_range.unwrap_or(CONFIDENCE_RANGE);
            if !(low..=high).contains(&stated) {
                return Err(row.refuse(column, Problem::OutOfRange { value: stated, low, high }));
            }
            // On the common scale already, it keeps its digits.
            let same = (low, high) == CONFIDENCE_RANGE;
            let scaled = if same { stated } else { (stated - low) / (high - low) * CONFIDENCE_RANGE.1 };
            self.most_confident = self.most_confident.max(stated);
            let (sum, count) = &mut self.confidences[item];
            *sum += scaled;
            *count += 1;
        }
        Ok(())
    }

    fn once(&mut self, row: &Row<'_>, (item, variant): (usize, usize)) -> Result<()> {
        let sides = self.variants.len().max(self.layout.columns.len());
        let line = &mut self.lines[item * sides + variant];
        if *line == 0 {
            *line = row.line();
            return Ok(());
        }
        let first_line = *line;
        let is_named = self.layout.variant.is_some() || !self.layout.side_by_side.is_empty();
        let what = match self.config.scale.is_numbers() {
            true if is_named => format!("a score of variant {:?}", self.variants[variant]),
            true => "a score".to_owned(),
            false => format!("an answer under the variant {:?}", self.variants[variant]),
        };
        Err(row.refuse_id(match is_named {
            true => Problem::Repeated { what, first_line },
            false => Problem::unfit(
                format!("{what} appears twice, first in line {first_line}"),
                "keep one of the two rows; or, if the judge was asked several ways, name the column that says which, under \
                 [judge]: variant = \"COLUMN\"",
            ),
        }))
    }

    fn score(&mut self, row: &Row<'_>, at: (usize, usize), columns: &[ColumnIndex], ends: (f64, f64)) -> Result<()> {
        let Some(mean) = score(row, columns[0], ends)? else {
            self.report.failed_answers += 1;
            return Ok(());
        };
        let width = ends.1 - ends.0;
        let sd = columns.get(1).map_or(Ok(None), |sd| score(row, *sd, (LEAST_SD * width, width)))?;
        self.answers.answer_mut(at.0, at.1).copy_from_slice(&[mean, sd.map_or(f64::NAN, |sd| sd * sd)]);
        Ok(())
    }

    fn label(
        &mut self,
        row: &Row<'_>,
        at: (usize, usize),
        column: ColumnIndex,
        mirrored: Option<&[usize]>,
    ) -> Result<()> {
        match row.optional_word(column, self.config.scale.classes())? {
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
        if self.kind == JudgeKind::Probabilities && sum > 1.0 + ROUNDING && sum > 1.0 + rounding(&weights) {
            let reason = format!("the probabilities sum to {}, more than 1", short(sum));
            let remedy = "give probabilities that sum to 1 or less, or declare kind = \"counts\" if these are counts or \
                          percentages";
            return Err(row.refuse_row(Problem::unfit(reason, remedy)));
        }
        if self.kind == JudgeKind::Probabilities {
            self.report.renormalised_answers += usize::from((sum - 1.0).abs() > ROUNDING);
            self.masses.push(sum.min(1.0));
        }
        self.report.answers += 1;
        // Two classes that change places: the exchange is its own inverse.
        let own = self.answers.answer_mut(item, variant);
        (0..weights.len()).for_each(|class| own[class] = weights[mirrored.map_or(class, |of| of[class])]);
        Ok(())
    }

    fn finish(mut self, unknown_rows: usize) -> JudgeFile {
        for (item, (sum, count)) in self.confidences.iter().enumerate() {
            self.answers.set_confidence(item, (*count > 0).then(|| sum / f64::from(*count)));
        }
        let without = self.confidences.iter().filter(|(_, count)| *count == 0).count();
        let ClassJudgeReport { rows, failed_answers, .. } = self.report;
        let report = match &self.config.judge {
            JudgeConfig::Classes(config) => JudgeReport::Classes(ClassJudgeReport {
                unknown_rows,
                without_confidence: (!self.layout.confidence.is_empty()).then_some(without),
                mass: (!self.masses.is_empty()).then(|| Mass {
                    least: self.masses.iter().copied().fold(1.0, f64::min),
                    mean: mean(&self.masses),
                    warned: self.masses.iter().filter(|mass| **mass < config.least_mass).count(),
                }),
                ..self.report
            }),
            JudgeConfig::Ratings(_) => {
                JudgeReport::Ratings(ScoreJudgeReport { rows, failed_answers, unknown_rows, without_sd: 0 })
            }
        };
        JudgeFile { variants: self.variants, answers: self.answers, report }
    }
}

impl JudgeFile {
    /// Reads the judge's files: an answer per item, or none.
    ///
    /// # Errors
    /// An answer that can't be used.
    pub fn read(file: &StudyFile, items: &Items, source: &mut Source) -> Result<Self> {
        let (config, classes, labels) = (&file.config, file.config.scale.classes(), &file.config.items.multilabel);
        let (format, id, predicted) = match &config.judge {
            JudgeConfig::Classes(own) if own.kind == JudgeKind::Probabilities => {
                (own.format, Some(own.id.as_str()), Predicted::Shares(classes))
            }
            JudgeConfig::Classes(own) => (own.format, Some(own.id.as_str()), Predicted::Labels(classes)),
            JudgeConfig::Ratings(own) => (own.format, own.id.as_deref(), Predicted::Ratings),
        };
        let paths = file.resolve_all(config.tables().0);
        let table = match format {
            Some(FileFormat::LeWiDi) => {
                read_joined(&paths, |path| lewidi::read_predictions(path, &source.read(path)?, predicted, labels))?
            }
            _ => read_table(&paths, format, id, LogRows::Judge(classes), source)?,
        };
        let layout = AnswerColumns::new(config, &table)?;
        let mut rows = ItemRows::about(items, config.unmatched);
        let mut reader = AnswerReader::new(config, &layout, &table, rows.items())?;
        rows.read(&table, |row, item| reader.row(row, item))?;
        if let JudgeConfig::Classes(own) = &config.judge
            && own.confidence_range.is_none()
            && reader.most_confident > 0.0
            && reader.most_confident <= 1.0
        {
            let reason =
                "all confidences are between 0 and 1, but are taken for parts of 100 unless their range is stated";
            let remedy = "write confidence_range = [0, 1] under [judge], or [0, 100] if they are percentages";
            let column = own.confidence.as_deref().unwrap_or_default();
            return Err(Error::unfit(Place::file(table.file()).in_field(column), reason, remedy));
        }
        Ok(reader.finish(rows.unknown))
    }

    /// Reads the judge's answers in a table in which every row is an item, with those under all `variants` side by side. Unless
    /// an answer `may_lack_sd`, one of a judge of ratings has to state a standard deviation under some variant.
    ///
    /// # Errors
    /// A column that the table lacks.
    pub fn read_rows(
        settings: &StudyConfig,
        (table, columns, variants): (&DataTable, &RowColumns, &[String]),
        may_lack_sd: bool,
        rows: &mut ItemRows<'_>,
    ) -> Result<JudgeAnswers> {
        let layout = AnswerColumns::side_by_side(table, columns, variants)?;
        let mut reader = AnswerReader::new(settings, &layout, table, rows.items())?;
        if reader.kind == JudgeKind::Labels {
            // Samples are counted, and counts are on any scale.
            reader.kind = JudgeKind::Counts;
        }
        rows.read(table, |row, item| reader.row(row, item))?;
        let answers = reader.finish(0).answers;
        if settings.scale.is_numbers() && !may_lack_sd {
            let sd = layout.columns.iter().find_map(|columns| columns.get(1));
            rows.read(table, |row, item| {
                if !answers.has(item) || answers.of(item).flatten().any(|numbers| !numbers[1].is_nan()) {
                    return Ok(());
                }
                let reason = "the judge states no standard deviation, and stated one for every item that the belief was \
                              fitted to";
                let problem = Problem::unfit(reason, "give it, or run a study with such items");
                Err(sd.map_or_else(|| row.refuse_row(problem.clone()), |sd| row.refuse(*sd, problem.clone())))
            })?;
        }
        Ok(answers)
    }
}

impl StudyJudge {
    /// Puts the answers to the items `ids` together, under `variants` of the prompt.
    ///
    /// # Errors
    /// Answers that can't be put together.
    pub fn new(
        config: &StudyConfig,
        ids: &ItemIds,
        variants: &[String],
        answers: JudgeAnswers,
        report: JudgeReport,
    ) -> Result<Self> {
        match report {
            JudgeReport::Classes(report) => Self::of_classes(config, ids, variants, answers, report),
            JudgeReport::Ratings(report) => Ok(Self::of_ratings(variants, &answers, report)),
        }
    }

    /// Classes: the mean over the variants of their shares, with a floor under it. Sampled labels are read as
    /// distributions under every belief that fits a map from the prediction, so that the labels at hand calibrate them;
    /// the paper's belief takes their shares.
    fn of_classes(
        config: &StudyConfig,
        ids: &ItemIds,
        variants: &[String],
        answers: JudgeAnswers,
        mut report: ClassJudgeReport,
    ) -> Result<Self> {
        let without = (0..answers.len()).filter(|&item| answers.confidence(item).is_none()).count();
        report.without_confidence = report.without_confidence.map(|_| without);
        let (classes, floor) = (config.scale.classes().to_vec(), Some(config.floor()));
        let is_verdicts = config.judge.of_classes().kind == JudgeKind::Labels;
        let mut variants = JudgeVariants::new(ids.clone(), classes, variants.to_vec(), answers)?;
        let mut predictions = variants.aggregate(floor)?;
        report.count(&variants, &predictions);
        if is_verdicts && config.trust.belief().recalibrates() {
            variants = variants.with_answers(as_distribution)?;
            predictions = Predictions { spread: predictions.spread, ..variants.aggregate(floor)? };
        }
        let if_any = |values: Vec<Option<f64>>| if values.iter().any(Option::is_some) { values } else { vec![] };
        Ok(Self {
            variants: variants.variants().to_vec(),
            spread: if_any(predictions.spread),
            confidence: if_any(predictions.confidence),
            predictions: predictions.q,
            variances: vec![],
            answers: Some(variants),
            is_verdicts,
            scores: vec![],
            report: JudgeReport::Classes(report),
        })
    }

    /// Ratings: the mean of the variants' means, and of the variances that are stated.
    fn of_ratings(variants: &[String], answers: &JudgeAnswers, report: ScoreJudgeReport) -> Self {
        let of = |item: usize, k: usize| -> Vec<f64> {
            answers.of(item).flatten().map(|numbers| numbers[k]).filter(|number| !number.is_nan()).collect()
        };
        let means: Vec<Vec<f64>> = (0..answers.len()).map(|item| of(item, 0)).collect();
        let variance = |item| Some(of(item, 1)).filter(|stated| !stated.is_empty()).map(|stated| mean(&stated));
        let variances: Vec<Option<f64>> = (0..answers.len()).map(variance).collect();
        let without_sd = variances.iter().filter(|variance| variance.is_none()).count();
        Self {
            predictions: Array2::from_shape_fn((means.len(), 1), |(i, _)| mean(&means[i])),
            variances,
            answers: None,
            is_verdicts: false,
            variants: variants.to_vec(),
            spread: means.iter().map(|means| (means.len() > 1).then(|| sample_sd(means))).collect(),
            confidence: vec![],
            scores: means,
            report: JudgeReport::Ratings(ScoreJudgeReport { without_sd, ..report }),
        }
    }

    /// Blank answers, which never become labels, and rows of ids that the items don't have, which are left out.
    pub fn unused(&self) -> [usize; 2] {
        match &self.report {
            JudgeReport::Classes(report) => [report.failed_answers, report.unknown_rows],
            JudgeReport::Ratings(report) => [report.failed_answers, report.unknown_rows],
        }
    }

    /// The answers of a judge of classes under each variant.
    pub(crate) fn distributions(&self) -> &JudgeVariants {
        self.answers.as_ref().expect("a judge of classes gives answers that are distributions")
    }
}

impl ClassJudgeReport {
    /// Counts what shows only in the predictions.
    fn count(&mut self, answers: &JudgeVariants, predictions: &Predictions) {
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

// Which judge a study's trust belongs to: sums of its files, and of the prompts that made them.

/// What `judge run` writes beside its predictions.
pub const SUMMARY: &str = "summary.json";

/// The judge that a trust was fitted to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeFiles {
    /// SHA-256 of each of its files, in the order of the configuration.
    pub files: Vec<String>,
    /// SHA-256 of each prompt template by name, where `judge run` made the predictions; empty otherwise.
    #[serde(default)]
    pub prompts: BTreeMap<String, String>,
    /// The model that `judge run` asked.
    #[serde(default)]
    pub model: Option<String>,
}

impl JudgeFiles {
    /// The judge of a study whose `inputs` were read: the sums of the same bytes, and what a summary beside them says.
    ///
    /// # Errors
    /// There is a summary that can't be read.
    pub fn from_study(file: &StudyFile, inputs: &Source) -> Result<Self> {
        let paths = file.resolve_all(file.config.tables().0);
        let sum = |path: &PathBuf| inputs.sums().get(&path.display().to_string()).cloned();
        let files = paths.iter().filter_map(sum).collect();
        let summary = paths.first().map(|path| read_if_there(&path.with_file_name(SUMMARY))).transpose()?.flatten();
        Ok(Self { files, ..summary.and_then(|text| Self::said(&text)).unwrap_or_default() })
    }

    /// What the summary says that `judge run` wrote beside its predictions.
    ///
    /// # Errors
    /// A file that can't be read, or is not such a summary.
    pub fn from_summary(path: &Path) -> Result<Self> {
        Self::said(&read_file(path)?).ok_or_else(|| {
            let remedy = format!("name the {SUMMARY} that it wrote beside its predictions");
            Error::unfit(Place::file(path), "is not a summary of `judge-uncertainty judge run`", remedy)
        })
    }

    /// What the bytes of a summary say; `None` where they are none of ours.
    fn said(summary: &[u8]) -> Option<Self> {
        let summary: Value = serde_json::from_slice(summary).ok()?;
        summary["program"].as_str().filter(|by| by.starts_with("judge-uncertainty "))?;
        let prompts = summary["templates"].as_object();
        let text = |(name, sum): (&String, &Value)| Some((name.clone(), sum.as_str()?.to_owned()));
        Some(Self {
            files: vec![],
            prompts: prompts.map(|prompts| prompts.iter().filter_map(text).collect()).unwrap_or_default(),
            model: summary["model"].as_str().map(str::to_owned),
        })
    }

    /// What another judge differs in that both state, in words: model and prompts. Files of predictions differ where
    /// items do.
    pub fn is_other(&self, other: &Self) -> Option<String> {
        if let (Some(model), Some(others)) = (&self.model, &other.model)
            && model != others
        {
            return Some(format!("the model {others:?}, where the belief was fitted to {model:?}"));
        }
        let differs = |(name, sum): (&String, &String)| other.prompts.get(name).is_none_or(|others| others != sum);
        let prompts = self.prompts.iter().find(|of| !other.prompts.is_empty() && differs(*of));
        prompts.map(|(name, _)| format!("another prompt {name:?} than the one that the belief was fitted to"))
    }

    /// What differs from another judge, in words; `None` where nothing does.
    pub fn differs(&self, other: &Self) -> Option<String> {
        let changed = [
            (self.files != other.files).then_some("the predictions"),
            (self.prompts != other.prompts).then_some("the prompts"),
            (self.model != other.model).then_some("the model"),
        ];
        let changed: Vec<&str> = changed.into_iter().flatten().collect();
        (!changed.is_empty()).then(|| changed.join(", "))
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

#[cfg(test)]
mod tests_of_judge_files {
    use super::*;

    #[test]
    fn another_judge_is_told_by_model_and_prompts_and_not_by_its_files() {
        let judge = |file: &str, prompt: Option<&str>, model: Option<&str>| JudgeFiles {
            files: vec![file.to_owned()],
            prompts: prompt.map(|sum| ("plain".to_owned(), sum.to_owned())).into_iter().collect(),
            model: model.map(str::to_owned),
        };
        let own = judge("a", Some("p"), Some("m"));
        assert_eq!(own.is_other(&judge("b", Some("p"), Some("m"))), None);
        assert_eq!(own.is_other(&judge("b", None, None)), None);
        assert!(own.is_other(&judge("a", Some("p"), Some("n"))).unwrap().contains("\"n\""));
        assert!(own.is_other(&judge("a", Some("q"), Some("m"))).unwrap().contains("plain"));
    }

    #[test]
    fn what_changed_is_named() {
        let judge = |file: &str, prompt: &str| JudgeFiles {
            files: vec![file.to_owned()],
            prompts: [("plain".to_owned(), prompt.to_owned())].into(),
            model: None,
        };
        assert_eq!(judge("a", "b").differs(&judge("a", "b")), None);
        assert_eq!(judge("a", "b").differs(&judge("c", "d")).unwrap(), "the predictions, the prompts");
    }
}

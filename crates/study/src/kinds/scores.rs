//! Labels that are ratings on a continuous scale, with a [`judge_uncertainty_core::belief::Gaussian`] belief about
//! every item.

use std::collections::HashMap;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::belief_file::{InputColumns, RowColumns};
use crate::input::config::Check;
use crate::input::config::{FileFormat, Files, StudyConfig, StudyFile};
use crate::input::items::{ItemRows, Items};
use crate::input::judge::{JudgeFile, JudgeReport, StudyJudge};
use crate::input::labels::{LabelColumns, Labels, score};
use crate::input::question::LabelValue;
use crate::input::scale::Scale;
use crate::input::source::{Source, read_joined, read_table};
use crate::kinds::classes::config::own_variant;
use crate::kinds::classes::judge::several_answers;
use crate::model::study::{CameBack, CarriedReading, Decomposition, Kept, Relation};
use crate::results::parts::PartAverages;
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{
    Belief, BeliefModel, CurvePoint, EstimatedReading, Gaussian, GaussianFit, JudgeScores, RatingMap, Ratings, Reading,
    Repeats, Unfit,
};
use judge_uncertainty_core::stats::estimator::LEAST_ITEMS;
use judge_uncertainty_core::stats::{Estimate, mean, sample_sd};
use judge_uncertainty_evaluation::{Coverage, PitHistogram, Pool, RatingPool};
use judge_uncertainty_formats::error::{Problem, Result};
use judge_uncertainty_formats::judge::JudgeAnswers;
use judge_uncertainty_formats::lewidi;
use judge_uncertainty_formats::lewidi::Predicted;
use judge_uncertainty_formats::logs::LogRows;
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn};
use judge_uncertainty_formats::table::{ColumnIndex, DataTable};

// The judge's scores.

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

// What a study says of labels that are numbers.

/// Column of the ratings of an item, a list.
const LABELS: &str = "ratings";

/// As [`Relation::pool_under`].
pub(crate) fn pool(
    relation: &Relation<'_>,
    labels: &Labels,
    kept: &[usize],
    (model, groups): (BeliefModel, Vec<usize>),
    of_fit: Option<&Kept>,
) -> RatingPool {
    let Relation { config, items, judge, start, .. } = *relation;
    let mut grouped = labels.scores();
    let ratings = kept.iter().map(|&i| std::mem::take(&mut grouped[i])).collect();
    let mut pool = RatingPool::new(ratings, scores(judge, kept));
    (pool.model, pool.groups, pool.prior, pool.twins) = (model, groups, config.trust.prior, items.twins(kept));
    if let Some(CarriedReading::Ratings((fit, names))) = start {
        let known = |group: &str| names.iter().position(|name| name == group);
        pool.start = Some((fit.clone(), items.group_names().into_iter().map(known).collect()));
    }
    if let Some(Kept::Ratings(repeats)) = of_fit {
        pool.repeats = Some(*repeats);
    }
    pool
}

/// Whether a fit takes what the judge says as it is.
pub(crate) fn is_as_stated(fit: &GaussianFit) -> bool {
    fit.map.as_ref().is_none_or(|map| map.name == MapName::Identity)
}

/// Whether a fit with these features and so many groups belongs together; `Ok(true)` for one with parameters for every group
/// of its own.
///
/// # Errors
/// What does not.
pub(crate) fn check_fit(
    fit: &GaussianFit,
    kept: Option<&Repeats>,
    (features, groups): (&[&str], usize),
) -> std::result::Result<bool, Unfit> {
    let possible = |repeats: &Repeats| repeats.variance.is_finite() && repeats.variance >= 0.0 && repeats.degrees > 0;
    if !kept.is_none_or(possible) {
        return Err(Unfit { field: "kept", problem: "is not a variance of repeated ratings".to_owned() });
    }
    fit.check(features, groups)?;
    Ok(fit.is_by_group())
}

/// As [`crate::model::study::names`].
pub(crate) fn names(config: &StudyConfig, variants: &[String]) -> InputColumns {
    let judge = config.judge.of_ratings();
    let name = |name: &String| if variants.is_empty() { name.clone() } else { format!("{name}_{{variant}}") };
    let (id, group) = (config.items.id.as_deref(), config.items.group.as_deref());
    let mut names = InputColumns::new(id, name(&judge.mean), LABELS.to_owned(), group);
    names.deviations = judge.sd.as_ref().map(name);
    names
}

// What fit and decomposition say of a study of scores, and the table of its items.

/// What the decomposition says besides the parts of every item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreFindings {
    /// Averages over all items.
    pub decomposition: PartAverages,
    /// Held-out ratings against their intervals, one for each item with two labels or more; none without such items.
    pub calibration: Vec<Coverage>,
    /// Labels of one item about their mean, against what the beliefs expect; `None` without two labels of an item that
    /// differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_items: Option<WithinItems>,
    /// Where these ratings lie in their predicted distributions (probability integral transform).
    pub places: PitHistogram,
}

/// The variance of an item's labels about their mean, pooled over items, against the aleatoric part of the same items,
/// which rests on the judge's standard deviations.
///
/// ```text
/// observed = sum SS / sum (n - 1)      expected = sum (n - 1) aleatoric / sum (n - 1)
/// z        = ln(observed / expected) / sqrt(max(sum r^2 / (sum SS)^2, 2 / sum (n - 1)))
/// r        = SS - (n - 1) aleatoric observed / expected
/// ```
///
/// with n labels of an item and SS the sum of squared differences from their mean. Sums are over items with two labels
/// or more. The logarithm, and the error that normal labels have at least, are there because sums of squares are
/// skewed: without them 5 of 200 simulated studies with nothing wrong were told of a contradiction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WithinItems {
    /// Items with two labels or more.
    pub items: usize,
    /// Pooled variance of their labels, in squared units of the score.
    pub observed: f64,
    /// The aleatoric part that the beliefs expect, over the same items.
    pub expected: f64,
    /// How many standard errors, over items, the first is above the second.
    pub z: f64,
}

impl WithinItems {
    /// How large |z| is when a contradiction is reported; with fewer than [`LEAST_ITEMS`], z is far from normal.
    const TELLING: f64 = 3.0;

    fn new(d: &Decomposition) -> Option<Self> {
        let labels = d.pool.all();
        let beliefs = d.fitted.beliefs.of_ratings().iter();
        let kept: Vec<(f64, f64, f64)> = (labels.of_ratings().iter().zip(beliefs).filter(|(labels, _)| labels.n > 1))
            .map(|(labels, belief)| (f64::from(labels.n) - 1.0, labels.squares, belief.aleatoric()))
            .collect();
        let degrees: f64 = kept.iter().map(|(degrees, ..)| degrees).sum();
        let observed: f64 = kept.iter().map(|(_, squares, _)| squares).sum();
        let expected: f64 = kept.iter().map(|(degrees, _, aleatoric)| degrees * aleatoric).sum();
        let ratio = observed / expected;
        let off = |(degrees, squares, aleatoric): &(f64, f64, f64)| squares - degrees * aleatoric * ratio;
        let over_items = kept.iter().map(|item| off(item).powi(2)).sum::<f64>() / (observed * observed);
        // Without any scatter nothing is to be compared.
        (observed > 0.0).then(|| Self {
            items: kept.len(),
            observed: observed / degrees,
            expected: expected / degrees,
            z: ratio.ln() / over_items.max(2.0 / degrees).sqrt(),
        })
    }

    /// Whether the labels contradict what the judge's standard deviations claim.
    pub fn contradicted(&self) -> bool {
        self.items >= LEAST_ITEMS && self.z.abs() > Self::TELLING
    }
}

impl ScoreFindings {
    /// Reads a decomposition.
    pub(crate) fn new(decomposition: &Decomposition, pool: &RatingPool) -> Self {
        let places = held_out(decomposition, pool);
        Self {
            decomposition: PartAverages::new(decomposition, pool.repeats()),
            calibration: Coverage::at_levels(&places),
            within_items: WithinItems::new(decomposition),
            places,
        }
    }
}

/// Where held-out ratings lie in their predicted distributions, 0 to 1: each item's first annotator is held out, and
/// one of their ratings compared with the belief from the others. The fitted trust has seen the rating, among all
/// others.
fn held_out(d: &Decomposition, pool: &RatingPool) -> PitHistogram {
    let within = pool.repeats().map(|repeats| repeats.variance);
    let priors = pool.priors(d.fitted.fit.of_ratings(), &d.fitted.design);
    let of = |(prior, groups): (&Gaussian, &Vec<Vec<f64>>)| {
        let (first, others) = groups.split_first().filter(|(_, others)| !others.is_empty())?;
        let others = Ratings::by_annotator(others.iter().map(Vec::as_slice), within);
        Some(prior.updated(&others).label_cdf(first[0]))
    };
    PitHistogram::new(priors.iter().zip(pool.ratings()).filter_map(of))
}

/// Compares the added ratings of every item with the belief before them, in squared error of the mean.
pub(crate) fn came_back(before: &[Gaussian], labels: &Labels) -> Vec<Option<CameBack>> {
    let mut added: Vec<Vec<f64>> = vec![vec![]; before.len()];
    for label in labels.added() {
        if let LabelValue::Score(score) = label.value {
            added[label.item].push(score);
        }
    }
    let of = |(labels, belief): (&Vec<f64>, &Gaussian)| {
        let error = |belief: &Gaussian, y: f64| (y - belief.mean).powi(2);
        let realised = mean(&labels.iter().map(|&y| error(belief, y)).collect::<Vec<_>>());
        let gain = |k: usize| {
            let others: Vec<f64> =
                labels.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, y)| *y).collect();
            error(belief, labels[k]) - error(&belief.updated(&Ratings::new(&others)), labels[k])
        };
        let removed = (labels.len() > 1).then(|| {
            let others = labels.len() as f64 - 1.0;
            let foreseen = belief.epistemic() * others / (belief.evidence() + others);
            (foreseen, mean(&(0..labels.len()).map(gain).collect::<Vec<_>>()))
        });
        (!labels.is_empty()).then_some(((belief.total(), realised), removed))
    };
    added.iter().zip(before).map(of).collect()
}

/// Everything known about every item of a study of scores.
pub(crate) fn columns(judge: &StudyJudge, d: &Decomposition, pool: &RatingPool) -> Vec<OutputColumn> {
    const SCORE: &str = "units of the score";
    const SQUARE: &str = "squared units of the score";
    let (beliefs, fit) = (d.fitted.beliefs.of_ratings(), d.fitted.fit.of_ratings());
    let labels = pool.all();
    let belief = |name: &str, unit: &'static str, meaning: &str, f: &dyn Fn(&Gaussian) -> f64| {
        OutputColumn::numbers(name, unit, meaning, beliefs.iter().map(f))
    };
    let intervals = Gaussian::mean_intervals(beliefs, 0.95);
    let numbers = ColumnValues::Count(labels.numbers());
    let label_means = labels.of_ratings().iter().map(|labels| (labels.n > 0).then_some(labels.mean));
    let sds = judge.variances.iter().map(|variance| variance.map(f64::sqrt));
    let mut columns = vec![
        OutputColumn::new("labels", "labels", "Human labels in hand, one for each annotator", numbers),
        OutputColumn::partial("label_mean", SCORE, "Mean of the labels; blank without any", label_means),
        OutputColumn::numbers(
            "judge_mean",
            SCORE,
            "The judge's expected mean of the annotators' scores",
            judge.predictions.iter().copied(),
        ),
        OutputColumn::partial(
            "judge_sd",
            SCORE,
            "The judge's expected standard deviation; blank where none is stated",
            sds,
        ),
    ];
    if !fit.readings.is_empty() {
        let read = pool.read(fit);
        let sds = read.variance.iter().map(|variance| variance.sqrt());
        let meaning =
            "Its mean as it is read on the scale of the ratings (fit.recalibration), at which the belief starts";
        columns.push(OutputColumn::numbers("judge_mean_read", SCORE, meaning, read.mean.iter().copied()));
        let meaning = "Its standard deviation as it is read, or the fitted one where it states none";
        columns.push(OutputColumn::numbers("judge_sd_read", SCORE, meaning, sds));
    }
    columns.extend([
        OutputColumn::numbers(
            "trust",
            "labels",
            "Trust lambda: how many labels the judge's mean is worth",
            d.trust.iter().copied(),
        ),
        belief("total_evidence", "labels", "Total evidence about the mean, lambda' = trust + labels", &|b| b.evidence),
        belief("freedom", "degrees", "Evidence about the variance, nu' = nu + labels", &|b| b.freedom),
        belief("mean", SCORE, "Posterior mean of the pool's scores", &|b| b.mean),
        OutputColumn::numbers(
            "mean_low",
            SCORE,
            "Lower end of the mean's central 95% interval if the fitted trust were known; too narrow with few items \
             (docs/intervals.md)",
            intervals.iter().map(|interval| interval.lo),
        ),
        OutputColumn::numbers("mean_high", SCORE, "Upper end of it", intervals.iter().map(|interval| interval.hi)),
        belief("total", SQUARE, "Variance of a fresh label = aleatoric + epistemic", &Gaussian::total),
        belief("aleatoric", SQUARE, "Disagreement that labels cannot reduce, E[s^2]", &Gaussian::aleatoric),
    ]);
    if let Some(repeats) = pool.repeats() {
        columns.extend([
            belief("within_annotators", SQUARE, "Aleatoric part: noise of an annotator who rates again", &|b| {
                repeats.split(b.aleatoric()).0
            }),
            belief("between_annotators", SQUARE, "Aleatoric part: disagreement between annotators", &|b| {
                repeats.split(b.aleatoric()).1
            }),
        ]);
    }
    columns.extend([
        belief("epistemic", SQUARE, "Var(m), the expected squared error of the mean; also v", &Gaussian::epistemic),
        belief("delta", SQUARE, "One-label value: how much one label is expected to lower it", &Gaussian::label_value),
    ]);
    columns
}

// What the fit of a study of scores says: how well variances are known, and how the judge's scores are read.

/// What the fit says besides the trust regression.
///
/// "of group 0" among `unidentified` is the first entry of `recalibration`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreFit {
    /// nu: what the judge's variance is worth, in degrees of freedom.
    pub freedom: f64,
    /// The fitted variance of items whose judge states none; `None` if all do, or if every group has its own.
    pub common_variance: Option<f64>,
    /// How the judge's scores are recalibrated, for each group; `None` if they are used unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recalibration: Option<Vec<ScoreReading>>,
    /// Which map of the ladder the reading is; `None` where it is not one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<RatingMap>,
    /// What the map's curve adds to these readings, at the deciles of the judge's scores; none where it has no curve,
    /// or the ratings want none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
}

/// How the judge's scores are read: as centre - bias + slope (mean - centre), with factor x sd. What the ratings do not
/// determine is `None`; `assumed` has what the belief takes it to be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreReading {
    /// The group, where each has its own.
    pub group: Option<String>,
    /// The judge's mean score over the rated items.
    pub centre: f64,
    /// How far the judge's score is above the ratings at the centre, in units of the score.
    pub bias: Option<Estimate>,
    /// Points of the ratings per point of the judge's score.
    pub slope: Option<Estimate>,
    /// Factor on the judge's standard deviations: above 1 it is overconfident.
    pub factor: Option<Estimate>,
    /// Variance of the ratings of items whose judge states no standard deviation.
    pub common_variance: Option<Estimate>,
    /// The values that the belief rests on, determined or not.
    pub assumed: Reading,
}

impl ScoreFit {
    /// Applies a fit to items with the scores `judge`; `groups` are the names of the groups of items.
    pub fn new(fit: &GaussianFit, groups: &[&str], judge: &JudgeScores) -> Self {
        let by_group = fit.is_by_group();
        let read = |(group, estimated): (usize, EstimatedReading)| ScoreReading {
            group: by_group.then(|| groups[group].to_owned()),
            centre: estimated.reading.centre,
            bias: estimated.bias,
            slope: estimated.slope,
            factor: estimated.factor,
            common_variance: estimated.common_variance,
            assumed: estimated.reading,
        };
        let readings: Vec<ScoreReading> = fit.estimated_readings().into_iter().enumerate().map(read).collect();
        Self {
            freedom: fit.freedom,
            common_variance: fit.common_variance,
            recalibration: (!readings.is_empty()).then_some(readings),
            map: fit.map.clone(),
            curve: fit.curve_points(&deciles(&judge.mean)),
        }
    }
}

/// The scores below which 1 to 9 tenths of them lie, each once.
fn deciles(scores: &[f64]) -> Vec<f64> {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut deciles: Vec<f64> = (1..10).filter_map(|tenth| sorted.get(sorted.len() * tenth / 10).copied()).collect();
    deciles.dedup();
    deciles
}

//! What a study says of labels that are numbers.

use serde::Serialize;

use crate::belief_file::file::InputColumns;
use crate::input::config::StudyConfig;
use crate::input::judge::StudyJudge;
use crate::input::labels::Labels;
use crate::input::question::LabelValue;
use crate::kinds::scores::judge;
use crate::model::study::{CameBack, CarriedReading, Decomposition, Kept, Relation};
use crate::results::parts::PartAverages;
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{
    Belief, BeliefModel, CurvePoint, EstimatedReading, Gaussian, GaussianFit, JudgeScores, RatingMap, Ratings, Reading,
    Repeats, Unfit,
};
use judge_uncertainty_core::stats::estimator::LEAST_ITEMS;
use judge_uncertainty_core::stats::{Estimate, mean};
use judge_uncertainty_evaluation::{Coverage, PitHistogram, Pool, RatingPool};
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn};

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
    let mut pool = RatingPool::new(ratings, judge::scores(judge, kept));
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

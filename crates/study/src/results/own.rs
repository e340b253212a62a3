//! What fit and decomposition say of labels that are classes, and of ratings.

use serde::{Deserialize, Serialize};

use crate::model::carried::CarriedReading;
use crate::model::study::{Decomposition, Study};
use crate::results::parts::{EvidenceReport, PartAverages};
use judge_uncertainty_core::belief::maps::{Map, MapChoice, MapName, Transfer, Variance};
use judge_uncertainty_core::belief::{
    Belief, CurvePoint, EstimatedReading, FitError, Gaussian, GaussianFit, JudgeScores, Mapped, RatingMap, Ratings,
    Reading,
};
use judge_uncertainty_core::stats::Estimate;
use judge_uncertainty_core::stats::estimator::LEAST_ITEMS;
use judge_uncertainty_evaluation::{ByLabels, Coverage, LabelPool, PitHistogram, RatingPool};

/// What the fit says besides the trust regression.
pub type OwnFit = ByLabels<ClassFit, ScoreFit>;

/// What a fit to classes says besides the trust regression.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassFit {
    /// The map from the prediction to the belief, where it is one of the ladder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<FittedMap>,
}

/// A map of the ladder as it was fitted, and how it came to be taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FittedMap {
    /// Which one.
    pub name: MapName,
    /// The share of every prediction that counts as a guess by the distribution of the labels, 0 to 1.
    #[serde(default)]
    pub guesses: f64,
    /// The fitted variances, by block of parameters.
    pub variances: Vec<Variance>,
    /// The choice with its evidence; `None` where the study names the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<MapChoice>,
    /// The map of another study that it starts from; `None` where it starts from the prediction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<CarriedStart>,
}

/// The map of another study where the map here starts, and whether the labels here support it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CarriedStart {
    /// What that study is called.
    pub study: String,
    /// Which map it is.
    pub map: MapName,
    /// What it counts for: 1 takes it as it was, 0 leaves it out; as the belief takes it.
    pub weight: f64,
    /// Standard deviation of what is unknown of the weight, by the normal approximation; `None` where the labels left
    /// the map out.
    pub sd_of_weight: Option<f64>,
    /// Groups here for which that map has no terms of their own, as it has for others.
    pub new_groups: Vec<String>,
    /// What the judge here differs in, in words; `None` where nothing tells another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub another_judge: Option<String>,
    /// The likelihood of the labels here under the other study's recalibration, compared with the plain prediction.
    pub labels_here: Transfer,
}

impl CarriedStart {
    fn new(study: &Study, decomposition: &Decomposition, map: &Map) -> Result<Option<Self>, FitError> {
        let (LabelPool::Classes(pool), Some(CarriedReading::Classes(carried))) =
            (&decomposition.pool, &study.carried_map)
        else {
            return Ok(None);
        };
        let Some(labels_here) = pool.transfer(&decomposition.fitted.design)? else { return Ok(None) };
        let weight = map.weight_of_carried();
        let is_new = |name: &&str| carried.map.reads().groups && !carried.groups.iter().any(|known| known == name);
        Ok(Some(Self {
            study: carried.study.clone(),
            map: carried.map.name(),
            weight: weight.map_or(0.0, |(weight, _)| weight),
            sd_of_weight: weight.map(|(_, sd)| sd),
            new_groups: study.items.group_names().into_iter().filter(is_new).map(str::to_owned).collect(),
            another_judge: carried.another_judge.clone(),
            labels_here,
        }))
    }
}

impl ClassFit {
    /// Reads the fit of a decomposition.
    pub fn new(study: &Study, decomposition: &Decomposition) -> Self {
        let read = |mapped: &Mapped| FittedMap {
            name: mapped.map.name(),
            guesses: mapped.map.guesses(),
            variances: mapped.map.variances.clone(),
            choice: mapped.choice.clone(),
            carried: CarriedStart::new(study, decomposition, &mapped.map)
                .expect("a trust that was fitted under a map can be fitted without"),
        };
        Self { map: decomposition.fitted.fit.of_classes().mapped().map(read) }
    }
}

/// What a fit to ratings says besides the trust regression.
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

/// What the decomposition says besides the parts of every item, as far as labels of its kind have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnFindings {
    /// Averages over all items, in squared units of the scale; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decomposition: Option<PartAverages>,
    /// Whether total uncertainty would rank well here; `None` of ratings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceReport>,
    /// Held-out ratings against their intervals, one for each item with two labels or more; none without such items, and
    /// `None` of classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Vec<Coverage>>,
    /// Ratings of one item about their mean, against what the beliefs expect; `None` without two ratings of an item that
    /// differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_items: Option<WithinItems>,
    /// Where these ratings lie in their predicted distributions (probability integral transform); `None` of classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<PitHistogram>,
}

impl OwnFindings {
    /// Reads a decomposition.
    pub(crate) fn new(study: &Study, decomposition: &Decomposition) -> Self {
        let ratings = match &decomposition.pool {
            LabelPool::Ratings(pool) => Some(pool),
            LabelPool::Classes(_) => None,
        };
        let places = ratings.map(|pool| held_out(decomposition, pool));
        let repeats = ratings.and_then(RatingPool::repeats);
        Self {
            decomposition: study.scale().has_order().then(|| PartAverages::new(decomposition, repeats)),
            evidence: ratings.is_none().then(|| EvidenceReport::new(decomposition)).flatten(),
            calibration: places.as_ref().map(Coverage::at_levels),
            within_items: ratings.and_then(|_| WithinItems::new(decomposition)),
            places,
        }
    }
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

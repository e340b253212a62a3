//! What the fit of a study of scores says: how well variances are known, and how the judge's scores are read.

use serde::Serialize;

use judge_uncertainty_core::belief::{CurvePoint, EstimatedReading, GaussianFit, JudgeScores, RatingMap, Reading};
use judge_uncertainty_core::stats::Estimate;

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

//! Fits of the trust in a judge's ratings.

use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::judged::{GaussianError, JudgeScores, JudgedRatings, ReadScores};
use super::layout::{CURVE, Layout};
use super::likelihood::{Likelihood, freedom};
use super::map::RatingMap;
use super::map_fit::fit_rating_map;
use super::options::RatingOptions;
use super::options::Recalibration;
use super::pooling::OF_CURVE;
use super::scale::ScoreLine;
use crate::belief::design::Design;
use crate::belief::gaussian::{Gaussian, Ratings};
use crate::belief::log_posterior::LogPosterior;
use crate::belief::maps::{MapChoice, MapName};
use crate::belief::newton::{Maximum, maximise};
use crate::belief::prior::TrustPrior;
use crate::belief::profile::TrustProfile;
use crate::belief::regression::Regression;
use crate::belief::traits::Belief;
use crate::belief::unfit::{Unfit, that};
use crate::stats::Estimate;
use crate::stats::student::student_quantile;

/// A fitted regression of the trust in a judge's ratings, and how these are read.
///
/// As for categorical labels ([`super::super::TrustFit`]), a direction that the labels say nothing about keeps its
/// start and is named in the regression's `unidentified`, a nu that rises without bound among them. Where the trust
/// does, the likelihood becomes flat: the search ends on the plateau, with a standard error that says so. A factor on
/// deviations, or a common variance, is among the unidentified where no item that it concerns has two labels: one label
/// per item does not tell disagreement from ignorance, whatever a prior makes of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GaussianFit {
    /// The coefficients and all that the search says about them: "intercept", the features, "ln(nu - 2)" and, as far as
    /// they are fitted, "bias", "slope", "ln factor" and, if some judge's variance is missing, "ln s0^2", each of these
    /// for every group of [`Recalibration::ByGroup`] ("bias of group 0"). `gradient_norm` is along directions with
    /// curvature.
    #[serde(flatten)]
    pub regression: Regression,
    /// nu, the degrees of freedom of every item's variance before its labels.
    pub freedom: f64,
    /// s0^2 of the items whose judge states no variance, if there are any and all share it.
    pub common_variance: Option<f64>,
    /// Which items share a reading of the judge's scale.
    pub recalibration: Recalibration,
    /// How the scores of each group are read (one entry if shared, none if they are taken as they are).
    pub readings: Vec<Reading>,
    /// Which map of the ladder it is, where it was fitted as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<RatingMap>,
    /// The waves of its curve, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    curve: Option<Curve>,
    /// Where each parameter stands.
    layout: Layout,
}

/// How a judge's scores are read.
///
/// ```text
/// mu'   = centre - bias + slope (mu - centre)
/// s0'^2 = factor^2 s0^2, or the common variance where the judge states none
/// ```
///
/// with mu and s0 what the judge says of the mean and standard deviation of an item's ratings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Labelled items that it is fitted to.
    pub rated_items: usize,
    /// The judge's mean score over them, in units of the rating.
    pub centre: f64,
    /// How far the judge's score is above the ratings at the centre, in units of the rating.
    pub bias: f64,
    /// Points of the ratings per point of the judge's score: below 1 the judge exaggerates differences between items.
    pub slope: f64,
    /// Factor on stated standard deviations: above 1 the judge is overconfident. `None` if none is stated.
    pub factor: Option<f64>,
    /// s0^2 of the items whose judge states no variance; `None` if all are stated.
    pub common_variance: Option<f64>,
}

/// A reading with its uncertainty; `None` for what the labels do not determine.
///
/// 95% intervals of bias and slope are by Student t with two degrees of freedom less than there are labelled items, as
/// for a line through points whose scatter is not known (of all groups, where these are drawn towards each other);
/// those of factor and common variance by the normal approximation of the logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimatedReading {
    /// The reading itself, determined or not.
    pub reading: Reading,
    /// The bias.
    pub bias: Option<Estimate>,
    /// The slope.
    pub slope: Option<Estimate>,
    /// The factor; also `None` where the judge states no deviation.
    pub factor: Option<Estimate>,
    /// The common variance; also `None` where every deviation is stated.
    pub common_variance: Option<Estimate>,
}

/// A point of a fitted curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The judge's mean score.
    pub score: f64,
    /// What the curve adds there to what the line reads it as, in units of the rating. No interval: where the fitted
    /// variance takes a bend away, one from the posterior is too narrow (95% ones held 0.61 to 0.87 in worlds whose
    /// curve is known).
    pub adds: f64,
}

impl Reading {
    fn mean(&self, judge: f64) -> f64 {
        ScoreLine { centre: self.centre, bias: self.bias, slope: self.slope }.read(judge)
    }
}

impl GaussianFit {
    /// Trust lambda of every item of a design, in labels; its logarithm is kept within +-50.
    ///
    /// # Panics
    /// If the design has another number of features.
    pub fn trust(&self, design: &Design) -> Vec<f64> {
        assert_eq!(design.features(), self.layout.features, "the design must have the features of the fit");
        (0..design.items()).map(|i| self.regression.log_trust(design.row(i)).exp()).collect()
    }

    /// What the judge says of the items as this fit reads it, with a variance for every item; `groups` as in
    /// [`JudgedRatings`].
    ///
    /// # Panics
    /// If the fit is by group and an item has none that the fit knows, or lacks a variance where the fit has no common
    /// one.
    pub fn read(&self, judge: &JudgeScores, groups: &[usize]) -> ReadScores {
        let reading = |i: usize| self.readings.get(self.layout.group(groups, i));
        let variance = |i: usize| match (judge.variance[i], reading(i)) {
            (Some(stated), reading) => {
                stated * reading.and_then(|reading| reading.factor).map_or(1.0, |factor| factor * factor)
            }
            (None, reading) => reading
                .map_or(self.common_variance, |reading| reading.common_variance)
                .expect("a common variance is fitted when a judge's variance is missing"),
        };
        let mean = |(i, &mean): (usize, &f64)| reading(i).map_or(mean, |reading| reading.mean(mean)) + self.bends(mean);
        ReadScores {
            mean: judge.mean.iter().enumerate().map(mean).collect(),
            variance: (0..judge.mean.len()).map(variance).collect(),
        }
    }

    /// The belief about every item before its labels.
    ///
    /// What is not known of the reading is added to Var(m), so a score that is read is worth less than lambda labels:
    ///
    /// ```text
    /// 1/evidence = 1/lambda + Var(mu') / E[s^2]
    /// Var(mu')   = Var(bias) + x^2 Var(slope) - 2 x Cov(bias, slope),  x = mu - centre
    /// ```
    ///
    /// with the variances of the posterior. It is little where many items are rated, more for scores far from the
    /// centre, and much for a group without ratings, whose judge might have any scale.
    ///
    /// # Panics
    /// If the design has other features, or the judge other items; as [`Self::read`].
    pub fn priors_of(&self, items: &JudgedRatings) -> Vec<Gaussian> {
        let trust = self.trust(items.design);
        assert_eq!(trust.len(), items.judge.mean.len(), "one judge's rating per item");
        let read = self.read(items.judge, items.groups);
        let of = |(i, lambda): (usize, f64)| {
            let (mean, scale) = (read.mean[i], read.variance[i]);
            let prior = Gaussian { mean, evidence: lambda, freedom: self.freedom, scale };
            let unknown = self.variance_of_read(items.judge.mean[i], self.layout.group(items.groups, i));
            Gaussian { evidence: 1.0 / (1.0 / lambda + unknown / prior.aleatoric()), ..prior }
        };
        trust.into_iter().enumerate().map(of).collect()
    }

    /// What the curve adds to a score; 0 without one.
    fn bends(&self, judge: f64) -> f64 {
        let weights = &self.regression.coefficients[self.layout.curve()];
        self.curve.as_ref().map_or(0.0, |curve| curve.adds(judge, weights))
    }

    /// How the curve moves with its weights at a score.
    fn bend(&self, judge: f64) -> Vec<(usize, f64)> {
        self.curve.iter().flat_map(|curve| self.layout.curve().zip(curve.at(judge))).collect()
    }

    /// Var(mu') of a score of a group; 0 where scores are taken as they are.
    fn variance_of_read(&self, judge: f64, group: usize) -> f64 {
        let Some(reading) = self.readings.get(group) else { return 0.0 };
        let (Some(bias), Some(slope)) = (self.layout.bias(group), self.layout.slope(group)) else { return 0.0 };
        let line = [(bias, -1.0), (slope, judge - reading.centre)];
        self.variance_along(&line.into_iter().chain(self.bend(judge)).collect::<Vec<_>>())
    }

    /// Variance of the coefficients at these positions, weighted and added up.
    fn variance_along(&self, direction: &[(usize, f64)]) -> f64 {
        let covariance = &self.regression.covariance;
        let row = |(k, x): &(usize, f64)| direction.iter().map(|(l, y)| x * y * covariance[*k][*l]).sum::<f64>();
        direction.iter().map(row).sum::<f64>().max(0.0)
    }

    /// What the curve adds to the line at these scores; none without a curve, or where the ratings want none.
    pub fn curve_points(&self, scores: &[f64]) -> Vec<CurvePoint> {
        let wanted = |map: &RatingMap| map.variances.iter().any(|of| of.block == OF_CURVE && of.variance > 0.0);
        if !self.map.as_ref().is_some_and(wanted) {
            return vec![];
        }
        scores.iter().map(|&score| CurvePoint { score, adds: self.bends(score) }).collect()
    }

    /// [`Self::priors_of`] for a fit that is not by group.
    ///
    /// # Panics
    /// As there.
    pub fn priors(&self, design: &Design, judge: &JudgeScores) -> Vec<Gaussian> {
        self.priors_of(&JudgedRatings { design, judge, groups: &[] })
    }

    /// The readings with what is known of them.
    pub fn estimated_readings(&self) -> Vec<EstimatedReading> {
        let errors = self.regression.standard_errors();
        let estimate = |at: Option<usize>| {
            let at = at.filter(|&at| !self.regression.unidentified.contains(&self.regression.names[at]))?;
            Some(Estimate::new(self.regression.coefficients[at], errors[at]))
        };
        let draws = self.map.as_ref().is_some_and(|map| !map.variances.is_empty());
        let points = |reading: &Reading| if draws { self.regression.labelled_items } else { reading.rated_items };
        let of = |(group, reading): (usize, &Reading)| EstimatedReading {
            reading: *reading,
            bias: estimate(self.layout.bias(group)).map(|bias| of_line(bias, points(reading))),
            slope: estimate(self.layout.slope(group)).map(|slope| of_line(slope, points(reading))),
            factor: estimate(self.layout.factor(group)).map(Estimate::exp),
            common_variance: estimate(self.layout.variance(group)).map(Estimate::exp),
        };
        self.readings.iter().enumerate().map(of).collect()
    }
}

/// An estimate with the interval of a line through so many points.
fn of_line(estimate: Estimate, points: usize) -> Estimate {
    let freedom = points.saturating_sub(2).max(1) as f64;
    let reach = student_quantile(0.975, freedom) * estimate.standard_error;
    Estimate { lo: estimate.value - reach, hi: estimate.value + reach, ..estimate }
}

/// Fits the trust in a judge's ratings, nu and, where it is asked for, the reading of the judge's scale, by the
/// marginal likelihood of the labels, a product of Student t densities.
///
/// ```text
/// log lambda_x = beta_0 + beta^T z_x
/// L = sum over items with n_x >= 1 of
///     lnG((nu + n)/2) - lnG(nu/2) + (nu/2) ln A - ((nu + n)/2) ln B - (n/2) ln pi + (1/2) ln(lambda / (lambda + n))
/// A = nu s0'^2       B = A + SS + lambda n/(lambda + n) (ybar - mu')^2
/// mu' = c - bias + slope (mu - c)        s0'^2 = factor^2 s0^2 where the judge states s0
/// ```
///
/// with z the item's features, mu and s0^2 the judge's mean and variance, n, ybar and SS the labels' number, mean and
/// scatter, and c the judge's mean score over the labelled items. One nu > 2 holds for all items, so that the expected
/// variance exists for items without labels too; items whose judge states no variance share a fitted one. Without
/// [`Recalibration`] bias is 0, slope and factor are 1; with it all items share them, or those of a group do, and a
/// group without labels is read as the judge gave it. The priors on them are those of [`super::ReadingPrior`], that on
/// the trust is a [`TrustPrior`]: where there is no label, the fit is the prior, a common variance that of the judge's
/// own scores over the items. Gradient and Hessian are exact; Newton's method with a backtracking line search starts
/// from the judge's scores as they are and from the line of least squares, and the higher end is taken.
///
/// Sources: the marginal likelihood of the normal-inverse-gamma prior, Murphy (2007), "Conjugate Bayesian analysis of
/// the Gaussian distribution"; linear recalibration of a predicted mean and variance, Gneiting et al. (2005),
/// "Calibrated probabilistic forecasting using ensemble model output statistics", here fitted with the weight of the
/// prediction.
///
/// # Errors
/// Tables of different lengths, or numbers that are not finite (a variance not above 0); without priors, no labels at
/// all; by group, no group for an item; a prior that is not a positive number.
///
/// ```
/// use judge_uncertainty_core::belief::{
///     Design, JudgeScores, JudgedRatings, RatingOptions, Recalibration, Ratings, TrustPrior, fit_ratings,
/// };
///
/// // A judge that is two points too generous and far too sure of it.
/// let judge = JudgeScores { mean: vec![4.0, 5.5, 7.0, 8.5, 6.0], variance: vec![Some(0.01); 5] };
/// let labels = [&[2.5, 1.2][..], &[3.0, 4.5], &[5.9, 4.6], &[6.1, 7.3], &[]].map(Ratings::new);
/// let design = Design::constant(5);
/// let items = JudgedRatings { design: &design, judge: &judge, groups: &[] };
///
/// let options =
///     RatingOptions { recalibration: Recalibration::Shared, ..RatingOptions::published(TrustPrior::Weak) };
/// let fit = fit_ratings(&items, &labels, &options)?;
/// assert!(fit.regression.converged && (fit.readings[0].bias - 2.0).abs() < 0.5);
/// assert!(fit.readings[0].factor.unwrap() > 3.0);
/// // The item without labels is expected at about 4.
/// assert!((fit.priors(&design, &judge)[4].mean - 4.0).abs() < 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_ratings(
    items: &JudgedRatings,
    labels: &[Ratings],
    options: &RatingOptions,
) -> Result<GaussianFit, GaussianError> {
    let mut likelihood = Likelihood::new(items, labels, options)?;
    let starts = likelihood.starts();
    let best = highest(&mut likelihood, starts);
    Ok(conclude(&likelihood, items.design, best))
}

/// The highest end of searches from these starts.
pub(super) fn highest(likelihood: &mut Likelihood, starts: Vec<Vec<f64>>) -> Maximum {
    let mut ends: Vec<Maximum> = starts.into_iter().map(|start| maximise(likelihood, start)).collect();
    ends.sort_by(|a, b| b.at.value.total_cmp(&a.at.value));
    ends.swap_remove(0)
}

pub(super) fn conclude(likelihood: &Likelihood, design: &Design, mut maximum: Maximum) -> GaussianFit {
    let layout = likelihood.layout;
    let names = layout.names(design);
    maximum.converged &= maximum.at.curvature().is_maximum();
    let mut regression = match &likelihood.prior {
        Some(prior) => {
            let log_prior = prior.log_density(&maximum.parameters);
            Regression::of_posterior(names, maximum, likelihood.labelled_items(), (&prior.sds, log_prior))
        }
        None => Regression::of_likelihood(names, maximum, likelihood.labelled_items()),
    };
    in_units_of_the_ratings(&mut regression, &likelihood.units());
    regression.unidentified.retain(|name| !name.starts_with(CURVE));
    let twice = |group: usize, stated: bool| likelihood.rated_twice(group, stated);
    for group in 0..layout.groups {
        let loose = [
            layout.factor(group).filter(|_| !twice(group, true)),
            layout.variance(group).filter(|_| !twice(group, false)),
        ];
        let names = loose.into_iter().flatten().map(|at| regression.names[at].clone());
        let new: Vec<String> = names.filter(|name| !regression.unidentified.contains(name)).collect();
        regression.unidentified.extend(new);
    }
    let centres = (0..layout.groups).map(|group| (likelihood.rated_items(group), likelihood.centre(group)));
    GaussianFit {
        freedom: 0.0,
        common_variance: None,
        recalibration: layout.recalibration,
        readings: vec![],
        map: None,
        curve: likelihood.curve.clone(),
        layout,
        regression,
    }
    .with_readings(centres)
}

/// Counts coefficients and their covariance in `units` of the ratings.
fn in_units_of_the_ratings(regression: &mut Regression, units: &[f64]) {
    regression.coefficients.iter_mut().zip(units).for_each(|(x, unit)| *x *= unit);
    for (row, of_row) in regression.covariance.iter_mut().zip(units) {
        row.iter_mut().zip(units).for_each(|(x, unit)| *x *= of_row * unit);
    }
}

/// The profile of the posterior along ln lambda of an item with average features, under the fit that [`fit_ratings`]
/// found with the same arguments; `None` without a prior on the trust. Of a map that is taken at a part of its strength
/// it lies between the profiles of the map and of the scores as they are.
///
/// # Errors
/// As [`fit_ratings`].
pub fn typical_log_trust(
    items: &JudgedRatings,
    labels: &[Ratings],
    options: &RatingOptions,
    fit: &GaussianFit,
) -> Result<Option<TrustProfile>, GaussianError> {
    if options.prior == TrustPrior::None {
        return Ok(None);
    }
    let taken = fit.map.as_ref().and_then(|map| map.choice.as_ref().filter(|choice| choice.strength < 1.0));
    if let Some(MapChoice { chosen, strength, .. }) = taken {
        let profile = |name: MapName| {
            let fit = fit_rating_map(name, items, labels, options.prior)?;
            typical_log_trust(items, labels, options, &fit.expect("the map was taken before"))
        };
        let (stated, whole) = (profile(MapName::Identity)?, profile(*chosen)?);
        return Ok(stated.zip(whole).map(|(stated, whole)| whole.drawn_back(*strength, &stated)));
    }
    let (likelihood, mode) = at_maximum(items, labels, options, fit)?;
    let sd = fit.regression.standard_errors()[0];
    Ok(Some(TrustProfile::of_first(&likelihood, &mode, sd, (items.design.centre()[0], TrustPrior::LOG_TRUST_SD))))
}

/// What a fit maximised, with its own parameters at the maximum.
pub(super) fn at_maximum(
    items: &JudgedRatings,
    labels: &[Ratings],
    options: &RatingOptions,
    fit: &GaussianFit,
) -> Result<(Likelihood, Vec<f64>), GaussianError> {
    let options = RatingOptions { recalibration: fit.recalibration, ..*options };
    let likelihood = match fit.map.as_ref().filter(|map| !map.variances.is_empty()) {
        None => Likelihood::new(items, labels, &options)?,
        Some(map) => {
            let mut likelihood = Likelihood::of_map(items, labels, &options, fit.curve.clone())?;
            likelihood.take(&map.variances);
            likelihood
        }
    };
    let units = likelihood.units();
    let mode = fit.regression.coefficients.iter().zip(units).map(|(x, unit)| x / unit).collect();
    Ok((likelihood, mode))
}

/// What [`fit_ratings`] maximises, at parameters in the order and units of its coefficients, with its derivatives.
///
/// # Errors
/// As [`fit_ratings`].
///
/// # Panics
/// If there are not as many parameters as coefficients.
pub fn log_posterior_of_ratings(
    items: &JudgedRatings,
    labels: &[Ratings],
    options: &RatingOptions,
    parameters: &[f64],
) -> Result<LogPosterior, GaussianError> {
    let likelihood = Likelihood::new(items, labels, options)?;
    assert_eq!(parameters.len(), likelihood.layout.len(), "one parameter per coefficient of the fit");
    let units = likelihood.units();
    let inner: Vec<f64> = parameters.iter().zip(&units).map(|(x, unit)| x / unit).collect();
    Ok(LogPosterior::new(&likelihood, &inner).per_unit(&units))
}

impl GaussianFit {
    /// What follows from the coefficients, with each group's number of rated items and centre.
    fn with_readings(mut self, groups: impl Iterator<Item = (usize, f64)>) -> Self {
        let (layout, coefficients) = (self.layout, &self.regression.coefficients);
        let at = |position: Option<usize>| position.map(|k| coefficients[k]);
        let reading = |(group, (rated_items, centre)): (usize, (usize, f64))| {
            Some(Reading {
                rated_items,
                centre,
                bias: at(layout.bias(group))?,
                slope: at(layout.slope(group))?,
                factor: at(layout.factor(group)).map(f64::exp),
                common_variance: at(layout.variance(group)).map(f64::exp),
            })
        };
        self.readings = groups.enumerate().filter_map(reading).collect();
        self.freedom = freedom(coefficients[layout.freedom()]).nu;
        self.common_variance = if layout.groups == 1 { at(layout.variance(0)).map(f64::exp) } else { None };
        self
    }

    /// This fit of a map at the strength s between `stated` (0), the fit to the scores as they are, and itself (1).
    ///
    /// ```text
    /// mu' = mu + s (mu'_map - mu)        ln lambda, ln nu - 2, ln s0'^2: s times the map's, 1 - s times the other's
    /// ```
    ///
    /// Which of the two is right counts as unknown, with variance s (1 - s).
    pub(super) fn drawn_back(mut self, s: f64, stated: &Self) -> Self {
        let layout = self.layout;
        let mut at: Vec<Option<usize>> = (0..layout.len()).map(|k| (k <= layout.freedom()).then_some(k)).collect();
        let mut from: Vec<f64> = vec![0.0; layout.len()];
        for group in 0..layout.groups {
            layout.slope(group).into_iter().for_each(|k| from[k] = 1.0);
            layout.variance(group).into_iter().for_each(|k| at[k] = stated.layout.variance(0));
        }
        let known = at.iter().zip(&mut from).filter_map(|(at, from)| at.map(|at| (at, from)));
        known.for_each(|(at, from)| *from = stated.regression.coefficients[at]);
        let off: Vec<f64> = self.regression.coefficients.iter().zip(&from).map(|(own, from)| own - from).collect();
        self.regression.draw_back_covariance(s, &off, (&stated.regression, &at));
        self.regression.coefficients = from.iter().zip(&off).map(|(from, off)| from + s * off).collect();
        let groups: Vec<(usize, f64)> = self.readings.iter().map(|r| (r.rated_items, r.centre)).collect();
        self.with_readings(groups.into_iter())
    }

    /// How many parameters the reading has.
    pub(super) fn of_reading(&self) -> usize {
        self.layout.len() - self.layout.features - 2
    }

    /// How many parameters it has.
    pub(in crate::belief) fn parameters(&self) -> usize {
        self.layout.len()
    }

    /// Whether an item whose judge states no deviation can be read, for every group.
    pub fn reads_unstated(&self) -> bool {
        self.layout.common
    }

    /// Whether what is no part of the regression belongs together.
    pub(in crate::belief) fn check_own(&self, features: usize, groups: usize) -> Result<(), Unfit> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let layout = &self.layout;
        that(layout.features == features, "layout", || format!("is of {} features", layout.features))?;
        let own = if self.recalibration == Recalibration::ByGroup { groups } else { 1 };
        that(layout.groups == own, "layout", || format!("is of {} groups and must be of {own}", layout.groups))?;
        let same = layout.recalibration == self.recalibration;
        that(same, "layout", || "has another recalibration than the fit".to_owned())?;
        let waves = self.curve.as_ref().map_or(0, Curve::waves);
        let bends = waves == layout.waves && self.curve.as_ref().is_none_or(Curve::is_whole);
        that(bends, "curve", || "does not belong to the layout, or is not finite".to_owned())?;
        match &self.map {
            Some(map) => map.check(layout)?,
            None => that(waves == 0, "map", || "is missing, and the layout is of a curve".to_owned())?,
        }
        that(self.freedom > 2.0, "freedom", || format!("is {} and must be above 2", self.freedom))?;
        let common = layout.common && layout.groups == 1;
        let one = self.common_variance.is_some() == common && self.common_variance.is_none_or(positive);
        that(one, "common_variance", || "does not belong to the layout, or is not above 0".to_owned())?;
        let readings = if self.recalibration == Recalibration::Off { 0 } else { layout.groups };
        let found = self.readings.len();
        that(found == readings, "readings", || format!("are {found} and must be {readings}"))?;
        let whole = |r: &Reading| {
            let factor = r.factor.is_some() == layout.factor(0).is_some() && r.factor.is_none_or(positive);
            let variance = r.common_variance.is_some() == layout.common && r.common_variance.is_none_or(positive);
            [r.centre, r.bias, r.slope].iter().all(|x| x.is_finite()) && factor && variance
        };
        that(self.readings.iter().all(whole), "readings", || "have an entry out of its range".to_owned())
    }
}

//! The likelihood of ratings with its priors, as a search climbs it.

use std::ops::RangeInclusive;

use ndarray::Array2;

use super::curve::Curve;
use super::judged::{GaussianError, JudgeScores, JudgedRatings, check};
use super::layout::Layout;
use super::normal_prior::{NormalPrior, START_FREEDOM_BEYOND_TWO};
use super::options::RatingOptions;
use super::options::Recalibration;
use super::scale::{Rated, ScoreLine};
use super::terms::{FREEDOM, LOG_SCALE, LOG_TRUST, MEAN, item_terms};
use crate::belief::gaussian::Ratings;
use crate::belief::leave_out::Local;
use crate::belief::maps::Variance;
use crate::belief::newton::{Curvature, Expansion, Objective, mirror};
use crate::belief::prior::TrustPrior;
use crate::belief::regression::{LARGEST_MOVE, linear};
use crate::stats::{mean, population_sd};

/// The likelihood treats nu - 2 as if it stopped at these values: below, the variance is as good as unbounded; above,
/// as good as known.
const FREEDOM_BEYOND_TWO: RangeInclusive<f64> = 1e-3..=1e6;

/// nu as a function of its coefficient u = ln(nu - 2).
pub(super) struct Freedom {
    pub(super) nu: f64,
    /// d nu / du; 0 beyond the limits.
    slope: f64,
}

pub(super) fn freedom(u: f64) -> Freedom {
    let beyond = u.exp();
    let inside = FREEDOM_BEYOND_TWO.contains(&beyond);
    let held = beyond.clamp(*FREEDOM_BEYOND_TWO.start(), *FREEDOM_BEYOND_TWO.end());
    Freedom { nu: 2.0 + held, slope: if inside { beyond } else { 0.0 } }
}

/// A labelled item.
struct RatedItem {
    z: Vec<f64>,
    group: usize,
    rated: Rated,
    judge_variance: Option<f64>,
    /// The waves of a curve at the judge's score.
    waves: Vec<f64>,
}

/// Log-likelihood plus log prior of the parameters of a [`Layout`].
///
/// The bias is counted in units of [`Self::unit`], so that all parameters are of the same size whatever the ratings
/// count.
pub(super) struct Likelihood {
    items: Vec<RatedItem>,
    pub(super) layout: Layout,
    pub(super) prior: Option<NormalPrior>,
    pub(super) curve: Option<Curve>,
    /// Root mean square difference of the ratings from the judge's scores.
    unit: f64,
    /// The line of each group that a search begins to read the judge by; it turns about the judge's mean score over the
    /// group's labelled items.
    lines: Vec<ScoreLine>,
    /// Variance of the ratings about these lines.
    variance: f64,
    /// Where a prior on the trust is centred, intercept first.
    centre: Vec<f64>,
}

impl Likelihood {
    pub(super) fn new(
        items: &JudgedRatings,
        labels: &[Ratings],
        options: &RatingOptions,
    ) -> Result<Self, GaussianError> {
        Self::with_curve(items, labels, options, None)
    }

    /// That of a map with groups, a curve or both: parameters that share a variance are drawn to a common value.
    pub(super) fn of_map(
        items: &JudgedRatings,
        labels: &[Ratings],
        options: &RatingOptions,
        curve: Option<Curve>,
    ) -> Result<Self, GaussianError> {
        let mut this = Self::with_curve(items, labels, options, curve)?;
        if this.layout.groups > 1 {
            this.turn_about_one_centre();
        }
        let (layout, unit) = (this.layout, this.unit);
        this.prior.iter_mut().for_each(|prior| prior.pool(&layout, unit));
        Ok(this)
    }

    fn with_curve(
        items: &JudgedRatings,
        labels: &[Ratings],
        options: &RatingOptions,
        curve: Option<Curve>,
    ) -> Result<Self, GaussianError> {
        let by_group = options.recalibration == Recalibration::ByGroup;
        check(items, labels, by_group)?;
        options.reading.check()?;
        let judge = items.judge;
        let layout = Layout {
            features: items.design.features(),
            groups: if by_group { items.groups.iter().max().map_or(0, |g| g + 1) } else { 1 },
            recalibration: options.recalibration,
            stated: judge.variance.iter().any(Option::is_some),
            common: judge.variance.iter().any(Option::is_none),
            waves: curve.as_ref().map_or(0, Curve::waves),
        };
        let labelled = (0..labels.len()).filter(|&i| labels[i].n > 0);
        let item = |i: usize| RatedItem {
            z: items.design.row(i).to_vec(),
            group: layout.group(items.groups, i),
            rated: Rated { judge: judge.mean[i], labels: labels[i] },
            judge_variance: judge.variance[i],
            waves: curve.as_ref().map_or(vec![], |curve| curve.at(judge.mean[i])),
        };
        let mut this = Self {
            items: labelled.map(item).collect(),
            layout,
            prior: None,
            curve: curve.clone(),
            unit: 1.0,
            lines: vec![],
            variance: 1.0,
            centre: items.design.centre(),
        };
        let priors = options.prior == TrustPrior::Weak || options.recalibration != Recalibration::Off;
        if this.items.is_empty() && !priors {
            return Err(GaussianError::NoLabels);
        }
        this.set_scales(judge);
        this.prior = priors.then(|| NormalPrior::new(options, &layout, &this.centre, this.variance));
        Ok(this)
    }

    fn set_scales(&mut self, judge: &JudgeScores) {
        let (items, labels) = (&self.items, self.total_labels());
        if items.is_empty() {
            // The judge's scores over the items are all the scale that there is.
            let sd = population_sd(&judge.mean);
            self.unit = if sd > 0.0 { sd } else { 1.0 };
            self.variance = self.unit * self.unit;
            self.lines = vec![ScoreLine::AS_GIVEN; self.layout.groups];
            return;
        }
        let about_judge = items.iter().map(|item| ScoreLine::AS_GIVEN.squares(&item.rated)).sum::<f64>() / labels;
        // Ratings that all equal the judge's scores leave no scale; any will do.
        let about_judge = if about_judge > 0.0 { about_judge } else { 1.0 };
        let (lines, variance) = match self.layout.recalibration {
            Recalibration::Off => (vec![ScoreLine::AS_GIVEN], about_judge),
            Recalibration::Shared | Recalibration::ByGroup => {
                let lines = self.lines_of_groups();
                let variance = items.iter().map(|item| lines[item.group].squares(&item.rated)).sum::<f64>() / labels;
                // Ratings that all lie on the lines leave no scale either.
                (lines, if variance > 1e-12 * about_judge { variance } else { about_judge })
            }
        };
        self.unit = about_judge.sqrt();
        self.variance = variance;
        self.lines = lines;
    }

    /// Reads all groups about one centre, the judge's mean score over the labelled items.
    fn turn_about_one_centre(&mut self) {
        let scores: Vec<f64> = self.items.iter().map(|item| item.rated.judge).collect();
        let centre = if scores.is_empty() { 0.0 } else { mean(&scores) };
        self.lines.iter_mut().for_each(|line| *line = line.about(centre));
    }

    /// One step of the fixed points of the variances; whether one is still some way off.
    pub(super) fn renew(&mut self, parameters: &[f64], covariance: &[Vec<f64>]) -> bool {
        self.prior.as_mut().is_some_and(|prior| prior.renew(parameters, covariance))
    }

    /// The variances, with how many parameters of each block the ratings determine.
    pub(super) fn variances(&self, covariance: &[Vec<f64>]) -> Vec<Variance> {
        self.prior.as_ref().map_or(vec![], |prior| prior.variances(covariance))
    }

    /// Takes variances that were fitted before.
    pub(super) fn take(&mut self, variances: &[Variance]) {
        self.prior.iter_mut().for_each(|prior| prior.take(variances));
    }

    /// The lines of least squares; that of a group without ratings is the judge's scores as they are.
    fn lines_of_groups(&self) -> Vec<ScoreLine> {
        let of = |group: usize| -> Vec<Rated> {
            self.items.iter().filter(|item| item.group == group).map(|item| item.rated).collect()
        };
        (0..self.layout.groups)
            .map(|group| match &*of(group) {
                [] => ScoreLine::AS_GIVEN,
                rated => ScoreLine::through(rated),
            })
            .collect()
    }

    /// The judge's mean score over the labelled items of a group, about which its line turns.
    pub(super) fn centre(&self, group: usize) -> f64 {
        self.lines[group].centre
    }

    pub(super) fn labelled_items(&self) -> usize {
        self.items.len()
    }

    pub(super) fn total_labels(&self) -> f64 {
        self.items.iter().map(|item| f64::from(item.rated.labels.n)).sum()
    }

    /// Labelled items of a group.
    pub(super) fn rated_items(&self, group: usize) -> usize {
        self.items.iter().filter(|item| item.group == group).count()
    }

    /// Whether some labelled item of a group, with (`stated`) or without a variance of its judge's, has two labels.
    pub(super) fn rated_twice(&self, group: usize, stated: bool) -> bool {
        let of = |item: &&RatedItem| item.group == group && item.judge_variance.is_some() == stated;
        self.items.iter().filter(of).any(|item| item.rated.labels.n > 1)
    }

    /// How many units of the ratings one unit of each parameter is.
    pub(super) fn units(&self) -> Vec<f64> {
        let mut units = vec![1.0; self.layout.len()];
        (0..self.layout.groups).filter_map(|group| self.layout.bias(group)).for_each(|at| units[at] = self.unit);
        self.layout.curve().for_each(|at| units[at] = self.unit);
        units
    }

    /// Where searches begin: with a trust of 8 for every item and nu = 6, from the judge's scores as they are and,
    /// where they are read, from the line of least squares through the ratings.
    pub(super) fn starts(&self) -> Vec<Vec<f64>> {
        let start = |lines: &dyn Fn(usize) -> ScoreLine| {
            let mut start = vec![0.0; self.layout.len()];
            start[..self.centre.len()].copy_from_slice(&self.centre);
            start[self.layout.freedom()] = START_FREEDOM_BEYOND_TWO.ln();
            for group in 0..self.layout.groups {
                let line = lines(group);
                self.layout.bias(group).into_iter().for_each(|at| start[at] = line.bias / self.unit);
                self.layout.slope(group).into_iter().for_each(|at| start[at] = line.slope);
                self.layout.variance(group).into_iter().for_each(|at| start[at] = self.variance.ln());
            }
            start
        };
        match self.layout.recalibration {
            Recalibration::Off => vec![start(&|_| ScoreLine::AS_GIVEN)],
            Recalibration::Shared | Recalibration::ByGroup => {
                vec![start(&|group| self.lines[group]), start(&|_| ScoreLine::AS_GIVEN)]
            }
        }
    }

    /// Which of an item's own parameters the parameters move, and how fast, in ascending order of their positions; they
    /// replace what `moves` held.
    fn set_moves(&self, item: &RatedItem, nu_slope: f64, moves: &mut Vec<(usize, usize, f64)>) {
        let layout = &self.layout;
        moves.clear();
        moves.push((0, LOG_TRUST, 1.0));
        moves.extend(item.z.iter().enumerate().map(|(k, z)| (k + 1, LOG_TRUST, *z)));
        moves.push((layout.freedom(), FREEDOM, nu_slope));
        moves.extend(layout.bias(item.group).map(|at| (at, MEAN, -self.unit)));
        moves.extend(layout.slope(item.group).map(|at| (at, MEAN, item.rated.judge - self.lines[item.group].centre)));
        moves.extend(match item.judge_variance {
            // The factor is one on deviations, and the scale is a variance.
            Some(_) => layout.factor(item.group).map(|at| (at, LOG_SCALE, 2.0)),
            None => layout.variance(item.group).map(|at| (at, LOG_SCALE, 1.0)),
        });
        moves.extend(layout.curve().zip(&item.waves).map(|(at, phi)| (at, MEAN, self.unit * phi)));
    }

    /// An item's judge as it is read: mean and variance.
    fn read(&self, item: &RatedItem, parameters: &[f64]) -> (f64, f64) {
        let (layout, group) = (&self.layout, item.group);
        let line = match (layout.bias(group), layout.slope(group)) {
            (Some(bias), Some(slope)) => ScoreLine {
                centre: self.lines[group].centre,
                bias: parameters[bias] * self.unit,
                slope: parameters[slope],
            }
            .read(item.rated.judge),
            _ => item.rated.judge,
        };
        let variance = match item.judge_variance {
            Some(stated) => layout.factor(group).map_or(stated, |at| stated * (2.0 * parameters[at]).exp()),
            None => {
                let at = layout.variance(group).expect("a common variance is fitted as soon as one item lacks its own");
                parameters[at].exp()
            }
        };
        let bends = linear_sum(&parameters[layout.curve()], &item.waves);
        (line + self.unit * bends, variance)
    }
}

impl Likelihood {
    /// The log-likelihood of the `k`th labelled item's ratings in numbers that are linear in the parameters: ln lambda,
    /// ln(nu - 2), ln s0^2 and mu.
    pub(super) fn local(&self, k: usize, parameters: &[f64]) -> Local {
        let item = &self.items[k];
        let Freedom { nu, slope } = freedom(parameters[self.layout.freedom()]);
        let (mean, variance) = self.read(item, parameters);
        let trust = linear(&parameters[..self.layout.freedom()], &item.z).exp();
        let terms = item_terms(trust, nu, variance, &item.rated.labels, mean);
        let mut moves = vec![];
        self.set_moves(item, 1.0, &mut moves);
        let row = |at: usize| moves.iter().filter(|of| of.1 == at).map(|&(k, _, by)| (k, by)).collect();
        let per_unit = |at: usize| if at == FREEDOM { slope } else { 1.0 };
        let own = terms.first.len();
        let bend = |(i, j): (usize, usize)| {
            // d^2 nu / du^2 = d nu / du.
            let turned = if (i, j) == (FREEDOM, FREEDOM) { terms.first[FREEDOM] * slope } else { 0.0 };
            terms.second[i][j] * per_unit(i) * per_unit(j) + turned
        };
        Local {
            rows: (0..own).map(row).collect(),
            slope: (0..own).map(|at| terms.first[at] * per_unit(at)).collect(),
            bend: (0..own).flat_map(|i| (0..own).map(move |j| (i, j))).map(bend).collect(),
        }
    }

    /// The log-likelihood of the `k`th labelled item's ratings where those numbers have fallen by so much, per rating.
    pub(super) fn score(&self, k: usize, parameters: &[f64], fall: &[f64]) -> f64 {
        let item = &self.items[k];
        let nu = freedom(parameters[self.layout.freedom()] - fall[FREEDOM]).nu;
        let (mean, variance) = self.read(item, parameters);
        let log_trust = linear(&parameters[..self.layout.freedom()], &item.z) - fall[LOG_TRUST];
        let (variance, mean) = (variance * (-fall[LOG_SCALE]).exp(), mean - fall[MEAN]);
        let labels = &item.rated.labels;
        item_terms(log_trust.exp(), nu, variance, labels, mean).value / f64::from(labels.n)
    }

    /// Ratings are in units of so much.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }
}

fn linear_sum(weights: &[f64], of: &[f64]) -> f64 {
    weights.iter().zip(of).map(|(weight, x)| weight * x).sum()
}

impl Objective for Likelihood {
    fn at(&self, parameters: &[f64]) -> Expansion {
        let (p, freedom_at) = (parameters.len(), self.layout.freedom());
        let Freedom { nu, slope: nu_slope } = freedom(parameters[freedom_at]);
        let (mut value, mut gradient, mut hessian) = (0.0, vec![0.0; p], Array2::<f64>::zeros((p, p)));
        let mut moves = vec![];
        for item in &self.items {
            let trust = linear(&parameters[..freedom_at], &item.z).exp();
            let (mean, variance) = self.read(item, parameters);
            let terms = item_terms(trust, nu, variance, &item.rated.labels, mean);
            value += terms.value;
            self.set_moves(item, nu_slope, &mut moves);
            for (k, &(a, i, da)) in moves.iter().enumerate() {
                gradient[a] += terms.first[i] * da;
                for &(b, j, db) in &moves[k..] {
                    hessian[[a, b]] += terms.second[i][j] * da * db;
                }
            }
            // d^2 nu / du^2 = d nu / du.
            hessian[[freedom_at, freedom_at]] += terms.first[FREEDOM] * nu_slope;
        }
        mirror(hessian.view_mut());
        let mut point = Expansion { value, gradient, hessian, at_limit: 0 };
        if let Some(prior) = &self.prior {
            prior.add(parameters, &mut point);
        }
        point
    }

    fn tolerance(&self) -> f64 {
        1e-11 * self.total_labels().max(100.0)
    }

    /// No item's log trust and no other parameter moves too far.
    fn shorten(&self, step: &mut [f64]) {
        let trusts = self.items.iter().map(|i| linear(step, &i.z).abs());
        let reach = trusts.chain(step[self.layout.freedom()..].iter().map(|s| s.abs())).fold(0.0, f64::max);
        if reach > LARGEST_MOVE {
            step.iter_mut().for_each(|s| *s *= LARGEST_MOVE / reach);
        }
    }

    /// Directions without curvature don't count: a nu that rises without bound keeps a slope for ever.
    fn size(&self, point: &Expansion, curvature: &Curvature) -> f64 {
        curvature.identified_norm(&point.gradient)
    }
}

//! A fitted map, and what it says about any items.

use std::collections::HashMap;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::guesses;
use super::layout::{CarriedOffsets, ItemReader, MapLayout, Reads};
use super::names::MapName;
use crate::belief::contrasts;
use crate::belief::dirichlet::row;
use crate::belief::dirichlet_multinomial::{DirichletMultinomial, FIRST_CONTRAST, LARGEST_LOG_TRUST, ln_likelihood};
use crate::belief::engine::{LOG_TRUST, Shape, Variance};
use crate::belief::judged::JudgedItems;
use crate::belief::newton::dot;
use crate::belief::regression::{Regression, Unfit, quadratic, that};
use crate::belief::table::Beliefs;

/// A fitted map with its trust: plain data, with all that is needed to read items that the fit has not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// The trust, and how the search ended. `names` and `coefficients` are those of beta; `covariance` goes on with the
    /// map's parameters and is the inverse of minus the Hessian of log-likelihood plus log prior at the fitted
    /// variances; `log_likelihood` leaves out multinomial coefficients and priors.
    pub regression: Regression,
    /// The fitted variances, by block.
    pub variances: Vec<Variance>,
    pub(super) layout: MapLayout,
    /// theta, then V row by row.
    pub(super) parameters: Vec<f64>,
}

fn within_limits(log_trust: f64) -> f64 {
    log_trust.clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST)
}

/// r^T S t for sparse r and t, by the positions of their entries.
fn product(r: &[(usize, f64)], covariance: &[Vec<f64>], t: &[(usize, f64)]) -> f64 {
    r.iter().map(|(k, x)| x * t.iter().map(|(l, y)| covariance[*k][*l] * y).sum::<f64>()).sum()
}

impl Map {
    /// Which map it is.
    pub fn name(&self) -> MapName {
        self.layout.name
    }

    /// The share g of every prediction q that counts as a guess, 0 to 1: the map reads (1 - g) q + g pi, with pi the
    /// distribution of the labels.
    pub fn guesses(&self) -> f64 {
        self.layout.guesses.share
    }

    /// Number of parameters of the map that the labels want, those of the trust left out.
    pub fn parameters(&self) -> usize {
        self.parameters.len()
    }

    /// Whether this map can be applied to items with these features, in order, and so many classes and groups.
    ///
    /// # Errors
    /// The first field that contradicts them, or is not finite.
    pub fn check(&self, features: &[&str], classes: usize, groups: usize) -> Result<(), Unfit> {
        self.layout.check(features, classes, groups)?;
        let expected = self.layout.parameters();
        let found = self.parameters.len();
        that(found == expected, "parameters", || format!("are {found} and must be {expected}"))?;
        that(self.parameters.iter().all(|x| x.is_finite()), "parameters", || "are not all finite".to_owned())?;
        self.regression.check(features, features.len() + 1, expected)
    }

    /// Whether the belief uses the judge's predictions unchanged.
    pub fn is_as_stated(&self) -> bool {
        self.name() == MapName::Identity && !self.layout.carried
    }

    /// Whether the map has terms of each group.
    pub fn is_by_group(&self) -> bool {
        self.layout.is_by_group()
    }

    /// What this map adds to the log predictions of other items, for maps that start from it.
    ///
    /// # Panics
    /// As [`Self::predictions`].
    pub fn carry(&self, items: &JudgedItems) -> CarriedOffsets {
        let mut added = Array2::zeros(items.q.dim());
        let mut unknown = Vec::with_capacity(items.len());
        let mut reader = self.reader(items);
        for (i, mut row) in added.rows_mut().into_iter().enumerate() {
            let before = reader.before(i);
            // A share too small for a number would have no logarithm.
            let logits = before.mean.iter().map(|m| m.max(f64::MIN_POSITIVE).ln());
            row.iter_mut().zip(logits).zip(items.q.row(i)).for_each(|((a, u), q)| *a = u - q.ln());
            let mean = row.mean().expect("there is a class");
            row -= mean;
            unknown.push(before.variance);
        }
        CarriedOffsets::new(added, unknown)
    }

    /// Whether this map starts from one that was fitted elsewhere.
    pub fn is_on_a_carried_map(&self) -> bool {
        self.layout.carried
    }

    /// The weight of the map that this one starts from, if it starts from one (1 takes it as it was, 0 leaves it out),
    /// and the standard deviation of what is unknown of it by Laplace's approximation at its fitted variance.
    pub fn weight_of_carried(&self) -> Option<(f64, f64)> {
        let first = self.regression.coefficients.len();
        let variance = || self.regression.covariance[first][first].max(0.0);
        let sd = if self.layout.has_weight() { variance().sqrt() } else { 0.0 };
        self.layout.carried.then(|| (self.weight(), sd))
    }

    fn weight(&self) -> f64 {
        1.0 + if self.layout.has_weight() { self.parameters[0] } else { 0.0 }
    }

    /// What of an item the map reads beside its prediction, the features of the trust left out.
    pub fn reads(&self) -> Reads<'_> {
        self.layout.reads()
    }

    /// The means of the beliefs about any items before their labels, items x classes.
    ///
    /// # Panics
    /// If the items have other features or classes than those of the fit.
    pub fn predictions(&self, items: &JudgedItems) -> Array2<f64> {
        let mut means = Array2::zeros(items.q.dim());
        let mut reader = self.reader(items);
        for (i, mut row) in means.rows_mut().into_iter().enumerate() {
            row.iter_mut().zip(&reader.before(i).mean).for_each(|(x, m)| *x = *m);
        }
        means
    }

    /// ln of the trust of any items.
    ///
    /// What is unknown of the map lowers the trust. With m the mean, u its logits, S their covariance by Laplace's
    /// approximation, J = diag(m) - m m^T, and eta = ln lambda normal about its fitted value:
    ///
    /// ```text
    /// var   = tr(J S J)                                        squared error of m that comes from the map
    /// r     = E 1/(1 + lambda)                                 over eta
    /// 1/(1 + trust) = [r (G - var) + var] / G,                 G = 1 - sum m_j^2
    /// ```
    ///
    /// The right side is the expected squared error of m under both, which a Dirichlet distribution of that trust has
    /// too: mean and spread are those of the mixture over maps, its other moments are not.
    ///
    /// # Panics
    /// As [`Self::predictions`].
    pub fn log_trust(&self, items: &JudgedItems) -> Vec<f64> {
        let mut reader = self.reader(items);
        let log = |i: usize| within_limits(reader.before(i).evidence().ln());
        (0..items.len()).map(log).collect()
    }

    /// Posterior beliefs of any items given their label counts: Bayes' rule from the belief before them, so that a mean
    /// moves by what the next label is worth. With them comes [`Self::log_trust`]; each item is read once.
    ///
    /// # Panics
    /// As [`Self::predictions`], or if items and counts differ in shape.
    pub fn posterior(&self, items: &JudgedItems, counts: ArrayView2<u32>) -> (Beliefs, Vec<f64>) {
        assert_eq!(items.q.dim(), counts.dim(), "predictions and counts must have the same shape");
        let mut alpha = Array2::zeros(counts.dim());
        let mut log_trust = Vec::with_capacity(items.len());
        let mut reader = self.reader(items);
        for (i, (mut alpha, counts)) in alpha.rows_mut().into_iter().zip(counts.rows()).enumerate() {
            let before = reader.before(i);
            let evidence = before.evidence();
            let prior = before.mean.iter().map(|m| evidence * m);
            alpha.iter_mut().zip(prior).zip(counts).for_each(|((a, prior), &n)| *a = prior + f64::from(n));
            log_trust.push(within_limits(evidence.ln()));
        }
        (Beliefs::new(alpha), log_trust)
    }

    /// Log-likelihood of item `i`'s labels, in nats without multinomial coefficients.
    pub(super) fn log_likelihood(&self, items: &JudgedItems, counts: ArrayView2<u32>, i: usize) -> f64 {
        ln_likelihood(&self.reader(items).read(i).alpha(), row(counts.index_axis(Axis(0), i)))
    }

    /// This map at the strength s between `stated` (0), which adds nothing to the logits, and itself (1): what it adds
    /// to the logits s times, and of ln lambda and the share of guesses s times its own and 1 - s times those of
    /// `stated`. Which of the two is right counts as unknown, with variance s (1 - s).
    pub(super) fn drawn_back(mut self, s: f64, stated: &Self) -> Self {
        let of_trust = self.regression.coefficients.len();
        let from =
            stated.regression.coefficients.iter().copied().chain(std::iter::repeat_n(0.0, self.parameters.len()));
        let off: Vec<f64> = self.all_parameters().iter().zip(from).map(|(own, from)| own - from).collect();
        let at: Vec<Option<usize>> = (0..off.len()).map(|k| (k < of_trust).then_some(k)).collect();
        self.regression.draw_back_covariance(s, &off, (&stated.regression, &at));
        self.regression.coefficients.iter_mut().zip(&off).for_each(|(own, off)| *own -= (1.0 - s) * off);
        self.parameters.iter_mut().for_each(|parameter| *parameter *= s);
        self.layout.guesses.share = s * self.layout.guesses.share + (1.0 - s) * stated.guesses();
        self
    }

    /// The map that [`Self::drawn_back`] was given, but for its covariance.
    pub(super) fn drawn_out(mut self, s: f64, stated: &Self) -> Self {
        let coefficients = self.regression.coefficients.iter_mut().zip(&stated.regression.coefficients);
        coefficients.for_each(|(own, from)| *own = from + (*own - from) / s);
        self.parameters.iter_mut().for_each(|parameter| *parameter /= s);
        let share = (self.layout.guesses.share - (1.0 - s) * stated.guesses()) / s;
        self.layout.guesses.share = share.clamp(0.0, guesses::MOST);
        self
    }

    /// The coefficients of the trust and the map's parameters behind them.
    pub(super) fn all_parameters(&self) -> Vec<f64> {
        self.regression.coefficients.iter().chain(&self.parameters).copied().collect()
    }

    /// Reads items.
    ///
    /// # Panics
    /// If the items have other features than those of the fit.
    pub(super) fn reader<'a, 'b>(&'a self, items: &'a JudgedItems<'b>) -> MapReader<'a, 'b> {
        let features = items.design.features();
        assert_eq!(features + 1, self.regression.coefficients.len(), "the items must have the features of the fit");
        MapReader {
            map: self,
            items,
            reader: ItemReader::new(&self.layout, items),
            shape: self.layout.shape(features),
            likelihood: self.layout.likelihood(),
            parameters: self.all_parameters(),
            known: HashMap::new(),
            before: vec![],
            own: vec![],
        }
    }
}

/// Reads items as a map has them; what all of them share is worked out once.
pub(super) struct MapReader<'a, 'b> {
    pub(super) map: &'a Map,
    pub(super) items: &'a JudgedItems<'b>,
    pub(super) reader: ItemReader<'a, 'b>,
    pub(super) shape: Shape,
    pub(super) likelihood: DirichletMultinomial,
    pub(super) parameters: Vec<f64>,
    /// By all that is read of an item.
    known: HashMap<Vec<u64>, usize>,
    before: Vec<Before>,
    /// All that is read of the item at hand.
    own: Vec<u64>,
}

impl MapReader<'_, '_> {
    /// What is known of item `i` before its labels, worked out once for items that nothing tells apart: most of a large
    /// table's, whose judge names a class.
    fn before(&mut self, i: usize) -> &Before {
        /// So many are kept.
        const MOST: usize = 32_768;
        self.items.all_of(i, ArrayView1::from(&[]), &mut self.own);
        let known = self.known.get(&self.own).copied();
        let place = known.unwrap_or_else(|| {
            if self.known.len() == MOST {
                self.known.clear();
                self.before.clear();
            }
            let before = self.read(i);
            self.before.push(before);
            self.known.insert(self.own.clone(), self.before.len() - 1);
            self.before.len() - 1
        });
        &self.before[place]
    }

    /// Mean and trust of item `i` have what is unknown of them by Laplace's approximation and the delta method.
    pub(super) fn read(&mut self, i: usize) -> Before {
        let item = self.reader.read(i, vec![]);
        let Self { map, items, shape, likelihood, parameters, .. } = &*self;
        assert_eq!(item.item.base.len(), likelihood.classes, "the items must have the classes of the fit");
        let coordinates = item.coordinates(shape, parameters);
        let carried = items.carried.filter(|_| map.layout.carried).map_or(0.0, |carried| carried.unknown(i));
        let covariance = &map.regression.covariance;
        let (log_trust, mut mean) = likelihood.log_trust_and_mean(&item.item, &coordinates);
        if !likelihood.bent && !map.layout.carried {
            mean = map.layout.guesses.smoothed(items.q.row(i));
        }
        let row = |m: usize| item.row(shape, FIRST_CONTRAST + m);
        let moves: Vec<_> = (0..likelihood.width()).map(|m| (row(m), moved(&mean, m))).collect();
        let mut variance = 0.0;
        for (k, (row, by)) in moves.iter().enumerate() {
            for (l, (other, and)) in moves.iter().enumerate().skip(k) {
                let of_rows = if k == l { quadratic(row, covariance) } else { 2.0 * product(row, covariance, other) };
                variance += dot(by, and) * of_rows;
            }
        }
        let trust = item.row(shape, LOG_TRUST);
        let unknown = variance.max(0.0) + map.weight().powi(2) * carried;
        Before::new(mean, unknown, log_trust, quadratic(&trust, covariance).max(0.0))
    }
}

/// What a step along contrast `m` of the logits does to the mean.
fn moved(mean: &[f64], m: usize) -> Vec<f64> {
    let mut unit = vec![0.0; mean.len() - 1];
    unit[m] = 1.0;
    let mut by = vec![0.0; mean.len()];
    contrasts::add(&unit, &mut by);
    let along = dot(&by, mean);
    by.iter_mut().zip(mean).for_each(|(a, m)| *a = m * (*a - along));
    by
}

/// What is unknown of the map never leaves less evidence than this, in labels.
const LEAST_TRUST: f64 = 1e-3;

/// Nodes and weights that integrate polynomials up to degree 13 against the standard normal density (Gauss and
/// Hermite).
const NORMAL: [(f64, f64); 7] = [
    (-3.750_439_717_725_742, 5.482_688_559_722_18e-4),
    (-2.366_759_410_734_541, 3.075_712_396_758_65e-2),
    (-1.154_405_394_739_968, 2.401_231_786_050_127e-1),
    (0.0, 4.571_428_571_428_571e-1),
    (1.154_405_394_739_968, 2.401_231_786_050_127e-1),
    (2.366_759_410_734_541, 3.075_712_396_758_65e-2),
    (3.750_439_717_725_742, 5.482_688_559_722_18e-4),
];

/// What is known of an item before its labels, and how well.
pub(super) struct Before {
    pub(super) mean: Vec<f64>,
    /// Squared error of the mean that comes from the map.
    pub(super) variance: f64,
    pub(super) log_trust: f64,
    variance_of_log_trust: f64,
}

impl Before {
    pub(super) fn new(mean: Vec<f64>, variance: f64, log_trust: f64, variance_of_log_trust: f64) -> Self {
        Self { variance: variance.min(gini(&mean)), mean, log_trust, variance_of_log_trust }
    }

    /// The evidence by class, with what is unknown of the map taken off.
    pub(super) fn alpha(&self) -> Vec<f64> {
        let evidence = self.evidence();
        self.mean.iter().map(|m| evidence * m).collect()
    }

    /// Evidence of the Dirichlet distribution whose expected squared error is that of the mean over what is unknown of
    /// trust and map, no more than if both were known:
    ///
    /// ```text
    /// G / (evidence + 1) = E [(G - var) / (lambda + 1)] + var
    /// ```
    ///
    /// with G 1 less the sum of squares of the mean, var the squared error that comes from the map, and E over ln
    /// lambda, normal about its fitted value.
    pub(super) fn evidence(&self) -> f64 {
        let (sd, gini) = (self.variance_of_log_trust.sqrt(), gini(&self.mean));
        let unknown = self.variance.min(gini);
        let of = |(node, weight): (f64, f64)| {
            let log_trust = (self.log_trust + sd * node).clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST);
            weight * ((gini - unknown) / (log_trust.exp() + 1.0) + unknown)
        };
        let (error, most) = (NORMAL.into_iter().map(of).sum::<f64>(), self.log_trust.exp());
        // Where nothing is unknown, not a bit of rounding.
        if error > gini / (1.0 + most) * (1.0 + 1e-12) {
            (gini / error - 1.0).clamp(LEAST_TRUST.min(most), most)
        } else {
            most
        }
    }
}

/// 1 less the sum of squares.
fn gini(mean: &[f64]) -> f64 {
    1.0 - mean.iter().map(|m| m * m).sum::<f64>()
}

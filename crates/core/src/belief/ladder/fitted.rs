//! A fitted map, and what it says about any items.

use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::carried::Carried;
use super::contrasts;
use super::layout::{Layout, Reads, Terms};
use super::mixture::{COMPONENTS, own_parameters};
use super::readings::Readings;
use super::rung::Rung;
use super::terms::log_likelihood;
use crate::belief::dirichlet::row;
use crate::belief::dirichlet_multinomial::softmax;
use crate::belief::regression::Regression;
use crate::belief::table::Beliefs;
use crate::belief::unfit::{Unfit, that};

/// The trust is kept within this distance of 0 on the scale of its logarithm.
const LARGEST_LOG_TRUST: f64 = 50.0;
/// What is unknown of the map never leaves less evidence than this, in labels.
const LEAST_TRUST: f64 = 1e-3;

/// Nodes and weights that integrate polynomials up to degree 13 against the standard normal density (Gauss and Hermite).
const NORMAL: [(f64, f64); 7] = [
    (-3.750_439_717_725_742, 5.482_688_559_722_18e-4),
    (-2.366_759_410_734_541, 3.075_712_396_758_65e-2),
    (-1.154_405_394_739_968, 2.401_231_786_050_127e-1),
    (0.0, 4.571_428_571_428_571e-1),
    (1.154_405_394_739_968, 2.401_231_786_050_127e-1),
    (2.366_759_410_734_541, 3.075_712_396_758_65e-2),
    (3.750_439_717_725_742, 5.482_688_559_722_18e-4),
];

/// A fitted map with its trust: plain data, with all that is needed to read items that the fit has not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// The trust, and how the search ended. `names` and `coefficients` are those of beta; `covariance` goes on with the map's
    /// parameters and is the inverse of minus the Hessian of log-likelihood plus log prior at the fitted variances;
    /// `log_likelihood` leaves out multinomial coefficients and priors.
    pub regression: Regression,
    /// The fitted variances, by block.
    pub variances: Vec<Variance>,
    pub(super) layout: Layout,
    /// theta, then V row by row, then those of each component of a mixture.
    pub(super) parameters: Vec<f64>,
    /// Components of a mixture; 0 where the belief is one Dirichlet distribution.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) components: usize,
}

fn is_zero(components: &usize) -> bool {
    *components == 0
}

/// The variance of a block of parameters, as the labels' marginal likelihood has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variance {
    /// What the parameters are for.
    pub block: String,
    /// How many there are.
    pub parameters: usize,
    /// The variance; 0 where the labels want none of them.
    pub variance: f64,
    /// How many of them the labels determine, 0 to all.
    pub determined: f64,
}

/// What is believed of one item before its labels: the Dirichlet distribution Dir(trust * mean).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prior {
    /// The mean, one share per class.
    pub mean: Vec<f64>,
    /// What it counts for, in labels, with what is unknown of the map taken off.
    pub trust: f64,
    /// What it would count for, in labels, were the map known.
    pub trust_of_known_map: f64,
}

/// What is known of an item before its labels, and how well.
pub(super) struct Before {
    pub(super) mean: Vec<f64>,
    /// Squared error of the mean that comes from the map.
    pub(super) variance: f64,
    pub(super) log_trust: f64,
    variance_of_log_trust: f64,
}

/// What is known of it with its labels.
pub(super) struct After {
    pub(super) mean: Vec<f64>,
    /// Expected squared error of the mean over what is unknown of trust and map, summed over the classes.
    error: f64,
    /// The evidence there would be, were trust and map known.
    most: f64,
}

impl Before {
    pub(super) fn new(mean: Vec<f64>, variance: f64, log_trust: f64, variance_of_log_trust: f64) -> Self {
        Self { variance: variance.min(gini(&mean)), mean, log_trust, variance_of_log_trust }
    }

    /// With w(lambda) = lambda / (lambda + n), the weight of the prior mean m against the shares s of n labels, l the fitted trust, and
    /// E over ln lambda, normal about ln l:
    ///
    /// ```text
    /// mean   = w(l) m + (1 - w(l)) s
    /// error  = E [(G - w^2 var) / (lambda + n + 1) + w^2 var + (w - w(l))^2 |m - s|^2]
    /// ```
    ///
    /// G being 1 less the sum of squares of the mean at that lambda. The mean is that of the fitted trust, so that what is unknown
    /// of it does not move the belief: under the identity it is the published one.
    pub(super) fn after(&self, counts: &[u32]) -> After {
        let n = f64::from(counts.iter().sum::<u32>());
        let share = |j: usize| if n > 0.0 { f64::from(counts[j]) / n } else { self.mean[j] };
        let sd = self.variance_of_log_trust.sqrt();
        let weight_of = |trust: f64| trust / (trust + n);
        let mean_at =
            |w: f64| -> Vec<f64> { (0..self.mean.len()).map(|j| w * self.mean[j] + (1.0 - w) * share(j)).collect() };
        let apart: f64 = self.mean.iter().enumerate().map(|(j, m)| (m - share(j)).powi(2)).sum();
        let fitted = self.log_trust.exp();
        let mut error = 0.0;
        for (node, weight) in NORMAL {
            let log_trust = (self.log_trust + sd * node).clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST);
            let trust = log_trust.exp();
            let w = weight_of(trust);
            let gini = gini(&mean_at(w));
            let unknown = (w * w * self.variance).min(gini);
            error +=
                weight * ((gini - unknown) / (trust + n + 1.0) + unknown + (w - weight_of(fitted)).powi(2) * apart);
        }
        After { mean: mean_at(weight_of(fitted)), error, most: fitted + n }
    }

    /// Evidence of the Dirichlet distribution of that mean and error, no more than if all were known.
    pub(super) fn evidence(&self, after: &After) -> f64 {
        let gini = gini(&after.mean);
        let known = gini / (1.0 + after.most);
        // Where nothing is unknown, not a bit of rounding.
        if after.error > known * (1.0 + 1e-12) {
            (gini / after.error - 1.0).clamp(LEAST_TRUST.min(after.most), after.most)
        } else {
            after.most
        }
    }
}

/// 1 less the sum of squares.
fn gini(mean: &[f64]) -> f64 {
    1.0 - mean.iter().map(|m| m * m).sum::<f64>()
}

impl Map {
    /// Which map it is.
    pub fn rung(&self) -> Rung {
        self.layout.rung
    }

    /// The share g of every prediction q that counts as a guess among all K classes, 0 to 1: the map reads (1 - g) q + g / K.
    pub fn guesses(&self) -> f64 {
        self.layout.guesses
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
        let components = if self.rung() == Rung::Mixture { COMPONENTS } else { 0 };
        let found = self.components;
        that(found == components, "components", || format!("are {found} and must be {components}"))?;
        let (found, expected) =
            (self.parameters.len(), self.layout.parameters() + own_parameters(&self.layout, components));
        that(found == expected, "parameters", || format!("are {found} and must be {expected}"))?;
        that(self.parameters.iter().all(|x| x.is_finite()), "parameters", || "are not all finite".to_owned())?;
        self.regression.check(features, features.len() + 1, expected)
    }

    /// Whether the map has terms of each group.
    pub fn is_by_group(&self) -> bool {
        self.layout.is_by_group()
    }

    /// What this map adds to the log predictions of other items, for maps that start from it.
    ///
    /// # Panics
    /// As [`Self::prior`].
    pub fn carry<'a>(&self, readings: impl Into<Readings<'a>>) -> Carried {
        let readings = readings.into();
        let mut added = Array2::zeros(readings.items.q.dim());
        let mut unknown = Vec::with_capacity(readings.len());
        for (i, mut row) in added.rows_mut().into_iter().enumerate() {
            let (logits, variance) = match self.parts(&readings, i) {
                Some(parts) => {
                    // A share too small for a number would have no logarithm.
                    let logits = parts.mean().into_iter().map(|m| m.max(f64::MIN_POSITIVE).ln()).collect();
                    (logits, parts.unknown())
                }
                None => {
                    let terms = self.layout.terms(&readings, i);
                    (self.logits(&readings, i, &terms), self.before(&readings, i).variance)
                }
            };
            row.iter_mut().zip(logits).zip(readings.items.q.row(i)).for_each(|((a, u), q)| *a = u - q.ln());
            let mean = row.mean().expect("there is a class");
            row -= mean;
            unknown.push(variance);
        }
        Carried::new(added, unknown)
    }

    /// Whether this map starts from one that was fitted elsewhere.
    pub fn is_on_a_carried_map(&self) -> bool {
        self.layout.carried
    }

    /// The weight of the map that this one starts from, if it starts from one (1 takes it as it was, 0 leaves it out), and the standard deviation of
    /// what is unknown of it by Laplace's approximation at its fitted variance.
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

    /// What is believed of item `i` of any items before its labels.
    ///
    /// What is unknown of the map lowers the trust. With m the mean, u its logits, S their covariance by Laplace's approximation,
    /// J = diag(m) - m m^T, and eta = ln lambda normal about its fitted value:
    ///
    /// ```text
    /// var   = tr(J S J)                                        squared error of m that comes from the map
    /// r     = E 1/(1 + lambda)                                 over eta
    /// 1/(1 + trust) = [r (G - var) + var] / G,                 G = 1 - sum m_j^2
    /// ```
    ///
    /// The right side is the expected squared error of m under both, which a Dirichlet distribution of that trust has too: mean
    /// and spread are those of the mixture over maps, its other moments are not.
    ///
    /// Of a [`Rung::Mixture`] every component's trust is lowered so, and mean and trust are those of the Dirichlet distribution with the mean and spread
    /// of all of them together. What is unknown of the components' weights is not taken off.
    ///
    /// # Panics
    /// If the items have other features or classes than those of the fit.
    pub fn prior<'a>(&self, readings: impl Into<Readings<'a>>, i: usize) -> Prior {
        let readings = readings.into();
        if let Some(parts) = self.parts(&readings, i) {
            return parts.prior();
        }
        let before = self.before(&readings, i);
        let trust = before.evidence(&before.after(&[]));
        Prior { trust_of_known_map: before.log_trust.exp(), mean: before.mean, trust }
    }

    fn before(&self, readings: &Readings, i: usize) -> Before {
        let terms = self.layout.terms(readings, i);
        let mean = self.mean(readings, i, &terms);
        let z = self.features(readings, i);
        let unknown = readings.carried.filter(|_| self.layout.carried).map_or(0.0, |carried| carried.unknown(i));
        let variance = self.spread_of_mean(&mean, &terms) + self.weight().powi(2) * unknown;
        Before::new(mean, variance, self.regression.log_trust(&z), self.variance_of_log_trust(&z))
    }

    /// The means of the priors of any items, items x classes.
    ///
    /// # Panics
    /// As [`Self::prior`].
    pub fn predictions<'a>(&self, readings: impl Into<Readings<'a>>) -> Array2<f64> {
        let readings = readings.into();
        let mut means = Array2::zeros(readings.items.q.dim());
        for (i, mut row) in means.rows_mut().into_iter().enumerate() {
            let parts = self.parts(&readings, i).map(|parts| parts.mean());
            let mean = parts.unwrap_or_else(|| self.mean(&readings, i, &self.layout.terms(&readings, i)));
            row.iter_mut().zip(mean).for_each(|(x, m)| *x = m);
        }
        means
    }

    /// ln of the trust of any items, what is unknown of the map taken off.
    ///
    /// # Panics
    /// As [`Self::prior`].
    pub fn log_trust<'a>(&self, readings: impl Into<Readings<'a>>) -> Vec<f64> {
        let readings = readings.into();
        (0..readings.len())
            .map(|i| self.prior(readings, i).trust.ln().clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST))
            .collect()
    }

    /// Posterior beliefs of any items given their label counts.
    ///
    /// # Panics
    /// As [`Self::prior`], or if items and counts differ in shape.
    pub fn posterior<'a>(&self, readings: impl Into<Readings<'a>>, counts: ArrayView2<u32>) -> Beliefs {
        let readings = readings.into();
        assert_eq!(readings.items.q.dim(), counts.dim(), "predictions and counts must have the same shape");
        if let Some(mixtures) = self.posterior_mixtures(&readings, counts) {
            return mixtures;
        }
        let mut alpha = Array2::zeros(readings.items.q.dim());
        for (i, mut own) in alpha.rows_mut().into_iter().enumerate() {
            let before = self.before(&readings, i);
            let after = before.after(row(counts.index_axis(Axis(0), i)));
            let evidence = before.evidence(&after);
            own.iter_mut().zip(after.mean).for_each(|(a, mean)| *a = evidence * mean);
        }
        Beliefs::new(alpha)
    }

    /// Log-likelihood of item `i`'s labels, in nats without multinomial coefficients.
    pub(super) fn log_likelihood(&self, readings: &Readings, counts: ArrayView2<u32>, i: usize) -> f64 {
        if let Some(parts) = self.parts(readings, i) {
            return parts.log_likelihood(row(counts.index_axis(Axis(0), i)));
        }
        let prior = self.prior(*readings, i);
        log_likelihood(prior.trust, &prior.mean, row(counts.index_axis(Axis(0), i)))
    }

    fn features<'a>(&self, readings: &Readings<'a>, i: usize) -> Vec<f64> {
        let z = readings.items.features(i);
        assert_eq!(z.len() + 1, self.regression.coefficients.len(), "the items must have the features of the fit");
        z.to_vec()
    }

    fn mean(&self, readings: &Readings, i: usize, terms: &Terms) -> Vec<f64> {
        if self.parameters.is_empty() && !self.layout.carried {
            let q = self.layout.smoothed(readings.items.q.row(i));
            assert_eq!(q.len(), self.layout.classes, "the items must have the classes of the fit");
            return q;
        }
        let mut logits = self.logits(readings, i, terms);
        softmax(&mut logits);
        logits
    }

    /// u.
    fn logits(&self, readings: &Readings, i: usize, terms: &Terms) -> Vec<f64> {
        let classes = self.layout.classes;
        let mut logits = self.layout.base(readings, i);
        assert_eq!(logits.len(), classes, "the items must have the classes of the fit");
        let (theta, v) = self.parameters.split_at(self.layout.vectors());
        for (weight, vector) in theta.iter().zip(terms.vectors.chunks_exact(classes)) {
            logits.iter_mut().zip(vector).for_each(|(u, a)| *u += weight * a);
        }
        if !terms.numbers.is_empty() {
            let contrast: Vec<f64> = v.chunks_exact(terms.numbers.len()).map(|v| dot(v, &terms.numbers)).collect();
            contrasts::add(&contrast, &mut logits);
        }
        logits
    }

    fn variance_of_log_trust(&self, z: &[f64]) -> f64 {
        let weight = |a: usize| if a == 0 { 1.0 } else { z[a - 1] };
        let covariance = &self.regression.covariance;
        let pairs = (0..=z.len()).flat_map(|a| (0..=z.len()).map(move |b| (a, b)));
        pairs.map(|(a, b)| weight(a) * covariance[a][b] * weight(b)).sum::<f64>().max(0.0)
    }

    /// tr(J S J).
    fn spread_of_mean(&self, mean: &[f64], terms: &Terms) -> f64 {
        let (classes, vectors, d) = (self.layout.classes, self.layout.vectors(), terms.numbers.len());
        if self.parameters.is_empty() {
            return 0.0;
        }
        // What moves the logits: the weights of the vectors, and the contrasts V phi.
        let mut moves: Vec<Vec<f64>> = terms.vectors.chunks_exact(classes).map(<[f64]>::to_vec).collect();
        for m in (0..classes - 1).take_while(|_| d > 0) {
            let mut unit = vec![0.0; classes - 1];
            unit[m] = 1.0;
            let mut logits = vec![0.0; classes];
            contrasts::add(&unit, &mut logits);
            moves.push(logits);
        }
        // J times each of them.
        for a in &mut moves {
            let along = dot(mean, a);
            a.iter_mut().zip(mean).for_each(|(a, m)| *a = m * (*a - along));
        }
        let first = self.regression.coefficients.len();
        let covariance = |s: usize, t: usize| {
            let place = |s: usize| {
                if s < vectors { (first + s, None) } else { (first + vectors + (s - vectors) * d, Some(())) }
            };
            match (place(s), place(t)) {
                ((a, None), (b, None)) => self.regression.covariance[a][b],
                ((a, None), (b, Some(()))) => dot(&self.regression.covariance[a][b..b + d], &terms.numbers),
                ((a, Some(())), (b, None)) => dot(&self.regression.covariance[b][a..a + d], &terms.numbers),
                ((a, Some(())), (b, Some(()))) => {
                    let row = |f: usize| dot(&self.regression.covariance[a + f][b..b + d], &terms.numbers);
                    terms.numbers.iter().enumerate().filter(|(_, x)| **x != 0.0).map(|(f, x)| x * row(f)).sum()
                }
            }
        };
        let mut sum = 0.0;
        for s in 0..moves.len() {
            for t in s..moves.len() {
                let both = dot(&moves[s], &moves[t]);
                if both != 0.0 {
                    sum += if s == t { 1.0 } else { 2.0 } * both * covariance(s, t);
                }
            }
        }
        sum.max(0.0)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

//! The trust regression for real-valued labels: how many labels a judge's rating is worth.

use std::ops::RangeInclusive;

use ndarray::Array2;
use serde::Serialize;
use thiserror::Error;

use super::design::Design;
use super::gaussian::{Gaussian, Scores};
use super::newton::{Curvature, Objective, Point, maximise, mirror};
use super::prior::TrustPrior;
use super::profile::Profile;
use super::regression::{LARGEST_MOVE, Regression, coefficient_names, linear};
use crate::stats::gamma::ln_gamma_ratio;
use crate::stats::population_sd;
use crate::stats::psi::{digamma_excess, trigamma};

/// The likelihood treats nu - 2 as if it stopped at these values: below, the variance is as good as unbounded; above, as
/// good as known.
const FREEDOM_BEYOND_TWO: RangeInclusive<f64> = 1e-3..=1e6;
/// The search starts from nu = 6.
const START_FREEDOM_BEYOND_TWO: f64 = 4.0;

/// What a judge says about the ratings of every item.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeScores {
    /// Expected mean mu of the pool's ratings, in units of the rating.
    pub mean: Vec<f64>,
    /// Expected variance s0^2 of the pool's ratings; `None` where the judge states none, and a common one is fitted.
    pub variance: Vec<Option<f64>>,
}

/// Why a fit of real-valued labels is refused.
#[derive(Debug, Error, PartialEq)]
pub enum GaussianError {
    /// No item has a label.
    #[error("no item has a label, so there is nothing to learn the trust from: collect labels for some items first")]
    NoLabels,
    /// Tables of different sizes.
    #[error("features, judge and labels must describe the same items: {detail}")]
    Shape {
        /// What differs.
        detail: String,
    },
    /// A number that the likelihood has no use for.
    #[error("the {what} of item {item} (counted from 0) is {value}: give a finite number{}", if *what == "judge's variance" { " above 0, or none" } else { "" })]
    Value {
        /// Which number.
        what: &'static str,
        /// The item's position.
        item: usize,
        /// The value.
        value: f64,
    },
}

/// A fitted regression of the trust in a judge's ratings.
///
/// As for categorical labels ([`super::TrustFit`]), a direction that the labels say nothing about keeps its start and is
/// named in the regression's `unidentified`, a nu that rises without bound among them. Where the trust does, the likelihood becomes flat: the
/// search ends on the plateau, with a standard error that says so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GaussianFit {
    /// The coefficients and all that the search says about them: "intercept", the features, "ln(nu - 2)" and, if some judge's
    /// variance is missing, "ln s0^2". `gradient_norm` is along directions with curvature.
    #[serde(flatten)]
    pub regression: Regression,
    /// nu, the degrees of freedom of every item's variance before its labels.
    pub freedom: f64,
    /// s0^2 of the items whose judge states no variance, if there are any.
    pub common_variance: Option<f64>,
    features: usize,
}

impl GaussianFit {
    /// Trust lambda of every item of a design, in labels; its logarithm is kept within +-50.
    ///
    /// # Panics
    /// If the design has another number of features.
    pub fn trust(&self, design: &Design) -> Vec<f64> {
        assert_eq!(design.features(), self.features, "the design must have the features of the fit");
        (0..design.items()).map(|i| self.regression.log_trust(design.row(i)).exp()).collect()
    }

    /// The belief about every item before its labels.
    ///
    /// # Panics
    /// If the design has other features, or the judge other items.
    pub fn priors(&self, design: &Design, judge: &JudgeScores) -> Vec<Gaussian> {
        let trust = self.trust(design);
        assert_eq!(trust.len(), judge.mean.len(), "one judge's rating per item");
        trust
            .into_iter()
            .zip(judge.mean.iter().zip(&judge.variance))
            .map(|(evidence, (&mean, &variance))| Gaussian {
                mean,
                evidence,
                freedom: self.freedom,
                scale: variance
                    .or(self.common_variance)
                    .expect("a common variance is fitted when a judge's variance is missing"),
            })
            .collect()
    }
}

/// Fits trust and nu by the marginal likelihood of the labels, a product of Student t densities.
///
/// ```text
/// log lambda_x = beta_0 + beta^T z_x
/// L = sum over items with n_x >= 1 of
///     lnG((nu + n)/2) - lnG(nu/2) + (nu/2) ln A - ((nu + n)/2) ln B - (n/2) ln pi + (1/2) ln(lambda / (lambda + n))
/// A = nu s0^2        B = A + SS + lambda n/(lambda + n) (ybar - mu)^2
/// ```
///
/// with z the item's features, mu and s0^2 the judge's mean and variance, n, ybar and SS the labels' number, mean and
/// scatter. One nu > 2 holds for all items, so that the expected variance exists for items without labels too; items whose
/// judge states no variance share a fitted one. Gradient and Hessian are exact; Newton's method with a backtracking line
/// search. Source: the marginal likelihood of the normal-inverse-gamma prior, Murphy (2007), "Conjugate
/// Bayesian analysis of the Gaussian distribution".
///
/// # Errors
/// No labels at all, tables of different lengths, or numbers that are not finite (a variance not above 0).
///
/// ```
/// use judge_uncertainty_core::belief::{Belief, Design, Gaussian, JudgeScores, Scores, fit_gaussian};
///
/// // What the judge expects of four items, with a variance for each; three of them have labels.
/// let judge = JudgeScores { mean: vec![2.0, 3.5, 4.0, 1.0], variance: vec![Some(0.5); 4] };
/// let labels = [&[2.5, 1.0, 2.0][..], &[3.0, 4.5], &[5.5, 4.0, 5.0], &[]].map(Scores::of);
///
/// let design = Design::constant(4);
/// let fit = fit_gaussian(&design, &judge, &labels)?;
/// assert!(fit.regression.converged);
/// let priors = fit.priors(&design, &judge);
/// let beliefs: Vec<Gaussian> = priors.iter().zip(&labels).map(|(prior, labels)| prior.updated(labels)).collect();
/// // Where there is no label, more is to be learned.
/// assert!(beliefs[3].epistemic() > beliefs[0].epistemic());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_gaussian(design: &Design, judge: &JudgeScores, labels: &[Scores]) -> Result<GaussianFit, GaussianError> {
    fit_gaussian_under(design, judge, labels, TrustPrior::None)
}

/// [`fit_gaussian`] with a prior: what is maximised is the log-likelihood plus the log density of [`TrustPrior`]. Where there is
/// no label, the fit is the prior, a common variance that of the judge's own scores over the items.
///
/// # Errors
/// As [`fit_gaussian`]; with a prior, labels are not needed.
pub fn fit_gaussian_under(
    design: &Design,
    judge: &JudgeScores,
    labels: &[Scores],
    prior: TrustPrior,
) -> Result<GaussianFit, GaussianError> {
    let mut likelihood = Likelihood::new(design, judge, labels, prior)?;
    let mut names = coefficient_names(design);
    let freedom_at = names.len();
    names.push("ln(nu - 2)".to_owned());
    let mut start = vec![0.0; names.len()];
    start[..freedom_at].copy_from_slice(&design.centre());
    start[freedom_at] = START_FREEDOM_BEYOND_TWO.ln();
    if likelihood.common {
        names.push("ln s0^2".to_owned());
        start.push(likelihood.start_variance().ln());
    }
    let maximum = maximise(&mut likelihood, start);
    let freedom_coefficient = maximum.parameters[freedom_at];
    let common_variance = likelihood.common.then(|| maximum.parameters[names.len() - 1].exp());
    let labelled = likelihood.items.len();
    let regression = match &likelihood.prior {
        Some(prior) => {
            let log_prior = prior.log_density(&maximum.parameters);
            Regression::of_posterior(names, maximum, labelled, (&prior.sds, log_prior))
        }
        None => Regression::of_likelihood(names, maximum, labelled),
    };
    Ok(GaussianFit {
        freedom: freedom(freedom_coefficient).nu,
        common_variance,
        features: design.features(),
        regression,
    })
}

/// The profile of the posterior along ln lambda of an item with average features, under the fit that [`fit_gaussian_under`] found with
/// the same arguments; `None` without a prior.
///
/// # Errors
/// As [`fit_gaussian`].
pub fn typical_log_trust(
    design: &Design,
    judge: &JudgeScores,
    labels: &[Scores],
    prior: TrustPrior,
    fit: &GaussianFit,
) -> Result<Option<Profile>, GaussianError> {
    let likelihood = Likelihood::new(design, judge, labels, prior)?;
    let sd = fit.regression.standard_errors()[0];
    let of = |prior: &NormalPrior| Profile::of_first(&likelihood, &fit.regression.coefficients, sd, prior.sds[0]);
    Ok(likelihood.prior.as_ref().map(of))
}

/// Independent normal priors on the parameters of a fit.
struct NormalPrior {
    means: Vec<f64>,
    sds: Vec<f64>,
}

impl NormalPrior {
    /// Up to a constant.
    fn log_density(&self, parameters: &[f64]) -> f64 {
        let of = |((x, mean), sd): ((&f64, &f64), &f64)| -0.5 * ((x - mean) / sd).powi(2);
        parameters.iter().zip(&self.means).zip(&self.sds).map(of).sum()
    }

    fn add(&self, parameters: &[f64], point: &mut Point) {
        point.value += self.log_density(parameters);
        for (k, (mean, sd)) in self.means.iter().zip(&self.sds).enumerate() {
            point.gradient[k] -= (parameters[k] - mean) / (sd * sd);
            point.hessian[[k, k]] -= 1.0 / (sd * sd);
        }
    }
}

/// nu as a function of its coefficient u = ln(nu - 2).
struct Freedom {
    nu: f64,
    /// d nu / du; 0 beyond the limits.
    slope: f64,
}

fn freedom(u: f64) -> Freedom {
    let beyond = u.exp();
    let inside = FREEDOM_BEYOND_TWO.contains(&beyond);
    let held = beyond.clamp(*FREEDOM_BEYOND_TWO.start(), *FREEDOM_BEYOND_TWO.end());
    Freedom { nu: 2.0 + held, slope: if inside { beyond } else { 0.0 } }
}

/// A labelled item.
struct Item {
    z: Vec<f64>,
    judge_mean: f64,
    judge_variance: Option<f64>,
    labels: Scores,
}

struct Likelihood {
    items: Vec<Item>,
    features: usize,
    /// Whether some item of the study, labelled or not, needs the common variance.
    common: bool,
    /// Variance of the judge's means over all items, 1 where they are all alike: a scale where there are no labels.
    judged_variance: f64,
    prior: Option<NormalPrior>,
}

/// Position of ln lambda among the parameters in which an item's log-likelihood is differentiated.
const LOG_TRUST: usize = 0;
/// Position of nu.
const FREEDOM: usize = 1;
/// Position of ln s0^2.
const LOG_SCALE: usize = 2;

/// One item's log-likelihood with its derivatives in its own parameters, by their positions.
struct Terms {
    value: f64,
    first: [f64; 3],
    second: [[f64; 3]; 3],
}

impl Likelihood {
    fn new(design: &Design, judge: &JudgeScores, labels: &[Scores], prior: TrustPrior) -> Result<Self, GaussianError> {
        let same = judge.mean.len() == labels.len()
            && judge.variance.len() == labels.len()
            && (design.features() == 0 || design.items() == labels.len());
        if !same {
            return Err(GaussianError::Shape {
                detail: format!(
                    "{} items with features, {} judge's means, {} judge's variances, {} items with labels",
                    design.items(),
                    judge.mean.len(),
                    judge.variance.len(),
                    labels.len()
                ),
            });
        }
        let mut items = vec![];
        for (i, scores) in labels.iter().enumerate() {
            let wrong = |what, value| GaussianError::Value { what, item: i, value };
            let (mean, variance) = (judge.mean[i], judge.variance[i]);
            if !mean.is_finite() {
                return Err(wrong("judge's mean", mean));
            }
            if let Some(value) = variance.filter(|v| !(v.is_finite() && *v > 0.0)) {
                return Err(wrong("judge's variance", value));
            }
            if !(scores.mean.is_finite() && scores.squares.is_finite()) {
                return Err(wrong("labels' mean", scores.mean));
            }
            if scores.n > 0 {
                items.push(Item {
                    z: design.row(i).to_vec(),
                    judge_mean: mean,
                    judge_variance: variance,
                    labels: *scores,
                });
            }
        }
        if items.is_empty() && prior == TrustPrior::None {
            return Err(GaussianError::NoLabels);
        }
        let common = judge.variance.iter().any(Option::is_none);
        let judged = population_sd(&judge.mean).powi(2);
        let judged_variance = if judged > 0.0 { judged } else { 1.0 };
        let mut this = Self { items, features: design.features(), common, judged_variance, prior: None };
        this.prior = (prior == TrustPrior::Weak).then(|| this.weak_prior(design.centre()));
        Ok(this)
    }

    /// `means` are those of the trust's coefficients.
    fn weak_prior(&self, mut means: Vec<f64>) -> NormalPrior {
        let mut sds = vec![TrustPrior::SLOPE_SD; self.features + 1];
        sds[0] = TrustPrior::LOG_TRUST_SD;
        means.push(START_FREEDOM_BEYOND_TWO.ln());
        sds.push(TrustPrior::LOG_FREEDOM_SD);
        if self.common {
            means.push(self.start_variance().ln());
            sds.push(TrustPrior::LOG_SCALE_SD);
        }
        NormalPrior { means, sds }
    }

    fn total_labels(&self) -> f64 {
        self.items.iter().map(|i| f64::from(i.labels.n)).sum()
    }

    /// Where the search for the common variance starts: the labels' scatter about the judge's means.
    fn start_variance(&self) -> f64 {
        if self.items.is_empty() {
            return self.judged_variance;
        }
        let off = |i: &Item| i.labels.mean - i.judge_mean;
        let squares: f64 = self.items.iter().map(|i| i.labels.squares + f64::from(i.labels.n) * off(i) * off(i)).sum();
        let variance = squares / self.total_labels();
        // Labels that all equal the judge's means leave no scale; any will do.
        if variance > 0.0 { variance } else { 1.0 }
    }
}

impl Objective for Likelihood {
    fn at(&self, coefficients: &[f64]) -> Point {
        let d = self.features;
        let p = coefficients.len();
        let Freedom { nu, slope: nu_slope } = freedom(coefficients[d + 1]);
        let common = self.common.then(|| coefficients[p - 1].exp());
        let (mut value, mut gradient, mut hessian) = (0.0, vec![0.0; p], Array2::<f64>::zeros((p, p)));
        for item in &self.items {
            let trust = linear(&coefficients[..=d], &item.z).exp();
            // Every item has its own variance or the common one, which is fitted as soon as one item lacks its own.
            let scale = item.judge_variance.or(common).unwrap_or(f64::NAN);
            let terms = item_terms(trust, nu, scale, &item.labels, item.judge_mean);
            value += terms.value;
            // Which of the item's own parameters a coefficient moves, and how fast.
            let scale_slope = if item.judge_variance.is_none() { 1.0 } else { 0.0 };
            let of = |a: usize| -> (usize, f64) {
                match a {
                    0 => (LOG_TRUST, 1.0),
                    a if a <= d => (LOG_TRUST, item.z[a - 1]),
                    a if a == d + 1 => (FREEDOM, nu_slope),
                    _ => (LOG_SCALE, scale_slope),
                }
            };
            for a in 0..p {
                let (i, da) = of(a);
                gradient[a] += terms.first[i] * da;
                for b in a..p {
                    let (j, db) = of(b);
                    hessian[[a, b]] += terms.second[i][j] * da * db;
                }
            }
            // d^2 nu / du^2 = d nu / du.
            hessian[[d + 1, d + 1]] += terms.first[FREEDOM] * nu_slope;
        }
        mirror(&mut hessian);
        let mut point = Point { value, gradient, hessian, at_limit: 0 };
        if let Some(prior) = &self.prior {
            prior.add(coefficients, &mut point);
        }
        point
    }

    fn tolerance(&self) -> f64 {
        1e-11 * self.total_labels().max(100.0)
    }

    /// No item's log trust and no other coefficient moves too far.
    fn shorten(&self, step: &mut [f64]) {
        let trusts = self.items.iter().map(|i| linear(step, &i.z).abs());
        let reach = trusts.chain(step[self.features + 1..].iter().map(|s| s.abs())).fold(0.0, f64::max);
        if reach > LARGEST_MOVE {
            step.iter_mut().for_each(|s| *s *= LARGEST_MOVE / reach);
        }
    }

    /// Directions without curvature don't count: a nu that rises without bound keeps a slope for ever.
    fn size(&self, point: &Point, curvature: &Curvature) -> f64 {
        curvature.identified_norm(&point.gradient)
    }
}

/// Log marginal likelihood of one item's labels with its first two derivatives.
///
/// Differences of nearly equal numbers are avoided, so that derivatives keep their digits as lambda or nu rises.
fn item_terms(trust: f64, nu: f64, scale: f64, labels: &Scores, judge_mean: f64) -> Terms {
    let n = f64::from(labels.n);
    let off = (labels.mean - judge_mean).powi(2);
    let q = n / (trust + n);
    let h = trust * q;
    let a = nu * scale;
    // C = B - A, the scatter of the labels.
    let c = labels.squares + h * off;
    let b = a + c;
    let half = 0.5 * (nu + n);
    // First and second derivative of C in ln lambda.
    let (c1, c2) = (h * q * off, h * q * (2.0 * q - 1.0) * off);
    let ln_b_over_a = (c / a).ln_1p();

    let value = ln_gamma_ratio(0.5 * nu, 0.5 * n)
        - 0.5 * nu * ln_b_over_a
        - 0.5 * n * (b.ln() + std::f64::consts::PI.ln())
        - 0.5 * (n / trust).ln_1p();

    // psi(x + n/2) - psi(x) = ln(1 + n/nu) + e(x + n/2) - e(x), with e(x) = psi(x) - ln x = excess - 1/x.
    let (x, y) = (0.5 * nu, half);
    let psi_difference = (n / nu).ln_1p() + (digamma_excess(y) - 1.0 / y) - (digamma_excess(x) - 1.0 / x);
    let by_nu = 0.5 * (psi_difference - ln_b_over_a + (c - n * scale) / b);
    let s = scale / b;
    let mut first = [0.0; 3];
    first[LOG_TRUST] = 0.5 * q - half * c1 / b;
    first[FREEDOM] = by_nu;
    first[LOG_SCALE] = 0.5 * nu - half * a / b;

    let trust_trust = -0.5 * q * (1.0 - q) - half * (c2 / b - (c1 / b).powi(2));
    let trust_nu = -0.5 * c1 / b + half * c1 / b * s;
    let trust_scale = half * c1 / b * (a / b);
    let nu_nu = 0.25 * (trigamma(y) - trigamma(x)) + 0.5 * (1.0 / nu - 2.0 * s + (nu + n) * s * s);
    let nu_scale = 0.5 * (1.0 - a / b) - half * s * (1.0 - a / b);
    let scale_scale = -half * (a / b) * (c / b);
    let mut second = [[0.0; 3]; 3];
    let entries = [
        (LOG_TRUST, LOG_TRUST, trust_trust),
        (LOG_TRUST, FREEDOM, trust_nu),
        (LOG_TRUST, LOG_SCALE, trust_scale),
        (FREEDOM, FREEDOM, nu_nu),
        (FREEDOM, LOG_SCALE, nu_scale),
        (LOG_SCALE, LOG_SCALE, scale_scale),
    ];
    for (i, j, entry) in entries {
        second[i][j] = entry;
        second[j][i] = entry;
    }
    Terms { value, first, second }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::Belief;
    use crate::belief::design::FeatureColumn;
    use crate::random::Stream;

    /// Items whose labels follow the model with trust exp(1 + 0.5 z), nu and a judge's variance that may be withheld.
    struct Simulated {
        columns: Vec<FeatureColumn>,
        judge: JudgeScores,
        labels: Vec<Scores>,
        /// True mean and variance of every pool.
        pools: Vec<(f64, f64)>,
        fresh: Vec<f64>,
    }

    fn simulated(items: usize, nu: f64, seed: u64) -> Simulated {
        let mut stream = Stream::new(seed);
        let mut s = Simulated {
            columns: vec![],
            judge: JudgeScores { mean: vec![], variance: vec![] },
            labels: vec![],
            pools: vec![],
            fresh: vec![],
        };
        let mut zs = vec![];
        for _ in 0..items {
            let z = stream.standard_normal();
            let (judge_mean, judge_variance) = (3.0 + stream.standard_normal(), 0.2 + stream.random());
            // s^2 = nu s0^2 / chi-squared(nu), and chi-squared(nu) is twice a gamma draw of shape nu/2.
            let variance = nu * judge_variance / (2.0 * stream.gamma(0.5 * nu));
            let mean = judge_mean + (variance / (1.0 + 0.5 * z).exp()).sqrt() * stream.standard_normal();
            let n = stream.choice(7) as usize;
            let draws: Vec<f64> = (0..=n).map(|_| mean + variance.sqrt() * stream.standard_normal()).collect();
            zs.push(z);
            s.judge.mean.push(judge_mean);
            s.judge.variance.push(Some(judge_variance));
            s.labels.push(Scores::of(&draws[1..]));
            s.fresh.push(draws[0]);
            s.pools.push((mean, variance));
        }
        s.columns.push(FeatureColumn::complete("z", zs));
        s
    }

    /// Largest distance between the distribution of values in 0..1 and the uniform one, times the root of their number.
    fn kolmogorov(mut values: Vec<f64>) -> f64 {
        values.sort_by(f64::total_cmp);
        let n = values.len() as f64;
        let gap = |(i, u): (usize, &f64)| (u - i as f64 / n).abs().max(((i + 1) as f64 / n - u).abs());
        values.iter().enumerate().map(gap).fold(0.0, f64::max) * n.sqrt()
    }

    #[test]
    fn derivatives_match_differences() {
        let mut s = simulated(40, 6.0, 3);
        s.judge.variance.iter_mut().step_by(3).for_each(|v| *v = None);
        let likelihood =
            Likelihood::new(&Design::raw(&s.columns).unwrap(), &s.judge, &s.labels, TrustPrior::None).unwrap();
        for at in [[0.7, -0.4, 1.1, -0.3], [3.0, 0.9, -2.0, 0.8]] {
            let point = likelihood.at(&at);
            let step = 1e-5;
            for a in 0..4 {
                let shifted = |sign: f64| {
                    let mut there = at;
                    there[a] += sign * step;
                    likelihood.at(&there)
                };
                let (up, down) = (shifted(1.0), shifted(-1.0));
                let slope = (up.value - down.value) / (2.0 * step);
                assert!((slope - point.gradient[a]).abs() < 1e-6 * (1.0 + slope.abs()), "gradient {a}: {slope}");
                for b in 0..4 {
                    let bend = (up.gradient[b] - down.gradient[b]) / (2.0 * step);
                    assert!((bend - point.hessian[[a, b]]).abs() < 1e-6 * (1.0 + bend.abs()), "Hessian {a} {b}");
                }
            }
        }
    }

    /// The prior of the mean and variance integrated out on a grid: the trapezoid rule is exact to many digits for
    /// integrands that vanish with all derivatives at both ends.
    #[test]
    fn likelihood_and_moments_match_numerical_integration() {
        let (prior, labels) = (Gaussian { mean: 3.0, evidence: 1.7, freedom: 5.0, scale: 0.8 }, [3.9, 2.2, 4.4]);
        let ln_gamma_half_nu = ln_gamma_ratio(0.5, 2.0) + 0.5 * std::f64::consts::PI.ln();
        let normal = |x: f64, m: f64, v: f64| -0.5 * (std::f64::consts::TAU * v).ln() - 0.5 * (x - m) * (x - m) / v;
        let (mut mass, mut mean, mut square, mut variance) = (0.0, 0.0, 0.0, 0.0);
        for i in -1200..=1200 {
            let ln_s2 = 0.01 * f64::from(i);
            let s2 = ln_s2.exp();
            let (shape, rate) = (0.5 * prior.freedom, 0.5 * prior.freedom * prior.scale);
            // Density of ln s^2: that of s^2 times s^2.
            let ln_prior = shape * rate.ln() - ln_gamma_half_nu - shape * ln_s2 - rate / s2;
            let width = (s2 / prior.evidence).sqrt();
            for j in -400..=400 {
                let m = prior.mean + 0.025 * f64::from(j) * width;
                let ln_density = ln_prior
                    + normal(m, prior.mean, s2 / prior.evidence)
                    + labels.iter().map(|y| normal(*y, m, s2)).sum::<f64>();
                let cell = ln_density.exp() * 0.01 * 0.025 * width;
                mass += cell;
                mean += cell * m;
                square += cell * m * m;
                variance += cell * s2;
            }
        }
        let scores = Scores::of(&labels);
        let value = item_terms(prior.evidence, prior.freedom, prior.scale, &scores, prior.mean).value;
        assert!((value - mass.ln()).abs() < 1e-9, "{value} against {}", mass.ln());
        let posterior = prior.updated(&scores);
        let (mean, square, variance) = (mean / mass, square / mass, variance / mass);
        assert!((posterior.mean - mean).abs() < 1e-9);
        assert!((posterior.aleatoric() - variance).abs() < 1e-6, "{} against {variance}", posterior.aleatoric());
        assert!((posterior.epistemic() - (square - mean * mean)).abs() < 1e-6);
    }

    /// Var(m) averaged over the fresh label's own distribution, on a grid of its quantiles.
    #[test]
    fn label_value_is_the_expected_fall_of_the_epistemic_part() {
        let belief = Gaussian { mean: -1.0, evidence: 2.5, freedom: 9.0, scale: 1.3 };
        let (mut after, mut before, mut cells) = (0.0, 0.0, 0);
        let width = 0.002;
        for i in -40_000..40_000 {
            let y = belief.mean + width * (f64::from(i) + 0.5);
            let mass = belief.label_cdf(y + 0.5 * width) - belief.label_cdf(y - 0.5 * width);
            after += mass * belief.updated(&Scores::of(&[y])).epistemic();
            before += mass * (y - belief.mean).powi(2);
            cells += 1;
        }
        assert_eq!(cells, 80_000);
        assert!((before / belief.total() - 1.0).abs() < 1e-4, "{before} against {}", belief.total());
        assert!((belief.epistemic() - after - belief.label_value()).abs() < 1e-5, "{after}");
    }

    #[test]
    fn recovers_trust_freedom_and_variance_with_calibrated_beliefs() {
        let s = simulated(12_000, 6.0, 11);
        let design = Design::raw(&s.columns).unwrap();
        let fit = fit_gaussian(&design, &s.judge, &s.labels).unwrap();
        assert!(
            fit.regression.converged && fit.regression.unidentified.is_empty() && fit.regression.iterations < 20,
            "{fit:?}"
        );
        assert_eq!((fit.regression.rank, fit.regression.names.len()), (3, 3));
        for (k, truth) in [1.0, 0.5, 4.0_f64.ln()].into_iter().enumerate() {
            let (error, se) = (fit.regression.coefficients[k] - truth, fit.regression.standard_errors()[k]);
            assert!(
                error.abs() < 4.0 * se && se < 0.1,
                "{}: {error} with standard error {se}",
                fit.regression.names[k]
            );
        }
        let beliefs: Vec<Gaussian> =
            fit.priors(&design, &s.judge).iter().zip(&s.labels).map(|(prior, l)| prior.updated(l)).collect();
        // 1.63 is exceeded by one in a hundred samples of uniform draws.
        let fresh = kolmogorov(beliefs.iter().zip(&s.fresh).map(|(b, y)| b.label_cdf(*y)).collect());
        let means = kolmogorov(beliefs.iter().zip(&s.pools).map(|(b, p)| b.mean_cdf(p.0)).collect());
        assert!(fresh < 1.63 && means < 1.63, "{fresh} {means}");
        let average = |f: &dyn Fn(usize) -> f64| (0..beliefs.len()).map(f).sum::<f64>() / beliefs.len() as f64;
        let aleatoric = average(&|i| beliefs[i].aleatoric()) / average(&|i| s.pools[i].1);
        let error = average(&|i| (beliefs[i].mean - s.pools[i].0).powi(2));
        assert!((aleatoric - 1.0).abs() < 0.03, "{aleatoric}");
        assert!((average(&|i| beliefs[i].epistemic()) / error - 1.0).abs() < 0.05, "{error}");
    }

    /// Trust and a common variance are told apart by items with several labels.
    #[test]
    fn a_variance_that_the_judge_does_not_state_is_fitted() {
        let mut stream = Stream::new(29);
        let (mut mean, mut labels) = (vec![], vec![]);
        for _ in 0..6000 {
            let judge = 10.0 * stream.random();
            let variance = 8.0 * 0.5 / (2.0 * stream.gamma(4.0));
            let m = judge + (variance / 3.0).sqrt() * stream.standard_normal();
            mean.push(judge);
            labels.push(Scores::of(&[0; 4].map(|_| m + variance.sqrt() * stream.standard_normal())));
        }
        let judge = JudgeScores { variance: vec![None; mean.len()], mean };
        let fit = fit_gaussian(&Design::raw(&[]).unwrap(), &judge, &labels).unwrap();
        assert!(fit.regression.converged && fit.regression.names == ["intercept", "ln(nu - 2)", "ln s0^2"], "{fit:?}");
        for (k, truth) in [3.0_f64.ln(), 6.0_f64.ln(), 0.5_f64.ln()].into_iter().enumerate() {
            let (error, se) = (fit.regression.coefficients[k] - truth, fit.regression.standard_errors()[k]);
            assert!(
                error.abs() < 4.0 * se && se < 0.15,
                "{}: {error} with standard error {se}",
                fit.regression.names[k]
            );
        }
        assert!((fit.common_variance.unwrap() / 0.5 - 1.0).abs() < 0.05);
    }

    /// Repeats by annotators with opinions of their own: within and between are told apart, and labels are not counted
    /// twice.
    #[test]
    fn repeats_split_the_aleatoric_part() {
        use crate::belief::gaussian::Repeats;
        let mut stream = Stream::new(5);
        let (sigma2, tau2) = (0.4_f64, 0.9_f64);
        let mut ratings: Vec<Vec<Vec<f64>>> = vec![];
        for _ in 0..4000 {
            let m = stream.standard_normal();
            let rated = (0..3).map(|a| {
                let opinion = m + tau2.sqrt() * stream.standard_normal();
                (0..=a % 2).map(|_| opinion + sigma2.sqrt() * stream.standard_normal()).collect()
            });
            ratings.push(rated.collect());
        }
        let repeats = Repeats::pooled(ratings.iter().flatten().map(Vec::as_slice)).unwrap();
        assert_eq!(repeats.degrees, 4000);
        assert!((repeats.variance - sigma2).abs() < 4.0 * sigma2 * (2.0 / 4000.0_f64).sqrt(), "{repeats:?}");
        let scores = |r: &Vec<Vec<f64>>| Scores::by_annotator(r.iter().map(Vec::as_slice), Some(repeats.variance));
        let labels: Vec<Scores> = ratings.iter().map(scores).collect();
        assert!(labels.iter().all(|l| l.n == 3));
        let single: f64 = labels.iter().map(|l| l.squares / 2.0).sum::<f64>() / 4000.0;
        assert!((single - (sigma2 + tau2)).abs() < 0.06, "{single}");
        let (within, between) = repeats.split(single);
        assert!((within - sigma2).abs() < 0.05 && (between - tau2).abs() < 0.08, "{within} {between}");
    }

    /// Labels that equal the judge's means: the likelihood rises with the trust for ever and becomes flat.
    #[test]
    fn agreement_beyond_chance_ends_on_the_plateau() {
        let judge = JudgeScores { mean: vec![1.0, 2.0, 3.0], variance: vec![Some(1.0); 3] };
        let labels = [[0.0, 2.0], [1.0, 3.0], [2.0, 4.0]].map(|y| Scores::of(&y));
        let fit = fit_gaussian(&Design::raw(&[]).unwrap(), &judge, &labels).unwrap();
        assert!(
            fit.regression.coefficients.iter().all(|b| b.is_finite()) && fit.regression.coefficients[0] > 1e4_f64.ln(),
            "{fit:?}"
        );
        assert!(
            fit.regression.converged
                && fit.regression.unidentified == ["ln(nu - 2)"]
                && fit.regression.standard_errors()[0] > 1e3,
            "{fit:?}"
        );
    }

    #[test]
    fn unusable_input_is_refused() {
        let design = Design::raw(&[]).unwrap();
        let judge = JudgeScores { mean: vec![1.0, 2.0], variance: vec![Some(1.0), None] };
        let fit = |judge: &JudgeScores, labels: &[Scores]| fit_gaussian(&design, judge, labels).unwrap_err();
        assert_eq!(fit(&judge, &[Scores::default(); 2]), GaussianError::NoLabels);
        assert!(matches!(fit(&judge, &[Scores::of(&[1.0])]), GaussianError::Shape { .. }));
        let flat = JudgeScores { variance: vec![Some(0.0), None], ..judge.clone() };
        assert!(fit(&flat, &[Scores::of(&[1.0]); 2]).to_string().contains("judge's variance of item 0"));
        let nan = JudgeScores { mean: vec![1.0, f64::NAN], ..judge };
        assert!(matches!(fit(&nan, &[Scores::of(&[1.0]); 2]), GaussianError::Value { item: 1, .. }));
    }
}

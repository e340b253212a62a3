//! The recalibrated belief: a temperature and biases of the judge's prediction with fixed variances, fitted together
//! with the trust.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::contrasts;
use super::objective::{Coordinates, ItemTerms, LOG_TEMPERATURE, LOG_TRUST, Move, Posterior};
use crate::belief::dirichlet::row;
use crate::belief::dirichlet_multinomial::{ln_likelihood, softmax};
use crate::belief::judged::JudgedItems;
use crate::belief::newton::Objective;
use crate::belief::profile::TrustProfile;
use crate::belief::regression::{Regression, coefficient_names};
use crate::belief::table::Beliefs;
use crate::belief::truncated::maximise;
use crate::belief::trust::TrustError;

/// Which items share one recalibration of the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recalibration {
    /// The prediction is taken as the judge gave it, as in the paper; only the trust is fitted.
    Off,
    /// One tau and one set of biases for all items.
    Shared,
    /// One tau and one set of biases for each group of [`JudgedItems::groups`].
    ByGroup,
}

/// What is believed before any label: independent normal priors, weak enough that some ten labels outweigh them.
///
/// The standard deviations are on logarithmic scales. At the default 1, tau and the odds of one class against the mean
/// of the classes lie within a factor of 7 of 1 with 95% probability, which no usable judge leaves; a standard
/// deviation of 3 keeps the trust of a typical item between 0.02 and 3,000 labels. Once the labels speak, the priors do
/// not matter (with the labels of Experiment 2 they move tau in its third digit); without labels they keep the fit
/// finite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecalibrationPrior {
    /// Standard deviation of ln tau about 0.
    pub log_tau_sd: f64,
    /// Standard deviation of each class's bias about the mean over the classes; treats all classes alike.
    pub bias_sd: f64,
    /// Standard deviation of the intercept of the trust about ln 8.
    pub log_trust_sd: f64,
}

impl Default for RecalibrationPrior {
    fn default() -> Self {
        Self { log_tau_sd: 1.0, bias_sd: 1.0, log_trust_sd: 3.0 }
    }
}

/// How to fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecalibrationOptions {
    /// Which items share a recalibration.
    pub recalibration: Recalibration,
    /// Penalty on the squared coefficients of the standardised features; [`held_out_log_likelihoods`] tells a good one
    /// from a bad one.
    pub ridge: f64,
    /// The weak priors.
    pub prior: RecalibrationPrior,
}

impl Default for RecalibrationOptions {
    fn default() -> Self {
        Self { recalibration: Recalibration::Shared, ridge: 1.0, prior: RecalibrationPrior::default() }
    }
}

impl RecalibrationOptions {
    /// Refuses a penalty or a prior that is no positive number.
    fn check(&self) -> Result<(), TrustError> {
        let RecalibrationPrior { log_tau_sd, bias_sd, log_trust_sd } = self.prior;
        let positive = [
            ("the ridge penalty", self.ridge),
            ("the prior's log_tau_sd", log_tau_sd),
            ("the prior's bias_sd", bias_sd),
            ("the prior's log_trust_sd", log_trust_sd),
        ];
        let wrong = positive.into_iter().find(|(_, x)| !(*x > 0.0 && x.is_finite()));
        wrong.map_or(Ok(()), |(option, value)| Err(TrustError::Option { option, value }))
    }
}

/// The group whose recalibration item `i` has.
fn group_of(items: &JudgedItems, recalibration: Recalibration, i: usize) -> usize {
    match recalibration {
        Recalibration::ByGroup => items.groups.get(i).copied().expect("one group per item"),
        Recalibration::Off | Recalibration::Shared => 0,
    }
}

/// Newton steps are shortened so that no ln tau and no bias moves by more than this at once.
const LARGEST_MOVE: f64 = 1.0;

/// What is maximised: beta with the intercept first, then for each group ln tau and v, with biases C v for orthonormal
/// contrasts C of the classes, so that a prior that treats all classes alike is independent and equal in v.
fn posterior(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &RecalibrationOptions,
    keep: impl Fn(usize) -> bool,
) -> Result<Posterior, TrustError> {
    items.check(counts)?;
    options.check()?;
    let RecalibrationOptions { recalibration, ridge, prior } = *options;
    if recalibration == Recalibration::ByGroup && items.groups.is_empty() && !items.is_empty() {
        return Err(TrustError::Shape { detail: "recalibration by group needs the group of each item".to_owned() });
    }
    let (features, classes) = (items.design.features(), items.q.ncols());
    let groups = match recalibration {
        Recalibration::Off => 0,
        Recalibration::Shared => 1,
        Recalibration::ByGroup => items.groups.iter().max().map_or(0, |g| g + 1),
    };
    let shape = Coordinates {
        features,
        classes,
        tempered: groups > 0,
        bent: groups > 0,
        first_number: 1 + features,
        numbers: 0,
    };
    let item = |i: usize| {
        let moved = |parameter, coordinate, weight| Move { parameter, coordinate, weight };
        let of_trust = std::iter::once(&1.0).chain(items.features(i)).enumerate();
        let mut moves: Vec<Move> = of_trust.map(|(k, z)| moved(k, LOG_TRUST, *z)).collect();
        if groups > 0 {
            let first = 1 + features + group_of(items, recalibration, i) * classes;
            moves.push(moved(first, LOG_TEMPERATURE, 1.0));
            moves.extend((0..classes - 1).map(|m| moved(first + 1 + m, shape.first_contrast() + m, 1.0)));
        }
        let base = items.q.row(i).iter().map(|q| q.ln()).collect();
        ItemTerms { base, moves, numbers: vec![], counts: counts.row(i).to_vec() }
    };
    let labelled = (0..items.len()).filter(|&i| counts.row(i).sum() > 0 && keep(i));
    let mut centre = items.design.centre();
    centre.resize(1 + features + groups * classes, 0.0);
    let mut precision = vec![prior.log_trust_sd.powi(-2)];
    precision.resize(1 + features, ridge);
    for _ in 0..groups {
        precision.push(prior.log_tau_sd.powi(-2));
        precision.resize(precision.len() + classes - 1, prior.bias_sd.powi(-2));
    }
    let items = labelled.map(item).collect();
    let mut posterior = Posterior::new(shape, items, centre, precision);
    posterior.largest_move = LARGEST_MOVE;
    Ok(posterior)
}

/// The fit at the maximum.
fn maximum(items: &JudgedItems, mut posterior: Posterior, recalibration: Recalibration) -> RecalibratedFit {
    let start = posterior.centre.clone();
    let mut maximum = maximise(&mut posterior, start);
    if maximum.at.hessian.is_empty() {
        maximum.at = posterior.at(&maximum.parameters);
    }
    let (names, classes) = (coefficient_names(items.design), posterior.shape.classes);
    let (trust, covariance) = (names.len(), maximum.at.curvature().covariance());
    let (mut regression, groups) = posterior.conclude(names, maximum, covariance);
    for _ in 0..2 {
        regression.covariance.iter_mut().for_each(|row| turn_to_biases(&mut row[trust..], classes));
        regression.covariance = transposed(&regression.covariance);
    }
    let biases = |own: &[f64]| {
        let mut own = own.to_vec();
        turn_to_biases(&mut own, classes);
        std::iter::once(0.0).chain(own.into_iter().skip(1)).collect()
    };
    RecalibratedFit {
        recalibration,
        tau: groups.chunks_exact(classes).map(|own| own[0].exp()).collect(),
        bias: groups.chunks_exact(classes).map(biases).collect(),
        regression,
    }
}

/// Turns (ln tau, v) of each group into (ln tau, b of the second to the last class), b = C v less that of the first
/// class.
fn turn_to_biases(groups: &mut [f64], classes: usize) {
    let mut bias = vec![0.0; classes];
    for own in groups.chunks_exact_mut(classes) {
        bias.fill(0.0);
        contrasts::add(&own[1..], &mut bias);
        own[1..].iter_mut().zip(&bias[1..]).for_each(|(own, b)| *own = b - bias[0]);
    }
}

fn transposed(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..matrix.len()).map(|k| matrix.iter().map(|row| row[k]).collect()).collect()
}

/// Fits recalibration and trust together, by Dirichlet-multinomial likelihood with weak priors.
///
/// ```text
/// q'_j  proportional to  q_j^tau exp(b_j),   b of the first class 0
/// log lambda = beta_0 + beta^T z
/// L(tau, b, beta) = sum over items with n >= 1 of
///                   lnG(lambda) - lnG(lambda + n) + sum_j [lnG(lambda q'_j + c_j) - lnG(lambda q'_j)]
/// maximised: L - ridge/2 |beta|^2 - (beta_0 - ln 8)^2 / (2 s_0^2)
///              - sum over groups of [(ln tau)^2 / (2 s_tau^2) + sum_j (b_j - mean b)^2 / (2 s_b^2)]
/// ```
///
/// with q the judge's prediction, z its features, c the label counts, n their sum, and s the standard deviations of
/// [`RecalibrationPrior`]. With tau = 1 and b = 0 the likelihood is the paper's ([`crate::belief::fit_trust`]).
/// Gradient and Hessian are exact; the search is Newton's with backtracking. The priors make the maximum finite, so
/// trust needs no limits here. Temperature and per-class bias of a predicted distribution: Guo et al. (2017, "On
/// calibration of modern neural networks", matrix and vector scaling); here they are fitted to the pool of labels and
/// not to one true class.
///
/// # Errors
/// No labels at all, tables of different shapes, a prediction that is not strictly positive, or a penalty or prior that
/// is not a positive number.
///
/// ```
/// use judge_uncertainty_core::belief::recalibration::{RecalibrationOptions, fit};
/// use judge_uncertainty_core::belief::{BeliefTable, Design, JudgedItems};
/// use ndarray::array;
///
/// // A judge that is too sure of itself.
/// let q = array![[0.98, 0.02], [0.97, 0.03], [0.02, 0.98], [0.05, 0.95], [0.99, 0.01]];
/// let counts = array![[7, 3], [6, 4], [3, 7], [4, 6], [0, 0]];
/// let design = Design::constant(5);
/// let items = JudgedItems::new(&design, q.view(), &[]);
///
/// let fit = fit(&items, counts.view(), &RecalibrationOptions::default())?;
/// assert!(fit.regression.converged && fit.tau[0] < 0.5);
/// // Read through the fit, the prediction of the item without labels is no longer near certain.
/// assert!(fit.predictions(&items)[[4, 0]] < 0.9);
/// let beliefs = fit.posterior(&items, counts.view());
/// assert_eq!(beliefs.len(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &RecalibrationOptions,
) -> Result<RecalibratedFit, TrustError> {
    fit_where(items, counts, options, |_| true)
}

fn fit_where(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &RecalibrationOptions,
    keep: impl Fn(usize) -> bool,
) -> Result<RecalibratedFit, TrustError> {
    let posterior = posterior(items, counts, options, keep)?;
    if posterior.items().is_empty() {
        return Err(TrustError::NoLabels);
    }
    Ok(maximum(items, posterior, options.recalibration))
}

/// [`fit`], and the priors alone where there is no label.
///
/// # Errors
/// As [`fit`], but for labels.
pub(in crate::belief) fn fit_or_prior(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &RecalibrationOptions,
) -> Result<RecalibratedFit, TrustError> {
    Ok(maximum(items, posterior(items, counts, options, |_| true)?, options.recalibration))
}

/// Log-likelihood of each item's labels under a fit to the items of the other folds, in nats without multinomial
/// coefficients; `None` without labels. Item i is in fold i mod `folds`.
///
/// # Errors
/// As [`fit`]; also where the items outside some fold have no label.
///
/// # Panics
/// If there are fewer than two folds.
pub fn held_out_log_likelihoods(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &RecalibrationOptions,
    folds: usize,
) -> Result<Vec<Option<f64>>, TrustError> {
    assert!(folds >= 2, "cross-validation needs at least two folds");
    let mut held_out = vec![None; items.len()];
    for fold in 0..folds {
        let fit = fit_where(items, counts, options, |i| i % folds != fold)?;
        let (q, trust) = (fit.predictions(items), fit.trust(items));
        for i in (fold..held_out.len()).step_by(folds).filter(|&i| counts.row(i).sum() > 0) {
            let alpha: Vec<f64> = q.row(i).iter().map(|q| trust[i] * q).collect();
            held_out[i] = Some(ln_likelihood(&alpha, row(counts.row(i))));
        }
    }
    Ok(held_out)
}

/// What the labels say about ln lambda of an item with average features, under the fit that [`fit`] found with the same
/// arguments.
///
/// # Errors
/// As [`fit`].
pub fn typical_log_trust(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &RecalibrationOptions,
    fit: &RecalibratedFit,
) -> Result<TrustProfile, TrustError> {
    let posterior = posterior(items, counts, options, |_| true)?;
    let mut mode = fit.regression.coefficients.clone();
    for (tau, bias) in fit.tau.iter().zip(&fit.bias) {
        let mut contrast = vec![0.0; bias.len() - 1];
        contrasts::project(bias, &mut contrast);
        mode.push(tau.ln());
        mode.extend(contrast);
    }
    let sd = fit.regression.standard_errors()[0];
    Ok(TrustProfile::of_first(&posterior, &mode, sd, (items.design.centre()[0], options.prior.log_trust_sd)))
}

/// A fitted recalibration with its trust.
///
/// For items of a group without labels in the fit, tau is 1 and all biases are 0: the prediction is taken as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecalibratedFit {
    /// The trust, and how the search ended. `names` and `coefficients` are those of beta; `covariance` goes on with (ln
    /// tau, b of the second to the last class) for each group and is the inverse of minus the Hessian of log-likelihood
    /// plus log prior; `log_likelihood` leaves out multinomial coefficients and penalty. The priors keep the trust
    /// within the reals: no item is at a limit. `unidentified` names coefficients that the labels tell less about than
    /// the prior does.
    #[serde(flatten)]
    pub regression: Regression,
    /// Which items share a recalibration.
    pub recalibration: Recalibration,
    /// tau of each group (one entry if shared, none if off): below 1 the judge is overconfident.
    pub tau: Vec<f64>,
    /// b of each group and class; the first class has 0. Positive: the judge gives that class too little.
    pub bias: Vec<Vec<f64>>,
}

impl RecalibratedFit {
    /// The recalibrated predictions q' of any items, items x classes.
    ///
    /// # Panics
    /// If the items have another number of classes than those of the fit, or there is not one group per item.
    pub fn predictions(&self, items: &JudgedItems) -> Array2<f64> {
        let mut recalibrated = items.q.as_standard_layout().into_owned();
        for (i, mut q) in recalibrated.rows_mut().into_iter().enumerate() {
            if self.recalibration == Recalibration::Off {
                break;
            }
            let group = group_of(items, self.recalibration, i);
            if let (Some(tau), Some(bias)) = (self.tau.get(group), self.bias.get(group)) {
                assert_eq!(bias.len(), q.len(), "the items must have the classes of the fit");
                q.iter_mut().zip(bias).for_each(|(q, b)| *q = tau * q.ln() + b);
                softmax(q.as_slice_mut().expect("rows are contiguous"));
            }
        }
        recalibrated
    }

    /// Log trust ln lambda of any items, kept within +-50.
    ///
    /// # Panics
    /// If the items' design has another number of features.
    pub fn log_trust(&self, items: &JudgedItems) -> Vec<f64> {
        let features = items.design.features();
        let coefficients = self.regression.coefficients.len();
        assert_eq!(features + 1, coefficients, "the items must have the features of the fit");
        (0..items.q.nrows()).map(|i| self.regression.log_trust(items.features(i))).collect()
    }

    /// Trust lambda of any items, in labels.
    ///
    /// # Panics
    /// As [`Self::log_trust`].
    pub fn trust(&self, items: &JudgedItems) -> Vec<f64> {
        self.log_trust(items).into_iter().map(f64::exp).collect()
    }

    /// Posterior beliefs Dir(lambda q' + c) of any items given their label counts.
    ///
    /// # Panics
    /// As [`Self::predictions`] and [`Self::log_trust`], or if predictions and counts differ in shape.
    pub fn posterior(&self, items: &JudgedItems, counts: ArrayView2<u32>) -> Beliefs {
        Beliefs::posterior(&self.trust(items), self.predictions(items).view(), counts)
    }
}

#[cfg(test)]
mod tests;

//! The recalibrated belief: how the judge's prediction is to be read, fitted together with how far to trust it.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::design::Design;
use super::dirichlet::Beliefs;
use super::newton::{LogProduct, Maximum, Objective, Point, maximise};
use super::profile::Profile;
use super::regression::{LARGEST_MOVE, Regression, coefficient_names, linear, undetermined};
use super::trust::TrustError;

/// Newton steps are shortened so that no ln tau and no bias moves by more than this at once.
const LARGEST_RECALIBRATION_MOVE: f64 = 1.0;

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
/// The standard deviations are on logarithmic scales. At the default 1, tau and the odds of one class against the mean of
/// the classes lie within a factor of 7 of 1 with 95% probability, which no usable judge leaves; a standard deviation
/// of 3 keeps the trust of a typical item between 0.02 and 3,000 labels. Once the labels speak, the priors do not matter
/// (with the labels of Experiment 2 they move tau in its third digit); without labels they keep the fit finite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Prior {
    /// Standard deviation of ln tau about 0.
    pub log_tau_sd: f64,
    /// Standard deviation of each class's bias about the mean over the classes; treats all classes alike.
    pub bias_sd: f64,
    /// Standard deviation of the intercept of the trust about ln 8.
    pub log_trust_sd: f64,
}

impl Default for Prior {
    fn default() -> Self {
        Self { log_tau_sd: 1.0, bias_sd: 1.0, log_trust_sd: 3.0 }
    }
}

/// How to fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Which items share a recalibration.
    pub recalibration: Recalibration,
    /// Penalty on the squared coefficients of the standardised features; [`held_out_log_likelihoods`] tells a good one from a bad
    /// one.
    pub ridge: f64,
    /// The weak priors.
    pub prior: Prior,
}

impl Default for Options {
    fn default() -> Self {
        Self { recalibration: Recalibration::Shared, ridge: 1.0, prior: Prior::default() }
    }
}

/// Items as the judge left them: everything that is known of them before their labels.
#[derive(Debug, Clone, Copy)]
pub struct JudgedItems<'a> {
    /// Features of the trust.
    pub design: &'a Design,
    /// The judge's predictions, items x classes, every entry positive.
    pub q: ArrayView2<'a, f64>,
    /// The group of each item, counted from 0, for [`Recalibration::ByGroup`]; empty otherwise.
    pub groups: &'a [usize],
}

impl JudgedItems<'_> {
    /// The features of item `i`; a design without features has no items either.
    fn features(&self, i: usize) -> &[f64] {
        if self.design.features() > 0 { self.design.row(i) } else { &[] }
    }
}

/// A fitted recalibration with its trust.
///
/// For items of a group without labels in the fit, tau is 1 and all biases are 0: the prediction is taken as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecalibratedFit {
    /// The trust, and how the search ended. `names` and `coefficients` are those of beta; `covariance` goes on with (ln tau, b of
    /// the second to the last class) for each group and is the inverse of minus the Hessian of log-likelihood plus log prior;
    /// `log_likelihood` leaves out multinomial coefficients and penalty. The priors keep the trust within the
    /// reals: no item is at a limit. `unidentified` names coefficients that the labels tell less about than the prior does.
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
            let group = match self.recalibration {
                Recalibration::Off => break,
                Recalibration::Shared => 0,
                Recalibration::ByGroup => group_of(items.groups, i),
            };
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
/// [`Prior`]. With tau = 1 and b = 0 the likelihood is the paper's ([`super::fit_trust`]). Gradient and Hessian are
/// exact; the search is Newton's with backtracking. The priors make the maximum finite, so trust needs no limits here.
/// Temperature and per-class bias of a predicted distribution: Guo et al. (2017, "On calibration of modern neural
/// networks", matrix and vector scaling); here they are fitted to the pool of labels and not to one true class.
///
/// # Errors
/// No labels at all, tables of different shapes, a prediction that is not strictly positive, or a penalty or prior that
/// is not a positive number.
///
/// ```
/// use judge_uncertainty_core::belief::recalibration::{JudgedItems, Options, fit};
/// use judge_uncertainty_core::belief::{BeliefTable, Design};
/// use ndarray::array;
///
/// // A judge that is too sure of itself.
/// let q = array![[0.98, 0.02], [0.97, 0.03], [0.02, 0.98], [0.05, 0.95], [0.99, 0.01]];
/// let counts = array![[7, 3], [6, 4], [3, 7], [4, 6], [0, 0]];
/// let design = Design::constant(5);
/// let items = JudgedItems { design: &design, q: q.view(), groups: &[] };
///
/// let fit = fit(&items, counts.view(), &Options::default())?;
/// assert!(fit.regression.converged && fit.tau[0] < 0.5);
/// // Read through the fit, the prediction of the item without labels is no longer near certain.
/// assert!(fit.predictions(&items)[[4, 0]] < 0.9);
/// let beliefs = fit.posterior(&items, counts.view());
/// assert_eq!(beliefs.len(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit(items: &JudgedItems, counts: ArrayView2<u32>, options: &Options) -> Result<RecalibratedFit, TrustError> {
    fit_where(items, counts, options, |_| true)
}

fn fit_where(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &Options,
    keep: impl Fn(usize) -> bool,
) -> Result<RecalibratedFit, TrustError> {
    let posterior = Posterior::new(items, counts, options, keep)?;
    if posterior.items == 0 { Err(TrustError::NoLabels) } else { Ok(posterior.maximum(items)) }
}

/// [`fit`], and the priors alone where there is no label.
///
/// # Errors
/// As [`fit`], but for labels.
pub(super) fn fit_or_prior(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &Options,
) -> Result<RecalibratedFit, TrustError> {
    Ok(Posterior::new(items, counts, options, |_| true)?.maximum(items))
}

/// Log-likelihood of each item's labels under a fit, in nats without multinomial coefficients; `None` without labels.
///
/// # Errors
/// As [`fit`], except for options.
fn item_log_likelihoods(
    fit: &RecalibratedFit,
    items: &JudgedItems,
    counts: ArrayView2<u32>,
) -> Result<Vec<Option<f64>>, TrustError> {
    check(items, counts)?;
    let q = fit.predictions(items);
    let trust = fit.trust(items);
    let of = |i: usize| {
        let (q, counts) = (q.row(i), counts.row(i));
        let mut value = LogProduct::default();
        let mut n = 0;
        for (q, &c) in q.iter().zip(counts) {
            (0..c).for_each(|k| value.multiply(trust[i] * q + f64::from(k)));
            n += c;
        }
        (0..n).for_each(|k| value.multiply(1.0 / (trust[i] + f64::from(k))));
        (n > 0).then(|| value.ln())
    };
    Ok((0..q.nrows()).map(of).collect())
}

/// Log-likelihood of each item's labels under a fit to the items of the other folds; item i is in fold i mod `folds`.
///
/// # Errors
/// As [`fit`]; also where the items outside some fold have no label.
///
/// # Panics
/// If there are fewer than two folds.
pub fn held_out_log_likelihoods(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &Options,
    folds: usize,
) -> Result<Vec<Option<f64>>, TrustError> {
    assert!(folds >= 2, "cross-validation needs at least two folds");
    let mut held_out = vec![None; items.q.nrows()];
    for fold in 0..folds {
        let fit = fit_where(items, counts, options, |i| i % folds != fold)?;
        let values = item_log_likelihoods(&fit, items, counts)?;
        for i in (fold..held_out.len()).step_by(folds) {
            held_out[i] = values[i];
        }
    }
    Ok(held_out)
}

/// The profile of the posterior along ln lambda of an item with average features, under the fit that [`fit`] found with the same
/// arguments.
///
/// # Errors
/// As [`fit`].
pub fn typical_log_trust(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &Options,
    fit: &RecalibratedFit,
) -> Result<Profile, TrustError> {
    let posterior = Posterior::new(items, counts, options, |_| true)?;
    let mut mode = fit.regression.coefficients.clone();
    for (tau, bias) in fit.tau.iter().zip(&fit.bias) {
        mode.push(tau.ln());
        mode.extend(&bias[1..]);
    }
    let sd = fit.regression.standard_errors()[0];
    Ok(Profile::of_first(&posterior, &mode, sd, options.prior.log_trust_sd))
}

fn group_of(groups: &[usize], i: usize) -> usize {
    groups.get(i).copied().expect("one group per item")
}

/// Turns logits into probabilities, in place.
fn softmax(logits: &mut [f64]) {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logits.iter_mut().for_each(|x| *x = (*x - largest).exp());
    let sum: f64 = logits.iter().sum();
    logits.iter_mut().for_each(|x| *x /= sum);
}

fn check(items: &JudgedItems, counts: ArrayView2<u32>) -> Result<(), TrustError> {
    let (design, q) = (items.design, items.q);
    let shapes = q.dim() == counts.dim()
        && (design.features() == 0 || q.nrows() == design.items())
        && (items.groups.is_empty() || items.groups.len() == q.nrows());
    if !shapes {
        return Err(TrustError::Shape {
            detail: format!(
                "{} items with features, {:?} predictions, {:?} labels (items, classes), {} groups",
                design.items(),
                q.dim(),
                counts.dim(),
                items.groups.len()
            ),
        });
    }
    for (i, q) in q.rows().into_iter().enumerate() {
        if let Some((class, &value)) = q.iter().enumerate().find(|(_, q)| !(**q > 0.0 && **q <= 1.0)) {
            return Err(TrustError::Prediction { item: i, class, value });
        }
        if (q.sum() - 1.0).abs() > 1e-6 {
            return Err(TrustError::Prediction { item: i, class: 0, value: q[0] });
        }
    }
    Ok(())
}

/// The labelled items, packed row by row, and the priors.
///
/// Parameters: beta with the intercept first, then for each group ln tau and the biases of all classes but the first.
struct Posterior {
    features: usize,
    classes: usize,
    groups: usize,
    items: usize,
    labels: f64,
    z: Vec<f64>,
    log_q: Vec<f64>,
    counts: Vec<u32>,
    group: Vec<usize>,
    options: Options,
    /// Where the prior on beta is centred.
    centre: Vec<f64>,
}

impl Posterior {
    fn new(
        items: &JudgedItems,
        counts: ArrayView2<u32>,
        options: &Options,
        keep: impl Fn(usize) -> bool,
    ) -> Result<Self, TrustError> {
        check(items, counts)?;
        if options.recalibration == Recalibration::ByGroup && items.groups.is_empty() {
            return Err(TrustError::Shape { detail: "recalibration by group needs the group of each item".to_owned() });
        }
        let Prior { log_tau_sd, bias_sd, log_trust_sd } = options.prior;
        let positive = [
            ("the ridge penalty", options.ridge),
            ("the prior's log_tau_sd", log_tau_sd),
            ("the prior's bias_sd", bias_sd),
            ("the prior's log_trust_sd", log_trust_sd),
        ];
        if let Some(&(option, value)) = positive.iter().find(|(_, x)| !(*x > 0.0 && x.is_finite())) {
            return Err(TrustError::Option { option, value });
        }
        let groups = match options.recalibration {
            Recalibration::Off => 0,
            Recalibration::Shared => 1,
            Recalibration::ByGroup => items.groups.iter().max().map_or(0, |g| g + 1),
        };
        let mut this = Self {
            features: items.design.features(),
            classes: items.q.ncols(),
            groups,
            items: 0,
            labels: 0.0,
            z: vec![],
            log_q: vec![],
            counts: vec![],
            group: vec![],
            options: *options,
            centre: items.design.centre(),
        };
        for (i, c) in counts.rows().into_iter().enumerate() {
            let n: u32 = c.sum();
            if n > 0 && keep(i) {
                this.items += 1;
                this.labels += f64::from(n);
                this.z.extend_from_slice(items.features(i));
                this.log_q.extend(items.q.row(i).iter().map(|q| q.ln()));
                this.counts.extend(c);
                this.group.push(match options.recalibration {
                    Recalibration::ByGroup => group_of(items.groups, i),
                    Recalibration::Off | Recalibration::Shared => 0,
                });
            }
        }
        Ok(this)
    }

    fn maximum(mut self, items: &JudgedItems) -> RecalibratedFit {
        let start = self.start();
        let maximum = maximise(&mut self, start);
        self.conclude(coefficient_names(items.design), maximum)
    }

    fn parameters(&self) -> usize {
        1 + self.features + self.groups * self.classes
    }

    /// Position of a group's ln tau; its biases follow.
    fn offset(&self, group: usize) -> usize {
        1 + self.features + group * self.classes
    }

    /// The centre of the prior, and the prediction as it is.
    fn start(&self) -> Vec<f64> {
        let mut parameters = self.centre.clone();
        parameters.resize(self.parameters(), 0.0);
        parameters
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.items).map(|i| &self.z[i * self.features..(i + 1) * self.features])
    }

    fn add_prior(&self, parameters: &[f64], point: &mut Point) {
        let Options { ridge, prior, .. } = self.options;
        let mut pull = |k: usize, centre: f64, precision: f64| {
            let x = parameters[k] - centre;
            point.value -= 0.5 * precision * x * x;
            point.gradient[k] -= precision * x;
            point.hessian[[k, k]] -= precision;
        };
        pull(0, self.centre[0], prior.log_trust_sd.powi(-2));
        (1..=self.features).for_each(|k| pull(k, self.centre[k], ridge));
        (0..self.groups).for_each(|g| pull(self.offset(g), 0.0, prior.log_tau_sd.powi(-2)));
        let (precision, classes) = (prior.bias_sd.powi(-2), self.classes as f64);
        for g in 0..self.groups {
            let own = self.offset(g) + 1..self.offset(g + 1);
            let biases = &parameters[own.clone()];
            // The first class's bias, 0, counts in the mean.
            let mean = biases.iter().sum::<f64>() / classes;
            let squares: f64 = biases.iter().map(|b| b * b).sum::<f64>() - classes * mean * mean;
            point.value -= 0.5 * precision * squares;
            for a in own.clone() {
                point.gradient[a] -= precision * (parameters[a] - mean);
                for b in own.clone() {
                    point.hessian[[a, b]] -= precision * (f64::from(u8::from(a == b)) - 1.0 / classes);
                }
            }
        }
    }

    fn conclude(&self, names: Vec<String>, maximum: Maximum) -> RecalibratedFit {
        let Maximum { parameters, at, iterations, gradient_norm, converged } = maximum;
        let mut prior = Point {
            value: 0.0,
            gradient: vec![0.0; parameters.len()],
            hessian: Array2::zeros((parameters.len(), parameters.len())),
            at_limit: 0,
        };
        self.add_prior(&parameters, &mut prior);
        let covariance = at.curvature().covariance();
        let recalibrations = || (0..self.groups).map(|g| &parameters[self.offset(g)..self.offset(g + 1)]);
        RecalibratedFit {
            recalibration: self.options.recalibration,
            tau: recalibrations().map(|w| w[0].exp()).collect(),
            bias: recalibrations().map(|w| std::iter::once(0.0).chain(w[1..].iter().copied()).collect()).collect(),
            regression: Regression {
                rank: names.len(),
                unidentified: undetermined(&names, &covariance, &prior.hessian),
                names,
                coefficients: parameters[..=self.features].to_vec(),
                covariance,
                log_likelihood: at.value - prior.value,
                iterations,
                gradient_norm,
                converged,
                labelled_items: self.items,
                at_limit: 0,
            },
        }
    }
}

impl Objective for Posterior {
    /// Log-likelihood plus log prior, with exact derivatives.
    fn at(&self, parameters: &[f64]) -> Point {
        let p = parameters.len();
        let mut value = LogProduct::default();
        let mut gradient = vec![0.0; p];
        // The upper triangle, row by row.
        let mut hessian = vec![0.0; p * p];
        let mut item = ItemTerms::new(self.classes);
        let (beta, _) = parameters.split_at(1 + self.features);
        for (i, z) in self.rows().enumerate() {
            let k = i * self.classes..(i + 1) * self.classes;
            let offset = self.offset(self.group[i]);
            let recalibration = (self.groups > 0).then(|| &parameters[offset..offset + self.classes]);
            let log_trust = linear(beta, z).clamp(-50.0, 50.0);
            item.compute(log_trust, recalibration, &self.log_q[k.clone()], &self.counts[k], &mut value);

            gradient[0] += item.slope;
            hessian[0] += item.bend;
            for (a, &za) in z.iter().enumerate() {
                gradient[a + 1] += item.slope * za;
                let bend = item.bend * za;
                hessian[a + 1] += bend;
                let row = &mut hessian[(a + 1) * p + a + 1..(a + 1) * p + 1 + z.len()];
                row.iter_mut().zip(&z[a..]).for_each(|(h, zb)| *h += bend * zb);
            }
            if self.groups == 0 {
                continue;
            }
            for w in 0..self.classes {
                gradient[offset + w] += item.own_slope[w];
                hessian[offset + w] += item.cross[w];
                for (a, &za) in z.iter().enumerate() {
                    hessian[(a + 1) * p + offset + w] += item.cross[w] * za;
                }
                for v in w..self.classes {
                    hessian[(offset + w) * p + offset + v] += item.own_bend[w * self.classes + v];
                }
            }
        }
        let mut point = Point {
            value: value.ln(),
            gradient,
            hessian: Array2::from_shape_fn((p, p), |(a, b)| hessian[a.min(b) * p + a.max(b)]),
            at_limit: 0,
        };
        self.add_prior(parameters, &mut point);
        point
    }

    fn tolerance(&self) -> f64 {
        1e-11 * self.labels.max(100.0)
    }

    /// Neither a log trust nor the recalibration moves too far.
    fn shorten(&self, step: &mut [f64]) {
        let (beta, others) = step.split_at(1 + self.features);
        let trust = self.rows().map(|z| linear(beta, z).abs()).fold(0.0, f64::max) / LARGEST_MOVE;
        let other = others.iter().fold(0.0, |m: f64, s| m.max(s.abs())) / LARGEST_RECALIBRATION_MOVE;
        let excess = trust.max(other);
        if excess > 1.0 {
            step.iter_mut().for_each(|s| *s /= excess);
        }
    }
}

/// An item's share of the log-likelihood, differentiated in eta = ln lambda and in w = (ln tau, b_2, ..., b_K).
///
/// With u_j = tau ln q_j + b_j, q' = softmax(u) and x_j = ln(lambda q'_j), the classes' terms
/// f_j = lnG(e^x_j + c_j) - lnG(e^x_j) have the derivatives W_j = a D, V_j = a D + a^2 E in x_j, where a = e^x_j,
/// D = sum_{i<c_j} 1/(a + i), E = -sum 1/(a + i)^2. The rest is the chain rule through x_j = eta + u_j - ln sum e^u.
struct ItemTerms {
    /// First derivative in eta.
    slope: f64,
    /// Second derivative in eta.
    bend: f64,
    /// First derivatives in w.
    own_slope: Vec<f64>,
    /// Mixed second derivatives in eta and w.
    cross: Vec<f64>,
    /// Second derivatives in w, classes x classes, upper triangle.
    own_bend: Vec<f64>,
    q: Vec<f64>,
    w: Vec<f64>,
    v: Vec<f64>,
    /// tau ln q_j, the derivative of u_j in ln tau.
    scaled: Vec<f64>,
}

impl ItemTerms {
    fn new(classes: usize) -> Self {
        let zeros = || vec![0.0; classes];
        Self {
            slope: 0.0,
            bend: 0.0,
            own_slope: zeros(),
            cross: zeros(),
            own_bend: vec![0.0; classes * classes],
            q: zeros(),
            w: zeros(),
            v: zeros(),
            scaled: zeros(),
        }
    }

    #[inline]
    fn compute(
        &mut self,
        log_trust: f64,
        recalibration: Option<&[f64]>,
        log_q: &[f64],
        counts: &[u32],
        value: &mut LogProduct,
    ) {
        let classes = log_q.len();
        let tau = recalibration.map_or(1.0, |w| w[0].exp());
        for j in 0..classes {
            self.scaled[j] = tau * log_q[j];
            let bias = if j == 0 { 0.0 } else { recalibration.map_or(0.0, |w| w[j]) };
            self.q[j] = self.scaled[j] + bias;
        }
        softmax(&mut self.q);

        let trust = log_trust.exp();
        let (mut n, mut sum_w, mut sum_v) = (0, 0.0, 0.0);
        for (j, &count) in counts.iter().enumerate() {
            let a = trust * self.q[j];
            let (mut d, mut e) = (0.0, 0.0);
            for i in 0..count {
                let x = a + f64::from(i);
                let r = 1.0 / x;
                value.multiply(x);
                d += r;
                e -= r * r;
            }
            n += count;
            self.w[j] = a * d;
            self.v[j] = a * d + a * a * e;
            sum_w += self.w[j];
            sum_v += self.v[j];
        }
        let (mut d, mut e) = (0.0, 0.0);
        for i in 0..n {
            let r = 1.0 / (trust + f64::from(i));
            value.multiply(r);
            d -= r;
            e += r * r;
        }
        self.slope = sum_w + trust * d;
        self.bend = sum_v + trust * d + trust * trust * e;
        if recalibration.is_none() {
            return;
        }

        // Moments under q' of the derivatives of u in ln tau.
        let (mut q_s, mut q_ss, mut v_s, mut v_ss) = (0.0, 0.0, 0.0, 0.0);
        for j in 0..classes {
            let s = self.scaled[j];
            q_s += self.q[j] * s;
            q_ss += self.q[j] * s * s;
            v_s += self.v[j] * s;
            v_ss += self.v[j] * s * s;
        }
        let in_u = |q: f64, w: f64| w - q * sum_w;
        let mut slope = 0.0;
        for j in 0..classes {
            slope += in_u(self.q[j], self.w[j]) * self.scaled[j];
        }
        self.own_slope[0] = slope;
        self.cross[0] = v_s - q_s * sum_v;
        self.own_bend[0] = v_ss - 2.0 * v_s * q_s + sum_v * q_s * q_s - sum_w * (q_ss - q_s * q_s) + slope;
        for m in 1..classes {
            let (q, v, s) = (self.q[m], self.v[m], self.scaled[m]);
            self.own_slope[m] = in_u(q, self.w[m]);
            self.cross[m] = v - q * sum_v;
            self.own_bend[m] = v * (s - q_s) - q * v_s + q * q_s * sum_v - sum_w * q * (s - q_s);
            for l in m..classes {
                let same = if l == m { v - sum_w * q } else { 0.0 };
                self.own_bend[m * classes + l] = same - v * self.q[l] - self.v[l] * q + q * self.q[l] * (sum_v + sum_w);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use statrs::function::gamma::ln_gamma;

    use super::*;
    use crate::belief::design::FeatureColumn;
    use crate::belief::fit_trust;
    use crate::random::Stream;

    /// Items whose true prior is the recalibration by (tau, b) of their stated prediction, with a trust of
    /// exp(1.5 + 0.4 z).
    struct World {
        columns: Vec<FeatureColumn>,
        q: Array2<f64>,
        counts: Array2<u32>,
        groups: Vec<usize>,
    }

    impl World {
        fn draw(items: usize, seed: u64, recalibration: &[(f64, [f64; 3])]) -> Self {
            let mut stream = Stream::new(seed);
            let (mut q, mut counts) = (Array2::zeros((items, 3)), Array2::zeros((items, 3)));
            let groups: Vec<usize> = (0..items).map(|i| i % recalibration.len()).collect();
            let z: Vec<f64> = (0..items).map(|_| stream.standard_normal()).collect();
            for i in 0..items {
                let draw = |stream: &mut Stream, alpha: &[f64]| -> Vec<f64> {
                    let g: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a) + 1e-6).collect();
                    let sum: f64 = g.iter().sum();
                    g.into_iter().map(|g| g / sum).collect()
                };
                let stated = draw(&mut stream, &[1.5, 1.5, 1.5]);
                let (tau, bias) = recalibration[groups[i]];
                let mut prior: Vec<f64> = stated.iter().zip(bias).map(|(q, b)| tau * q.ln() + b).collect();
                softmax(&mut prior);
                let trust = (1.5 + 0.4 * z[i]).exp();
                let p = draw(&mut stream, &prior.iter().map(|q| trust * q).collect::<Vec<_>>());
                let mut c = [0; 3];
                let n = stream.choice(11);
                stream.multinomial(n, &p, &mut c);
                for j in 0..3 {
                    q[[i, j]] = stated[j];
                    counts[[i, j]] = c[j];
                }
            }
            Self { columns: vec![FeatureColumn::complete("z", z)], q, counts, groups }
        }

        fn fit(&self, recalibration: Recalibration, ridge: f64) -> (RecalibratedFit, Design) {
            let design = Design::raw(&self.columns).unwrap();
            let options = Options { recalibration, ridge, ..Options::default() };
            (fit(&self.items(&design), self.counts.view(), &options).unwrap(), design)
        }

        fn items<'a>(&'a self, design: &'a Design) -> JudgedItems<'a> {
            JudgedItems { design, q: self.q.view(), groups: &self.groups }
        }
    }

    #[test]
    fn value_matches_gamma_functions_and_derivatives_match_differences() {
        let world = World::draw(60, 3, &[(0.5, [0.0, 0.4, -0.3]), (1.4, [0.0, -0.2, 0.1])]);
        let design = Design::raw(&world.columns).unwrap();
        let items = world.items(&design);
        let options = Options {
            recalibration: Recalibration::ByGroup,
            ridge: 0.3,
            prior: Prior { log_tau_sd: 0.7, bias_sd: 0.9, log_trust_sd: 2.0 },
        };
        let objective = Posterior::new(&items, world.counts.view(), &options, |_| true).unwrap();
        let at: [f64; 8] = [1.2, -0.5, -0.4, 0.3, 0.2, 0.25, -0.6, 0.1];
        let by_gamma: f64 = (0..60)
            .filter(|&i| world.counts.row(i).sum() > 0)
            .map(|i| {
                let w = &at[2 + 3 * world.groups[i]..];
                let bias: [f64; 3] = [0.0, w[1], w[2]];
                let weights: Vec<f64> = (0..3).map(|j| world.q[[i, j]].powf(w[0].exp()) * bias[j].exp()).collect();
                let sum: f64 = weights.iter().sum();
                let trust = (at[0] + at[1] * design.row(i)[0]).exp();
                let n = f64::from(world.counts.row(i).sum());
                let class = |j: usize| {
                    let a = trust * weights[j] / sum;
                    ln_gamma(a + f64::from(world.counts[[i, j]])) - ln_gamma(a)
                };
                ln_gamma(trust) - ln_gamma(trust + n) + (0..3).map(class).sum::<f64>()
            })
            .sum();
        // Biases of the first class are 0: means (0.3 + 0.2)/3 and (-0.6 + 0.1)/3.
        let centred = |b: [f64; 3]| -> f64 {
            let mean = (b[0] + b[1] + b[2]) / 3.0;
            b.iter().map(|b| (b - mean).powi(2)).sum()
        };
        let prior = -0.3 * 0.25 / 2.0
            - (1.2 - 8.0_f64.ln()).powi(2) / 8.0
            - (0.16 + 0.0625) / (2.0 * 0.49)
            - (centred([0.0, 0.3, 0.2]) + centred([0.0, -0.6, 0.1])) / (2.0 * 0.81);
        let point = objective.at(&at);
        assert!((point.value - by_gamma - prior).abs() < 1e-9, "{} against {}", point.value, by_gamma + prior);
        let h = 1e-5;
        for a in 0..at.len() {
            let shifted = |sign: f64| {
                let mut there = at;
                there[a] += sign * h;
                objective.at(&there)
            };
            let (up, down) = (shifted(1.0), shifted(-1.0));
            let slope = (up.value - down.value) / (2.0 * h);
            assert!((slope - point.gradient[a]).abs() < 1e-6 * (1.0 + slope.abs()), "gradient {a}");
            for b in 0..at.len() {
                let bend = (up.gradient[b] - down.gradient[b]) / (2.0 * h);
                assert!((bend - point.hessian[[a, b]]).abs() < 1e-6 * (1.0 + bend.abs()), "Hessian {a} {b}");
            }
        }
    }

    #[test]
    fn recovers_the_recalibration_that_made_the_labels() {
        let truth = [(0.5, [0.0, 0.4, -0.3]), (1.5, [0.0, -0.5, 0.2])];
        let world = World::draw(20_000, 8, &truth);
        let (fit, _) = world.fit(Recalibration::ByGroup, 1e-3);
        assert!(fit.regression.converged && fit.regression.iterations < 20, "{fit:?}");
        let se = fit.regression.standard_errors();
        let mut expected = vec![1.5, 0.4];
        let mut got = fit.regression.coefficients.clone();
        for (group, (tau, bias)) in truth.into_iter().enumerate() {
            expected.extend([f64::ln(tau), bias[1], bias[2]]);
            got.extend([fit.tau[group].ln(), fit.bias[group][1], fit.bias[group][2]]);
        }
        for (k, (got, expected)) in got.iter().zip(expected).enumerate() {
            assert!((got - expected).abs() < 4.0 * se[k] && se[k] < 0.05, "{k}: {got} for {expected}, se {}", se[k]);
        }
    }

    /// With nothing miscalibrated the likelihood can rise by chance only: twice the rise is chi-squared with 3 degrees
    /// of freedom, above 21.1 once in 10,000.
    #[test]
    fn finds_nothing_where_nothing_is_miscalibrated() {
        let world = World::draw(5_000, 21, &[(1.0, [0.0; 3])]);
        let (on, design) = world.fit(Recalibration::Shared, 1e-3);
        let (off, _) = world.fit(Recalibration::Off, 1e-3);
        let rise = 2.0 * (on.regression.log_likelihood - off.regression.log_likelihood);
        assert!((-0.01..21.1).contains(&rise), "{rise}");
        assert!((on.tau[0] - 1.0).abs() < 0.1, "{}", on.tau[0]);
        let items = world.items(&design);
        assert_eq!(off.predictions(&items), world.q);
        assert!(off.tau.is_empty() && off.bias.is_empty());
    }

    /// Without recalibration and with vanishing priors the fit is the paper's.
    #[test]
    fn off_agrees_with_the_trust_regression() {
        let world = World::draw(500, 5, &[(1.0, [0.0; 3])]);
        let design = Design::standardized(&world.columns).unwrap();
        let paper = fit_trust(&design, world.q.view(), world.counts.view()).unwrap();
        let prior = Prior { log_trust_sd: 1e4, ..Prior::default() };
        let options = Options { recalibration: Recalibration::Off, ridge: 1e-8, prior };
        let items = JudgedItems { design: &design, q: world.q.view(), groups: &[] };
        let ours = fit(&items, world.counts.view(), &options).unwrap();
        for k in 0..2 {
            assert!((ours.regression.coefficients[k] - paper.regression.coefficients[k]).abs() < 1e-6);
        }
        assert!((ours.regression.log_likelihood - paper.regression.log_likelihood).abs() < 1e-8);
        let sum: f64 = item_log_likelihoods(&ours, &items, world.counts.view()).unwrap().into_iter().flatten().sum();
        assert!((sum - ours.regression.log_likelihood).abs() < 1e-8);
    }

    #[test]
    fn the_order_of_classes_does_not_matter() {
        let world = World::draw(300, 6, &[(0.6, [0.0, 0.5, -0.5])]);
        let swapped = World {
            q: world.q.select(ndarray::Axis(1), &[2, 0, 1]),
            counts: world.counts.select(ndarray::Axis(1), &[2, 0, 1]),
            columns: world.columns.clone(),
            groups: world.groups.clone(),
        };
        let ((a, design), (b, _)) = (world.fit(Recalibration::Shared, 1.0), swapped.fit(Recalibration::Shared, 1.0));
        assert!((a.tau[0] - b.tau[0]).abs() < 1e-8);
        let back = b.predictions(&swapped.items(&design)).select(ndarray::Axis(1), &[1, 2, 0]);
        assert!(a.predictions(&world.items(&design)).iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-8));
    }

    #[test]
    fn penalties_shrink_and_cross_validation_likes_them_for_noise() {
        let mut world = World::draw(150, 12, &[(0.7, [0.0, 0.2, 0.0])]);
        let mut stream = Stream::new(99);
        for k in 0..6 {
            let noise: Vec<f64> = (0..150).map(|_| stream.standard_normal()).collect();
            world.columns.push(FeatureColumn::complete(&format!("noise {k}"), noise));
        }
        let size = |fit: &RecalibratedFit| fit.regression.coefficients[1..].iter().map(|b| b * b).sum::<f64>();
        let fits: Vec<f64> = [1e-3, 1.0, 100.0].map(|ridge| size(&world.fit(Recalibration::Shared, ridge).0)).to_vec();
        assert!(fits[0] > fits[1] && fits[1] > fits[2]);
        let design = Design::raw(&world.columns).unwrap();
        let held_out = |ridge: f64| {
            let options = Options { ridge, ..Options::default() };
            let values = held_out_log_likelihoods(&world.items(&design), world.counts.view(), &options, 5).unwrap();
            values.into_iter().flatten().sum::<f64>()
        };
        assert!(held_out(10.0) > held_out(1e-3));
    }

    /// Labels that no finite trust explains better than a larger one, and single labels, which say nothing about it.
    #[test]
    fn extreme_labels_have_finite_fits() {
        let design = Design::raw(&[FeatureColumn::complete("x", (0..40).map(f64::from))]).unwrap();
        let q = Array2::from_elem((40, 2), 0.5);
        let items = JudgedItems { design: &design, q: q.view(), groups: &[] };
        for counts in [Array2::from_elem((40, 2), 5), Array2::from_shape_fn((40, 2), |(_, j)| 1 - j as u32)] {
            let fit = fit(&items, counts.view(), &Options::default()).unwrap();
            assert!(fit.regression.converged, "{fit:?}");
            assert!(fit.regression.coefficients.iter().chain(&fit.tau).chain(&fit.bias[0]).all(|x| x.is_finite()));
        }
    }

    #[test]
    fn unusable_input_is_refused() {
        let design = Design::raw(&[FeatureColumn::complete("x", [1.0, 2.0])]).unwrap();
        let q = array![[0.5, 0.5], [0.2, 0.8]];
        let items = JudgedItems { design: &design, q: q.view(), groups: &[] };
        let counts = array![[1, 0], [0, 2]];
        let refused = |items: &JudgedItems, counts: &Array2<u32>, options: &Options| {
            fit(items, counts.view(), options).unwrap_err()
        };
        assert_eq!(refused(&items, &Array2::zeros((2, 2)), &Options::default()), TrustError::NoLabels);
        for ridge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = refused(&items, &counts, &Options { ridge, ..Options::default() }).to_string();
            assert!(error.contains("the ridge penalty is"), "{error}");
        }
        let short = JudgedItems { groups: &[0], ..items };
        assert!(matches!(refused(&short, &counts, &Options::default()), TrustError::Shape { .. }));
        let zero = array![[0.5, 0.5], [0.0, 1.0]];
        let zero = JudgedItems { q: zero.view(), ..items };
        assert!(matches!(refused(&zero, &counts, &Options::default()), TrustError::Prediction { item: 1, .. }));
    }

    /// The surface may have several maxima: a search from little trust and from much must not end higher.
    #[test]
    fn small_problems_end_at_the_highest_maximum() {
        let mut lower = vec![];
        for seed in 0..400 {
            let mut stream = crate::random::Stream::new(seed);
            let (n, d, k) = (20 + 10 * (seed as usize % 4), seed as usize % 5, 2 + seed as usize % 3);
            let columns: Vec<FeatureColumn> = (0..d)
                .map(|j| FeatureColumn::complete(&format!("x{j}"), (0..n).map(|_| stream.standard_normal())))
                .collect();
            let design = Design::over(n, &columns).unwrap();
            let dirichlet = |alpha: &[f64], stream: &mut crate::random::Stream| -> Vec<f64> {
                let x: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a) + 1e-9).collect();
                x.iter().map(|v| v / x.iter().sum::<f64>()).collect()
            };
            let mut q = Array2::zeros((n, k));
            let mut counts = Array2::<u32>::zeros((n, k));
            let mut drawn = vec![0; k];
            for i in 0..n {
                let prediction = dirichlet(&vec![1.0; k], &mut stream);
                let pool = dirichlet(&prediction.iter().map(|p| 6.0 * p).collect::<Vec<_>>(), &mut stream);
                let labels = stream.choice(6);
                stream.multinomial(labels, &pool, &mut drawn);
                (0..k).for_each(|j| (q[[i, j]], counts[[i, j]]) = (prediction[j], drawn[j]));
            }
            let items = JudgedItems { design: &design, q: q.view(), groups: &[] };
            let options = Options {
                recalibration: Recalibration::Off,
                ridge: 1.0,
                prior: Prior { log_trust_sd: 1.5, ..Prior::default() },
            };
            let mut posterior = Posterior::new(&items, counts.view(), &options, |_| true).unwrap();
            let start = posterior.start();
            let usual = maximise(&mut posterior, start.clone());
            for first in [-3.0, 0.0, 5.0, 9.0] {
                let mut other = start.clone();
                other[0] = first;
                let other = maximise(&mut posterior, other);
                if other.at.value > usual.at.value + 1e-8 || !usual.converged {
                    lower.push((seed, first, other.at.value - usual.at.value));
                }
            }
        }
        assert!(lower.is_empty(), "{lower:?}");
    }
}

//! The trust regression: how many labels a judge's prediction is worth, learned from labels already collected.

use std::borrow::Cow;
use std::rc::Rc;

use nalgebra::{DMatrix, DVector};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::design::Design;
use super::judged::check_predictions;
use super::newton::{Expansion, LogProduct, Objective, maximise, mirror};
use super::regression::{LARGEST_MOVE, Regression, coefficient_names, linear};

/// The likelihood treats log trust as if it stopped at ln 1e-3 labels,
const LEAST_LOG_TRUST: f64 = -6.907_755_278_982_137;
/// and at ln 1e6 labels.
const MOST_LOG_TRUST: f64 = 13.815_510_557_964_274;
/// How near to a limit an item's log trust counts as on it.
const NEAR_LIMIT: f64 = 1e-3;

/// Why a trust regression can't be fitted.
#[derive(Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum TrustError {
    #[error("no item has a label, so there is nothing to learn the trust from: collect labels for some items first")]
    NoLabels,
    #[error("features, predictions and labels must describe the same items and classes: {detail}")]
    Shape { detail: String },
    #[error(
        "the prediction of item {item} (counted from 0) for class {class} is {value}: the likelihood needs every \
         probability above 0 and rows that sum to 1; floor and renormalise the predictions first"
    )]
    Prediction { item: usize, class: usize, value: f64 },
    #[error("the map `{map}` cannot be fitted: {why}; name another map, or take belief = \"auto\"")]
    Map { map: &'static str, why: String },
    #[error("{option} is {value}, but the fit needs a positive finite number: choose one, or leave it at its default")]
    Option { option: &'static str, value: f64 },
}

/// Fits the trust by maximum Dirichlet-multinomial likelihood.
///
/// ```text
/// log lambda_x = beta_0 + beta^T z_x,   clamped to [ln 1e-3, ln 1e6]
/// L(beta) = sum over items with n_x >= 1 of
///           lnG(lambda) - lnG(lambda + n) + sum_j [lnG(lambda q_j + c_j) - lnG(lambda q_j)]
/// ```
///
/// with z_x the item's features, q its predicted distribution, c its label counts and n their sum. Counts are integers,
/// so lnG(a + k) - lnG(a) = sum_{i<k} ln(a + i), and both derivatives are sums of reciprocals: the objective, gradient
/// and Hessian are exact and need no gamma function. Newton's method with a backtracking line search.
///
/// Where labels say nothing about some combination of coefficients (a constant feature, collinear features, every item
/// with a single label), the maximum of the likelihood is a whole flat set; the fit is then the point of that set
/// nearest to the start (trust 8, all other coefficients 0), the regression's `rank` is below the number of
/// coefficients and `unidentified` names those concerned. That convention is what a gradient search from the same start
/// arrives at, and the published coefficients rest on it: with an item counted among its own neighbours, the nearest
/// labelled item is at distance 0 for every labelled item.
///
/// Of the result `log_likelihood` leaves out the multinomial coefficients, which do not depend on beta; `gradient_norm`
/// is along the directions that keep items at a limit of the trust there; `at_limit` counts items beyond 1e-3 and 1e6
/// labels. The limits do not apply to the trust of items under the fit: an item beyond them is as good as certain (or
/// worthless) as far as the labels can tell, but keeps its rank among its like, and so it was when the published numbers
/// were made.
///
/// `q` and `counts` are items x classes. Source: the paper, App. B, "the fitting likelihood".
///
/// # Errors
/// No labels at all, tables of different shapes, or a prediction that is not a strictly positive distribution.
///
/// ```
/// use judge_uncertainty_core::belief::{Belief, Beliefs, Design, FeatureColumn, fit_trust};
/// use ndarray::array;
///
/// // Five items, two classes: what the judge predicts, how long each text is, and the labels in hand.
/// let q = array![[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.5, 0.5]];
/// let length = FeatureColumn::complete("length", [3.0, 5.0, 11.0, 8.0, 12.0]);
/// let counts = array![[4, 0], [3, 1], [0, 4], [1, 3], [0, 0]];
///
/// let design = Design::standardized(&[length])?;
/// let fit = fit_trust(&design, q.view(), counts.view())?;
/// assert!(fit.converged);
/// // The judge is off on the long text, so its word counts for less there, and on the unlabelled long one too.
/// let trust = fit.trust(&design);
/// assert!(trust[4] < trust[0]);
///
/// let beliefs = Beliefs::posterior(&trust, q.view(), counts.view());
/// let epistemic = beliefs.map(|belief| belief.epistemic());
/// assert!(epistemic[4] > epistemic[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_trust(design: &Design, q: ArrayView2<f64>, counts: ArrayView2<u32>) -> Result<Regression, TrustError> {
    Ok(fit_trusts(&[design], q, counts)?.remove(0))
}

/// [`fit_trust`] under each of several designs of the same items, whose labels are prepared once.
///
/// # Errors
/// As [`fit_trust`].
pub fn fit_trusts(
    designs: &[&Design],
    q: ArrayView2<f64>,
    counts: ArrayView2<u32>,
) -> Result<Vec<Regression>, TrustError> {
    let table = Rc::new(LabelTable::new(q, counts)?);
    let fit = |design: &&Design| {
        let mut likelihood = LabelLikelihood::new(table.clone(), design, q.nrows())?;
        let mut start = vec![0.0; design.features() + 1];
        start[0] = START_TRUST.ln();
        let maximum = maximise(&mut likelihood, start);
        Ok(Regression::of_likelihood(coefficient_names(design), maximum, table.items.len()))
    };
    designs.iter().map(fit).collect()
}

fn clamp(log_trust: f64) -> f64 {
    log_trust.clamp(LEAST_LOG_TRUST, MOST_LOG_TRUST)
}

/// Labelled items with what the judge predicts of them, packed row by row: what fits with any features share.
struct LabelTable {
    /// Which items hold labels.
    items: Vec<usize>,
    classes: usize,
    /// Total number of labels.
    labels: f64,
    q: Vec<f64>,
    counts: Vec<u32>,
}

impl LabelTable {
    fn new(q: ArrayView2<f64>, counts: ArrayView2<u32>) -> Result<Self, TrustError> {
        if q.dim() != counts.dim() {
            let detail = format!("{:?} predictions, {:?} labels (items, classes)", q.dim(), counts.dim());
            return Err(TrustError::Shape { detail });
        }
        check_predictions(q)?;
        let classes = q.ncols();
        let (q, counts) = (q.as_standard_layout(), counts.as_standard_layout());
        let (all_q, all_counts) = (q.as_slice().unwrap_or_default(), counts.as_slice().unwrap_or_default());
        let (mut items, mut labels) = (Vec::with_capacity(q.nrows()), 0.0);
        let (mut kept_q, mut kept_counts) = (Vec::with_capacity(q.len()), Vec::with_capacity(q.len()));
        let rows = all_q.chunks_exact(classes.max(1)).zip(all_counts.chunks_exact(classes.max(1)));
        for (i, (q, c)) in rows.enumerate() {
            let n: u32 = c.iter().sum();
            if n > 0 {
                items.push(i);
                labels += f64::from(n);
                kept_q.extend_from_slice(q);
                kept_counts.extend_from_slice(c);
            }
        }
        if items.is_empty() {
            return Err(TrustError::NoLabels);
        }
        Ok(Self { items, classes, labels, q: kept_q, counts: kept_counts })
    }
}

/// The likelihood of the labels under features of the items, which bends where items reach a limit of the trust.
struct LabelLikelihood {
    table: Rc<LabelTable>,
    features: usize,
    z: Vec<f64>,
    /// The largest absolute value of each feature.
    largest: Vec<f64>,
    /// Directions in which items would leave a limit of the trust: an orthonormal basis of their rows (1, z).
    ///
    /// At a limit the likelihood has a bend, so its maximum may lie there with a slope that does not vanish. Such a
    /// maximum is searched for along the bend.
    corner: Vec<DVector<f64>>,
}

impl LabelLikelihood {
    /// Of a table of labels of so many items, under the features of a design.
    fn new(table: Rc<LabelTable>, design: &Design, items: usize) -> Result<Self, TrustError> {
        let features = design.features();
        if items != design.items() && features > 0 {
            let detail = format!("{} items with features, {items} with predictions", design.items());
            return Err(TrustError::Shape { detail });
        }
        let mut z = Vec::with_capacity(features * table.items.len());
        let mut largest = vec![0.0_f64; features];
        for &item in &table.items {
            for (z_k, largest) in design.row(item).iter().zip(&mut largest) {
                z.push(*z_k);
                *largest = largest.max(z_k.abs());
            }
        }
        Ok(Self { table, features, z, largest, corner: vec![] })
    }

    /// ```text
    /// L = sum over items of   sum_j sum_{i < c_j} ln(lambda q_j + i)   -   sum_{i < n} ln(lambda + i)
    /// ```
    ///
    /// and the first two derivatives of every item's part of it in lambda, at the trust of every item.
    fn differentiate(&self, trust: &[f64]) -> (f64, Vec<[f64; 2]>) {
        let LabelTable { classes, q, counts, .. } = &*self.table;
        let mut value = LogProduct::default();
        let of_item = |(&trust, (q, counts)): (&f64, (&[f64], &[u32]))| {
            let (mut first, mut second) = (0.0, 0.0);
            for (q, &count) in q.iter().zip(counts) {
                for i in 0..count {
                    let x = trust * q + f64::from(i);
                    let r = q / x;
                    value.multiply(x);
                    first += r;
                    second -= r * r;
                }
            }
            for i in 0..counts.iter().sum() {
                let r = 1.0 / (trust + f64::from(i));
                value.multiply(r);
                first -= r;
                second += r * r;
            }
            [first, second]
        };
        let derivatives = trust.iter().zip(q.chunks_exact(*classes).zip(counts.chunks_exact(*classes))).map(of_item);
        let derivatives = derivatives.collect();
        (value.ln(), derivatives)
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.table.items.len()).map(|i| &self.z[i * self.features..(i + 1) * self.features])
    }
}

impl Objective for LabelLikelihood {
    fn at(&self, beta: &[f64]) -> Expansion {
        // Log trust, beyond the limits too.
        let etas: Vec<f64> = self.rows().map(|z| linear(beta, z)).collect();
        let trust: Vec<f64> = etas.iter().map(|&eta| clamp(eta).exp()).collect();
        let (value, mut derivatives) = self.differentiate(&trust);
        let mut at_limit = 0;
        for ((of_item, eta), trust) in derivatives.iter_mut().zip(&etas).zip(&trust) {
            let [first, second] = *of_item;
            let slope = trust * first;
            *of_item = if clamp(*eta) == *eta {
                [slope, slope + trust * trust * second]
            } else {
                // The clamp is flat beyond its ends.
                at_limit += 1;
                [0.0; 2]
            };
        }
        let (gradient, hessian) = moments(self.features, &self.z, &derivatives);
        Expansion { value, gradient, hessian, at_limit }
    }

    /// Along a flat ridge the last digits decide; then it is by the values of one order of multiplication.
    fn tolerance(&self) -> f64 {
        1e-12 * self.table.labels.max(100.0)
    }

    fn shorten(&self, step: &mut [f64]) {
        let at_most = step[0].abs() + step[1..].iter().zip(&self.largest).map(|(s, z)| s.abs() * z).sum::<f64>();
        // With room for rounding: then no item moves so far, and none is looked at.
        if at_most < 0.999 * LARGEST_MOVE {
            return;
        }
        let reach = self.rows().map(|z| linear(step, z).abs()).fold(0.0, f64::max);
        if reach > LARGEST_MOVE {
            step.iter_mut().for_each(|s| *s *= LARGEST_MOVE / reach);
        }
    }

    /// The point with slope and curvature along the corner only.
    fn smooth<'a>(&self, at: &'a Expansion) -> Cow<'a, Expansion> {
        if self.corner.is_empty() {
            return Cow::Borrowed(at);
        }
        let p = at.gradient.len();
        let mut keep = DMatrix::<f64>::identity(p, p);
        for held in &self.corner {
            keep -= held * held.transpose();
        }
        let hessian = &keep * DMatrix::from_fn(p, p, |a, b| at.hessian[[a, b]]) * &keep;
        let gradient = &keep * DVector::from_column_slice(&at.gradient);
        Cow::Owned(Expansion {
            value: at.value,
            gradient: gradient.iter().copied().collect(),
            hessian: Array2::from_shape_fn((p, p), |(a, b)| hessian[(a, b)]),
            at_limit: at.at_limit,
        })
    }

    /// Holds the items that sit where the likelihood bends at a limit of the trust.
    fn bends(&mut self, beta: &[f64]) -> bool {
        let mut corner = std::mem::take(&mut self.corner);
        let before = corner.len();
        for z in self.rows() {
            let eta = linear(beta, z);
            let distance = (eta - LEAST_LOG_TRUST).abs().min((eta - MOST_LOG_TRUST).abs());
            if distance < NEAR_LIMIT {
                let mut row = DVector::from_iterator(beta.len(), std::iter::once(1.0).chain(z.iter().copied()));
                let length = row.norm();
                for held in &corner {
                    row -= held * held.dot(&row);
                }
                if row.norm() > 1e-6 * length {
                    corner.push(row.normalize());
                }
            }
        }
        self.corner = corner;
        self.corner.len() > before
    }
}

/// The prior on the parameters of a fit that uses the judge's prediction unchanged.
///
/// `Weak` keeps fits to a few dozen items within the range of trust seen for real judges, and loses its influence as
/// labels arrive. It is normal, on logarithmic scales and on coefficients of standardised features:
///
/// | parameter | mean | standard deviation | 95% of it |
/// |---|---|---|---|
/// | ln lambda of an item with average features | ln 8 | 1 | 1.1 to 57 labels |
/// | a feature's coefficient | 0 | 0.5 | a standard deviation of the feature changes lambda by a factor of 2.7 at most |
/// | ln(nu - 2), of ratings | ln 4 | 1.5 | the judge's variance counts as 2.2 to 78 labels |
/// | ln s0^2, of ratings without a judge's variance | that of the ratings about the judge | 2 | within a factor of 50 |
///
/// `None` is the paper's fit, by maximum likelihood alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustPrior {
    /// Weakly informative.
    #[default]
    Weak,
    /// No prior: maximum likelihood, as in the paper.
    None,
}

impl TrustPrior {
    /// Standard deviation of ln lambda of an item with average features.
    pub const LOG_TRUST_SD: f64 = 1.0;
    /// Standard deviation of the coefficient of a standardised feature.
    pub const SLOPE_SD: f64 = 0.5;
    /// Standard deviation of ln(nu - 2).
    pub(super) const LOG_FREEDOM_SD: f64 = 1.5;
    /// Standard deviation of ln s0^2.
    pub(super) const LOG_SCALE_SD: f64 = 2.0;
}

/// Searches for the trust start from 8 labels for every item, and there the prior is centred.
pub(super) const START_TRUST: f64 = 8.0;

/// A parameter that the labels tell less about than its prior does is not determined by them: its posterior variance is
/// above this share of the prior's.
pub(super) const UNDETERMINED: f64 = 0.5;

/// The gradient sum s_x (1, z_x) and the Hessian sum b_x (1, z_x) (1, z_x)^T over items, intercept first, from their
/// features z (items x features) and the slope s and bend b of each.
///
/// Every entry is summed item by item, whatever the processor.
pub(super) fn moments(features: usize, z: &[f64], of_items: &[[f64; 2]]) -> (Vec<f64>, Array2<f64>) {
    let p = features + 1;
    let (mut gradient, mut hessian) = (vec![0.0; p], vec![0.0; p * p]);
    for (i, [slope, bend]) in of_items.iter().enumerate() {
        let z = &z[i * features..(i + 1) * features];
        gradient[0] += slope;
        hessian[0] += bend;
        for (a, za) in z.iter().enumerate() {
            gradient[a + 1] += slope * za;
            let weighted = bend * za;
            hessian[a + 1] += weighted;
            let row = &mut hessian[(a + 1) * p + a + 1..(a + 2) * p];
            row.iter_mut().zip(&z[a..]).for_each(|(sum, zb)| *sum += weighted * zb);
        }
    }
    let mut hessian = Array2::from_shape_vec((p, p), hessian).expect("a square of entries");
    mirror(hessian.view_mut());
    (gradient, hessian)
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};
    use statrs::function::gamma::ln_gamma;

    use super::*;
    use crate::belief::design::FeatureColumn;
    use crate::random::Stream;

    /// Items with two random features, random predictions and labels drawn under a trust of exp(1 + 0.5 z1).
    fn simulated(items: usize, seed: u64) -> (Vec<FeatureColumn>, Array2<f64>, Array2<u32>) {
        let mut stream = Stream::new(seed);
        let z: Vec<[f64; 2]> = (0..items).map(|_| [stream.standard_normal(), stream.standard_normal()]).collect();
        let draw = |stream: &mut Stream, alpha: &[f64]| -> Vec<f64> {
            let g: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a) + 1e-9).collect();
            let sum: f64 = g.iter().sum();
            g.into_iter().map(|g| g / sum).collect()
        };
        let (mut q, mut counts) = (Array2::zeros((items, 3)), Array2::zeros((items, 3)));
        for (i, z) in z.iter().enumerate() {
            let prediction = draw(&mut stream, &[2.0, 1.5, 1.0]);
            let trust = (1.0 + 0.5 * z[0]).exp();
            let p = draw(&mut stream, &prediction.iter().map(|q| trust * q).collect::<Vec<_>>());
            let mut c = [0; 3];
            let number = stream.choice(12);
            stream.multinomial(number, &p, &mut c);
            q.row_mut(i).iter_mut().zip(prediction).for_each(|(x, q)| *x = q);
            counts.row_mut(i).iter_mut().zip(c).for_each(|(x, c)| *x = c);
        }
        let column = |k: usize, name: &str| FeatureColumn::complete(name, z.iter().map(|z| z[k]));
        (vec![column(0, "z1"), column(1, "z2")], q, counts)
    }

    fn fit(columns: &[FeatureColumn], q: &Array2<f64>, counts: &Array2<u32>) -> Result<Regression, TrustError> {
        fit_trust(&Design::standardized(columns).unwrap(), q.view(), counts.view())
    }

    #[test]
    fn value_matches_gamma_functions_and_derivatives_match_differences() {
        let (columns, q, counts) = simulated(60, 3);
        let design = Design::standardized(&columns).unwrap();
        let table = Rc::new(LabelTable::new(q.view(), counts.view()).unwrap());
        let likelihood = LabelLikelihood::new(table, &design, 60).unwrap();
        let beta = [0.7, -0.4, 0.3];
        let by_gamma: f64 = (0..60)
            .filter(|&i| counts.row(i).sum() > 0)
            .map(|i| {
                let trust = linear(&beta, design.row(i)).exp();
                let n = f64::from(counts.row(i).sum());
                let classes = q
                    .row(i)
                    .iter()
                    .zip(counts.row(i))
                    .map(|(q, c)| ln_gamma(trust * q + f64::from(*c)) - ln_gamma(trust * q))
                    .sum::<f64>();
                ln_gamma(trust) - ln_gamma(trust + n) + classes
            })
            .sum();
        let at = likelihood.at(&beta);
        assert!((at.value - by_gamma).abs() < 1e-9 * by_gamma.abs(), "{} against {by_gamma}", at.value);
        let h = 1e-5;
        for a in 0..3 {
            let shifted = |sign: f64| {
                let mut b = beta;
                b[a] += sign * h;
                likelihood.at(&b)
            };
            let (up, down) = (shifted(1.0), shifted(-1.0));
            let slope = (up.value - down.value) / (2.0 * h);
            assert!((slope - at.gradient[a]).abs() < 1e-6 * (1.0 + slope.abs()), "gradient {a}");
            for b in 0..3 {
                let bend = (up.gradient[b] - down.gradient[b]) / (2.0 * h);
                assert!((bend - at.hessian[[a, b]]).abs() < 1e-6 * (1.0 + bend.abs()), "Hessian {a} {b}");
            }
        }
    }

    #[test]
    fn recovers_the_trust_that_made_the_labels() {
        let (columns, q, counts) = simulated(20_000, 11);
        let fit = fit(&columns, &q, &counts).unwrap();
        assert!(fit.converged && fit.rank == 3 && fit.unidentified.is_empty() && fit.iterations < 15, "{fit:?}");
        for (k, truth) in [1.0, 0.5, 0.0].into_iter().enumerate() {
            let (error, se) = (fit.coefficients[k] - truth, fit.standard_errors()[k]);
            assert!(error.abs() < 4.0 * se && se < 0.05, "{}: {error} with standard error {se}", fit.names[k]);
        }
    }

    #[test]
    fn a_constant_feature_keeps_its_start() {
        let (mut columns, q, counts) = simulated(300, 5);
        let without = fit(&columns, &q, &counts).unwrap();
        columns.push(FeatureColumn::complete("constant", vec![4.2; 300]));
        let with = fit(&columns, &q, &counts).unwrap();
        assert_eq!((with.rank, with.unidentified.as_slice()), (3, &["constant".to_owned()][..]));
        // The mean of 300 times 4.2 is off by rounding, so the standardised constant is about 1e-5 and not 0.
        assert!(with.coefficients[3].abs() < 1e-4 && with.converged, "{with:?}");
        for k in 0..3 {
            assert!((with.coefficients[k] - without.coefficients[k]).abs() < 1e-4);
        }
    }

    #[test]
    fn collinear_features_share_the_effect_and_say_so() {
        let (mut columns, q, counts) = simulated(300, 5);
        let alone = fit(&columns, &q, &counts).unwrap();
        columns.push(FeatureColumn { feature: "copy of z1".into(), ..columns[0].clone() });
        let shared = fit(&columns, &q, &counts).unwrap();
        assert_eq!(shared.unidentified, ["z1", "copy of z1"]);
        assert!((shared.coefficients[1] - shared.coefficients[3]).abs() < 1e-8);
        assert!((shared.coefficients[1] + shared.coefficients[3] - alone.coefficients[1]).abs() < 1e-6);
        assert!((shared.log_likelihood - alone.log_likelihood).abs() < 1e-8);
        assert!(shared.covariance.iter().flatten().all(|x| x.is_finite()));
    }

    /// One label has probability q_c whatever the trust, so it says nothing about it.
    #[test]
    fn single_labels_leave_the_trust_at_its_start() {
        let columns = [FeatureColumn::complete("x", [1.0, 2.0, 3.0])];
        let q = array![[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]];
        let fit = fit(&columns, &q, &array![[1, 0], [0, 0], [0, 1]]).unwrap();
        assert_eq!((fit.rank, fit.labelled_items), (0, 2));
        assert_eq!(fit.unidentified, ["intercept", "x"]);
        assert_eq!(fit.coefficients, [START_TRUST.ln(), 0.0]);
        assert!(fit.converged && fit.covariance.iter().flatten().all(|x| *x == 0.0));
    }

    #[test]
    fn one_labelled_item_fits_its_own_trust() {
        let columns = [FeatureColumn::complete("x", [1.0, 2.0])];
        let q = array![[0.5, 0.5], [0.2, 0.8]];
        let fit = fit(&columns, &q, &array![[9, 1], [0, 0]]).unwrap();
        assert!(fit.converged && fit.rank == 1 && fit.labelled_items == 1, "{fit:?}");
        assert!(fit.coefficients.iter().all(|b| b.is_finite()));
    }

    /// Labels that agree with the predictions better than chance would: the likelihood rises up to the limit.
    #[test]
    fn agreement_beyond_chance_ends_at_the_limit() {
        let q = Array2::from_elem((50, 2), 0.5);
        let design = Design::standardized(&[FeatureColumn::complete("x", (0..50).map(f64::from))]).unwrap();
        let fit = fit_trust(&design, q.view(), Array2::from_elem((50, 2), 5).view()).unwrap();
        let coefficients = &fit.coefficients;
        assert!(coefficients.iter().all(|b| b.is_finite()) && coefficients[0] > 1e4_f64.ln(), "{fit:?}");
        let trust = fit.trust(&design);
        assert!(trust.iter().all(|t| t.is_finite() && *t > 1e4));
    }

    #[test]
    fn unusable_input_is_refused() {
        let columns = [FeatureColumn::complete("x", [1.0, 2.0])];
        let q = array![[0.5, 0.5], [0.2, 0.8]];
        assert_eq!(fit(&columns, &q, &Array2::zeros((2, 2))).unwrap_err(), TrustError::NoLabels);
        let zero = array![[0.5, 0.5], [0.0, 1.0]];
        assert_eq!(
            fit(&columns, &zero, &array![[1, 1], [0, 2]]).unwrap_err(),
            TrustError::Prediction { item: 1, class: 0, value: 0.0 }
        );
        let off = array![[0.5, 0.6], [0.2, 0.8]];
        assert!(matches!(fit(&columns, &off, &array![[1, 1], [0, 2]]), Err(TrustError::Prediction { item: 0, .. })));
        let nan = array![[0.5, f64::NAN], [0.2, 0.8]];
        assert!(matches!(fit(&columns, &nan, &array![[1, 1], [0, 2]]), Err(TrustError::Prediction { .. })));
        assert!(matches!(fit(&columns, &q, &array![[1, 1, 0], [0, 2, 0]]), Err(TrustError::Shape { .. })));
    }
}

#[cfg(test)]
mod moments_tests {
    use super::*;

    /// Numbers of features on both sides of those that are summed in registers, to the last bit.
    #[test]
    fn sums_are_those_of_one_item_after_another() {
        for features in [0, 1, 5, 6, 7, 9] {
            let z: Vec<f64> = (0..30 * features).map(|k| (1.7 * k as f64).sin()).collect();
            let of_items: Vec<[f64; 2]> =
                (0..30).map(|i| [(0.3 * f64::from(i)).cos(), -(0.7 * f64::from(i)).sin()]).collect();
            let (gradient, hessian) = moments(features, &z, &of_items);
            let with_one = |i: usize, a: usize| if a == 0 { 1.0 } else { z[i * features + a - 1] };
            for a in 0..=features {
                let slope = (0..30).fold(0.0, |sum, i| sum + of_items[i][0] * with_one(i, a));
                assert_eq!(gradient[a], slope, "{features} {a}");
                for b in a..=features {
                    let bend = (0..30).fold(0.0, |sum, i| sum + of_items[i][1] * with_one(i, a) * with_one(i, b));
                    assert_eq!((hessian[[a, b]], hessian[[b, a]]), (bend, bend), "{features} {a} {b}");
                }
            }
        }
    }
}

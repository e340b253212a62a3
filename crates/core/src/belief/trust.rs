//! The trust regression: how many labels a judge's prediction is worth, learned from labels already collected.

use std::marker::PhantomData;

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::design::{Design, DesignError};
use super::dirichlet::row;
use super::engine::{LOG_TRUST, Likelihood, Posterior, Shape, Slopes, Terms, trust_moves};
use super::judged::check_predictions;
use super::newton::{LogProduct, maximise};
use super::regression::{LARGEST_MOVE, Regression, coefficient_names};

/// The likelihood treats log trust as if it stopped at ln 1e-3 labels,
const LEAST_LOG_TRUST: f64 = -6.907_755_278_982_137;
/// and at ln 1e6 labels.
const MOST_LOG_TRUST: f64 = 13.815_510_557_964_274;

/// Why a fit is refused.
#[derive(Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum FitError {
    /// Features that can't be used.
    #[error(transparent)]
    Design(#[from] DesignError),
    #[error("no item has a label, so there is nothing to learn the trust from: collect labels for some items first")]
    NoLabels,
    #[error("features, predictions, labels and groups must describe the same items and classes: {detail}")]
    Shape { detail: String },
    #[error(
        "the prediction of item {item} (counted from 0) for class {class} is {value}: the likelihood needs every \
         probability above 0 and rows that sum to 1; floor and renormalise the predictions first"
    )]
    Prediction { item: usize, class: usize, value: f64 },
    #[error(
        "the {what} of item {item} (counted from 0) is {value}: give a finite number{}",
        if *what == "judge's variance" { " above 0, or none" } else { "" }
    )]
    Value { what: &'static str, item: usize, value: f64 },
    #[error("the map `{map}` cannot be fitted: {why}; name another map, or take belief = \"auto\"")]
    Map { map: &'static str, why: String },
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
pub fn fit_trust(design: &Design, q: ArrayView2<f64>, counts: ArrayView2<u32>) -> Result<Regression, FitError> {
    let refuse = |detail| Err(FitError::Shape { detail });
    if q.dim() != counts.dim() {
        return refuse(format!("{:?} predictions, {:?} labels (items, classes)", q.dim(), counts.dim()));
    }
    if q.nrows() != design.items() && design.features() > 0 {
        return refuse(format!("{} items with features, {} with predictions", design.items(), q.nrows()));
    }
    check_predictions(q)?;
    let (q, counts) = (q.as_standard_layout(), counts.as_standard_layout());
    let items = (0..q.nrows()).map(|i| (i, (row(q.row(i)), row(counts.row(i)))));
    let labelled: Vec<_> = items.filter(|(_, (_, counts))| counts.iter().any(|n| *n > 0)).collect();
    if labelled.is_empty() {
        return Err(FitError::NoLabels);
    }
    let mut posterior = posterior(design, &labelled);
    let start = posterior.centre.clone();
    let maximum = maximise(&mut posterior, start);
    let curvature = maximum.at.curvature();
    Ok(posterior.conclude(coefficient_names(design), maximum, &curvature).0)
}

/// What is maximised, a flat prior on all coefficients, from items with their positions in the design.
fn posterior<'a>(design: &Design, labelled: &[(usize, StatedItem<'a>)]) -> Posterior<StatedPrediction<'a>> {
    let features = design.features();
    let terms = |&(i, item): &(usize, StatedItem<'a>)| {
        let z = if features > 0 { design.row(i) } else { &[] };
        Terms { moves: trust_moves(z).collect(), numbers: vec![], times: 1, item }
    };
    let mut start = vec![0.0; features + 1];
    start[LOG_TRUST] = START_TRUST.ln();
    let shape = Shape { features, size: 1, first_moved: 1, first_number: features + 1, numbers: 0 };
    let flat = vec![0.0; features + 1];
    Posterior::new(StatedPrediction(PhantomData), shape, labelled.iter().map(terms).collect(), (start, flat))
}

/// An item's prediction and its labels, by class.
type StatedItem<'a> = (&'a [f64], &'a [u32]);

/// Labels of classes as draws from a distribution over the classes that is itself drawn from Dir(lambda q), with q the
/// prediction as it is and a log trust that stops at its limits.
struct StatedPrediction<'a>(PhantomData<StatedItem<'a>>);

impl<'a> Likelihood for StatedPrediction<'a> {
    type Item = StatedItem<'a>;
    type Room = ();

    /// Along a flat ridge the last digits decide; then it is by the values of one order of multiplication.
    const TOLERANCE: f64 = 1e-12;
    const LIMITS: Option<[f64; 2]> = Some([LEAST_LOG_TRUST, MOST_LOG_TRUST]);

    fn size(&self) -> usize {
        1
    }

    fn labels((_, counts): &Self::Item) -> f64 {
        f64::from(counts.iter().sum::<u32>())
    }

    fn room(&self) {}

    /// ```text
    /// ln L = sum_j sum_{i < c_j} ln(lambda q_j + i)   -   sum_{i < n} ln(lambda + i)
    /// ```
    fn differentiate(
        &self,
        (q, counts): &Self::Item,
        at: &[f64],
        (): &mut (),
        out: &mut Slopes,
        value: &mut LogProduct,
    ) {
        let held = at[LOG_TRUST].clamp(LEAST_LOG_TRUST, MOST_LOG_TRUST);
        let (trust, mut first, mut second) = (held.exp(), 0.0, 0.0);
        for (q, &count) in q.iter().zip(*counts) {
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
        let slope = trust * first;
        // The likelihood is flat beyond the limits.
        let inside = held == at[LOG_TRUST];
        out.slope[0] = if inside { slope } else { 0.0 };
        out.bend[0] = if inside { slope + trust * trust * second } else { 0.0 };
    }

    fn longest(&self, _: usize) -> f64 {
        LARGEST_MOVE
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

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};
    use statrs::function::gamma::ln_gamma;

    use super::*;
    use crate::belief::design::FeatureColumn;
    use crate::belief::newton::Objective;
    use crate::belief::regression::linear;
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

    fn fit(columns: &[FeatureColumn], q: &Array2<f64>, counts: &Array2<u32>) -> Result<Regression, FitError> {
        fit_trust(&Design::standardized(columns).unwrap(), q.view(), counts.view())
    }

    #[test]
    fn value_matches_gamma_functions_and_derivatives_match_differences() {
        let (columns, q, counts) = simulated(60, 3);
        let design = Design::standardized(&columns).unwrap();
        let labelled: Vec<_> =
            (0..60).filter(|&i| counts.row(i).sum() > 0).map(|i| (i, (row(q.row(i)), row(counts.row(i))))).collect();
        let likelihood = posterior(&design, &labelled);
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
        assert_eq!(fit(&columns, &q, &Array2::zeros((2, 2))).unwrap_err(), FitError::NoLabels);
        let zero = array![[0.5, 0.5], [0.0, 1.0]];
        assert_eq!(
            fit(&columns, &zero, &array![[1, 1], [0, 2]]).unwrap_err(),
            FitError::Prediction { item: 1, class: 0, value: 0.0 }
        );
        let off = array![[0.5, 0.6], [0.2, 0.8]];
        assert!(matches!(fit(&columns, &off, &array![[1, 1], [0, 2]]), Err(FitError::Prediction { item: 0, .. })));
        let nan = array![[0.5, f64::NAN], [0.2, 0.8]];
        assert!(matches!(fit(&columns, &nan, &array![[1, 1], [0, 2]]), Err(FitError::Prediction { .. })));
        assert!(matches!(fit(&columns, &q, &array![[1, 1, 0], [0, 2, 0]]), Err(FitError::Shape { .. })));
    }
}

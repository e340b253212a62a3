//! Fits a map: its parameters at the maximum, its variances by the labels' marginal likelihood.

use ndarray::ArrayView2;

use super::fitted::{Map, Variance};
use super::layout::{Layout, Unavailable};
use super::objective::Posterior;
use super::readings::Readings;
use super::rung::Rung;
use crate::belief::newton::{Curvature, Maximum, maximise};
use crate::belief::regression::{Regression, coefficient_names};
use crate::belief::trust::TrustError;

/// Every block starts from this variance.
const START: f64 = 0.1;
/// Variances stay between these: where the labels want none at all (a logit then moves by some hundredths), and where it would run off.
const LEAST: f64 = 1e-4;
const MOST: f64 = 100.0;
/// A variance changes by at most this factor at once.
const LARGEST_FACTOR: f64 = 10.0;
/// Rounds of variances, at most.
const ROUNDS: usize = 40;
/// They end where no variance above ten times the least changes by more than this share.
const ENOUGH: f64 = 0.02;
/// How loosely the search for the parameters may end while the variances still move.
const LOOSE: f64 = 1e6;

/// Fits a map to the labels, its trust with it.
///
/// ```text
/// u = ln q + sum_s theta_s a_s + C V phi,   q' = softmax(u),   ln lambda = beta_0 + beta^T z
/// L = sum over items with n >= 1 of lnG(lambda) - lnG(lambda + n) + sum_j [lnG(lambda q'_j + c_j) - lnG(lambda q'_j)]
/// maximised: L - (beta_0 - ln 8)^2 / (2 * 1.5^2) - |beta|^2 / 2 - sum over blocks b of |w_b|^2 / (2 s_b^2)
/// ```
///
/// with q the judge's prediction, z its features, c the label counts and n their sum. The trust has the weak prior of studies
/// ([`crate::belief::TrustPrior`]); the blocks are the map's terms ([`Rung`]). Each variance s_b^2 maximises the labels' marginal likelihood, by Laplace's
/// approximation and MacKay's fixed point: s_b^2 = |w_b|^2 / g_b, with g_b = d_b - tr(S_bb) / s_b^2 the number of well-determined
/// ones among its d_b parameters and S the inverse of minus the Hessian. A block of which the labels say nothing goes to 0, and the
/// map is the simpler one. Source: MacKay (1992), "Bayesian interpolation". Gradient and Hessian are exact.
///
/// Without labels the map is the prediction as it is.
///
/// # Errors
/// Tables of different shapes, or a prediction that is not strictly positive.
pub fn fit<'a>(
    rung: Rung,
    readings: impl Into<Readings<'a>>,
    counts: ArrayView2<u32>,
) -> Result<Result<Map, Unavailable>, TrustError> {
    fit_where(rung, &readings.into(), counts, |_| true)
}

/// [`fit`] to the labels of the items that are kept.
pub(super) fn fit_where(
    rung: Rung,
    readings: &Readings,
    counts: ArrayView2<u32>,
    keep: impl Fn(usize) -> bool,
) -> Result<Result<Map, Unavailable>, TrustError> {
    readings.check(counts)?;
    let layout = match Layout::of(rung, readings) {
        Ok(layout) => layout,
        Err(unavailable) => return Ok(Err(unavailable)),
    };
    let posterior = Posterior::new(&layout, readings, counts, keep);
    Ok(Ok(Search::new(layout, posterior).map(coefficient_names(readings.items.design))))
}

/// Parameters that share a variance, by position.
struct Shared {
    name: &'static str,
    positions: Vec<usize>,
    variance: f64,
}

struct Search {
    layout: Layout,
    posterior: Posterior,
    blocks: Vec<Shared>,
}

impl Search {
    fn new(layout: Layout, posterior: Posterior) -> Self {
        let mut blocks = vec![];
        for block in layout.blocks() {
            let vectors = block.vectors.map(|s| posterior.theta() + s);
            let numbers = (0..layout.classes - 1).flat_map(|m| block.numbers.clone().map(move |f| (m, f)));
            let positions = vectors.chain(numbers.map(|(m, f)| posterior.v(m) + f)).collect();
            blocks.push(Shared { name: block.name, positions, variance: START });
        }
        Self { layout, posterior, blocks }
    }

    fn spread_variances(&mut self) {
        for block in &self.blocks {
            block.positions.iter().for_each(|&k| self.posterior.precision[k] = 1.0 / block.variance);
        }
    }

    fn map(mut self, names: Vec<String>) -> Map {
        let mut parameters = self.posterior.centre.clone();
        if self.posterior.items > 0 {
            self.posterior.loose = LOOSE;
            for _ in 0..ROUNDS {
                self.spread_variances();
                let maximum = maximise(&mut self.posterior, parameters);
                let covariance = maximum.at.curvature();
                parameters = maximum.parameters;
                if !self.renew(&parameters, &covariance) {
                    break;
                }
            }
            self.posterior.loose = 1.0;
        } else {
            self.blocks.iter_mut().for_each(|block| block.variance = LEAST);
        }
        self.spread_variances();
        let maximum = maximise(&mut self.posterior, parameters);
        self.conclude(names, maximum)
    }

    /// One step of the fixed point; whether a variance still moves.
    fn renew(&mut self, parameters: &[f64], curvature: &Curvature) -> bool {
        let covariance = curvature.covariance();
        let mut moves = false;
        for block in &mut self.blocks {
            if block.variance <= LEAST {
                continue;
            }
            let off = |k: &usize| parameters[*k] - self.posterior.centre[*k];
            let square: f64 = block.positions.iter().map(|k| off(k) * off(k)).sum();
            let determined = well_determined(block, &covariance);
            let wanted = if determined > 1e-9 { square / determined } else { 0.0 };
            let bounds = (block.variance / LARGEST_FACTOR, block.variance * LARGEST_FACTOR);
            let variance = wanted.clamp(bounds.0, bounds.1).clamp(LEAST, MOST);
            let matters = variance.max(block.variance) > 10.0 * LEAST;
            moves |= matters && (variance / block.variance).ln().abs() > ENOUGH;
            block.variance = variance;
        }
        moves
    }

    fn conclude(self, names: Vec<String>, maximum: Maximum) -> Map {
        let Self { layout, posterior, blocks } = self;
        let curvature = maximum.at.curvature();
        let covariance = curvature.covariance();
        let mut log_prior = 0.0;
        posterior.add_prior(&maximum.parameters, &mut log_prior, &mut vec![0.0; maximum.parameters.len()]);
        let variances = blocks.iter().map(|block| Variance {
            block: block.name.to_owned(),
            parameters: block.positions.len(),
            variance: block.variance,
            determined: well_determined(block, &covariance),
        });
        let loose = |k: &usize| covariance[*k][*k] * posterior.precision[*k] > 0.5 || covariance[*k][*k] <= 0.0;
        Map {
            variances: variances.collect(),
            parameters: maximum.parameters[posterior.theta()..].to_vec(),
            regression: Regression {
                rank: names.len(),
                unidentified: (0..names.len()).filter(loose).map(|k| names[k].clone()).collect(),
                coefficients: maximum.parameters[..posterior.theta()].to_vec(),
                names,
                covariance,
                log_likelihood: maximum.at.value - log_prior,
                iterations: maximum.iterations,
                gradient_norm: maximum.gradient_norm,
                converged: maximum.converged,
                labelled_items: posterior.items,
                at_limit: 0,
            },
            layout,
        }
    }
}

/// How many of a block's parameters the labels determine rather than its variance.
fn well_determined(block: &Shared, covariance: &[Vec<f64>]) -> f64 {
    let trace: f64 = block.positions.iter().map(|&k| covariance[k][k]).sum();
    let size = block.positions.len() as f64;
    (size - trace / block.variance).clamp(0.0, size)
}

//! Fits a map: its parameters at the maximum, its variances by the labels' marginal likelihood.

use ndarray::ArrayView2;

use super::carried::{FIRST_VARIANCE, variance_of_weight};
use super::fitted::{Map, Variance};
use super::guesses::Shares;
use super::layout::{Block, Kind, Layout, Unavailable};
use super::mixture::fit_mixture;
use super::objective::{Pack, Posterior};
use super::readings::Readings;
use super::rung::Rung;
use crate::belief::fixed_point::{ENOUGH, FixedPoint, LEAST, ROUNDS};
use crate::belief::newton::{Curvature, Maximum, maximise_with_curvature};
use crate::belief::regression::{Regression, coefficient_names};
use crate::belief::trust::TrustError;

/// How loosely the search for the parameters may end while the variances still move. It leaves them some hundredths off their fixed point
/// (4% at most against the independent program of `tests/golden/ladder`), which moves means by some thousandths.
const LOOSE: f64 = 1e8;

/// Fits a map to the labels, its trust with it.
///
/// ```text
/// u = ln r + sum_s theta_s a_s + C V phi,   r = (1 - g) q + g / K,   q' = softmax(u),   ln lambda = beta_0 + beta^T z
/// L = sum over items with n >= 1 of lnG(lambda) - lnG(lambda + n) + sum_j [lnG(lambda q'_j + c_j) - lnG(lambda q'_j)]
/// maximised: L - (beta_0 - ln 8)^2 / (2 * 1.5^2) - |beta|^2 / 2 - sum over blocks b of |w_b|^2 / (2 s_b^2)
/// ```
///
/// with q the judge's prediction, z its features, c the label counts and n their sum. The trust has the weak prior of studies
/// ([`crate::belief::TrustPrior`]); the blocks are the map's terms ([`Rung`]). Each variance s_b^2 maximises the labels' marginal likelihood, by Laplace's
/// approximation and MacKay's fixed point: s_b^2 = |w_b|^2 / g_b, with g_b = d_b - tr(S_bb) / s_b^2 the number of well-determined
/// ones among its d_b parameters and S the inverse of minus the Hessian. A block of which the labels say nothing goes to 0 and is left
/// out, and the map is the simpler one. g, the share of guesses, is where labels and priors, its own of density 10 (1 - g)^9 among them,
/// are likeliest under [`Rung::Smoothing`], or for the maps after it under [`Rung::Temperature`] at variance 1. Source: MacKay (1992), "Bayesian interpolation". Gradient and Hessian are exact.
///
/// Without labels the map is the prediction as it is, or the map that is carried ([`super::Carried`]) as it is.
///
/// # Errors
/// Tables of different shapes, or a prediction that is not strictly positive.
pub fn fit<'a>(
    rung: Rung,
    readings: impl Into<Readings<'a>>,
    counts: ArrayView2<u32>,
) -> Result<Result<Map, Unavailable>, TrustError> {
    fit_where(rung, &readings.into(), counts, ENOUGH, |_| true, &mut Shares::default())
}

/// [`fit`] to the labels of the items that are kept, the variances to a share of `enough`, with the shares of guesses that were found
/// for other maps of the same labels.
pub(super) fn fit_where(
    rung: Rung,
    readings: &Readings,
    counts: ArrayView2<u32>,
    enough: f64,
    keep: impl Fn(usize) -> bool,
    shares: &mut Shares,
) -> Result<Result<Map, Unavailable>, TrustError> {
    readings.check(counts)?;
    let pack = |layout: &Layout| Posterior::new(layout, readings, counts, &keep);
    if rung == Rung::Line
        && let Err(unavailable) = Layout::of(rung, readings, 0.0)
    {
        return Ok(Err(unavailable));
    }
    let layout = match Layout::of(rung, readings, shares.of(rung, readings, &pack)) {
        Ok(layout) => layout,
        Err(unavailable) => return Ok(Err(unavailable)),
    };
    let search = Search::new(layout, &pack, enough);
    let map = search.map(coefficient_names(readings.items.design));
    Ok(if rung == Rung::Mixture { fit_mixture(map, readings, counts, enough, &keep) } else { Ok(map) })
}

/// The map that is carried, as it is: nothing but the trust is fitted to the labels.
pub(super) fn fit_as_carried(readings: &Readings, counts: ArrayView2<u32>) -> Result<Map, TrustError> {
    readings.check(counts)?;
    let pack = |layout: &Layout| Posterior::new(layout, readings, counts, |_| true);
    let mut layout = Layout::of(Rung::Identity, readings, 0.0).expect("the prediction as it is can always be taken");
    layout.leave_out(&[Kind::Carried]);
    Ok(Search::new(layout, &pack, ENOUGH).map(coefficient_names(readings.items.design)))
}

/// Parameters that share a variance, by position.
struct Shared {
    kind: Kind,
    positions: Vec<usize>,
    point: FixedPoint,
}

struct Search<'a> {
    layout: Layout,
    pack: Pack<'a>,
    posterior: Posterior,
    blocks: Vec<Shared>,
    /// Blocks that were left out, with their numbers of parameters.
    gone: Vec<(Kind, usize)>,
    enough: f64,
}

fn shared(layout: &Layout, posterior: &Posterior) -> Vec<Shared> {
    let positions = |block: &Block| -> Vec<usize> {
        let vectors = block.vectors.clone().map(|s| posterior.theta() + s);
        let numbers = (0..layout.classes - 1).flat_map(|m| block.numbers.clone().map(move |f| (m, f)));
        vectors.chain(numbers.map(|(m, f)| posterior.v(m) + f)).collect()
    };
    let start = |kind: Kind| {
        if kind == Kind::Carried { FixedPoint::starting_at(FIRST_VARIANCE) } else { FixedPoint::default() }
    };
    layout.blocks().iter().map(|b| Shared { kind: b.kind, positions: positions(b), point: start(b.kind) }).collect()
}

impl<'a> Search<'a> {
    fn new(layout: Layout, pack: Pack<'a>, enough: f64) -> Self {
        let posterior = pack(&layout);
        let blocks = shared(&layout, &posterior);
        Self { layout, pack, posterior, blocks, gone: vec![], enough }
    }

    fn spread_variances(&mut self) {
        for block in &self.blocks {
            block.positions.iter().for_each(|&k| self.posterior.precision[k] = 1.0 / block.point.variance);
        }
    }

    fn map(mut self, names: Vec<String>) -> Map {
        let mut parameters = self.posterior.centre.clone();
        if self.posterior.items == 0 {
            let own = |block: &&mut Shared| block.kind != Kind::Carried;
            self.blocks.iter_mut().filter(own).for_each(|block| block.point.vanish());
            parameters = self.leave_out(parameters);
        }
        for _ in 0..ROUNDS {
            if self.blocks.is_empty() {
                break;
            }
            self.spread_variances();
            self.posterior.loose = LOOSE;
            let (maximum, curvature) = maximise_with_curvature(&mut self.posterior, parameters);
            let moves = self.renew(&maximum.parameters, &curvature);
            parameters = self.leave_out(maximum.parameters);
            if !moves {
                break;
            }
        }
        self.posterior.loose = 1.0;
        self.spread_variances();
        let (maximum, curvature) = maximise_with_curvature(&mut self.posterior, parameters);
        self.conclude(names, maximum, &curvature)
    }

    /// One step of the fixed point; whether a variance still moves.
    fn renew(&mut self, parameters: &[f64], curvature: &Curvature) -> bool {
        let variances = curvature.variances();
        let mut moves = false;
        for block in &mut self.blocks {
            let off = |k: &usize| parameters[*k] - self.posterior.centre[*k];
            let square: f64 = block.positions.iter().map(|k| off(k) * off(k)).sum();
            let determined = well_determined(block, |k| variances[k]);
            moves |= match block.kind {
                Kind::Carried => block.point.approach(variance_of_weight(square, determined), self.enough),
                _ => block.point.renew(square, determined, self.enough),
            };
        }
        moves
    }

    /// Leaves out the blocks at the least variance; the parameters that are left.
    fn leave_out(&mut self, parameters: Vec<f64>) -> Vec<f64> {
        let (gone, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.blocks).into_iter().partition(|block| block.point.variance <= LEAST);
        self.blocks = left;
        if gone.is_empty() {
            return parameters;
        }
        self.gone.extend(gone.iter().map(|block| (block.kind, block.positions.len())));
        self.layout.leave_out(&gone.iter().map(|block| block.kind).collect::<Vec<_>>());
        let old = std::mem::replace(&mut self.posterior, (self.pack)(&self.layout));
        let mut fewer = parameters[..old.theta()].to_vec();
        fewer.resize(self.posterior.centre.len(), 0.0);
        let fresh = shared(&self.layout, &self.posterior);
        for (block, fresh) in self.blocks.iter_mut().zip(fresh) {
            for (from, to) in block.positions.iter().zip(&fresh.positions) {
                fewer[*to] = parameters[*from];
            }
            block.positions = fresh.positions;
        }
        fewer
    }

    fn conclude(self, names: Vec<String>, maximum: Maximum, curvature: &Curvature) -> Map {
        let Self { layout, posterior, blocks, gone, .. } = self;
        let covariance = curvature.covariance();
        let mut log_prior = 0.0;
        posterior.add_prior(&maximum.parameters, &mut log_prior, &mut vec![0.0; maximum.parameters.len()]);
        let fitted = blocks.iter().map(|block| {
            (block.kind, block.positions.len(), block.point.variance, well_determined(block, |k| covariance[k][k]))
        });
        let mut all: Vec<_> = fitted.chain(gone.into_iter().map(|(kind, size)| (kind, size, 0.0, 0.0))).collect();
        all.sort_by_key(|(kind, ..)| *kind);
        let variance = |(kind, parameters, variance, determined): (Kind, usize, f64, f64)| Variance {
            block: kind.name().to_owned(),
            parameters,
            variance,
            determined,
        };
        let loose = |k: &usize| covariance[*k][*k] * posterior.precision[*k] > 0.5 || covariance[*k][*k] <= 0.0;
        Map {
            variances: all.into_iter().map(variance).collect(),
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
            components: 0,
        }
    }
}

/// How many of a block's parameters the labels determine rather than its variance.
fn well_determined(block: &Shared, variance_of: impl Fn(usize) -> f64) -> f64 {
    let trace: f64 = block.positions.iter().map(|&k| variance_of(k)).sum();
    let size = block.positions.len() as f64;
    (size - trace / block.point.variance).clamp(0.0, size)
}

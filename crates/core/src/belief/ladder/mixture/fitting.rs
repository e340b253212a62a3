//! Fits the mixture: several starts, the likeliest of them, and its variances by the labels' marginal likelihood.

use ndarray::ArrayView2;

use super::COMPONENTS;
use super::objective::Mixed;
use super::rows::Places;
use crate::belief::fixed_point::{FixedPoint, LEAST, ROUNDS};
use crate::belief::ladder::carried::variance_of_weight;
use crate::belief::ladder::fitted::{Map, Variance};
use crate::belief::ladder::layout::{Kind, MOST_PARAMETERS, Unavailable};
use crate::belief::ladder::readings::Readings;
use crate::belief::newton::{Curvature, Maximum, maximise, maximise_with_curvature};
use crate::belief::regression::Regression;
use crate::random::Stream;

/// Starts of the search.
const STARTS: u64 = 4;
/// Where they are drawn from.
const SEED: u64 = 0x417;
/// More labelled items than these do not take part in choosing among the starts.
const MOST_TO_START: usize = 2_000;
/// The variance of every block of the components at a start.
const FIRST_VARIANCE: f64 = 1.0;
/// How loosely the search may end while the start or the variances are still open.
const LOOSE: f64 = 1e8;

/// Fits the components on top of the map that they share, from that map as it is fitted alone.
///
/// Of every start, the components' parameters are drawn at random and the log posterior at variances of 1 is maximised; the highest maximum goes on.
/// There every variance, those of the shared map among them, maximises the labels' marginal likelihood as in [`super::super::fit`]. Where the labels want no components
/// their variances go to 0, and they are alike.
pub(in crate::belief::ladder) fn fit_mixture(
    alone: Map,
    readings: &Readings,
    counts: ArrayView2<u32>,
    enough: f64,
    keep: impl Fn(usize) -> bool,
) -> Result<Map, Unavailable> {
    let layout = &alone.layout;
    let mut posterior = Mixed::new(layout, COMPONENTS, readings, counts, keep);
    if posterior.places.all() > MOST_PARAMETERS {
        return Err(Unavailable::TooMany(posterior.places.all()));
    }
    let mut blocks = blocks(&posterior.places, &alone);
    let shared: Vec<f64> = alone.regression.coefficients.iter().chain(&alone.parameters).copied().collect();
    let mut parameters = if posterior.items.is_empty() {
        blocks.iter_mut().filter(|block| block.shared.is_none()).for_each(|block| block.point.vanish());
        shared.iter().copied().chain(std::iter::repeat_n(0.0, posterior.places.all() - shared.len())).collect()
    } else {
        spread(&mut posterior, &blocks);
        best_start(&mut posterior, &shared)
    };
    for _ in 0..ROUNDS {
        if posterior.items.is_empty() {
            break;
        }
        spread(&mut posterior, &blocks);
        posterior.loose = LOOSE;
        let (maximum, curvature) = maximise_with_curvature(&mut posterior, parameters);
        let moves = renew(&mut blocks, &posterior, &maximum.parameters, &curvature, enough);
        parameters = maximum.parameters;
        if !moves {
            break;
        }
    }
    posterior.loose = 1.0;
    spread(&mut posterior, &blocks);
    let (maximum, curvature) = maximise_with_curvature(&mut posterior, parameters);
    Ok(conclude(alone, &posterior, &blocks, maximum, &curvature))
}

/// Parameters that share a variance.
struct Block {
    name: &'static str,
    positions: Vec<usize>,
    point: FixedPoint,
    /// Which of the shared map's variances it is.
    shared: Option<usize>,
    /// Whether it is the weight of a carried map, whose variance has a prior.
    carried: bool,
}

fn blocks(places: &Places, alone: &Map) -> Vec<Block> {
    let theta = alone.regression.coefficients.len();
    let numbers = alone.layout.numbers();
    let of_layout = alone.layout.blocks();
    let fitted = alone.variances.iter().enumerate().filter(|(_, variance)| variance.variance > 0.0);
    let shared = fitted.map(|(k, variance)| {
        let block = of_layout.iter().find(|block| block.kind.name() == variance.block).expect("it was fitted");
        let vectors = block.vectors.clone().map(|s| theta + s);
        let first = |m: usize| theta + alone.layout.vectors() + m * numbers;
        let contrasts = (0..places.width()).flat_map(|m| block.numbers.clone().map(move |f| first(m) + f));
        Block {
            name: block.kind.name(),
            positions: vectors.chain(contrasts).collect(),
            point: FixedPoint::starting_at(variance.variance),
            shared: Some(k),
            carried: block.kind == Kind::Carried,
        }
    });
    let components = || 0..places.components;
    // A weight reads 1, the contrasts of the prediction, and features.
    let of_prediction = places.classes;
    let weights = |of: std::ops::Range<usize>| -> Vec<usize> {
        components().flat_map(|c| of.clone().map(move |k| places.weight(c).start + k)).collect()
    };
    let own = [
        ("components: temperatures and biases", components().flat_map(|c| places.map(c)).collect()),
        ("components: trust", components().map(|c| places.trust(c)).collect()),
        ("components: weights by the prediction", weights(0..of_prediction)),
        ("components: weights by features", weights(of_prediction..places.inputs)),
    ];
    let point = FixedPoint::starting_at(FIRST_VARIANCE);
    let own = own.into_iter().map(|(name, positions)| Block { name, positions, point, shared: None, carried: false });
    shared.chain(own.filter(|block| !block.positions.is_empty())).collect()
}

fn spread(posterior: &mut Mixed, blocks: &[Block]) {
    for block in blocks {
        block.positions.iter().for_each(|&k| posterior.precision[k] = 1.0 / block.point.variance);
    }
}

/// The highest maximum that some starts lead to, by as many of the items as choose among them.
fn best_start(posterior: &mut Mixed, shared: &[f64]) -> Vec<f64> {
    let step = posterior.items.len().div_ceil(MOST_TO_START);
    let all = (step > 1).then(|| posterior.items.clone());
    if step > 1 {
        posterior.items = posterior.items.iter().step_by(step).cloned().collect();
    }
    posterior.loose = LOOSE;
    let maxima = (0..STARTS).map(|start| {
        let mut stream = Stream::new(SEED + start);
        let mut parameters = shared.to_vec();
        let drawn = |_| 0.7 * stream.standard_normal();
        parameters.extend((shared.len()..posterior.places.all()).map(drawn));
        maximise(posterior, parameters)
    });
    let maxima: Vec<Maximum> = maxima.collect();
    if let Some(all) = all {
        posterior.items = all;
    }
    let higher = |best: Maximum, other: Maximum| if other.at.value > best.at.value { other } else { best };
    maxima.into_iter().reduce(higher).expect("there are starts").parameters
}

/// One step of the fixed point; whether a variance still moves.
fn renew(blocks: &mut [Block], posterior: &Mixed, parameters: &[f64], curvature: &Curvature, enough: f64) -> bool {
    let variances = curvature.variances();
    let mut moves = false;
    for block in blocks {
        let off = |k: &usize| parameters[*k] - posterior.centre[*k];
        let square: f64 = block.positions.iter().map(|k| off(k) * off(k)).sum();
        let determined = determined(block, &variances);
        moves |= match block.carried {
            true => block.point.approach(variance_of_weight(square, determined), enough),
            false => block.point.renew(square, determined, enough),
        };
    }
    moves
}

/// How many of a block's parameters the labels determine rather than its variance.
fn determined(block: &Block, variances: &[f64]) -> f64 {
    let trace: f64 = block.positions.iter().map(|&k| variances[k].max(0.0)).sum();
    let size = block.positions.len() as f64;
    (size - trace / block.point.variance).clamp(0.0, size)
}

fn conclude(alone: Map, posterior: &Mixed, blocks: &[Block], maximum: Maximum, curvature: &Curvature) -> Map {
    let covariance = curvature.covariance();
    let diagonal: Vec<f64> = (0..covariance.len()).map(|k| covariance[k][k]).collect();
    let mut log_prior = 0.0;
    posterior.add_prior(&maximum.parameters, &mut log_prior, &mut vec![0.0; maximum.parameters.len()]);
    let mut variances = alone.variances;
    for block in blocks {
        let gone = block.point.variance <= LEAST;
        let fitted = Variance {
            block: block.name.to_owned(),
            parameters: block.positions.len(),
            variance: if gone { 0.0 } else { block.point.variance },
            determined: if gone { 0.0 } else { determined(block, &diagonal) },
        };
        match block.shared {
            Some(k) => variances[k] = fitted,
            None => variances.push(fitted),
        }
    }
    let names = alone.regression.names;
    let loose = |k: &usize| diagonal[*k] * posterior.precision[*k] > 0.5 || diagonal[*k] <= 0.0;
    Map {
        variances,
        parameters: maximum.parameters[names.len()..].to_vec(),
        components: posterior.places.components,
        regression: Regression {
            rank: names.len(),
            unidentified: (0..names.len()).filter(loose).map(|k| names[k].clone()).collect(),
            coefficients: maximum.parameters[..names.len()].to_vec(),
            names,
            covariance,
            log_likelihood: maximum.at.value - log_prior,
            iterations: maximum.iterations,
            gradient_norm: maximum.gradient_norm,
            converged: maximum.converged && curvature.is_maximum(),
            labelled_items: posterior.items.len(),
            at_limit: 0,
        },
        layout: alone.layout,
    }
}

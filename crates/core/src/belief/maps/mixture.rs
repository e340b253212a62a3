//! A mixture of maps: components that each bend the prediction and trust it in their own way.
//!
//! ```text
//! p ~ sum_c pi_c Dir(lambda_c m_c),     m_c = softmax(u + theta_c l + C v_c)
//! ln lambda_c = ln lambda + d_c,        pi = softmax_c(g_c^T x)
//! ```
//!
//! with u the logits and lambda the trust of [`MapName::Groups`](super::MapName::Groups) (or of the temperature,
//! without groups), l the centred log prediction, C the contrasts of the classes, and x the number 1, the contrasts of
//! the log prediction and the trust's features. Every component's theta_c, v_c, d_c and g_c are normal about 0, so that
//! no component is another than the others before the labels, and one that they do not want is as the rest of them.

use super::fitted::Map;
use super::fitting::{FitItems, check_size};
use super::layout::{MapLayout, Unavailable};
use super::objective::Posterior;
use super::search::{LOOSE, VarianceBlock, VarianceSearch};
use crate::belief::fixed_point::FixedPoint;
use crate::belief::newton::{Maximum, maximise};
use crate::random::Stream;

/// Number of components.
pub(super) const COMPONENTS: usize = 4;
/// Starts of the search.
const STARTS: u64 = 4;
/// Where they are drawn from.
const SEED: u64 = 0x417;
/// More labelled items than these do not take part in choosing among the starts.
const MOST_TO_START: usize = 2_000;
/// The variance of every block of the components at a start.
const FIRST_VARIANCE: f64 = 1.0;

/// Fits the components on top of the map that they share, from that map as it is fitted alone.
///
/// Of every start, the components' parameters are drawn at random and the log posterior at variances of 1 is maximised;
/// the highest maximum goes on. There every variance, those of the shared map among them, maximises the labels'
/// marginal likelihood as in [`super::fit`]. Where the labels want no components their variances go to 0, and they are
/// alike.
pub(super) fn fit(alone: Map, labelled: &FitItems) -> Result<Map, Unavailable> {
    let layout = &alone.layout;
    check_size(alone.regression.coefficients.len() + layout.parameters() + COMPONENTS * layout.of_component())?;
    let posterior = labelled.posterior(layout, COMPONENTS);
    let mut blocks = VarianceBlock::of_map(layout, &posterior);
    for block in &mut blocks {
        let fitted = alone.variances.iter().find(|variance| variance.block == block.name).expect("it was fitted");
        block.point = FixedPoint::new(fitted.variance);
    }
    let shared = blocks.len();
    blocks.extend(blocks_of_components(layout, posterior.shape.features));
    let mut search = VarianceSearch { posterior, blocks };
    let mut parameters = alone.regression.coefficients.clone();
    parameters.extend(&alone.parameters);
    if labelled.is_empty() {
        search.blocks[shared..].iter_mut().for_each(|block| block.point.vanish());
        parameters.resize(search.posterior.centre.len(), 0.0);
    } else {
        search.spread_variances();
        parameters = best_start(&mut search.posterior, &parameters);
    }
    let (maximum, curvature) = search.settle(parameters, |_, parameters| parameters);
    let (regression, parameters) = search.conclude(alone.regression.names, maximum, &curvature);
    let mut variances = alone.variances;
    let diagonal = curvature.variances();
    for found in search.blocks.iter().map(|block| block.found(&diagonal)) {
        match variances.iter_mut().find(|of_map| of_map.block == found.block) {
            Some(of_map) => *of_map = found,
            None => variances.push(found),
        }
    }
    Ok(Map { regression, variances, layout: alone.layout, parameters, components: COMPONENTS })
}

/// What components have of their own.
fn blocks_of_components(layout: &MapLayout, features: usize) -> Vec<VarianceBlock> {
    let classes = layout.classes;
    let of_each = |from: usize, to: usize| -> Vec<usize> {
        (0..COMPONENTS).map(|c| layout.first_of_component(features, c)).flat_map(|at| at + from..at + to).collect()
    };
    // A weight reads 1, the contrasts of the prediction, and features.
    let weight = classes + 1;
    let own = [
        ("components: temperatures and biases", of_each(0, classes)),
        ("components: trust", of_each(classes, classes + 1)),
        ("components: weights by the prediction", of_each(weight, weight + classes)),
        ("components: weights by features", of_each(weight + classes, weight + layout.inputs_of_weights())),
    ];
    let block = |(name, positions)| VarianceBlock::new(name, positions, FixedPoint::new(FIRST_VARIANCE));
    own.into_iter().filter(|(_, positions)| !positions.is_empty()).map(block).collect()
}

/// The highest maximum that some starts lead to, by as many of the items as choose among them.
fn best_start(posterior: &mut Posterior, shared: &[f64]) -> Vec<f64> {
    let step = posterior.items().len().div_ceil(MOST_TO_START);
    let some = posterior.items().iter().step_by(step).cloned().collect();
    let all = posterior.replace_items(some);
    posterior.loose = LOOSE;
    let maxima = (0..STARTS).map(|start| {
        let mut stream = Stream::new(SEED + start);
        let mut parameters = shared.to_vec();
        parameters.resize_with(posterior.centre.len(), || 0.7 * stream.standard_normal());
        maximise(posterior, parameters)
    });
    let higher = |best: Maximum, other: Maximum| if other.at.value > best.at.value { other } else { best };
    let best = maxima.reduce(higher).expect("there are starts").parameters;
    posterior.replace_items(all);
    best
}

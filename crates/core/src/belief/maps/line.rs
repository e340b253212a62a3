//! A bias and a slope along a scale: how a log prediction moves over the places of its classes.

use crate::belief::contrasts::centred;
use crate::belief::judged::ascend;

/// A slope at a place is that of a parabola through so many.
const FEWEST_PLACES: usize = 3;
/// Places nearer to each other than this share of the mean step have no slope between them.
const LEAST_STEP: f64 = 0.01;

/// What the block of a bias and a slope is called among a map's variances ([`super::Variance`]).
pub const BIAS_AND_SLOPE: &str = "bias and slope";

/// For the bias and for the slope.
pub(super) const VECTORS: usize = 2;

/// What moves a log prediction along its places x, in mean steps from one place to the next: minus its slope there, and
/// minus (x - m) times its slope, m the middle of the scale.
///
/// ln q(x - b) = ln q(x) - b (ln q)'(x) to the first order in b, and but for a constant exactly if ln q is a parabola;
/// likewise ln q(x - s (x - m)). The slope at a place is that of the parabola through it and its neighbours.
pub(super) fn along(places: &[f64], logs: &[f64]) -> [Vec<f64>; VECTORS] {
    let last = places.len() - 1;
    let step = (places[last] - places[0]) / last as f64;
    let middle = 0.5 * places[0] + 0.5 * places[last];
    let slope = |j: usize| {
        let a = j.clamp(1, last - 1);
        let (x, y) = (&places[a - 1..=a + 1], &logs[a - 1..=a + 1]);
        let first = (y[1] - y[0]) / (x[1] - x[0]);
        let second = (y[2] - y[1]) / (x[2] - x[1]);
        let bend = (second - first) / (x[2] - x[0]);
        first + bend * (2.0 * places[j] - x[0] - x[1])
    };
    let bias: Vec<f64> = (0..places.len()).map(|j| -slope(j) * step).collect();
    let stretch = bias.iter().zip(places).map(|(b, x)| b * ((x - middle) / step)).collect();
    [bias, stretch].map(centred)
}

/// Whether classes at these places, ascending, can have a bias and a slope: three places or more, none nearer
/// to the next than a hundredth of the mean step.
pub(super) fn has_line(places: &[f64]) -> bool {
    places.len() >= FEWEST_PLACES && {
        let least = LEAST_STEP * (places[places.len() - 1] - places[0]) / (places.len() - 1) as f64;
        ascend(places) && places.windows(2).all(|pair| pair[1] - pair[0] >= least)
    }
}

//! The part of a judge's predictions that counts as a guess.

use ndarray::ArrayView1;
use serde::{Deserialize, Serialize};

use super::fitting::FitItems;
use super::layout::MapLayout;
use super::names::MapName;
use crate::belief::newton::maximise;

/// By how much the labels have to be likelier, in nats, for half of the share that makes them likeliest.
const HALF: f64 = 3.0;
/// From this share on the judge says little of itself: a map is drawn back towards the guesses, not the prediction.
pub(super) const MOSTLY: f64 = 2.0 / 3.0;
/// B of the prior on the share beside a temperature and biases, of density B (1 - g)^(B - 1): one guess in B + 1 on
/// average. Without it a few labels of an overconfident judge would be taken for guesses.
const AGAINST: f64 = 10.0;
/// The largest share that is looked for.
pub(super) const MOST: f64 = 0.99;
/// The square root of the smallest share that counts.
const LEAST: f64 = 0.02;
/// The search ends where the square root of the share is known to this.
const ENOUGH: f64 = 2e-4;

/// The share g of every prediction that counts as a guess: beliefs use (1 - g) q + g pi in place of the prediction q.
///
/// A guess is the distribution pi of the labels over the K classes, so that g = 1 ignores the judge. For N labelled
/// items, with n_i labels on item i and c_ik of them of class k, it is Laplace's estimate
///
/// ```text
/// pi_k = (1 + sum_i c_ik / n_i) / (K + N)
/// ```
///
/// For an item with labels, pi leaves its own labels out. Otherwise guesses would predict them better than future
/// labels, and the share of guesses would be too high.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Guesses {
    /// g; 0 leaves predictions as they are.
    pub(super) share: f64,
    /// pi times K + N.
    pub(super) seen: Vec<f64>,
}

impl Guesses {
    /// No guesses, of these labels by item.
    pub(super) fn none<'a>(classes: usize, labels: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut guesses = Self { share: 0.0, seen: vec![1.0; classes] };
        labels.for_each(|counts| guesses.add(1.0, counts));
        guesses
    }

    /// These guesses, as a share g of predictions.
    pub(super) fn at(&self, share: f64) -> Self {
        Self { share, ..self.clone() }
    }

    /// What guesses are without the labels of an item.
    pub(super) fn without(mut self, counts: &[u32]) -> Self {
        self.add(-1.0, counts);
        self
    }

    fn add(&mut self, weight: f64, counts: &[u32]) {
        let n = f64::from(counts.iter().sum::<u32>().max(1));
        self.seen.iter_mut().zip(counts).for_each(|(seen, &c)| *seen += weight * f64::from(c) / n);
    }

    /// pi.
    pub(super) fn distribution(&self) -> impl Iterator<Item = f64> {
        let all: f64 = self.seen.iter().sum();
        self.seen.iter().map(move |seen| seen / all)
    }

    /// The prediction q as it is read, bit by bit q without guesses.
    pub(super) fn smoothed(&self, q: ArrayView1<f64>) -> Vec<f64> {
        if self.share == 0.0 {
            return q.to_vec();
        }
        q.iter().zip(self.distribution()).map(|(q, guess)| (1.0 - self.share) * q + self.share * guess).collect()
    }
}

/// The share g of guesses, all else fitted along with it, where labels and priors are likeliest together.
///
/// Near-zero probabilities for classes that people choose suggest lapses, not overconfidence: a temperature would have
/// to flatten every prediction to make room for those labels. The maps after [`MapName::Guesses`] take the share that
/// goes with a temperature and biases of prior variance 1, and its own prior of density 10 (1 - g)^9. Without labels,
/// and where the smallest share that counts makes them less likely, it is 0.
///
/// [`MapName::Guesses`] has a share alone, of flat prior: s g', with g' where it is likeliest and s = L^2 / (L^2 + 3^2),
/// L by how many nats it is likelier there than without guesses. The strength s is what keeps a few labels of a good judge, wrong once, from being taken for guesses, and it is nearly
/// 1 for a judge that is sure and knows nothing: each label that it all but excludes counts for several nats. In
/// simulations of single labels on 8, 20 and 50 items, 3 and 11 classes, it left a quarter of what the maximum costs a
/// calibrated judge, and at most 0.002 of squared error above the labels' own distribution for a judge that knows
/// nothing; prior densities of g that favour small shares left 0.07 there.
///
/// Searched for along the square root of the share, in which small shares are as far apart as large ones.
pub(super) fn find(name: MapName, labelled: &FitItems) -> Guesses {
    let none = labelled.without_guesses();
    if labelled.is_empty() || name == MapName::Identity {
        return none;
    }
    let layout = MapLayout::without_scales(name.min(MapName::Temperature), &labelled.items, none.clone())
        .expect("a temperature is always fitted");
    let mut posterior = labelled.posterior(&layout);
    posterior.loose = 1e6;
    let mut start = posterior.centre.clone();
    let mut height = |root: f64| {
        labelled.read_again(&layout, none.at(root * root), &mut posterior);
        let maximum = maximise(&mut posterior, std::mem::take(&mut start));
        start = maximum.parameters;
        maximum.at.value + against(name) * (-root * root).ln_1p()
    };
    let as_it_is = height(0.0);
    if height(LEAST) <= as_it_is {
        return none;
    }
    let (root, value) = highest(&mut height, MOST.sqrt());
    let lead = (value - as_it_is).max(0.0).powi(2);
    match name {
        MapName::Guesses => none.at(root * root * lead / (lead + HALF * HALF)),
        _ if lead > 0.0 => none.at(root * root),
        _ => none,
    }
}

/// B - 1 of the prior on the share of a map, whose log density is (B - 1) ln(1 - g) and a constant.
fn against(name: MapName) -> f64 {
    if name == MapName::Guesses { 0.0 } else { AGAINST - 1.0 }
}

/// The share g without the labels of one cluster, by a Newton step from the share with them. `bend` is the second
/// derivative in g of the log-likelihood of all labels; `own` is the first and second derivative for the cluster's
/// labels. If the remaining log-likelihood has no maximum inside the range, the result is the end towards which it
/// rises.
pub(super) fn share_without(name: MapName, share: f64, bend: f64, [slope, own]: [f64; 2]) -> f64 {
    let left = bend - own - against(name) / (1.0 - share).powi(2);
    let moved = if left < 0.0 { share + slope / left } else { share - slope.signum() };
    moved.clamp(0.0, MOST)
}

/// The highest point of a function of one rise and fall between 0 and `most`, and its height.
///
/// Parabolas through the three best points, and golden sections where they do not narrow it down. Source: Brent (1973),
/// "Algorithms for minimization without derivatives", chapter 5.
fn highest(height: &mut impl FnMut(f64) -> f64, most: f64) -> (f64, f64) {
    let section = 0.5 * (3.0 - 5.0_f64.sqrt());
    let (mut low, mut high) = (0.0, most);
    let first = low + section * (high - low);
    let first = (first, height(first));
    let (mut best, mut second, mut third) = (first, first, first);
    // The last step and the one before it.
    let (mut step, mut before) = (0.0_f64, 0.0_f64);
    loop {
        let middle = 0.5 * (low + high);
        if (best.0 - middle).abs() + 0.5 * (high - low) <= 2.0 * ENOUGH {
            return best;
        }
        let parabola = vertex(best, second, third)
            .map(|at| (at, at - best.0))
            .filter(|(at, by)| *at > low && *at < high && by.abs() < 0.5 * before.abs());
        (before, step) = match parabola {
            // Not too near to the ends, which bracket the highest point.
            Some((at, _)) if at - low < 2.0 * ENOUGH || high - at < 2.0 * ENOUGH => {
                (step, ENOUGH.copysign(middle - best.0))
            }
            Some((_, by)) => (step, by),
            None => {
                let larger = if best.0 < middle { high - best.0 } else { low - best.0 };
                (larger, section * larger)
            }
        };
        let at = best.0 + if step.abs() >= ENOUGH { step } else { ENOUGH.copysign(step) };
        let found = (at, height(at));
        let (inner, outer) = if found.1 >= best.1 { (found, best) } else { (best, found) };
        if outer.0 < inner.0 {
            low = outer.0;
        } else {
            high = outer.0;
        }
        if found.1 >= best.1 {
            (best, second, third) = (found, best, second);
        } else if found.1 >= second.1 || second.0 == best.0 {
            (second, third) = (found, second);
        } else if found.1 >= third.1 || third.0 == best.0 || third.0 == second.0 {
            third = found;
        }
    }
}

/// Where the parabola through three points has its vertex; `None` if it has none.
fn vertex(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> Option<f64> {
    let (r, q) = ((a.0 - b.0) * (a.1 - c.1), (a.0 - c.0) * (a.1 - b.1));
    let at = a.0 - 0.5 * ((a.0 - c.0) * q - (a.0 - b.0) * r) / (q - r);
    at.is_finite().then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Smooth, skewed, with a bend at the top, and highest at either end; each within the tolerance and in few steps.
    #[test]
    fn the_highest_point_is_found_in_few_steps() {
        type Shape = (fn(f64) -> f64, f64);
        let shapes: [Shape; 5] = [
            (|x| -(x - 0.3) * (x - 0.3), 0.3),
            (|x| x * x * (-5.0 * x * x).exp(), 0.2_f64.sqrt()),
            (|x| -(x - 0.71).abs(), 0.71),
            (|x| -x, 0.0),
            (|x| x, 0.99),
        ];
        for (k, (shape, want)) in shapes.into_iter().enumerate() {
            let mut steps = 0;
            let counted = &mut |x: f64| {
                steps += 1;
                shape(x)
            };
            let (at, height) = highest(counted, 0.99);
            assert!((at - want).abs() < 3.0 * ENOUGH && height == shape(at), "{k}: {at} for {want}");
            assert!(steps <= if k < 2 { 12 } else { 30 }, "{k}: {steps} steps");
        }
    }
}

//! The share of a judge's predictions that counts as a guess among all classes.

use super::fitting::FitItems;
use super::layout::MapLayout;
use super::names::MapName;
use crate::belief::newton::maximise;

/// B of the prior on the share, of density B (1 - g)^(B - 1): one guess in B + 1 on average. Weak beside the labels of
/// a judge that lapses; without it a few labels of an overconfident judge would be taken for guesses.
const AGAINST: f64 = 10.0;
/// The largest share that is looked for.
const MOST: f64 = 0.99;
/// The square root of the smallest share that counts.
const LEAST: f64 = 0.02;
/// The search ends where the square root of the share is known to this.
const ENOUGH: f64 = 2e-4;

/// The share g of (1 - g) q + g / K at which labels and priors are likeliest together, all else fitted along with it.
///
/// Near-zero probabilities for classes that people choose suggest lapses, not overconfidence: a temperature would have
/// to flatten every prediction to make room for those labels. All maps but the prediction as it is take the share that
/// goes with a temperature and biases of prior variance 1. Without labels, and where the smallest
/// share that counts makes them less likely, it is 0.
///
/// Searched for along the square root of the share, in which small shares are as far apart as large ones.
pub(super) fn share(labelled: &FitItems) -> f64 {
    if labelled.is_empty() {
        return 0.0;
    }
    let layout =
        MapLayout::without_scales(MapName::Temperature, labelled.items, 0.0).expect("a temperature is always fitted");
    let mut posterior = labelled.posterior(&layout);
    posterior.loose = 1e6;
    let mut start = posterior.centre.clone();
    let mut height = |root: f64| {
        labelled.read_again(&layout, root * root, &mut posterior);
        let maximum = maximise(&mut posterior, std::mem::take(&mut start));
        start = maximum.parameters;
        maximum.at.value + (AGAINST - 1.0) * (-root * root).ln_1p()
    };
    let none = height(0.0);
    if height(LEAST) <= none {
        return 0.0;
    }
    let (root, value) = highest(&mut height, MOST.sqrt());
    if value > none { root * root } else { 0.0 }
}

/// The share g without the labels of a thing: a Newton step from the share with them, `bend` the second derivative of
/// the log-likelihood of all labels in g, and `own` the first two of the thing's. Where what is left has no maximum
/// inside, the end it rises towards.
pub(super) fn without(share: f64, bend: f64, [slope, own]: [f64; 2]) -> f64 {
    let of_prior = -(AGAINST - 1.0) / (1.0 - share).powi(2);
    let left = bend - own + of_prior;
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

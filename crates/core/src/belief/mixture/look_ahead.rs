//! Expectations over labels that are yet to come.

use super::components::{HeldMixture, Mixture};
use crate::random::Stream;

/// Outcomes that are drawn where there are too many for all of them.
pub(in crate::belief) const DRAWS: usize = 256;
/// Where each of them costs distribution functions, so many are drawn.
pub(super) const FEW_DRAWS: usize = 64;
const SEED: u64 = 0x1AB5;

/// Mean of f(belief after the labels) over what `labels` labels drawn from the belief may be.
pub(in crate::belief) fn over_labels(belief: &Mixture, labels: u32, draws: usize, f: impl Fn(&Mixture) -> f64) -> f64 {
    match labels {
        0 => f(belief),
        1 => {
            let of = |(y, m): (usize, f64)| if m > 0.0 { m * f(&belief.after_one(y).get()) } else { 0.0 };
            belief.mean().enumerate().map(of).sum()
        }
        _ if outcomes(labels, belief.classes()) <= Mixture::MOST_OUTCOMES => every(belief, labels, &f),
        _ => drawn(belief, labels, draws, &f),
    }
}

/// How many numbers of labels by class there are, C(k + K - 1, K - 1), as far as that matters.
fn outcomes(labels: u32, classes: usize) -> usize {
    let (mut count, k) = (1_u128, u128::from(labels));
    for j in 1..classes as u128 {
        count = count * (k + j) / j;
        if count > Mixture::MOST_OUTCOMES as u128 {
            return usize::MAX;
        }
    }
    count as usize
}

pub(super) fn every(belief: &Mixture, labels: u32, f: &impl Fn(&Mixture) -> f64) -> f64 {
    let mut sum = 0.0;
    // A label more at each step: classes in order, so that every outcome is met once, with the probability of its
    // labels in that order.
    let mut counts = vec![0; belief.classes()];
    visit(&HeldMixture::new(belief), (labels, 0), (0.0, labels), &mut counts, &mut |after, p| {
        sum += p * f(&after.get())
    });
    sum
}

/// The outcomes that are left with `left` labels of the classes from `class` on, and ln of the probability of those
/// before.
fn visit(
    held: &HeldMixture,
    (left, class): (u32, usize),
    (ln_p, all): (f64, u32),
    counts: &mut [u32],
    see: &mut impl FnMut(&HeldMixture, f64),
) {
    if left == 0 {
        return see(held, (ln_p + ln_arrangements(all, counts)).exp());
    }
    let last = class + 1 == counts.len();
    let (mut held, mut ln_p) = (held.clone(), ln_p);
    for here in 0..=left {
        counts[class] = here;
        if !last || here == left {
            visit(&held, (left - here, class + 1), (ln_p, all), counts, see);
        }
        if here < left {
            let m = held.get().mean_of(class);
            if m <= 0.0 {
                break;
            }
            ln_p += m.ln();
            held.add_one(class);
        }
    }
    counts[class] = 0;
}

/// ln of the number of orders of labels.
fn ln_arrangements(all: u32, counts: &[u32]) -> f64 {
    let ln_factorial = |n: u32| (2..=n).map(|i| f64::from(i).ln()).sum::<f64>();
    ln_factorial(all) - counts.iter().map(|&n| ln_factorial(n)).sum::<f64>()
}

fn drawn(belief: &Mixture, labels: u32, draws: usize, f: &impl Fn(&Mixture) -> f64) -> f64 {
    let mut stream = Stream::new(SEED);
    let mut counts = vec![0; belief.classes()];
    let mut one = || {
        let p = belief.draw(&mut stream);
        stream.multinomial(labels, &p, &mut counts);
        f(&belief.after(&counts).get())
    };
    (0..draws).map(|_| one()).sum::<f64>() / draws as f64
}

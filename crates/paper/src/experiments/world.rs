//! Pieces that the dice and both simulations share when they draw a world.

use ndarray::{Array2, ArrayView2};

use crate::experiments::steps::Steps;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_evaluation::protocol::{REVEALED, uniforms};

/// Classes of every simulated world.
pub const CLASSES: usize = 3;

/// The peaked distribution that contentiousness flattens.
const PEAK: [f64; CLASSES] = [0.90, 0.05, 0.05];

/// `n` standard normal draws.
pub fn normals(stream: &mut Stream, n: usize) -> Vec<f64> {
    (0..n).map(|_| stream.standard_normal()).collect()
}

/// Label distributions between a randomly placed peak (t = 0) and the uniform (t = 1), items x 3.
///
/// Class j of item i has (1 - t_i) peak_perm(j) + t_i (1/3) with peak = (0.90, 0.05, 0.05) and perm the order (argsort)
/// of three uniform draws (protocol, sections 3 and 5), mixed as [`Steps::mixed`] says. Stream: three uniform draws per
/// item.
pub fn peaked_distributions(stream: &mut Stream, contentiousness: &[f64], steps: &dyn Steps) -> Array2<f64> {
    let u = uniforms(stream, contentiousness.len() * CLASSES);
    let mut p = Array2::zeros((contentiousness.len(), CLASSES));
    for (i, (&t, u)) in contentiousness.iter().zip(u.chunks_exact(CLASSES)).enumerate() {
        let mut perm = [0, 1, 2];
        perm.sort_by(|&a, &b| f64::total_cmp(&u[a], &u[b]));
        for j in 0..CLASSES {
            p[[i, j]] = steps.mixed(PEAK[perm[j]], t);
        }
    }
    p
}

/// How many labels each item has: one of [`REVEALED`] each.
pub fn revealed_numbers(stream: &mut Stream, items: usize) -> Vec<u32> {
    (0..items).map(|_| REVEALED[stream.choice(REVEALED.len() as u32) as usize]).collect()
}

/// Label counts, items x classes, drawn from the items' distributions `p`.
///
/// Stream: one multinomial per item with labels, items grouped by their number of labels in ascending order (protocol,
/// section 3).
pub fn grouped_counts(stream: &mut Stream, numbers: &[u32], p: ArrayView2<f64>) -> Array2<u32> {
    let mut order: Vec<usize> = (0..numbers.len()).filter(|&i| numbers[i] > 0).collect();
    order.sort_by_key(|&i| numbers[i]);
    counts_in_order(stream, &order, numbers, p)
}

/// Label counts, items x classes: one multinomial for each item of `order`, in that order; zero for the others.
pub fn counts_in_order(stream: &mut Stream, order: &[usize], numbers: &[u32], p: ArrayView2<f64>) -> Array2<u32> {
    let mut counts = Array2::zeros(p.dim());
    let mut one = vec![0; p.ncols()];
    for &i in order {
        stream.multinomial(numbers[i], row(p.row(i)), &mut one);
        counts.row_mut(i).iter_mut().zip(&one).for_each(|(c, x)| *c = *x);
    }
    counts
}

//! Pools of labels split without replacement, class by class.

use ndarray::{Array2, ArrayView2};

use judge_uncertainty_core::random::Stream;

/// Draws `sizes[i]` labels without replacement from the pool of item i (counts, items x classes); items with smaller
/// pools give all they have.
///
/// Stream: class by class, and within a class item by item, one hypergeometric draw of how many of the labels still to
/// draw have that class (protocol, section 4).
pub fn subsample(stream: &mut Stream, pool: ArrayView2<u32>, sizes: &[u32]) -> Array2<u32> {
    let mut drawn = Array2::zeros(pool.dim());
    let mut pool_left = sums(pool);
    let mut to_draw: Vec<u32> = sizes.iter().zip(&pool_left).map(|(&n, &left)| n.min(left)).collect();
    for (of_class, mut drawn) in pool.columns().into_iter().zip(drawn.columns_mut()) {
        let good = of_class.to_vec();
        pool_left.iter_mut().zip(&good).for_each(|(left, here)| *left -= here);
        let of_items = stream.hypergeometrics(&good, &pool_left, &to_draw);
        for ((drawn, x), to_draw) in drawn.iter_mut().zip(of_items).zip(&mut to_draw) {
            *drawn = x;
            *to_draw -= x;
        }
    }
    drawn
}

/// Number of labels of every item.
pub(super) fn sums(counts: ArrayView2<u32>) -> Vec<u32> {
    match counts.as_slice() {
        Some(all) if counts.ncols() > 0 => all.chunks_exact(counts.ncols()).map(|row| row.iter().sum()).collect(),
        _ => counts.rows().into_iter().map(|row| row.sum()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn draws_what_is_asked_and_never_more_than_there_is() {
        let pool = array![[30, 70, 0], [2, 0, 1], [0, 0, 0]];
        let mut stream = Stream::new(5);
        for _ in 0..50 {
            let drawn = subsample(&mut stream, pool.view(), &[50, 5, 3]);
            assert_eq!(drawn.row(0).sum(), 50);
            assert_eq!(drawn.row(1), pool.row(1));
            assert_eq!(drawn.row(2).sum(), 0);
            assert!(drawn.iter().zip(&pool).all(|(d, p)| d <= p));
        }
    }
}

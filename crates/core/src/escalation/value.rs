//! What a further label is worth, measured against a known truth in the error of the beliefs.

use ndarray::{ArrayView1, ArrayView2};

use super::budget::top;
use crate::belief::Beliefs;
use crate::belief::dirichlet::row;
use crate::random::Stream;

/// The label that a uniform draw `u` selects from weights: how many of their cumulative sums it exceeds.
///
/// Weights sum to 1; rounding in the last sum can't select a class that does not exist.
#[inline]
pub fn label_of(u: f64, weights: impl Iterator<Item = f64>) -> usize {
    let (mut sum, mut label, mut classes) = (0.0, 0, 0);
    for w in weights {
        sum += w;
        label += usize::from(u > sum);
        classes += 1;
    }
    label.min(classes - 1)
}

/// Prophet value of every item: the fall of the Manhattan error against the true distribution by one label
/// drawn from it, averaged over `rounds` draws. May be negative.
///
/// `truth` is items x classes. Stream: per round one uniform draw per item, in item order (protocol, section 3).
pub fn prophet_values(beliefs: &Beliefs, truth: ArrayView2<f64>, rounds: usize, stream: &mut Stream) -> Vec<f64> {
    let classes = truth.ncols();
    // The gain depends on the label's class only, so each is computed once.
    let mut gains = beliefs.errors_after(truth);
    for (mut gains, before) in gains.rows_mut().into_iter().zip(beliefs.errors(truth)) {
        gains.mapv_inplace(|after| before - after);
    }
    let gains = gains.as_slice().expect("gains are stored item by item");
    let mut values = vec![0.0; beliefs.len()];
    for _ in 0..rounds {
        for (i, value) in values.iter_mut().enumerate() {
            let label = label_of(stream.random(), row(truth.row(i)).iter().copied());
            *value += gains[i * classes + label];
        }
    }
    values.iter_mut().for_each(|v| *v /= rounds as f64);
    values
}

/// Expected fall of each item's error by one label from its pool, without drawing the label.
///
/// ```text
/// sum_y (u_y / sum u) [error before - error after a label of class y]
/// ```
///
/// with u the `unrevealed` counts, items x classes, `errors` those before a label and `after` those after one of each
/// class, items x classes. Summed over escalated items it has the expectation of labels that are drawn from their pools,
/// and none of the noise of the draw. 0 for an empty pool.
pub fn pool_values(errors: &[f64], after: ArrayView2<f64>, unrevealed: ArrayView2<u32>) -> Vec<f64> {
    let of = |((error, after), pool): ((&f64, ArrayView1<f64>), ArrayView1<u32>)| {
        let left: u32 = pool.iter().sum();
        let sum: f64 = pool.iter().zip(after).map(|(&c, after)| f64::from(c) * after).sum();
        if left == 0 { 0.0 } else { error - sum / f64::from(left) }
    };
    errors.iter().zip(after.rows()).zip(unrevealed.rows()).map(of).collect()
}

// How much of the attainable value a ranking forgoes.

/// Regret of a ranking at a budget of `k` items, as a share of the best possible value.
///
/// ```text
/// regret = (sum of values over the oracle's top k - sum over the rule's top k) / sum over the oracle's top k
/// ```
///
/// `values` is what escalating each item is worth; the oracle ranks by it. 0 for the oracle, never negative, above 1
/// when the rule's picks do harm. `None` when the oracle's sum is not positive, for then there is nothing to gain and
/// the share has no meaning. Source: the paper, App. A, "terms used for escalation results".
///
/// Equal priorities are ordered by `tie_break` as in [`top`].
pub fn regret(values: &[f64], priorities: &[f64], tie_break: &[f64], k: usize) -> Option<f64> {
    let [best, picked] = [values, priorities].map(|ranked| top(ranked, tie_break, k));
    regrets_of_picks(values, &best, [&picked]).map(|[r]| r)
}

/// Regrets of several sets of picked items, as [`regret`] defines them; `best` are the oracle's picks. Items are summed
/// in the order in which they stand.
pub fn regrets_of_picks<const R: usize>(values: &[f64], best: &[usize], picks: [&[usize]; R]) -> Option<[f64; R]> {
    let gained = |picked: &[usize]| -> f64 { picked.iter().map(|&i| values[i]).sum() };
    let best = gained(best);
    (best > 0.0).then(|| picks.map(|picked| (best - gained(picked)) / best))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// The mean of many drawn labels, item by item.
    #[test]
    fn the_pool_average_is_what_drawn_labels_are_worth_in_the_mean() {
        let beliefs = Beliefs::new(array![[2.0, 1.0, 0.5], [0.4, 3.0, 1.0], [1.0, 1.0, 1.0]]);
        let unrevealed = array![[5, 20, 15], [0, 38, 2], [0, 0, 0]];
        let truth = array![[0.2, 0.5, 0.3], [0.1, 0.8, 0.1], [0.5, 0.5, 0.0]];
        let (before, after) = (beliefs.errors(truth.view()), beliefs.errors_after(truth.view()));
        let averaged = pool_values(&before, after.view(), unrevealed.view());
        let mut stream = Stream::new(4);
        let draws = 100_000;
        for (i, average) in averaged.iter().enumerate() {
            let (pool, left) = (unrevealed.row(i), unrevealed.row(i).sum());
            let mut gain = || {
                let label = label_of(stream.random(), pool.iter().map(|&c| f64::from(c) / f64::from(left)));
                if left > 0 { before[i] - after[[i, label]] } else { 0.0 }
            };
            let drawn: f64 = (0..draws).map(|_| gain()).sum::<f64>() / f64::from(draws);
            // Gains lie within +-0.7, so five standard errors of the mean are below 0.006.
            assert!((drawn - average).abs() < 6e-3, "item {i}: {drawn} for {average}");
        }
        assert!(averaged[0] > 0.01 && averaged[2] == 0.0);
    }

    #[test]
    fn labels_follow_cumulative_sums() {
        let label = |u| label_of(u, [0.2, 0.3, 0.5].into_iter());
        assert_eq!((label(0.0), label(0.2), label(0.21), label(0.5), label(0.51), label(0.999)), (0, 0, 1, 1, 2, 2));
        assert_eq!(label_of(0.999_999_999, [0.5, 0.4].into_iter()), 1);
    }
}

#[cfg(test)]
mod regret_tests {
    use super::*;

    #[test]
    fn oracle_has_none_and_the_reverse_the_most() {
        let values = [4.0, 3.0, 2.0, 1.0];
        assert_eq!(regret(&values, &values, &[], 2), Some(0.0));
        assert_eq!(regret(&values, &[0.0, 1.0, 2.0, 3.0], &[], 2), Some((7.0 - 3.0) / 7.0));
        assert_eq!(regret(&[0.0, -1.0], &[1.0, 0.0], &[], 1), None);
    }
}

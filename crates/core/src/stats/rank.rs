//! Ranks with ties averaged, and Spearman's correlation.

/// An integer that is larger where `value` comes later in the order of [`f64::total_cmp`].
pub(crate) fn total_order(value: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = value.to_bits();
    bits ^ ((bits.cast_signed() >> 63).cast_unsigned() | SIGN)
}

/// Ranks 1..=n of `values` in ascending order; tied values share the mean of their ranks.
///
/// Values are finite; the order among NaN is that of [`f64::total_cmp`].
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let place = |(value, item): (&f64, u64)| u128::from(total_order(*value)) << 64 | u128::from(item);
    let mut order: Vec<u128> = values.iter().zip(0_u64..).map(place).collect();
    order.sort_unstable();
    let order: Vec<usize> = order.into_iter().map(|place| place as u64 as usize).collect();
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let value = values[order[start]];
        let tied = order[start..].iter().take_while(|&&i| values[i] == value).count().max(1);
        let shared = start as f64 + (tied as f64 + 1.0) / 2.0;
        for &i in &order[start..start + tied] {
            ranks[i] = shared;
        }
        start += tied;
    }
    ranks
}

/// Spearman's rank correlation of two equally long slices: Pearson's correlation of their [`ranks`].
///
/// Range -1 to 1. `None` where it is undefined: fewer than two values, or all values of one slice equal.
///
/// # Panics
/// If the lengths differ.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    assert_eq!(a.len(), b.len(), "rank correlation needs two slices of one length");
    correlation_of_ranks(&ranks(a), &ranks(b))
}

/// [`spearman`] of values whose [`ranks`] are known.
///
/// # Panics
/// If the lengths differ.
pub fn correlation_of_ranks(a: &[f64], b: &[f64]) -> Option<f64> {
    assert_eq!(a.len(), b.len(), "rank correlation needs two slices of one length");
    let centre = (a.len() as f64 + 1.0) / 2.0;
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (x - centre, y - centre);
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    (aa > 0.0 && bb > 0.0).then(|| ab / (aa * bb).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_order_of_their_numbers() {
        let values = [-f64::NAN, f64::NEG_INFINITY, -2.5, -1e-310, -0.0, 0.0, 1e-310, 2.5, f64::INFINITY, f64::NAN];
        assert!(values.map(total_order).is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn ties_share_the_mean_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(ranks(&[7.0; 3]), [2.0; 3]);
        assert_eq!(ranks(&[]), [0.0; 0]);
    }

    #[test]
    fn correlation_by_hand() {
        // Without ties: 1 - 6 sum d^2 / (n (n^2 - 1)) with d = (0, -1, 1, 0).
        let r = spearman(&[1.0, 2.0, 3.0, 4.0], &[10.0, 30.0, 20.0, 40.0]).unwrap();
        assert!((r - (1.0 - 6.0 * 2.0 / 60.0)).abs() < 1e-15);
        assert_eq!(spearman(&[1.0, 2.0], &[5.0, 5.0]), None);
        assert_eq!(spearman(&[1.0], &[1.0]), None);
    }
}

//! Ranks with ties averaged, and Spearman's correlation.

use super::estimator::{Estimable, ItemEstimate, LEAST_ITEMS, too_few};
use super::sample_sd;
use super::student::student_quantile;

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

/// Spearman's rank correlation of two numbers over items, for new items.
///
/// ```text
/// tanh(atanh r -+ t s/((1 - r^2) sqrt(n))),   t the 0.975 quantile of Student's t with n - 1 degrees of freedom
/// s^2 = variance over items of  (u_i v_i + mean_j v_j 1{x_j > x_i} + mean_j u_j 1{y_j > y_i}) / (sd u  sd v)
/// ```
///
/// with u and v the ranks over n and 1{x_j > x_i} one half where the two are equal: the influence of an item on the
/// correlation of ranks, which are themselves had from the items (Borkowf 2002, "Computing the nonnull asymptotic
/// variance and the asymptotic relative efficiency of Spearman's rank correlation"), on Fisher's scale.
///
/// # Panics
/// If the lengths differ.
pub fn item_spearman(x: &[f64], y: &[f64]) -> Estimable {
    let n = x.len();
    if n < LEAST_ITEMS {
        return too_few(n, n, LEAST_ITEMS);
    }
    let Some(r) = spearman(x, y) else {
        return Estimable::not("one of the two is the same for all items, so that they have no rank correlation");
    };
    if r.abs() > 1.0 - 1e-12 {
        return Estimable::not(format!(
            "it is {r:.0} in these items, so how it varies over items cannot be determined"
        ));
    }
    let items = n as f64;
    let [u, v] = [x, y].map(|of| ranks(of).into_iter().map(|rank| (rank - 0.5) / items).collect::<Vec<f64>>());
    let (above_x, above_y) = (mean_above(x, &v), mean_above(y, &u));
    let influence: Vec<f64> = (0..n).map(|i| u[i] * v[i] + above_x[i] + above_y[i]).collect();
    let scale = (items - 1.0) / items * sample_sd(&u) * sample_sd(&v);
    let standard_error = sample_sd(&influence) / (scale * items.sqrt());
    let reach = student_quantile(0.975, items - 1.0) * standard_error / (1.0 - r * r);
    let [lo, hi] = [-reach, reach].map(|by| (r.atanh() + by).tanh());
    Estimable::Estimated(ItemEstimate { value: r, standard_error, lo, hi, items: n })
}

/// For every item the mean over items j of the values whose x_j lies above its own, those that are equal counted half.
fn mean_above(x: &[f64], values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_unstable_by(|&a, &b| x[b].total_cmp(&x[a]));
    let (mut above, mut found) = (0.0, vec![0.0; x.len()]);
    for equal in order.chunk_by(|&a, &b| x[a] == x[b]) {
        let sum: f64 = equal.iter().map(|&i| values[i]).sum();
        equal.iter().for_each(|&i| found[i] = (above + 0.5 * sum) / x.len() as f64);
        above += sum;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(estimable: Estimable) -> ItemEstimate {
        *estimable.estimate().unwrap()
    }

    fn close(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{got} for {expected}");
    }

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

    /// By NumPy and SciPy from the formula: x = i, y = 7 i mod 24 with every two neighbours tied.
    #[test]
    fn a_rank_correlation_as_computed_elsewhere() {
        let x: Vec<f64> = (0..24).map(f64::from).collect();
        let y: Vec<f64> = (0..24).map(|i| f64::from((7 * i % 24) / 2 + i)).collect();
        let found = known(item_spearman(&x, &y));
        close(found.value, 0.915_579_110_900_266_1);
        close(found.standard_error, 0.029_806_089_023_899_387);
        close(found.lo, 0.827_357_171_142_444_2);
        close(found.hi, 0.959_712_808_953_297_2);
        assert!(item_spearman(&x, &x).reason().unwrap().starts_with("it is 1 in these items"));
        assert!(item_spearman(&x, &[1.0; 24]).reason().unwrap().contains("the same for all items"));
    }

    /// Two judges that agree by chance, or as the first explains: 0.95 of the intervals hold, up to three standard
    /// errors of 400 studies.
    #[test]
    fn intervals_of_rank_correlations_hold() {
        // Of normal numbers with correlation c Spearman's is 6/pi asin(c/2) (Pearson 1907).
        for (c, items) in [(0.0_f64, 30), (0.6, 30), (0.9, 120)] {
            let truth = 6.0 / std::f64::consts::PI * (c / 2.0).asin();
            let mut stream = crate::random::Stream::new(5);
            let held = (0..400).filter(|_| {
                let x: Vec<f64> = (0..items).map(|_| stream.standard_normal()).collect();
                let y: Vec<f64> = x.iter().map(|x| c * x + (1.0 - c * c).sqrt() * stream.standard_normal()).collect();
                let found = known(item_spearman(&x, &y));
                (found.lo..=found.hi).contains(&truth)
            });
            let share = held.count() as f64 / 400.0;
            assert!((0.917..=0.983).contains(&share), "{c}, {items} items: {share}");
        }
    }
}

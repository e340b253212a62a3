//! Percentiles of a sample.

/// Percentiles of values in any order, one for each of the given `qs`, interpolating linearly between neighbours:
/// `percentiles(&means, [2.5, 97.5])`.
///
/// With n values s_0 <= ... <= s_(n-1), the position is v = (n-1)·q/100; the result is s_j + (v-j)·(s_(j+1) - s_j)
/// with j = floor(v), computed from the nearer neighbour. This is definition 7 of Hyndman and Fan (1996) and
/// `np.percentile`'s default, equal to it in every bit. A value that is not a number makes the result one.
///
/// # Panics
///
/// If there are no values, or if a `q` lies outside [0, 100].
pub fn percentiles<const N: usize>(values: &[f64], qs: [f64; N]) -> [f64; N] {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    qs.map(|q| percentile(&sorted, q))
}

/// The `q`-th percentile of values in ascending order.
fn percentile(sorted: &[f64], q: f64) -> f64 {
    assert!((0.0..=100.0).contains(&q), "the percentile asked for is {q}, not in [0, 100]");
    let (Some(&least), Some(&greatest)) = (sorted.first(), sorted.last()) else {
        panic!("an empty sample has no percentile");
    };
    // Sorting by total order puts them at the ends.
    if least.is_nan() || greatest.is_nan() {
        return f64::NAN;
    }
    let end = sorted.len() - 1;
    let position = end as f64 * (q / 100.0);
    if position >= end as f64 {
        return greatest;
    }
    let below = position.floor();
    let share = position - below;
    let (low, high) = (sorted[below as usize], sorted[below as usize + 1]);
    let gap = high - low;
    if share < 0.5 { low + gap * share } else { high - gap * (1.0 - share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: positions 0, 0.75, 1.5 and 3 among four values.
    #[test]
    fn interpolates_between_neighbours() {
        assert_eq!(percentiles(&[7.0, 1.0, 9.0, 3.0], [0.0, 25.0, 50.0, 100.0]), [1.0, 2.5, 5.0, 9.0]);
    }

    #[test]
    fn one_value_is_every_percentile() {
        assert_eq!(percentiles(&[4.0], [0.0, 2.5, 100.0]), [4.0; 3]);
    }

    #[test]
    fn a_missing_number_is_not_hidden() {
        for nan in [f64::NAN, -f64::NAN] {
            assert!(percentiles(&[1.0, nan, 3.0], [50.0])[0].is_nan());
        }
    }

    #[test]
    #[should_panic(expected = "empty sample")]
    fn an_empty_sample_is_refused() {
        percentiles(&[], [50.0]);
    }

    #[test]
    #[should_panic(expected = "not in [0, 100]")]
    fn a_percentile_beyond_a_hundred_is_refused() {
        percentiles(&[1.0], [100.5]);
    }
}

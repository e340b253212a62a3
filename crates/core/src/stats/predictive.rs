//! Whether labels lie where a belief about their shares puts them.

/// How much of a count of `x` among `n` labels lies in the central interval with probability `level` of what a belief
/// foresees, 0 to 1.
///
/// The belief holds the share of the labels' class for Beta(a, b), so that counts follow a beta-binomial distribution
/// with distribution function F. Counts are few, so the probability integral transform of one is spread evenly over
/// [F(x - 1), F(x)]; of it the part within [(1 - level)/2, (1 + level)/2] is returned, whose expectation is `level` if
/// the belief is true (Czado, Gneiting and Held 2009, "Predictive model assessment for count data").
///
/// # Panics
/// If there are fewer labels than are counted.
pub fn count_within((a, b): (f64, f64), n: u32, x: u32, level: f64) -> f64 {
    assert!(x <= n, "{x} of {n} labels");
    let mass = counts(a, b, n);
    let (below, own): (f64, f64) = (mass[..x as usize].iter().sum(), mass[x as usize]);
    let [lo, hi] = [0.5 * (1.0 - level), 0.5 * (1.0 + level)];
    if own <= f64::MIN_POSITIVE {
        return f64::from(u8::from((lo..=hi).contains(&below)));
    }
    (((below + own).min(hi) - below.max(lo)) / own).clamp(0.0, 1.0)
}

/// Probabilities of 0 to n labels of a class whose share follows Beta(a, b).
fn counts(a: f64, b: f64, n: u32) -> Vec<f64> {
    let size = f64::from(n);
    // Up to a factor in logarithms, by the ratio of neighbours; a class that is impossible or certain has all at one
    // end.
    if a <= 0.0 || b <= 0.0 {
        let at = if a <= 0.0 { 0 } else { n };
        return (0..=n).map(|x| f64::from(u8::from(x == at))).collect();
    }
    let mut logs = vec![0.0];
    for x in 0..n {
        let k = f64::from(x);
        let ratio = (size - k) / (k + 1.0) * ((a + k) / (b + size - k - 1.0));
        logs.push(logs[x as usize] + ratio.ln());
    }
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let masses: Vec<f64> = logs.iter().map(|log| (log - top).exp()).collect();
    let sum: f64 = masses.iter().sum();
    masses.into_iter().map(|mass| mass / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two labels under a uniform share: 0, 1 and 2 with probability 1/3 each.
    #[test]
    fn counts_by_hand() {
        let within = |x: u32, level: f64| count_within((1.0, 1.0), 2, x, level);
        assert!((within(1, 0.5) - 1.0).abs() < 1e-12);
        // [0, 1/3] and [1/4, 3/4] share 1/12 of it.
        assert!((within(0, 0.5) - 0.25).abs() < 1e-12 && (within(2, 0.5) - 0.25).abs() < 1e-12);
        let certain = count_within((3.0, 0.0), 4, 4, 0.8);
        assert!((certain - 0.8).abs() < 1e-12, "{certain}");
        // What the belief takes for impossible lies nowhere.
        assert_eq!(count_within((3.0, 0.0), 4, 2, 0.8), 0.0);
    }

    /// Over all counts the expectation is the level, also for many labels.
    #[test]
    fn the_expectation_is_the_level() {
        for n in [1, 2, 7, 300] {
            for (a, b) in [(0.4, 2.0), (9.0, 1.5)] {
                let of = |x: u32| counts(a, b, n)[x as usize] * count_within((a, b), n, x, 0.8);
                let expected: f64 = (0..=n).map(of).sum();
                assert!((expected - 0.8).abs() < 1e-9, "{n}, {a}, {b}: {expected}");
            }
        }
    }
}

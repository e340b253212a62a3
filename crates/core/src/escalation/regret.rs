//! How much of the attainable value a ranking forgoes.

use super::budget::top;

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
    regrets(values, k, tie_break, [priorities]).map(|[r]| r)
}

/// [`regret`] of several rankings of the same items; the oracle's picks are found once.
pub fn regrets<const R: usize>(values: &[f64], k: usize, tie_break: &[f64], rules: [&[f64]; R]) -> Option<[f64; R]> {
    let picks = rules.map(|priorities| top(priorities, tie_break, k));
    regrets_of_picks(values, &top(values, tie_break, k), picks.each_ref().map(Vec::as_slice))
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
    use super::*;

    #[test]
    fn oracle_has_none_and_the_reverse_the_most() {
        let values = [4.0, 3.0, 2.0, 1.0];
        assert_eq!(regret(&values, &values, &[], 2), Some(0.0));
        assert_eq!(regret(&values, &[0.0, 1.0, 2.0, 3.0], &[], 2), Some((7.0 - 3.0) / 7.0));
        assert_eq!(regret(&[0.0, -1.0], &[1.0, 0.0], &[], 1), None);
    }
}

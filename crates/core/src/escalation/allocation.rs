//! Spending a budget of labels, several per item where that is worth more.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Hands out `budget` labels, one at a time to the item with the highest current value; returns how many each item
/// gets.
///
/// `value(i, k)` is what one more label is worth to item `i` when it has been given `k` of them already
/// ([`super::Rule::priority_after`]). Where it never rises with k, no other allocation of the same budget has a higher
/// sum of values. Items get at most `most` labels each; equal values go to the higher `tie_break` and then to the
/// earlier item, as in [`super::top`]. Fewer labels are handed out only if all items have reached `most`.
///
/// Of a large budget most labels are handed out at once: all that are worth more than a level which no more of them
/// exceed than the budget has. What is left goes one by one, so that the result is the same where values do not rise
/// with k.
///
/// # Panics
/// If `tie_break` is neither empty nor one number per item.
pub fn allocate(
    items: usize,
    budget: usize,
    most: u32,
    tie_break: &[f64],
    value: impl Fn(usize, u32) -> f64,
) -> Vec<u32> {
    assert!(tie_break.is_empty() || tie_break.len() == items, "one tie break per item, or none");
    if budget >= items.saturating_mul(most as usize) {
        return vec![most; items];
    }
    one_by_one(at_once(items, budget, most, &value), budget, most, tie_break, value)
}

/// Labels per item that are handed out one by one at most: a value after so few labels costs little.
const ONE_BY_ONE: usize = 32;

/// How many labels of a large budget each item gets for certain; all but about [`ONE_BY_ONE`] per item of the budget.
fn at_once(items: usize, budget: usize, most: u32, value: &impl Fn(usize, u32) -> f64) -> Vec<u32> {
    let few = items.saturating_mul(ONE_BY_ONE);
    let (mut low, mut high) = (vec![0; items], vec![most.min(u32::try_from(budget).unwrap_or(most)); items]);
    while budget - total(&low) > few {
        let Some(level) = middle(&low, &high, value) else { break };
        let above: Vec<u32> = (0..items).map(|i| number_above(level, |k| value(i, k), low[i], high[i])).collect();
        // So many offers are above the level: if the budget has them, they are all made, and else no others.
        let bound = if total(&above) <= budget { &mut low } else { &mut high };
        if *bound == above {
            break;
        }
        *bound = above;
    }
    low
}

fn total(given: &[u32]) -> usize {
    given.iter().map(|&n| n as usize).sum()
}

/// The median of the values in the middle between two bounds, each counted as often as the bounds are apart.
fn middle(low: &[u32], high: &[u32], value: &impl Fn(usize, u32) -> f64) -> Option<f64> {
    let open = low.iter().zip(high).enumerate().filter(|(_, (low, high))| low < high);
    let mut values: Vec<(f64, usize)> =
        open.map(|(i, (low, high))| (value(i, low + (high - low) / 2), (high - low) as usize)).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|(_, weight)| weight).sum::<usize>() / 2;
    let mut below = 0;
    values.into_iter().find_map(|(value, weight)| {
        below += weight;
        (below > half).then_some(value)
    })
}

/// The number of labels from which on a value that never rises, and lies above a level before `low`, no longer does; at
/// most `high`.
fn number_above(level: f64, value: impl Fn(u32) -> f64, mut low: u32, mut high: u32) -> u32 {
    while low < high {
        let middle = low + (high - low) / 2;
        match value(middle).total_cmp(&level) {
            Ordering::Greater => low = middle + 1,
            Ordering::Less | Ordering::Equal => high = middle,
        }
    }
    low
}

/// Hands out what is left of the budget, one label at a time.
fn one_by_one(
    mut given: Vec<u32>,
    budget: usize,
    most: u32,
    tie_break: &[f64],
    value: impl Fn(usize, u32) -> f64,
) -> Vec<u32> {
    let offer = |item: usize, given: u32| Offer {
        value: value(item, given),
        tie_break: tie_break.get(item).copied().unwrap_or(0.0),
        item,
    };
    let open = (0..given.len()).filter(|&item| given[item] < most);
    let mut offers: BinaryHeap<Offer> = open.map(|item| offer(item, given[item])).collect();
    for _ in total(&given)..budget {
        let Some(Offer { item, .. }) = offers.pop() else { break };
        given[item] += 1;
        if given[item] < most {
            offers.push(offer(item, given[item]));
        }
    }
    given
}

/// The next label of an item.
struct Offer {
    value: f64,
    tie_break: f64,
    item: usize,
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value
            .total_cmp(&other.value)
            .then_with(|| self.tie_break.total_cmp(&other.tie_break))
            .then_with(|| other.item.cmp(&self.item))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Offer {}

#[cfg(test)]
mod tests {
    use super::super::Rule;
    use super::*;
    use crate::belief::{Belief, BeliefTable, Beliefs, Gaussian};
    use crate::random::Stream;

    /// Every way of handing out `budget` labels to `items`.
    fn all_allocations(items: usize, budget: u32) -> Vec<Vec<u32>> {
        if items == 1 {
            return vec![vec![budget]];
        }
        let rest = |first: u32| {
            all_allocations(items - 1, budget - first).into_iter().map(move |tail| [vec![first], tail].concat())
        };
        (0..=budget).flat_map(rest).collect()
    }

    fn worth(allocation: &[u32], value: &dyn Fn(usize, u32) -> f64) -> f64 {
        allocation.iter().enumerate().map(|(i, &n)| (0..n).map(|k| value(i, k)).sum::<f64>()).sum()
    }

    #[test]
    fn greedy_is_the_best_of_all_allocations() {
        let beliefs =
            Beliefs::new(ndarray::array![[0.4, 0.7, 0.2], [3.0, 3.0, 3.0], [20.0, 1.0, 0.5], [0.05, 0.9, 0.05]]);
        let gaussians = [(0.7, 2.0), (5.0, 9.0), (30.0, 1.0), (2.0, 0.1)].map(|(evidence, scale)| Gaussian {
            mean: 0.0,
            evidence,
            freedom: 5.0,
            scale,
        });
        for rule in [Rule::Info, Rule::Delta, Rule::Spread, Rule::FewestLabels] {
            let labels = [3, 0, 5, 1];
            let classes = |i: usize, k: u32| rule.priority_after(&beliefs.get(i), labels[i], k).unwrap();
            let scores = |i: usize, k: u32| rule.priority_after(&gaussians[i], labels[i], k).unwrap();
            for value in [&classes as &dyn Fn(usize, u32) -> f64, &scores] {
                for budget in 0..=8 {
                    let greedy = allocate(4, budget as usize, u32::MAX, &[], value);
                    let best =
                        all_allocations(4, budget).iter().map(|a| worth(a, value)).fold(f64::NEG_INFINITY, f64::max);
                    assert_eq!(greedy.iter().sum::<u32>(), budget);
                    assert!((worth(&greedy, value) - best).abs() < 1e-12, "{rule:?} {budget}: {greedy:?}");
                }
            }
        }
    }

    /// What the allocation promises is what labels deliver on average: the fall of the summed spread.
    #[test]
    fn the_values_sum_to_the_fall_of_the_spread() {
        let beliefs = Beliefs::new(ndarray::array![[0.4, 0.7], [3.0, 3.0]]);
        let value = |i: usize, k: u32| beliefs.get(i).label_value_after(k);
        let given = allocate(2, 5, u32::MAX, &[], value);
        let fall: f64 = (0..2).map(|i| beliefs.get(i).spread() - beliefs.get(i).spread_after(given[i])).sum();
        assert!((worth(&given, &value) - fall).abs() < 1e-15);
    }

    /// Beliefs about classes in which nothing ties, and a draw for each.
    fn drawn(items: usize, stream: &mut Stream) -> (Beliefs, Vec<f64>) {
        let mut alpha = || (6.0 * stream.random() - 3.0).exp();
        let beliefs = Beliefs::new(ndarray::Array2::from_shape_fn((items, 3), |_| alpha()));
        (beliefs, (0..items).map(|_| stream.random()).collect())
    }

    #[test]
    fn a_large_budget_is_handed_out_as_one_by_one() {
        let mut stream = Stream::new(8);
        for rule in [Rule::Info, Rule::Delta, Rule::Spread, Rule::FewestLabels] {
            for items in [1, 2, 7] {
                let (beliefs, tie_break) = drawn(items, &mut stream);
                let value = |i: usize, k: u32| rule.priority_after(&beliefs.get(i), i as u32 % 3, k).unwrap();
                for (budget, most) in [(33 * items, 400), (150 * items + 1, 400), (399 * items, 400), (500, u32::MAX)] {
                    let plain = one_by_one(vec![0; items], budget, most, &tie_break, value);
                    let given = allocate(items, budget, most, &tie_break, value);
                    assert_eq!(given, plain, "{rule:?}: {items} items, {budget} labels");
                    assert_eq!(total(&given), budget);
                }
            }
        }
        // Items that tie, and values that fall no further: the draws decide, as they do one by one.
        let level = |i: usize, k: u32| [1.0, 0.5, 0.5][i] / f64::from(k.min(40) + 1);
        for budget in [150, 290] {
            let plain = one_by_one(vec![0; 3], budget, 100, &[0.2, 0.3, 0.1], level);
            assert_eq!(allocate(3, budget, 100, &[0.2, 0.3, 0.1], level), plain);
        }
    }

    /// A value after k labels takes time that grows with k.
    #[test]
    fn a_large_budget_takes_few_values() {
        let (beliefs, tie_break) = drawn(10, &mut Stream::new(9));
        let steps = std::cell::Cell::new(0_u64);
        let value = |i: usize, k: u32| {
            steps.set(steps.get() + u64::from(k) + 1);
            beliefs.get(i).label_value_after(k)
        };
        let given = allocate(10, 99_990, 10_000, &tie_break, value);
        let taken = steps.replace(0);
        assert_eq!(given, one_by_one(vec![0; 10], 99_990, 10_000, &tie_break, value));
        assert!(20 * taken < steps.get(), "{taken} of {}", steps.get());
    }

    #[test]
    fn limits_and_ties() {
        let constant = |_: usize, k: u32| -f64::from(k);
        assert_eq!(allocate(3, 4, u32::MAX, &[], constant), [2, 1, 1]);
        assert_eq!(allocate(3, 4, u32::MAX, &[0.1, 0.3, 0.2], constant), [1, 2, 1]);
        assert_eq!(allocate(3, 9, 2, &[], constant), [2, 2, 2]);
        assert_eq!(allocate(3, 9, 0, &[], constant), [0, 0, 0]);
        assert_eq!(allocate(0, 9, 1, &[], constant), [0; 0]);
    }
}

//! Spending a budget of labels, several per item where that is worth more.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Hands out `budget` labels, one at a time to the item with the highest current value; returns how many each item gets.
///
/// `value(i, k)` is what one more label is worth to item `i` when it has been given `k` of them already
/// ([`super::Rule::priority_after`]). Where it never rises with k, no other allocation of the same budget has a higher sum of
/// values. Items get at most `most` labels each; equal values go to the higher `tie_break` and then to the earlier item, as
/// in [`super::top`]. Fewer labels are handed out only if all items have reached `most`.
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
    let offer = |item: usize, given: u32| Offer {
        value: value(item, given),
        tie_break: tie_break.get(item).copied().unwrap_or(0.0),
        item,
    };
    let mut given = vec![0; items];
    let mut offers: BinaryHeap<Offer> =
        if most == 0 { BinaryHeap::new() } else { (0..items).map(|item| offer(item, 0)).collect() };
    for _ in 0..budget {
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

    fn total(allocation: &[u32], value: &dyn Fn(usize, u32) -> f64) -> f64 {
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
                        all_allocations(4, budget).iter().map(|a| total(a, value)).fold(f64::NEG_INFINITY, f64::max);
                    assert_eq!(greedy.iter().sum::<u32>(), budget);
                    assert!((total(&greedy, value) - best).abs() < 1e-12, "{rule:?} {budget}: {greedy:?}");
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
        assert!((total(&given, &value) - fall).abs() < 1e-15);
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

//! Escalation budgets and the items that a ranking spends them on.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::stats::rank::total_order;

/// An escalation budget B in percent of the items.
///
/// Written as its key, `b10` for 10%.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Budget(u32);

impl From<Budget> for String {
    fn from(budget: Budget) -> Self {
        format!("b{}", budget.0)
    }
}

impl TryFrom<String> for Budget {
    type Error = String;

    fn try_from(key: String) -> Result<Self, Self::Error> {
        let percent = key.strip_prefix('b').and_then(|p| p.parse().ok());
        percent.and_then(Budget::percent).ok_or_else(|| format!("`{key}` is not a budget such as `b10` (10%)"))
    }
}

impl Budget {
    /// The budgets of the paper: 1, 5, 10 and 20%.
    pub const PAPER: [Budget; 4] = [Budget(1), Budget(5), Budget(10), Budget(20)];
    /// The paper's headline budget, 10%.
    pub const HEADLINE: Budget = Budget(10);

    /// The budget that tables and sentences show: the headline budget, or the largest below it, or the smallest there
    /// is; the headline budget where there are none.
    pub fn headline_of(budgets: &[Self]) -> Self {
        let up_to = budgets.iter().filter(|budget| **budget <= Self::HEADLINE).max();
        up_to.or(budgets.iter().min()).copied().unwrap_or(Self::HEADLINE)
    }

    /// A budget of `percent` of the items, 1 to 100; `None` outside that range.
    pub fn percent(percent: u32) -> Option<Self> {
        (1..=100).contains(&percent).then_some(Self(percent))
    }

    /// The budget in percent of the items, 1 to 100.
    pub fn in_percent(self) -> u32 {
        self.0
    }

    /// How many of `items` are escalated: max(1, floor(items B / 100)), and never more than there are.
    pub fn of(self, items: usize) -> usize {
        (items * self.0 as usize / 100).max(1).min(items)
    }
}

/// The `k` items with the highest priorities, best first; the higher `tie_break` goes first among equals, then the
/// earlier item.
///
/// Priorities are finite. `tie_break` may be empty: then ties keep item order. `k` above the number of items gives all.
///
/// # Panics
/// If `tie_break` is neither empty nor as long as `priorities`.
pub fn top(priorities: &[f64], tie_break: &[f64], k: usize) -> Vec<usize> {
    assert!(tie_break.is_empty() || tie_break.len() == priorities.len(), "one tie break per item, or none");
    // Integers that are smaller the higher the priority: a comparison of two decides without a jump.
    let keys: Vec<u64> = priorities.iter().map(|&p| !total_order(p)).collect();
    let mut order;
    if tie_break.is_empty() {
        order = candidates(&keys, k, |_| 0);
        best(&mut order, k, |a, b| a.cmp(b));
    } else {
        let draw = |item: usize| !total_order(tie_break[item]);
        let (key, draw_of) = (|place: u128| (place >> 64) as u64, |place: u128| draw(item_of(place)));
        order = candidates(&keys, k, draw);
        best(&mut order, k, |a, b| key(*a).cmp(&key(*b)).then_with(|| draw_of(*a).cmp(&draw_of(*b))).then(a.cmp(b)));
    }
    order.into_iter().map(item_of).collect()
}

/// The place of some `items` in the order of [`top`], from 1, without ordering the others.
///
/// # Panics
/// As [`top`].
pub fn places(priorities: &[f64], tie_break: &[f64], items: &[usize]) -> Vec<usize> {
    assert!(tie_break.is_empty() || tie_break.len() == priorities.len(), "one tie break per item, or none");
    let draw = |item: usize| tie_break.get(item).map_or(0, |&draw| !total_order(draw));
    // Priority and draw in one integer, whose comparison needs no jump.
    let key = |item: usize| u128::from(!total_order(priorities[item])) << 64 | u128::from(draw(item));
    let mut sorted: Vec<(u128, usize)> = items.iter().map(|&item| (key(item), item)).collect();
    sorted.sort_unstable();
    let before = |item: usize| {
        let own = key(item);
        let first = sorted.partition_point(|(other, _)| *other < own);
        let is_tied = sorted.get(first).is_some_and(|(other, _)| *other == own);
        if is_tied { first + sorted[first..].partition_point(|other| *other < (own, item)) } else { first }
    };
    // How many items lie behind so many of the sorted ones and before the next.
    let mut behind = vec![0; sorted.len() + 1];
    for item in 0..priorities.len() {
        behind[before(item)] += 1;
    }
    let up_to: Vec<usize> = behind
        .iter()
        .scan(0, |sum, more| {
            *sum += more;
            Some(*sum)
        })
        .collect();
    items.iter().map(|&item| up_to[before(item)]).collect()
}

/// Of every so many keys one is looked at to tell which items can't be among the first.
const SAMPLED: usize = 16;

/// The places (key, then item, in one integer) of items among which are the `k` with the smallest keys, and with the
/// smallest draws where keys are equal; all that tie with them are there, too.
fn candidates(keys: &[u64], k: usize, draw: impl Fn(usize) -> u64) -> Vec<u128> {
    let sampled = (0..keys.len()).step_by(SAMPLED);
    let mut sample: Vec<(u64, u64)> = sampled.map(|item| (keys[item], draw(item))).collect();
    // Two standard deviations of the sample's number of keys below the k-th are more than enough most of the time.
    let expected = k.div_ceil(SAMPLED);
    let enough = expected + 2 * expected.isqrt() + 2;
    let last = if enough < sample.len() { *sample.select_nth_unstable(enough).1 } else { (u64::MAX, u64::MAX) };
    let mut places = vec![0; keys.len()];
    let mut kept = 0;
    for (&key, item) in keys.iter().zip(0_u64..) {
        places[kept] = u128::from(key) << 64 | u128::from(item);
        kept += usize::from(key < last.0 || key == last.0 && draw(item as usize) <= last.1);
    }
    if kept < k.min(keys.len()) {
        return keys.iter().zip(0_u64..).map(|(&key, item)| u128::from(key) << 64 | u128::from(item)).collect();
    }
    places.truncate(kept);
    places
}

/// The item of a place.
fn item_of(place: u128) -> usize {
    place as u64 as usize
}

/// Keeps the first `k` of an order, sorted.
fn best(order: &mut Vec<u128>, k: usize, compare: impl Fn(&u128, &u128) -> Ordering) {
    if k < order.len() {
        order.select_nth_unstable_by(k, &compare);
        order.truncate(k);
    }
    order.sort_unstable_by(compare);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn a_tenth_is_shown_or_what_is_next_to_it() {
        let shown = |percents: &[u32]| {
            let budgets: Vec<Budget> = percents.iter().map(|&p| Budget(p)).collect();
            Budget::headline_of(&budgets).in_percent()
        };
        assert_eq!([&[20, 10, 1][..], &[30, 5, 1], &[40, 20], &[]].map(shown), [10, 5, 20, 10]);
    }

    #[test]
    fn budgets_round_down_but_never_to_nothing() {
        assert_eq!(Budget::HEADLINE.of(3113), 311);
        assert_eq!(Budget::PAPER.map(|b| b.of(500)), [5, 25, 50, 100]);
        assert_eq!(Budget::HEADLINE.of(3), 1);
        assert_eq!(Budget::HEADLINE.of(0), 0);
        assert_eq!((Budget::percent(0), Budget::percent(101)), (None, None));
    }

    #[test]
    fn ties_follow_the_tie_break_and_then_item_order() {
        let priorities = [1.0, 3.0, 1.0, 3.0, 2.0];
        assert_eq!(top(&priorities, &[], 3), [1, 3, 4]);
        assert_eq!(top(&priorities, &[], 4), [1, 3, 4, 0]);
        assert_eq!(top(&priorities, &[], 9), [1, 3, 4, 0, 2]);
        assert_eq!(top(&priorities, &[0.1, 0.2, 0.3, 0.4, 0.5], 4), [3, 1, 4, 2]);
        assert_eq!(top(&[], &[], 2), [0; 0]);
    }

    /// Of many items, with and without ties and draws, in orders that deceive a sample: as a sort of all of them.
    #[test]
    fn the_first_are_those_of_a_full_sort() {
        let mut stream = Stream::new(3);
        let mut priorities: Vec<Vec<f64>> = vec![
            (0..3000).map(|_| stream.standard_normal()).collect(),
            (0..3000).map(|_| f64::from(stream.choice(5)) - 2.0).collect(),
            (0..3000).map(f64::from).collect(),
            vec![-0.0; 500],
        ];
        // What a sample of every sixteenth item sees is not what there is.
        priorities.push((0..3000).map(|i| if i % 16 == 0 { 1.0 } else { -f64::from(i) }).collect());
        priorities.push((0..3000).map(|i| if i % 16 == 0 { -1e9 } else { f64::from(i % 7) }).collect());
        for priorities in priorities {
            let draws: Vec<f64> = priorities.iter().map(|_| f64::from(stream.choice(3))).collect();
            for tie_break in [&[][..], &draws] {
                let draw = |i: usize| tie_break.get(i).copied().unwrap_or(0.0);
                let mut all: Vec<usize> = (0..priorities.len()).collect();
                all.sort_by(|&a, &b| {
                    priorities[b].total_cmp(&priorities[a]).then(draw(b).total_cmp(&draw(a))).then(a.cmp(&b))
                });
                for k in [0, 1, 30, 300, 2999, 3000, 4000] {
                    assert_eq!(top(&priorities, tie_break, k), all[..k.min(all.len())]);
                }
            }
        }
    }

    #[test]
    fn places_are_those_of_the_order() {
        let mut stream = Stream::new(7);
        let rounded: Vec<f64> = (0..300).map(|_| (6.0 * stream.random()).floor() - 2.0).collect();
        let draws: Vec<f64> = (0..300).map(|_| (9.0 * stream.random()).floor()).collect();
        let some: Vec<usize> = (0..300).step_by(7).rev().collect();
        for tie_break in [&draws[..], &[]] {
            let order = top(&rounded, tie_break, 300);
            let place = |item: &usize| 1 + order.iter().position(|other| other == item).unwrap();
            assert_eq!(places(&rounded, tie_break, &some), some.iter().map(place).collect::<Vec<_>>());
        }
        assert!(places(&[], &[], &[]).is_empty());
    }
}

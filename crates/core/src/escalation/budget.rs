//! Escalation budgets and the items that a ranking spends them on.

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
    let draw = |i: usize| tie_break.get(i).copied().unwrap_or(0.0);
    // Priorities stand beside their items, as integers: a comparison then reads one place and decides without a jump.
    let better = |a: &(i64, usize), b: &(i64, usize)| {
        b.0.cmp(&a.0).then_with(|| draw(b.1).total_cmp(&draw(a.1))).then(a.1.cmp(&b.1))
    };
    let mut order: Vec<(i64, usize)> = priorities.iter().map(|&p| total_order(p)).zip(0..).collect();
    let k = k.min(order.len());
    if k < order.len() {
        order.select_nth_unstable_by(k, better);
        order.truncate(k);
    }
    order.sort_unstable_by(better);
    order.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

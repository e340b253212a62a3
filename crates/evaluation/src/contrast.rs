//! Comparisons of two rules, item by item, from which intervals for new items are made.

use serde::{Deserialize, Serialize};

use super::escalation::{ErrorReduction, Picks};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::new_items::{Contribution, Contributions, Gathered};

/// What a comparison of two rules is about. Differences are signed so that positive means "better is better".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Error removed by one bought label per escalated item, summed over them.
    Value,
    /// Squared error removed by one bought label per escalated item, summed over them; for labels that are numbers.
    SquaredValue,
}

impl Measure {
    /// Key in plans and results.
    pub fn key(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::SquaredValue => "squared_value",
        }
    }

    /// What picking an item adds to a rule's measure; `None` where it is not measured.
    fn of_pick(self, gain: &ErrorReduction) -> Option<f64> {
        match self {
            Self::Value => Some(gain.error),
            Self::SquaredValue => gain.squared,
        }
    }
}

/// A comparison of two rules at a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contrast {
    /// The rule that is said to be better.
    pub better: Rule,
    /// The rule that it is compared with.
    pub than: Rule,
    /// The budget.
    pub budget: Budget,
    /// What is compared.
    pub measure: Measure,
}

impl Contrast {
    /// The picks of a replicate; `None` where a rule was not evaluated or the measure is undefined. `top` gives the
    /// items that a rule escalates; values are expected ones over all labels that may be bought, without the noise of
    /// drawing one.
    pub(super) fn picks<'a>(
        &self,
        top: impl Fn(Rule) -> Option<&'a [usize]>,
        gains: &[ErrorReduction],
    ) -> Option<Picks> {
        let (better, than) = (top(self.better)?, top(self.than)?);
        let mut sign = vec![0_i8; gains.len()];
        better.iter().for_each(|&i| sign[i] += 1);
        than.iter().for_each(|&i| sign[i] -= 1);
        let differing = sign.iter().enumerate().filter(|(_, sign)| **sign != 0);
        differing.map(|(i, &sign)| Some((i as u32, sign, self.measure.of_pick(&gains[i])?))).collect()
    }
}

/// What each of `items` contributes to a comparison, from its picks in every replicate; `None` if one could not be
/// evaluated.
pub fn contributions<'a>(items: usize, picks: impl Iterator<Item = Option<&'a Picks>>) -> Option<Contributions> {
    let mut gathered = Gathered::over(items);
    for replicate in picks {
        gathered.add(replicate?.iter().map(|&(i, sign, worth)| Contribution {
            item: i as usize,
            share: f64::from(sign),
            worth,
        }));
    }
    gathered.contributions()
}

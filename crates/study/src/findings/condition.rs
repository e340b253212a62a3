//! Conditions on findings: `kappa<0.6`, `agreement=0.8`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use judge_uncertainty_core::stats::Estimable;

/// A condition on a finding: that it lies below a number, or above it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The id of the finding.
    pub finding: String,
    /// Whether it is to lie below the number; above it otherwise.
    pub below: bool,
    /// The number.
    pub number: f64,
}

/// Whether a condition holds, as far as an interval tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// The whole interval meets the condition.
    Yes,
    /// The interval contains the number, or is missing.
    Open,
    /// The whole interval says otherwise.
    No,
}

impl fmt::Display for Condition {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}{}{}", self.finding, if self.below { '<' } else { '>' }, self.number)
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let place = text.find(['<', '>', '=']);
        let parsed = place.and_then(|place| {
            let number = text[place + 1..].trim().parse().ok().filter(|number: &f64| number.is_finite())?;
            let finding = text[..place].trim();
            (!finding.is_empty()).then(|| Self {
                finding: finding.to_owned(),
                below: text[place..].starts_with('<'),
                number,
            })
        });
        parsed.ok_or_else(|| format!("{text:?} is no condition on a finding, such as kappa<0.6"))
    }
}

impl Condition {
    /// What a judge has to reach: `agreement=0.8`.
    ///
    /// # Errors
    /// Another condition, in words.
    pub fn goal(text: &str) -> Result<Self, String> {
        let is_goal = !text.contains(['<', '>']);
        text.parse().ok().filter(|_| is_goal).ok_or_else(|| format!("{text:?} is no goal such as agreement=0.8"))
    }

    /// Where a finding fails: `kappa<0.6`.
    ///
    /// # Errors
    /// Another condition, in words.
    pub fn limit(text: &str) -> Result<Self, String> {
        let limit = text.parse::<Self>()?;
        let is_limit = !text.contains('=');
        is_limit.then_some(limit).ok_or_else(|| format!("{text:?} is no limit: write < or >, as in kappa<0.6"))
    }

    /// Whether it holds of a finding.
    pub fn holds(&self, found: Option<&Estimable>) -> Holds {
        let Some(found) = found.and_then(Estimable::estimate) else { return Holds::Open };
        match (found.hi < self.number, found.lo >= self.number) {
            (true, _) if self.below => Holds::Yes,
            (_, true) if self.below => Holds::No,
            (true, _) => Holds::No,
            (_, true) => Holds::Yes,
            _ => Holds::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_core::stats::ItemEstimate;

    #[test]
    fn a_condition_is_decided_by_the_whole_interval() {
        let found = |lo, hi| Estimable::Estimated(ItemEstimate { value: lo, standard_error: 0.1, lo, hi, items: 9 });
        let holds = |text: &str, lo: f64, hi: f64| text.parse::<Condition>().unwrap().holds(Some(&found(lo, hi)));
        assert_eq!(holds("kappa<0.6", 0.4, 0.5), Holds::Yes);
        assert_eq!(holds("kappa < 0.6", 0.6, 0.7), Holds::No);
        assert_eq!((holds("kappa<0.6", 0.5, 0.7), holds("agreement=0.8", 0.7, 0.9)), (Holds::Open, Holds::Open));
        assert_eq!((holds("agreement=0.8", 0.8, 0.9), holds("agreement>0.8", 0.5, 0.7)), (Holds::Yes, Holds::No));
        assert_eq!("kappa<1".parse::<Condition>().unwrap().holds(None), Holds::Open);
        assert!("kappa".parse::<Condition>().is_err() && "<3".parse::<Condition>().is_err());
    }
}

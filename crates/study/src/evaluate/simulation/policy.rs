//! What a simulation of the loop compares.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use judge_uncertainty_core::escalation::Rule;

/// What chooses the items of a round: a rule, with a share of the batch drawn at random from the other items.
///
/// Written as `epistemic`, or as `epistemic+0.2` for a share of 0.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chooses {
    /// The rule; `None` for what a queue does where no rule is named.
    pub rule: Option<Rule>,
    /// Share of the batch drawn at random, 0 to 1; `None` for what the rule has by itself.
    pub explore: Option<f64>,
}

impl Chooses {
    /// Name of what a queue does where nothing is asked for.
    const ADVICE_KEY: &'static str = "advice";
}

impl FromStr for Chooses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (rule, share) = text.split_once('+').map_or((text, None), |(rule, share)| (rule, Some(share)));
        let rule = if rule == Self::ADVICE_KEY {
            None
        } else {
            Some(rule.parse().map_err(|error| format!("{error}, nor {}", Self::ADVICE_KEY))?)
        };
        let explore = share.map(|share| {
            let number = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
            number.ok_or_else(|| format!("{share:?} is not a share from 0 to 1, as in epistemic+0.1"))
        });
        Ok(Self { rule, explore: explore.transpose()? })
    }
}

impl fmt::Display for Chooses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule.map_or(Self::ADVICE_KEY, Rule::name))?;
        self.explore.map_or(Ok(()), |share| write!(f, "+{share}"))
    }
}

impl Serialize for Chooses {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A way of running the loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Policy {
    /// The belief's name, as `trust.belief` has it.
    pub belief: String,
    /// What chooses the items.
    pub rule: Chooses,
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.belief, self.rule)
    }
}

impl Policy {
    /// Every belief with every rule.
    pub fn each<'b>(beliefs: impl Iterator<Item = &'b String>, rules: &[Chooses]) -> Vec<Self> {
        let of = |belief: &String| rules.iter().map(|&rule| Self { belief: belief.clone(), rule }).collect::<Vec<_>>();
        beliefs.flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_shown_alike() {
        for text in ["advice", "epistemic", "fewest_labels+0.2", "random"] {
            assert_eq!(text.parse::<Chooses>().unwrap().to_string(), text);
        }
        for bad in ["", "best", "info+2", "info+", "info+x", "cover"] {
            assert!(bad.parse::<Chooses>().is_err(), "{bad}");
        }
    }
}

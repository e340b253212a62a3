//! What a queue ranks items by.

use std::fmt;
use std::str::FromStr;

use super::Amount;
use judge_uncertainty_core::escalation::Rule;

/// What ranks the items of a queue: a rule, or cover, which needs neither labels nor a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// A rule, which looks at one item at a time.
    By(Rule),
    /// Spread over the embeddings, so that what is labelled covers the items
    /// ([`judge_uncertainty_familiarity::neighbours::cover`]).
    Cover,
    /// Where the judge is most likely wrong, as the labels have it by group and answer
    /// ([`crate::queue::likely_errors`]); labelled items last.
    LikelyErrors,
}

impl Order {
    /// Key on the command line and in files, e.g. `judge_entropy` or `cover`.
    pub fn key(self) -> &'static str {
        match self {
            Self::By(rule) => rule.name(),
            Self::Cover => "cover",
            Self::LikelyErrors => "likely_errors",
        }
    }

    /// What it ranks by, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::By(rule) => rule.words(),
            Self::Cover => "spread over the embeddings",
            Self::LikelyErrors => "how likely the judge is wrong, by group and answer",
        }
    }

    /// Whether a queue of this amount takes any of the items without a label alike, so that those which it chooses are a
    /// random sample of them: by number of labels they are equals, and equals come in random order.
    pub fn draws_unlabelled(self, amount: Amount) -> bool {
        self == Self::By(Rule::FewestLabels) && !matches!(amount, Amount::Until { .. })
    }

    /// The rule, if it is one.
    pub fn rule(self) -> Option<Rule> {
        match self {
            Self::By(rule) => Some(rule),
            Self::Cover | Self::LikelyErrors => None,
        }
    }
}

impl From<Rule> for Order {
    fn from(rule: Rule) -> Self {
        Self::By(rule)
    }
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "cover" => Ok(Self::Cover),
            "likely_errors" => Ok(Self::LikelyErrors),
            _ => text.parse().map(Self::By).map_err(|error: <Rule as FromStr>::Err| error.to_string()),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

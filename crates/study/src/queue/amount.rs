//! How much is sent to experts, and what ranks it.

use std::fmt;
use std::str::FromStr;

use judge_uncertainty_core::escalation::Rule;

/// How many items are sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// A share of the items in percent, rounded down but never to nothing.
    Percent(f64),
    /// A number.
    Number(usize),
}

impl Amount {
    /// What a queue takes where nothing is asked for.
    pub const DEFAULT: Self = Self::Number(50);

    /// The budget among `items`.
    pub fn among(self, items: usize) -> usize {
        match self {
            Amount::Percent(percent) => ((items as f64 * percent / 100.0).floor() as usize).max(1),
            Amount::Number(number) => number,
        }
    }
}

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let positive = |number: &str| number.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
        let amount = match text.strip_suffix('%') {
            Some(percent) => positive(percent).map(Amount::Percent),
            None => text.parse().ok().filter(|n| *n > 0).map(Amount::Number),
        };
        amount.ok_or_else(|| format!("{text:?} is not a budget such as 10% or 300"))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Percent(percent) => write!(f, "{percent}%"),
            Amount::Number(number) => write!(f, "{number}"),
        }
    }
}

/// What labels are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To know every item: fewest labels first, a tenth at random.
    Items,
    /// To find the judge's mistakes: where it is most likely wrong, a fifth at random so that every finding stays estimable.
    Errors,
    /// To narrow the rate over all items: at random.
    Rate,
}

impl FromStr for Purpose {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "items" => Ok(Self::Items),
            "errors" => Ok(Self::Errors),
            "rate" => Ok(Self::Rate),
            _ => Err(format!("{text:?} is no purpose; write items, errors or rate")),
        }
    }
}

/// What ranks the items of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// A rule, which looks at one item at a time.
    By(Rule),
    /// Where the judge is most likely wrong, as the labels have it by group and answer
    /// ([`crate::queue::ranked`]); labelled items last.
    LikelyErrors,
}

impl Order {
    /// Key on the command line and in files, e.g. `judge_entropy`.
    pub fn key(self) -> &'static str {
        match self {
            Self::By(rule) => rule.name(),
            Self::LikelyErrors => "likely_errors",
        }
    }

    /// What it ranks by, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::By(rule) => rule.words(),
            Self::LikelyErrors => "how likely the judge is wrong, by group and answer",
        }
    }

    /// Whether a queue takes any of the items without a label alike, so that those which it chooses are a random sample
    /// of them: by number of labels they are equals, and equals come in random order.
    pub fn draws_unlabelled(self) -> bool {
        self == Self::By(Rule::FewestLabels)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_shown_alike() {
        for (text, amount, of_250) in
            [("10%", Amount::Percent(10.0), 25), ("0.5%", Amount::Percent(0.5), 1), ("300", Amount::Number(300), 300)]
        {
            assert_eq!(text.parse(), Ok(amount));
            assert_eq!((amount.to_string().as_str(), amount.among(250)), (text, of_250));
        }
        assert_eq!(Amount::Percent(0.1).among(5), 1);
        for bad in ["0", "-3", "0%", "1e999%", "3.5", "epistemic<0.05", "", "%", "ten"] {
            assert!(bad.parse::<Amount>().is_err(), "{bad}");
        }
    }
}

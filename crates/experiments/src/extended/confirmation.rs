//! The frozen registration and its confirmation on items that had no part in it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::contest::{Contender, Contest, Errors};
use super::development::Choice;
use super::stage::{BeliefName, Contests, StageRun};
use crate::Error;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_core::stats::inference::{Inference, compare};
use judge_uncertainty_data::dataset::checksum::CheckedFolder;

/// File of the registration within its folder.
pub const FILE: &str = "extended.toml";

/// What was frozen before the confirmation half was looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtendedRegistration {
    /// Day of the registration.
    pub registered: String,
    /// Seed of the split into development and confirmation half.
    pub split_seed: u64,
    /// What the development half chose.
    pub developed: Choice,
    /// What the planning calculations had in mind, on all items and without a confirmation.
    pub planned: Choice,
}

impl ExtendedRegistration {
    /// Reads the registration of a folder, its digest checked; returns it with the digest.
    ///
    /// # Errors
    /// The file is missing, differs from its digest, or is malformed.
    pub fn load(folder: &Path) -> Result<(Self, String), Error> {
        let mut checked = CheckedFolder::open(folder)?;
        let path = checked.path(FILE);
        let text = checked.read(FILE)?;
        let refused = |detail: String| Error::Registration { path: path.clone(), detail };
        let text = std::str::from_utf8(&text).map_err(|e| refused(e.to_string()))?;
        let registration = toml::from_str(text).map_err(|e| refused(e.to_string()))?;
        Ok((registration, checked.into_hashes().remove(FILE).unwrap_or_default()))
    }
}

/// On which side of 0 a registered quantity is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// An error that falls.
    Below,
    /// A value that rises.
    Above,
}

/// What the confirmation says of a registered comparison.
///
/// The registration names one decision, [`Judgement::Confirmed`], and the simultaneous interval as what it rests on. The
/// others say how far a comparison that is not confirmed is from it, by the same interval on both sides of 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The simultaneous interval lies on the expected side of 0.
    Confirmed,
    /// Only the plain interval does.
    Suggested,
    /// The plain interval holds 0, and so does the simultaneous one, which is never narrower.
    Open,
    /// Only the plain interval lies on the other side.
    Doubted,
    /// The simultaneous interval lies on the other side.
    Refuted,
}

impl Judgement {
    fn of(side: Side, x: &Inference) -> Self {
        let lies = |lo: f64, hi: f64, side: Side| match side {
            Side::Below => hi < 0.0,
            Side::Above => lo > 0.0,
        };
        let simultaneous = |side| lies(x.simultaneous_lo, x.simultaneous_hi, side);
        let plain = |side| lies(x.lo, x.hi, side);
        let other = match side {
            Side::Below => Side::Above,
            Side::Above => Side::Below,
        };
        if simultaneous(side) {
            Self::Confirmed
        } else if simultaneous(other) {
            Self::Refuted
        } else if plain(side) {
            Self::Suggested
        } else if plain(other) {
            Self::Doubted
        } else {
            Self::Open
        }
    }
}

/// One registered quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Quantity {
    /// Mean Manhattan error before any label is bought, minus the published belief's.
    Error {
        /// The belief.
        belief: BeliefName,
    },
    /// The change of the mean error over items without labels.
    ErrorUnlabelled {
        /// The belief.
        belief: BeliefName,
    },
    /// Value of a rule minus that of another, both under one belief.
    Advantage {
        /// The belief.
        belief: BeliefName,
        /// The rule.
        rule: Contender,
        /// The rule that it is compared with.
        over: Contender,
        /// The budget.
        budget: Budget,
    },
}

impl Quantity {
    /// Its value in one set of contests.
    pub fn of(self, contests: &Contests) -> f64 {
        match self {
            Self::Error { belief } => contests[&belief].error.all - contests[&BeliefName::Published].error.all,
            Self::ErrorUnlabelled { belief } => {
                contests[&belief].error.unlabelled - contests[&BeliefName::Published].error.unlabelled
            }
            Self::Advantage { belief, rule, over, budget } => {
                contests[&belief].value(rule, budget) - contests[&belief].value(over, budget)
            }
        }
    }

    fn side(self) -> Side {
        match self {
            Self::Error { .. } | Self::ErrorUnlabelled { .. } => Side::Below,
            Self::Advantage { .. } => Side::Above,
        }
    }
}

/// The registered quantities: errors of both new beliefs against the published one, and the advantage of each one's rule
/// over fewest labels at 5, 10 and 20% and over fewest labels with ties by I at 10%.
pub fn registered(registration: &ExtendedRegistration) -> Vec<Quantity> {
    let (fewest, by_info) = (Contender::Rule(Rule::FewestLabels), Contender::Rule(Rule::FewestLabelsByInfo));
    let beliefs =
        [(BeliefName::Recalibrated, registration.developed.rule), (BeliefName::Planned, registration.planned.rule)];
    let mut all = vec![];
    for (belief, rule) in beliefs {
        let rule = Contender::Rule(rule);
        all.push(Quantity::Error { belief });
        all.push(Quantity::ErrorUnlabelled { belief });
        for budget in &Budget::PAPER[1..] {
            all.push(Quantity::Advantage { belief, rule, over: fewest, budget: *budget });
        }
        all.push(Quantity::Advantage { belief, rule, over: by_info, budget: Budget::HEADLINE });
    }
    all
}

/// A registered quantity with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegisteredComparison {
    /// What was registered.
    pub quantity: Quantity,
    /// The side of 0 that was expected.
    pub expected: Side,
    /// What was found.
    pub found: Inference,
    /// The verdict.
    pub outcome: Judgement,
}

/// The registered comparisons on one set of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confirmation {
    /// Items evaluated.
    pub items: usize,
    /// Label re-draws of them.
    pub redraws: usize,
    /// Bootstrap samples of items.
    pub samples: usize,
    /// Critical value of the simultaneous intervals, in standard errors.
    pub critical: f64,
    /// Fits that did not converge.
    pub unconverged_fits: usize,
    /// Errors of each belief over the re-draws, before any label is bought.
    pub errors: BTreeMap<BeliefName, Errors<Summary>>,
    /// The comparisons.
    pub verdicts: Vec<RegisteredComparison>,
}

impl Confirmation {
    /// Judges the registered quantities in a stage's contests.
    pub fn judge(items: usize, staged: &StageRun, registration: &ExtendedRegistration) -> Self {
        let quantities = registered(registration);
        let (on_items, on_samples) = staged.quantities(|c| quantities.iter().map(|q| q.of(c)).collect());
        let (found, critical) = compare(&on_items, &on_samples);
        let verdicts = quantities.into_iter().zip(found).map(|(quantity, found)| RegisteredComparison {
            quantity,
            expected: quantity.side(),
            found,
            outcome: Judgement::of(quantity.side(), &found),
        });
        let errors = |&name: &BeliefName| {
            let contests: Vec<&Contest> = staged.on_items.iter().map(|c| &c[&name]).collect();
            (name, Errors::over(&contests))
        };
        Self {
            items,
            redraws: staged.on_items.len(),
            samples: staged.on_samples.len(),
            critical,
            unconverged_fits: staged.unconverged(),
            errors: staged.on_items[0].keys().map(errors).collect(),
            verdicts: verdicts.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confirmed_and_refuted_rest_on_the_same_interval() {
        let outcome = |side, mean: f64, plain: f64, simultaneous: f64| {
            let found = Inference {
                redraws: Summary { mean, se: 0.0, lo: mean, hi: mean },
                se: plain / 1.96,
                lo: mean - plain,
                hi: mean + plain,
                simultaneous_lo: mean - simultaneous,
                simultaneous_hi: mean + simultaneous,
                deployment_sd: 1.0,
            };
            Judgement::of(side, &found)
        };
        use Judgement::{Confirmed, Doubted, Open, Refuted, Suggested};
        for (mean, above, below) in [
            (3.0, Confirmed, Refuted),
            (1.5, Suggested, Doubted),
            (0.5, Open, Open),
            (-0.5, Open, Open),
            (-1.5, Doubted, Suggested),
            (-3.0, Refuted, Confirmed),
        ] {
            assert_eq!(outcome(Side::Above, mean, 1.0, 2.0), above, "{mean}");
            assert_eq!(outcome(Side::Below, mean, 1.0, 2.0), below, "{mean}");
        }
    }
}

//! The frozen registration and its confirmation on items that had no part in it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::contest::ErrorsByLabels;
use super::development::DevelopedChoice;
use super::stage::{BeliefName, ItemContests, StageRun, advantage, error_change};
use crate::experiments::Error;
use crate::rules::Contender;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_core::stats::inference::Inference;
use judge_uncertainty_core::stats::new_items::{Contribution, Contributions, NewItems, new_items};
use judge_uncertainty_formats::checksum::CheckedFolder;

/// Seed of the stream that draws the critical values of simultaneous intervals.
pub const CRITICAL_SEED: u64 = 3_000_000;

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
    pub developed: DevelopedChoice,
    /// What the planning calculations had in mind, on all items and without a confirmation.
    pub planned: DevelopedChoice,
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
/// The registration names one decision, [`Judgement::Confirmed`], and the simultaneous interval as what it rests on.
/// The others say how far a comparison that is not confirmed is from it, by the same interval on both sides of 0.
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

/// Monte-Carlo errors within which an end of an interval must not lie of 0 to confirm or refute, as for studies.
const SAFE: f64 = 3.0;
/// The Monte-Carlo error of an interval's ends as a share of their distance from 0, from which the draws count as too
/// few.
const SETTLED: f64 = 0.1;

/// What chance in the draws leaves open of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MonteCarlo {
    /// How many standard errors the simultaneous interval reaches, skewness apart.
    pub critical: f64,
    /// Monte-Carlo error of that number.
    pub critical_error: f64,
    /// Monte-Carlo error of the simultaneous interval's ends: that of the difference over re-draws and that of the
    /// critical value.
    pub bound_error: f64,
    /// Distance from 0 of the end that is nearer to it.
    pub margin: f64,
    /// Whether the error is below a tenth of that distance, so that other draws would hardly decide otherwise.
    pub settled: bool,
}

/// What was found for each of some quantities, simultaneous over all of them, and what chance in the draws leaves open.
pub(super) fn inferences(family: &[Contributions]) -> Vec<(Inference, Option<MonteCarlo>)> {
    let found = new_items(family, 0.95, &mut Stream::new(CRITICAL_SEED));
    let of = |(own, found): (&Contributions, &Option<NewItems>)| {
        (Inference::new(&own.of_redraws, found.as_ref()), found.as_ref().map(MonteCarlo::new))
    };
    family.iter().zip(&found).map(of).collect()
}

impl MonteCarlo {
    fn new(found: &NewItems) -> Self {
        let margin = found.simultaneous.lo.abs().min(found.simultaneous.hi.abs());
        let NewItems { critical, critical_error, bound_error, .. } = *found;
        Self { critical, critical_error, bound_error, margin, settled: bound_error < SETTLED * margin }
    }

    /// Whether other draws might put 0 on another side of the end that is nearer to it.
    fn decides(&self) -> bool {
        self.margin < SAFE * self.bound_error
    }
}

impl Judgement {
    /// An interval whose end lies so near to 0 that other draws might decide otherwise neither confirms nor refutes.
    fn new(side: Side, x: &Inference, by_chance: bool) -> Self {
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
        if simultaneous(side) && !by_chance {
            Self::Confirmed
        } else if simultaneous(other) && !by_chance {
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
#[expect(missing_docs, reason = "each field is what its name says")]
pub enum RegisteredQuantity {
    /// Mean Manhattan error before any label is bought, minus the published belief's.
    Error { belief: BeliefName },
    /// The change of the mean error over items without labels.
    ErrorUnlabelled { belief: BeliefName },
    /// Value of a rule minus that of another, both under one belief.
    Advantage { belief: BeliefName, rule: Contender, over: Contender, budget: Budget },
}

impl RegisteredQuantity {
    /// What items add to it in one re-draw.
    pub fn parts(self, held: &ItemContests) -> Vec<Contribution> {
        match self {
            Self::Error { belief } => error_change(&held[&belief], &held[&BeliefName::Published], false),
            Self::ErrorUnlabelled { belief } => error_change(&held[&belief], &held[&BeliefName::Published], true),
            Self::Advantage { belief, rule, over, budget } => advantage(&held[&belief], rule, over, budget),
        }
    }

    fn side(self) -> Side {
        match self {
            Self::Error { .. } | Self::ErrorUnlabelled { .. } => Side::Below,
            Self::Advantage { .. } => Side::Above,
        }
    }
}

/// The registered quantities: errors of both new beliefs against the published one, and the advantage of each one's
/// rule over fewest labels at 5, 10 and 20% and over fewest labels with ties by I at 10%.
pub fn registered(registration: &ExtendedRegistration) -> Vec<RegisteredQuantity> {
    let (fewest, by_info) = (Contender::Rule(Rule::FewestLabels), Contender::Rule(Rule::FewestLabelsByInfo));
    let beliefs =
        [(BeliefName::Recalibrated, registration.developed.rule), (BeliefName::Planned, registration.planned.rule)];
    let mut all = vec![];
    for (belief, rule) in beliefs {
        let rule = Contender::Rule(rule);
        all.push(RegisteredQuantity::Error { belief });
        all.push(RegisteredQuantity::ErrorUnlabelled { belief });
        for budget in &Budget::PAPER[1..] {
            all.push(RegisteredQuantity::Advantage { belief, rule, over: fewest, budget: *budget });
        }
        all.push(RegisteredQuantity::Advantage { belief, rule, over: by_info, budget: Budget::HEADLINE });
    }
    all
}

/// A registered quantity with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegisteredComparison {
    /// What was registered.
    pub quantity: RegisteredQuantity,
    /// The side of 0 that was expected.
    pub expected: Side,
    /// What was found.
    pub found: Inference,
    /// What chance in the draws leaves open; `None` where the difference never varied, which decides nothing.
    pub monte_carlo: Option<MonteCarlo>,
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
    /// Fits that did not converge.
    pub unconverged_fits: usize,
    /// Errors of each belief over the re-draws, before any label is bought.
    pub errors: BTreeMap<BeliefName, ErrorsByLabels<Summary>>,
    /// The comparisons.
    pub verdicts: Vec<RegisteredComparison>,
}

impl Confirmation {
    /// Judges the registered quantities by what a stage over so many items found, whose parts are those of
    /// [`registered`].
    pub fn judge(items: usize, staged: &StageRun, registration: &ExtendedRegistration) -> Self {
        let judge = |(quantity, (found, monte_carlo)): (RegisteredQuantity, (Inference, Option<MonteCarlo>))| {
            let expected = quantity.side();
            let by_chance = monte_carlo.is_none_or(|chance| chance.decides());
            let outcome = Judgement::new(expected, &found, by_chance);
            RegisteredComparison { quantity, expected, found, monte_carlo, outcome }
        };
        Self {
            items,
            redraws: staged.contests.len(),
            unconverged_fits: staged.unconverged(),
            errors: staged.errors(),
            verdicts: registered(registration).into_iter().zip(inferences(&staged.contributions)).map(judge).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use judge_uncertainty_core::stats::Interval;
    use judge_uncertainty_core::stats::new_items::Skewness;

    use super::*;

    #[test]
    fn confirmed_and_refuted_rest_on_the_same_interval() {
        use Judgement::{Confirmed, Doubted, Open, Refuted, Suggested};
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
            let chance = Judgement::new(side, &found, true);
            assert!(!matches!(chance, Confirmed | Refuted), "{chance:?}");
            Judgement::new(side, &found, false)
        };
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

    #[test]
    fn draws_settle_what_lies_ten_of_their_errors_from_nothing() {
        let (lo, hi) = (0.5, 3.0);
        let of = |bound_error: f64| {
            let ends = Interval { lo, hi };
            MonteCarlo::new(&NewItems {
                difference: 1.5,
                se: 0.4,
                freedom: 90.0,
                skewness: Skewness::default(),
                plain: ends,
                simultaneous: ends,
                critical: 2.7,
                critical_error: 0.01,
                bound_error,
            })
        };
        for (error, settled, decides) in [(0.049, true, false), (0.051, false, false), (0.17, false, true)] {
            let found = of(error);
            assert_eq!((found.margin, found.settled, found.decides()), (0.5, settled, decides), "{error}");
        }
    }
}

//! What escalation is measured by: one replicate's figures, and their summaries over replicates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::{Summary, mean};

/// A value by rule and budget.
pub type ByRuleAndBudget<T> = BTreeMap<Rule, BTreeMap<Budget, T>>;
/// Summaries by rule and budget.
pub type ByRule = ByRuleAndBudget<Summary>;

/// Errors of a belief's mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeliefErrors {
    /// The error that escalation is to remove: Manhattan for classes, Wasserstein for ordinal ratings, absolute for
    /// ratings.
    pub error: f64,
    /// The squared error, less the sampling noise of the truth.
    pub squared: f64,
}

impl BeliefErrors {
    /// Means over all items but the first n of a ranking, for each n in `sizes`, in the items' order; `None` of no items.
    pub(crate) fn without_first(of_items: &[Self], ranked: &[usize], sizes: &[usize]) -> Vec<Option<Self>> {
        let mut places = vec![usize::MAX; of_items.len()];
        ranked.iter().enumerate().for_each(|(place, &item)| places[item] = place);
        let mean = |&first: &usize| {
            let kept = || of_items.iter().zip(&places).filter(|(_, place)| **place >= first).map(|(errors, _)| errors);
            let left = (of_items.len() - first) as f64;
            (left > 0.0).then(|| Self {
                error: kept().map(|errors| errors.error).sum::<f64>() / left,
                squared: kept().map(|errors| errors.squared).sum::<f64>() / left,
            })
        };
        sizes.iter().map(mean).collect()
    }
}

/// Fall of the errors by bought labels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ErrorReduction {
    /// Of [`BeliefErrors::error`].
    pub error: f64,
    /// Of the squared error; `None` for classes, whose evaluation is the paper's.
    pub squared: Option<f64>,
}

impl ErrorReduction {
    /// Adds a share of another gain.
    pub fn add(&mut self, other: Self) {
        self.error += other.error;
        if let Some(squared) = other.squared {
            *self.squared.get_or_insert(0.0) += squared;
        }
    }
}

/// An error that bought labels removed, summed over the escalated items, and the most that could be expected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Removed {
    /// By rule and budget.
    pub value: ByRuleAndBudget<f64>,
    /// The oracle ranks by the expected value of a label from the pool.
    pub oracle: BTreeMap<Budget, f64>,
}

/// The items that one rule of a comparison picks and the other does not, in one replicate: position, 1 where the first
/// rule picks it and -1 where the second does, and what the pick is worth.
pub type Picks = Vec<(u32, i8, f64)>;

/// What one replicate measures under one feature set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Error removed by one bought label per escalated item, summed over them.
    pub value: ByRuleAndBudget<f64>,
    /// The most that escalation can be expected to remove: the oracle ranks by the expected value of a label from the
    /// pool.
    pub oracle: BTreeMap<Budget, f64>,
    /// Squared error removed; `None` for classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squared: Option<Removed>,
    /// Mean errors over the items that are not escalated; without the budgets that escalate every item.
    pub selective: ByRuleAndBudget<BeliefErrors>,
    /// Standard deviation over items of ln lambda.
    pub sd_log_trust: f64,
    /// Mean over items of ln lambda.
    pub mean_log_trust: f64,
    /// Mean error of the posterior mean over all items.
    pub mean_error: f64,
    /// Fitted coefficients, intercept first.
    pub coefficients: Vec<(String, f64)>,
    /// Whether the fit converged.
    pub converged: bool,
    /// Labelled items whose trust lies beyond the limits of the likelihood, where it has some.
    #[serde(default, skip_serializing_if = "is_none")]
    pub at_limit: usize,
    /// Newton steps of the fit.
    pub iterations: usize,
    /// Labels of the second half under the beliefs before anything is bought; the fit has seen none of them. `None`
    /// where labels have no order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<PitHistogram>,
    /// The picks of every contrast that was asked for, in order; `None` where it can't be evaluated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contrasts: Vec<Option<Picks>>,
}

fn is_none(items: &usize) -> bool {
    *items == 0
}

/// What escalation achieves under one feature set, over replicates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Escalation {
    /// Error removed by one bought label per escalated item, summed over them.
    pub value: ByRule,
    /// That value minus judge entropy's, paired within replicate.
    pub minus_judge_entropy: ByRule,
    /// The value minus fewest-labels-first's, paired within replicate.
    pub minus_fewest_labels: ByRule,
    /// Mean error over the items that are not escalated; without the budgets that escalate every item.
    pub selective_error: ByRule,
    /// Mean squared error over the items that are not escalated, less the sampling noise of the truth.
    pub selective_squared_error: ByRule,
    /// Standard deviation over items of ln lambda.
    pub sd_log_trust: Summary,
    /// Mean error of the posterior mean over all items.
    pub mean_error: Summary,
    /// Fitted coefficients, intercept first, those that every replicate has: labels may choose another map in each.
    pub coefficients: Vec<(String, Summary)>,
    /// exp of ln lambda averaged over items and replicates: what a typical prediction is worth, in labels.
    pub labels_worth: f64,
    /// Fits that did not converge.
    pub unconverged_fits: usize,
    /// Largest number of Newton steps.
    pub most_iterations: usize,
}

/// Coefficients of fits that all of them have, by name.
fn coefficients(measured: &[Measured]) -> Vec<(String, Summary)> {
    let of = |m: &Measured, name: &str| m.coefficients.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
    let over = |(name, _): &(String, f64)| {
        let values: Option<Vec<f64>> = measured.iter().map(|m| of(m, name)).collect();
        values.map(|values| (name.clone(), Summary::new(&values)))
    };
    measured[0].coefficients.iter().filter_map(over).collect()
}

impl Escalation {
    /// Summarises what the replicates measured under one feature set.
    ///
    /// # Panics
    /// If `measured` is empty.
    pub fn over(measured: &[Measured]) -> Self {
        let all = |of: &dyn Fn(&Measured, Rule, Budget) -> f64| by_rule(measured, &measured[0].value, of);
        let left = |of: &dyn Fn(&BeliefErrors) -> f64| {
            by_rule(measured, &measured[0].selective, |m, rule, b| of(&m.selective[&rule][&b]))
        };
        let coefficients = coefficients(measured);
        Self {
            value: all(&|m, rule, b| m.value[&rule][&b]),
            minus_judge_entropy: value_minus(measured, Rule::JudgeEntropy),
            minus_fewest_labels: value_minus(measured, Rule::FewestLabels),
            selective_error: left(&|errors| errors.error),
            selective_squared_error: left(&|errors| errors.squared),
            sd_log_trust: Summary::over(measured, |m| m.sd_log_trust),
            mean_error: Summary::over(measured, |m| m.mean_error),
            labels_worth: mean(&measured.iter().map(|m| m.mean_log_trust).collect::<Vec<_>>()).exp(),
            coefficients,
            unconverged_fits: measured.iter().filter(|m| !m.converged).count(),
            most_iterations: measured.iter().map(|m| m.iterations).max().unwrap_or(0),
        }
    }
}

/// Summarises a quantity over replicates for each rule and budget of `like`.
///
/// # Panics
/// If `replicates` is empty.
pub fn by_rule<R, T>(replicates: &[R], like: &ByRuleAndBudget<T>, of: impl Fn(&R, Rule, Budget) -> f64) -> ByRule {
    let at = |rule: Rule, budget: Budget| Summary::over(replicates, |replicate| of(replicate, rule, budget));
    like.iter().map(|(&rule, by)| (rule, by.keys().map(|&budget| (budget, at(rule, budget))).collect())).collect()
}

/// The error that each rule removes, minus that of the rule `other`, paired within replicate.
///
/// # Panics
/// If `measured` is empty, or the rule was not evaluated.
pub fn value_minus(measured: &[Measured], other: Rule) -> ByRule {
    by_rule(measured, &measured[0].value, |m, rule, b| m.value[&rule][&b] - m.value[&other][&b])
}

/// Levels of the intervals that held-out labels are compared with.
pub const LEVELS: [f64; 3] = [0.5, 0.8, 0.95];
/// Equal parts of 0 to 1 into which the places of held-out labels are counted.
const PARTS: usize = 10;

/// Places of labels in their predictive distributions (probability integral transform): uniform on 0 to 1 where the
/// belief is calibrated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PitHistogram {
    /// Labels by tenth of 0 to 1.
    pub tenths: [u64; PARTS],
    /// Labels within the central interval of each of [`LEVELS`].
    pub inside: [u64; 3],
}

impl PitHistogram {
    /// Counts labels by their places.
    pub fn new(places: impl IntoIterator<Item = f64>) -> Self {
        let mut counted = Self::default();
        for u in places {
            counted.tenths[((u * PARTS as f64) as usize).min(PARTS - 1)] += 1;
            for (inside, level) in counted.inside.iter_mut().zip(LEVELS) {
                *inside += u64::from((u - 0.5).abs() <= 0.5 * level);
            }
        }
        counted
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.tenths.iter_mut().zip(other.tenths).for_each(|(sum, n)| *sum += n);
        self.inside.iter_mut().zip(other.inside).for_each(|(sum, n)| *sum += n);
    }

    /// Number of labels.
    pub fn ratings(&self) -> u64 {
        self.tenths.iter().sum()
    }
}

/// How many held-out labels fell into their central intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Probability that the intervals are to have.
    pub level: f64,
    /// Share of labels inside.
    pub inside: f64,
    /// Labels held out.
    pub ratings: u64,
}

impl Coverage {
    /// The coverage at each of [`LEVELS`]; none without labels.
    pub fn at_levels(places: &PitHistogram) -> Vec<Self> {
        let ratings = places.ratings();
        if ratings == 0 {
            return vec![];
        }
        let at = |(level, n): (f64, u64)| Self { level, inside: n as f64 / ratings as f64, ratings };
        LEVELS.into_iter().zip(places.inside).map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a sum over the items that are left, for numbers of first ones beyond those that are served at once.
    #[test]
    fn what_is_left_is_averaged_item_by_item() {
        let of_items: Vec<BeliefErrors> = (0..9)
            .map(|i| f64::from(i).sin())
            .map(|x| BeliefErrors { error: 0.1 + x * x, squared: -x })
            .chain([BeliefErrors { error: f64::MIN_POSITIVE, squared: 0.0 }])
            .collect();
        let ranked = [7, 2, 9, 0, 4, 1, 3, 8, 6, 5];
        let sizes = [0, 1, 2, 5, 9, 10];
        let found = BeliefErrors::without_first(&of_items, &ranked, &sizes);
        for (size, found) in sizes.into_iter().zip(found) {
            let left: Vec<BeliefErrors> =
                (0..10).filter(|i| !ranked[..size].contains(i)).map(|i| of_items[i]).collect();
            let over =
                |part: fn(&BeliefErrors) -> f64| left.iter().map(part).fold(0.0, |a, b| a + b) / left.len() as f64;
            let expected = BeliefErrors { error: over(|of| of.error), squared: over(|of| of.squared) };
            assert_eq!(found, (!left.is_empty()).then_some(expected), "{size}");
        }
    }
}

#[cfg(test)]
mod places_tests {
    use super::*;

    #[test]
    fn tenths_and_coverage_by_hand() {
        let places = [0.0, 0.05, 0.3, 0.5, 0.7, 0.99, 1.0];
        let places = PitHistogram::new(places);
        assert_eq!(places.tenths, [2, 0, 0, 1, 0, 1, 0, 1, 0, 2]);
        // Within 0.25 to 0.75: three of seven; within 0.1 to 0.9 the same; within 0.025 to 0.975: four.
        let inside: Vec<f64> = Coverage::at_levels(&places).iter().map(|c| 7.0 * c.inside).collect();
        assert!(inside.iter().zip([3.0, 3.0, 4.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{inside:?}");
        assert_eq!(Coverage::at_levels(&PitHistogram::new([])), []);
    }
}

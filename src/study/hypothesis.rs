//! A hypothesis about two rules, and how it fares.

use serde::{Deserialize, Serialize};

use crate::escalation::{Budget, Rule};
use crate::stats::quantile::percentiles;
use crate::stats::student::student_quantile;
use crate::stats::{Interval, mean, sample_sd};

/// What a comparison of two rules is about. Differences are signed so that positive means "better is better".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Error removed by one bought label per escalated item, summed over them.
    Value,
    /// Squared error removed by one bought label per escalated item, summed over them; for labels that are numbers.
    SquaredValue,
    /// Mean error over the items that are not escalated; lower is better.
    SelectiveError,
    /// Mean squared error over the items that are not escalated; lower is better.
    SelectiveSquaredError,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 4] = [Self::Value, Self::SquaredValue, Self::SelectiveError, Self::SelectiveSquaredError];

    /// Key in plans and results.
    pub fn key(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::SquaredValue => "squared_value",
            Self::SelectiveError => "selective_error",
            Self::SelectiveSquaredError => "selective_squared_error",
        }
    }
}

/// How the interval of a difference is made from its replicates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalRule {
    /// Percentiles of the paired difference over replicates, as the paper's tables give them.
    #[default]
    Percentiles,
    /// Mean over replicates and Student's t: the Monte-Carlo interval of the mean, which takes the items as given.
    Student,
}

/// One hypothesis: rule `better` beats rule `than` by more than `margin`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hypothesis {
    /// Short name, unique.
    pub id: String,
    /// The hypothesis in words.
    pub statement: String,
    /// The rule that is said to be better.
    pub better: Rule,
    /// The rule that it is compared with.
    pub than: Rule,
    /// Budget in percent of the evaluated items.
    pub budget: u32,
    /// What is compared.
    pub measure: Measure,
    /// The difference has to be above this, in the measure's unit.
    #[serde(default)]
    pub margin: f64,
    /// How its interval is made.
    #[serde(default)]
    pub interval: IntervalRule,
}

impl Hypothesis {
    /// The budget as the evaluation names it; a checked hypothesis has one.
    pub fn budget(&self) -> Option<Budget> {
        Budget::percent(self.budget)
    }
}

/// How a hypothesis fared; every outcome is exactly one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The adjusted interval lies wholly above the margin.
    Confirmed,
    /// It lies wholly below the margin.
    Refuted,
    /// It holds the margin, or there was nothing to evaluate.
    Inconclusive,
}

/// A hypothesis with its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedHypothesis {
    /// The hypothesis.
    pub hypothesis: Hypothesis,
    /// How it fared.
    pub status: Status,
    /// Number of hypotheses registered together.
    pub family: usize,
    /// Replicates behind the figures.
    pub replicates: usize,
    /// Mean paired difference; `None` if nothing could be evaluated.
    pub difference: Option<f64>,
    /// Its interval at the family's level, not adjusted.
    pub interval: Option<Interval>,
    /// Its interval at level 1 - (1 - level)/family (Bonferroni), by which it is judged.
    pub adjusted: Option<Interval>,
    /// What has to be known to read the figures.
    pub note: Option<String>,
}

impl JudgedHypothesis {
    /// Judges a hypothesis of a family by its paired differences, one per replicate.
    pub(super) fn new(hypothesis: &Hypothesis, differences: Option<&[f64]>, level: f64, family: usize) -> Self {
        let mut judged = Self {
            hypothesis: hypothesis.clone(),
            status: Status::Inconclusive,
            family,
            replicates: differences.map_or(0, <[f64]>::len),
            difference: None,
            interval: None,
            adjusted: None,
            note: None,
        };
        let Some(differences) = differences else {
            judged.note = Some("the run could not evaluate this comparison".to_owned());
            return judged;
        };
        let miss = (1.0 - level) / family as f64;
        judged.difference = Some(mean(differences));
        if differences.len() < 2 {
            judged.note = Some("one replicate has no interval; run with more".to_owned());
            return judged;
        }
        judged.interval = Some(interval(hypothesis.interval, differences, 1.0 - level));
        let adjusted = interval(hypothesis.interval, differences, miss);
        judged.adjusted = Some(adjusted);
        judged.status = match adjusted {
            Interval { lo, .. } if lo > hypothesis.margin => Status::Confirmed,
            Interval { hi, .. } if hi < hypothesis.margin => Status::Refuted,
            _ => Status::Inconclusive,
        };
        let resolved = 2.0 / miss;
        if hypothesis.interval == IntervalRule::Percentiles && (differences.len() as f64) < resolved {
            judged.note = Some(format!(
                "{} replicates are too few for percentiles this far out, so the adjusted interval ends about where they do; \
                 {} would resolve it",
                differences.len(),
                resolved.ceil()
            ));
        }
        judged
    }
}

/// Interval of a difference that misses with probability `miss`.
fn interval(rule: IntervalRule, differences: &[f64], miss: f64) -> Interval {
    match rule {
        IntervalRule::Percentiles => percentiles(differences, [50.0 * miss, 100.0 - 50.0 * miss]).into(),
        IntervalRule::Student => {
            let n = differences.len() as f64;
            let reach = student_quantile(1.0 - 0.5 * miss, n - 1.0) * sample_sd(differences) / n.sqrt();
            Interval { lo: mean(differences) - reach, hi: mean(differences) + reach }
        }
    }
}

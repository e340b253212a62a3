//! A hypothesis about two rules, and how it fares.

use serde::{Deserialize, Serialize};

pub use judge_uncertainty_evaluation::Measure;

use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::new_items::NewItems;
use judge_uncertainty_core::stats::quantile::percentiles;
use judge_uncertainty_core::stats::student::student_quantile;
use judge_uncertainty_core::stats::{Interval, mean, sample_sd};
use judge_uncertainty_evaluation::Contrast;

/// How the interval of a difference is made, and so what it speaks of. Only an interval for new items can confirm or
/// refute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalRule {
    /// Over items and re-draws of their labels, simultaneous over the family (max-t): what it says of new items holds.
    #[default]
    NewItems,
    /// Percentiles of the paired difference over replicates, as the paper's tables give them: where one re-draw of the
    /// labels of these items falls.
    Percentiles,
    /// Mean over replicates and Student's t: how far re-draws of the labels of these items leave their own mean open.
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

    /// The comparison as the evaluation makes it; `None` for a budget outside 1 to 100%.
    pub fn contrast(&self) -> Option<Contrast> {
        Some(Contrast { better: self.better, than: self.than, budget: self.budget()?, measure: self.measure })
    }
}

/// How a hypothesis fared; every outcome is exactly one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The adjusted interval for new items lies wholly above the margin.
    Confirmed,
    /// It lies wholly below the margin.
    Refuted,
    /// It holds the margin, its Monte-Carlo error decides, it does not speak of new items, or there was nothing to
    /// evaluate.
    Inconclusive,
    /// Not all labels are there that the plan announced, so that nothing is decided.
    InterimLook,
    /// Something was done otherwise than registered, so that nothing is decided.
    Deviating,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] = [Self::Confirmed, Self::Refuted, Self::Inconclusive, Self::InterimLook, Self::Deviating];

    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Inconclusive => "inconclusive",
            Self::InterimLook => "interim look",
            Self::Deviating => "deviating",
        }
    }
}

/// A hypothesis with its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedHypothesis {
    /// The hypothesis.
    pub hypothesis: Hypothesis,
    /// How it fared.
    pub status: Status,
    /// What its figures would say if it had been tested as registered; `None` where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_as_registered: Option<Status>,
    /// Number of hypotheses registered together.
    pub family: usize,
    /// Replicates behind the figures.
    pub replicates: usize,
    /// Mean paired difference; `None` if nothing could be evaluated.
    pub difference: Option<f64>,
    /// Its interval at the family's level, not adjusted.
    pub interval: Option<Interval>,
    /// Its interval adjusted for the family, by which it is judged: for new items the simultaneous one (max-t), for the
    /// others at level 1 - (1 - level)/family (Bonferroni).
    pub adjusted: Option<Interval>,
    /// For new items: standard error, degrees of freedom, critical value, and the Monte-Carlo errors of that and of the
    /// bounds.
    pub new_items: Option<NewItems>,
    /// What has to be known to read the figures.
    pub note: Option<String>,
}

/// Monte-Carlo errors within which a bound must not lie of the margin to decide.
const SAFE: f64 = 3.0;

impl JudgedHypothesis {
    fn open(hypothesis: &Hypothesis, family: usize, replicates: usize) -> Self {
        Self {
            hypothesis: hypothesis.clone(),
            status: Status::Inconclusive,
            if_as_registered: None,
            family,
            replicates,
            difference: None,
            interval: None,
            adjusted: None,
            new_items: None,
            note: None,
        }
    }

    fn because(self, reason: impl Into<String>) -> Self {
        Self { note: Some(reason.into()), ..self }
    }

    /// The hypothesis where it was not tested as registered, and how it was instead.
    pub(crate) fn tested_otherwise(self, how: Option<Status>) -> Self {
        match how {
            Some(how) => Self { if_as_registered: Some(self.status), status: how, ..self },
            None => self,
        }
    }

    /// One that the run could not evaluate, with the reason.
    pub(crate) fn not_estimable(hypothesis: &Hypothesis, family: usize, reason: &str) -> Self {
        Self::open(hypothesis, family, 0).because(reason)
    }

    /// Judges a hypothesis by the interval for new items.
    pub(crate) fn by_new_items(hypothesis: &Hypothesis, family: usize, replicates: usize, found: NewItems) -> Self {
        let (Interval { lo, hi }, margin) = (found.simultaneous, hypothesis.margin);
        let (confirmed, refuted) = (lo > margin, hi < margin);
        let nearest = if confirmed { lo } else { hi };
        let chance = (confirmed || refuted) && (nearest - margin).abs() < SAFE * found.bound_error;
        let judged = Self {
            status: match () {
                () if chance => Status::Inconclusive,
                () if confirmed => Status::Confirmed,
                () if refuted => Status::Refuted,
                () => Status::Inconclusive,
            },
            difference: Some(found.difference),
            interval: Some(found.plain),
            adjusted: Some(found.simultaneous),
            new_items: Some(found),
            ..Self::open(hypothesis, family, replicates)
        };
        if chance {
            let away = (nearest - margin).abs();
            return judged.because(format!(
                "its bound lies {away:.2e} from the margin, with a Monte-Carlo error of {:.2e}: other random draws \
                 might decide otherwise; register more replicates",
                found.bound_error
            ));
        }
        judged
    }

    /// Describes a hypothesis by its paired differences, one per replicate; these say nothing of new items, so they
    /// don't decide.
    pub(crate) fn by_redraws(hypothesis: &Hypothesis, differences: &[f64], level: f64, family: usize) -> Self {
        let miss = (1.0 - level) / family as f64;
        let judged = Self { difference: Some(mean(differences)), ..Self::open(hypothesis, family, differences.len()) };
        if differences.len() < 2 {
            return judged.because("one replicate has no interval; run with more");
        }
        let judged = Self {
            interval: Some(interval(hypothesis.interval, differences, 1.0 - level)),
            adjusted: Some(interval(hypothesis.interval, differences, miss)),
            ..judged
        };
        let only = "over re-draws of the labels of these items: says nothing of new items, so it neither confirms nor \
                    refutes (interval = \"new_items\" can)";
        let resolved = 2.0 / miss;
        if hypothesis.interval == IntervalRule::Percentiles && (differences.len() as f64) < resolved {
            return judged.because(format!(
                "{only}; {} replicates are too few for percentiles this far out, so the adjusted interval ends about \
                 where they do; {} would resolve it",
                differences.len(),
                resolved.ceil()
            ));
        }
        judged.because(only)
    }
}

/// Interval of a difference that misses with probability `miss`.
fn interval(rule: IntervalRule, differences: &[f64], miss: f64) -> Interval {
    match rule {
        IntervalRule::Percentiles | IntervalRule::NewItems => {
            percentiles(differences, [50.0 * miss, 100.0 - 50.0 * miss]).into()
        }
        IntervalRule::Student => {
            let n = differences.len() as f64;
            let reach = student_quantile(1.0 - 0.5 * miss, n - 1.0) * sample_sd(differences) / n.sqrt();
            Interval { lo: mean(differences) - reach, hi: mean(differences) + reach }
        }
    }
}

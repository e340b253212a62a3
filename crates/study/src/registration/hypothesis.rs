//! A hypothesis about two rules, two judges or a share, and how it fares.

use std::path::PathBuf;

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

/// One hypothesis: a difference or a share lies in a range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Hypothesis {
    /// Short name, unique.
    pub id: String,
    /// The hypothesis in words.
    pub statement: String,
    /// What it is about.
    pub about: About,
    /// The range that it claims, ends excluded; an end that is not claimed is infinite. A difference is claimed to be
    /// above a margin.
    pub claim: Interval,
    /// How its interval is made.
    pub interval: IntervalRule,
}

/// What a hypothesis is about.
#[derive(Debug, Clone, PartialEq)]
pub enum About {
    /// How much better one rule is than another.
    Rules(Contrast),
    /// How much better the study's judge predicts labels than the judge of another study of the same items and labels,
    /// in nats a label ([`crate::evaluate::compare::judge_advantage`]). The path is as seen from the study's folder.
    Judge(PathBuf),
    /// A share or mean over all items, from the answers to a queue
    /// ([`crate::queue::estimates::QueueEstimates`]).
    Share {
        /// The class, or the quantity as `labels estimate` calls it.
        of: String,
        /// The folder of the queue, as seen from that of the study.
        queue: PathBuf,
    },
}

impl About {
    /// The comparison as the evaluation makes it; `None` for what no evaluation of rules tells.
    pub fn contrast(&self) -> Option<Contrast> {
        match self {
            Self::Rules(contrast) => Some(*contrast),
            Self::Judge(_) | Self::Share { .. } => None,
        }
    }
}

/// A hypothesis as a file has it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    statement: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    better: Option<Rule>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    than: Option<Rule>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    measure: Option<Measure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    than_judge: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    share: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    queue: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    margin: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    above: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    below: Option<f64>,
    #[serde(default)]
    interval: IntervalRule,
}

impl TryFrom<Written> for Hypothesis {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written {
            id,
            statement,
            better,
            than,
            budget,
            measure,
            than_judge,
            share,
            queue,
            margin,
            above,
            below,
            ..
        } = written;
        if [margin, above, below].into_iter().flatten().any(|end| !end.is_finite()) {
            return Err(format!("hypothesis {id:?} claims no finite number; write one such as 0.0"));
        }
        if above.zip(below).is_some_and(|(above, below)| above >= below) {
            return Err(format!("hypothesis {id:?} claims a share above one that it is to be below; swap them"));
        }
        let difference = Interval { lo: margin.unwrap_or(0.0), hi: f64::INFINITY };
        let range = Interval { lo: above.unwrap_or(f64::NEG_INFINITY), hi: below.unwrap_or(f64::INFINITY) };
        let (no_rules, no_range) =
            (better.is_none() && than.is_none() && budget.is_none() && measure.is_none(), above.or(below).is_none());
        let (about, claim) = match (better, than, budget, measure, than_judge, share, queue) {
            (Some(better), Some(than), Some(percent), Some(measure), None, None, None) if no_range => {
                let budget =
                    Budget::percent(percent).ok_or_else(|| format!("budget = {percent} is outside 1 to 100"))?;
                (About::Rules(Contrast { better, than, budget, measure }), difference)
            }
            (.., Some(judge), None, None) if no_rules && no_range => (About::Judge(judge), difference),
            (.., None, Some(of), Some(queue)) if no_rules && !no_range && margin.is_none() => {
                (About::Share { of, queue }, range)
            }
            _ => {
                let keys = "hypothesis {id:?} is about two rules (better, than, budget, measure), about the judge of \
                            another study (than_judge), or about a share (share, queue, and above, below or both), and \
                            no two of these; margin belongs to the first two";
                return Err(keys.replace("{id:?}", &format!("{id:?}")));
            }
        };
        Ok(Self { id, statement, about, claim, interval: written.interval })
    }
}

impl From<Hypothesis> for Written {
    fn from(hypothesis: Hypothesis) -> Self {
        let Hypothesis { id, statement, about, claim, interval } = hypothesis;
        let (mut margin, mut above, mut below) = (Some(claim.lo), None, None);
        let contrast = about.contrast();
        let (than_judge, share, queue) = match about {
            About::Rules(_) => (None, None, None),
            About::Judge(judge) => (Some(judge), None, None),
            About::Share { of, queue } => {
                let [lo, hi] = [claim.lo, claim.hi].map(|end| end.is_finite().then_some(end));
                (margin, above, below) = (None, lo, hi);
                (None, Some(of), Some(queue))
            }
        };
        Self {
            id,
            statement,
            better: contrast.map(|of| of.better),
            than: contrast.map(|of| of.than),
            budget: contrast.map(|of| of.budget.in_percent()),
            measure: contrast.map(|of| of.measure),
            than_judge,
            share,
            queue,
            margin,
            above,
            below,
            interval,
        }
    }
}

impl Hypothesis {
    /// What it claims, in words.
    pub fn claimed(&self) -> String {
        let Interval { lo, hi } = self.claim;
        match self.about {
            About::Rules(_) | About::Judge(_) => format!("a margin of {lo}"),
            About::Share { .. } if hi == f64::INFINITY => format!("a claim of above {lo}"),
            About::Share { .. } if lo == f64::NEG_INFINITY => format!("a claim of below {hi}"),
            About::Share { .. } => format!("a claim of {lo} to {hi}"),
        }
    }

    /// What an interval says of the claim: confirmed where it lies within, refuted where it lies outside.
    fn status(&self, Interval { lo, hi }: Interval) -> Status {
        match self.claim {
            claim if lo > claim.lo && hi < claim.hi => Status::Confirmed,
            claim if hi < claim.lo || lo > claim.hi => Status::Refuted,
            _ => Status::Inconclusive,
        }
    }
}

/// How a hypothesis fared; every outcome is exactly one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The adjusted interval lies wholly above the margin, or in the range that is claimed.
    Confirmed,
    /// It lies wholly below the margin, or outside that range.
    Refuted,
    /// It holds an end of what is claimed, its Monte-Carlo error decides, it does not speak of new items, or there was
    /// nothing to evaluate.
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
    /// Whether it is judged by labels that were there at registration and may have been read before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_old_labels: bool,
    /// Number of hypotheses registered together.
    pub family: usize,
    /// Replicates behind the figures.
    pub replicates: usize,
    /// Mean paired difference, or the share; `None` if nothing could be evaluated.
    pub difference: Option<f64>,
    /// Its interval at the family's level, not adjusted.
    pub interval: Option<Interval>,
    /// Its interval adjusted for the family, by which it is judged: for rules and new items the simultaneous one
    /// (max-t), for all others at level 1 - (1 - level)/family (Bonferroni).
    pub adjusted: Option<Interval>,
    /// For rules and new items: standard error, degrees of freedom, critical value, and the Monte-Carlo errors of that
    /// and of the bounds.
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
            by_old_labels: false,
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

    /// How it fared, in words. A verdict by labels that were there before the hypothesis is so called: whoever
    /// registered it may have known them.
    pub fn word(&self) -> String {
        self.said(self.status)
    }

    /// A status of it in words, as [`Self::word`].
    pub fn said(&self, status: Status) -> String {
        match status {
            Status::Confirmed | Status::Refuted if self.by_old_labels => format!("{} on old labels", status.word()),
            status => status.word().to_owned(),
        }
    }

    /// One that the run could not evaluate, with the reason.
    pub(crate) fn not_estimable(hypothesis: &Hypothesis, family: usize, reason: &str) -> Self {
        Self::open(hypothesis, family, 0).because(reason)
    }

    /// Judges a hypothesis by the interval for new items.
    pub(crate) fn by_new_items(hypothesis: &Hypothesis, family: usize, replicates: usize, found: NewItems) -> Self {
        let (Interval { lo, hi }, margin) = (found.simultaneous, hypothesis.claim.lo);
        let status = hypothesis.status(found.simultaneous);
        let nearest = if status == Status::Confirmed { lo } else { hi };
        let chance = status != Status::Inconclusive && (nearest - margin).abs() < SAFE * found.bound_error;
        let judged = Self {
            status: if chance { Status::Inconclusive } else { status },
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

    /// Judges a hypothesis by an estimate with its intervals, plain and adjusted for the family.
    pub(crate) fn by_estimate(
        hypothesis: &Hypothesis,
        family: usize,
        value: f64,
        [plain, adjusted]: [Interval; 2],
    ) -> Self {
        Self {
            status: hypothesis.status(adjusted),
            difference: Some(value),
            interval: Some(plain),
            adjusted: Some(adjusted),
            ..Self::open(hypothesis, family, 0)
        }
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

//! The rules that rank items for escalation.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::active_lab::{Form, active_lab_priority};
use crate::belief::{Belief, Beliefs, ClassBelief, ClassBeliefs, Mixture, dirichlet::row};

/// A rule that ranks items; those with the highest priority are escalated first.
///
/// | rule | priority | source |
/// |---|---|---|
/// | `Info` | epistemic part I of the posterior | the paper's rule under log loss |
/// | `Delta` | one-label value Delta | the paper's rule under squared error |
/// | `Spread` | posterior spread v | the paper's withhold variant |
/// | `PosteriorEntropy` | H(posterior mean), total uncertainty with labels folded in | baseline |
/// | `JudgeEntropy` | H(judge's prediction) + jitter | baseline, total uncertainty of the judge's output |
/// | `LowConfidence` | -(stated confidence) + jitter | baseline, verbalised confidence |
/// | `FewestLabels` | -(labels in hand) + jitter | baseline |
/// | `Random` | a uniform draw | baseline |
/// | `FewestLabelsByInfo` | -(labels in hand), ties by I | fewest labels, made as strong as it can be |
/// | `Manhattan` | expected fall of the Manhattan error by one label | one-label value matched to the measure |
/// | `ManhattanTen` | expected fall of the Manhattan error by ten labels bought together | look-ahead of `Manhattan` |
/// | `Margin` | -(largest - second largest judge probability) + jitter | margin sampling, Scheffer et al. (2001) |
/// | `ActiveLab` | doubt about the consensus label, as the package `cleanlab` computes it | [`active_lab`](super::active_lab) |
/// | `ActiveLabRepaired` | the same without the package's slip | [`active_lab`](super::active_lab) |
/// | `Wasserstein` | expected fall of the Wasserstein error by one label | one-label value matched to the measure of a scale |
///
/// The first eight are the paper's; the others go beyond it. Where the classes stand on a scale ([`crate::belief::Ordinals`]),
/// I and v are the epistemic part of the mean place, Delta its expected fall, and entropy is the variance of a label's place.
///
/// The jitter, 1e-9 times a uniform draw, breaks ties at random; the four priorities in closed form tie when they agree to 12
/// digits, and are ranked then by the same draws in studies, by the order of the items in the paper's experiments (see
/// [`super::top`]). Missing confidence counts as the mean of the present
/// ones. (The oracle ranks by the true values and needs no rule: see [`super::regret()`].)
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Mutual information I.
    Info,
    /// One-label value Delta.
    Delta,
    /// Posterior spread v.
    #[serde(rename = "v")]
    Spread,
    /// Entropy of the posterior mean.
    PosteriorEntropy,
    /// Entropy of the judge's prediction.
    JudgeEntropy,
    /// Lowest stated confidence first.
    LowConfidence,
    /// Fewest labels first.
    FewestLabels,
    /// Random order.
    Random,
    /// Fewest labels first, ties by mutual information.
    FewestLabelsByInfo,
    /// Expected fall of the Manhattan error by one label.
    Manhattan,
    /// Expected fall of the Manhattan error by ten labels.
    ManhattanTen,
    /// Smallest margin between the judge's two likeliest classes first.
    Margin,
    /// ActiveLab, as shipped.
    ActiveLab,
    /// ActiveLab, repaired.
    ActiveLabRepaired,
    /// Expected fall of the Wasserstein error by one label.
    Wasserstein,
}

impl Rule {
    /// All rules of the paper, in the order in which its experiments evaluate them (it is part of the random stream).
    pub const PAPER: [Rule; 8] = [
        Rule::Info,
        Rule::Delta,
        Rule::Spread,
        Rule::PosteriorEntropy,
        Rule::JudgeEntropy,
        Rule::LowConfidence,
        Rule::FewestLabels,
        Rule::Random,
    ];

    /// All rules that rank classes without an order.
    pub const OF_CLASSES: [Rule; 14] = [
        Rule::Info,
        Rule::Delta,
        Rule::Spread,
        Rule::PosteriorEntropy,
        Rule::JudgeEntropy,
        Rule::LowConfidence,
        Rule::FewestLabels,
        Rule::Random,
        Rule::FewestLabelsByInfo,
        Rule::Manhattan,
        Rule::ManhattanTen,
        Rule::Margin,
        Rule::ActiveLab,
        Rule::ActiveLabRepaired,
    ];

    /// The rules that go beyond the paper.
    pub const BEYOND: [Rule; 6] = [
        Rule::FewestLabelsByInfo,
        Rule::Manhattan,
        Rule::ManhattanTen,
        Rule::Margin,
        Rule::ActiveLab,
        Rule::ActiveLabRepaired,
    ];

    /// Whether an item's priority depends on the items that it is ranked among.
    pub fn looks_at_other_items(self) -> bool {
        matches!(self, Rule::ActiveLab | Rule::ActiveLabRepaired)
    }

    /// The rules that rank classes on a scale, in the order in which they are evaluated (it is part of the random stream). v
    /// is left out: there it is the same as `Info`.
    pub const ORDINAL: [Rule; 8] = [
        Rule::Info,
        Rule::Delta,
        Rule::PosteriorEntropy,
        Rule::JudgeEntropy,
        Rule::LowConfidence,
        Rule::FewestLabels,
        Rule::Random,
        Rule::Wasserstein,
    ];

    /// Key in results and claims, e.g. `judge_entropy`.
    pub fn key(self) -> &'static str {
        match self {
            Rule::Info => "info",
            Rule::Delta => "delta",
            Rule::Spread => "v",
            Rule::PosteriorEntropy => "posterior_entropy",
            Rule::JudgeEntropy => "judge_entropy",
            Rule::LowConfidence => "low_confidence",
            Rule::FewestLabels => "fewest_labels",
            Rule::Random => "random",
            Rule::FewestLabelsByInfo => "fewest_labels_by_info",
            Rule::Manhattan => "manhattan",
            Rule::ManhattanTen => "manhattan_ten",
            Rule::Margin => "margin",
            Rule::ActiveLab => "active_lab",
            Rule::ActiveLabRepaired => "active_lab_repaired",
            Rule::Wasserstein => "wasserstein",
        }
    }

    /// What the rule ranks by, in words.
    pub fn words(self) -> &'static str {
        match self {
            Rule::Info => "epistemic part I",
            Rule::Delta => "one-label value Delta",
            Rule::Spread => "posterior spread v",
            Rule::PosteriorEntropy => "entropy of the posterior mean",
            Rule::JudgeEntropy => "entropy of the judge's prediction",
            Rule::LowConfidence => "lowest stated confidence",
            Rule::FewestLabels => "fewest labels",
            Rule::Random => "random",
            Rule::FewestLabelsByInfo => "fewest labels, ties by the epistemic part I",
            Rule::Manhattan => "expected fall of the Manhattan error by one label",
            Rule::ManhattanTen => "expected fall of the Manhattan error by ten labels",
            Rule::Margin => "smallest margin between the judge's likeliest classes",
            Rule::ActiveLab => "ActiveLab as cleanlab 2.9.0 ships it",
            Rule::ActiveLabRepaired => "ActiveLab with its count of labels repaired",
            Rule::Wasserstein => "expected fall of the Wasserstein error by one label",
        }
    }

    /// The priority of every item whose labels are classes.
    pub fn priority<T: ClassBeliefs>(self, inputs: &RuleInputs<T>) -> Vec<f64> {
        let jittered = |base: &dyn Fn(usize) -> f64| -> Vec<f64> {
            inputs.jitter.iter().enumerate().map(|(i, u)| base(i) + u * JITTER).collect()
        };
        let of_classes = |value: &dyn Fn(&Mixture) -> f64| -> Vec<f64> {
            let of = |i: usize| without_noise(value(inputs.beliefs.of_classes(i).classes()));
            (0..inputs.beliefs.len()).map(of).collect()
        };
        let active_lab = |form: Form| -> Vec<f64> {
            active_lab_priority(inputs.q.view(), inputs.counts.view(), form).into_iter().map(without_noise).collect()
        };
        match self {
            Rule::Info => inputs.beliefs.map(|b| without_noise(b.epistemic())),
            Rule::Delta => inputs.beliefs.map(|b| without_noise(b.label_value())),
            Rule::Spread => inputs.beliefs.map(|b| without_noise(b.spread())),
            Rule::PosteriorEntropy => inputs.beliefs.map(|b| without_noise(b.total())),
            Rule::JudgeEntropy => jittered(&|i| inputs.beliefs.total_of(row(inputs.q.row(i)))),
            Rule::LowConfidence => {
                let present: Vec<f64> = inputs.confidence.iter().flatten().copied().collect();
                let fill = if present.is_empty() { 0.0 } else { crate::stats::mean(&present) };
                jittered(&|i| -inputs.confidence[i].unwrap_or(fill))
            }
            Rule::FewestLabels => jittered(&|i| -f64::from(inputs.labels[i])),
            Rule::Random => inputs.random.to_vec(),
            Rule::FewestLabelsByInfo => {
                // I is at most the highest total, so it never outweighs a label.
                let most = 1.0 + inputs.beliefs.highest_total();
                let info = inputs.beliefs.map(|b| without_noise(b.epistemic()));
                info.iter().zip(inputs.labels).map(|(info, &n)| info / most - f64::from(n)).collect()
            }
            Rule::Manhattan => of_classes(&|b| b.manhattan_label_value()),
            Rule::ManhattanTen => of_classes(&|b| b.expected_manhattan_reduction(10)),
            Rule::Margin => jittered(&|i| -margin(row(inputs.q.row(i)))),
            Rule::ActiveLab => active_lab(Form::AsShipped),
            Rule::ActiveLabRepaired => active_lab(Form::Repaired),
            Rule::Wasserstein => {
                let of = |i: usize| without_noise(inputs.beliefs.of_classes(i).wasserstein_label_value());
                (0..inputs.beliefs.len()).map(of).collect()
            }
        }
    }

    /// The priority of an item after `more` further labels, in expectation; `in_hand` is the number of labels now.
    ///
    /// `None` for rules whose priority no label moves in expectation (nothing would keep them from sending the whole budget
    /// to one item), and for those beyond the paper, which rank items but don't allocate.
    pub fn priority_after(self, belief: &impl Belief, in_hand: u32, more: u32) -> Option<f64> {
        match self {
            Rule::Info => Some(belief.epistemic_after(more)),
            Rule::Delta => Some(belief.label_value_after(more)),
            Rule::Spread => Some(belief.spread_after(more)),
            Rule::FewestLabels => Some(-f64::from(in_hand) - f64::from(more)),
            _ => None,
        }
    }

    /// Whether [`Rule::priority_after`] has an answer.
    pub fn looks_ahead(self) -> bool {
        matches!(self, Rule::Info | Rule::Delta | Rule::Spread | Rule::FewestLabels)
    }
}

impl std::str::FromStr for Rule {
    type Err = String;

    /// Reads a rule's key.
    fn from_str(key: &str) -> Result<Self, String> {
        let all = || Rule::OF_CLASSES.into_iter().chain([Rule::Wasserstein]);
        all().find(|rule| rule.key() == key).ok_or_else(|| {
            format!("{key:?} is none of the rules {}", all().map(Rule::key).collect::<Vec<_>>().join(", "))
        })
    }
}

/// Largest minus second largest probability.
fn margin(p: &[f64]) -> f64 {
    let (mut first, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for &p in p {
        second = second.max(p.min(first));
        first = first.max(p);
    }
    first - second
}

/// Scale of the jitter that breaks ties.
const JITTER: f64 = 1e-9;

/// A priority to 40 significant bits (about 12 digits).
///
/// Items with the same evidence in another class order differ in the last bits only, by rounding; they must tie, so that
/// the tie break and not the arithmetic of the platform decides between them.
fn without_noise(priority: f64) -> f64 {
    const DROPPED: u32 = 52 - 40;
    let half = 1_u64 << (DROPPED - 1);
    f64::from_bits((priority.to_bits() + half) >> DROPPED << DROPPED)
}

/// What rules look at where labels are classes; everything is per item.
#[derive(Debug)]
pub struct RuleInputs<'a, T = Beliefs> {
    /// Posterior beliefs, about classes with or without a scale.
    pub beliefs: &'a T,
    /// The judge's predictions, items x classes.
    pub q: &'a Array2<f64>,
    /// Stated confidence, 0 to 100.
    pub confidence: &'a [Option<f64>],
    /// Labels in hand.
    pub labels: &'a [u32],
    /// Labels in hand by class, items x classes.
    pub counts: &'a Array2<u32>,
    /// Uniform draws in [0, 1) that break ties (scaled by 1e-9 where they are added to a priority).
    pub jitter: &'a [f64],
    /// Uniform draws that the random rule ranks by.
    pub random: &'a [f64],
}

// Not derived: the table of beliefs need not be `Copy`.
impl<T> Clone for RuleInputs<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RuleInputs<'_, T> {}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::belief::{Dirichlet, Gaussian};

    #[test]
    fn every_label_is_worth_less_than_the_one_before() {
        let belief = Dirichlet::new(&[0.3, 0.9, 4.0]);
        let gaussian = Gaussian { mean: 0.0, evidence: 3.0, freedom: 7.0, scale: 2.0 };
        for rule in Rule::PAPER.into_iter().filter(|rule| rule.looks_ahead()) {
            for k in 0..200 {
                assert!(rule.priority_after(&belief, 2, k) > rule.priority_after(&belief, 2, k + 1), "{rule:?} {k}");
                assert!(
                    rule.priority_after(&gaussian, 2, k) > rule.priority_after(&gaussian, 2, k + 1),
                    "{rule:?} {k}"
                );
            }
        }
        assert!(Rule::PAPER.iter().all(|rule| rule.looks_ahead() == rule.priority_after(&belief, 0, 1).is_some()));
        let value = gaussian.spread_after(4) - gaussian.spread_after(5);
        assert!((gaussian.label_value_after(4) - value).abs() < 1e-15);
        assert_eq!(gaussian.label_value_after(0), gaussian.label_value());
    }

    #[test]
    fn margins_by_hand() {
        assert_eq!(
            [&[0.5, 0.25, 0.25][..], &[0.25, 0.75], &[0.5, 0.5], &[0.125, 0.375, 0.5]].map(margin),
            [0.25, 0.5, 0.0, 0.125]
        );
    }

    #[test]
    fn fewest_labels_rank_by_information_only_among_equals() {
        let beliefs = Beliefs::new(array![[9.0, 1.0], [5.0, 5.0], [0.6, 0.4], [8.0, 2.0]]);
        let q = array![[0.9, 0.1], [0.5, 0.5], [0.6, 0.4], [0.8, 0.2]];
        let inputs = RuleInputs {
            beliefs: &beliefs,
            q: &q,
            confidence: &[],
            labels: &[2, 2, 3, 1],
            counts: &array![[1, 1], [1, 1], [2, 1], [1, 0]],
            jitter: &[0.0; 4],
            random: &[],
        };
        let priorities = Rule::FewestLabelsByInfo.priority(&inputs);
        assert_eq!(crate::escalation::top(&priorities, &[], 4), [3, 1, 0, 2]);
    }
}

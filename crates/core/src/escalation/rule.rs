//! The rules that rank items for escalation.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::belief::{Beliefs, dirichlet::row, entropy};

/// A rule that scores items; the highest scores are escalated first.
///
/// | rule | score | source |
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
/// | `ManhattanTen` | the same for ten labels bought together | its look-ahead |
/// | `Margin` | -(largest - second largest judge probability) + jitter | margin sampling, Scheffer et al. (2001) |
///
/// The first eight are the paper's; the others go beyond it.
///
/// The jitter, 1e-9 times a uniform draw, breaks ties at random; the four scores in closed form tie when they agree to 12
/// digits, and rank by the same draws then (see [`super::top`]). Missing confidence counts as the mean of the present
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

    /// The rules that go beyond the paper.
    pub const BEYOND: [Rule; 4] = [Rule::FewestLabelsByInfo, Rule::Manhattan, Rule::ManhattanTen, Rule::Margin];

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
        }
    }

    /// Scores every item.
    pub fn scores(self, inputs: &RuleInputs) -> Vec<f64> {
        let jittered = |base: &dyn Fn(usize) -> f64| -> Vec<f64> {
            inputs.jitter.iter().enumerate().map(|(i, u)| base(i) + u * JITTER).collect()
        };
        match self {
            Rule::Info => inputs.beliefs.map(|b| without_noise(b.epistemic())),
            Rule::Delta => inputs.beliefs.map(|b| without_noise(b.label_value())),
            Rule::Spread => inputs.beliefs.map(|b| without_noise(b.spread())),
            Rule::PosteriorEntropy => inputs.beliefs.map(|b| without_noise(b.total())),
            Rule::JudgeEntropy => jittered(&|i| entropy(row(inputs.q.row(i)))),
            Rule::LowConfidence => {
                let present: Vec<f64> = inputs.confidence.iter().flatten().copied().collect();
                let fill = if present.is_empty() { 0.0 } else { crate::stats::mean(&present) };
                jittered(&|i| -inputs.confidence[i].unwrap_or(fill))
            }
            Rule::FewestLabels => jittered(&|i| -f64::from(inputs.labels[i])),
            Rule::Random => inputs.random.to_vec(),
            Rule::FewestLabelsByInfo => {
                // I is at most ln K, so it never outweighs a label.
                let most = 1.0 + (inputs.q.ncols() as f64).ln();
                let info = inputs.beliefs.map(|b| without_noise(b.epistemic()));
                info.iter().zip(inputs.labels).map(|(info, &n)| info / most - f64::from(n)).collect()
            }
            Rule::Manhattan => inputs.beliefs.map(|b| without_noise(b.manhattan_label_value())),
            Rule::ManhattanTen => inputs.beliefs.map(|b| without_noise(b.expected_manhattan_reduction(10))),
            Rule::Margin => jittered(&|i| -margin(row(inputs.q.row(i)))),
        }
    }
}

impl std::str::FromStr for Rule {
    type Err = String;

    /// Reads a rule's key.
    fn from_str(key: &str) -> Result<Self, String> {
        let all = || Rule::PAPER.into_iter().chain(Rule::BEYOND);
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

/// A score to 40 significant bits (about 12 digits).
///
/// Items with the same evidence in another class order differ in the last bits only, by rounding; they must tie, so that
/// the tie break and not the arithmetic of the platform decides between them.
fn without_noise(score: f64) -> f64 {
    const DROPPED: u32 = 52 - 40;
    let half = 1_u64 << (DROPPED - 1);
    f64::from_bits((score.to_bits() + half) >> DROPPED << DROPPED)
}

/// What rules look at; everything is per item.
#[derive(Debug, Clone, Copy)]
pub struct RuleInputs<'a> {
    /// Posterior beliefs.
    pub beliefs: &'a Beliefs,
    /// The judge's predictions, items x classes.
    pub q: &'a Array2<f64>,
    /// Stated confidence, 0 to 100.
    pub confidence: &'a [Option<f64>],
    /// Labels in hand.
    pub labels: &'a [u32],
    /// Uniform draws in [0, 1) that break ties (scaled by 1e-9 where they are added to a score).
    pub jitter: &'a [f64],
    /// Uniform draws that the random rule ranks by.
    pub random: &'a [f64],
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

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
            jitter: &[0.0; 4],
            random: &[],
        };
        let scores = Rule::FewestLabelsByInfo.scores(&inputs);
        assert_eq!(crate::escalation::top(&scores, &[], 4), [3, 1, 0, 2]);
    }
}

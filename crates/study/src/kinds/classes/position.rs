//! Verdicts over two answers: how often they change with the order in which the answers are shown.

use serde::{Deserialize, Serialize};

use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_core::stats::beta::beta_quantile;
use judge_uncertainty_formats::judge::JudgeVariants;

/// How often a variant's verdict changes with the order of the two answers.
///
/// A verdict is the most probable class of an item under one order; verdicts of the swapped order were mirrored when
/// they were read, so that two equal ones mean the same answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionBias {
    /// The variant.
    pub variant: String,
    /// Items with a verdict under both orders.
    pub items: usize,
    /// Items answered under both orders of which one answer has no single most probable class; they are left out.
    pub without_verdict: usize,
    /// Items whose two verdicts differ.
    pub flips: usize,
    /// `flips / items`.
    pub rate: f64,
    /// 95% interval of the rate among all items that these are a sample of (Clopper and Pearson 1934).
    pub interval: Interval,
    /// Flips in which the answer shown first won both times.
    pub to_first: usize,
    /// Flips in which the answer shown second won both times; the others have a tie under one order.
    pub to_second: usize,
}

/// The name of a variant in the other order.
pub(super) fn swapped_name(variant: &str) -> String {
    format!("{variant} (swapped)")
}

/// The exact interval of a probability of which `yes` of `n` draws came, at the level 1 - 2 `miss`:
///
/// ```text
/// [Beta(yes, n - yes + 1) quantile of miss, Beta(yes + 1, n - yes) quantile of 1 - miss]
/// ```
///
/// It holds the probability at least as often as its level says, for every n (Clopper and Pearson 1934).
pub fn exact_interval(yes: usize, n: usize, miss: f64) -> Interval {
    let (yes, no) = (yes as f64, (n - yes) as f64);
    Interval {
        lo: if yes > 0.0 { beta_quantile(miss, yes, no + 1.0) } else { 0.0 },
        hi: if no > 0.0 { beta_quantile(1.0 - miss, yes + 1.0, no) } else { 1.0 },
    }
}

/// The most probable class; `None` where there are several.
fn verdict(weights: &[f64]) -> Option<usize> {
    let most = weights.iter().copied().fold(f64::MIN, f64::max);
    let mut at = (0..weights.len()).filter(|&k| weights[k] == most);
    at.next().filter(|_| at.next().is_none())
}

/// The bias of every variant that was asked in both orders; `first` and `second` are the classes of the answer shown
/// first and second.
pub(super) fn bias(judge: &JudgeVariants, (first, second): (&str, &str)) -> Vec<PositionBias> {
    let names = judge.variants();
    let class = |name: &str| judge.classes().iter().position(|class| class == name);
    let (first, second) = (class(first), class(second));
    let pairs = names.iter().enumerate().filter_map(|(k, name)| {
        let swapped = names.iter().position(|other| *other == swapped_name(name))?;
        Some((name, k, swapped))
    });
    pairs.filter_map(|(name, k, swapped)| of_variant(judge, name, [k, swapped], (first, second))).collect()
}

fn of_variant(
    judge: &JudgeVariants,
    name: &str,
    [plain, swapped]: [usize; 2],
    (first, second): (Option<usize>, Option<usize>),
) -> Option<PositionBias> {
    let mut found = PositionBias {
        variant: name.to_owned(),
        items: 0,
        without_verdict: 0,
        flips: 0,
        rate: 0.0,
        interval: Interval { lo: 0.0, hi: 1.0 },
        to_first: 0,
        to_second: 0,
    };
    for item in 0..judge.ids().len() {
        let answers = &judge.item(item).variants;
        let (Some(one), Some(other)) = (&answers[plain], &answers[swapped]) else { continue };
        let (Some(one), Some(other)) = (verdict(one), verdict(other)) else {
            found.without_verdict += 1;
            continue;
        };
        found.items += 1;
        if one == other {
            continue;
        }
        found.flips += 1;
        let both = (Some(one), Some(other));
        found.to_first += usize::from(both == (first, second));
        found.to_second += usize::from(both == (second, first));
    }
    if found.items == 0 {
        return None;
    }
    found.rate = found.flips as f64 / found.items as f64;
    found.interval = exact_interval(found.flips, found.items, 0.025);
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact coverage, summed over all numbers of flips, never falls under the level.
    #[test]
    fn the_interval_holds_the_rate_as_often_as_it_says() {
        for n in [1, 2, 5, 10, 30, 100, 300] {
            let intervals: Vec<Interval> = (0..=n).map(|yes| exact_interval(yes, n, 0.025)).collect();
            for percent in [0.1, 0.5, 1.0, 3.0, 5.0, 10.0, 25.0, 40.0, 50.0, 75.0, 99.0] {
                let p: f64 = percent / 100.0;
                // Logarithms of the binomial distribution's probabilities, one from the other.
                let mut chance = n as f64 * (-p).ln_1p();
                let mut coverage = 0.0;
                for (yes, interval) in intervals.iter().enumerate() {
                    if (interval.lo..=interval.hi).contains(&p) {
                        coverage += chance.exp();
                    }
                    chance += ((n - yes) as f64 / (yes + 1) as f64).ln() + p.ln() - (-p).ln_1p();
                }
                assert!(coverage >= 0.95 - 1e-9, "{n} {p}: {coverage}");
            }
        }
        let known = exact_interval(3, 20, 0.025);
        assert!((known.lo - 0.0321).abs() < 1e-4 && (known.hi - 0.3789).abs() < 1e-4, "{known:?}");
    }

    #[test]
    fn a_verdict_is_the_only_most_probable_class() {
        assert_eq!(
            [verdict(&[0.2, 0.5, 0.3]), verdict(&[0.4, 0.4, 0.2]), verdict(&[1.0, 0.0, 0.0])],
            [Some(1), None, Some(0)]
        );
    }
}

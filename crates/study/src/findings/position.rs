//! Verdicts over two answers: how often they change with the order in which the answers are shown.

use serde::Serialize;

use super::ratings::{Ratings, sides};
use crate::model::study::Study;
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_core::stats::estimator::{Ask, Design};

/// What a name of a variant ends in where the answers were shown in the other order.
pub const SWAPPED: &str = " (swapped)";

/// What the order of two answers does to the judge's verdict, over items that it judged in both orders.
///
/// A verdict is the most probable class under one order; verdicts of the other order were mirrored when they were read,
/// so that two equal ones mean the same answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Position {
    /// Items with a verdict in both orders.
    pub items: usize,
    /// Items judged in both orders where one of them has no single most probable class; they are left out.
    pub without_verdict: usize,
    /// How often the verdict changes with the order.
    pub flips: Estimable,
    /// How much more often it goes to the answer shown first than to the one shown second, of all verdicts.
    pub to_first: Estimable,
}

/// The most probable class; `None` where there are several.
fn verdict(weights: &[f64]) -> Option<usize> {
    let most = weights.iter().copied().fold(f64::MIN, f64::max);
    let mut at = (0..weights.len()).filter(|&k| weights[k] == most);
    at.next().filter(|_| at.next().is_none())
}

impl Position {
    /// Of a study whose judge was asked in both orders; `None` of another.
    pub fn new(study: &Study, ratings: &Ratings) -> Option<Self> {
        let answers = study.judge.answers.as_ref()?;
        let names = answers.variants();
        let other = |name: &String| names.iter().position(|other| other.strip_suffix(SWAPPED) == Some(name));
        let orders: Vec<(usize, usize)> =
            names.iter().enumerate().filter_map(|(k, name)| Some((k, other(name)?))).collect();
        let sides = sides(study);
        let (mut items, mut flips, mut leans, mut without_verdict) = (vec![], vec![], vec![], 0);
        for item in 0..study.len() {
            let asked = orders
                .iter()
                .filter_map(|&(one, other)| Some((answers.answer(item, one)?, answers.answer(item, other)?)));
            let asked: Vec<_> = asked.collect();
            let both: Vec<(usize, usize)> =
                asked.iter().filter_map(|(one, other)| Some((verdict(one)?, verdict(other)?))).collect();
            without_verdict += usize::from(both.len() < asked.len());
            if both.is_empty() {
                continue;
            }
            let share = |of: &dyn Fn(usize, usize) -> bool| {
                both.iter().filter(|(one, other)| of(*one, *other)).count() as f64 / both.len() as f64
            };
            // In the other order the second of the sides is shown first.
            let won = |[first, second]: [usize; 2]| share(&|a, _| a == first) + share(&|_, b| b == second);
            items.push(ratings.clusters[item]);
            flips.push(Some(share(&|one, other| one != other)));
            leans.push(Some(sides.map_or(0.0, |[first, second]| 0.5 * (won([first, second]) - won([second, first])))));
        }
        let design = Design::random(items);
        (!flips.is_empty()).then(|| Self {
            items: flips.len(),
            without_verdict,
            flips: design.estimate(&Ask::mean(&flips).within(0.0, 1.0)),
            to_first: design.estimate(&Ask::mean(&leans).within(-1.0, 1.0)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_the_only_most_probable_class() {
        assert_eq!(
            [verdict(&[0.2, 0.5, 0.3]), verdict(&[0.4, 0.4, 0.2]), verdict(&[1.0, 0.0, 0.0])],
            [Some(1), None, Some(0)]
        );
    }
}

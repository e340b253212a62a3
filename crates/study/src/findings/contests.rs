//! Systems compared pair by pair: how often each wins, by the judge alone and corrected for its errors, and which of them are
//! told apart.

use serde::Serialize;

use super::ratings::Contests;
use super::trust::{OfDomain, OfGroup, Sample};
use super::words::side;
use judge_uncertainty_core::stats::{Estimable, mean};

/// Systems whose answers were compared, the best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Ranking {
    /// How often each wins over the items in which it takes part; a tie counts as half.
    pub systems: Vec<OfGroup>,
    /// The difference of each two, the better of them first.
    pub differences: Vec<WinDifference>,
}

/// By how much one system wins more often than another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WinDifference {
    /// Positions of the two in [`Ranking::systems`].
    pub of: [usize; 2],
    /// By the judge alone.
    pub by_judge: f64,
    /// Corrected; the intervals of all pairs of systems hold together.
    pub corrected: Estimable,
}

impl WinDifference {
    /// Which of the two is shown to win more often: the one at this place of [`WinDifference::of`].
    pub fn better(&self) -> Option<usize> {
        match side(&self.corrected) {
            0 => None,
            side => Some(usize::from(side < 0)),
        }
    }

    /// Whether the judge alone has the better of the two as the worse.
    pub fn is_wrong_by_judge(&self) -> bool {
        self.better().is_some_and(|place| if place == 0 { self.by_judge < 0.0 } else { self.by_judge > 0.0 })
    }
}

impl Ranking {
    /// Of the items of a study; empty without systems that are compared.
    pub fn new(sample: &Sample<'_>) -> Self {
        let rows = sample.ratings;
        let Some(contests) = &rows.contests else { return Self::default() };
        let of_system = |system: usize| wins_of(sample, contests, system);
        let mut all: Vec<(OfGroup, OfDomain<'_>)> = (0..contests.names.len()).map(of_system).collect();
        let value = |wins: &OfGroup| wins.corrected.estimate().map_or(wins.by_judge, |found| found.value);
        all.sort_by(|(one, _), (other, _)| value(other).total_cmp(&value(one)));
        let pairs: Vec<[usize; 2]> = (0..all.len()).flat_map(|k| (k + 1..all.len()).map(move |j| [k, j])).collect();
        let number = pairs.len();
        let difference = |of: [usize; 2]| {
            let [one, other] = of.map(|k| &all[k].0);
            let [a, b] = of.map(|k| all[k].1.ask(true).among(number));
            WinDifference { of, by_judge: one.by_judge - other.by_judge, corrected: sample.design.contrast(&a, &b) }
        };
        let differences = pairs.into_iter().map(difference).collect();
        Self { differences, systems: all.into_iter().map(|(wins, _)| wins).collect() }
    }
}

/// The wins of a system, and where they come from.
fn wins_of<'s>(sample: &'s Sample<'s>, contests: &Contests, system: usize) -> (OfGroup, OfDomain<'s>) {
    let rows = sample.ratings;
    let items: Vec<usize> = (0..rows.len()).filter(|&item| contests.of[item].contains(&system)).collect();
    let won = |item: usize, answer: f64| contests.won(item, system, answer).unwrap_or(0.5);
    let observed =
        |item: usize| (!rows.people[item].is_empty()).then(|| rows.over_people(item, |answer| won(item, answer)));
    let predicted = |item: usize| rows.expected(item, |answer| won(item, answer));
    let by_judge: Vec<f64> = items.iter().map(|&item| rows.over_judge(item, |answer| won(item, answer))).collect();
    let domain = OfDomain::of(sample, (0.0, 1.0), Some(&items), &observed, &predicted);
    let wins = OfGroup {
        name: contests.names[system].clone(),
        rows: items.len(),
        by_judge: mean(&by_judge),
        corrected: sample.design.estimate(&domain.ask(true)),
    };
    (wins, domain)
}

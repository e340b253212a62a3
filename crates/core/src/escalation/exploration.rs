//! A share of the budget spent at random, so that what comes back says something about all items.
//!
//! The items with the highest priorities are not like the others: averages over them are biased for the whole, and no
//! reweighting helps, because the others had no chance. Exploring gives every item a selection probability above 0. The
//! design is a stratified one: the top of the ranking is taken whole (probability 1), and the rest of the budget goes
//! to a simple random sample of all other items.

use crate::random::Stream;

/// Items that were selected, and the probability that each item had of being so.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The items taken for their rank, best first.
    pub ranked: Vec<usize>,
    /// The items drawn at random from all others, in the order of the draws.
    pub drawn: Vec<usize>,
    /// Selection probability of every item, 0 to 1.
    pub probability: Vec<f64>,
}

impl Selection {
    /// The first `budget` items of a ranking; all other items have no chance.
    pub fn top(ranking: &[usize], budget: usize) -> Self {
        let ranked = ranking[..budget.min(ranking.len())].to_vec();
        let mut probability = vec![0.0; ranking.len()];
        ranked.iter().for_each(|&i| probability[i] = 1.0);
        Self { ranked, drawn: vec![], probability }
    }

    /// The top of a ranking of all items, and a random sample of the others.
    ///
    /// Of the `budget` items, a share `explore` (0 to 1, rounded to items) is drawn, at least two, because one item
    /// says nothing about how far to trust it. Stream: one choice per drawn item, in order.
    pub fn exploring(ranking: &[usize], budget: usize, explore: f64, stream: &mut Stream) -> Self {
        let budget = budget.min(ranking.len());
        let draws = Self::draws(budget, explore);
        let (ranked, others) = ranking.split_at(budget - draws);
        let (ranked, mut urn) = (ranked.to_vec(), others.to_vec());
        for k in 0..draws {
            let left = u32::try_from(urn.len() - k).expect("studies have fewer than 2^32 items");
            urn.swap(k, k + stream.choice(left) as usize);
        }
        let drawn = urn[..draws].to_vec();
        let mut probability = vec![draws as f64 / (ranking.len() - ranked.len()).max(1) as f64; ranking.len()];
        ranked.iter().for_each(|&i| probability[i] = 1.0);
        Self { ranked, drawn, probability }
    }

    /// These items, with their probabilities before ties were broken at random. Of a group of M equal priorities with m
    /// among those selected by rank, each is selected by rank with probability m/M, and otherwise drawn with the other
    /// items. `ranking` is the one from which the items were selected, and `are_equal` compares neighbours in it.
    pub fn among_equals(mut self, ranking: &[usize], are_equal: impl Fn(usize, usize) -> bool) -> Self {
        let top = self.ranked.len();
        let drawn = self.drawn.len() as f64 / (ranking.len() - top).max(1) as f64;
        let mut before = 0;
        for group in ranking.chunk_by(|&i, &j| are_equal(i, j)) {
            let taken = top.saturating_sub(before).min(group.len()) as f64 / group.len() as f64;
            group.iter().for_each(|&i| self.probability[i] = taken + (1.0 - taken) * drawn);
            before += group.len();
        }
        self
    }

    /// How many items are drawn at random of a budget, as [`Self::exploring`] does it.
    pub fn draws(budget: usize, explore: f64) -> usize {
        ((explore * budget as f64).round() as usize).max(2).min(budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_drawn_as_often_as_its_probability_says() {
        let ranking: Vec<usize> = (0..12).rev().collect();
        let mut stream = Stream::new(4);
        let mut hits = [0_u32; 12];
        const ROUNDS: u32 = 20_000;
        for _ in 0..ROUNDS {
            let s = Selection::exploring(&ranking, 6, 0.5, &mut stream);
            assert_eq!((s.ranked.as_slice(), s.drawn.len()), (&[11, 10, 9][..], 3));
            s.ranked.iter().chain(&s.drawn).for_each(|&i| hits[i] += 1);
        }
        let s = Selection::exploring(&ranking, 6, 0.5, &mut stream);
        for (i, hits) in hits.into_iter().enumerate() {
            let expected = f64::from(ROUNDS) * s.probability[i];
            let noise = (expected * (1.0 - s.probability[i])).sqrt();
            assert!((f64::from(hits) - expected).abs() <= 4.0 * noise, "item {i}: {hits} for {expected}");
        }
        assert_eq!((s.probability[11], s.probability[0]), (1.0, 1.0 / 3.0));
    }

    #[test]
    fn equals_are_selected_as_often_as_their_probability_says() {
        // Three of priority 2, five of priority 1, two of priority 0; the top takes 5, and 2 more are drawn.
        let priority = |i: usize| [2, 2, 2, 1, 1, 1, 1, 1, 0, 0][i];
        let mut stream = Stream::new(4);
        let mut hits = [0_u32; 10];
        const ROUNDS: u32 = 20_000;
        let mut said = vec![];
        for _ in 0..ROUNDS {
            let mut ranking: Vec<usize> = (0..10).collect();
            (1..10).rev().for_each(|last| ranking.swap(last, stream.choice(last as u32 + 1) as usize));
            ranking.sort_by_key(|&i| -priority(i));
            let s = Selection::exploring(&ranking, 7, 0.3, &mut stream);
            let s = s.among_equals(&ranking, |i, j| priority(i) == priority(j));
            s.ranked.iter().chain(&s.drawn).for_each(|&i| hits[i] += 1);
            said = s.probability;
        }
        for (i, hits) in hits.into_iter().enumerate() {
            let expected = f64::from(ROUNDS) * said[i];
            let noise = (expected * (1.0 - said[i])).sqrt();
            assert!((f64::from(hits) - expected).abs() <= 4.0 * noise, "item {i}: {hits} for {expected}");
        }
        assert!([said[0], said[3], said[9]] == [1.0, 0.4 + 0.6 * 0.4, 0.4], "{said:?}");
    }

    #[test]
    fn small_budgets_and_pools() {
        let mut stream = Stream::new(1);
        let s = Selection::exploring(&[2, 0, 1], 9, 0.1, &mut stream);
        assert_eq!((s.ranked.as_slice(), s.drawn.len(), s.probability.as_slice()), (&[2][..], 2, &[1.0; 3][..]));
        let s = Selection::exploring(&[0, 1, 2, 3], 1, 0.1, &mut stream);
        assert_eq!((s.ranked.len(), s.drawn.len(), s.probability[0]), (0, 1, 0.25));
        let s = Selection::exploring(&[], 1, 0.1, &mut stream);
        assert_eq!((s.ranked.len(), s.drawn.len()), (0, 0));
    }
}

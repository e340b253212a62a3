//! Where the judge is most likely wrong, as the labels have it: by group and by answer.
//!
//! ```text
//! e_i = e(group of i) + e(answer of i) - e,   e(h) = (sum over labelled items of h of their error + 4 e)/(n_h + 4)
//! ```
//!
//! with e the mean error of all labelled items, and the error of an item the share of its labels that contradict the
//! judge; on a scale, how far they lie from it on average. A group, or an answer, that has few labels is drawn towards
//! all, as if it had four more of the mean error.

use std::collections::HashMap;
use std::hash::Hash;

use judge_uncertainty_core::stats::mean;

use crate::model::kind::{Kind, Study};

/// Labelled items of the mean error that a group counts as having more.
const MORE: f64 = 4.0;
/// Different answers above which they are no groups.
const MOST_ANSWERS: usize = 20;

/// The expected error of the judge on every item; `None` without labels that stand one by one.
pub fn expected_errors<K: Kind>(study: &Study<K>) -> Option<Vec<f64>> {
    let mut errors: Vec<Vec<f64>> = vec![vec![]; study.len()];
    for label in &study.labels.rows {
        let against = K::against_judge(study, label.item, label.value);
        // On a scale it is a distance with its sign; of classes 1 says that they agree.
        let error = if K::FACTS.on_scale { against.abs() } else { 1.0 - against };
        errors[label.item].push(error);
    }
    let errors: Vec<Option<f64>> = errors.iter().map(|of| (!of.is_empty()).then(|| mean(of))).collect();
    let known: Vec<f64> = errors.iter().copied().flatten().collect();
    if known.is_empty() {
        return None;
    }
    let all = mean(&known);
    let answers: Vec<String> = (0..study.len()).map(|i| K::prediction(study, i)).collect();
    let few = answers.iter().collect::<std::collections::HashSet<_>>().len() <= MOST_ANSWERS;
    let by_answer = if few { drawn_in(&answers, &errors, all) } else { vec![all; study.len()] };
    let by_group = study.items.groups.as_ref().map_or_else(|| vec![all; study.len()], |of| drawn_in(of, &errors, all));
    Some(by_group.iter().zip(&by_answer).map(|(group, answer)| (group + answer - all).max(0.0)).collect())
}

/// The mean error in the group of each item, drawn towards the mean of all.
fn drawn_in<T: Hash + Eq>(groups: &[T], errors: &[Option<f64>], all: f64) -> Vec<f64> {
    let mut sums: HashMap<&T, (f64, f64)> = HashMap::new();
    for (group, error) in groups.iter().zip(errors) {
        let sum = sums.entry(group).or_default();
        if let Some(error) = error {
            *sum = (sum.0 + error, sum.1 + 1.0);
        }
    }
    groups.iter().map(|group| (sums[group].0 + MORE * all) / (sums[group].1 + MORE)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_labels_are_drawn_towards_all() {
        let errors = [Some(1.0), Some(1.0), Some(0.0), None, None];
        let found = drawn_in(&["a", "a", "b", "b", "c"], &errors, 0.5);
        assert_eq!(found, [4.0 / 6.0, 4.0 / 6.0, 2.0 / 5.0, 2.0 / 5.0, 0.5]);
    }
}

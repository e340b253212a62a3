//! A mean over labels for new items and new annotators, whose effects are crossed.

use std::collections::BTreeMap;

use super::over_items::{Estimable, ItemEstimate, LEAST_ITEMS};
use super::student::student_quantile;

/// Fewer annotators than this tell too little about how annotators differ.
pub const LEAST_ANNOTATORS: usize = 5;
/// Upper end of a central 95% interval.
const UPPER: f64 = 0.975;

/// What a label gives, such as its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelValue {
    /// Number of the item, or of the thing that the item is about.
    pub item: usize,
    /// Number of the annotator.
    pub annotator: usize,
    /// Weight of the label in the mean.
    pub weight: f64,
    /// What it gives.
    pub value: f64,
}

/// The mean over labels with its central 95% interval for new items labelled by new annotators.
///
/// ```text
/// mu = sum w x/sum w,   u = w (x - mu)/sum w,   V(g) = G/(G - 1) sum over groups of (sum of u in the group)^2
/// variance = V(items) + V(annotators) - V(labels), and at least either of the first two
/// freedom  = variance^2/(V(items)^2/(I - 1) + V(annotators)^2/(J - 1)), at least J - 1
/// ```
///
/// I items and J annotators are drawn from all there could be, and every label has a part of its item, one of its
/// annotator and one of its own. Sources: Owen (2007), "The pigeonhole bootstrap", for the variance under crossed
/// random effects; Cameron, Gelbach and Miller (2011), "Robust inference with multiway clustering", for this estimate
/// of it; Satterthwaite (1946) for the freedom. It takes 20 items and 5 annotators.
pub fn crossed_mean(labels: &[LabelValue]) -> Estimable {
    let groups = |of: fn(&LabelValue) -> usize| {
        let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
        labels.iter().for_each(|label| *sums.entry(of(label)).or_default() += label.weight);
        sums.len()
    };
    let (items, annotators) = (groups(|label| label.item), groups(|label| label.annotator));
    if annotators < LEAST_ANNOTATORS {
        return Estimable::not(format!(
            "these are labels of {annotators} annotators, and how annotators differ takes {LEAST_ANNOTATORS}"
        ));
    }
    if items < LEAST_ITEMS {
        return Estimable::not(format!("{items} items have labels, and an interval over items needs {LEAST_ITEMS}"));
    }
    let all: f64 = labels.iter().map(|label| label.weight).sum();
    let mean = labels.iter().map(|label| label.weight * label.value).sum::<f64>() / all;
    let part = |label: &LabelValue| label.weight * (label.value - mean) / all;
    let variance = |of: &dyn Fn(usize, &LabelValue) -> usize| {
        let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
        labels.iter().enumerate().for_each(|(k, label)| *sums.entry(of(k, label)).or_default() += part(label));
        let number = sums.len() as f64;
        number / (number - 1.0) * sums.values().map(|sum| sum * sum).sum::<f64>()
    };
    let of_items = variance(&|_, label| label.item);
    let of_annotators = variance(&|_, label| label.annotator);
    let both = (of_items + of_annotators - variance(&|k, _| k)).max(of_items).max(of_annotators);
    if both.sqrt() <= 1e-12 * mean.abs() || both == 0.0 {
        return Estimable::not(format!("all labels give {mean:.3}, so how it varies cannot be determined"));
    }
    let least = annotators as f64 - 1.0;
    let freedom = both * both / (of_items.powi(2) / (items as f64 - 1.0) + of_annotators.powi(2) / least);
    let standard_error = both.sqrt();
    let reach = student_quantile(UPPER, freedom.max(least)) * standard_error;
    Estimable::Estimated(ItemEstimate { value: mean, standard_error, lo: mean - reach, hi: mean + reach, items })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use serde_json::Value;

    /// Two-way clusters by statsmodels; near the standard error under crossed random effects, and below that of the
    /// pigeonhole bootstrap, which is known to be too large (Owen 2007) (`tests/golden/crossed/make.py`).
    #[test]
    fn crossed_means_as_computed_elsewhere() {
        let golden: Value =
            serde_json::from_str(include_str!("../../../../tests/golden/crossed/expected.json")).unwrap();
        for case in golden["cases"].as_array().unwrap() {
            let numbers =
                |key: &str| -> Vec<f64> { case[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
            let (items, annotators, values) = (numbers("item"), numbers("annotator"), numbers("value"));
            let of_item = |i: f64| items.iter().filter(|other| **other == i).count() as f64;
            let labels: Vec<LabelValue> = (0..values.len())
                .map(|k| LabelValue {
                    item: items[k] as usize,
                    annotator: annotators[k] as usize,
                    weight: 1.0 / of_item(items[k]),
                    value: values[k],
                })
                .collect();
            let found = *crossed_mean(&labels).estimate().unwrap();
            for (got, key) in
                [(found.value, "mean"), (found.standard_error, "standard_error"), (found.lo, "lo"), (found.hi, "hi")]
            {
                let expected = case[key].as_f64().unwrap();
                assert!((got - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{key} {got} for {expected}");
            }
            let times = |key: &str| found.standard_error / case[key].as_f64().unwrap();
            assert!((0.9..1.1).contains(&times("random_effects")), "{}", times("random_effects"));
            assert!((0.7..1.02).contains(&times("pigeonhole")), "{}", times("pigeonhole"));
        }
    }

    /// Five to twenty annotators on every item, with biases as large as what tells items apart: 0.95 of the intervals
    /// hold up to three standard errors of 400 studies, where those over items alone hold in few.
    #[test]
    fn intervals_hold_for_new_annotators() {
        for annotators in [5, 20] {
            let (mut held, mut over_items) = (0, 0);
            for seed in 0..400 {
                let mut stream = Stream::new(seed);
                let bias: Vec<f64> = (0..annotators).map(|_| stream.standard_normal()).collect();
                let mut labels = vec![];
                let mut of_items = vec![];
                for item in 0..60 {
                    let level = stream.standard_normal();
                    let values: Vec<f64> = bias.iter().map(|b| level + b + stream.standard_normal()).collect();
                    of_items.push(crate::stats::mean(&values));
                    labels.extend(values.into_iter().enumerate().map(|(annotator, value)| LabelValue {
                        item,
                        annotator,
                        weight: 1.0,
                        value,
                    }));
                }
                let holds =
                    |found: Estimable| usize::from(found.estimate().is_some_and(|e| e.lo <= 0.0 && e.hi >= 0.0));
                held += holds(crossed_mean(&labels));
                over_items += holds(crate::stats::over_items::item_mean(&of_items));
            }
            assert!((367..=395).contains(&held) && over_items < 300, "{annotators}: {held}, over items {over_items}");
        }
    }

    #[test]
    fn two_annotators_say_nothing_of_others() {
        let label = |k: usize| LabelValue { item: k / 2, annotator: k % 2, weight: 1.0, value: k as f64 };
        let found = crossed_mean(&(0..80).map(label).collect::<Vec<_>>());
        assert!(found.reason().unwrap().contains("labels of 2 annotators"), "{found:?}");
    }
}

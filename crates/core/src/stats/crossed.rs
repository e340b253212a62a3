//! How a mean over labels varies over annotators, whose effects are crossed with those of items.

use std::collections::BTreeMap;

use super::over_items::Estimable;

/// Fewer annotators than this tell too little about how annotators differ.
pub const LEAST_ANNOTATORS: usize = 5;

/// What a label gives, such as its score, or two labels of an item together, such as a squared error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelScore {
    /// Position of the item.
    pub item: usize,
    /// Who gave the label or the two labels; the same number twice for a single label.
    pub annotators: [usize; 2],
    /// What it gives.
    pub value: f64,
}

impl LabelScore {
    /// What a single label gives.
    pub fn single(item: usize, annotator: usize, value: f64) -> Self {
        Self { item, annotators: [annotator; 2], value }
    }
}

/// Variance and degrees of freedom over new items labelled by new annotators of an estimate of this value, from those
/// over things by its design. `parts` holds each value's part of the estimate less what it is, weight times (value -
/// mean) over the sum of all weights, under the number of the thing that its item is about.
///
/// ```text
/// u = w (x - mu)/sum w,   V(annotators) = J/(J - 1) sum over annotators of (sum of u that are theirs)^2
/// variance = V(items) + V(annotators) - V(labels), and at least either of the first two
/// freedom  = variance^2/(V(items)^2/f + A^2/(J - 1)), at least J - 1,   A = max(V(annotators) - V(labels), 0)
/// ```
///
/// Items and J annotators are drawn from all there could be, and every label has a part of its item, one of its
/// annotator and one of its own. V(items), with f degrees of freedom, is that of the design by which items were chosen.
/// V(labels) is what both count: sums of products of u of one item and annotator. Where a value is of two labels, those
/// that share both annotators are in the sums of both and count once. Sources: Owen (2007), "The pigeonhole bootstrap",
/// for the variance under crossed random effects; Cameron, Gelbach and Miller (2011), "Robust inference with multiway
/// clustering", for this estimate of it; Aronow, Samii and Assenova (2015), "Cluster-robust variance estimation for
/// dyadic data", for values of two labels; Satterthwaite (1946) for the freedom, of the variance of items and of the
/// part A that annotators add. With V(annotators), of which V(labels) is taken out, in the place of A, intervals were
/// too wide where annotators hardly differ (0.978 of simulated studies with eight of them held).
///
/// # Errors
/// Fewer than 5 annotators, and labels that all give the same.
pub(super) fn crossed(
    value: f64,
    (of_items, freedom): (f64, f64),
    parts: impl Iterator<Item = LabelScore>,
) -> Result<(f64, f64), Estimable> {
    let mut of_annotators: BTreeMap<usize, f64> = BTreeMap::new();
    let (mut of_pairs, mut of_both): (BTreeMap<[usize; 2], f64>, BTreeMap<[usize; 2], f64>) = Default::default();
    let mut own = 0.0;
    for LabelScore { item: thing, annotators: [one, other], value: part } in parts {
        let is_pair = one != other;
        for annotator in [Some(one), is_pair.then_some(other)].into_iter().flatten() {
            *of_annotators.entry(annotator).or_default() += part;
            *of_both.entry([thing, annotator]).or_default() += part;
        }
        if is_pair {
            *of_pairs.entry([one.min(other), one.max(other)]).or_default() += part;
            own += part * part;
        }
    }
    let annotators = of_annotators.len();
    if annotators < LEAST_ANNOTATORS {
        return Err(Estimable::not(format!(
            "these are labels of {annotators} annotators, and how annotators differ takes {LEAST_ANNOTATORS}"
        )));
    }
    let squares = |sums: &mut dyn Iterator<Item = &f64>| sums.map(|sum| sum * sum).sum::<f64>();
    let least = annotators as f64 - 1.0;
    let apart = squares(&mut of_annotators.values()) - squares(&mut of_pairs.values());
    let of_annotators = (apart * (least + 1.0) / least).max(0.0);
    let cells = of_both.len() as f64;
    let shared = (squares(&mut of_both.values()) - own) * cells / (cells - 1.0).max(1.0);
    let variance = (of_items + of_annotators - shared).max(of_items).max(of_annotators);
    if variance.sqrt() <= 1e-12 * value.abs() || variance == 0.0 {
        return Err(Estimable::not(format!("all labels give {value:.3}, so how it varies cannot be determined")));
    }
    let added = (of_annotators - shared).max(0.0);
    let freedom = variance * variance / (of_items.powi(2) / freedom + added.powi(2) / least);
    Ok((variance, freedom.max(least)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use crate::stats::sampling::{SamplingDesign, Stage};
    use serde_json::Value;

    /// Of items that were drawn at random.
    fn crossed_mean(labels: &[LabelScore]) -> Estimable {
        let items = labels.iter().map(|label| label.item + 1).max().unwrap();
        SamplingDesign::random((0..items).collect()).crossed(labels, |design, values| design.mean(values))
    }

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
            let labels: Vec<LabelScore> = (0..values.len())
                .map(|k| LabelScore::single(items[k] as usize, annotators[k] as usize, values[k]))
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
                    let of = |(annotator, value)| LabelScore::single(item, annotator, value);
                    labels.extend(values.into_iter().enumerate().map(of));
                }
                let holds =
                    |found: Estimable| usize::from(found.estimate().is_some_and(|e| e.lo <= 0.0 && e.hi >= 0.0));
                held += holds(crossed_mean(&labels));
                over_items += holds(crate::stats::over_items::item_mean(&of_items));
            }
            assert!((367..=395).contains(&held) && over_items < 300, "{annotators}: {held}, over items {over_items}");
        }
    }

    /// Eight annotators without biases, two labels on each of 60 items: of 2,000 studies 0.95 hold, up to four standard
    /// errors; with degrees of freedom that count what labels vary as the annotators' own, 0.98 did.
    #[test]
    fn intervals_are_not_too_wide_where_annotators_do_not_differ() {
        let mut held = 0;
        for seed in 0..2000 {
            let mut stream = Stream::new(seed);
            let of = |k: usize| (k / 2, (k / 2 + k % 2) % 8);
            let mut label = |k| LabelScore::single(of(k).0, of(k).1, stream.standard_normal());
            let labels: Vec<LabelScore> = (0..120).map(&mut label).collect();
            held += usize::from(crossed_mean(&labels).estimate().is_some_and(|e| e.lo <= 0.0 && e.hi >= 0.0));
        }
        assert!((1861..=1939).contains(&held), "{held} of 2000");
    }

    /// The 40 largest of 400 items and 60 of the others at random, each labelled by two of eight annotators: their
    /// mean, and their squared distance from 0 against all annotators, the product of the two labels.
    #[test]
    fn intervals_hold_where_a_rule_chose_items() {
        let (mut held, mut over_items) = ([0; 2], [0; 2]);
        for seed in 0..400 {
            let mut stream = Stream::new(seed);
            let bias: Vec<f64> = (0..8).map(|_| 0.7 * stream.standard_normal()).collect();
            let mut levels: Vec<f64> = (0..400).map(|_| stream.standard_normal()).collect();
            levels.sort_by(|a, b| b.total_cmp(a));
            for k in 40..100 {
                levels.swap(k, k + stream.choice(400 - k as u32) as usize);
            }
            let strata: Vec<Option<usize>> = (0..100).map(|item| Some(usize::from(item >= 40))).collect();
            let stage = Stage::try_stratified(&strata, &[40, 360]).unwrap();
            let design = SamplingDesign::from_stages((0..100).collect(), vec![stage], 400).unwrap();
            let (mut singles, mut pairs) = (vec![], vec![]);
            for (item, level) in levels[..100].iter().enumerate() {
                let first = stream.choice(8) as usize;
                let annotators = [first, (first + 1 + stream.choice(7) as usize) % 8];
                let labels = annotators.map(|who| level + bias[who] + stream.standard_normal());
                singles.extend([0, 1].map(|k| LabelScore::single(item, annotators[k], labels[k])));
                pairs.push(LabelScore { item, annotators, value: labels[0] * labels[1] });
            }
            let holds = |found: &Estimable, truth: f64| {
                usize::from(found.estimate().is_some_and(|e| (e.lo..=e.hi).contains(&truth)))
            };
            for (k, (labels, truth)) in [(singles, 0.0), (pairs, 1.0)].into_iter().enumerate() {
                held[k] += holds(&design.crossed(&labels, SamplingDesign::square), truth);
                let mut own = Estimable::not("");
                design.crossed(&labels, |design, values| {
                    own = design.square(values);
                    own.clone()
                });
                over_items[k] += holds(&own, truth);
            }
        }
        assert!(held.iter().all(|held| (367..=395).contains(held)), "{held:?}");
        assert!(over_items[0] < 300 && over_items[1] < held[1], "{over_items:?}");
    }

    #[test]
    fn two_annotators_say_nothing_of_others() {
        let label = |k: usize| LabelScore::single(k / 2, k % 2, k as f64);
        let found = crossed_mean(&(0..80).map(label).collect::<Vec<_>>());
        assert!(found.reason().unwrap().contains("labels of 2 annotators"), "{found:?}");
    }
}

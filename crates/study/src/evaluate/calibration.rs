//! Predictions against labels: points of a calibration curve.

use serde::{Deserialize, Serialize};

use crate::model::study::Study;
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_core::stats::estimator::{Design, LEAST_ITEMS};

/// Predictions that are nearer than this are the same.
pub(crate) const SAME: f64 = 1e-9;
/// Points of a calibration curve.
const MOST_BINS: usize = 10;
/// Groups that a report has room for.
const MOST_GROUPS: usize = 30;

/// Items of similar predictions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationPoint {
    /// Items.
    pub items: usize,
    /// Mean prediction.
    pub predicted: f64,
    /// Mean of the labels, in the same unit.
    pub observed: Estimable,
}

/// The largest groups among the items at positions `kept`, by name with the places of their items, and how many there
/// are besides; none of a single one.
pub(super) fn largest_groups(study: &Study, kept: &[usize]) -> (Vec<(String, Vec<usize>)>, usize) {
    let (names, numbers) = (study.items.group_names(), study.items.group_numbers());
    if names.len() < 2 {
        return (vec![], 0);
    }
    let of = |g: usize| -> Vec<usize> { (0..kept.len()).filter(|&i| numbers.get(kept[i]) == Some(&g)).collect() };
    let mut groups: Vec<(usize, Vec<usize>)> = (0..names.len()).map(|g| (g, of(g))).collect();
    groups.sort_by_key(|(_, items)| std::cmp::Reverse(items.len()));
    let left = groups.len().saturating_sub(MOST_GROUPS);
    groups.truncate(MOST_GROUPS);
    groups.sort_by_key(|(g, _)| *g);
    (groups.into_iter().map(|(g, items)| (names[g].to_owned(), items)).collect(), left)
}

/// Points of items with similar predictions, as [`curve_by`] has them in the order of the predictions.
pub(crate) fn curve(
    design: &Design,
    pairs: &[Option<(f64, f64)>],
    shown: impl Fn(&[Option<f64>]) -> Estimable,
) -> Vec<CalibrationPoint> {
    let order: Vec<f64> = pairs.iter().map(|pair| pair.map_or(f64::NAN, |(predicted, _)| predicted)).collect();
    curve_by(design, &order, pairs, shown)
}

/// Points of equal shares of all items, by the weights of the design: of a random sample equally many items each. A
/// point has [`LEAST_ITEMS`] at least, and equals in the `order` are not told apart by where it ends.
pub(crate) fn curve_by(
    design: &Design,
    order: &[f64],
    pairs: &[Option<(f64, f64)>],
    shown: impl Fn(&[Option<f64>]) -> Estimable,
) -> Vec<CalibrationPoint> {
    let weights = design.weights();
    let mut points: Vec<usize> = (0..pairs.len()).filter(|&i| pairs[i].is_some() && weights[i] > 0.0).collect();
    if points.is_empty() {
        return vec![];
    }
    points.sort_by(|&a, &b| order[a].total_cmp(&order[b]));
    let mut sum = 0.0;
    let mut up_to = |&i: &usize| {
        sum += weights[i];
        sum
    };
    let sums: Vec<f64> = points.iter().map(&mut up_to).collect();
    // A little more than it is, so that rounding moves no end.
    let most = sum * (1.0 + 1e-9);
    let effective = most * most / points.iter().map(|&i| weights[i] * weights[i]).sum::<f64>();
    let bins = (effective as usize / LEAST_ITEMS).clamp(1, MOST_BINS);
    let mut ends: Vec<usize> = vec![];
    for bin in 1..=bins {
        let from = ends.last().copied().unwrap_or_default();
        let mut to = sums.partition_point(|sum| *sum <= most * bin as f64 / bins as f64);
        while to > from && to < points.len() && order[points[to]] == order[points[to - 1]] {
            to += 1;
        }
        if to.saturating_sub(from) >= LEAST_ITEMS.min(points.len()) {
            ends.push(to);
        }
    }
    // What is left, too little for a point of its own, joins the last one.
    ends.pop();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let point = |(from, to): (usize, usize)| {
        let own = |value: fn((f64, f64)) -> f64| {
            let mut values = vec![None; pairs.len()];
            points[from..to].iter().for_each(|&i| values[i] = pairs[i].map(value));
            values
        };
        CalibrationPoint {
            items: to - from,
            predicted: design.plain_mean(&own(|(predicted, _)| predicted)).unwrap_or(f64::NAN),
            observed: shown(&own(|(_, observed)| observed)),
        }
    };
    starts.zip(ends.iter().copied().chain([points.len()])).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_core::stats::estimator::{Ask, Stage};

    fn random(items: usize) -> Design {
        Design::random((0..items).collect())
    }

    #[test]
    fn points_of_a_curve_hold_every_item_once() {
        let points: Vec<_> = (0..100).map(|i| Some((f64::from(i % 7), f64::from(i % 2)))).collect();
        let design = random(100);
        let found = curve(&design, &points, |values| design.estimate(&Ask::share(values)));
        assert_eq!(found.iter().map(|point| point.items).sum::<usize>(), 100);
        assert!(found.iter().all(|point| point.items >= LEAST_ITEMS), "{found:?}");
        assert!(found.is_sorted_by(|a, b| a.predicted < b.predicted));
    }

    /// 41 items, the 25 lowest alike: the 16 that remain are too few for a point of their own.
    #[test]
    fn what_is_left_at_the_end_joins_the_last_point() {
        let points: Vec<_> = (0..41).map(|i| Some((f64::from((i - 24).max(0)), f64::from(i % 2)))).collect();
        let design = random(41);
        let found = curve(&design, &points, |values| design.estimate(&Ask::share(values)));
        assert_eq!(found.iter().map(|point| point.items).collect::<Vec<_>>(), [41]);
    }

    /// A queue took the 100 largest of 1,000 whole and drew 90 of the others: each of the latter stands for ten, and
    /// the largest fifth of all items is the 100 with 10 of these.
    #[test]
    fn points_behind_a_queue_are_equal_shares_of_all_items() {
        let strata: Vec<Option<usize>> = (0..190).map(|i| Some(usize::from(i < 90))).collect();
        let stage = Stage::try_stratified(&strata, &[100, 900]).unwrap();
        let design = Design::from_stages((0..190).collect(), vec![stage], 1000).unwrap();
        let points: Vec<_> = (0..190).map(|i| Some((f64::from(i), f64::from(i % 2)))).collect();
        let found = curve(&design, &points, |values| design.estimate(&Ask::share(values)));
        assert_eq!(found.iter().map(|point| point.items).collect::<Vec<_>>(), [20, 20, 20, 20, 110]);
        assert!(found.iter().all(|point| point.observed.estimate().is_some()), "{found:?}");
    }
}

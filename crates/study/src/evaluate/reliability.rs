//! What a belief makes of the judge's predictions: both against labels that neither has seen, class by class and group
//! by group.

use serde::{Deserialize, Serialize};

use crate::model::study::Study;
use judge_uncertainty_core::stats::estimator::LEAST_ITEMS;
use judge_uncertainty_core::stats::estimator::{Ask, Design};
use judge_uncertainty_core::stats::{Estimable, mean};
use judge_uncertainty_evaluation::LabelPool;
use judge_uncertainty_evaluation::held_out::Score;

/// Predictions that are nearer than this are the same.
pub(crate) const SAME: f64 = 1e-9;
/// Points of a calibration curve.
const MOST_BINS: usize = 10;
/// Classes and groups that a report has room for: the commonest and the largest.
const MOST_CLASSES: usize = 8;
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

/// The judge's predictions and those of the belief against held-out labels. The belief's are those before an item's
/// labels, fitted to the labels of other items. Intervals are central 95% ones for new items, each on its own, the fit
/// taken as given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityReport {
    /// One entry for each quantity over all items, then one for each group and quantity.
    pub of: Vec<Reliability>,
    /// Classes that are not among them, the rarest among labels.
    pub classes_left_out: usize,
    /// Groups that are not, the smallest.
    pub groups_left_out: usize,
}

/// One predicted quantity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// `mean_` and the class, `mean_place` or `mean_score`.
    pub quantity: String,
    /// Whether it is the share of a class, 0 to 1, rather than a mean on a scale.
    pub is_share: bool,
    /// The group of items; `None` for all.
    pub group: Option<String>,
    /// Scored items.
    pub items: usize,
    /// As the judge predicts it.
    pub judge: Reliable,
    /// As the belief does.
    pub belief: Reliable,
}

/// Predictions against labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reliable {
    /// Mean over items of labels less predictions: above 0 the prediction is too low.
    pub labels_above: Estimable,
    /// Items of similar predictions, the lowest first; none with fewer items than an interval takes.
    pub points: Vec<CalibrationPoint>,
}

impl Reliable {
    /// From each item's prediction and the mean of its labels, as far as it has any; `is_share` if labels are 0 or 1,
    /// so that means are shares.
    pub fn new(design: &Design, pairs: &[Option<(f64, f64)>], is_share: bool) -> Self {
        let gaps: Vec<Option<f64>> =
            pairs.iter().map(|pair| pair.map(|(predicted, observed)| observed - predicted)).collect();
        let shown = |values: &[Option<f64>]| {
            if is_share { design.estimate(&Ask::share(values)) } else { design.estimate(&Ask::mean(values)) }
        };
        let enough = pairs.iter().flatten().count() >= LEAST_ITEMS;
        Self {
            labels_above: design.estimate(&Ask::mean(&gaps)),
            points: if enough { curve(design, pairs, shown) } else { vec![] },
        }
    }
}

impl ReliabilityReport {
    /// Of the items of a study at positions `kept`, with what the belief predicts of each before its labels; `None`
    /// where that is what the judge does.
    pub fn new(
        study: &Study,
        (kept, design): (&[usize], &Design),
        pool: &LabelPool,
        believed: &[Vec<f64>],
    ) -> Option<Self> {
        let judged: Vec<Vec<f64>> = kept.iter().map(|&i| study.predicted(i)).collect();
        let moved = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).any(|(a, b)| (a - b).abs() > SAME);
        if !believed.iter().zip(&judged).any(moved) {
            return None;
        }
        let observed: Vec<Option<Vec<f64>>> = (0..judged.len()).map(|i| Some(pool.judged_item(i)?.observed)).collect();
        let names = study.file.config.scale.quantities();
        let is_share = |k: usize| pool.squared() == Score::Brier || k > 0;
        let shown = commonest(&observed, names.len(), is_share);
        let (groups, groups_left_out) = largest_groups(study, kept);
        let all = std::iter::once((None, (0..judged.len()).collect::<Vec<usize>>()));
        let of = |group: &Option<String>, items: &[usize], k: usize| {
            let pairs = |predicted: &[Vec<f64>]| {
                let mut pairs = vec![None; predicted.len()];
                let pair = |i: usize| Some((predicted[i][k], observed[i].as_ref()?[k]));
                items.iter().for_each(|&i| pairs[i] = pair(i));
                pairs
            };
            Reliability {
                quantity: names[k].name.clone(),
                is_share: is_share(k),
                group: group.clone(),
                items: items.len(),
                judge: Reliable::new(design, &pairs(&judged), is_share(k)),
                belief: Reliable::new(design, &pairs(believed), is_share(k)),
            }
        };
        let entries = all
            .chain(groups.into_iter().map(|(name, items)| (Some(name), items)))
            .flat_map(|(group, items)| shown.iter().map(|&k| of(&group, &items, k)).collect::<Vec<_>>());
        Some(Self { of: entries.collect(), classes_left_out: names.len() - shown.len(), groups_left_out })
    }

    /// The entries over all items.
    pub fn overall(&self) -> impl Iterator<Item = &Reliability> {
        self.of.iter().filter(|one| one.group.is_none())
    }
}

impl Reliability {
    /// What the quantity is called: the class, or the mean.
    pub fn name(&self) -> String {
        match self.is_share {
            true => self.quantity.strip_prefix("mean_").unwrap_or(&self.quantity).to_owned(),
            false => self.quantity.replace('_', " "),
        }
    }
}

/// The quantities that are shown, in order: what is no share, and the classes that labels name most often.
fn commonest(observed: &[Option<Vec<f64>>], quantities: usize, is_share: impl Fn(usize) -> bool) -> Vec<usize> {
    let share = |k: usize| mean(&observed.iter().flatten().map(|labels| labels[k]).collect::<Vec<_>>());
    let mut classes: Vec<usize> = (0..quantities).filter(|k| is_share(*k)).collect();
    classes.sort_by(|a, b| share(*b).total_cmp(&share(*a)));
    classes.truncate(MOST_CLASSES);
    classes.extend((0..quantities).filter(|k| !is_share(*k)));
    classes.sort_unstable();
    classes
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
    use judge_uncertainty_core::stats::estimator::Stage;

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

    /// 41 items, of which the 25 lowest are alike: the 16 that are left are too few for a point of their own.
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

    #[test]
    fn the_commonest_classes_are_shown_with_what_is_no_share() {
        let labels = vec![Some((0..12).map(f64::from).collect::<Vec<_>>()), None];
        let of = |has_mean: bool| commonest(&labels, 12, |k| !(has_mean && k == 0));
        assert_eq!(of(false), (4..12).collect::<Vec<_>>());
        assert_eq!(of(true), [0, 4, 5, 6, 7, 8, 9, 10, 11]);
    }

    /// Half of the items say 0.2 too much, the others 0.2 too little: nothing is off over all, and each point is.
    #[test]
    fn points_tell_what_the_mean_hides() {
        let pair = |i: usize| Some(if i < 40 { (0.2, [0.3, 0.5][i % 2]) } else { (0.8, [0.5, 0.7][i % 2]) });
        let found = Reliable::new(&random(80), &(0..80).map(pair).collect::<Vec<_>>(), true);
        let above = found.labels_above.estimate().unwrap();
        assert!(above.value.abs() < 1e-12 && above.lo < 0.0 && above.hi > 0.0);
        let points: Vec<(f64, f64)> =
            found.points.iter().map(|p| (p.predicted, p.observed.estimate().unwrap().value)).collect();
        assert!(points.len() == 2 && (points[0].1 - 0.4).abs() < 1e-12 && (points[1].1 - 0.6).abs() < 1e-12);
        let few = Reliable::new(&random(LEAST_ITEMS - 1), &[Some((0.5, 1.0)); LEAST_ITEMS - 1], true);
        assert!(few.points.is_empty() && few.labels_above.reason().is_some());
    }
}

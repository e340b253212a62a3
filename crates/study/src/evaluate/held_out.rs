//! Judge and beliefs on labels that they have not seen, from one label an item: what a study can say of error,
//! agreement and calibration where labels are few.
//!
//! Labels are left out one by one, and items in folds for what is fitted, so every prediction is scored on labels that
//! had no part in it. Intervals are about new items ([`judge_uncertainty_core::stats::estimator`]); what a fit adds to
//! the variation by being fitted again to other items is not part of them (Bayle et al. 2020, "Cross-validation
//! confidence intervals for test error"). What the labels do not determine has a reason in place of a number.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evaluate::OrReason;
use crate::evaluate::belief_check::BeliefCheck;
use crate::model::chosen::ItemSampling;
use crate::model::study::{Decomposition, Study, beliefs, name_of_own};
use judge_uncertainty_core::belief::FeatureColumn;
use judge_uncertainty_core::stats::estimator::{Ask, Design, LEAST_ITEMS};
use judge_uncertainty_core::stats::{Estimable, Interval};
use judge_uncertainty_evaluation::LabelPool;
use judge_uncertainty_evaluation::held_out::{
    Foreseen, Given, ItemScores, Prediction, Score, ScoreTable, Scored, Scoring, folds, score,
};
use judge_uncertainty_evaluation::protocol::seeded;

/// Number of the stream that draws folds.
const FOLD_STREAM: u64 = u64::MAX - 1;
/// Of more labelled items than this a random sample is scored: its intervals are narrow enough, and fits take time.
pub const MOST_ITEMS: usize = 10_000;
/// Log likelihood that all labels are expected to gain by one of two predictions before the two are compared.
const LEAST_APART: f64 = 1.0;
/// The judge's own prediction, and no judge at all.
pub(crate) const JUDGE: &str = "judge";
const BASE_RATE: &str = "base_rate";

/// What held-out labels say of judge and beliefs. Intervals are central 95% ones over items, each on its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOutReport {
    /// Scored items.
    pub items: usize,
    /// Labelled items that could be scored; more than `items` where these are a random sample.
    pub labelled_items: usize,
    /// Items among the scored ones with two labels or more.
    pub twice_labelled: usize,
    /// Their labels.
    pub labels: u64,
    /// The belief that the study holds, among those that are scored.
    pub own: String,
    /// How the items were chosen and what follows for what is said of new ones, in words; `None` where every item of
    /// the study is labelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// Mean scores; lower is better, but for the coverage.
    pub scores: Vec<MeanScore>,
    /// Predictions against each other on the same labels.
    pub comparisons: Vec<ScoreComparison>,
    /// Squared errors against the pool, which the labels are a sample of: the scores less the disagreement of labels
    /// within items.
    pub squared_errors: Vec<SquaredError>,
    /// Mean disagreement of two labels of an item, in units of the squared error; no prediction scores below it.
    pub disagreement: Estimable,
    /// Whether the belief that the study holds is as sure as labels allow; `None` in results of versions that did not
    /// check it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belief_check: Option<BeliefCheck>,
    /// The judge's likeliest class (its predicted mean, on a scale) against labels, from low to high predictions.
    pub calibration: Vec<CalibrationPoint>,
    /// Mean of labels less predictions: below 0 the judge states too much.
    pub calibration_in_the_large: Estimable,
    /// What further labels of an item do for its prediction; `None` where that can't be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_gain: Option<LabelGain>,
}

/// A mean score over items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeanScore {
    /// `base_rate`, `judge`, or a belief.
    pub prediction: String,
    /// What it knows of the item.
    pub given: Given,
    /// The score.
    pub score: Score,
    /// Its mean over items, each with the mean over its labels.
    pub mean: Estimable,
}

/// Two predictions on the same labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreComparison {
    /// The first.
    pub prediction: String,
    /// What it knows.
    pub given: Given,
    /// What it is compared with.
    pub than: String,
    /// What that knows.
    pub than_given: Given,
    /// The score.
    pub score: Score,
    /// How much lower the first one's score is, paired over items: above 0 it is better.
    pub advantage: Estimable,
}

/// A squared error against the pool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SquaredError {
    /// The prediction.
    pub prediction: String,
    /// What it knows.
    pub given: Given,
    /// Unbiased, so it may be below 0; over items with two labels or more.
    pub mean: Estimable,
}

/// What the other labels of an item do for the prediction of one of them, by squared errors against the pool; of items
/// with two labels or more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LabelGain {
    /// Squared error of the study's belief before any label of the item.
    pub without: f64,
    /// By how much the item's other labels lower it.
    pub fall: f64,
    /// 95% interval of the fall for new items by the same annotators, paired over items as differences of scores are.
    pub interval: Interval,
}

impl LabelGain {
    /// Whether further labels are shown to help.
    pub fn helps(&self) -> bool {
        self.interval.lo > 0.0 && !self.hardly_helps()
    }

    /// Whether it is shown that less than a tenth of the error goes.
    pub fn hardly_helps(&self) -> bool {
        self.interval.hi < 0.1 * self.without.max(0.0)
    }
}

impl HeldOutReport {
    /// Scores judge and beliefs on the labels of a study; items that a registration excludes are left out.
    pub fn new(study: &Study, decomposition: &Decomposition) -> OrReason<Self> {
        let labelled: Vec<usize> = (0..study.len()).filter(|i| decomposition.numbers[*i] > 0).collect();
        if labelled.len() < LEAST_ITEMS {
            return OrReason::not(format!(
                "they need {LEAST_ITEMS} labelled items, and there are {}; have {} more labelled once",
                labelled.len(),
                LEAST_ITEMS - labelled.len()
            ));
        }
        match ScoredItems::new(study, decomposition, &labelled) {
            Ok(scores) => OrReason::Found(scores.report(study, labelled.len())),
            Err(error) => OrReason::not(format!("a belief can't be fitted without a tenth of the items: {error}")),
        }
    }
}

/// Scores of a study's labelled items, or of a sample of them.
pub struct ScoredItems {
    /// Positions of the items, in the order of all scores here.
    pub kept: Vec<usize>,
    /// The fold of each.
    pub folds: Vec<usize>,
    /// How the items were chosen, and which form a cluster.
    pub chosen: ItemSampling,
    /// The study's own labels and judge.
    pub pool: LabelPool,
    /// The belief that the study holds.
    pub own: String,
    /// The scores of every prediction.
    pub table: ScoreTable,
    /// What each belief predicted of the items before their labels, by its name.
    pub(crate) believed: BTreeMap<String, Vec<Vec<f64>>>,
    /// What each belief foresees of its error of every item.
    pub(crate) foreseen: BTreeMap<Prediction, Vec<Option<Foreseen>>>,
    /// How much of every item's labels lies where each belief expects them.
    pub(crate) within: BTreeMap<String, [ItemScores; 2]>,
}

/// So many of the items in their order, drawn at random.
fn sample(items: &[usize], stream: &mut judge_uncertainty_core::random::Stream) -> Vec<usize> {
    let mut drawn = items.to_vec();
    for k in 0..MOST_ITEMS.min(items.len()) {
        let other = k + stream.choice((items.len() - k) as u32) as usize;
        drawn.swap(k, other);
    }
    drawn.truncate(MOST_ITEMS);
    drawn.sort_unstable();
    drawn
}

impl ScoredItems {
    /// Scores the base rate, the judge and every belief on the items at positions `labelled`, or on a sample of them.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn new(
        study: &Study,
        decomposition: &Decomposition,
        labelled: &[usize],
    ) -> Result<Self, judge_uncertainty_core::belief::FitError> {
        let mut stream = seeded(study.file.config.seed, FOLD_STREAM);
        let kept = if labelled.len() > MOST_ITEMS { sample(labelled, &mut stream) } else { labelled.to_vec() };
        let chosen = ItemSampling::new(study, &kept);
        let folds = folds(chosen.design.clusters(), &mut stream);
        Self::over(study, decomposition, kept, (&folds, chosen))
    }

    /// Held-out scores as [`Self::new`] has them, of the items at positions `kept`, each in its fold, chosen as it is
    /// said.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn over(
        study: &Study,
        decomposition: &Decomposition,
        kept: Vec<usize>,
        (folds, chosen): (&[usize], ItemSampling),
    ) -> Result<Self, judge_uncertainty_core::belief::FitError> {
        // A feature that none of these items has, or that is the same for all, tells nothing about them.
        let varies = |column: &FeatureColumn| {
            let mut known = column.values.iter().flatten();
            known.next().is_some_and(|first| known.any(|value| value != first))
        };
        let features: Vec<FeatureColumn> =
            decomposition.features.iter().map(|column| column.select(&kept)).filter(varies).collect();
        let (own, pools) = (name_of_own(study), beliefs(study, &kept));
        let scored: Vec<(String, &dyn Scored)> = pools.iter().map(|(name, pool)| (name.clone(), &**pool)).collect();
        let Scoring { table, believed, foreseen, within } = score(&scored, &features, folds)?;
        let pool = study.pool(&study.labels, &kept);
        Ok(Self { pool, kept, folds: folds.to_vec(), chosen, own: own.to_owned(), table, believed, foreseen, within })
    }

    pub(crate) fn is_judge(&self, prediction: &Prediction) -> bool {
        // No item may have the two labels that a prediction takes.
        let (Some(judge), Some(own)) = (self.table.get(&judge()), self.table.get(prediction)) else { return false };
        let same = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= SAME,
            (a, b) => a == b,
        };
        prediction.name != JUDGE && own.iter().all(|(score, values)| values.iter().zip(&judge[score]).all(same))
    }

    fn report(&self, study: &Study, labelled_items: usize) -> HeldOutReport {
        let (items, design) = (self.kept.len(), &self.chosen.design);
        let disagreement: ItemScores = (0..items).map(|i| self.pool.judged_item(i)?.disagreement).collect();
        let numbers = self.pool.all().numbers();
        let shown: Vec<&Prediction> = self.table.keys().filter(|prediction| !self.is_judge(prediction)).collect();
        let squared_errors: Vec<SquaredError> = shown
            .iter()
            .map(|prediction| {
                let score = &self.table[*prediction][&self.pool.squared()];
                SquaredError {
                    prediction: prediction.name.clone(),
                    given: prediction.given,
                    mean: possible(twice(mean_over_items(design, self.pool.squared(), &minus(score, &disagreement)))),
                }
            })
            .collect();
        let label_gain = self.label_gain(&squared_errors);
        let points: Vec<Option<(f64, f64)>> = (0..items).map(|i| self.pool.calibration(i)).collect();
        let gaps: ItemScores =
            points.iter().map(|point| point.map(|(predicted, observed)| observed - predicted)).collect();
        HeldOutReport {
            items,
            labelled_items,
            twice_labelled: numbers.iter().filter(|n| **n > 1).count(),
            labels: numbers.iter().map(|n| u64::from(*n)).sum(),
            own: self.own.clone(),
            chosen: self.chosen.words.clone(),
            scores: shown
                .iter()
                .flat_map(|prediction| mean_scores(design, prediction, &self.table[*prediction]))
                .collect(),
            comparisons: self.comparisons(&shown),
            squared_errors,
            // Of two labels of a class a share disagrees.
            disagreement: twice(match self.pool.squared() {
                Score::Brier => design.estimate(&Ask::share(&disagreement)),
                score => mean_over_items(design, score, &disagreement),
            }),
            belief_check: Some(BeliefCheck::new(study, self)),
            calibration: curve(design, &points, |values| match self.pool.squared() == Score::Brier {
                true => design.estimate(&Ask::share(values)),
                false => design.estimate(&Ask::mean(values)),
            }),
            calibration_in_the_large: design.estimate(&Ask::mean(&gaps)),
            label_gain,
        }
    }

    /// The squared error of the study's belief without any label of the item less the one with its other labels.
    fn label_gain(&self, squared_errors: &[SquaredError]) -> Option<LabelGain> {
        let of = |given| Prediction { name: self.own.clone(), given };
        let is_shown = |one: &&SquaredError| one.prediction == self.own && one.given == Given::NoLabel;
        // A belief that takes the prediction as it is has the judge's error, and none of its own.
        let before = if squared_errors.iter().any(|one| is_shown(&one)) { of(Given::NoLabel) } else { judge() };
        let without = squared_errors.iter().find(|one| (&one.prediction, one.given) == (&before.name, before.given));
        let scores = |prediction| self.table.get(prediction).map(|scores| &scores[&self.pool.squared()]);
        let falls = advantage(&self.chosen.design, [scores(&before)?, scores(&of(Given::OtherLabels))?], true);
        let (without, fall) = (without?.mean.estimate()?.value, falls.estimate()?);
        Some(LabelGain { without, fall: fall.value, interval: Interval { lo: fall.lo, hi: fall.hi } })
    }

    /// Every prediction against the judge and against the other beliefs that know as much, and the judge against the
    /// base rate.
    fn comparisons(&self, shown: &[&Prediction]) -> Vec<ScoreComparison> {
        let is_belief = |prediction: &Prediction| prediction.name != JUDGE && prediction.name != BASE_RATE;
        let mut pairs = vec![(judge(), Prediction { name: BASE_RATE.to_owned(), given: Given::NoLabel })];
        for (k, one) in shown.iter().enumerate().filter(|(_, one)| is_belief(one)) {
            pairs.push(((*one).clone(), judge()));
            let others = shown[..k].iter().filter(|other| is_belief(other) && other.given == one.given);
            pairs.extend(others.map(|other| ((*one).clone(), (*other).clone())));
        }
        let mut comparisons = vec![];
        for (one, other) in pairs {
            let near = self.too_near(&one, &other);
            for score in self.pool.scores().iter().filter(|score| **score != Score::Coverage) {
                let scores = [&self.table[&other][score], &self.table[&one][score]];
                let found = advantage(&self.chosen.design, scores, is_belief(&one));
                comparisons.push(ScoreComparison {
                    prediction: one.name.clone(),
                    given: one.given,
                    than: other.name.clone(),
                    than_given: other.given,
                    score: *score,
                    advantage: match (&near, found) {
                        (Some(near), Estimable::Estimated(_)) => Estimable::not(near),
                        (_, found) => found,
                    },
                });
            }
        }
        comparisons
    }

    /// Why a belief before any label of an item can't be told from the judge, or from another belief; `None` where it
    /// can.
    ///
    /// Fits that scatter around no difference make their held-out advantage a degenerate U-statistic (Hoeffding 1948):
    /// it is then about a square less its expectation, no normal mean, and its interval too low whatever the standard
    /// error. With the logs of the two predictions apart by a_ik, what the labels are expected to say of them is sum_i
    /// sum_k b_ik a_ik, half of that square; below 1 (a likelihood ratio of e on all labels) it is the size of noise.
    fn too_near(&self, one: &Prediction, other: &Prediction) -> Option<String> {
        let shares = |name: &str, i: usize| match name {
            JUDGE => Some(self.pool.judged_item(i)?.predicted),
            name => Some(self.believed.get(name)?[i].clone()),
        };
        let before_labels = one.given == Given::NoLabel && other.given == Given::NoLabel;
        if self.pool.squared() != Score::Brier || one.name == JUDGE || !before_labels {
            return None;
        }
        let expected = |i: usize| {
            let (own, other) = (shares(&one.name, i)?, shares(&other.name, i)?);
            Some(own.iter().zip(other).filter(|(b, _)| **b > 0.0).map(|(b, q)| b * (b / q).ln()).sum::<f64>())
        };
        let apart: ItemScores = (0..self.kept.len()).map(expected).collect();
        let weighted = self.chosen.design.weights().iter().filter(|weight| **weight > 0.0).count() as f64;
        let found = weighted * self.chosen.design.plain_mean(&apart)?;
        (found < LEAST_APART).then(|| {
            format!(
                "the two are so alike that all labels are expected to gain {found:.2} in log likelihood by one of \
                 them, and telling them apart takes {LEAST_APART}"
            )
        })
    }
}

fn judge() -> Prediction {
    Prediction { name: JUDGE.to_owned(), given: Given::NoLabel }
}

/// How much lower the scores of one prediction are than those of another; `fitted` where a belief is among them.
pub(crate) fn advantage(design: &Design, [than, one]: [&ItemScores; 2], fitted: bool) -> Estimable {
    let differences = minus(than, one);
    let mut known = differences.iter().flatten().peekable();
    if known.peek().is_some() && known.all(|difference| difference.abs() <= SAME) {
        return Estimable::not("the two predict the same");
    }
    design.estimate(&Ask::difference(&differences, fitted))
}

/// The beginning of the reason for not estimating a squared error when the labels put it below 0.
pub const SHARED_NOISE: &str =
    "the prediction is nearer to labels than independent labels of the pool are to each other";

/// A squared error, unless labels say that it is below 0.
pub(crate) fn possible(found: Estimable) -> Estimable {
    match found.estimate().filter(|found| found.hi < 0.0) {
        Some(below) => Estimable::not(format!(
            "{SHARED_NOISE} ({:.3} [{:.3}, {:.3}], where a squared error is not below 0): a sign of noise that both \
             share, as of a judge made from the same annotators, or of few annotators with habits of their own",
            below.value, below.lo, below.hi
        )),
        None => found,
    }
}

/// Says that it takes items with two labels where it does.
fn twice(found: Estimable) -> Estimable {
    match found.reason() {
        Some(reason) if reason.starts_with("there ") => Estimable::not(format!(
            "it takes items with two labels or more: single labels do not tell a wrong prediction from experts who \
             disagree ({reason})"
        )),
        _ => found,
    }
}

fn mean_scores(design: &Design, prediction: &Prediction, scores: &BTreeMap<Score, ItemScores>) -> Vec<MeanScore> {
    let of = |(score, values): (&Score, &ItemScores)| MeanScore {
        prediction: prediction.name.clone(),
        given: prediction.given,
        score: *score,
        mean: mean_over_items(design, *score, values),
    };
    scores.iter().map(of).collect()
}

/// The mean of a score with the interval that suits how it varies over items.
fn mean_over_items(design: &Design, score: Score, values: &ItemScores) -> Estimable {
    match score {
        Score::Coverage => design.estimate(&Ask::share(values)),
        _ => design.estimate(&Ask::mean(values)),
    }
}

/// Differences of the items that have both.
pub fn minus(a: &ItemScores, b: &ItemScores) -> ItemScores {
    a.iter().zip(b).map(|(a, b)| Some((*a)? - (*b)?)).collect()
}

// Predictions against labels: points of a calibration curve.

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

    /// Labels that are nearer to the prediction than to each other on every item.
    #[test]
    fn an_impossible_squared_error_is_called_what_it_is() {
        let values: Vec<Option<f64>> = (0..40).map(|i| Some(-0.12 - 0.001 * f64::from(i % 7))).collect();
        let found = possible(Design::random((0..40).collect()).estimate(&Ask::mean(&values)));
        assert!(found.estimate().is_none() && found.reason().unwrap().contains("noise that both share"), "{found:?}");
    }

    #[test]
    fn differences_take_items_that_have_both() {
        let both = minus(&vec![Some(3.0), None, Some(1.0)], &vec![Some(1.0), Some(1.0), None]);
        assert_eq!(both, [Some(2.0), None, None]);
    }
}

#[cfg(test)]
mod tests_of_calibration {
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

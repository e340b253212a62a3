//! Whether a belief is as sure as labels allow: the error that it foresees against the one that labels show.

use serde::{Deserialize, Serialize};

use crate::evaluate::held_out::{ScoredItems, minus, possible};
use crate::evaluate::reliability::{CalibrationPoint, curve_by, largest_groups};
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::belief::Belief;
use judge_uncertainty_core::stats::estimator::LEAST_ITEMS;
use judge_uncertainty_core::stats::estimator::{Ask, Design};
use judge_uncertainty_core::stats::{Estimable, ranks};
use judge_uncertainty_evaluation::held_out::{Foreseen, Given, ItemScores, LEVELS, Prediction, Scored};

/// A belief's foreseen error against labels that it has not seen.
///
/// The belief foresees v, the expected squared error of its mean against the pool. Of an item with two labels or more
/// the squared error is had without bias: the score of the mean on a label less the disagreement of labels,
///
/// ```text
/// e = mean over labels y of |y - m|^2 - mean over pairs of labels of |y - y'|^2 / 2,      E[e] = |m - p|^2
/// ```
///
/// (y a unit vector for classes), m being fitted to the labels of other items. Intervals are central 95% ones for new
/// items, each on its own, the fit taken as given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BeliefCheck {
    /// The belief, as among the scores.
    pub belief: String,
    /// What follows.
    pub verdict: BeliefVerdict,
    /// Of all items, before their labels.
    pub before_labels: CheckedError,
    /// Of all items, after their other labels.
    pub after_labels: CheckedError,
    /// Of each group of items, before their labels; none of a single group.
    pub groups: Vec<CheckedError>,
    /// Groups that are not among them, the smallest.
    pub groups_left_out: usize,
    /// How many items have labels where the belief expects them, before any.
    pub within: Vec<Within>,
    /// A belief that labels do not contradict, where they contradict this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<Instead>,
}

/// What labels say of a belief's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BeliefVerdict {
    /// It errs by more than it foresees.
    TooSure,
    /// It errs by less.
    TooUnsure,
    /// Labels do not contradict it.
    NotContradicted,
    /// They can't tell.
    NotEstimable,
}

/// The error that a belief foresees, and the one that labels show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedError {
    /// The group of items; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Items with two labels or more.
    pub items: usize,
    /// Mean v over these.
    pub foreseen: Option<f64>,
    /// Mean squared error that labels show, without bias; below 0 by chance.
    pub found: Estimable,
    /// The second less the first: above 0 the belief is too sure.
    pub beyond: Estimable,
    /// Mean disagreement of two labels that the belief foresees.
    pub disagreement_foreseen: Option<f64>,
    /// Mean disagreement that labels show.
    pub disagreement: Estimable,
    /// Both errors by tenths of all items, those with the smallest v in their fold first, as far as an interval takes
    /// so few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tenths: Vec<CalibrationPoint>,
    /// How many of these items have labels where the belief expects them; told of groups, before their labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Within>,
    /// The error that labels show as a line over v, (at 0, per unit), neither below 0; `None` without an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<[f64; 2]>,
}

/// Labels in a central interval of what the belief foresees of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Within {
    /// Probability of the interval.
    pub level: f64,
    /// Share of items whose labels lie in it; a count that covers an end of the interval counts by the part inside
    /// ([`judge_uncertainty_core::stats::predictive::count_within`]).
    pub share: Estimable,
    /// That share by tenths of the items with two labels or more, as the errors are; none of a group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tenths: Vec<CalibrationPoint>,
}

/// A belief that labels do not contradict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instead {
    /// The belief.
    pub belief: String,
    /// The error that it foresees before labels.
    pub foreseen: f64,
    /// The one that labels show.
    pub found: f64,
}

/// What is checked of one belief given the same labels, item by item.
struct Checked<'a> {
    foreseen: &'a [Option<Foreseen>],
    /// Squared error that labels show.
    found: ItemScores,
    disagreement: &'a ItemScores,
    design: &'a Design,
    /// The fold of each item.
    folds: &'a [usize],
}

impl CheckedError {
    fn new(checked: &Checked<'_>, group: Option<String>, items: &[usize]) -> Self {
        let mut both = vec![None; checked.found.len()];
        for &i in items {
            both[i] = checked.foreseen[i].and_then(|foreseen| Some((foreseen, checked.found[i]?)));
        }
        let of =
            |f: &dyn Fn(&(Foreseen, f64)) -> f64| both.iter().map(|one| one.as_ref().map(f)).collect::<ItemScores>();
        let (design, pairs) = (checked.design, both.iter().map(|one| one.map(|(of, found)| (of.error, found))));
        let pairs: Vec<Option<(f64, f64)>> = pairs.collect();
        let found = possible(design.estimate(&Ask::mean(&of(&|(_, found)| *found))));
        let beyond = match found.reason() {
            // What is no error is none beyond the foreseen one.
            Some(_) => found.clone(),
            None => design.estimate(&Ask::mean(&of(&|(foreseen, found)| found - foreseen.error))),
        };
        let apart: ItemScores = both.iter().zip(checked.disagreement).map(|(one, apart)| one.and(*apart)).collect();
        Self {
            group,
            items: both.iter().flatten().count(),
            foreseen: design.plain_mean(&of(&|(foreseen, _)| foreseen.error)),
            beyond: twice(beyond),
            disagreement_foreseen: design.plain_mean(&of(&|(foreseen, _)| foreseen.disagreement)),
            disagreement: twice(design.estimate(&Ask::mean(&apart))),
            tenths: match found.estimate() {
                Some(_) => curve_by(design, &places(checked.folds, &pairs), &pairs, |values| {
                    design.estimate(&Ask::mean(values))
                }),
                None => vec![],
            },
            within: vec![],
            line: found.estimate().and_then(|_| line(&pairs, &design.weights())),
            found: twice(found),
        }
    }

    /// Whether labels show more (1) or less (-1) than the belief foresees; 0 where they do not contradict it.
    pub fn contradicted(&self) -> i32 {
        self.beyond.estimate().map_or(0, |beyond| i32::from(beyond.lo > 0.0) - i32::from(beyond.hi < 0.0))
    }
}

/// Place of each item by v among those of its fold, from 0 to 1.
///
/// Each fold has a fit of its own. Where its labels lie where they are expected, the fit without them foresees more, so
/// that by v itself such items would be taken for those of the largest.
fn places(folds: &[usize], pairs: &[Option<(f64, f64)>]) -> Vec<f64> {
    let mut places = vec![f64::NAN; pairs.len()];
    let count = folds.iter().max().map_or(0, |last| last + 1);
    for fold in 0..count {
        // Folds differ a little at equal ranks, so that tenths end between items.
        let within = (fold as f64 + 0.5) / count as f64;
        let own: Vec<usize> = (0..pairs.len()).filter(|&i| folds[i] == fold && pairs[i].is_some()).collect();
        let v: Vec<f64> = own.iter().filter_map(|&i| Some(pairs[i]?.0)).collect();
        own.iter().zip(ranks(&v)).for_each(|(&i, rank)| places[i] = (rank - 1.0 + within) / v.len() as f64);
    }
    places
}

/// Weighted least squares of the error found on v, the intercept and the slope not below 0, so that the mean over the
/// items is that of the error found; `None` where that is not above 0.
fn line(pairs: &[Option<(f64, f64)>], weights: &[f64]) -> Option<[f64; 2]> {
    let known: Vec<(f64, f64, f64)> =
        pairs.iter().zip(weights).filter_map(|(pair, &w)| pair.map(|(x, y)| (w, x, y))).collect();
    let all: f64 = known.iter().map(|(w, ..)| w).sum();
    let over = |f: &dyn Fn(f64, f64) -> f64| known.iter().map(|&(w, x, y)| w * f(x, y)).sum::<f64>() / all;
    let (x, y) = (over(&|x, _| x), over(&|_, y| y));
    if !(y > 0.0 && x > 0.0) {
        return None;
    }
    let (square, product) = (over(&|a, _| (a - x) * (a - x)), over(&|a, b| (a - x) * (b - y)));
    let slope = if square > 0.0 { (product / square).clamp(0.0, y / x) } else { y / x };
    Some([y - slope * x, slope])
}

fn twice(found: Estimable) -> Estimable {
    match found.reason() {
        Some(reason) if found.described().is_none() => {
            Estimable::not(format!("it takes {} items with two labels or more ({reason})", LEAST_ITEMS))
        }
        _ => found,
    }
}

impl BeliefCheck {
    /// Checks the belief that a study holds on the scores of its labels.
    pub(crate) fn new<K: Kind>(study: &Study<K>, scores: &ScoredItems<K>) -> Self {
        let items = scores.kept.len();
        let disagreement: ItemScores = (0..items).map(|i| scores.pool.judged_item(i)?.disagreement).collect();
        let all: Vec<usize> = (0..items).collect();
        let checked = |name: &str, given: Given| -> Option<Checked<'_>> {
            let prediction = Prediction { name: name.to_owned(), given };
            let found = match scores.table.get(&prediction) {
                Some(scored) => minus(&scored[&K::Pool::SQUARED], &disagreement),
                // No item has another label.
                None => vec![None; items],
            };
            let (foreseen, design) = (scores.foreseen.get(&prediction)?, &scores.chosen.design);
            Some(Checked { foreseen, found, disagreement: &disagreement, design, folds: &scores.folds })
        };
        let of_all = |name: &str| {
            let given = |given: Given| Some(CheckedError::new(&checked(name, given)?, None, &all));
            Some([given(Given::NoLabel)?, given(Given::OtherLabels)?])
        };
        let own = scores.own.as_str();
        let [before_labels, after_labels] = of_all(own).expect("the study's own belief is scored");
        let verdict = BeliefVerdict::new(&before_labels, &after_labels, study.labels.few_annotators());
        let (groups, groups_left_out) = largest_groups(study, &scores.kept);
        let before = checked(own, Given::NoLabel).expect("the study's own belief is scored");
        let instead = |name: &String| {
            let [before, after] = of_all(name)?;
            let (foreseen, found) = (before.foreseen?, before.found.estimate()?.value);
            let held = BeliefVerdict::new(&before, &after, false) == BeliefVerdict::NotContradicted;
            held.then(|| Instead { belief: name.clone(), foreseen, found })
        };
        let others = scores.within.keys().filter(|name| *name != own && verdict == BeliefVerdict::TooSure);
        let design = &scores.chosen.design;
        let within = |items: Option<&[usize]>| {
            let of = |(level, values): (f64, &ItemScores)| {
                let Some(items) = items else {
                    // The tenths of the errors: of the same items.
                    let point = |i: usize| before.found[i].and(before.foreseen[i]).map(|of| of.error).zip(values[i]);
                    let points: Vec<Option<(f64, f64)>> = (0..values.len()).map(point).collect();
                    let tenths = if before_labels.tenths.is_empty() {
                        vec![]
                    } else {
                        curve_by(design, &places(&scores.folds, &points), &points, |of| {
                            design.estimate(&Ask::share(of))
                        })
                    };
                    return Within { level, share: design.estimate(&Ask::share(values)), tenths };
                };
                let mut own = vec![None; values.len()];
                items.iter().for_each(|&i| own[i] = values[i]);
                Within { level, share: design.estimate(&Ask::share(&own)), tenths: vec![] }
            };
            LEVELS.into_iter().zip(&scores.within[own]).map(of).collect::<Vec<_>>()
        };
        let of_group = |(group, items): (String, Vec<usize>)| {
            let errors = CheckedError::new(&before, Some(group), &items);
            CheckedError { within: within(Some(&items)), ..errors }
        };
        Self {
            verdict,
            instead: others.filter_map(instead).min_by(|a, b| a.found.total_cmp(&b.found)),
            groups: groups.into_iter().map(of_group).collect(),
            groups_left_out,
            within: within(None),
            belief: own.to_owned(),
            before_labels,
            after_labels,
        }
    }

    /// How many times the error that the belief foresees labels show, where they show more; `None` where they don't.
    pub fn times_foreseen(&self) -> Option<f64> {
        let shown = [&self.before_labels, &self.after_labels].into_iter().find(|of| of.contradicted() > 0)?;
        Some(shown.found.estimate()?.value / shown.foreseen.filter(|foreseen| *foreseen > 0.0)?)
    }

    /// What labels say of the error of a belief, item by item.
    pub(crate) fn checked(&self) -> Option<CheckedBelief> {
        let ratio = |of: &CheckedError| {
            let (found, foreseen) = (of.disagreement.estimate()?.value, of.disagreement_foreseen?);
            (foreseen > 0.0).then_some(found / foreseen)
        };
        // An error that may be 0 is not determined, and what is foreseen stands.
        let line = |of: &CheckedError| {
            let known = of.found.estimate().filter(|found| found.lo > 0.0);
            known.and(of.line)
        };
        Some(CheckedBelief {
            before: line(&self.before_labels)?,
            after: line(&self.after_labels).or(line(&self.before_labels))?,
            disagreement: ratio(&self.before_labels)?,
        })
    }
}

impl BeliefVerdict {
    /// Of the error before and after other labels. Labels of `few` annotators, each with habits of their own, disagree
    /// by more than labels of everybody would, so that the error shown is too small: that says nothing of a belief that
    /// foresees more.
    fn new(before: &CheckedError, after: &CheckedError, few: bool) -> Self {
        match (before.contradicted(), after.contradicted()) {
            (1, _) | (_, 1) => Self::TooSure,
            _ if before.beyond.estimate().is_none() => Self::NotEstimable,
            (-1, _) | (_, -1) if !few => Self::TooUnsure,
            _ => Self::NotContradicted,
        }
    }
}

/// What labels make of the errors that a belief foresees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CheckedBelief {
    /// The error as a line over v, for items without labels.
    before: [f64; 2],
    /// For items with labels.
    after: [f64; 2],
    /// By how much two labels disagree more than foreseen.
    disagreement: f64,
}

impl CheckedBelief {
    /// How many times the foreseen error of an item's mean the one is that comes of `k` further labels, if these weigh
    /// as the belief has it.
    ///
    /// With v the foreseen error now, A the one that labels show, e the evidence, D = v e the foreseen disagreement of
    /// labels and r how many times that they disagree, the mean moves by k/(e + k) towards the labels' mean, and leaves
    /// A (e/(e + k))^2 + r D k/(e + k)^2, where v e/(e + k) is foreseen: (A/v e + r k)/(e + k) times as much.
    fn times_foreseen(&self, error: f64, evidence: f64, is_labelled: bool, k: u32) -> f64 {
        let [at_zero, slope] = if is_labelled { self.after } else { self.before };
        let (k, now) = (f64::from(k), at_zero / error + slope);
        (now * evidence + self.disagreement * k) / (evidence + k)
    }

    /// The error of an item that labels show, and after `k` further labels what they make of the foreseen one.
    pub(crate) fn error_after(&self, belief: &dyn Belief, is_labelled: bool, k: u32) -> f64 {
        let spread = belief.spread();
        match spread > 0.0 {
            true => self.times_foreseen(spread, belief.evidence(), is_labelled, k) * belief.spread_after(k),
            false => belief.spread_after(k),
        }
    }

    /// By how much a label of an item lowers the error that labels show.
    pub(crate) fn label_value(&self, belief: &dyn Belief, is_labelled: bool) -> f64 {
        self.error_after(belief, is_labelled, 0) - self.error_after(belief, is_labelled, 1)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::evaluate::held_out::HeldOutReport;
    use crate::{Classes, Decomposition};
    use judge_uncertainty_core::belief::BeliefTable;
    use judge_uncertainty_core::random::Stream;
    use judge_uncertainty_system::progress::Silent;

    /// The check of 150 items by a calibrated judge; `says` has what annotators 0 and 1 say of an item where it is so
    /// likely, and `judged` what the judge says where these are their labels.
    fn checked(
        says: impl Fn(usize, f64, &mut Stream) -> bool,
        judged: impl Fn(f64, [bool; 2]) -> f64,
        seed: u64,
    ) -> BeliefCheck {
        let (mut stream, folder) = (Stream::new(seed), tempfile::tempdir().unwrap());
        let (mut items, mut judge, mut labels) =
            ("id\n".to_owned(), "id,p_a,p_b\n".to_owned(), "id,annotator,label\n".to_owned());
        for i in 0..150 {
            let p = 0.1 + 0.8 * stream.random();
            let both = [0, 1].map(|who| says(who, p, &mut stream));
            let q = judged(p, both);
            items += &format!("i{i}\n");
            judge += &format!("i{i},{q},{}\n", 1.0 - q);
            for (who, says) in both.into_iter().enumerate() {
                labels += &format!("i{i},ann{who},{}\n", if says { "a" } else { "b" });
            }
        }
        let toml = "title = \"t\"\nclasses = [\"a\", \"b\"]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \
                    \"judge.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"labels.csv\"\nform = \
                    \"long\"\n[trust]\nbelief = \"published\"\n";
        for (name, text) in
            [("items.csv", &*items), ("judge.csv", &judge), ("labels.csv", &labels), ("study.toml", toml)]
        {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let study = Study::<Classes>::load(folder.path()).unwrap();
        let scores = HeldOutReport::new(&study, &Decomposition::new(&study, &Silent).unwrap());
        scores.found().unwrap().belief_check.clone().unwrap()
    }

    fn drawn(_: usize, p: f64, stream: &mut Stream) -> bool {
        stream.random() < p
    }

    /// A judge made from the labels: no belief is called unsure for an error that is none.
    #[test]
    fn shared_noise_is_no_verdict_on_the_belief() {
        let check = checked(drawn, |_, both| both.iter().fold(0.1, |q, says| q + 0.4 * f64::from(u8::from(*says))), 1);
        assert_eq!(check.verdict, BeliefVerdict::NotEstimable);
        let reason = check.before_labels.beyond.reason().unwrap();
        assert!(reason.contains("noise that both share"), "{reason}");
    }

    /// Where labels show what a belief foresees, a label is worth Delta.
    #[test]
    fn what_labels_bear_out_is_worth_delta() {
        let checked = CheckedBelief { before: [0.0, 1.0], after: [0.0, 1.0], disagreement: 1.0 };
        let table = judge_uncertainty_core::belief::Beliefs::new(ndarray::array![[1.0, 2.0, 30.0]]);
        let belief = table.get(0);
        let [value, delta] = [checked.label_value(&belief, false), belief.label_value()];
        assert!((value / delta - 1.0).abs() < 1e-6, "{value} for {delta}");
    }

    /// The value of a label is what a plan reckons with, and an item with labels is held to what labels show of those.
    #[test]
    fn a_queue_and_a_plan_reckon_alike() {
        let checked = CheckedBelief { before: [0.02, 1.5], after: [0.01, 0.5], disagreement: 1.2 };
        let table = judge_uncertainty_core::belief::Beliefs::new(ndarray::array![[2.0, 1.0, 0.5], [1.0, 2.0, 3.0]]);
        for (i, is_labelled) in [(0, false), (1, false), (0, true)] {
            let belief = table.get(i);
            let ([at_zero, slope], e) = (if is_labelled { [0.01, 0.5] } else { [0.02, 1.5] }, belief.evidence());
            let shown = at_zero + slope * belief.spread();
            let left = (shown * e * e + 1.2 * belief.spread() * e) / ((e + 1.0) * (e + 1.0));
            assert!((checked.label_value(&belief, is_labelled) - (shown - left)).abs() < 1e-12);
            assert!((checked.error_after(&belief, is_labelled, 1) - left).abs() < 1e-12);
        }
    }

    /// The fit without the second fold foresees a tenth more: among the largest are as many items of either fold.
    #[test]
    fn tenths_hold_items_of_all_folds_alike() {
        let folds: Vec<usize> = (0..40).map(|i| i % 2).collect();
        let v = |i: usize| 1.0 + 0.001 * i as f64 + if i % 2 == 1 { 0.1 } else { 0.0 };
        let pairs: Vec<Option<(f64, f64)>> = (0..40).map(|i| Some((v(i), 0.0))).collect();
        let places = places(&folds, &pairs);
        let largest: Vec<usize> = (0..40).filter(|&i| places[i] > 0.9).collect();
        assert_eq!(largest, [36, 37, 38, 39]);
    }

    /// Of every tenth and group it is told how many labels lie where they are expected.
    #[test]
    fn coverage_is_told_of_tenths() {
        let check = checked(drawn, |p, _| p, 3);
        let tenths = |of: &[CalibrationPoint]| of.iter().map(|point| point.items).collect::<Vec<_>>();
        assert!(check.within.iter().all(|one| tenths(&one.tenths) == tenths(&check.before_labels.tenths)));
        let points = &check.within[1].tenths;
        let mean = points.iter().map(|of| of.items as f64 * of.observed.estimate().unwrap().value).sum::<f64>() / 150.0;
        assert!(points.len() >= 5 && (mean - check.within[1].share.estimate().unwrap().value).abs() < 1e-9);
    }

    /// One annotator is strict and the other mild: their labels disagree by more than labels of everybody would, and
    /// the error that they show is too small.
    #[test]
    fn two_annotators_with_habits_do_not_make_a_belief_unsure() {
        let with_habit = |who: usize, p: f64, stream: &mut Stream| {
            let logit = (p / (1.0 - p)).ln() + if who == 0 { 1.5 } else { -1.5 };
            stream.random() < 1.0 / (1.0 + (-logit).exp())
        };
        let lower = |seed| {
            let check = checked(with_habit, |p, _| p, seed);
            assert_ne!(check.verdict, BeliefVerdict::TooUnsure, "{check:?}");
            usize::from(check.before_labels.found.estimate().is_none_or(|found| found.value < 0.0))
        };
        assert!((0..5).map(lower).sum::<usize>() >= 4);
    }
}

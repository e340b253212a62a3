//! Whether a belief is as sure as labels allow: the error that it foresees against the one that labels show.

use serde::{Deserialize, Serialize};

use crate::evaluate::held_out::{CalibrationPoint, curve_by, largest_groups};
use crate::evaluate::held_out::{ScoredItems, minus, possible};
use crate::model::study::Study;
use judge_uncertainty_core::stats::estimator::LEAST_ITEMS;
use judge_uncertainty_core::stats::estimator::{Ask, Design};
use judge_uncertainty_core::stats::{Estimable, ranks};
use judge_uncertainty_evaluation::held_out::{Foreseen, Given, ItemScores, LEVELS, Prediction};

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
    /// Both errors by tenths of all items, those with the smallest v in their fold first, as far as an interval takes
    /// so few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tenths: Vec<CalibrationPoint>,
    /// How many of these items have labels where the belief expects them; told of groups, before their labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Within>,
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
        Self {
            group,
            items: both.iter().flatten().count(),
            foreseen: design.plain_mean(&of(&|(foreseen, _)| foreseen.error)),
            beyond: twice(beyond),
            tenths: match found.estimate() {
                Some(_) => curve_by(design, &places(checked.folds, &pairs), &pairs, |values| {
                    design.estimate(&Ask::mean(values))
                }),
                None => vec![],
            },
            within: vec![],
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
    pub(crate) fn new(study: &Study, scores: &ScoredItems) -> Self {
        let items = scores.kept.len();
        let disagreement: ItemScores = (0..items).map(|i| scores.pool.judged_item(i)?.disagreement).collect();
        let all: Vec<usize> = (0..items).collect();
        let checked = |name: &str, given: Given| -> Option<Checked<'_>> {
            let prediction = Prediction { name: name.to_owned(), given };
            let found = match scores.table.get(&prediction) {
                Some(scored) => minus(&scored[&scores.pool.squared()], &disagreement),
                // No item has another label.
                None => vec![None; items],
            };
            let (foreseen, design) = (scores.foreseen.get(&prediction)?, &scores.chosen.design);
            Some(Checked { foreseen, found, design, folds: &scores.folds })
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Decomposition;
    use crate::evaluate::held_out::HeldOutReport;
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
        let study = Study::load(folder.path()).unwrap();
        let scores = HeldOutReport::new(&study, &Decomposition::new(&study, &Silent).unwrap());
        scores.found().unwrap().belief_check.clone().unwrap()
    }

    fn drawn(_: usize, p: f64, stream: &mut Stream) -> bool {
        stream.random() < p
    }

    /// A judge made from the labels: a belief is not called unsure because of noise that judge and labels share.
    #[test]
    fn shared_noise_is_no_verdict_on_the_belief() {
        let check = checked(drawn, |_, both| both.iter().fold(0.1, |q, says| q + 0.4 * f64::from(u8::from(*says))), 1);
        assert_eq!(check.verdict, BeliefVerdict::NotEstimable);
        let reason = check.before_labels.beyond.reason().unwrap();
        assert!(reason.contains("noise that both share"), "{reason}");
    }

    /// The fit without the second fold foresees a tenth more: each tenth still has items of both folds in equal
    /// numbers.
    #[test]
    fn tenths_hold_items_of_all_folds_alike() {
        let folds: Vec<usize> = (0..40).map(|i| i % 2).collect();
        let v = |i: usize| 1.0 + 0.001 * i as f64 + if i % 2 == 1 { 0.1 } else { 0.0 };
        let pairs: Vec<Option<(f64, f64)>> = (0..40).map(|i| Some((v(i), 0.0))).collect();
        let places = places(&folds, &pairs);
        let largest: Vec<usize> = (0..40).filter(|&i| places[i] > 0.9).collect();
        assert_eq!(largest, [36, 37, 38, 39]);
    }

    /// For every tenth and group, the check reports how many labels lie within their expected interval.
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

//! Whether the judge can be trusted: how often it agrees with a person, by how much it errs to one side, whether its
//! confidence is honest, and where it is weakest. The rate, or mean, of people's answers over all rows, corrected for
//! the judge's errors.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde::Serialize;

use super::ratings::{Ratings, Statistic};
use crate::input::items::Grouping;
use crate::model::chosen::ItemSampling;
use crate::model::study::Study;
use judge_uncertainty_core::stats::estimator::{Ask, Design, Growth, Help};
use judge_uncertainty_core::stats::quantile::percentiles;
use judge_uncertainty_core::stats::{Estimable, ItemEstimate, mean};

/// Labelled rows that a group, or half of the rows, needs before something is said of it.
pub const LEAST_IN_GROUP: usize = 10;
/// A judge that does worse than a person by less than this part of the scale does as well.
pub const NEAR: f64 = 0.05;

/// What the labels show of the judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trust {
    /// What the labels allow to say.
    pub verdict: TrustVerdict,
    /// Share of people's answers that the judge agrees with; of numbers, how far it is from a person on average.
    pub agreement: Estimable,
    /// The constant answer that agrees with people most, and how well it does.
    pub base: (String, Estimable),
    /// By how much the judge does better than that answer.
    pub over_base: Estimable,
    /// How often two people agree (how far they are apart), over rows that several labelled.
    pub between_people: Estimable,
    /// By how much the judge does better on these rows than another person.
    pub over_people: Estimable,
    /// Agreement beyond chance: Cohen's kappa, of numbers with quadratic weights.
    pub kappa: Estimable,
    /// For each class, in order: how often the judge gives it where a person does (recall; for two classes sensitivity
    /// and specificity), and how often a person gives it where the judge does (precision). Empty if answers are
    /// numbers.
    pub by_class: Vec<OfClass>,
    /// By how much more the judge gives each answer than people do; of numbers, by how much it is higher.
    pub bias: Vec<(String, Estimable)>,
    /// Its stated confidence; `None` where it states none.
    pub confidence: Option<Confidence>,
    /// Agreement by group.
    pub groups: Vec<GroupTrust>,
    /// What its bias depends on.
    pub covariates: Vec<Covariate>,
}

/// What can be said of the judge. Each needs an interval that excludes the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustVerdict {
    /// No label says anything.
    NoLabels,
    /// The labels are too few.
    TooFew,
    /// The labelled rows are not like the others, so they say nothing of all rows.
    Unlike,
    /// It is a constant answer.
    Constant,
    /// A constant answer does better.
    WorseThanConstant,
    /// Not told apart from a constant answer.
    LikeConstant,
    /// Better than a constant answer, and worse than another person.
    WorseThanPerson,
    /// Better than a constant answer; whether it does as well as another person is open.
    OpenToPerson,
    /// Better than a constant answer, and as good as another person to within [`NEAR`].
    LikePerson,
    /// Better than a constant answer, and than another person.
    BetterThanPerson,
    /// Better than a constant answer; no rows tell how well people agree.
    BetterThanConstant,
}

/// A judge's stated confidence against its agreement with people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Confidence {
    /// Mean confidence less agreement, where confidence is a probability; its interval tells over- from
    /// under-confident.
    pub excess: Option<Estimable>,
    /// Agreement on rows of confidence above `median` less that on the others.
    pub informs: Estimable,
    /// The median of confidence, or the highest value below it if none is above it.
    pub median: f64,
    /// The confidence that stands for certainty, 1 or 100; `None` where it is not a probability of being right.
    pub certain: Option<f64>,
    /// Rows of similar confidence, ascending.
    pub bins: Vec<ConfidenceBin>,
}

/// Rows for which the judge states similar confidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfidenceBin {
    /// Its mean confidence.
    pub stated: f64,
    /// Its rows.
    pub rows: usize,
    /// Those of them that are labelled.
    pub labelled: usize,
    /// How often the judge agrees with a person there (for numbers, how far it is from one); the intervals of all bins hold
    /// together.
    pub agreement: Estimable,
}

/// Agreement in a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupTrust {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// Those of them that are labelled.
    pub labelled: usize,
    /// Agreement (distance) within it; the intervals of all groups hold together.
    pub agreement: Estimable,
    /// By how much the judge does better there than elsewhere; the intervals of all groups hold together.
    pub over_others: Estimable,
}

/// How the judge's bias differs between rows with a high and with a low value of something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Covariate {
    /// What it is.
    pub name: String,
    /// Its median over all rows, which divides them; the highest value below it if none is above it.
    pub median: f64,
    /// Bias above `median` less bias elsewhere; the intervals of all covariates hold together.
    pub difference: Estimable,
}

impl Trust {
    /// Compares the judge with people; `rates` are those of [`rates`].
    pub fn new(sample: &Sample<'_>, rates: &[Rate]) -> Self {
        let rows = sample.ratings;
        let classes = rows.scale.nominal().is_some();
        let good = |miss: f64| if classes { 1.0 - miss } else { miss };
        let miss = |row: usize| Some(rows.judge_miss(row));
        let constant = best_constant(sample);
        let over_base = over_base(sample, constant);
        let over = sample.values(|row| Some(rows.between(row)? - rows.judge_miss(row)));
        let of_pairs = |found: Estimable| rows.unlike_pairs.clone().map_or(found, Estimable::not);
        let over_people = of_pairs(sample.design.estimate(&ask(rows, &over, Values::Differences)));
        let labelled = sample.labelled.len();
        Self {
            verdict: match sample.design.reason() {
                _ if labelled == 0 => TrustVerdict::NoLabels,
                Some(_) if labelled >= LEAST_IN_GROUP => TrustVerdict::Unlike,
                Some(_) => TrustVerdict::TooFew,
                None if is_constant(rows, constant) && labelled > 0 => TrustVerdict::Constant,
                None => verdict(
                    labelled,
                    &over_base,
                    &over_people,
                    NEAR * if classes { 1.0 } else { rows.scale.range().1 - rows.scale.range().0 },
                ),
            },
            agreement: agreement(sample),
            base: (
                rows.scale.text(constant).into_owned(),
                of_best(sample, &|row| Some(good(rows.miss(row, constant)))),
            ),
            between_people: of_pairs(share(sample, &|row| rows.between(row).map(good))),
            over_base,
            over_people,
            kappa: kappa_after(sample)(0),
            by_class: by_class(sample),
            bias: bias(sample, rates),
            confidence: confidence(sample),
            groups: groups(sample, &|row| miss(row).map(good)),
            covariates: covariates(sample),
        }
    }

    /// The group in which the judge does worst, if its interval leaves no doubt that it does worse there than
    /// elsewhere.
    pub fn weakest(&self) -> Option<&GroupTrust> {
        let worse = |group: &&GroupTrust| group.over_others.estimate().is_some_and(|found| found.hi < 0.0);
        let value = |group: &GroupTrust| group.over_others.estimate().map_or(0.0, |found| found.value);
        self.groups.iter().filter(worse).min_by(|a, b| value(a).total_cmp(&value(b)))
    }
}

fn verdict(labelled: usize, over_base: &Estimable, over_people: &Estimable, near: f64) -> TrustVerdict {
    let side = |found: &ItemEstimate| i8::from(found.lo > 0.0) - i8::from(found.hi < 0.0);
    match (labelled, over_base.estimate().map(side), over_people.estimate().map(side)) {
        (0, ..) => TrustVerdict::NoLabels,
        (_, None, _) => TrustVerdict::TooFew,
        (_, Some(-1), _) => TrustVerdict::WorseThanConstant,
        (_, Some(0), _) => TrustVerdict::LikeConstant,
        (_, _, None) => TrustVerdict::BetterThanConstant,
        (_, _, Some(-1)) => TrustVerdict::WorseThanPerson,
        (_, _, Some(1)) => TrustVerdict::BetterThanPerson,
        _ if over_people.estimate().is_some_and(|found| found.lo > -near) => TrustVerdict::LikePerson,
        _ => TrustVerdict::OpenToPerson,
    }
}

/// The labelled items of a study with how they were chosen.
#[derive(Debug)]
pub struct Sample<'r> {
    /// All items.
    pub ratings: &'r Ratings,
    /// The labelled ones.
    pub labelled: Vec<usize>,
    /// How these were chosen.
    pub design: Design,
    /// Whether labels are assumed to be drawn at random because the study does not state how they were chosen.
    pub is_assumed: bool,
    /// How they were chosen, in words.
    pub words: Option<String>,
    /// Rows of a cluster, without those in strata that are labelled as a whole, the labelled ones of them, and how many clusters
    /// are so.
    clusters: Vec<[f64; 3]>,
}

impl<'r> Sample<'r> {
    /// The labelled items of a study.
    pub fn new(study: &'r Study) -> Self {
        let ratings = study.ratings();
        let labelled = ratings.labelled();
        let ItemSampling { design, is_assumed, words } = ItemSampling::new(study, &labelled);
        let clusters = &ratings.clusters;
        let mut counts = vec![[0, 0]; clusters.iter().max().map_or(0, |last| last + 1)];
        clusters.iter().for_each(|&cluster| counts[cluster][0] += 1);
        for (&item, is_open) in labelled.iter().zip(design.are_open()) {
            let [rows, known] = &mut counts[clusters[item]];
            if is_open { *known += 1 } else { *rows -= 1 }
        }
        let mut alike: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        counts.into_iter().for_each(|own| *alike.entry(own).or_default() += 1);
        let clusters = alike.into_iter().map(|([rows, known], number)| [rows, known, number].map(f64::from)).collect();
        let words: Vec<String> = ratings.left_out.clone().into_iter().chain(words).collect();
        let words = (!words.is_empty()).then(|| words.join(" "));
        Self { ratings, labelled, design, is_assumed, words, clusters }
    }

    /// A value of every labelled item.
    pub fn values(&self, of: impl Fn(usize) -> Option<f64>) -> Vec<Option<f64>> {
        self.labelled.iter().map(|&item| of(item)).collect()
    }
}

/// What the values of a mean are, and so which range they have.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Values {
    /// How often, or how far apart: from 0 to 1 or to the width of the scale.
    Distances,
    /// How good: how often, or the distance below 0.
    Goodness,
    /// Differences of two of these.
    Differences,
}

/// A mean of such values, between the least and the most that they can be.
pub(crate) fn ask<'a>(rows: &Ratings, values: &'a [Option<f64>], of: Values) -> Ask<'a> {
    let (low, high) = rows.scale.range();
    let width = if rows.scale.nominal().is_some() { 1.0 } else { high - low };
    let (least, most) = match of {
        Values::Distances => (0.0, width),
        Values::Goodness if rows.scale.nominal().is_some() => (0.0, width),
        Values::Goodness => (-width, 0.0),
        Values::Differences => (-width, width),
    };
    Ask::mean(values).within(least, most)
}

/// How often the judge agrees with a person; of numbers, how far it is from one on average.
pub(crate) fn agreement(sample: &Sample<'_>) -> Estimable {
    let (rows, classes) = (sample.ratings, sample.ratings.scale.nominal().is_some());
    share(sample, &|row| Some(rows.judge_miss(row)).map(|miss| if classes { 1.0 - miss } else { miss }))
}

/// A mean over rows like these of a share or distance.
fn share(sample: &Sample<'_>, value: &dyn Fn(usize) -> Option<f64>) -> Estimable {
    sample.design.estimate(&ask(sample.ratings, &sample.values(value), Values::Distances))
}

/// How often the answer that is the best of several on these labels agrees (how far it is from people): as it was chosen on
/// them, its value flatters it, and the end on that side allows for each of them (Bonferroni).
fn of_best(sample: &Sample<'_>, value: &dyn Fn(usize) -> Option<f64>) -> Estimable {
    let values = sample.values(value);
    of_one_and_all(sample, &ask(sample.ratings, &values, Values::Distances), |one, all| ItemEstimate {
        lo: all.lo,
        ..one
    })
}

/// An estimate with one end for itself and one that holds for each of the classes.
fn of_one_and_all(
    sample: &Sample<'_>,
    asked: &Ask<'_>,
    ends: fn(ItemEstimate, ItemEstimate) -> ItemEstimate,
) -> Estimable {
    let among = asked.among(sample.ratings.scale.nominal().unwrap_or(1));
    match (sample.design.estimate(asked), sample.design.estimate(&among)) {
        (Estimable::Estimated(one), Estimable::Estimated(all)) => Estimable::Estimated(ends(one, all)),
        (not, _) => not,
    }
}

/// By how much the judge does better than always giving one answer, 0 where it gives no other. That answer is the best of
/// several on the same labels: the upper end allows for each of them (Bonferroni), so that none of them is called better
/// than the judge by chance; the lower end need not, because the judge is better than the best only if it is than each.
fn over_base(sample: &Sample<'_>, constant: f64) -> Estimable {
    let rows = sample.ratings;
    let over = sample.values(|row| Some(rows.miss(row, constant) - rows.judge_miss(row)));
    let asked = ask(rows, &over, Values::Differences);
    if is_constant(rows, constant) {
        return sample.design.estimate(&asked.within(0.0, 0.0));
    }
    of_one_and_all(sample, &asked, |one, all| ItemEstimate { hi: all.hi, ..one })
}

fn is_constant(rows: &Ratings, answer: f64) -> bool {
    (0..rows.len()).all(|row| rows.over_judge(row, |said| f64::from(u8::from(said == answer))) == 1.0)
}

/// The answer that is least far from people's on average.
fn best_constant(sample: &Sample<'_>) -> f64 {
    let rows = sample.ratings;
    let mut answers: Vec<f64> = match rows.scale.nominal() {
        Some(classes) => (0..classes).map(|k| k as f64).collect(),
        None => sample.labelled.iter().flat_map(|&row| rows.people[row].iter().map(|(answer, _)| *answer)).collect(),
    };
    answers.sort_by(f64::total_cmp);
    answers.dedup();
    // Of very many numbers, the median of some.
    let step = answers.len().div_ceil(200).max(1);
    let far = |answer: f64| {
        let apart = sample.values(|row| Some(rows.miss(row, answer)));
        sample.design.plain_mean(&apart).unwrap_or(f64::MAX)
    };
    answers.into_iter().step_by(step).min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap_or(0.0)
}

/// Cohen's kappa of the judge and a person, with weights of squared distances where answers are numbers, by the number of
/// further labels.
pub(super) fn kappa_after<'s>(sample: &'s Sample<'s>) -> impl Fn(usize) -> Estimable + 's {
    let rows = sample.ratings;
    let (values, plan) = match rows.scale.nominal() {
        Some(classes) => {
            let one = |class: f64| (0..classes).map(move |k| Statistic::Share(k).of(class));
            let moments = |&row: &usize| {
                let people = (0..classes).map(|k| rows.observed(row, Statistic::Share(k)).unwrap_or(0.0));
                let agree = 1.0 - rows.judge_miss(row);
                let judge = (0..classes).map(|k| rows.over_judge(row, |answer| Statistic::Share(k).of(answer)));
                Some(judge.chain(people).chain([agree]).collect())
            };
            let corner = |k: usize| {
                let [judge, person] = [k / classes, k % classes].map(|class| class as f64);
                one(judge).chain(one(person)).chain([f64::from(u8::from(judge == person))]).collect()
            };
            let corners: Vec<Vec<f64>> = (0..classes * classes).map(corner).collect();
            let moments: Vec<Option<Vec<f64>>> = sample.labelled.iter().map(moments).collect();
            let of = move |m: &[f64]| {
                let chance: f64 = (0..classes).map(|k| m[k] * m[classes + k]).sum();
                (chance < 1.0 - 1e-9).then(|| (m[2 * classes] - chance) / (1.0 - chance))
            };
            sample.design.function_plan(&moments, (&corners, (-1.0, 1.0)), 0.95, of)
        }
        None => {
            let moments = |&row: &usize| {
                let judge = rows.verdict[row];
                let mean = |f: &dyn Fn(f64) -> f64| rows.over_people(row, f);
                Some(vec![judge, mean(&|x| x), judge * judge, mean(&|x| x * x), judge * mean(&|x| x)])
            };
            let (low, high) = rows.scale.range();
            let corner = |(a, b): (f64, f64)| vec![a, b, a * a, b * b, a * b];
            let corners = [(low, low), (low, high), (high, low), (high, high)].map(corner);
            let moments: Vec<Option<Vec<f64>>> = sample.labelled.iter().map(moments).collect();
            let of = |m: &[f64]| {
                let chance = m[2] + m[3] - 2.0 * m[0] * m[1];
                (chance > 1e-12).then(|| 1.0 - (m[2] + m[3] - 2.0 * m[4]) / chance)
            };
            sample.design.function_plan(&moments, (&corners, (-1.0, 1.0)), 0.95, of)
        }
    };
    let times = times(sample, &values);
    move |more| plan(times(more))
}

/// Recall and precision of a class, and how often it is met with each other one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfClass {
    /// The class.
    pub name: String,
    /// How often the judge gives the class where a person does; the intervals of all classes are simultaneous.
    pub recall: Estimable,
    /// How often a person gives the class where the judge does; the intervals of all classes are simultaneous.
    pub precision: Estimable,
    /// Labels of people of this class by the judge's answer, weighted as the items are: shares of all labels.
    pub by_judge: Vec<f64>,
}

fn by_class(sample: &Sample<'_>) -> Vec<OfClass> {
    let rows = sample.ratings;
    let Some(classes) = rows.scale.nominal() else { return vec![] };
    let level = 1.0 - 0.05 / classes as f64;
    let says = |row: usize, class: usize| rows.over_judge(row, |answer| Statistic::Share(class).of(answer));
    let person = |row: usize, class: usize| rows.observed(row, Statistic::Share(class)).unwrap_or(0.0);
    // A mean of both over a mean of the one that is given.
    let given = |class: usize, of: &dyn Fn(usize) -> f64| {
        let moments: Vec<Option<Vec<f64>>> =
            sample.labelled.iter().map(|&row| Some(vec![says(row, class) * person(row, class), of(row)])).collect();
        let corners = [vec![0.0, 0.0], vec![0.0, 1.0], vec![1.0, 1.0]];
        sample
            .design
            .function(&moments, (&corners, (0.0, 1.0)), level, |m| (m[1] > 1e-9).then(|| (m[0] / m[1]).clamp(0.0, 1.0)))
    };
    let of = |class: usize| OfClass {
        name: rows.scale.text(class as f64).into_owned(),
        recall: given(class, &|row| person(row, class)),
        precision: given(class, &|row| says(row, class)),
        by_judge: (0..classes)
            .map(|said| {
                let both = sample.values(|row| Some(says(row, said) * person(row, class)));
                sample.design.plain_mean(&both).unwrap_or(0.0)
            })
            .collect(),
    };
    (0..classes).map(of).collect()
}

/// By how much the judge exceeds people in a quantity of a row.
fn excess(rows: &Ratings, row: usize, quantity: Statistic) -> Option<f64> {
    Some(rows.over_judge(row, |answer| quantity.of(answer)) - rows.observed(row, quantity)?)
}

/// What the judge alone says less the corrected rate, so that the three agree on every screen. The rate is that of the study's
/// rows; over rows like these the bias varies by what its mean over all rows does: squared distances of ends add up to
///
/// ```text
/// d^2 = d_rate^2 + (d_new^2 - d_study^2)
/// ```
///
/// with d_new and d_study those of the mean difference of judge and people on labelled rows, over rows like these and over
/// the study's (Zou and Donner 2008).
fn bias(sample: &Sample<'_>, rates: &[Rate]) -> Vec<(String, Estimable)> {
    let rows = sample.ratings;
    let quantities = rows.quantities();
    let (low, high) = if rows.scale.nominal().is_some() { (0.0, 1.0) } else { rows.scale.range() };
    let of = |(k, (quantity, rate)): (usize, (&Statistic, &Rate))| {
        let values = sample.values(|row| excess(rows, row, *quantity));
        let said = |&row: &usize| rows.over_judge(row, |answer| quantity.of(answer));
        let ends: Vec<(f64, f64)> = sample.labelled.iter().map(said).map(|said| (said - high, said - low)).collect();
        let asked = ask(rows, &values, Values::Differences).among(quantities.len()).between(&ends);
        let of_all = || OfDomain::new(sample, k, None);
        let of_rate = match quantities.len() {
            1 => rate.corrected.clone(),
            all => sample.design.estimate(&of_all().ask(true).among(all)),
        };
        let found = match (sample.design.estimate(&asked), sample.design.estimate(&asked.of_study()), of_rate) {
            (Estimable::Estimated(new), Estimable::Estimated(study), Estimable::Estimated(known)) => {
                let at = rate.corrected.estimate().map_or(known.value, |rate| rate.value);
                let away = |of: f64, new: f64, study: f64| (of * of + (new * new - study * study).max(0.0)).sqrt();
                let value = rate.by_judge - at;
                let below = away(known.hi - at, new.value - new.lo, study.value - study.lo);
                let above = away(at - known.lo, new.hi - new.value, study.hi - study.value);
                let standard_error = away(known.standard_error, new.standard_error, study.standard_error);
                let [lo, hi] = [value - below, value + above].map(|end| end.clamp(asked.range.0, asked.range.1));
                Estimable::Estimated(ItemEstimate { value, standard_error, lo, hi, ..new })
            }
            (found, ..) => found,
        };
        (rate.of.clone(), found)
    };
    quantities.iter().zip(rates).enumerate().map(of).collect()
}

/// The number that divides others into higher ones and the rest: their median, or the highest one below it if none is above
/// it, as where a judge states full confidence in most rows.
fn divide(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    let median = (!values.is_empty()).then(|| percentiles(&values, [50.0])[0])?;
    let is_top = values.iter().all(|x| *x <= median);
    values.into_iter().filter(|x| is_top && *x < median).max_by(f64::total_cmp).or(Some(median))
}

fn confidence(sample: &Sample<'_>) -> Option<Confidence> {
    let rows = sample.ratings;
    let median = divide(rows.confidences())?;
    let agree = |row: usize| rows.scale.nominal().map(|_| 1.0 - rows.judge_miss(row));
    let closer = |row: usize| agree(row).or_else(|| Some(-rows.judge_miss(row)));
    let stated = || rows.confidences();
    let scale = match (stated().all(|c| (0.0..=1.0).contains(&c)), stated().all(|c| (0.0..=100.0).contains(&c))) {
        (true, _) => Some(1.0),
        // A scale of a few steps is no percentage.
        (false, true) if stated().any(|c| c > 10.0) => Some(100.0),
        _ => None,
    };
    let known = |row: usize| rows.confidence(row);
    let excess = scale.filter(|_| rows.scale.nominal().is_some()).map(|scale| {
        let over = sample.values(|row| Some(known(row)? / scale - agree(row)?));
        let stated = sample.labelled.iter().map(|&row| known(row).unwrap_or(0.0) / scale);
        let ends: Vec<(f64, f64)> = stated.map(|stated| (stated - 1.0, stated)).collect();
        sample.design.estimate(&Ask::mean(&over).within(-1.0, 1.0).between(&ends))
    });
    let informs = contrast(
        sample,
        (&|row| known(row).and(closer(row)), Values::Goodness),
        &|row| known(row).is_some_and(|c| c > median),
        1,
    );
    let certain = scale.filter(|_| rows.scale.nominal().is_some());
    Some(Confidence { excess, informs, median, certain, bins: bins(sample, &agree) })
}

/// Fifths of the rows by confidence, or a bin for each value where there are at most five; `agree` is a row's agreement, of
/// classes.
fn bins(sample: &Sample<'_>, agree: &dyn Fn(usize) -> Option<f64>) -> Vec<ConfidenceBin> {
    const MOST: usize = 5;
    let rows = sample.ratings;
    let mut stated: Vec<f64> = rows.confidences().collect();
    stated.sort_by(f64::total_cmp);
    let mut values = stated.clone();
    values.dedup();
    // The highest value of each bin.
    let mut ends: Vec<f64> = match values.len() <= MOST {
        true => values,
        false => (1..=MOST).map(|k| stated[k * stated.len() / MOST - 1]).collect(),
    };
    ends.dedup();
    let of = |row: usize| rows.confidence(row).map(|c| ends.partition_point(|end| *end < c));
    let bin = |k: usize| {
        let own: Vec<usize> = (0..rows.len()).filter(|&row| of(row) == Some(k)).collect();
        let labelled = own.iter().filter(|&&row| !rows.people[row].is_empty()).count();
        let values = sample.values(|row| {
            let value = agree(row).or_else(|| Some(rows.judge_miss(row)));
            value.filter(|_| of(row) == Some(k))
        });
        let asked = ask(rows, &values, Values::Distances).among(ends.len());
        let agreement = if_enough(labelled, || sample.design.estimate(&asked));
        let known: Vec<f64> = own.iter().filter_map(|&row| rows.confidence(row)).collect();
        ConfidenceBin { stated: mean(&known), rows: own.len(), labelled, agreement }
    };
    (0..ends.len()).map(bin).collect()
}

/// What is found of so many labelled rows.
fn if_enough(labelled: usize, found: impl FnOnce() -> Estimable) -> Estimable {
    match labelled < LEAST_IN_GROUP {
        true => Estimable::not(format!("{labelled} labelled rows, and an interval needs {LEAST_IN_GROUP}")),
        false => found(),
    }
}

/// By how much the mean of a value is higher over rows `inside` than over the others, with an interval that holds together
/// with those of so many.
fn contrast(
    sample: &Sample<'_>,
    (value, of): (&dyn Fn(usize) -> Option<f64>, Values),
    inside: &dyn Fn(usize) -> bool,
    among: usize,
) -> Estimable {
    let [own, others] = [true, false].map(|is| sample.values(|row| value(row).filter(|_| inside(row) == is)));
    let [one, other] = [&own, &others].map(|values| ask(sample.ratings, values, of).among(among));
    sample.design.contrast(&one, &other)
}

fn groups(sample: &Sample<'_>, value: &dyn Fn(usize) -> Option<f64>) -> Vec<GroupTrust> {
    let Some(grouping) = &sample.ratings.group else { return vec![] };
    let among = grouping.names.len();
    let classes = sample.ratings.scale.nominal().is_some();
    let of = |(k, name): (usize, &String)| {
        let rows = grouping.items(k);
        let labelled = rows.iter().filter(|&&row| !sample.ratings.people[row].is_empty()).count();
        let better = |row: usize| value(row).map(|value| if classes { value } else { -value });
        let is_own = |row: usize| grouping.of[row] == k;
        let own = sample.values(|row| value(row).filter(|_| is_own(row)));
        let asked = ask(sample.ratings, &own, Values::Distances).among(among);
        GroupTrust {
            name: name.clone(),
            rows: rows.len(),
            labelled,
            agreement: if_enough(labelled, || sample.design.estimate(&asked)),
            over_others: if_enough(labelled, || contrast(sample, (&better, Values::Goodness), &is_own, among)),
        }
    };
    grouping.names.iter().enumerate().map(of).collect()
}

fn covariates(sample: &Sample<'_>) -> Vec<Covariate> {
    let rows = sample.ratings;
    let quantity = rows.quantities()[0];
    // Of several classes there is no one direction: what is compared is agreement.
    let is_directed = rows.quantities().len() == 1;
    let value = |row: usize| match is_directed {
        true => excess(rows, row, quantity),
        false => Some(1.0 - rows.judge_miss(row)),
    };
    let of_value = if is_directed { Values::Differences } else { Values::Goodness };
    let among = rows.covariates.len();
    let of = |(name, values): &(String, Vec<Option<f64>>)| {
        let median = divide(values.iter().flatten().copied())?;
        let above = |row: usize| values[row].is_some_and(|x| x > median);
        let difference = contrast(sample, (&|row| values[row].and_then(|_| value(row)), of_value), &above, among);
        Some(Covariate { name: name.clone(), median, difference })
    };
    rows.covariates.iter().filter_map(of).collect()
}

/// A rate over all rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rate {
    /// The answer whose share it is; `mean` of numbers.
    pub of: String,
    /// As the judge alone has it.
    pub by_judge: f64,
    /// As the labels alone have it.
    pub by_labels: Estimable,
    /// As labels and judge have it together.
    pub corrected: Estimable,
    /// The corrected rate in each group.
    pub groups: Vec<OfGroup>,
    /// The corrected rate of each system.
    pub systems: Vec<OfGroup>,
    /// The first system's less the second's, where there are two.
    pub difference: Option<Estimable>,
}

impl Rate {
    /// What it rests on, in words: the judge's answers enter where they narrow it.
    pub fn words(&self) -> &'static str {
        match (&self.corrected, &self.by_labels) {
            (Estimable::Estimated(one), Estimable::Estimated(other)) if one == other => "by the labels alone",
            _ => "corrected for the judge's errors",
        }
    }
}

/// A rate in a group, or of a system.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfGroup {
    /// The group.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// As the judge alone has it.
    pub by_judge: f64,
    /// Corrected.
    pub corrected: Estimable,
}

/// A quantity of the items in a domain with its help, as the estimator takes both.
pub(super) struct OfDomain<'s> {
    sample: &'s Sample<'s>,
    values: Vec<Option<f64>>,
    range: (f64, f64),
    of_labelled: Vec<f64>,
    all: Vec<f64>,
}

impl<'s> OfDomain<'s> {
    /// The quantity in place `k`; of all items without a `domain`.
    fn new(sample: &'s Sample<'s>, k: usize, domain: Option<&[usize]>) -> Self {
        let ratings = sample.ratings;
        let quantity = ratings.quantities()[k];
        let range = match quantity {
            Statistic::Share(_) => (0.0, 1.0),
            Statistic::Mean => ratings.scale.range(),
        };
        let predicted = |item: usize| ratings.predicted[item][k];
        Self::of(sample, range, domain, &|item| ratings.observed(item, quantity), &predicted)
    }

    /// A value between the ends of `range` that people gave, with what the judge predicts of it.
    pub(super) fn of(
        sample: &'s Sample<'s>,
        range: (f64, f64),
        domain: Option<&[usize]>,
        observed: &dyn Fn(usize) -> Option<f64>,
        predicted: &dyn Fn(usize) -> f64,
    ) -> Self {
        let ratings = sample.ratings;
        let mut inside = vec![domain.is_none(); ratings.len()];
        domain.into_iter().flatten().for_each(|&item| inside[item] = true);
        Self {
            values: sample.values(|item| observed(item).filter(|_| inside[item])),
            range,
            of_labelled: sample.labelled.iter().map(|&item| predicted(item)).collect(),
            all: (0..ratings.len()).filter(|&item| inside[item]).map(predicted).collect(),
            sample,
        }
    }

    pub(super) fn ask(&self, helped: bool) -> Ask<'_> {
        let asked = Ask::mean(&self.values).within(self.range.0, self.range.1).of_rows(self.all.len());
        if helped { asked.helped(Help::new(&self.of_labelled, &self.all)) } else { asked }
    }

    /// The mean, perhaps with help.
    fn estimate(&self, helped: bool) -> Estimable {
        self.sample.design.estimate(&self.ask(helped))
    }
}

/// How `more` labels, each of a row drawn at random from those without one, multiply those in strata that still have rows
/// without one.
///
/// With m labels in a cluster, and r how alike the values of one are ([`Design::alike()`]; Kish 1965, "Survey Sampling"), the
/// mean over all labels varies as
///
/// ```text
/// V = sum m (1 + (m - 1) r)/(sum m)^2
/// ```
///
/// times the variance of a value, so that labels of rows elsewhere tell more than those of whole clusters do.
///
/// Labels that count as drawn at random only because the study does not say otherwise do so until a queue brings further ones:
/// from then on clusters labelled now stand for themselves, and the further labels for the others. With W the share of either
/// in all rows, f the labelled share of its rows, and f of all now, the variance is then that of t times the labels:
///
/// ```text
/// V (1/t - f) = sum W^2 (1 - f_then) V_then
/// ```
fn times<'s>(sample: &'s Sample<'s>, values: &[Option<f64>]) -> impl Fn(usize) -> Growth + use<'s> {
    let [alike, _] = sample.design.alike(|item| values[item].as_ref().map(std::slice::from_ref));
    let open: f64 = sample.clusters.iter().map(|[rows, labels, number]| number * (rows - labels)).sum();
    // Of clusters with or without a label or both, where a share of the other rows gets one: rows, labels, clusters, and V.
    let of = move |which: &[bool], share: f64| {
        let (mut rows, mut labels, mut clusters, mut pairs) = (0.0, 0.0, 0.0, 0.0);
        for [all, known, number] in sample.clusters.iter().filter(|[_, known, _]| which.contains(&(*known > 0.0))) {
            let (open, further) = (all - known, share * (all - known));
            rows += number * all;
            labels += number * (known + further);
            clusters += number * if *known > 0.0 { 1.0 } else { 1.0 - (1.0 - share).powf(open) };
            pairs += number * (known * (known - 1.0) + 2.0 * known * further + share * further * (open - 1.0));
        }
        (rows, labels, clusters, (1.0 + alike * pairs / labels.max(1.0)).max(0.1) / labels.max(1.0))
    };
    move |more| {
        if more == 0 {
            return Growth::NONE;
        }
        let share = (more as f64 / open.max(1.0)).min(1.0);
        let ((rows, labels, clusters, now), (_, all_labels, all_clusters, then)) =
            (of(&[true, false], 0.0), of(&[true, false], share));
        let clusters = all_clusters / clusters;
        if !sample.is_assumed {
            let left = (rows - all_labels).max(0.0) / (rows - labels).max(1.0);
            let missing = (1.0 - more as f64 / sample.design.unanswered().max(1) as f64).max(0.0);
            return Growth {
                left,
                missing,
                clusters,
                rows: all_labels / labels.max(1.0) / clusters,
                precision: now / then,
            };
        }
        let parts = [true, false].map(|with_label| of(&[with_label], share));
        let then: f64 =
            parts.iter().map(|(of, labels, _, v)| (of / rows).powi(2) * (1.0 - labels / of.max(1.0)) * v).sum();
        let times = now / (then + now * labels / rows);
        Growth { clusters, ..Growth::new(times, labels / rows) }
    }
}

/// The rate of the quantity in place `k`, by the number of further labels.
pub(super) fn rate_after<'s>(sample: &'s Sample<'s>, k: usize) -> impl Fn(usize) -> Estimable + 's {
    let of_all = OfDomain::new(sample, k, None);
    let (now, later) = (of_all.estimate(true), OnceCell::new());
    move |more| {
        if more == 0 {
            return now.clone();
        }
        let (plan, times) = later.get_or_init(|| {
            let asked = of_all.ask(true);
            // What further labels show is as alike within clusters as what the help leaves of those that are there.
            let residuals = (now != of_all.estimate(false)).then(|| sample.design.residuals(&asked));
            (sample.design.plan(&asked), times(sample, residuals.as_ref().unwrap_or(&of_all.values)))
        });
        plan(times(more))
    }
}

/// Agreement (distance) by the number of further labels.
pub(super) fn agreement_after<'s>(sample: &'s Sample<'s>) -> impl Fn(usize) -> Estimable + 's {
    let rows = sample.ratings;
    let good = |miss: f64| if rows.scale.nominal().is_some() { 1.0 - miss } else { miss };
    let values = sample.values(|row| Some(good(rows.judge_miss(row))));
    let (plan, times) = (sample.design.plan(&ask(rows, &values, Values::Distances)), times(sample, &values));
    move |more| plan(times(more))
}

/// The rates of every quantity.
pub fn rates(sample: &Sample<'_>) -> Vec<Rate> {
    let rows = sample.ratings;
    let every: Vec<usize> = (0..rows.len()).collect();
    let of = |(k, quantity): (usize, &Statistic)| {
        let all = OfDomain::new(sample, k, None);
        let by_judge = |domain: &[usize]| {
            let of = |&row: &usize| rows.over_judge(row, |answer| quantity.of(answer));
            mean(&domain.iter().map(of).collect::<Vec<_>>())
        };
        let by = |grouping: &Grouping| -> Vec<OfGroup> {
            let of = |(g, name): (usize, &String)| {
                let domain = grouping.items(g);
                OfGroup {
                    name: name.clone(),
                    rows: domain.len(),
                    by_judge: by_judge(&domain),
                    corrected: OfDomain::new(sample, k, Some(&domain)).estimate(true),
                }
            };
            grouping.names.iter().enumerate().map(of).collect()
        };
        let two = rows.system.as_ref().filter(|system| system.names.len() == 2);
        Rate {
            of: rows.name(*quantity),
            by_judge: by_judge(&every),
            by_labels: all.estimate(false),
            corrected: all.estimate(true),
            groups: rows.group.as_ref().map(by).unwrap_or_default(),
            systems: rows.system.as_ref().map(by).unwrap_or_default(),
            difference: two.map(|system| {
                let [one, other] = [0, 1].map(|which| OfDomain::new(sample, k, Some(&system.items(which))));
                sample.design.contrast(&one.ask(true), &other.ask(true))
            }),
        }
    };
    let mut rates: Vec<Rate> = rows.quantities().iter().enumerate().map(of).collect();
    if rates.len() > 1 {
        add_up(rates.iter_mut().map(|rate| &mut rate.corrected));
        let [groups, systems] = [rates[0].groups.len(), rates[0].systems.len()];
        (0..groups).for_each(|g| add_up(rates.iter_mut().map(|rate| &mut rate.groups[g].corrected)));
        (0..systems).for_each(|g| add_up(rates.iter_mut().map(|rate| &mut rate.systems[g].corrected)));
        for rate in &mut rates {
            let of = |system: Option<&OfGroup>| Some(system?.corrected.estimate()?.value);
            if let (Some(one), Some(other), Some(Estimable::Estimated(found))) =
                (of(rate.systems.first()), of(rate.systems.get(1)), &mut rate.difference)
            {
                found.value = (one - other).clamp(found.lo, found.hi);
            }
        }
    }
    rates
}

/// Scales the shares of all classes, each estimated with the judge's help by a coefficient of its own, so that they add up to
/// one as far as their intervals, whose ends stay, allow it.
fn add_up<'r>(shares: impl Iterator<Item = &'r mut Estimable>) {
    let mut shares: Vec<&mut Estimable> = shares.collect();
    let all: Option<Vec<f64>> = shares.iter().map(|share| Some(share.estimate()?.value)).collect();
    let sum = all.map_or(1.0, |all| all.iter().sum());
    if (sum - 1.0).abs() < 1e-9 {
        return;
    }
    for share in &mut shares {
        if let Estimable::Estimated(share) = share {
            share.value = (share.value / sum).clamp(share.lo, share.hi);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::divide;

    /// A judge that states its highest confidence in most rows still has a lower part.
    #[test]
    fn numbers_are_divided_where_their_median_is_the_highest_too() {
        let of = |values: &[f64]| divide(values.iter().copied());
        assert_eq!((of(&[0.6, 0.7, 0.9]), of(&[0.6, 0.9, 0.9, 0.8, 0.9])), (Some(0.7), Some(0.8)));
        assert_eq!((of(&[0.9, 0.9]), of(&[])), (Some(0.9), None));
    }
}

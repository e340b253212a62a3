//! How the labels of annotators who share a trait differ: agreement with the judge or deviation from
//! it, and the shares of the classes, by trait and value.
//!
//! All means are over items, each with the mean over the labels that these annotators gave it. Intervals are for new
//! items labelled by these annotators ([`judge_uncertainty_core::stats::estimator`]): that other people of the same
//! trait label otherwise is part of one of them alone, which takes five annotators of the trait. Annotators do not all
//! label the same items, so a group is also held against the other annotators on the items that both labelled.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::audit::columns::number;
use crate::evaluate::OrReason;
use crate::input::labels::Label;
use crate::input::question::LabelValue;
use crate::model::chosen::ItemSampling;
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_core::stats::estimator::LabelScore;
use judge_uncertainty_core::stats::estimator::{Ask, Design};
use judge_uncertainty_evaluation::held_out::{Score, Scored};

/// A trait of numbers with more values than this is told in ranges.
const MOST_NUMBERS: usize = 6;
/// Ranges of a trait of numbers.
const RANGES: usize = 4;
/// Values of a trait that are told, those with most labels first.
const MOST_VALUES: usize = 20;

/// Labels by the traits of those who gave them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraitsReport {
    /// Annotators with labels.
    pub annotators: usize,
    /// Those among them whom the file does not have.
    pub unknown: usize,
    /// The traits, in the order of the file.
    pub traits: Vec<Trait>,
}

/// The labels by one trait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trait {
    /// The column.
    pub name: String,
    /// Those who share a value, numbers from low to high and words by their labels; the last are those of whom nothing
    /// is stated.
    pub groups: Vec<TraitGroup>,
    /// Values that are left out, those with fewest labels.
    pub left_out: usize,
}

/// Annotators who share the value of a trait. Intervals are central 95% ones for new items, each on its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraitGroup {
    /// The value, or a range of numbers; `None` where nothing is stated of the annotator.
    pub value: Option<String>,
    /// Annotators with labels.
    pub annotators: usize,
    /// Their labels.
    pub labels: usize,
    /// Items that they labelled.
    pub items: usize,
    /// Share of their labels that are the judge's likeliest class; `None` on a scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<Estimable>,
    /// How far their labels lie above the judge's mean, in units of the scale; `None` for mere classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<Estimable>,
    /// Agreement or deviation with other people who share the value as well, crossed with items; `None` in results of
    /// versions that did not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_others: Option<Estimable>,
    /// Agreement (of scores and places the deviation) less that of the other annotators, on the items that both
    /// labelled.
    pub against_others: Estimable,
    /// Shares of the classes among their labels; none for scores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<ClassShare>,
}

/// The share of a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassShare {
    /// The class.
    pub class: String,
    /// Its share.
    pub share: Estimable,
}

/// What of a label counts here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraitLabel {
    /// Position of the item.
    pub item: usize,
    /// Number of the annotator.
    pub annotator: usize,
    /// 1 for the judge's likeliest class and 0 for another; on a scale how far the label lies above the judge's mean.
    pub against: f64,
    /// Position of the class; `None` for scores.
    pub class: Option<usize>,
}

impl TraitsReport {
    /// The labels of a study by the traits of its annotators; `None` where no file tells of them.
    pub fn new<K: Kind>(study: &Study<K>) -> Option<OrReason<Self>> {
        let about = study.annotators.as_ref()?;
        let labels = &study.labels;
        if !labels.are_listed() {
            let reason =
                "the labels are counts, which do not say who gave them; give one row per label, form = \"long\"";
            return Some(OrReason::not(reason));
        }
        let kept: Vec<&Label> = labels.rows.iter().collect();
        let name = |label: &Label| labels.annotators[label.annotator].as_str();
        let names: BTreeSet<&str> = kept.iter().map(|label| name(label)).collect();
        let numbers: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
        let question = K::question(&study.file.config.scale);
        let classes = question.classes();
        let given = |label: &&Label| TraitLabel {
            item: label.item,
            annotator: numbers[name(label)],
            against: K::against_judge(study, label.item, label.value),
            class: match label.value {
                LabelValue::Class(class) => Some(class),
                LabelValue::Score(_) => None,
            },
        };
        let given: Vec<TraitLabel> = kept.iter().map(given).collect();
        let stated: Vec<Option<&[String]>> = names.iter().map(|name| about.stated(name)).collect();
        let items: Vec<usize> = given.iter().map(|label| label.item).collect::<BTreeSet<_>>().into_iter().collect();
        let design = ItemSampling::new(study, &items).design;
        let traits = about.traits.iter().enumerate().map(|(k, name)| {
            let values: Vec<Option<&str>> = stated
                .iter()
                .map(|cells| cells.map(|cells| cells[k].trim()).filter(|value| !value.is_empty()))
                .collect();
            let ordered = K::Pool::SQUARED != Score::Brier;
            Trait::new(name, &values, &given, &LabelledSample { classes, ordered, items: &items, design: &design })
        });
        Some(OrReason::Found(Self {
            annotators: names.len(),
            unknown: stated.iter().filter(|cells| cells.is_none()).count(),
            traits: traits.collect(),
        }))
    }
}

/// What is measured of labels.
#[derive(Debug, Clone, Copy)]
pub struct LabelledSample<'a> {
    /// Names of the classes; none for scores.
    pub classes: &'a [String],
    /// Whether labels lie on a scale.
    pub ordered: bool,
    /// Positions of the labelled items, in ascending order.
    pub items: &'a [usize],
    /// How these were chosen, and which are about one thing.
    pub design: &'a Design,
}

impl LabelledSample<'_> {
    /// The values of the labelled items in their order, `None` for items without one.
    fn over(&self, by_item: &BTreeMap<usize, f64>) -> Vec<Option<f64>> {
        self.items.iter().map(|item| by_item.get(item).copied()).collect()
    }
}

impl Trait {
    /// The labels by the `values` of their annotators.
    pub fn new(name: &str, values: &[Option<&str>], given: &[TraitLabel], measured: &LabelledSample<'_>) -> Self {
        let mut labels_by = vec![0_usize; values.len()];
        given.iter().for_each(|label| labels_by[label.annotator] += 1);
        let labels_of =
            |annotators: &BTreeSet<usize>| annotators.iter().map(|&annotator| labels_by[annotator]).sum::<usize>();
        let mut groups: Vec<(Option<String>, BTreeSet<usize>, usize)> = grouped(values)
            .into_iter()
            .map(|(value, annotators)| (labels_of(&annotators), value, annotators))
            .filter(|(labels, ..)| *labels > 0)
            .map(|(labels, value, annotators)| (value, annotators, labels))
            .collect();
        let mut left_out = 0;
        if !are_numbers(values) {
            // Nothing stated is no value, and stays last.
            groups.sort_by_key(|(value, _, labels)| (value.is_none(), std::cmp::Reverse(*labels)));
            let stated = groups.iter().filter(|(value, ..)| value.is_some()).count();
            left_out = stated.saturating_sub(MOST_VALUES);
            groups.drain(MOST_VALUES.min(stated)..stated);
        }
        let groups = groups.into_iter().map(|group| TraitGroup::new(group, given, measured));
        Self { name: name.to_owned(), groups: groups.collect(), left_out }
    }
}

fn are_numbers(values: &[Option<&str>]) -> bool {
    values.iter().flatten().all(|value| number(value).is_some())
}

/// Annotators by value (`None` where nothing is stated), numbers from low to high; many numbers by ranges that hold
/// about equally many annotators.
fn grouped(values: &[Option<&str>]) -> Vec<(Option<String>, BTreeSet<usize>)> {
    let mut of: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut unstated = BTreeSet::new();
    for (annotator, value) in values.iter().enumerate() {
        match value {
            Some(value) => of.entry(value).or_default().insert(annotator),
            None => unstated.insert(annotator),
        };
    }
    let mut distinct: Vec<&str> = of.keys().copied().collect();
    let numbers = are_numbers(values);
    if numbers {
        distinct.sort_by(|a, b| number(a).partial_cmp(&number(b)).expect("finite numbers"));
    }
    let mut groups = match numbers && distinct.len() > MOST_NUMBERS {
        true => ranges(&distinct, &of),
        false => distinct.into_iter().map(|value| (Some(value.to_owned()), of[value].clone())).collect(),
    };
    groups.push((None, unstated));
    groups
}

/// The `ascending` numbers in ranges.
fn ranges(ascending: &[&str], of: &BTreeMap<&str, BTreeSet<usize>>) -> Vec<(Option<String>, BTreeSet<usize>)> {
    let all: usize = of.values().map(BTreeSet::len).sum();
    let mut before = 0;
    let mut found: Vec<(usize, Vec<&str>)> = vec![];
    for &value in ascending {
        // A value stands in the range that its first annotator falls into.
        let range = before * RANGES / all;
        before += of[value].len();
        match found.last_mut() {
            Some((last, members)) if *last == range => members.push(value),
            _ => found.push((range, vec![value])),
        }
    }
    let group = |(_, members): (usize, Vec<&str>)| {
        let value = match members.as_slice() {
            [one] => (*one).to_owned(),
            members => format!("{} to {}", members[0], members[members.len() - 1]),
        };
        (Some(value), members.iter().flat_map(|value| of[value].iter().copied()).collect())
    };
    found.into_iter().map(group).collect()
}

impl TraitGroup {
    fn new(
        (value, annotators, labels): (Option<String>, BTreeSet<usize>, usize),
        given: &[TraitLabel],
        measured: &LabelledSample<'_>,
    ) -> Self {
        let (own, others): (Vec<&TraitLabel>, Vec<&TraitLabel>) =
            given.iter().partition(|label| annotators.contains(&label.annotator));
        let against = |label: &TraitLabel| label.against;
        let (of_own, of_others) = (by_item(&own, against), by_item(&others, against));
        let (design, values) = (measured.design, measured.over(&of_own));
        let both = of_own.iter().filter_map(|(item, own)| Some((*item, own - of_others.get(item)?))).collect();
        let share = |(class, name): (usize, &String)| {
            let shares = by_item(&own, |label| f64::from(u8::from(label.class == Some(class))));
            ClassShare { class: name.clone(), share: design.estimate(&Ask::share(&measured.over(&shares))) }
        };
        Self {
            value,
            annotators: own.iter().map(|label| label.annotator).collect::<BTreeSet<_>>().len(),
            labels,
            items: of_own.len(),
            agreement: (!measured.ordered).then(|| design.estimate(&Ask::share(&values))),
            deviation: measured.ordered.then(|| design.estimate(&Ask::mean(&values))),
            with_others: Some(with_others(measured, &own)),
            against_others: paired(measured, &both),
            shares: measured.classes.iter().enumerate().map(share).collect(),
        }
    }
}

/// The mean if other people had labelled as well, each annotator with the mean over their labels of an item.
fn with_others(measured: &LabelledSample<'_>, own: &[&TraitLabel]) -> Estimable {
    let mut sums: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
    for label in own {
        let sum = sums.entry((label.item, label.annotator)).or_default();
        *sum = (sum.0 + label.against, sum.1 + 1.0);
    }
    let of = |((item, annotator), (sum, number)): ((usize, usize), (f64, f64))| {
        let place = measured.items.binary_search(&item).expect("a labelled item");
        LabelScore::single(place, annotator, sum / number)
    };
    let over_items = if measured.ordered { Ask::mean(&[]) } else { Ask::share(&[]) };
    measured.design.crossed(&sums.into_iter().map(of).collect::<Vec<_>>(), over_items)
}

fn paired(measured: &LabelledSample<'_>, differences: &BTreeMap<usize, f64>) -> Estimable {
    if differences.is_empty() {
        return Estimable::not("no item was labelled by these annotators and by others");
    }
    measured.design.estimate(&Ask::difference(&measured.over(differences), false))
}

/// Per item the mean over its annotators, each with the mean over their labels of it.
fn by_item(labels: &[&TraitLabel], of: impl Fn(&TraitLabel) -> f64) -> BTreeMap<usize, f64> {
    let mut sums: BTreeMap<usize, BTreeMap<usize, (f64, f64)>> = BTreeMap::new();
    for label in labels {
        let sum = sums.entry(label.item).or_default().entry(label.annotator).or_default();
        *sum = (sum.0 + of(label), sum.1 + 1.0);
    }
    let mean = |of: BTreeMap<usize, (f64, f64)>| {
        let annotators = of.len() as f64;
        of.into_values().map(|(sum, labels)| sum / labels).sum::<f64>() / annotators
    };
    sums.into_iter().map(|(item, of)| (item, mean(of))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Labels of classes on items that were drawn at random.
    fn measured<'a>(classes: &'a [String], items: &'a [usize], design: &'a Design) -> LabelledSample<'a> {
        LabelledSample { classes, ordered: false, items, design }
    }

    fn random(items: usize) -> (Vec<usize>, Design) {
        ((0..items).collect(), Design::random((0..items).collect()))
    }

    fn label(item: usize, annotator: usize, class: usize, judged: usize) -> TraitLabel {
        TraitLabel { item, annotator, against: f64::from(u8::from(class == judged)), class: Some(class) }
    }

    #[test]
    fn a_group_by_hand() {
        // Items 0 to 23, judged 0 if even. Annotator 0 says 0 always, annotator 1 what the judge says, but not of item
        // 0.
        let given: Vec<TraitLabel> =
            (0..24).flat_map(|i| [label(i, 0, 0, i % 2), label(i, 1, if i == 0 { 1 } else { i % 2 }, i % 2)]).collect();
        let classes = ["no", "yes"].map(str::to_owned);
        let (items, design) = random(24);
        let measured = measured(&classes, &items, &design);
        let told = Trait::new("Gender", &[Some("f"), Some("m")], &given, &measured);
        let of = |value: &str| told.groups.iter().find(|group| group.value.as_deref() == Some(value)).unwrap();
        let value = |found: &Estimable| found.estimate().map(|found| found.value);
        let f = of("f");
        assert_eq!((f.annotators, f.labels, f.items), (1, 24, 24));
        assert_eq!(value(f.agreement.as_ref().unwrap()), Some(0.5));
        // 12 items of 24 less by disagreeing, one more by item 0.
        assert!((value(&f.against_others).unwrap() + 11.0 / 24.0).abs() < 1e-12);
        assert_eq!(f.shares.iter().map(|one| value(&one.share)).collect::<Vec<_>>(), [Some(1.0), Some(0.0)]);
        assert_eq!(value(of("m").agreement.as_ref().unwrap()), Some(23.0 / 24.0));
        assert_eq!(told.left_out, 0);
        assert!(f.with_others.as_ref().unwrap().reason().unwrap().contains("labels of 1 annotators"));
    }

    #[test]
    fn few_items_have_a_reason_in_place_of_a_number() {
        let given = [label(0, 0, 0, 0), label(1, 1, 0, 0)];
        let classes = ["no", "yes"].map(str::to_owned);
        let (items, design) = random(2);
        let told = Trait::new("Age", &[Some("f"), None], &given, &measured(&classes, &items, &design));
        assert_eq!(told.groups.iter().map(|group| group.value.as_deref()).collect::<Vec<_>>(), [Some("f"), None]);
        let reason = |found: &Estimable| found.reason().unwrap().to_owned();
        assert!(reason(told.groups[0].agreement.as_ref().unwrap()).contains("1 items have what it takes"));
        assert!(reason(&told.groups[0].against_others).contains("by these annotators and by others"));
        assert!(told.groups[0].shares.iter().all(|one| one.share.estimate().is_none()));
    }

    #[test]
    fn an_annotator_counts_once_an_item_however_often_they_rate_it() {
        let rating = |annotator: usize, against: f64| TraitLabel { item: 0, annotator, against, class: None };
        let labels = [rating(0, 1.0), rating(0, 3.0), rating(1, 5.0)];
        assert_eq!(by_item(&labels.iter().collect::<Vec<_>>(), |label| label.against), [(0, 3.5)].into());
    }

    #[test]
    fn many_numbers_are_told_in_ranges() {
        let ages: Vec<String> = (0..40).map(|k| (18 + k % 20).to_string()).collect();
        let values: Vec<Option<&str>> = ages.iter().map(|age| Some(age.as_str())).collect();
        let names = |groups: Vec<(Option<String>, BTreeSet<usize>)>| {
            groups.into_iter().map(|(value, annotators)| (value, annotators.len())).collect::<Vec<_>>()
        };
        let range = |from: &str, n| (Some(from.to_owned()), n);
        let expected =
            [range("18 to 22", 10), range("23 to 27", 10), range("28 to 32", 10), range("33 to 37", 10), (None, 0)];
        assert_eq!(names(grouped(&values)), expected);
        // Few numbers, and words among them, stay as they are.
        assert_eq!(names(grouped(&[Some("10"), Some("9"), Some("9")])), [range("9", 2), range("10", 1), (None, 0)]);
        let odd: Vec<Option<&str>> = values.iter().copied().chain([Some("old")]).collect();
        assert_eq!(grouped(&odd).len(), 22);
    }

    #[test]
    fn values_beyond_the_limit_are_left_out_and_counted() {
        let names: Vec<String> = (0..25).map(|k| format!("v{k:02}")).collect();
        let values: Vec<Option<&str>> = names.iter().map(|name| Some(name.as_str())).chain([None]).collect();
        let given: Vec<TraitLabel> = (0..26).flat_map(|a| (0..=a).map(move |item| label(item, a, 0, 0))).collect();
        let classes = ["no", "yes"].map(str::to_owned);
        let (items, design) = random(26);
        let told = Trait::new("City", &values, &given, &measured(&classes, &items, &design));
        assert_eq!((told.groups.len(), told.left_out), (21, 5));
        assert_eq!(told.groups[0].value.as_deref(), Some("v24"));
        assert!(told.groups[20].value.is_none());
    }
}

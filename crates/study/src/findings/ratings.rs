//! Every answer with its item and its rater: the relation from which every finding is computed.

use std::collections::BTreeSet;
use std::ops::Index;

use judge_uncertainty_core::belief::mean_place;
use judge_uncertainty_core::stats::estimator::{Ask, Design, LEAST_ITEMS};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_formats::judge::CONFIDENCE_RANGE;
use judge_uncertainty_system::numbers::three;

use super::side;
use super::trust::{Values, ask};
use crate::input::config::JudgeConfig;
use crate::input::items::Grouping;
use crate::input::labels::Labels;
use crate::input::scale::Scale;
use crate::input::spelling::is_good;
use crate::model::chosen::population_of;
use crate::model::study::Study;
use crate::model::study::largest;

/// Items with the answers of two systems; labels name the better one.
#[derive(Debug, Clone, PartialEq)]
pub struct Contests {
    /// Names of the systems, in the order of the alphabet.
    pub names: Vec<String>,
    /// The positions of each item's two.
    pub of: Vec<[usize; 2]>,
    /// The classes that say that the first of them won, or the second; any other is a tie.
    pub sides: [usize; 2],
}

impl Contests {
    /// What system `system` wins in an item where the class is `answer`: 1, of a tie ½; `None` where it does not take part.
    pub fn won(&self, item: usize, system: usize, answer: f64) -> Option<f64> {
        let side = self.of[item].iter().position(|known| *known == system)?;
        Some(match self.sides.map(|class| class as f64 == answer) {
            [false, false] => 0.5,
            won => f64::from(u8::from(won[side])),
        })
    }
}

/// One list for each item, all in one piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Lists<T> {
    all: Vec<T>,
    /// Where each ends.
    ends: Vec<u32>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { all: vec![], ends: vec![] }
    }
}

impl<T> Lists<T> {
    /// Room for so many lists of one.
    pub fn with_capacity(lists: usize) -> Self {
        Self { all: Vec::with_capacity(lists), ends: Vec::with_capacity(lists) }
    }

    /// Adds the list of the next item.
    pub fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.all.extend(list);
        self.ends.push(u32::try_from(self.all.len()).expect("a study has fewer answers"));
    }
}

impl<T> FromIterator<Vec<T>> for Lists<T> {
    fn from_iter<I: IntoIterator<Item = Vec<T>>>(lists: I) -> Self {
        let mut all = Self::default();
        lists.into_iter().for_each(|list| all.push(list));
        all
    }
}

impl<T> Index<usize> for Lists<T> {
    type Output = [T];

    fn index(&self, item: usize) -> &[T] {
        let start = item.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..self.ends[item] as usize]
    }
}

/// The answers of judge and people to every item of a study, and what each item is.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// What answers can be.
    pub scale: Scale,
    /// The cluster of each item, by number.
    pub clusters: Vec<usize>,
    /// The judge's answer: of several the most frequent, on a scale their mean.
    pub verdict: Vec<f64>,
    /// The judge's answers, one for each of its variants that answered.
    pub repeats: Lists<f64>,
    /// Whether each of them counts: verdicts of a judge that was asked several times. Distributions are averaged.
    pub is_repeated: bool,
    /// What the judge predicts of each quantity ([`Ratings::quantities`]).
    pub predicted: Lists<f64>,
    /// How sure the judge is by its own statement, on the scale that it uses; empty where it states nothing.
    pub(super) confidence: Vec<Option<f64>>,
    /// Different answers of people, each with how many gave it.
    pub people: Lists<(f64, f64)>,
    /// Those that count in means, where not all do. Labels that a queue by rank asked for of labelled items do not; where items
    /// with two labels do not stand for the others, those of the annotator who labelled nearly all do.
    pub(super) counted: Option<Lists<(f64, f64)>>,
    /// Why items with two labels do not stand for the others; `None` where nothing shows it.
    pub unlike_pairs: Option<String>,
    /// That labels of further people do not count in means, where people who labelled every item do.
    pub left_out: Option<String>,
    /// Groups, where a column names them.
    pub group: Option<Grouping>,
    /// Systems, where a column names them.
    pub system: Option<Grouping>,
    /// Two systems compared, where columns name them.
    pub contests: Option<Contests>,
    /// What the judge's error may depend on, by name.
    pub covariates: Vec<(String, Vec<Option<f64>>)>,
}

/// A quantity whose mean over all items is estimated: a class's share, or the mean itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// The share of a class, by its position.
    Share(usize),
    /// The mean.
    Mean,
}

impl Statistic {
    /// Its value where this is the answer.
    pub fn of(self, answer: f64) -> f64 {
        match self {
            Self::Share(class) => f64::from(u8::from(answer == class as f64)),
            Self::Mean => answer,
        }
    }
}

impl Ratings {
    /// The answers in a study.
    pub(crate) fn from_study(study: &Study) -> Self {
        let config = &study.file.config;
        let places = config.scale.places();
        let answer_of = |shares: &[f64]| match places {
            Some(places) => mean_place(shares, places),
            None => largest(shares.iter().copied()) as f64,
        };
        let all: Vec<usize> = (0..study.len()).collect();
        let clusters = study.items.clusters(&all);
        // Into room for them.
        let set_shares = |weights: &[f64], to: &mut Vec<f64>| {
            let sum: f64 = weights.iter().sum();
            to.clear();
            match study.judge.is_verdicts {
                // A verdict that is read as a distribution keeps its class as the likeliest.
                true => {
                    let class = largest(weights.iter().copied());
                    to.extend((0..weights.len()).map(|k| f64::from(u8::from(k == class))));
                }
                false => to.extend(weights.iter().map(|weight| weight / sum)),
            }
        };
        let mut ratings = Self {
            clusters: if clusters.is_empty() { all.clone() } else { clusters },
            verdict: Vec::with_capacity(study.len()),
            repeats: Lists::with_capacity(study.len()),
            is_repeated: study.judge.is_verdicts && places.is_none(),
            predicted: Lists::with_capacity(study.len()),
            confidence: stated_confidence(study),
            people: people(&study.labels, study.len(), places),
            counted: study.without_asked_by_rank().map(|labels| people(&labels, study.len(), places)),
            unlike_pairs: None,
            left_out: None,
            group: study.items.groups.clone(),
            system: study.items.systems.clone(),
            contests: contests(study),
            covariates: study.items.covariates.clone(),
            scale: config.scale.clone(),
        };
        let quantities = ratings.quantities();
        let (mut one, mut shares, mut repeats) = (vec![], vec![], vec![]);
        for &item in &all {
            let said = || study.judge.answers.iter().flat_map(move |answers| answers.answers(item));
            let answers = said().count() as f64;
            let Some(first) = said().next() else {
                let score = study.judge.predictions[[item, 0]];
                ratings.verdict.push(score);
                ratings.repeats.push(study.judge.scores[item].iter().copied());
                ratings.predicted.push([score]);
                continue;
            };
            shares.clear();
            shares.resize(first.len(), 0.0);
            repeats.clear();
            for weights in said() {
                set_shares(weights, &mut one);
                shares.iter_mut().zip(&one).for_each(|(sum, x)| *sum += x / answers);
                repeats.push(answer_of(&one));
            }
            let verdict = answer_of(&shares);
            let predicted = quantities.iter().map(|quantity| match quantity {
                Statistic::Share(class) => shares[*class],
                Statistic::Mean => verdict,
            });
            ratings.predicted.push(predicted);
            ratings.repeats.push(repeats.iter().copied());
            ratings.verdict.push(verdict);
        }
        if ratings.counted.is_none() && all.iter().any(|&item| ratings.between(item).is_some()) {
            let main = study.labels.of_main_annotators(ratings.labelled().len());
            ratings.counted = main.map(|labels| people(&labels, study.len(), places));
            let number = |of: &[(f64, f64)]| of.iter().map(|(_, n)| n).sum::<f64>();
            let has_more = |&item: &usize| {
                let least = ratings.counted.as_ref().map_or(1.0, |counted| number(&counted[item]));
                number(&ratings.people[item]) > least
            };
            let unlike = ratings.unlike_further(&all.iter().map(has_more).collect::<Vec<_>>());
            ratings.counted.take_if(|_| unlike.is_none());
            // People who labelled every item tell how far they agree.
            let has_pairs = ratings.counted.is_some() && all.iter().any(|&item| ratings.between(item).is_some());
            let only = "Of people those count who labelled every item, as";
            ratings.left_out = unlike.as_ref().filter(|_| has_pairs).map(|why| format!("{only} {why}."));
            let advised = unlike.filter(|_| !has_pairs);
            ratings.unlike_pairs = advised.map(|why| format!("{why}; have a second person label random items"));
        }
        ratings
    }

    /// Why items with more labels than the main annotators', those marked by `has_more`, do not stand for the others: the judge
    /// differs from the main annotators more or less there, or these answer otherwise, or differ from each other, at the level of
    /// 1 in 1,000. Further labels that were asked for because of the first, as to settle where a person and the judge or two
    /// people differ, tell neither how far people agree nor how the judge does beside them.
    fn unlike_further(&self, has_more: &[bool]) -> Option<String> {
        let labelled = self.labelled();
        let design = Design::random(labelled.iter().map(|&item| self.clusters[item]).collect());
        let side_of = |value: &dyn Fn(usize) -> Option<f64>| {
            let values = |is: bool| -> Vec<Option<f64>> {
                labelled.iter().map(|&item| value(item).filter(|_| has_more[item] == is)).collect()
            };
            let [more, others] = [true, false].map(values);
            let [one, other] = [&more, &others].map(|values| ask(self, values, Values::Distances).among(50));
            side(&design.contrast(&one, &other))
        };
        let low = if self.scale.nominal().is_some() { 0.0 } else { self.scale.range().0 };
        let than = |side: i8| if side > 0 { "more" } else { "less" };
        let answers = || {
            let of = |quantity| side_of(&|item| Some(self.observed(item, quantity)? - low));
            self.quantities().into_iter().map(of).find(|side| *side != 0)
        };
        let what = match (side_of(&|item| Some(self.judge_miss(item))), side_of(&|item| self.between(item))) {
            (0, 0) => answers().map(|_| "people answer otherwise".to_owned())?,
            (0, side) => format!("people differ {}", than(side)),
            (side, _) => format!("the judge differs from people {}", than(side)),
        };
        Some(format!("items with further labels are not like the others: {what} there"))
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.verdict.len()
    }

    /// The judge's answer for an item as people read it: its class or place, or a number of six digits at most.
    pub fn judged(&self, item: usize) -> String {
        let answer = self.verdict[item];
        let exact = self.scale.text(answer);
        if exact.parse() != Ok(answer) {
            return exact.into_owned();
        }
        self.scale.text(format!("{answer:.5e}").parse().unwrap_or(answer)).into_owned()
    }

    /// How sure the judge is of an item by its own statement, on the scale that it uses.
    pub fn confidence(&self, item: usize) -> Option<f64> {
        self.confidence.get(item).copied().flatten()
    }

    /// The confidences that it states.
    pub fn confidences(&self) -> impl Iterator<Item = f64> {
        self.confidence.iter().flatten().copied()
    }

    /// The items that people have labelled.
    pub fn labelled(&self) -> Vec<usize> {
        (0..self.len()).filter(|&item| !self.people[item].is_empty()).collect()
    }

    /// What is estimated about all items: of two classes the share of the good one (`pass`, `yes`, ...), or else of the
    /// second; of more every share; on a scale the mean.
    pub fn quantities(&self) -> Vec<Statistic> {
        match &self.scale {
            Scale::Classes(names) if names.len() == 2 => {
                vec![Statistic::Share(if is_good(&names[0]) && !is_good(&names[1]) { 0 } else { 1 })]
            }
            Scale::Classes(names) => (0..names.len()).map(Statistic::Share).collect(),
            Scale::Places(_) | Scale::Scores(..) => vec![Statistic::Mean],
        }
    }

    /// The name of a quantity: the class whose share it is, or `mean`.
    pub fn name(&self, quantity: Statistic) -> String {
        match quantity {
            Statistic::Share(class) => self.scale.text(class as f64).into_owned(),
            Statistic::Mean => "mean".to_owned(),
        }
    }

    /// The different answers of people to an item that count in means, each with how many gave it.
    fn counted(&self, item: usize) -> &[(f64, f64)] {
        &self.counted.as_ref().unwrap_or(&self.people)[item]
    }

    /// The mean over the people of an item.
    pub fn over_people(&self, item: usize, value: impl Fn(f64) -> f64) -> f64 {
        let (sum, people) =
            self.counted(item).iter().fold((0.0, 0.0), |(sum, all), (answer, n)| (sum + n * value(*answer), all + n));
        sum / people
    }

    /// How far an answer lies from those of the people of an item, on average.
    pub fn miss(&self, item: usize, answer: f64) -> f64 {
        self.over_people(item, |human| self.scale.apart(answer, human))
    }

    /// The mean over the judge's answers about an item: of several verdicts each counts, so that a split vote is shares of
    /// its classes.
    pub fn over_judge(&self, item: usize, value: impl Fn(f64) -> f64) -> f64 {
        match &self.repeats[item] {
            answers @ [_, _, ..] if self.is_repeated => {
                answers.iter().map(|answer| value(*answer)).sum::<f64>() / answers.len() as f64
            }
            _ => value(self.verdict[item]),
        }
    }

    /// How far the judge's answers lie from those of the people of an item, on average.
    pub fn judge_miss(&self, item: usize) -> f64 {
        self.over_judge(item, |answer| self.miss(item, answer))
    }

    /// How far the people of an item are apart, over their pairs; `None` where there is one person.
    pub fn between(&self, item: usize) -> Option<f64> {
        pairs(self.counted(item), |a, b| self.scale.apart(a, b))
    }

    /// How far the judge's answers about an item are apart; `None` where it gave one.
    pub fn within(&self, item: usize) -> Option<f64> {
        let answers = &self.repeats[item];
        let once = || answers.iter().map(|answer| (*answer, 1.0)).collect::<Vec<_>>();
        (answers.len() > 1).then(|| pairs(&once(), |a, b| self.scale.apart(a, b)))?
    }

    /// What the judge predicts of a value of the classes: the mean over its shares.
    pub fn expected(&self, item: usize, value: impl Fn(f64) -> f64) -> f64 {
        let shares = &self.predicted[item];
        match (self.quantities().as_slice(), shares) {
            ([Statistic::Share(class)], [share]) => {
                share * value(*class as f64) + (1.0 - share) * value(1.0 - *class as f64)
            }
            ([Statistic::Mean], [mean]) => value(*mean),
            (_, shares) => shares.iter().enumerate().map(|(class, share)| share * value(class as f64)).sum(),
        }
    }

    /// The mean answer of an item's annotators for a quantity; `None` if it has no label.
    pub fn observed(&self, item: usize, quantity: Statistic) -> Option<f64> {
        (!self.people[item].is_empty()).then(|| self.over_people(item, |human| quantity.of(human)))
    }

    /// Says how `labelled` items differ from all in what the judge says of them, beyond chance: the mean over all items of
    /// what it predicts, or of its confidence, lies outside the interval that the labelled ones give for it; the intervals of
    /// all quantities hold together with 95%. `None` where it does not, and with fewer than 20 items with labels or without.
    pub fn unlike(&self, labelled: &[usize]) -> Option<String> {
        if labelled.len() < LEAST_ITEMS || self.len() - labelled.len() < LEAST_ITEMS {
            return None;
        }
        let clusters: Vec<usize> = labelled.iter().map(|&item| self.clusters[item]).collect();
        let (all, of_labelled) =
            (self.clusters.iter().max().map_or(0, |last| last + 1), BTreeSet::from_iter(&clusters).len());
        let population = population_of(all, of_labelled, labelled.len(), self.len());
        let design = Design::random_of(clusters, population);
        let quantities = self.quantities();
        let differs = |name: &str, value: &dyn Fn(usize) -> Option<f64>| {
            let all: Vec<f64> = (0..self.len()).filter_map(value).collect();
            let ends = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
            let own: Vec<Option<f64>> = labelled.iter().map(|&item| value(item)).collect();
            let asked = Ask::mean(&own).within(ends.0, ends.1).of_study().among(quantities.len() + 1);
            let (found, of_all) = (design.estimate(&asked), mean(&all));
            let found = *found.estimate()?;
            (of_all < found.lo - 1e-9 || of_all > found.hi + 1e-9).then(|| {
                format!(
                    "the labelled items are not like the others: {name} is {} on them and {} on all items, more apart \
                     than chance explains",
                    three(found.value),
                    three(of_all)
                )
            })
        };
        let of_quantity = |(k, quantity): (usize, &Statistic)| {
            let name = match quantity {
                Statistic::Share(_) => format!("the judge's share of {:?}", self.name(*quantity)),
                Statistic::Mean => "the judge's mean".to_owned(),
            };
            differs(&name, &|item| Some(self.predicted[item][k]))
        };
        let predicted = quantities.iter().enumerate().find_map(of_quantity);
        predicted.or_else(|| differs("its mean confidence", &|item| self.confidence(item)))
    }
}

/// The contests of a study; `None` without the names of two systems, or where no classes stand for their wins.
fn contests(study: &Study) -> Option<Contests> {
    let pairs = study.items.pairs.as_ref()?;
    let sides = sides(study)?;
    let Grouping { names, of } = Grouping::new(pairs.as_flattened().iter().map(String::as_str));
    let (of, _) = of.as_chunks::<2>();
    Some(Contests { names, of: of.to_vec(), sides })
}

/// The positions of the classes for the first and for the second of two answers; `None` where the study has none.
pub(super) fn sides(study: &Study) -> Option<[usize; 2]> {
    let config = &study.file.config;
    let class = |name: String| config.scale.classes().iter().position(|class| *class == name);
    let [first, second] = config.sides()?.map(class);
    Some([first?, second?])
}

/// The confidence that the judge states, on its own scale.
fn stated_confidence(study: &Study) -> Vec<Option<f64>> {
    let (low, high) = CONFIDENCE_RANGE;
    let (least, most) = match &study.file.config.judge {
        JudgeConfig::Classes(judge) => judge.confidence_range.unwrap_or(CONFIDENCE_RANGE),
        JudgeConfig::Ratings(_) => CONFIDENCE_RANGE,
    };
    let stated = |c: &Option<f64>| c.map(|c| least + (c - low) / (high - low) * (most - least));
    study.judge.confidence.iter().map(stated).collect()
}

/// The answers of people to each item; of scores the mean of each annotator's.
fn people(labels: &Labels, items: usize, places: Option<&[f64]>) -> Lists<(f64, f64)> {
    let (counts, mut people) = (&labels.counts, Lists::with_capacity(items));
    if counts.ncols() > 0 {
        let answer = |class: usize| places.map_or(class as f64, |places| places[class]);
        for row in counts.rows() {
            let given = row.iter().enumerate().filter(|(_, n)| **n > 0);
            people.push(given.map(|(class, n)| (answer(class), f64::from(*n))));
        }
        return people;
    }
    let mut means = vec![];
    labels.by_annotator(|item, scores| means.push((item, mean(&scores))));
    let mut rest = means.into_iter().peekable();
    for item in 0..items {
        let own = std::iter::from_fn(|| rest.next_if(|(other, _)| *other == item));
        people.push(own.map(|(_, mean)| (mean, 1.0)));
    }
    people
}

/// The mean over pairs of people; `None` where there is one.
fn pairs(answers: &[(f64, f64)], apart: impl Fn(f64, f64) -> f64) -> Option<f64> {
    let people: f64 = answers.iter().map(|(_, n)| n).sum();
    if people < 2.0 {
        return None;
    }
    let all = (0..answers.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    let sum = all.fold(0.0, |sum, (i, j)| sum + answers[i].1 * answers[j].1 * apart(answers[i].0, answers[j].0));
    Some(sum / (0.5 * people * (people - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_who_agree_or_not_over_their_pairs() {
        let differ = |a: f64, b: f64| f64::from(u8::from(a != b));
        // Three say 0 and one says 1: 3 of 6 pairs differ.
        assert_eq!(pairs(&[(0.0, 3.0), (1.0, 1.0)], differ), Some(0.5));
        assert_eq!(pairs(&[(0.0, 2.0)], differ), Some(0.0));
        assert_eq!(pairs(&[(0.0, 1.0)], differ), None);
    }
}

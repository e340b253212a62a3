//! The judge's answers under several wordings of the prompt, and what is predicted from them.

use ndarray::Array2;

use super::error::{Error, Place, Problem, Result, list};
use super::items::ItemIds;

/// The scale of stated confidence.
pub const CONFIDENCE_RANGE: (f64, f64) = (0.0, 100.0);

/// All that the judge said about some items: under each of its variants a list of numbers, or nothing.
///
/// Of classes the numbers are weights of 0 or more, on any scale (shares, percentages, expected counts); of scores the
/// expected mean and, where it is stated, the expected variance.
#[derive(Debug, Clone)]
pub struct JudgeAnswers {
    variants: usize,
    width: usize,
    /// Items x variants x width, one after the other; NaN where nothing is said.
    numbers: Vec<f64>,
    /// Stated confidence of each item, 0 to 100; empty where no item has one.
    confidence: Vec<Option<f64>>,
    /// The answers that the judge gave after it was shown the labels collected so far; empty where it gave none.
    self_updates: Vec<Option<Vec<f64>>>,
}

/// The judge's answers to all items, checked.
#[derive(Debug, Clone)]
pub struct JudgeVariants {
    ids: ItemIds,
    classes: Vec<String>,
    variants: Vec<String>,
    answers: JudgeAnswers,
}

/// What the judge predicts for every item: the input of the trust regression.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    /// Predicted label distribution, items x classes; each row sums to 1.
    pub q: Array2<f64>,
    /// How far the prompt variants are apart, in probability units; `None` with fewer than two answers.
    pub spread: Vec<Option<f64>>,
    /// Stated confidence, 0 to 100.
    pub confidence: Vec<Option<f64>>,
}

impl JudgeVariants {
    /// Checks the answers for all items in the order of `ids`.
    ///
    /// # Errors
    /// Too few classes; another number of items, variants or classes than named; an answer with a negative or
    /// non-finite weight or without a positive one; a confidence outside 0 to 100.
    pub fn new(ids: ItemIds, classes: Vec<String>, variants: Vec<String>, answers: JudgeAnswers) -> Result<Self> {
        if classes.len() < 2 || (1..classes.len()).any(|k| classes[..k].contains(&classes[k])) {
            let reason = format!("{} are not classes", list(&classes));
            return Err(Error::unfit(Place::default(), reason, "name two or more classes, each once"));
        }
        let shape =
            |(items, variants, classes)| format!("{items} items x {variants} prompt variants x {classes} classes");
        let found = (answers.len(), answers.variants, answers.width);
        let expected = (ids.len(), variants.len(), classes.len());
        if found != expected {
            let problem = Problem::Shape { found: shape(found), expected: shape(expected) };
            return Err(Error::refused(Place::default(), problem));
        }
        for (i, id) in ids.iter().enumerate() {
            answers.check(i).map_err(|problem| Error::refused(Place::item(id), problem))?;
        }
        Ok(JudgeVariants { ids, classes, variants, answers })
    }

    /// Replaces the weights of every answer by a function of these weights and of the item's stated confidence.
    ///
    /// # Errors
    /// The new weights are not a valid answer, as in [`Self::new`].
    pub fn with_answers(mut self, replace: impl Fn(&mut [f64], Option<f64>)) -> Result<Self> {
        for i in 0..self.ids.len() {
            let confidence = self.answers.confidence(i);
            for weights in self.answers.of_mut(i).filter(|weights| !weights[0].is_nan()) {
                replace(weights, confidence);
            }
            self.answers.check(i).map_err(|problem| Error::refused(Place::item(&self.ids[i]), problem))?;
        }
        Ok(self)
    }

    /// The items.
    pub fn ids(&self) -> &ItemIds {
        &self.ids
    }

    /// Names of the classes, in the order of the weights of an answer.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Names of the prompt variants.
    pub fn variants(&self) -> &[String] {
        &self.variants
    }

    /// The weights of item `i`'s answer under a variant, by position; `None` where the judge gave none.
    pub fn answer(&self, i: usize, variant: usize) -> Option<&[f64]> {
        self.answers.answer(i, variant)
    }

    /// The answers to item `i` under the variants that have one.
    pub fn answers(&self, i: usize) -> impl Iterator<Item = &[f64]> {
        self.answers.of(i).flatten()
    }

    /// The confidence that the judge states of item `i`, 0 to 100.
    pub fn confidence(&self, i: usize) -> Option<f64> {
        self.answers.confidence(i)
    }

    /// Shares of the judge's own updated answer for item `i`, where it gave one.
    pub fn self_update(&self, i: usize) -> Option<Vec<f64>> {
        self.answers.self_updates.get(i)?.as_deref().map(|update| shares(update).collect())
    }

    /// Predicts each item's label distribution from the variants that have an answer.
    ///
    /// With s\[v\]\[j\] the share of class j in the answer under variant v (the answer divided by its sum), V the
    /// number of variants with an answer and K the number of classes:
    ///
    /// ```text
    /// q[j]   = (1/V) sum_v s[v][j]
    /// spread = (1/K) sum_j sqrt( (1/V) sum_v (s[v][j] - q[j])^2 )
    /// ```
    ///
    /// With a `floor`, q\[j\] is then raised to at least `floor` and the row divided by its sum, so that no class is
    /// impossible: the trust regression is undefined where a class of probability 0 was labelled. The spread is taken
    /// before. All sums run from left to right.
    ///
    /// # Errors
    /// A floor outside the open range from 0 to 1/K; an item without any answer.
    pub fn aggregate(&self, floor: Option<f64>) -> Result<Predictions> {
        self.aggregate_of(0..self.ids.len(), floor)
    }

    /// As [`Self::aggregate`], of the items at these positions.
    fn aggregate_of(&self, kept: impl ExactSizeIterator<Item = usize>, floor: Option<f64>) -> Result<Predictions> {
        let classes = self.classes.len();
        if let Some(floor) = floor
            && !(floor > 0.0 && floor * (classes as f64) < 1.0)
        {
            let reason = format!("the floor {floor} is outside the open range from 0 to 1/{classes}");
            return Err(Error::unfit(Place::default(), reason, "choose a smaller positive share, such as 0.005"));
        }
        let mut q = Array2::zeros((kept.len(), classes));
        let (mut spread, mut confidence) = (Vec::with_capacity(kept.len()), Vec::with_capacity(kept.len()));
        // One answer after the other.
        let mut answered: Vec<f64> = vec![];
        for (i, mut row) in kept.zip(q.rows_mut()) {
            answered.clear();
            for answer in self.answers(i) {
                answered.extend(shares(answer));
            }
            if answered.is_empty() {
                return Err(Error::refused(Place::item(&self.ids[i]), Problem::NoAnswer));
            }
            let of_class = |j: usize| answered.iter().skip(j).step_by(classes).copied();
            row.iter_mut().enumerate().for_each(|(j, cell)| *cell = mean(of_class(j)));
            let sd = |j: usize| mean(of_class(j).map(|share| (share - row[j]).powi(2))).sqrt();
            spread.push((answered.len() > classes).then(|| mean((0..classes).map(sd))));
            confidence.push(self.confidence(i));
            if let Some(floor) = floor {
                row.mapv_inplace(|mean| mean.max(floor));
                let sum = row.iter().sum::<f64>();
                row.mapv_inplace(|weight| weight / sum);
            }
        }
        Ok(Predictions { q, spread, confidence })
    }

    /// What each variant predicts by itself of the items at positions `kept`, in the order of [`Self::variants`]: its
    /// shares, raised to at least `floor` and divided by their sum. Where a variant has no answer its prediction is that
    /// of all, as [`Self::aggregate`] has it.
    ///
    /// # Errors
    /// As [`Self::aggregate`].
    pub fn by_variant(&self, kept: &[usize], floor: f64) -> Result<Vec<Array2<f64>>> {
        let of_all = self.aggregate_of(kept.iter().copied(), Some(floor))?.q;
        let of_variant = |v: usize| {
            let mut q = of_all.clone();
            for (&i, mut row) in kept.iter().zip(q.rows_mut()) {
                if let Some(answer) = self.answer(i, v) {
                    row.iter_mut().zip(shares(answer)).for_each(|(cell, share)| *cell = share.max(floor));
                    let sum = row.iter().sum::<f64>();
                    row.mapv_inplace(|weight| weight / sum);
                }
            }
            q
        };
        Ok((0..self.variants.len()).map(of_variant).collect())
    }
}

impl JudgeAnswers {
    /// Nothing yet, of so many items under so many variants; an answer has `width` numbers.
    pub fn new(items: usize, variants: usize, width: usize) -> Self {
        let numbers = vec![f64::NAN; items * variants * width];
        Self { variants, width, numbers, confidence: vec![], self_updates: vec![] }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.numbers.len() / (self.variants * self.width).max(1)
    }

    /// The positions of all variants.
    pub fn all(&self) -> Vec<Option<usize>> {
        (0..self.variants).map(Some).collect()
    }

    fn place(&self, item: usize, variant: usize) -> std::ops::Range<usize> {
        let start = (item * self.variants + variant) * self.width;
        start..start + self.width
    }

    /// The numbers of an answer; `None` where the judge gave none.
    pub fn answer(&self, item: usize, variant: usize) -> Option<&[f64]> {
        Some(&self.numbers[self.place(item, variant)]).filter(|numbers| !numbers[0].is_nan())
    }

    /// The numbers of an answer, all NaN where the judge gave none.
    pub fn answer_mut(&mut self, item: usize, variant: usize) -> &mut [f64] {
        let place = self.place(item, variant);
        &mut self.numbers[place]
    }

    /// The answers to an item under each variant.
    pub fn of(&self, item: usize) -> impl Iterator<Item = Option<&[f64]>> {
        (0..self.variants).map(move |variant| self.answer(item, variant))
    }

    fn of_mut(&mut self, item: usize) -> impl Iterator<Item = &mut [f64]> {
        let all = self.place(item, 0).start..self.place(item, self.variants).start;
        self.numbers[all].chunks_exact_mut(self.width)
    }

    /// Whether an item has an answer under any variant.
    pub fn has(&self, item: usize) -> bool {
        self.of(item).any(|answer| answer.is_some())
    }

    /// The confidence stated of an item.
    pub fn confidence(&self, item: usize) -> Option<f64> {
        self.confidence.get(item).copied().flatten()
    }

    /// States the confidence of an item, 0 to 100.
    pub fn set_confidence(&mut self, item: usize, confidence: Option<f64>) {
        note(&mut self.confidence, item, confidence);
    }

    /// Adds the answer that the judge gave of an item after it was shown labels.
    pub fn set_self_update(&mut self, item: usize, update: Option<Vec<f64>>) {
        note(&mut self.self_updates, item, update);
    }

    /// The answers to the items at these positions, under the variants at these; `None` has no answer.
    pub fn select(&self, items: &[usize], variants: &[Option<usize>]) -> Self {
        let mut selected = Self::new(items.len(), variants.len(), self.width);
        for (to, &item) in items.iter().enumerate() {
            for (own, from) in variants.iter().enumerate() {
                let answer = from.and_then(|from| self.answer(item, from));
                answer.into_iter().for_each(|answer| selected.answer_mut(to, own).copy_from_slice(answer));
            }
            selected.set_confidence(to, self.confidence(item));
            selected.set_self_update(to, self.self_updates.get(item).cloned().flatten());
        }
        selected
    }

    fn check(&self, item: usize) -> Result<(), Problem> {
        let update = self.self_updates.get(item).and_then(Option::as_deref);
        self.of(item).chain([update]).flatten().try_for_each(|answer| check_answer(answer, self.width))?;
        self.confidence(item).map_or(Ok(()), check_confidence)
    }
}

/// Puts a value at the place of an item, if there is one: a list is as long as the last value needs.
fn note<T: Clone>(values: &mut Vec<Option<T>>, item: usize, value: Option<T>) {
    if value.is_some() {
        values.resize(values.len().max(item + 1), None);
        values[item] = value;
    }
}

/// An answer has a finite weight of 0 or more for each class, and a positive finite sum.
fn check_answer(answer: &[f64], classes: usize) -> Result<(), Problem> {
    let weights = answer.iter().all(|weight| weight.is_finite() && *weight >= 0.0);
    let sum: f64 = answer.iter().sum();
    if answer.len() == classes && weights && sum > 0.0 && sum.is_finite() {
        return Ok(());
    }
    Err(Problem::NotADistribution { values: answer.to_vec(), classes })
}

/// Confidence is on the scale of [`CONFIDENCE_RANGE`].
pub(super) fn check_confidence(confidence: f64) -> Result<(), Problem> {
    let (low, high) = CONFIDENCE_RANGE;
    if (low..=high).contains(&confidence) { Ok(()) } else { Err(Problem::OutOfRange { value: confidence, low, high }) }
}

/// The weights divided by their sum.
fn shares(weights: &[f64]) -> impl Iterator<Item = f64> {
    let sum: f64 = weights.iter().sum();
    weights.iter().map(move |weight| weight / sum)
}

/// Plain mean, summed from left to right.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::super::items::names;
    use super::*;

    /// What the judge said of an item under two variants.
    type Said = [Option<[f64; 2]>; 2];

    fn answers(items: &[Said]) -> JudgeAnswers {
        let mut answers = JudgeAnswers::new(items.len(), 2, 2);
        for (i, said) in items.iter().enumerate() {
            for (v, weights) in said.iter().enumerate().filter_map(|(v, weights)| Some((v, weights.as_ref()?))) {
                answers.answer_mut(i, v).copy_from_slice(weights);
            }
        }
        answers
    }

    fn checked(answers: JudgeAnswers) -> Result<JudgeVariants> {
        let ids = ItemIds::new((0..answers.len()).map(|i| format!("item {i}")))?;
        JudgeVariants::new(ids, names(&["a", "b"]), names(&["plain", "strict"]), answers)
    }

    fn judge(items: &[Said]) -> Result<JudgeVariants> {
        checked(answers(items))
    }

    #[test]
    fn the_mean_and_spread_are_over_the_variants_that_have_an_answer() {
        // By hand: shares (3/4, 1/4) and (1/4, 3/4) have the mean 1/2 and the sd 1/4 for both classes.
        let judge = judge(&[[Some([3.0, 1.0]), Some([25.0, 75.0])], [None, Some([1.0, 3.0])]]);
        let predictions = judge.unwrap().aggregate(None).unwrap();
        assert_eq!(predictions.q, ndarray::array![[0.5, 0.5], [0.25, 0.75]]);
        assert_eq!(predictions.spread, [Some(0.25), None]);
    }

    #[test]
    fn a_floor_makes_every_class_possible_and_leaves_the_spread() {
        let judge = judge(&[[Some([100.0, 0.0]), Some([100.0, 0.0])]]).unwrap();
        let predictions = judge.aggregate(Some(0.25)).unwrap();
        // By hand: (1, 1/4) / (5/4).
        assert_eq!(predictions.q, ndarray::array![[0.8, 0.2]]);
        assert_eq!(predictions.spread, [Some(0.0)]);
        for floor in [0.0, 0.5, f64::NAN, -0.1] {
            let error = judge.aggregate(Some(floor)).unwrap_err().to_string();
            assert!(error.contains("outside the open range from 0 to 1/2; choose"), "{error}");
        }
    }

    #[test]
    fn an_item_without_an_answer_is_named() {
        let judge = judge(&[[Some([1.0, 0.0]), None], [None, None]]).unwrap();
        let error = judge.aggregate(None).unwrap_err().to_string();
        assert_eq!(
            error,
            "item \"item 1\": no prompt variant has an answer; add an answer of the judge, or remove the item"
        );
    }

    #[test]
    fn answers_that_are_no_distribution_are_refused() {
        let good = [Some([1.0, 0.0]), None];
        for bad in [[0.0, 0.0], [-1.0, 2.0], [1.0, f64::NAN], [f64::INFINITY, 1.0], [f64::MAX, f64::MAX]] {
            let error = judge(&[good, [None, Some(bad)]]).unwrap_err().to_string();
            assert!(error.starts_with("item \"item 1\": the answer ["), "{error}");
            assert!(error.contains("not a distribution over the 2 classes; give one finite"), "{error}");
        }
        let mut updated = answers(&[good]);
        updated.set_self_update(0, Some(vec![1.0, 1.0, 1.0]));
        assert!(checked(updated).is_err());
        for confidence in [-1.0, 100.5, f64::NAN] {
            let mut stated = answers(&[good]);
            stated.set_confidence(0, Some(confidence));
            let error = checked(stated).unwrap_err();
            assert!(error.to_string().contains("outside the range from 0 to 100; write"), "{error}");
        }
    }

    #[test]
    fn items_and_variants_are_selected_with_all_that_is_said_of_them() {
        let mut all = answers(&[[Some([3.0, 1.0]), None], [Some([1.0, 0.0]), Some([0.0, 2.0])]]);
        all.set_confidence(1, Some(70.0));
        let second = all.select(&[1, 0], &[Some(1), None]);
        assert_eq!([second.answer(0, 0), second.answer(0, 1)], [Some([0.0, 2.0].as_slice()), None]);
        assert_eq!((second.confidence(0), second.confidence(1)), (Some(70.0), None));
        assert!(second.has(0) && !second.has(1));
        let same = all.select(&[0, 1], &all.all());
        assert!((0..2).all(|item| same.of(item).eq(all.of(item)) && same.confidence(item) == all.confidence(item)));
    }
}

//! The judge's answers under several wordings of the prompt, and what is predicted from them.

use ndarray::Array2;

use super::error::{Error, Place, Problem, Result};
use super::items::{ItemIds, check_classes};

/// The scale of stated confidence.
pub const CONFIDENCE_RANGE: (f64, f64) = (0.0, 100.0);

/// All that the judge said about one item.
///
/// An answer is a weight of 0 or more for each class, on any scale (shares, percentages, expected counts).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JudgeAnswers {
    /// One answer per prompt variant; `None` where the judge gave none.
    pub variants: Vec<Option<Vec<f64>>>,
    /// Stated confidence, 0 to 100.
    pub confidence: Option<f64>,
    /// The class that the judge named as its label, as a position among the classes.
    pub stated_label: Option<usize>,
    /// The answer that the judge gave after it was shown the labels collected so far.
    pub self_update: Option<Vec<f64>>,
}

/// The judge's answers to all items, checked.
#[derive(Debug, Clone)]
pub struct JudgeVariants {
    ids: ItemIds,
    classes: Vec<String>,
    variants: Vec<String>,
    /// The weights of every answer, items x variants x classes, one after the other; NaN for a missing answer.
    weights: Vec<f64>,
    confidence: Vec<Option<f64>>,
    /// The answers after labels were shown; empty where there are none.
    self_updates: Vec<Option<Vec<f64>>>,
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
    /// Collects the answers for all items in the order of `ids`.
    ///
    /// # Errors
    /// Too few classes; another number of items, variants or classes than named; an answer with a negative or
    /// non-finite weight or without a positive one; a confidence outside 0 to 100; a stated label that is not a class.
    pub fn new(ids: ItemIds, classes: Vec<String>, variants: Vec<String>, answers: Vec<JudgeAnswers>) -> Result<Self> {
        check_classes(&classes)?;
        if answers.len() != ids.len() {
            let shape = |items: usize| format!("{items} items");
            let problem = Problem::Shape { found: shape(answers.len()), expected: shape(ids.len()) };
            return Err(Error::refused(Place::default(), problem));
        }
        let mut weights = Vec::with_capacity(ids.len() * variants.len() * classes.len());
        let mut confidence = Vec::with_capacity(ids.len());
        let mut self_updates = vec![];
        for ((i, id), item) in ids.iter().enumerate().zip(answers) {
            item.check(&classes, &variants).map_err(|problem| Error::refused(Place::item(id), problem))?;
            for answer in item.variants {
                weights.extend(answer.unwrap_or_else(|| vec![f64::NAN; classes.len()]));
            }
            confidence.push(item.confidence);
            if item.self_update.is_some() {
                self_updates.resize(i, None);
                self_updates.push(item.self_update);
            }
        }
        Ok(JudgeVariants { ids, classes, variants, weights, confidence, self_updates })
    }

    /// Replaces the weights of every answer by a function of these weights and of the item's stated confidence.
    ///
    /// # Errors
    /// The new weights are not a valid answer, as in [`Self::new`].
    pub fn with_answers(mut self, replace: impl Fn(&mut [f64], Option<f64>)) -> Result<Self> {
        let width = self.variants.len() * self.classes.len();
        for (i, item) in self.weights.chunks_exact_mut(width.max(1)).enumerate() {
            for weights in item.chunks_exact_mut(self.classes.len()).filter(|weights| !weights[0].is_nan()) {
                replace(weights, self.confidence[i]);
                check_answer(weights, self.classes.len())
                    .map_err(|problem| Error::refused(Place::item(&self.ids[i]), problem))?;
            }
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
        let start = (i * self.variants.len() + variant) * self.classes.len();
        let weights = &self.weights[start..start + self.classes.len()];
        (!weights[0].is_nan()).then_some(weights)
    }

    /// The answers to item `i` under the variants that have one.
    pub fn answers(&self, i: usize) -> impl Iterator<Item = &[f64]> {
        (0..self.variants.len()).filter_map(move |variant| self.answer(i, variant))
    }

    /// The confidence that the judge states of item `i`, 0 to 100.
    pub fn confidence(&self, i: usize) -> Option<f64> {
        self.confidence[i]
    }

    /// Shares of the judge's own updated answer for item `i`, where it gave one.
    pub fn self_update(&self, i: usize) -> Option<Vec<f64>> {
        self.self_updates.get(i)?.as_deref().map(|update| shares(update).collect())
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
            confidence.push(self.confidence[i]);
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
    fn check(&self, classes: &[String], variants: &[String]) -> Result<(), Problem> {
        if self.variants.len() != variants.len() {
            let shape = |variants: usize| format!("{variants} prompt variants");
            return Err(Problem::Shape { found: shape(self.variants.len()), expected: shape(variants.len()) });
        }
        for answer in self.variants.iter().chain([&self.self_update]).flatten() {
            check_answer(answer, classes.len())?;
        }
        self.confidence.map_or(Ok(()), check_confidence)?;
        match self.stated_label {
            Some(label) if label >= classes.len() => {
                Err(Problem::NotOneOf { value: format!("class number {label}"), allowed: classes.to_vec() })
            }
            _ => Ok(()),
        }
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

    fn judge(items: Vec<JudgeAnswers>) -> Result<JudgeVariants> {
        let ids = ItemIds::new((0..items.len()).map(|i| format!("item {i}")))?;
        JudgeVariants::new(ids, names(&["a", "b"]), names(&["plain", "strict"]), items)
    }

    fn answers(variants: [Option<[f64; 2]>; 2]) -> JudgeAnswers {
        JudgeAnswers { variants: variants.map(|answer| answer.map(Vec::from)).to_vec(), ..JudgeAnswers::default() }
    }

    #[test]
    fn the_mean_and_spread_are_over_the_variants_that_have_an_answer() {
        // By hand: shares (3/4, 1/4) and (1/4, 3/4) have the mean 1/2 and the sd 1/4 for both classes.
        let judge = judge(vec![answers([Some([3.0, 1.0]), Some([25.0, 75.0])]), answers([None, Some([1.0, 3.0])])]);
        let predictions = judge.unwrap().aggregate(None).unwrap();
        assert_eq!(predictions.q, ndarray::array![[0.5, 0.5], [0.25, 0.75]]);
        assert_eq!(predictions.spread, [Some(0.25), None]);
    }

    #[test]
    fn a_floor_makes_every_class_possible_and_leaves_the_spread() {
        let judge = judge(vec![answers([Some([100.0, 0.0]), Some([100.0, 0.0])])]).unwrap();
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
        let judge = judge(vec![answers([Some([1.0, 0.0]), None]), answers([None, None])]).unwrap();
        let error = judge.aggregate(None).unwrap_err().to_string();
        assert_eq!(
            error,
            "item \"item 1\": no prompt variant has an answer; add an answer of the judge, or remove the item"
        );
    }

    #[test]
    fn answers_that_are_no_distribution_are_refused() {
        let good = answers([Some([1.0, 0.0]), None]);
        for bad in [[0.0, 0.0], [-1.0, 2.0], [f64::NAN, 1.0], [f64::INFINITY, 1.0], [f64::MAX, f64::MAX]] {
            let error = judge(vec![good.clone(), answers([None, Some(bad)])]).unwrap_err().to_string();
            assert!(error.starts_with("item \"item 1\": the answer ["), "{error}");
            assert!(error.contains("not a distribution over the 2 classes; give one finite"), "{error}");
        }
        let self_update = Some(vec![1.0, 1.0, 1.0]);
        assert!(judge(vec![JudgeAnswers { self_update, ..good.clone() }]).is_err());
        for confidence in [-1.0, 100.5, f64::NAN] {
            let error = judge(vec![JudgeAnswers { confidence: Some(confidence), ..good.clone() }]).unwrap_err();
            assert!(error.to_string().contains("outside the range from 0 to 100; write"), "{error}");
        }
        let error = judge(vec![JudgeAnswers { stated_label: Some(2), ..good }]).unwrap_err().to_string();
        assert!(error.contains("\"class number 2\" is not one of a, b"), "{error}");
    }
}

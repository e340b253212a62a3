//! The pool of labels that are classes, with or without places on a scale.

use std::sync::OnceLock;

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::Error;
use super::escalation::{BeliefErrors, ErrorReduction};
use super::pool::{LabelGains, NoiseCeiling, Pool, Ranking, Split};
use super::subsample::{subsample, sums};
use judge_uncertainty_core::belief::{
    BeliefModel, Beliefs, ClassBelief, ClassBeliefs, Design, FittedBelief, JudgedItems, Regression, TrustPrior,
    TrustProfile, dirichlet::row, fit_trusts, maps,
};
use judge_uncertainty_core::escalation::value::pool_values;
use judge_uncertainty_core::escalation::{Rule, RuleInputs};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_formats::Predictions;

/// Whether classes are mere names or stand at places of a scale: what beliefs about them are made of, and what errors
/// are measured by.
pub trait ClassScale: Clone + std::fmt::Debug + Send + Sync {
    /// The beliefs about all items.
    type Beliefs: ClassBeliefs + Clone + std::fmt::Debug + Send + Sync;

    /// Puts beliefs about classes on the scale.
    fn beliefs(&self, beliefs: Beliefs) -> Self::Beliefs;

    /// The terms whose sum is the error of one distribution as an estimate of another; multiples of both give the
    /// multiple.
    fn distance_terms(&self, p: &[f64], q: &[f64]) -> impl Iterator<Item = f64>;

    /// Squared error of a belief's mean, from its evidence, less the sampling noise of a truth `p` that is the mean of
    /// `n` labels.
    fn squared_error(&self, evidence: &[f64], p: &[f64], n: f64) -> f64;

    /// [`Self::squared_error`] of every belief against the held-out half.
    fn squared_errors(&self, beliefs: &Self::Beliefs, held: &HeldCounts) -> Vec<f64> {
        let of = |(i, (p, n)): (usize, (ArrayView1<f64>, &f64))| {
            self.squared_error(beliefs.of_classes(i).classes().alpha(), row(p), *n)
        };
        held.truth.rows().into_iter().zip(&held.sizes).enumerate().map(of).collect()
    }

    /// Whether the classes stand at places; evaluations then also say what bought labels remove of the squared error.
    const ORDERED: bool;

    /// The places, ascending; `None` for mere names.
    fn places(&self) -> Option<&[f64]> {
        None
    }
}

/// Classes without an order.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Nominal;

impl ClassScale for Nominal {
    type Beliefs = Beliefs;
    const ORDERED: bool = false;

    fn beliefs(&self, beliefs: Beliefs) -> Beliefs {
        beliefs
    }

    fn distance_terms(&self, p: &[f64], q: &[f64]) -> impl Iterator<Item = f64> {
        p.iter().zip(q).map(|(p, q)| (p - q).abs())
    }

    /// sum_j (m_j - p_j)^2 less G(p)/(n - 1), the expected squared deviation of the truth from the pool.
    fn squared_error(&self, evidence: &[f64], p: &[f64], n: f64) -> f64 {
        let total: f64 = evidence.iter().sum();
        let squared: f64 = evidence.iter().zip(p).map(|(a, p)| (a / total - p) * (a / total - p)).sum();
        squared - deviation(p, n)
    }

    fn squared_errors(&self, beliefs: &Beliefs, held: &HeldCounts) -> Vec<f64> {
        let mut squared = beliefs.squared_distances(held.truth.view());
        for ((squared, p), &n) in squared.iter_mut().zip(held.truth.rows()).zip(&held.sizes) {
            *squared -= deviation(row(p), n);
        }
        squared
    }
}

/// G(p)/(n - 1), the expected squared deviation of the mean `p` of `n` labels from their pool.
fn deviation(p: &[f64], n: f64) -> f64 {
    (1.0 - p.iter().map(|p| p * p).sum::<f64>()) / (n - 1.0)
}

/// Items whose labels are counts of classes, with the judge's predictions.
#[derive(Debug, Clone)]
pub struct CountPool<S = Nominal> {
    counts: Array2<u32>,
    judge: Predictions,
    groups: Vec<usize>,
    variants: Vec<Array2<f64>>,
    twins: Vec<usize>,
    carried: Option<maps::CarriedOffsets>,
    model: BeliefModel,
    prior: TrustPrior,
    scale: S,
    /// Total uncertainty of every prediction, once a rule has asked for it.
    judged: OnceLock<Vec<f64>>,
}

/// Labels that a half split keeps from fitting.
#[derive(Debug, Clone)]
pub struct HeldCounts {
    /// The rest of the first half, from which labels are bought; items x classes.
    pub unrevealed: Array2<u32>,
    /// Distribution of the second half: the truth of the evaluation.
    pub truth: Array2<f64>,
    /// Labels of the second half, per item.
    pub sizes: Vec<f64>,
}

/// The labels of one replicate where labels are classes.
pub type CountLabels = Split<CountPool>;

impl CountPool {
    /// Items with their labels, `counts`, items x classes, under the paper's belief.
    ///
    /// # Panics
    /// If the shapes of counts and predictions differ.
    pub fn new(counts: ArrayView2<u32>, judge: Predictions) -> Self {
        Self::on_scale(counts, judge, Nominal)
    }
}

impl<S: ClassScale> CountPool<S> {
    /// Items whose classes stand on a scale, under the paper's belief.
    ///
    /// # Panics
    /// If the shapes of counts and predictions differ.
    pub fn on_scale(counts: ArrayView2<u32>, judge: Predictions, scale: S) -> Self {
        assert_eq!(counts.dim(), judge.q.dim(), "a pool of labels per prediction");
        let counts = counts.as_standard_layout().into_owned();
        Self {
            counts,
            judge,
            groups: vec![],
            variants: vec![],
            twins: vec![],
            carried: None,
            model: BeliefModel::Published,
            prior: TrustPrior::None,
            scale,
            judged: OnceLock::new(),
        }
    }

    /// These items under another belief; `groups` is the group of each, counted from 0, for beliefs that are fitted by
    /// group, and empty otherwise.
    pub fn with_belief(self, model: BeliefModel, groups: Vec<usize>) -> Self {
        Self { model, groups, ..self }
    }

    /// These items with what each of the judge's variants predicts, items x classes each, for beliefs that weigh them.
    pub fn with_variants(self, variants: Vec<Array2<f64>>) -> Self {
        Self { variants, ..self }
    }

    /// These items with the number of the thing that each is about: items of one thing are never fitted and held out
    /// apart from each other when the labels choose a belief.
    pub fn with_twins(self, twins: Vec<usize>) -> Self {
        Self { twins, ..self }
    }

    /// These items with what a map that was fitted elsewhere adds to their log predictions, for beliefs that start from
    /// it.
    pub fn with_carried(self, carried: Option<maps::CarriedOffsets>) -> Self {
        Self { carried, ..self }
    }

    /// What all labels say of a map that was fitted elsewhere; `None` without one.
    ///
    /// # Errors
    /// A fit of the trust that is impossible.
    pub fn transfer(&self, design: &Design) -> Result<Option<maps::Transfer>, Error> {
        Ok(maps::transfer(&self.judged(design), self.counts.view())?)
    }

    /// These items with a prior on the trust; without this call there is none, as in the paper.
    pub fn with_prior(self, prior: TrustPrior) -> Self {
        Self { prior, ..self }
    }

    /// All labels, items x classes.
    pub(super) fn counts(&self) -> &Array2<u32> {
        &self.counts
    }

    /// The judge's predictions.
    pub(super) fn predictions(&self) -> &Predictions {
        &self.judge
    }

    /// The scale.
    pub(super) fn scale(&self) -> &S {
        &self.scale
    }

    fn judged<'a>(&'a self, design: &'a Design) -> JudgedItems<'a> {
        let items = JudgedItems::new(design, self.judge.q.view(), &self.groups);
        let places = self.scale.places().unwrap_or_default();
        JudgedItems { variants: &self.variants, twins: &self.twins, places, carried: self.carried.as_ref(), ..items }
    }
}

/// Splits pools of labels (items x classes) in halves, the first the smaller one, and reveals so many labels of each
/// first half as a draw from `reveal` says, or all of them but one, which can be bought: an item without any would be
/// worth nothing to every rule.
///
/// Stream: the split, class by class; one draw per item of the number to reveal; the revealed labels, class by class
/// (protocol, section 4).
pub fn split_counts<P>(pool: ArrayView2<u32>, reveal: &[u32], stream: &mut Stream) -> Split<P>
where
    P: Pool<Labels = Array2<u32>, Held = HeldCounts>,
{
    let halves = halves(pool);
    let first = subsample(stream, pool, &halves);
    let asked: Vec<u32> = halves.iter().map(|_| reveal[stream.choice(reveal.len() as u32) as usize]).collect();
    let numbers: Vec<u32> = asked.iter().zip(&halves).map(|(&n, &half)| n.min(most_revealed(half))).collect();
    let revealed = subsample(stream, first.view(), &numbers);
    let (truth, sizes) = shares((&pool - &first).view());
    Split { numbers, held: HeldCounts { unrevealed: &first - &revealed, truth, sizes }, revealed }
}

/// The distribution of every item's labels, and their number.
fn shares(counts: ArrayView2<u32>) -> (Array2<f64>, Vec<f64>) {
    let sizes: Vec<f64> = sums(counts).into_iter().map(f64::from).collect();
    let mut shares = counts.as_standard_layout().mapv(f64::from);
    let rows = shares.as_slice_mut().into_iter().flat_map(|all| all.chunks_exact_mut(counts.ncols().max(1)));
    for (row, size) in rows.zip(&sizes) {
        row.iter_mut().for_each(|share| *share /= size);
    }
    (shares, sizes)
}

/// Most labels of a first half of `half` labels that are revealed: one is kept to be bought.
pub fn most_revealed(half: u32) -> u32 {
    half.saturating_sub(1)
}

/// Labels in the first half of every pool.
fn halves(pool: ArrayView2<u32>) -> Vec<u32> {
    sums(pool).into_iter().map(|labels| labels / 2).collect()
}

impl<S: ClassScale> Pool for CountPool<S> {
    type Labels = Array2<u32>;
    type Held = HeldCounts;
    type Fit = FittedBelief;
    type Beliefs = S::Beliefs;

    fn len(&self) -> usize {
        self.counts.nrows()
    }

    fn all(&self) -> Array2<u32> {
        self.counts.clone()
    }

    fn without(&self, hidden: &[bool]) -> Array2<u32> {
        let mut labels = self.all();
        labels.rows_mut().into_iter().zip(hidden).filter(|(_, hidden)| **hidden).for_each(|(mut row, _)| row.fill(0));
        labels
    }

    fn numbers(labels: &Array2<u32>) -> Vec<u32> {
        sums(labels.view())
    }

    fn draw(&self, reveal: &[u32], stream: &mut Stream) -> Split<Self> {
        split_counts(self.counts.view(), reveal, stream)
    }

    fn whole(&self) -> HeldCounts {
        let (truth, sizes) = shares(self.counts.view());
        HeldCounts { unrevealed: Array2::zeros(self.counts.dim()), truth, sizes }
    }

    fn extrapolates(&self) -> bool {
        self.prior == TrustPrior::None
    }

    fn fit(&self, design: &Design, labels: &Array2<u32>) -> Result<FittedBelief, Error> {
        Ok(self.fit_each(&[design], labels)?.remove(0))
    }

    fn fit_each(&self, designs: &[&Design], labels: &Array2<u32>) -> Result<Vec<FittedBelief>, Error> {
        if (self.model, self.prior) == (BeliefModel::Published, TrustPrior::None) {
            let fits = fit_trusts(designs, self.judge.q.view(), labels.view())?;
            return Ok(fits.into_iter().map(FittedBelief::Published).collect());
        }
        let fit = |design: &&Design| Ok(self.model.fit(&self.judged(design), labels.view(), self.prior)?);
        designs.iter().map(fit).collect()
    }

    fn typical_log_trust(
        &self,
        fit: &FittedBelief,
        design: &Design,
        labels: &Array2<u32>,
    ) -> Result<Option<TrustProfile>, Error> {
        Ok(self.model.typical_log_trust(&self.judged(design), labels.view(), self.prior, fit)?)
    }

    fn regression(fit: &FittedBelief) -> &Regression {
        fit.regression()
    }

    fn log_trust(&self, fit: &FittedBelief, design: &Design) -> Vec<f64> {
        fit.log_trust(&self.judged(design))
    }

    fn trust(&self, fit: &FittedBelief, design: &Design) -> Vec<f64> {
        self.log_trust(fit, design).into_iter().map(f64::exp).collect()
    }

    fn beliefs(&self, fit: &FittedBelief, design: &Design, labels: &Array2<u32>) -> S::Beliefs {
        self.scale.beliefs(fit.posterior(&self.judged(design), labels.view()))
    }

    fn priority(&self, rule: Rule, ranking: &Ranking<Self>) -> Option<Vec<f64>> {
        // They are the same under all beliefs.
        let totals = || self.judge.q.rows().into_iter().map(|q| ranking.beliefs.total_of(row(q))).collect();
        let judged = || self.judged.get_or_init(totals).clone();
        let inputs = RuleInputs {
            q: Some(&self.judge.q),
            judged: Some(&judged),
            confidence: Some(&self.judge.confidence),
            labels: Some(ranking.numbers),
            jitter: Some(&ranking.luck.jitter),
            random: Some(&ranking.luck.random),
            ..RuleInputs::new(ranking.beliefs)
        };
        rule.priority(&inputs)
    }

    fn errors(&self, beliefs: &S::Beliefs, held: &HeldCounts) -> Vec<BeliefErrors> {
        let errors = beliefs.errors(held.truth.view()).into_iter();
        let squared = self.scale.squared_errors(beliefs, held);
        errors.zip(squared).map(|(error, squared)| BeliefErrors { error, squared }).collect()
    }

    fn gains(&self, beliefs: &S::Beliefs, errors: &[BeliefErrors], held: &HeldCounts) -> LabelGains {
        let after = beliefs.errors_after(held.truth.view());
        let before: Vec<f64> = errors.iter().map(|errors| errors.error).collect();
        let of_errors = pool_values(&before, after.view(), held.unrevealed.view());
        let mut gains = LabelGains::default();
        for (i, (unrevealed, error)) in held.unrevealed.rows().into_iter().zip(of_errors).enumerate() {
            let left = f64::from(unrevealed.sum());
            let (mut up_to, mut squares) = (0.0, 0.0);
            let counts = unrevealed.iter().map(|&count| f64::from(count)).enumerate().filter(|(_, count)| *count > 0.0);
            gains.push(counts.map(|(label, count)| {
                up_to += count / left;
                let squared = S::ORDERED.then(|| self.squared_gain(beliefs, i, label, held));
                squares += count * squared.unwrap_or_default();
                (up_to, ErrorReduction { error: before[i] - after[[i, label]], squared })
            }));
            let squared = S::ORDERED.then(|| if left > 0.0 { squares / left } else { 0.0 });
            gains.expected.push(ErrorReduction { error, squared });
        }
        gains
    }

    fn halves_apart(&self, stream: &mut Stream) -> NoiseCeiling {
        let halves = halves(self.counts.view());
        let first = subsample(stream, self.counts.view(), &halves);
        let (mut sum, mut all_labels) = (0.0, 0.0);
        let (mut p, mut q) = (vec![0.0; self.counts.ncols()], vec![0.0; self.counts.ncols()]);
        for (i, (a, all)) in first.rows().into_iter().zip(self.counts.rows()).enumerate() {
            let [first, second] = [halves[i], all.sum() - halves[i]].map(f64::from);
            for (k, (&a, &all)) in a.iter().zip(all).enumerate() {
                (p[k], q[k]) = (f64::from(a) * second, f64::from(all - a) * first);
            }
            // Multiples of both distributions, so that their differences are whole numbers.
            let before = sum;
            self.scale.distance_terms(&p, &q).for_each(|term| sum += term / (first * second));
            all_labels += (sum - before) * (first * second).sqrt() / (first + second);
        }
        NoiseCeiling { halves: sum, all_labels }.over(first.nrows())
    }
}

impl<S: ClassScale> CountPool<S> {
    /// Fall of the squared error of item `i` by one label.
    fn squared_gain(&self, beliefs: &S::Beliefs, i: usize, label: usize, held: &HeldCounts) -> f64 {
        let (belief, p, n) = (beliefs.of_classes(i), row(held.truth.row(i)), held.sizes[i]);
        let belief = belief.classes();
        let mut labels = vec![0; p.len()];
        labels[label] = 1;
        let squared = |evidence: &[f64]| self.scale.squared_error(evidence, p, n);
        squared(belief.alpha()) - squared(&belief.after(&labels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Luck;
    use crate::half_split::{HalfSplit, Settings};
    use judge_uncertainty_core::belief::FeatureColumn;
    use judge_uncertainty_core::escalation::Budget;

    /// 37 items of 24 labels each, three classes.
    fn world() -> (Array2<u32>, Predictions) {
        let mut stream = Stream::new(11);
        let q = Array2::from_shape_fn((37, 3), |_| 0.05 + stream.random());
        let q = &q / &q.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
        let mut counts = Array2::zeros((37, 3));
        for (mut counts, q) in counts.rows_mut().into_iter().zip(q.rows()) {
            stream.multinomial(24, row(q), counts.as_slice_mut().unwrap());
        }
        let confidence = (0..37).map(|i| (i % 5 > 0).then_some(f64::from(i * 31 % 100))).collect();
        (counts, Predictions { q, spread: vec![None; 37], confidence })
    }

    #[test]
    fn squared_errors_of_all_items_are_those_of_each() {
        let (counts, judge) = world();
        let pool = CountPool::new(counts.view(), judge.clone());
        let held = pool.whole();
        let beliefs = Beliefs::posterior(&[3.5; 37], judge.q.view(), Array2::zeros((37, 3)).view());
        let found = Nominal.squared_errors(&beliefs, &held);
        for (i, found) in found.into_iter().enumerate() {
            let evidence: Vec<f64> = judge.q.row(i).iter().map(|q| 3.5 * q).collect();
            assert_eq!(found, Nominal.squared_error(&evidence, row(held.truth.row(i)), held.sizes[i]), "{i}");
        }
    }

    /// Several sets of features in one pass are as if each came first in the stream, to the last bit.
    #[test]
    fn sets_of_features_do_not_know_of_each_other() {
        let (counts, judge) = world();
        let settings = Settings {
            seed: 0,
            reveal: vec![0, 1, 5],
            budgets: Budget::PAPER.to_vec(),
            rules: Rule::those(|row| row.classes),
        };
        let split = HalfSplit::new(CountPool::new(counts.view(), judge), None, Box::new(|_, _| vec![]), settings);
        let features = |k: f64| FeatureColumn::complete("x", (0..37).map(|i| (k * f64::from(i)).sin()));
        let sets = [vec![features(0.7), features(1.3)], vec![features(1.3)], vec![]];
        let mut stream = split.stream(4);
        let labels = split.draw(&mut stream);
        let together = split.evaluate_each(&labels, &sets.each_ref().map(|set| &set[..]), &mut stream.clone()).unwrap();
        for (set, together) in sets.iter().zip(together) {
            let alone = split.evaluate(&labels, set, &mut stream.clone()).unwrap();
            assert_eq!(together.measured, alone.measured);
            assert_eq!(together.fitted.fit, alone.fitted.fit);
        }
    }

    #[test]
    fn rules_that_read_no_belief_rank_alike_under_all() {
        let (counts, judge) = world();
        let pool = CountPool::new(counts.view(), judge);
        let luck = Luck::draw(&mut Stream::new(2), 37);
        let numbers = CountPool::<Nominal>::numbers(&counts);
        let fitted = |k: f64| {
            let x = FeatureColumn::complete("x", (0..37).map(|i| (k * f64::from(i)).sin()));
            crate::Fitted::new(&pool, pool.design(&[x]).unwrap(), &counts).unwrap()
        };
        let (one, other) = (fitted(0.7), fitted(1.3));
        for rule in Rule::those(|row| row.classes) {
            let [one, other] = [&one, &other].map(|fitted| pool.priority(rule, &fitted.ranking(&numbers, &luck)));
            assert_eq!(one != other, rule.row().reads_beliefs, "{}", rule.key());
        }
    }
}

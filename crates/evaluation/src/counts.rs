//! The pool of labels that are classes, with or without places on a scale.

use std::sync::OnceLock;

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::escalation::{BeliefErrors, ErrorReduction};
use super::pool::{Fit, Fitted, Held, HeldCounts, InHand, LabelGains, Pool, RuleDraws, Split, subsample, sums};
use judge_uncertainty_core::belief::{
    BeliefModel, Beliefs, Design, Dirichlet, FitError, ItemBeliefs, JudgedItems, OrdinalBelief, TrustPrior,
    TrustProfile, dirichlet::row, maps, mean_place, place_variance,
};
use judge_uncertainty_core::escalation::value::pool_values;
use judge_uncertainty_core::escalation::{Rule, RuleInputs};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_formats::Predictions;

/// Items whose labels are counts of classes, with the judge's predictions.
#[derive(Debug, Clone)]
pub struct CountPool {
    pub(super) counts: Array2<u32>,
    pub(super) judge: Predictions,
    /// Which belief is fitted; at first the paper's.
    pub model: BeliefModel,
    /// The prior on the trust; at first without one, as in the paper.
    pub prior: TrustPrior,
    /// Where the classes stand on a scale, ascending; `None` for mere names.
    pub places: Option<Vec<f64>>,
    /// The group of each item, counted from 0, for beliefs that are fitted by group; empty without groups.
    pub groups: Vec<usize>,
    /// What each of the judge's variants predicts, items x classes each, for beliefs that weigh them.
    pub variants: Vec<Array2<f64>>,
    /// The cluster of each item: when the labels choose a belief, items of one cluster are fitted together or held out
    /// together. Empty if every item is a cluster of its own.
    pub clusters: Vec<usize>,
    /// What a map that was fitted elsewhere adds to the log predictions, for beliefs that start from it.
    pub carried: Option<maps::CarriedOffsets>,
    /// Total uncertainty of every prediction, once a rule has asked for it.
    judged: OnceLock<Vec<f64>>,
}

impl CountPool {
    /// Items with their labels, `counts`, items x classes, under the paper's belief.
    ///
    /// # Panics
    /// If the shapes of counts and predictions differ.
    pub fn new(counts: ArrayView2<u32>, judge: Predictions) -> Self {
        assert_eq!(counts.dim(), judge.q.dim(), "a pool of labels per prediction");
        let counts = counts.as_standard_layout().into_owned();
        Self {
            counts,
            judge,
            model: BeliefModel::Published,
            prior: TrustPrior::None,
            places: None,
            groups: vec![],
            variants: vec![],
            clusters: vec![],
            carried: None,
            judged: OnceLock::new(),
        }
    }

    /// What all labels say of a map that was fitted elsewhere; `None` without one.
    ///
    /// # Errors
    /// A fit of the trust that is impossible.
    pub fn transfer(&self, design: &Design) -> Result<Option<maps::Transfer>, FitError> {
        maps::transfer(&self.judged(design), self.counts.view())
    }

    fn placed(&self, beliefs: Beliefs) -> ItemBeliefs {
        match &self.places {
            None => ItemBeliefs::Classes(beliefs),
            Some(places) => ItemBeliefs::on_places(beliefs, places.clone()),
        }
    }

    fn judged<'a>(&'a self, design: &'a Design) -> JudgedItems<'a> {
        let items = JudgedItems::new(design, self.judge.q.view(), &self.groups);
        let places = self.places.as_deref().unwrap_or_default();
        JudgedItems {
            variants: &self.variants,
            clusters: &self.clusters,
            places,
            carried: self.carried.as_ref(),
            ..items
        }
    }
}

/// Splits pools of labels (items x classes) in halves, the first the smaller one, and reveals so many labels of each
/// first half as a draw from `reveal` says, or all of them but one, which can be bought: an item without any would be
/// worth nothing to every rule.
///
/// Stream: the split, class by class; one draw per item of the number to reveal; the revealed labels, class by class
/// (protocol, section 4).
pub fn split_counts(pool: ArrayView2<u32>, reveal: &[u32], stream: &mut Stream) -> Split {
    let halves = halves(pool);
    let first = subsample(stream, pool, &halves);
    let asked: Vec<u32> = halves.iter().map(|_| reveal[stream.choice(reveal.len() as u32) as usize]).collect();
    let numbers: Vec<u32> = asked.iter().zip(&halves).map(|(&n, &half)| n.min(most_revealed(half))).collect();
    let revealed = subsample(stream, first.view(), &numbers);
    let (truth, sizes) = shares((&pool - &first).view());
    let held = HeldCounts { unrevealed: &first - &revealed, truth, sizes };
    Split { numbers, held: Held::Classes(held), revealed: InHand::Classes(revealed) }
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

/// Mean over items of the Manhattan distance that the two halves of a fresh split of their labels have from each other:
/// the error of a prediction that is itself half of the labels.
///
/// Stream: the split, class by class ([`subsample`]).
pub fn halves_apart(pool: ArrayView2<u32>, stream: &mut Stream) -> f64 {
    let halves = halves(pool);
    let first = subsample(stream, pool, &halves);
    let mut sum = 0.0;
    for ((a, all), half) in first.rows().into_iter().zip(pool.rows()).zip(halves) {
        let [first, second] = [half, all.sum() - half].map(f64::from);
        // Multiples of both distributions, so that their differences are whole numbers.
        let apart = |(&a, &all): (&u32, &u32)| (f64::from(a) * second - f64::from(all - a) * first).abs();
        a.iter().zip(all).map(apart).for_each(|term| sum += term / (first * second));
    }
    sum / pool.nrows() as f64
}

/// Labels in the first half of every pool.
fn halves(pool: ArrayView2<u32>) -> Vec<u32> {
    sums(pool).into_iter().map(|labels| labels / 2).collect()
}

impl Pool for CountPool {
    fn len(&self) -> usize {
        self.counts.nrows()
    }

    fn without(&self, hidden: &[bool]) -> InHand {
        let mut labels = self.counts.clone();
        labels.rows_mut().into_iter().zip(hidden).filter(|(_, hidden)| **hidden).for_each(|(mut row, _)| row.fill(0));
        InHand::Classes(labels)
    }

    fn draw(&self, reveal: &[u32], stream: &mut Stream) -> Split {
        split_counts(self.counts.view(), reveal, stream)
    }

    fn extrapolates(&self) -> bool {
        self.prior == TrustPrior::None
    }

    fn fit(&self, design: &Design, labels: &InHand) -> Result<Fit, FitError> {
        Ok(Fit::Classes(self.model.fit(&self.judged(design), labels.of_classes().view(), self.prior)?))
    }

    fn typical_log_trust(&self, fit: &Fit, design: &Design, labels: &InHand) -> Result<Option<TrustProfile>, FitError> {
        let (judged, counts) = (self.judged(design), labels.of_classes().view());
        self.model.typical_log_trust(&judged, counts, self.prior, fit.of_classes())
    }

    fn log_trust(&self, fit: &Fit, design: &Design) -> Vec<f64> {
        fit.of_classes().log_trust(&self.judged(design))
    }

    fn beliefs_and_trust(&self, fit: &Fit, design: &Design, labels: &InHand) -> (ItemBeliefs, Vec<f64>) {
        let (items, counts) = (self.judged(design), labels.of_classes().view());
        let (beliefs, log_trust) = fit.of_classes().posterior(&items, counts);
        (self.placed(beliefs), log_trust.into_iter().map(f64::exp).collect())
    }

    fn priority(&self, rule: Rule, fitted: &Fitted, numbers: &[u32], draws: &RuleDraws) -> Option<Vec<f64>> {
        // They are the same under all beliefs.
        let totals = || {
            let total = |q| fitted.beliefs.total_of_prediction(row(q)).expect("these beliefs are about classes");
            self.judge.q.rows().into_iter().map(total).collect()
        };
        let judged = || self.judged.get_or_init(totals).clone();
        let inputs = RuleInputs {
            q: Some(&self.judge.q),
            judged: Some(&judged),
            confidence: Some(self.judge.confidence.as_slice()).filter(|stated| !stated.is_empty()),
            labels: Some(numbers),
            jitter: Some(&draws.jitter),
            random: Some(&draws.random),
            ..RuleInputs::new(&fitted.beliefs)
        };
        rule.priority(&inputs)
    }

    fn errors(&self, beliefs: &ItemBeliefs, held: &Held) -> Vec<BeliefErrors> {
        let (beliefs, held) = (beliefs.of_classes(), held.of_classes());
        let of = |(belief, (p, n)): (Dirichlet<'_>, (ArrayView1<f64>, &f64))| BeliefErrors {
            error: match &self.places {
                None => belief.manhattan(row(p)),
                Some(places) => OrdinalBelief::new(belief, places).wasserstein(row(p)),
            },
            squared: self.squared_error(belief.alpha(), row(p), *n),
        };
        beliefs.iter().zip(held.truth.rows().into_iter().zip(&held.sizes)).map(of).collect()
    }

    fn gains(&self, beliefs: &ItemBeliefs, errors: &[BeliefErrors], held: &Held) -> LabelGains {
        let (beliefs, held) = (beliefs.of_classes(), held.of_classes());
        let after = match &self.places {
            None => beliefs.errors_after(held.truth.view()),
            Some(places) => Array2::from_shape_fn(held.truth.dim(), |(i, label)| {
                OrdinalBelief::new(beliefs.get(i), places).wasserstein_after(label, row(held.truth.row(i)))
            }),
        };
        let on_scale = self.places.is_some();
        let before: Vec<f64> = errors.iter().map(|errors| errors.error).collect();
        let of_errors = pool_values(&before, after.view(), held.unrevealed.view());
        let mut gains = LabelGains::default();
        for (i, (unrevealed, error)) in held.unrevealed.rows().into_iter().zip(of_errors).enumerate() {
            let left = f64::from(unrevealed.sum());
            let (mut up_to, mut squares) = (0.0, 0.0);
            let counts = unrevealed.iter().map(|&count| f64::from(count)).enumerate().filter(|(_, count)| *count > 0.0);
            gains.push(counts.map(|(label, count)| {
                up_to += count / left;
                let squared = on_scale.then(|| self.squared_gain(beliefs.get(i), i, label, held));
                squares += count * squared.unwrap_or_default();
                (up_to, ErrorReduction { error: before[i] - after[[i, label]], squared })
            }));
            let squared = on_scale.then(|| if left > 0.0 { squares / left } else { 0.0 });
            gains.expected.push(ErrorReduction { error, squared });
        }
        gains
    }
}

impl CountPool {
    /// Squared error of a belief's mean, from its `evidence`, less the sampling noise of a truth `p` that is the mean of
    /// `n` labels.
    ///
    /// ```text
    /// classes: sum_j (m_j - p_j)^2 - G(p)/(n - 1)
    /// places:  (sum_j s_j m_j - sum_j s_j p_j)^2 - Var_p(s)/(n - 1)
    /// ```
    ///
    /// with m the mean, s the places and G the Gini impurity; what is subtracted is the expected squared deviation of
    /// the truth from the pool.
    fn squared_error(&self, evidence: &[f64], p: &[f64], n: f64) -> f64 {
        let total: f64 = evidence.iter().sum();
        match &self.places {
            None => {
                let squared: f64 = evidence.iter().zip(p).map(|(a, p)| (a / total - p) * (a / total - p)).sum();
                squared - (1.0 - p.iter().map(|p| p * p).sum::<f64>()) / (n - 1.0)
            }
            Some(places) => {
                let mean: Vec<f64> = evidence.iter().map(|a| a / total).collect();
                let off = mean_place(&mean, places) - mean_place(p, places);
                off * off - place_variance(p, places) / (n - 1.0)
            }
        }
    }

    /// Fall of the squared error of item `i`, about which there is a `belief`, by one label.
    fn squared_gain(&self, belief: Dirichlet<'_>, i: usize, label: usize, held: &HeldCounts) -> f64 {
        let (p, n) = (row(held.truth.row(i)), held.sizes[i]);
        let mut labels = vec![0; p.len()];
        labels[label] = 1;
        self.squared_error(belief.alpha(), p, n) - self.squared_error(&belief.after(&labels), p, n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::half_split::{HalfSplit, Settings};
    use judge_uncertainty_core::belief::{Beliefs, FeatureColumn};
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
        let (truth, sizes) = shares(counts.view());
        let whole = Held::Classes(HeldCounts { unrevealed: Array2::zeros(counts.dim()), truth, sizes });
        let beliefs = Beliefs::posterior(&[3.5; 37], judge.q.view(), Array2::zeros((37, 3)).view());
        let found = pool.errors(&ItemBeliefs::Classes(beliefs), &whole);
        let held = whole.of_classes();
        for (i, found) in found.into_iter().map(|errors| errors.squared).enumerate() {
            let evidence: Vec<f64> = judge.q.row(i).iter().map(|q| 3.5 * q).collect();
            assert_eq!(found, pool.squared_error(&evidence, row(held.truth.row(i)), held.sizes[i]), "{i}");
        }
    }

    /// Several sets of features in one pass are as if each came first in the stream, to the last bit.
    #[test]
    fn sets_of_features_do_not_know_of_each_other() {
        let (counts, judge) = world();
        let settings =
            Settings { seed: 0, reveal: vec![0, 1, 5], budgets: Budget::PAPER.to_vec(), rules: Rule::those(|_| true) };
        let split =
            HalfSplit::new(Box::new(CountPool::new(counts.view(), judge)), None, Box::new(|_, _| vec![]), settings);
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
        let draws = RuleDraws::draw(&mut Stream::new(2), 37);
        let labels = InHand::Classes(counts.clone());
        let numbers = labels.numbers();
        let fitted = |k: f64| {
            let x = FeatureColumn::complete("x", (0..37).map(|i| (k * f64::from(i)).sin()));
            Fitted::new(&pool, pool.design(&[x]).unwrap(), &labels).unwrap()
        };
        let (one, other) = (fitted(0.7), fitted(1.3));
        for rule in Rule::those(|_| true) {
            let [one, other] = [&one, &other].map(|fitted| pool.priority(rule, fitted, &numbers, &draws));
            assert_eq!(one != other, rule.row().reads_beliefs, "{}", rule.key());
        }
    }

    #[test]
    fn squared_errors_on_places_by_hand() {
        let judge = Predictions { q: Array2::from_elem((1, 3), 1.0 / 3.0), spread: vec![None], confidence: vec![None] };
        let places = Some(vec![0.0, 1.0, 4.0]);
        let pool = CountPool { places, ..CountPool::new(Array2::zeros((1, 3)).view(), judge) };
        // Means 0.5 and 2; a truth of four labels with variance 3.
        let by_hand = (0.5_f64 - 1.5).powi(2) - 2.25 / 3.0;
        assert_eq!(pool.squared_error(&[1.0, 1.0, 0.0], &[0.25, 0.5, 0.25], 4.0), by_hand);
    }
}

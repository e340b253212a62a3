//! What half splits need to know of labels.

use ndarray::{Array2, ArrayView2};
use serde::Serialize;

use super::escalation::{BeliefErrors, ErrorReduction, PitHistogram};
use super::protocol::uniforms;
use judge_uncertainty_core::belief::{
    Design, FeatureColumn, FitError, FittedBelief, GaussianFit, ItemBeliefs, Ratings, Regression, TrustProfile,
};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{mean, sample_sd};

/// Labels in hand, of all items: how many there are of each class, items x classes; or the ratings of each item.
pub type InHand = ByLabels<Array2<u32>, Vec<Ratings>>;
/// What a half split keeps from fitting: labels that may be bought, and the half that is the truth.
pub type Held = ByLabels<HeldCounts, HeldRatings>;
/// A fitted trust with all that belongs to it.
pub type Fit = ByLabels<FittedBelief, GaussianFit>;

/// Labels that a half split keeps from fitting.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldCounts {
    /// The rest of the first half, from which labels are bought; items x classes.
    pub unrevealed: Array2<u32>,
    /// Distribution of the second half: the truth of the evaluation.
    pub truth: Array2<f64>,
    /// Labels of the second half, per item.
    pub sizes: Vec<f64>,
}

/// Ratings that a half split keeps from fitting, per item.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldRatings {
    /// The labels of the first half that are not revealed, from which labels are bought.
    pub unrevealed: Vec<Vec<f64>>,
    /// The second half.
    pub truth: Vec<HeldOutHalf>,
}

/// The second half of an item's annotators.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutHalf {
    /// Mean of their labels: the truth of the evaluation.
    pub mean: f64,
    /// Its expected squared distance from the pool's mean, s^2/n.
    pub noise: f64,
    /// The first rating of each.
    pub ratings: Vec<f64>,
}

impl HeldOutHalf {
    /// Of the ratings of each annotator.
    pub(super) fn new(annotators: &[&[f64]]) -> Self {
        let labels: Vec<f64> = annotators.iter().map(|ratings| mean(ratings)).collect();
        Self {
            mean: mean(&labels),
            noise: sample_sd(&labels).powi(2) / labels.len() as f64,
            ratings: annotators.iter().map(|ratings| ratings[0]).collect(),
        }
    }
}

impl InHand {
    /// Number of labels of each item.
    pub fn numbers(&self) -> Vec<u32> {
        match self {
            Self::Classes(counts) => sums(counts.view()),
            Self::Ratings(ratings) => ratings.iter().map(|labels| labels.n).collect(),
        }
    }
}

impl Fit {
    /// The trust regression within the fit.
    pub fn regression(&self) -> &Regression {
        match self {
            Self::Classes(fit) => fit.regression(),
            Self::Ratings(fit) => &fit.regression,
        }
    }
}

/// Items with all their labels and what the judge says of them, whatever the labels are.
///
/// A decomposition fits and ranks under all labels ([`Self::all`]); a half split under those that a replicate reveals
/// ([`Self::draw`]), and measures with the rest.
pub trait Pool: Sync {
    /// Number of items.
    fn len(&self) -> usize;

    /// Every label.
    fn all(&self) -> InHand {
        self.without(&[])
    }

    /// Every label but those of the `hidden` items; items beyond the end of that list are not hidden.
    fn without(&self, hidden: &[bool]) -> InHand;

    /// Splits every item's labels in halves and reveals so many of the first half as a draw from `reveal` says, or all
    /// of it but one label, which can be bought ([`most_revealed`](super::counts::most_revealed)).
    fn draw(&self, reveal: &[u32], stream: &mut Stream) -> Split;

    /// Whether the trust is extrapolated to items whose features lie beyond those of all labelled items, as the paper
    /// does; otherwise such features count as the nearest that a labelled item has.
    fn extrapolates(&self) -> bool {
        false
    }

    /// The features that the trust may depend on, standardised over all items.
    ///
    /// # Errors
    /// Features that can't be used.
    fn design(&self, features: &[FeatureColumn]) -> Result<Design, FitError> {
        Ok(Design::over(self.len(), features)?)
    }

    /// Fits the trust to labels.
    ///
    /// # Errors
    /// A fit that is impossible.
    fn fit(&self, design: &Design, labels: &InHand) -> Result<Fit, FitError>;

    /// What the labels say about ln lambda of an item with average features, under a fit to these labels; `None` for a
    /// fit without a prior.
    ///
    /// # Errors
    /// As [`Self::fit`].
    fn typical_log_trust(
        &self,
        _fit: &Fit,
        _design: &Design,
        _labels: &InHand,
    ) -> Result<Option<TrustProfile>, FitError> {
        Ok(None)
    }

    /// ln lambda of every item under a fit: of the evidence of its belief without any label.
    fn log_trust(&self, fit: &Fit, design: &Design) -> Vec<f64>;

    /// The beliefs under a fit, given labels, with lambda of every item, in labels.
    fn beliefs_and_trust(&self, fit: &Fit, design: &Design, labels: &InHand) -> (ItemBeliefs, Vec<f64>);

    /// The beliefs alone.
    fn beliefs(&self, fit: &Fit, design: &Design, labels: &InHand) -> ItemBeliefs {
        self.beliefs_and_trust(fit, design, labels).0
    }

    /// The priority of every item under a rule, higher first; `None` for a rule that does not rank such labels.
    /// `numbers` has how many labels each item has in hand, and `draws` is drawn for these items.
    fn priority(&self, rule: Rule, fitted: &Fitted, numbers: &[u32], draws: &RuleDraws) -> Option<Vec<f64>>;

    /// Errors of the beliefs' means against the held-out truth, item by item.
    fn errors(&self, beliefs: &ItemBeliefs, held: &Held) -> Vec<BeliefErrors>;

    /// What the labels that may be bought would do to the errors of beliefs, which are known.
    fn gains(&self, beliefs: &ItemBeliefs, errors: &[BeliefErrors], held: &Held) -> LabelGains;

    /// Where the held-out labels lie in the predictive distributions of beliefs that have not seen them; `None` where
    /// labels have no order.
    fn held_out(&self, _beliefs: &ItemBeliefs, _held: &Held) -> Option<PitHistogram> {
        None
    }
}

/// What a label of each item would do to the errors of its belief.
#[derive(Debug, Clone, Default)]
pub struct LabelGains {
    /// The labels that may be bought, item after item: the share of the item's up to each, and the fall of the errors by it.
    labels: Vec<(f64, ErrorReduction)>,
    /// Where those of each item end.
    ends: Vec<usize>,
    /// Fall of each item's errors by one label, averaged over those that may be bought; 0 without any.
    pub expected: Vec<ErrorReduction>,
}

impl LabelGains {
    /// Adds the labels of the next item that may be bought.
    pub fn push(&mut self, labels: impl IntoIterator<Item = (f64, ErrorReduction)>) {
        self.labels.extend(labels);
        self.ends.push(self.labels.len());
    }

    /// Fall of the errors when one label is bought for each escalated item, summed.
    ///
    /// Stream: one draw per escalated item, in the order given. Items without labels to buy gain nothing but use up
    /// their draw.
    pub fn bought(&self, escalated: &[usize], stream: &mut Stream) -> ErrorReduction {
        let squared = self.expected.first().and_then(|gain| gain.squared).map(|_| 0.0);
        let mut sum = ErrorReduction { error: 0.0, squared };
        for &i in escalated {
            let u = stream.random();
            // Rounding in the last share can't select a label that does not exist.
            let own = &self.labels[i.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[i]];
            let drawn = own.iter().find(|(up_to, _)| u <= *up_to).or(own.last());
            if let Some((_, gain)) = drawn {
                sum.add(*gain);
            }
        }
        sum
    }
}

/// The labels of one replicate.
#[derive(Debug, Clone)]
pub struct Split {
    /// How many labels of the first half are revealed, per item.
    pub numbers: Vec<u32>,
    /// The revealed labels.
    pub revealed: InHand,
    /// The others.
    pub held: Held,
}

/// A fitted trust and the beliefs that follow from it.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The features that the trust depends on.
    pub design: Design,
    /// The fit.
    pub fit: Fit,
    /// The beliefs about all items, given the labels in hand.
    pub beliefs: ItemBeliefs,
}

impl Fitted {
    /// Fits the trust to labels and updates the belief about every item by them.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn new(pool: &dyn Pool, design: Design, labels: &InHand) -> Result<Self, FitError> {
        Ok(Self::with_trust(pool, design, labels, None)?.0)
    }

    /// [`Self::new`], under an earlier `fit` to these labels if there is one, with the trust of every item.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_trust(
        pool: &dyn Pool,
        design: Design,
        labels: &InHand,
        fit: Option<Fit>,
    ) -> Result<(Self, Vec<f64>), FitError> {
        let design = within(pool, design, labels);
        let fit = fit.map_or_else(|| pool.fit(&design, labels), Ok)?;
        let (beliefs, trust) = pool.beliefs_and_trust(&fit, &design, labels);
        Ok((Self { design, fit, beliefs }, trust))
    }
}

/// The features that a fit to these labels sees, see [`Pool::extrapolates`].
fn within(pool: &dyn Pool, design: Design, labels: &InHand) -> Design {
    if pool.extrapolates() {
        return design;
    }
    let labelled: Vec<bool> = labels.numbers().iter().map(|n| *n > 0).collect();
    design.within(&labelled)
}

/// Uniform draws in [0, 1), one of each per item.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleDraws {
    /// They break ties.
    pub jitter: Vec<f64>,
    /// The random rule ranks by them.
    pub random: Vec<f64>,
}

impl RuleDraws {
    /// Stream: one draw per item for ties, then one per item for the random rule.
    pub fn draw(stream: &mut Stream, items: usize) -> Self {
        Self { jitter: uniforms(stream, items), random: uniforms(stream, items) }
    }
}

/// Something that is one for labels that are classes, and another for ratings; written as what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ByLabels<C, R> {
    /// For classes, with or without places on a scale.
    Classes(C),
    /// For ratings.
    Ratings(R),
}

impl<C, R> ByLabels<C, R> {
    /// What is for classes.
    ///
    /// # Panics
    /// If labels are ratings.
    pub fn of_classes(&self) -> &C {
        match self {
            Self::Classes(found) => found,
            Self::Ratings(_) => panic!("these labels are ratings"),
        }
    }

    /// What is for ratings.
    ///
    /// # Panics
    /// If labels are classes.
    pub fn of_ratings(&self) -> &R {
        match self {
            Self::Ratings(found) => found,
            Self::Classes(_) => panic!("these labels are classes"),
        }
    }
}

/// Draws `sizes[i]` labels without replacement from the pool of item i (counts, items x classes); items with smaller
/// pools give all they have.
///
/// Stream: class by class, and within a class item by item, one hypergeometric draw of how many of the labels still to
/// draw have that class (protocol, section 4).
pub fn subsample(stream: &mut Stream, pool: ArrayView2<u32>, sizes: &[u32]) -> Array2<u32> {
    let mut drawn = Array2::zeros(pool.dim());
    let mut pool_left = sums(pool);
    let mut to_draw: Vec<u32> = sizes.iter().zip(&pool_left).map(|(&n, &left)| n.min(left)).collect();
    for (of_class, mut drawn) in pool.columns().into_iter().zip(drawn.columns_mut()) {
        let good = of_class.to_vec();
        pool_left.iter_mut().zip(&good).for_each(|(left, here)| *left -= here);
        for (i, drawn) in drawn.iter_mut().enumerate() {
            *drawn = stream.hypergeometric(good[i], pool_left[i], to_draw[i]);
            to_draw[i] -= *drawn;
        }
    }
    drawn
}

/// Number of labels of every item.
pub(super) fn sums(counts: ArrayView2<u32>) -> Vec<u32> {
    match counts.as_slice() {
        Some(all) if counts.ncols() > 0 => all.chunks_exact(counts.ncols()).map(|row| row.iter().sum()).collect(),
        _ => counts.rows().into_iter().map(|row| row.sum()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn draws_what_is_asked_and_never_more_than_there_is() {
        let pool = array![[30, 70, 0], [2, 0, 1], [0, 0, 0]];
        let mut stream = Stream::new(5);
        for _ in 0..50 {
            let drawn = subsample(&mut stream, pool.view(), &[50, 5, 3]);
            assert_eq!(drawn.row(0).sum(), 50);
            assert_eq!(drawn.row(1), pool.row(1));
            assert_eq!(drawn.row(2).sum(), 0);
            assert!(drawn.iter().zip(&pool).all(|(d, p)| d <= p));
        }
    }
}

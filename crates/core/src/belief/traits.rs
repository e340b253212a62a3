//! What every belief answers, whatever the labels of its items are.

/// A belief about one item: how uncertain its labels are, which part of that further labels reduce, and by how much.
///
/// The unit is that of the labels: nats for classes ([`super::Dirichlet`]), squared units of the rating for
/// numbers ([`super::Gaussian`]). What lies ahead (the `_after` methods) is an expectation over labels drawn from the
/// belief itself, and exact. It falls as `labels` rises, and each further label is worth less than the one before: that
/// is why buying labels one at a time, the best first, spends a budget in the best way.
pub trait Belief {
    /// Uncertainty about a fresh label: aleatoric and epistemic part together.
    fn total(&self) -> f64;

    /// The part of [`Self::total`] that labels cannot reduce: annotators disagree.
    fn aleatoric(&self) -> f64;

    /// The part of [`Self::total`] that labels reduce: the judge is ignorant.
    fn epistemic(&self) -> f64;

    /// Expected squared error of the belief's mean; of numbers and places on a scale the epistemic part itself.
    fn spread(&self) -> f64 {
        self.epistemic()
    }

    /// How much one label is expected to lower [`Self::spread`].
    fn label_value(&self) -> f64;

    /// Total evidence: what prediction and labels together are worth, in labels.
    fn evidence(&self) -> f64;

    /// Expected [`Self::spread`] v after k further `labels`.
    ///
    /// With e the total evidence, v falls as 1/(e + k): E\[v after k\] = v e/(e + k).
    fn spread_after(&self, labels: u32) -> f64 {
        self.spread() * (self.evidence() / (self.evidence() + f64::from(labels)))
    }
}

/// What of a belief is asked of many items at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// [`Belief::total`].
    Total,
    /// [`Belief::aleatoric`].
    Aleatoric,
    /// [`Belief::epistemic`].
    Epistemic,
    /// [`Belief::spread`].
    Spread,
    /// [`Belief::label_value`].
    LabelValue,
}

impl Quantity {
    /// Of one belief.
    pub fn of(self, belief: &(impl Belief + ?Sized)) -> f64 {
        match self {
            Self::Total => belief.total(),
            Self::Aleatoric => belief.aleatoric(),
            Self::Epistemic => belief.epistemic(),
            Self::Spread => belief.spread(),
            Self::LabelValue => belief.label_value(),
        }
    }
}

//! What rules may ask of the items that they rank.

use ndarray::Array2;

use crate::belief::{Beliefs, ItemBeliefs, Quantity, dirichlet::row, entropy, place_variance};

/// The beliefs about the items to rank, whatever their labels are.
pub trait RankedBeliefs {
    /// A quantity of every belief.
    fn each(&self, quantity: Quantity) -> Vec<f64>;

    /// Total uncertainty of a prediction `q` of classes, in the unit of the beliefs; `None` where labels are numbers.
    fn total_of_prediction(&self, q: &[f64]) -> Option<f64>;

    /// The priority, rounded to the digits in which items really differ.
    fn settle(&self, priority: f64) -> f64;
}

impl RankedBeliefs for Beliefs {
    fn each(&self, quantity: Quantity) -> Vec<f64> {
        self.all(quantity)
    }

    fn total_of_prediction(&self, q: &[f64]) -> Option<f64> {
        Some(entropy(q))
    }

    /// To 40 significant bits (about 12 digits).
    ///
    /// Items with the same evidence in another class order differ in the last bits only, by rounding; they must tie, so
    /// that the tie break and not the arithmetic of the platform decides between them.
    fn settle(&self, priority: f64) -> f64 {
        const DROPPED: u32 = 52 - 40;
        let half = 1_u64 << (DROPPED - 1);
        f64::from_bits((priority.to_bits() + half) >> DROPPED << DROPPED)
    }
}

impl RankedBeliefs for ItemBeliefs {
    fn each(&self, quantity: Quantity) -> Vec<f64> {
        self.all(quantity)
    }

    fn total_of_prediction(&self, q: &[f64]) -> Option<f64> {
        match self {
            Self::Classes(beliefs) => beliefs.total_of_prediction(q),
            Self::Places(_, places) => Some(place_variance(q, places)),
            Self::Ratings(_) => None,
        }
    }

    /// Beliefs about numbers keep all digits.
    fn settle(&self, priority: f64) -> f64 {
        match self {
            Self::Classes(beliefs) | Self::Places(beliefs, _) => beliefs.settle(priority),
            Self::Ratings(_) => priority,
        }
    }
}

/// What rules may ask of the items that they rank; a rule that asks for what is not there does not rank them.
///
/// Give what there is: `RuleInputs { labels: Some(&numbers), ..RuleInputs::new(&beliefs) }`.
#[derive(Clone, Copy)]
pub struct RuleInputs<'a> {
    /// Posterior beliefs.
    pub beliefs: &'a dyn RankedBeliefs,
    /// The judge's predictions of classes, items x classes.
    pub q: Option<&'a Array2<f64>>,
    /// How uncertain the judge's prediction of every item is, where that does not follow from `q`, as the variance of a
    /// label that is a number, or is known; computed when a rule asks.
    pub judged: Option<&'a dyn Fn() -> Vec<f64>>,
    /// Stated confidence, 0 to 100, per item.
    pub confidence: Option<&'a [Option<f64>]>,
    /// Number of labels in hand, per item.
    pub labels: Option<&'a [u32]>,
    /// Uniform draws in [0, 1), one per item, times 1e-9: they break ties of priorities that have no closed form.
    pub jitter: Option<&'a [f64]>,
    /// Uniform draws, per item, that the random rule ranks by.
    pub random: Option<&'a [f64]>,
}

/// Scale of the jitter that breaks ties.
const JITTER: f64 = 1e-9;

impl<'a> RuleInputs<'a> {
    /// Beliefs and nothing else.
    pub fn new(beliefs: &'a dyn RankedBeliefs) -> Self {
        Self { beliefs, q: None, judged: None, confidence: None, labels: None, jitter: None, random: None }
    }

    /// A quantity of every belief, settled.
    pub(super) fn beliefs(&self, quantity: Quantity) -> Vec<f64> {
        self.settled(self.beliefs.each(quantity))
    }

    /// Total uncertainty of the judge's prediction of every item.
    pub(super) fn judged(&self) -> Option<Vec<f64>> {
        match (self.judged, self.q) {
            (Some(judged), _) => Some(judged()),
            (None, Some(q)) => q.rows().into_iter().map(|q| self.beliefs.total_of_prediction(row(q))).collect(),
            (None, None) => None,
        }
    }

    pub(super) fn settled(&self, priority: Vec<f64>) -> Vec<f64> {
        priority.into_iter().map(|priority| self.beliefs.settle(priority)).collect()
    }

    pub(super) fn jittered(&self, mut priority: Vec<f64>) -> Vec<f64> {
        if let Some(jitter) = self.jitter {
            priority.iter_mut().zip(jitter).for_each(|(priority, u)| *priority += u * JITTER);
        }
        priority
    }
}

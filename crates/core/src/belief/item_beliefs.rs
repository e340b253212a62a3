//! The beliefs about all items of a study, whatever their labels are.

use std::ops::Deref;

use super::dirichlet::{Dirichlet, entropy};
use super::gaussian::Gaussian;
use super::judged::ascend;
use super::ordinal::{OrdinalBelief, place_variance};
use super::table::Beliefs;
use super::traits::{Belief, Quantity};

/// The belief about one item; it is a [`Belief`] in the unit of its labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ItemBelief<'a> {
    /// About classes without an order.
    Classes(Dirichlet<'a>),
    /// About classes at places of a scale.
    Places(OrdinalBelief<'a>),
    /// About labels that are numbers.
    Ratings(Gaussian),
}

impl ItemBelief<'_> {
    /// The expected distance of a fresh label from a point of the scale; `None` about classes without an order.
    pub fn label_distance(&self, from: f64) -> Option<f64> {
        match self {
            Self::Classes(_) => None,
            Self::Places(belief) => Some(belief.label_distance(from)),
            Self::Ratings(belief) => Some(belief.label_distance(from)),
        }
    }
}

impl<'a> Deref for ItemBelief<'a> {
    type Target = dyn Belief + 'a;

    fn deref(&self) -> &(dyn Belief + 'a) {
        match self {
            Self::Classes(belief) => belief,
            Self::Places(belief) => belief,
            Self::Ratings(belief) => belief,
        }
    }
}

/// The beliefs about many items, in item order.
///
/// ```
/// use judge_uncertainty_core::belief::{Beliefs, ItemBeliefs};
/// use ndarray::array;
///
/// // Two items with three grades each; the second has seen more labels.
/// let beliefs = Beliefs::new(array![[0.5, 1.0, 0.5], [2.0, 9.0, 2.0]]);
/// let beliefs = ItemBeliefs::on_places(beliefs, vec![1.0, 2.0, 3.0]);
/// let variance_of_the_mean = beliefs.map(|belief| belief.epistemic());
/// assert!(variance_of_the_mean[0] > 5.0 * variance_of_the_mean[1]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum ItemBeliefs {
    /// About classes without an order.
    Classes(Beliefs),
    /// About classes at places of a scale, which ascend.
    Places(Beliefs, Vec<f64>),
    /// About labels that are numbers.
    Ratings(Vec<Gaussian>),
}

impl ItemBeliefs {
    /// Beliefs about classes that stand at `places`.
    ///
    /// # Panics
    /// If there is not one finite place per class or they do not ascend strictly.
    pub fn on_places(beliefs: Beliefs, places: Vec<f64>) -> Self {
        assert_eq!(beliefs.classes(), places.len(), "one place per class");
        assert!(ascend(&places), "places must be finite and ascend strictly");
        Self::Places(beliefs, places)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes(beliefs) | Self::Places(beliefs, _) => beliefs.len(),
            Self::Ratings(beliefs) => beliefs.len(),
        }
    }

    /// Whether there are beliefs about zero items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The belief about the item at position `item`.
    ///
    /// # Panics
    /// If `item` is not below the number of items.
    #[inline]
    pub fn get(&self, item: usize) -> ItemBelief<'_> {
        match self {
            Self::Classes(beliefs) => ItemBelief::Classes(beliefs.get(item)),
            Self::Places(beliefs, places) => ItemBelief::Places(OrdinalBelief::new(beliefs.get(item), places)),
            Self::Ratings(beliefs) => ItemBelief::Ratings(beliefs[item]),
        }
    }

    /// One number per item, as in [`Beliefs::map`].
    pub fn map(&self, f: impl Fn(ItemBelief<'_>) -> f64) -> Vec<f64> {
        match self {
            Self::Classes(beliefs) => beliefs.map(|belief| f(ItemBelief::Classes(belief))),
            Self::Places(beliefs, places) => {
                beliefs.map(|belief| f(ItemBelief::Places(OrdinalBelief::new(belief, places))))
            }
            Self::Ratings(beliefs) => beliefs.iter().map(|belief| f(ItemBelief::Ratings(*belief))).collect(),
        }
    }

    /// A quantity of every item, bit by bit that of [`Self::map`].
    pub fn all(&self, quantity: Quantity) -> Vec<f64> {
        match self {
            Self::Classes(beliefs) => beliefs.all(quantity),
            _ => self.map(|belief| quantity.of(&*belief)),
        }
    }

    /// Total uncertainty of a prediction `q` of classes, in the unit of the beliefs; `None` where labels are numbers.
    pub fn total_of_prediction(&self, q: &[f64]) -> Option<f64> {
        match self {
            Self::Classes(_) => Some(entropy(q)),
            Self::Places(_, places) => Some(place_variance(q, places)),
            Self::Ratings(_) => None,
        }
    }

    /// A priority of an item, rounded to the digits in which items really differ: about classes to 40 significant bits
    /// (about 12 digits), about numbers to all.
    ///
    /// Items with the same evidence in another class order differ in the last bits only, by rounding; they must tie, so
    /// that the tie break and not the arithmetic of the platform decides between them.
    pub fn settle(&self, priority: f64) -> f64 {
        const DROPPED: u32 = 52 - 40;
        match self {
            Self::Classes(_) | Self::Places(..) => {
                let half = 1_u64 << (DROPPED - 1);
                f64::from_bits((priority.to_bits() + half) >> DROPPED << DROPPED)
            }
            Self::Ratings(_) => priority,
        }
    }

    /// The beliefs about the classes, wherever they stand.
    ///
    /// # Panics
    /// If labels are numbers.
    pub fn of_classes(&self) -> &Beliefs {
        match self {
            Self::Classes(beliefs) | Self::Places(beliefs, _) => beliefs,
            Self::Ratings(_) => panic!("these beliefs are about numbers and no classes"),
        }
    }

    /// The beliefs about numbers.
    ///
    /// # Panics
    /// If labels are classes.
    pub fn of_ratings(&self) -> &[Gaussian] {
        match self {
            Self::Ratings(beliefs) => beliefs,
            _ => panic!("these beliefs are about classes and no numbers"),
        }
    }
}

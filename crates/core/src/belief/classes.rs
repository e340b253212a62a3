//! What beliefs about classes have in common, whether or not the classes stand on a scale.

use ndarray::{Array2, ArrayView2};

use super::closed_forms::{distances, distances_after};
use super::dirichlet::{Dirichlet, entropy, row};
use super::ordinal::{OrdinalBelief, Ordinals, place_variance};
use super::table::Beliefs;
use super::traits::{Belief, BeliefTable};

/// A belief about a distribution over classes, with the error that an evaluation measures it by.
pub trait ClassBelief: Belief {
    /// The belief about the classes, wherever they stand.
    fn classes(&self) -> &Dirichlet<'_>;

    /// Error of the belief's mean as an estimate of a distribution `p` over the classes: the Manhattan distance, or on
    /// a scale the Wasserstein distance.
    fn error(&self, p: &[f64]) -> f64;

    /// [`Self::error`] after one further label of class `label` has been added.
    fn error_after(&self, label: usize, p: &[f64]) -> f64;

    /// By how much one further label is expected to lower the Wasserstein error.
    ///
    /// Without a scale all classes are at distance 1 from each other; the Wasserstein distance is half the Manhattan
    /// distance then.
    fn wasserstein_label_value(&self) -> f64;
}

/// Beliefs about distributions over classes.
pub trait ClassBeliefs: BeliefTable {
    /// The belief about the item at position `item`, with its error.
    fn of_classes(&self, item: usize) -> impl ClassBelief;

    /// [`ClassBelief::error`] of every item against its row of a truth, items x classes.
    fn errors(&self, truth: ArrayView2<f64>) -> Vec<f64> {
        (0..self.len()).map(|i| self.of_classes(i).error(row(truth.row(i)))).collect()
    }

    /// [`ClassBelief::error_after`] of every item by a label of each class, items x classes.
    fn errors_after(&self, truth: ArrayView2<f64>) -> Array2<f64> {
        let after = |(i, label)| self.of_classes(i).error_after(label, row(truth.row(i)));
        Array2::from_shape_fn(truth.dim(), after)
    }

    /// Total uncertainty of a prediction `q`, in the unit of the beliefs: what their total would be, were `q` their
    /// mean.
    fn total_of(&self, q: &[f64]) -> f64;

    /// The highest value that [`Self::total_of`] takes.
    fn highest_total(&self) -> f64;
}

impl ClassBelief for Dirichlet<'_> {
    fn classes(&self) -> &Dirichlet<'_> {
        self
    }

    #[inline]
    fn error(&self, p: &[f64]) -> f64 {
        self.manhattan(p)
    }

    #[inline]
    fn error_after(&self, label: usize, p: &[f64]) -> f64 {
        self.manhattan_after(label, p)
    }

    fn wasserstein_label_value(&self) -> f64 {
        0.5 * self.manhattan_label_value()
    }
}

impl ClassBeliefs for Beliefs {
    #[inline]
    fn of_classes(&self, item: usize) -> impl ClassBelief {
        self.get(item)
    }

    fn errors(&self, truth: ArrayView2<f64>) -> Vec<f64> {
        let truth = truth.as_standard_layout();
        distances(self.evidence(), truth.as_slice().unwrap_or_default(), Beliefs::classes(self))
    }

    fn errors_after(&self, truth: ArrayView2<f64>) -> Array2<f64> {
        let of_truth = truth.as_standard_layout();
        let after = distances_after(self.evidence(), of_truth.as_slice().unwrap_or_default(), Beliefs::classes(self));
        Array2::from_shape_vec(truth.dim(), after).expect("an error for each item and class")
    }

    fn total_of(&self, q: &[f64]) -> f64 {
        entropy(q)
    }

    fn highest_total(&self) -> f64 {
        (self.classes() as f64).ln()
    }
}

impl ClassBelief for OrdinalBelief<'_> {
    fn classes(&self) -> &Dirichlet<'_> {
        OrdinalBelief::classes(self)
    }

    #[inline]
    fn error(&self, p: &[f64]) -> f64 {
        self.wasserstein(p)
    }

    #[inline]
    fn error_after(&self, label: usize, p: &[f64]) -> f64 {
        self.wasserstein_after(label, p)
    }

    fn wasserstein_label_value(&self) -> f64 {
        OrdinalBelief::wasserstein_label_value(self)
    }
}

impl ClassBeliefs for Ordinals {
    #[inline]
    fn of_classes(&self, item: usize) -> impl ClassBelief {
        self.get(item)
    }

    fn total_of(&self, q: &[f64]) -> f64 {
        place_variance(q, self.places())
    }

    fn highest_total(&self) -> f64 {
        let (first, last) = (self.places()[0], self.places()[self.places().len() - 1]);
        (0.5 * (last - first)).powi(2)
    }
}

//! The beliefs about the labels of many items.

use ndarray::{Array2, ArrayView2};

use super::closed_forms::{distances, distances_after, of_dirichlets, squared_distances};
use super::dirichlet::Dirichlet;
use super::traits::Quantity;

/// The beliefs about many items, a [`Dirichlet`] of each.
///
/// ```
/// use judge_uncertainty_core::belief::{Belief, Beliefs};
/// use ndarray::array;
///
/// // Two items with equal predictions; the judge is worth one label for the first and 30 for the second.
/// let q = array![[0.7, 0.3], [0.7, 0.3]];
/// let beliefs = Beliefs::posterior(&[1.0, 30.0], q.view(), array![[1, 0], [1, 0]].view());
/// let epistemic = beliefs.map(|belief| belief.epistemic());
/// assert!(epistemic[0] > 5.0 * epistemic[1]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
    /// The evidence, items x classes, stored row by row.
    alpha: Array2<f64>,
}

impl Beliefs {
    /// Beliefs from their evidence, items x classes.
    pub fn new(alpha: Array2<f64>) -> Self {
        Self { alpha: alpha.as_standard_layout().into_owned() }
    }

    /// Conjugate update alpha = lambda q + c (the paper, App. B, "the estimator in full").
    ///
    /// `trust` holds lambda per item (in labels), `q` the judge's predicted distributions and `counts` the labels in
    /// hand, both items x classes.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn posterior(trust: &[f64], q: ArrayView2<f64>, counts: ArrayView2<u32>) -> Self {
        assert_eq!(q.dim(), counts.dim(), "predictions and counts must have the same shape");
        assert_eq!(trust.len(), q.nrows(), "one trust per item");
        let mut alpha = q.as_standard_layout().into_owned();
        let counts = counts.as_standard_layout();
        let (rows, counts) = (alpha.as_slice_mut().unwrap_or_default(), counts.as_slice().unwrap_or_default());
        let classes = q.ncols().max(1);
        for ((row, counts), trust) in rows.chunks_exact_mut(classes).zip(counts.chunks_exact(classes)).zip(trust) {
            row.iter_mut().zip(counts).for_each(|(alpha, &c)| *alpha = trust * *alpha + f64::from(c));
        }
        Self { alpha }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.alpha.ncols()
    }

    /// The evidence of all items, one after the other.
    pub(super) fn evidence(&self) -> &[f64] {
        self.alpha.as_slice().expect("beliefs are stored row by row")
    }

    /// The sum over classes of the squared distance of every belief's mean to its row of a truth, items x classes.
    pub fn squared_distances(&self, truth: ArrayView2<f64>) -> Vec<f64> {
        let truth = truth.as_standard_layout();
        squared_distances(self.evidence(), truth.as_slice().unwrap_or_default(), self.classes())
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.alpha.nrows()
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
    pub fn get(&self, item: usize) -> Dirichlet<'_> {
        let k = self.classes();
        Dirichlet::new(&self.evidence()[item * k..(item + 1) * k])
    }

    /// One number per item.
    pub fn map(&self, f: impl FnMut(Dirichlet<'_>) -> f64) -> Vec<f64> {
        self.iter().map(f).collect()
    }

    /// A quantity of every item, bit by bit that of [`Self::map`].
    pub fn all(&self, quantity: Quantity) -> Vec<f64> {
        of_dirichlets(quantity, self.evidence(), self.classes())
    }

    /// The Manhattan distance of every belief's mean to its row of a truth, items x classes.
    pub fn errors(&self, truth: ArrayView2<f64>) -> Vec<f64> {
        let truth = truth.as_standard_layout();
        distances(self.evidence(), truth.as_slice().unwrap_or_default(), self.classes())
    }

    /// [`Self::errors`] after one further label of each class, items x classes.
    pub fn errors_after(&self, truth: ArrayView2<f64>) -> Array2<f64> {
        let of_truth = truth.as_standard_layout();
        let after = distances_after(self.evidence(), of_truth.as_slice().unwrap_or_default(), self.classes());
        Array2::from_shape_vec(truth.dim(), after).expect("an error for each item and class")
    }

    /// All beliefs in item order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Dirichlet<'_>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Adds one label of class `label` to item `i`.
    pub fn add_label(&mut self, i: usize, label: usize) {
        self.alpha[[i, label]] += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Evidence of all sizes, classes without any and items whose impurity is lost in rounding; blocks whole and not.
    #[test]
    fn quantities_of_all_items_are_those_of_each_to_the_last_bit() {
        let mut stream = Stream::new(9);
        for (items, classes) in [(1, 2), (7, 3), (8, 3), (203, 3), (50, 5)] {
            let mut draw = || match stream.choice(8) {
                0 => 0.0,
                1 => 1e-9 * stream.random(),
                2 => 1e7 * stream.random(),
                n => 4.0 * f64::from(n) * stream.random(),
            };
            let alpha = Array2::from_shape_fn((items, classes), |(_, j)| draw() + if j == 1 { 1e-3 } else { 0.0 });
            let beliefs = Beliefs::new(alpha);
            for quantity in
                [Quantity::Total, Quantity::Aleatoric, Quantity::Epistemic, Quantity::Spread, Quantity::LabelValue]
            {
                let all: Vec<u64> = beliefs.all(quantity).into_iter().map(f64::to_bits).collect();
                let each: Vec<u64> = beliefs.map(|belief| quantity.of(&belief)).into_iter().map(f64::to_bits).collect();
                assert_eq!(all, each, "{quantity:?} of {items} items of {classes} classes");
            }
        }
    }
}

//! The beliefs about the labels of many items.

use ndarray::{Array2, ArrayView2};

use super::dirichlet::{Dirichlet, row};
use super::traits::Quantity;

/// Values of beliefs that are kept while those of many items are worked out, a power of two.
const RECENT: usize = 4096;
/// An odd number whose multiples have well-mixed bits: 2^64 over the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

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

    /// One number per item, worked out once for most of those with the same belief.
    ///
    /// A judge that answers with a class alone leaves few beliefs that differ, however many items there are.
    pub fn map(&self, f: impl Fn(Dirichlet<'_>) -> f64) -> Vec<f64> {
        let mut recent = vec![(usize::MAX, 0.0); RECENT.min(self.len().next_power_of_two())];
        let of = |(item, belief): (usize, Dirichlet<'_>)| {
            let alpha = belief.alpha();
            let mixed = alpha.iter().fold(0_u64, |mixed, a| (mixed.rotate_left(5) ^ a.to_bits()).wrapping_mul(MIX));
            let place = (mixed >> 52) as usize % recent.len();
            let (like, known) = &mut recent[place];
            if *like == usize::MAX || self.get(*like).alpha() != alpha {
                (*like, *known) = (item, f(belief));
            }
            *known
        };
        self.iter().enumerate().map(of).collect()
    }

    /// A quantity of every item.
    pub fn all(&self, quantity: Quantity) -> Vec<f64> {
        self.map(|belief| quantity.of(&belief))
    }

    /// The Manhattan distance of every belief's mean to its row of a truth, items x classes.
    pub fn errors(&self, truth: ArrayView2<f64>) -> Vec<f64> {
        let truth = truth.as_standard_layout();
        self.iter().zip(truth.rows()).map(|(belief, p)| belief.manhattan(row(p))).collect()
    }

    /// [`Self::errors`] after one further label of each class, items x classes.
    pub fn errors_after(&self, truth: ArrayView2<f64>) -> Array2<f64> {
        let truth = truth.as_standard_layout();
        Array2::from_shape_fn(truth.dim(), |(i, label)| self.get(i).manhattan_after(label, row(truth.row(i))))
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

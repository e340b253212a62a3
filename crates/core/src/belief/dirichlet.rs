//! The Dirichlet belief about an item's label distribution and the closed forms that follow from it.

use ndarray::{Array2, ArrayView1, ArrayView2};

use crate::stats::psi::{digamma, digamma_excess};

/// A Dirichlet belief Dir(alpha) about one item's label distribution p over K >= 2 classes.
///
/// alpha_j >= 0 is the evidence for class j in labels, alpha_0 = sum_j alpha_j > 0 the total evidence, and
/// m_j = alpha_j / alpha_0 the mean. Entropies use natural logarithms (nats), 0 ln 0 = 0. With
/// G(m) = 1 - sum_j m_j^2:
///
/// ```text
/// total       H(m)        = -sum_j m_j ln m_j                              0 .. ln K
/// aleatoric   E[H(p)]     = psi(alpha_0 + 1) - sum_j m_j psi(alpha_j + 1)  0 .. total
/// epistemic   I(y; p)     = total - aleatoric                              >= 0
/// spread      v           = G(m) / (alpha_0 + 1)                           expected squared error of m
/// label value Delta       = G(m) / (alpha_0 + 1)^2                         its expected fall by one label
/// ```
///
/// Source: the paper, Sec. 3 and App. B (model details).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dirichlet<'a> {
    alpha: &'a [f64],
    total_evidence: f64,
}

impl<'a> Dirichlet<'a> {
    /// The belief with evidence `alpha` (in labels) per class.
    ///
    /// # Panics
    /// In debug builds, if there are fewer than two classes, an entry is negative or not finite, or all are zero.
    #[inline]
    pub fn new(alpha: &'a [f64]) -> Self {
        debug_assert!(alpha.len() >= 2, "a label distribution needs at least two classes");
        debug_assert!(alpha.iter().all(|&a| a >= 0.0 && a.is_finite()), "evidence must be finite and >= 0");
        let total_evidence: f64 = alpha.iter().sum();
        debug_assert!(total_evidence > 0.0, "a belief needs some evidence");
        Self { alpha, total_evidence }
    }

    /// Evidence per class, alpha.
    pub fn alpha(&self) -> &'a [f64] {
        self.alpha
    }

    /// Total evidence alpha_0 = trust + labels, in labels.
    #[inline]
    pub fn total_evidence(&self) -> f64 {
        self.total_evidence
    }

    /// The mean m, the current estimate of the label distribution.
    pub fn mean(&self) -> impl Iterator<Item = f64> + 'a {
        let total = self.total_evidence;
        self.alpha.iter().map(move |a| a / total)
    }

    /// Total uncertainty H(m) about a fresh label, in nats.
    #[inline]
    pub fn total(&self) -> f64 {
        self.mean().map(|m| if m > 0.0 { -m * m.ln() } else { 0.0 }).sum()
    }

    /// Aleatoric part E[H(p)], the disagreement that labels cannot reduce, in nats.
    pub fn aleatoric(&self) -> f64 {
        digamma(self.total_evidence + 1.0)
            - self.alpha.iter().map(|a| a / self.total_evidence * digamma(a + 1.0)).sum::<f64>()
    }

    /// Epistemic part I(y; p), the mutual information of one further label and p, in nats.
    ///
    /// Computed as sum_j m_j g(alpha_j) - g(alpha_0) with g(x) = psi(x + 1) - ln x rather than as a difference of
    /// entropies, so that it keeps its relative accuracy when the evidence is large.
    #[inline]
    pub fn epistemic(&self) -> f64 {
        let weighted: f64 =
            self.alpha.iter().map(|&a| if a > 0.0 { a / self.total_evidence * digamma_excess(a) } else { 0.0 }).sum();
        // Rounding may leave -1e-17 where one class holds all the evidence.
        (weighted - digamma_excess(self.total_evidence)).max(0.0)
    }

    /// Gini impurity of the mean, G(m) = 1 - sum_j m_j^2.
    #[inline]
    pub fn gini(&self) -> f64 {
        1.0 - self.mean().map(|m| m * m).sum::<f64>()
    }

    /// Posterior spread v = G(m) / (alpha_0 + 1): the expected squared error of the mean.
    #[inline]
    pub fn spread(&self) -> f64 {
        self.gini() / (self.total_evidence + 1.0)
    }

    /// One-label value Delta = G(m) / (alpha_0 + 1)^2: how much one label is expected to lower [`Self::spread`].
    #[inline]
    pub fn label_value(&self) -> f64 {
        let n = self.total_evidence + 1.0;
        self.gini() / (n * n)
    }

    /// Manhattan distance sum_j |m_j - p_j| of the mean to a distribution p, 0 to 2.
    #[inline]
    pub fn manhattan(&self, p: &[f64]) -> f64 {
        self.mean().zip(p).map(|(m, p)| (m - p).abs()).sum()
    }

    /// [`Self::manhattan`] after one further label of class `label` has been added.
    #[inline]
    pub fn manhattan_after(&self, label: usize, p: &[f64]) -> f64 {
        let total = self.total_evidence + 1.0;
        let error = |j: usize, a: f64| (if j == label { (a + 1.0) / total } else { a / total } - p[j]).abs();
        self.alpha.iter().enumerate().map(|(j, &a)| error(j, a)).sum()
    }
}

/// Shannon entropy of a distribution in nats, -sum_j p_j ln p_j with 0 ln 0 = 0.
#[inline]
pub fn entropy(p: &[f64]) -> f64 {
    p.iter().map(|&p| if p > 0.0 { -p * p.ln() } else { 0.0 }).sum()
}

/// Manhattan distance sum_j |p_j - q_j| of two distributions, 0 to 2.
#[inline]
pub fn manhattan(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(p, q)| (p - q).abs()).sum()
}

/// The beliefs about many items, one [`Dirichlet`] per row.
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
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
        let mut alpha = Array2::zeros(q.dim());
        ndarray::Zip::indexed(&mut alpha)
            .and(q)
            .and(counts)
            .for_each(|(i, _), a, &q, &c| *a = trust[i] * q + f64::from(c));
        Self { alpha }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.alpha.nrows()
    }

    /// True when there are no items.
    pub fn is_empty(&self) -> bool {
        self.alpha.is_empty()
    }

    /// The belief about item `i`.
    #[inline]
    pub fn get(&self, i: usize) -> Dirichlet<'_> {
        let k = self.alpha.ncols();
        let all = self.alpha.as_slice().expect("beliefs are stored row by row");
        Dirichlet::new(&all[i * k..(i + 1) * k])
    }

    /// All beliefs in item order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Dirichlet<'_>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Adds one label of class `label` to item `i`.
    pub fn add_label(&mut self, i: usize, label: usize) {
        self.alpha[[i, label]] += 1.0;
    }

    /// One number per item.
    pub fn map(&self, f: impl FnMut(Dirichlet<'_>) -> f64) -> Vec<f64> {
        self.iter().map(f).collect()
    }
}

/// A row of a standard-layout array as a slice.
///
/// # Panics
/// If the row is not contiguous.
#[inline]
pub fn row<'a, T>(row: ArrayView1<'a, T>) -> &'a [T] {
    row.to_slice().expect("rows are contiguous")
}

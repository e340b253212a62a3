//! The Dirichlet belief about an item's label distribution and the closed forms that follow from it.

use ndarray::ArrayView1;

use super::traits::Belief;
use crate::stats::gamma::{digamma, digamma_excess};

/// Below this, 1 - sum_j m_j^2 has lost a third of its digits.
const NEARLY_NONE: f64 = 1e-6;

/// A Dirichlet belief Dir(alpha) about one item's label distribution p over K >= 2 classes.
///
/// alpha_j >= 0 is the evidence for class j in labels, alpha_0 = sum_j alpha_j > 0 the total evidence, and m_j =
/// alpha_j / alpha_0 the mean. Entropies use natural logarithms (nats), 0 ln 0 = 0. With G(m) = 1 - sum_j m_j^2:
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
///
/// ```
/// use judge_uncertainty_core::belief::{Belief, Dirichlet};
///
/// // The judge's prediction (0.2, 0.5, 0.3) counts as 4 labels; people gave two labels of the second class.
/// let alpha = [0.8, 2.0 + 2.0, 1.2];
/// let belief = Dirichlet::new(&alpha);
/// assert_eq!(belief.evidence(), 6.0);
/// assert!((belief.total() - belief.aleatoric() - belief.epistemic()).abs() < 1e-12);
///
/// // One label is expected to lower the squared error by a seventh, and five by 5/11.
/// assert!((belief.label_value() - belief.spread() / 7.0).abs() < 1e-12);
/// assert!((belief.spread_after(5) - belief.spread() * 6.0 / 11.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dirichlet<'a> {
    alpha: &'a [f64],
    evidence: f64,
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
        let evidence: f64 = alpha.iter().sum();
        debug_assert!(evidence > 0.0, "a belief needs some evidence");
        Self { alpha, evidence }
    }

    /// Evidence per class, alpha.
    pub fn alpha(&self) -> &'a [f64] {
        self.alpha
    }

    /// The mean m, the current estimate of the label distribution.
    pub fn mean(&self) -> impl ExactSizeIterator<Item = f64> + 'a {
        let evidence = self.evidence;
        self.alpha.iter().map(move |a| a / evidence)
    }

    /// Gini impurity of the mean, G(m) = 1 - sum_j m_j^2; where one class holds nearly all the evidence, without the
    /// cancellation.
    #[inline]
    pub fn gini(&self) -> f64 {
        let gini = 1.0 - self.mean().map(|m| m * m).sum::<f64>();
        if gini < NEARLY_NONE { self.small_gini() } else { gini }
    }

    /// (2 s r - r^2 - sum of the squares of r's terms) / s^2, with s the evidence and r that of all classes but the
    /// largest.
    fn small_gini(&self) -> f64 {
        let largest = (1..self.alpha.len()).fold(0, |best, j| if self.alpha[j] > self.alpha[best] { j } else { best });
        let others = || self.alpha.iter().enumerate().filter(|(j, _)| *j != largest).map(|(_, a)| a / self.evidence);
        let rest: f64 = others().sum();
        2.0 * rest - rest * rest - others().map(|m| m * m).sum::<f64>()
    }

    /// The belief after further labels, so many of each class: its evidence.
    pub fn after(&self, labels: &[u32]) -> Vec<f64> {
        self.alpha.iter().zip(labels).map(|(a, &n)| a + f64::from(n)).collect()
    }

    /// Manhattan distance sum_j |m_j - p_j| of the mean to a distribution p, 0 to 2.
    #[inline]
    pub fn manhattan(&self, p: &[f64]) -> f64 {
        self.mean().zip(p).map(|(m, p)| (m - p).abs()).sum()
    }

    /// [`Self::manhattan`] after one further label of class `label` has been added.
    #[inline]
    pub fn manhattan_after(&self, label: usize, p: &[f64]) -> f64 {
        let total = self.evidence + 1.0;
        let error = |j: usize, a: f64| (if j == label { (a + 1.0) / total } else { a / total } - p[j]).abs();
        self.alpha.iter().enumerate().map(|(j, &a)| error(j, a)).sum()
    }
}

impl Belief for Dirichlet<'_> {
    /// Total uncertainty H(m) about a fresh label, in nats.
    #[inline]
    fn total(&self) -> f64 {
        self.mean().map(|m| if m > 0.0 { -m * m.ln() } else { 0.0 }).sum()
    }

    /// Aleatoric part E\[H(p)\], the disagreement that labels cannot reduce, in nats.
    fn aleatoric(&self) -> f64 {
        digamma(self.evidence + 1.0) - self.alpha.iter().map(|a| a / self.evidence * digamma(a + 1.0)).sum::<f64>()
    }

    /// Epistemic part I(y; p), the mutual information of one further label and p, in nats.
    ///
    /// Computed as sum_j m_j g(alpha_j) - g(alpha_0) with g(x) = psi(x + 1) - ln x rather than as a difference of
    /// entropies, so that it keeps its relative accuracy when the evidence is large.
    #[inline]
    fn epistemic(&self) -> f64 {
        let weighted: f64 =
            self.alpha.iter().map(|&a| if a > 0.0 { a / self.evidence * digamma_excess(a) } else { 0.0 }).sum();
        // Rounding may leave -1e-17 where one class holds all the evidence.
        (weighted - digamma_excess(self.evidence)).max(0.0)
    }

    /// Posterior spread v = G(m) / (alpha_0 + 1): the expected squared error of the mean.
    #[inline]
    fn spread(&self) -> f64 {
        self.gini() / (self.evidence + 1.0)
    }

    /// One-label value Delta = G(m) / (alpha_0 + 1)^2: how much one label is expected to lower the spread.
    #[inline]
    fn label_value(&self) -> f64 {
        let n = self.evidence + 1.0;
        self.gini() / (n * n)
    }

    /// Total evidence alpha_0 = trust + labels, in labels.
    #[inline]
    fn evidence(&self) -> f64 {
        self.evidence
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

/// A row of a standard-layout array as a slice.
///
/// # Panics
/// If the row is not contiguous.
#[inline]
pub fn row<'a, T>(row: ArrayView1<'a, T>) -> &'a [T] {
    row.to_slice().expect("rows are contiguous")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean of a quantity over every sequence of `left` labels, each weighted by its probability.
    fn enumerated(alpha: &[f64], left: u32, f: &dyn Fn(Dirichlet) -> f64) -> f64 {
        let belief = Dirichlet::new(alpha);
        if left == 0 {
            return f(belief);
        }
        let next = |j: usize| {
            let mut alpha = alpha.to_vec();
            alpha[j] += 1.0;
            alpha
        };
        belief.mean().enumerate().map(|(j, m)| if m > 0.0 { m * enumerated(&next(j), left - 1, f) } else { 0.0 }).sum()
    }

    #[test]
    fn expectations_match_the_enumeration_of_all_labels() {
        for alpha in [&[0.6, 1.9, 0.2][..], &[12.0, 3.0], &[0.0, 2.0, 5.0], &[40.0, 0.1, 7.0]] {
            let belief = Dirichlet::new(alpha);
            for k in 0..=5 {
                let (got, want) = (belief.spread_after(k), enumerated(alpha, k, &|b| b.spread()));
                assert!((got - want).abs() < 1e-14, "{alpha:?} after {k}: {got} for {want}");
            }
        }
    }
}

//! What a mixture says: the parts of uncertainty, what labels are worth, and where shares lie.

use std::borrow::Cow;

use super::components::Mixture;
use super::errors::{Cuts, expected_reduction};
use super::look_ahead::{DRAWS, over_labels};
use crate::belief::dirichlet::{Dirichlet, entropy};
use crate::belief::traits::Belief;
use crate::stats::beta::beta_cdf;

impl<'a> Mixture<'a> {
    /// Numbers in proportion to the mean whose sum is [`Belief::evidence`]; the evidence by class itself where there is
    /// one component.
    pub fn evidence_by_class(&self) -> Cow<'a, [f64]> {
        match self.alone() {
            Some(alone) => Cow::Borrowed(alone.alpha()),
            None => {
                let evidence = self.evidence();
                Cow::Owned(self.mean().map(|m| evidence * m).collect())
            }
        }
    }

    /// Gini impurity of the mean, G(m) = 1 - sum_j m_j^2.
    pub fn gini(&self) -> f64 {
        match self.alone() {
            Some(alone) => alone.gini(),
            None => gini(&self.mean().collect::<Vec<_>>()),
        }
    }

    /// Manhattan distance sum_j |m_j - p_j| of the mean to a distribution p, 0 to 2.
    #[inline]
    pub fn manhattan(&self, p: &[f64]) -> f64 {
        match self.alone() {
            Some(alone) => alone.manhattan(p),
            None => self.mean().zip(p).map(|(m, p)| (m - p).abs()).sum(),
        }
    }

    /// [`Self::manhattan`] after one further label of class `label` has been added.
    #[inline]
    pub fn manhattan_after(&self, label: usize, p: &[f64]) -> f64 {
        match self.alone() {
            Some(alone) => alone.manhattan_after(label, p),
            None => self.after_one(label).get().manhattan(p),
        }
    }

    /// By how much one further label is expected to lower the Manhattan error of the mean, sum_j E|p_j - m_j| under the
    /// belief itself.
    pub fn manhattan_label_value(&self) -> f64 {
        self.expected_manhattan_reduction(1)
    }

    /// By how much `labels` further labels, bought together, are expected to lower the Manhattan error.
    ///
    /// With x_cj ~ Beta(alpha_cj, s_c - alpha_cj), the error is sum_j sum_c w_c E|x_cj - m_j|, before and after the
    /// labels.
    pub fn expected_manhattan_reduction(&self, labels: u32) -> f64 {
        match self.alone() {
            Some(alone) => alone.expected_manhattan_reduction(labels),
            None => expected_reduction(self, labels, Cuts::Classes),
        }
    }

    /// Probability that the share of a class is at most `x`, 0 to 1: the weighted sum of the components' beta
    /// distribution functions.
    pub fn share_cdf(&self, class: usize, x: f64) -> f64 {
        let of = |d: &Dirichlet| match (d.alpha()[class], d.evidence_but(class)) {
            (a, _) if a <= 0.0 => 1.0,
            (_, b) if b <= 0.0 => f64::from(u8::from(x >= 1.0)),
            (a, b) => beta_cdf(x, a, b),
        };
        self.components().map(|(w, d)| w * of(&d)).sum()
    }

    /// A sum over the components, weighted.
    fn average(&self, f: impl Fn(&Dirichlet) -> f64) -> f64 {
        self.components().map(|(w, d)| w * f(&d)).sum()
    }

    /// Expected squared distance from this mean to the one after `labels` further labels: what they take off v.
    fn expected_move(&self, labels: u32) -> f64 {
        let mean: Vec<f64> = self.mean().collect();
        over_labels(self, labels, DRAWS, |after| apart(&mean, after.mean()))
    }
}

/// |a - b|^2.
pub(super) fn apart(a: &[f64], b: impl Iterator<Item = f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// sum_j m_j (1 - m_j), the second factor without cancellation.
fn gini(mean: &[f64]) -> f64 {
    let rest = |j: usize| -> f64 {
        let others = mean.iter().enumerate().filter(|(l, _)| *l != j).map(|(_, m)| m);
        if mean[j] < 0.5 { 1.0 - mean[j] } else { others.sum() }
    };
    mean.iter().enumerate().map(|(j, m)| m * rest(j)).sum()
}

impl Belief for Mixture<'_> {
    /// Total uncertainty H(m) about a fresh label, in nats.
    fn total(&self) -> f64 {
        match self.alone() {
            Some(alone) => alone.total(),
            None => entropy(&self.mean().collect::<Vec<_>>()),
        }
    }

    /// Aleatoric part E\[H(p)\], in nats.
    fn aleatoric(&self) -> f64 {
        match self.alone() {
            Some(alone) => alone.aleatoric(),
            None => self.average(|d| d.aleatoric()),
        }
    }

    /// Epistemic part I(y; p), in nats: what a label tells within the components, and of which it is, neither a
    /// difference of entropies.
    fn epistemic(&self) -> f64 {
        let Some(alone) = self.alone() else {
            let mean: Vec<f64> = self.mean().collect();
            let term = |(m, all): (f64, &f64)| if m > 0.0 && *all > 0.0 { m * (m / all).ln() } else { 0.0 };
            return self.average(|d| d.epistemic() + d.mean().zip(&mean).map(term).sum::<f64>()).max(0.0);
        };
        alone.epistemic()
    }

    /// Posterior spread v: the expected squared error of the mean.
    fn spread(&self) -> f64 {
        let Some(alone) = self.alone() else {
            let mean: Vec<f64> = self.mean().collect();
            return self.average(|d| d.spread() + apart(&mean, d.mean()));
        };
        alone.spread()
    }

    /// One-label value Delta: how much one label is expected to lower the spread.
    fn label_value(&self) -> f64 {
        match self.alone() {
            Some(alone) => alone.label_value(),
            None => self.expected_move(1),
        }
    }

    /// Evidence of the Dirichlet distribution that has this mean and spread, in labels; where one class holds all, the
    /// components' mean.
    fn evidence(&self) -> f64 {
        if let Some(alone) = self.alone() {
            return alone.evidence();
        }
        let (gini, spread) = (self.gini(), self.spread());
        if spread > 0.0 { (gini / spread - 1.0).max(f64::MIN_POSITIVE) } else { self.average(|d| d.evidence()) }
    }

    /// E\[H(mean after the labels)\] - E\[H(p)\]: labels change what is believed, not what the aleatoric part is
    /// expected to be.
    fn epistemic_after(&self, labels: u32) -> f64 {
        if let Some(alone) = self.alone() {
            return alone.epistemic_after(labels);
        }
        if labels == 0 {
            return self.epistemic();
        }
        let after = over_labels(self, labels, DRAWS, |after| after.total());
        (after - self.aleatoric()).clamp(0.0, self.epistemic())
    }

    fn spread_after(&self, labels: u32) -> f64 {
        match self.alone() {
            Some(alone) => alone.spread_after(labels),
            None if labels == 0 => self.spread(),
            None => (self.spread() - self.expected_move(labels)).max(0.0),
        }
    }

    fn label_value_after(&self, labels: u32) -> f64 {
        match self.alone() {
            Some(alone) => alone.label_value_after(labels),
            None if labels == 0 => self.label_value(),
            None => (self.expected_move(labels + 1) - self.expected_move(labels)).max(0.0),
        }
    }
}

//! What a belief is expected to be like once further labels are in, before any of them is known.

use super::Rule;
use crate::belief::{Dirichlet, Gaussian};
use crate::stats::psi::digamma_excess;

/// A belief that can be looked ahead from.
///
/// Expectations are over labels drawn from the belief itself and are exact. All three fall as `labels` rises, and each
/// further label is worth less than the one before: that is why buying labels one at a time, the best first, spends a
/// budget in the best way ([`super::allocate`]).
pub trait Outlook {
    /// Expected epistemic part after `labels` further labels.
    fn epistemic_after(&self, labels: u32) -> f64;
    /// Expected squared error of the mean after `labels` further labels.
    fn spread_after(&self, labels: u32) -> f64;
    /// Expected value of the label that follows on `labels` further ones: the fall of [`Self::spread_after`].
    fn label_value_after(&self, labels: u32) -> f64;
}

/// With e the total evidence and v the spread, v falls as 1/(e + k): E\[v after k\] = v e/(e + k).
fn falling(now: f64, evidence: f64, labels: u32) -> f64 {
    now * (evidence / (evidence + f64::from(labels)))
}

impl Outlook for Dirichlet<'_> {
    /// ```text
    /// E[I after k] = sum_j E[(alpha_j + c_j) g(alpha_j + c_j)] / (alpha_0 + k) - g(alpha_0 + k)
    /// ```
    ///
    /// with c_j beta-binomial and g(x) = psi(x + 1) - ln x.
    fn epistemic_after(&self, labels: u32) -> f64 {
        let total = self.total_evidence();
        let end = total + f64::from(labels);
        let excess = |a: f64| if a > 0.0 { a / end * digamma_excess(a) } else { 0.0 };
        let sum: f64 =
            self.alpha().iter().map(|&a| beta_binomial_mean(labels, a, total - a, |c| excess(a + f64::from(c)))).sum();
        (sum - digamma_excess(end)).max(0.0)
    }

    fn spread_after(&self, labels: u32) -> f64 {
        falling(self.spread(), self.total_evidence(), labels)
    }

    fn label_value_after(&self, labels: u32) -> f64 {
        self.spread_after(labels) / (self.total_evidence() + f64::from(labels) + 1.0)
    }
}

impl Outlook for Gaussian {
    fn epistemic_after(&self, labels: u32) -> f64 {
        falling(self.epistemic(), self.evidence, labels)
    }

    fn spread_after(&self, labels: u32) -> f64 {
        self.epistemic_after(labels)
    }

    fn label_value_after(&self, labels: u32) -> f64 {
        self.epistemic_after(labels) / (self.evidence + f64::from(labels) + 1.0)
    }
}

/// Mean of f(c) over c successes in n trials whose probability is a Beta(a, b) draw.
fn beta_binomial_mean(n: u32, a: f64, b: f64, f: impl Fn(u32) -> f64) -> f64 {
    if a <= 0.0 {
        return f(0);
    }
    if b <= 0.0 {
        return f(n);
    }
    // Logarithms, because the first probability may be too small for a number.
    let mut ln_p: f64 = (0..n).map(|i| -(a / (b + f64::from(i))).ln_1p()).sum();
    let mut sum = 0.0;
    for c in 0..=n {
        sum += ln_p.exp() * f(c);
        let (done, left) = (f64::from(c), f64::from(n - c));
        if c < n {
            ln_p += (left / (done + 1.0) * ((a + done) / (b + left - 1.0))).ln();
        }
    }
    sum
}

impl Rule {
    /// The rule's score of an item after `more` further labels, in expectation; `in_hand` is the number of labels now.
    ///
    /// `None` for rules whose score no label moves in expectation (nothing would keep them from sending the whole budget
    /// to one item), and for those beyond the paper, which rank items but don't allocate.
    pub fn score_after(self, belief: &impl Outlook, in_hand: u32, more: u32) -> Option<f64> {
        match self {
            Rule::Info => Some(belief.epistemic_after(more)),
            Rule::Delta => Some(belief.label_value_after(more)),
            Rule::Spread => Some(belief.spread_after(more)),
            Rule::FewestLabels => Some(-f64::from(in_hand) - f64::from(more)),
            _ => None,
        }
    }

    /// Whether [`Rule::score_after`] has an answer.
    pub fn looks_ahead(self) -> bool {
        matches!(self, Rule::Info | Rule::Delta | Rule::Spread | Rule::FewestLabels)
    }
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
                for (got, want) in [
                    (belief.epistemic_after(k), enumerated(alpha, k, &|b| b.epistemic())),
                    (belief.spread_after(k), enumerated(alpha, k, &|b| b.spread())),
                    (belief.label_value_after(k), enumerated(alpha, k, &|b| b.label_value())),
                ] {
                    assert!((got - want).abs() < 1e-14, "{alpha:?} after {k}: {got} for {want}");
                }
            }
        }
    }

    #[test]
    fn every_label_is_worth_less_than_the_one_before() {
        let belief = Dirichlet::new(&[0.3, 0.9, 4.0]);
        let gaussian = Gaussian { mean: 0.0, evidence: 3.0, freedom: 7.0, scale: 2.0 };
        for rule in Rule::PAPER.into_iter().filter(|rule| rule.looks_ahead()) {
            for k in 0..200 {
                assert!(rule.score_after(&belief, 2, k) > rule.score_after(&belief, 2, k + 1), "{rule:?} {k}");
                assert!(rule.score_after(&gaussian, 2, k) > rule.score_after(&gaussian, 2, k + 1), "{rule:?} {k}");
            }
        }
        assert!(Rule::PAPER.iter().all(|rule| rule.looks_ahead() == rule.score_after(&belief, 0, 1).is_some()));
        let value = gaussian.spread_after(4) - gaussian.spread_after(5);
        assert!((gaussian.label_value_after(4) - value).abs() < 1e-15);
        assert_eq!(gaussian.label_value_after(0), gaussian.label_value());
    }

    #[test]
    fn large_evidence_and_many_labels_stay_finite() {
        let belief = Dirichlet::new(&[1e6, 1e-3]);
        let after = belief.epistemic_after(2000);
        assert!(after.is_finite() && after > 0.0 && after < belief.epistemic());
    }
}

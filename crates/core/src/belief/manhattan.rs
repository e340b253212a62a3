//! The value of labels matched to the measure: Manhattan error, as the evaluation takes it.

use super::beta::deviation_reduction;
use super::dirichlet::Dirichlet;

impl Dirichlet<'_> {
    /// By how much one further label is expected to lower the Manhattan error of the mean, sum_j E|p_j - m_j| under the
    /// belief itself.
    ///
    /// The marginals of a Dirichlet are Beta(a_j, alpha_0 - a_j), so the error is a sum of mean absolute deviations MAD
    /// of beta variables, and its fall is
    ///
    /// ```text
    /// sum_j MAD(a, b) [1 - (s / (s + 1))^(s + 2) ((a / s)(1 + 1/a)^(a + 1) + (b / s)(1 + 1/b)^(b + 1))]
    /// ```
    ///
    /// with a = a_j, b = s - a_j, s = alpha_0. It is to the Manhattan error what Delta is to the squared error.
    pub fn manhattan_label_value(&self) -> f64 {
        self.expected_manhattan_reduction(1)
    }

    /// By how much `labels` further labels, bought together, are expected to lower the Manhattan error.
    ///
    /// Of k labels, the number in class j is beta-binomial, so with a, b, s as in [`Self::manhattan_label_value`]
    ///
    /// ```text
    /// E MAD after k labels = MAD(a, b) s^(s+1) / (s+k)^(s+k+1)
    ///                        sum_{i=0..k} C(k, i) [(a+i)^(a+i) / a^a] [(b+k-i)^(b+k-i) / b^b]
    /// ```
    ///
    /// No beta function is left in the sum. Never negative but for rounding, which is cut off at 0.
    pub fn expected_manhattan_reduction(&self, labels: u32) -> f64 {
        let of = |(class, &a): (usize, &f64)| deviation_reduction(a, self.evidence_but(class), labels);
        self.alpha().iter().enumerate().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::beta::beta_mean_deviation;
    use crate::belief::traits::Belief;

    /// sum_j E|p_j - m_j|, 0 to 2.
    fn expected_manhattan(belief: &Dirichlet) -> f64 {
        belief.alpha().iter().map(|&a| beta_mean_deviation(a, belief.evidence() - a)).sum()
    }

    /// From mpmath: quadrature of |x - m| against the beta density, averaged over the beta-binomial number of labels.
    #[test]
    fn reductions_agree_with_quadrature() {
        let values: [(&[f64], u32, f64, f64); 4] = [
            (&[1.5, 2.5, 1.25], 1, 0.4520711273701298, 0.040788553048503054),
            (&[1.5, 2.5, 1.25], 4, 0.4520711273701298, 0.1184598445946302),
            (&[2.0, 6.0], 10, 0.2335968017578125, 0.08089686509399568),
            (&[3.0, 1.75, 2.25, 8.5], 3, 0.3068955375004068, 0.02694357291888671),
        ];
        for (alpha, labels, expected, reduction) in values {
            let belief = Dirichlet::new(alpha);
            assert!((expected_manhattan(&belief) - expected).abs() < 1e-13, "{alpha:?}");
            let got = belief.expected_manhattan_reduction(labels);
            assert!((got - reduction).abs() < 1e-13, "{alpha:?}, {labels} labels: {got} for {reduction}");
        }
    }

    /// The display for one label, by another route than the sum over counts.
    #[test]
    fn one_label_has_the_closed_form_of_its_display() {
        let alpha = [0.7, 2.1, 4.4];
        let belief = Dirichlet::new(&alpha);
        let s = belief.evidence();
        let display: f64 = alpha
            .iter()
            .map(|&a| {
                let b = s - a;
                let part = |x: f64| x / s * (1.0 + 1.0 / x).powf(x + 1.0);
                beta_mean_deviation(a, b) * (1.0 - (s / (s + 1.0)).powf(s + 2.0) * (part(a) + part(b)))
            })
            .sum();
        assert!((belief.manhattan_label_value() - display).abs() < 1e-14);
        assert_eq!(belief.expected_manhattan_reduction(0), 0.0);
    }

    /// Each further label is worth less than the one before, and all of them no more than what there is to learn.
    #[test]
    fn labels_have_diminishing_value() {
        let belief = Dirichlet::new(&[0.3, 1.5, 3.0]);
        let path: Vec<f64> = (0..=10).map(|k| belief.expected_manhattan_reduction(k)).collect();
        assert!(path.windows(3).all(|w| w[1] > w[0] && w[2] - w[1] < w[1] - w[0]), "{path:?}");
        assert!(path[10] < expected_manhattan(&belief));
    }

    #[test]
    fn certain_and_nearly_certain_beliefs_have_finite_values() {
        for alpha in [[0.0, 0.0, 5.0], [1e-300, 1.0, 2.0], [1e-9, 1e9, 3.0], [1e12, 1e12, 1e12]] {
            let belief = Dirichlet::new(&alpha);
            for labels in [1, 10] {
                let value = belief.expected_manhattan_reduction(labels);
                assert!(value.is_finite() && value >= 0.0, "{alpha:?}: {value}");
            }
        }
    }
}

//! The value of labels matched to the measure: Manhattan error, as the evaluation takes it.

use std::f64::consts::PI;

use libm::lgamma;

use super::dirichlet::Dirichlet;

impl Dirichlet<'_> {
    /// Expected Manhattan error sum_j E|p_j - m_j| of the mean under the belief itself, 0 to 2.
    ///
    /// The marginals of a Dirichlet are Beta(a_j, alpha_0 - a_j), so the sum is one of [`beta_mean_deviation`]s.
    pub fn expected_manhattan(&self) -> f64 {
        self.alpha().iter().map(|&a| beta_mean_deviation(a, self.total_evidence() - a)).sum()
    }

    /// By how much one further label is expected to lower [`Self::expected_manhattan`].
    ///
    /// ```text
    /// sum_j MAD(a, b) [1 - (s / (s + 1))^(s + 2) ((a / s)(1 + 1/a)^(a + 1) + (b / s)(1 + 1/b)^(b + 1))]
    /// ```
    ///
    /// with a = a_j, b = s - a_j, s = alpha_0. It is to the Manhattan error what Delta is to the squared error.
    pub fn manhattan_label_value(&self) -> f64 {
        self.expected_manhattan_reduction(1)
    }

    /// By how much `labels` further labels, bought together, are expected to lower [`Self::expected_manhattan`].
    ///
    /// Of k labels, the number in class j is beta-binomial, so with a, b, s as above
    ///
    /// ```text
    /// E MAD after k labels = MAD(a, b) s^(s+1) / (s+k)^(s+k+1)
    ///                        sum_{i=0..k} C(k, i) [(a+i)^(a+i) / a^a] [(b+k-i)^(b+k-i) / b^b]
    /// ```
    ///
    /// No beta function is left in the sum. Never negative but for rounding, which is cut off at 0.
    pub fn expected_manhattan_reduction(&self, labels: u32) -> f64 {
        let s = self.total_evidence();
        self.alpha().iter().map(|&a| deviation_reduction(a, s - a, labels)).sum()
    }
}

/// Mean absolute deviation E|x - a/(a + b)| of x ~ Beta(a, b).
///
/// ```text
/// 2 a^a b^b / (B(a, b) (a + b)^(a + b + 1))  =  sqrt(2 a b / (pi s^3)) exp(r(s) - r(a) - r(b)),   s = a + b
/// ```
///
/// with B the beta function and r the remainder of Stirling's formula: the second form, which is computed, loses no
/// digits where a + b is large. 0 where a or b is 0 (x is then certain). Source of the first form: Johnson, Kotz and
/// Balakrishnan (1995), Continuous Univariate Distributions 2, ch. 25.
pub fn beta_mean_deviation(a: f64, b: f64) -> f64 {
    if a <= 0.0 || b <= 0.0 {
        return 0.0;
    }
    let s = a + b;
    let remainder = stirling_remainder(s) - stirling_remainder(a) - stirling_remainder(b);
    (2.0 / PI * (a / s) * (b / s) / s).sqrt() * remainder.exp()
}

/// r(x) = ln Gamma(x) - (x - 1/2) ln x + x - ln(2 pi)/2 for x > 0; about 1/(12 x) for large x.
fn stirling_remainder(x: f64) -> f64 {
    if x < 10.0 {
        return lgamma(x) - (x - 0.5) * x.ln() + x - 0.5 * (2.0 * PI).ln();
    }
    // Abramowitz & Stegun 6.1.41; the first omitted term is below 1e-15.
    let r = 1.0 / (x * x);
    let series = 1.0 / 1260.0 - r * (1.0 / 1680.0 - r * (1.0 / 1188.0 - r * (691.0 / 360_360.0 - r / 156.0)));
    (1.0 / 12.0 - r * (1.0 / 360.0 - r * series)) / x
}

/// By how much k labels are expected to lower the mean absolute deviation of one marginal.
fn deviation_reduction(a: f64, b: f64, labels: u32) -> f64 {
    let before = beta_mean_deviation(a, b);
    if before == 0.0 || labels == 0 {
        return 0.0;
    }
    let (s, k) = (a + b, f64::from(labels));
    // x ln x with its limit at 0.
    let grown = |x: f64, by: f64| (x + by) * (by / x).ln_1p() + by * x.ln();
    let mut after = 0.0;
    let mut log_choose = 0.0;
    for i in 0..=labels {
        let up = f64::from(i);
        after += (log_choose + grown(a, up) + grown(b, k - up) - grown(s, k) - (k / s).ln_1p()).exp();
        log_choose += ((k - up) / (up + 1.0)).ln();
    }
    (before * (1.0 - after)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From mpmath at 40 digits: the closed form with its beta function, for the doubles nearest to a and b.
    #[test]
    fn mean_deviation_agrees_with_arbitrary_precision() {
        let values = [
            (0.5, 0.5, std::f64::consts::FRAC_1_PI),
            (1.0, 1.0, 0.25),
            (0.02, 3.0, 0.012098680002921143),
            (2.5, 7.25, 0.10761964909838975),
            (9.75, 0.3, 0.033815945066854376),
            (12.0, 31.0, 0.054158650455652574),
            (1000.5, 2.0, 0.0010789043039129685),
            (300000.0, 700000.0, 0.00036563652494740593),
        ];
        for (a, b, expected) in values {
            let error = (beta_mean_deviation(a, b) / expected - 1.0).abs();
            assert!(error < 1e-13, "Beta({a}, {b}): off by {error:e}");
        }
        assert_eq!((beta_mean_deviation(0.0, 2.0), beta_mean_deviation(3.0, 0.0)), (0.0, 0.0));
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
            assert!((belief.expected_manhattan() - expected).abs() < 1e-13, "{alpha:?}");
            let got = belief.expected_manhattan_reduction(labels);
            assert!((got - reduction).abs() < 1e-13, "{alpha:?}, {labels} labels: {got} for {reduction}");
        }
    }

    /// The display for one label, by another route than the sum over counts.
    #[test]
    fn one_label_has_the_closed_form_of_its_display() {
        let alpha = [0.7, 2.1, 4.4];
        let belief = Dirichlet::new(&alpha);
        let s = belief.total_evidence();
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
        assert!(path[10] < belief.expected_manhattan());
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

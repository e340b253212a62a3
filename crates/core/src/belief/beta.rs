//! Beta variables, which the marginals and partial sums of a Dirichlet belief are: how far they stray from their mean,
//! and what labels are expected to do to them.

use std::f64::consts::PI;

use crate::stats::gamma::stirling_remainder;

/// Mean absolute deviation E|x - a/(a + b)| of x ~ Beta(a, b).
///
/// ```text
/// 2 a^a b^b / (B(a, b) (a + b)^(a + b + 1))  =  sqrt(2 a b / (pi s^3)) exp(r(s) - r(a) - r(b)),   s = a + b
/// ```
///
/// with B the beta function and r the remainder of Stirling's formula: the second form, which is computed, loses no
/// digits where a + b is large. 0 where a or b is 0 (x is then certain). Source of the first form: Johnson, Kotz and
/// Balakrishnan (1995), Continuous Univariate Distributions 2, ch. 25.
pub(super) fn beta_mean_deviation(a: f64, b: f64) -> f64 {
    if a <= 0.0 || b <= 0.0 {
        return 0.0;
    }
    let s = a + b;
    let remainder = stirling_remainder(s) - stirling_remainder(a) - stirling_remainder(b);
    (2.0 / PI * (a / s) * (b / s) / s).sqrt() * remainder.exp()
}

/// By how much k labels are expected to lower the mean absolute deviation MAD of one marginal.
///
/// ```text
/// - sum_{i=0..k} P(i) MAD(a, b) expm1(ln MAD(a + i, b + k - i) - ln MAD(a, b))
/// ```
///
/// with P(i) the beta-binomial probability that i of the labels raise a. The ratio's logarithm is taken term by term
/// from the second form of [`beta_mean_deviation`], so that the fall, a share of about k / 2(a + b) of the deviation,
/// keeps its digits where a + b is large: one minus the ratio would lose all of them by 1e16.
pub(super) fn deviation_reduction(a: f64, b: f64, labels: u32) -> f64 {
    let before = beta_mean_deviation(a, b);
    if before == 0.0 || labels == 0 {
        return 0.0;
    }
    let (s, k) = (a + b, f64::from(labels));
    // ln of x + by against x, in a factor of the square root and in the remainder.
    let grown = |x: f64, by: f64| 0.5 * (by / x).ln_1p() - remainder_growth(x, by);
    let whole = 1.5 * (k / s).ln_1p() - remainder_growth(s, k);
    let fall = beta_binomial_mean(labels, a, b, |up| {
        let up = f64::from(up);
        -(grown(a, up) + grown(b, k - up) - whole).exp_m1()
    });
    (before * fall).max(0.0)
}

/// r(x + by) - r(x), r the remainder of Stirling's formula.
fn remainder_growth(x: f64, by: f64) -> f64 {
    if by == 0.0 { 0.0 } else { stirling_remainder(x + by) - stirling_remainder(x) }
}

/// Mean of f(c) over c successes in n trials whose probability is a Beta(a, b) draw.
pub(super) fn beta_binomial_mean(n: u32, a: f64, b: f64, f: impl Fn(u32) -> f64) -> f64 {
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
            ln_p += (left / (done + 1.0) * ((a + done) / (b + (left - 1.0)))).ln();
        }
    }
    sum
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
}

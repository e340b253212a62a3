//! Ratios of gamma functions that keep their digits for large arguments; digamma and trigamma.

use std::f64::consts::PI;

use libm::lgamma;

/// From here on asymptotic series are used; the first omitted term of Stirling's is below 1e-15, of the others 1e-16.
const SHIFT: f64 = 10.0;

/// ln Gamma(x + d) - ln Gamma(x) for x > 0 and d >= 0.
///
/// Both logarithms are of the order x ln x, their difference of the order d ln x: taken one by one, the digits of the
/// difference would be lost for large x. Here the series of both are subtracted term by term; the error stays below
/// 1e-14 (1 + d (1 + |ln x|)). Source of the series: Abramowitz & Stegun 6.1.41.
pub(crate) fn ln_gamma_ratio(x: f64, d: f64) -> f64 {
    let (mut y, mut below) = (x, 0.0);
    while y < SHIFT {
        below += (d / y).ln_1p();
        y += 1.0;
    }
    (y - 0.5) * (d / y).ln_1p() + d * (y + d).ln() - d + stirling_remainder(y + d) - stirling_remainder(y) - below
}

/// r(x) = ln Gamma(x) - (x - 1/2) ln x + x - ln(2 pi)/2 for x > 0; about 1/(12 x) for large x.
pub(crate) fn stirling_remainder(x: f64) -> f64 {
    if x < SHIFT {
        return lgamma(x) - (x - 0.5) * x.ln() + x - 0.5 * (2.0 * PI).ln();
    }
    // Abramowitz & Stegun 6.1.41; the first omitted term is below 1e-15.
    let r = 1.0 / (x * x);
    let series = 1.0 / 1260.0 - r * (1.0 / 1680.0 - r * (1.0 / 1188.0 - r * (691.0 / 360_360.0 - r / 156.0)));
    (1.0 / 12.0 - r * (1.0 / 360.0 - r * series)) / x
}

/// psi(x + 1) - ln x, the excess of the digamma function over the logarithm.
///
/// It falls from +infinity at 0 towards 1/(2x) for large x. Entropy differences of Dirichlet beliefs are sums of such
/// excesses, and taken this way they lose no digits to cancellation: the relative error stays below 1e-13 up to
/// 1e7. `x` is positive and finite; anything else gives NaN.
#[inline]
pub fn digamma_excess(x: f64) -> f64 {
    if !(x > 0.0 && x.is_finite()) {
        return f64::NAN;
    }
    if x >= SHIFT {
        return excess_series(x);
    }
    // 1/(x+1) + ... + 1/(x+m) as one fraction: a single division.
    let (mut numerator, mut denominator, mut y) = (0.0, 1.0, x);
    while y < SHIFT {
        y += 1.0;
        numerator = numerator * y + denominator;
        denominator *= y;
    }
    (y / x).ln() + excess_series(y) - numerator / denominator
}

/// Digamma psi(x), the derivative of ln Gamma(x).
///
/// `x` is positive and finite; anything else gives NaN. Absolute error below 1e-14 max(1, |psi(x)|).
#[inline]
pub fn digamma(x: f64) -> f64 {
    x.ln() + digamma_excess(x) - 1.0 / x
}

/// Trigamma psi'(x), the second derivative of ln Gamma(x).
///
/// `x` is positive and finite; anything else gives NaN. Relative error below 1e-14.
pub fn trigamma(x: f64) -> f64 {
    if !(x > 0.0 && x.is_finite()) {
        return f64::NAN;
    }
    let mut squares = 0.0;
    let mut y = x;
    while y < SHIFT {
        squares += 1.0 / (y * y);
        y += 1.0;
    }
    let r = 1.0 / (y * y);
    // B_2k / y^(2k+1), k = 1..8
    let series = r
        * (1.0 / 6.0
            - r * (1.0 / 30.0
                - r * (1.0 / 42.0
                    - r * (1.0 / 30.0
                        - r * (5.0 / 66.0 - r * (691.0 / 2730.0 - r * (7.0 / 6.0 - r * 3617.0 / 510.0)))))));
    squares + (1.0 + series) / y + 0.5 * r
}

/// The asymptotic series of [`digamma_excess`]: 1/(2x) - sum over k of B_2k / (2k x^2k), k = 1..7.
#[inline(always)]
fn excess_series(x: f64) -> f64 {
    let r = 1.0 / (x * x);
    let series = r
        * (1.0 / 12.0
            - r * (1.0 / 120.0
                - r * (1.0 / 252.0 - r * (1.0 / 240.0 - r * (1.0 / 132.0 - r * (691.0 / 32760.0 - r / 12.0))))));
    0.5 / x - series
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By mpmath's `loggamma` at 40 digits.
    #[test]
    fn agrees_with_arbitrary_precision() {
        for (x, d, expected) in [
            (1.0, 0.5, -0.120_782_237_635_245_22),
            (1.25, 1.5, 0.573_486_503_336_750_3),
            (3.7, 50.0, 157.709_989_700_352_17),
            (12.0, 0.5, 1.232_039_666_062_559_9),
            (1e4, 2.5, 23.026_038_417_441_63),
            (1e9, 1.5, 31.084_898_755_794_615),
            (1e12, 3.0, 82.893_063_347_788_64),
            (1.0000001, 500.0, 2_611.330_459_139_438_5),
        ] {
            let error = (ln_gamma_ratio(x, d) - expected).abs();
            assert!(error < 1e-14 * (1.0 + d * (1.0 + x.ln())), "{x} and {d}: off by {error:e}");
        }
        assert_eq!(ln_gamma_ratio(3.5, 0.0), 0.0);
    }
}

#[cfg(test)]
mod psi_tests {
    use super::*;

    #[test]
    fn outside_the_domain_is_nan() {
        for x in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            assert!(digamma(x).is_nan() && trigamma(x).is_nan() && digamma_excess(x).is_nan(), "{x}");
        }
    }

    #[test]
    fn recurrences_hold() {
        for x in [1e-3, 0.3, 1.0, 2.5, 9.999, 10.0, 123.4] {
            assert!((digamma(x + 1.0) - digamma(x) - 1.0 / x).abs() < 3e-14 * (1.0 / x).max(1.0), "{x}");
            assert!((trigamma(x + 1.0) - trigamma(x) + 1.0 / (x * x)).abs() < 1e-14 * trigamma(x), "{x}");
        }
    }
}

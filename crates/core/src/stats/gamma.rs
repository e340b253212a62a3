//! Ratios of gamma functions that keep their digits for large arguments.

use std::f64::consts::PI;

use libm::lgamma;

/// From here on Stirling's series is used; its first omitted term is below 1e-15.
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
    (y - 0.5) * (d / y).ln_1p() + d * (y + d).ln() - d + stirling(y + d) - stirling(y) - below
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

/// What Stirling's series adds to (x - 1/2) ln x - x + ln(2 pi)/2.
fn stirling(x: f64) -> f64 {
    let r = 1.0 / (x * x);
    (1.0 / 12.0
        - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r * (1.0 / 1188.0 - r * 691.0 / 360360.0)))))
        / x
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

//! Digamma and its relatives, accurate enough for differences of nearly equal entropies.
//!
//! Arguments are moved above 10 by the recurrence psi(x + 1) = psi(x) + 1/x; there the asymptotic series holds
//! (Abramowitz & Stegun 6.3.5, 6.3.18, 6.4.6, 6.4.12).

/// From here on the asymptotic series are used; their first omitted terms are below 1e-16.
const SHIFT: f64 = 10.0;
/// So many steps of 1 lead there from any positive number.
const MOST_STEPS: usize = 10;

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

/// So many numbers side by side: more than are unrolled, so that loops over them are vectorised.
pub(crate) const LANES: usize = 64;
pub(crate) type Lanes = [f64; LANES];

/// [`digamma_excess`] of positive and finite numbers, bit by bit.
#[inline(always)]
pub(crate) fn digamma_excesses(x: &Lanes) -> Lanes {
    let (mut excess, mut series, mut fraction) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for k in 0..LANES {
        let (mut numerator, mut denominator, mut y) = (0.0, 1.0, x[k]);
        for _ in 0..MOST_STEPS {
            let below = y < SHIFT;
            let next = y + 1.0;
            numerator = if below { numerator * next + denominator } else { numerator };
            denominator = if below { denominator * next } else { denominator };
            y = if below { next } else { y };
        }
        excess[k] = y / x[k];
        series[k] = excess_series(y);
        fraction[k] = numerator / denominator;
    }
    for excess in &mut excess {
        *excess = excess.ln();
    }
    // Where nothing was moved the logarithm is 0 and so is the fraction.
    for k in 0..LANES {
        excess[k] = excess[k] + series[k] - fraction[k];
    }
    excess
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

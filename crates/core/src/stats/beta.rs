//! Distribution function of the beta distribution.

use std::f64::consts::PI;

use super::gamma::stirling_remainder;

/// Where the shape on the side of the tail is larger, the density is integrated; elsewhere the continued fraction takes
/// few terms and is stable.
const LARGE: f64 = 200.0;

/// Probability that a Beta(a, b) draw is at most `x`: the regularised incomplete beta function I_x(a, b).
///
/// 0 below 0 and 1 above 1; with a = 0 all mass lies at 0, with b = 0 at 1. For shapes from 1e-6 to 1e12 its absolute
/// error is below 1e-13, and its relative one below 1e-10 where it is above 1e-300, against mpmath
/// (`tests/golden/beta`).
///
/// ```text
/// x^a (1 - x)^b / B(a, b) = sqrt(a b / (2 pi s)) exp(r(s) - r(a) - r(b) + a L(d / a) + b L(-d / b))
/// s = a + b,   d = x s - a
/// ```
///
/// with L(u) = ln(1 + u) - u and r the remainder of Stirling's formula: no large terms cancel in it. That is the
/// density up to x (1 - x). The tail on the side of x is the density times the continued fraction of DLMF 8.17.22, or,
/// where the shape on that side is above 200, its integral by Gauss and Legendre, panel by panel.
pub fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    if x >= 1.0 || (a <= 0.0 && x >= 0.0) {
        return 1.0;
    }
    if x <= 0.0 || b <= 0.0 {
        return 0.0;
    }
    let off = distance(x, a, b);
    let scale = scaled_density(off, a, b);
    let tail = |x: f64, y: f64, a: f64, b: f64, off: f64| {
        scale * if a > LARGE { integral(x, y, a, b, off) } else { fraction(x, y, a, b) / a }
    };
    let y = 1.0 - x;
    // On the side where the tail falls off: from the mean, or from where the fraction converges.
    let lower = if a.max(b) > LARGE { off < 0.0 } else { x < (a + 1.0) / (a + b + 2.0) };
    let p = if lower { tail(x, y, a, b, off) } else { 1.0 - tail(y, x, b, a, -off) };
    p.clamp(0.0, 1.0)
}

/// x (a + b) - a, rounded once or twice however near the two are.
fn distance(x: f64, a: f64, b: f64) -> f64 {
    let s = a + b;
    // What the sum lost (Knuth's two-sum).
    let b_seen = s - a;
    let lost = (a - (s - b_seen)) + (b - b_seen);
    x.mul_add(s, -a) + x * lost
}

/// x^a (1 - x)^b / B(a, b), with `off` = x (a + b) - a.
fn scaled_density(off: f64, a: f64, b: f64) -> f64 {
    let s = a + b;
    let remainder = stirling_remainder(s) - stirling_remainder(a) - stirling_remainder(b);
    (a / s * b / (2.0 * PI)).sqrt() * (remainder + a * log_1p_less(off / a) + b * log_1p_less(-off / b)).exp()
}

/// ln(1 + u) - u for u > -1.
fn log_1p_less(u: f64) -> f64 {
    if !(-0.3..0.4).contains(&u) {
        return u.ln_1p() - u;
    }
    // ln(1 + u) = 2 artanh r
    let r = u / (2.0 + u);
    let square = r * r;
    let series = (1..=12).rev().fold(0.0, |sum, k| square * (sum + 1.0 / f64::from(2 * k + 1)));
    r * (2.0 * series - u)
}

/// The continued fraction of DLMF 8.17.22, by the method of Lentz, for I_x(a, b) = x^a y^b / (a B(a, b)) times it, with
/// y = 1 - x.
fn fraction(x: f64, y: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const MOST_TERMS: u32 = 10_000;
    let held = |value: f64| if value.abs() < TINY { TINY } else { value };
    // 1 - x (a + b) / (a + 1), without its cancellation.
    let mut d = 1.0 / held((y + x * (1.0 - b) + a * y) / (a + 1.0));
    let (mut c, mut value) = (1.0, d);
    for m in 1..MOST_TERMS {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / held(1.0 + even * d);
        c = held(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / held(1.0 + odd * d);
        c = held(1.0 + odd / c);
        let factor = d * c;
        value *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// The integral below x of the density over its value at x times x (1 - x), where x is below the mean, with y = 1 - x
/// and `off` < 0 as in [`scaled_density`].
///
/// Away from x the density falls at least as fast as exponentially with the rate that it has there, and no slower than
/// a normal one; with b below 1 it falls as a power of the distance from 1 at first. Panels are as long as the first
/// two allow, and no longer than twice that distance.
fn integral(x: f64, y: f64, a: f64, b: f64, off: f64) -> f64 {
    let (rate, curvature) = (-off / (x * y), a / x / x + b / y / y);
    let longest = 1.5 / rate.max(curvature.sqrt());
    // The density at x - t over that at x, with t = x u; its power is a - 1 and b - 1, not a and b.
    let density = |t: f64| {
        let (u, v) = (-t / x, t / y);
        (off * (t / (x * y)) + a * log_1p_less(u) + b * log_1p_less(v)).exp() / ((1.0 + u) * (1.0 + v))
    };
    let (mut sum, mut from) = (0.0, 0.0);
    loop {
        let to = (from + longest.min(2.0 * (y + from))).min(x);
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let nodes =
            NODES.iter().map(|(node, weight)| weight * (density(middle - half * node) + density(middle + half * node)));
        let part = half * nodes.sum::<f64>();
        sum += part;
        if to >= x || part <= 1e-17 * sum {
            break;
        }
        from = to;
    }
    sum / (x * y)
}

/// Gauss and Legendre's nodes above 0 on (-1, 1) and their weights, of 16 (Abramowitz & Stegun 25.4.30).
const NODES: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_894),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_095),
];

/// The largest count out of `n` that chance explains where each has probability `p`: more come up with a probability
/// below `chance`.
///
/// P(X > k) = I_p(k + 1, n - k), the regularised incomplete beta function. What simulations that check a promise are
/// held to.
pub fn most_by_chance(n: u64, p: f64, chance: f64) -> u64 {
    (0..n).find(|&k| beta_cdf(p, k as f64 + 1.0, (n - k) as f64) < chance).unwrap_or(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms: x for the uniform, x^a for b = 1, 1 - (1 - x)^b for a = 1, the arcsine law for a = b = 1/2.
    #[test]
    fn distribution_function_has_its_closed_forms() {
        for x in [0.01, 0.2, 0.5, 0.97] {
            let pairs = [
                (beta_cdf(x, 1.0, 1.0), x),
                (beta_cdf(x, 3.5, 1.0), x.powf(3.5)),
                (beta_cdf(x, 1.0, 7.0), 1.0 - (1.0 - x).powi(7)),
                (beta_cdf(x, 0.5, 0.5), std::f64::consts::FRAC_2_PI * x.sqrt().asin()),
            ];
            for (got, expected) in pairs {
                assert!((got - expected).abs() < 1e-12, "{x}: {got} for {expected}");
            }
        }
        assert_eq!([beta_cdf(0.3, 0.0, 2.0), beta_cdf(0.3, 2.0, 0.0), beta_cdf(-1.0, 1.0, 1.0)], [1.0, 0.0, 0.0]);
    }
}

#[cfg(test)]
mod binomial_tests {
    use super::*;

    /// By summing binomial probabilities in Python.
    #[test]
    fn bounds_as_summed_elsewhere() {
        assert_eq!(most_by_chance(60, 0.025, 0.001), 6);
        assert_eq!(most_by_chance(200, 0.05, 0.0001), 23);
        assert_eq!(most_by_chance(40, 0.05, 0.001), 7);
        assert_eq!((most_by_chance(5, 1.0, 0.01), most_by_chance(0, 0.5, 0.01)), (5, 0));
    }
}

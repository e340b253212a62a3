//! Student's t: what a normal variable with an uncertain variance follows.

use std::f64::consts::PI;

use super::beta::beta_cdf;
use super::gamma::ln_gamma_ratio;
use super::normal::{normal_cdf, normal_quantile};

/// Degrees of freedom from which the normal distribution takes over: the two differ by less than 1e-9 there.
const NORMAL_FROM: f64 = 1e9;

/// Probability that a Student t draw with `freedom` > 0 degrees of freedom is at most `x`.
///
/// ```text
/// F(x) = 1/2 I_{nu/(nu + x^2)}(nu/2, 1/2)  for x <= 0,   F(x) = 1 - F(-x)
/// ```
///
/// with nu the degrees of freedom and I the regularised incomplete beta function. Absolute error below 1e-12 for nu up
/// to 1e4, 1e-9 beyond. NaN if `x` is NaN.
pub(crate) fn student_cdf(x: f64, freedom: f64) -> f64 {
    if x.is_nan() || freedom.is_nan() {
        return f64::NAN;
    }
    if freedom >= NORMAL_FROM {
        return normal_cdf(x);
    }
    let square = x * x;
    let tail = if square < freedom {
        // The complement keeps its digits where x is small.
        0.5 - 0.5 * beta_cdf(square / (freedom + square), 0.5, 0.5 * freedom)
    } else {
        0.5 * beta_cdf(freedom / (freedom + square), 0.5 * freedom, 0.5)
    };
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// The expected distance E|T - x| of a Student t draw from a point, infinite for `freedom` of 1 and less.
///
/// ```text
/// E|T - x| = x (2 F(x) - 1) + 2 f(x) (nu + x^2)/(nu - 1)
/// f(x)     = Gamma((nu + 1)/2)/(sqrt(nu pi) Gamma(nu/2)) (1 + x^2/nu)^(-(nu + 1)/2)
/// ```
///
/// because the density f has the partial mean f(x) (nu + x^2)/(nu - 1) beyond x.
pub(crate) fn student_distance(x: f64, freedom: f64) -> f64 {
    if freedom <= 1.0 {
        return f64::INFINITY;
    }
    let beyond = if freedom >= NORMAL_FROM {
        (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
    } else {
        let power = 0.5 * (freedom + 1.0);
        let log = ln_gamma_ratio(0.5 * freedom, 0.5) - 0.5 * (freedom * PI).ln() - power * (x * x / freedom).ln_1p();
        log.exp() * (freedom + x * x) / (freedom - 1.0)
    };
    x * (2.0 * student_cdf(x, freedom) - 1.0) + 2.0 * beyond
}

/// The value that a Student t draw stays below with probability `u`, by bisection of its distribution function.
///
/// Probabilities 0 and 1 give the infinities.
///
/// # Panics
/// If `u` lies outside [0, 1] or `freedom` is not above 0.
pub fn student_quantile(u: f64, freedom: f64) -> f64 {
    assert!((0.0..=1.0).contains(&u), "the probability of a t quantile is {u}, not in [0, 1]");
    assert!(freedom > 0.0, "the degrees of freedom of a t quantile are {freedom}, not above 0");
    if u == 0.5 || u == 0.0 || u == 1.0 || freedom >= NORMAL_FROM {
        return normal_quantile(u);
    }
    let tail = u.min(1.0 - u);
    let mut low = -1.0;
    while student_cdf(low, freedom) > tail {
        low *= 2.0;
    }
    let mut high = 0.0;
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if student_cdf(middle, freedom) > tail { high = middle } else { low = middle }
    }
    if u < 0.5 { high } else { -high }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By mpmath's `betainc` at 40 digits.
    #[test]
    fn cdf_agrees_with_arbitrary_precision() {
        for (x, freedom, expected) in [
            (-12.5, 1.0, 0.025_410_673_666_115_897),
            (-3.0, 2.5, 0.036_288_047_774_515_92),
            (-0.25, 4.0, 0.407_451_005_729_590_6),
            (0.001, 3.0, 0.500_367_552_515_269_5),
            (0.75, 7.3, 0.761_636_630_866_902_4),
            (-4.0, 12.0, 0.000_880_848_122_197_513_7),
            (2.0, 30.0, 0.972_687_477_518_508_5),
            (1.5, 2000.0, 0.933_113_881_799_622_7),
        ] {
            let error = (student_cdf(x, freedom) - expected).abs();
            assert!(error < 1e-12, "{x} with {freedom}: off by {error:e}");
        }
        assert_eq!((student_cdf(0.0, 5.0), student_cdf(f64::INFINITY, 5.0)), (0.5, 1.0));
    }

    /// By solving mpmath's distribution function at 40 digits.
    #[test]
    fn quantile_agrees_with_arbitrary_precision() {
        for (u, freedom, expected) in [
            (0.975, 1.0, 12.706_204_736_174_694),
            (0.975, 3.0, 3.182_446_305_283_708_6),
            (0.025, 9.5, -2.244_137_461_496_296_6),
            (0.6, 2.2, 0.285_391_545_888_303_95),
            (0.999, 25.0, 3.450_188_726_973_064),
            (1e-6, 6.0, -17.830_314_500_655_49),
            (0.975, 1e5, 1.959_987_707_534_609_3),
        ] {
            let error = (student_quantile(u, freedom) / expected - 1.0).abs();
            assert!(error < 1e-9, "{u} with {freedom}: off by {error:e}");
        }
        assert_eq!(student_quantile(0.5, 3.0), 0.0);
        assert_eq!(student_quantile(1.0, 3.0), f64::INFINITY);
    }

    #[test]
    fn the_distance_is_the_integral_of_both_tails() {
        for freedom in [1.5, 4.0, 30.0, 1e9] {
            for x in [-3.0, 0.0, 0.4, 8.0] {
                // E|T - x| is the integral of F below x and of 1 - F above, here in equal steps.
                let (step, reach) = (1e-3, if freedom < 2.0 { 4e3 } else { 60.0 });
                let below = |t: f64| student_cdf(t, freedom);
                let steps = (reach / step) as usize;
                let sum: f64 = (0..steps).map(|k| (k as f64 + 0.5) * step).map(|t| below(x - t) + below(-x - t)).sum();
                let found = student_distance(x, freedom);
                // What the tails beyond the reach hold.
                let slack = if freedom < 2.0 { 0.04 } else { 1e-4 };
                assert!((found - step * sum).abs() < slack, "{freedom} {x}: {found} and {}", step * sum);
            }
        }
        assert_eq!(student_distance(0.0, 1.0), f64::INFINITY);
    }
}

//! Distribution function and quantiles of the beta distribution.

use statrs::function::beta::{beta_reg, inv_beta_reg};

/// The value that a Beta(a, b) draw stays below with probability `u`.
///
/// For a = b = 1 this is `u` itself, in every bit. Otherwise the regularised incomplete beta function is inverted
/// numerically, for shapes in 0.05..1000: to 1e-12 absolute if they are equal, to 1e-9 if one is a thousandfold the
/// other.
///
/// # Panics
///
/// If `u` lies outside [0, 1] or, with other shapes than a = b = 1, strictly between 0 and 1e-150; if `a` or `b` is not
/// positive and finite.
pub fn beta_quantile(u: f64, a: f64, b: f64) -> f64 {
    assert!((0.0..=1.0).contains(&u), "the probability of a beta quantile is {u}, not in [0, 1]");
    for shape in [a, b] {
        assert!(
            shape > 0.0 && shape.is_finite(),
            "a shape of the beta distribution is {shape}, not positive and finite"
        );
    }
    if a == 1.0 && b == 1.0 {
        return u;
    }
    // Below this the inversion would underflow in its first step.
    assert!(u == 0.0 || u >= 1e-150, "the probability of a beta quantile is {u}, too close to 0 to be inverted");
    inv_beta_reg(a, b, u)
}

/// Probability that a Beta(a, b) draw is at most `x`: the regularised incomplete beta function.
///
/// 0 below 0 and 1 above 1; with a = 0 all mass lies at 0, with b = 0 at 1.
pub fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    if x >= 1.0 || (a <= 0.0 && x >= 0.0) {
        return 1.0;
    }
    if x <= 0.0 || b <= 0.0 {
        return 0.0;
    }
    beta_reg(a, b, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By bisection of mpmath's `betainc` at 30 digits, rounded to a double.
    #[test]
    fn agrees_with_arbitrary_precision() {
        let values = [
            (0.1, 0.5, 0.5, 0.024471741852423217),
            (0.03, 2.0, 2.0, 0.1036448392495128),
            (0.7, 2.0, 2.0, 0.6367425089094324),
            (0.2, 5.0, 5.0, 0.36608651653572916),
            (0.9, 100.0, 100.0, 0.5452731147684465),
            (0.4, 0.25, 0.25, 0.25476272474721445),
            (0.35, 2.0, 7.0, 0.15226844147035196),
            (0.999, 0.5, 3.0, 0.855447776691985),
        ];
        for (u, a, b, expected) in values {
            let error = (beta_quantile(u, a, b) - expected).abs();
            assert!(error <= 1e-12, "{u} for {a}, {b}: off by {error:e}");
        }
    }

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

    #[test]
    fn ends_and_extreme_probabilities() {
        for (a, b) in [(0.5, 0.5), (2.0, 2.0), (1.0, 3.0), (50.0, 0.2)] {
            assert_eq!(beta_quantile(0.0, a, b), 0.0);
            assert_eq!(beta_quantile(1.0, a, b), 1.0);
            for u in [1e-150, 1e-16, 1.0 - f64::EPSILON] {
                assert!((0.0..=1.0).contains(&beta_quantile(u, a, b)), "{u} for {a}, {b}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "not in [0, 1]")]
    fn a_negative_probability_is_refused() {
        beta_quantile(-0.1, 2.0, 2.0);
    }

    #[test]
    #[should_panic(expected = "too close to 0")]
    fn a_probability_that_would_underflow_is_refused() {
        beta_quantile(1e-200, 2.0, 2.0);
    }

    #[test]
    #[should_panic(expected = "not positive and finite")]
    fn a_zero_shape_is_refused() {
        beta_quantile(0.1, 2.0, 0.0);
    }
}

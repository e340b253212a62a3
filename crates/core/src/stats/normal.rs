//! Distribution function and quantiles of the standard normal.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use statrs::function::erf::erfc_inv;

/// Probability that a standard normal draw is at most `x`.
///
/// ```text
/// Φ(x) = (1 + erf(x/√2)) / 2 = erfc(-x/√2) / 2
/// ```
///
/// Accurate to 2e-16 absolute and, for x > -8, to 3e-14 relative; further left the relative error grows with x².
/// Φ(0) is exactly 0.5, Φ(±∞) are 1 and 0, and not a number gives not a number.
#[inline]
pub fn normal_cdf(x: f64) -> f64 {
    let z = x * FRAC_1_SQRT_2;
    if z.abs() < 1.0 {
        return 0.5 + 0.5 * libm::erf(z);
    }
    let tail = 0.5 * libm::erfc(z.abs());
    if z < 0.0 { tail } else { 1.0 - tail }
}

/// The value that a standard normal draw stays below with probability `u`: the inverse of [`normal_cdf`].
///
/// ```text
/// Φ⁻¹(u) = -√2 erfc⁻¹(2u)
/// ```
///
/// Accurate to 1e-15 relative. Probabilities 0, 0.5 and 1 give exactly -∞, 0 and ∞.
///
/// # Panics
///
/// If `u` lies outside [0, 1].
pub fn normal_quantile(u: f64) -> f64 {
    assert!((0.0..=1.0).contains(&u), "the probability of a normal quantile is {u}, not in [0, 1]");
    // Adding 0 turns the -0 of u = 0.5 into 0.
    -SQRT_2 * erfc_inv(2.0 * u) + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From mpmath (`ncdf` at 40 digits) for the double nearest to each x, rounded to a double.
    #[test]
    fn cdf_agrees_with_arbitrary_precision() {
        let values = [
            (-7.9, 1.3945171466592643e-15),
            (-5.3, 5.790134039964594e-08),
            (-3.1, 0.0009676032132183566),
            (-1.9, 0.028716559816001807),
            (-1.42, 0.0778038405265464),
            (-1.4, 0.08075665923377107),
            (-0.99, 0.1610870595108309),
            (-0.5, 0.3085375387259869),
            (-0.3, 0.3820885778110474),
            (0.25, 0.5987063256829237),
            (0.7, 0.758036347776927),
            (1.1, 0.8643339390536173),
            (1.5, 0.9331927987311419),
            (2.2, 0.9860965524865014),
            (4.7, 0.9999986991925461),
        ];
        for (x, expected) in values {
            let error = (normal_cdf(x) - expected).abs();
            assert!(error <= 3e-16 && error <= 3e-14 * expected, "{x}: off by {error:e}");
        }
    }

    #[test]
    fn cdf_at_its_ends() {
        assert_eq!(normal_cdf(0.0), 0.5);
        assert_eq!(normal_cdf(f64::NEG_INFINITY), 0.0);
        assert_eq!(normal_cdf(f64::INFINITY), 1.0);
        assert!(normal_cdf(f64::NAN).is_nan());
    }

    /// From mpmath (Newton steps on `ncdf` at 40 digits) for the double nearest to each u, rounded to a double.
    #[test]
    fn quantile_agrees_with_arbitrary_precision() {
        let values = [
            (1e-200, -30.20559417957964),
            (1e-9, -5.9978070150076865),
            (1e-6, -4.753424308822899),
            (0.003, -2.7477813854449926),
            (0.07, -1.4757910281791706),
            (0.2, -0.8416212335729142),
            (0.4375, -0.1573106846101707),
            (0.4999, -0.00025066283008800747),
            (0.6, 0.2533471031357997),
            (0.93, 1.475791028179171),
            (0.999, 3.090232306167813),
            (1.0 - 2.0_f64.powi(-30), 6.009353565530744),
        ];
        for (u, expected) in values {
            let error = (normal_quantile(u) - expected).abs();
            assert!(error <= 1e-15 * expected.abs(), "{u}: off by {error:e}");
        }
    }

    #[test]
    fn quantile_at_its_ends() {
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert_eq!(normal_quantile(0.5).to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    #[should_panic(expected = "not in [0, 1]")]
    fn a_quantile_beyond_one_is_refused() {
        normal_quantile(1.5);
    }
}

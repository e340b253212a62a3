//! Distribution function of the beta distribution.

use statrs::function::beta::beta_reg;

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

/// The x at which [`beta_cdf`] with a, b > 0 is `u`, 0 to 1, by bisection, to 1e-13.
pub fn beta_quantile(u: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while high - low > 1e-13 {
        let middle = 0.5 * (low + high);
        if beta_cdf(middle, a, b) < u { low = middle } else { high = middle }
    }
    0.5 * (low + high)
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

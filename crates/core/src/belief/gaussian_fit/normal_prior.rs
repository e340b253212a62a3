//! What is believed of the parameters of a fit of ratings, as its search needs it.

use super::layout::Layout;
use super::options::RatingOptions;
use crate::belief::newton::Point;
use crate::belief::prior::TrustPrior;

/// The search starts from nu = 6, where the prior is centred.
pub(super) const START_FREEDOM_BEYOND_TWO: f64 = 4.0;

/// Independent normal priors on the parameters of a fit; a standard deviation without bound is no prior.
pub(super) struct NormalPrior {
    means: Vec<f64>,
    pub(super) sds: Vec<f64>,
}

impl NormalPrior {
    /// `centre` is where the coefficients of the trust are believed to be, intercept first, and `variance` where a common variance is believed to be.
    pub(super) fn of(options: &RatingOptions, layout: &Layout, centre: &[f64], variance: f64) -> Self {
        let of_trust = |sd: f64| if options.prior == TrustPrior::Weak { sd } else { f64::INFINITY };
        let mut this = Self { means: vec![0.0; layout.len()], sds: vec![f64::INFINITY; layout.len()] };
        let mut set = |at: usize, mean: f64, sd: f64| (this.means[at], this.sds[at]) = (mean, sd);
        set(0, centre[0], of_trust(TrustPrior::LOG_TRUST_SD));
        (1..=layout.features).for_each(|k| set(k, centre[k], of_trust(TrustPrior::SLOPE_SD)));
        set(layout.freedom(), START_FREEDOM_BEYOND_TWO.ln(), of_trust(TrustPrior::LOG_FREEDOM_SD));
        for group in 0..layout.groups {
            let reading = &options.reading;
            layout.bias(group).into_iter().for_each(|at| set(at, 0.0, reading.bias_sd));
            layout.slope(group).into_iter().for_each(|at| set(at, 1.0, reading.slope_sd));
            layout.factor(group).into_iter().for_each(|at| set(at, 0.0, reading.log_factor_sd));
            layout
                .variance(group)
                .into_iter()
                .for_each(|at| set(at, variance.ln(), of_trust(TrustPrior::LOG_SCALE_SD)));
        }
        this
    }

    /// Up to a constant.
    pub(super) fn log_density(&self, parameters: &[f64]) -> f64 {
        let of = |((x, mean), sd): ((&f64, &f64), &f64)| -0.5 * ((x - mean) / sd).powi(2);
        parameters.iter().zip(&self.means).zip(&self.sds).map(of).sum()
    }

    pub(super) fn add(&self, parameters: &[f64], point: &mut Point) {
        point.value += self.log_density(parameters);
        for (k, (mean, sd)) in self.means.iter().zip(&self.sds).enumerate() {
            point.gradient[k] -= (parameters[k] - mean) / (sd * sd);
            point.hessian[[k, k]] -= 1.0 / (sd * sd);
        }
    }
}

//! What is believed of the parameters of a fit of ratings, as its search needs it.

use super::layout::Layout;
use super::options::RatingOptions;
use super::pooling::Pooled;
use crate::belief::maps::Variance;
use crate::belief::newton::Expansion;
use crate::belief::prior::TrustPrior;

/// The search starts from nu = 6, where the prior is centred.
pub(super) const START_FREEDOM_BEYOND_TWO: f64 = 4.0;

/// Independent normal priors on the parameters of a fit; a standard deviation without bound is no prior.
pub(super) struct NormalPrior {
    means: Vec<f64>,
    pub(super) sds: Vec<f64>,
    /// Parameters whose prior is one with those that they share a variance with.
    pooled: Vec<Pooled>,
    /// Whether a parameter is among them.
    is_pooled: Vec<bool>,
}

impl NormalPrior {
    /// `centre` is where the coefficients of the trust are believed to be, intercept first, and `variance` where a
    /// common variance is believed to be.
    pub(super) fn new(options: &RatingOptions, layout: &Layout, centre: &[f64], variance: f64) -> Self {
        let of_trust = |sd: f64| if options.prior == TrustPrior::Weak { sd } else { f64::INFINITY };
        let (means, sds) = (vec![0.0; layout.len()], vec![f64::INFINITY; layout.len()]);
        let mut this = Self { means, sds, pooled: vec![], is_pooled: vec![false; layout.len()] };
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

    /// Draws parameters that share a variance to a common value; the bias is in units of so much.
    pub(super) fn pool(&mut self, layout: &Layout, unit: f64) {
        self.pooled = Pooled::all(layout, &self.means, &self.sds, unit);
        self.pooled.iter().flat_map(Pooled::positions).for_each(|&k| self.is_pooled[k] = true);
        self.spread_sds();
    }

    /// The standard deviation of each pooled parameter before any rating, as the variances are now.
    fn spread_sds(&mut self) {
        for pooled in &self.pooled {
            pooled.positions().iter().for_each(|&k| self.sds[k] = pooled.sd());
        }
    }

    /// One step of the fixed points of the variances; whether one is still some way off.
    pub(super) fn renew(&mut self, parameters: &[f64], covariance: &[Vec<f64>]) -> bool {
        let pooled = self.pooled.iter_mut();
        let moves = pooled.fold(false, |moves, pooled| pooled.renew(parameters, covariance) | moves);
        self.spread_sds();
        moves
    }

    /// The variances.
    pub(super) fn variances(&self, covariance: &[Vec<f64>]) -> Vec<Variance> {
        self.pooled.iter().map(|pooled| pooled.found(covariance)).collect()
    }

    /// Takes variances that were fitted before.
    pub(super) fn take(&mut self, variances: &[Variance]) {
        self.pooled.iter_mut().for_each(|pooled| pooled.take(variances));
        self.spread_sds();
    }

    /// Up to a constant.
    pub(super) fn log_density(&self, parameters: &[f64]) -> f64 {
        let of = |(k, x): (usize, &f64)| -0.5 * ((x - self.means[k]) / self.sds[k]).powi(2);
        let alone: f64 = parameters.iter().enumerate().filter(|(k, _)| !self.is_pooled[*k]).map(of).sum();
        alone + self.pooled.iter().map(|pooled| pooled.log_density(parameters)).sum::<f64>()
    }

    pub(super) fn add(&self, parameters: &[f64], point: &mut Expansion) {
        point.value += self.log_density(parameters);
        for (k, (mean, sd)) in self.means.iter().zip(&self.sds).enumerate().filter(|(k, _)| !self.is_pooled[*k]) {
            point.gradient[k] -= (parameters[k] - mean) / (sd * sd);
            point.hessian[[k, k]] -= 1.0 / (sd * sd);
        }
        self.pooled.iter().for_each(|pooled| pooled.add(parameters, point));
    }
}

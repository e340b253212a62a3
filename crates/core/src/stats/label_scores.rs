//! How well a prediction of one label did: proper scores, lower is better.

use std::f64::consts::PI;

use super::gamma::ln_gamma_ratio;
use super::student::student_cdf;

/// -ln p_y, in nats, for a label of class `y`.
///
/// # Panics
/// If `y` is not a class of `p`.
pub fn log_score(p: &[f64], y: usize) -> f64 {
    -p[y].ln()
}

/// Brier's score sum_k (p_k - 1{k = y})^2, 0 to 2, for a label of class `y` (Brier 1950).
pub fn brier_score(p: &[f64], y: usize) -> f64 {
    p.iter().enumerate().map(|(k, p)| (p - f64::from(u8::from(k == y))).powi(2)).sum()
}

/// The ranked probability score of a label of class `y` whose classes stand at ascending `places`: over the cuts
/// between neighbouring places, their distance times (P - 1{y below the cut})^2, with P the probability below it
/// (Epstein 1969).
///
/// In units of the scale; the continuous ranked probability score of such a distribution.
pub fn ranked_probability_score(p: &[f64], places: &[f64], y: usize) -> f64 {
    let mut below = 0.0;
    let cut = |k: usize| {
        below += p[k];
        (places[k + 1] - places[k]) * (below - f64::from(u8::from(y <= k))).powi(2)
    };
    (0..places.len().saturating_sub(1)).map(cut).sum()
}

/// A Student t distribution of a label, in units of the label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudentLabel {
    /// Its centre.
    pub centre: f64,
    /// Its scale, above 0: the standard deviation of a normal one.
    pub scale: f64,
    /// Degrees of freedom, above 1.
    pub freedom: f64,
}

impl StudentLabel {
    /// Degrees of freedom that are as good as normal.
    pub const NORMAL: f64 = 1e9;

    /// ln of sqrt(nu) times the density at 0, without scale: lnG((nu + 1)/2) - lnG(nu/2) - ln(pi)/2.
    fn ln_height(&self) -> f64 {
        ln_gamma_ratio(0.5 * self.freedom, 0.5) - 0.5 * PI.ln()
    }

    fn standard(&self, y: f64) -> f64 {
        (y - self.centre) / self.scale
    }

    /// -ln of the density at a label `y`, in nats.
    pub fn log_score(&self, y: f64) -> f64 {
        let (x, nu) = (self.standard(y), self.freedom);
        0.5 * (nu + 1.0) * (x * x / nu).ln_1p() - self.ln_height() + 0.5 * nu.ln() + self.scale.ln()
    }

    /// The continuous ranked probability score of a label `y`, in units of the label.
    ///
    /// ```text
    /// scale (x (2 F(x) - 1) + 2 f(x) (nu + x^2)/(nu - 1) - 2 sqrt(nu)/(nu - 1) B(1/2, nu - 1/2)/B(nu/2, 1/2)^2)
    /// ```
    ///
    /// with x the standardised label and F, f of Student's t: Jordan, Krueger and Lerch (2019), "Evaluating
    /// probabilistic forecasts with scoringRules".
    pub fn crps(&self, y: f64) -> f64 {
        let (x, nu) = (self.standard(y), self.freedom);
        let density = (self.ln_height() - 0.5 * nu.ln() - 0.5 * (nu + 1.0) * (x * x / nu).ln_1p()).exp();
        let betas = (2.0 * ln_gamma_ratio(0.5 * nu, 0.5) - ln_gamma_ratio(nu - 0.5, 0.5)).exp() / PI.sqrt();
        let own = 2.0 * nu.sqrt() / (nu - 1.0) * betas;
        let off = x * (2.0 * student_cdf(x, nu) - 1.0) + 2.0 * density * (nu + x * x) / (nu - 1.0);
        self.scale * (off - own)
    }

    /// Whether a label lies within the central interval of probability `level`.
    pub fn covers(&self, y: f64, level: f64) -> bool {
        (student_cdf(self.standard(y), self.freedom) - 0.5).abs() <= 0.5 * level
    }
}

/// How much two labels of one item disagree: the probability that they are of different classes, from `counts` by
/// class.
///
/// ```text
/// 1 - sum_k c_k (c_k - 1) / (n (n - 1))
/// ```
///
/// Over labels from a pool with shares p it is 1 - sum_k p_k^2 on average, whatever n >= 2 (a U-statistic, Hoeffding
/// 1948): the part of Brier's score that no prediction goes below. A held-out Brier score less this is the squared
/// error sum_k (q_k - p_k)^2 against the pool without bias. `None` for fewer than two labels.
pub fn pair_disagreement(counts: &[u32]) -> Option<f64> {
    let n = f64::from(counts.iter().sum::<u32>());
    let pairs: f64 = counts.iter().map(|&c| f64::from(c) * (f64::from(c) - 1.0)).sum();
    (n > 1.0).then(|| 1.0 - pairs / (n * (n - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_by_hand() {
        let p = [0.5, 0.25, 0.25];
        assert_eq!(log_score(&p, 1), 4.0_f64.ln());
        assert_eq!(brier_score(&p, 0), 0.25 + 2.0 * 0.0625);
        // Below the cuts lie 0.5 and 0.75; the label is the middle class, and the cuts are 1 and 3 wide.
        assert_eq!(ranked_probability_score(&p, &[0.0, 1.0, 4.0], 1), 0.25 + 3.0 * 0.0625);
        // Two classes one apart: half of Brier's score.
        let half = 0.5 * brier_score(&[0.3, 0.7], 1);
        assert!((ranked_probability_score(&[0.3, 0.7], &[0.0, 1.0], 1) - half).abs() < 1e-15);
    }

    /// By SciPy: `-t.logpdf`, and the integral of (F - 1{u >= y})^2.
    #[test]
    fn numbers_as_computed_elsewhere() {
        for (centre, scale, freedom, y, log, crps) in [
            (0.0, 1.0, 5.0, 0.7, 1.249_090_618_316_740_7, 0.434_575_555_072_075_44),
            (2.0, 0.5, 2.4, 4.0, 3.790_085_014_789_222_7, 1.591_225_024_102_939_5),
            (1.0, 3.0, 80.0, -2.5, 2.703_942_075_266_354_5, 2.165_762_414_442_921),
            (0.0, 1.0, StudentLabel::NORMAL, 1.2, 1.638_938_533_656_273_2, 0.748_015_317_823_998),
        ] {
            let label = StudentLabel { centre, scale, freedom };
            assert!((label.log_score(y) - log).abs() < 1e-8, "{} for {log}", label.log_score(y));
            assert!((label.crps(y) - crps).abs() < 1e-8, "{} for {crps}", label.crps(y));
        }
        let label = StudentLabel { centre: 1.0, scale: 2.0, freedom: StudentLabel::NORMAL };
        assert!(label.covers(4.28, 0.9) && !label.covers(4.30, 0.9));
    }

    #[test]
    fn disagreement_by_hand_and_on_average() {
        assert_eq!(pair_disagreement(&[2, 1]), Some(1.0 - 2.0 / 6.0));
        assert_eq!(pair_disagreement(&[1, 0]), None);
        // Two labels of a pool with shares 0.3 and 0.7 disagree with probability 0.42, and so on average say three.
        let (p, q) = (0.3_f64, 0.7_f64);
        let three: f64 = (0..=3_u32)
            .map(|k| {
                let ways = [1.0, 3.0, 3.0, 1.0][k as usize];
                ways * p.powi(k as i32) * q.powi(3 - k as i32) * pair_disagreement(&[k, 3 - k]).unwrap()
            })
            .sum();
        assert!((three - 0.42).abs() < 1e-15, "{three}");
    }
}

//! Intervals that speak about new items, one comparison at a time and all compared ones at once.

use serde::{Deserialize, Serialize};

use super::quantile::percentile;
use super::summary::{Summary, mean, sample_sd};

/// 97.5 percentile of the standard normal.
const NORMAL: f64 = 1.959_963_984_540_054;

/// One compared quantity with what is known of its chance variation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inference {
    /// Over label re-draws of the items at hand, as the paper summarises: mean, Monte-Carlo standard error, 2.5 and 97.5
    /// percentiles. Says nothing about other items.
    pub redraws: Summary,
    /// Standard error of the mean when the items are a sample of all items there could be, and the re-draws of all
    /// re-draws; on the safe side (see [`compare`]).
    pub se: f64,
    /// Lower bound of the plain 95% interval, mean - 1.96 se.
    pub lo: f64,
    /// Upper bound.
    pub hi: f64,
    /// Lower bound of the simultaneous 95% interval over all quantities compared together.
    pub simultaneous_lo: f64,
    /// Upper bound.
    pub simultaneous_hi: f64,
    /// Standard deviation of the quantity in one deployment: new items, one draw of labels.
    pub deployment_sd: f64,
}

impl Inference {
    /// Items needed to tell the quantity from 0 in one deployment, with 80% power at a two-sided level of 5%.
    ///
    /// ```text
    /// N* = N ((1.960 + 0.842) sd / |mean|)^2
    /// ```
    ///
    /// with N the `items` behind these figures: totals over items grow as N, their standard deviation as sqrt N. `None`
    /// where the mean is 0.
    pub fn items_needed(&self, items: usize) -> Option<f64> {
        const POWER: f64 = 0.841_621_233_572_914_2;
        let ratio = (NORMAL + POWER) * self.deployment_sd / self.redraws.mean;
        ratio.is_finite().then_some(items as f64 * ratio * ratio)
    }
}

/// A quantile of simulated maxima with its Monte-Carlo error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Critical {
    /// The quantile.
    pub value: f64,
    /// Its standard error, from the order statistics one standard deviation of their rank away.
    pub error: f64,
}

impl Critical {
    /// The `level` quantile of B draws: rank B level has a standard deviation of sqrt(B level (1 - level)).
    ///
    /// # Panics
    /// If there are no draws.
    pub fn of(mut draws: Vec<f64>, level: f64) -> Self {
        draws.sort_unstable_by(f64::total_cmp);
        let away = 100.0 * (level * (1.0 - level) / draws.len() as f64).sqrt();
        let at = |q: f64| percentile(&draws, q.clamp(0.0, 100.0));
        let (q, value) = (100.0 * level, at(100.0 * level));
        Self { value, error: 0.5 * (at(q + away) - at(q - away)) }
    }
}

/// Compares several quantities at once.
///
/// `on_items` holds their values under R re-draws of labels for the items at hand (re-draws x quantities); `on_samples` for
/// each bootstrap sample of items m >= 2 re-draws (samples x re-draws x quantities). With s_b the mean of sample b,
///
/// ```text
/// within  = pooled variance over the re-draws of a sample
/// se^2    = variance of s_b over samples + (variance over on_items) / R
/// deployment sd^2 = variance of s_b - within / m, not below 0, + within
/// simultaneous interval = mean +- c se,   c = 95 percentile over b of max_j |s_bj - mean_b s_bj| / sd_b(s_bj)
/// ```
///
/// (quantities that never vary are left out of the maximum). The variance of s_b holds within / m besides the variance
/// between items. It is not taken out of se: the difference of two estimates can come out as 0, and an interval without
/// any variation of items would claim too much. So intervals are too wide, the less so the larger m. The max-t critical value c controls the error of all
/// intervals jointly: Romano and Wolf (2005, "Exact and approximate stepdown methods for multiple hypothesis testing"),
/// single step. Returns the inferences and c.
///
/// # Panics
/// If there are fewer than two re-draws, samples, or re-draws of a sample, or if their lengths differ.
pub fn compare(on_items: &[Vec<f64>], on_samples: &[Vec<Vec<f64>>]) -> (Vec<Inference>, f64) {
    assert!(on_items.len() >= 2 && on_samples.len() >= 2, "inference needs at least two re-draws and two samples");
    let quantities = on_items[0].len();
    let per_sample = on_samples[0].len();
    assert!(per_sample >= 2, "each sample of items needs at least two re-draws");
    let column = |rows: &[Vec<f64>], j: usize| -> Vec<f64> { rows.iter().map(|row| row[j]).collect() };

    let mut deviations = vec![0.0_f64; on_samples.len()];
    let mut spreads = Vec::with_capacity(quantities);
    for j in 0..quantities {
        let draws: Vec<Vec<f64>> = on_samples.iter().map(|sample| column(sample, j)).collect();
        let means: Vec<f64> = draws.iter().map(|draws| mean(draws)).collect();
        let within = mean(&draws.iter().map(|draws| sample_sd(draws).powi(2)).collect::<Vec<_>>());
        let (centre, sd) = (mean(&means), sample_sd(&means));
        spreads.push((sd * sd, (sd * sd - within / per_sample as f64).max(0.0) + within));
        if sd > 0.0 {
            deviations.iter_mut().zip(&means).for_each(|(d, m)| *d = d.max((m - centre).abs() / sd));
        }
    }
    let critical = Critical::of(deviations, 0.95).value.max(NORMAL);
    let inferences = spreads.into_iter().enumerate().map(|(j, (of_means, of_deployments))| {
        let redraws = Summary::of(&column(on_items, j));
        let se = (of_means + redraws.se * redraws.se).sqrt();
        Inference {
            redraws,
            se,
            lo: redraws.mean - NORMAL * se,
            hi: redraws.mean + NORMAL * se,
            simultaneous_lo: redraws.mean - critical * se,
            simultaneous_hi: redraws.mean + critical * se,
            deployment_sd: of_deployments.sqrt(),
        }
    });
    (inferences.collect(), critical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Sums over sampled items plus noise of the re-draw, with known variances.
    #[test]
    fn variance_components_are_recovered() {
        let (items, samples, redraws) = (400, 2000, 2);
        let mut stream = Stream::new(17);
        let values: Vec<f64> = (0..items).map(|_| stream.standard_normal()).collect();
        let item_variance = sample_sd(&values).powi(2) * (items as f64 - 1.0);
        let on_items: Vec<Vec<f64>> =
            (0..100).map(|_| vec![values.iter().sum::<f64>() + 5.0 * stream.standard_normal(), 1.0]).collect();
        let on_samples: Vec<Vec<Vec<f64>>> = (0..samples)
            .map(|_| {
                let sum: f64 = (0..items).map(|_| values[stream.choice(items as u32) as usize]).sum();
                (0..redraws).map(|_| vec![sum + 5.0 * stream.standard_normal(), 1.0]).collect()
            })
            .collect();
        let (got, critical) = compare(&on_items, &on_samples);
        assert!((got[0].deployment_sd.powi(2) / (item_variance + 25.0) - 1.0).abs() < 0.08, "{:?}", got[0]);
        assert!((got[0].se.powi(2) / (item_variance + 12.5 + 0.25) - 1.0).abs() < 0.08);
        // One varying quantity: the maximum is over one, and its 95 percentile that of a normal.
        assert!((critical - NORMAL).abs() < 0.12, "{critical}");
        assert_eq!((got[1].se, got[1].lo, got[1].simultaneous_hi), (0.0, 1.0, 1.0));
    }

    /// For J independent normals the maximum is below c with probability (2 Phi(c) - 1)^J: for J = 20, c = 3.02 at 95%
    /// (from scipy: norm.ppf((1 + 0.95 ** (1 / 20)) / 2) = 3.0167).
    #[test]
    fn many_independent_quantities_widen_the_intervals() {
        let mut stream = Stream::new(3);
        let mut row = |_| (0..20).map(|_| stream.standard_normal()).collect::<Vec<f64>>();
        let on_items: Vec<Vec<f64>> = (0..50).map(&mut row).collect();
        let on_samples: Vec<Vec<Vec<f64>>> = (0..4000).map(|k| vec![row(k), row(k)]).collect();
        let (_, critical) = compare(&on_items, &on_samples);
        assert!((critical - 3.0167).abs() < 0.08, "{critical}");
    }

    #[test]
    fn items_needed_by_hand() {
        let s = Summary { mean: 2.0, se: 0.0, lo: 0.0, hi: 0.0 };
        let x = Inference {
            redraws: s,
            se: 1.0,
            lo: 0.0,
            hi: 0.0,
            simultaneous_lo: 0.0,
            simultaneous_hi: 0.0,
            deployment_sd: 2.0,
        };
        // (1.959964 + 0.841621)^2 = 7.848879
        assert!((x.items_needed(100).unwrap() - 784.8879).abs() < 1e-3);
        assert_eq!(Inference { redraws: Summary { mean: 0.0, ..s }, ..x }.items_needed(100), None);
    }
}

//! The belief about the ratings that a pool of annotators gives an item, for real-valued labels.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::traits::Belief;
use crate::stats::Interval;
use crate::stats::student::{student_cdf, student_distance, student_quantile};

/// The labels of one item as the belief sees them: how many, their mean and their scatter.
///
/// An annotator counts as one label however often they rated the item ([`Ratings::by_annotator`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Ratings {
    /// Number of labels n.
    pub n: u32,
    /// Their mean, in units of the rating; 0 without labels.
    pub mean: f64,
    /// SS, the sum of squared differences from their mean.
    pub squares: f64,
}

impl Ratings {
    /// One label per value.
    pub fn new(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / n };
        let squares = values.iter().map(|y| (y - mean) * (y - mean)).sum();
        Self { n: values.len() as u32, mean, squares }
    }

    /// One label per annotator: the mean of their ratings of the item.
    ///
    /// Ratings by one annotator share that annotator's opinion, so r of them are not r draws from the pool. Their mean
    /// stands for one label; the noise that averaging took out of it, (1 - 1/r) of the variance `within` of a repeated
    /// rating, is added to SS again, so that SS/(n - 1) still estimates the variance of a single fresh label. Without
    /// repeats this is [`Ratings::new`].
    pub fn by_annotator<'a>(ratings: impl IntoIterator<Item = &'a [f64]>, within: Option<f64>) -> Self {
        let (mut means, mut averaged_out) = (vec![], 0.0);
        for ratings in ratings.into_iter().filter(|ratings| !ratings.is_empty()) {
            let r = ratings.len() as f64;
            means.push(ratings.iter().sum::<f64>() / r);
            averaged_out += 1.0 - 1.0 / r;
        }
        let labels = Self::new(&means);
        let n = f64::from(labels.n);
        // Of n deviations from their mean, n - 1 are free.
        let restored = if labels.n > 1 { (n - 1.0) / n * averaged_out * within.unwrap_or(0.0) } else { 0.0 };
        Self { squares: labels.squares + restored, ..labels }
    }
}

/// Variance of repeated ratings of one item by one annotator, pooled over all such repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Repeats {
    /// sigma^2, the within-annotator variance, in squared units of the rating.
    pub variance: f64,
    /// Degrees of freedom behind it: sum of (ratings - 1) over all pairs of item and annotator.
    pub degrees: u32,
}

impl Repeats {
    /// Pools repeats; each slice has the ratings of one item by one annotator. `None` if no annotator rated an item
    /// twice.
    pub fn pooled<'a>(ratings: impl IntoIterator<Item = &'a [f64]>) -> Option<Self> {
        let (mut squares, mut degrees) = (0.0, 0);
        for ratings in ratings.into_iter().filter(|ratings| ratings.len() > 1) {
            squares += Ratings::new(ratings).squares;
            degrees += ratings.len() as u32 - 1;
        }
        (degrees > 0).then(|| Self { variance: squares / f64::from(degrees), degrees })
    }

    /// Splits an aleatoric variance into within-annotator noise and between-annotator disagreement.
    ///
    /// The noise is sigma^2, no more than the whole; the disagreement is the rest.
    pub fn split(&self, aleatoric: f64) -> (f64, f64) {
        let within = self.variance.min(aleatoric);
        (within, aleatoric - within)
    }
}

/// A belief about the mean m and variance s^2 of the ratings that the annotators give one item.
///
/// ```text
/// y | m, s^2 ~ N(m, s^2)       m | s^2 ~ N(mu, s^2/lambda)       s^2 ~ inverse-gamma(nu/2, nu s0^2/2)
///
/// aleatoric    E[s^2]  = nu s0^2 / (nu - 2)          variance of a fresh label about m; labels cannot reduce it
/// epistemic    Var(m)  = E[s^2] / lambda             expected squared error of mu
/// total                = aleatoric + epistemic       variance of a fresh label
/// label value  Delta   = E[s^2] / (lambda (lambda + 1))   expected fall of Var(m) by one label
/// ```
///
/// Variances are in squared units of the rating, and infinite for nu <= 2. The prior mean counts as lambda labels and
/// the prior variance as nu labels. Source: the paper, App. B, "the real-valued formulation"; the conjugate forms are
/// textbook (Gelman et al., Bayesian Data Analysis, 3rd ed., Sec. 3.3).
///
/// ```
/// use judge_uncertainty_core::belief::{Belief, Gaussian, Ratings};
///
/// // The judge expects a mean of 3 with variance 0.5, which counts as two labels; two annotators rate it 4 and 5.
/// let prior = Gaussian { mean: 3.0, evidence: 2.0, freedom: 6.0, scale: 0.5 };
/// let belief = prior.updated(&Ratings::new(&[4.0, 5.0]));
/// assert_eq!((belief.mean, belief.evidence), (3.75, 4.0));
/// assert!((belief.total() - belief.aleatoric() - belief.epistemic()).abs() < 1e-12);
/// let interval = belief.mean_interval(0.95);
/// assert!(interval.lo < 3.75 && interval.hi > 3.75);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Gaussian {
    /// mu, the expected mean, in units of the rating.
    pub mean: f64,
    /// lambda > 0: total evidence about the mean, in labels.
    pub evidence: f64,
    /// nu > 0: degrees of freedom of the variance.
    pub freedom: f64,
    /// s0^2 > 0, the scale of the variance, in squared units of the rating.
    pub scale: f64,
}

impl Gaussian {
    /// Conjugate update by an item's labels.
    ///
    /// ```text
    /// lambda' = lambda + n       nu' = nu + n       mu' = (lambda mu + n ybar) / lambda'
    /// nu' s0'^2 = nu s0^2 + SS + lambda n / lambda' (ybar - mu)^2
    /// ```
    pub fn updated(&self, labels: &Ratings) -> Self {
        let n = f64::from(labels.n);
        if labels.n == 0 {
            return *self;
        }
        let evidence = self.evidence + n;
        let freedom = self.freedom + n;
        let off = labels.mean - self.mean;
        let squares = self.freedom * self.scale + labels.squares + self.evidence * n / evidence * off * off;
        Self { mean: self.mean + n / evidence * off, evidence, freedom, scale: squares / freedom }
    }

    /// Probability that a fresh label is at most `y`: Student t, nu degrees, variance factor s0^2 (1 + 1/lambda).
    pub fn label_cdf(&self, y: f64) -> f64 {
        student_cdf((y - self.mean) / (self.scale * (1.0 + 1.0 / self.evidence)).sqrt(), self.freedom)
    }

    /// The expected distance of a fresh label from a point, in units of the rating; infinite for nu <= 1.
    pub fn label_distance(&self, from: f64) -> f64 {
        let scale = (self.scale * (1.0 + 1.0 / self.evidence)).sqrt();
        scale * student_distance((from - self.mean) / scale, self.freedom)
    }

    /// Central interval of the pool's mean with probability `level`, 0 to 1.
    pub fn mean_interval(&self, level: f64) -> Interval {
        self.reaching(student_quantile(0.5 + 0.5 * level, self.freedom))
    }

    /// [`Self::mean_interval`] of each belief. Few degrees of freedom are shared by many items, and each costs some
    /// hundred microseconds: a quantile is found once.
    pub fn mean_intervals(beliefs: &[Self], level: f64) -> Vec<Interval> {
        let mut quantiles: HashMap<u64, f64> = HashMap::new();
        let of = |belief: &Self| {
            let found = quantiles.entry(belief.freedom.to_bits());
            belief.reaching(*found.or_insert_with(|| student_quantile(0.5 + 0.5 * level, belief.freedom)))
        };
        beliefs.iter().map(of).collect()
    }

    /// The mean and so many of its standard errors to both sides.
    fn reaching(&self, quantile: f64) -> Interval {
        let reach = quantile * (self.scale / self.evidence).sqrt();
        Interval { lo: self.mean - reach, hi: self.mean + reach }
    }
}

impl Belief for Gaussian {
    /// Variance of a fresh label.
    fn total(&self) -> f64 {
        self.aleatoric() + self.epistemic()
    }

    /// Expected variance E\[s^2\] of a label about the pool's mean: the disagreement that labels cannot reduce.
    fn aleatoric(&self) -> f64 {
        if self.freedom > 2.0 { self.scale * (self.freedom / (self.freedom - 2.0)) } else { f64::INFINITY }
    }

    /// Var(m), the expected squared error of the mean: the ignorance that labels reduce.
    fn epistemic(&self) -> f64 {
        self.aleatoric() / self.evidence
    }

    /// One-label value: how much one label is expected to lower Var(m).
    fn label_value(&self) -> f64 {
        self.epistemic() / (self.evidence + 1.0)
    }

    fn evidence(&self) -> f64 {
        self.evidence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIOR: Gaussian = Gaussian { mean: 3.0, evidence: 2.0, freedom: 6.0, scale: 0.5 };

    #[test]
    fn an_update_by_hand() {
        // Labels 4 and 5: ybar 4.5, SS 0.5; lambda' 4, nu' 8, mu' (6 + 9)/4, nu's' = 3 + 0.5 + 1 * 2.25.
        let after = PRIOR.updated(&Ratings::new(&[4.0, 5.0]));
        assert_eq!(after, Gaussian { mean: 3.75, evidence: 4.0, freedom: 8.0, scale: 5.75 / 8.0 });
        assert!((after.aleatoric() - 5.75 / 6.0).abs() < 1e-15 && (after.epistemic() - 5.75 / 24.0).abs() < 1e-15);
        assert_eq!(PRIOR.updated(&Ratings::default()), PRIOR);
    }

    #[test]
    fn labels_one_by_one_or_together() {
        let one_by_one = [2.0, 7.5, 4.0].iter().fold(PRIOR, |b, y| b.updated(&Ratings::new(&[*y])));
        let together = PRIOR.updated(&Ratings::new(&[2.0, 7.5, 4.0]));
        for (a, b) in [
            (one_by_one.mean, together.mean),
            (one_by_one.scale, together.scale),
            (one_by_one.evidence, together.evidence),
            (one_by_one.freedom, together.freedom),
        ] {
            assert!((a - b).abs() < 1e-14, "{a} against {b}");
        }
    }

    #[test]
    fn repeats_count_as_one_label_with_its_noise_restored() {
        let repeats = Repeats::pooled([&[1.0, 3.0][..], &[5.0], &[4.0, 4.0, 7.0]]).unwrap();
        assert_eq!(repeats, Repeats { variance: (2.0 + 6.0) / 3.0, degrees: 3 });
        assert_eq!(Repeats::pooled([&[1.0][..], &[2.0]]), None);
        assert_eq!(repeats.split(2.0), (2.0, 0.0));
        assert_eq!(repeats.split(8.0 / 3.0 + 1.0).1, 1.0);
        // Means 2 and 5 with SS 4.5; half of the first label's noise was averaged out.
        let scores = Ratings::by_annotator([&[1.0, 3.0][..], &[5.0]], Some(repeats.variance));
        assert_eq!((scores.n, scores.mean), (2, 3.5));
        assert!((scores.squares - (4.5 + 0.5 * 0.5 * repeats.variance)).abs() < 1e-15);
        assert_eq!(Ratings::by_annotator([&[1.0][..], &[5.0]], Some(9.0)), Ratings::new(&[1.0, 5.0]));
    }

    #[test]
    fn the_interval_holds_its_level() {
        let Interval { lo: low, hi: high } = PRIOR.mean_interval(0.9);
        let below = |m: f64| student_cdf((m - PRIOR.mean) / (PRIOR.scale / PRIOR.evidence).sqrt(), PRIOR.freedom);
        assert!((below(high) - below(low) - 0.9).abs() < 1e-12);
        assert!((0.5 * (low + high) - 3.0).abs() < 1e-15);
        assert_eq!(PRIOR.label_cdf(3.0), 0.5);
        let beliefs = [PRIOR, Gaussian { mean: 4.0, freedom: 7.5, ..PRIOR }, Gaussian { evidence: 9.0, ..PRIOR }];
        let one_by_one = beliefs.map(|belief| belief.mean_interval(0.9));
        assert_eq!(Gaussian::mean_intervals(&beliefs, 0.9), one_by_one);
    }

    #[test]
    fn few_degrees_leave_the_variance_unbounded() {
        assert_eq!(Gaussian { freedom: 2.0, ..PRIOR }.aleatoric(), f64::INFINITY);
    }
}

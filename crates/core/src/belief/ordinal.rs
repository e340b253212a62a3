//! The belief about ratings on an ordered scale: classes that have a place each.

use std::f64::consts::PI;

use super::dirichlet::Dirichlet;
use super::judged::ascend;
use super::traits::Belief;
use crate::stats::gamma::stirling_remainder;

/// A belief about one item whose K >= 2 classes stand at places s_1 < ... < s_K on a scale, such as the grades 1 to 5.
///
/// The label distribution p ~ Dir(alpha) is that of [`Dirichlet`]; with M = sum_k s_k p_k its mean place, m the mean of
/// p and e = sum_k alpha_k the evidence, the variance of a fresh label's place splits like that of a real-valued label:
///
/// ```text
/// total        V       = sum_k s_k^2 m_k - (sum_k s_k m_k)^2
/// aleatoric    E[Var(place | p)] = V e / (e + 1)    annotators disagree; labels cannot reduce it
/// epistemic    Var(M)            = V / (e + 1)      expected squared error of the mean place
/// label value  Delta             = Var(M) / (e + 1) expected fall of Var(M) by one label
/// after k labels   E[Var(M)]     = Var(M) e / (e + k)
/// ```
///
/// All in squared units of the scale, and 0 where one class holds all the evidence. The error of the mean as a
/// distribution is its Wasserstein-1 distance ([`OrdinalBelief::wasserstein`]), in units of the scale. The sum of
/// classes 1 to k of p is Beta(a_k, e - a_k) with a_k = alpha_1 + ... + alpha_k, so expected errors are sums over
/// the K - 1 cuts between neighbouring classes.
///
/// ```
/// use judge_uncertainty_core::belief::{Belief, Dirichlet, OrdinalBelief};
///
/// // Grades 1 to 5: a prediction worth four labels, and two labels in hand.
/// let alpha = [0.4, 0.8, 2.6, 1.8, 0.4];
/// let places = [1.0, 2.0, 3.0, 4.0, 5.0];
/// let belief = OrdinalBelief::new(Dirichlet::new(&alpha), &places);
/// assert!((belief.mean_place() - 19.0 / 6.0).abs() < 1e-12);
/// assert!((belief.total() - belief.aleatoric() - belief.epistemic()).abs() < 1e-12);
/// // A label drawn from the belief lowers the squared error of the mean place by a seventh.
/// assert!((belief.label_value() - belief.epistemic() / 7.0).abs() < 1e-12);
/// // One label lowers the expected Wasserstein error, too.
/// assert!(belief.wasserstein_label_value() > 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrdinalBelief<'a> {
    belief: Dirichlet<'a>,
    places: &'a [f64],
}

impl<'a> OrdinalBelief<'a> {
    /// The belief about classes at `places`.
    ///
    /// # Panics
    /// In debug builds, if there is not one finite place per class or they do not ascend strictly.
    #[inline]
    pub fn new(belief: Dirichlet<'a>, places: &'a [f64]) -> Self {
        debug_assert_eq!(belief.alpha().len(), places.len(), "one place per class");
        debug_assert!(ascend(places), "places must be finite and ascend strictly");
        Self { belief, places }
    }

    /// The expected distance sum_k m_k |s_k - `from`| of a fresh label's place from a point, in units of the scale.
    pub fn label_distance(&self, from: f64) -> f64 {
        self.belief.mean().zip(self.places).map(|(share, place)| share * (place - from).abs()).sum()
    }

    /// The belief about the classes, wherever they stand.
    pub fn classes(&self) -> &Dirichlet<'a> {
        &self.belief
    }

    /// The expected mean place sum_k s_k m_k.
    pub fn mean_place(&self) -> f64 {
        mean_place(self.belief.alpha(), self.places)
    }

    /// Wasserstein-1 distance of the mean m to a distribution p over the classes, in units of the scale.
    ///
    /// ```text
    /// sum_{k=1..K-1} (s_{k+1} - s_k) |(m_1 + ... + m_k) - (p_1 + ... + p_k)|
    /// ```
    #[inline]
    pub fn wasserstein(&self, p: &[f64]) -> f64 {
        distance(self.belief.mean(), p, self.places)
    }

    /// [`Self::wasserstein`] after one further label of class `label` has been added.
    #[inline]
    pub fn wasserstein_after(&self, label: usize, p: &[f64]) -> f64 {
        let total = self.belief.evidence() + 1.0;
        let updated = self.belief.alpha().iter().enumerate();
        distance(updated.map(|(k, &a)| if k == label { (a + 1.0) / total } else { a / total }), p, self.places)
    }

    /// By how much one further label is expected to lower the expected Wasserstein error of the mean under the belief
    /// itself, in units of the scale.
    ///
    /// ```text
    /// expected error = sum_{k=1..K-1} (s_{k+1} - s_k) MAD(a_k, e - a_k),   a_k = alpha_1 + ... + alpha_k
    /// ```
    ///
    /// with MAD(a, b) the mean absolute deviation of a Beta(a, b) variable from its mean. The fall is never negative but
    /// for rounding, which is cut off at 0.
    pub fn wasserstein_label_value(&self) -> f64 {
        let alpha = self.belief.alpha();
        let mut below = 0.0;
        let fall_at_cut = |(k, places): (usize, &[f64])| {
            below += alpha[k];
            // Summed afresh: the difference e - a_k would lose a small rest.
            (places[1] - places[0]) * deviation_reduction(below, alpha[k + 1..].iter().sum())
        };
        self.places.windows(2).enumerate().map(fall_at_cut).sum()
    }
}

impl Belief for OrdinalBelief<'_> {
    /// Variance of the place of a fresh label.
    fn total(&self) -> f64 {
        place_variance(self.belief.alpha(), self.places)
    }

    /// E\[Var(place | p)\], the disagreement that labels cannot reduce.
    fn aleatoric(&self) -> f64 {
        self.total() * (self.belief.evidence() / (self.belief.evidence() + 1.0))
    }

    /// Var(M), the expected squared error of the mean place.
    fn epistemic(&self) -> f64 {
        self.total() / (self.belief.evidence() + 1.0)
    }

    fn label_value(&self) -> f64 {
        self.epistemic() / (self.belief.evidence() + 1.0)
    }

    #[inline]
    fn evidence(&self) -> f64 {
        self.belief.evidence()
    }
}

/// Mean place of classes at `places` with the given weights: probabilities, or numbers of labels.
///
/// With w the weights and s the places, s_1 + sum_k w_k (s_k - s_1) / sum_k w_k. Numbers of labels whose mean is the
/// same have the same result in every bit where places are short in binary, so that such items tie in a rank
/// correlation.
pub fn mean_place(weights: &[f64], places: &[f64]) -> f64 {
    places[0] + distance_of_mean(weights, places, places[0])
}

/// Variance of the place of a class drawn with the given weights (probabilities, or numbers of labels), in squared
/// units of the scale.
///
/// Places are taken from the likeliest one, so that their distances keep their digits however far from 0 the scale
/// lies; the variance is a sum of squares and so never negative.
pub fn place_variance(weights: &[f64], places: &[f64]) -> f64 {
    let likeliest = (1..weights.len()).fold(0, |best, k| if weights[k] > weights[best] { k } else { best });
    let from = places[likeliest];
    let mean = distance_of_mean(weights, places, from);
    let squares: f64 = weights.iter().zip(places).map(|(w, place)| w * ((place - from) - mean).powi(2)).sum();
    squares / weights.iter().sum::<f64>()
}

/// Wasserstein-1 distance of two distributions over classes at `places`, in units of the scale.
///
/// ```text
/// sum_{k=1..K-1} (s_{k+1} - s_k) |(p_1 + ... + p_k) - (q_1 + ... + q_k)|
/// ```
pub fn wasserstein(p: &[f64], q: &[f64], places: &[f64]) -> f64 {
    distance(p.iter().copied(), q, places)
}

/// How far the mean place lies above `from`.
fn distance_of_mean(weights: &[f64], places: &[f64], from: f64) -> f64 {
    let distances: f64 = weights.iter().zip(places).map(|(w, place)| w * (place - from)).sum();
    distances / weights.iter().sum::<f64>()
}

fn distance(p: impl Iterator<Item = f64>, q: &[f64], places: &[f64]) -> f64 {
    let mut ahead = 0.0;
    let cut = |((p, q), places): ((f64, &f64), &[f64])| {
        ahead += p - q;
        (places[1] - places[0]) * f64::abs(ahead)
    };
    p.zip(q).zip(places.windows(2)).map(cut).sum()
}

/// Mean absolute deviation E|x - a/(a + b)| of x ~ Beta(a, b).
///
/// ```text
/// 2 a^a b^b / (B(a, b) (a + b)^(a + b + 1))  =  sqrt(2 a b / (pi s^3)) exp(r(s) - r(a) - r(b)),   s = a + b
/// ```
///
/// with B the beta function and r the remainder of Stirling's formula: the second form, which is computed, loses no
/// digits where a + b is large. 0 where a or b is 0 (x is then certain). Source of the first form: Johnson, Kotz and
/// Balakrishnan (1995), Continuous Univariate Distributions 2, ch. 25.
fn beta_mean_deviation(a: f64, b: f64) -> f64 {
    if a <= 0.0 || b <= 0.0 {
        return 0.0;
    }
    let s = a + b;
    let remainder = stirling_remainder(s) - stirling_remainder(a) - stirling_remainder(b);
    (2.0 / PI * (a / s) * (b / s) / s).sqrt() * remainder.exp()
}

/// By how much one label is expected to lower the mean absolute deviation MAD of x ~ Beta(a, b).
///
/// ```text
/// - MAD(a, b) [a / s expm1(ln MAD(a + 1, b) - ln MAD(a, b)) + b / s expm1(ln MAD(a, b + 1) - ln MAD(a, b))],   s = a + b
/// ```
///
/// The ratio's logarithm is taken term by term from the second form of [`beta_mean_deviation`], so that the fall, a share
/// of about 1 / 2s of the deviation, keeps its digits where s is large: one minus the ratio would lose all of them by
/// 1e16.
fn deviation_reduction(a: f64, b: f64) -> f64 {
    let before = beta_mean_deviation(a, b);
    if before == 0.0 {
        return 0.0;
    }
    let s = a + b;
    let whole = 1.5 * (1.0 / s).ln_1p() - remainder_growth(s);
    // ln of x + 1 against x, in a factor of the square root and in the remainder.
    let fall = |x: f64| -(0.5 * (1.0 / x).ln_1p() - remainder_growth(x) - whole).exp_m1();
    (before * (a / s * fall(a) + b / s * fall(b))).max(0.0)
}

/// r(x + 1) - r(x), r the remainder of Stirling's formula.
fn remainder_growth(x: f64) -> f64 {
    stirling_remainder(x + 1.0) - stirling_remainder(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From mpmath at 40 digits: the closed form with its beta function, for the doubles nearest to a and b.
    #[test]
    fn mean_deviation_agrees_with_arbitrary_precision() {
        let values = [
            (0.5, 0.5, std::f64::consts::FRAC_1_PI),
            (1.0, 1.0, 0.25),
            (0.02, 3.0, 0.012098680002921143),
            (2.5, 7.25, 0.10761964909838975),
            (9.75, 0.3, 0.033815945066854376),
            (12.0, 31.0, 0.054158650455652574),
            (1000.5, 2.0, 0.0010789043039129685),
            (300000.0, 700000.0, 0.00036563652494740593),
        ];
        for (a, b, expected) in values {
            let error = (beta_mean_deviation(a, b) / expected - 1.0).abs();
            assert!(error < 1e-13, "Beta({a}, {b}): off by {error:e}");
        }
        assert_eq!((beta_mean_deviation(0.0, 2.0), beta_mean_deviation(3.0, 0.0)), (0.0, 0.0));
    }

    /// Shapes from 1e-6 to 1e6: `tests/golden/ordinal/make.py`.
    #[test]
    fn mean_deviations_are_those_of_an_independent_program() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/golden/ordinal/expected.json")).unwrap();
        let cases = golden["deviations"].as_array().unwrap();
        assert!(cases.len() >= 12);
        for case in cases {
            let [a, b, want] = ["a", "b", "deviation"].map(|key| case[key].as_f64().unwrap());
            let got = beta_mean_deviation(a, b);
            assert!((got - want).abs() <= 1e-12 * want, "Beta({a}, {b}): {got} for {want}");
        }
    }
}

//! Differences for new items: intervals over items and re-draws, simultaneous over a family.

use serde::{Deserialize, Serialize};

use super::normal::normal_quantile;
use super::student::student_quantile;
use super::{Interval, mean, sample_sd};

/// What each item contributes to a difference of two rankings, or to a mean over items, averaged over re-draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// d_i: the difference is their sum over items.
    pub of_items: Vec<f64>,
    /// c_i: how much more often item i is picked by the first ranking than by the second; they sum to 0, because both
    /// pick equally many. For a mean, the item's share in it; they sum to 1.
    pub picked: Vec<f64>,
    /// What a pick of the item is worth on average, where either ranking ever picked it alone; for a mean, its value.
    pub worth: Vec<Option<f64>>,
    /// The difference in each re-draw.
    pub of_redraws: Vec<f64>,
}

impl Contributions {
    /// Averages over re-draws; `None` without any. A re-draw names items by position, each with its share (1 where only the first
    /// ranking picks it, -1 where only the second does; in a mean over m items 1/m) and what a pick of it is worth, or its value.
    ///
    /// # Panics
    /// If an item is beyond their number.
    pub fn from_redraws<R: IntoIterator<Item = (usize, f64, f64)>>(
        items: usize,
        redraws: impl IntoIterator<Item = R>,
    ) -> Option<Self> {
        let none = || vec![0.0; items];
        let (mut of_items, mut picked, mut times, mut sums, mut of_redraws) = (none(), none(), none(), none(), vec![]);
        for redraw in redraws {
            let mut difference = 0.0;
            for (item, share, worth) in redraw {
                of_items[item] += share * worth;
                picked[item] += share;
                times[item] += 1.0;
                sums[item] += worth;
                difference += share * worth;
            }
            of_redraws.push(difference);
        }
        let count = of_redraws.len() as f64;
        of_items.iter_mut().chain(&mut picked).for_each(|x| *x /= count);
        let worth = times.iter().zip(&sums).map(|(times, sum)| (*times > 0.0).then(|| sum / times)).collect();
        (count > 0.0).then_some(Self { of_items, picked, worth, of_redraws })
    }

    /// The contribution of each cluster; `clusters` has the cluster of each item, numbered from 0.
    ///
    /// # Panics
    /// If an item has no cluster.
    pub fn of_clusters(self, clusters: &[usize]) -> Self {
        let number = clusters.iter().max().map_or(0, |last| last + 1);
        let summed = |values: &[f64]| {
            let mut sums = vec![0.0; number];
            values.iter().zip(clusters).for_each(|(x, &cluster)| sums[cluster] += x);
            sums
        };
        let (mut sums, mut times) = (vec![0.0; number], vec![0.0; number]);
        for (worth, &cluster) in self.worth.iter().zip(clusters) {
            if let Some(worth) = worth {
                (sums[cluster], times[cluster]) = (sums[cluster] + worth, times[cluster] + 1.0);
            }
        }
        Self {
            of_items: summed(&self.of_items),
            picked: summed(&self.picked),
            worth: sums.iter().zip(&times).map(|(sum, times)| (*times > 0.0).then(|| sum / times)).collect(),
            of_redraws: self.of_redraws,
        }
    }
}

/// A difference with what it says of new items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NewItems {
    /// The difference D.
    pub difference: f64,
    /// Its standard error when the items are a sample of all items there could be.
    pub se: f64,
    /// The interval of this difference alone.
    pub plain: Interval,
    /// The interval that holds together with those of the whole family.
    pub simultaneous: Interval,
}

/// Second, third and fourth moments of a sum: its variance, skewness, and the degrees of freedom of the estimated
/// variance.
struct SumMoments {
    variance: f64,
    skewness: f64,
    freedom: f64,
}

impl SumMoments {
    /// Of a sum of n terms with these sums of squares, cubes and fourth powers.
    fn new(n: f64, [second, third, fourth]: [f64; 3]) -> Self {
        let kurtosis = n * fourth / (second * second);
        let freedom = if kurtosis > 1.0 { (2.0 * n / (kurtosis - 1.0)).clamp(1.0, n - 2.0) } else { n - 2.0 };
        Self { variance: n / (n - 2.0) * second, skewness: third / second.powf(1.5), freedom }
    }

    /// If what a pick is worth had nothing to do with which ranking picks it.
    fn exchangeable(one: &Contributions) -> Option<Self> {
        let worth: Vec<f64> = one.worth.iter().flatten().copied().collect();
        let centre = mean(&worth);
        let power = |k: i32| {
            let of_worth = worth.iter().map(|g| (g - centre).powi(k)).sum::<f64>() / worth.len() as f64;
            of_worth * one.picked.iter().map(|c| c.powi(k)).sum::<f64>()
        };
        (worth.len() > 2 && power(2) > 0.0).then(|| Self::new(one.picked.len() as f64, [2, 3, 4].map(power)))
    }
}

/// What a difference of two rankings says of new items, by an interval alone and by one that holds together with those of a
/// `family` of so many differences, both at `level`; `None` where the two rankings never pick different items, or with one
/// re-draw.
///
/// Two levels: items are a sample of all items there could be, and each has its labels re-drawn. With d_i what item i
/// contributes to D on average over R re-draws, and c_i how much more often the first ranking picks it,
///
/// ```text
/// r_i  = d_i - g c_i - mean,   g = sum c_i d_i / sum c_i^2
/// se^2 = N/(N - 2) sum_i r_i^2 + var over re-draws(D)/R
/// freedom = 2N/(kurtosis of r - 1),   1 to N - 2,   G = sum r_i^3 / (sum r_i^2)^(3/2)
/// interval D +- t(p, freedom) se,   one end further out by |G| (2 z^2 + 1)/6 se
/// ```
///
/// g c_i is taken out because both rankings pick equally many items whatever the sample, so a common worth of a pick
/// does not vary. For a mean over items c_i = 1/N, g is the mean, and r_i what the item lies above it; where the
/// re-draw decides which items are in the mean, g c_i is what makes the ratio linear. The variance over re-draws is
/// counted on top of the part of it that is in d_i, on the safe side. The kurtosis makes the degrees of freedom those
/// of the few items that two rankings differ in (Satterthwaite). With contributions skewed to the right the standard
/// error is small when D is, and the upper end too low; the first term of the Edgeworth expansion of Student's ratio
/// (Hall 1992, "On the removal of skewness by transformation"; z the normal deviate of p) mends that, and the other end
/// is left where it is, on the safe side. The few items that a ranking picks may by chance hold none of those that are
/// worth much; so variance, freedom and skewness are also taken as they would be if the worth of a pick (of all items
/// that either ranking ever picked alone) had nothing to do with who picks it, sum c_i^k times the k-th central moment
/// of the worth in place of sum r_i^k, and the wider of both counts. p is 1 - (1 - level)/2 for the plain interval, and
/// 1 - (1 - level)/(2 family) for the simultaneous one (Bonferroni). The intervals ignore the uncertainty of the fitted trust.
///
/// # Panics
/// If the lists differ in length.
pub fn new_items(one: &Contributions, level: f64, family: usize) -> Option<NewItems> {
    let n = one.of_items.len() as f64;
    let squares: f64 = one.picked.iter().map(|c| c * c).sum();
    if n < 3.0 || squares == 0.0 || one.of_redraws.len() < 2 {
        return None;
    }
    let common = one.picked.iter().zip(&one.of_items).map(|(c, d)| c * d).sum::<f64>() / squares;
    let off: Vec<f64> = one.picked.iter().zip(&one.of_items).map(|(c, d)| d - common * c).collect();
    let centre = mean(&off);
    let sums = [2, 3, 4].map(|k| off.iter().map(|r| (r - centre).powi(k)).sum::<f64>());
    if sums[0] == 0.0 {
        return None;
    }
    let found = SumMoments::new(n, sums);
    let other = SumMoments::exchangeable(one);
    let either = |of: fn(&SumMoments) -> f64, choose: fn(f64, f64) -> f64| {
        other.as_ref().map_or(of(&found), |other| choose(of(&found), of(other)))
    };
    let redraws = sample_sd(&one.of_redraws).powi(2) / one.of_redraws.len() as f64;
    let se = (either(|m| m.variance, f64::max) + redraws).sqrt();
    let freedom = either(|m| m.freedom, f64::min);
    let [left, right] = [-either(|m| m.skewness, f64::min), either(|m| m.skewness, f64::max)].map(|g| g.max(0.0));
    let difference: f64 = one.of_items.iter().sum();
    let missing = |each: f64| {
        let tail = 0.5 * each;
        let (reach, normal) = (-student_quantile(tail, freedom), normal_quantile(tail));
        let beyond = |skewness: f64| (reach + skewness * (2.0 * normal * normal + 1.0) / 6.0) * se;
        Interval { lo: difference - beyond(left), hi: difference + beyond(right) }
    };
    let miss = 1.0 - level;
    Some(NewItems { difference, se, plain: missing(miss), simultaneous: missing(miss / family.max(1) as f64) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Items that the first ranking picks (c = 1), that the second picks (c = -1), and others.
    fn contributions(items: usize, gains: impl Fn(usize) -> f64) -> Contributions {
        let picked: Vec<f64> = (0..items).map(|i| [1.0, -1.0, 0.0][i % 3]).collect();
        let of_items: Vec<f64> = picked.iter().enumerate().map(|(i, c)| c * gains(i)).collect();
        let sum: f64 = of_items.iter().sum();
        let worth = (0..items).map(|i| (i % 3 != 2).then(|| gains(i))).collect();
        Contributions { of_items, picked, worth, of_redraws: vec![sum, sum] }
    }

    #[test]
    fn a_family_of_one_by_hand() {
        // Gains 1 and 3 on picked items, of either ranking: the common worth of a pick is 2, and what is left is -1 or
        // 1.
        let one = contributions(12, |i| if (i / 3) % 2 == 0 { 1.0 } else { 3.0 });
        let got = new_items(&one, 0.95, 1).unwrap();
        assert_eq!(got.difference, 0.0);
        assert!((got.se - (12.0_f64 / 10.0 * 8.0).sqrt()).abs() < 1e-12, "{got:?}");
        // Kurtosis 12 x 8/64 = 1.5, so 48 degrees of freedom, and at most 10; scipy.stats.t.ppf(0.975, 10) = 2.2281389.
        assert!((got.plain.hi / got.se - 2.228_138_9).abs() < 1e-6 && got.plain == got.simultaneous, "{got:?}");
        // Of twenty differences: scipy.stats.t.ppf(1 - 0.05/40, 10) = 4.0045.
        let of_twenty = new_items(&one, 0.95, 20).unwrap().simultaneous;
        assert!((of_twenty.hi / got.se - 4.0045).abs() < 1e-3 && of_twenty.lo == -of_twenty.hi, "{of_twenty:?}");
    }

    /// 1, 2, 3, 4, 5, 6, 7, 12 by NumPy: mean 5, and a standard error of sqrt(84)/8 sqrt(8/6) = 1.3228757.
    #[test]
    fn a_mean_over_items_is_one_of_these_differences() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 12.0];
        let redraw = || values.iter().enumerate().map(|(item, &worth)| (item, 0.125, worth));
        let own = Contributions::from_redraws(8, [redraw(), redraw()]).unwrap();
        assert_eq!(own.of_redraws, [5.0, 5.0]);
        let got = new_items(&own, 0.95, 1).unwrap();
        assert!((got.difference - 5.0).abs() < 1e-12 && (got.se - 1.322_875_7).abs() < 1e-6, "{got:?}");
        // Skewed to the right, so the upper end is further out.
        assert!(got.plain.hi - 5.0 > 1.1 * (5.0 - got.plain.lo), "{got:?}");
        assert!(Contributions::from_redraws(8, std::iter::empty::<[(usize, f64, f64); 0]>()).is_none());
    }

    #[test]
    fn equal_gains_do_not_vary_however_large() {
        // A common worth of a pick cancels, so 1000 and 1001 vary as 0 and 1 do.
        let small = contributions(60, |i| (i / 3 % 2) as f64);
        let large = contributions(60, |i| 1000.0 + (i / 3 % 2) as f64);
        let [small, large] = [small, large].map(|one| new_items(&one, 0.95, 1).unwrap());
        assert!((small.se / large.se - 1.0).abs() < 1e-6, "{small:?} {large:?}");
    }

    /// A ranking that knows nothing against picks at random,
    /// worths skewed to the right.
    #[test]
    fn with_nothing_to_find_few_studies_find_it() {
        let (studies, items, picks) = (400, 120, 20);
        let mut stream = Stream::new(11);
        let (mut confirmed, mut refuted) = (0, 0);
        for _ in 0..studies {
            let worth: Vec<f64> = (0..items).map(|_| stream.gamma(0.4)).collect();
            let picked: Vec<f64> =
                (0..items).map(|i| f64::from(u8::from(i < picks)) - picks as f64 / items as f64).collect();
            let of_items: Vec<f64> = picked.iter().zip(&worth).map(|(c, g)| c * g).collect();
            let sum: f64 = of_items.iter().sum();
            let worth = worth.into_iter().map(Some).collect();
            let one = Contributions { of_items, picked, worth, of_redraws: vec![sum, sum] };
            let found = new_items(&one, 0.95, 1).unwrap();
            confirmed += usize::from(found.simultaneous.lo > 0.0);
            refuted += usize::from(found.simultaneous.hi < 0.0);
        }
        // 0.025 of 400, and two standard errors.
        assert!(confirmed <= 16 && refuted <= 16, "{confirmed} confirmed, {refuted} refuted");
    }

    #[test]
    fn rankings_that_pick_the_same_are_not_compared() {
        let same = Contributions {
            of_items: vec![0.0; 9],
            picked: vec![0.0; 9],
            worth: vec![None; 9],
            of_redraws: vec![0.0; 4],
        };
        let one_redraw = Contributions { of_redraws: vec![0.0], ..contributions(9, |i| i as f64) };
        assert_eq!([same, one_redraw].map(|one| new_items(&one, 0.95, 2)), [None, None]);
    }
}

//! Differences for new items: intervals over items and re-draws, simultaneous over a family.

use serde::{Deserialize, Serialize};

use super::normal::{normal_cdf, normal_quantile};
use super::quantile::Critical;
use super::student::student_quantile;
use super::{Interval, mean, sample_sd};
use crate::random::Stream;

/// Draws of the family's normal deviates from which the critical value is taken.
const DRAWS: usize = 100_000;

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
    /// The contribution of each cluster; `clusters` has the cluster of each item, numbered from 0.
    ///
    /// # Panics
    /// If an item has no cluster.
    pub fn of_things(self, clusters: &[usize]) -> Self {
        let number = clusters.iter().max().map_or(0, |last| last + 1);
        let summed = |values: &[f64]| {
            let mut sums = vec![0.0; number];
            values.iter().zip(clusters).for_each(|(x, &thing)| sums[thing] += x);
            sums
        };
        let (mut sums, mut times) = (vec![0.0; number], vec![0.0; number]);
        for (worth, &thing) in self.worth.iter().zip(clusters) {
            if let Some(worth) = worth {
                (sums[thing], times[thing]) = (sums[thing] + worth, times[thing] + 1.0);
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

/// What an item adds to a difference or a mean in one re-draw: `share` times `worth`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contribution {
    /// Position of the item.
    pub item: usize,
    /// 1 where only the first ranking picks it, -1 where only the second does; in a mean over m items 1/m.
    pub share: f64,
    /// What a pick of it is worth, or its value.
    pub worth: f64,
}

/// [`Contributions`] in the making, re-draw by re-draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Gathered {
    of_items: Vec<f64>,
    picked: Vec<f64>,
    times: Vec<f64>,
    worth: Vec<f64>,
    of_redraws: Vec<f64>,
}

impl Gathered {
    /// Over so many items, before any re-draw.
    pub fn over(items: usize) -> Self {
        let none = || vec![0.0; items];
        Self { of_items: none(), picked: none(), times: none(), worth: none(), of_redraws: vec![] }
    }

    /// Adds a re-draw.
    ///
    /// # Panics
    /// If an item is beyond their number.
    pub fn add(&mut self, redraw: impl IntoIterator<Item = Contribution>) {
        let mut sum = 0.0;
        for Contribution { item, share, worth } in redraw {
            self.of_items[item] += share * worth;
            self.picked[item] += share;
            self.times[item] += 1.0;
            self.worth[item] += worth;
            sum += share * worth;
        }
        self.of_redraws.push(sum);
    }

    /// Adds the re-draws of another one over the same items after its own.
    pub fn append(&mut self, mut other: Self) {
        let own = [&mut self.of_items, &mut self.picked, &mut self.times, &mut self.worth];
        for (own, other) in own.into_iter().zip([&other.of_items, &other.picked, &other.times, &other.worth]) {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        }
        self.of_redraws.append(&mut other.of_redraws);
    }

    /// Averages over re-draws; `None` without any.
    pub fn contributions(mut self) -> Option<Contributions> {
        let count = self.of_redraws.len() as f64;
        self.of_items.iter_mut().chain(&mut self.picked).for_each(|x| *x /= count);
        let worth =
            self.times.iter().zip(&self.worth).map(|(times, sum)| (*times > 0.0).then(|| sum / times)).collect();
        let Self { of_items, picked, of_redraws, .. } = self;
        (count > 0.0).then_some(Contributions { of_items, picked, worth, of_redraws })
    }
}

/// How far a distribution leans, to either side; written as `[left, right]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "[f64; 2]", from = "[f64; 2]")]
pub struct Skewness {
    /// To the left, 0 or above.
    pub left: f64,
    /// To the right, 0 or above.
    pub right: f64,
}

impl From<[f64; 2]> for Skewness {
    fn from([left, right]: [f64; 2]) -> Self {
        Self { left, right }
    }
}

impl From<Skewness> for [f64; 2] {
    fn from(Skewness { left, right }: Skewness) -> Self {
        [left, right]
    }
}

/// A difference with what it says of new items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NewItems {
    /// The difference D.
    pub difference: f64,
    /// Its standard error when the items are a sample of all items there could be.
    pub se: f64,
    /// Degrees of freedom of the standard error.
    pub freedom: f64,
    /// Skewness of D over items; moves the ends outward.
    pub skewness: Skewness,
    /// The interval of this difference alone.
    pub plain: Interval,
    /// The interval that holds together with those of the whole family.
    pub simultaneous: Interval,
    /// How many standard errors the simultaneous interval reaches, skewness apart.
    pub critical: f64,
    /// Monte-Carlo error of that number; 0 for a family of one.
    pub critical_error: f64,
    /// Monte-Carlo error of the simultaneous interval's ends: that of D over re-draws and that of the critical value.
    pub bound_error: f64,
}

impl NewItems {
    /// Of a difference that is the same whatever the items and re-draws.
    pub(super) fn certain(difference: f64) -> Self {
        let point = Interval { lo: difference, hi: difference };
        Self {
            difference,
            se: 0.0,
            freedom: 1.0,
            skewness: Skewness::default(),
            plain: point,
            simultaneous: point,
            critical: 0.0,
            critical_error: 0.0,
            bound_error: 0.0,
        }
    }
}

/// A contribution whose centre and spread over items are known.
struct Residuals {
    values: Vec<f64>,
    norm: f64,
    difference: f64,
    redraws_se: f64,
    se: f64,
    freedom: f64,
    /// How far the lower and the upper end of an interval have to move outward, per (2 z^2 + 1)/6 standard errors.
    skewness: Skewness,
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

impl Residuals {
    /// `None` where no item was ever picked by one ranking alone, or one re-draw says nothing of their noise.
    fn new(one: &Contributions) -> Option<Self> {
        let n = one.of_items.len() as f64;
        let squares: f64 = one.picked.iter().map(|c| c * c).sum();
        if n < 3.0 || squares == 0.0 || one.of_redraws.len() < 2 {
            return None;
        }
        let level = one.picked.iter().zip(&one.of_items).map(|(c, d)| c * d).sum::<f64>() / squares;
        let off: Vec<f64> = one.picked.iter().zip(&one.of_items).map(|(c, d)| d - level * c).collect();
        let centre = mean(&off);
        let values: Vec<f64> = off.iter().map(|r| r - centre).collect();
        let [second, third, fourth] = [2, 3, 4].map(|k| values.iter().map(|r| r.powi(k)).sum::<f64>());
        if second == 0.0 {
            return None;
        }
        let found = SumMoments::new(n, [second, third, fourth]);
        let exchangeable = SumMoments::exchangeable(one);
        let either = |of: fn(&SumMoments) -> f64, choose: fn(f64, f64) -> f64| {
            exchangeable.as_ref().map_or(of(&found), |other| choose(of(&found), of(other)))
        };
        let variance = either(|m| m.variance, f64::max);
        let redraws_se = sample_sd(&one.of_redraws) / (one.of_redraws.len() as f64).sqrt();
        Some(Self {
            difference: one.of_items.iter().sum(),
            redraws_se,
            se: (variance + redraws_se * redraws_se).sqrt(),
            freedom: either(|m| m.freedom, f64::min),
            skewness: Skewness {
                left: (-either(|m| m.skewness, f64::min)).max(0.0),
                right: either(|m| m.skewness, f64::max).max(0.0),
            },
            norm: second.sqrt(),
            values,
        })
    }
}

/// Intervals for new items of a family of differences, simultaneous at `level`; `None` for a difference that can't be
/// had because the two rankings never pick different items, or with one re-draw.
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
/// of the worth in place of sum r_i^k, and the wider of both counts. p is 1 - (1 - level)/2 for the plain interval. For
/// the simultaneous ones it is the normal probability of c, the `level` quantile of max_j |Z_j| over normal deviates Z
/// with the correlations of the r_i (max-t; Hothorn, Bretz and Westfall 2008, "Simultaneous inference in general
/// parametric models"; Montiel Olea and Plagborg-Moller 2019). It is found from 100,000 draws; Stream: normals, one per
/// difference and draw. The intervals ignore the uncertainty of the fitted trust.
///
/// # Panics
/// If the lists differ in length.
pub fn new_items(family: &[Contributions], level: f64, stream: &mut Stream) -> Vec<Option<NewItems>> {
    let residuals: Vec<Option<Residuals>> = family.iter().map(Residuals::new).collect();
    let own: Vec<&Residuals> = residuals.iter().flatten().collect();
    let plain = normal_quantile(0.5 + 0.5 * level);
    let critical = match own.len() {
        0 | 1 => Critical { value: plain, error: 0.0 },
        _ => family_critical(&own, level, stream),
    };
    let of = |r: &Residuals| {
        let reach = |normal: f64| {
            // As far out as the normal deviate, in Student's distribution; the tail keeps its digits.
            let tail = normal_cdf(-normal).max(f64::MIN_POSITIVE);
            -student_quantile(tail, r.freedom)
        };
        let around = |reach: f64, normal: f64| {
            let beyond = |skewness: f64| reach + skewness * (2.0 * normal * normal + 1.0) / 6.0;
            let Skewness { left, right } = r.skewness;
            Interval { lo: r.difference - beyond(left) * r.se, hi: r.difference + beyond(right) * r.se }
        };
        let simultaneous = reach(critical.value);
        let critical_error = reach(critical.value + critical.error) - simultaneous;
        NewItems {
            difference: r.difference,
            se: r.se,
            freedom: r.freedom,
            skewness: r.skewness,
            plain: around(reach(plain), plain),
            simultaneous: around(simultaneous, critical.value),
            critical: simultaneous,
            critical_error,
            bound_error: r.redraws_se.hypot(critical_error * r.se),
        }
    };
    residuals.iter().map(|r| r.as_ref().map(of)).collect()
}

/// The critical value of the largest of correlated normal deviates.
fn family_critical(family: &[&Residuals], level: f64, stream: &mut Stream) -> Critical {
    let factor = cholesky(&correlations(family));
    let mut normals = vec![0.0; family.len()];
    let draws = (0..DRAWS).map(|_| {
        normals.iter_mut().for_each(|z| *z = stream.standard_normal());
        let of = |row: &Vec<f64>| row.iter().zip(&normals).map(|(l, z)| l * z).sum::<f64>().abs();
        factor.iter().map(of).fold(0.0, f64::max)
    });
    Critical::new(draws.collect(), level)
}

fn correlations(family: &[&Residuals]) -> Vec<Vec<f64>> {
    let of = |a: &Residuals, b: &Residuals| {
        a.values.iter().zip(&b.values).map(|(x, y)| x * y).sum::<f64>() / (a.norm * b.norm)
    };
    family.iter().map(|a| family.iter().map(|b| of(a, b)).collect()).collect()
}

/// Lower triangle L with L L' the matrix; differences that follow from others have a diagonal of 0.
fn cholesky(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut lower: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
    for (i, row) in matrix.iter().enumerate() {
        let mut own: Vec<f64> = Vec::with_capacity(i + 1);
        for j in 0..i {
            let known: f64 = (0..j).map(|k| own[k] * lower[j][k]).sum();
            own.push(if lower[j][j] > 0.0 { (row[j] - known) / lower[j][j] } else { 0.0 });
        }
        let left = row[i] - own.iter().map(|l| l * l).sum::<f64>();
        own.push(if left > 1e-12 { left.sqrt() } else { 0.0 });
        lower.push(own);
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let got = new_items(&[one], 0.95, &mut Stream::new(0))[0].unwrap();
        assert_eq!((got.difference, got.skewness), (0.0, Skewness::default()));
        assert!((got.se - (12.0_f64 / 10.0 * 8.0).sqrt()).abs() < 1e-12, "{got:?}");
        // Kurtosis 12 x 8/64 = 1.5, so 48 degrees of freedom, and at most 10.
        assert_eq!((got.freedom, got.critical_error, got.bound_error), (10.0, 0.0, 0.0));
        // scipy.stats.t.ppf(0.975, 10) = 2.2281389
        assert!((got.critical - 2.228_138_9).abs() < 1e-6 && got.plain == got.simultaneous, "{got:?}");
    }

    /// 1, 2, 3, 4, 5, 6, 7, 12 by NumPy: mean 5, and a standard error of sqrt(84)/8 sqrt(8/6) = 1.3228757.
    #[test]
    fn a_mean_over_items_is_one_of_these_differences() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 12.0];
        let mut gathered = [Gathered::over(8), Gathered::over(8)];
        let redraw = || values.iter().enumerate().map(|(item, &worth)| Contribution { item, share: 0.125, worth });
        gathered.iter_mut().for_each(|gathered| gathered.add(redraw()));
        let [mut one, other] = gathered;
        one.append(other);
        let own = one.contributions().unwrap();
        assert_eq!(own.of_redraws, [5.0, 5.0]);
        let got = new_items(&[own], 0.95, &mut Stream::new(0))[0].unwrap();
        assert!((got.difference - 5.0).abs() < 1e-12 && (got.se - 1.322_875_7).abs() < 1e-6, "{got:?}");
        assert!(got.skewness.right > 0.0 && got.skewness.left == 0.0, "{got:?}");
        assert!(Gathered::over(8).contributions().is_none());
    }

    #[test]
    fn equal_gains_do_not_vary_however_large() {
        // A common worth of a pick cancels, so 1000 and 1001 vary as 0 and 1 do.
        let small = contributions(60, |i| (i / 3 % 2) as f64);
        let large = contributions(60, |i| 1000.0 + (i / 3 % 2) as f64);
        let got = new_items(&[small, large], 0.95, &mut Stream::new(0));
        let [small, large] = [got[0].unwrap(), got[1].unwrap()];
        assert!((small.se / large.se - 1.0).abs() < 1e-6, "{small:?} {large:?}");
        // The two are one comparison said twice: the maximum is over one.
        assert!(
            (large.critical
                / new_items(&[contributions(60, |i| (i / 3 % 2) as f64)], 0.95, &mut Stream::new(0))[0]
                    .unwrap()
                    .critical
                - 1.0)
                .abs()
                < 0.02
        );
    }

    /// For J independent normals the critical value is that of (1 + 0.95^(1/J))/2: 3.0167 for J = 20 (scipy).
    #[test]
    fn many_independent_differences_widen_the_intervals_and_the_error_is_small() {
        let mut stream = Stream::new(5);
        let mut one = |_| {
            let gains: Vec<f64> = (0..30_000).map(|_| stream.standard_normal()).collect();
            contributions(30_000, |i| gains[i])
        };
        let family: Vec<Contributions> = (0..20).map(&mut one).collect();
        let got = new_items(&family, 0.95, &mut Stream::new(1));
        let first = got[0].unwrap();
        assert!((first.critical - 3.0167).abs() < 0.03, "{first:?}");
        assert!(first.critical_error > 0.0 && first.critical_error < 0.02, "{first:?}");
    }

    /// The quick form of the evaluation's `examples/verdicts.rs`: a ranking that knows nothing against picks at random,
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
            let found = new_items(&[one], 0.95, &mut Stream::new(0))[0].unwrap();
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
        assert_eq!(new_items(&[same, one_redraw], 0.95, &mut Stream::new(0)), [None, None]);
    }
}

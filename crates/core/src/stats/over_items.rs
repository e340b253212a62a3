//! Means and functions of means over items, with intervals for new items: the items count as a sample of all there
//! could be.

use serde::{Deserialize, Serialize};

use super::student::student_quantile;
use super::{Interval, mean, ranks, sample_sd, spearman};

/// Fewer items than this tell too little about how a quantity varies over items for an interval.
pub const LEAST_ITEMS: usize = 20;
/// Upper end of a central 95% interval.
const UPPER: f64 = 0.975;
/// Items at which the fits of folds add as much variation as the items have.
const FITS: f64 = 40.0;

/// An estimate over items with its central 95% interval, which is about new items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemEstimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error over items.
    pub standard_error: f64,
    /// Lower end of the interval.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Items behind it.
    pub items: usize,
}

impl ItemEstimate {
    /// The interval that misses with probability `miss`, 0 to 1, in place of 0.05: its ends lie from the value as much
    /// further as Student's quantiles do (degrees of freedom: items less one).
    pub fn interval(&self, miss: f64) -> Interval {
        let freedom = (self.items as f64 - 1.0).max(1.0);
        let wider = student_quantile(1.0 - 0.5 * miss, freedom) / student_quantile(UPPER, freedom);
        let end = |end: f64| self.value + (end - self.value) * wider;
        Interval { lo: end(self.lo), hi: end(self.hi) }
    }
}

/// An estimate, or why the data do not determine one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Estimable {
    /// It is determined.
    Estimated(ItemEstimate),
    /// It is not.
    NotEstimable {
        /// Why, and what it would take.
        not_estimable: String,
        /// What it is for the items at hand, which were not drawn at random, so that it says nothing of new ones.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of_these_items: Option<f64>,
    },
}

impl Estimable {
    /// No estimate, for a reason.
    pub fn not(reason: impl Into<String>) -> Self {
        Self::NotEstimable { not_estimable: reason.into(), of_these_items: None }
    }

    /// A value that describes the items at hand and no new ones, and why.
    pub fn of_these_items(value: f64, reason: impl Into<String>) -> Self {
        Self::NotEstimable { not_estimable: reason.into(), of_these_items: Some(value) }
    }

    /// The value for the items at hand, where it says nothing of new ones.
    pub fn described(&self) -> Option<f64> {
        match self {
            Self::Estimated(_) => None,
            Self::NotEstimable { of_these_items, .. } => *of_these_items,
        }
    }

    /// The estimate, if there is one.
    pub fn estimate(&self) -> Option<&ItemEstimate> {
        match self {
            Self::Estimated(estimate) => Some(estimate),
            Self::NotEstimable { .. } => None,
        }
    }

    /// Why there is none.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Estimated(_) => None,
            Self::NotEstimable { not_estimable, .. } => Some(not_estimable),
        }
    }
}

pub(super) fn too_few(things: usize, items: usize) -> Estimable {
    match things == items {
        true => {
            Estimable::not(format!("{items} items have what it takes, and an interval over items needs {LEAST_ITEMS}"))
        }
        false => Estimable::not(format!(
            "{items} items have what it takes, which are about {things} things, and an interval over things needs \
             {LEAST_ITEMS}"
        )),
    }
}

/// The mean over items of one number each.
///
/// ```text
/// mean - s/sqrt(n) h(t),  mean - s/sqrt(n) h(-t),   t the 0.975 quantile of Student's t with n - 1 degrees of freedom
/// h(x) = 3 sqrt(n)/g ((1 + g (x/sqrt(n) - g/(6 n)))^(1/3) - 1)
/// ```
///
/// with s the standard deviation over items and g the skewness: Hall (1992), "On the removal of skewness by
/// transformation". Log scores are skewed, and the plain interval (g = 0) then misses on one side.
pub fn item_mean(values: &[f64]) -> Estimable {
    mean_with(values, 0.0)
}

/// The mean over items of squared differences of ratings, or of these less something.
///
/// The wider of Hall's interval ([`item_mean`]) and Student's on either side: where the variance of ratings differs
/// from item to item the tail of their squares is so long that the skewness of a sample falls short, and Hall's
/// interval alone misses too often (0.934 of simulated studies of 50 items hold, with this one 0.947 or more).
pub fn item_square(values: &[f64]) -> Estimable {
    widened(mean_with(values, 0.0))
}

/// The mean over items of the difference of two scores, from which one of two predictions is called better.
///
/// The wider of Hall's interval ([`item_mean`]) and Student's on either side: differences of log scores have long tails
/// on both, and where two judges are equally good Hall's interval alone leaves 0 out too often (4% a side of simulated
/// studies). With `fitted`, one of the predictions was fitted to other items of the same sample; the fits lean on the
/// same items, so that these vary together, and the squared standard error is raised by a share of 40/n, which
/// simulated studies of 50 items and more needed for intervals that hold (`docs/intervals.md`).
pub fn item_difference(values: &[f64], fitted: bool) -> Estimable {
    let raised = if fitted { FITS / values.len() as f64 } else { 0.0 };
    widened(mean_with(values, raised))
}

/// With an interval that reaches as far as Student's on either side, too.
fn widened(estimable: Estimable) -> Estimable {
    match estimable {
        Estimable::Estimated(found) => {
            let plain = interval(found.value, found.standard_error, 0.0, found.items);
            Estimable::Estimated(ItemEstimate { lo: found.lo.min(plain.lo), hi: found.hi.max(plain.hi), ..found })
        }
        not => not,
    }
}

/// How far an interval over so many items reaches, in standard deviations of one item: Student's quantile over the
/// square root of their number, `fitted` as in [`item_difference`]. What an interval over other items like these is
/// planned by.
pub fn reach_over(items: usize, fitted: bool) -> f64 {
    let n = items as f64;
    let raised = if fitted { FITS / n } else { 0.0 };
    student_quantile(UPPER, n - 1.0) * ((1.0 + raised) / n).sqrt()
}

/// The mean with its squared standard error raised by a share.
fn mean_with(values: &[f64], raised: f64) -> Estimable {
    let (n, sd) = (values.len(), if values.len() > 1 { sample_sd(values) } else { 0.0 });
    if n < LEAST_ITEMS {
        return too_few(n, n);
    }
    let centre = mean(values);
    // A spread of rounding errors is none.
    if sd <= 1e-12 * centre.abs() || sd == 0.0 {
        return Estimable::not(format!(
            "all {n} items have the same value, {centre:.3}, so how it varies over items cannot be determined"
        ));
    }
    let third = values.iter().map(|x| ((x - centre) / sd).powi(3)).sum::<f64>() / n as f64;
    Estimable::Estimated(interval(centre, sd * ((1.0 + raised) / n as f64).sqrt(), third, n))
}

/// Hall's interval of a mean of `n` values with this standard error, whose values have this skewness.
fn interval(centre: f64, standard_error: f64, skewness: f64, items: usize) -> ItemEstimate {
    let n = items as f64;
    let t = student_quantile(UPPER, n - 1.0);
    let back = |x: f64| match skewness.abs() < 1e-6 {
        true => x,
        false => {
            let inner = 1.0 + skewness * (x / n.sqrt() - skewness / (6.0 * n));
            3.0 * n.sqrt() / skewness * (inner.cbrt() - 1.0)
        }
    };
    ItemEstimate {
        value: centre,
        standard_error,
        lo: centre - standard_error * back(t),
        hi: centre - standard_error * back(-t),
        items,
    }
}

/// The mean over items of a share each, 0 to 1.
///
/// The interval is Wilson's (1927) for so many independent labels as would vary alike, m = p (1 - p)/se^2, with
/// Student's t in place of the normal quantile (Korn and Graubard 1998). Shares of items vary no more than single
/// labels do, so m is at least the number of items; it holds at 0 and 1, too.
///
/// Where no value is 1, the largest stands for it at the lower end, as where all are either 0 or that one; the smallest
/// for 0 at the upper end. Wilson's interval of the values as they are would take such a mean for a share in the
/// middle, whose interval has ends alike, and miss on one side.
pub fn item_share(values: &[f64]) -> Estimable {
    let n = values.len();
    if n < LEAST_ITEMS {
        return too_few(n, n);
    }
    let (p, items) = (mean(values), n as f64);
    let square = sample_sd(values).powi(2) / items;
    let answers = |alike: f64| if alike.is_finite() { alike.max(items) } else { items };
    let t = student_quantile(UPPER, items - 1.0);
    let [lo, hi] = share_interval((p, square), values.iter().copied(), t, answers);
    Estimable::Estimated(ItemEstimate { value: p, standard_error: square.sqrt(), lo, hi, items: n })
}

/// The interval of a mean of `values` from 0 to 1 with its squared standard error, as [`item_share`] describes, for a
/// quantile t; `answers` has the number of answers that Wilson's interval is for, from that which would vary alike.
pub(super) fn share_interval(
    (p, square): (f64, f64),
    values: impl Iterator<Item = f64>,
    t: f64,
    answers: impl Fn(f64) -> f64,
) -> [f64; 2] {
    let (least, most) = values.fold((1.0_f64, 0.0_f64), |(least, most), x| (least.min(x), most.max(x)));
    // The lower end for a mean of values up to `most`.
    let lower = |p: f64, most: f64| {
        let share = (p / most).clamp(0.0, 1.0);
        let m = answers(share * (1.0 - share) * most * most / square);
        if most > 0.0 { most * wilson(share, m, t) } else { 0.0 }
    };
    [lower(p, most), 1.0 - lower(1.0 - p, 1.0 - least)]
}

/// The lower end of Wilson's interval of a share `p` of `m` answers, for a quantile `t`.
fn wilson(p: f64, m: f64, t: f64) -> f64 {
    let (t2, centre) = (t * t, p + t * t / (2.0 * m));
    let reach = t * (p * (1.0 - p) / m + t2 / (4.0 * m * m)).sqrt();
    ((centre - reach) / (1.0 + t2 / m)).max(0.0)
}

/// A function of means over items, such as an agreement beyond chance, by the jackknife over items.
///
/// `rows` has the same numbers for each item, and `of` gives the function of their means, `None` where it is undefined.
/// With f_i the function without item i, the pseudo-values n f - (n - 1) f_i count as one number per item
/// ([`item_mean`], about f): Tukey (1958); Efron and Tibshirani (1993), chapter 11.
pub fn item_function(rows: &[Vec<f64>], of: impl Fn(&[f64]) -> Option<f64>) -> Estimable {
    let n = rows.len();
    if n < LEAST_ITEMS {
        return too_few(n, n);
    }
    let items = n as f64;
    let mut sums = vec![0.0; rows[0].len()];
    rows.iter().for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x));
    let undefined = || Estimable::not("it is undefined where all answers, or all labels, are the same");
    let Some(value) = of(&sums.iter().map(|sum| sum / items).collect::<Vec<_>>()) else { return undefined() };
    let without = |row: &Vec<f64>| {
        let means: Vec<f64> = sums.iter().zip(row).map(|(sum, x)| (sum - x) / (items - 1.0)).collect();
        of(&means).map(|without| items * value - (items - 1.0) * without)
    };
    let Some(pseudo) = rows.iter().map(without).collect::<Option<Vec<f64>>>() else { return undefined() };
    let (centre, sd) = (mean(&pseudo), sample_sd(&pseudo));
    if sd <= 1e-9 {
        return Estimable::not(format!(
            "it is {value:.3} without any item as well, so its interval cannot be determined"
        ));
    }
    let third = pseudo.iter().map(|x| ((x - centre) / sd).powi(3)).sum::<f64>() / items;
    Estimable::Estimated(interval(value, sd / items.sqrt(), third, n))
}

/// Spearman's rank correlation of two numbers over items, for new items.
///
/// ```text
/// tanh(atanh r -+ t s/((1 - r^2) sqrt(n))),   t the 0.975 quantile of Student's t with n - 1 degrees of freedom
/// s^2 = variance over items of  (u_i v_i + mean_j v_j 1{x_j > x_i} + mean_j u_j 1{y_j > y_i}) / (sd u  sd v)
/// ```
///
/// with u and v the ranks over n and 1{x_j > x_i} one half where the two are equal: the influence of an item on the
/// correlation of ranks, which are themselves had from the items (Borkowf 2002, "Computing the nonnull asymptotic
/// variance and the asymptotic relative efficiency of Spearman's rank correlation"), on Fisher's scale.
///
/// # Panics
/// If the lengths differ.
pub fn item_spearman(x: &[f64], y: &[f64]) -> Estimable {
    let n = x.len();
    if n < LEAST_ITEMS {
        return too_few(n, n);
    }
    let Some(r) = spearman(x, y) else {
        return Estimable::not("one of the two is the same for all items, so that they have no rank correlation");
    };
    if r.abs() > 1.0 - 1e-12 {
        return Estimable::not(format!(
            "it is {r:.0} in these items, so how it varies over items cannot be determined"
        ));
    }
    let items = n as f64;
    let [u, v] = [x, y].map(|of| ranks(of).into_iter().map(|rank| (rank - 0.5) / items).collect::<Vec<f64>>());
    let (above_x, above_y) = (mean_above(x, &v), mean_above(y, &u));
    let influence: Vec<f64> = (0..n).map(|i| u[i] * v[i] + above_x[i] + above_y[i]).collect();
    let scale = (items - 1.0) / items * sample_sd(&u) * sample_sd(&v);
    let standard_error = sample_sd(&influence) / (scale * items.sqrt());
    let reach = student_quantile(UPPER, items - 1.0) * standard_error / (1.0 - r * r);
    let [lo, hi] = [-reach, reach].map(|by| (r.atanh() + by).tanh());
    Estimable::Estimated(ItemEstimate { value: r, standard_error, lo, hi, items: n })
}

/// For every item the mean over items j of the values whose x_j lies above its own, those that are equal counted half.
fn mean_above(x: &[f64], values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_unstable_by(|&a, &b| x[b].total_cmp(&x[a]));
    let (mut above, mut found) = (0.0, vec![0.0; x.len()]);
    for equal in order.chunk_by(|&a, &b| x[a] == x[b]) {
        let sum: f64 = equal.iter().map(|&i| values[i]).sum();
        equal.iter().for_each(|&i| found[i] = (above + 0.5 * sum) / x.len() as f64);
        above += sum;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn known(estimable: Estimable) -> ItemEstimate {
        *estimable.estimate().unwrap()
    }

    /// 24 values: i^2/100 for i = 0 to 23.
    fn squares() -> Vec<f64> {
        (0..24).map(|i| f64::from(i * i) / 100.0).collect()
    }

    fn close(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{got} for {expected}");
    }

    /// By NumPy and SciPy, from the formulas.
    #[test]
    fn a_mean_as_computed_elsewhere() {
        let found = known(item_mean(&squares()));
        close(found.value, 1.801_666_666_666_666_7);
        close(found.standard_error, 0.343_733_585_466_677_7);
        close(found.lo, 1.150_948_427_988_973_2);
        close(found.hi, 2.594_259_604_723_690_3);
        // The other way round the interval is the other way round.
        let back = known(item_mean(&squares().iter().map(|x| -x).collect::<Vec<_>>()));
        assert_eq!((back.lo, back.hi), (-found.hi, -found.lo));
    }

    /// By NumPy and SciPy: thrice 0, 1/2 and 1 and so on, and nothing but zeros.
    #[test]
    fn a_share_as_computed_elsewhere() {
        let mut values = [0.0, 0.5, 1.0].repeat(8);
        values.push(1.0);
        let found = known(item_share(&values));
        close(found.value, 0.52);
        close(found.lo, 0.353_936_689_146_427_84);
        close(found.hi, 0.681_758_479_341_069_5);
        let none = known(item_share(&[0.0; 25]));
        assert_eq!((none.value, none.lo), (0.0, 0.0));
        close(none.hi, 0.145_581_826_928_283_84);
    }

    /// Most values are about 0.85, and a few are 0; the other way round, too.
    #[test]
    fn a_share_whose_rare_values_lie_far_away_holds() {
        let mut stream = Stream::new(6);
        for (items, rare) in [(100, 0.06), (100, 0.1), (300, 0.03), (40, 0.2)] {
            let (mut held, mut back) = (0, 0);
            let truth = (1.0 - rare) * 0.85;
            for _ in 0..2000 {
                let value = |_| if stream.random() < rare { 0.0 } else { 0.84 + 0.02 * stream.random() };
                let values: Vec<f64> = (0..items).map(value).collect();
                let found = known(item_share(&values));
                held += usize::from((found.lo..=found.hi).contains(&truth));
                let found = known(item_share(&values.iter().map(|x| 1.0 - x).collect::<Vec<_>>()));
                back += usize::from((found.lo..=found.hi).contains(&(1.0 - truth)));
            }
            // Two standard errors of a share of 0.95 are 20 of 2000.
            assert!(held >= 1880 && held.abs_diff(back) <= 1, "{held} and {back} of 2000, {items} items");
        }
    }

    /// Cohen's kappa of 24 items by NumPy: the judge says i mod 2, the label is 1 for every third item and i mod 2
    /// otherwise.
    #[test]
    fn a_kappa_as_computed_elsewhere() {
        let row = |i: usize| {
            let (judge, label) = (i % 2, if i.is_multiple_of(3) { 1 } else { i % 2 });
            [judge == label, judge == 1, label == 1].map(|yes| f64::from(u8::from(yes))).to_vec()
        };
        let kappa = |means: &[f64]| {
            let chance = means[1] * means[2] + (1.0 - means[1]) * (1.0 - means[2]);
            (chance < 1.0).then(|| (means[0] - chance) / (1.0 - chance))
        };
        let rows: Vec<Vec<f64>> = (0..24).map(row).collect();
        let found = known(item_function(&rows, kappa));
        close(found.value, 2.0 / 3.0);
        close(found.standard_error, 0.150_314_549_675_700_24);
        close(found.lo, 0.218_372_433_678_481_08);
        close(found.hi, 0.920_303_207_523_624_4);
        let constant = vec![vec![1.0, 1.0, 1.0]; 24];
        assert!(item_function(&constant, kappa).reason().unwrap().contains("undefined"));
    }

    /// Of 24 items the squared standard error rises by 40/24; either end is the further one of two intervals.
    #[test]
    fn differences_have_the_wider_interval() {
        let (mean, plain, fitted) = (
            known(item_mean(&squares())),
            known(item_difference(&squares(), false)),
            known(item_difference(&squares(), true)),
        );
        let reach = student_quantile(0.975, 23.0) * mean.standard_error;
        assert_eq!(plain.hi, mean.hi);
        close(plain.lo, mean.value - reach);
        assert!(plain.lo < mean.lo);
        close((fitted.standard_error / plain.standard_error).powi(2), 1.0 + 40.0 / 24.0);
        close((fitted.hi - fitted.value) / (plain.hi - plain.value), (1.0_f64 + 40.0 / 24.0).sqrt());
    }

    /// By NumPy and SciPy: t.ppf(0.975, 99) = 1.9842170, over 10, and times sqrt(1.4) where one is fitted.
    #[test]
    fn planned_intervals_shrink_as_those_of_items_do() {
        close(reach_over(100, false), 0.198_421_695_158_641_78);
        close(reach_over(100, true), 0.198_421_695_158_641_78 * 1.4_f64.sqrt());
    }

    /// By NumPy and SciPy from the formula: x = i, y = 7 i mod 24 with every two neighbours tied.
    #[test]
    fn a_rank_correlation_as_computed_elsewhere() {
        let x: Vec<f64> = (0..24).map(f64::from).collect();
        let y: Vec<f64> = (0..24).map(|i| f64::from((7 * i % 24) / 2 + i)).collect();
        let found = known(item_spearman(&x, &y));
        close(found.value, 0.915_579_110_900_266_1);
        close(found.standard_error, 0.029_806_089_023_899_387);
        close(found.lo, 0.827_357_171_142_444_2);
        close(found.hi, 0.959_712_808_953_297_2);
        assert!(item_spearman(&x, &x).reason().unwrap().starts_with("it is 1 in these items"));
        assert!(item_spearman(&x, &[1.0; 24]).reason().unwrap().contains("the same for all items"));
    }

    /// Two judges that agree by chance, or as the first explains: 0.95 of the intervals hold, up to three standard
    /// errors of 400 studies.
    #[test]
    fn intervals_of_rank_correlations_hold() {
        // Of normal numbers with correlation c Spearman's is 6/pi asin(c/2) (Pearson 1907).
        for (c, items) in [(0.0_f64, 30), (0.6, 30), (0.9, 120)] {
            let truth = 6.0 / std::f64::consts::PI * (c / 2.0).asin();
            let mut stream = crate::random::Stream::new(5);
            let held = (0..400).filter(|_| {
                let x: Vec<f64> = (0..items).map(|_| stream.standard_normal()).collect();
                let y: Vec<f64> = x.iter().map(|x| c * x + (1.0 - c * c).sqrt() * stream.standard_normal()).collect();
                let found = known(item_spearman(&x, &y));
                (found.lo..=found.hi).contains(&truth)
            });
            let share = held.count() as f64 / 400.0;
            assert!((0.917..=0.983).contains(&share), "{c}, {items} items: {share}");
        }
    }

    #[test]
    fn what_is_not_determined_has_a_reason() {
        assert!(item_mean(&[1.0; 19]).reason().unwrap().starts_with("19 items"));
        assert!(item_mean(&[0.1; 30]).reason().unwrap().contains("same value"));
        assert!(item_share(&[]).reason().unwrap().starts_with("0 items"));
    }
}

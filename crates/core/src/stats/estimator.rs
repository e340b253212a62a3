//! One estimator for every mean that is printed with an interval: agreement, bias, kappa, rates by class and group,
//! differences of systems and of judges, held-out scores, checks of a belief, plans.
//!
//! A [`Design`] says how the labelled items were chosen and which of them belong to one cluster; an [`Ask`] names the
//! values to average. [`Design::estimate`] answers with an interval, or with the reason why it has none.
//!
//! ```text
//! stage t      items chosen at one time fall into strata h of N_h clusters, n_h of them labelled at random: clusters with
//!              labels before, or chosen for their rank, are strata of their own with n_h = N_h
//! weights      w_tc = 1/p_tc, p_tc = n_h/N_h; mu_t = sum_c w_tc y_c / sum_c w_tc m_c            (Hajek 1971)
//! combined     mu = sum_t a_t mu_t, a_t proportional to 1/sum_c (1 - p_tc) w_tc^2, normalised
//! variance     sum_t a_t^2 D_t + S^2/N
//! D_t          sum_h n_h/(n_h - 1) sum_c in h (1 - p_tc) (u_tc - mean_h u_t)^2,   u_tc = w_tc z_c / sum w_t m
//! help         mu = b mean_all f + mean_labelled (y - b f), b the slope of y on the prediction f, 0 to 1
//! ```
//!
//! y_c is the sum of the values of cluster c, m_c the number of its values, z_c = sum of (value - mu) over its values, N the
//! number of clusters of the study and S^2/N the variance of the mean over all of them when they are a sample of all clusters
//! there could be; it is left out where the mean over the study's own items is wanted ([`Ask::of_study()`]). Given all that
//! happened before stage t, the items that it drew are a simple random sample of the rest, so each mu_t has the mean over
//! all items for its expectation, and errors of two stages are uncorrelated (Kossen et al. 2021, "Active testing"). Sources:
//! Cochran (1977, sections 5 and 6); Angelopoulos, Duchi and Zrnic (2023, "PPI++") for the slope.
//!
//! **Values within a range** get bounds that hold however few of them lie at its ends. The lower bound at level 1 - a is
//! the a quantile of
//!
//! ```text
//! (sum_c w_c G_c y_c + e G l m) / (sum_c w_c G_c m_c + e G m),   G_c ~ Gamma(k)/k, G ~ Gamma(1), k = 1/(1 - p_c)
//! l = mu + r (r lo + (1 - r) mean(lo_i) - mu),   r^2 = (sum_c (sum_i d_i)^2/m_c + q s)/(sum |d_i| D_i + q s),   0 to 1
//! s = sum d_i^2/sum |d_i| D_i
//! ```
//!
//! This is the bound of the Bayesian bootstrap over clusters with one more cluster, whose mean `l` lies towards the lower end
//! `lo` of the range as far as the means of clusters go towards theirs; the upper bound is computed likewise. lo_i is the
//! least value that item i can have ([`Ask::between()`]; with a judge's help its answer is known), d_i its value less mu (less
//! the end of its own range that is nearest to mu), D_i the distance from there to its end on that side, and q the rows of an
//! average cluster times the square of half the range, as if one had been halfway there. s is the variance of rows over the
//! largest that values within these ends could have (Bhatia and Davis 2000, "A better bound on the variance"), r^2 that of
//! clusters: both are 1 for two-valued answers of single items, and then l = lo. e = f/(-ln(1 - f)) sum w^2/sum w with f the
//! labelled share of the population, so that it is one cluster for an infinite population and zero for one that is labelled
//! completely. For yes-or-no values of single items these are the bounds of Clopper and Pearson (1934); for all values within a range they are
//! Gaffke's (2005, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
//! variable"; Learned-Miller and Thomas 2019). The quantile is found by Lugannani and Rice's saddlepoint approximation
//! (1980), in the form of Barndorff-Nielsen (1991). Bounds of strata combine as in Zou and Donner (2008, "Construction
//! of confidence limits about effect measures"): distances of bounds from estimates add as squares; so do those of two
//! groups whose difference is wanted, less what clusters make them share. If some selected clusters have no label, each
//! end moves by as much as these could move the mean (Manski 1990).
//!
//! **Values without a range**, such as log scores, get the wider of Hall's (1992) and Student's interval on either side, with
//! Satterthwaite's (1946) degrees of freedom over strata.
//!
//! ```
//! use judge_uncertainty_core::stats::estimator::{Ask, Design};
//! // 57 of 60 labels agree with the judge; the study has 500 items, each a cluster of its own.
//! let values: Vec<Option<f64>> = (0..60).map(|i| Some(if i < 57 { 1.0 } else { 0.0 })).collect();
//! let design = Design::random((0..60).collect());
//! let found = *design.estimate(&Ask::share(&values)).estimate().unwrap();
//! assert!((found.value - 0.95).abs() < 1e-12 && found.lo < 0.87 && found.hi > 0.98 && found.hi < 1.0);
//! ```

use serde::{Deserialize, Serialize};

use super::Interval;
use super::mean;
use super::normal::{normal_cdf, normal_quantile};
use super::student::student_quantile;

/// With fewer clusters than this, the data say too little about how values without a range vary.
pub const LEAST_ITEMS: usize = 20;
/// Fewer clusters than this are too few for an interval of values within a range.
const LEAST_BOUNDED: usize = 10;
/// Fewer annotators than this tell too little about how annotators differ.
pub const LEAST_ANNOTATORS: usize = 5;
/// Clusters that a stratum needs before its own spread can be estimated.
const LEAST_IN_STRATUM: usize = 2;
/// Items at which the fits of folds add as much variation as the items have.
const FITS: f64 = 40.0;
/// Random items with a label other than the most common class that a mean of scores needs, if fewer than [`MOST_OFF`] have one.
const LEAST_OFF: f64 = 10.0;
/// Share of labels that differ from the most common class from which a sample of the least size has enough of them.
const MOST_OFF: f64 = 0.1;
/// Share of the selection without answers from which a mean of values without a range is not estimable.
const MOST_MISSING: f64 = 0.05;

/// An estimate with its central interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemEstimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
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
        let wider = student_quantile(1.0 - 0.5 * miss, freedom) / student_quantile(0.975, freedom);
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

    /// The reason why the labels determine no interval; `None` for an estimate.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Estimated(_) => None,
            Self::NotEstimable { not_estimable, .. } => Some(not_estimable),
        }
    }

    /// The narrower of two estimates.
    fn or_narrower(self, other: Self) -> Self {
        match (self.estimate(), other.estimate()) {
            (Some(one), Some(two)) if two.hi - two.lo < one.hi - one.lo => other,
            _ => self,
        }
    }

    /// With an interval as wide as that of another estimate at most.
    fn no_wider(self, other: Self) -> Self {
        let Some(most) = other.estimate().map(|other| other.hi - other.lo) else { return self };
        self.map(|found| {
            let part = (most / (found.hi - found.lo).max(f64::MIN_POSITIVE)).min(1.0);
            let end = |end: f64| found.value + part * (end - found.value);
            ItemEstimate { lo: end(found.lo), hi: end(found.hi), ..found }
        })
    }

    /// With an estimate changed.
    fn map(self, change: impl FnOnce(ItemEstimate) -> ItemEstimate) -> Self {
        match self {
            Self::Estimated(found) => Self::Estimated(change(found)),
            not => not,
        }
    }
}

/// Clusters that an interval needs.
fn least(is_bounded: bool) -> usize {
    if is_bounded { LEAST_BOUNDED } else { LEAST_ITEMS }
}

/// Why an estimate whose bounds do not allow for missing answers is of the labelled items alone, where the share `lost` is
/// missing.
fn missing(value: f64, lost: f64) -> Option<Estimable> {
    (lost > MOST_MISSING).then(|| {
        let reason = format!(
            "{:.0}% of the items that were selected came back without a label, and those may differ from the others: \
             have them labelled",
            100.0 * lost
        );
        Estimable::of_these_items(value, reason)
    })
}

pub(super) fn too_few(clusters: usize, items: usize, least: usize) -> Estimable {
    let number = match items {
        0 => "there is no such item yet".to_owned(),
        1 => "there is 1 such item".to_owned(),
        n => format!("there are {n} such items"),
    };
    Estimable::not(match clusters == items {
        true => format!("{number}, and an interval needs at least {least}"),
        false => format!("{number} in {clusters} clusters, and an interval over clusters needs at least {least}"),
    })
}

/// By which share the fits of folds raise a squared standard error.
fn raised(fitted: bool, effective: f64) -> f64 {
    if fitted { FITS / effective } else { 0.0 }
}

/// How many clusters a stratum has, and which of the labelled ones were chosen from it at one stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// For each labelled cluster its stratum and weight; `None` where it has no part in this stage's estimate.
    members: Vec<Option<Member>>,
    /// Clusters of each stratum that were selected and have no label.
    missing: Vec<usize>,
    /// Sum of w^2 over sum of w over all clusters, labelled or not, w being 1 over the probability; 0 where it is not known.
    spread: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Member {
    stratum: usize,
    /// 1 over its probability of being chosen.
    weight: f64,
    /// That probability; 0 where the population has no end.
    fraction: f64,
}

/// Why a stage tells nothing about all items.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum NotAStage {
    #[error("{clusters} of {of} had no chance of being chosen")]
    NoChance { clusters: usize, of: usize },
    #[error(
        "{came_back} of the {of} that a random draw stands for have labels, and an estimate takes {LEAST_IN_STRATUM}"
    )]
    TooFew { came_back: usize, of: usize },
}

impl Stage {
    /// Clusters that were drawn at random from a population without end: items like these.
    pub fn random(clusters: usize) -> Self {
        let member = Member { stratum: 0, weight: 1.0, fraction: 0.0 };
        Self { members: vec![Some(member); clusters], missing: vec![0], spread: 0.0 }
    }

    /// Clusters drawn at random within strata: `strata` has the stratum of each labelled cluster (`None` for one that
    /// was not chosen at this stage), and `sizes` how many clusters each stratum has, labelled or not.
    ///
    /// # Errors
    /// A stratum with too few labelled clusters.
    ///
    /// # Panics
    /// If a stratum has no size.
    pub fn try_stratified(strata: &[Option<usize>], sizes: &[usize]) -> Result<Self, NotAStage> {
        let mut labelled = vec![0_usize; sizes.len()];
        strata.iter().flatten().for_each(|&h| labelled[h] += 1);
        for (&n, &of) in labelled.iter().zip(sizes) {
            if n < LEAST_IN_STRATUM.min(of) {
                return Err(NotAStage::TooFew { came_back: n, of });
            }
        }
        let member = |&h: &usize| {
            let fraction = labelled[h] as f64 / sizes[h].max(labelled[h]) as f64;
            Member { stratum: h, weight: 1.0 / fraction, fraction }
        };
        Ok(Self {
            members: strata.iter().map(|h| h.as_ref().map(member)).collect(),
            missing: vec![0; sizes.len()],
            spread: 0.0,
        })
    }

    /// Adds the number of clusters of each stratum that were selected and never labelled. The estimate treats the
    /// labelled ones as a random part of the selection, and the interval allows for every value that the missing ones
    /// could have.
    ///
    /// # Panics
    /// If there is not one number for each stratum.
    pub fn with_missing(self, missing: Vec<usize>) -> Self {
        assert_eq!(missing.len(), self.missing.len(), "one number of missing clusters for each stratum");
        Self { missing, ..self }
    }

    /// Adds the probabilities of all clusters of the study, labelled or not. The labelled ones may lack clusters that
    /// represent many others; bounds allow for one such cluster of the average weight, sum w^2/sum w over all.
    pub fn with_all_probabilities(self, all: impl Iterator<Item = f64>) -> Self {
        let weights: Vec<f64> = all.filter(|p| *p > 0.0).map(f64::recip).collect();
        let square: f64 = weights.iter().map(|w| w * w).sum();
        Self { spread: if weights.is_empty() { 0.0 } else { square / weights.iter().sum::<f64>() }, ..self }
    }

    /// Clusters that were chosen each with a probability of its own, independently of each other: 0 to 1, `None` for one
    /// that was not chosen at this stage.
    ///
    /// # Errors
    /// A probability of 0.
    pub fn try_unequal(probabilities: &[Option<f64>]) -> Result<Self, NotAStage> {
        let none = probabilities.iter().flatten().filter(|p| p.is_nan() || **p <= 0.0).count();
        if none > 0 {
            return Err(NotAStage::NoChance { clusters: none, of: probabilities.len() });
        }
        let member = |p: &f64| Member { stratum: 0, weight: 1.0 / p, fraction: p.min(1.0) };
        Ok(Self {
            members: probabilities.iter().map(|p| p.as_ref().map(member)).collect(),
            missing: vec![0],
            spread: 0.0,
        })
    }

    /// Sum over clusters of (1 - p) w^2, over the square of the sum of weights: the variance of the stage's mean if all
    /// values have variance 1.
    fn noise(&self) -> f64 {
        let members = || self.members.iter().flatten();
        let sum: f64 = members().map(|m| m.weight).sum();
        members().map(|m| (1.0 - m.fraction) * m.weight * m.weight).sum::<f64>() / (sum * sum)
    }

    /// Sum over items of the weights; `clusters` numbers the cluster of each item.
    fn total(&self, clusters: &[usize]) -> f64 {
        clusters.iter().filter_map(|&cluster| self.members[cluster]).map(|member| member.weight).sum()
    }

    /// The clusters of a stratum with their weights in it.
    fn of_stratum(&self, h: usize) -> impl Iterator<Item = (usize, Member)> + '_ {
        let member = move |(c, member): (usize, &Option<Member>)| Some((c, member.filter(|m| m.stratum == h)?));
        self.members.iter().enumerate().filter_map(member)
    }

    /// Share of a stratum's selection without labels.
    fn lost(&self, h: usize) -> f64 {
        let came_back = self.of_stratum(h).count();
        self.missing[h] as f64 / (self.missing[h] + came_back).max(1) as f64
    }
}

/// A prediction of the values, known for all items before any label was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Help<'a> {
    /// For each labelled item, in the order of the values.
    pub of_labelled: &'a [f64],
    /// Its mean over all items of the study that are asked about.
    pub overall: f64,
    /// Its least and largest value over these.
    pub range: (f64, f64),
}

impl<'a> Help<'a> {
    /// From the predictions of all items that are asked about; `of_labelled` has those of the labelled items in the order
    /// of the values.
    pub fn new(of_labelled: &'a [f64], all: &[f64]) -> Self {
        let ends = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        Self { of_labelled, overall: mean(all), range: ends }
    }
}

/// Which mean is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ask<'a> {
    /// The value of each item of the design; `None` where it has none or is not asked about (is outside the group).
    pub values: &'a [Option<f64>],
    /// Ends of the range of the values; infinite where they have none.
    pub range: (f64, f64),
    /// Ends of the range of each value, within those of all; `None` where they are the same.
    ends: Option<&'a [(f64, f64)]>,
    /// Probability with which the interval is to hold the mean, 0 to 1.
    pub level: f64,
    /// A prediction that may narrow the interval; it is used where it does.
    pub help: Option<Help<'a>>,
    /// Whether the mean over the items of the study is wanted, and not that over new items like them.
    pub of_study: bool,
    /// How many items the mean is over, which bounds what those without a value can do to it; `None` where that is not asked.
    rows: Option<usize>,
    /// Whether the values compare with a prediction that was fitted to other items of the sample.
    pub fitted: bool,
    /// Whether the values are scores, which rest on the items whose labels are off the commonest class.
    scores: bool,
}

impl<'a> Ask<'a> {
    /// The mean over new items of scores, which have no range.
    pub fn mean(values: &'a [Option<f64>]) -> Self {
        let range = (f64::NEG_INFINITY, f64::INFINITY);
        Self {
            values,
            range,
            ends: None,
            level: 0.95,
            help: None,
            of_study: false,
            rows: None,
            fitted: false,
            scores: true,
        }
    }

    /// The mean over new items of shares, 0 to 1.
    pub fn share(values: &'a [Option<f64>]) -> Self {
        Self { range: (0.0, 1.0), scores: false, ..Self::mean(values) }
    }

    /// The mean over new items of differences of two scores. `fitted` where one of the predictions was fitted to other
    /// items of the same sample: the fits share items, so that they vary together, and the squared standard error is
    /// raised by a share of 40 over the effective number of clusters, which simulated studies of 50 items and more needed.
    pub fn difference(values: &'a [Option<f64>], fitted: bool) -> Self {
        Self { fitted, scores: false, ..Self::mean(values) }
    }

    /// With values between the ends of a range.
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { range: (low, high), scores: false, ..self }
    }

    /// With the ends between which each value must lie, given what is known of its item: a judge's answer less a person's lies
    /// between that answer less the highest and that answer less the lowest. Values that are always near one such end, as a
    /// confidence less whether the judge is right, need them: their bounds allow for those at the other end.
    pub fn between(self, ends: &'a [(f64, f64)]) -> Self {
        Self { ends: Some(ends), ..self }
    }

    /// With another probability of the interval.
    pub fn at(self, level: f64) -> Self {
        Self { level, ..self }
    }

    /// At the level at which so many intervals hold together (Bonferroni).
    pub fn among(self, number: usize) -> Self {
        self.at(1.0 - 0.05 / number.max(1) as f64)
    }

    /// About the items of the study alone, as their annotators label them.
    pub fn of_study(self) -> Self {
        Self { of_study: true, ..self }
    }

    /// About these many items of the study alone, each of which counts once. So the interval lies between the means that there
    /// would be if all items without a value had the lowest value of the range, and the highest.
    pub fn of_rows(self, rows: usize) -> Self {
        Self { rows: Some(rows), ..self.of_study() }
    }

    /// With the help of a prediction.
    pub fn helped(self, help: Help<'a>) -> Self {
        Self { help: Some(help), ..self }
    }

    /// Between which ends the mean lies for sure; `None` where that is not asked.
    fn known(&self) -> Option<[f64; 2]> {
        let rows = self.rows.filter(|_| self.is_bounded())? as f64;
        let (sum, labelled) = self.values.iter().flatten().fold((0.0, 0.0), |(sum, n), y| (sum + y, n + 1.0));
        let unknown = (rows - labelled).max(0.0);
        Some([self.range.0, self.range.1].map(|end| (sum + unknown * end) / rows.max(labelled)))
    }

    fn is_bounded(&self) -> bool {
        self.range.0.is_finite() && self.range.1.is_finite()
    }

    /// Whether all items that it is about have a value.
    fn is_whole(&self) -> bool {
        self.rows == Some(self.values.iter().flatten().count())
    }

    fn ends_of(&self, item: usize) -> (f64, f64) {
        self.ends.map_or(self.range, |ends| ends[item])
    }
}

/// An estimate within the ends between which it lies for sure, where `left` of what has no value still has none.
fn within_known(found: ItemEstimate, [low, high]: [f64; 2], left: f64) -> ItemEstimate {
    let [value, lo, hi] = [found.value, found.lo, found.hi].map(|x| x.clamp(low, high));
    let most = (high - low) * left;
    let narrower = (most / (hi - lo).max(f64::MIN_POSITIVE)).min(1.0);
    ItemEstimate { value, lo: value - narrower * (value - lo), hi: value + narrower * (hi - value), ..found }
}

/// An estimate by how further labels multiply what there is.
pub type ByGrowth<'d> = Box<dyn Fn(Growth) -> Estimable + 'd>;

/// What is left of values without what a help tells of them, with ends.
struct Rest {
    values: Vec<Option<f64>>,
    ends: Vec<(f64, f64)>,
    range: (f64, f64),
}

impl Rest {
    fn of<'a>(&'a self, ask: &Ask<'a>) -> Ask<'a> {
        Ask { values: &self.values, ends: Some(&self.ends), range: self.range, help: None, ..*ask }
    }
}

/// How labelled items were chosen, and which of them belong to one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// The cluster of each item, by its number from 0.
    clusters: Vec<usize>,
    stages: Vec<Stage>,
    /// Share of each stage in estimates; they sum to 1.
    shares: Vec<f64>,
    /// Clusters of the population that the stages draw from; infinite where it has no end.
    population: f64,
    /// Weight of each cluster over all stages; over items they sum to 1.
    weights: Vec<f64>,
    /// How clusters with and without a label differ in size; `None` where all are of one.
    sizes: Option<Sizes>,
    /// Why the items say nothing of new ones; `None` where they do.
    unknown: Option<String>,
    /// Why they say nothing of means of scores over new items, though of shares; `None` where they do.
    alike: Option<String>,
}

/// How clusters with and without a label differ in size, as [`Design::with_sizes`] has it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sizes {
    /// Share of all items in clusters without a label.
    share: f64,
    /// Share of the population of clusters that has no label.
    unlabelled: f64,
    /// The effective numbers of clusters with and without a label.
    with_label: f64,
    without: f64,
    /// Items in clusters without a label.
    items: f64,
    /// How large the cluster of such an item is on average, in those of the average cluster without a label.
    large: f64,
}

impl Sizes {
    /// The factor of a variance for values of so many `items` that are so `alike` within clusters.
    fn factor(&self, alike: f64, items: f64) -> f64 {
        let of = |clusters: f64, items: f64| alike / clusters + (1.0 - alike) / items;
        let [labelled, others] = [of(self.with_label, items), of(self.without, self.items)];
        (self.share * self.share * (others + labelled) / (self.unlabelled * labelled)).max(1.0)
    }
}

/// By which factors further labels multiply what there is, as a plan has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// What has no label yet: 1 now, 0 where all have one.
    pub left: f64,
    /// Answers that are asked for and missing.
    pub missing: f64,
    /// Clusters with a label.
    pub clusters: f64,
    /// Labels of such a cluster.
    pub rows: f64,
    /// 1 over the variance of a mean, but for the labelled share.
    pub precision: f64,
}

impl Growth {
    /// No further labels.
    pub const NONE: Self = Self { left: 1.0, missing: 1.0, clusters: 1.0, rows: 1.0, precision: 1.0 };

    /// So many times the clusters, each with as many labels, where a share of the population, 0 to 1, has one now.
    pub fn new(times: f64, labelled: f64) -> Self {
        let left = if labelled < 1.0 { (1.0 - labelled * times).max(0.0) / (1.0 - labelled) } else { 1.0 };
        Self { left, clusters: times, precision: times, ..Self::NONE }
    }
}

/// What an estimate is and how its linear part varies.
#[derive(Clone)]
struct Linear {
    value: f64,
    variance: f64,
    /// Skewness of the estimate.
    skewness: f64,
    freedom: f64,
    /// Clusters with values.
    clusters: usize,
    items: usize,
    /// The number of independent clusters of equal weight that would give the same precision.
    effective: f64,
    /// By which factor clusters without a label raise the variance.
    uneven: f64,
    /// Part of each cluster in the estimate, less its mean: value less centre, summed over its items.
    influence: Vec<f64>,
}

impl Design {
    /// Items drawn at random from all there could be; `clusters` has the number of each item's cluster.
    pub fn random(clusters: Vec<usize>) -> Self {
        let clusters = numbered(&clusters);
        let number = clusters.iter().max().map_or(0, |last| last + 1);
        Self::combined(clusters, vec![Stage::random(number)], f64::INFINITY)
    }

    /// Items drawn at random from a study of `population` clusters.
    pub fn random_of(clusters: Vec<usize>, population: usize) -> Self {
        let clusters = numbered(&clusters);
        let number = clusters.iter().max().map_or(0, |last| last + 1);
        match Stage::try_stratified(&vec![Some(0); number], &[population.max(number)]) {
            Ok(stage) => Self::combined(clusters, vec![stage], population.max(number) as f64),
            Err(_) => Self::random(clusters),
        }
    }

    /// Items that were chosen in stages. `clusters` has the cluster of each item, numbered from 0 without gaps and in
    /// the order of the stages' members; `population` is the number of clusters in the study. `None` without a stage.
    ///
    /// # Panics
    /// If a stage has fewer members than there are clusters.
    pub fn from_stages(clusters: Vec<usize>, stages: Vec<Stage>, population: usize) -> Option<Self> {
        (!stages.is_empty()).then(|| Self::combined(clusters, stages, population as f64))
    }

    fn combined(clusters: Vec<usize>, stages: Vec<Stage>, population: f64) -> Self {
        let noise: Vec<f64> = stages.iter().map(Stage::noise).collect();
        // A census leaves nothing to the other stages.
        let precision: Vec<f64> = match noise.contains(&0.0) {
            true => noise.iter().map(|noise| f64::from(u8::from(*noise == 0.0))).collect(),
            false => noise.iter().map(|noise| 1.0 / noise).collect(),
        };
        let sum: f64 = precision.iter().sum();
        let shares: Vec<f64> = precision.iter().map(|precision| precision / sum).collect();
        let number = clusters.iter().max().map_or(0, |last| last + 1);
        let mut weights = vec![0.0; number];
        for (stage, share) in stages.iter().zip(&shares) {
            let total = stage.total(&clusters);
            let of_stage = weights.iter_mut().zip(&stage.members);
            of_stage.for_each(|(weight, member)| *weight += member.map_or(0.0, |m| share * m.weight / total));
        }
        Self { clusters, stages, shares, population, weights, sizes: None, unknown: None, alike: None }
    }

    /// Items that were chosen in a way that says nothing of new ones, because of this `reason`: what is had from them
    /// describes them.
    pub fn unknown(clusters: Vec<usize>, reason: impl Into<String>) -> Self {
        Self { unknown: Some(reason.into()), ..Self::random(clusters) }
    }

    /// The design with the sizes of clusters, in items: of those that are labelled, and of all `others` of the study.
    ///
    /// Where few clusters without a label hold many of the items, the labelled ones tell less of a mean over all items: its
    /// variance is larger by the factor
    ///
    /// ```text
    /// S^2 [r (1/K + 1/n) + (1 - r) (1/M + 1/m)] / ((1 - f) [r/n + (1 - r)/m]),   not below 1
    /// ```
    ///
    /// with S the share of all items in clusters without a label, M how many these are, m the number of values, f the
    /// labelled share of the population of clusters, n and K the effective numbers of labelled and unlabelled clusters, (sum
    /// of sizes)^2 / sum of squared sizes (Kish 1965, "Survey Sampling"), and r how alike the values of one cluster are: the
    /// intraclass correlation by analysis of variance and one standard error more, 1 where no cluster has two values (Fisher
    /// 1925, "Statistical Methods for Research Workers"). It is 1 where labelled and unlabelled clusters differ alike in size.
    pub fn with_sizes(self, labelled: &[usize], others: &[usize]) -> Self {
        let mut all = labelled.iter().chain(others);
        let is_even = all.next().is_none_or(|first| all.all(|size| size == first));
        if is_even || labelled.is_empty() || others.is_empty() {
            return self;
        }
        let sum = |of: &[usize]| of.iter().sum::<usize>() as f64;
        let effective = |of: &[usize]| sum(of).powi(2) / of.iter().map(|size| (size * size) as f64).sum::<f64>();
        let sizes = Sizes {
            share: sum(others) / (sum(labelled) + sum(others)),
            unlabelled: 1.0 - labelled.len() as f64 / self.population,
            with_label: effective(labelled),
            without: effective(others),
            items: sum(others),
            large: others.len() as f64 / effective(others),
        };
        Self { sizes: Some(sizes), ..self }
    }

    /// The factor of [`Self::with_sizes`] for values that are as different in two clusters as they can be.
    pub fn widest(&self) -> f64 {
        self.sizes.map_or(1.0, |sizes| sizes.factor(1.0, 1.0))
    }

    /// The factor of [`Self::with_sizes`] for the values of items, some numbers each.
    fn uneven<'v>(&self, values: impl Fn(usize) -> Option<&'v [f64]>) -> f64 {
        let Some(sizes) = self.sizes else { return 1.0 };
        let items = (0..self.len()).filter(|&item| values(item).is_some()).count() as f64;
        let [alike, error] = self.alike(values);
        sizes.factor((alike.max(0.0) + error).min(1.0), items)
    }

    /// How alike the values of one cluster are, of items with some numbers each: their intraclass correlation by analysis of
    /// variance (Fisher 1925), below 0 where clusters are more alike than their values, and its standard error. It is 1 where no
    /// cluster has two values.
    pub fn alike<'v>(&self, values: impl Fn(usize) -> Option<&'v [f64]>) -> [f64; 2] {
        if self.weights.len() == self.len() {
            return [1.0, 0.0];
        }
        let mut of_cluster: Vec<(f64, Vec<f64>)> = vec![(0.0, vec![]); self.weights.len()];
        let (mut squares, mut items) = (0.0, 0.0);
        for (item, &cluster) in self.clusters.iter().enumerate() {
            let Some(values) = values(item) else { continue };
            let (number, sums) = &mut of_cluster[cluster];
            sums.resize(values.len(), 0.0);
            sums.iter_mut().zip(values).for_each(|(sum, x)| *sum += x);
            squares += values.iter().map(|x| x * x).sum::<f64>();
            (*number, items) = (*number + 1.0, items + 1.0);
        }
        of_cluster.retain(|(number, _)| *number > 0.0);
        let clusters = of_cluster.len() as f64;
        if items <= clusters || clusters < 2.0 {
            return [1.0, 0.0];
        }
        let between: f64 = of_cluster.iter().map(|(n, sums)| sums.iter().map(|sum| sum * sum / n).sum::<f64>()).sum();
        let mut whole = vec![0.0; of_cluster[0].1.len()];
        of_cluster.iter().for_each(|(_, sums)| whole.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum));
        let centre = whole.iter().map(|sum| sum * sum / items).sum::<f64>();
        let of_size = (items - of_cluster.iter().map(|(n, _)| n * n).sum::<f64>() / items) / (clusters - 1.0);
        let [among, within] = [(between - centre) / (clusters - 1.0), (squares - between) / (items - clusters)];
        let spread = among + (of_size - 1.0) * within;
        let alike = if spread > 0.0 { (among - within) / spread } else { 0.0 };
        let error = (1.0 - alike.max(0.0))
            * (1.0 + (of_size - 1.0) * alike.max(0.0))
            * (2.0 / (of_size * (of_size - 1.0) * (clusters - 1.0))).sqrt();
        [alike, error]
    }

    /// The design with what is known of labels: `classes` has the share of each class among the labels of an item,
    /// `None` without any.
    ///
    /// Where nearly all labels name one class, a mean of scores rests on the few items whose labels do not, and a
    /// sample that happens to hold none of them looks certain. So means of scores (not values within a range, whose
    /// intervals allow for what was not seen, and not differences, in which much of that cancels) need 10 random items
    /// off the commonest class, or 10% of labels: p n with p the weighted share of labels off that class and n the number
    /// of items of equal weight that would tell as much.
    pub fn with_classes(mut self, classes: &[Option<Vec<f64>>]) -> Self {
        let Some(shares) = self.plain_means(classes) else { return self };
        let off = 1.0 - shares.iter().copied().fold(0.0, f64::max);
        let square: f64 = self.weights.iter().map(|weight| weight * weight).sum();
        let number = off * self.weights.iter().sum::<f64>().powi(2) / square;
        self.alike = (off < MOST_OFF && number < LEAST_OFF).then(|| {
            format!(
                "{:.1}% of labels differ from the most common class, which is as informative as {number:.0} random items; \
                 such a mean needs at least {LEAST_OFF}: label more items",
                100.0 * off
            )
        });
        self
    }

    /// Why the items say nothing of new ones; `None` where they do.
    pub fn reason(&self) -> Option<&str> {
        self.unknown.as_deref()
    }

    /// The cluster of each item, by its number from 0.
    pub fn clusters(&self) -> &[usize] {
        &self.clusters
    }

    /// Whether every item is a cluster of its own and was drawn with the same probability, so that plain means over
    /// items are right.
    pub fn is_simple(&self) -> bool {
        self.weights.len() == self.clusters.len() && self.is_even()
    }

    /// Whether every cluster was drawn with the same probability, so that plain means over items are right; intervals
    /// go over clusters.
    pub fn is_even(&self) -> bool {
        let [stage] = self.stages.as_slice() else { return false };
        let mut members = stage.members.iter();
        let first = members.next().copied().flatten();
        self.unknown.is_none() && first.is_some() && members.all(|member| *member == first)
    }

    /// Of each item, whether it is in a stratum that is not labelled completely: further labels can only add to these strata.
    /// Of a census, all are.
    pub fn are_open(&self) -> Vec<bool> {
        let is_open =
            |cluster: &usize| self.stages.iter().any(|stage| stage.members[*cluster].is_some_and(|m| m.fraction < 1.0));
        let are: Vec<bool> = self.clusters.iter().map(is_open).collect();
        if are.contains(&true) { are } else { vec![true; are.len()] }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Whether there are zero items.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Weight of each item in means over items; 0 for one that no usable stage has chosen. They sum to 1.
    pub fn weights(&self) -> Vec<f64> {
        self.clusters.iter().map(|&cluster| self.weights[cluster]).collect()
    }

    /// Weighted mean over items of values that some of them have; `None` where none has.
    pub fn plain_mean(&self, values: &[Option<f64>]) -> Option<f64> {
        if self.is_simple() || self.unknown.is_some() {
            let known: Vec<f64> = values.iter().copied().flatten().collect();
            return (!known.is_empty()).then(|| mean(&known));
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (value, &cluster) in values.iter().zip(&self.clusters) {
            if let Some(value) = value {
                sum += self.weights[cluster] * value;
                weights += self.weights[cluster];
            }
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// Weighted means over items of rows of numbers that some of them have; `None` where none has.
    pub fn plain_means(&self, rows: &[Option<Vec<f64>>]) -> Option<Vec<f64>> {
        let width = rows.iter().flatten().map(Vec::len).next()?;
        let column = |k: usize| rows.iter().map(|row| row.as_ref().map(|row| row[k])).collect::<Vec<_>>();
        (0..width).map(|k| self.plain_mean(&column(k))).collect()
    }

    /// The mean that is asked for, with its interval.
    pub fn estimate(&self, ask: &Ask<'_>) -> Estimable {
        self.found(ask)(Growth::NONE)
    }

    /// The estimates expected with further labels: the value stays, and the interval narrows as they would make it.
    /// Further labels are taken to reach clusters of all sizes ([`Self::with_sizes`]).
    pub fn plan(&self, ask: &Ask<'_>) -> impl Fn(Growth) -> Estimable + use<> {
        let (now, found) = match self.sizes {
            Some(_) => (self.estimate(ask), Self { sizes: None, ..self.clone() }.found(ask)),
            None => (Estimable::not(""), self.found(ask)),
        };
        let most = found(Growth::NONE);
        let now = if self.sizes.is_some() { now } else { most.clone() };
        move |more| if more == Growth::NONE { now.clone() } else { found(more).no_wider(most.clone()) }
    }

    fn found(&self, ask: &Ask<'_>) -> ByGrowth<'static> {
        let plain = self.of(ask, None);
        match ask.help.map(|help| self.of(ask, Some(&self.rest(ask, help)))) {
            Some(helped) => Box::new(move |more| plain(more).or_narrower(helped(more))),
            None => plain,
        }
    }

    /// The estimate from the values alone, or from what a help leaves of them.
    fn of(&self, ask: &Ask<'_>, rest: Option<&Rest>) -> ByGrowth<'static> {
        let found = match rest {
            None => self.without_help(&Ask { help: None, ..*ask }, 1.0),
            Some(rest) => self.without_help(&rest.of(ask), 2.0),
        };
        let (range, known) = (ask.range, ask.known());
        Box::new(move |more| {
            found(more).map(|found| {
                let [value, lo, hi] = [found.value, found.lo, found.hi].map(|x| x.clamp(range.0, range.1));
                let found = ItemEstimate { value, lo, hi, ..found };
                known.map_or(found, |ends| within_known(found, ends, more.left))
            })
        })
    }

    /// What a help leaves of the values that are asked about: value - b (prediction - mean prediction), b the slope of the values
    /// on the predictions; the values themselves without a help.
    pub fn residuals(&self, ask: &Ask<'_>) -> Vec<Option<f64>> {
        ask.help.map_or_else(|| ask.values.to_vec(), |help| self.rest(ask, help).values)
    }

    fn rest(&self, ask: &Ask<'_>, help: Help<'_>) -> Rest {
        let slope = self.slope(ask.values, help.of_labelled);
        let told = |f: f64| slope * (f - help.overall);
        let ends = |f: &f64| (ask.range.0 - told(*f), ask.range.1 - told(*f));
        Rest {
            values: ask.values.iter().zip(help.of_labelled).map(|(y, f)| y.map(|y| y - told(*f))).collect(),
            ends: help.of_labelled.iter().map(ends).collect(),
            range: (ask.range.0 - told(help.range.1), ask.range.1 - told(help.range.0)),
        }
    }

    /// The slope of values on predictions among the labelled items, 0 to 1.
    fn slope(&self, values: &[Option<f64>], predicted: &[f64]) -> f64 {
        let over = |f: &dyn Fn(f64, f64) -> f64| {
            let each = values.iter().zip(predicted).map(|(y, x)| y.map(|y| f(y, *x))).collect::<Vec<_>>();
            self.plain_mean(&each).unwrap_or(0.0)
        };
        let (y, x) = (over(&|y, _| y), over(&|_, x| x));
        let (xy, xx) = (over(&|b, a| (b - y) * (a - x)), over(&|_, a| (a - x).powi(2)));
        if xx > 0.0 { (xy / xx).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// `fitted` numbers, the mean and perhaps the slope of a help, were fitted to the values.
    fn without_help(&self, ask: &Ask<'_>, fitted: f64) -> ByGrowth<'static> {
        let always = |found: Estimable| -> ByGrowth<'static> { Box::new(move |_| found.clone()) };
        let Some(value) = self.plain_mean(ask.values) else { return always(too_few(0, 0, least(ask.is_bounded()))) };
        if let Some(reason) = &self.unknown {
            return always(Estimable::of_these_items(value, reason.clone()));
        }
        let linear = Linear { influence: vec![], ..self.linear_mean(ask, value) };
        let Ask { range, level, of_study, .. } = *ask;
        // Of a study that is labelled as a whole there is nothing to be estimated.
        let is_whole = || self.stages.iter().any(|stage| stage.noise() == 0.0 && self.lost() == 0.0);
        let exact = value.clamp(range.0, range.1);
        let exact = ItemEstimate { value: exact, standard_error: 0.0, lo: exact, hi: exact, items: linear.items };
        if range.0 == range.1 || (of_study && ask.is_bounded() && is_whole()) {
            return always(Estimable::Estimated(exact));
        }
        let lacking = self.lacking(ask, &linear);
        if ask.is_bounded() {
            let bounds = lacking.is_none().then(|| self.bounds(ask, &linear));
            let unseen = self.unseen(range.1 - range.0, &linear, (level, of_study));
            // Squares about fitted numbers are too small by so many of the clusters, now and then.
            let small = move |clusters: f64| (1.0 - fitted / clusters).max(0.5);
            return Box::new(move |more| match (&lacking, &bounds) {
                _ if of_study && more.left == 0.0 => Estimable::Estimated(exact),
                (None, Some(bounds)) => {
                    let precision = more.precision * small(linear.effective) / small(linear.effective * more.clusters);
                    let [lo, hi] = further(value, bounds(Growth { precision, ..more }), unseen(more), range);
                    let standard_error = (linear.variance / more.precision).sqrt();
                    Estimable::Estimated(ItemEstimate { value, standard_error, lo, hi, items: linear.items })
                }
                (not, _) => not.clone().unwrap_or(Estimable::Estimated(exact)),
            });
        }
        let (lost, fitted) = (self.lost(), ask.fitted);
        Box::new(move |more| {
            if let Some(not) = lacking.clone().or_else(|| missing(value, more.missing * lost)) {
                return not;
            }
            if linear.variance.sqrt() <= 1e-12 * value.abs() || linear.variance == 0.0 {
                return Estimable::not(format!(
                    "all {} items have the same value, {value:.3}, so how it varies over items cannot be determined",
                    linear.items
                ));
            }
            let raised = 1.0 + raised(fitted, linear.effective * more.clusters);
            let variance = linear.variance / more.precision * raised;
            let skewness = linear.skewness / more.precision.sqrt();
            Estimable::Estimated(Linear { variance, skewness, ..linear.clone() }.wider(level))
        })
    }

    /// How far a plan reaches at least for values that differ by so much and were not seen, where all that were seen are alike.
    /// Of m clusters the next is one in 1/(m + 1), whose variance the further labels will show (Laplace).
    fn unseen(&self, by: f64, found: &Linear, (level, of_study): (f64, bool)) -> impl Fn(Growth) -> f64 + use<> {
        let chance = 1.0 / (found.effective + 1.0);
        let variance = chance * (1.0 - chance) * by * by / found.effective;
        let (is_seen, open) = (found.variance > 1e-9 * variance, (1.0 - found.effective / self.population).max(0.0));
        move |more| {
            if more == Growth::NONE || is_seen {
                return 0.0;
            }
            let left = if of_study { more.left * open } else { 1.0 };
            normal_quantile(0.5 + 0.5 * level) * (variance * left / more.precision).sqrt()
        }
    }

    /// Why there is too little for an interval; `None` where there is enough.
    fn lacking(&self, ask: &Ask<'_>, found: &Linear) -> Option<Estimable> {
        let least = least(ask.is_bounded());
        if let Some(reason) = self.alike.as_ref().filter(|_| ask.scores) {
            return Some(Estimable::not(reason));
        }
        if found.clusters < least {
            return Some(too_few(found.clusters, found.items, least));
        }
        // Rounding of weights that are alike is no lack.
        (found.effective < least as f64 - 1e-6).then(|| {
            Estimable::not(format!(
                "there are {} such items, but so few of them were drawn at random that they tell as much of new items \
                 as {:.0} random ones, and an interval needs {least}: raise --explore of the next queue",
                found.items, found.effective
            ))
        })
    }

    /// How many clusters the stages selected that have no label.
    pub fn unanswered(&self) -> usize {
        self.stages.iter().flat_map(|stage| &stage.missing).sum()
    }

    /// Share of what the stages selected, by its weight, that has no label.
    pub fn lost(&self) -> f64 {
        let of = |(stage, share): (&Stage, &f64)| {
            let weight = |h: usize| stage.of_stratum(h).map(|(_, m)| m.weight).sum::<f64>();
            let all: f64 = (0..stage.missing.len()).map(weight).sum();
            share * (0..stage.missing.len()).map(|h| weight(h) * stage.lost(h)).sum::<f64>()
                / all.max(f64::MIN_POSITIVE)
        };
        self.stages.iter().zip(&self.shares).map(of).sum()
    }

    fn linear_mean(&self, ask: &Ask<'_>, mean: f64) -> Linear {
        let (mut residuals, mut has) = (vec![0.0; self.weights.len()], vec![false; self.weights.len()]);
        let (mut weights, mut items) = (0.0, 0);
        for (value, &cluster) in ask.values.iter().zip(&self.clusters) {
            if let Some(value) = value.filter(|_| self.weights[cluster] > 0.0) {
                residuals[cluster] += value - mean;
                has[cluster] = true;
                weights += self.weights[cluster];
                items += 1;
            }
        }
        residuals.iter_mut().for_each(|residual| *residual /= weights);
        let uneven = self.uneven(|item| ask.values[item].as_ref().map(std::slice::from_ref));
        self.linear(mean, (&residuals, &has), items, (ask.of_study, uneven, 1.0))
    }

    /// How an estimate varies whose linear part is the sum over clusters of weight times `influence`; `has` marks the
    /// clusters with a part in it, and clusters without a label raise what it varies by the factor `uneven`; with
    /// of what has no label so much is `left`.
    fn linear(
        &self,
        value: f64,
        (influence, has): (&[f64], &[bool]),
        items: usize,
        (of_study, uneven, left): (bool, f64, f64),
    ) -> Linear {
        let centre: f64 = self.weights.iter().zip(influence).map(|(w, z)| w * z).sum::<f64>()
            / self.weights.iter().zip(has).filter(|(_, has)| **has).map(|(w, _)| w).sum::<f64>();
        let centred: Vec<f64> = influence.iter().zip(has).map(|(z, has)| if *has { z - centre } else { 0.0 }).collect();
        let (mut variance, mut squares, mut third) = (0.0, 0.0, 0.0);
        for (stage, &share) in self.stages.iter().zip(&self.shares) {
            let total = stage.total(&self.clusters);
            let of_clusters: f64 = stage.members.iter().flatten().map(|member| member.weight / total).sum();
            let number = stage.members.iter().flatten().count() as f64;
            for h in 0..stage.missing.len() {
                let own = || stage.of_stratum(h);
                let n = own().filter(|(c, _)| has[*c]).count() as f64;
                if n == 0.0 {
                    continue;
                }
                let in_stratum = own().count() as f64;
                let u = |c: usize, m: Member| m.weight / total * centred[c];
                let mean = own().map(|(c, m)| u(c, m)).sum::<f64>() / in_stratum;
                let left = |m: Member| (1.0 - m.fraction) * left;
                let small = in_stratum / (in_stratum - 1.0).max(1.0);
                let drawn: f64 = own().map(|(c, m)| left(m) * (u(c, m) - mean).powi(2)).sum::<f64>() * small;
                let of_all =
                    own().map(|(c, m)| m.weight / total * centred[c].powi(2)).sum::<f64>() * of_clusters * number
                        / (number - 1.0).max(1.0)
                        / self.population;
                let part = uneven * share * share * drawn + if of_study { 0.0 } else { share * of_all };
                variance += part;
                squares += part * part / (n - 1.0).max(1.0);
                third += share.powi(3) * own().map(|(c, m)| (u(c, m) - mean).powi(3)).sum::<f64>();
            }
        }
        let own_weights = || self.weights.iter().zip(has).filter(|(_, has)| **has).map(|(w, _)| w);
        let (sum, square): (f64, f64) = (own_weights().sum(), own_weights().map(|w| w * w).sum());
        Linear {
            value,
            variance,
            skewness: if variance > 0.0 { third / variance.powf(1.5) } else { 0.0 },
            freedom: if squares > 0.0 { (variance * variance / squares).max(1.0) } else { 1.0 },
            clusters: own_weights().count(),
            items,
            effective: sum * sum / square,
            uneven,
            influence: self.weights.iter().zip(&centred).map(|(w, z)| w * z).collect(),
        }
    }

    /// One more cluster, as the head of this module describes it.
    fn new_cluster(&self, ask: &Ask<'_>, centre: f64) -> impl Fn(Growth) -> NewCluster + use<> {
        let mut clusters = vec![(0.0, 0.0); self.weights.len()];
        let (mut most, mut by_row, mut items, mut ends) = (0.0, 0.0, 0.0, [0.0; 2]);
        for (item, (value, &cluster)) in ask.values.iter().zip(&self.clusters).enumerate() {
            let Some(value) = value.filter(|_| self.weights[cluster] > 0.0) else { continue };
            let (low, high) = ask.ends_of(item);
            let off = value - centre.clamp(low, high);
            by_row += off * off;
            most += off.abs() * if off < 0.0 { centre.min(high) - low } else { high - centre.max(low) };
            ends = [ends[0] + low, ends[1] + high];
            items += 1.0;
            clusters[cluster] = (clusters[cluster].0 + off, clusters[cluster].1 + 1.0);
        }
        clusters.retain(|(_, items)| *items > 0.0);
        let wide = (ends[1] - ends[0]) / items;
        let rows = if most > 0.0 { by_row / most } else { 1.0 };
        let one = 0.25 * wide * wide * rows * items / clusters.len() as f64;
        let squares = clusters.iter().map(|(off, items)| off * off / items).sum::<f64>();
        let effective = items * items / clusters.iter().map(|(_, items)| items * items).sum::<f64>();
        // Rows of a cluster are alike, or else differ by themselves, which cancels in means of many.
        let by_itself = move |rows: f64| 1.0 / rows.max(1.0);
        let number = clusters.len() as f64;
        let now = by_itself(items / number);
        let alike = if now < 1.0 { ((squares - now * by_row) / (1.0 - now)).max(0.0) } else { by_row };
        let (range, u) = (ask.range, 0.5 + 0.5 * ask.level);
        move |more| {
            let (one, then) = (one / more.clusters, by_itself(more.rows * items / number));
            let squares = then * by_row + (1.0 - then) * alike;
            let far = if most + one > 0.0 { ((squares + one) / (most + one)).sqrt().min(1.0) } else { 1.0 };
            let end = |end: f64, sum: f64| centre + far * (far * end + (1.0 - far) * sum / items - centre);
            let t = student_quantile(u, (effective * more.clusters - 1.0).max(1.0));
            let wider = 1.0 + (1.0 - far) * (t / normal_quantile(u) - 1.0);
            NewCluster { far, means: [end(range.0, ends[0]), end(range.1, ends[1])], wider }
        }
    }

    /// Bounds of a mean of values within a range, as the head of this module describes them.
    fn bounds(&self, ask: &Ask<'_>, found: &Linear) -> impl Fn(Growth) -> [f64; 2] + use<> {
        let tail = 0.5 * (1.0 - ask.level);
        let number = self.weights.len();
        let new_cluster = self.new_cluster(ask, found.value);
        let (mut sums, mut rows) = (vec![0.0; number], vec![0.0; number]);
        for (value, &cluster) in ask.values.iter().zip(&self.clusters) {
            if let Some(value) = value {
                (sums[cluster], rows[cluster]) = (sums[cluster] + value, rows[cluster] + 1.0);
            }
        }
        let is_single = matches!(self.stages.as_slice(), [stage] if stage.missing.len() == 1);
        // Of one stratum the mean is a ratio; of several, residuals about the whole mean have means in each.
        let (centre, per) = if is_single { (0.0, None) } else { (found.value, Some(1.0)) };
        let mut strata = vec![];
        for (stage, &share) in self.stages.iter().zip(&self.shares) {
            let with_values: f64 =
                stage.members.iter().zip(&rows).map(|(m, rows)| m.map_or(0.0, |m| m.weight * rows)).sum();
            for h in 0..stage.missing.len() {
                let own: Vec<(usize, Member)> =
                    stage.of_stratum(h).filter(|(c, _)| !is_single || rows[*c] > 0.0).collect();
                let weight: f64 = own.iter().map(|(_, m)| m.weight).sum();
                if weight <= 0.0 || share == 0.0 || with_values <= 0.0 {
                    continue;
                }
                let sum_of = |of: &dyn Fn(f64) -> f64| own.iter().map(|(c, m)| m.weight * of(rows[*c])).sum::<f64>();
                let all = sum_of(&|m| m);
                // As large as the cluster of an average row, if those without a label differ so in size.
                let large = sum_of(&|m| m * m) * sum_of(&|m| f64::from(u8::from(m > 0.0))) / (all * all).max(1e-12);
                let of_rows = all / weight * large.min(self.sizes.map_or(large, |sizes| sizes.large)).max(1.0);
                let spread = (own.iter().map(|(_, m)| m.weight * m.weight).sum::<f64>() / weight).max(stage.spread);
                let term = |(c, m): &(usize, Member)| {
                    let value = sums[*c] - centre * rows[*c];
                    Term { weight: m.weight, value, rows: per.unwrap_or(rows[*c]), shape: m.fraction, count: 1.0 }
                };
                let part = if is_single { 1.0 } else { share * weight / with_values };
                let open = own.len() as f64 / weight.max(own.len() as f64);
                // Its shape is the chance of each cluster, until it is known how much of the others is left.
                let terms = compressed(own.iter().map(term).collect());
                strata.push((terms, part, open, of_rows, spread, stage.lost(h)));
            }
        }
        let of_all = match !ask.of_study && !is_single && self.population.is_finite() {
            // That of all clusters of the study about new ones, which no label of theirs lowers.
            true => {
                let of_all = (found.variance - self.linear_mean(&ask.of_study(), found.value).variance).max(0.0);
                student_quantile(1.0 - tail, found.freedom).powi(2) * of_all
            }
            false => 0.0,
        };
        let is_open = (is_single && !ask.of_study) || self.population.is_infinite();
        let Linear { value, uneven, effective, .. } = *found;
        let (range, fitted) = (ask.range, ask.fitted);
        move |more| {
            let NewCluster { means: new, wider, .. } = new_cluster(more);
            let raised = raised(fitted, effective * more.clusters);
            let (mut squares, mut shift) = ([0.0; 2], [0.0; 2]);
            for (terms, part, open, of_rows, spread, lost) in &strata {
                let fraction = 1.0 - (1.0 - open) * more.left;
                let unseen = match fraction {
                    _ if is_open => 1.0,
                    f if f >= 1.0 - 1e-12 => 0.0,
                    f => f / -(-f).ln_1p(),
                };
                let is_whole = unseen == 0.0 && terms.iter().all(|t| (1.0 - t.shape) * more.left < 1e-12);
                let shaped = |t: &Term| {
                    let left = if is_open { 1.0 } else { ((1.0 - t.shape) * more.left).max(1e-12) };
                    Term { shape: more.precision / (left * (1.0 + raised)), ..*t }
                };
                let terms = compressed(terms.iter().map(shaped).collect());
                let at = terms.iter().map(|t| t.count * t.weight * t.value).sum::<f64>()
                    / terms.iter().map(|t| t.count * t.weight * t.rows).sum::<f64>();
                let end = |end: f64| Term {
                    weight: unseen * spread / more.clusters,
                    value: (end - centre) * of_rows,
                    rows: per.unwrap_or(*of_rows),
                    shape: 1.0 / (1.0 + raised),
                    count: 1.0,
                };
                let ends = [(range.0, 1.0), (range.1, -1.0)];
                for (k, (to, sign)) in ends.into_iter().enumerate() {
                    let mirrored = |t: &Term| Term { value: sign * t.value, ..*t };
                    let all: Vec<Term> = terms.iter().map(mirrored).chain([mirrored(&end(new[k]))]).collect();
                    let reach = if is_whole { 0.0 } else { wider * part * (sign * at - quantile(&all, tail)).max(0.0) };
                    squares[k] += reach * reach;
                    let missing = if is_single { to } else { (to - centre) * of_rows };
                    shift[k] += part * more.missing * lost * (at - missing).abs();
                }
            }
            let [below, above] = [0, 1].map(|k| (uneven * (squares[k] + of_all)).sqrt() + shift[k]);
            [(value - below).max(range.0), (value + above).min(range.1)]
        }
    }

    /// The difference of two means, such as those of two groups or systems, over new items, also where the means are of those of
    /// the study alone: bounds combine as in Zou and Donner (2008), less what clusters with values on both sides make the two
    /// share.
    pub fn contrast(&self, one: &Ask<'_>, other: &Ask<'_>) -> Estimable {
        let plain = self.apart([(one, None), (other, None)]);
        let [a, b] = [one, other].map(|ask| Some(self.rest(ask, ask.help.filter(|_| !ask.is_whole())?)));
        match a.is_some() || b.is_some() {
            true => plain.or_narrower(self.apart([(one, a.as_ref()), (other, b.as_ref())])),
            false => plain,
        }
    }

    /// The difference of two means from the values alone, or from what a help leaves of them.
    fn apart(&self, sides: [(&Ask<'_>, Option<&Rest>); 2]) -> Estimable {
        // A mean with what it varies by over studies like this one, however many of its items have a label, and its linear parts.
        let over_new = |(ask, rest): (&Ask<'_>, Option<&Rest>)| {
            if ask.is_whole() {
                let ask = Ask { of_study: false, rows: None, help: None, ..*ask };
                return (self.estimate(&ask), 0.0, [ask, ask].map(|ask| self.linear_of(&ask)));
            }
            let [new, of_study] = [false, true].map(|of_study| self.linear_of(&Ask { of_study, ..*ask }));
            let more = if ask.of_study { (new.variance - of_study.variance).max(0.0).sqrt() } else { 0.0 };
            (self.of(ask, rest)(Growth::NONE), more, [rest.map_or(of_study, |rest| self.linear_of(&rest.of(ask))), new])
        };
        let [(a, of_a, u), (b, of_b, v)] = sides.map(over_new);
        let (Some(x), Some(y)) = (a.estimate(), b.estimate()) else {
            let not = if a.estimate().is_none() { a } else { b };
            return match (&self.unknown, sides.map(|(ask, _)| self.plain_mean(ask.values))) {
                (Some(reason), [Some(a), Some(b)]) => Estimable::of_these_items(a - b, reason.clone()),
                _ => not,
            };
        };
        let [shared, shared_new] = [0, 1].map(|k| u[k].shared(&v[k]));
        let [t, t_other] = [(&u, sides[0]), (&v, sides[1])]
            .map(|(linear, (ask, _))| student_quantile(0.5 + 0.5 * ask.level, linear[1].freedom));
        let reach = |shared: f64, p: f64, q: f64| (p * p + q * q - 2.0 * shared * p * q).max(0.0).sqrt();
        let both = |p: f64, q: f64, t: f64, t_other: f64| {
            reach(shared, p, q).hypot(reach(shared_new, t * of_a, t_other * of_b))
        };
        let value = x.value - y.value;
        Estimable::Estimated(ItemEstimate {
            value,
            standard_error: both(x.standard_error, y.standard_error, 1.0, 1.0),
            lo: value - both(x.value - x.lo, y.hi - y.value, t, t_other),
            hi: value + both(x.hi - x.value, y.value - y.lo, t, t_other),
            items: x.items + y.items,
        })
    }

    fn linear_of(&self, ask: &Ask<'_>) -> Linear {
        self.linear_mean(ask, self.plain_mean(ask.values).unwrap_or(0.0))
    }

    /// A function of means over items, such as an agreement beyond chance; `rows` has the same numbers for each item
    /// that has any.
    ///
    /// With f_c the function without cluster c, whose items have the weight w_c together, its influence is (f - f_c)(1 -
    /// w_c)/w_c: the jackknife over clusters (Tukey 1958; with weights Berger 2007, "A jackknife variance estimator for
    /// unistage stratified samples"). `corners` are the rows that an unseen item could have: each end of the interval is
    /// that of the sample with one more cluster, the one that moves the function furthest, within `range`. It goes as far from
    /// the means as one more cluster of the function's linear parts does, each of which can be what it is in a corner; rows
    /// that are corners go as far as they can. Without corners values have no range.
    pub fn function(
        &self,
        rows: &[Option<Vec<f64>>],
        (corners, range): (&[Vec<f64>], (f64, f64)),
        level: f64,
        of: impl Fn(&[f64]) -> Option<f64>,
    ) -> Estimable {
        self.function_plan(rows, (corners, range), level, of).1(Growth::NONE)
    }

    /// [`Self::function`] by how further labels multiply those of values of items, with these values: the linear parts of the
    /// function, it and its slopes times what the numbers of an item are more than their means.
    pub fn function_plan<'d>(
        &'d self,
        rows: &[Option<Vec<f64>>],
        (of_corners, range): (&[Vec<f64>], (f64, f64)),
        level: f64,
        of: impl Fn(&[f64]) -> Option<f64> + 'd,
    ) -> (Vec<Option<f64>>, ByGrowth<'d>) {
        let always = |found: Estimable| {
            let none: Vec<Option<f64>> = vec![None; self.len()];
            (none, Box::new(move |_| found.clone()) as ByGrowth<'d>)
        };
        let undefined = || Estimable::not("it is undefined where all answers, or all labels, are the same");
        let value = self.plain_means(rows).and_then(|means| of(&means));
        if let (Some(reason), Some(value)) = (&self.unknown, value) {
            return always(Estimable::of_these_items(value, reason.clone()));
        }
        let Some(width) = rows.iter().flatten().map(Vec::len).next() else {
            return always(too_few(0, 0, LEAST_BOUNDED));
        };
        let mut sums = vec![0.0; width];
        let (mut by_cluster, mut weight) = (vec![0.0; width * self.weights.len()], vec![0.0; self.weights.len()]);
        let mut items = 0;
        for (row, &cluster) in rows.iter().zip(&self.clusters) {
            let Some(row) = row.as_ref().filter(|_| self.weights[cluster] > 0.0) else { continue };
            items += 1;
            weight[cluster] += self.weights[cluster];
            for (k, x) in row.iter().enumerate() {
                sums[k] += self.weights[cluster] * x;
                by_cluster[cluster * width + k] += self.weights[cluster] * x;
            }
        }
        let has: Vec<bool> = weight.iter().map(|weight| *weight > 0.0).collect();
        let all = weight.iter().sum::<f64>();
        let means: Vec<f64> = sums.iter().map(|sum| sum / all).collect();
        let of = Jackknife { of, sums, by_cluster, weight, all, weights: &self.weights };
        let Some((value, influence)) = of.influence(&[], 0.0) else { return always(undefined()) };
        let slope = |k: usize| {
            let at =
                |by: f64| (of.of)(&(0..width).map(|j| means[j] + if j == k { by } else { 0.0 }).collect::<Vec<_>>());
            Some((at(1e-6)? - at(-1e-6)?) / 2e-6)
        };
        let slopes: Vec<f64> = (0..width).map(|k| slope(k).unwrap_or(0.0)).collect();
        let linear = |row: &Vec<f64>| value + (0..width).map(|k| slopes[k] * (row[k] - means[k])).sum::<f64>();
        let values: Vec<Option<f64>> = rows.iter().map(|row| row.as_ref().map(linear)).collect();
        let uneven = self.uneven(|item| rows[item].as_deref());
        let (is_single, lost) = (matches!(self.stages.as_slice(), [stage] if stage.missing.len() == 1), self.lost());
        // One more cluster, as for a mean: of the weight of an effective one, and as far from the means as those there are, by
        // the linear parts.
        let ends = of_corners.iter().map(linear).fold((value, value), |(lo, hi), x| (lo.min(x), hi.max(x)));
        // What a number is in any corner; a row of such numbers is one, and goes as far as can be.
        let in_corners = |k: usize| {
            let mut all: Vec<f64> = of_corners.iter().map(|row| row[k]).collect();
            all.sort_by(f64::total_cmp);
            all.dedup();
            all
        };
        let in_corners: Vec<Vec<f64>> = (0..width).map(in_corners).collect();
        let whole = ends.1 - ends.0;
        let ends_of = |(row, x): (&Option<Vec<f64>>, &Option<f64>)| match (row, *x) {
            (Some(row), Some(x)) if row.iter().zip(&in_corners).all(|(x, all)| all.contains(x)) => {
                if x < value {
                    (x, x + whole)
                } else {
                    (x - whole, x)
                }
            }
            _ => ends,
        };
        let of_rows: Vec<(f64, f64)> = rows.iter().zip(&values).map(ends_of).collect();
        let new_cluster = self.new_cluster(&Ask::mean(&values).within(ends.0, ends.1).between(&of_rows), value);
        let of_corners = of_corners.to_vec();
        let found = move |more: Growth| {
            let vary = |value: f64, influence: &[f64]| {
                let uneven = if more == Growth::NONE { uneven } else { 1.0 };
                let left = if is_single { 1.0 } else { more.left };
                let of = |of_study| self.linear(value, (influence, &has), items, (of_study, uneven, left));
                let found = of(false);
                // That of all clusters of the study about new ones, which no label of theirs lowers.
                let stays = if is_single { 0.0 } else { found.variance - of(true).variance };
                let variance = stays + (found.variance - stays) / more.precision;
                Linear { variance, freedom: found.freedom * more.clusters, ..found }
            };
            let linear = vary(value, &influence);
            let nothing = [Some(0.0)];
            let ask = if of_corners.is_empty() { Ask::difference(&nothing, false) } else { Ask::share(&nothing) };
            if let Some(not) = self.lacking(&ask, &linear).or_else(|| missing(value, more.missing * lost)) {
                return not;
            }
            if of_corners.is_empty() {
                if linear.variance.sqrt() <= 1e-9 {
                    return Estimable::not(format!(
                        "it is {value:.3} without any item as well, so its interval cannot be determined"
                    ));
                }
                return Estimable::Estimated(linear.wider(level));
            }
            let own = of.all / (linear.effective * more.clusters);
            let standard_error = linear.variance.sqrt();
            let all = of.all + own;
            let far = new_cluster(more).far;
            let beyond = |row: &Vec<f64>| row.iter().zip(&means).map(|(x, mean)| mean + far * (x - mean)).collect();
            let corners: Vec<Vec<f64>> = of_corners.iter().map(beyond).collect();
            let (mut ends, mut by) = ([value; 2], 0.0_f64);
            for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
                let furthest = corners.iter().filter_map(|row| Some((sign * of.value(row, own)?, row)));
                let Some((_, row)) = furthest.min_by(|a, b| a.0.total_cmp(&b.0)) else { return undefined() };
                let Some((centre, influence)) = of.influence(row, own) else { return undefined() };
                let found = vary(centre, &influence);
                let of_row = (centre - value) * (all - own) / all;
                let variance = found.variance + of_row * of_row;
                let reach = student_quantile(0.5 + 0.5 * level, found.freedom) * variance.sqrt();
                *end = sign * (sign * centre - reach).min(sign * value);
                by = by.max(of_row.abs() * all * all / (own * (all - own)));
            }
            let unseen = self.unseen(by, &linear, (level, false))(more);
            let [lo, hi] = further(value, ends.map(|end| end.clamp(range.0, range.1)), unseen, range);
            Estimable::Estimated(ItemEstimate { value, standard_error, lo, hi, items })
        };
        let now = found(Growth::NONE);
        let after = move |more| if more == Growth::NONE { now.clone() } else { found(more).no_wider(now.clone()) };
        (values, Box::new(after))
    }
}

/// One more cluster than there are.
struct NewCluster {
    /// How far it goes towards the ends of the range, 0 to 1.
    far: f64,
    /// The lowest and the highest mean that it is taken to have.
    means: [f64; 2],
    /// By how much bounds are wider because few clusters tell how far they go, 1 or more.
    wider: f64,
}

/// A function of means over items, with what it takes to have it without each cluster.
struct Jackknife<'d, F> {
    of: F,
    /// Weighted sums over items: of all, and of each cluster, one cluster after the other.
    sums: Vec<f64>,
    by_cluster: Vec<f64>,
    /// The weight of the items of each cluster, and of all.
    weight: Vec<f64>,
    all: f64,
    /// The weight of an item of each cluster.
    weights: &'d [f64],
}

impl<F: Fn(&[f64]) -> Option<f64>> Jackknife<'_, F> {
    /// The sums where one more cluster of this row and weight is in the sample.
    fn with(&self, row: &[f64], own: f64) -> impl Iterator<Item = f64> {
        self.sums.iter().enumerate().map(move |(k, sum)| sum + row.get(k).map_or(0.0, |x| own * x))
    }

    /// The function where it is.
    fn value(&self, row: &[f64], own: f64) -> Option<f64> {
        (self.of)(&self.with(row, own).map(|sum| sum / (self.all + own)).collect::<Vec<_>>())
    }

    /// The function where it is, and the influence of each cluster.
    fn influence(&self, row: &[f64], own: f64) -> Option<(f64, Vec<f64>)> {
        let (value, all) = (self.value(row, own)?, self.all + own);
        let total: Vec<f64> = self.with(row, own).collect();
        let (mut without, mut influence) = (total.clone(), vec![0.0; self.weight.len()]);
        for (cluster, weight) in self.weight.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let left = all - weight;
            let of_cluster = &self.by_cluster[cluster * total.len()..];
            without.iter_mut().zip(total.iter().zip(of_cluster)).for_each(|(mean, (sum, x))| *mean = (sum - x) / left);
            influence[cluster] = (value - (self.of)(&without)?) * left / all / self.weights[cluster];
        }
        Some((value, influence))
    }
}

impl Linear {
    /// How far two estimates vary together because clusters have a part in both, -1 to 1.
    fn shared(&self, other: &Self) -> f64 {
        let over =
            |one: &Self, other: &Self| one.influence.iter().zip(&other.influence).map(|(a, b)| a * b).sum::<f64>();
        let own = over(self, self) * over(other, other);
        if own > 0.0 { (over(self, other) / own.sqrt()).clamp(-1.0, 1.0) } else { 0.0 }
    }

    /// The wider of Hall's interval and Student's on either side: differences of log scores have long tails on both, and
    /// the skewness of a sample falls short of theirs.
    fn wider(&self, level: f64) -> ItemEstimate {
        let t = student_quantile(0.5 + 0.5 * level, self.freedom);
        let standard_error = self.variance.sqrt();
        let back = |skewness: f64, x: f64| match skewness.abs() < 1e-6 {
            true => x,
            false => 3.0 / skewness * ((1.0 + skewness * (x - skewness / 6.0)).cbrt() - 1.0),
        };
        let lo = self.value - standard_error * back(self.skewness, t).max(t);
        let hi = self.value - standard_error * back(self.skewness, -t).min(-t);
        ItemEstimate { value: self.value, standard_error, lo, hi, items: self.items }
    }
}

/// Bounds at least `unseen` from the value; where the range ends, the other side has what is beyond.
fn further(value: f64, [lo, hi]: [f64; 2], unseen: f64, range: (f64, f64)) -> [f64; 2] {
    if unseen == 0.0 {
        return [lo, hi];
    }
    let [below, above] = [value - lo, hi - value].map(|reach| reach.max(unseen));
    let [under, over] = [(range.0 - value + below).max(0.0), (value + above - range.1).max(0.0)];
    [(value - below - over).max(range.0), (value + above + under).min(range.1)]
}

/// Clusters of one weight and value in a bootstrap: weight w, sum of values y, rows m, shape k, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Term {
    weight: f64,
    value: f64,
    rows: f64,
    shape: f64,
    count: f64,
}

/// With equal terms as one.
fn compressed(mut terms: Vec<Term>) -> Vec<Term> {
    let key = |t: &Term| [t.value, t.weight, t.rows, t.shape].map(f64::to_bits);
    terms.sort_unstable_by_key(key);
    terms.dedup_by(|later, kept| {
        let same = key(later) == key(kept);
        if same {
            kept.count += later.count;
        }
        same
    });
    terms
}

/// The value that sum w G y / sum w G m stays below with probability `u` (below one half), with G ~ Gamma(k)/k.
fn quantile(terms: &[Term], u: f64) -> f64 {
    let used = || terms.iter().filter(|t| t.weight > 0.0);
    let ratio = |t: &Term| t.value / t.rows;
    let mut low = used().map(ratio).fold(f64::INFINITY, f64::min);
    let mut high = used().map(ratio).fold(f64::NEG_INFINITY, f64::max);
    let tolerance = 1e-9 * (high - low);
    while high - low > tolerance && high > low {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        let scaled =
            used().map(|t| (t.weight * (t.value - middle * t.rows) / t.shape, t.shape * t.count)).collect::<Vec<_>>();
        if below_zero(&scaled) < u { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Probability that the sum of l Gamma(k) over terms (l, k) is below 0, by the saddlepoint approximation.
fn below_zero(terms: &[(f64, f64)]) -> f64 {
    let (least, most) = terms.iter().fold((0.0_f64, 0.0_f64), |(a, b), (l, _)| (a.min(*l), b.max(*l)));
    if least >= 0.0 || most <= 0.0 {
        return if least < 0.0 { 1.0 } else { 0.0 };
    }
    let (mut low, mut high, mut u) = (1.0 / least, 1.0 / most, 0.0);
    let width = high - low;
    for _ in 0..100 {
        let (mut slope, mut curve) = (0.0, 0.0);
        for (l, k) in terms {
            let part = l / (1.0 - l * u);
            slope += k * part;
            curve += k * part * part;
        }
        if slope > 0.0 {
            high = u
        } else {
            low = u
        }
        let next = u - slope / curve;
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - u).abs() <= 1e-12 * width {
            break;
        }
        u = next;
    }
    let (mut generating, mut curve) = (0.0, 0.0);
    for (l, k) in terms {
        generating -= k * (-l * u).ln_1p();
        curve += k * (l / (1.0 - l * u)).powi(2);
    }
    let w = u.signum() * (-2.0 * generating).max(0.0).sqrt();
    let v = u * curve.sqrt();
    if w.abs() < 1e-5 || v / w <= 0.0 { normal_cdf(w) } else { normal_cdf(w + (v / w).ln() / w) }
}

/// Numbers clusters from 0 without gaps, in the order in which they first appear.
fn numbered(clusters: &[usize]) -> Vec<usize> {
    let mut known = std::collections::HashMap::new();
    let number = |cluster: &usize| {
        let next = known.len();
        *known.entry(*cluster).or_insert(next)
    };
    clusters.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use serde_json::Value;

    fn found(estimable: &Estimable) -> ItemEstimate {
        *estimable.estimate().unwrap_or_else(|| panic!("{estimable:?}"))
    }

    fn some(values: &[f64]) -> Vec<Option<f64>> {
        values.iter().copied().map(Some).collect()
    }

    /// The factor by hand; clusters of one size, labelled or not, leave an interval as it is, and one more label narrows it.
    #[test]
    fn clusters_without_a_label_widen_as_far_as_few_hold_many_items() {
        let widened = |labelled: &[usize], others: &[usize], alike: bool| {
            let clusters: Vec<usize> = labelled.iter().enumerate().flat_map(|(k, &size)| vec![k; size]).collect();
            let value =
                |(i, &k): (usize, &usize)| Some(f64::from(u8::from(if alike { k % 2 == 0 } else { i % 2 == 0 })));
            let values: Vec<Option<f64>> = clusters.iter().enumerate().map(value).collect();
            let design = Design::random_of(clusters, labelled.len() + others.len());
            let [plain, sized] = [design.clone(), design.with_sizes(labelled, others)]
                .map(|design| found(&design.estimate(&Ask::share(&values).of_study())));
            let width = |of: ItemEstimate| of.hi - of.lo;
            ((width(sized) / width(plain)).powi(2), width(sized))
        };
        assert_eq!(widened(&[3; 20], &[3; 40], true).0, 1.0);
        assert!(widened(&[1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2], &[1; 40], true).0 <= 1.0);
        // K = 700^2 / (300^2 + 40 10^2), S = 700/900, 41 of 61 without a label.
        let (share, open): (f64, f64) = (700.0 / 900.0, 41.0 / 61.0);
        let others: Vec<usize> = std::iter::once(300).chain([10; 40]).collect();
        let (factor, wide) = widened(&[10; 20], &others, true);
        let by_hand = share * share * (1.0 + 20.0 / (490_000.0 / 94_000.0)) / open;
        assert!((factor - by_hand).abs() < 1e-9, "{factor}");
        // Values that are no more alike within clusters than between them: r is a standard error alone, (2/(10 9 19))^.5.
        let alike = (2.0_f64 / (10.0 * 9.0 * 19.0)).sqrt();
        let of = |clusters: f64, items: f64| alike / clusters + (1.0 - alike) / items;
        let labelled = of(20.0, 200.0);
        let by_hand = share * share * (of(490_000.0 / 94_000.0, 700.0) + labelled) / (open * labelled);
        let (found, _) = widened(&[10; 20], &others, false);
        assert!((found - by_hand).abs() < 1e-9 && found < 0.5 * factor, "{found} for {by_hand}");
        assert!(widened(&[10; 22], &others[..39], true).1 < wide);
        // Plans are those of clusters of one size.
        let more = Growth::new(1.5, 20.0 / 61.0);
        let values: Vec<Option<f64>> = (0..20).map(|k| Some(f64::from(u8::from(k % 2 == 0)))).collect();
        let (design, ask) = (Design::random_of((0..20).collect(), 61), Ask::share(&values).of_study());
        assert_eq!(design.clone().with_sizes(&[10; 20], &others).plan(&ask)(more), design.plan(&ask)(more));
    }

    /// A plan of what can't be estimated has no value of any item, so that whoever reads those by item finds none.
    #[test]
    fn a_plan_of_an_undefined_function_has_a_place_for_each_item() {
        let rows = vec![Some(vec![1.0]); 3];
        let design = Design::random(vec![0, 0, 1]);
        let (values, plan) = design.function_plan(&rows, (&[], (0.0, 1.0)), 0.95, |_| None);
        assert_eq!(values, [None; 3]);
        assert!(plan(Growth::NONE).reason().is_some());
    }

    /// All samples that could have been drawn from eight items in two stages, where the second chooses the items that
    /// look best by the labels of the first: the mean of the estimates is exactly that of the items.
    #[test]
    fn stages_that_follow_labels_are_unbiased() {
        let values = [3.0, -1.0, 4.0, 1.5, -5.0, 9.0, 2.0, 6.5];
        let truth = values.iter().sum::<f64>() / 8.0;
        let (mut sum, mut naive, mut count) = (0.0, 0.0, 0.0);
        let pairs = |of: &[usize]| -> Vec<[usize; 2]> {
            (0..of.len()).flat_map(|a| (0..a).map(move |b| [a, b])).map(|[a, b]| [of[a], of[b]]).collect()
        };
        for first in pairs(&[0, 1, 2, 3, 4, 5, 6, 7]) {
            let left: Vec<usize> = (0..8).filter(|i| !first.contains(i)).collect();
            // The rule goes to high or to low values, as the first labels say.
            let high = values[first[0]] + values[first[1]] > 4.0;
            let sign = if high { 1.0 } else { -1.0 };
            let top = *left.iter().max_by(|&&a, &&b| (sign * values[a]).total_cmp(&(sign * values[b]))).unwrap();
            let rest: Vec<usize> = left.into_iter().filter(|&i| i != top).collect();
            for drawn in pairs(&rest) {
                let items = [first[0], first[1], top, drawn[0], drawn[1]];
                let one = Stage::try_stratified(&[Some(0), Some(0), None, None, None], &[8]).unwrap();
                let two = Stage::try_stratified(&[Some(0), Some(0), Some(1), Some(2), Some(2)], &[2, 1, 5]).unwrap();
                let design = Design::from_stages((0..5).collect(), vec![one, two], 8).unwrap();
                assert!(!design.is_simple() && (design.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
                sum += design.plain_mean(&items.map(|i| Some(values[i]))).unwrap();
                naive += items.iter().map(|&i| values[i]).sum::<f64>() / 5.0;
                count += 1.0;
            }
        }
        assert!((sum / count - truth).abs() < 1e-12, "{} for {truth}", sum / count);
        assert!((naive / count - truth).abs() > 0.1, "{}", naive / count);
    }

    /// Strata, unequal probabilities and clusters as NumPy has them from the textbooks' formulas, clusters also as the package
    /// statsmodels has their robust variance (`tests/golden/sampling/make.py`).
    #[test]
    fn designs_as_computed_elsewhere() {
        let golden: Value =
            serde_json::from_str(include_str!("../../../../tests/golden/sampling/expected.json")).unwrap();
        let numbers = |of: &Value| of.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
        for case in golden["cases"].as_array().unwrap() {
            let name = case["name"].as_str().unwrap();
            let values = some(&numbers(&case["values"]));
            let clusters: Vec<usize> = numbers(&case["things"]).into_iter().map(|x| x as usize).collect();
            let population = case["population"].as_u64().unwrap() as usize;
            let stage = |of: &Value| match of.get("probabilities") {
                Some(p) => Stage::try_unequal(&numbers(p).into_iter().map(Some).collect::<Vec<_>>()).unwrap(),
                None => {
                    let strata: Vec<Option<usize>> =
                        of["strata"].as_array().unwrap().iter().map(|h| h.as_u64().map(|h| h as usize)).collect();
                    let sizes: Vec<usize> = numbers(&of["sizes"]).into_iter().map(|x| x as usize).collect();
                    Stage::try_stratified(&strata, &sizes).unwrap()
                }
            };
            let stages: Vec<Stage> = case["stages"].as_array().unwrap().iter().map(stage).collect();
            let design = match stages.is_empty() {
                true => Design::random(clusters),
                false => Design::from_stages(clusters, stages, population).unwrap(),
            };
            let got = found(&design.estimate(&Ask::mean(&values)));
            // Active testing's estimator of one queue, whose random share is drawn one by one, is the same mean.
            if let Some(lure) = case["lure"].as_f64() {
                assert!((got.value - lure).abs() < 1e-12, "{name} LURE {} for {lure}", got.value);
            }
            for (got, key) in [(got.value, "mean"), (got.standard_error, "standard_error")] {
                let expected = case[key].as_f64().unwrap();
                assert!((got - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{name}: {key} {got} for {expected}");
            }
            // Hall's end is the further one on the side to which the values lean.
            let [lo, hi] = ["lo", "hi"].map(|key| case[key].as_f64().unwrap());
            let same = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + b.abs());
            assert!(
                got.lo <= lo + 1e-9 && got.hi >= hi - 1e-9 && (same(got.lo, lo) || same(got.hi, hi)),
                "{name}: {got:?}"
            );
        }
    }

    /// A queue that takes the items of highest values and draws a few of the others: 0.95 of the intervals hold, up to
    /// three standard errors of 400 studies, where plain means hold in none.
    #[test]
    fn intervals_hold_behind_an_exploring_queue() {
        let (items, pilot, top, drawn) = (300, 40, 40, 40);
        let (mut held, mut plainly) = (0, 0);
        for seed in 0..400 {
            let mut stream = Stream::new(seed);
            let signal: Vec<f64> = (0..items).map(|_| stream.gamma(1.0)).collect();
            // Skewed values that the signal tells much of; their mean is 1 + 1.
            let values: Vec<f64> = signal.iter().map(|s| s + stream.gamma(1.0)).collect();
            let mut order: Vec<usize> = (0..items).collect();
            let mut shuffle = |order: &mut Vec<usize>| {
                for k in 0..order.len() - 1 {
                    let other = k + stream.choice((order.len() - k) as u32) as usize;
                    order.swap(k, other);
                }
            };
            shuffle(&mut order);
            let first = order[..pilot].to_vec();
            let mut rest: Vec<usize> = order[pilot..].to_vec();
            rest.sort_by(|&a, &b| signal[b].total_cmp(&signal[a]));
            let ranked = rest[..top].to_vec();
            let mut others = rest[top..].to_vec();
            shuffle(&mut others);
            let all: Vec<usize> = first.iter().chain(&ranked).chain(&others[..drawn]).copied().collect();
            let one: Vec<Option<usize>> = (0..all.len()).map(|k| (k < pilot).then_some(0)).collect();
            let two: Vec<Option<usize>> =
                (0..all.len()).map(|k| Some(usize::from(k >= pilot) + usize::from(k >= pilot + top))).collect();
            let stages = vec![
                Stage::try_stratified(&one, &[items]).unwrap(),
                Stage::try_stratified(&two, &[pilot, top, items - pilot - top]).unwrap(),
            ];
            let design = Design::from_stages((0..all.len()).collect(), stages, items).unwrap();
            let own: Vec<f64> = all.iter().map(|&i| values[i]).collect();
            let (own, plain) = (
                found(&design.estimate(&Ask::mean(&some(&own)))),
                found(&Design::random((0..own.len()).collect()).estimate(&Ask::mean(&some(&own)))),
            );
            held += usize::from((own.lo..=own.hi).contains(&2.0));
            plainly += usize::from((plain.lo..=plain.hi).contains(&2.0));
        }
        assert!((367..=393).contains(&held) && plainly < 100, "{held} of 400, plainly {plainly}");
    }

    /// A queue that finds most of the few positives by rank. What it drew at random often holds none, and the variance of
    /// the others alone promised too much: of 1,000 such studies 0.80 held.
    #[test]
    fn rare_shares_hold_behind_a_queue_that_finds_them() {
        let items = 1000;
        let rate = |stream: &mut Stream| (stream.gamma(0.05) / 3.0).min(1.0);
        let mut stream = Stream::new(9);
        let truth = (0..400_000).map(|_| rate(&mut stream)).sum::<f64>() / 400_000.0;
        let mut held = 0;
        for seed in 0..400 {
            let mut stream = Stream::new(seed);
            let rates: Vec<f64> = (0..items).map(|_| rate(&mut stream)).collect();
            let values: Vec<f64> = rates.iter().map(|rate| f64::from(u8::from(stream.random() < *rate))).collect();
            // Items have no order, so the first 100 are a random pilot.
            let mut rest: Vec<usize> = (100..items).collect();
            rest.sort_by(|&a, &b| rates[b].total_cmp(&rates[a]));
            let mut others = rest.split_off(80);
            for k in 0..40 {
                let other = k + stream.choice((others.len() - k) as u32) as usize;
                others.swap(k, other);
            }
            let all: Vec<usize> = (0..100).chain(rest).chain(others.into_iter().take(40)).collect();
            let one: Vec<Option<usize>> = (0..220).map(|k| (k < 100).then_some(0)).collect();
            let two: Vec<Option<usize>> =
                (0..220).map(|k| Some(usize::from(k >= 100) + usize::from(k >= 180))).collect();
            let stages = vec![
                Stage::try_stratified(&one, &[items]).unwrap(),
                Stage::try_stratified(&two, &[100, 80, 820]).unwrap(),
            ];
            let design = Design::from_stages((0..220).collect(), stages, items).unwrap();
            let own = found(&design.estimate(&Ask::share(&all.iter().map(|&i| Some(values[i])).collect::<Vec<_>>())));
            held += usize::from((own.lo..=own.hi).contains(&truth));
        }
        assert!((367..=398).contains(&held), "{held} of 400");
    }

    /// 3 of 120 items off the class of all others: their share has an interval, a mean of scores does not.
    #[test]
    fn means_take_labels_off_the_commonest_class() {
        let with = |items: usize, off: usize| {
            let classes = |i: usize| Some(if i < off { vec![0.0, 1.0] } else { vec![1.0, 0.0] });
            Design::random((0..items).collect()).with_classes(&(0..items).map(classes).collect::<Vec<_>>())
        };
        let values = |items: usize| (0..items).map(|i| Some(f64::from(i as u32 % 7) / 7.0)).collect::<Vec<_>>();
        let few = with(120, 3);
        let told = few.estimate(&Ask::mean(&values(120)));
        assert!(told.reason().unwrap().starts_with("2.5% of labels differ from the most common class"), "{told:?}");
        assert_eq!(few.estimate(&Ask::mean(&values(120))), told);
        assert!(
            few.estimate(&Ask::share(&values(120))).estimate().is_some()
                && few.estimate(&Ask::difference(&values(120), false)).estimate().is_some()
        );
        for enough in [with(120, 11), with(24, 3)] {
            assert!(enough.estimate(&Ask::mean(&values(enough.len()))).estimate().is_some());
        }
    }

    #[test]
    fn what_a_design_does_not_carry_has_a_reason() {
        assert!(matches!(Stage::try_unequal(&[Some(0.5), Some(0.0)]), Err(NotAStage::NoChance { clusters: 1, of: 2 })));
        assert!(matches!(
            Stage::try_stratified(&[Some(0), Some(1)], &[1, 9]),
            Err(NotAStage::TooFew { came_back: 1, of: 9 })
        ));
        assert!(Design::from_stages(vec![0], vec![], 4).is_none());
        // Thirty certain items, and three that stand for 600.
        let strata: Vec<Option<usize>> = (0..33).map(|k| Some(usize::from(k >= 30))).collect();
        let stage = Stage::try_stratified(&strata, &[30, 600]).unwrap();
        let design = Design::from_stages((0..33).collect(), vec![stage], 630).unwrap();
        let values: Vec<Option<f64>> = (0..33).map(|k| Some(f64::from(k % 5))).collect();
        assert!(
            design.estimate(&Ask::mean(&values)).reason().unwrap().contains("raise --explore"),
            "{:?}",
            design.estimate(&Ask::mean(&values))
        );
        // Chosen by a rule: the mean of these, and nothing of others.
        let chosen = Design::unknown((0..33).collect(), "these 33 items were chosen by info");
        let told = chosen.estimate(&Ask::mean(&values));
        assert!(told.estimate().is_none() && told.reason().unwrap().contains("by info"));
        assert!((told.described().unwrap() - 63.0 / 33.0).abs() < 1e-12);
        // Forty rows about eight clusters.
        let few = Design::random((0..40).map(|k| k / 5).collect());
        let values: Vec<Option<f64>> = (0..40).map(|k| Some(f64::from(k % 7))).collect();
        assert!(few.estimate(&Ask::mean(&values)).reason().unwrap().contains("in 8 clusters"));
    }

    /// Means and standard errors of designs by R's package survey, bounds of shares by its binom.test
    /// (`tests/golden/estimator/make.R`). The saddlepoint keeps bounds within 0.002 of the exact ones.
    #[test]
    fn designs_and_bounds_as_in_r() {
        let golden: Value =
            serde_json::from_str(include_str!("../../../../tests/golden/estimator/expected.json")).unwrap();
        let numbers = |of: &Value| of.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
        for case in golden["cases"].as_array().unwrap() {
            let whole = |key: &str| numbers(&case[key]).into_iter().map(|x| x as usize).collect::<Vec<_>>();
            let values: Vec<Option<f64>> =
                numbers(&case["values"]).into_iter().map(|y| Some(y).filter(|y| *y < 1e8)).collect();
            let strata: Vec<Option<usize>> = whole("strata").into_iter().map(Some).collect();
            let stage = Stage::try_stratified(&strata, &whole("sizes")).unwrap();
            let population = case["population"].as_u64().unwrap() as usize;
            let design = Design::from_stages(whole("things"), vec![stage], population).unwrap();
            let got = found(&design.estimate(&Ask::difference(&values, false).of_study()));
            for (got, key) in [(got.value, "mean"), (got.standard_error, "standard_error")] {
                let expected = case[key].as_f64().unwrap();
                assert!(
                    (got - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                    "{}: {key} {got} for {expected}",
                    case["name"]
                );
            }
        }
        for share in golden["shares"].as_array().unwrap() {
            let [yes, of] = ["yes", "of"].map(|key| share[key].as_u64().unwrap() as usize);
            let values: Vec<f64> = (0..of).map(|i| f64::from(u8::from(i < yes))).collect();
            let got = found(&Design::random((0..of).collect()).estimate(&Ask::share(&some(&values))));
            for (got, key) in [(got.lo, "lo"), (got.hi, "hi")] {
                let expected = share[key].as_f64().unwrap();
                assert!((got - expected).abs() < 2e-3, "{yes} of {of}: {key} {got} for {expected}");
            }
        }
    }

    /// Of a study of 300 items that agree with the judge: one more label never widens the interval of the rate, and all
    /// of them leave nothing to be estimated. One error fewer never widens it by more than a tenth.
    #[test]
    fn more_labels_and_fewer_errors_do_not_widen() {
        let width = |labels: usize, errors: usize| {
            let values: Vec<f64> = (0..labels).map(|i| f64::from(u8::from(i >= errors))).collect();
            let found =
                found(&Design::random_of((0..labels).collect(), 300).estimate(&Ask::share(&some(&values)).of_study()));
            found.hi - found.lo
        };
        for labels in 20..300 {
            assert!(width(labels + 1, 0) <= width(labels, 0) + 1e-9, "{labels}");
        }
        assert_eq!([width(300, 0), width(300, 17)], [0.0; 2]);
        assert!(width(299, 0) < 0.005 && width(290, 0) < 0.01, "{} {}", width(299, 0), width(290, 0));
        for errors in 0..40 {
            assert!(width(80, errors) <= 1.1 * width(80, errors + 1), "{errors}");
        }
    }

    /// The interval of a share in every design (items without end, a finite table, clusters, strata, unequal chances, a
    /// judge's help): one more label that agrees never widens it, one error fewer never widens it by more than a tenth,
    /// and no plan of more labels is wider than one of fewer.
    #[test]
    fn widths_are_monotone_in_every_design() {
        let order: Vec<usize> = (0..400).map(|i| i * 173 % 400).collect();
        let width = |kind: usize, labels: usize, errors: usize, times: f64| {
            let rows = if kind == 2 { 5 } else { 1 };
            // The first `errors` of the order are wrong, so that one error fewer is a label changed.
            let mut wrong = vec![false; labels];
            order.iter().filter(|i| **i < labels).take(errors).for_each(|&i| wrong[i] = true);
            let values: Vec<Option<f64>> =
                (0..labels * rows).map(|i| Some(f64::from(u8::from(!wrong[i / rows])))).collect();
            let each: Vec<usize> = (0..labels).collect();
            let stage = match kind {
                3 => Stage::try_stratified(
                    &each.iter().map(|i| Some(usize::from(i % 3 > 0))).collect::<Vec<_>>(),
                    &[300, 900],
                ),
                _ => Stage::try_unequal(&each.iter().map(|i| Some([0.1, 0.5][i % 2])).collect::<Vec<_>>()),
            };
            let design = match kind {
                0 => Design::random(each),
                1 | 5 => Design::random_of(each, 420),
                2 => Design::random_of((0..labels * rows).map(|i| i / rows).collect(), 420),
                _ => Design::from_stages(each, vec![stage.unwrap()], 1200).unwrap(),
            };
            let judge: Vec<f64> = (0..420).map(|i| f64::from(u8::from(i % 4 > 0))).collect();
            let ask = Ask::share(&values).of_study();
            let ask = if kind == 5 { ask.helped(Help::new(&judge[..labels], &judge)) } else { ask };
            let all = [f64::INFINITY, 420.0, 420.0, 1200.0, 1200.0, 420.0][kind];
            let found = found(&design.plan(&ask)(Growth::new(times, labels as f64 / all)));
            found.hi - found.lo
        };
        for kind in 0..6 {
            for labels in [20, 33, 60, 150, 350] {
                for errors in (0..labels / 2).step_by(1 + labels / 40) {
                    let now = width(kind, labels, errors, 1.0);
                    let more = width(kind, labels + 1, errors, 1.0);
                    assert!(more <= now + 1e-9, "{kind}: {errors} of {labels}, one more label: {now} to {more}");
                    let worse = width(kind, labels, errors + 1, 1.0);
                    assert!(now <= 1.1 * worse, "{kind}: {errors} of {labels}, one error fewer: {worse} to {now}");
                    let planned = [1.1, 2.0, 5.0, 30.0].map(|times| width(kind, labels, errors, times));
                    assert!(
                        planned
                            .iter()
                            .scan(now, |before, w| Some((std::mem::replace(before, *w), *w)))
                            .all(|(a, b)| b <= a + 1e-9),
                        "{kind}: {errors} of {labels}, plans {now} {planned:?}"
                    );
                }
            }
        }
    }

    /// The rate of a table with a judge as help: never wider than without, and half as wide where the judge is right in
    /// 95%. With all labels it is what the labels say.
    #[test]
    fn help_never_widens() {
        let mut stream = Stream::new(3);
        for right in [0.5, 0.8, 0.95, 1.0] {
            let all: Vec<f64> = (0..600).map(|_| f64::from(u8::from(stream.random() < 0.4))).collect();
            let judge: Vec<f64> = all.iter().map(|y| if stream.random() < right { *y } else { 1.0 - y }).collect();
            for labels in [60, 200, 599, 600] {
                let (values, design) = (some(&all[..labels]), Design::random_of((0..labels).collect(), 600));
                let ask = Ask::share(&values).of_study();
                let plain = found(&design.estimate(&ask));
                let helped = found(&design.estimate(&ask.helped(Help::new(&judge[..labels], &judge))));
                assert!(helped.hi - helped.lo <= plain.hi - plain.lo, "{right} {labels}");
                assert!(
                    right < 0.9 || labels > 200 || helped.hi - helped.lo < 0.7 * (plain.hi - plain.lo),
                    "{helped:?}"
                );
                assert!(labels < 600 || (helped.lo, helped.hi) == (helped.value, helped.value));
            }
        }
    }

    /// Twenty of a queue's 50 items came back without a label: the interval holds whatever they would have said, and a
    /// mean of scores is not estimable.
    #[test]
    fn missing_answers_widen() {
        let stage = || Stage::try_stratified(&[Some(0); 30], &[400]).unwrap();
        let of = |stage| Design::from_stages((0..30).collect(), vec![stage], 400).unwrap();
        let values: Vec<Option<f64>> = (0..30).map(|i| Some(f64::from(u8::from(i < 24)))).collect();
        let (all, part) = (of(stage()), of(stage().with_missing(vec![20])));
        let [a, b] = [&all, &part].map(|design| found(&design.estimate(&Ask::share(&values))));
        assert!(
            (part.lost() - 0.4).abs() < 1e-12 && (a.lo - b.lo - 0.4 * 0.8).abs() < 1e-9 && b.hi == 1.0,
            "{a:?} {b:?}"
        );
        let rows: Vec<Option<Vec<f64>>> = values.iter().map(|y| y.map(|y| vec![y])).collect();
        let function = part.function(&rows, (&[vec![0.0], vec![1.0]], (0.0, 1.0)), 0.95, |m| Some(m[0]));
        assert!(function.described().is_some(), "{function:?}");
        let scores = part.estimate(&Ask::mean(&values));
        assert!(scores.reason().unwrap().starts_with("40% of the items") && scores.described().is_some(), "{scores:?}");
        // What is missing comes in first, and with all labels nothing is left to be estimated.
        let ask = Ask::share(&values).of_study();
        let width = |more: Growth| {
            let found = found(&part.plan(&ask)(more));
            found.hi - found.lo
        };
        let answered = Growth { missing: 0.0, ..Growth::new(50.0 / 30.0, 30.0 / 400.0) };
        let then = found(&Design::random_of((0..30).collect(), 400).plan(&ask)(Growth::new(50.0 / 30.0, 30.0 / 400.0)));
        assert!((width(answered) - (then.hi - then.lo)).abs() < 1e-9 && width(Growth::NONE) > 2.0 * width(answered));
        assert_eq!(width(Growth { left: 0.0, missing: 0.0, ..answered }), 0.0);
    }

    /// Of 4 conversations of 3, 3, 3 and 4 rows one row is unlabelled, and nothing but that row is unknown; and two systems
    /// whose 50 rows are all labelled are told apart by no more than their rows tell of others.
    #[test]
    fn means_of_the_study_are_as_sure_as_its_rows_and_differences_as_new_ones() {
        let clusters: Vec<usize> = (0..12).map(|i| i / 3).collect();
        let values = some(&(0..12).map(|i| f64::from(u8::from(i % 4 > 0))).collect::<Vec<_>>());
        let few = Design::random_of((0..12).collect(), 13);
        let ask = Ask::share(&values).of_rows(13);
        for design in [few, Design::random_of(clusters, 5)] {
            if let Some(found) = design.estimate(&ask).estimate() {
                assert!(found.hi - found.lo <= 1.0 / 13.0 + 1e-12, "{found:?}");
            }
        }
        let design = Design::random_of((0..100).collect(), 100);
        let [one, other] = [0, 1]
            .map(|k| (0..100).map(|i| (i % 2 == k).then_some(f64::from(u8::from(i % 5 > k)))).collect::<Vec<_>>());
        let [a, b] = [&one, &other].map(|values| Ask::share(values).of_rows(50));
        assert_eq!(found(&design.estimate(&a)).standard_error, 0.0);
        let apart = found(&design.contrast(&a, &b));
        let expected = (0.8 * 0.2 / 50.0 + 0.6 * 0.4 / 50.0_f64).sqrt();
        assert!((apart.standard_error / expected - 1.0).abs() < 0.05 && apart.lo < 0.05, "{apart:?} {expected}");
    }

    /// Of 20 conversations of 10 rows each has one or two errors, as if rows erred by themselves: an interval is not as wide as
    /// where an eighth of the conversations are wrong as a whole, and the difference of two systems in them is that of what
    /// the judge leaves open, not that of the systems' rates.
    #[test]
    fn clusters_go_no_further_than_they_do() {
        let clusters: Vec<usize> = (0..200).map(|i| i / 10).collect();
        let design = Design::random_of(clusters, 100);
        let width = |found: &Estimable| found.estimate().map(|found| found.hi - found.lo).unwrap();
        let errs = |i: usize, whole: bool| if whole { (i / 10).is_multiple_of(8) } else { i % 10 <= i / 10 % 2 };
        let [single, whole] = [false, true].map(|whole| {
            width(&design.estimate(&Ask::share(&some(
                &(0..200).map(|i| f64::from(u8::from(!errs(i, whole)))).collect::<Vec<_>>(),
            ))))
        });
        assert!(single < 0.6 * whole, "{single} {whole}");
        // Of one system more passes in even conversations, of the other in odd ones; the judge knows it but for its errors.
        let passes = |i: usize| (i % 2 == i / 10 % 2) == (i % 20 != 5);
        let judge: Vec<f64> = (0..1000).map(|i| f64::from(u8::from(passes(i) != errs(i, false)))).collect();
        let of = |system: usize| {
            (0..200).map(|i| (i % 2 == system).then_some(f64::from(u8::from(passes(i))))).collect::<Vec<_>>()
        };
        let (one, other) = (of(0), of(1));
        let all = |system: usize| judge.iter().copied().skip(system).step_by(2).collect::<Vec<_>>();
        let (a, b) = (all(0), all(1));
        let ask =
            |values, all: &[f64]| -> Ask<'_> { Ask::share(values).of_rows(500).helped(Help::new(&judge[..200], all)) };
        let helped = width(&design.contrast(&ask(&one, &a), &ask(&other, &b)));
        let plain = width(&design.contrast(&Ask::share(&one).of_rows(500), &Ask::share(&other).of_rows(500)));
        assert!(helped < 0.8 * plain, "{helped} {plain}");
    }

    /// As many labels more narrow an interval as its plan says, within a twentieth.
    #[test]
    fn plans_name_the_width_that_comes() {
        let values = |labels: usize| some(&(0..labels).map(|i| f64::from(u8::from(i % 5 > 0))).collect::<Vec<_>>());
        let (few, many) = (values(60), values(240));
        let design = |labels: usize| Design::random_of((0..labels).collect(), 900);
        let planned = found(&design(60).plan(&Ask::share(&few).of_study())(Growth::new(4.0, 60.0 / 900.0)));
        let then = found(&design(240).estimate(&Ask::share(&many).of_study()));
        assert!(((planned.hi - planned.lo) / (then.hi - then.lo) - 1.0).abs() < 0.05, "{planned:?} {then:?}");
    }

    /// From 60 labels without an error, plans foresee the errors that such samples leave open: 240 labels are planned to give at
    /// least three quarters of the width of 240 of which two are wrong, of agreement and of kappa.
    #[test]
    fn plans_from_labels_without_an_error_foresee_some() {
        let beyond_chance = |m: &[f64]| {
            let chance = m[1] * m[2] + (1.0 - m[1]) * (1.0 - m[2]);
            (chance < 1.0).then(|| (m[0] - chance) / (1.0 - chance))
        };
        let row =
            |judge: bool, person: bool| [judge == person, judge, person].map(|is| f64::from(u8::from(is))).to_vec();
        let corners = [row(false, false), row(false, true), row(true, false), row(true, true)];
        let widths = |labels: usize, errors: usize, more: Growth| {
            let design = Design::random_of((0..labels).collect(), 1500);
            let wrong = |i: usize| i % (labels / 2) < errors / 2;
            let agree = some(&(0..labels).map(|i| f64::from(u8::from(!wrong(i)))).collect::<Vec<_>>());
            let rows: Vec<_> = (0..labels).map(|i| Some(row(wrong(i) != (i % 3 > 0), i % 3 > 0))).collect();
            let kappa = design.function_plan(&rows, (&corners, (-1.0, 1.0)), 0.95, beyond_chance).1(more);
            [design.plan(&Ask::share(&agree))(more), kappa].map(|of| found(&of)).map(|of| of.hi - of.lo)
        };
        let (planned, came) = (widths(60, 0, Growth::new(4.0, 0.04)), widths(240, 2, Growth::NONE));
        assert!((0..2).all(|k| planned[k] > 0.75 * came[k]), "{planned:?} {came:?}");
        assert!((0..2).all(|k| planned[k] < widths(60, 0, Growth::NONE)[k]));
    }

    /// Of 300 clusters 120 count for themselves alone, and 48 of the others were drawn at random: further labels go to these others.
    #[test]
    fn plans_leave_out_strata_that_are_labelled_as_a_whole() {
        let of = |drawn: usize| {
            let strata: Vec<Option<usize>> = (0..120 + drawn).map(|i| Some(usize::from(i >= 120))).collect();
            let stage = Stage::try_stratified(&strata, &[120, 180]).unwrap();
            let values = some(&(0..120 + drawn).map(|i| f64::from(u8::from(i % 5 > 1))).collect::<Vec<_>>());
            (Design::from_stages((0..120 + drawn).collect(), vec![stage], 300).unwrap(), values)
        };
        let (design, values) = of(48);
        let open = design.are_open().into_iter().filter(|is| *is).count();
        assert_eq!(open, 48);
        for more in [0, 60, 132] {
            let times = 1.0 + more as f64 / open as f64;
            let (then, those) = of(48 + more);
            for (now, later) in [
                (Ask::share(&values), Ask::share(&those)),
                (Ask::share(&values).of_study(), Ask::share(&those).of_study()),
            ] {
                let growth = Growth::new(times, open as f64 / 180.0);
                let found = [found(&design.plan(&now)(growth)), found(&then.estimate(&later))];
                let [planned, then] = found.map(|found| found.hi - found.lo);
                assert!((planned - then).abs() < (0.05 * then).max(1e-6), "{more}: {planned} {then}");
            }
        }
    }
}

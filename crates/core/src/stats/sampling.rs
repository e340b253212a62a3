//! Estimates about new items from labelled items that were chosen by a known design: means, shares, differences and
//! functions of means.
//!
//! A label queue does not draw items at random. It takes those that a rule ranks highest, and with an exploring share
//! some of
//! the others at random. Averages over such items are biased for new items, and intervals that take them for a random
//! sample do
//! not hold. A [`SamplingDesign`] knows with which probability each labelled item was chosen, and which items belong
//! together
//! because they are about one thing (a document under several criteria, or one text twice).
//!
//! ```text
//! stage t      the items that could be chosen at one time fall into strata h of N_h things, of which n_h are labelled
//! at
//!              random: what had labels before and what was taken for its rank are strata of their own with n_h = N_h
//! weights      w_tc = 1/p_tc, p_tc = n_h/N_h; mu_t = sum_c w_tc y_c / sum_c w_tc m_c            (Hajek 1971)
//! combined     mu = sum_t a_t mu_t, a_t proportional to 1/sum_c (1 - p_tc) w_tc^2, normalised
//! variance     sum_t a_t^2 D_t + S^2/N
//! D_t          sum_h n_h/(n_h - 1) sum_c in h (1 - p_tc) (u_tc - mean_h u_t)^2,   u_tc = w_tc z_c / sum w_t m
//! ```
//!
//! y_c is the sum of the values of thing c, m_c the number of its values, z_c = sum of (value - mu) over its values, N
//! the number of things of the study and S^2/N the variance of the mean over all of them when they are a sample of all
//! things there could be.
//!
//! - Within a stage: stratified sampling with ratio means and variances between things (Cochran 1977, sections 5 and 6;
//!   Hajek 1971).
//! - Over stages: given all that happened before stage t, the items that it drew at random are a simple random sample
//!   of the rest, and labelled ones are known, so each mu_t has the mean over all items for its expectation, and the
//!   errors of two stages are uncorrelated. The shares a_t depend on the design alone. This is the argument of unbiased
//!   active testing (Kossen et al. 2021, after Farquhar, Gal and Rainforth 2021, "On statistical bias in active
//!   learning", whose weights LURE are those of stages of one draw each), in batches and with strata.
//! - Intervals are Hall's (1992) with Student's t, degrees of freedom after Satterthwaite (1946) over the strata.

use super::mean;
use super::over_items::{
    Estimable, ItemEstimate, LEAST_ITEMS, item_difference, item_function, item_mean, item_share, item_square,
};
use super::student::student_quantile;

/// Upper end of a central 95% interval.
const UPPER: f64 = 0.975;
/// Things that a stratum needs before its own spread is had from it.
const LEAST_IN_STRATUM: usize = 2;
/// Items at which the fits of folds add as much variation as the items have, see
/// [`super::over_items::item_difference`].
const FITS: f64 = 40.0;

/// How many things of a stratum there are, and which of the labelled ones were chosen from it at one stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// For each labelled thing its stratum and weight; `None` where it has no part in this stage's estimate.
    members: Vec<Option<Member>>,
    /// Number of strata.
    strata: usize,
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
pub enum NotAStage {
    /// Things without a chance.
    #[error("{things} of {of} had no chance of being chosen")]
    NoChance {
        /// How many.
        things: usize,
        /// Things in all.
        of: usize,
    },
    /// Too few of a stratum came back.
    #[error(
        "{came_back} of the {of} that a random draw stands for have labels, and an estimate takes {LEAST_IN_STRATUM}"
    )]
    TooFew {
        /// Labelled things of the stratum.
        came_back: usize,
        /// Things of the stratum.
        of: usize,
    },
}

impl Stage {
    /// Things that were drawn at random from a population without end: items like these.
    pub fn random(things: usize) -> Self {
        let member = Member { stratum: 0, weight: 1.0, fraction: 0.0 };
        Self { members: vec![Some(member); things], strata: 1 }
    }

    /// Things drawn at random within strata: `strata` has the stratum of each labelled thing (`None` for one that was
    /// not chosen at
    /// this stage), and `sizes` how many things each stratum has, labelled or not. Things of a stratum that were
    /// chosen and
    /// have no label count as a random part of it.
    ///
    /// # Errors
    /// A stratum of which too few things have labels.
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
        Ok(Self { members: strata.iter().map(|h| h.as_ref().map(member)).collect(), strata: sizes.len() })
    }

    /// Things that were chosen each with a probability of its own, independently of each other: 0 to 1, `None` for one
    /// that was not
    /// chosen at this stage.
    ///
    /// # Errors
    /// A probability of 0.
    pub fn try_unequal(probabilities: &[Option<f64>]) -> Result<Self, NotAStage> {
        let none = probabilities.iter().flatten().filter(|p| p.is_nan() || **p <= 0.0).count();
        if none > 0 {
            return Err(NotAStage::NoChance { things: none, of: probabilities.len() });
        }
        let member = |p: &f64| Member { stratum: 0, weight: 1.0 / p, fraction: p.min(1.0) };
        Ok(Self { members: probabilities.iter().map(|p| p.as_ref().map(member)).collect(), strata: 1 })
    }

    /// Sum over things of (1 - p) w^2, over the square of the sum of weights: how much the stage's mean varies, values
    /// that vary
    /// alike taken.
    fn noise(&self) -> f64 {
        let members = || self.members.iter().flatten();
        let sum: f64 = members().map(|m| m.weight).sum();
        members().map(|m| (1.0 - m.fraction) * m.weight * m.weight).sum::<f64>() / (sum * sum)
    }
}

/// How labelled items were chosen, and which of them belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplingDesign {
    /// The thing of each item, by its number from 0.
    things: Vec<usize>,
    stages: Vec<Stage>,
    /// Share of each stage in estimates; they sum to 1.
    shares: Vec<f64>,
    /// Things of the population that the stages draw from; infinite where it has no end.
    population: f64,
    /// Weight of each thing over all stages; over items they sum to 1.
    weights: Vec<f64>,
    /// Why the items say nothing of new ones; `None` where they do.
    unknown: Option<String>,
}

/// What an estimate is and how its linear part varies.
struct Linear {
    value: f64,
    variance: f64,
    /// Skewness of the estimate.
    skewness: f64,
    freedom: f64,
    /// Things with values.
    things: usize,
    items: usize,
    /// Independent things of equal weight that would tell as much.
    effective: f64,
}

impl SamplingDesign {
    /// Items drawn at random, `things` saying which belong together: the same number for items of one thing.
    pub fn random(things: Vec<usize>) -> Self {
        let things = numbered(&things);
        let number = things.iter().max().map_or(0, |last| last + 1);
        Self::combined(things, vec![Stage::random(number)], f64::INFINITY)
    }

    /// Items that were chosen in stages; `things` numbers the thing of each item from 0 without gaps, as the members
    /// of the stages
    /// are numbered, and `population` is the number of things that the study has. `None` without a stage.
    ///
    /// # Panics
    /// If a stage has fewer members than there are things.
    pub fn from_stages(things: Vec<usize>, stages: Vec<Stage>, population: usize) -> Option<Self> {
        (!stages.is_empty()).then(|| Self::combined(things, stages, population as f64))
    }

    fn combined(things: Vec<usize>, stages: Vec<Stage>, population: f64) -> Self {
        let noise: Vec<f64> = stages.iter().map(Stage::noise).collect();
        // A census leaves nothing to the other stages.
        let precision: Vec<f64> = match noise.contains(&0.0) {
            true => noise.iter().map(|noise| f64::from(u8::from(*noise == 0.0))).collect(),
            false => noise.iter().map(|noise| 1.0 / noise).collect(),
        };
        let sum: f64 = precision.iter().sum();
        let shares: Vec<f64> = precision.iter().map(|precision| precision / sum).collect();
        let number = things.iter().max().map_or(0, |last| last + 1);
        let mut weights = vec![0.0; number];
        for (stage, share) in stages.iter().zip(&shares) {
            let total = total(stage, &things);
            let of_stage = weights.iter_mut().zip(&stage.members);
            of_stage.for_each(|(weight, member)| *weight += member.map_or(0.0, |m| share * m.weight / total));
        }
        Self { things, stages, shares, population, weights, unknown: None }
    }

    /// Items that were chosen in a way that says nothing of new ones, because of this `reason`: what is had from them
    /// describes them.
    pub fn unknown(things: Vec<usize>, reason: impl Into<String>) -> Self {
        Self { unknown: Some(reason.into()), ..Self::random(things) }
    }

    /// Why the items say nothing of new ones; `None` where they do.
    pub fn reason(&self) -> Option<&str> {
        self.unknown.as_deref()
    }

    /// The thing of each item, by its number from 0.
    pub fn things(&self) -> &[usize] {
        &self.things
    }

    /// What is said of a value of these items: an estimate, or no more than a description of them. Too few items to
    /// describe are too few.
    fn said(&self, value: Option<f64>, estimate: impl FnOnce() -> Estimable) -> Estimable {
        match (&self.unknown, value) {
            (Some(reason), Some(value)) => Estimable::of_these_items(value, reason.clone()),
            _ => estimate(),
        }
    }

    /// Whether every item is a thing of its own and was drawn with the same probability, so that plain means over
    /// items do.
    pub fn is_simple(&self) -> bool {
        self.weights.len() == self.things.len() && self.is_even()
    }

    /// Whether every thing was drawn with the same probability, so that plain means over items do; intervals go over
    /// things.
    pub fn is_even(&self) -> bool {
        let [stage] = self.stages.as_slice() else { return false };
        let mut members = stage.members.iter();
        let first = members.next().copied().flatten();
        self.unknown.is_none() && stage.strata == 1 && first.is_some() && members.all(|member| *member == first)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.things.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.things.is_empty()
    }

    /// Weight of each item in means over items; 0 for one that no usable stage has chosen. They sum to 1.
    pub fn weights(&self) -> Vec<f64> {
        self.things.iter().map(|&thing| self.weights[thing]).collect()
    }

    /// Weighted mean over items of values that some of them have; `None` where none has.
    pub fn plain_mean(&self, values: &[Option<f64>]) -> Option<f64> {
        if self.is_simple() || self.unknown.is_some() {
            let known = known(values);
            return (!known.is_empty()).then(|| mean(&known));
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (value, &thing) in values.iter().zip(&self.things) {
            if let Some(value) = value {
                sum += self.weights[thing] * value;
                weights += self.weights[thing];
            }
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// The mean over new items of a number that some of the items have; its interval is Hall's.
    pub fn mean(&self, values: &[Option<f64>]) -> Estimable {
        self.said(self.plain_mean(values), || match self.is_simple() {
            true => item_mean(&known(values)),
            false => estimated(self.of_mean(values), |found| found.interval(0.0)),
        })
    }

    /// The mean over new items of a squared difference: the wider of Hall's interval and Student's on either side.
    pub fn square(&self, values: &[Option<f64>]) -> Estimable {
        self.said(self.plain_mean(values), || match self.is_simple() {
            true => item_square(&known(values)),
            false => estimated(self.of_mean(values), |found| found.wider(0.0)),
        })
    }

    /// The mean over new items of the difference of two scores; `fitted` where one of the predictions was fitted to
    /// other items of the
    /// sample, which raises the squared standard error by a share of 40 over the effective number of things.
    pub fn difference(&self, values: &[Option<f64>], fitted: bool) -> Estimable {
        self.said(self.plain_mean(values), || match self.is_simple() {
            true => item_difference(&known(values), fitted),
            false => {
                estimated(self.of_mean(values), |found| found.wider(if fitted { FITS / found.effective } else { 0.0 }))
            }
        })
    }

    /// The mean over new items of a share each, 0 to 1: Wilson's interval for as many independent answers as would
    /// vary alike, and
    /// no fewer than the effective number of things (Korn and Graubard 1998).
    pub fn share(&self, values: &[Option<f64>]) -> Estimable {
        self.said(self.plain_mean(values), || match self.linear_mean(values) {
            _ if self.is_simple() => item_share(&known(values)),
            Ok(found) => found.lacking().unwrap_or_else(|| Estimable::Estimated(found.wilson())),
            Err(not) => not,
        })
    }

    /// A function of means over items, such as an agreement beyond chance; `rows` has the same numbers for each item
    /// that has any.
    ///
    /// With f_c the function without thing c, whose items have the weight w_c together, its influence is (f - f_c)(1 -
    /// w_c)/w_c: the
    /// jackknife over things (Tukey 1958; with weights Berger 2007, "A jackknife variance estimator for unistage
    /// stratified samples").
    pub fn function(&self, rows: &[Option<Vec<f64>>], of: impl Fn(&[f64]) -> Option<f64>) -> Estimable {
        if self.is_simple() {
            return item_function(&rows.iter().flatten().cloned().collect::<Vec<_>>(), of);
        }
        let value = self.plain_means(rows).and_then(|means| of(&means));
        self.said(value, || self.weighted_function(rows, &of))
    }

    /// Weighted means over items of rows of numbers that some of them have; `None` where none has.
    pub fn plain_means(&self, rows: &[Option<Vec<f64>>]) -> Option<Vec<f64>> {
        let width = rows.iter().flatten().map(Vec::len).next()?;
        let column = |k: usize| rows.iter().map(|row| row.as_ref().map(|row| row[k])).collect::<Vec<_>>();
        (0..width).map(|k| self.plain_mean(&column(k))).collect()
    }

    fn weighted_function(&self, rows: &[Option<Vec<f64>>], of: &impl Fn(&[f64]) -> Option<f64>) -> Estimable {
        let Some(width) = rows.iter().flatten().map(Vec::len).next() else { return too_few(0, 0) };
        let mut sums = vec![0.0; width];
        let (mut by_thing, mut weight) = (vec![vec![0.0; width]; self.weights.len()], vec![0.0; self.weights.len()]);
        let mut items = 0;
        for (row, &thing) in rows.iter().zip(&self.things) {
            let Some(row) = row.as_ref().filter(|_| self.weights[thing] > 0.0) else { continue };
            items += 1;
            weight[thing] += self.weights[thing];
            for (k, x) in row.iter().enumerate() {
                sums[k] += self.weights[thing] * x;
                by_thing[thing][k] += self.weights[thing] * x;
            }
        }
        let all: f64 = weight.iter().sum();
        let undefined = || Estimable::not("it is undefined where all answers, or all labels, are the same");
        let Some(value) = of(&sums.iter().map(|sum| sum / all).collect::<Vec<_>>()) else { return undefined() };
        let mut influence = vec![0.0; weight.len()];
        for (thing, own) in by_thing.iter().enumerate().filter(|(thing, _)| weight[*thing] > 0.0) {
            let left = all - weight[thing];
            let Some(without) = of(&sums.iter().zip(own).map(|(sum, x)| (sum - x) / left).collect::<Vec<_>>()) else {
                return undefined();
            };
            influence[thing] = (value - without) * left / all / self.weights[thing];
        }
        let has: Vec<bool> = weight.iter().map(|weight| *weight > 0.0).collect();
        let linear = self.linear(value, &influence, &has, items);
        if let Some(not) = linear.lacking() {
            return not;
        }
        if linear.variance.sqrt() <= 1e-9 {
            return Estimable::not(format!(
                "it is {value:.3} without any item as well, so its interval cannot be determined"
            ));
        }
        Estimable::Estimated(linear.interval(0.0))
    }

    fn of_mean(&self, values: &[Option<f64>]) -> Result<Linear, Estimable> {
        let found = self.linear_mean(values)?;
        if let Some(not) = found.lacking() {
            return Err(not);
        }
        if found.variance.sqrt() <= 1e-12 * found.value.abs() || found.variance == 0.0 {
            return Err(Estimable::not(format!(
                "all {} items have the same value, {:.3}, so how it varies over items cannot be determined",
                found.items, found.value
            )));
        }
        Ok(found)
    }

    fn linear_mean(&self, values: &[Option<f64>]) -> Result<Linear, Estimable> {
        let Some(mean) = self.plain_mean(values) else { return Err(too_few(0, 0)) };
        let (mut residuals, mut has) = (vec![0.0; self.weights.len()], vec![false; self.weights.len()]);
        let (mut weights, mut items) = (0.0, 0);
        for (value, &thing) in values.iter().zip(&self.things) {
            if let Some(value) = value.filter(|_| self.weights[thing] > 0.0) {
                residuals[thing] += value - mean;
                has[thing] = true;
                weights += self.weights[thing];
                items += 1;
            }
        }
        residuals.iter_mut().for_each(|residual| *residual /= weights);
        Ok(self.linear(mean, &residuals, &has, items))
    }

    /// How an estimate varies whose linear part is the sum over things of weight times `influence`; `has` says which
    /// things have
    /// a part in it.
    fn linear(&self, value: f64, influence: &[f64], has: &[bool], items: usize) -> Linear {
        let centre: f64 = self.weights.iter().zip(influence).map(|(w, z)| w * z).sum::<f64>()
            / self.weights.iter().zip(has).filter(|(_, has)| **has).map(|(w, _)| w).sum::<f64>();
        let centred: Vec<f64> = influence.iter().zip(has).map(|(z, has)| if *has { z - centre } else { 0.0 }).collect();
        let (mut variance, mut squares, mut third) = (0.0, 0.0, 0.0);
        for (stage, &share) in self.stages.iter().zip(&self.shares) {
            let total = total(stage, &self.things);
            let of_things: f64 = stage.members.iter().flatten().map(|member| member.weight / total).sum();
            let number = stage.members.iter().flatten().count() as f64;
            for h in 0..stage.strata {
                let own = || (0..centred.len()).filter_map(|c| Some((c, stage.members[c].filter(|m| m.stratum == h)?)));
                let n = own().filter(|(c, _)| has[*c]).count() as f64;
                if n == 0.0 {
                    continue;
                }
                let in_stratum = own().count() as f64;
                let u = |c: usize, m: Member| m.weight / total * centred[c];
                let mean = own().map(|(c, m)| u(c, m)).sum::<f64>() / in_stratum;
                let small = in_stratum / (in_stratum - 1.0).max(1.0);
                let drawn: f64 = own().map(|(c, m)| (1.0 - m.fraction) * (u(c, m) - mean).powi(2)).sum::<f64>() * small;
                let of_all =
                    own().map(|(c, m)| m.weight / total * centred[c].powi(2)).sum::<f64>() * of_things * number
                        / (number - 1.0).max(1.0)
                        / self.population;
                let part = share * share * drawn + share * of_all;
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
            things: own_weights().count(),
            items,
            effective: sum * sum / square,
        }
    }
}

impl Linear {
    /// Why there is too little for an interval; `None` where there is enough.
    fn lacking(&self) -> Option<Estimable> {
        if self.things < LEAST_ITEMS {
            return Some(too_few(self.things, self.items));
        }
        // Rounding of weights that are alike is no lack.
        (self.effective < LEAST_ITEMS as f64 - 1e-6).then(|| {
            Estimable::not(format!(
                "{} items have what it takes, but so few of them were drawn at random that they tell as much of new items as {:.0} random \
                 ones, and an interval needs {LEAST_ITEMS}: raise --explore of the next queue",
                self.items, self.effective
            ))
        })
    }

    /// Hall's interval, the squared standard error raised by a share.
    fn interval(&self, raised: f64) -> ItemEstimate {
        self.around(self.skewness, raised)
    }

    /// The wider of Hall's interval and Student's on either side.
    fn wider(&self, raised: f64) -> ItemEstimate {
        let (hall, plain) = (self.around(self.skewness, raised), self.around(0.0, raised));
        ItemEstimate { lo: hall.lo.min(plain.lo), hi: hall.hi.max(plain.hi), ..hall }
    }

    fn around(&self, skewness: f64, raised: f64) -> ItemEstimate {
        let t = student_quantile(UPPER, self.freedom);
        let standard_error = (self.variance * (1.0 + raised)).sqrt();
        let back = |x: f64| match skewness.abs() < 1e-6 {
            true => x,
            false => 3.0 / skewness * ((1.0 + skewness * (x - skewness / 6.0)).cbrt() - 1.0),
        };
        let (lo, hi) = (self.value - standard_error * back(t), self.value - standard_error * back(-t));
        ItemEstimate { value: self.value, standard_error, lo, hi, items: self.items }
    }

    /// Wilson's interval.
    fn wilson(&self) -> ItemEstimate {
        let p = self.value.clamp(0.0, 1.0);
        let alike = p * (1.0 - p) / self.variance;
        let m = if alike.is_finite() && alike > 0.0 { alike.max(self.effective) } else { self.effective };
        let freedom = if self.variance > 0.0 { self.freedom } else { self.effective - 1.0 };
        let t = student_quantile(UPPER, freedom);
        let (t2, centre) = (t * t, p + t * t / (2.0 * m));
        let reach = t * (p * (1.0 - p) / m + t2 / (4.0 * m * m)).sqrt();
        let [lo, hi] = [centre - reach, centre + reach].map(|end| (end / (1.0 + t2 / m)).clamp(0.0, 1.0));
        ItemEstimate { value: p, standard_error: self.variance.sqrt(), lo, hi, items: self.items }
    }
}

/// The values that are there.
fn known(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().copied().flatten().collect()
}

/// Sum over items of a stage's weights.
fn total(stage: &Stage, things: &[usize]) -> f64 {
    things.iter().filter_map(|&thing| stage.members[thing]).map(|member| member.weight).sum()
}

/// Numbers things from 0 without gaps, in the order in which they first appear.
fn numbered(things: &[usize]) -> Vec<usize> {
    let mut known = std::collections::HashMap::new();
    let number = |thing: &usize| {
        let next = known.len();
        *known.entry(*thing).or_insert(next)
    };
    things.iter().map(number).collect()
}

fn estimated(found: Result<Linear, Estimable>, interval: impl Fn(&Linear) -> ItemEstimate) -> Estimable {
    found.map_or_else(|not| not, |found| Estimable::Estimated(interval(&found)))
}

fn too_few(things: usize, items: usize) -> Estimable {
    match things == items {
        true => {
            Estimable::not(format!("{items} items have what it takes, and an interval over items needs {LEAST_ITEMS}"))
        }
        false => Estimable::not(format!(
            "{items} items have what it takes, which are about {things} things, and an interval over things needs {LEAST_ITEMS}"
        )),
    }
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

    fn alike(a: &Estimable, b: &Estimable) {
        let (a, b) = (found(a), found(b));
        for (a, b) in [(a.value, b.value), (a.standard_error, b.standard_error), (a.lo, b.lo), (a.hi, b.hi)] {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} for {b}");
        }
        assert_eq!(a.items, b.items);
    }

    /// Items drawn at random, one a thing: nothing differs from plain means over items, whether the population ends or
    /// not.
    #[test]
    fn a_random_sample_of_single_items_is_what_it_was() {
        let values: Vec<f64> = (0..24).map(|i| f64::from(i * i) / 100.0).collect();
        let shares: Vec<f64> = (0..24).map(|i| f64::from(i % 3) / 2.0).collect();
        let rows: Vec<Vec<f64>> = (0..24)
            .map(|i| [i % 2 == i % 3 % 2, i % 2 == 1, i % 3 == 1].map(|yes| f64::from(u8::from(yes))).to_vec())
            .collect();
        let kappa = |m: &[f64]| {
            let chance = m[1] * m[2] + (1.0 - m[1]) * (1.0 - m[2]);
            (chance < 1.0).then(|| (m[0] - chance) / (1.0 - chance))
        };
        let stage = Stage::try_stratified(&[Some(0); 24], &[60]).unwrap();
        let designs = [
            SamplingDesign::random((100..124).collect()),
            SamplingDesign::from_stages((0..24).collect(), vec![stage], 60).unwrap(),
        ];
        for design in designs {
            assert!(design.is_simple());
            let of = |values: &[f64]| design.of_mean(&some(values)).unwrap();
            let same = |found: ItemEstimate, plain: &Estimable| alike(&Estimable::Estimated(found), plain);
            same(of(&values).interval(0.0), &design.mean(&some(&values)));
            same(of(&values).wider(0.0), &design.square(&some(&values)));
            same(of(&values).wider(FITS / 24.0), &design.difference(&some(&values), true));
            same(of(&shares).wilson(), &design.share(&some(&shares)));
            let rows: Vec<Option<Vec<f64>>> = rows.iter().cloned().map(Some).collect();
            alike(&design.weighted_function(&rows, &kappa), &design.function(&rows, kappa));
        }
    }

    /// All samples that could have been drawn from eight items in two stages, the second of which takes what the
    /// labels of the first
    /// make look worth it: the mean of the estimates is that of the items, exactly.
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
                let design = SamplingDesign::from_stages((0..5).collect(), vec![one, two], 8).unwrap();
                assert!(!design.is_simple() && (design.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
                sum += design.plain_mean(&items.map(|i| Some(values[i]))).unwrap();
                naive += items.iter().map(|&i| values[i]).sum::<f64>() / 5.0;
                count += 1.0;
            }
        }
        assert!((sum / count - truth).abs() < 1e-12, "{} for {truth}", sum / count);
        assert!((naive / count - truth).abs() > 0.1, "{}", naive / count);
    }

    /// Strata, unequal probabilities and things as NumPy has them from the textbooks' formulas, things also as the
    /// package statsmodels has
    /// their robust variance (`tests/golden/sampling/make.py`).
    #[test]
    fn designs_as_computed_elsewhere() {
        let golden: Value =
            serde_json::from_str(include_str!("../../../../tests/golden/sampling/expected.json")).unwrap();
        let numbers = |of: &Value| of.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
        for case in golden["cases"].as_array().unwrap() {
            let name = case["name"].as_str().unwrap();
            let values = some(&numbers(&case["values"]));
            let things: Vec<usize> = numbers(&case["things"]).into_iter().map(|x| x as usize).collect();
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
                true => SamplingDesign::random(things),
                false => SamplingDesign::from_stages(things, stages, population).unwrap(),
            };
            let got = found(&design.mean(&values));
            for (got, key) in
                [(got.value, "mean"), (got.standard_error, "standard_error"), (got.lo, "lo"), (got.hi, "hi")]
            {
                let expected = case[key].as_f64().unwrap();
                assert!((got - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{name}: {key} {got} for {expected}");
            }
        }
    }

    /// A queue that takes the items of highest values and draws a few of the others: 0.95 of the intervals hold, up to
    /// three standard
    /// errors of 400 studies, where plain means hold in none.
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
            let design = SamplingDesign::from_stages((0..all.len()).collect(), stages, items).unwrap();
            let own: Vec<f64> = all.iter().map(|&i| values[i]).collect();
            let (own, plain) = (found(&design.mean(&some(&own))), found(&item_mean(&own)));
            held += usize::from((own.lo..=own.hi).contains(&2.0));
            plainly += usize::from((plain.lo..=plain.hi).contains(&2.0));
        }
        assert!((367..=393).contains(&held) && plainly < 100, "{held} of 400, plainly {plainly}");
    }

    #[test]
    fn what_a_design_does_not_carry_has_a_reason() {
        assert!(matches!(Stage::try_unequal(&[Some(0.5), Some(0.0)]), Err(NotAStage::NoChance { things: 1, of: 2 })));
        assert!(matches!(
            Stage::try_stratified(&[Some(0), Some(1)], &[1, 9]),
            Err(NotAStage::TooFew { came_back: 1, of: 9 })
        ));
        assert!(SamplingDesign::from_stages(vec![0], vec![], 4).is_none());
        // Thirty certain items, and three that stand for 600.
        let strata: Vec<Option<usize>> = (0..33).map(|k| Some(usize::from(k >= 30))).collect();
        let stage = Stage::try_stratified(&strata, &[30, 600]).unwrap();
        let design = SamplingDesign::from_stages((0..33).collect(), vec![stage], 630).unwrap();
        let values: Vec<Option<f64>> = (0..33).map(|k| Some(f64::from(k % 5))).collect();
        assert!(design.mean(&values).reason().unwrap().contains("raise --explore"), "{:?}", design.mean(&values));
        // Chosen by a rule: the mean of these, and nothing of others.
        let chosen = SamplingDesign::unknown((0..33).collect(), "these 33 items were chosen by info");
        let told = chosen.mean(&values);
        assert!(told.estimate().is_none() && told.reason().unwrap().contains("by info"));
        assert!((told.described().unwrap() - 63.0 / 33.0).abs() < 1e-12);
        // Forty rows about eight things.
        let few = SamplingDesign::random((0..40).map(|k| k / 5).collect());
        let values: Vec<Option<f64>> = (0..40).map(|k| Some(f64::from(k % 7))).collect();
        assert!(few.mean(&values).reason().unwrap().contains("about 8 things"));
    }
}

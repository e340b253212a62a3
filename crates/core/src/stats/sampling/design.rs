//! A sampling design with what is estimated under it.

use super::linear::Linear;
use super::stage::{Member, Stage};
use crate::stats::crossed::{LabelScore, crossed};
use crate::stats::mean;
use crate::stats::over_items::{
    Estimable, ItemEstimate, item_difference, item_function, item_mean, item_share, item_square, too_few,
};

/// Items at which the fits of folds add as much variation as the items have, see [`item_difference`].
const FITS: f64 = 40.0;
/// Random items with labels off the commonest class that a mean takes, where fewer than [`MOST_OFF`] of all labels are
/// off it.
const LEAST_OFF: f64 = 10.0;
/// Share of labels off the commonest class from which a sample of the least size has enough of them.
const MOST_OFF: f64 = 0.1;

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
    /// Why they say nothing of means over new items, though of shares; `None` where they do.
    alike: Option<String>,
}

impl SamplingDesign {
    /// Items drawn at random, `things` saying which belong together: the same number for items of one thing.
    pub fn random(things: Vec<usize>) -> Self {
        let things = numbered(&things);
        let number = things.iter().max().map_or(0, |last| last + 1);
        Self::combined(things, vec![Stage::random(number)], f64::INFINITY)
    }

    /// Items that were chosen in stages; `things` numbers the thing of each item from 0 without gaps, as the members of
    /// the stages are numbered, and `population` is the number of things that the study has. `None` without a stage.
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
            let total = stage.total(&things);
            let of_stage = weights.iter_mut().zip(&stage.members);
            of_stage.for_each(|(weight, member)| *weight += member.map_or(0.0, |m| share * m.weight / total));
        }
        Self { things, stages, shares, population, weights, unknown: None, alike: None }
    }

    /// Items that were chosen in a way that says nothing of new ones, because of this `reason`: what is had from them
    /// describes them.
    pub fn unknown(things: Vec<usize>, reason: impl Into<String>) -> Self {
        Self { unknown: Some(reason.into()), ..Self::random(things) }
    }

    /// The design with what is known of labels: `classes` has the share of each class among the labels of an item,
    /// `None` without any.
    ///
    /// Where nearly all labels name one class, a mean of scores rests on the few items whose labels do not, and a
    /// sample that happens to hold none of them looks certain. So means (not shares, whose intervals allow for what was
    /// not seen, and not differences, in which much of that cancels) take 10 random items off the commonest class, or
    /// 10% of labels: p n with p the weighted share of labels off that class and n the number of items of equal weight
    /// that would tell as much.
    pub fn with_classes(mut self, classes: &[Option<Vec<f64>>]) -> Self {
        let Some(shares) = self.plain_means(classes) else { return self };
        let off = 1.0 - shares.iter().copied().fold(0.0, f64::max);
        let square: f64 = self.weights.iter().map(|weight| weight * weight).sum();
        let number = off * self.weights.iter().sum::<f64>().powi(2) / square;
        self.alike = (off < MOST_OFF && number < LEAST_OFF).then(|| {
            format!(
                "{:.1}% of labels are off the commonest class, as many as {number:.0} random items tell of, and a mean \
                 that rests on such items takes {LEAST_OFF} of them: label more items",
                100.0 * off
            )
        });
        self
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
        self.unknown.is_none() && first.is_some() && members.all(|member| *member == first)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.things.len()
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

    /// What is said of a mean that may rest on few items, see [`Self::with_classes`].
    fn of_scores(&self, values: &[Option<f64>], estimate: impl FnOnce() -> Estimable) -> Estimable {
        self.said(self.plain_mean(values), || self.alike.as_ref().map_or_else(estimate, Estimable::not))
    }

    /// The mean over new items of a number that some of the items have; its interval is Hall's.
    pub fn mean(&self, values: &[Option<f64>]) -> Estimable {
        self.of_scores(values, || match self.is_simple() {
            true => item_mean(&known(values)),
            false => estimated(self.of_mean(values), |found| found.interval(0.0)),
        })
    }

    /// The mean over new items of a squared difference: the wider of Hall's interval and Student's on either side.
    pub fn square(&self, values: &[Option<f64>]) -> Estimable {
        self.of_scores(values, || match self.is_simple() {
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
    /// vary alike, no fewer than the effective number of things and no more than random things of that number and
    /// spread would be worth (Korn and Graubard 1998): where the few rare answers were all found by rank, the variance
    /// by itself is too small.
    pub fn share(&self, values: &[Option<f64>]) -> Estimable {
        self.said(self.plain_mean(values), || match self.linear_mean(values) {
            _ if self.is_simple() => item_share(&known(values)),
            Ok(found) => found.lacking().unwrap_or_else(|| {
                let spread = self.spread(values, found.value);
                Estimable::Estimated(found.wilson(values.iter().copied().flatten(), spread))
            }),
            Err(not) => not,
        })
    }

    /// Weighted mean over things of their squared distance from the mean.
    fn spread(&self, values: &[Option<f64>], mean: f64) -> f64 {
        let (mut sums, mut rows) = (vec![0.0; self.weights.len()], vec![0.0; self.weights.len()]);
        for (value, &thing) in values.iter().zip(&self.things) {
            if let Some(value) = value {
                (sums[thing], rows[thing]) = (sums[thing] + value - mean, rows[thing] + 1.0);
            }
        }
        let each = || self.weights.iter().zip(sums.iter().zip(&rows)).filter(|(_, (_, rows))| **rows > 0.0);
        each().map(|(weight, (sum, rows))| weight * sum * sum / rows).sum::<f64>()
            / each().map(|(weight, (_, rows))| weight * rows).sum::<f64>()
    }

    /// A function of means over items, such as an agreement beyond chance; `rows` has the same numbers for each item
    /// that has any.
    ///
    /// With f_c the function without thing c, whose items have the weight w_c together, its influence is (f - f_c)(1 -
    /// w_c)/w_c: the jackknife over things (Tukey 1958; with weights Berger 2007, "A jackknife variance estimator for
    /// unistage stratified samples").
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

    /// The mean over new items labelled by new annotators, of what the labels of these items give, an item's alike:
    /// annotators vary as items do, crossed with them ([`crate::stats::crossed`]). `over_items` is what is said of the
    /// means of the items for labels by the annotators at hand; without an estimate there, there is none here. The
    /// interval is the wider of Hall's and Student's on either side, the skewness being that of the items' part.
    pub fn crossed(
        &self,
        labels: &[LabelScore],
        over_items: impl FnOnce(&Self, &[Option<f64>]) -> Estimable,
    ) -> Estimable {
        let (mut sums, mut numbers) = (vec![0.0; self.len()], vec![0.0; self.len()]);
        for label in labels {
            sums[label.item] += label.value;
            numbers[label.item] += 1.0;
        }
        let means = sums.iter().zip(&numbers).map(|(sum, number)| (*number > 0.0).then(|| sum / number));
        let means: Vec<Option<f64>> = means.collect();
        let not = over_items(self, &means);
        if not.estimate().is_none() {
            return not;
        }
        let linear = match self.linear_mean(&means) {
            Ok(linear) => linear,
            Err(not) => return not,
        };
        let weights = self.weights();
        let all: f64 = weights.iter().zip(&means).filter(|(_, mean)| mean.is_some()).map(|(weight, _)| weight).sum();
        let part = |label: &LabelScore| LabelScore {
            item: self.things[label.item],
            value: weights[label.item] * (label.value - linear.value) / (numbers[label.item] * all),
            ..*label
        };
        let parts = labels.iter().filter(|label| weights[label.item] > 0.0).map(part);
        match crossed(linear.value, (linear.variance, linear.freedom), parts) {
            Ok((variance, freedom)) => {
                let skewness = linear.skewness * (linear.variance / variance).powf(1.5);
                Estimable::Estimated(Linear { variance, freedom, skewness, ..linear }.wider(0.0))
            }
            Err(not) => not,
        }
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
    /// things have a part in it.
    fn linear(&self, value: f64, influence: &[f64], has: &[bool], items: usize) -> Linear {
        let centre: f64 = self.weights.iter().zip(influence).map(|(w, z)| w * z).sum::<f64>()
            / self.weights.iter().zip(has).filter(|(_, has)| **has).map(|(w, _)| w).sum::<f64>();
        let centred: Vec<f64> = influence.iter().zip(has).map(|(z, has)| if *has { z - centre } else { 0.0 }).collect();
        let (mut variance, mut squares, mut third) = (0.0, 0.0, 0.0);
        for (stage, &share) in self.stages.iter().zip(&self.shares) {
            let total = stage.total(&self.things);
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

/// The values that are there.
fn known(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().copied().flatten().collect()
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

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

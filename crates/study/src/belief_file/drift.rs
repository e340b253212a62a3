//! How what the judge says and the features of a fit were distributed, and how far further items have moved from that.

use judge_uncertainty_core::stats::estimator::Design;
use judge_uncertainty_core::stats::normal::normal_quantile;
use serde::{Deserialize, Serialize};

/// The population stability index above which items count as shifted if chance alone gives less: the usual threshold.
const SHIFTED: f64 = 0.1;

/// A quantity over the items of a fit, in bins between its deciles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The quantity: a feature by its name, or what the judge says (`judge_entropy`, `q_CLASS`, `judge_mean`,
    /// `judge_sd`).
    pub name: String,
    /// Upper ends of all bins but the last, ascending.
    pub edges: Vec<f64>,
    /// Items in each bin: one more than `edges`.
    pub counts: Vec<u64>,
    /// Items without the quantity.
    pub missing: u64,
    /// Lowest value of a labelled item (of any item where none is labelled); `None` where no item has one.
    pub low: Option<f64>,
    /// Highest value.
    pub high: Option<f64>,
    /// How many items of a cluster tell as much as one on its own, 1 or more: 1 + (m - 1) r with m the size of the cluster of an
    /// average item and r how alike the bins of one cluster are ([`Design::alike()`]; Rao and Scott 1981, "The analysis of
    /// categorical data from complex sample surveys").
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub effect: f64,
}

fn one() -> f64 {
    1.0
}

fn is_one(effect: &f64) -> bool {
    *effect == 1.0
}

/// Further items in the bins of a [`Baseline`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Items in each bin.
    pub counts: Vec<u64>,
    /// Items without the quantity.
    pub missing: u64,
    /// Items below the lowest or above the highest value of the fit.
    pub outside: u64,
}

/// How far a quantity has moved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// The quantity.
    pub name: String,
    /// Population stability index of further items against those of the fit, in nats:
    ///
    /// ```text
    /// PSI = sum over bins of (a - e) ln(a / e)        a = (n_bin + d/2) / (n + d B/2)
    /// ```
    ///
    /// with d the effect of clusters ([`Baseline::effect`]), the share a of a bin among the n further items, e the same among those of the fit, and B bins, of which
    /// items without the quantity are one where there are such. `None` without items.
    pub psi: Option<f64>,
    /// What it is on average if nothing has moved, (B - 1)(1/n + 1/m) with m items in the fit, times the effect of clusters in
    /// the fit: sampling alone.
    pub psi_by_chance: Option<f64>,
    /// Bins less one, B - 1.
    #[serde(skip)]
    pub freedom: usize,
    /// Share of further items that have the quantity below its lowest or above its highest value in the fit.
    pub outside: Option<f64>,
    /// Share of further items without the quantity.
    pub missing: Option<f64>,
}

/// Bins that the items of a fit are divided into, as far as their values differ.
const BINS: usize = 10;

impl Baseline {
    /// The distribution of a quantity; `labelled` says which items are, `clusters` has the number of each one's cluster.
    ///
    /// # Panics
    /// If there is not one entry of `labelled` and of `clusters` per value.
    pub fn new(name: impl Into<String>, values: &[Option<f64>], labelled: &[bool], clusters: &[usize]) -> Self {
        assert_eq!(values.len(), labelled.len(), "labelled or not, of every item");
        let mut present: Vec<f64> = values.iter().flatten().copied().collect();
        present.sort_by(f64::total_cmp);
        let mut edges: Vec<f64> = (1..BINS).filter_map(|k| present.get(k * present.len() / BINS)).copied().collect();
        edges.dedup();
        // A last bin above the highest value would be empty.
        edges.retain(|edge| present.last().is_some_and(|highest| edge < highest));
        let any = labelled.iter().zip(values).any(|(labelled, value)| *labelled && value.is_some());
        let known = || values.iter().zip(labelled).filter(|(_, labelled)| **labelled || !any).filter_map(|(x, _)| *x);
        let mut of_fit = Self {
            name: name.into(),
            counts: vec![],
            missing: 0,
            low: known().reduce(f64::min),
            high: known().reduce(f64::max),
            edges,
            effect: 1.0,
        };
        let mut tally = of_fit.tally();
        values.iter().for_each(|value| tally.add(&of_fit, *value));
        (of_fit.counts, of_fit.missing) = (tally.counts, tally.missing);
        let mut sizes = vec![0.0; clusters.iter().max().map_or(0, |last| last + 1)];
        clusters.iter().for_each(|&cluster| sizes[cluster] += 1.0);
        let size = sizes.iter().map(|size| size * size).sum::<f64>() / values.len().max(1) as f64;
        if size > 1.0 {
            let bins = of_fit.edges.len() + 2;
            let rows: Vec<Vec<f64>> =
                (0..bins).map(|k| (0..bins).map(|j| f64::from(u8::from(j == k))).collect()).collect();
            let bin = |item: usize| values[item].map_or(bins - 1, |x| of_fit.bin(x));
            let [alike, error] = Design::random(clusters.to_vec()).alike(|item| Some(&rows[bin(item)]));
            of_fit.effect = 1.0 + (size - 1.0) * (alike.max(0.0) + error).min(1.0);
        }
        of_fit
    }

    /// The bin of a value.
    fn bin(&self, value: f64) -> usize {
        self.edges.partition_point(|edge| *edge < value)
    }

    /// An empty tally of further items.
    pub fn tally(&self) -> Tally {
        Tally { counts: vec![0; self.edges.len() + 1], ..Tally::default() }
    }

    /// Whether it belongs together, in words.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<(), String> {
        let finite = self.edges.iter().chain(&self.low).chain(&self.high).all(|x| x.is_finite());
        match () {
            () if !(self.effect.is_finite() && self.effect >= 1.0) => {
                Err("has an effect of clusters below 1".to_owned())
            }
            () if !finite => Err("has a number that is not finite".to_owned()),
            () if !self.edges.is_sorted_by(|a, b| a < b) => Err("has edges that do not ascend".to_owned()),
            () if self.counts.len() != self.edges.len() + 1 => {
                Err(format!("has {} counts between {} edges", self.counts.len(), self.edges.len()))
            }
            () if self.counts.iter().chain([&self.missing]).any(|n| *n > 1 << 52) => {
                Err("counts more items than there can be".to_owned())
            }
            () if self.low.is_some() != self.high.is_some() || self.low > self.high => {
                Err("has a lowest value above its highest".to_owned())
            }
            () => Ok(()),
        }
    }

    /// How far the items of a tally are from those of the fit.
    pub fn drift(&self, tally: &Tally) -> Drift {
        let further: u64 = tally.counts.iter().sum::<u64>() + tally.missing;
        let fitted: u64 = self.counts.iter().sum::<u64>() + self.missing;
        let share = |count: u64, of: u64| (of > 0).then(|| count as f64 / of as f64);
        let none_missing = self.missing == 0 && tally.missing == 0;
        let bins = self.counts.len() + usize::from(!none_missing);
        let mut drift = Drift {
            name: self.name.clone(),
            psi: None,
            psi_by_chance: None,
            freedom: bins - 1,
            outside: share(tally.outside, further - tally.missing),
            missing: share(tally.missing, further),
        };
        if further == 0 || fitted == 0 {
            return drift;
        }
        let of_bin =
            |count: u64, all: u64| (count as f64 + 0.5 * self.effect) / (all as f64 + 0.5 * self.effect * bins as f64);
        let last = (!none_missing).then_some((&self.missing, &tally.missing));
        let pairs = self.counts.iter().zip(&tally.counts).chain(last);
        let term = |(e, a): (&u64, &u64)| {
            let (e, a) = (of_bin(*e, fitted), of_bin(*a, further));
            (a - e) * (a / e).ln()
        };
        drift.psi = Some(pairs.map(term).sum());
        drift.psi_by_chance = Some(self.effect * (bins - 1) as f64 * (1.0 / further as f64 + 1.0 / fitted as f64));
        drift
    }
}

impl Drift {
    /// Whether the index is beyond the usual threshold, 0.1, and beyond what chance gives for any of so many quantities in one
    /// of 20 applications: (1/n + 1/m), times the effect of clusters, times a chi-squared of B - 1 degrees of freedom, by Wilson and Hilferty's
    /// approximation (1931, "The distribution of chi-square").
    pub fn is_shifted(&self, among: usize) -> bool {
        let (Some(psi), Some(chance)) = (self.psi, self.psi_by_chance) else { return false };
        let part = 2.0 / (9.0 * self.freedom.max(1) as f64);
        let beyond = (1.0 - part + normal_quantile(1.0 - 0.05 / among.max(1) as f64) * part.sqrt()).powi(3);
        psi > SHIFTED.max(beyond * chance)
    }
}

impl Tally {
    /// Counts an item.
    pub fn add(&mut self, baseline: &Baseline, value: Option<f64>) {
        let Some(value) = value else {
            self.missing += 1;
            return;
        };
        self.counts[baseline.bin(value)] += 1;
        let outside = baseline.low.is_none_or(|low| value < low) || baseline.high.is_none_or(|high| value > high);
        self.outside += u64::from(outside);
    }

    /// Adds the items of another tally of the same baseline.
    pub fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, n)| *sum += n);
        self.missing += other.missing;
        self.outside += other.outside;
    }
}

#[cfg(test)]
mod tests {
    use judge_uncertainty_core::random::Stream;
    use judge_uncertainty_core::stats::mean;

    use super::*;

    #[test]
    fn by_hand() {
        let values: Vec<Option<f64>> = [0.0, 0.0, 0.0, 1.0].map(Some).to_vec();
        let baseline = Baseline::new("x", &values, &[true, true, false, true], &[0, 1, 2, 3]);
        assert_eq!((baseline.edges.as_slice(), baseline.counts.as_slice()), (&[0.0][..], &[3, 1][..]));
        assert_eq!((baseline.low, baseline.high), (Some(0.0), Some(1.0)));
        let mut tally = baseline.tally();
        [Some(0.0), Some(2.0), Some(-1.0), None].into_iter().for_each(|x| tally.add(&baseline, x));
        assert_eq!((tally.counts.as_slice(), tally.missing, tally.outside), (&[2, 1][..], 1, 2));
        let drift = baseline.drift(&tally);
        // Shares (3.5, 1.5, 0.5) and (2.5, 1.5, 1.5) of 5.5.
        let term = |e: f64, a: f64| (a - e) / 5.5 * (a / e).ln();
        let psi = term(3.5, 2.5) + term(0.5, 1.5);
        assert!((drift.psi.unwrap() - psi).abs() < 1e-12, "{drift:?}");
        assert_eq!((drift.outside, drift.missing), (Some(2.0 / 3.0), Some(0.25)));
        let mut twice = tally.clone();
        twice.merge(&tally);
        assert_eq!((twice.counts, twice.outside), (vec![4, 2], 4));
        assert_eq!(baseline.drift(&baseline.tally()).psi, None);
    }

    /// Two samples of one population: the index is on average what is stated, and much more where the second has moved.
    #[test]
    fn what_chance_gives_is_what_is_stated() {
        let mut stream = Stream::new(3);
        let (fitted, further) = (400, 1000);
        let mut draw =
            |n: usize, shift: f64| -> Vec<Option<f64>> { (0..n).map(|_| Some(stream.random() + shift)).collect() };
        let mut of = |shift: f64| {
            let baseline =
                Baseline::new("x", &draw(fitted, 0.0), &vec![true; fitted], &(0..fitted).collect::<Vec<_>>());
            let mut tally = baseline.tally();
            draw(further, shift).into_iter().for_each(|x| tally.add(&baseline, x));
            baseline.drift(&tally)
        };
        let by_chance = of(0.0).psi_by_chance.unwrap();
        let found = mean(&(0..600).map(|_| of(0.0).psi.unwrap()).collect::<Vec<_>>());
        assert!((found / by_chance - 1.0).abs() < 0.1, "{found} for {by_chance}");
        assert!((0..20).all(|_| of(0.3).psi.unwrap() > 10.0 * by_chance));
    }

    /// Thirty further answers of two classes, and of four, against the 200 of a fit: what has not moved is called moved in one of
    /// 20 applications at most, and the answers of a judge that has turned round in all.
    #[test]
    fn few_further_items_are_seldom_called_moved_by_chance() {
        for classes in [2_u32, 4] {
            let mut stream = Stream::new(u64::from(classes));
            let mut is_told = |shift: f64| {
                let mut draw = |n: usize, shift: f64| -> Vec<u32> {
                    (0..n).map(|_| if stream.random() < shift { 0 } else { stream.choice(classes) }).collect()
                };
                let (fitted, further) = (draw(200, 0.0), draw(30, shift));
                (0..classes).any(|class| {
                    let is = |of: &u32| Some(f64::from(u8::from(*of == class)));
                    let clusters: Vec<usize> = (0..200).collect();
                    let baseline =
                        Baseline::new("x", &fitted.iter().map(is).collect::<Vec<_>>(), &[true; 200], &clusters);
                    let mut tally = baseline.tally();
                    further.iter().for_each(|answer| tally.add(&baseline, is(answer)));
                    baseline.drift(&tally).is_shifted(classes as usize)
                })
            };
            let told = [0.0, 1.0].map(|shift| (0..400).filter(|_| is_told(shift)).count());
            assert!(told[0] <= 26 && told[1] == 400, "{classes}: {told:?} of 400");
        }
    }

    /// Rows of 60 further conversations of 10 against 40 of a fit, whose confidence a conversation shares in part or as a whole:
    /// what has not moved is called moved in one of 20 applications at most (of 400, and three standard errors), and what has
    /// moved by half the range always.
    #[test]
    fn conversations_are_seldom_called_moved_by_chance() {
        for share in [0.0, 0.5, 1.0] {
            let mut stream = Stream::new(5);
            let mut is_told = |shift: f64| {
                let mut draw = |talks: usize, shift: f64| -> Vec<Option<f64>> {
                    let talk = |_| {
                        let own = stream.random();
                        (0..10).map(|_| Some(shift + share * own + (1.0 - share) * stream.random())).collect::<Vec<_>>()
                    };
                    (0..talks).flat_map(talk).collect()
                };
                let (fitted, further) = (draw(40, 0.0), draw(60, shift));
                let clusters: Vec<usize> = (0..400).map(|row| row / 10).collect();
                let baseline = Baseline::new("x", &fitted, &[true; 400], &clusters);
                let mut tally = baseline.tally();
                further.iter().for_each(|x| tally.add(&baseline, *x));
                baseline.drift(&tally).is_shifted(1)
            };
            let told = [0.0, 0.5].map(|shift| (0..400).filter(|_| is_told(shift)).count());
            assert!(told[0] <= 33 && told[1] == 400, "{share}: {told:?} of 400");
        }
    }
}

//! Which map: by labels held out, with more evidence asked of a map the more it could do harm.

use std::collections::{BTreeMap, BTreeSet};

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::fitted::Map;
use super::fitting::{fit, fit_where};
use super::guesses::Shares;
use super::layout::Unavailable;
use super::names::MapName;
use crate::belief::fixed_point::ENOUGH_TO_COMPARE;
use crate::belief::judged::JudgedItems;
use crate::belief::trust::TrustError;
use crate::random::Stream;
use crate::stats::{mean, sample_sd};

/// With fewer labelled things than this the prediction is taken as it is: folds would be a handful of items.
const FEWEST: usize = 10;

/// How the map is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Folds {
    /// Folds of the cross-validation, at least 2.
    pub folds: u32,
    /// Seed of the draw of the folds.
    pub seed: u64,
    /// Whether [`MapName::Mixture`] is among the maps.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mixture: bool,
}

impl Default for Folds {
    fn default() -> Self {
        Self { folds: 5, seed: 0, mixture: false }
    }
}

/// A map's held-out likelihood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The map.
    pub map: MapName,
    /// Number of its parameters that the labels want, in the fold with most.
    pub parameters: usize,
    /// Held-out log-likelihood in nats per labelled item, without multinomial coefficients.
    pub held_out: f64,
    /// By how much that is below the best map's.
    pub below_best: f64,
    /// Standard error of that difference, over labelled things.
    pub se: f64,
    /// Whether it is within one standard error of the best.
    pub within_one_se: bool,
}

/// The choice of a map with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapChoice {
    /// The map that was taken.
    pub chosen: MapName,
    /// The one with the highest held-out likelihood; `None` where there were too few labels to compare any.
    pub best: Option<MapName>,
    /// Labelled items that were held out, each once.
    pub labelled_items: usize,
    /// How the folds were drawn.
    pub folds: Folds,
    /// The maps that were compared, the simplest first.
    pub candidates: Vec<Candidate>,
    /// Maps that were not, and why.
    pub left_out: Vec<(MapName, Unavailable)>,
    /// Whether a map that was carried over is where they all start; `None` without one, or with too few labels to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<CarriedChoice>,
}

/// Whether the best of the maps of few parameters on top of a carried one makes labels held out likelier than the best of them without it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CarriedChoice {
    /// Whether it is kept: where it is ahead at all.
    pub kept: bool,
    /// By how much it is ahead in held-out log-likelihood, in nats per labelled item.
    pub ahead: f64,
    /// Standard error of that, over labelled things.
    pub se: f64,
}

/// Chooses a map by the labels, and fits it to all of them.
///
/// The labelled items are dealt at random into folds, group by group so that every fold has its share of each, twins together.
/// Each map is fitted to the other folds, its variances by their marginal likelihood alone, and its log-likelihood of the labels held
/// out is summed up. Differences between maps have a standard error over things (items, or twins together), and by it
///
/// 1. [`MapName::Temperature`] (of places [`MapName::Line`] where that is likelier), or [`MapName::Smoothing`] where that is ahead of it by more
///    than one standard error, is taken rather than the prediction as it is where it is ahead by more than one (of ratings [`MapName::Line`] is
///    the one map of few parameters);
/// 2. a map of many parameters is taken rather than that where the best of them is ahead by more than two: the simplest of them
///    within one of the best.
///
/// Two, because the best of several is ahead by chance more often, and because a map of many parameters does most harm where it is
/// wrong. Source of the rule of one standard error: Breiman and others (1984), "Classification and regression trees", 3.4.3; here it is that of
/// the paired difference.
///
/// A map that is carried over ([`super::Carried`]) is where all of these start, if the best of those of few parameters on top of it makes labels held
/// out likelier than the best of them without it; otherwise it is left out and they start from the prediction. With fewer labelled things than
/// are compared it is kept.
///
/// That another map might have been chosen is not part of the belief: it is the chosen map's, as if that had been given.
///
/// # Errors
/// Tables of different shapes, or a prediction that is not strictly positive.
///
/// # Panics
/// If there are fewer than two folds.
pub fn choose(items: &JudgedItems, counts: ArrayView2<u32>, folds: Folds) -> Result<(Map, MapChoice), TrustError> {
    assert!(folds.folds >= 2, "cross-validation needs at least two folds");
    let mut items = *items;
    items.check(counts)?;
    let things = Things { twins: items.twins, groups: items.groups };
    let labelled: Vec<bool> = counts.rows().into_iter().map(|labels| labels.sum() > 0).collect();
    let dealt = deal(&things, &labelled, folds);
    let labelled = positions(&labelled);
    let new_shares = || vec![Shares::default(); folds.folds as usize];
    let (mut tries, mut shares) = (Tries::default(), new_shares());
    let mut carried = None;
    let placed = |name: &MapName| *name != MapName::Line || !items.places.is_empty();
    let (many, few): (Vec<_>, Vec<_>) =
        MapName::of_classes().filter(placed).partition(|name| name.has_many_parameters());
    if things.among(&labelled) >= FEWEST {
        tries.add(&few, |name| held_out_log_likelihoods(name, &items, counts, &dealt, &mut shares))?;
        if items.carried.is_some() {
            let plain = JudgedItems { carried: None, ..items };
            let (mut without, mut own) = (Tries::default(), new_shares());
            without.add(&few, |name| held_out_log_likelihoods(name, &plain, counts, &dealt, &mut own))?;
            let Lead { by, se } = lead(&things, &labelled, tries.best(&labelled), without.best(&labelled));
            carried = Some(CarriedChoice { kept: by > 0.0, ahead: by, se });
            if by <= 0.0 {
                (items, tries, shares) = (plain, without, own);
            }
        }
        let many: Vec<MapName> = many.into_iter().filter(|name| *name != MapName::Mixture || folds.mixture).collect();
        tries.add(&many, |name| held_out_log_likelihoods(name, &items, counts, &dealt, &mut shares))?;
    }
    let choice = MapChoice { carried, ..tries.choice(&things, &labelled, folds) };
    let map = fit(choice.chosen, &items, counts)?.expect("a map that was compared can be fitted");
    Ok((map, choice))
}

/// The choice among some maps, the simplest first, by the rule of [`choose`] whatever the labels are: `held_out` gives each labelled item's
/// log-likelihood under the fits to the other folds, which are those it is dealt, with the number of parameters.
pub(in crate::belief) fn choose_by<E>(
    maps: &[MapName],
    things: &Things,
    labelled: &[bool],
    folds: Folds,
    mut held_out: impl FnMut(MapName, &[Option<usize>]) -> Result<HeldOut, E>,
) -> Result<MapChoice, E> {
    let dealt = deal(things, labelled, folds);
    let labelled = positions(labelled);
    let mut tries = Tries::default();
    if things.among(&labelled) >= FEWEST {
        tries.add(maps, |name| held_out(name, &dealt))?;
    }
    Ok(tries.choice(things, &labelled, folds))
}

/// Which items stand together, and which beside each other.
pub(in crate::belief) struct Things<'a> {
    /// Items with the same number are one thing; empty where every item stands for itself.
    pub(in crate::belief) twins: &'a [usize],
    /// The group of each item; empty where there are none.
    pub(in crate::belief) groups: &'a [usize],
}

impl Things<'_> {
    /// The number by which an item's twins are known.
    fn thing(&self, item: usize) -> usize {
        if self.twins.is_empty() { item } else { self.twins[item] }
    }

    /// How many things these items are.
    fn among(&self, items: &[usize]) -> usize {
        items.iter().map(|&i| self.thing(i)).collect::<BTreeSet<_>>().len()
    }
}

fn positions(labelled: &[bool]) -> Vec<usize> {
    (0..labelled.len()).filter(|&i| labelled[i]).collect()
}

/// A map's held-out log-likelihoods by item, with the number of its parameters.
type Tried = (MapName, usize, Vec<f64>);

/// What was tried with the same labels held out.
#[derive(Default)]
struct Tries {
    held_out: Vec<Tried>,
    left_out: Vec<(MapName, Unavailable)>,
}

impl Tries {
    fn add<E>(&mut self, names: &[MapName], mut held_out: impl FnMut(MapName) -> Result<HeldOut, E>) -> Result<(), E> {
        for &name in names {
            match held_out(name)? {
                Ok((values, parameters)) => self.held_out.push((name, parameters, values)),
                Err(unavailable) => self.left_out.push((name, unavailable)),
            }
        }
        Ok(())
    }

    /// What follows from it.
    fn choice(self, things: &Things, labelled: &[usize], folds: Folds) -> MapChoice {
        let candidates = compare(things, labelled, &self.held_out);
        MapChoice {
            chosen: take(things, labelled, &self.held_out).unwrap_or(MapName::Identity),
            best: candidates.iter().find(|c| c.below_best == 0.0).map(|c| c.map),
            labelled_items: labelled.len(),
            folds,
            candidates,
            left_out: self.left_out,
            carried: None,
        }
    }

    /// The log-likelihoods of the likeliest.
    fn best(&self, labelled: &[usize]) -> &[f64] {
        let sum = |values: &[f64]| labelled.iter().map(|&i| values[i]).sum::<f64>();
        let best = self.held_out.iter().max_by(|a, b| sum(&a.2).total_cmp(&sum(&b.2)));
        best.map(|(.., values)| values.as_slice()).expect("maps of few parameters can always be fitted")
    }
}

/// By how much a map is ahead of another in held-out log-likelihood, and the standard error of that over things, in nats per labelled item.
struct Lead {
    by: f64,
    se: f64,
}

impl Lead {
    fn is_beyond(&self, standard_errors: f64) -> bool {
        self.by > standard_errors * self.se
    }
}

/// By how much one sum of log-likelihoods is ahead of another, per labelled item, and the standard error of that over things, where
/// there are two or more.
pub(super) fn lead_over_things(
    items: &JudgedItems,
    labelled: &[usize],
    ahead: &[f64],
    behind: &[f64],
) -> (f64, Option<f64>) {
    let things = Things { twins: items.twins, groups: items.groups };
    let Lead { by, se } = lead(&things, labelled, ahead, behind);
    (by, (things.among(labelled) > 1).then_some(se))
}

fn lead(things: &Things, labelled: &[usize], ahead: &[f64], behind: &[f64]) -> Lead {
    let mut by_thing: BTreeMap<usize, f64> = BTreeMap::new();
    for &i in labelled {
        *by_thing.entry(things.thing(i)).or_default() += ahead[i] - behind[i];
    }
    let differences: Vec<f64> = by_thing.into_values().collect();
    let (n, count) = (labelled.len() as f64, differences.len() as f64);
    let se = if count > 1.0 { sample_sd(&differences) * count.sqrt() / n } else { 0.0 };
    Lead { by: mean(&differences) * count / n, se }
}

/// The map that is taken, as [`choose`] describes; `None` where none was tried.
fn take(things: &Things, labelled: &[usize], tried: &[Tried]) -> Option<MapName> {
    let of = |name: MapName| tried.iter().find(|(map, ..)| *map == name).map(|(.., values)| values.as_slice());
    let lead = |a: &[f64], b: &[f64]| lead(things, labelled, a, b);
    let stated = of(MapName::Identity)?;
    let sum = |values: &[f64]| labelled.iter().map(|&i| values[i]).sum::<f64>();
    let tempered = of(MapName::Temperature);
    let few = match of(MapName::Line).filter(|line| tempered.is_none_or(|tempered| sum(line) > sum(tempered))) {
        Some(line) => (MapName::Line, line),
        None => (MapName::Temperature, tempered?),
    };
    let smoothed = of(MapName::Smoothing).filter(|smoothed| lead(smoothed, few.1).is_beyond(1.0));
    let few = smoothed.map_or(few, |smoothed| (MapName::Smoothing, smoothed));
    let (base, held_out) = if lead(few.1, stated).is_beyond(1.0) { few } else { (MapName::Identity, stated) };
    let many = || tried.iter().filter(|(map, ..)| map.has_many_parameters());
    let best =
        many().max_by(|a, b| sum(&a.2).total_cmp(&sum(&b.2))).filter(|best| lead(&best.2, held_out).is_beyond(2.0));
    let simplest = best.and_then(|best| many().find(|map| !lead(&best.2, &map.2).is_beyond(1.0)));
    Some(simplest.map_or(base, |(map, ..)| *map))
}

/// The fold of each labelled item; `None` for the others.
pub(super) fn deal(things: &Things, labelled: &[bool], folds: Folds) -> Vec<Option<usize>> {
    let mut twins: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in positions(labelled) {
        twins.entry(things.thing(i)).or_default().push(i);
    }
    let mut by_group: BTreeMap<usize, Vec<Vec<usize>>> = BTreeMap::new();
    for items in twins.into_values() {
        let group = things.groups.get(items[0]).copied().unwrap_or(0);
        by_group.entry(group).or_default().push(items);
    }
    let mut stream = Stream::new(folds.seed);
    let mut dealt = vec![None; labelled.len()];
    let mut next = 0;
    for mut own in by_group.into_values() {
        for last in (1..own.len()).rev() {
            own.swap(last, stream.choice(last as u32 + 1) as usize);
        }
        for items in own {
            items.into_iter().for_each(|i| dealt[i] = Some(next));
            next = (next + 1) % folds.folds as usize;
        }
    }
    dealt
}

/// Each item's held-out log-likelihood, 0 without labels, and the number of parameters in the fold with most.
pub(in crate::belief) type HeldOut = Result<(Vec<f64>, usize), Unavailable>;

/// Log-likelihood of each item's labels under the fit to the other folds; 0 without labels.
fn held_out_log_likelihoods(
    name: MapName,
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    dealt: &[Option<usize>],
    shares: &mut [Shares],
) -> Result<HeldOut, TrustError> {
    let mut values = vec![0.0; dealt.len()];
    let mut parameters = 0;
    for (fold, shares) in shares.iter_mut().enumerate() {
        let others = |i: usize| dealt[i] != Some(fold);
        let map = match fit_where(name, items, counts, ENOUGH_TO_COMPARE, others, shares)? {
            Ok(map) => map,
            Err(unavailable) => return Ok(Err(unavailable)),
        };
        parameters = parameters.max(map.parameters());
        for i in (0..dealt.len()).filter(|&i| dealt[i] == Some(fold)) {
            values[i] = map.log_likelihood(items, counts, i);
        }
    }
    Ok(Ok((values, parameters)))
}

fn compare(things: &Things, labelled: &[usize], held_out: &[Tried]) -> Vec<Candidate> {
    let sum = |values: &[f64]| labelled.iter().map(|&i| values[i]).sum::<f64>();
    let Some((_, _, best)) = held_out.iter().max_by(|a, b| sum(&a.2).total_cmp(&sum(&b.2))) else {
        return vec![];
    };
    let candidate = |(map, parameters, values): &Tried| {
        let lead = lead(things, labelled, best, values);
        Candidate {
            map: *map,
            parameters: *parameters,
            held_out: sum(values) / labelled.len() as f64,
            below_best: lead.by,
            se: lead.se,
            within_one_se: !lead.is_beyond(1.0),
        }
    };
    held_out.iter().map(candidate).collect()
}

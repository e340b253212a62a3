//! Chooses a recalibration by its score on held-out labels; a recalibration with more parameters needs more evidence.

use std::collections::BTreeMap;

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::fitted::Map;
use super::fitting::{FitItems, fit_as_carried, fit_guesses, fit_sharing, fit_stated};
use super::guesses::{self, Guesses};
use super::held_out::{log_scores, shares_without};
use super::layout::{MapLayout, Unavailable};
use super::names::MapName;
use crate::belief::judged::JudgedItems;
use crate::belief::trust::FitError;
use crate::stats::{mean, sample_sd};

/// With fewer labelled clusters than this, recalibrations are not compared: their standard errors would rest on a
/// handful of items.
pub(in crate::belief) const FEWEST: usize = 10;
/// Nor is a share of guesses looked for with fewer than this.
const FEWEST_FOR_GUESSES: usize = 4;

/// A map's score on labels held out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The map.
    pub map: MapName,
    /// Number of its parameters that the labels want.
    pub parameters: usize,
    /// Log score of labels held out, in nats per labelled item: the higher the better.
    pub held_out: f64,
    /// By how much that is below the best map's.
    pub below_best: f64,
    /// Standard error of that difference, over labelled clusters.
    pub se: f64,
}

/// The choice of a map with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapChoice {
    /// The map that was taken.
    pub chosen: MapName,
    /// How much of it was taken, 0 to 1: the more, the surer labels held out are that it is better than the prediction
    /// as it is ([`choose`]).
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub strength: f64,
    /// The one with the highest score; `None` where there were too few labels to compare any.
    pub best: Option<MapName>,
    /// Labelled items, each held out once.
    pub labelled_items: usize,
    /// The maps that were compared, the simplest first.
    pub candidates: Vec<Candidate>,
    /// Maps that were not, and why.
    pub left_out: Vec<(MapName, Unavailable)>,
    /// Whether recalibrations start from that of another study; `None` without one, or with too few labels to compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<CarriedChoice>,
}

fn whole() -> f64 {
    1.0
}

fn is_whole(strength: &f64) -> bool {
    *strength == 1.0
}

/// Whether the best recalibration of few parameters predicts held-out labels better if it starts from that of another
/// study than if it starts from the judge's prediction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CarriedChoice {
    /// Whether it is kept: where it is ahead at all.
    pub kept: bool,
    /// By how much it is ahead in the log score of labels held out, in nats per labelled item.
    pub ahead: f64,
    /// Standard error of that, over labelled clusters.
    pub se: f64,
}

/// Chooses a recalibration by the labels, and fits it to all of them.
///
/// Each recalibration is fitted to all labels. Then each cluster of labelled items is left out: one Newton step leads
/// from the fit to the one without the cluster's labels, with variances unchanged. The recalibration's log score is the
/// mean over labelled items of the mean over the item's labels of ln m_y, with m the mean that this fit predicts and y
/// the label's class; a study's held-out evaluation uses the same score. The choice draws no random numbers, so the
/// same data always give the same choice. Differences between recalibrations have a standard error over clusters, which
/// decides
///
/// 1. whether [`MapName::Temperature`] replaces the plain prediction: it does if its score is higher. [`MapName::Guesses`]
///    replaces [`MapName::Temperature`] in this comparison if it is ahead of it by more than one standard error;
/// 2. whether the best recalibration of many parameters replaces the winner of 1: it does if its score is higher.
///
/// A higher score is enough, because a recalibration with little evidence gets a small weight. [`MapName::Guesses`] has
/// a weight of its own ([`super::fit`]). For any other, let L be its lead in score over the plain prediction and se the
/// standard error of L. Its weight is s = L^2 / (L^2 + se^2). The belief adds s times its logits (or its change of the
/// rating), s times its share of guesses and s times its change of ln lambda, and counts s (1 - s) as the variance of
/// what remains open. If [`MapName::Guesses`] finds that two thirds of the predictions or more are guesses, its fit
/// replaces the plain prediction in this mixture: a judge that is sure and knows nothing must not count for more than
/// the distribution of the labels. The belief therefore moves gradually from the prediction to the recalibration as
/// labels arrive, and no single label switches between them. A recalibration that starts from another study's has no
/// weight in between: it is used in full if it is ahead by one standard error (few parameters) or two (many), and
/// otherwise not at all.
///
/// A recalibration is compared only if it has no more parameters than the labels determine numbers: an item with n
/// labels of K classes determines min(n, K - 1), since its distribution has K - 1 free shares however many labels it
/// has. With more parameters than that, part of the recalibration is its prior alone, whatever the labels are.
///
/// All of these start from another study's recalibration ([`super::CarriedOffsets`]) if the best of few parameters
/// scores higher with it than without it; otherwise they start from the judge's prediction. With too few labelled
/// clusters to compare, the other study's recalibration applies unchanged.
///
/// The belief ignores the uncertainty of this choice: it is the belief of the chosen recalibration, as if the user had
/// named it.
///
/// With four to nine labelled clusters, recalibrations are not compared, and [`MapName::Guesses`] is used whatever its
/// share of guesses.
///
/// # Errors
/// Tables of different shapes, or a prediction that is not strictly positive.
pub fn choose(items: &JudgedItems, counts: ArrayView2<u32>) -> Result<(Map, MapChoice), FitError> {
    let labelled: Vec<bool> = counts.rows().into_iter().map(|labels| labels.sum() > 0).collect();
    let clusters = Clusters::new(items.clusters, &labelled);
    let (many, few): (Vec<_>, Vec<_>) = MapName::of_classes().partition(|name| name.has_many_parameters());
    let mut fits = Fits::try_new(*items, counts, &clusters)?;
    let mut carried = None;
    if clusters.are_enough(FEWEST) {
        fits.add(&few);
        if items.carried.is_some() {
            let mut without = Fits::try_new(JudgedItems { carried: None, ..*items }, counts, &clusters)?;
            without.add(&few);
            let ScoreLead { by, se } = clusters.lead(fits.tries.best(&clusters), without.tries.best(&clusters));
            carried = Some(CarriedChoice { kept: by > 0.0, ahead: by, se });
            if by <= 0.0 {
                fits = without;
            }
        }
        fits.add(&many);
    }
    let items = fits.labelled.items;
    let (map, choice) = fits.tries.conclude(&clusters, Map::drawn_back);
    let map = match map {
        Some(map) => map,
        None if clusters.are_enough(FEWEST_FOR_GUESSES) && items.carried.is_none() => fit_guesses(&items, counts, 0.0)?,
        None => fit_stated(&items, counts)?,
    };
    let chosen = map.name();
    Ok((map, MapChoice { chosen, carried, ..choice }))
}

/// Fits of maps of classes to the same labels, with their scores.
struct Fits<'a, 'b> {
    labelled: FitItems<'b>,
    counts: ArrayView2<'a, u32>,
    clusters: &'a Clusters,
    /// How many numbers the labels carry.
    numbers: usize,
    /// The guesses of each recalibration, with their shares when each cluster is left out.
    guesses: BTreeMap<MapName, (Guesses, Vec<f64>)>,
    tries: Tries<Map>,
}

impl<'a, 'b> Fits<'a, 'b> {
    fn try_new(items: JudgedItems<'b>, counts: ArrayView2<'a, u32>, clusters: &'a Clusters) -> Result<Self, FitError> {
        let labelled = FitItems::try_new(items, counts)?;
        let most = counts.ncols() as u32 - 1;
        let numbers = counts.rows().into_iter().map(|labels| labels.sum().min(most) as usize).sum();
        let tries = Tries::new(items.carried.is_some());
        Ok(Self { labelled, counts, clusters, numbers, guesses: BTreeMap::new(), tries })
    }

    fn add(&mut self, names: &[MapName]) {
        for &name in names {
            let tried = self.fit(name);
            self.tries.add(name, tried);
        }
    }

    fn fit(&mut self, name: MapName) -> Result<Try<Map>, Unavailable> {
        let Self { labelled, counts, clusters, .. } = self;
        let layout = MapLayout::without_scales(name, &labelled.items, labelled.without_guesses())?;
        enough(layout.parameters(), self.numbers)?;
        // All maps from a temperature on have its share of guesses.
        let of_share = name.min(MapName::Temperature);
        let known = self.guesses.get(&of_share).map(|(guesses, _)| guesses.clone());
        let guesses = known.unwrap_or_else(|| guesses::find(name, labelled));
        if name == MapName::Guesses && guesses.share == 0.0 {
            return Err(Unavailable::NoGuesses);
        }
        if name == MapName::Guesses && guesses.share >= guesses::MOSTLY {
            self.tries.start = name;
        }
        let map = fit_sharing(name, labelled, guesses.clone())?;
        let without = || (guesses, shares_without(&map, &labelled.items, *counts, &clusters.members));
        let (_, without) = self.guesses.entry(of_share).or_insert_with(without);
        let scores = log_scores(&map, labelled, *counts, &clusters.members, without);
        Ok(Try { name, parameters: map.parameters(), scores, fit: map })
    }
}

/// Refuses a map of more parameters than the labels carry numbers.
fn enough(parameters: usize, numbers: usize) -> Result<(), Unavailable> {
    if parameters > numbers { Err(Unavailable::TooFewLabels { parameters, numbers }) } else { Ok(()) }
}

/// The clusters of the labelled items.
pub(in crate::belief) struct Clusters {
    /// Positions of the items of each cluster.
    pub(in crate::belief) members: Vec<Vec<usize>>,
    labelled_items: usize,
}

impl Clusters {
    /// Items with the same number of `clusters` form one cluster; without numbers every item is a cluster of its own.
    pub(in crate::belief) fn new(clusters: &[usize], labelled: &[bool]) -> Self {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for i in (0..labelled.len()).filter(|&i| labelled[i]) {
            members.entry(if clusters.is_empty() { i } else { clusters[i] }).or_default().push(i);
        }
        let labelled_items = labelled.iter().filter(|labelled| **labelled).count();
        Self { members: members.into_values().collect(), labelled_items }
    }

    pub(in crate::belief) fn are_enough(&self, fewest: usize) -> bool {
        self.members.len() >= fewest
    }

    /// Sum of the scores of labelled items.
    fn sum(&self, scores: &[f64]) -> f64 {
        self.members.iter().flatten().map(|&i| scores[i]).sum()
    }

    /// The lead of one mean score over another, with its standard error over clusters (0 for one cluster).
    fn lead(&self, ahead: &[f64], behind: &[f64]) -> ScoreLead {
        let of_cluster = |cluster: &Vec<usize>| cluster.iter().map(|&i| ahead[i] - behind[i]).sum();
        let differences: Vec<f64> = self.members.iter().map(of_cluster).collect();
        let (n, count) = (self.labelled_items as f64, differences.len() as f64);
        let se = if count > 1.0 { sample_sd(&differences) * count.sqrt() / n } else { 0.0 };
        ScoreLead { by: mean(&differences) * count / n, se }
    }
}

/// A map that was fitted to be compared.
pub(in crate::belief) struct Try<F> {
    pub(in crate::belief) name: MapName,
    /// Number of its parameters.
    pub(in crate::belief) parameters: usize,
    /// The score of each item, 0 without labels.
    pub(in crate::belief) scores: Vec<f64>,
    pub(in crate::belief) fit: F,
}

/// What was tried on the same labels, the simplest first.
pub(in crate::belief) struct Tries<F> {
    tried: Vec<Try<F>>,
    left_out: Vec<(MapName, Unavailable)>,
    /// Whether the recalibration is used in full or not at all, as one that starts from another study's is. It then has
    /// to be ahead by one standard error if it has few parameters, by two if it has many; one that gets a weight needs
    /// no such lead.
    whole: bool,
    /// What a map is drawn back towards.
    start: MapName,
}

impl<F: Clone> Tries<F> {
    pub(in crate::belief) fn new(whole: bool) -> Self {
        Self { tried: vec![], left_out: vec![], whole, start: MapName::Identity }
    }

    pub(in crate::belief) fn add(&mut self, name: MapName, tried: Result<Try<F>, Unavailable>) {
        match tried {
            Ok(tried) => self.tried.push(tried),
            Err(unavailable) => self.left_out.push((name, unavailable)),
        }
    }

    /// What follows from it, with the fit that is taken at its strength; none where no map was tried.
    pub(in crate::belief) fn conclude(
        self,
        clusters: &Clusters,
        drawn_back: impl FnOnce(F, f64, &F) -> F,
    ) -> (Option<F>, MapChoice) {
        let (candidates, taken) = (self.candidates(clusters), self.take(clusters));
        let strength = taken.map_or(1.0, |taken| self.strength(clusters, taken));
        let fit = taken.map(|taken| match self.of(self.start) {
            Some(start) if strength < 1.0 => drawn_back(taken.fit.clone(), strength, &start.fit),
            _ => taken.fit.clone(),
        });
        let choice = MapChoice {
            chosen: taken.map_or(MapName::Identity, |taken| taken.name),
            strength,
            best: candidates.iter().find(|c| c.below_best == 0.0).map(|c| c.map),
            labelled_items: clusters.labelled_items,
            candidates,
            left_out: self.left_out,
            carried: None,
        };
        (fit, choice)
    }

    /// The highest scores.
    fn best(&self, clusters: &Clusters) -> &[f64] {
        let all = self.tried.iter().map(|tried| tried.scores.as_slice());
        let best = all.max_by(|a, b| clusters.sum(a).total_cmp(&clusters.sum(b)));
        best.expect("the prediction as it is can always be taken")
    }

    fn candidates(&self, clusters: &Clusters) -> Vec<Candidate> {
        let candidate = |tried: &Try<F>| {
            let lead = clusters.lead(self.best(clusters), &tried.scores);
            Candidate {
                map: tried.name,
                parameters: tried.parameters,
                held_out: clusters.sum(&tried.scores) / clusters.labelled_items as f64,
                below_best: lead.by,
                se: lead.se,
            }
        };
        self.tried.iter().map(candidate).collect()
    }

    fn of(&self, name: MapName) -> Option<&Try<F>> {
        self.tried.iter().find(|tried| tried.name == name)
    }

    /// How much of the map that is taken is, as [`choose`] describes.
    fn strength(&self, clusters: &Clusters, taken: &Try<F>) -> f64 {
        let Some(stated) = self.of(MapName::Identity).filter(|_| !self.whole && taken.name > MapName::Guesses) else {
            return 1.0;
        };
        let ScoreLead { by, se } = clusters.lead(&taken.scores, &stated.scores);
        let (lead, unsure) = (by.max(0.0).powi(2), se * se);
        if lead > 0.0 { lead / (lead + unsure) } else { 0.0 }
    }

    /// The map that is taken, as [`choose`] describes; `None` where none was tried.
    fn take(&self, clusters: &Clusters) -> Option<&Try<F>> {
        let of = |name: MapName| self.of(name);
        let sum = |tried: &Try<F>| clusters.sum(&tried.scores);
        let beyond = |a: &Try<F>, b: &Try<F>, ses: f64| clusters.lead(&a.scores, &b.scores).is_beyond(ses);
        let stated = of(MapName::Identity)?;
        // What flattens all predictions alike needs less evidence than what takes some of them for guesses.
        let steady = of(MapName::Temperature);
        let (of_few, of_many) = if self.whole { (1.0, 2.0) } else { (0.0, 0.0) };
        let guesses = of(MapName::Guesses).filter(|it| steady.is_none_or(|steady| beyond(it, steady, 1.0)));
        let few = guesses.or(steady).filter(|few| beyond(few, stated, of_few)).unwrap_or(stated);
        let many = self.tried.iter().filter(|map| map.name.has_many_parameters());
        let many = many.max_by(|a, b| sum(a).total_cmp(&sum(b)));
        Some(many.filter(|many| beyond(many, few, of_many)).unwrap_or(few))
    }
}

/// The lead of one recalibration over another in score, and its standard error over clusters, in nats per labelled
/// item.
struct ScoreLead {
    by: f64,
    se: f64,
}

impl ScoreLead {
    fn is_beyond(&self, standard_errors: f64) -> bool {
        self.by > standard_errors * self.se
    }
}

/// The evidence of the labels here for or against a recalibration from another study, computed before it is used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// Labelled items here.
    pub labelled_items: usize,
    /// By how much these labels are likelier under that recalibration than under the plain prediction, in nats per
    /// labelled item, with the trust fitted to them under either. `None` without labels.
    pub advantage: Option<f64>,
    /// Standard error of the advantage over labelled clusters; `None` for fewer than two.
    pub se: Option<f64>,
    /// What follows.
    pub verdict: TransferVerdict,
}

/// Whether a recalibration from another study fits the labels here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransferVerdict {
    /// Labels are likelier under it by more than one standard error.
    Supported,
    /// They differ by less, or there are too few to tell.
    Open,
    /// They are less likely under it by more than one standard error.
    Contradicted,
}

/// Compares a recalibration from another study with the plain prediction, by the likelihood of the labels here; `None`
/// without such a recalibration.
///
/// The comparison is fair because these labels fit the trust alone, under either; the recalibration has no parameter
/// that is fitted to the labels that judge it.
///
/// # Errors
/// As [`super::fit`].
pub fn transfer(items: &JudgedItems, counts: ArrayView2<u32>) -> Result<Option<Transfer>, FitError> {
    if items.carried.is_none() {
        return Ok(None);
    }
    let labelled: Vec<bool> = counts.rows().into_iter().map(|labels| labels.sum() > 0).collect();
    let labelled_items = labelled.iter().filter(|labelled| **labelled).count();
    let none = Transfer { labelled_items, advantage: None, se: None, verdict: TransferVerdict::Open };
    if labelled_items == 0 {
        return Ok(Some(none));
    }
    let plain = JudgedItems { carried: None, ..*items };
    let stated = fit_stated(&plain, counts)?;
    let carried = fit_as_carried(items, counts)?;
    let log_likelihoods = |map: &Map, items: &JudgedItems| -> Vec<f64> {
        (0..items.len()).map(|i| if labelled[i] { map.log_likelihood(items, counts, i) } else { 0.0 }).collect()
    };
    let clusters = Clusters::new(items.clusters, &labelled);
    let ScoreLead { by: advantage, se } =
        clusters.lead(&log_likelihoods(&carried, items), &log_likelihoods(&stated, &plain));
    let se = (clusters.members.len() > 1).then_some(se);
    let verdict = match se {
        Some(se) if advantage > se => TransferVerdict::Supported,
        Some(se) if advantage < -se => TransferVerdict::Contradicted,
        _ => TransferVerdict::Open,
    };
    Ok(Some(Transfer { advantage: Some(advantage), se, verdict, ..none }))
}

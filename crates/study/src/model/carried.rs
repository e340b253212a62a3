//! What starts from another study: where the prior on the trust of this one is centred, and the recalibration of the judge
//! from which the one here starts.

use std::collections::BTreeSet;
use std::path::Path;

use ndarray::Axis;
use serde::{Deserialize, Serialize};

use crate::belief_file::{BeliefFile, FeatureDefinition, belief_of, design_on};
use crate::input::scale::Scale;
use crate::model::study::{Relation, Study};
use judge_uncertainty_core::belief::design::FeatureScale;
use judge_uncertainty_core::belief::maps::{CarriedOffsets, Map, MapName};
use judge_uncertainty_core::belief::{
    BeliefModel, Design, FeatureColumn, FittedBelief, GaussianFit, JudgedItems, Repeats, Unfit,
};
use judge_uncertainty_evaluation::{ByLabels, Fit};
use judge_uncertainty_formats::error::{Error, Place, Result};

/// How another study reads the judge, from which this one starts: a map of classes; or the fit to ratings with the
/// names of its groups.
pub type CarriedReading = ByLabels<CarriedMap, (GaussianFit, Vec<String>)>;
/// What else of the fit's items the beliefs depend on: the map from which the fit starts; or the variance of repeated
/// ratings.
pub type Kept = ByLabels<Option<CarriedMap>, Option<Repeats>>;

/// How the belief of another study, read from `path`, recalibrates the judge; `None` where it does not.
///
/// # Errors
/// A belief about other classes, or one that reads variants or features that this study does not have.
pub fn carried_reading(study: &Study, path: &Path, belief: BeliefFile) -> Result<Option<CarriedReading>> {
    Ok(match belief.fit {
        Fit::Classes(_) => CarriedMap::new(study, path, belief)?.map(CarriedReading::Classes),
        Fit::Ratings(_) if is_as_stated(&belief.fit) => None,
        Fit::Ratings(fit) => Some(CarriedReading::Ratings((fit, belief.groups))),
    })
}

/// Whether a fit takes what the judge says as it is.
fn is_as_stated(fit: &Fit) -> bool {
    match fit {
        Fit::Classes(fit) => fit.mapped().is_none_or(|mapped| mapped.map.is_as_stated()),
        Fit::Ratings(fit) => fit.map.as_ref().is_none_or(|map| map.name == MapName::Identity),
    }
}

/// Whether a fit starts from the map of another study.
pub(crate) fn starts_elsewhere(fit: &FittedBelief) -> bool {
    fit.mapped().is_some_and(|mapped| mapped.map.is_on_a_carried_map())
}

/// The trust that another study found.
///
/// ```text
/// ln lambda = ln trust + sum over features of per_unit (x - mean)
/// ```
///
/// It is the centre of the prior on the trust here, whose width stays that of the weak prior: labels of this study
/// outweigh it as they do that one. Features that only one of the studies has do not enter. Half splits of an
/// evaluation do not use it.
///
/// The trust belongs to the recalibration that was fitted along with it, so a study starts from both or from neither.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    /// The run that it comes from, as the configuration names it.
    pub from: String,
    /// What that study is called.
    pub study: String,
    /// What a prediction is worth there for an item with average features, in labels.
    pub trust: f64,
    /// The features on which it depends there, as far as that study's labels tell and this one has them.
    pub features: Vec<CarriedFeature>,
    /// Features of that fit that this study does not have.
    pub left: Vec<String>,
}

/// What trust depends on there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CarriedFeature {
    /// The feature.
    pub feature: String,
    /// Change of ln lambda per unit of it.
    pub per_unit: f64,
    /// Its mean over the items of that study.
    pub mean: f64,
}

impl Carried {
    /// Starts a study from what its `trust.carry_from` names, the run folder of another study or the `belief.json` in it.
    ///
    /// # Errors
    /// No belief, one about other labels, or a trust that the labels there tell no more about than the prior; as
    /// [`carried_reading`].
    pub(crate) fn start(study: &mut Study) -> Result<()> {
        let Some(named) = study.file.config.trust.carry_from.clone() else { return Ok(()) };
        let path = belief_of(&study.file.resolve(&named));
        let belief = BeliefFile::parse(&path, &study.inputs.read(&path)?)?;
        let config = &study.file.config;
        let refuse = |reason: &str, remedy: &str| Error::unfit(Place::file(&path), reason, remedy);
        let labels = |scale: &Scale| (scale.is_numbers(), scale.classes().iter().cloned().collect::<BTreeSet<_>>());
        if labels(&config.scale) != labels(&belief.settings.scale) {
            let remedy = "name a study of the same classes, or of numbers too, or leave out trust.carry_from";
            return Err(refuse(
                "that study is about other labels, for which a prediction is worth something else",
                remedy,
            ));
        }
        if config.trust.belief() == BeliefModel::Published && !is_as_stated(&belief.fit) {
            let reason = "that study's trust goes with its map, and this study takes the prediction as it is";
            let remedy = "write belief = \"auto\" under [trust] here, which carries the map as well";
            return Err(refuse(reason, remedy));
        }
        let fit = belief.fit.regression();
        let told = |name: &str| fit.unidentified.iter().all(|unidentified| unidentified != name);
        if !(fit.converged && told("intercept")) {
            let remedy = "collect more labels there, or leave out trust.carry_from: the weak prior says as much";
            return Err(refuse("that study's labels do not determine its trust", remedy));
        }
        let features = belief.features.iter().zip(&fit.coefficients[1..]).filter(|(of, _)| told(&of.name));
        let features = features.map(|(of, coefficient)| CarriedFeature {
            feature: of.name.clone(),
            per_unit: coefficient / of.sd,
            mean: of.mean,
        });
        let carried = Self {
            from: named.display().to_string(),
            study: belief.settings.title.clone(),
            trust: fit.coefficients[0].exp(),
            features: features.collect(),
            left: vec![],
        };
        study.carried = Some(carried.among(&study.feature_names()));
        study.carried_map = carried_reading(study, &path, belief)?;
        Ok(())
    }

    /// Keeps the features that this study has, by their names.
    fn among(mut self, names: &[String]) -> Self {
        let (kept, left): (Vec<_>, Vec<_>) = self.features.into_iter().partition(|f| names.contains(&f.feature));
        self.features = kept;
        self.left = left.into_iter().map(|f| f.feature).collect();
        self
    }

    /// This trust as coefficients of features on these scales, intercept first.
    pub(crate) fn centre(&self, scales: &[FeatureScale]) -> Vec<f64> {
        let of = |scale: &FeatureScale| self.features.iter().find(|f| f.feature == scale.name);
        let shift = |scale: &FeatureScale| of(scale).map_or(0.0, |f| f.per_unit * (scale.mean - f.mean));
        let intercept = self.trust.ln() + scales.iter().map(shift).sum::<f64>();
        let slope = |scale: &FeatureScale| of(scale).map_or(0.0, |f| f.per_unit * scale.sd);
        std::iter::once(intercept).chain(scales.iter().map(slope)).collect()
    }
}

/// A map of another study: what it adds to the log predictions is the start of the map here
/// ([`CarriedOffsets`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedMap {
    /// What that study is called.
    pub study: String,
    /// The map.
    pub map: Map,
    /// Names of the judge's variants there, in the order in which the map reads them.
    pub variants: Vec<String>,
    /// Names of the groups there, in order; items of other groups are read as those of no group.
    pub groups: Vec<String>,
    /// The features of the trust there, in order, on the scale on which the map reads them.
    pub features: Vec<CarriedScale>,
    /// What the judge of that study differs in, in words; `None` where nothing tells another one.
    pub another_judge: Option<String>,
}

/// A feature on the scale of another study: z = clamp((x - mean) / sd, low, high), 0 where x is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedScale {
    /// The feature.
    pub name: String,
    /// Its mean there.
    pub mean: f64,
    /// Its standard deviation there, above 0.
    pub sd: f64,
    /// The values of its labelled items, in standard deviations from the mean; `None` where the map extrapolates.
    pub limits: Option<(f64, f64)>,
}

impl CarriedMap {
    /// The map of another study's belief, which goes with its trust; `None` where it takes the prediction as it is.
    ///
    /// # Errors
    /// A belief about other classes, or one that reads variants or features that this study does not have.
    fn new(study: &Study, path: &Path, belief: BeliefFile) -> Result<Option<Self>> {
        let refuse = |reason: String, remedy: &str| Error::unfit(Place::file(path), reason, remedy);
        let Fit::Classes(FittedBelief::Mapped(mapped)) = belief.fit else { return Ok(None) };
        if mapped.map.is_as_stated() {
            return Ok(None);
        }
        let [there, here] = [&belief.settings, &study.file.config].map(|config| config.scale.classes());
        if there != here {
            let reason =
                format!("the map is of the classes {}, and those here are {}", there.join(", "), here.join(", "));
            let remedy = "name the same classes in the same order, or leave out trust.carry_from";
            return Err(refuse(reason, remedy));
        }
        if mapped.map.is_on_a_carried_map() {
            let reason = "that study's map itself starts from the map of another".to_owned();
            let remedy = "name the run that it was carried from under trust.carry_from, or run that study without it";
            return Err(refuse(reason, remedy));
        }
        let reads = mapped.map.reads();
        let own = &study.judge.variants;
        if let Some(lacking) = belief.variants.iter().filter(|_| reads.variants > 0).find(|name| !own.contains(name)) {
            let reason = format!("the map reads the judge's variant {lacking:?}, which this study does not have");
            let remedy =
                "ask the judge under it as well, or carry a map that weighs no variants: `groups`, `temperature`";
            return Err(refuse(reason, remedy));
        }
        let columns = study.relation().feature_columns(&[], &[], None);
        let has = |name: &str| columns.iter().any(|column| column.name() == name);
        if let Some(lacking) = reads.features.iter().find(|name| !has(name)) {
            let reason = format!("the map reads the feature {lacking:?}, which this study does not have");
            let remedy = "give the items that column and list it under trust.features, or carry a map that reads no \
                          features: `matrix`, `groups`, `temperature`";
            return Err(refuse(reason, remedy));
        }
        let scale = |f: &FeatureDefinition| CarriedScale {
            name: f.name.clone(),
            mean: f.mean,
            sd: f.sd,
            limits: f.low.zip(f.high),
        };
        let features = belief.features.iter().map(scale).collect();
        let another_judge = belief.judge.is_other(&study.judge_files);
        let (title, variants, groups) = (belief.settings.title, belief.variants, belief.groups);
        Ok(Some(Self { study: title, map: mapped.map, variants, groups, features, another_judge }))
    }

    /// Whether it is a map of so many classes that can be computed with.
    ///
    /// # Errors
    /// What contradicts itself.
    pub fn check(&self, classes: usize) -> Result<(), Unfit> {
        let names: Vec<&str> = self.features.iter().map(|feature| feature.name.as_str()).collect();
        let kept = |problem: &str| Unfit { field: "kept", problem: problem.to_owned() };
        if self.map.is_on_a_carried_map() {
            return Err(kept("starts from another map"));
        }
        let possible = |f: &CarriedScale| {
            let (low, high) = f.limits.unwrap_or((0.0, 0.0));
            f.mean.is_finite() && f.sd.is_finite() && f.sd > 0.0 && low.is_finite() && high.is_finite() && low <= high
        };
        if !self.features.iter().all(possible) || self.map.reads().variants > self.variants.len() {
            return Err(kept("has a scale or variants that no fit has"));
        }
        self.map.check(&names, classes, self.groups.len())
    }

    /// What the map adds to the log predictions of the items at positions `kept`.
    ///
    /// # Panics
    /// If the study lacks what the map reads, or has numbers that are not finite: it is refused when it is loaded.
    pub(crate) fn added(&self, relation: &Relation<'_>, kept: &[usize]) -> CarriedOffsets {
        let Relation { config, items, judge, .. } = relation;
        let design = self.design(relation, kept);
        let number = |group: &str| self.groups.iter().position(|known| known == group).unwrap_or(self.groups.len());
        let number_of: Vec<usize> = items.group_names().into_iter().map(number).collect();
        let groups: Vec<usize> = items.groups_of(kept).into_iter().map(|group| number_of[group]).collect();
        let q = judge.predictions.select(Axis(0), kept);
        let variants = if self.map.reads().variants > 0 {
            let own = judge.distributions().by_variant(kept, config.floor());
            let own = own.expect("the answers were aggregated with this floor before");
            let place = |name: &String| judge.variants.iter().position(|own| own == name);
            let of = |name: &String| own[place(name).expect("a variant that the study has")].clone();
            self.variants.iter().map(of).collect()
        } else {
            vec![]
        };
        let judged = JudgedItems::new(&design, q.view(), &groups);
        self.map.carry(&JudgedItems { variants: &variants, ..judged })
    }

    /// The features here on the scales there; what the map does not read may be missing.
    fn design(&self, relation: &Relation<'_>, kept: &[usize]) -> Design {
        let own = relation.feature_columns(kept, &vec![0; kept.len()], None);
        let column = |name: &String| {
            let found = own.iter().find(|column| column.name() == name).cloned();
            found.unwrap_or_else(|| FeatureColumn::partial(name.as_str(), vec![None; kept.len()]))
        };
        let columns: Vec<FeatureColumn> = self.features.iter().map(|feature| column(&feature.name)).collect();
        let scale = |f: &CarriedScale| FeatureScale { name: f.name.clone(), mean: f.mean, sd: f.sd, missing: 0 };
        let scales = self.features.iter().map(scale).collect();
        let limits: Vec<Option<(f64, f64)>> = self.features.iter().map(|feature| feature.limits).collect();
        design_on(scales, &limits, (&columns, kept.len())).expect("features that were read before are finite")
    }
}

#[cfg(test)]
mod tests_of_carried {
    use super::*;

    /// On another scale the centre is the same function of the feature: 10 labels at x = 2, doubling per unit.
    #[test]
    fn the_centre_is_the_same_function_on_other_scales() {
        let feature = CarriedFeature { feature: "length".to_owned(), per_unit: 2f64.ln(), mean: 2.0 };
        let other = CarriedFeature { feature: "spread".to_owned(), per_unit: 1.0, mean: 0.0 };
        let carried = Carried {
            from: "run".to_owned(),
            study: "first".to_owned(),
            trust: 10.0,
            features: vec![feature, other],
            left: vec![],
        }
        .among(&["length".to_owned(), "own".to_owned()]);
        assert_eq!(carried.left, ["spread"]);
        let scale = |name: &str, mean: f64, sd: f64| FeatureScale { name: name.to_owned(), mean, sd, missing: 0 };
        let centre = carried.centre(&[scale("own", 7.0, 3.0), scale("length", 4.0, 0.5)]);
        let at = |length: f64| (centre[0] + centre[2] * (length - 4.0) / 0.5).exp();
        assert_eq!(centre[1], 0.0);
        assert!((at(2.0) - 10.0).abs() < 1e-9 && (at(3.0) - 20.0).abs() < 1e-9);
    }
}

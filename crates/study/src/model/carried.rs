//! What starts from another study: where the prior on the trust of this one is centred, and what goes with it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::belief_file::file::{BeliefFile, belief_of};
use crate::input::config::StudyFile;
use crate::input::scale::Scale;
use crate::input::source::Source;
use crate::model::study::is_as_stated;
use judge_uncertainty_core::belief::design::FeatureScale;
use judge_uncertainty_core::belief::maps::Map;
use judge_uncertainty_core::belief::{BeliefModel, Unfit};
use judge_uncertainty_formats::error::{Error, Place, Result};

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
    /// Reads what a study's `trust.carry_from` names, the run folder of another study or the `belief.json` in it; gives
    /// back that belief with its path as well.
    ///
    /// # Errors
    /// No belief, one about other labels, or a trust that the labels there tell no more about than the prior.
    pub fn read(file: &StudyFile, source: &mut Source) -> Result<Option<(Self, PathBuf, BeliefFile)>> {
        let Some(named) = &file.config.trust.carry_from else { return Ok(None) };
        let path = belief_of(&file.resolve(named));
        let belief = BeliefFile::parse(&path, &source.read(&path)?)?;
        let refuse = |reason: &str, remedy: &str| Error::unfit(Place::file(&path), reason, remedy);
        let labels = |scale: &Scale| (scale.is_numbers(), scale.classes().iter().cloned().collect::<BTreeSet<_>>());
        if labels(&file.config.scale) != labels(&belief.settings.scale) {
            let remedy = "name a study of the same classes, or of numbers too, or leave out trust.carry_from";
            return Err(refuse(
                "that study is about other labels, for which a prediction is worth something else",
                remedy,
            ));
        }
        if file.config.trust.belief == BeliefModel::Published && !is_as_stated(&belief.fit) {
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
        Ok(Some((carried, path, belief)))
    }

    /// Keeps the features that this study has, by their names.
    pub(crate) fn among(mut self, names: &[String]) -> Self {
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
/// ([`judge_uncertainty_core::belief::maps::CarriedOffsets`]).
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
}

#[cfg(test)]
mod tests {
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

//! A map of another study as it reads the items of this one.

use std::path::Path;

use ndarray::Axis;

use super::judge::answers;
use crate::belief_file::features::{FeatureDefinition, design_on};
use crate::belief_file::file::BeliefFile;
use crate::model::carried::{CarriedMap, CarriedScale};
use crate::model::relation::Relation;
use crate::model::study::Study;
use judge_uncertainty_core::belief::maps::CarriedOffsets;
use judge_uncertainty_core::belief::{Design, FeatureColumn, FeatureScale, FittedBelief, JudgedItems};
use judge_uncertainty_evaluation::Fit;
use judge_uncertainty_formats::error::{Error, Place, Result};

/// What the map adds to the log predictions of the items at positions `kept`.
///
/// # Panics
/// If the study lacks what the map reads, or has numbers that are not finite: it is refused when it is loaded.
pub fn added(carried: &CarriedMap, relation: &Relation<'_>, kept: &[usize]) -> CarriedOffsets {
    let Relation { config, items, judge, .. } = relation;
    let design = design(carried, relation, kept);
    let number = |group: &str| carried.groups.iter().position(|known| known == group).unwrap_or(carried.groups.len());
    let number_of: Vec<usize> = items.group_names().into_iter().map(number).collect();
    let groups: Vec<usize> = items.groups_of(kept).into_iter().map(|group| number_of[group]).collect();
    let q = judge.predictions.select(Axis(0), kept);
    let variants = if carried.map.reads().variants > 0 {
        let floor = config.judge.of_classes().floor(q.ncols());
        let own = answers(judge).by_variant(kept, floor).expect("the answers were aggregated with this floor before");
        let place = |name: &String| judge.variants.iter().position(|own| own == name);
        let of = |name: &String| own[place(name).expect("a variant that the study has")].clone();
        carried.variants.iter().map(of).collect()
    } else {
        vec![]
    };
    let judged = JudgedItems::new(&design, q.view(), &groups);
    carried.map.carry(&JudgedItems { variants: &variants, ..judged })
}

/// The features here on the scales there; what the map does not read may be missing.
fn design(carried: &CarriedMap, relation: &Relation<'_>, kept: &[usize]) -> Design {
    let own = relation.feature_columns(kept, &vec![0; kept.len()], None);
    let column = |name: &String| {
        let found = own.iter().find(|column| column.name() == name).cloned();
        found.unwrap_or_else(|| FeatureColumn::partial(name.as_str(), vec![None; kept.len()]))
    };
    let columns: Vec<FeatureColumn> = carried.features.iter().map(|feature| column(&feature.name)).collect();
    let scale = |f: &CarriedScale| FeatureScale { name: f.name.clone(), mean: f.mean, sd: f.sd, missing: 0 };
    let scales = carried.features.iter().map(scale).collect();
    let limits: Vec<Option<(f64, f64)>> = carried.features.iter().map(|feature| feature.limits).collect();
    design_on(scales, &limits, (&columns, kept.len())).expect("features that were read before are finite")
}

/// Whether a fit starts from the map of another study.
pub(super) fn starts_elsewhere(fit: &FittedBelief) -> bool {
    fit.mapped().is_some_and(|mapped| mapped.map.is_on_a_carried_map())
}

/// The map of another study's belief, which goes with its trust; `None` where it takes the prediction as it is.
///
/// # Errors
/// A belief about other classes, or one that reads variants or features that this study does not have.
pub fn read(study: &Study, path: &Path, belief: BeliefFile) -> Result<Option<CarriedMap>> {
    let refuse = |reason: String, remedy: &str| Error::unfit(Place::file(path), reason, remedy);
    let Fit::Classes(FittedBelief::Mapped(mapped)) = belief.fit else { return Ok(None) };
    if mapped.map.is_as_stated() {
        return Ok(None);
    }
    let [there, here] = [&belief.settings, &study.file.config].map(|config| config.scale.classes());
    if there != here {
        let reason = format!("the map is of the classes {}, and those here are {}", there.join(", "), here.join(", "));
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
        let remedy = "ask the judge under it as well, or carry a map that weighs no variants: `groups`, `temperature`";
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
    Ok(Some(CarriedMap { study: title, map: mapped.map, variants, groups, features, another_judge }))
}

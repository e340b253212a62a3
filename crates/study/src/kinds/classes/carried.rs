//! A map of another study as it reads the items of this one.

use ndarray::Axis;

use super::config::ClassKind;
use crate::model::carried::CarriedMap;
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::belief::maps::CarriedOffsets;
use judge_uncertainty_core::belief::{Design, FeatureColumn, FeatureScale, JudgedItems, Standardizer};

/// What the map adds to the log predictions of the items at positions `kept`.
///
/// # Panics
/// If the study lacks what the map reads, or has numbers that are not finite: it is refused when it is loaded.
pub fn added<K: ClassKind>(carried: &CarriedMap, study: &Study<K>, kept: &[usize]) -> CarriedOffsets {
    let design = design(carried, study, kept);
    let number =
        |group: &String| carried.groups.iter().position(|known| known == group).unwrap_or(carried.groups.len());
    let groups: Vec<usize> =
        study.items.groups.as_ref().map_or_else(Vec::new, |groups| kept.iter().map(|&i| number(&groups[i])).collect());
    let q = study.judge.answers.predictions.q.select(Axis(0), kept);
    let variants = if carried.map.reads().variants > 0 {
        let floor = study.file.config.judge.floor(q.ncols());
        let own =
            study.judge.answers.variants.by_variant(floor).expect("the answers were aggregated with this floor before");
        let place = |name: &String| study.judge.variants.iter().position(|own| own == name);
        let of = |name: &String| own[place(name).expect("a variant that the study has")].select(Axis(0), kept);
        carried.variants.iter().map(of).collect()
    } else {
        vec![]
    };
    let items = JudgedItems::new(&design, q.view(), &groups);
    carried.map.carry(&JudgedItems { variants: &variants, ..items })
}

/// The features here on the scales there; what the map does not read may be missing.
fn design<K: Kind>(carried: &CarriedMap, study: &Study<K>, kept: &[usize]) -> Design {
    if carried.features.is_empty() {
        return Design::constant(kept.len());
    }
    let own = study.feature_columns(kept, &vec![0; kept.len()], None);
    let column = |name: &String| {
        let found = own.iter().find(|column| column.name() == name).cloned();
        found.unwrap_or_else(|| FeatureColumn::partial(name.as_str(), vec![None; kept.len()]))
    };
    let columns: Vec<FeatureColumn> = carried.features.iter().map(|feature| column(&feature.name)).collect();
    let scale = |f: &crate::model::carried::CarriedScale| FeatureScale {
        name: f.name.clone(),
        mean: f.mean,
        sd: f.sd,
        missing: 0,
    };
    let scales = carried.features.iter().map(scale).collect();
    let limits: Vec<Option<(f64, f64)>> = carried.features.iter().map(|feature| feature.limits).collect();
    let design = Standardizer::of_scales(scales).apply(&columns).expect("features that were read before are finite");
    design.kept_within(&limits)
}

//! The beliefs that held-out labels are scored under.

use super::kind::{Kind, Study};
use judge_uncertainty_core::belief::BeliefModel;
use judge_uncertainty_core::belief::recalibration::{Recalibration, RecalibrationOptions};

/// The items of a study at positions `kept` under each of the beliefs that can be held about them, by name, and the
/// name of the belief that the study holds.
pub fn beliefs<K: Kind>(study: &Study<K>, kept: &[usize]) -> (&'static str, Vec<(String, K::Pool)>) {
    let (own, models) = models(study.file.config.trust.belief, study.items.group_names().len());
    let under = |(name, model): (&str, BeliefModel)| {
        (name.to_owned(), K::pool_under(study, &study.labels, kept, (model, study.items.groups_of(kept)), None))
    };
    (own, models.into_iter().map(under).collect())
}

/// What the belief that a study holds is called.
pub fn name_of_own<K: Kind>(study: &Study<K>) -> &'static str {
    models(study.file.config.trust.belief, study.items.group_names().len()).0
}

/// The paper's belief, the recalibrated ones and the configured map, and which of them is configured; recalibration by
/// group where there are groups, or it is configured.
fn models(configured: BeliefModel, groups: usize) -> (&'static str, Vec<(&'static str, BeliefModel)>) {
    let options = match configured {
        BeliefModel::Recalibrated(options) => options,
        _ => RecalibrationOptions::default(),
    };
    let recalibrated = |recalibration| BeliefModel::Recalibrated(RecalibrationOptions { recalibration, ..options });
    let mut models = vec![
        ("published", BeliefModel::Published),
        ("recalibrated", recalibrated(Recalibration::Shared)),
        ("recalibrated_by_group", recalibrated(Recalibration::ByGroup)),
    ];
    let own = match configured {
        BeliefModel::Published => "published",
        BeliefModel::Recalibrated(RecalibrationOptions { recalibration: Recalibration::Off, .. }) => {
            models.push(("not_recalibrated", configured));
            "not_recalibrated"
        }
        BeliefModel::Recalibrated(RecalibrationOptions { recalibration: Recalibration::Shared, .. }) => "recalibrated",
        BeliefModel::Recalibrated(_) => "recalibrated_by_group",
        BeliefModel::Map(rung) => {
            models.push((rung.key(), configured));
            rung.key()
        }
        BeliefModel::Auto => {
            models.push(("auto", configured));
            "auto"
        }
    };
    if groups < 2 {
        models.retain(|(name, _)| *name != "recalibrated_by_group" || own == *name);
    }
    (own, models)
}

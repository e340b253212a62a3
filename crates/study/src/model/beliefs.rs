//! The beliefs that held-out labels are scored under.

use super::study::Study;
use judge_uncertainty_core::belief::BeliefModel;
use judge_uncertainty_evaluation::LabelPool;

/// The items of a study at positions `kept` under each of the beliefs that can be held about them, by name, and the
/// name of the belief that the study holds.
pub fn beliefs(study: &Study, kept: &[usize]) -> (&'static str, Vec<(String, LabelPool)>) {
    let (own, models) = models(study.file.config.trust.belief);
    let under = |(name, model): (&str, BeliefModel)| {
        (name.to_owned(), study.pool_under(&study.labels, kept, (model, study.items.groups_of(kept)), None))
    };
    (own, models.into_iter().map(under).collect())
}

/// What the belief that a study holds is called.
pub fn name_of_own(study: &Study) -> &'static str {
    study.file.config.trust.belief.key()
}

/// The paper's belief, the one that the labels choose and the configured one, and which of them is configured.
fn models(configured: BeliefModel) -> (&'static str, Vec<(&'static str, BeliefModel)>) {
    let mut models = vec![BeliefModel::Published, BeliefModel::Auto];
    if !models.contains(&configured) {
        models.push(configured);
    }
    (configured.key(), models.into_iter().map(|model| (model.key(), model)).collect())
}

//! What a study says of labels that are numbers.

use super::judge;
use crate::belief_file::kind::InputColumns;
use crate::input::config::StudyConfig;
use crate::input::labels::Labels;
use crate::model::relation::Relation;
use crate::model::study::{CarriedReading, Kept};
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{BeliefModel, GaussianFit, Repeats, Unfit};
use judge_uncertainty_evaluation::RatingPool;

/// Column of the ratings of an item, a list.
const LABELS: &str = "ratings";

/// As [`Relation::pool_under`].
pub(crate) fn pool(
    relation: &Relation<'_>,
    labels: &Labels,
    kept: &[usize],
    (model, groups): (BeliefModel, Vec<usize>),
    of_fit: Option<&Kept>,
) -> RatingPool {
    let Relation { config, items, judge, start, .. } = *relation;
    let mut grouped = labels.scores();
    let ratings = kept.iter().map(|&i| std::mem::take(&mut grouped[i])).collect();
    let mut pool = RatingPool::new(ratings, judge::scores(judge, kept));
    (pool.model, pool.groups, pool.prior, pool.twins) = (model, groups, config.trust.prior, items.twins(kept));
    if let Some(CarriedReading::Ratings((fit, names))) = start {
        let known = |group: &str| names.iter().position(|name| name == group);
        pool.start = Some((fit.clone(), items.group_names().into_iter().map(known).collect()));
    }
    if let Some(Kept::Ratings(repeats)) = of_fit {
        pool.repeats = Some(*repeats);
    }
    pool
}

/// Whether a fit takes what the judge says as it is.
pub(crate) fn is_as_stated(fit: &GaussianFit) -> bool {
    fit.map.as_ref().is_none_or(|map| map.name == MapName::Identity)
}

/// Whether a fit with these features and so many groups belongs together; `Ok(true)` for one with parameters for every group
/// of its own.
///
/// # Errors
/// What does not.
pub(crate) fn check_fit(
    fit: &GaussianFit,
    kept: Option<&Repeats>,
    (features, groups): (&[&str], usize),
) -> std::result::Result<bool, Unfit> {
    let possible = |repeats: &Repeats| repeats.variance.is_finite() && repeats.variance >= 0.0 && repeats.degrees > 0;
    if !kept.is_none_or(possible) {
        return Err(Unfit { field: "kept", problem: "is not a variance of repeated ratings".to_owned() });
    }
    fit.check(features, groups)?;
    Ok(fit.is_by_group())
}

/// As [`crate::model::study::names`].
pub(crate) fn names(config: &StudyConfig, variants: &[String]) -> InputColumns {
    let judge = config.judge.of_ratings();
    let name = |name: &String| if variants.is_empty() { name.clone() } else { format!("{name}_{{variant}}") };
    let (id, group) = (config.items.id.as_deref(), config.items.group.as_deref());
    let mut names = InputColumns::new(id, name(&judge.mean), LABELS.to_owned(), group);
    names.deviations = judge.sd.as_ref().map(name);
    names
}

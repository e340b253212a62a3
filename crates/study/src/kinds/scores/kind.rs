//! What a study says of labels that are numbers.

use super::judge::{self, LEAST_SD};
use crate::belief_file::kind::{InputColumns, RowAnswer, Wrong, wrong};
use crate::input::config::StudyConfig;
use crate::input::labels::Labels;
use crate::model::relation::Relation;
use crate::model::study::{CarriedReading, Kept};
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{BeliefModel, GaussianFit, Repeats, Unfit};
use judge_uncertainty_evaluation::RatingPool;
use judge_uncertainty_formats::error::Problem;
use judge_uncertainty_formats::judge::JudgeAnswers;

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
    let pool = RatingPool::new(ratings, judge::scores(judge, kept))
        .with_belief(model, groups)
        .with_prior(config.trust.prior)
        .with_twins(items.twins(kept))
        .with_start(match start {
            Some(CarriedReading::Ratings((fit, names))) => {
                let known = |group: &str| names.iter().position(|name| name == group);
                Some((fit.clone(), items.group_names().into_iter().map(known).collect()))
            }
            _ => None,
        });
    match of_fit {
        Some(Kept::Ratings(repeats)) => pool.with_repeats(*repeats),
        _ => pool,
    }
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

/// The judge's answer in a row of further items.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn answer(
    (low, high): (f64, f64),
    fit: &GaussianFit,
    row: &RowAnswer<'_>,
) -> std::result::Result<JudgeAnswers, Wrong> {
    let within = |name: &String, value: f64, low: f64, high: f64| match (low..=high).contains(&value) {
        true => Ok(value),
        false => Err(wrong(Some(name), Problem::OutOfRange { value, low, high })),
    };
    let mut answer = JudgeAnswers::default();
    for (k, names) in row.columns.answers.iter().enumerate() {
        let Some(mean) = row.weights[k][0] else { continue };
        let mut numbers = vec![within(&names[0], mean, low, high)?];
        if let (Some(name), Some(sd)) = (&row.columns.deviations[k], row.deviations[k]) {
            let sd = within(name, sd, LEAST_SD * (high - low), high - low)?;
            numbers.push(sd * sd);
        }
        answer.variants.push(Some(numbers));
    }
    if answer.variants.is_empty() {
        return Err(wrong(None, Problem::NoAnswer));
    }
    if answer.variants.iter().flatten().all(|numbers| numbers.len() == 1) && !fit.reads_unstated() {
        let reason =
            "the judge states no standard deviation, and stated one for every item that the belief was fitted to";
        let remedy = "give it, or run a study with such items";
        let problem = Problem::Unfit { reason: reason.to_owned(), remedy: remedy.to_owned() };
        return Err(wrong(row.columns.deviations.iter().flatten().next().map(String::as_str), problem));
    }
    Ok(answer)
}

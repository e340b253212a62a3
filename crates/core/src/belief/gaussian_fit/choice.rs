//! Which map reads the judge's scores, by labels held out.

use super::fit::GaussianFit;
use super::judged::{GaussianError, JudgedRatings};
use super::map_fit::{fit_map_to, fit_rating_map};
use super::terms::item_terms;
use crate::belief::fixed_point::ENOUGH_TO_COMPARE;
use crate::belief::gaussian::Scores;
use crate::belief::maps::{Folds, HeldOut, MapName, Things, choose_by};
use crate::belief::prior::TrustPrior;

/// Chooses a map of ratings by labels held out, as [`crate::belief::maps::choose`] does for classes, and fits it to all of them.
///
/// [`MapName::Line`] is taken rather than the scores as they are where it is ahead by more than one standard error; [`MapName::Groups`] or
/// [`MapName::Curve`], the simplest within one standard error of the better of them, where that is ahead of what was taken by more than two.
/// `twins` has the same number for items that are one thing; empty where every item stands for itself.
///
/// # Errors
/// As [`super::fit_ratings`].
///
/// # Panics
/// If there are fewer than two folds.
pub fn choose_rating_map(
    items: &JudgedRatings,
    labels: &[Scores],
    prior: TrustPrior,
    folds: Folds,
    twins: &[usize],
) -> Result<GaussianFit, GaussianError> {
    assert!(folds.folds >= 2, "cross-validation needs at least two folds");
    let labelled: Vec<bool> = labels.iter().map(|labels| labels.n > 0).collect();
    let things = Things { twins, groups: items.groups };
    let maps: Vec<MapName> = MapName::of_ratings().collect();
    let choice = choose_by(&maps, &things, &labelled, folds, |rung, dealt| {
        held_out(rung, items, labels, prior, (dealt, folds.folds as usize))
    })?;
    let mut fit = fit_rating_map(choice.chosen, items, labels, prior)?.expect("a map that was compared can be fitted");
    fit.map.iter_mut().for_each(|map| map.choice = Some(choice.clone()));
    Ok(fit)
}

/// Log-likelihood of each item's labels, what is unknown of the reading counted as ignorance, under the fit to the other folds.
fn held_out(
    rung: MapName,
    items: &JudgedRatings,
    labels: &[Scores],
    prior: TrustPrior,
    (dealt, folds): (&[Option<usize>], usize),
) -> Result<HeldOut, GaussianError> {
    let (mut values, mut parameters) = (vec![0.0; labels.len()], 0);
    for fold in 0..folds {
        let is_own = |i: usize| dealt[i] == Some(fold);
        let kept = |(i, labels): (usize, &Scores)| if is_own(i) { Scores::default() } else { *labels };
        let others: Vec<Scores> = labels.iter().enumerate().map(kept).collect();
        let fit = match fit_map_to(rung, items, &others, prior, ENOUGH_TO_COMPARE)? {
            Ok(fit) => fit,
            Err(unavailable) => return Ok(Err(unavailable)),
        };
        parameters = parameters.max(fit.of_reading());
        for (i, belief) in fit.priors_of(items).iter().enumerate().filter(|(i, _)| is_own(*i)) {
            values[i] = item_terms(belief.evidence, belief.freedom, belief.scale, &labels[i], belief.mean).value;
        }
    }
    Ok(Ok((values, parameters)))
}

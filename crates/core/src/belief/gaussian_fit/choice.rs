//! Which map reads the judge's scores, by labels held out.

use super::fit::{GaussianFit, at_maximum};
use super::judged::{GaussianError, JudgedRatings};
use super::map_fit::fit_rating_map;
use super::options::RatingOptions;
use super::terms::MEAN;
use crate::belief::gaussian::Ratings;
use crate::belief::leave_out::{Local, fall};
use crate::belief::maps::{MapName, Things, Try, choose_by};
use crate::belief::newton::Objective;
use crate::belief::prior::TrustPrior;
use crate::belief::regression::LARGEST_MOVE;

/// An item's ratings tell of the mean and of the variance of its distribution.
const NUMBERS_OF_AN_ITEM: u32 = 2;

/// Chooses a map of ratings by labels held out, as [`crate::belief::maps::choose`] does for classes, and fits it to all
/// of them.
///
/// The score of an item is the log-likelihood of its ratings together, per rating, without the labels of its thing.
/// [`MapName::Line`] is taken rather than the scores as they are where it is ahead; [`MapName::Groups`] or
/// [`MapName::Recalibrated`], the simplest within one standard error of the better of them, where that is ahead of what was
/// taken by more than two. An item of n ratings carries min(n, 2) numbers, and a map of more parameters than all of
/// them carry is not compared. `twins` has the same number for items that are one thing; empty where every item stands
/// for itself.
///
/// # Errors
/// As [`super::fit_ratings`].
pub fn choose_rating_map(
    items: &JudgedRatings,
    labels: &[Ratings],
    prior: TrustPrior,
    twins: &[usize],
) -> Result<GaussianFit, GaussianError> {
    let labelled: Vec<bool> = labels.iter().map(|labels| labels.n > 0).collect();
    let things = Things::new(twins, &labelled);
    let maps: Vec<MapName> = MapName::of_ratings().collect();
    let numbers = labels.iter().map(|labels| labels.n.min(NUMBERS_OF_AN_ITEM) as usize).sum();
    let tried = |name| -> Result<_, GaussianError> {
        let fit = match fit_rating_map(name, items, labels, prior)? {
            Ok(fit) => fit,
            Err(unavailable) => return Ok(Err(unavailable)),
        };
        let scores = scores(&fit, items, labels, prior, &things)?;
        Ok(Ok(Try { name, parameters: fit.of_reading(), scores, fit }))
    };
    let (fit, choice) = choose_by(&maps, &things, numbers, tried, GaussianFit::drawn_back)?;
    let mut fit = match fit {
        Some(fit) => fit,
        None => fit_rating_map(choice.chosen, items, labels, prior)?.expect("scores can be taken as they are"),
    };
    fit.map.iter_mut().for_each(|map| map.choice = Some(choice.clone()));
    Ok(fit)
}

/// The score of each item's ratings without those of its thing, 0 without ratings.
fn scores(
    fit: &GaussianFit,
    items: &JudgedRatings,
    labels: &[Ratings],
    prior: TrustPrior,
    things: &Things,
) -> Result<Vec<f64>, GaussianError> {
    let (likelihood, mode) = at_maximum(items, labels, &RatingOptions::published(prior), fit)?;
    let covariance = likelihood.at(&mode).curvature().covariance();
    let mut labelled = vec![None; labels.len()];
    let with_ratings = (0..labels.len()).filter(|&i| labels[i].n > 0);
    with_ratings.enumerate().for_each(|(k, i)| labelled[i] = Some(k));
    let mut scores = vec![0.0; labels.len()];
    for thing in &things.members {
        let own: Vec<usize> = thing.iter().filter_map(|&i| labelled[i]).collect();
        let locals: Vec<Local> = own.iter().map(|&k| likelihood.local(k, &mode)).collect();
        let mut fall = fall(&covariance, &locals);
        for ((&i, k), fall) in thing.iter().zip(own).zip(fall.chunks_exact_mut(MEAN + 1)) {
            // No farther than in one step of a search.
            let excess = fall.iter().enumerate().fold(1.0_f64, |excess, (at, by)| {
                let unit = if at == MEAN { likelihood.unit() } else { 1.0 };
                excess.max(by.abs() / (LARGEST_MOVE * unit))
            });
            fall.iter_mut().for_each(|by| *by /= excess);
            scores[i] = likelihood.score(k, &mode, fall);
        }
    }
    Ok(scores)
}

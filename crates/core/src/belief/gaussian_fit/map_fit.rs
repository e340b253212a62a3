//! Fits of the maps of ratings.

use super::curve::Curve;
use super::fit::{GaussianFit, conclude, fit_ratings, highest};
use super::judged::{GaussianError, JudgedRatings};
use super::likelihood::Likelihood;
use super::map::RatingMap;
use super::options::Recalibration;
use super::options::{RatingOptions, ReadingPrior};
use crate::belief::design::Design;
use crate::belief::fixed_point::ROUNDS;
use crate::belief::gaussian::Ratings;
use crate::belief::maps::{MOST_PARAMETERS, MapName, Unavailable};
use crate::belief::prior::TrustPrior;

/// Fits a map of the ladder of ratings with the trust, or says why it is not offered.
///
/// | map | reads the judge's mean mu and standard deviation s0 |
/// |---|---|
/// | [`MapName::Identity`] | as they are |
/// | [`MapName::Line`] | as c - bias + slope (mu - c) and factor x s0, one for all items, as [`fit_ratings`] does |
/// | [`MapName::Groups`] | the same for each group, drawn towards a common one |
/// | [`MapName::Recalibrated`] | as the line does, by group where there are groups, plus a smooth curve f(mu) for all items |
///
/// Each parameter of a group, x_g, is mean + u + w_g: u has the prior of a shared reading ([`ReadingPrior`]) and w_g is
/// normal about 0 with a variance s^2 for biases, slopes, logarithms of factors and of common variances each, all read
/// about one centre c. A curve is a sum of sixteen waves whose weights are normal about 0 with one variance: a cubic
/// smoothing spline over the judge's scores of all items, straight in no part. The ratings' marginal likelihood chooses
/// the variances, by Laplace's approximation and MacKay's fixed point, so that groups which do not differ share one
/// reading, few ratings in a group do no harm, and a curve of which the ratings say nothing is flat (a variance comes
/// down to 1e-4, in squared units of what the ratings are off the judge's scores where it is one of ratings). Gradient
/// and Hessian are exact. Source of partial pooling: Gelman and Hill (2007), "Data analysis using regression and
/// multilevel/hierarchical models", chapter 12.
///
/// # Errors
/// As [`fit_ratings`].
///
/// ```
/// use judge_uncertainty_core::belief::maps::MapName;
/// use judge_uncertainty_core::belief::{Design, JudgeScores, JudgedRatings, Ratings, TrustPrior, fit_rating_map};
///
/// // A judge that stretches the scale upwards: its 16 is the annotators' 4.
/// let judge = JudgeScores { mean: (0..60).map(|i| f64::from(i % 17)).collect(), variance: vec![Some(0.1); 60] };
/// let labels: Vec<Ratings> = judge.mean.iter().map(|mu| Ratings::new(&[mu.sqrt() - 0.2, mu.sqrt() + 0.2])).collect();
/// let design = Design::constant(60);
/// let items = JudgedRatings { design: &design, judge: &judge, groups: &[] };
///
/// let fit = fit_rating_map(MapName::Recalibrated, &items, &labels, TrustPrior::Weak)?.expect("scores enough for a curve");
/// let further = JudgeScores { mean: vec![4.0, 12.25], variance: vec![Some(0.1); 2] };
/// let read = fit.read(&further, &[]).mean;
/// assert!((read[0] - 2.0).abs() < 0.1 && (read[1] - 3.5).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_rating_map(
    rung: MapName,
    items: &JudgedRatings,
    labels: &[Ratings],
    prior: TrustPrior,
) -> Result<Result<GaussianFit, Unavailable>, GaussianError> {
    let options = |recalibration| RatingOptions { prior, recalibration, reading: ReadingPrior::default() };
    let several = items.groups.iter().max().is_some_and(|last| *last > 0);
    let (recalibration, curve) = match rung {
        MapName::Identity => (Recalibration::Off, None),
        MapName::Line => (Recalibration::Shared, None),
        MapName::Groups if !several => return Ok(Err(Unavailable::OneGroup)),
        MapName::Groups => (Recalibration::ByGroup, None),
        MapName::Recalibrated => {
            let Some(curve) = Curve::new(&items.judge.mean) else { return Ok(Err(Unavailable::FewScores)) };
            (if several { Recalibration::ByGroup } else { Recalibration::Shared }, Some(curve))
        }
        _ => return Ok(Err(Unavailable::OfClasses)),
    };
    if rung < MapName::Groups {
        let mut fit = fit_ratings(items, labels, &options(recalibration))?;
        fit.map = Some(RatingMap { name: rung, variances: vec![], choice: None });
        return Ok(Ok(fit));
    }
    let mut likelihood = Likelihood::of_map(items, labels, &options(recalibration), curve)?;
    Ok(match likelihood.layout.len() {
        many if many > MOST_PARAMETERS => Err(Unavailable::TooMany(many)),
        _ => Ok(fit_likelihood(rung, &mut likelihood, items.design)),
    })
}

/// Parameters at the maximum, variances by the ratings' marginal likelihood.
pub(super) fn fit_likelihood(rung: MapName, likelihood: &mut Likelihood, design: &Design) -> GaussianFit {
    let mut starts = likelihood.starts();
    if likelihood.labelled_items() > 0 {
        for _ in 0..ROUNDS {
            let best = highest(likelihood, std::mem::take(&mut starts));
            let covariance = best.at.curvature().covariance();
            starts.push(best.parameters);
            if !likelihood.renew(&starts[0], &covariance) {
                break;
            }
        }
    }
    let best = highest(likelihood, starts);
    let variances = likelihood.variances(&best.at.curvature().covariance());
    let mut fit = conclude(likelihood, design, best);
    fit.map = Some(RatingMap { name: rung, variances, choice: None });
    fit
}

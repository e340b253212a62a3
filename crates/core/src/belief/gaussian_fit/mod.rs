//! The trust regression for real-valued labels: how many labels a judge's rating is worth, and how its scale is to be read.
//!
//! | module | holds |
//! |---|---|
//! | `judged` | what is known of the items before their labels, and what is refused |
//! | `options`, `normal_prior` | what a fit is asked for, and its priors |
//! | `scale` | lines through scores and ratings |
//! | `layout` | where each parameter stands |
//! | `terms`, `likelihood` | one item's likelihood, and that of all with the priors |
//! | `fit` | the fit itself |

mod fit;
mod judged;
mod layout;
mod likelihood;
mod normal_prior;
mod options;
mod scale;
mod terms;
#[cfg(test)]
mod tests;

pub use fit::{
    EstimatedReading, GaussianFit, Reading, fit_gaussian, fit_gaussian_under, fit_ratings, log_posterior_of_ratings,
    typical_log_trust, typical_log_trust_under,
};
pub use judged::{GaussianError, JudgeScores, JudgedRatings, ReadScores};
pub use options::{RatingOptions, ReadingPrior};

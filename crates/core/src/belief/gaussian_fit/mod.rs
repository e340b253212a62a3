//! The trust regression for real-valued labels: how many labels a judge's rating is worth, and how its scale is to be
//! read.
//!
//! | module | holds |
//! |---|---|
//! | `judged` | what is known of the items before their labels, and what is refused |
//! | `options`, `normal_prior` | what a fit is asked for, and its priors |
//! | `scale` | lines through scores and ratings |
//! | `layout` | where each parameter stands |
//! | `terms`, `likelihood` | one item's likelihood, and that of all with the priors |
//! | `fit` | the fit itself |
//! | `curve` | the waves of a smooth curve |
//! | `pooling` | parameters drawn to a common value, by a fitted variance |
//! | `map`, `map_fit` | maps of the ladder, and their fits |
//! | `choice` | which map, by labels held out |

mod choice;
mod curve;
mod fit;
mod judged;
mod layout;
mod likelihood;
mod map;
mod map_fit;
mod normal_prior;
mod options;
mod pooling;
mod scale;
mod terms;
#[cfg(test)]
mod tests;

pub use choice::choose_rating_map;
pub use fit::{
    CurvePoint, EstimatedReading, GaussianFit, Reading, fit_ratings, log_posterior_of_ratings, typical_log_trust,
};
pub use judged::{GaussianError, JudgeScores, JudgedRatings, ReadScores};
pub use map::RatingMap;
pub use map_fit::fit_rating_map;
pub use options::{RatingOptions, ReadingPrior, Recalibration};

//! What we believe about an item's labels: closed forms and the fitted trust behind them.
//!
//! A [`Belief`] says of one item how uncertain its labels are and what further ones will do about it; a [`BeliefTable`]
//! holds the beliefs about many. There are three kinds of labels:
//!
//! | labels | belief | its fit |
//! |---|---|---|
//! | classes | [`Dirichlet`], in [`Beliefs`] | [`fit_trust`]; beyond the paper [`BeliefModel`] |
//! | classes with places on a scale | [`OrdinalBelief`] in [`Ordinals`] | that of the classes |
//! | numbers | [`Gaussian`] | [`fit_ratings`] |
//!
//! Every fit holds a [`Regression`] of the trust on an item's features ([`Design`]).

mod beta;
mod classes;
mod closed_forms;
mod contrasts;
mod curve;
pub mod design;
pub mod dirichlet;
mod dirichlet_multinomial;
mod engine;
mod fixed_point;
mod gaussian;
#[cfg(test)]
mod golden;
mod judged;
mod lanes;
mod leave_out;
mod manhattan;
pub mod maps;
mod model;
mod moments;
mod newton;
mod ordinal;
mod prior;
mod profile;
mod ratings;
mod regression;
mod student_t;
mod table;
mod traits;
mod trust;
mod unfit;
mod whole;

pub use classes::{ClassBelief, ClassBeliefs};
pub use design::{Design, DesignError, Feature, FeatureColumn, FeatureScale, Standardizer};
pub use dirichlet::{Dirichlet, entropy, manhattan};
pub use gaussian::{Gaussian, Ratings, Repeats};
pub use judged::JudgedItems;
pub use model::{BeliefModel, FittedBelief, Mapped};
pub use ordinal::{OrdinalBelief, Ordinals, mean_place, place_variance, wasserstein};
pub use prior::TrustPrior;
pub use profile::TrustProfile;
pub use ratings::{
    CurvePoint, EstimatedReading, GaussianError, GaussianFit, JudgeScores, JudgedRatings, RatingMap, ReadScores,
    Reading, choose_rating_map, fit_rating_map, fit_ratings, typical_log_trust as typical_log_trust_of_ratings,
};
pub use regression::Regression;
pub use table::Beliefs;
pub use traits::{Belief, BeliefTable, Quantity};
pub use trust::{TrustError, TrustFit, fit_trust, fit_trusts, log_likelihood};
pub use unfit::Unfit;

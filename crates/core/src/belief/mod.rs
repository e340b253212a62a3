//! What we believe about an item's labels: closed forms and the fitted trust behind them.
//!
//! Labels are classes ([`Dirichlet`], [`fit_trust`]) or numbers ([`Gaussian`], [`fit_gaussian`]). For classes, the judge's
//! prediction may be recalibrated as well ([`Recalibration`]), which goes beyond the paper.

mod beta;
mod classes;
pub mod design;
pub mod dirichlet;
pub mod gaussian;
pub mod gaussian_fit;
pub mod manhattan;
pub mod model;
mod newton;
mod ordinal;
pub mod recalibration;
mod regression;
mod traits;
pub mod trust;

pub use classes::{ClassBelief, ClassBeliefs};
pub use design::{Design, FeatureColumn, Standardizer};
pub use dirichlet::{Beliefs, Dirichlet, entropy, manhattan};
pub use gaussian::{Gaussian, Repeats, Scores};
pub use gaussian_fit::{GaussianError, GaussianFit, JudgeScores, fit_gaussian};
pub use model::{BeliefModel, FittedBelief};
pub use ordinal::{Ordinal, Ordinals, mean_place, place_variance, wasserstein};
pub use recalibration::{JudgedItems, RecalibratedFit, Recalibration};
pub use regression::Regression;
pub use traits::{Belief, BeliefTable};
pub use trust::{TrustError, TrustFit, fit_trust, log_likelihood};

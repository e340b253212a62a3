//! What we believe about an item's labels, and how it is learned from the labels of other items.
//!
//! # Belief
//!
//! A judge predicts how people would label an item, and a few people have labelled it. A [`Belief`] weighs the two. For
//! labels that are classes it is the distribution Dir(lambda q + c) of the shares p of the classes among all people: q is
//! the judge's prediction, c the counts of the labels in hand, and the trust lambda says how many labels one prediction
//! is worth. The entropy of the next label is its total uncertainty. The aleatoric part remains when p is known, because
//! people differ; the epistemic part is what further labels take away.
//!
//! ```
//! use judge_uncertainty_core::belief::{Belief, Beliefs};
//! use ndarray::array;
//!
//! // The judge predicts (0.8, 0.2) for two items, and the trust is 6 labels. People gave the second item 1 and 11 labels.
//! let q = array![[0.8, 0.2], [0.8, 0.2]];
//! let beliefs = Beliefs::posterior(&[6.0, 6.0], q.view(), array![[0, 0], [1, 11]].view());
//! let [unseen, labelled] = [beliefs.get(0), beliefs.get(1)];
//! assert!((labelled.mean().next().unwrap() - 5.8 / 18.0).abs() < 1e-12);
//! assert!(labelled.epistemic() < 0.5 * unseen.epistemic());
//! assert!((unseen.total() - unseen.aleatoric() - unseen.epistemic()).abs() < 1e-12);
//! ```
//!
//! | labels | belief | fit |
//! |---|---|---|
//! | classes | [`Dirichlet`], in [`Beliefs`] | [`BeliefModel::fit`]; the paper's is [`fit_trust`] |
//! | classes with places on a scale | [`OrdinalBelief`] in [`ItemBeliefs`] | that of the classes |
//! | numbers | [`Gaussian`] | [`fit_ratings`], [`choose_rating_map`] |
//!
//! # Fit
//!
//! A fit finds the trust, and if it is asked to, how the judge's predictions are to be recalibrated ([`maps`]). It
//! maximises the likelihood of the labels (Dirichlet-multinomial for classes, Student's t for numbers) times normal
//! priors on the parameters. A parameter moves the trust or the prediction of every item by a number that the item's
//! features give; parameters of one kind, such as the biases of all groups, share a variance, which the labels choose, so
//! that a recalibration with no support vanishes. Before a recalibration is used, each labelled item is predicted without
//! its own labels: with L by how much the recalibration is ahead of the plain prediction and se the standard error of
//! that, its weight is L^2 / (L^2 + se^2).
//!
//! ```
//! use judge_uncertainty_core::belief::{BeliefModel, Design, JudgedItems, TrustPrior};
//! use ndarray::Array2;
//!
//! // The judge is nearly sure of every item, and a quarter of the labels contradict it.
//! let q = Array2::from_shape_fn((80, 2), |(i, j)| if i % 2 == j { 0.97 } else { 0.03 });
//! let counts = Array2::from_shape_fn((80, 2), |(i, j)| if i % 2 == j { 3 } else { 1 });
//! let design = Design::constant(80);
//! let items = JudgedItems::new(&design, q.view(), &[]);
//! let fit = BeliefModel::Auto.fit(&items, counts.view(), TrustPrior::Weak)?;
//! assert!((fit.predictions(&items)[[0, 0]] - 0.75).abs() < 0.05);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod contrasts;
mod curve;
pub mod design;
pub mod dirichlet;
mod dirichlet_multinomial;
mod engine;
mod gaussian;
#[cfg(test)]
mod golden_tests;
mod item_beliefs;
mod judged;
mod leave_out;
pub mod maps;
mod model;
mod newton;
mod ordinal;
mod profile;
mod ratings;
mod regression;
mod student_t;
mod table;
mod traits;
mod trust;

pub use design::{Design, DesignError, Feature, FeatureColumn, FeatureScale, Standardizer};
pub use dirichlet::{Dirichlet, entropy, manhattan};
pub use gaussian::{Gaussian, Ratings, Repeats};
pub use item_beliefs::{ItemBelief, ItemBeliefs};
pub use judged::JudgedItems;
pub use model::{BeliefModel, FittedBelief, Mapped};
pub use ordinal::{OrdinalBelief, mean_place, place_variance, wasserstein};
pub use profile::TrustProfile;
pub use ratings::{
    CurvePoint, EstimatedReading, GaussianFit, JudgeScores, JudgedRatings, RatingMap, RatingStart, ReadScores, Reading,
    choose_rating_map, fit_rating_map, fit_ratings, typical_log_trust as typical_log_trust_of_ratings,
};
pub use regression::{Regression, Unfit};
pub use table::Beliefs;
pub use traits::{Belief, Quantity};
pub use trust::{FitError, TrustPrior, fit_trust};

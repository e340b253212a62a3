//! Labels that are classes with an order and places on a scale: Likert ratings, a judge's 1 to 5.
//!
//! The belief is the Dirichlet of classes; its uncertainty is about the place of a label
//! ([`judge_uncertainty_core::belief::OrdinalBelief`]), and its error the Wasserstein distance on the places.
//!
//! | module | holds |
//! |---|---|
//! | [`scale`] | its key in `study.toml`, and what errors are measured by |
//! | [`kind`] | the kind itself; answers and labels are read as classes |

pub mod kind;
pub mod scale;

pub use kind::Ordinal;

//! Labels that are ratings on a continuous scale, with a [`judge_uncertainty_core::belief::Gaussian`] belief about
//! every item.
//!
//! | module | holds |
//! |---|---|
//! | [`config`] | its part of `study.toml` |
//! | [`judge`], [`ratings`] | the judge's scores, and what a belief takes from ratings |
//! | [`pool`] | ratings as decompositions and half splits see them |
//! | [`reading`] | what the fit says, and how it reads the judge |
//! | [`findings`], [`diagnostics`] | what the decomposition says, the table of items, the judge against the labels |
//! | `held_out` | ratings that predictions have not seen |
//! | [`kind`] | the kind itself |
//! | [`saved`] | the fitted belief as a file, and how it reads further items |

pub mod config;
pub mod diagnostics;
pub mod findings;
mod held_out;
pub mod judge;
pub mod kind;
pub mod pool;
pub mod ratings;
pub mod reading;
pub mod saved;

pub use kind::Scores;

//! Labels that are ratings on a continuous scale, with a [`judge_uncertainty_core::belief::Gaussian`] belief about
//! every item.
//!
//! | module | holds |
//! |---|---|
//! | [`config`] | its part of `study.toml` |
//! | [`judge`] | the judge's scores |
//! | [`pool`] | ratings as decompositions and half splits see them |
//! | [`reading`] | what the fit says, and how it reads the judge |
//! | [`findings`] | what the decomposition says, the table of items |
//! | `held_out` | ratings that predictions have not seen |
//! | [`kind`] | the kind itself |

pub mod config;
pub mod findings;
mod held_out;
pub mod judge;
pub mod kind;
pub mod pool;
pub mod reading;

pub use kind::Scores;

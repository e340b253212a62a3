//! Labels that are ratings on a continuous scale, with a [`judge_uncertainty_core::belief::Gaussian`] belief about
//! every item.
//!
//! | module | holds |
//! |---|---|
//! | [`config`] | its part of `study.toml` |
//! | [`judge`] | the judge's scores |
//! | [`reading`] | what the fit says, and how it reads the judge |
//! | [`findings`] | what the decomposition says, the table of items |
//! | [`kind`] | labels and answers as they are fitted and applied |

pub mod config;
pub mod findings;
pub mod judge;
pub mod kind;
pub mod reading;

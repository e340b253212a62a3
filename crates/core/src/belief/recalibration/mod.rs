//! The recalibrated belief: how the judge's prediction is to be read, fitted together with how far to trust it.
//!
//! | module | holds |
//! |---|---|
//! | `options` | what is fitted, and the weak priors |
//! | `items` | items as the judge left them |
//! | `fitted` | a fit, and what it says about any items |
//! | `terms` | one item's log-likelihood with its derivatives |
//! | `posterior` | what is maximised |
//! | `fitting` | fits, by themselves and held out |

mod fitted;
mod fitting;
pub(super) mod items;
mod options;
mod posterior;
mod terms;
#[cfg(test)]
mod world;

pub use fitted::RecalibratedFit;
pub(super) use fitting::fit_or_prior;
pub use fitting::{fit, held_out_log_likelihoods, typical_log_trust};
pub use items::JudgedItems;
pub use options::{Options, Prior, Recalibration};

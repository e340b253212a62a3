//! A belief about an item's label distribution that is a weighted sum of Dirichlet distributions, and what it says.
//!
//! | module | holds |
//! |---|---|
//! | `weights` | weights of components, and what labels make of them |
//! | `components` | the components with their weights |
//! | `look_ahead` | expectations over labels to come |
//! | `errors` | expected Manhattan and Wasserstein errors |
//! | `says` | the parts of uncertainty, values of labels, intervals |

mod components;
mod errors;
mod look_ahead;
mod says;
#[cfg(test)]
mod tests;
mod weights;

pub use components::{HeldMixture, Mixture};
pub(super) use errors::{Cuts, expected_error, expected_reduction};
pub(super) use look_ahead::{DRAWS, over_labels};
pub(super) use weights::{add, add_one, ln_likelihood};

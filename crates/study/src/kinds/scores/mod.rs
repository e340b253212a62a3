//! Labels that are ratings on a continuous scale, with a [`judge_uncertainty_core::belief::Gaussian`] belief about
//! every item.
//!
//! | module | holds |
//! |---|---|
//! | [`judge`] | the judge's scores |
//! | [`kind`] | labels and answers as they are fitted and applied |

pub mod judge;
pub mod kind;

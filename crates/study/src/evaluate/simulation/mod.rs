//! The loop played on items whose labels are known: fit, choose items, label them, fit again, under several policies
//! side by side.
//!
//! An item with many labels has a distribution of labels that is nearly known, that of its whole pool. The loop begins
//! without a label of these items. In every round each policy chooses a batch of items by what it knows, each of them
//! gets one further label of its pool, drawn without replacement, and everything is fitted again. The error of a round
//! is the distance between the belief's mean of an item and the distribution of its whole pool, averaged over items (of
//! classes the sum of absolute differences). Policies of the same seed draw the labels of an item in the same order, so
//! that their differences are paired.
//!
//! The labels in hand are part of the pool that they are held against. With n labels of a pool of N this flatters the
//! error of what uses them by a share of about n/N, for all policies alike.
//!
//! | module | holds |
//! |---|---|
//! | [`play`] | what is compared: a belief, what ranks, a share drawn at random; the loop under one policy |
//! | [`summary`] | means with intervals over items and seeds, labels saved at equal error |

pub mod play;
pub mod summary;

pub use play::{Chooses, Course, Game, Policy, Start, journal};
pub use summary::{PlayedPolicy, Simulation};

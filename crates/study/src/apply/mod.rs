//! A fitted belief applied to further items, in a stream of any length.
//!
//! | module | holds |
//! |---|---|
//! | [`applier`] | a belief applied to rows |
//! | [`belongs`] | whether items and models are those of a belief |
//! | [`queue`] | the first of a stream under a rule |
//! | [`parts`], [`stream`] | a stream written part by part, and gone on with where it stopped |
//! | [`mod@load`] | a belief of whatever kind |

pub mod applier;
pub mod belongs;
pub mod load;
pub mod parts;
pub mod queue;
pub mod stream;

pub use applier::{AppliedRows, Apply};
pub use load::load;

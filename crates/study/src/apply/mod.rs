//! A fitted belief applied to further items, in a stream of any length.
//!
//! | module | holds |
//! |---|---|
//! | [`table`] | some rows of a table, column by column |
//! | [`rows`], [`csv`], [`jsonl`], [`parquet`], [`source`] | readers of such rows |
//! | [`applier`] | a belief applied to rows |
//! | [`belongs`] | whether items and models are those of a belief |
//! | [`queue`] | the first of a stream under a rule |
//! | [`parts`], [`stream`] | a stream written part by part, and gone on with where it stopped |
//! | [`mod@load`] | a belief of whatever kind |

pub mod applier;
pub mod belongs;
pub mod csv;
pub mod jsonl;
pub mod load;
pub mod parquet;
pub mod parts;
pub mod queue;
pub mod rows;
pub mod source;
pub mod stream;
pub mod table;

pub use applier::{Applied, Apply};
pub use load::load;
pub use table::{Batch, Cells, Header, Lists};

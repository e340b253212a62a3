//! Familiarity: how near an item lies to the items that already have labels.
//!
//! Text becomes an [`embedding`] (or the user has it already: [`user_embeddings`]), embeddings have [`neighbours`], and
//! the labelled ones among them make the [`features`] of the trust regression. [`agreement`] holds two embeddings of
//! the same items against each other.

pub mod agreement;
pub mod embedding;
pub mod features;
pub mod neighbours;
pub mod row_ids;
pub mod user_embeddings;

//! What the paper's reproduction shows: tables, the LaTeX bundle and the page.

pub mod bundle;
pub mod claims_table;
pub mod page;
mod reproduction;
pub(crate) mod tables;

pub use reproduction::stage;

//! What the paper's reproduction shows: tables, the LaTeX bundle, the page, and what goes beyond the paper.

pub mod bundle;
pub mod claims_table;
pub(crate) mod extended;
pub mod extended_tables;
pub mod findings;
pub mod page;
pub(crate) mod registered;
mod reproduction;
pub(crate) mod tables;

pub use reproduction::stage;

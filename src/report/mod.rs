//! Views of results: the paper's claims and their verdicts, and numbers as text. Nothing here computes a result.

pub(crate) mod bundle;
pub mod claims;
pub mod figures;
pub mod label;
pub mod latex;
pub mod page;
pub mod paper;
pub(crate) mod rules;
pub mod study;
mod templates;
pub mod verdicts;

pub use judge_uncertainty_system::numbers;

//! Views of results: the paper's claims and their verdicts, and numbers as text. Nothing here computes a result.

pub mod bundle;
pub mod claims;
pub mod figures;
pub mod followup;
pub mod latex;
pub mod page;
pub mod paper;
pub(crate) mod rules;
pub mod score_evaluation;
pub mod scores;
pub mod scores_page;
pub mod study;
pub mod study_bundle;
pub mod study_page;
mod templates;
pub mod verdicts;

pub use judge_uncertainty_text::numbers;

//! Views of results: the paper's claims and their verdicts, and numbers as text. Nothing here computes a result.

pub mod claims;
pub mod figures;
pub mod paper;
pub mod verdicts;

pub use judge_uncertainty_page::{self as page, bundle, latex, rules};
pub use judge_uncertainty_report::{self as study, label};
pub use judge_uncertainty_system::numbers;

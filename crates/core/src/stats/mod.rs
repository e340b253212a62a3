//! Summaries over replicates, rank correlation, agreement, and the special functions behind the closed forms.

pub mod beta;
pub mod estimator;
pub mod gamma;
pub mod label_scores;
pub mod new_items;
pub mod normal;
pub mod predictive;
pub mod quantile;
pub mod rank;
pub mod student;
pub mod summary;

pub use estimator::{Estimable, ItemEstimate};
pub use rank::{correlation_of_ranks, ranks, spearman};
pub use summary::{Estimate, Interval};
pub use summary::{Summary, mean, population_sd, sample_sd};

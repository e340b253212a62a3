//! The fitted belief as a file, `results/belief.json`: all that it takes to say of further items what a run says of its
//! own.
//!
//! | module | holds |
//! |---|---|
//! | [`mod@file`] | the file: what it holds, how it is written, read and held to be whole |
//! | [`features`] | what the trust depends on: where each feature comes from, its scale and its limits |
//! | [`mod@reference`] | the labelled items that familiarity compares with, in a file beside it |
//! | [`drift`] | how judge and features lay in the fit, and how far others have moved from it |
//! | [`kind`] | columns and answers in a table of further items |

pub mod drift;
pub mod features;
pub mod file;
pub mod kind;
pub mod reference;

pub use drift::{Baseline, Drift, Tally};
pub use features::{FeatureDefinition, FeatureSource};
pub use file::{BeliefFile, FILE, SCHEMA};
pub use kind::InputColumns;
pub use reference::{Familiarity, REFERENCE};

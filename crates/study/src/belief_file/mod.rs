//! The fitted belief as a file, `results/belief.json`: all that it takes to say of further items what a run says of its
//! own.
//!
//! | module | holds |
//! |---|---|
//! | [`mod@file`] | the file: what it holds, how it is written, read and held to be whole; columns of further items |
//! | [`drift`] | how judge and features lay in the fit, and how far others have moved from it |

pub mod drift;
pub mod file;

pub use drift::{Baseline, Drift, Tally};
pub use file::{
    BeliefFile, FILE, Familiarity, FeatureDefinition, FeatureSource, InputColumns, REFERENCE, REFERENCE_FILE, SCHEMA,
};

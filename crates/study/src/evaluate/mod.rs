//! Judge and beliefs against labels that they have not seen.
//!
//! | module | holds |
//! |---|---|
//! | [`half_splits`] | what escalation achieves where items have enough labels, and of new items |
//! | [`held_out`] | scores and calibration from one label an item |
//! | [`belief_check`] | whether the belief is as sure as labels allow |
//! | [`compare`] | two studies of the same items |

pub mod belief_check;
pub mod compare;
pub mod half_splits;
pub mod held_out;

use serde::{Deserialize, Serialize};

/// A part of the results, or the reason why it is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OrReason<T> {
    /// It can be told.
    Found(T),
    /// It can't.
    NotEstimable {
        /// Why, and what it would take.
        not_estimable: String,
    },
}

impl<T> OrReason<T> {
    pub(crate) fn not(reason: impl Into<String>) -> Self {
        Self::NotEstimable { not_estimable: reason.into() }
    }

    /// What can be told.
    pub fn found(&self) -> Option<&T> {
        match self {
            Self::Found(found) => Some(found),
            Self::NotEstimable { .. } => None,
        }
    }
}

pub use half_splits::{
    Evaluation, EvaluationOutcome, Evaluator, HeldOut, Replicate, SquaredValue, evaluate, evaluated_items, journal,
    lacking_labels,
};

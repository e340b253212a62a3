//! Judge and beliefs against labels that they have not seen.
//!
//! | module | holds |
//! |---|---|
//! | [`half_splits`], [`for_new_items`] | what escalation achieves where items have enough labels, and of new items |
//! | [`held_out`], [`reliability`] | scores and calibration from one label an item |
//! | [`belief_check`] | whether the belief is as sure as labels allow |
//! | [`new_annotators`] | the judge against labels of annotators who are not at hand |
//! | [`simulation`] | the loop played on items whose labels are known |
//! | [`compare`], [`mismatch`] | two studies of the same items |

pub mod belief_check;
pub mod compare;
pub mod for_new_items;
pub mod half_splits;
pub mod held_out;
pub mod mismatch;
pub mod new_annotators;
pub mod reliability;
pub mod simulation;

pub use half_splits::{
    Evaluated, Evaluation, Evaluator, HeldOut, Replicate, SquaredValue, evaluate, evaluated_items, journal,
    lacking_labels,
};

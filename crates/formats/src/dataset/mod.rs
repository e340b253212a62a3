//! The data of the paper's experiments, as published or with the predictions of another judge.
//!
//! | module | holds |
//! |---|---|
//! | [`dice`], [`chaosnli`] | the data of the two experiments |
//! | [`originals`] | the files of ChaosNLI that this repository may not hold: fetched and checked |

pub mod chaosnli;
pub mod dice;
pub mod originals;

mod judges;

pub use chaosnli::ChaosNliData;
pub use dice::DiceData;

//! Pre-registration: hypotheses that are frozen before their evaluation, and judged as they were frozen.
//!
//! A user writes what is to be tested into a draft, [`Draft`]. Registering adds what the run must not change without
//! saying so, the settings and the sums of the inputs, and a digest over all of it: a [`Registration`]. After the run
//! each hypothesis is judged by the rule written in it, and whatever differs from the registration is listed.
//!
//! | module | holds |
//! |---|---|
//! | `file` | what a user writes, and what of it can be tested; the frozen file: its digest, reading it back, and what a run does otherwise |
//! | [`hypothesis`], [`registered`] | a hypothesis with its result; the family judged, and a run held against its registration; the labels
//! that were there, and looks at later ones |
//! | `error` | both as text, and why either is refused |

mod error;
#[cfg(test)]
mod example;
mod file;
pub mod hypothesis;
pub mod registered;

pub use error::RegistrationError;
pub use file::{Deviation, Draft, Exclusion, REGISTRATION_FILE, Registration, Testable};

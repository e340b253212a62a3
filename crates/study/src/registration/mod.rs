//! Pre-registration: hypotheses that are frozen before their evaluation, and judged as they were frozen.
//!
//! A user writes what is to be tested into a draft, [`Draft`]. Registering adds what the run must not change without
//! saying so, the settings and the sums of the inputs, and a digest over all of it: a [`Registration`]. After the run
//! each hypothesis is judged by the rule written in it, and whatever differs from the registration is listed.
//!
//! | module | holds |
//! |---|---|
//! | `file` | what a user writes; the frozen file: its digest, reading it back, and what a run does otherwise |
//! | [`hypothesis`], [`registered`] | a hypothesis with its result; a run and its labels against the registration |
//! | `error` | both as text, and why either is refused |

mod error;
#[cfg(test)]
mod example;
mod file;
pub mod hypothesis;
pub mod registered;

pub use error::RegistrationError;
pub use file::{Deviation, Draft, Exclusion, REGISTRATION_FILE, Registration, Testable};

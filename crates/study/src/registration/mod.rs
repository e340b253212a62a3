//! Pre-registration: hypotheses that are frozen before their evaluation, and judged as they were frozen.
//!
//! A user writes what is to be tested into a draft, [`Draft`]. Registering adds what the run must not change without
//! saying so, the settings and the sums of the inputs, and a digest over all of it: a [`Registration`]. After the run
//! each hypothesis is judged by the rule written in it, and whatever differs from the registration is listed.
//!
//! | module | holds |
//! |---|---|
//! | `draft` | what a user writes, and what of it can be tested |
//! | `file` | the frozen file: its digest, reading it back, and what a run does otherwise |
//! | [`labels`] | the labels that were there at registration, and looks at those that came later |
//! | [`hypothesis`], [`registered`] | a hypothesis with its result; the family judged, and a run held against its registration |
//! | `error` | both as text, and why either is refused |

mod draft;
mod error;
#[cfg(test)]
mod example;
mod file;
pub mod hypothesis;
pub mod labels;
pub mod registered;

pub use draft::{Draft, Exclusion, Testable};
pub use error::RegistrationError;
pub use file::{Deviation, REGISTRATION_FILE, Registration};

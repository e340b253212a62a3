//! Studies of a user's data with the engines of the paper: items, a judge's predictions and some labels become a
//! decomposition of every item's uncertainty, rankings, and an evaluation where labels suffice, whether labels are
//! classes or numbers.
//!
//! | module | holds |
//! |---|---|
//! | [`input`] | `study.toml`, input files, items, texts, added labels |
//! | [`model`] | a study in memory: reading, features, the fit and the belief about every item |
//! | [`findings`] | whether the judge can be relied on, the rate, and what to label next: one list for every screen |
//! | [`mod@evaluate`] | judge and beliefs against labels that they have not seen |
//! | [`results`] | what a run reports, the table of all items, the items that figures and pages show |
//! | [`queue`], [`intake`] | what experts should label next, and labels on their way back |
//! | [`registration`] | hypotheses frozen before their evaluation, and how they fared |
//! | [`mod@audit`] | a table of a judge's and people's answers: what it says, and a study made of it |
//! | [`belief_file`], [`apply`] | the fitted belief as a file, and applied to further items in a stream |
//! | [`from_log`] | a study made from logs of a judge |
//! | [`mod@error`] | why a study can't be run |
//!
//! [`Study::load`] reads everything and refuses what can't be used; nothing is computed before.

pub mod apply;
pub mod audit;
pub mod belief_file;
pub mod error;
pub mod evaluate;
pub mod findings;
pub mod from_log;
pub mod input;
pub mod intake;
pub mod model;
pub mod queue;
pub mod registration;
pub mod results;

pub use error::Error;
pub use evaluate::{Evaluation, EvaluationOutcome, evaluate};
pub use input::scale::Scale;
pub use model::study::{Decomposition, Study};
pub use results::{FitReport, InputReport, StudyResults};

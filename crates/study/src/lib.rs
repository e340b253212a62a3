//! Studies of a user's data with the engines of the paper: items, a judge's predictions and some labels become a decomposition of every
//! item's uncertainty, rankings, and an evaluation where labels suffice, whatever kind the labels are of.
//!
//! | module | holds |
//! |---|---|
//! | [`kinds`] | the kinds of labels: classes, scores, ordinal ratings; here a further one would go |
//! | [`kind`], [`mod@read`] | what a study needs to know of a kind and of what it reads, the study, the decomposition |
//! | [`input`] | `study.toml`, input files, items, texts, the log of added labels |
//! | [`load`], [`features`], [`carried`], [`carried_map`] | a study as it is read, what its trust may depend on, and trust and map carried over from another |
//! | [`decompose`], [`identification`], [`evidence`], [`parts`], [`percentiles`] | the fit and whether the labels determine it, the belief about every item, the rankings, and what varies over items |
//! | [`held_out`], [`reliability`] | judge and beliefs on labels that they have not seen, from one label an item, class by class and group by group |
//! | [`annotators`] | labels by the traits of their annotators |
//! | [`mod@evaluate`], [`for_new_items`] | half splits where labels suffice, and what they say of new items |
//! | [`results`], [`sample`], [`profile`], [`cards`], [`columns`], [`lewidi`] | what a run reports, the items that figures and pages show, and the table of all items |
//! | [`belief_file`], [`apply`] | the fitted belief as a file, and applied to further items in a stream |
//! | [`compare`], [`mismatch`], [`judge_files`] | two studies of the same items, and which judge a trust belongs to |
//! | [`mod@error`] | why a study can't be run |
//! | [`plan`] | what further labels would give, and when to stop |
//! | [`from_log`] | a study made from logs of a judge |
//! | [`queue`], [`intake`], [`label_table`] | the ranked queue on its way out, labels on their way back, all labels as a table |
//! | [`movement`], [`estimates`] | what the labels that came back moved, and what they say about all items |
//! | [`registration`], [`hypothesis`], [`registered`] | hypotheses frozen before their evaluation, and how they fared |
//!
//! [`Study::load`] reads everything and refuses what can't be used; nothing is computed before.

pub mod annotators;
pub mod apply;
pub mod belief_file;
pub mod cards;
pub mod carried;
pub mod carried_map;
pub mod columns;
pub mod compare;
pub mod decompose;
pub mod error;
pub mod estimates;
pub mod evaluate;
pub mod evidence;
pub mod features;
pub mod for_new_items;
pub mod from_log;
pub mod held_out;
pub mod hypothesis;
pub mod identification;
pub mod input;
pub mod intake;
pub mod judge_files;
pub mod kind;
pub mod kinds;
pub mod label_table;
pub mod lewidi;
pub mod load;
pub mod mismatch;
pub mod movement;
pub mod parts;
pub mod percentiles;
pub mod plan;
pub mod profile;
pub mod queue;
pub mod read;
pub mod registered;
pub mod registration;
pub mod reliability;
pub mod results;
pub mod sample;

pub use error::Error;
pub use evaluate::{Evaluated, Evaluation, evaluate};
pub use kind::{Decomposition, Kind, Study};
pub use kinds::{Classes, Ordinal, Scores};
pub use results::{FitReport, InputReport, StudyResults};

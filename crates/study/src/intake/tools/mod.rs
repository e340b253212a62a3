//! Exports of annotation tools.
//!
//! | tool | file | id | annotator | label |
//! |---|---|---|---|---|
//! | Label Studio, JSON | list of tasks | `data.uid` | `completed_by` (its e-mail, or `label-studio-N`) | `choices`, `number` or `rating` of the control `label`, or of the only such control |
//! | Label Studio, JSON-MIN, CSV, TSV | list of answers, table | `uid` | `annotator` | `label` |
//! | Argilla 2 | list or lines of records | `id` | `user_id` | `responses.label` (`label.responses` where flattened), submitted ones |
//! | Argilla 1 | list or lines of records | `external_id` | `user_id` | `values.label` of the submitted responses |
//! | Prodigy | lines | `uid` | `_annotator_id` | `accept` or `user_input` of accepted answers |
//! | doccano, JSON, JSON Lines, CSV | examples, alone or in its archive | `uid` | name of the file in the archive | `label` |
//! | any, JSON, JSON Lines, Parquet | objects | `id` | `annotator` | `label` |
//!
//! The tools' own numbers of tasks and records are never taken for ids of items. Answers that were cancelled,
//! discarded, rejected or ignored are counted and never become labels.

pub mod argilla;
pub mod doccano;
pub mod json;
pub mod label_studio;
pub mod plain;
pub mod prodigy;
pub mod recognised;

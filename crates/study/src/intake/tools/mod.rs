//! Exports of annotation tools.
//!
//! | tool | file | id | annotator | label |
//! |---|---|---|---|---|
//! | Label Studio, JSON | list of tasks | `data.uid` | `completed_by` | `choices`, `number` or `rating` |
//! | Label Studio, JSON-MIN, CSV, TSV | list of answers, table | `uid` | `annotator` | `label` |
//! | Argilla 2 | list or lines of records | `id` | `user_id` | `responses.label`; flattened: `label.responses` |
//! | Argilla 1 | list or lines of records | `external_id` | `user_id` | `values.label` of `responses` |
//! | Prodigy | lines | `uid` | `_annotator_id` | `accept` or `user_input` of accepted answers |
//! | doccano, JSON, JSON Lines, CSV | examples, alone or in its archive | `uid` | file in the archive | `label` |
//! | any, JSON, JSON Lines, Parquet | objects | `id` | `annotator` | `label` |
//!
//! Label Studio's annotator is an e-mail or `label-studio-N`, and its answer is that of the control `label`, or of the
//! only such control. Argilla's responses count once they are submitted.
//!
//! The tools' own numbers of tasks and records are never taken for ids of items. Answers that were cancelled,
//! discarded, rejected or ignored are counted and never become labels.

pub mod argilla;
pub mod doccano;
pub mod json;
pub mod label_studio;
pub mod recognised;

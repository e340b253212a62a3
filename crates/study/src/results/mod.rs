//! What a run reports.
//!
//! | module | holds |
//! |---|---|
//! | [`run`] | `study.json` and the manifest of a run; the last run of a study, from which its queue goes on |
//! | [`parts`] | how evidence and parts of the uncertainty vary over items; the items that figures show; what labels moved that came back from a queue |
//! | [`own`] | what fit and decomposition say of classes, and of ratings |
//! | [`columns`] | the columns of the table of all items; all labels as one table |

pub mod columns;
pub mod own;
pub mod parts;
pub mod run;

/// Percentiles by which results tell how a quantity is spread over items.
const SPREAD: [f64; 3] = [5.0, 50.0, 95.0];

pub use run::{Coefficient, FILE, FitReport, GroupReport, InputReport, Missing, SCHEMA, StudyManifest, StudyResults};

//! A target for every reader, and for every file that the program writes and reads again.
//!
//! Each takes bytes and must come back: a reader that panics, hangs or takes more memory than the size of its input
//! allows has a defect, and so has one of the properties that the targets assert. Files that carry a sum are also given
//! with the sum mended, because behind the sum nothing is reached otherwise.

mod memory;
mod mutation;
mod scratch;
mod targets;

pub use memory::held_against_memory;
pub use mutation::Random;
use targets::{answers, audited, files, models, packed, results, studies, tables};

/// A reader with all that is held against it.
pub type Target = fn(&[u8]);

/// All targets by name; each has a corpus of that name.
pub const TARGETS: &[(&str, Target)] = &[
    ("table", tables::table),
    ("json_lines", tables::json_lines),
    ("matrix", tables::matrix),
    ("embeddings", tables::embeddings),
    ("items_to_embed", tables::items_to_embed),
    ("predictions", tables::predictions),
    ("model", models::model),
    ("sheets", packed::sheets),
    ("pages", packed::pages),
    ("rows_of_text", packed::rows_of_text),
    ("judge_log", packed::judge_log),
    ("audited", audited::audited),
    ("text_template", tables::text_template),
    ("configuration", studies::configuration),
    ("study_table", studies::study_table),
    ("plan", studies::plan),
    ("registration", studies::registration),
    ("selection", studies::selection),
    ("tool_export", studies::tool_export),
    ("belief", studies::belief),
    ("label_log", files::label_log),
    ("label_log_cells", files::label_log_cells),
    ("journal", files::journal),
    ("embedding_cache", files::embedding_cache),
    ("output_folder", files::output_folder),
    ("manifest", results::manifest),
    ("results", results::results),
    ("claims", results::claims),
    ("answer", answers::answer),
    ("answer_cache", answers::answer_cache),
    ("reply", answers::reply),
];

/// The target of a name.
///
/// # Panics
/// If there is none.
pub fn target(name: &str) -> Target {
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    found.unwrap_or_else(|| panic!("{name:?} is not a target; there are {}", names.join(", "))).1
}

//! Posterior means in the layout in which LeWiDi-2025 takes soft predictions.

use std::fmt::Write;

use super::input::config::Format;
use super::kind::{Decomposition, Kind, Study};
use super::profile::Profile;

/// Name of the file in a run folder.
pub const SOFT: &str = "lewidi_soft.tsv";

/// One row per item of a LeWiDi file, `id<TAB>[share, share, ...]`, the classes in the order of the study and without a header;
/// `None` for other files, for scores, and for items that are labels of an item (VariErrNLI), whose rows are laid out otherwise.
///
/// Source: the task's description of submissions (`DATASET_test_soft.tsv`); no file of the task was at hand to compare.
pub fn soft_predictions<K: Kind>(study: &Study<K>, decomposition: &Decomposition<K>) -> Option<String> {
    let items = &study.file.config.items;
    if items.format != Some(Format::LeWiDi) || !items.multilabel.is_empty() {
        return None;
    }
    let mut text = String::new();
    for (i, id) in study.items.ids.iter().enumerate() {
        let Profile::Shares { belief, .. } = K::profile(study, decomposition, i) else { return None };
        writeln!(text, "{id}\t{belief:?}").expect("writing to a string can't fail");
    }
    Some(text)
}
